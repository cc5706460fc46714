//! Strokes over strata against a slow twin.

use ecotone_bake::edit::Change;
use ecotone_grid::Raster;
use ecotone_interchange::Finished;

use super::support::Place;
use super::support::writer::Tiff;
use super::{brush, centre, edit, erase, paint, share};

const STRATA: [&str; 3] = ["low", "high", "lake"];

/// Weights to sum to 1.
fn shared(w: &mut [f64; 3]) {
    let sum: f64 = w.iter().sum();
    if sum > 0.0 {
        w.iter_mut().for_each(|w| *w /= sum);
    } else {
        *w = [1.0, 0.0, 0.0];
    }
}

/// The bytes of level ground that is all "low", under strokes; remainders are compared in 1/2²⁴.
fn twin(changes: &[Change], (x, y): (f64, f64)) -> [u8; 3] {
    let mut w = [1.0, 0.0, 0.0];
    for change in changes {
        let (stratum, brush, moved) = match change {
            Change::Paint {
                stratum,
                brush,
                strength,
            } => (stratum, brush, *strength),
            Change::Erase {
                stratum,
                brush,
                strength,
            } => (stratum, brush, -strength),
            other => panic!("{other:?}"),
        };
        let c = f64::from((moved * share(brush, x, y)) as f32);
        if c != 0.0 {
            let band = STRATA.iter().position(|name| name == stratum).unwrap();
            w[band] = (w[band] + c).clamp(0.0, 1.0);
            shared(&mut w);
        }
    }
    const ONE: u64 = 1 << 24;
    let parts = w.map(|w| (w * 255.0 * ONE as f64).round() as u64);
    let mut bytes = parts.map(|part| (part / ONE) as u8);
    let mut bands = [0, 1, 2];
    bands.sort_by_key(|&band| (std::cmp::Reverse(parts[band] % ONE), band));
    let lack = 255 - bytes.iter().map(|&byte| usize::from(byte)).sum::<usize>();
    bands[..lack].iter().for_each(|&band| bytes[band] += 1);
    bytes
}

#[test]
fn two_hundred_strokes_are_their_brute_force_twin() {
    let place = Place::new();
    let tiff = Tiff::new(90, 70, (3, 32)).placed((1.0, 1.0), (1000.0, 2000.0));
    place.write("heights.tif", &tiff, |_, _| 5.0);
    place.write("lake.tif", &Tiff::new(90, 70, (1, 8)), |_, _| 0.0);
    let text = "terrain.heights = ['heights.tif']\ntiles.size = 32\n\
                [[stratum]]\nname = 'low'\naltitude = { band = [0, 10] }\n\
                [[stratum]]\nname = 'high'\naltitude = { band = [10, 20] }\n\
                [[stratum]]\nname = 'lake'\nmask = 'lake.tif'\n";
    place.bake(text, 2, "out").unwrap();
    let mut state = 7_u64;
    let mut draw = |most: f64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1 << 24) as f64 * most
    };
    let changes: Vec<Change> = (0..200)
        .map(|k| {
            let brush = brush(
                1000.0 + draw(90.0),
                2000.0 - draw(70.0),
                1.0 + draw(14.0),
                draw(1.0),
            );
            let (stratum, strength) = (STRATA[draw(3.0) as usize], 0.05 + draw(0.95));
            match k % 3 {
                0 => erase(stratum, brush, strength),
                _ => paint(stratum, brush, strength),
            }
        })
        .collect();
    edit(&place.path("out"), &changes).unwrap();
    let world = Finished::open(&place.path("out")).unwrap();
    let mut weights = Raster::default();
    world.weights(world.map(), &mut weights).unwrap();
    for (y, x) in (0..70).flat_map(|y| (0..90).map(move |x| (y, x))) {
        let made = [0, 1, 2].map(|band| weights.band(band).at(x, y));
        let at = centre(&super::GRID, x as usize, y as usize);
        assert_eq!(made, twin(&changes, at), "({x}, {y})");
    }
}
