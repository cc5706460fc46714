//! Small generated worlds, baked as any other, and what the gallery itself reads of them.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ecotone_bake::{Bake, Options, config, cores};
use ecotone_grid::{Raster, mix};
use ecotone_interchange::Finished;
use ecotone_store::STEPS_PER_METRE;
use tempfile::TempDir;

use crate::statistics::Fit;
use crate::writer::Tiff;

/// Pixels along a side of a generated world, each a square metre.
pub const SIDE: usize = 200;

/// Its south-west corner in the world.
pub const CORNER: [f64; 2] = [300.0, 700.0];

/// Pixels along the rim that are not looked at: within half of one there are no plants, and slopes are one-sided.
pub const MARGIN: usize = 2;

/// Places along a side of a pixel at which an expectation is summed.
const FINE: usize = 4;

/// A folder in which configs are baked.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        // In memory where there is such a folder: a bake syncs every file, and a disk takes its time over it.
        let memory = Path::new("/dev/shm");
        let dir = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        Self(dir.unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A raster of 32-bit floats over a generated world, from values at metres east and north of its corner.
    pub fn write(&self, name: &str, pixel_m: f64, value: impl Fn(f64, f64) -> f64) {
        let n = (SIDE as f64 / pixel_m) as usize;
        let north_west = (CORNER[0], CORNER[1] + SIDE as f64);
        let tiff = Tiff::new(n, n, (3, 32)).placed((pixel_m, pixel_m), north_west);
        let at = |pixel: usize| (pixel as f64 + 0.5) * pixel_m;
        let bytes = tiff.bytes(|_, x, y| value(at(x), SIDE as f64 - at(y)));
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// Bakes a config, whose files are named from `folder`, into a folder of its own.
    pub fn bake(&self, text: &str, folder: &Path, out: &str) -> Finished {
        let loaded = config::parse(text, &folder.join("world.toml"));
        let loaded = loaded.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let options = Options {
            out: Some(self.path(out)),
            ..Options::default()
        };
        let bake = Bake::open(&loaded, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
        bake.run(cores(), &AtomicBool::new(false), &mut |_| {})
            .unwrap();
        Finished::open(&self.path(out)).unwrap()
    }
}

/// A plant as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct Plant {
    /// Its species, by its place in the manifest.
    pub species: usize,
    /// Metres east and north of the world's corner.
    pub at: [f64; 2],
    pub size: f64,
    pub variant: u8,
}

/// A finished world, all of it in memory.
pub struct World {
    columns: usize,
    rows: usize,
    /// Metres east and north across a pixel.
    pixel: [f64; 2],
    heights: Raster<f64>,
    weights: Raster<u8>,
    sdf: Raster<i16>,
    sdf_scale: f64,
    pub plants: Vec<Plant>,
    /// What a step of a stored size is worth, and the names of the species.
    pub size_steps: Vec<f64>,
    pub species: Vec<String>,
}

impl World {
    /// Reads the plants that do not stand at the rim, and the fields.
    pub fn of(finished: &Finished) -> Self {
        let (mut heights, mut weights) = (Raster::default(), Raster::default());
        let (map, mut sdf) = (finished.map(), Raster::default());
        finished.heights(map, &mut heights).unwrap();
        finished.weights(map, &mut weights).unwrap();
        finished.sdf(map, &mut sdf).unwrap();
        let manifest = finished.manifest();
        let size_steps: Vec<f64> = manifest.species.iter().map(|own| own.size_step).collect();
        let pixel = finished.transform().pixel;
        let [west, south, east, north] = finished.extent();
        let [dx, dy] = [pixel.x, pixel.y].map(|size| size * MARGIN as f64);
        let bounds = [west + dx, south + dy, east - dx, north - dy];
        let mut plants = Vec::new();
        let metres = |steps: i64| steps as f64 / STEPS_PER_METRE as f64;
        let mut add = |species: usize, plant: &ecotone_store::PlantRecord| {
            plants.push(Plant {
                species,
                at: [metres(plant.x) - west, metres(plant.y) - south],
                size: f64::from(plant.size) * size_steps[species],
                variant: plant.variant,
            });
        };
        finished.plants_in(bounds, &mut add).unwrap();
        let species = manifest.species.iter().map(|own| own.name.clone());
        Self {
            columns: map.width(),
            rows: map.height(),
            pixel: [pixel.x, pixel.y],
            heights,
            weights,
            sdf,
            sdf_scale: manifest.edges.scale,
            plants,
            species: species.collect(),
            size_steps,
        }
    }

    /// The ground at metres east and north of the corner.
    pub fn at(&self, [x, y]: [f64; 2]) -> At<'_> {
        // Between the centres of pixels, rows going south.
        let u = x / self.pixel[0] - 0.5;
        let v = self.rows as f64 - y / self.pixel[1] - 0.5;
        let (column, row) = (u.floor(), v.floor());
        At {
            world: self,
            x,
            y,
            north_west: row as usize * self.columns + column as usize,
            fraction: [u - column, v - row],
        }
    }

    /// Places that stand for the whole world but its rim, and the square metres that each stands for: one in each cell of a
    /// fine grid, anywhere in it, so that no line of equal values runs along a row of them.
    pub fn places(&self) -> (impl Iterator<Item = At<'_>>, f64) {
        let [columns, rows] = [self.columns, self.rows].map(|n| (n - 2 * MARGIN) * FINE);
        let fine = self.pixel.map(|size| size / FINE as f64);
        let place = move |k: usize| {
            let lot = mix(k as u64);
            let share = |bits: u32| (lot >> bits & 0xffff_ffff) as f64 / 4_294_967_296.0;
            let cell = |k: usize, bits: u32| (MARGIN * FINE + k) as f64 + share(bits);
            [
                cell(k % columns, 0) * fine[0],
                cell(k / columns, 32) * fine[1],
            ]
        };
        let all = (0..columns * rows).map(move |k| self.at(place(k)));
        (all, fine[0] * fine[1])
    }

    /// Holds plants against a density per square metre, over values of the ground.
    pub fn fit<'a>(
        &'a self,
        plants: impl Iterator<Item = &'a Plant>,
        density: impl Fn(&At<'_>) -> f64,
        value: impl Fn(&At<'_>) -> f64,
    ) -> Fit {
        let (places, area) = self.places();
        let places = places.map(|at| [value(&at), density(&at) * area]);
        let values: Vec<f64> = plants.map(|plant| value(&self.at(plant.at))).collect();
        Fit::new(places.collect(), &values)
    }
}

/// A place on the ground; fields are read bilinearly between the centres of pixels.
#[derive(Clone, Copy)]
pub struct At<'a> {
    world: &'a World,
    /// Metres east of the corner.
    pub x: f64,
    /// Metres north of it.
    pub y: f64,
    north_west: usize,
    fraction: [f64; 2],
}

impl At<'_> {
    /// Metres above sea.
    pub fn height(&self) -> f64 {
        let pixels = self.world.heights.pixels();
        self.between(|k| pixels[k])
    }

    /// The stored share of a stratum, 0 to 1.
    pub fn share(&self, stratum: usize) -> f64 {
        let pixels = self.world.weights.band(stratum).pixels();
        self.between(|k| f64::from(pixels[k])) / 255.0
    }

    /// The stored metres outside a stratum's edge.
    pub fn metres(&self, stratum: usize) -> f64 {
        let pixels = self.world.sdf.band(stratum).pixels();
        self.between(|k| f64::from(pixels[k])) * self.world.sdf_scale
    }

    fn between(&self, pixel: impl Fn(usize) -> f64) -> f64 {
        let [s, t] = self.fraction;
        let row = |k: usize| pixel(k) * (1.0 - s) + pixel(k + 1) * s;
        row(self.north_west) * (1.0 - t) + row(self.north_west + self.world.columns) * t
    }
}
