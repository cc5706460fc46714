//! All masks over one tile.

use ecotone_grid::{Raster, Rect, Window};

use super::{Mask, MaskScratch};
use crate::error::BakeError;

/// What every mask covers of a tile, each over the part that it may cover: those that lie elsewhere take nothing.
#[derive(Default)]
pub(crate) struct Covers {
    rasters: Vec<Raster<f32>>,
}

impl Covers {
    /// Reads what `masks` cover of a rectangle of the map.
    pub(crate) fn read(
        &mut self,
        masks: &[Mask],
        rect: Rect,
        scratch: &mut MaskScratch,
    ) -> Result<(), BakeError> {
        self.rasters.resize_with(masks.len(), Raster::default);
        for (mask, raster) in masks.iter().zip(&mut self.rasters) {
            let part = mask.under(rect);
            if part.is_empty() {
                // Lets go of its memory: of a thousand strokes few lie under the next tile.
                *raster = Raster::default();
                continue;
            }
            raster.reset(part, 1, 0.0);
            mask.read(scratch, 0, raster)?;
        }
        Ok(())
    }

    /// One for each mask, empty where it lies elsewhere.
    pub(crate) fn windows(&self) -> Vec<Window<'_, f32>> {
        self.rasters
            .iter()
            .map(|raster| Window::new(raster.rect(), raster.pixels()))
            .collect()
    }
}
