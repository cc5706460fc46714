//! Masks: where strata and corrections lie over the ground.

mod fit;
mod raster;
mod sampling;
mod values;

use std::sync::Arc;

use ecotone_geotiff::BlockCache;
use ecotone_grid::{Raster, Rect};

use super::Inputs;
use crate::config::Loaded;
use crate::error::BakeError;
use crate::manifest;
use raster::RasterMask;

/// Where one layer lies over the ground.
pub(crate) enum Mask {
    /// As pixels say.
    Raster(RasterMask),
}

/// Memory that [`Mask::read`] works in.
#[derive(Default)]
pub(crate) struct MaskScratch {
    /// Raw values of a raster.
    raw: Raster<f64>,
}

impl Mask {
    /// What it is, in a line for people.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Raster(mask) => manifest::describe(mask.source()),
        }
    }

    /// Fills band `band` of `out`, which covers `rect`, with coverage in [0, 1]: 0 where there is none or nothing is known.
    ///
    /// A pixel is the same bits from whatever rectangle it is read in.
    pub(crate) fn read(
        &self,
        rect: Rect,
        scratch: &mut MaskScratch,
        band: usize,
        out: &mut Raster<f32>,
    ) -> Result<(), BakeError> {
        match self {
            Self::Raster(mask) => Ok(mask.read(rect, &mut scratch.raw, band, out)?),
        }
    }
}

impl Inputs {
    /// Opens the mask of the stratum with a number among all that are listed.
    pub(super) fn open_mask(
        &mut self,
        loaded: &Loaded,
        stratum: usize,
        name: &str,
        blocks: Arc<BlockCache>,
    ) -> Result<Mask, BakeError> {
        let path = loaded.resolve(name);
        self.open_raster_mask(loaded, stratum, path, blocks)
            .map(Mask::Raster)
    }
}
