//! Whether files lie on one grid, and where on it.

use std::path::Path;

use ecotone_grid::{GeoTransform, Rect};

use super::MosaicError;

/// How far from a whole pixel a file may lie, and how far its pixels may drift over its width: far below what
/// anybody sees, far above the last digits of coordinates.
const TOLERANCE_PX: f64 = 0.01;

/// The largest relative difference of pixel sizes, however small the file.
const SIZE_TOLERANCE: f64 = 1e-4;

/// Pixels a side, and in all, beyond which files do not belong together.
const MOST_SIDE: i64 = 1 << 31;
const MOST_AREA: u64 = 1 << 40;

/// A file, where it says it lies, and how large it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    pub path: &'a Path,
    pub transform: GeoTransform,
    pub epsg: Option<u16>,
    pub rect: Rect,
}

impl Placed<'_> {
    /// Refuses a file in another coordinate system; one of no known code may be in any.
    pub fn check_system(&self, other: &Self) -> Result<(), MosaicError> {
        match (self.epsg, other.epsg) {
            (Some(ours), Some(theirs)) if ours != theirs => Err(MosaicError::Systems {
                first: self.path.to_owned(),
                second: other.path.to_owned(),
                systems: [ours, theirs],
            }),
            _ => Ok(()),
        }
    }

    /// Columns and rows from this file's north-west corner to another's.
    pub fn offset_to(&self, other: &Self) -> Result<(i64, i64), MosaicError> {
        self.check_system(other)?;
        let (ours, theirs) = (self.transform.pixel, other.transform.pixel);
        let width = self.rect.width().max(other.rect.width());
        let height = self.rect.height().max(other.rect.height());
        if !same_size(ours.x, theirs.x, width) || !same_size(ours.y, theirs.y, height) {
            return Err(MosaicError::PixelSizes {
                first: self.path.to_owned(),
                second: other.path.to_owned(),
                sizes: [[ours.x, ours.y], [theirs.x, theirs.y]],
            });
        }
        let [east_px, south_px] = self.way_to(other);
        let is_whole = |px: f64| (px - px.round()).abs() <= TOLERANCE_PX;
        if !is_whole(east_px) || !is_whole(south_px) {
            return Err(MosaicError::OffGrid {
                first: self.path.to_owned(),
                second: other.path.to_owned(),
                east_px,
                south_px,
                pixel: [ours.x, ours.y],
            });
        }
        // Sums of what is cut off here stay integers; the size of the map is checked afterwards.
        const MOST: f64 = (1_u64 << 53) as f64;
        let whole = |px: f64| px.round().clamp(-MOST, MOST) as i64;
        Ok((whole(east_px), whole(south_px)))
    }

    /// Pixels east and south from this file's north-west corner to another's, fractions and all.
    pub fn way_to(&self, other: &Self) -> [f64; 2] {
        let (ours, theirs) = (&self.transform, &other.transform);
        [
            (theirs.x0 - ours.x0) / ours.pixel.x,
            (ours.y0 - theirs.y0) / ours.pixel.y,
        ]
    }
}

fn same_size(ours: f64, theirs: f64, n_pixels: usize) -> bool {
    let relative = (ours - theirs).abs() / ours;
    relative <= SIZE_TOLERANCE && relative * n_pixels as f64 <= TOLERANCE_PX
}

/// The rectangle around all; an error where it is larger than a map can be.
pub(super) fn around<'a>(
    parts: impl IntoIterator<Item = (&'a Path, Rect)>,
) -> Result<Rect, MosaicError> {
    let mut whole: Option<(&Path, Rect)> = None;
    for (path, rect) in parts {
        let (first, sum) = whole.map_or((path, rect), |(first, sum)| (first, hull(&sum, &rect)));
        let (width, height) = (sum.x1 - sum.x0, sum.y1 - sum.y0);
        let is_sane =
            width <= MOST_SIDE && height <= MOST_SIDE && width as u64 * height as u64 <= MOST_AREA;
        // A single file is as large as it is.
        if whole.is_some() && !is_sane {
            return Err(MosaicError::TooLarge {
                first: first.to_owned(),
                second: path.to_owned(),
                width: width as u64,
                height: height as u64,
            });
        }
        whole = Some((first, sum));
    }
    Ok(whole.map(|(_, rect)| rect).unwrap_or_default())
}

fn hull(a: &Rect, b: &Rect) -> Rect {
    Rect::new(
        a.x0.min(b.x0),
        a.y0.min(b.y0),
        a.x1.max(b.x1),
        a.y1.max(b.y1),
    )
}

/// A rectangle some columns east and rows south.
pub(super) fn moved(rect: Rect, (x, y): (i64, i64)) -> Rect {
    Rect::new(rect.x0 + x, rect.y0 + y, rect.x1 + x, rect.y1 + y)
}
