//! Slopes from normals.

use crate::plateau::Range;
use ecotone_grid::{Raster, atan, slope_degrees};

/// Normals that a range takes in at a time.
const LANES: usize = 4;

/// Writes the slope of each normal in degrees, 0 flat … 90 wall, NaN on voids.
///
/// `normals` has the bands x, y, z of [`crate::normals`]; `out` is made to cover its rectangle with one band.
pub fn slope(normals: &Raster<f32>, out: &mut Raster<f32>) {
    let rect = normals.rect();
    out.cover(rect, 1, f32::NAN);
    for y in rect.y0..rect.y1 {
        let row = [0, 1, 2].map(|band| normals.band(band).row(y));
        write_slopes(row, out.row_mut(0, y), |degrees| degrees as f32);
    }
}

/// Writes the slopes of some normals, NaN on voids, each `as_stored`.
pub(crate) fn write_slopes<T>(
    [nx, ny, nz]: [&[f32]; 3],
    out: &mut [T],
    as_stored: impl Fn(f64) -> T,
) {
    for (((out, &nx), &ny), &nz) in out.iter_mut().zip(nx).zip(ny).zip(nz) {
        let degrees = slope_degrees(f64::from(nx), f64::from(ny), f64::from(nz));
        *out = as_stored(if nz.is_nan() { f64::NAN } else { degrees });
    }
}

/// A range that holds the slopes of some unit normals: a rough one, for a fraction of the work.
pub(crate) fn slope_range([nx, ny, nz]: [&[f32]; 3]) -> Range {
    /// What the range is widened by, in degrees: the squares in 32 bits are within 1e-6 of their size, so the angle is
    /// within 2e-5.
    const MARGIN: f64 = 1e-4;
    let (mut lo, mut hi) = ([f32::INFINITY; LANES], [0_f32; LANES]);
    let [(xs, x), (ys, y), (zs, z)] = [nx, ny, nz].map(|n| n.as_chunks());
    for ((nx, ny), nz) in xs.iter().zip(ys).zip(zs) {
        widen([nx, ny, nz], &mut lo, &mut hi);
    }
    widen([&filled(x), &filled(y), &filled(z)], &mut lo, &mut hi);
    let degrees = |squared: f32| atan(f64::from(squared).sqrt()).to_degrees();
    Range {
        lo: degrees(lo.into_iter().fold(f32::INFINITY, f32::min)) - MARGIN,
        hi: degrees(hi.into_iter().fold(0.0, f32::max)) + MARGIN,
    }
}

/// Takes the squared slopes of some normals, in rise over run, into a range.
#[inline(always)]
fn widen([nx, ny, nz]: [&[f32; LANES]; 3], lo: &mut [f32; LANES], hi: &mut [f32; LANES]) {
    for i in 0..LANES {
        let squared = (nx[i] * nx[i] + ny[i] * ny[i]) / (nz[i] * nz[i]);
        let squared = if nz[i] <= 0.0 { f32::INFINITY } else { squared };
        // The NaN of a void fails both.
        lo[i] = if squared < lo[i] { squared } else { lo[i] };
        hi[i] = if squared > hi[i] { squared } else { hi[i] };
    }
}

/// The last few values, and voids after them.
fn filled(values: &[f32]) -> [f32; LANES] {
    let mut filled = [f32::NAN; LANES];
    filled[..values.len()].copy_from_slice(values);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use ecotone_grid::mix;

    #[test]
    fn a_rough_range_holds_all_slopes() {
        for seed in 0..2000 {
            let draw = |k: u64| (mix(mix(seed) ^ k) >> 11) as f64 / (1_u64 << 53) as f64;
            let n = 1 + seed as usize % 40;
            let steepness = 10_f64.powf(12.0 * draw(1000) - 6.0);
            let mut rows = [(); 3].map(|()| vec![f32::NAN; n]);
            // The first is no void, so that there is a range.
            for i in (0..n).filter(|&i| i == 0 || draw(i as u64) < 0.8) {
                let [gx, gy] = [2000, 3000].map(|k| steepness * (draw(k + i as u64) - 0.5));
                let k = 1.0 / (gx * gx + gy * gy + 1.0).sqrt();
                [rows[0][i], rows[1][i], rows[2][i]] = [gx * k, gy * k, k].map(|v| v as f32);
            }
            let normals = [0, 1, 2].map(|axis| rows[axis].as_slice());
            let mut slopes = vec![0.0; n];
            write_slopes(normals, &mut slopes, |degrees| degrees);
            let range = slope_range(normals);
            let least = slopes.iter().copied().fold(f64::INFINITY, f64::min);
            let most = slopes.iter().copied().fold(0.0, f64::max);
            assert!(
                range.lo < least && range.lo > least - 2e-4,
                "{range:?} {least}"
            );
            assert!(
                range.hi > most && range.hi < most + 2e-4,
                "{range:?} {most}"
            );
        }
    }
}
