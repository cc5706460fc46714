//! Small worlds for the tests: a terrain, a mask and a config in a folder of their own, baked in this process.

#![allow(dead_code, clippy::unwrap_used)]

#[path = "../../crates/geotiff/tests/writer/mod.rs"]
pub mod writer;

pub mod listing;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

use ecotone_bake::{Bake, BakeError, Options, Outcome, config};
use ecotone_grid::name_key;
use ecotone_interchange::{Digests, Finished, digests};
use ecotone_store::{PlantRecord, World};
use writer::Tiff;

/// Three strata, one of them a mask, and three species in two tiers that read every kind of rule.
pub const RULES: &str = r#"
[normals]
smoothing = 3.0
[edges]
max_distance = 24.0
[[stratum]]
name = "meadow"
slope = [0, 22]
blend = 8
altitude = { band = [0, 70], blend = 20 }
[[stratum]]
name = "rock"
tilt = [0, 68]
blend = 8
[[stratum]]
name = "road"
mask = "mask.tif"
[[species]]
name = "oak"
strata = { meadow = 1.0, rock = 0.2 }
threshold = 0.4
density = 300
spacing = 4.0
footprint = 1.5
priority = 2
size = [0.8, 1.4]
edge = { falloff = 15, density = 0.2, size = [0.2, 0.5] }
distance = [{ stratum = "road", band = [3, 1000], blend = 2 }]
align = 0.4
[[species]]
name = "pine"
strata = { rock = 1.0, meadow = 0.5 }
spacing = 5.0
footprint = 1.2
priority = 1
slope = { band = [5, 60], blend = 6 }
variants = { a = 1, b = 3 }
[[species]]
name = "fern"
strata = { meadow = 1.0, rock = 1.0 }
density = 500
spacing = 2.5
footprint = 0.6
priority = 1
altitude = { band = [10, 80], blend = 10 }
"#;

/// A height in metres at a pixel: hills of a few wavelengths, all of it arithmetic.
pub fn hills(x: usize, y: usize) -> f64 {
    let wave = |v: f64, length: f64| {
        let t = (v / length).rem_euclid(2.0) - 1.0;
        1.0 - t * t
    };
    let (x, y) = (x as f64, y as f64);
    let height = 45.0 * wave(x + 0.3 * y, 47.0) * wave(y, 61.0) + 12.0 * wave(x - y, 13.0) + 8.0;
    // A quarter of a metre is exact in every format that a test stores heights in.
    (height * 4.0).round() / 4.0
}

/// Voids in the shape of a few discs and a corner.
pub fn is_void(x: usize, y: usize) -> bool {
    let disc = |cx: i64, cy: i64, r: i64| {
        let (dx, dy) = (x as i64 - cx, y as i64 - cy);
        dx * dx + dy * dy <= r * r
    };
    disc(40, 33, 6) || disc(90, 80, 11) || disc(0, 100, 5)
}

pub const NODATA: f64 = -9999.0;

/// A little-endian float32 file in strips, 1 m pixels, its north-west corner at (1000, 2000).
pub fn plain(width: usize, height: usize) -> Tiff {
    Tiff::new(width, height, (3, 32))
        .placed((1.0, 1.0), (1000.0, 2000.0))
        .tag(42113, writer::Value::Text("-9999"))
}

/// Waits until a file that was just written can be told from one that is written next.
pub fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(60));
}

/// A folder with a terrain and a mask, where configs can be baked.
pub struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        // In memory where there is such a folder: a bake syncs every file, and a disk takes its time over it.
        let memory = Path::new("/dev/shm");
        let dir = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        Self { dir: dir.unwrap() }
    }

    /// The terrain of [`hills`] with its voids, stored as `tiff` says, and a soft mask along a diagonal.
    pub fn with_hills(tiff: &Tiff) -> Self {
        let place = Self::new();
        place.write("heights.tif", tiff, |x, y| {
            if is_void(x, y) { NODATA } else { hills(x, y) }
        });
        let mask = Tiff::new(tiff.width, tiff.height, (1, 8));
        place.write("mask.tif", &mask, |x, y| {
            let off = (x as f64 - 0.8 * y as f64 - 20.0).abs();
            (255.0 * (1.0 - (off - 3.0) / 3.0).clamp(0.0, 1.0)).round()
        });
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, tiff: &Tiff, pixel: impl Fn(usize, usize) -> f64) {
        std::fs::write(self.path(name), tiff.bytes(|_, x, y| pixel(x, y))).unwrap();
    }

    /// Bakes a config into the folder `out`.
    pub fn bake(&self, text: &str, threads: usize, out: &str) -> Result<Outcome, BakeError> {
        let loaded =
            config::parse(text, &self.path("world.toml")).unwrap_or_else(|e| panic!("{e}"));
        let options = Options {
            out: Some(self.path(out)),
            memory_bytes: 8 << 20,
            ..Options::default()
        };
        Bake::open(&loaded, &options)?.run(threads, &AtomicBool::new(false), &mut |_| {})
    }

    pub fn digests(&self, out: &str) -> Digests {
        digests(&Finished::open(&self.path(out)).unwrap()).unwrap()
    }
}

/// The config of [`RULES`] over `heights.tif`.
pub fn config_text(tile: u32, chunk: f64) -> String {
    format!(
        "seed = 5\n[terrain]\nheights = [\"heights.tif\"]\n[tiles]\nsize = {tile}\n[output]\nchunk = {chunk}\n{RULES}"
    )
}

/// Rows of a world's CSV, without the heading.
pub fn plants(world: &Path) -> Vec<String> {
    let file = world.with_extension("csv");
    ecotone_interchange::write_csv(&Finished::open(world).unwrap(), &file).unwrap();
    let mut rows: Vec<String> = std::fs::read_to_string(file)
        .unwrap()
        .lines()
        .skip(1)
        .map(str::to_owned)
        .collect();
    rows.sort();
    rows
}

/// Every stored plant by its id, with its species and the size of a step.
pub fn stored(dir: &Path) -> HashMap<u64, (String, f64, PlantRecord)> {
    let mut plants = HashMap::new();
    World::open(dir)
        .unwrap()
        .each_chunk(&mut |chunk| {
            for species in chunk.species() {
                let (name, step) = (species.name().to_owned(), species.size_step());
                let key = name_key(&name);
                plants.extend(
                    species
                        .plants()
                        .map(|p| (p.id(key), (name.clone(), step, p))),
                );
            }
        })
        .unwrap();
    plants
}

/// A field between the centres of pixels; (0, 0) is that of the first.
pub fn bilinear(ground: &impl Fn(usize, usize) -> f64, x: f64, y: f64) -> f64 {
    let (i, j) = (x.floor(), y.floor());
    let (u, v) = (x - i, y - j);
    let at = |di: usize, dj: usize| ground(i as usize + di, j as usize + dj);
    let row = |dj: usize| (1.0 - u) * at(0, dj) + u * at(1, dj);
    (1.0 - v) * row(0) + v * row(1)
}

/// The program itself, in the place's folder.
pub fn program(place: &Place, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ecotone"));
    command.current_dir(place.path("")).args(args);
    command
}

/// Runs the program to its end.
pub fn run(place: &Place, args: &[&str]) -> Output {
    program(place, args).output().unwrap()
}

/// Runs the program, which must end with `code` and say all of `words`; returns all that it said.
#[track_caller]
pub fn check_run(place: &Place, args: &[&str], code: i32, words: &[&str]) -> String {
    let output = run(place, args);
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    let said = said.join("\n");
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{word:?} of {args:?} in {said}");
    }
    said
}

/// What the current revision of a world names, byte for byte.
pub fn artefacts(world: &Path) -> BTreeMap<String, Vec<u8>> {
    let world = World::open(world).unwrap();
    let files = world.manifest().artefacts();
    let read = |file| std::fs::read(world.path(file).unwrap()).unwrap();
    files.map(|file| (file.file.clone(), read(file))).collect()
}
