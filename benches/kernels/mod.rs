//! The kernels, each by itself, on one thread over a 2048² demo terrain.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ecotone_geotiff::{BlockCache, Options, Source};
use ecotone_grid::{GeoTransform, Raster, Rect, Trapezoid};
use ecotone_scatter::{
    Area, BlockId, Candidate, Conditions, Curve, Edge, Fields, Flora, Pattern, PatternScratch,
    PlaceScratch, Species, UNITS_PER_M, Yaw, place,
};
use ecotone_sdf::{Bound, classes, distance, write_voids};
use ecotone_terrain::{Gradient, Ground, NormalRules, Preset, Strata};

use crate::RUNS;
use crate::measure::{demo, median};

const SIDE: i64 = 2048;
const CORE: Rect = Rect::new(0, 0, SIDE, SIDE);

/// How far strata's distances reach for plants, in metres.
const PLANTS_REACH: f64 = 128.0;

/// Prints a row for each kernel.
pub fn table(scratch: &Path) {
    let dir = scratch.join("kernels");
    demo(&dir, SIDE as u32);
    let cache = Arc::new(BlockCache::new(0));
    let source = Source::open(&dir.join("heights.tif"), &Options::default(), cache).unwrap();
    let transform = source.georeference().unwrap().unwrap().transform;
    let rules = NormalRules {
        gradient: Gradient::Horn,
        smoothing_m: 2.0,
        pixel: transform.pixel,
    };
    let mut heights = Raster::default();
    let window = CORE.grow(rules.reach());
    let seconds = time(|| source.read(window, 0, &mut heights).unwrap());
    row_of_pixels("read heights", seconds);

    let mut normals = Raster::default();
    let mut memory = ecotone_terrain::NormalScratch::default();
    let seconds =
        time(|| ecotone_terrain::normals(heights.band(0), &rules, &mut memory, &mut normals));
    row_of_pixels("normals, smoothed over 2 px", seconds);
    let weights = weights(&heights, &normals, transform);
    let sdf = distances(&weights, &rules);
    pattern();
    plants(&Fields {
        transform,
        map: CORE,
        heights: heights.band(0),
        normals: None,
        weights: &weights,
        sdf: &sdf,
        sdf_scale: Bound::new(rules.pixel, PLANTS_REACH).scale(),
        layers: None,
    });
}

/// Median seconds of one run; the first is not counted.
fn time(mut run: impl FnMut()) -> f64 {
    run();
    let mut seconds = || {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    median((0..RUNS).map(|_| seconds()).collect())
}

fn row(name: &str, n: f64, unit: &str, seconds: f64) {
    println!("| {name} | {:.1} {unit} |", n / 1e6 / seconds);
}

fn row_of_pixels(name: &str, seconds: f64) {
    row(name, CORE.area() as f64, "Mpx/s", seconds);
}

/// Weights of four bands of slope, which together lie everywhere.
fn weights(heights: &Raster<f64>, normals: &Raster<f32>, grid: GeoTransform) -> Raster<u8> {
    let bands = [(0.0, 20.0), (20.0, 35.0), (35.0, 50.0), (50.0, 90.0)];
    let presets = bands.map(|(lo, hi)| Preset {
        slope: Some(Trapezoid::slope(lo, hi, 10.0)),
        ..Preset::default()
    });
    let strata = Strata {
        bands: presets.map(Some).into(),
        layers: Vec::new(),
    };
    let mut weights = Raster::default();
    let mut memory = ecotone_terrain::WeightScratch::default();
    let seconds = time(|| {
        let ground = Ground {
            normals,
            heights: heights.band(0),
            masks: &[],
            grid,
        };
        ecotone_terrain::weights(&ground, &strata, &mut memory, &mut weights);
    });
    row_of_pixels("weights of 4 strata", seconds);
    weights
}

/// Distances to the edge of the first stratum, as far as plants read them.
fn distances(weights: &Raster<u8>, rules: &NormalRules) -> Raster<i16> {
    let mut kept = Raster::default();
    for metres in [32.0, PLANTS_REACH, 512.0] {
        let bound = Bound::new(rules.pixel, metres);
        let mut window = Raster::new(CORE.grow(bound.reach()), 4, 0);
        (0..4).for_each(|band| window.paste(band, weights.band(band)));
        let (mut void, mut class) = (Raster::default(), Raster::default());
        let mut out = Raster::new(CORE, 1, 0);
        let mut memory = ecotone_sdf::Scratch::default();
        let seconds = time(|| {
            write_voids(&window, &mut void);
            classes(window.band(0), void.band(0), 128, &mut class);
            distance(class.band(0), &bound, &mut memory, out.band_mut(0));
        });
        let name = format!("signed distance of one stratum, {metres} px");
        row_of_pixels(&name, seconds);
        if metres == PLANTS_REACH {
            kept = out;
        }
    }
    kept
}

fn pattern() {
    let pattern = Pattern::new(7, "spruce", 4.0);
    let (mut memory, mut points) = (PatternScratch::default(), Vec::new());
    let mut n_points = 0;
    let seconds = time(|| {
        n_points = 0;
        for x in 0..4 {
            pattern.block(BlockId { y: 0, x }, &mut memory, &mut points);
            n_points += points.len();
        }
    });
    let name = "pattern, 4 m spacing";
    row(name, n_points as f64, "M points/s", seconds);
}

/// A species that grows wherever there is ground.
fn species(name: &str, spacing_m: f64, priority: i32) -> Species {
    Species {
        name: name.into(),
        strata: (0..4).map(|stratum| (stratum, 1.0)).collect(),
        threshold: 0.5,
        softness: 0.0,
        density_per_m2: None,
        spacing_m,
        footprint_m: 0.5,
        priority,
        keep_from: Vec::new(),
        near: None,
        size: [0.8, 1.4],
        edge: Edge {
            stratum: 0,
            falloff_m: Some(20.0),
            curve: Curve::Smooth,
            density: 0.9,
            size: [0.5, 0.8],
        },
        conditions: Conditions::default(),
        biomes: Vec::new(),
        align: 0.0,
        tilt: [0.0; 2],
        yaw: Yaw::default(),
        sink_m: [0.0; 2],
        tint: [0.0, 1.0],
        variants: Vec::new(),
    }
}

/// All that makes plants of fields: patterns, rules, competition and attributes.
fn plants(fields: &Fields<'_>) {
    let flora = [species("fir", 3.0, 1), species("fern", 1.5, 0)];
    let patterns = flora
        .each_ref()
        .map(|own| Pattern::new(7, &own.name, own.spacing_m));
    let [west, south, east, north] = fields
        .transform
        .bounds(CORE)
        .map(|metres| (metres * UNITS_PER_M as f64) as i64);
    let map = Area::new(west, south, east, north);
    let (mut memory, mut scratch) = (PatternScratch::default(), PlaceScratch::default());
    let (mut candidates, mut plants) = ([Vec::new(), Vec::new()], Vec::new());
    let mut n_plants = 0;
    let seconds = time(|| {
        n_plants = 0;
        for (pattern, own) in patterns.iter().zip(&mut candidates) {
            own.clear();
            for block in pattern.blocks_over(&map) {
                pattern.block_within(block, &map, &mut memory, own);
            }
        }
        let candidates = candidates
            .each_ref()
            .map(|own: &Vec<Candidate>| own.as_slice());
        let flora = Flora {
            species: &flora,
            biomes: &[],
            candidates: &candidates,
            pins: &[],
        };
        place(&flora, fields, &map, &mut scratch, &mut plants);
        n_plants = plants.len();
    });
    let name = "plants of two species: patterns, rules, competition, attributes";
    row(name, n_plants as f64, "M plants/s", seconds);
}
