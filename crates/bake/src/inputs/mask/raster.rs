//! Masks that are rasters, on the map's grid or on one of their own.

use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Mosaic, MosaicFile, Options, SourceError};
use ecotone_grid::{Raster, Rect};

use super::MaskKeys;
use super::sampling::Sampling;
use super::values::Values;
use crate::config::Loaded;
use crate::error::BakeError;
use crate::fingerprint::Look;
use crate::inputs::{self, Inputs, refusal};

/// Pixels of a mask on a grid of its own in memory at once: as many as lie under a usual tile where it is four times as
/// fine.
const MOST_PIXELS: usize = 1 << 22;

/// A raster that covers ground.
pub(crate) struct RasterMask {
    map: Mosaic,
    values: Values,
    /// How its pixels come onto the map's; `None` where they are the map's.
    sampling: Option<Sampling>,
    /// Number of the band.
    band: usize,
}

impl RasterMask {
    /// Its pixels, raw.
    pub(crate) fn map(&self) -> &Mosaic {
        &self.map
    }

    /// The pixels of the mask that a rectangle of the map reads.
    pub(super) fn window(&self, rect: Rect) -> Rect {
        let sampling = self.sampling.as_ref();
        sampling.map_or(rect, |sampling| sampling.window(rect))
    }

    /// Looks at the files under a rectangle of the map, and at how they are read; whether there are any.
    pub(super) fn look_at(&self, rect: Rect, look: &mut Look) -> bool {
        let window = self.window(rect).intersect(&self.map.rect());
        if window.is_empty() {
            return false;
        }
        let how = (self.values, self.sampling, self.band);
        look.text(&format!("{how:?}"));
        self.map
            .stamps_under(window, &mut |stamp, part| look.file(stamp, part));
        true
    }

    /// The most of its pixels that are in memory at once for a rectangle as large as `rect`.
    pub(super) fn raw_pixels(&self, rect: Rect) -> usize {
        match &self.sampling {
            None => rect.area(),
            Some(sampling) => sampling.most_under(rect).min(MOST_PIXELS),
        }
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
        self.map.read(rect, raw)?;
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
        let window = sampling.window(rect);
        if window.area() > MOST_PIXELS && rect.area() > 1 {
            for half in halves(rect, window) {
                self.read_sampled(sampling, half, raw, band, out)?;
            }
            return Ok(());
        }
        self.map.read(window, raw)?;
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
    /// Opens the raster that is a mask, and finds out what its values mean and where it lies.
    pub(super) fn open_raster_mask(
        &mut self,
        loaded: &Loaded,
        keys: &MaskKeys<'_>,
        blocks: Arc<BlockCache>,
    ) -> Result<RasterMask, BakeError> {
        // Raw values are wanted: a mask in 0 … 255 is one whatever its scale says.
        let options = Options {
            scale: Some(1.0),
            offset: Some(0.0),
            ..Options::default()
        };
        let path = inputs::found(loaded, &keys.key, keys.file)?;
        let band = keys.band.unwrap_or(1) as usize - 1;
        let map = Mosaic::open(&[MosaicFile::new(path)], band, &options, blocks)
            .map_err(|error| no_band(loaded, keys, error))?;
        let (file, n_bands) = (map.path().display(), map.parts()[0].n_bands());
        if keys.band.is_none() && n_bands > 1 {
            self.warnings.push(format!(
                "{file} has {n_bands} bands; the first is read as the mask, and `{}` chooses another",
                keys.band_word()
            ));
        }
        let sampling = self.fit(loaded, &keys.key, &map)?;
        let (values, warning) = Values::find(loaded, keys, &map)?;
        self.warnings.extend(warning);
        // Without data is without coverage, also where the number would mean all of it.
        let nodata = map.first().header().nodata;
        if let Some(nodata) = nodata.filter(|&nodata| values.coverage(nodata) == 1.0) {
            self.warnings.push(format!(
                "{} says that {nodata} is no data, and no data is no coverage, though the number would mean full coverage; \
                 if it should, take the nodata value away, such as with gdal_edit.py -unsetnodata",
                map.path().display()
            ));
        }
        Ok(RasterMask {
            map,
            values,
            sampling,
            band,
        })
    }
}

/// A band that is not there is a mistake of the config.
fn no_band(loaded: &Loaded, keys: &MaskKeys<'_>, error: SourceError) -> BakeError {
    let SourceError::NoBand {
        path,
        band,
        n_bands,
    } = &error
    else {
        return refusal::at(loaded, &keys.key, error);
    };
    let bands = if *n_bands == 1 { "band" } else { "bands" };
    let message = format!(
        "{} has {n_bands} {bands}, and none with the number {}",
        path.display(),
        band + 1
    );
    let help = format!("bands are counted from 1: use at most {n_bands}");
    loaded.error_at(&keys.band_key, message, Some(help)).into()
}
