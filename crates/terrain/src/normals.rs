//! Unit normals, smoothed over a box.

use crate::gradient::{Gradient, RawNormals};
use crate::smooth::BoxSums;
use ecotone_grid::{PixelSize, Raster, Reach, Window};

/// The largest smoothing radius, in pixels on either axis, for which normals are within 1e-6.
pub const MAX_RADIUS_PX: u32 = 4096;

/// How normals are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalRules {
    /// Which differences a gradient takes.
    pub gradient: Gradient,
    /// Smoothing radius in metres, at most [`MAX_RADIUS_PX`] pixels; 0 is none.
    pub smoothing_m: f64,
    /// Pixel size.
    pub pixel: PixelSize,
}

impl NormalRules {
    /// The smoothing radius in whole pixels, halves rounded up.
    pub fn radius(&self) -> Reach {
        // Far beyond the limit already, and what is added to it still fits.
        const MOST: f64 = 1e9;
        let pixels = |size_m: f64| (self.smoothing_m / size_m + 0.5).floor().min(MOST) as u32;
        Reach {
            x: pixels(self.pixel.x),
            y: pixels(self.pixel.y),
        }
    }

    /// How far beyond its own pixel a normal reads heights: the smoothing radius and the gradient's pixel.
    pub fn reach(&self) -> Reach {
        self.radius().then(Reach::square(1))
    }
}

/// Memory that [`normals`] works in; it grows to 24 bytes × the window's width × twice the vertical radius.
#[derive(Clone, Debug, Default)]
pub struct NormalScratch {
    rows: Vec<f64>,
    sums: BoxSums,
}

ecotone_grid::by_simd! {
    /// Writes the unit normals of `heights` less the reach of `rules`: bands x (east), y (north), z (up), NaN on voids.
    ///
    /// `heights` is in metres, NaN on voids and off the map, and covers the wanted pixels and [`NormalRules::reach`] more
    /// on every side. `out` is made to cover those pixels. Within 1e-6 of real arithmetic per component.
    pub fn normals(
        heights: Window<'_, f64>,
        rules: &NormalRules,
        scratch: &mut NormalScratch,
        out: &mut Raster<f32>,
    ) = write;
}

#[inline(always)]
fn write(
    heights: Window<'_, f64>,
    rules: &NormalRules,
    scratch: &mut NormalScratch,
    out: &mut Raster<f32>,
) {
    let core = heights.rect().shrink(rules.reach());
    out.cover(core, 3, f32::NAN);
    if core.is_empty() {
        return;
    }
    let raw = RawNormals::new(heights, rules.gradient, rules.pixel);
    let radius = rules.radius();
    let rows = &mut scratch.rows;
    rows.clear();
    rows.resize(3 * (core.width() + 2 * radius.x as usize), 0.0);
    if radius == Reach::default() {
        for y in core.y0..core.y1 {
            raw.write_row(y, components(rows));
            store(rows, rows_mut(out, y));
        }
    } else {
        smooth(heights, &raw, radius, scratch, out);
    }
}

/// Writes the means of the raw normals over the box of `radius`, renormalised.
#[inline(always)]
fn smooth(
    heights: Window<'_, f64>,
    raw: &RawNormals<'_>,
    radius: Reach,
    NormalScratch { rows, sums }: &mut NormalScratch,
    out: &mut Raster<f32>,
) {
    let core = out.rect();
    let padded = core.grow(radius);
    let from = (core.x0 - heights.rect().x0) as usize;
    sums.reset(radius, padded.width());
    for y in padded.y0..padded.y1 {
        raw.write_row(y, components(rows));
        sums.push(rows);
        let centre = y - i64::from(radius.y);
        if centre >= core.y0 {
            let heights = &heights.row(centre)[from..from + core.width()];
            normalise(sums.of_row(core.width()), heights, rows_mut(out, centre));
        }
    }
}

/// Makes unit vectors of box sums, NaN where the pixel's own height is.
///
/// No sum is zero: the z of every raw normal is positive and above the last bit of the fixed point.
#[inline(always)]
fn normalise([x, y, z]: [&[i64]; 3], heights: &[f64], [nx, ny, nz]: [&mut [f32]; 3]) {
    let sums = x.iter().zip(y).zip(z).zip(heights);
    let out = nx.iter_mut().zip(ny).zip(nz);
    for (((nx, ny), nz), (((&x, &y), &z), h)) in out.zip(sums) {
        let (x, y, z) = (float(x), float(y), float(z));
        let k = 1.0 / (x * x + y * y + z * z).sqrt();
        let k = if h.is_nan() { f64::NAN } else { k };
        (*nx, *ny, *nz) = ((x * k) as f32, (y * k) as f32, (z * k) as f32);
    }
}

/// The nearest f64, without the one-at-a-time instruction that `as` is on plain x86-64.
///
/// Either half becomes the low bits of a float: the lower one of 2⁵², the upper one, raised by 2³¹ to be positive, of
/// 2⁸⁴. All is exact but the last addition, which rounds as `as` does.
#[inline(always)]
fn float(v: i64) -> f64 {
    const TWO_52: u64 = 0x4330_0000_0000_0000;
    const TWO_84: u64 = 0x4530_0000_0000_0000;
    const RAISED: u64 = 0x4530_0000_8010_0000;
    let lower = f64::from_bits((v as u64 & 0xFFFF_FFFF) | TWO_52);
    let upper = f64::from_bits(((v as u64 >> 32) ^ 0x8000_0000) | TWO_84);
    (upper - f64::from_bits(RAISED)) + lower
}

/// Rounds a row of normals, x, y and z one after the other.
#[inline(always)]
fn store(rows: &[f64], out: [&mut [f32]; 3]) {
    for (row, out) in rows.chunks_exact(rows.len() / 3).zip(out) {
        for (out, &n) in out.iter_mut().zip(row) {
            *out = n as f32;
        }
    }
}

/// Row `y` of x, y and z.
fn rows_mut(out: &mut Raster<f32>, y: i64) -> [&mut [f32]; 3] {
    let rect = out.rect();
    let (from, width) = ((y - rect.y0) as usize * rect.width(), rect.width());
    let (x, rest) = out.pixels_mut().split_at_mut(rect.area());
    let (y, z) = rest.split_at_mut(rect.area());
    [x, y, z].map(|band| &mut band[from..from + width])
}

fn components(rows: &mut [f64]) -> [&mut [f64]; 3] {
    let width = rows.len() / 3;
    let (x, rest) = rows.split_at_mut(width);
    let (y, z) = rest.split_at_mut(width);
    [x, y, z]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ecotone_grid::mix;

    #[test]
    fn a_float_is_the_nearest_to_its_integer() {
        for v in [
            0,
            1,
            -1,
            i64::MAX,
            i64::MIN,
            1 << 53,
            (1 << 53) + 1,
            -(1 << 32),
        ] {
            assert_eq!(float(v), v as f64, "{v}");
        }
        for k in 0..100_000 {
            let v = mix(k) as i64 >> (k % 64);
            assert_eq!(float(v), v as f64, "{v}");
        }
    }
}
