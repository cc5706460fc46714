//! What must hold for any bytes: no panic, no hang, and no more memory than the limits allow.
//!
//! The fuzzers run these bodies on bytes they make up, and the test `fuzz_corpus` on the files that are kept.

#![allow(dead_code, clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Limits, Options, Source, SourceError};
use ecotone_grid::{Raster, Rect};
use ecotone_interchange::Finished;
use ecotone_store::{Chunk, ChunkSpecies, ChunkView, encode};

/// A fuzz target: its name, which is also that of its folders in `corpus` and `findings`, and its body.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 4] = [
    ("geotiff", geotiff),
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

/// A height file: opened, described, and read in windows, as a whole and as a stream.
pub fn geotiff(bytes: &[u8]) {
    heights("heights.tif", bytes);
}

/// Reads a height file by its name's ending, under limits that a small honest file never meets.
fn heights(name: &str, bytes: &[u8]) {
    let folder = folder();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let options = Options {
        limits: Limits {
            block_bytes: 1 << 20,
            blocks: 1 << 14,
            text_bytes: 1 << 16,
            window_bytes: 1 << 21,
            stream_bytes: 1 << 20,
            unpacked_bytes: 1 << 22,
        },
        ..Options::default()
    };
    let cache = Arc::new(BlockCache::new(1 << 16));
    match Source::open(&path, &options, cache) {
        Ok(source) => read(&source),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn read(source: &Source) {
    let (header, map) = (source.header(), source.rect());
    let _ = source.georeference().map_err(|error| error.to_string());
    let _ = (
        header.linear_unit(),
        header.angular_unit(),
        header.is_web_mercator(),
    );
    assert!(map.width() > 0 && map.height() > 0 && header.n_bands > 0);
    let last = header.n_bands - 1;
    let _ = (header.said(last), header.scale(last), header.offset(last));
    let corner = Rect::new(map.x1 - 9, map.y1 - 7, map.x1 + 3, map.y1 + 2);
    for (window, band) in [
        (Rect::new(-3, -2, 17, 13), 0),
        (corner, last),
        (Rect::new(5, 5, 5, 5), 0),
    ] {
        agree(source, window, band);
    }
    assert!(matches!(
        source.read(corner, header.n_bands, &mut Raster::default()),
        Err(SourceError::NoBand { .. })
    ));
    let mut n_streamed = 0_usize;
    if source
        .rows_as_f32(|piece| n_streamed += piece.len())
        .is_ok()
    {
        assert_eq!(n_streamed, map.width() * map.height());
    }
}

/// A window that is read twice, and one of its rows alone, have the same heights; what is off the map is void.
fn agree(source: &Source, window: Rect, band: usize) {
    let read = |rect| {
        let mut out = Raster::default();
        source.read(rect, band, &mut out).map(|()| out)
    };
    let Ok(whole) = read(window) else {
        return;
    };
    let map = source.rect();
    let bits = |heights: &Raster<f64>| -> Vec<u64> {
        heights
            .pixels()
            .iter()
            .map(|height| height.to_bits())
            .collect()
    };
    assert_eq!(
        read(window).map(|again| bits(&again)).ok(),
        Some(bits(&whole))
    );
    for y in window.y0..window.y1 {
        let row = read(Rect::new(window.x0, y, window.x1, y + 1)).unwrap();
        for x in window.x0..window.x1 {
            let height = whole.band(0).at(x, y);
            assert_eq!(row.band(0).at(x, y).to_bits(), height.to_bits());
            let is_off = !(map.x0..map.x1).contains(&x) || !(map.y0..map.y1).contains(&y);
            assert!(!is_off || height.is_nan());
        }
    }
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
    std::fs::write(folder.path().join("current"), "1\n").unwrap();
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
