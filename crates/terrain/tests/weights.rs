//! Weights against METHOD's definition, spelled out pixel by pixel.
#![allow(clippy::unwrap_used)]

use ecotone_grid::{Raster, Rect, Trapezoid, mix};
use ecotone_terrain::*;
use proptest::prelude::*;

/// Normals with the given slopes in degrees, in one row; NaN is void.
fn facing(degrees: &[f64]) -> Raster<f32> {
    let rect = Rect::new(3, -2, 3 + degrees.len() as i64, -1);
    let mut normal = Raster::new(rect, 3, 0.0);
    for (x, d) in degrees.iter().enumerate() {
        normal.band_mut(0)[x] = -d.to_radians().sin() as f32;
        normal.band_mut(1)[x] = 0.0 * *d as f32;
        normal.band_mut(2)[x] = d.to_radians().cos() as f32;
    }
    normal
}

fn preset(slope: Option<(f64, f64, f64)>, altitude: Option<Trapezoid>, fallback: bool) -> Stratum {
    let slope = slope.map(|(lo, hi, blend)| Trapezoid::slope(lo, hi, blend));
    Stratum {
        kind: Ground::Preset {
            slope,
            altitude,
            fallback,
        },
    }
}

fn band(lo: f64, hi: f64, blend: f64) -> Stratum {
    preset(Some((lo, hi, blend)), None, false)
}

fn mask(mask: usize) -> Stratum {
    Stratum {
        kind: Ground::Mask { mask },
    }
}

/// The weights of each pixel, strata side by side.
fn made(
    normal: &Raster<f32>,
    heights: &[f64],
    masks: &[&[f32]],
    strata: &[Stratum],
) -> Vec<Vec<u8>> {
    let rect = normal.rect();
    // Windows may be larger than what is asked for.
    let mut height = Raster::new(
        Rect::new(rect.x0 - 2, rect.y0 - 1, rect.x1 + 1, rect.y1 + 3),
        1,
        1e6,
    );
    height.paste(0, ecotone_grid::Window::new(rect, heights));
    let masks: Vec<_> = masks
        .iter()
        .map(|&m| ecotone_grid::Window::new(rect, m))
        .collect();
    let (mut scratch, mut out) = (WeightScratch::default(), Raster::default());
    for _ in 0..2 {
        weights(
            normal,
            height.band(0),
            &masks,
            strata,
            &mut scratch,
            &mut out,
        );
    }
    assert_eq!((out.rect(), out.n_bands()), (rect, strata.len()));
    (0..rect.area())
        .map(|i| {
            (0..strata.len())
                .map(|band| out.band(band).pixels()[i])
                .collect()
        })
        .collect()
}

#[track_caller]
fn check(degrees: &[f64], strata: &[Stratum], right: &[&[u8]]) {
    assert_eq!(
        made(&facing(degrees), &vec![100.0; degrees.len()], &[], strata),
        right
    );
}

#[test]
fn a_plane_is_one_stratum() {
    check(
        &[10.0, 10.0],
        &[band(0.0, 30.0, 4.0), band(30.0, 90.0, 4.0)],
        &[&[255, 0], &[255, 0]],
    );
}

#[test]
fn a_ramp_is_linear_and_centred_on_the_end() {
    // At 30 ± 2° the ramps cross; at 29° the lower band still has 3/4: 191.25 and 63.75 of 255.
    let strata = [band(0.0, 30.0, 4.0), band(30.0, 90.0, 4.0)];
    check(
        &[27.9, 29.0, 32.1],
        &strata,
        &[&[255, 0], &[191, 64], &[0, 255]],
    );
}

#[test]
fn a_hard_band_holds_its_lower_end_only() {
    let strata = [band(0.0, 45.0, 0.0), band(45.0, 90.0, 0.0)];
    check(
        &[0.0, 44.99, 45.01, 90.0],
        &strata,
        &[&[255, 0], &[255, 0], &[0, 255], &[0, 255]],
    );
}

#[test]
fn equal_remainders_go_to_the_first_listed() {
    let all = |n| vec![band(0.0, 90.0, 0.0); n];
    check(&[20.0], &all(2), &[&[128, 127]]);
    check(&[20.0], &all(3), &[&[85, 85, 85]]);
    check(&[20.0], &all(4), &[&[64, 64, 64, 63]]);
    check(&[20.0], &all(7), &[&[37, 37, 37, 36, 36, 36, 36]]);
}

#[test]
fn bare_ground_falls_back_to_the_marked_else_the_first_preset() {
    let strata = [band(0.0, 10.0, 0.0), band(60.0, 90.0, 0.0)];
    check(&[30.0], &strata, &[&[255, 0]]);
    let marked = [strata[0], preset(Some((60.0, 90.0, 0.0)), None, true)];
    check(&[30.0], &marked, &[&[0, 255]]);
    let after_a_mask = [mask(0), strata[0], strata[1]];
    assert_eq!(
        made(&facing(&[30.0]), &[0.0], &[&[0.0]], &after_a_mask),
        [[0, 255, 0]]
    );
}

#[test]
fn altitude_multiplies_in() {
    let high = Trapezoid {
        lo: Some(1000.0),
        hi: None,
        blend: 100.0,
    };
    let strata = [
        preset(None, None, false),
        preset(Some((0.0, 90.0, 0.0)), Some(high), false),
    ];
    let rows = made(&facing(&[5.0; 3]), &[900.0, 1000.0, 2000.0], &[], &strata);
    assert_eq!(rows, [[255, 0], [170, 85], [128, 127]]);
}

#[test]
fn masks_go_over_everything_in_listed_order() {
    let strata = [mask(1), band(0.0, 90.0, 0.0), mask(0)];
    let (road, rock) = ([0.0, 1.0, 0.5, 2.0, f32::NAN], [0.2, 0.2, 0.2, 0.2, -1.0]);
    let rows = made(&facing(&[5.0; 5]), &[0.0; 5], &[&road, &rock], &strata);
    assert_eq!(
        rows,
        [
            [51, 204, 0],
            [0, 0, 255],
            [26, 102, 127],
            [0, 0, 255],
            [0, 255, 0]
        ]
    );
}

#[test]
fn masks_alone_share_the_pixel() {
    let rows = made(
        &facing(&[5.0; 3]),
        &[0.0; 3],
        &[&[0.5, 0.0, 0.2], &[0.5, 0.0, 0.0]],
        &[mask(0), mask(1)],
    );
    // Where both are a half, the first keeps a quarter: one third against two.
    assert_eq!(rows, [[85, 170], [255, 0], [255, 0]]);
}

#[test]
fn a_void_has_no_weight() {
    let strata = [band(0.0, 90.0, 0.0), mask(0)];
    let rows = made(
        &facing(&[5.0, f64::NAN, 5.0]),
        &[1.0, 1.0, f64::NAN],
        &[&[1.0; 3]],
        &strata,
    );
    assert_eq!(rows, [[0, 255], [0, 0], [0, 0]]);
}

#[test]
fn no_strata_make_no_bands() {
    assert_eq!(made(&facing(&[5.0]), &[1.0], &[], &[]), [[0_u8; 0]]);
}

/// METHOD 3 by definition, remainders compared in 1/2²⁴.
fn twin(degrees: f64, height: f64, masks: &[f64], strata: &[Stratum]) -> Vec<u8> {
    const ONE: u64 = 1 << 24;
    let mut w: Vec<f64> = strata
        .iter()
        .map(|s| match s.kind {
            Ground::Preset {
                slope, altitude, ..
            } => {
                slope.map_or(1.0, |b| b.weight(degrees))
                    * altitude.map_or(1.0, |b| b.weight(height))
            }
            Ground::Mask { .. } => 0.0,
        })
        .collect();
    let first = strata
        .iter()
        .position(|s| matches!(s.kind, Ground::Preset { .. }))
        .unwrap();
    let marked = strata
        .iter()
        .position(|s| matches!(s.kind, Ground::Preset { fallback: true, .. }));
    if w.iter().all(|&w| w == 0.0) {
        w[marked.unwrap_or(first)] = 1.0;
    }
    let sum: f64 = w.iter().sum();
    w.iter_mut().for_each(|w| *w /= sum);
    for (own, s) in strata.iter().enumerate() {
        if let Ground::Mask { mask } = s.kind {
            w.iter_mut().for_each(|w| *w *= 1.0 - masks[mask]);
            w[own] = masks[mask];
        }
    }
    let parts: Vec<u64> = w
        .iter()
        .map(|w| (w * 255.0 * ONE as f64).round() as u64)
        .collect();
    let mut bytes: Vec<u8> = parts.iter().map(|p| (p / ONE) as u8).collect();
    let mut left: Vec<(usize, u64)> = parts.iter().map(|p| p % ONE).enumerate().collect();
    left.sort_by_key(|&(band, r)| (std::cmp::Reverse(r), band));
    let lack = 255 - bytes.iter().map(|&b| usize::from(b)).sum::<usize>();
    left[..lack].iter().for_each(|&(band, _)| bytes[band] += 1);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_pixel_is_its_brute_force_twin(seed: u64, n in 1_usize..9) {
        let draw = |purpose: u64, most: u64| (mix(seed ^ mix(purpose)) % (most + 1)) as f64;
        let mut strata: Vec<_> = (1..=n as u64).map(|s| {
            let (lo, width, blend) = (draw(s, 80), draw(s + 100, 40), draw(s + 200, 10));
            let altitude = Trapezoid { lo: Some(draw(s + 300, 500)), hi: None, blend: draw(s + 400, 200) };
            let slope = (draw(s + 500, 9) < 8.0).then_some((lo, lo + width, blend));
            match draw(s + 600, 3) {
                0.0 => mask(s as usize % 2),
                1.0 => preset(slope, Some(altitude), draw(s + 700, 1) > 0.0),
                _ => preset(slope, None, false),
            }
        }).collect();
        strata.push(preset(None, Some(Trapezoid { lo: None, hi: Some(250.0), blend: 0.0 }), false));
        let degrees: Vec<_> = (0..32).map(|x| draw(1000 + x, 90)).collect();
        let heights: Vec<_> = (0..32).map(|x| draw(2000 + x, 600)).collect();
        let masks = [3000, 4000].map(|k| (0..32).map(|x| draw(k + x, 16) as f32 / 16.0).collect::<Vec<_>>());

        let normal = facing(&degrees);
        let mut slopes = Raster::default();
        slope(&normal, &mut slopes);
        let rows = made(&normal, &heights, &[&masks[0], &masks[1]], &strata);
        for (x, row) in rows.iter().enumerate() {
            let [nx, nz] = [0, 2].map(|band| f64::from(normal.band(band).pixels()[x]));
            let sigma = nx.abs().atan2(nz).to_degrees();
            prop_assert!((sigma - f64::from(slopes.pixels()[x])).abs() < 1e-5);
            let right = twin(sigma, heights[x], &[f64::from(masks[0][x]), f64::from(masks[1][x])], &strata);
            prop_assert_eq!(row.iter().map(|&w| u32::from(w)).sum::<u32>(), 255);
            prop_assert_eq!(row, &right, "pixel {} of {:?}", x, strata);
        }
    }
}

#[test]
fn a_pixel_weighs_alone_what_it_weighs_among_others() {
    // Long level runs, ramps, a cliff, voids and a mask that comes and goes.
    let n = 700;
    let wave = |x: usize, wavelength: f64| (x as f64 / wavelength).sin();
    let mut degrees: Vec<_> = (0..n).map(|x| 30.0 + 28.0 * wave(x, 60.0)).collect();
    degrees[150..300].fill(12.0);
    degrees[220] = 80.0;
    degrees[260] = f64::NAN;
    degrees[400..500].fill(f64::NAN);
    let heights: Vec<_> = (0..n).map(|x| 500.0 + 400.0 * wave(x, 97.0)).collect();
    let cover: Vec<_> = (0..n)
        .map(|x| wave(x, 41.0).clamp(0.0, 0.8) as f32)
        .collect();
    let high = Trapezoid {
        lo: Some(700.0),
        hi: None,
        blend: 100.0,
    };
    let strata = [
        band(0.0, 20.0, 6.0),
        band(20.0, 40.0, 0.0),
        mask(0),
        preset(Some((35.0, 90.0, 6.0)), Some(high), true),
    ];
    let together = made(&facing(&degrees), &heights, &[&cover], &strata);
    for x in 0..n {
        let alone = made(
            &facing(&degrees[x..=x]),
            &heights[x..=x],
            &[&cover[x..=x]],
            &strata,
        );
        assert_eq!(together[x], alone[0], "pixel {x}: {}", degrees[x]);
    }
}
