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

/// Writes the unit normals of `heights` less the reach of `rules`: bands x (east), y (north), z (up), NaN on voids.
///
/// `heights` is in metres, NaN on voids and off the map, and covers the wanted pixels and [`NormalRules::reach`] more
/// on every side. `out` is reset to those pixels. Within 1e-6 of real arithmetic per component.
pub fn normals(
    heights: Window<'_, f64>,
    rules: &NormalRules,
    scratch: &mut NormalScratch,
    out: &mut Raster<f32>,
) {
    let core = heights.rect().shrink(rules.reach());
    out.reset(core, 3, f32::NAN);
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
            store(rows, out, y);
        }
    } else {
        smooth(heights, &raw, radius, scratch, out);
    }
}

/// Writes the means of the raw normals over the box of `radius`, renormalised.
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
            let row = &mut rows[..3 * core.width()];
            sums.write_row(components(row));
            normalise(
                components(row),
                &heights.row(centre)[from..from + core.width()],
            );
            store(row, out, centre);
        }
    }
}

/// Makes unit vectors of box sums, NaN where the pixel's own height is.
///
/// No sum is zero: the z of every raw normal is positive and above the last bit of the fixed point.
fn normalise([nx, ny, nz]: [&mut [f64]; 3], heights: &[f64]) {
    for (((nx, ny), nz), h) in nx.iter_mut().zip(ny).zip(nz).zip(heights) {
        let k = 1.0 / (*nx * *nx + *ny * *ny + *nz * *nz).sqrt();
        let k = if h.is_nan() { f64::NAN } else { k };
        (*nx, *ny, *nz) = (*nx * k, *ny * k, *nz * k);
    }
}

/// Rounds a row of normals (x, y and z one after the other) into the bands of `out`.
fn store(rows: &[f64], out: &mut Raster<f32>, y: i64) {
    for (band, row) in rows.chunks_exact(rows.len() / 3).enumerate() {
        for (out, &n) in out.row_mut(band, y).iter_mut().zip(row) {
            *out = n as f32;
        }
    }
}

fn components(rows: &mut [f64]) -> [&mut [f64]; 3] {
    let width = rows.len() / 3;
    let (x, rest) = rows.split_at_mut(width);
    let (y, z) = rest.split_at_mut(width);
    [x, y, z]
}
