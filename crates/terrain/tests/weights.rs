//! Weights against their definition, spelled out pixel by pixel.
#![allow(clippy::unwrap_used)]

#[path = "weights/layers.rs"]
mod layers;
#[path = "weights/twin.rs"]
mod twin;
#[path = "weights/windows.rs"]
mod windows;

use ecotone_grid::{GeoTransform, PixelSize, Raster, Rect, Trapezoid};
use ecotone_terrain::*;

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
