//! What `verify` proves of a world, and what it finds in one that is not as it must be.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use ecotone_bake::edit::{Brush, Change, Editing};
use ecotone_bake::verify::{Place as At, Request, Unlike, Verdict, VerifyError, verify};
use ecotone_bake::{BakeError, STEPS_PER_M};
use ecotone_geotiff::{BlockCache, Options as SourceOptions, Sample, Source};
use ecotone_store::{
    Artefact, Chunk, ChunkSpecies, ChunkView, Manifest, Revision, Stage, World, WorldWriter,
    encode, encode_tiff,
};
use support::writer::Tiff;
use support::{NODATA, Place, config_text, hills, plain};

const SIDE: usize = 160;

fn request(full: bool) -> Request {
    Request {
        full,
        regions: None,
        seed: 1,
        scratch: None,
        threads: 2,
        memory_bytes: 8 << 20,
    }
}

fn verified(world: &Path, request: &Request) -> Result<Verdict, VerifyError> {
    verify(world, request, &AtomicBool::new(false), &mut |_, _| {})
}

/// No scratch folder is left beside a world.
#[track_caller]
fn check_no_scratch(place: &Place) {
    let names = std::fs::read_dir(place.path("")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    let is_scratch = |name: &std::ffi::OsString| name.to_string_lossy().starts_with('.');
    assert!(!names.iter().any(is_scratch), "{names:?}");
}

/// The world is proved, by samples and in full.
#[track_caller]
fn check_proved(place: &Place) -> Verdict {
    let world = place.path("out");
    let verdict = verified(&world, &request(false)).unwrap();
    assert!(verdict.is_proof(), "{verdict:?}");
    let verdict = verified(&world, &request(true)).unwrap();
    assert!(verdict.is_proof(), "{verdict:?}");
    check_no_scratch(place);
    verdict
}

/// A world of hills under a config of tiles and chunks.
fn world(tile: u32, chunk: f64) -> Place {
    let place = Place::with_hills(&plain(SIDE, SIDE));
    let text =
        config_text(tile, chunk).replace("[output]", "[output]\nfields = [\"slope\", \"normals\"]");
    place.bake(&text, 2, "out").unwrap();
    place
}

#[test]
fn a_fresh_world_is_proved_at_any_tile_size() {
    for (tile, chunk) in [(37, 16.0), (48, 32.0), (512, 1000.0)] {
        let place = world(tile, chunk);
        let verdict = check_proved(&place);
        let manifest = World::open(&place.path("out")).unwrap().manifest().clone();
        let n_plants: u64 = manifest.chunks.iter().flat_map(|c| &c.plants).sum();
        // Three strata twice, a slope and three components of the normal.
        let n_values = (SIDE * SIDE * (3 + 3 + 1 + 3)) as u64;
        for law in [verdict.rebuild.unwrap(), verdict.partition.unwrap()] {
            assert_eq!((law.n_values, law.n_plants), (n_values, n_plants));
        }
        assert_eq!(verdict.files.n_files, manifest.artefacts().count());
    }
}

#[test]
fn odd_maps_are_proved() {
    const GROUND: &str = "[[stratum]]\nname = 'ground'\n";
    const FERNS: &str = "[[species]]\nname = 'fern'\nstrata.ground = 1\nspacing = 1\n";
    let no_species = GROUND.to_owned();
    let with_species = format!("{GROUND}{FERNS}");
    for (width, height) in [(1, 1), (1, 90), (90, 1), (20, 13)] {
        for tile in [1, 7, 512] {
            for rules in [&no_species, &with_species] {
                let place = Place::new();
                place.write("heights.tif", &plain(width, height), hills);
                let text = format!(
                    "terrain.heights = ['heights.tif']\ntiles.size = {tile}\noutput.chunk = 8\n{rules}"
                );
                place.bake(&text, 1, "out").unwrap();
                check_proved(&place);
            }
        }
    }
    let place = Place::new();
    place.write("heights.tif", &plain(30, 20), |_, _| NODATA);
    let text = format!("terrain.heights = ['heights.tif']\ntiles.size = 7\n{with_species}");
    place.bake(&text, 1, "out").unwrap();
    check_proved(&place);
}

/// Raises the ground of a world and paints a road on it.
fn edit(world: &Path) {
    let brush = Brush {
        x: 1060.0,
        y: 1950.0,
        radius: 20.0,
        falloff: 0.5,
    };
    let raise = Change::Raise { brush, height: 9.0 };
    let paint = Change::Paint {
        stratum: "road".to_owned(),
        brush,
        strength: 0.8,
    };
    for change in [raise, paint] {
        let mut editing = Editing::open(world).unwrap();
        editing.add(&change).unwrap();
        editing
            .bake(8 << 20, 2, &AtomicBool::new(false), &mut |_| {})
            .unwrap();
    }
}

#[test]
fn a_world_with_edits_is_proved() {
    let place = world(48, 32.0);
    edit(&place.path("out"));
    check_proved(&place);
}

#[test]
fn samples_of_a_larger_map_are_proved() {
    let place = Place::with_hills(&plain(1400, 900));
    place.bake(&config_text(200, 64.0), 2, "out").unwrap();
    let world = place.path("out");
    for seed in [1, 2] {
        let request = Request {
            regions: Some(4),
            seed,
            ..request(false)
        };
        let verdict = verified(&world, &request).unwrap();
        assert!(verdict.is_proof(), "{verdict:?}");
        assert_eq!(verdict.regions.len(), 4);
        let law = verdict.partition.unwrap();
        assert_eq!(law.n_values, 4 * 256 * 256 * 6);
        assert!(law.n_plants > 1000, "{law:?}");
    }
    check_no_scratch(&place);
}

/// Flips a bit of a file and puts it back afterwards.
fn with_flipped<T>(file: &Path, work: impl FnOnce() -> T) -> T {
    let right = std::fs::read(file).unwrap();
    let mut bytes = right.clone();
    let at = bytes.len() / 2;
    bytes[at] ^= 4;
    std::fs::write(file, bytes).unwrap();
    let made = work();
    std::fs::write(file, right).unwrap();
    made
}

#[test]
fn a_flipped_bit_in_any_kind_of_file_is_told_with_its_name() {
    let place = world(48, 32.0);
    let dir = place.path("out");
    edit(&dir);
    let manifest = World::open(&dir).unwrap().manifest().clone();
    let artefacts = [
        &manifest.weights[5],
        &manifest.sdf[7],
        &manifest.fields["slope"].tiles[2],
        &manifest.fields["normals"].tiles[0],
        &manifest.chunks[3].artefact,
        manifest.edits[0].raster.as_ref().unwrap(),
    ];
    for file in artefacts {
        let verdict = with_flipped(&dir.join(&file.file), || verified(&dir, &request(false)));
        let verdict = verdict.unwrap();
        assert!(!verdict.is_proof());
        let found = &verdict.files.damaged;
        assert_eq!((found.len(), &found[0].file), (1, &file.file));
        assert_eq!(found[0].of.as_ref().unwrap().1, [file.x, file.y]);
    }
    let revision = format!("rev/{}", manifest.revision);
    let books = std::fs::read_dir(dir.join(&revision)).unwrap();
    let books = books.map(|entry| format!("{revision}/{}", entry.unwrap().file_name().display()));
    let copies = ["current", "world.json", "weights.vrt", "sdf.vrt"].map(str::to_owned);
    for book in books.chain(copies) {
        let verdict = with_flipped(&dir.join(&book), || verified(&dir, &request(false)));
        let verdict = verdict.unwrap();
        assert!(!verdict.is_proof(), "{book}");
        // What `current` says of its revision is told of the revision's sums.
        let found = &verdict.files.damaged[0].file;
        let is_named = found.ends_with(&book) || book == "current";
        assert!(is_named, "{book}: {found}");
    }
    std::fs::remove_file(dir.join(&manifest.sdf[0].file)).unwrap();
    let verdict = verified(&dir, &request(false)).unwrap();
    assert_eq!(verdict.files.damaged[0].file, manifest.sdf[0].file);
}

/// Commits a world in which one file is another, with digests that hold.
fn tamper(dir: &Path, stage: &Stage, old: &Artefact, bytes: &[u8]) {
    let world = World::open(dir).unwrap();
    let (mut manifest, ledger) = (world.manifest().clone(), world.ledger().unwrap());
    let (config, rules) = (world.config().unwrap(), world.rules().unwrap());
    drop(world);
    let mut writer = WorldWriter::open(dir).unwrap();
    let new = writer.put(stage, old.x, old.y, bytes).unwrap();
    *named(&mut manifest, old) = new;
    let revision = Revision {
        manifest,
        ledger,
        config,
        rules,
    };
    writer.commit(revision).unwrap();
}

fn named<'a>(manifest: &'a mut Manifest, old: &Artefact) -> &'a mut Artefact {
    let chunks = manifest.chunks.iter_mut().map(|chunk| &mut chunk.artefact);
    let fields = manifest
        .fields
        .values_mut()
        .flat_map(|field| &mut field.tiles);
    let mut files = (manifest.weights.iter_mut())
        .chain(&mut manifest.sdf)
        .chain(fields)
        .chain(chunks);
    files.find(|file| **file == *old).unwrap()
}

/// Changes one pixel of a tile; returns what it was and what it is.
fn tamper_pixel<T: Sample + ecotone_store::Sample>(
    dir: &Path,
    stage: &Stage,
    (column, row, band): (i64, i64, usize),
    change: impl Fn(T) -> T,
) -> [f64; 2] {
    let manifest = World::open(dir).unwrap().manifest().clone();
    let grid = manifest.grid.tiles();
    let tiles = manifest.tiles(stage).unwrap();
    let rect = |tile: &Artefact| {
        grid.rect(ecotone_grid::TileId {
            x: tile.x as u32,
            y: tile.y as u32,
        })
    };
    let tile = tiles
        .iter()
        .find(|tile| rect(tile).contains(column, row))
        .unwrap();
    let source = Source::open(
        &dir.join(&tile.file),
        &SourceOptions::default(),
        BlockCache::new(0).into(),
    )
    .unwrap();
    let pixels = source.read_all::<T>().unwrap();
    let mut raster =
        ecotone_grid::Raster::from_pixels(rect(tile), pixels.n_bands(), pixels.into_pixels());
    let x = (column - raster.rect().x0) as usize;
    let pixel = &mut raster.row_mut(band, row)[x];
    let was = *pixel;
    *pixel = change(was);
    let is = *pixel;
    let (_, header) = manifest.raster(stage).unwrap();
    let bytes = encode_tiff(&raster, &header, manifest.compression).unwrap();
    tamper(dir, stage, tile, &bytes);
    [was.to_f64(), is.to_f64()]
}

/// A full verification finds one pixel, against both fresh bakes.
#[track_caller]
fn check_pixel(dir: &Path, stage: &Stage, at: (i64, i64), name: &str, [was, is]: [f64; 2]) {
    let verdict = verified(dir, &request(true)).unwrap();
    assert!(!verdict.is_proof());
    for law in [verdict.rebuild.unwrap(), verdict.partition.unwrap()] {
        assert_eq!(law.n_differing, 1, "{law:?}");
        let found = &law.differences[0];
        let tile = i64::from(law.tile_size);
        assert_eq!(found.stage, *stage);
        assert_eq!(found.place, At::Tile(at.0 / tile, at.1 / tile));
        let right = Unlike::Pixel {
            column: at.0,
            row: at.1,
            x: 1000.5 + at.0 as f64,
            y: 1999.5 - at.1 as f64,
            band: name.to_owned(),
            stored: is,
            fresh: was,
        };
        assert_eq!(found.unlike, right);
    }
}

#[test]
fn one_pixel_that_is_another_is_named() {
    let place = world(48, 32.0);
    let dir = place.path("out");
    let values = tamper_pixel::<u8>(&dir, &Stage::Weights, (70, 101, 1), |w| w ^ 1);
    check_pixel(&dir, &Stage::Weights, (70, 101), "rock", values);

    let place = world(48, 32.0);
    let dir = place.path("out");
    let values = tamper_pixel::<i16>(&dir, &Stage::Sdf, (159, 0, 2), |d| d - 1);
    check_pixel(&dir, &Stage::Sdf, (159, 0), "road", values);

    let slope = Stage::Field("slope".to_owned());
    let place = world(48, 32.0);
    let dir = place.path("out");
    let values = tamper_pixel::<f32>(&dir, &slope, (20, 131, 0), |s| s + 0.5);
    check_pixel(&dir, &slope, (20, 131), "slope", values);
    check_no_scratch(&place);
}

#[test]
fn one_plant_that_is_another_is_named() {
    let place = world(48, 32.0);
    let dir = place.path("out");
    let world = World::open(&dir).unwrap();
    let chunk = world.manifest().chunks[9].clone();
    let mut changed = None;
    let bytes = std::fs::read(dir.join(&chunk.artefact.file)).unwrap();
    let view = ChunkView::parse(&bytes).unwrap();
    let species = view.species().iter().map(|species| {
        let mut plants: Vec<_> = species.plants().collect();
        if changed.is_none() && plants.len() > 2 {
            plants[2].size ^= 1;
            changed = Some((species.name().to_owned(), plants[2], species.size_step()));
        }
        ChunkSpecies {
            name: species.name().to_owned(),
            size_step: species.size_step(),
            variants: species.variants().iter().map(|&v| v.to_owned()).collect(),
            plants,
        }
    });
    let (x, y) = view.index();
    let species = species.collect();
    let bytes = encode(&Chunk {
        x,
        y,
        size: view.size(),
        species,
    });
    drop(world);
    tamper(&dir, &Stage::Vegetation, &chunk.artefact, &bytes.unwrap());
    let (name, plant, step) = changed.unwrap();
    let verdict = verified(&dir, &request(true)).unwrap();
    for law in [verdict.rebuild.unwrap(), verdict.partition.unwrap()] {
        assert_eq!(law.n_differing, 1, "{law:?}");
        let found = &law.differences[0];
        assert_eq!(found.stage, Stage::Vegetation);
        let metres = |steps: i64| steps as f64 / STEPS_PER_M;
        let right = Unlike::Plant {
            species: name.clone(),
            id: plant.id(ecotone_grid::name_key(&name)),
            x: metres(plant.x),
            y: metres(plant.y),
            attribute: "size",
            stored: f64::from(plant.size) * step,
            fresh: f64::from(plant.size ^ 1) * step,
        };
        assert_eq!(found.unlike, right);
        let chunk = |steps: i64| (metres(steps) / law.chunk_m).floor() as i64;
        assert_eq!(found.place, At::Chunk(chunk(plant.x), chunk(plant.y)));
    }
}

#[test]
fn heights_that_changed_are_told_as_such() {
    let place = world(48, 32.0);
    let raised = |x, y| match (x, y) {
        (100, 60) => hills(x, y) + 2.0,
        _ if support::is_void(x, y) => NODATA,
        _ => hills(x, y),
    };
    place.write("heights.tif", &plain(SIDE, SIDE), raised);
    for full in [false, true] {
        let verdict = verified(&place.path("out"), &request(full)).unwrap();
        assert!(!verdict.is_proof());
        assert!(verdict.n_changed > 0);
        assert_eq!(verdict.changed.as_deref(), Some("strata of tile (2, 1)"));
        assert_eq!((verdict.rebuild, verdict.partition), (None, None));
    }
    place.write("heights.tif", &plain(SIDE, SIDE + 1), hills);
    place.write("mask.tif", &Tiff::new(SIDE, SIDE + 1, (1, 8)), |_, _| 0.0);
    let verdict = verified(&place.path("out"), &request(false)).unwrap();
    assert!(!verdict.is_proof() && verdict.n_changed > 0);
    check_no_scratch(&place);
}

#[test]
fn what_cannot_start_says_why() {
    let place = Place::new();
    let nothing = verified(&place.path("out"), &request(false));
    assert!(matches!(nothing, Err(VerifyError::World(_))));
    let place = world(48, 32.0);
    std::fs::remove_file(place.path("heights.tif")).unwrap();
    let missing = verified(&place.path("out"), &request(false));
    assert!(matches!(missing, Err(VerifyError::Bake(error)) if error.is_refusal()));
    check_no_scratch(&place);
}

#[test]
fn a_stop_leaves_no_scratch() {
    let place = world(48, 32.0);
    for wanted in [0, 1, 60, 200] {
        let (stop, mut n) = (AtomicBool::new(wanted == 0), 0);
        let stopped = verify(&place.path("out"), &request(true), &stop, &mut |_, _| {
            n += 1;
            stop.store(n >= wanted, std::sync::atomic::Ordering::Relaxed);
        });
        let is_stopped = matches!(stopped, Err(VerifyError::Bake(BakeError::Stopped)));
        assert!(is_stopped, "after {wanted}");
        check_no_scratch(&place);
    }
}
