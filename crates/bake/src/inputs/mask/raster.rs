//! Masks that are rasters, on the map's grid or on one of their own.

use std::path::PathBuf;
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Options, Source, SourceError};
use ecotone_grid::{Raster, Rect};

use super::sampling::Sampling;
use super::values::Values;
use crate::config::Loaded;
use crate::error::BakeError;
use crate::inputs::{self, Inputs};

/// A raster that covers ground.
pub(crate) struct RasterMask {
    source: Source,
    /// Its band, from 0.
    band: usize,
    values: Values,
    /// How its pixels come onto the map's; `None` where they are the map's.
    sampling: Option<Sampling>,
}

impl RasterMask {
    /// The file.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Fills `rect` of band `band` of `out` with coverage.
    pub(super) fn read(
        &self,
        rect: Rect,
        raw: &mut Raster<f64>,
        band: usize,
        out: &mut Raster<f32>,
    ) -> Result<(), SourceError> {
        match &self.sampling {
            None => self.read_own(rect, raw, band, out),
            Some(sampling) => self.read_sampled(sampling, rect, raw, band, out),
        }
    }

    fn read_own(
        &self,
        rect: Rect,
        raw: &mut Raster<f64>,
        band: usize,
        out: &mut Raster<f32>,
    ) -> Result<(), SourceError> {
        self.source.read(rect, self.band, raw)?;
        let from = (rect.x0 - out.rect().x0) as usize;
        for y in rect.y0..rect.y1 {
            let row = &mut out.row_mut(band, y)[from..from + rect.width()];
            for (coverage, &raw) in row.iter_mut().zip(raw.band(0).row(y)) {
                *coverage = self.values.coverage(raw) as f32;
            }
        }
        Ok(())
    }

    /// Reads a rectangle in halves as long as too much of the mask lies under it.
    fn read_sampled(
        &self,
        sampling: &Sampling,
        rect: Rect,
        raw: &mut Raster<f64>,
        band: usize,
        out: &mut Raster<f32>,
    ) -> Result<(), SourceError> {
        /// Pixels of the mask in memory at once: as many as lie under a usual tile where it is four times as fine.
        const MOST_PIXELS: usize = 1 << 22;
        let window = sampling.window(rect);
        if window.area() > MOST_PIXELS && rect.area() > 1 {
            for half in halves(rect, window) {
                self.read_sampled(sampling, half, raw, band, out)?;
            }
            return Ok(());
        }
        self.source.read(window, self.band, raw)?;
        for coverage in raw.pixels_mut() {
            *coverage = self.values.coverage(*coverage);
        }
        sampling.write(raw.band(0), rect, band, out);
        Ok(())
    }
}

/// The halves of a rectangle of more than one pixel, cut across the longer side of what lies under it.
fn halves(rect: Rect, window: Rect) -> [Rect; 2] {
    let across_x = rect.height() == 1 || (rect.width() > 1 && window.width() >= window.height());
    let (mut first, mut second) = (rect, rect);
    if across_x {
        first.x1 = rect.x0 + rect.width() as i64 / 2;
        second.x0 = first.x1;
    } else {
        first.y1 = rect.y0 + rect.height() as i64 / 2;
        second.y0 = first.y1;
    }
    [first, second]
}

impl Inputs {
    /// Opens the raster that a stratum has as its mask, and finds out what its values mean and where it lies.
    pub(super) fn open_raster_mask(
        &mut self,
        loaded: &Loaded,
        stratum: usize,
        path: PathBuf,
        blocks: Arc<BlockCache>,
    ) -> Result<RasterMask, BakeError> {
        let key = format!("stratum[{stratum}]");
        // Raw values are wanted: a mask in 0 … 255 is one whatever its scale says.
        let options = Options {
            scale: Some(1.0),
            offset: Some(0.0),
            ..Options::default()
        };
        let source = inputs::open(loaded, &format!("{key}.mask"), path, &options, blocks)?;
        let keys = &loaded.config.strata[stratum];
        let band = self.band(loaded, &key, keys.mask_band, &source)?;
        let sampling = self.fit(loaded, &format!("{key}.mask"), &source)?;
        let (values, warning) = Values::find(loaded, stratum, &source, band)?;
        self.warnings.extend(warning);
        Ok(RasterMask {
            source,
            band,
            values,
            sampling,
        })
    }

    /// The band that is meant, from 0.
    fn band(
        &mut self,
        loaded: &Loaded,
        key: &str,
        wanted: Option<u32>,
        mask: &Source,
    ) -> Result<usize, BakeError> {
        let n_bands = mask.header().n_bands;
        let file = mask.path().display();
        let Some(number) = wanted else {
            if n_bands > 1 {
                self.warnings.push(format!(
                    "{file} has {n_bands} bands; the first is read as the mask, and `mask_band` chooses another"
                ));
            }
            return Ok(0);
        };
        if number as usize > n_bands {
            let bands = if n_bands == 1 { "band" } else { "bands" };
            let message =
                format!("{file} has {n_bands} {bands}, and none with the number {number}");
            let help = format!("bands are counted from 1: use at most {n_bands}");
            return Err(loaded
                .error_at(&format!("{key}.mask_band"), message, Some(help))
                .into());
        }
        Ok(number as usize - 1)
    }
}
