//! Masks: where strata and corrections lie over the ground, and how densely species and biomes cover it.

mod covers;
mod fit;
mod keys;
mod raster;
mod sampling;
mod values;

use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Mosaic, Source};
use ecotone_grid::{Raster, Rect};
use ecotone_terrain::ShapeScratch;

use super::Inputs;
use super::shapes::Shapes;
use crate::config::Loaded;
use crate::edit::EditRaster;
use crate::error::BakeError;
use crate::fingerprint::Look;
use crate::manifest;
pub(crate) use covers::Covers;
pub(crate) use keys::MaskKeys;
use raster::RasterMask;

/// Where one layer lies over the ground.
pub(crate) enum Mask {
    /// As pixels say.
    Raster(RasterMask),
    /// As lines, points and polygons are drawn.
    Shapes(Shapes),
    /// As a brush of an edit went.
    Stroke(EditRaster),
}

/// Memory that [`Mask::read`] works in.
#[derive(Default)]
pub(crate) struct MaskScratch {
    /// Raw values of a raster.
    raw: Raster<f64>,
    shapes: ShapeScratch,
}

/// What a worker takes for the coverage of all masks over a tile but strokes, which cover little of one, and for the scratch
/// that they take turns with.
pub(crate) fn window_bytes(masks: &[Mask], tile: Rect) -> u64 {
    let is_whole = |mask: &&Mask| !matches!(mask, Mask::Stroke(_));
    let n_whole = masks.iter().filter(is_whole).count();
    (n_whole * tile.area() * size_of::<f32>()) as u64 + scratch_bytes(masks.iter(), tile)
}

/// What a worker takes for the scratch in which masks are read over a window, one after the other.
pub(crate) fn scratch_bytes<'a>(masks: impl Iterator<Item = &'a Mask>, window: Rect) -> u64 {
    let of_shapes = window.area() * ShapeScratch::BYTES_PER_PIXEL;
    let (mut raw, mut shapes) = (0, 0);
    for mask in masks {
        match mask {
            Mask::Raster(mask) => raw = mask.raw_pixels(window).max(raw),
            Mask::Shapes(_) => shapes = of_shapes,
            Mask::Stroke(_) => {}
        }
    }
    (raw * size_of::<f64>() + shapes) as u64
}

impl Mask {
    /// The files of its pixels, where it has any.
    pub(crate) fn raster(&self) -> Option<&Mosaic> {
        match self {
            Self::Raster(mask) => Some(mask.map()),
            Self::Shapes(_) | Self::Stroke(_) => None,
        }
    }

    /// The file of its shapes, where it has any.
    pub(crate) fn shapes(&self) -> Option<&std::path::Path> {
        match self {
            Self::Raster(_) | Self::Stroke(_) => None,
            Self::Shapes(shapes) => Some(shapes.path()),
        }
    }

    /// Hands every file under a window of the map to `each`, with the part of its own pixels that is read.
    pub(crate) fn sources_under(&self, window: Rect, each: &mut dyn FnMut(&Source, Rect)) {
        if let Self::Raster(mask) = self {
            mask.map().sources_under(mask.window(window), each);
        }
    }

    /// Looks at what it is read from, unless it does not reach into a rectangle of the map; whether it does. Strokes are looked
    /// at by the records of their edits.
    pub(crate) fn look_at(&self, rect: Rect, look: &mut Look) -> bool {
        match self {
            Self::Raster(mask) => mask.look_at(rect, look),
            Self::Shapes(shapes) => shapes.look_at(rect, look),
            Self::Stroke(_) => false,
        }
    }

    /// What it is, in a line for people; strokes are too many for that.
    pub(crate) fn describe(&self) -> Option<String> {
        match self {
            Self::Raster(mask) => Some(manifest::describe(mask.map())),
            Self::Shapes(shapes) => Some(shapes.describe()),
            Self::Stroke(_) => None,
        }
    }

    /// The part of a rectangle of the map that it may cover.
    pub(crate) fn under(&self, rect: Rect) -> Rect {
        match self {
            Self::Raster(_) | Self::Shapes(_) => rect,
            Self::Stroke(stroke) => stroke.rect().intersect(&rect),
        }
    }

    /// Fills band `band` of `out` with coverage in [0, 1]: 0 where there is none or nothing is known.
    ///
    /// A pixel is the same bits from whatever rectangle it is read in.
    pub(crate) fn read(
        &self,
        scratch: &mut MaskScratch,
        band: usize,
        out: &mut Raster<f32>,
    ) -> Result<(), BakeError> {
        match self {
            Self::Raster(mask) => mask.read(out.rect(), &mut scratch.raw, band, out)?,
            Self::Shapes(shapes) => shapes.read(&mut scratch.shapes, band, out),
            Self::Stroke(stroke) => stroke.read_shares(&mut scratch.raw, band, out)?,
        }
        Ok(())
    }
}

impl Inputs {
    /// Opens a mask that a config has.
    pub(super) fn open_mask(
        &mut self,
        loaded: &Loaded,
        keys: &MaskKeys<'_>,
        blocks: Arc<BlockCache>,
    ) -> Result<Mask, BakeError> {
        if keys.has_shapes() {
            return self.open_shapes(loaded, keys).map(Mask::Shapes);
        }
        self.open_raster_mask(loaded, keys, blocks)
            .map(Mask::Raster)
    }
}
