//! Prints how many pixels a second one core makes into normals and weights.
#![allow(clippy::print_stdout)]

use ecotone_grid::{GeoTransform, Noise, PixelSize, Raster, Rect, Sector, Trapezoid, mix};
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
    let presets = [(0.0, 12.0), (12.0, 25.0), (25.0, 40.0), (40.0, 90.0)].map(|(lo, hi)| Preset {
        slope: Some(Trapezoid::slope(lo, hi, 6.0)),
        altitude: (lo == 0.0).then_some(Trapezoid {
            lo: Some(100.0),
            hi: Some(1200.0),
            blend: 100.0,
        }),
        ..Preset::default()
    });
    let grid = GeoTransform {
        x0: 0.0,
        y0: 0.0,
        pixel: rules.pixel,
    };

    let (mut normal, mut weight) = (Raster::default(), Raster::default());
    let (mut normal_scratch, mut weight_scratch) =
        (NormalScratch::default(), WeightScratch::default());
    let rate = |name: &str, once: &mut dyn FnMut()| {
        let seconds = (0..5).map(|_| {
            let start = Instant::now();
            once();
            start.elapsed().as_secs_f64()
        });
        let rate = core.area() as f64 / seconds.fold(f64::INFINITY, f64::min) / 1e6;
        println!("{name:26} {rate:6.1} Mpx/s");
    };
    rate("normals, smoothing 2 px", &mut || {
        normals(heights.band(0), &rules, &mut normal_scratch, &mut normal)
    });
    let mut weigh = |name: &str, change: &dyn Fn(&mut Preset)| {
        let mut bands = presets.to_vec();
        bands.iter_mut().for_each(change);
        let strata = Strata {
            bands: bands.into_iter().map(Some).collect(),
            layers: Vec::new(),
        };
        let ground = Ground {
            normals: &normal,
            heights: heights.band(0),
            masks: &[],
            grid,
        };
        rate(name, &mut || {
            weights(&ground, &strata, &mut weight_scratch, &mut weight)
        });
    };
    let noise = Shift {
        of: Shifted::Slope,
        amplitude: 4.0,
        noise: Noise {
            wavelength_m: 80.0,
            seed: 1,
        },
    };
    weigh("weights, 4 strata", &|_| ());
    weigh("… and noise in all", &|preset| preset.shift = Some(noise));
    weigh("… and aspects in all", &|preset| {
        preset.aspect = Sector::new(315.0, 45.0, 20.0);
    });
    weigh("… and curvature in all", &|preset| {
        preset.curvature = Some(CurvatureBand {
            kind: Curvature::Mean,
            band: Trapezoid {
                lo: Some(0.01),
                hi: None,
                blend: 0.01,
            },
        });
    });
}
