//! Raw normals from the gradients of a 3×3 neighbourhood, one-sided at voids.
//!
//! B. K. P. Horn, *Hill shading and the reflectance map*, Proc. IEEE 69(1), 1981, over the differences that exist.

use ecotone_grid::{PixelSize, Window};

/// Which rows and columns of the 3×3 neighbourhood a gradient reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gradient {
    /// All three, weighted 1-2-1 over those that have a difference; GDAL's slope where none is missing.
    #[default]
    Horn,
    /// The middle one only.
    Central,
}

/// Steeper gradients, in metres per metre, count as this steep: it moves a normal by less than 1e-9, keeps the squares
/// of absurd heights finite, and keeps the z of a normal above the last bit of the coarsest fixed point in `smooth`.
const STEEPEST: f64 = 1e9;

/// Pixels that share one look for voids: long enough to be cheap, short enough that a void slows few others.
const STRETCH: usize = 128;

/// The raw normals of a window of heights.
pub(crate) struct RawNormals<'a> {
    heights: Window<'a, f64>,
    gradient: Gradient,
    per_x: f64,
    per_y: f64,
}

impl<'a> RawNormals<'a> {
    pub(crate) fn new(heights: Window<'a, f64>, gradient: Gradient, pixel: PixelSize) -> Self {
        Self {
            heights,
            gradient,
            per_x: 1.0 / pixel.x,
            per_y: 1.0 / pixel.y,
        }
    }

    /// Writes the unit normals of map row `y`, NaN on voids; the rows leave out the window's first and last column.
    #[inline(always)]
    pub(crate) fn write_row(&self, y: i64, out: [&mut [f64]; 3]) {
        let rows = [-1, 0, 1].map(|step| self.heights.row(y + step));
        let [nx, ny, nz] = out.map(|row| row.chunks_mut(STRETCH));
        for (part, ((nx, ny), nz)) in nx.zip(ny).zip(nz).enumerate() {
            let from = part * STRETCH;
            let rows = rows.map(|row| &row[from..from + nx.len() + 2]);
            let whole = !have_void(rows);
            match (self.gradient, whole) {
                (Gradient::Horn, true) => self.write::<true, true>(rows, [nx, ny, nz]),
                (Gradient::Horn, false) => self.write::<true, false>(rows, [nx, ny, nz]),
                (Gradient::Central, _) => self.write::<false, false>(rows, [nx, ny, nz]),
            }
        }
    }

    /// Writes a stretch of normals; `WHOLE` promises that there is no void and gives the same bits sooner.
    #[inline(always)]
    fn write<const HORN: bool, const WHOLE: bool>(
        &self,
        rows: [&[f64]; 3],
        [nx, ny, nz]: [&mut [f64]; 3],
    ) {
        let width = nx.len();
        let (ny, nz) = (&mut ny[..width], &mut nz[..width]);
        let [north, here, south] =
            rows.map(|row| [0, 1, 2].map(|column| &row[column..column + width]));
        let (per_x, per_y) = (self.per_x, self.per_y);
        for x in 0..width {
            let at = |row: [&[f64]; 3]| [row[0][x], row[1][x], row[2][x]];
            let (n, h, s) = (at(north), at(here), at(south));
            let east = |row: [f64; 3]| difference::<WHOLE>(row[0], row[1], row[2], per_x);
            let up = |column: usize| difference::<WHOLE>(s[column], h[column], n[column], per_y);
            let (gx, gy) = if HORN {
                (
                    mean::<WHOLE>(east(n), east(h), east(s)),
                    mean::<WHOLE>(up(0), up(1), up(2)),
                )
            } else {
                (found(east(h)), found(up(1)))
            };
            let (gx, gy) = (limited(gx), limited(gy));
            let k = 1.0 / (gx * gx + gy * gy + 1.0).sqrt();
            let k = if !WHOLE && h[1].is_nan() { f64::NAN } else { k };
            (nx[x], ny[x], nz[x]) = (-gx * k, -gy * k, k);
        }
    }
}

#[inline(always)]
fn have_void([north, here, south]: [&[f64]; 3]) -> bool {
    let columns = north.iter().zip(here).zip(south);
    columns.fold(false, |any, ((n, h), s)| {
        any | n.is_nan() | h.is_nan() | s.is_nan()
    })
}

/// The rise from `low` to `high` per metre, one-sided where an end is missing, NaN where there is none.
#[inline(always)]
pub(crate) fn difference<const WHOLE: bool>(low: f64, middle: f64, high: f64, per_m: f64) -> f64 {
    let both = (high - low) * (0.5 * per_m);
    if WHOLE {
        return both;
    }
    let ahead = (high - middle) * per_m;
    let behind = (middle - low) * per_m;
    let one = if ahead.is_nan() { behind } else { ahead };
    if both.is_nan() { one } else { both }
}

/// The mean of the differences found, the middle one counting twice; 0 where there is none.
#[inline(always)]
fn mean<const WHOLE: bool>(a: f64, b: f64, c: f64) -> f64 {
    if WHOLE {
        return (a + 2.0 * b + c) * 0.25;
    }
    let share = |d: f64, weight: f64| if d.is_nan() { 0.0 } else { weight };
    let n = share(a, 1.0) + share(b, 2.0) + share(c, 1.0);
    let sum = found(a) + 2.0 * found(b) + found(c);
    sum / if n > 0.0 { n } else { 1.0 }
}

#[inline(always)]
pub(crate) fn found(d: f64) -> f64 {
    if d.is_nan() { 0.0 } else { d }
}

/// A gradient of at most [`STEEPEST`].
///
/// Not `clamp`: these comparisons are one instruction each, and ∞ − ∞, the NaN of absurd heights, fails the first.
#[inline(always)]
fn limited(g: f64) -> f64 {
    let g = if g > -STEEPEST { g } else { -STEEPEST };
    if g < STEEPEST { g } else { STEEPEST }
}
