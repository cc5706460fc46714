//! Painted masks of strata.

use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Options, Source};
use ecotone_grid::{GeoTransform, Raster, Rect};
use ecotone_terrain::ShapeScratch;

use super::Inputs;
use super::shapes::Shapes;
use crate::config::Loaded;
use crate::error::BakeError;
use crate::manifest;

/// The mask of one stratum.
pub(crate) enum Mask {
    /// A painted one.
    Raster {
        /// The file.
        source: Box<Source>,
        /// The raw value that stands for 1.
        one: f64,
    },
    /// A drawn one.
    Shapes(Box<Shapes>),
}

/// Memory of reading masks.
#[derive(Default)]
pub(crate) struct MaskScratch {
    raw: Raster<f64>,
    shapes: ShapeScratch,
}

impl Mask {
    /// The file, for people.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Raster { source, .. } => manifest::describe(source),
            Self::Shapes(shapes) => shapes.describe(),
        }
    }

    /// Fills band `band` of `out` with coverage in [0, 1]; 0 where there is no data.
    pub(crate) fn read(
        &self,
        scratch: &mut MaskScratch,
        band: usize,
        out: &mut Raster<f32>,
    ) -> Result<(), BakeError> {
        let (source, one) = match self {
            Self::Raster { source, one } => (source, *one),
            Self::Shapes(shapes) => {
                shapes.read(&mut scratch.shapes, band, out);
                return Ok(());
            }
        };
        source.read(out.rect(), 0, &mut scratch.raw)?;
        for (coverage, &raw) in out.band_mut(band).iter_mut().zip(scratch.raw.pixels()) {
            *coverage = if raw.is_nan() {
                0.0
            } else {
                (raw / one).clamp(0.0, 1.0) as f32
            };
        }
        Ok(())
    }
}

impl Inputs {
    pub(super) fn open_mask(
        &mut self,
        loaded: &Loaded,
        stratum: usize,
        name: &str,
        blocks: Arc<BlockCache>,
    ) -> Result<Mask, BakeError> {
        let key = format!("stratum[{stratum}].mask");
        let path = loaded.resolve(name);
        // Raw values are wanted: a mask in 0 … 255 is one whatever its scale says.
        let options = Options {
            scale: Some(1.0),
            offset: Some(0.0),
            ..Options::default()
        };
        let source = super::open(loaded, &key, path, &options, blocks)?;
        self.check_grid(loaded, &key, &source)?;
        let largest = source.header().sample.max();
        let one = match largest {
            None => 1.0,
            Some(most) if most <= 65535.0 && holds_only_zero_and_one(&source)? => {
                self.warnings.push(format!(
                    "{} holds only 0 and 1, which are read as 0 and 1, not as shares of {most}",
                    source.path().display()
                ));
                1.0
            }
            Some(most) => most,
        };
        let source = Box::new(source);
        Ok(Mask::Raster { source, one })
    }

    /// A mask must lie on the map's grid.
    fn check_grid(&self, loaded: &Loaded, key: &str, mask: &Source) -> Result<(), BakeError> {
        let refuse = |message: String| {
            let help = "resample the mask onto the map's grid, such as with gdalwarp -te -ts";
            Err(loaded.error_at(key, message, Some(help.to_owned())).into())
        };
        let (wanted, found) = (self.map(), mask.rect());
        if wanted != found {
            return refuse(format!(
                "the mask is {} × {} pixels, the map {} × {}",
                found.width(),
                found.height(),
                wanted.width(),
                wanted.height()
            ));
        }
        // A file whose own place makes no sense may still be used with `pixel_size`: then only the sizes can agree.
        let place = |source: &Source| Some(source.georeference().ok()??.transform);
        match (place(&self.heights), place(mask)) {
            (Some(ours), Some(theirs)) if !same_grid(&ours, &theirs) => refuse(format!(
                "the mask's north-west corner is at ({}, {}) with pixels of {} × {}, the map's at ({}, {}) with {} × {}",
                theirs.x0,
                theirs.y0,
                theirs.pixel.x,
                theirs.pixel.y,
                ours.x0,
                ours.y0,
                ours.pixel.x,
                ours.pixel.y,
            )),
            _ => Ok(()),
        }
    }
}

/// Whether two grids agree to a hundredth of a pixel.
fn same_grid(a: &GeoTransform, b: &GeoTransform) -> bool {
    let near = |a: f64, b: f64, size: f64| (a - b).abs() <= 0.01 * size;
    near(a.x0, b.x0, a.pixel.x)
        && near(a.y0, b.y0, a.pixel.y)
        && near(a.pixel.x, b.pixel.x, 1e-4 * a.pixel.x)
        && near(a.pixel.y, b.pixel.y, 1e-4 * a.pixel.y)
}

/// Whether an 8- or 16-bit mask has no other value; reads until it finds one.
fn holds_only_zero_and_one(mask: &Source) -> Result<bool, BakeError> {
    const ROWS: i64 = 256;
    let map = mask.rect();
    let mut rows = Raster::default();
    let mut any = false;
    for y in (map.y0..map.y1).step_by(ROWS as usize) {
        let rect = Rect::new(map.x0, y, map.x1, y + ROWS).intersect(&map);
        mask.read(rect, 0, &mut rows)?;
        for &raw in rows.pixels() {
            if !raw.is_nan() && raw != 0.0 && raw != 1.0 {
                return Ok(false);
            }
            any |= raw == 1.0;
        }
    }
    Ok(any)
}
