//! Maps and configs at the end of what is possible: a world or a clear error, never a panic.

#![allow(clippy::unwrap_used)]

mod support;

use ecotone_grid::{Raster, Rect};
use ecotone_interchange::Finished;
use support::writer::{Tiff, Value};
use support::{NODATA, Place, hills};

fn tiff(width: usize, height: usize) -> Tiff {
    Tiff::new(width, height, (3, 32))
        .placed((1.0, 1.0), (0.0, 0.0))
        .tag(42113, Value::Text("-9999"))
}

const STRATA: &str = "
[[stratum]]
name = 'flat'
slope = [0, 20]
blend = 5
[[stratum]]
name = 'steep'
slope = [20, 90]
blend = 5
[[stratum]]
name = 'cliff'
slope = [89, 90]
[[species]]
name = 'oak'
strata = { flat = 1, steep = 1 }
spacing = 2
footprint = 0.8
edge = { falloff = 4, size = [0.2, 0.4] }
[[species]]
name = 'edelweiss'
strata.cliff = 1
spacing = 1
";

fn bake(tiff: &Tiff, rules: &str, pixel: impl Fn(usize, usize) -> f64) -> Place {
    let place = Place::new();
    place.write("heights.tif", tiff, pixel);
    place
        .bake(
            &format!("terrain.heights = ['heights.tif']\n{rules}"),
            2,
            "out",
        )
        .unwrap();
    place
}

#[test]
fn thin_and_tiny_maps_bake() {
    for (width, height) in [(1, 1), (1, 500), (500, 1), (2, 2), (3, 1)] {
        for tile in [1, 7, 512] {
            let rules = format!("tiles.size = {tile}\n{STRATA}");
            let place = bake(&tiff(width, height), &rules, hills);
            let world = Finished::open(&place.path("out")).unwrap();
            let mut weights = Raster::default();
            world
                .weights(Rect::new(0, 0, width as i64, height as i64), &mut weights)
                .unwrap();
            for k in 0..width * height {
                let total: u32 = (0..3).map(|b| u32::from(weights.band(b).pixels()[k])).sum();
                assert_eq!(total, 255, "{width}×{height} in tiles of {tile}");
            }
        }
    }
}

#[test]
fn a_map_of_voids_is_empty() {
    let place = bake(&tiff(60, 40), STRATA, |_, _| NODATA);
    let world = Finished::open(&place.path("out")).unwrap();
    let mut weights = Raster::default();
    world
        .weights(Rect::new(0, 0, 60, 40), &mut weights)
        .unwrap();
    assert!(weights.pixels().iter().all(|&w| w == 0));
    assert!(world.manifest().chunks.is_empty());
}

#[test]
fn one_valid_pixel_is_flat() {
    let place = bake(&tiff(9, 9), STRATA, |x, y| {
        if (x, y) == (4, 4) { 100.0 } else { NODATA }
    });
    let world = Finished::open(&place.path("out")).unwrap();
    let (mut weights, mut sdf) = (Raster::default(), Raster::default());
    world.weights(Rect::new(0, 0, 9, 9), &mut weights).unwrap();
    world.sdf(Rect::new(0, 0, 9, 9), &mut sdf).unwrap();
    assert_eq!(weights.band(0).at(4, 4), 255);
    assert_eq!(
        weights.pixels().iter().map(|&w| u32::from(w)).sum::<u32>(),
        255
    );
    // It is inside, and no edge is anywhere: as far inside as is told apart.
    assert_eq!(sdf.band(0).at(4, 4), -32767);
    assert_eq!(sdf.band(0).at(3, 4), i16::MIN);
}

#[test]
fn one_void_in_a_plain_changes_nothing_else() {
    // As users of other tools report: the void value was taken for a height and dragged its neighbours down.
    let rules = "output.fields = ['normals']\n[[stratum]]\nname = 'ground'\n";
    let place = bake(&tiff(9, 9), rules, |x, y| {
        if (x, y) == (4, 4) { NODATA } else { 100.0 }
    });
    let world = Finished::open(&place.path("out")).unwrap();
    for (band, value) in [(0, 0.0), (1, 0.0), (2, 1.0)] {
        let mut normals = Raster::default();
        world
            .field("normals", band, Rect::new(0, 0, 9, 9), &mut normals)
            .unwrap();
        for (k, &component) in normals.pixels().iter().enumerate() {
            if k == 40 {
                assert!(component.is_nan());
            } else {
                assert_eq!(component, value, "band {band}, pixel {k}");
            }
        }
    }
}

#[test]
fn a_species_without_its_stratum_is_absent_and_a_lone_stratum_has_no_edge() {
    let place = bake(&tiff(120, 120), STRATA, |_, _| 10.0);
    let world = Finished::open(&place.path("out")).unwrap();
    let [edelweiss, oaks] = [0, 1].map(|species| {
        world
            .manifest()
            .chunks
            .iter()
            .map(|chunk| chunk.plants[species])
            .sum::<u64>()
    });
    assert!(oaks > 1000 && edelweiss == 0, "{oaks} and {edelweiss}");
    let mut sdf = Raster::default();
    world.sdf(Rect::new(0, 0, 120, 120), &mut sdf).unwrap();
    assert!(sdf.band(0).pixels().iter().all(|&d| d == -32767));
    assert!(sdf.band(1).pixels().iter().all(|&d| d == 32767));
}

#[test]
fn a_bound_of_zero_and_no_species_bake() {
    bake(
        &tiff(40, 40),
        "edges.max_distance = 0\n[[stratum]]\nname = 'flat'\nslope = [0, 20]\n[[stratum]]\nname = 'steep'\nslope = [20, 90]\n",
        hills,
    );
    bake(&tiff(5, 5), "[[stratum]]\nname = 'all'\n", hills);
}

#[test]
fn far_from_the_origin_plants_keep_their_distance() {
    // As users of other tools report: single-precision coordinates lost decimetres at x = 16,000,000.
    let far = Tiff::new(80, 80, (3, 32)).placed((1.0, 1.0), (16_000_000.25, -9_000_000.75));
    let place = Place::new();
    place.write("heights.tif", &far, |_, _| 10.0);
    let rules = "terrain.heights = ['heights.tif']\n[[stratum]]\nname = 'all'\n[[species]]\nname = 'reed'\nstrata.all = 1\nspacing = 0.25\n";
    place.bake(rules, 2, "out").unwrap();
    let mut points: Vec<(f64, f64)> = support::plants(&place.path("out"))
        .iter()
        .map(|row| {
            let fields: Vec<&str> = row.split(',').collect();
            (fields[2].parse().unwrap(), fields[3].parse().unwrap())
        })
        .collect();
    assert!(
        points.len() as f64 > 0.59 * 79.0 * 79.0 / 0.0625,
        "{}",
        points.len()
    );
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (k, a) in points.iter().enumerate() {
        for b in points[k + 1..].iter().take_while(|b| b.0 - a.0 < 0.25) {
            assert!((b.0 - a.0).hypot(b.1 - a.1) >= 0.25);
        }
    }
}

/// The error of a bake that must be refused or end early.
fn refusal(tiff: &Tiff, rules: &str, pixel: impl Fn(usize, usize) -> f64) -> String {
    let place = Place::new();
    place.write("heights.tif", tiff, pixel);
    let text = format!("terrain.heights = ['heights.tif']\n{rules}");
    place.bake(&text, 1, "out").unwrap_err().to_string()
}

#[test]
fn what_cannot_be_said_or_held_is_an_error() {
    let far = Tiff::new(60, 50, (3, 32)).placed((1.0, 1.0), (1e12, 1e12));
    assert!(refusal(&far, STRATA, hills).contains("from the origin"));

    let deep = refusal(&tiff(60, 50), STRATA, |_, _| -1e7);
    assert!(deep.contains("is -10000000 m high"), "{deep}");

    let wide = format!("edges.max_distance = 32000\ntiles.size = 30000\n{STRATA}");
    let wide = refusal(&tiff(60, 50), &wide, hills);
    assert!(
        wide.contains("edges.max_distance") && wide.contains("MiB"),
        "{wide}"
    );
}
