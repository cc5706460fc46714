//! Patches of noise over world metres, inside which something grows.
//!
//! The noise is the sum of gradient noises on lattices that are turned against each other, and against the map, so that
//! none of them shows: a single one is 0 on every point of its lattice. The sum is divided by its own standard deviation
//! at the place, over all draws of the ramps; else patches would be rarer around lattice points still.

use ecotone_grid::{Noise, mix};

/// Patches of noise over world metres, inside which something grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clusters {
    /// Metres from a patch to the next, about; above 0.
    pub wavelength_m: f64,
    /// What its randomness starts from: equal seeds are equal patches.
    pub seed: u64,
    /// The part of the ground that patches cover, 0 to 1.
    pub coverage: f64,
    /// The part of the ground over which a patch fades, half of it inside and half outside of its outline; 0: a hard outline.
    pub softness: f64,
}

/// What makes clusters of all that their seed is drawn from.
const PURPOSE: u64 = 0x636c_7573_7465_7273;

/// Metres between lattice points to a metre of wavelength: the spectrum of the noise is at its highest there.
const CELL: f64 = 0.5625;

/// Cosines and sines of the lattices' turns: 16.3°, 46.4° and 75.7°, a third of a right angle apart. They are ratios of
/// whole numbers, so that no rounding stretches a lattice.
const TURNS: [[f64; 2]; 3] = [
    [24.0 / 25.0, 7.0 / 25.0],
    [20.0 / 29.0, 21.0 / 29.0],
    [16.0 / 65.0, 63.0 / 65.0],
];

/// Steps of a standard deviation in [`ABOVE_MEAN`].
const STEPS: f64 = 16.0;

/// The share of the ground where the noise lies between 0 and a number of [`STEPS`] on one side of it.
///
/// Measured at 10⁸ places by `cargo test --release -p ecotone-scatter distribution -- --ignored`, which says what is
/// right where this is not. The steps from here to the largest value are nothing to speak of.
#[expect(
    clippy::approx_constant,
    reason = "one of them is close to a logarithm by chance"
)]
const ABOVE_MEAN: [f64; 65] = [
    0.00000, 0.02384, 0.04760, 0.07119, 0.09456, 0.11764, 0.14032, 0.16255, 0.18426, 0.20543,
    0.22599, 0.24585, 0.26501, 0.28342, 0.30103, 0.31781, 0.33375, 0.34883, 0.36307, 0.37644,
    0.38895, 0.40062, 0.41144, 0.42147, 0.43067, 0.43911, 0.44679, 0.45377, 0.46008, 0.46574,
    0.47079, 0.47529, 0.47924, 0.48271, 0.48574, 0.48835, 0.49058, 0.49248, 0.49406, 0.49538,
    0.49645, 0.49732, 0.49801, 0.49855, 0.49896, 0.49927, 0.49950, 0.49966, 0.49978, 0.49986,
    0.49991, 0.49995, 0.49997, 0.49998, 0.49999, 0.50000, 0.50000, 0.50000, 0.50000, 0.50000,
    0.50000, 0.50000, 0.50000, 0.50000, 0.50000,
];

impl Clusters {
    /// How far into the patches a place in world metres is: the share of the ground, 0 to 1, that is less so.
    pub fn share(&self, metres: (f64, f64)) -> f64 {
        share(self.value(metres))
    }

    /// What a share is worth, 0 to 1; its mean over all ground is the coverage.
    #[inline]
    pub fn factor(&self, share: f64) -> f64 {
        let over = share - (1.0 - self.coverage);
        // As much of the fade has to fit inside of the outline as outside, or the mean would not be the coverage.
        let fits = 2.0 * self.coverage.min(1.0 - self.coverage);
        let softness = self.softness.min(fits);
        if softness > 0.0 {
            (over / softness + 0.5).clamp(0.0, 1.0)
        } else {
            f64::from(u8::from(over >= 0.0))
        }
    }

    /// The noise at a place in world metres: mean 0, standard deviation 1, nearly a normal distribution.
    fn value(&self, (x, y): (f64, f64)) -> f64 {
        let cell = CELL * self.wavelength_m;
        let (mut sum, mut variance) = (0.0, 0.0);
        let mut seed = mix(self.seed ^ PURPOSE);
        for [cos, sin] in TURNS {
            // Each has its lattice somewhere else, and nowhere near that of other clusters.
            let [east, north] = [0, 32].map(|bits| (seed >> bits & 0xffff_ffff) as f64);
            let east = cos * x + sin * y + east / 4_294_967_296.0 * cell;
            let north = cos * y - sin * x + north / 4_294_967_296.0 * cell;
            let noise = Noise {
                wavelength_m: cell,
                seed,
            };
            sum += noise.at(east, north);
            variance += noise.variance(east, north);
            seed = mix(seed);
        }
        // All three lattices would have to meet in a point; and the noise is 0 there.
        if variance > 0.0 {
            sum / variance.sqrt()
        } else {
            0.0
        }
    }
}

/// The share of the ground where the noise is below a value, 0 to 1.
fn share(value: f64) -> f64 {
    let steps = value.abs() * STEPS;
    let step = (steps as usize).min(ABOVE_MEAN.len() - 2);
    let within = (steps - step as f64).min(1.0);
    let [from, to] = [ABOVE_MEAN[step], ABOVE_MEAN[step + 1]];
    let half = from + (to - from) * within;
    if value < 0.0 { 0.5 - half } else { 0.5 + half }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn clusters(wavelength_m: f64, coverage: f64, softness: f64) -> Clusters {
        Clusters {
            wavelength_m,
            seed: 5,
            coverage,
            softness,
        }
    }

    /// The share of the ground on one side of 0 that lies below each step, from places of `n` seeds.
    fn distribution(n: u64) -> Vec<f64> {
        let mut counts = vec![0_u64; ABOVE_MEAN.len()];
        for seed in 0..n {
            let clusters = Clusters {
                seed,
                ..clusters(10.0, 1.0, 0.0)
            };
            let place = mix(seed);
            let [x, y] = [0, 32].map(|bits| (place >> bits & 0xffff) as f64 / 64.0);
            let steps = clusters.value((x, y)).abs() * STEPS;
            counts[(steps as usize).min(ABOVE_MEAN.len() - 1)] += 1;
        }
        let below = counts.iter().scan(0, |sum, &count| {
            let below = *sum;
            *sum += count;
            Some(below as f64 / (2 * n) as f64)
        });
        let mut below: Vec<f64> = below.collect();
        *below.last_mut().unwrap() = 0.5;
        below
    }

    #[track_caller]
    fn check_distribution(n: u64, tolerance: f64) {
        let right: Vec<_> = distribution(n);
        let written: Vec<_> = right.iter().map(|v| format!("{v:.5}")).collect();
        for (found, right) in ABOVE_MEAN.iter().zip(&right) {
            assert!((found - right).abs() < tolerance, "{}", written.join(", "));
        }
    }

    #[test]
    fn the_table_is_the_distribution() {
        // Four deviations of a half at a million places.
        check_distribution(1_000_000, 1e-3);
    }

    #[test]
    #[ignore = "takes a minute; run by who changes the noise"]
    fn the_table_is_the_distribution_to_its_last_digit() {
        check_distribution(100_000_000, 5e-5);
    }
}
