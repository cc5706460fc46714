//! Weights that sum to 1 as bytes that sum to 255: the largest remainders, ties to the first listed.

use ecotone_grid::Raster;

/// Bits after the point. A remainder is compared as a whole number of 2⁻²⁴, so that the last bits of a float never
/// decide between weights that are equal in real arithmetic; 255 still fits 32 bits.
const FRACTION_BITS: u32 = 24;
/// 2⁵²: adding it to a positive number below 2⁵² rounds it to the nearest integer and leaves that in the low bits.
const ROUNDER: f64 = 4_503_599_627_370_496.0;

/// Memory of one row: the weights in fixed point, band after band, and what the floors leave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quantiser {
    fixed: Vec<u32>,
    lack: Vec<u32>,
}

impl Quantiser {
    /// Writes row `y` of `out` from `weights`, one row per band, which sum to 1 at each pixel that is not void.
    ///
    /// In fixed point they sum to 255 but for a few last bits, so there are as many remainders to round up as are lacking.
    pub(crate) fn write_row(
        &mut self,
        weights: &[f64],
        void: &[bool],
        out: &mut Raster<u8>,
        y: i64,
    ) {
        let width = void.len();
        self.lack.clear();
        self.lack
            .extend(void.iter().map(|&void| if void { 0 } else { 255 }));
        self.fixed.clear();
        self.fixed.resize(weights.len(), 0);
        let rows = self
            .fixed
            .chunks_exact_mut(width)
            .zip(weights.chunks_exact(width));
        for (band, (fixed, weights)) in rows.enumerate() {
            let lack = self.lack.iter_mut().zip(void);
            let out = out.row_mut(band, y).iter_mut().zip(lack);
            for ((fixed, &weight), (out, (lack, &void))) in fixed.iter_mut().zip(weights).zip(out) {
                *fixed = if void { 0 } else { fixed_point(weight) };
                *out = (*fixed >> FRACTION_BITS) as u8;
                *lack = lack.saturating_sub(*fixed >> FRACTION_BITS);
            }
        }
        for x in 0..width {
            for _ in 0..self.lack[x] {
                let band = self.take_largest(x, width);
                out.row_mut(band, y)[x] += 1;
            }
        }
    }

    /// The first band with the largest remainder at a pixel, which is then used up.
    fn take_largest(&mut self, x: usize, width: usize) -> usize {
        let remainder = |v: u32| v & ((1 << FRACTION_BITS) - 1);
        let (mut best, mut largest) = (0, 0);
        for (band, row) in self.fixed.chunks_exact(width).enumerate() {
            if remainder(row[x]) > largest {
                (best, largest) = (band, remainder(row[x]));
            }
        }
        self.fixed[best * width + x] = 0;
        best
    }
}

#[inline(always)]
fn fixed_point(weight: f64) -> u32 {
    const SCALE: f64 = 255.0 * (1_u32 << FRACTION_BITS) as f64;
    (weight * SCALE + ROUNDER).to_bits() as u32
}
