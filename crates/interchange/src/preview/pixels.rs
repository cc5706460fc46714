//! Where the pixels of a picture's ground come from: a world's files, or what was gathered while it was baked.

use ecotone_grid::{GeoTransform, Raster, Rect};

use crate::{Finished, InterchangeError};

/// The ground of a world in small: one cell for every few pixels.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Pixels along a side of a cell; the first starts at the map's corner.
    pub step: u32,
    /// Weights of all strata, 0 on voids.
    pub weights: Raster<u8>,
    /// Heights in metres, NaN on voids.
    pub heights: Raster<f32>,
    /// The sum of the weights of each stratum over all pixels of the map.
    pub totals: Vec<u64>,
}

/// Pixels of the ground.
pub(super) trait Pixels {
    /// Where they lie in the world.
    fn transform(&self) -> GeoTransform;

    /// All of them.
    fn map(&self) -> Rect;

    /// The weights of all strata; 0 where there are none.
    fn weights(&self, rect: Rect, out: &mut Raster<u8>) -> Result<(), InterchangeError>;

    /// Heights in metres; NaN where there are none.
    fn heights(&self, rect: Rect, out: &mut Raster<f64>) -> Result<(), InterchangeError>;

    /// The sum of the weights of each stratum, where it is known without reading them.
    fn totals(&self) -> Option<&[u64]>;
}

impl Pixels for Finished {
    fn transform(&self) -> GeoTransform {
        self.transform()
    }

    fn map(&self) -> Rect {
        self.map()
    }

    fn weights(&self, rect: Rect, out: &mut Raster<u8>) -> Result<(), InterchangeError> {
        self.weights(rect, out)
    }

    fn heights(&self, rect: Rect, out: &mut Raster<f64>) -> Result<(), InterchangeError> {
        self.heights(rect, out)
    }

    fn totals(&self) -> Option<&[u64]> {
        None
    }
}

/// The cells of an overview, as pixels of the world it is of.
pub(super) struct Cells<'a> {
    pub(super) world: &'a Finished,
    pub(super) overview: &'a Overview,
}

impl Pixels for Cells<'_> {
    fn transform(&self) -> GeoTransform {
        let mut transform = self.world.transform();
        transform.pixel.x *= f64::from(self.overview.step);
        transform.pixel.y *= f64::from(self.overview.step);
        transform
    }

    fn map(&self) -> Rect {
        self.overview.weights.rect()
    }

    fn weights(&self, rect: Rect, out: &mut Raster<u8>) -> Result<(), InterchangeError> {
        let weights = &self.overview.weights;
        out.reset(rect, weights.n_bands(), 0);
        (0..weights.n_bands()).for_each(|band| out.paste(band, weights.band(band)));
        Ok(())
    }

    fn heights(&self, rect: Rect, out: &mut Raster<f64>) -> Result<(), InterchangeError> {
        out.reset(rect, 1, f64::NAN);
        let heights = self.overview.heights.band(0);
        let shared = rect.intersect(&heights.rect());
        for y in shared.y0..shared.y1 {
            let at = (shared.x0 - rect.x0) as usize;
            let from = &heights.row(y)[shared.x0 as usize..shared.x1 as usize];
            for (out, &height) in out.row_mut(0, y)[at..].iter_mut().zip(from) {
                *out = f64::from(height);
            }
        }
        Ok(())
    }

    fn totals(&self) -> Option<&[u64]> {
        Some(&self.overview.totals)
    }
}
