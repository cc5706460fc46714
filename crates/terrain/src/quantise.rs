//! Weights that sum to 1 as bytes that sum to 255: the largest remainders, ties to the first listed.

/// Bits after the point. A remainder is compared as a whole number of 2⁻²⁴, so that the last bits of a float never
/// decide between weights that are equal in real arithmetic; 255 still fits 32 bits.
const FRACTION_BITS: u32 = 24;
/// 2⁵²: adding it to a positive number below 2⁵² rounds it to the nearest integer and leaves that in the low bits.
const ROUNDER: f64 = 4_503_599_627_370_496.0;

/// Memory of one stretch of pixels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quantiser {
    /// The bytes, band after band, and what the floors leave of each weight.
    bytes: Vec<i32>,
    remainders: Vec<i32>,
    /// What the bytes of a pixel lack to 255.
    lack: Vec<i32>,
    largest: Vec<i32>,
}

impl Quantiser {
    /// The bytes of `n` pixels from their weights, which are in [0, 1], band after band, and sum to 1 at each pixel.
    ///
    /// In fixed point they sum to 255 but for a few last bits, so there are as many remainders to round up as are
    /// lacking. `kept` has all bits of a pixel set, or none of a void, which is no further looked at.
    pub(crate) fn bytes(&mut self, weights: &[f64], kept: &[i8], n: usize) -> &[i32] {
        self.lack.clear();
        self.lack.resize(n, 255);
        self.bytes.resize(weights.len(), 0);
        self.remainders.resize(weights.len(), 0);
        let bytes = self.bytes.chunks_exact_mut(n);
        let rows = bytes.zip(self.remainders.chunks_exact_mut(n));
        for ((bytes, remainders), weights) in rows.zip(weights.chunks_exact(n)) {
            let pixels = bytes.iter_mut().zip(remainders).zip(weights);
            for (((byte, remainder), &weight), lack) in pixels.zip(&mut self.lack) {
                let fixed = fixed_point(weight);
                *byte = (fixed >> FRACTION_BITS) as i32;
                *remainder = (fixed & ((1 << FRACTION_BITS) - 1)) as i32;
                *lack -= *byte;
            }
        }
        for (lack, &kept) in self.lack.iter_mut().zip(kept) {
            *lack &= i32::from(kept);
        }
        while self.lack.iter().fold(0, |most, &lack| most.max(lack)) > 0 {
            self.round_up_largest(n);
        }
        &self.bytes
    }

    /// Rounds up the largest remainder of each pixel that lacks anything, and uses it up.
    fn round_up_largest(&mut self, n: usize) {
        self.largest.clear();
        self.largest.resize(n, 0);
        for remainders in self.remainders.chunks_exact(n) {
            for (largest, &remainder) in self.largest.iter_mut().zip(remainders) {
                *largest = remainder.max(*largest);
            }
        }
        for (largest, lack) in self.largest.iter_mut().zip(&mut self.lack) {
            // No remainder is −1.
            *largest = if *lack > 0 { *largest } else { -1 };
            *lack -= 1;
        }
        let bytes = self.bytes.chunks_exact_mut(n);
        for (bytes, remainders) in bytes.zip(self.remainders.chunks_exact_mut(n)) {
            let pixels = bytes.iter_mut().zip(remainders);
            for ((byte, remainder), largest) in pixels.zip(&mut self.largest) {
                // Bits rather than choices: a choice of what to store becomes a branch.
                let takes = i32::from(*remainder == *largest);
                *byte += takes;
                *remainder &= takes - 1;
                *largest |= -takes;
            }
        }
    }
}

#[inline(always)]
fn fixed_point(weight: f64) -> u32 {
    const SCALE: f64 = 255.0 * (1_u32 << FRACTION_BITS) as f64;
    (weight * SCALE + ROUNDER).to_bits() as u32
}
