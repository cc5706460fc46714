//! Prints how many pixels a second one core makes into distances, on 512² tiles.
#![allow(clippy::print_stdout)]

use ecotone_grid::{PixelSize, Raster, Rect, mix};
use ecotone_sdf::*;
use std::time::Instant;

/// Value noise of two octaves with the given wavelength, in pixels.
fn noise(x: i64, y: i64, wavelength: i64) -> f64 {
    let lattice =
        |x: i64, y: i64| (mix(mix(x as u64) ^ y as u64) >> 11) as f64 / (1_u64 << 53) as f64;
    let octave = |side: i64| {
        let (i, j) = (x.div_euclid(side), y.div_euclid(side));
        let (u, v) = (
            x.rem_euclid(side) as f64 / side as f64,
            y.rem_euclid(side) as f64 / side as f64,
        );
        let lerp = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let north = lerp(lattice(i, j), lattice(i + 1, j), u);
        let south = lerp(lattice(i, j + 1), lattice(i + 1, j + 1), u);
        lerp(north, south, v)
    };
    octave(wavelength) + 0.3 * octave(wavelength / 4)
}

fn check(label: &str, pixel: PixelSize, max_m: f64, wavelength: i64, level: f64) {
    let bound = Bound::new(pixel, max_m);
    let core = Rect::new(0, 0, 512, 512);
    let window = core.grow(bound.reach());
    let pixels = (window.y0..window.y1).flat_map(|y| {
        (window.x0..window.x1).map(move |x| {
            if noise(x, y, wavelength) > level {
                Class::In
            } else {
                Class::Out
            }
        })
    });
    let class = Raster::from_pixels(window, 1, pixels.collect());
    let mut scratch = Scratch::default();
    let mut out = vec![0; core.area()];
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        distance(class.band(0), &bound, &mut scratch, &mut out);
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{label:44} {:6.1} Mpx/s", core.area() as f64 / best / 1e6);
}

fn main() {
    let square = PixelSize { x: 1.0, y: 1.0 };
    check("patches of 60 px, D = 64 px", square, 64.0, 60, 0.65);
    check("patches of 8 px, D = 64 px", square, 64.0, 8, 0.65);
    check("few patches, D = 64 px", square, 64.0, 60, 1.15);
    check("no edge, D = 64 px", square, 64.0, 60, 2.0);
    check("patches of 60 px, D = 512 px", square, 512.0, 60, 0.65);
    check(
        "patches of 60 px, D = 64 px, 5 × 3 m",
        PixelSize { x: 5.0, y: 3.0 },
        192.0,
        60,
        0.65,
    );
}
