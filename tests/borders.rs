//! The borders of tiles, chunks and blocks leave no trace among plants: neither in where they stand, nor in how many.

#![allow(clippy::unwrap_used)]

mod support;

use support::{Place, plain, plants};

/// Metres along a side; the map's west and north borders lie at (1000, 2000).
const SIDE: usize = 1024;

/// Two species that compete, 500 and at most 900 to the hectare, on flat ground of one stratum.
fn config(tile: u32, chunk: u32) -> String {
    format!(
        "seed = 11\n[terrain]\nheights = ['heights.tif']\n[tiles]\nsize = {tile}\n[output]\nchunk = {chunk}\n\
         [[stratum]]\nname = 'ground'\n\
         [[species]]\nname = 'fir'\nstrata = {{ ground = 1 }}\nspacing = 2.5\nfootprint = 1\ndensity = 500\npriority = 1\n\
         [[species]]\nname = 'sedge'\nstrata = {{ ground = 1 }}\nspacing = 1.8\nfootprint = 0.5\ndensity = 900\n"
    )
}

/// Species and place of each row, in metres from the map's north-west corner.
fn places(rows: &[String]) -> Vec<(&str, [f64; 2])> {
    rows.iter()
        .map(|row| {
            let columns: Vec<&str> = row.split(',').collect();
            let number = |k: usize| columns[k].parse::<f64>().unwrap();
            (columns[1], [number(2) - 1000.0, 2000.0 - number(3)])
        })
        .collect()
}

/// Whether a place lies within 8 m of a multiple of `step`, but not at the rim of the map.
fn is_near_border([x, y]: [f64; 2], step: f64) -> bool {
    let near = |v: f64| {
        let border = (v / step).round() * step;
        (v - border).abs() < 8.0 && border > 0.0 && border < SIDE as f64
    };
    near(x) || near(y)
}

#[test]
fn bands_along_borders_are_as_dense_as_the_rest_however_the_world_is_cut() {
    let place = Place::new();
    place.write("heights.tif", &plain(SIDE, SIDE), |_, _| 50.0);
    place.bake(&config(256, 256), 1, "out").unwrap();
    let digests = place.digests("out");
    let rows = plants(&place.path("out"));
    let places = places(&rows);
    for (tile, chunk, threads) in [(32, 100, 2), (64, 64, 7), (256, 1000, 16)] {
        place.bake(&config(tile, chunk), threads, "other").unwrap();
        assert_eq!(place.digests("other"), digests, "tiles of {tile}");
    }
    for species in ["fir", "sedge"] {
        let own = places.iter().filter(|(name, _)| *name == species);
        let own: Vec<[f64; 2]> = own.map(|(_, at)| *at).collect();
        assert!(own.len() > 20_000, "{} of {species}", own.len());
        for step in [64.0, 100.0, 256.0] {
            // The share of the ground that lies so near a border, by counting its centimetres along one axis.
            let n_near =
                (0..SIDE * 100).filter(|cm| is_near_border([*cm as f64 / 100.0, 20.0], step));
            let along = n_near.count() as f64 / (SIDE * 100) as f64;
            let share = 1.0 - (1.0 - along) * (1.0 - along);
            let expected = share * own.len() as f64;
            let found = own.iter().filter(|at| is_near_border(**at, step)).count() as f64;
            // Plants that keep their distance vary less than this.
            let sigma = (expected * (1.0 - share)).sqrt();
            assert!(
                (found - expected).abs() < 3.0 * sigma,
                "{species} within 8 m of every {step} m: {found}, expected {expected}"
            );
        }
    }
}
