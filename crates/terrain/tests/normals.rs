//! Normals and slopes against their definition, spelled out pixel by pixel, and against themselves from other windows.
#![allow(clippy::unwrap_used)]

use ecotone_grid::{PixelSize, Raster, Rect, mix};
use ecotone_terrain::*;
use proptest::prelude::*;

const SQUARE: PixelSize = PixelSize { x: 1.0, y: 1.0 };

fn rules(gradient: Gradient, smoothing_m: f64, pixel: PixelSize) -> NormalRules {
    NormalRules {
        gradient,
        smoothing_m,
        pixel,
    }
}

fn map(width: i64, height: i64, height_m: impl Fn(i64, i64) -> f64) -> Raster<f64> {
    let pixels = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .map(|(x, y)| height_m(x, y));
    Raster::from_pixels(Rect::new(0, 0, width, height), 1, pixels.collect())
}

/// The normals of `core`, from a window that reaches just far enough.
fn made(map: &Raster<f64>, core: Rect, rules: &NormalRules) -> Raster<f32> {
    let mut window = Raster::new(core.grow(rules.reach()), 1, f64::NAN);
    window.paste(0, map.band(0));
    let (mut scratch, mut out) = (NormalScratch::default(), Raster::default());
    // Leftovers of other work in the scratch must not show.
    for _ in 0..2 {
        normals(window.band(0), rules, &mut scratch, &mut out);
    }
    assert_eq!(out.rect(), core);
    out
}

/// A smoothed normal by definition, in real arithmetic as far as f64 goes.
fn twin(map: &Raster<f64>, rules: &NormalRules, (x, y): (i64, i64)) -> [f64; 3] {
    let at = |x, y| {
        if map.rect().contains(x, y) {
            map.band(0).at(x, y)
        } else {
            f64::NAN
        }
    };
    if at(x, y).is_nan() {
        return [f64::NAN; 3];
    }
    let one = |low: f64, middle: f64, high: f64, step: f64| {
        let choices = [
            (high - low) / (2.0 * step),
            (high - middle) / step,
            (middle - low) / step,
        ];
        choices.into_iter().find(|d| !d.is_nan())
    };
    let mean = |found: [Option<f64>; 3]| {
        let weights = if rules.gradient == Gradient::Horn {
            [1.0, 2.0, 1.0]
        } else {
            [0.0, 1.0, 0.0]
        };
        let pairs = || {
            found
                .iter()
                .zip(weights)
                .filter_map(|(d, w)| d.map(|d| (d, w)))
        };
        let total: f64 = pairs().map(|(_, w)| w).sum();
        if total > 0.0 {
            pairs().map(|(d, w)| d * w).sum::<f64>() / total
        } else {
            0.0
        }
    };
    let raw = |x: i64, y: i64| {
        let gx = mean([-1, 0, 1].map(|b| {
            one(
                at(x - 1, y + b),
                at(x, y + b),
                at(x + 1, y + b),
                rules.pixel.x,
            )
        }));
        let gy = mean([-1, 0, 1].map(|a| {
            one(
                at(x + a, y + 1),
                at(x + a, y),
                at(x + a, y - 1),
                rules.pixel.y,
            )
        }));
        unit([-gx, -gy, 1.0])
    };
    let (rx, ry) = (i64::from(rules.radius().x), i64::from(rules.radius().y));
    let mut sum = [0.0; 3];
    for v in y - ry..=y + ry {
        for u in (x - rx..=x + rx).filter(|&u| !at(u, v).is_nan()) {
            let n = raw(u, v);
            sum = [sum[0] + n[0], sum[1] + n[1], sum[2] + n[2]];
        }
    }
    unit(sum)
}

fn unit([x, y, z]: [f64; 3]) -> [f64; 3] {
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

#[track_caller]
fn check(map: &Raster<f64>, rules: &NormalRules) {
    let whole = made(map, map.rect(), rules);
    let rect = map.rect();
    for y in rect.y0..rect.y1 {
        for x in rect.x0..rect.x1 {
            let right = twin(map, rules, (x, y));
            for (band, right) in right.into_iter().enumerate() {
                let n = f64::from(whole.band(band).at(x, y));
                assert!(
                    (n - right).abs() <= 1e-6 || (n.is_nan() && right.is_nan()),
                    "{x} {y}: {n} is not {right}"
                );
            }
        }
    }
    for side in [1, 3, 8] {
        for y in (rect.y0..rect.y1).step_by(side) {
            for x in (rect.x0..rect.x1).step_by(side) {
                let core = Rect::new(x, y, x + side as i64, y + side as i64).intersect(&rect);
                let mut part = Raster::new(core, 3, 0.0);
                (0..3).for_each(|band| part.paste(band, whole.band(band)));
                let bits = |raster: &Raster<f32>| {
                    raster
                        .pixels()
                        .iter()
                        .map(|n| n.to_bits())
                        .collect::<Vec<_>>()
                };
                assert_eq!(bits(&made(map, core, rules)), bits(&part), "tile {core:?}");
            }
        }
    }
}

#[track_caller]
fn check_slope(map: &Raster<f64>, rules: &NormalRules, right: f64, within: f64) {
    let mut degrees = Raster::default();
    slope(&made(map, map.rect(), rules), &mut degrees);
    for (i, (d, h)) in degrees.pixels().iter().zip(map.pixels()).enumerate() {
        assert!(h.is_nan() == d.is_nan(), "pixel {i}");
        assert!(
            h.is_nan() || (f64::from(*d) - right).abs() <= within,
            "pixel {i}: {d}° is not {right}°"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn every_map_is_its_brute_force_twin(
        seed: u64,
        size in (1_i64..24, 1_i64..24),
        voids in prop::sample::select(vec![0, 5, 40, 95]),
        rough in prop::sample::select(vec![0.01, 3.0, 500.0]),
        pixel in prop::sample::select(vec![(1.0, 1.0), (5.0, 3.0), (0.3, 2.0)]),
        smoothing in prop::sample::select(vec![0.0, 0.4, 1.5, 2.0, 6.0, 40.0]),
        horn: bool,
    ) {
        let draw = |x: i64, y: i64, purpose: u64| mix(seed ^ mix(x as u64 ^ mix(y as u64 ^ purpose << 32)));
        let map = map(size.0, size.1, |x, y| {
            if draw(x, y, 1) % 100 < voids { f64::NAN } else { (draw(x, y, 2) % 1000) as f64 / 1000.0 * rough }
        });
        let gradient = if horn { Gradient::Horn } else { Gradient::Central };
        check(&map, &rules(gradient, smoothing, PixelSize { x: pixel.0, y: pixel.1 }));
    }
}

#[test]
fn a_plane_keeps_its_slope_up_to_every_border_corner_and_hole() {
    let hole = |x, y| {
        matches!(
            (x, y),
            (5, 5) | (9, 3..=6) | (12..=14, 8..=10) | (0, 0) | (19, 14) | (16, 0..=2)
        )
    };
    let plane = map(20, 15, |x, y| {
        if hole(x, y) {
            f64::NAN
        } else {
            250.0 + 0.3 * 2.0 * x as f64 - 0.4 * 3.0 * y as f64
        }
    });
    for gradient in [Gradient::Horn, Gradient::Central] {
        for smoothing in [0.0, 6.0] {
            let rules = rules(gradient, smoothing, PixelSize { x: 2.0, y: 3.0 });
            check_slope(&plane, &rules, 0.5_f64.atan().to_degrees(), 1e-5);
        }
    }
}

#[test]
fn a_step_tilts_the_pixels_beside_it() {
    let step = map(8, 5, |x, _| if x < 4 { 0.0 } else { 6.0 });
    let normal = made(&step, step.rect(), &rules(Gradient::Horn, 0.0, SQUARE));
    // A rise of 6 m over 2 m: (−3, 0, 1) / √10 on both sides of the step.
    for x in 0..8 {
        let right = if x == 3 || x == 4 {
            (-3.0 / 10_f32.sqrt(), 1.0 / 10_f32.sqrt())
        } else {
            (0.0, 1.0)
        };
        assert!((normal.band(0).at(x, 2) - right.0).abs() < 1e-7, "{x}");
        assert!((normal.band(2).at(x, 2) - right.1).abs() < 1e-7, "{x}");
    }
}

#[test]
fn a_spike_tilts_its_neighbours_away() {
    let spike = map(5, 5, |x, y| if (x, y) == (2, 2) { 8.0 } else { 0.0 });
    let at = |gradient, x, y| {
        let normal = made(&spike, spike.rect(), &rules(gradient, 0.0, SQUARE));
        [0, 1, 2].map(|band| f64::from(normal.band(band).at(x, y)))
    };
    let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7);
    assert!(near(at(Gradient::Horn, 2, 2), [0.0, 0.0, 1.0]));
    // West of it gx = 8 · 2 / 8 = 2; north-west of it gx = 1 and gy = −1.
    assert!(near(at(Gradient::Horn, 1, 2), unit([-2.0, 0.0, 1.0])));
    assert!(near(at(Gradient::Horn, 1, 1), unit([-1.0, 1.0, 1.0])));
    assert!(near(at(Gradient::Central, 1, 2), unit([-4.0, 0.0, 1.0])));
    assert!(near(at(Gradient::Central, 1, 1), [0.0, 0.0, 1.0]));
}

#[test]
fn a_void_in_a_flat_field_tilts_nothing() {
    // Report sarpy#569.
    let flat = map(9, 9, |x, y| if (x, y) == (4, 4) { f64::NAN } else { 100.0 });
    for smoothing in [0.0, 2.0] {
        let normal = made(
            &flat,
            flat.rect(),
            &rules(Gradient::Horn, smoothing, SQUARE),
        );
        for (i, h) in flat.pixels().iter().enumerate() {
            let n = [0, 1, 2].map(|band| normal.band(band).pixels()[i]);
            if h.is_nan() {
                assert!(n.iter().all(|n| n.is_nan()))
            } else {
                assert_eq!(n, [0.0, 0.0, 1.0])
            }
        }
    }
}

#[test]
fn pixels_that_are_not_square_keep_both_sides() {
    // Report pyramids#604: z = column + row, cells of 5 × 3 m.
    let ramp = map(64, 64, |x, y| (x + y) as f64);
    let rules = rules(Gradient::Horn, 0.0, PixelSize { x: 5.0, y: 3.0 });
    check_slope(&ramp, &rules, 21.243, 0.001);
}

#[test]
fn cells_of_a_degree_grid_give_their_slope_on_the_ground() {
    // Report xarray-spatial#840: 1/3600° at 60° N is 15.5 m by 30.9 m on the WGS 84 ellipsoid.
    let ramp = map(64, 64, |x, _| 10.0 * x as f64);
    let rules = rules(Gradient::Horn, 0.0, PixelSize { x: 15.5, y: 30.95 });
    check_slope(&ramp, &rules, 32.9, 0.2);
}

#[test]
fn a_lone_pixel_is_flat() {
    let lone = map(1, 1, |_, _| 5.0);
    check_slope(&lone, &rules(Gradient::Horn, 3.0, SQUARE), 0.0, 0.0);
}

#[test]
fn absurd_heights_still_have_unit_normals() {
    let absurd = map(9, 9, |x, y| {
        if (x + y) % 2 == 0 {
            1e308
        } else {
            -1e308 * (x % 3) as f64 / 2.0
        }
    });
    for smoothing in [0.0, 1.0, 4.0] {
        let normal = made(
            &absurd,
            absurd.rect(),
            &rules(Gradient::Horn, smoothing, SQUARE),
        );
        for i in 0..81 {
            let n = [0, 1, 2].map(|band| normal.band(band).pixels()[i]);
            assert!(
                (n.iter().map(|n| n * n).sum::<f32>() - 1.0).abs() < 1e-5,
                "{n:?}"
            );
        }
    }
}

#[test]
fn the_radius_rounds_halves_up() {
    let radius =
        |smoothing| rules(Gradient::Horn, smoothing, PixelSize { x: 2.0, y: 5.0 }).radius();
    assert_eq!(
        [radius(0.9).x, radius(1.0).x, radius(2.9).x, radius(3.0).x],
        [0, 1, 1, 2]
    );
    assert_eq!((radius(7.5).x, radius(7.5).y), (4, 2));
    let rules = rules(Gradient::Horn, 7.5, PixelSize { x: 2.0, y: 5.0 });
    assert_eq!((rules.reach().x, rules.reach().y), (5, 3));
}
