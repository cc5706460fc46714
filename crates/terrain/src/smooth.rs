//! Running box sums of normals in fixed point, exact and therefore the same from any window.
//!
//! Integers do not care where a running sum starts: the cost per pixel does not depend on the radius, and no bit
//! depends on the tile.

use ecotone_grid::Reach;

/// 1.5 · 2⁵²: adding it to a number below 2⁵¹ rounds it to the nearest integer and leaves that in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Sums of the normals of the last 2·ry + 1 rows, per column.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoxSums {
    radius: Reach,
    scale: f64,
    width: usize,
    /// The rows in the sums: x, y and z of one row after the other, the oldest overwritten first.
    ring: Vec<i64>,
    next: usize,
    /// Sum of each column of the ring: x, y, z.
    columns: Vec<i64>,
    /// Sum of each box of them: x, y, z.
    boxes: Vec<i64>,
}

impl BoxSums {
    /// Empties the sums and prepares them for rows of `width` pixels.
    pub(crate) fn reset(&mut self, radius: Reach, width: usize) {
        let n_rows = 2 * radius.y as usize + 1;
        self.radius = radius;
        self.scale = scale(radius);
        self.width = width;
        self.next = 0;
        self.ring.clear();
        self.ring.resize(n_rows * 3 * width, 0);
        self.columns.clear();
        self.columns.resize(3 * width, 0);
        self.boxes.resize(3 * width, 0);
    }

    /// Takes in the next row of raw normals (x, y and z one after the other, NaN on voids) and drops the oldest.
    #[inline(always)]
    pub(crate) fn push(&mut self, normals: &[f64]) {
        let n = 3 * self.width;
        let row = &mut self.ring[self.next * n..(self.next + 1) * n];
        for ((sum, kept), &raw) in self.columns.iter_mut().zip(row).zip(normals) {
            let raw = if raw.is_nan() { 0.0 } else { raw };
            let fixed = fixed_point(raw, self.scale);
            *sum += fixed - *kept;
            *kept = fixed;
        }
        self.next = (self.next + 1) % (self.ring.len() / n);
    }

    /// The box sums of x, y and z for the `n` pixels that have a whole box in the row.
    #[inline(always)]
    pub(crate) fn of_row(&mut self, n: usize) -> [&[i64]; 3] {
        let span = 2 * self.radius.x as usize;
        let columns = [0, 1, 2].map(|axis| &self.columns[axis * self.width..][..self.width]);
        let (x, rest) = self.boxes.split_at_mut(self.width);
        let (y, z) = rest.split_at_mut(self.width);
        let boxes = [x, y, z].map(|boxes| &mut boxes[..n]);
        let mut sums = columns.map(|columns| columns[..span].iter().sum::<i64>());
        let enter = columns.map(|columns| &columns[span..span + n]);
        let leave = columns.map(|columns| &columns[..n]);
        // Side by side, so that one axis does not wait for another.
        for x in 0..n {
            for axis in 0..3 {
                boxes[axis][x] = sums[axis] + enter[axis][x];
                sums[axis] += enter[axis][x] - leave[axis][x];
            }
        }
        boxes.map(|boxes| &*boxes)
    }
}

/// The nearest integer to `v` · `scale`, which must be below 2⁵¹.
#[inline(always)]
fn fixed_point(v: f64, scale: f64) -> i64 {
    (v * scale + ROUNDER).to_bits() as i64 - ROUNDER.to_bits() as i64
}

/// The finest power of two for which the sum of a full box stays below 2⁶², at most 2⁵⁰.
///
/// At a radius of 4096 px it is 2³⁵: a mean is then within 2⁻³⁶ of the real one.
fn scale(radius: Reach) -> f64 {
    let side = |r: u32| 2 * u64::from(r) + 1;
    let bits = u64::BITS
        - side(radius.x)
            .saturating_mul(side(radius.y))
            .leading_zeros();
    (1_u64 << 62_u32.saturating_sub(bits).min(50)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_leaves_room_for_the_whole_box() {
        assert_eq!(scale(Reach { x: 1, y: 1 }), 2_f64.powi(50));
        assert_eq!(scale(Reach::square(4096)), 2_f64.powi(35));
        for r in [1, 2, 7, 100, 1000, 4096] {
            let n = (2.0 * f64::from(r) + 1.0).powi(2);
            assert!(n * scale(Reach::square(r)) < 2_f64.powi(62), "radius {r}");
        }
    }

    #[test]
    fn fixed_point_is_the_nearest_integer() {
        for (v, right) in [
            (0.5, 512),
            (-0.5, -512),
            (1.0, 1024),
            (-0.000_6, -1),
            (0.0, 0),
        ] {
            assert_eq!(fixed_point(v, 1024.0), right);
        }
    }
}
