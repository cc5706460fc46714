//! Rasters that are about to be written in full.

use ecotone_grid::{Raster, Rect};

/// Makes a raster cover another rectangle, keeping its memory and whatever stands in it.
///
/// `Raster::reset` would write each pixel once more.
pub(crate) fn cover<T: Copy + Default>(raster: &mut Raster<T>, rect: Rect, n_bands: usize) {
    let mut pixels = std::mem::take(raster).into_pixels();
    pixels.resize(rect.area() * n_bands, T::default());
    *raster = Raster::from_pixels(rect, n_bands, pixels);
}
