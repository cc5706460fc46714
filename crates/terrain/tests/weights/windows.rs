//! The same weights from whatever window they are made in.

use ecotone_grid::{Noise, Sector};

use super::Listed::{Add, Over, Subtract};
use super::*;

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

#[test]
fn what_a_mask_does_not_cover_is_0() {
    let rect = Rect::new(-5, 3, 195, 6);
    let mut normal = Raster::new(rect, 3, 0.0);
    normal.band_mut(2).fill(1.0);
    let heights = Raster::new(rect, 1, 0.0);
    let strata = strata(&[
        band(0.0, 20.0, 0.0),
        band(20.0, 90.0, 0.0),
        Over,
        Add(1),
        Subtract(0),
        Add(2),
    ]);
    let weighed = |masks: &[Raster<f32>]| {
        let masks: Vec<_> = masks.iter().map(|mask| mask.band(0)).collect();
        let ground = Ground {
            normals: &normal,
            heights: heights.band(0),
            masks: &masks,
            grid: GRID,
        };
        let mut out = Raster::default();
        weights(&ground, &strata, &mut WeightScratch::default(), &mut out);
        out
    };
    // Inside one stretch, over the ends of several, beyond the ground, beside it, and nowhere.
    for parts in [
        [
            (10, 30, 4, 5),
            (50, 140, 3, 6),
            (-90, 61, 0, 9),
            (0, 3, 3, 4),
        ],
        [
            (-5, 195, 3, 6),
            (195, 300, 3, 6),
            (59, 60, 5, 6),
            (0, 200, 6, 9),
        ],
        [(0, 0, 0, 0), (100, 300, 5, 9), (0, 0, 0, 0), (-5, 59, 4, 5)],
    ] {
        let part = parts.map(|(x0, x1, y0, y1)| {
            let rect = Rect::new(x0, y0, x1, y1);
            let shares = (0..rect.area()).map(|k| (k % 7) as f32 / 8.0);
            Raster::from_pixels(rect, 1, shares.collect())
        });
        let whole = part.each_ref().map(|part| {
            let mut whole = Raster::new(rect, 1, 0.0);
            whole.paste(0, part.band(0));
            whole
        });
        assert_eq!(weighed(&part), weighed(&whole), "{parts:?}");
    }
}
