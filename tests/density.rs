//! Species that are written as a density, and density masks and curvatures that species and biomes read.

#![allow(clippy::unwrap_used)]

mod support;

use std::sync::atomic::AtomicBool;

use ecotone_bake::verify::{Request, verify};
use ecotone_bake::{Outcome, config};
use ecotone_grid::Raster;
use ecotone_interchange::{Digests, Finished};
use support::writer::Tiff;
use support::{Place, config_text, hills, is_void, plain, plants, settle};

const SIDE: usize = 150;

/// Grass by strata, edges, distances, altitudes and masks; and clover of hollows.
const GRASSES: &str = r#"
[[species]]
name = "grass"
write = "density"
strata = { meadow = 1.0, rock = 0.25 }
threshold = 0.3
density = 40000
edge = { falloff = 12, curve = "linear", density = 0.25 }
distance = [{ stratum = "road", curve = [[-2, 0], [6, 1]] }]
[[species]]
name = "clover"
write = "density"
strata = { meadow = 1.0 }
threshold = 0.5
spacing = 0.4
altitude = { band = [10, 60], blend = 8 }
mask = { file = "fields.tif" }
[[species]]
name = "moss"
write = "density"
strata = { meadow = 1.0, rock = 1.0 }
density = 900
curvature = { band = [-1, 0], blend = 0.02, kind = "plan" }
slope = { curve = [[0, 1], [40, 0]] }
clusters = { wavelength = 25, coverage = 0.5 }
"#;

/// Plants that read a mask of pixels, a mask of shapes, curvatures, and both by a biome.
const PLANTS: &str = r#"
[[biome]]
name = "north"
mask = { file = "north.geojson", feather = 6 }
species = ["ash", "yew"]
[[biome]]
name = "hollow"
within = "north"
curvature = { curve = [[-0.05, 1], [0.05, 0]] }
species = ["yew"]
[[species]]
name = "ash"
strata = { meadow = 1.0, rock = 1.0 }
threshold = 0.2
spacing = 2.5
mask = { file = "fields.tif" }
[[species]]
name = "yew"
strata = { meadow = 1.0, rock = 1.0 }
threshold = 0.2
spacing = 3
curvature = { band = [-1, 0], blend = 0.02, kind = "profile" }
"#;

/// A mask of five-metre pixels, which lies off the map to the east.
fn write_fields(place: &Place, value: impl Fn(usize, usize) -> f64) {
    let mask = Tiff::new(24, 40, (1, 8)).placed((5.0, 5.0), (1012.0, 2010.0));
    place.write("fields.tif", &mask, value);
}

fn patches(x: usize, y: usize) -> f64 {
    ((x * 7 + y * 13) % 5) as f64 * 50.0
}

fn place() -> Place {
    let place = Place::with_hills(&plain(SIDE, SIDE));
    write_fields(&place, patches);
    let shape = r#"{"type":"Polygon","coordinates":[[[990,2010],[1160,2010],[1120,1905],[1000,1890],[990,2010]]]}"#;
    std::fs::write(place.path("north.geojson"), shape).unwrap();
    place
}

fn text(tile: u32, chunk: f64) -> String {
    format!("{}{GRASSES}{PLANTS}", config_text(tile, chunk))
}

fn bake(tile: u32, chunk: f64, threads: usize) -> Digests {
    let place = place();
    place.bake(&text(tile, chunk), threads, "out").unwrap();
    place.digests("out")
}

#[test]
fn any_tiles_and_chunks_make_the_same_densities_and_plants() {
    let whole = bake(4096, 4096.0, 1);
    assert!(whole.density.is_some());
    for (tile, chunk, threads) in [(17, 100.0, 2), (64, 31.0, 7), (64, 100.0, 1)] {
        assert_eq!(bake(tile, chunk, threads), whole, "tiles of {tile}");
    }
}

/// What the test itself reads of a world.
struct World {
    finished: Finished,
    weights: Raster<u8>,
    sdf: Raster<i16>,
}

impl World {
    fn of(place: &Place) -> Self {
        let finished = Finished::open(&place.path("out")).unwrap();
        let (mut weights, mut sdf) = (Raster::default(), Raster::default());
        finished.weights(finished.map(), &mut weights).unwrap();
        finished.sdf(finished.map(), &mut sdf).unwrap();
        Self {
            finished,
            weights,
            sdf,
        }
    }

    /// The share of a stratum.
    fn share(&self, band: usize, (x, y): (i64, i64)) -> f64 {
        f64::from(self.weights.band(band).at(x, y)) / 255.0
    }

    /// Metres outside its edge.
    fn metres(&self, band: usize, (x, y): (i64, i64)) -> f64 {
        f64::from(self.sdf.band(band).at(x, y)) * self.finished.manifest().edges.scale
    }
}

const MEADOW: usize = 0;
const ROCK: usize = 1;
const ROAD: usize = 2;

/// Straight from one point to the other, and level beyond them.
fn ramp(v: f64, [from, a]: [f64; 2], [to, b]: [f64; 2]) -> f64 {
    a + (b - a) * ((v - from) / (to - from)).clamp(0.0, 1.0)
}

/// Blades of grass in a pixel of a square metre.
fn grass(world: &World, at: (i64, i64)) -> f64 {
    let mixed = world.share(MEADOW, at) + 0.25 * world.share(ROCK, at);
    if mixed < 0.3 {
        return 0.0;
    }
    let inside = -world.metres(MEADOW, at);
    let edge = ramp(inside, [0.0, 0.25], [12.0, 1.0]);
    let road = ramp(world.metres(ROAD, at), [-2.0, 0.0], [6.0, 1.0]);
    4.0 * mixed.min(1.0) * edge * road
}

/// The mask at the centre of a pixel of the map, between the four nearest of its own.
fn field(x: i64, y: i64) -> f64 {
    let (u, v) = ((x as f64 - 12.0 + 0.5) / 5.0, (y as f64 + 10.0 + 0.5) / 5.0);
    if !(0.0..24.0).contains(&u) || !(0.0..40.0).contains(&v) {
        return 0.0;
    }
    let near = |at: f64, n: f64| {
        let at = (at - 0.5).clamp(0.0, n - 1.0);
        let low = at.floor().min(n - 2.0);
        (low as usize, at - low)
    };
    let ((i, s), (j, t)) = (near(u, 24.0), near(v, 40.0));
    let row = |j| patches(i, j) * (1.0 - s) + patches(i + 1, j) * s;
    (row(j) * (1.0 - t) + row(j + 1) * t) / 255.0
}

/// Clover in a pixel, of the most that there can be.
fn clover(world: &World, at: (i64, i64)) -> f64 {
    let meadow = world.share(MEADOW, at);
    let height = hills(at.0 as usize, at.1 as usize);
    let low = ramp(height, [6.0, 0.0], [14.0, 1.0]);
    let high = ramp(height, [56.0, 1.0], [64.0, 0.0]);
    let weight = if meadow < 0.5 { 0.0 } else { meadow };
    weight * low * high * field(at.0, at.1)
}

#[test]
fn a_density_is_the_expectation_at_the_centre_of_its_pixel() {
    let place = place();
    place.bake(&text(48, 100.0), 2, "out").unwrap();
    let world = World::of(&place);
    let record = &world.finished.manifest().fields["density"];
    assert_eq!(record.bands, ["clover", "grass", "moss"]);
    // A step is the 255th part of the most that a square metre has: of grass 4, of moss 0.09.
    assert!((record.scales[1] * 255.0 - 4.0).abs() < 1e-9);
    assert!((record.scales[2] * 255.0 - 0.09).abs() < 1e-9);
    let most_clover = record.scales[0] * 255.0;
    // As many as the spacing holds: 0.6117 on a square of 0.4 m.
    assert!((most_clover - 0.6117 / 0.16).abs() < 0.05, "{most_clover}");

    let mut stored = Raster::default();
    let map = world.finished.map();
    let [mut n_grass, mut n_clover] = [0; 2];
    for band in 0..3 {
        assert!(
            world
                .finished
                .field("density", band, map, &mut stored)
                .unwrap()
        );
        for y in 0..SIDE as i64 {
            for x in 0..SIDE as i64 {
                let found = f64::from(stored.band(0).at(x, y)) / record.scales[band];
                if is_void(x as usize, y as usize) {
                    assert_eq!(found, 0.0);
                    continue;
                }
                let right = match band {
                    0 => 255.0 * clover(&world, (x, y)),
                    1 => grass(&world, (x, y)) / 4.0 * 255.0,
                    _ => continue,
                };
                assert!(
                    (found - right).abs() < 0.501,
                    "{band}: {x}, {y}: {found} {right}"
                );
                n_clover += usize::from(band == 0 && right > 1.0);
                n_grass += usize::from(band == 1 && right > 1.0);
            }
        }
    }
    assert!(n_grass > 1500 && n_clover > 800, "{n_grass} {n_clover}");
    // Moss lies in hollows: not everywhere, and somewhere.
    let n_moss = stored.pixels().iter().filter(|&&moss| moss > 0.0).count();
    assert!((1000..15_000).contains(&n_moss), "{n_moss}");
}

#[test]
fn plants_grow_where_masks_and_biomes_let_them() {
    let place = place();
    place.bake(&text(48, 100.0), 2, "out").unwrap();
    let all = plants(&place.path("out"));
    let [mut n_ash, mut n_yew] = [0; 2];
    for plant in &all {
        let cells: Vec<&str> = plant.split(',').collect();
        let [x, y] = [2, 3].map(|k| cells[k].parse::<f64>().unwrap());
        match cells[1] {
            "ash" => {
                // Between pixels of the map the mask is 0 only where it is at all four.
                let (i, j) = ((x - 1000.5).floor() as i64, (1999.5 - y).floor() as i64);
                let near = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(di, dj)| field(i + di, j + dj));
                assert!(near.iter().any(|&share| share > 0.0), "{x} {y}");
                n_ash += 1;
            }
            "yew" => n_yew += 1,
            _ => continue,
        }
        // The polygon's south end, and half of the feather and a pixel beyond it.
        assert!(y > 1890.0 - 4.0, "{y}");
    }
    assert!(n_ash > 100 && n_yew > 50, "{n_ash} {n_yew}");
}

/// Kept, same and made of strata, sdf and plants.
fn fates(outcome: &Outcome) -> [[usize; 3]; 3] {
    let stages = &outcome.stages;
    [0, 1, 2].map(|k| [stages[k].kept, stages[k].same, stages[k].made])
}

#[test]
fn an_edited_density_mask_makes_again_what_it_reaches() {
    let place = place();
    settle();
    let text = text(50, 25.0);
    place.bake(&text, 2, "out").unwrap();
    let [strata, sdf, plants] = fates(&place.bake(&text, 2, "out").unwrap());
    assert_eq!((strata, sdf), ([9, 0, 0], [9, 0, 0]));
    let n_chunks = plants[0];
    assert_eq!(plants, [n_chunks, 0, 0]);

    // One pixel of it, over columns 117 to 126 of the map with its ramps, and rows 37 to 46.
    write_fields(&place, |x, y| {
        if (x, y) == (21, 9) {
            255.0
        } else {
            patches(x, y)
        }
    });
    settle();
    let outcome = place.bake(&text, 2, "out").unwrap();
    place.bake(&text, 1, "fresh").unwrap();
    assert_eq!(place.digests("out"), place.digests("fresh"));
    let [strata, sdf, plants] = fates(&outcome);
    assert_eq!(strata, [9, 0, 0]);
    // One tile of clover; the others read the file and find the same.
    assert_eq!((sdf[2], sdf[0] + sdf[1]), (1, 8));
    assert!((1..=9).contains(&plants[2]), "{plants:?}");
    assert_eq!(plants[0] + plants[1] + plants[2], n_chunks);
}

#[test]
fn a_world_with_all_of_it_verifies() {
    let place = place();
    let text = text(48, 60.0);
    std::fs::write(place.path("world.toml"), &text).unwrap();
    place.bake(&text, 2, "out").unwrap();
    assert!(config::load(&place.path("world.toml")).is_ok());
    let request = Request {
        full: true,
        regions: None,
        seed: 1,
        scratch: None,
        threads: 2,
        memory_bytes: 8 << 20,
    };
    let verdict = verify(
        &place.path("out"),
        &request,
        &AtomicBool::new(false),
        &mut |_, _| {},
    )
    .unwrap();
    assert!(verdict.is_proof(), "{verdict:?}");
}
