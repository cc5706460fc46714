//! The canonical digests of a world, which know no tiles and no chunks.

use ecotone_grid::{Raster, Rect};
use ecotone_store::{PLANTS_PER_PASS, RasterDigest};

use crate::finished::DENSITY;
use crate::{Finished, InterchangeError};

/// The canonical digests of a world, in hex: equal where all its values are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests {
    /// Of the stored weights, band after band, row-major over the whole map.
    pub weights: String,
    /// Of the stored distances, likewise; a void as it is stored.
    pub sdf: String,
    /// Of the plants, sorted by species' name and id.
    pub plants: String,
    /// Of the stored densities, as of the weights; `None` where no species is written as one.
    pub density: Option<String>,
}

/// Rows of the whole map that are digested at once, in bytes.
const BAND_BYTES: usize = 16 << 20;

/// Reads the whole world and digests it; memory does not depend on the map's size.
///
/// # Errors
/// Those of the world's files.
pub fn digests(world: &Finished) -> Result<Digests, InterchangeError> {
    let mut weights = RasterDigest::default();
    let mut rows = Raster::<u8>::default();
    let n_strata = world.manifest().strata.len();
    each_rows(world, n_strata, size_of::<u8>(), |band, rect| {
        world.weight_bands(rect, band..band + 1, &mut rows)?;
        weights.feed(rows.pixels());
        Ok(())
    })?;
    let mut sdf = RasterDigest::default();
    let mut rows = Raster::<i16>::default();
    each_rows(world, n_strata, size_of::<i16>(), |band, rect| {
        world.sdf_bands(rect, band..band + 1, &mut rows)?;
        sdf.feed(rows.pixels());
        Ok(())
    })?;
    Ok(Digests {
        weights: weights.finish(),
        sdf: sdf.finish(),
        plants: world.world().plant_digest(PLANTS_PER_PASS)?,
        density: density(world)?,
    })
}

fn density(world: &Finished) -> Result<Option<String>, InterchangeError> {
    let Some(field) = world.manifest().fields.get(DENSITY) else {
        return Ok(None);
    };
    let mut digest = RasterDigest::default();
    let mut rows = Raster::<u8>::default();
    each_rows(world, field.bands.len(), size_of::<u8>(), |band, rect| {
        world.field_steps(DENSITY, band, rect, &mut rows)?;
        digest.feed(rows.pixels());
        Ok(())
    })?;
    Ok(Some(digest.finish()))
}

/// Calls `each` for every band and some rows over the whole width, in the order of the digest.
fn each_rows(
    world: &Finished,
    n_bands: usize,
    pixel_bytes: usize,
    mut each: impl FnMut(usize, Rect) -> Result<(), InterchangeError>,
) -> Result<(), InterchangeError> {
    let map = world.map();
    let fitting = BAND_BYTES / (map.width() * pixel_bytes);
    let rows = fitting.clamp(1, world.grid().size() as usize);
    for band in 0..n_bands {
        for y in (map.y0..map.y1).step_by(rows) {
            each(
                band,
                Rect::new(map.x0, y, map.x1, y + rows as i64).intersect(&map),
            )?;
        }
    }
    Ok(())
}
