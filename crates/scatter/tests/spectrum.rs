//! The pattern is blue noise, at full density and thinned, and shows nothing of its lattices and blocks.
#![allow(clippy::unwrap_used)]

mod power;

use ecotone_scatter::{BlockId, Candidate, Pattern};
use power::{points, power, ring, tapered};

/// Spacings along the side of a square of forty thousand points.
const SIDE: i64 = 256;

/// Patterns of a square of `side` spacings, some of them far away, thinned to a density.
fn patterns(density: f64, side: i64) -> Vec<Vec<(f64, f64, f64)>> {
    let pattern = |seed: u64| {
        let from = [0, -2, 30_000_000, -30_000_000][seed as usize % 4];
        let pattern = Pattern::new(seed, "larch", 2.7);
        let (all, area) = points(
            &pattern,
            BlockId {
                x: from,
                y: 1 - from,
            },
            side * pattern.spacing(),
        );
        let kept: Vec<Candidate> = all.into_iter().filter(|c| c.rank < density).collect();
        tapered(kept.iter(), &area)
    };
    (0..4).map(pattern).collect()
}

/// The mean power of patterns over wave vectors.
fn mean(patterns: &[Vec<(f64, f64, f64)>], waves: &[(f64, f64)]) -> f64 {
    let sum: f64 = patterns
        .iter()
        .flat_map(|p| waves.iter().map(|&k| power(p, k)))
        .sum();
    sum / (patterns.len() * waves.len()) as f64
}

#[track_caller]
fn check_low_power(density: f64, least: f64) {
    // From 85 spacings down to 13: some three hundred draws of an exponential, so the mean is right to 6 %.
    let waves: Vec<_> = ring(3, 20).into_iter().step_by(3).collect();
    let power = mean(&patterns(density, SIDE), &waves);
    assert!(power < least, "power {power} at density {density}");
}

#[test]
fn a_full_pattern_has_no_low_frequencies() {
    check_low_power(1.0, 0.10);
}

#[test]
fn thinned_patterns_stay_blue() {
    check_low_power(0.75, 0.25);
    check_low_power(0.5, 0.18);
    check_low_power(0.25, 0.15);
    check_low_power(0.125, 0.20);
}

#[test]
fn no_wave_stands_out_at_the_lattices_and_blocks() {
    let square = patterns(1.0, SIDE);
    let axes = |k: f64| [(k, 0.0), (0.0, k), (k, k), (k, -k)];
    for cell in [0.5_f64, 1.0, 2.0, 4.0].map(f64::sqrt) {
        for harmonic in [1.0, 2.0] {
            let power = mean(&square, &axes(SIDE as f64 / cell * harmonic));
            // Sixteen draws of an exponential about the spectrum, which peaks at 1.5; a lattice of 1 % would add 2.
            assert!(power < 3.0, "{power} at harmonic {harmonic} of cell {cell}");
        }
    }
    let larch = Pattern::new(0, "larch", 2.7);
    let blocks = patterns(1.0, 2 * larch.block_side() / larch.spacing());
    for waves in [2.0, 4.0, 8.0, 16.0] {
        let power = mean(&blocks, &axes(waves));
        assert!(power < 0.3, "{power} at {waves} waves in two blocks");
    }
}
