//! Measures the pattern: its density, the shares of its levels, its power spectrum and its speed.
//!
//! `cargo run --release -p ecotone-scatter --example spectrum`

// An example talks to the person who runs it.
#![allow(clippy::print_stdout)]

#[path = "../tests/power/mod.rs"]
mod power;

use ecotone_scatter::{BlockId, Candidate, Pattern, PatternScratch};
use power::{points, power, ring, tapered};
use std::time::Instant;

const SPACING_M: f64 = 3.0;
const DENSITIES: [f64; 6] = [0.0625, 0.125, 0.25, 0.5, 0.75, 1.0];

fn main() {
    speed_and_shares();
    spectrum();
    peaks();
}

/// Counts the points of a thousand blocks, by the clock.
fn speed_and_shares() {
    const N_BLOCKS: i64 = 1000;
    let (mut scratch, mut block) = (PatternScratch::default(), Vec::new());
    let (mut n, mut within) = (0_u64, [0_u64; Pattern::LEVEL_RANKS.len()]);
    let mut seconds = 0.0;
    for y in 0..N_BLOCKS {
        let pattern = Pattern::new(y as u64, "spruce", SPACING_M);
        let start = Instant::now();
        pattern.block(BlockId { x: 3 * y, y }, &mut scratch, &mut block);
        seconds += start.elapsed().as_secs_f64();
        n += block.len() as u64;
        for (within, rank) in within.iter_mut().zip(Pattern::LEVEL_RANKS) {
            *within += block.iter().filter(|c| c.rank < rank).count() as u64;
        }
    }
    let pattern = Pattern::new(0, "spruce", SPACING_M);
    let sides = pattern.block_side() / pattern.spacing();
    let density = n as f64 / (N_BLOCKS * sides * sides) as f64;
    let stated = pattern.density_per_m2() * SPACING_M * SPACING_M;
    println!("points            {n}");
    println!("per spacing²      {density:.5} (stated {stated})");
    let shares = within.map(|w| w as f64 / n as f64);
    println!(
        "shares of levels  {shares:.5?} (stated {:?})",
        Pattern::LEVEL_RANKS
    );
    println!("points per second {:.2e}, one core", n as f64 / seconds);
}

/// Prints the mean power over rings of wave vectors, for thinned patterns too.
fn spectrum() {
    const N_PATTERNS: u64 = 6;
    // Waves per 256 spacings.
    const RINGS: [(i64, i64); 6] = [
        (3, 10),
        (10, 20),
        (20, 40),
        (40, 80),
        (120, 130),
        (256, 262),
    ];
    println!("\npower (white noise: 1) by waves per 256 spacings");
    println!(
        "density {}",
        RINGS
            .map(|(a, b)| format!("{:>9}", format!("{a}–{b}")))
            .concat()
    );
    for density in DENSITIES {
        let mut line = String::new();
        let sets: Vec<_> = (0..N_PATTERNS)
            .map(|seed| thinned(seed, density, 256))
            .collect();
        for (from, to) in RINGS {
            let ring = ring(from, to);
            let ring: Vec<_> = ring.iter().step_by(ring.len().div_ceil(100)).collect();
            let sum: f64 = sets
                .iter()
                .flat_map(|set| ring.iter().map(|&&k| power(set, k)))
                .sum();
            line += &format!("{:>9.3}", sum / (N_PATTERNS as usize * ring.len()) as f64);
        }
        println!("{density:<8}{line}");
    }
}

/// The points of a pattern with a rank below `density`, in a square of `side` spacings.
fn thinned(seed: u64, density: f64, side: i64) -> Vec<(f64, f64, f64)> {
    let pattern = Pattern::new(seed, "larch", SPACING_M);
    let (all, area) = points(&pattern, BlockId { x: 0, y: 0 }, side * pattern.spacing());
    let kept: Vec<Candidate> = all.into_iter().filter(|c| c.rank < density).collect();
    tapered(kept.iter(), &area)
}

/// Prints the power at the frequencies of the lattices and the blocks, where an artefact would show, next to the power
/// at wave vectors just as long in other directions.
fn peaks() {
    println!("\npower at a lattice's or block's frequency (± 14 %), and as far out elsewhere");
    let cells = [0.5_f64, 1.0, 2.0, 4.0].map(f64::sqrt);
    let frequencies = cells.iter().flat_map(|cell| [256.0 / cell, 512.0 / cell]);
    peaks_at(256, &frequencies.collect::<Vec<_>>());
    let pattern = Pattern::new(0, "larch", SPACING_M);
    let blocks = 2 * pattern.block_side() / pattern.spacing();
    peaks_at(blocks, &[4.0, 16.0]);
}

/// The same at frequencies in waves per side of a square, the side in spacings.
fn peaks_at(side: i64, frequencies: &[f64]) {
    const N_PATTERNS: u64 = 24;
    const TURNS: [f64; 3] = [0.3, 0.6, 1.1];
    let sets: Vec<_> = (100..100 + N_PATTERNS)
        .map(|seed| thinned(seed, 1.0, side))
        .collect();
    let mean = |k: f64, turn: f64| {
        let (sin, cos) = turn.sin_cos();
        let both = |set: &Vec<_>| power(set, (k * cos, k * sin)) + power(set, (-k * sin, k * cos));
        sets.iter().map(both).sum::<f64>() / (2 * N_PATTERNS) as f64
    };
    for &frequency in frequencies {
        let elsewhere = TURNS.map(|turn| mean(frequency, turn)).iter().sum::<f64>() / 3.0;
        println!(
            "{frequency:>7.1}  {:.3}  {elsewhere:.3}",
            mean(frequency, 0.0)
        );
    }
}
