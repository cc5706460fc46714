//! The ground, and the few pixels of it that are looked at together.

use ecotone_grid::{GeoTransform, Raster, Rect, Window};

/// What weights are made of.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// The bands x, y, z of [`crate::normals`].
    pub normals: &'a Raster<f32>,
    /// Heights in metres, NaN on voids.
    pub heights: Window<'a, f64>,
    /// The mask of each layer, in [0, 1]; NaN is 0, and so is what it does not cover.
    pub masks: &'a [Window<'a, f32>],
    /// Where the pixels lie in the world: noise is tied to that.
    pub grid: GeoTransform,
}

/// The ground, its bands at hand.
pub(crate) struct Sources<'a> {
    pub(crate) normals: [Window<'a, f32>; 3],
    pub(crate) heights: Window<'a, f64>,
    pub(crate) grid: GeoTransform,
}

impl<'a> Sources<'a> {
    pub(crate) fn of(ground: &Ground<'a>) -> Self {
        Self {
            normals: [0, 1, 2].map(|band| ground.normals.band(band)),
            heights: ground.heights,
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

    /// The first `n` of its pixels under a mask; those that the mask does not cover are 0, and are kept in `memory` with the
    /// others. None at all where it covers none of them.
    pub(crate) fn of_mask<'a>(
        &self,
        mask: Window<'a, f32>,
        n: usize,
        memory: &'a mut Vec<f32>,
    ) -> &'a [f32] {
        let shared = mask.rect().intersect(&self.rect());
        if shared.is_empty() {
            return &[];
        }
        if shared.width() == self.len {
            return &self.of(mask)[..n];
        }
        memory.clear();
        memory.resize(self.len, 0.0);
        let (to, from) = (shared.x0 - self.x, shared.x0 - mask.rect().x0);
        let [to, from] = [to, from].map(|at| at as usize);
        memory[to..to + shared.width()]
            .copy_from_slice(&mask.row(self.y)[from..from + shared.width()]);
        &memory[..n]
    }

    /// Whether a mask is the same number everywhere; not so where it covers a part.
    pub(crate) fn is_level(&self, mask: Window<'_, f32>) -> bool {
        let shared = mask.rect().intersect(&self.rect());
        if shared.is_empty() {
            return true;
        }
        let cover = &mask.row(self.y)[(shared.x0 - mask.rect().x0) as usize..][..shared.width()];
        shared.width() == self.len && cover.iter().fold(true, |level, &c| level & (c == cover[0]))
    }

    fn rect(&self) -> Rect {
        Rect::new(self.x, self.y, self.x + self.len as i64, self.y + 1)
    }
}
