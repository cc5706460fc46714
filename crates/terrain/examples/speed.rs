//! Prints how many pixels a second one core makes into normals and weights.
#![allow(clippy::print_stdout)]

use ecotone_grid::{PixelSize, Raster, Rect, Trapezoid, mix};
use ecotone_terrain::*;
use std::time::Instant;

/// Octaves of bilinear value noise, halving in height as they halve in length: slopes of every kind.
fn fractal(x: i64, y: i64) -> f64 {
    let lattice =
        |x: i64, y: i64| (mix(mix(x as u64) ^ y as u64) >> 11) as f64 / (1_u64 << 53) as f64;
    (0..8)
        .map(|octave| {
            let side = 512 >> octave;
            let (i, j) = (x.div_euclid(side), y.div_euclid(side));
            let (u, v) = (
                x.rem_euclid(side) as f64 / side as f64,
                y.rem_euclid(side) as f64 / side as f64,
            );
            let lerp = |a: f64, b: f64, t: f64| a + (b - a) * t;
            let north = lerp(lattice(i, j), lattice(i + 1, j), u);
            let south = lerp(lattice(i, j + 1), lattice(i + 1, j + 1), u);
            side as f64 * 1.2 * lerp(north, south, v)
        })
        .sum()
}

fn main() {
    let rules = NormalRules {
        gradient: Gradient::Horn,
        smoothing_m: 2.0,
        pixel: PixelSize { x: 1.0, y: 1.0 },
    };
    let core = Rect::new(0, 0, 2048, 2048);
    let window = core.grow(rules.reach());
    let pixels =
        (window.y0..window.y1).flat_map(|y| (window.x0..window.x1).map(move |x| fractal(x, y)));
    let heights = Raster::from_pixels(window, 1, pixels.collect());
    let strata = [(0.0, 12.0), (12.0, 25.0), (25.0, 40.0), (40.0, 90.0)].map(|(lo, hi)| Stratum {
        kind: Ground::Preset {
            slope: Some(Trapezoid::slope(lo, hi, 6.0)),
            altitude: (lo == 0.0).then_some(Trapezoid {
                lo: Some(100.0),
                hi: Some(1200.0),
                blend: 100.0,
            }),
            fallback: false,
        },
    });

    let (mut normal, mut weight) = (Raster::default(), Raster::default());
    let (mut normal_scratch, mut weight_scratch) =
        (NormalScratch::default(), WeightScratch::default());
    let mut best = [f64::INFINITY; 2];
    for _ in 0..5 {
        let start = Instant::now();
        normals(heights.band(0), &rules, &mut normal_scratch, &mut normal);
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        weights(
            &normal,
            heights.band(0),
            &[],
            &strata,
            &mut weight_scratch,
            &mut weight,
        );
        best[1] = best[1].min(start.elapsed().as_secs_f64());
    }
    let rate = |seconds: f64| core.area() as f64 / seconds / 1e6;
    println!("normals, smoothing 2 px  {:6.1} Mpx/s", rate(best[0]));
    println!("weights, 4 strata        {:6.1} Mpx/s", rate(best[1]));
    println!(
        "both                     {:6.1} Mpx/s",
        rate(best[0] + best[1])
    );
    for (band, stratum) in strata.iter().enumerate() {
        let sum: u64 = weight
            .band(band)
            .pixels()
            .iter()
            .map(|&w| u64::from(w))
            .sum();
        println!(
            "  {:4.1} % {:?}",
            sum as f64 / 2.55 / core.area() as f64,
            stratum.kind
        );
    }
}
