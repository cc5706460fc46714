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

    pub(crate) fn normals<'a>(&self, ground: &Ground<'a>) -> [&'a [f32]; 3] {
        [0, 1, 2].map(|band| self.of(ground.normals.band(band)))
    }

    /// Whether each of the masks is the same number everywhere.
    pub(crate) fn is_level(&self, masks: &[Window<'_, f32>]) -> bool {
        masks.iter().all(|&mask| {
            let cover = self.of(mask);
            cover.iter().fold(true, |level, &c| level & (c == cover[0]))
        })
    }
}
