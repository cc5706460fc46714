//! Slopes from normals.

use ecotone_grid::{Raster, slope_degrees};

/// Writes the slope of each normal in degrees, 0 flat … 90 wall, NaN on voids.
///
/// `normals` has the bands x, y, z of [`crate::normals`]; `out` is reset to its rectangle with one band.
pub fn slope(normals: &Raster<f32>, out: &mut Raster<f32>) {
    let rect = normals.rect();
    out.reset(rect, 1, f32::NAN);
    for y in rect.y0..rect.y1 {
        write_slopes(normals, y, out.row_mut(0, y), |degrees| degrees as f32);
    }
}

/// Writes the slopes of one row of normals, NaN on voids, each `as_stored`.
pub(crate) fn write_slopes<T>(
    normals: &Raster<f32>,
    y: i64,
    out: &mut [T],
    as_stored: impl Fn(f64) -> T,
) {
    let [nx, ny, nz] = [0, 1, 2].map(|band| normals.band(band).row(y));
    for (((out, &nx), &ny), &nz) in out.iter_mut().zip(nx).zip(ny).zip(nz) {
        let degrees = slope_degrees(f64::from(nx), f64::from(ny), f64::from(nz));
        *out = as_stored(if nz.is_nan() { f64::NAN } else { degrees });
    }
}
