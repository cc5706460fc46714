//! The power spectrum of points in a square, by direct sums.

use ecotone_scatter::{Area, BlockId, Candidate, Pattern, PatternScratch};
use std::f64::consts::TAU;

/// Points of a pattern in a square of a side in 1/1024 m, from the south-west of a block, and the square.
pub fn points(pattern: &Pattern, from: BlockId, side: i64) -> (Vec<Candidate>, Area) {
    let (mut all, mut block) = (Vec::new(), Vec::new());
    let mut scratch = PatternScratch::default();
    let first = pattern.block_area(from);
    let area = Area::new(first.x0, first.y0, first.x0 + side, first.y0 + side);
    for id in pattern.blocks_over(&area) {
        pattern.block(id, &mut scratch, &mut block);
        all.extend(block.iter().filter(|c| area.contains(c.x, c.y)));
    }
    (all, area)
}

/// Points as parts of the square's side, each with a Hann taper that hides the square's borders.
pub fn tapered<'a>(
    points: impl Iterator<Item = &'a Candidate>,
    area: &Area,
) -> Vec<(f64, f64, f64)> {
    let side = (area.x1 - area.x0) as f64;
    let hann = |t: f64| 1.0 - (TAU * t).cos();
    points
        .map(|p| {
            let x = (p.x - area.x0) as f64 / side;
            let y = (p.y - area.y0) as f64 / side;
            (x, y, hann(x) * hann(y))
        })
        .collect()
}

/// The power at a wave vector in waves per side: 1 for white noise.
///
/// The taper keeps the mean density out of every whole wave vector with a component of 2 or more.
pub fn power(points: &[(f64, f64, f64)], (kx, ky): (f64, f64)) -> f64 {
    let (mut re, mut im, mut norm) = (0.0, 0.0, 0.0);
    for &(x, y, taper) in points {
        let (sin, cos) = (TAU * (kx * x + ky * y)).sin_cos();
        re += taper * cos;
        im += taper * sin;
        norm += taper * taper;
    }
    (re * re + im * im) / norm
}

/// Wave vectors of a half plane whose length in waves per side lies in a range; every third, to save time.
pub fn ring(from: i64, to: i64) -> Vec<(f64, f64)> {
    let all = (0..to).flat_map(|kx| (-to..to).map(move |ky| (kx, ky)));
    all.filter(|&(kx, ky)| (kx + 2 * ky).rem_euclid(3) == 0 && (kx >= 2 || ky.abs() >= 2))
        .filter(|&(kx, ky)| (from * from..to * to).contains(&(kx * kx + ky * ky)))
        .map(|(kx, ky)| (kx as f64, ky as f64))
        .collect()
}
