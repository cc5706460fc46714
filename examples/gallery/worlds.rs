//! Small generated worlds, baked as any other, and what the gallery itself reads of them.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ecotone_bake::{Bake, Options, config, cores};
use ecotone_grid::{Raster, mix};
use ecotone_interchange::Finished;
use ecotone_store::STEPS_PER_METRE;
use tempfile::TempDir;

use crate::writer::Tiff;

/// Pixels along a side of a generated world, each a square metre.
pub const SIDE: usize = 200;

/// Its south-west corner in the world.
pub const CORNER: [f64; 2] = [300.0, 700.0];

/// Metres from the rim that are looked at: within half a pixel of it there are no plants, and slopes are one-sided.
pub const MARGIN: f64 = 2.0;

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
        let (mut weights, mut sdf) = (Raster::default(), Raster::default());
        finished.weights(finished.map(), &mut weights).unwrap();
        finished.sdf(finished.map(), &mut sdf).unwrap();
        let manifest = finished.manifest();
        let size_steps: Vec<f64> = manifest.species.iter().map(|own| own.size_step).collect();
        let [low, high] = [MARGIN, SIDE as f64 - MARGIN];
        let bounds = [0, 1, 2, 3].map(|k| CORNER[k % 2] + if k < 2 { low } else { high });
        let mut plants = Vec::new();
        let metres = |steps: i64| steps as f64 / STEPS_PER_METRE as f64;
        let mut add = |species: usize, plant: &ecotone_store::PlantRecord| {
            plants.push(Plant {
                species,
                at: [metres(plant.x) - CORNER[0], metres(plant.y) - CORNER[1]],
                size: f64::from(plant.size) * size_steps[species],
                variant: plant.variant,
            });
        };
        finished.plants_in(bounds, &mut add).unwrap();
        Self {
            weights,
            sdf,
            sdf_scale: manifest.edges.scale,
            plants,
            species: manifest
                .species
                .iter()
                .map(|own| own.name.clone())
                .collect(),
            size_steps,
        }
    }

    /// The ground at metres east and north of the corner.
    pub fn at(&self, [x, y]: [f64; 2]) -> At<'_> {
        // Between the centres of pixels, rows going south.
        let (u, v) = (x - 0.5, SIDE as f64 - y - 0.5);
        let (column, row) = (u.floor(), v.floor());
        At {
            world: self,
            x,
            y,
            north_west: row as usize * SIDE + column as usize,
            fraction: [u - column, v - row],
        }
    }

    /// Places that stand for the whole world but its rim, and the square metres that each stands for: one in each square
    /// of a fine grid, anywhere in it, so that no line of equal values runs along a row of them.
    pub fn places(&self) -> (impl Iterator<Item = At<'_>>, f64) {
        let n = (SIDE - 2 * MARGIN as usize) * FINE;
        let place = move |k: usize| {
            let lot = mix(k as u64);
            let share = |bits: u32| (lot >> bits & 0xffff_ffff) as f64 / 4_294_967_296.0;
            [(k % n, 0), (k / n, 32)]
                .map(|(k, bits)| MARGIN + (k as f64 + share(bits)) / FINE as f64)
        };
        let all = (0..n * n).map(move |k| self.at(place(k)));
        (all, 1.0 / (FINE * FINE) as f64)
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
        row(self.north_west) * (1.0 - t) + row(self.north_west + SIDE) * t
    }
}
