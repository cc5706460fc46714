//! The ground, and the few pixels of it that are looked at together.

use ecotone_grid::{GeoTransform, Raster, Window};

/// What weights are made of.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// The bands x, y, z of [`crate::normals`].
    pub normals: &'a Raster<f32>,
    /// Heights in metres, NaN on voids.
    pub heights: Window<'a, f64>,
    /// The mask of each layer, in [0, 1]; NaN is 0.
    pub masks: &'a [Window<'a, f32>],
    /// Where the pixels lie in the world: noise is tied to that.
    pub grid: GeoTransform,
}

/// The ground, its bands at hand.
pub(crate) struct Sources<'a> {
    pub(crate) normals: [Window<'a, f32>; 3],
    pub(crate) heights: Window<'a, f64>,
    pub(crate) masks: &'a [Window<'a, f32>],
    pub(crate) grid: GeoTransform,
}

impl<'a> Sources<'a> {
    pub(crate) fn of(ground: &Ground<'a>) -> Self {
        Self {
            normals: [0, 1, 2].map(|band| ground.normals.band(band)),
            heights: ground.heights,
            masks: ground.masks,
            grid: ground.grid,
        }
    }
}

/// Some pixels of a row, by their map column and row.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) len: usize,
}

impl Stretch {
    pub(crate) fn of<'a, T: Copy>(&self, window: Window<'a, T>) -> &'a [T] {
        let from = (self.x - window.rect().x0) as usize;
        &window.row(self.y)[from..from + self.len]
    }

    pub(crate) fn of_each<'a>(&self, normals: [Window<'a, f32>; 3]) -> [&'a [f32]; 3] {
        normals.map(|band| self.of(band))
    }

    /// Whether each of the masks is the same number everywhere.
    pub(crate) fn is_level(&self, masks: &[Window<'_, f32>]) -> bool {
        masks.iter().all(|&mask| {
            let cover = self.of(mask);
            cover.iter().fold(true, |level, &c| level & (c == cover[0]))
        })
    }
}
