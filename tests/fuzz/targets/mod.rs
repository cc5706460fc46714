//! What must hold for any bytes: no panic, no hang, and no more memory than the limits allow.
//!
//! The fuzzers run these bodies on bytes they make up, and the test `fuzz_corpus` on the files that are kept.

#![allow(dead_code, unused_imports, clippy::unwrap_used)]

mod caught;
mod heights;
mod largest;
mod shapes;

use std::path::Path;

use ecotone_grid::{Raster, Rect};
use ecotone_interchange::Finished;
use ecotone_store::{Chunk, ChunkSpecies, ChunkView, encode};

pub use caught::caught;
pub use heights::{exr, geotiff, png, raw, vrt};
pub use largest::bounded;
pub use shapes::geojson;

/// A fuzz target: its name, which is also that of its folders in `corpus` and `findings`, and its body.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 9] = [
    ("geotiff", geotiff),
    ("png", png),
    ("exr", exr),
    ("raw", raw),
    ("vrt", vrt),
    ("geojson", geojson),
    ("config", config),
    ("chunk", chunk),
    ("world", world),
];

/// A folder of its own, in memory where there is such a thing.
fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    folder.unwrap()
}

/// What is said to people is there, and is not a whole file.
fn check_text(text: &str) {
    // A name of 4096 bytes may stand in it twice.
    const LONGEST: usize = 9 << 10;
    assert!((1..=LONGEST).contains(&text.len()), "{text}");
}

/// A config: read, or refused with every mistake shown.
pub fn config(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match ecotone_bake::config::parse(text, Path::new("world.toml")) {
        Ok(loaded) => {
            let error = loaded.error_at("terrain.heights[0]", "is not there", None);
            assert!(error.to_string().contains("is not there"));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A chunk file as it is, and with its length and checksum made right: those that are read are written alike.
pub fn chunk(bytes: &[u8]) {
    const LENGTH_AT: usize = 16;
    const CHECKSUM_BYTES: usize = 32;
    read_chunk(bytes);
    if bytes.len() < LENGTH_AT + 8 + CHECKSUM_BYTES {
        return;
    }
    let mut sealed = bytes.to_vec();
    let length = bytes.len() as u64;
    sealed[LENGTH_AT..LENGTH_AT + 8].copy_from_slice(&length.to_le_bytes());
    let (body, checksum) = sealed.split_at_mut(bytes.len() - CHECKSUM_BYTES);
    checksum.copy_from_slice(blake3::hash(body).as_bytes());
    read_chunk(&sealed);
}

fn read_chunk(bytes: &[u8]) {
    let Ok(view) = ChunkView::parse(bytes) else {
        return;
    };
    let species = view.species().iter().map(|species| ChunkSpecies {
        name: species.name().to_owned(),
        size_step: species.size_step(),
        variants: species
            .variants()
            .iter()
            .map(|&name| name.to_owned())
            .collect(),
        plants: species.plants().collect(),
    });
    let (x, y) = view.index();
    let chunk = Chunk {
        x,
        y,
        size: view.size(),
        species: species.collect(),
    };
    // A file may hold plants beyond the chunk's border, which its 64 m cells reach over; those are not written.
    let Ok(written) = encode(&chunk) else {
        return;
    };
    let again = ChunkView::parse(&written).expect("what is written can be read");
    let count = |view: &ChunkView| -> usize { view.species().iter().map(|s| s.n_plants()).sum() };
    assert_eq!(count(&again), count(&view));
}

/// The manifest of a world: opened, and asked for everything that it names.
pub fn world(bytes: &[u8]) {
    let folder = folder();
    let revision = folder.path().join("rev/1");
    std::fs::create_dir_all(&revision).unwrap();
    let sums = format!("{}  world.json\n", blake3::hash(bytes).to_hex());
    let current = format!("1 {}\n", ecotone_store::content_digest(sums.as_bytes()));
    std::fs::write(folder.path().join("current"), current).unwrap();
    std::fs::write(revision.join("sums"), sums).unwrap();
    std::fs::write(revision.join("world.json"), bytes).unwrap();
    let Ok(world) = Finished::open(folder.path()) else {
        return;
    };
    let manifest = world.manifest();
    for artefact in manifest.artefacts() {
        if let Ok(path) = world.world().path(artefact) {
            assert!(path.starts_with(folder.path()), "{}", path.display());
        }
    }
    for stage in manifest.raster_stages() {
        let _ = (manifest.raster(&stage), manifest.tiles(&stage));
    }
    let _ = world.extent();
    let window = Rect::new(-2, -2, 6, 5);
    let _ = world.weights(window, &mut Raster::default());
    let _ = world.sdf(window, &mut Raster::default());
    let _ = world.field("slope", 0, window, &mut Raster::default());
    let _ = world.world().each_chunk(&mut |_| {});
}
