//! Weights against their definition, spelled out pixel by pixel.
#![allow(clippy::unwrap_used)]

use ecotone_grid::{GeoTransform, PixelSize, Raster, Rect, Sector, Trapezoid, mix};
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

fn preset(slope: Option<(f64, f64, f64)>, altitude: Option<Trapezoid>, fallback: bool) -> Listed {
    Listed::Band(Preset {
        slope: slope.map(|(lo, hi, blend)| Trapezoid::slope(lo, hi, blend)),
        altitude,
        fallback,
        ..Preset::default()
    })
}

fn band(lo: f64, hi: f64, blend: f64) -> Listed {
    preset(Some((lo, hi, blend)), None, false)
}

/// What a config lists, one after the other.
#[derive(Clone, Copy, Debug)]
enum Listed {
    Band(Preset),
    Over,
    /// Corrects a band, by its number.
    Add(usize),
    Subtract(usize),
}
use Listed::{Add, Over, Subtract};

fn strata(listed: &[Listed]) -> Strata {
    let mut strata = Strata::default();
    for one in listed {
        match *one {
            Listed::Band(preset) => strata.bands.push(Some(preset)),
            Over => {
                let band = strata.bands.len();
                strata.layers.push(Layer::Over { band });
                strata.bands.push(None);
            }
            Add(target) => strata.layers.push(Layer::Add { target }),
            Subtract(target) => strata.layers.push(Layer::Subtract { target }),
        }
    }
    strata
}

const GRID: GeoTransform = GeoTransform {
    x0: 1000.0,
    y0: 7000.0,
    pixel: PixelSize { x: 2.0, y: 2.0 },
};

/// The weights of each pixel, strata side by side.
fn made(
    normal: &Raster<f32>,
    heights: &[f64],
    masks: &[&[f32]],
    listed: &[Listed],
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
    let strata = strata(listed);
    let ground = Ground {
        normals: normal,
        heights: height.band(0),
        masks: &masks,
        grid: GRID,
    };
    let (mut scratch, mut out) = (WeightScratch::default(), Raster::default());
    for _ in 0..2 {
        weights(&ground, &strata, &mut scratch, &mut out);
    }
    let n_bands = strata.n_bands();
    assert_eq!((out.rect(), out.n_bands()), (rect, n_bands));
    (0..rect.area())
        .map(|i| {
            (0..n_bands)
                .map(|band| out.band(band).pixels()[i])
                .collect()
        })
        .collect()
}

#[track_caller]
fn check(degrees: &[f64], strata: &[Listed], right: &[&[u8]]) {
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
    let after_a_mask = [Over, strata[0], strata[1]];
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
    let (rock, road) = ([0.2, 0.2, 0.2, 0.2, -1.0], [0.0, 1.0, 0.5, 2.0, f32::NAN]);
    let rows = made(
        &facing(&[5.0; 5]),
        &[0.0; 5],
        &[&rock, &road],
        &[Over, band(0.0, 90.0, 0.0), Over],
    );
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
        &[Over, Over],
    );
    // Where both are a half, the first keeps a quarter: one third against two.
    assert_eq!(rows, [[85, 170], [255, 0], [255, 0]]);
}

/// What corrections by `masks` make of two halves and of one stratum alone, at five pixels of each.
#[track_caller]
fn check_corrections(corrections: &[Listed], masks: &[&[f32]], right: &[[u8; 2]]) {
    let halves = [band(0.0, 90.0, 0.0), preset(None, None, true)];
    let listed: Vec<_> = halves
        .into_iter()
        .chain(corrections.iter().copied())
        .collect();
    let n = right.len();
    assert_eq!(
        made(&facing(&vec![5.0; n]), &vec![0.0; n], masks, &listed),
        right
    );
}

#[test]
fn adding_raises_the_target_and_scales_all() {
    // ½ + c of 1 + c: 51/85 of 255 at ¼, and no more than 1 against the other half.
    check_corrections(
        &[Add(0)],
        &[&[0.0, 0.25, 0.5, 1.0, f32::NAN]],
        &[[128, 127], [153, 102], [170, 85], [170, 85], [128, 127]],
    );
}

#[test]
fn subtracting_lowers_the_target_and_scales_all() {
    check_corrections(
        &[Subtract(0)],
        &[&[0.0, 0.25, 0.5, 1.0, -3.0]],
        &[[128, 127], [85, 170], [0, 255], [0, 255], [128, 127]],
    );
}

#[test]
fn corrections_go_in_listed_order_and_what_is_left_bare_falls_back() {
    // The first takes all of the one, the second all of the other.
    check_corrections(
        &[Subtract(1), Subtract(0)],
        &[&[1.0, 1.0, 0.0], &[0.0, 1.0, 1.0]],
        &[[255, 0], [0, 255], [0, 255]],
    );
    check_corrections(&[Subtract(0), Add(0)], &[&[1.0], &[1.0]], &[[128, 127]]);
    check_corrections(&[Add(0), Subtract(0)], &[&[1.0], &[1.0]], &[[0, 255]]);
}

#[test]
fn a_correction_reads_what_lies_over_the_ground_by_then() {
    let road = [0.5, 0.5];
    let added = [0.0, 0.5];
    // After the road: ¼ · ¼, ½ + ½ of 1½. Before it: ½ of what ¾ and ¼ leave.
    let ground = [band(0.0, 90.0, 0.0), preset(None, None, false)];
    let after = [ground[0], ground[1], Over, Add(2)];
    let before = [ground[0], ground[1], Add(0), Over];
    let made =
        |masks: &[&[f32]], listed: &[Listed]| made(&facing(&[5.0; 2]), &[0.0; 2], masks, listed);
    assert_eq!(
        made(&[&road, &added], &after),
        [[64, 64, 127], [43, 42, 170]]
    );
    assert_eq!(
        made(&[&added, &road], &before),
        [[64, 64, 127], [85, 43, 127]]
    );
}

#[test]
fn a_void_has_no_weight() {
    let strata = [band(0.0, 90.0, 0.0), Over];
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

/// What the twin reads at a pixel.
struct Pixel {
    slope: f64,
    /// Degrees clockwise from north; `None` on flat ground.
    aspect: Option<f64>,
    height: f64,
    masks: Vec<f64>,
    /// The noise of each band's shift.
    noise: Vec<f64>,
}

/// Raw weight of a preset by definition.
fn raw(preset: &Preset, pixel: &Pixel, noise: f64) -> f64 {
    let moved = |what: Shifted| match preset.shift {
        Some(shift) if shift.of == what => shift.amplitude * noise,
        _ => 0.0,
    };
    let sector = match (preset.aspect, pixel.aspect) {
        (Some(sector), Some(aspect)) => sector.weight(aspect),
        _ => 1.0,
    };
    preset
        .slope
        .map_or(1.0, |b| b.weight(pixel.slope + moved(Shifted::Slope)))
        * preset
            .altitude
            .map_or(1.0, |b| b.weight(pixel.height + moved(Shifted::Altitude)))
        * sector
}

/// Scales to sum to 1; the fallback takes it where there is nothing.
fn shared(w: &mut [f64], fallback: usize) {
    if w.iter().all(|&w| w == 0.0) {
        w[fallback] = 1.0;
    }
    let sum: f64 = w.iter().sum();
    w.iter_mut().for_each(|w| *w /= sum);
}

/// The weights by definition, remainders compared in 1/2²⁴.
fn twin(pixel: &Pixel, listed: &[Listed]) -> Vec<u8> {
    const ONE: u64 = 1 << 24;
    let strata = strata(listed);
    let mut w: Vec<f64> = strata
        .bands
        .iter()
        .zip(&pixel.noise)
        .map(|(preset, &noise)| preset.map_or(0.0, |preset| raw(&preset, pixel, noise)))
        .collect();
    let first = strata.bands.iter().position(Option::is_some);
    let marked = strata
        .bands
        .iter()
        .position(|b| b.is_some_and(|preset| preset.fallback));
    let fallback = marked.or(first).unwrap();
    shared(&mut w, fallback);
    for (layer, &c) in strata.layers.iter().zip(&pixel.masks) {
        match *layer {
            Layer::Over { band } => {
                w.iter_mut().for_each(|w| *w *= 1.0 - c);
                w[band] = c;
            }
            Layer::Add { target } => {
                w[target] = (w[target] + c).min(1.0);
                shared(&mut w, fallback);
            }
            Layer::Subtract { target } => {
                w[target] = (w[target] - c).max(0.0);
                shared(&mut w, fallback);
            }
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

/// Random strata: presets of every kind, and layers over those listed before.
fn random_strata(draw: &impl Fn(u64, u64) -> f64, n: u64) -> Vec<Listed> {
    let low = Trapezoid {
        lo: None,
        hi: Some(250.0),
        blend: 0.0,
    };
    let mut listed = vec![preset(None, Some(low), false)];
    let mut n_bands = 1;
    for s in 1..=n {
        let target = draw(s + 800, n_bands - 1) as usize;
        let (lo, width, blend) = (draw(s, 80), draw(s + 100, 40), draw(s + 200, 10));
        let altitude = Trapezoid {
            lo: Some(draw(s + 300, 500)),
            hi: None,
            blend: draw(s + 400, 200),
        };
        let of = if draw(s + 900, 1) > 0.0 {
            Shifted::Slope
        } else {
            Shifted::Altitude
        };
        let noise = Noise {
            wavelength_m: 1.0 + draw(s + 1000, 40),
            seed: s,
        };
        listed.push(match draw(s + 600, 7) as u32 {
            0 | 1 => Over,
            2 => Add(target),
            3 => Subtract(target),
            _ => Listed::Band(Preset {
                slope: (draw(s + 500, 9) < 8.0).then(|| Trapezoid::slope(lo, lo + width, blend)),
                altitude: (draw(s + 1100, 3) < 2.0).then_some(altitude),
                aspect: Sector::new(draw(s + 1200, 360), draw(s + 1300, 360), draw(s + 1400, 50))
                    .filter(|_| draw(s + 1500, 1) > 0.0),
                shift: (draw(s + 1600, 1) > 0.0).then_some(Shift {
                    of,
                    amplitude: draw(s + 1700, 30),
                    noise,
                }),
                fallback: draw(s + 700, 3) < 1.0,
                curvature: None,
            }),
        });
        n_bands = strata(&listed).n_bands() as u64;
    }
    listed
}

/// Normals of random slopes and aspects in one row, some of them flat.
fn random_normals(draw: &impl Fn(u64, u64) -> f64, n: u64) -> Raster<f32> {
    let mut normal = Raster::new(Rect::new(3, -2, 3 + n as i64, -1), 3, 0.0);
    for x in 0..n {
        let slope = draw(20_000 + x, 90).to_radians() * draw(21_000 + x, 3).min(1.0);
        let (east, north) = draw(22_000 + x, 3600).to_radians().sin_cos();
        let at = x as usize;
        normal.band_mut(0)[at] = (slope.sin() * east) as f32;
        normal.band_mut(1)[at] = (slope.sin() * north) as f32;
        normal.band_mut(2)[at] = slope.cos() as f32;
    }
    normal
}

/// The noise of a shift as a stratum of its own shows it: the altitude at which a hard band begins, to 1e-9.
fn noise_at(shift: Option<Shift>, x: i64) -> f64 {
    let Some(Shift { noise, .. }) = shift else {
        return 0.0;
    };
    let normal = Raster::from_pixels(Rect::new(x, -2, x + 1, -1), 3, vec![0.0, 0.0, 1.0]);
    let above = |height: f64| {
        let altitude = Trapezoid {
            lo: Some(0.0),
            hi: None,
            blend: 0.0,
        };
        let shift = Shift {
            of: Shifted::Altitude,
            amplitude: 1.0,
            noise,
        };
        let bands = [
            Listed::Band(Preset {
                altitude: Some(altitude),
                shift: Some(shift),
                ..Preset::default()
            }),
            preset(None, None, true),
        ];
        made(&normal, &[height], &[], &bands)[0][0] > 0
    };
    // height + noise ≥ 0 first holds at −noise.
    let (mut lo, mut hi) = (-1.5, 1.5);
    for _ in 0..34 {
        let middle = 0.5 * (lo + hi);
        if above(middle) {
            hi = middle
        } else {
            lo = middle
        }
    }
    -hi
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_pixel_is_its_brute_force_twin(seed: u64, n in 1_u64..9) {
        let draw = |purpose: u64, most: u64| (mix(seed ^ mix(purpose)) % (most + 1)) as f64;
        let listed = random_strata(&draw, n);
        let normal = random_normals(&draw, 32);
        let heights: Vec<_> = (0..32).map(|x| draw(2000 + x, 600)).collect();
        let n_layers = strata(&listed).layers.len();
        let masks: Vec<Vec<f32>> = (0..n_layers as u64)
            .map(|k| (0..32).map(|x| draw(3000 + 100 * k + x, 16) as f32 / 16.0).collect())
            .collect();
        let slices: Vec<&[f32]> = masks.iter().map(Vec::as_slice).collect();
        let rows = made(&normal, &heights, &slices, &listed);
        for (x, row) in rows.iter().enumerate() {
            let [nx, ny, nz] = [0, 1, 2].map(|band| f64::from(normal.band(band).pixels()[x]));
            let slope = (nx * nx + ny * ny).sqrt().atan2(nz).to_degrees();
            let pixel = Pixel {
                slope,
                aspect: (slope > 0.0).then(|| nx.atan2(ny).to_degrees().rem_euclid(360.0)),
                height: heights[x],
                masks: masks.iter().map(|mask| f64::from(mask[x])).collect(),
                noise: strata(&listed).bands.iter()
                    .map(|b| noise_at(b.and_then(|preset| preset.shift), 3 + x as i64))
                    .collect(),
            };
            let right = twin(&pixel, &listed);
            prop_assert_eq!(row.iter().map(|&w| u32::from(w)).sum::<u32>(), 255);
            // The twin's noise is within 1e-9, which may tip a remainder.
            let is_shifted = strata(&listed).bands.iter().flatten().any(|preset| preset.shift.is_some());
            let near = row.iter().zip(&right).all(|(a, b)| a.abs_diff(*b) <= u8::from(is_shifted));
            prop_assert!(near, "pixel {} of {:?}: {:?} is not {:?}", x, listed, row, right);
        }
    }
}

#[test]
fn a_pixel_weighs_alone_what_it_weighs_among_others() {
    // Long level runs, ramps, a cliff, voids and masks that come and go.
    let n = 700;
    let wave = |x: usize, wavelength: f64| (x as f64 / wavelength).sin();
    let mut degrees: Vec<_> = (0..n).map(|x| 30.0 + 28.0 * wave(x, 60.0)).collect();
    degrees[150..300].fill(12.0);
    degrees[220] = 80.0;
    degrees[260] = f64::NAN;
    degrees[400..500].fill(f64::NAN);
    degrees[560..640].fill(0.0);
    let heights: Vec<_> = (0..n).map(|x| 500.0 + 400.0 * wave(x, 97.0)).collect();
    let cover = |wavelength: f64| {
        let share = |x| wave(x, wavelength).clamp(0.0, 0.8) as f32;
        (0..n).map(share).collect::<Vec<_>>()
    };
    let covers = [41.0, 29.0, 53.0].map(cover);
    let high = Trapezoid {
        lo: Some(700.0),
        hi: None,
        blend: 100.0,
    };
    let noise = |seed| Noise {
        wavelength_m: 37.0,
        seed,
    };
    let shift = |of, amplitude, seed| {
        Some(Shift {
            of,
            amplitude,
            noise: noise(seed),
        })
    };
    let listed = [
        band(0.0, 20.0, 6.0),
        Listed::Band(Preset {
            slope: Some(Trapezoid::slope(20.0, 40.0, 0.0)),
            shift: shift(Shifted::Slope, 5.0, 1),
            ..Preset::default()
        }),
        Over,
        Add(0),
        Listed::Band(Preset {
            slope: Some(Trapezoid::slope(35.0, 90.0, 6.0)),
            altitude: Some(high),
            aspect: Sector::new(200.0, 280.0, 10.0),
            shift: shift(Shifted::Altitude, 60.0, 2),
            fallback: true,
            ..Preset::default()
        }),
        Subtract(1),
    ];
    let masks = [0, 1, 2].map(|k| covers[k].as_slice());
    let together = made(&facing(&degrees), &heights, &masks, &listed);
    for x in 0..n {
        let normal = {
            let all = facing(&degrees);
            let mut one = Raster::new(Rect::new(3 + x as i64, -2, 4 + x as i64, -1), 3, 0.0);
            (0..3).for_each(|band| one.paste(band, all.band(band)));
            one
        };
        let masks = masks.map(|mask| &mask[x..=x]);
        let alone = made(&normal, &heights[x..=x], &masks, &listed);
        assert_eq!(together[x], alone[0], "pixel {x}: {}", degrees[x]);
    }
}

#[test]
fn curvature_multiplies_in_from_any_window() {
    // A bowl, a ridge and a few voids; the normals reach a pixel beyond what is weighed.
    let rect = Rect::new(0, 0, 90, 40);
    let rules = NormalRules {
        gradient: Gradient::Horn,
        smoothing_m: 0.0,
        pixel: GRID.pixel,
    };
    let height = |x: i64, y: i64| match (x, y) {
        (70..=72, 5) | (30, 20) | (0, 0) => f64::NAN,
        _ if !rect.contains(x, y) => f64::NAN,
        _ => 0.01 * ((x - 20) * (x - 20)) as f64 - 0.02 * ((y - 15) * (y - 15)) as f64,
    };
    let map = |window: Rect| {
        let rows = (window.y0..window.y1).flat_map(|y| (window.x0..window.x1).map(move |x| (x, y)));
        Raster::from_pixels(window, 1, rows.map(|(x, y)| height(x, y)).collect())
    };
    let preset = |kind, lo, hi| Preset {
        curvature: Some(CurvatureBand {
            kind,
            band: Trapezoid {
                lo,
                hi,
                blend: 0.004,
            },
        }),
        ..Preset::default()
    };
    let strata = Strata {
        bands: vec![
            Some(preset(Curvature::Mean, Some(0.0), None)),
            Some(preset(Curvature::Profile, None, Some(0.0))),
            Some(preset(Curvature::Plan, Some(-0.01), Some(0.005))),
        ],
        layers: Vec::new(),
    };
    let weighed = |core: Rect| {
        let heights = map(core.grow(rules.reach().then(strata.reach())));
        let (mut normal, mut out) = (Raster::default(), Raster::default());
        normals(
            heights.band(0),
            &rules,
            &mut NormalScratch::default(),
            &mut normal,
        );
        let ground = Ground {
            normals: &normal,
            heights: heights.band(0),
            masks: &[],
            grid: GRID,
        };
        weights(&ground, &strata, &mut WeightScratch::default(), &mut out);
        assert_eq!(out.rect(), core);
        out
    };
    let whole = weighed(rect);
    for side in [1, 7, 33] {
        for y in (0..40).step_by(side) {
            for x in (0..90).step_by(side) {
                let core = Rect::new(x, y, x + side as i64, y + side as i64).intersect(&rect);
                let mut part = Raster::new(core, 3, 0);
                (0..3).for_each(|band| part.paste(band, whole.band(band)));
                assert_eq!(weighed(core), part);
            }
        }
    }
    // Between the parabolas' arms: z″ is 0.005 along x and −0.01 along y, so at the saddle the mean is 0.0025.
    let at = |x, y| [0, 1, 2].map(|band| whole.band(band).at(x, y));
    assert_eq!(at(30, 20), [0; 3]);
    // Flat there: all three are the mean. Ramps of 0.004: 1, 0 and ½ + 0.0025 / 0.004 beyond 1.
    assert_eq!(at(20, 15), [128, 0, 127]);
}
