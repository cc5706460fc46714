//! A file of heights as an edit: what of it lies over the map, on the map's grid, as 32-bit reals.

use std::path::Path;
use std::sync::Arc;

use ecotone_geotiff::{self as geotiff, BlockCache, Options, Patch, PatchMode, SourceError};
use ecotone_grid::{Raster, Rect};

use super::brush::{check, check_size, cropped};
use super::{Alpha, EditError, Rasters};
use crate::config::Loaded;
use crate::error::BakeError;
use crate::inputs::open_heights;

/// Pixels that are read at a time.
const PIXELS: usize = 1 << 20;
/// Decoded blocks that are kept meanwhile: a row of the blocks of a wide file.
const BLOCK_BYTES: usize = 32 << 20;

/// Reads what of a file lies over the map, in metres, NaN where it is void or does not take hold; and how much of it does,
/// where a file says so.
pub(super) fn read(
    loaded: &Loaded,
    file: &Path,
    alpha: &Alpha,
    map: Rect,
) -> Result<Rasters, BakeError> {
    let shares = match alpha {
        Alpha::Everywhere(alpha) => {
            let is_some = *alpha > 0.0 && *alpha <= 1.0;
            check("alpha", *alpha, is_some, "more than 0 and at most 1")?;
            geotiff::Alpha::Everywhere(*alpha)
        }
        Alpha::File(path) => geotiff::Alpha::Raster(path.as_path()),
    };
    let blocks = Arc::new(BlockCache::new(BLOCK_BYTES));
    let base = open_heights(loaded, &blocks)?;
    let base = base.layers().base();
    if base.rect() != map {
        let size = |rect: Rect| [rect.width(), rect.height()];
        let (then, now) = (size(map), size(base.rect()));
        return Err(EditError::Resized { then, now }.into());
    }
    // Only where it lies is asked here; what becomes of a height under it is the log's.
    let (mode, options) = (PatchMode::Replace, Options::default());
    let patch = Patch::open(file, &options, mode, &shares, base, &blocks)?;
    let rect = patch.rect().intersect(&map);
    if rect.is_empty() {
        return Err(off_map(file, base, map).into());
    }
    check_size(&file.display().to_string(), rect)?;
    let read = |own: Rect, out: &mut Raster<f64>| patch.heights().read(own, out);
    let mut heights = over(&patch, rect, read)?;
    let shares = match patch.alpha() {
        None => None,
        Some(_) => {
            let read = |own: Rect, out: &mut Raster<f64>| patch.read_shares(own, out).map(drop);
            Some(over(&patch, rect, read)?)
        }
    };
    if let Some(shares) = &shares {
        let pixels = heights.pixels_mut().iter_mut().zip(shares.pixels());
        let idle = pixels.filter(|(_, share)| **share <= 0.0);
        idle.for_each(|(height, _)| *height = f32::NAN);
    }
    let values = cropped(&heights, |value| !value.is_nan()).ok_or_else(|| {
        let path = file.to_owned();
        EditError::Void { path }
    })?;
    let shares = shares.map(|all| {
        let mut part = Raster::new(values.rect(), 1, 0.0);
        part.paste(0, all.band(0));
        part
    });
    Ok(Rasters { values, shares })
}

fn off_map(file: &Path, base: &geotiff::Mosaic, map: Rect) -> EditError {
    let place = base.georeference().ok().flatten();
    let [west, south, east, north] = place.map_or(
        [0.0, 0.0, map.width() as f64, map.height() as f64],
        |place| place.transform.bounds(map),
    );
    EditError::OffMap {
        what: file.display().to_string(),
        west,
        south,
        east,
        north,
    }
}

/// What `read` reads of a patch's own pixels over some of the map's, a few rows in double precision at a time.
fn over(
    patch: &Patch,
    rect: Rect,
    read: impl Fn(Rect, &mut Raster<f64>) -> Result<(), SourceError>,
) -> Result<Raster<f32>, BakeError> {
    let (west, north) = (patch.rect().x0, patch.rect().y0);
    let n_rows = (PIXELS / rect.width()).max(1) as i64;
    let mut pixels = Vec::with_capacity(rect.area());
    let mut rows = Raster::default();
    for y in (rect.y0..rect.y1).step_by(n_rows as usize) {
        let end = rect.y1.min(y + n_rows);
        let own = Rect::new(rect.x0 - west, y - north, rect.x1 - west, end - north);
        read(own, &mut rows)?;
        pixels.extend(rows.pixels().iter().map(|&height| height as f32));
    }
    // A double that no 32-bit real can hold is no height.
    let endless = pixels.iter_mut().filter(|value| value.is_infinite());
    endless.for_each(|value| *value = f32::NAN);
    Ok(Raster::from_pixels(rect, 1, pixels))
}
