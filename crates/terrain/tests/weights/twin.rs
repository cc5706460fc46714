//! Weights against a slow twin that follows their definition.

use ecotone_grid::{Noise, Sector, aspect_degrees, mix, slope_degrees};
use proptest::prelude::*;

use super::Listed::{Add, Over, Subtract};
use super::*;

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

/// Holds random strata over 32 random pixels against the twin.
fn check_twin(seed: u64, n: u64) -> Result<(), TestCaseError> {
    let draw = |purpose: u64, most: u64| (mix(seed ^ mix(purpose)) % (most + 1)) as f64;
    let listed = random_strata(&draw, n);
    let normal = random_normals(&draw, 32);
    let heights: Vec<_> = (0..32).map(|x| draw(2000 + x, 600)).collect();
    let strata = strata(&listed);
    let masks: Vec<Vec<f32>> = (0..strata.layers.len() as u64)
        .map(|k| {
            (0..32)
                .map(|x| draw(3000 + 100 * k + x, 16) as f32 / 16.0)
                .collect()
        })
        .collect();
    let slices: Vec<&[f32]> = masks.iter().map(Vec::as_slice).collect();
    let rows = made(&normal, &heights, &slices, &listed);
    for (x, row) in rows.iter().enumerate() {
        let [nx, ny, nz] = [0, 1, 2].map(|band| f64::from(normal.band(band).pixels()[x]));
        let slope = slope_degrees(nx, ny, nz);
        // The middle of the pixel in column 3 + x and row −2.
        let (east, north) = (1000.0 + 2.0 * (x as f64 + 3.5), 7000.0 + 2.0 * 1.5);
        let noise = |band: &Option<Preset>| {
            let shift = band.and_then(|preset| preset.shift);
            shift.map_or(0.0, |shift| shift.noise.at(east, north))
        };
        let pixel = Pixel {
            slope,
            aspect: (slope > 0.0).then(|| aspect_degrees(nx, ny)),
            height: heights[x],
            masks: masks.iter().map(|mask| f64::from(mask[x])).collect(),
            noise: strata.bands.iter().map(noise).collect(),
        };
        prop_assert_eq!(row.iter().map(|&w| u32::from(w)).sum::<u32>(), 255);
        prop_assert_eq!(row, &twin(&pixel, &listed), "pixel {} of {:?}", x, listed);
    }
    Ok(())
}

#[test]
fn an_aspect_on_a_ramp_is_the_one_that_is_defined() {
    // A remainder at which the last bit of an aspect decides.
    for n in 1..9 {
        check_twin(2_888_223_325_367_075_466, n).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_pixel_is_its_brute_force_twin(seed: u64, n in 1_u64..9) {
        check_twin(seed, n)?;
    }
}
