//! A flipped bit anywhere in a baked world is noticed, and all that has a source is made again as it was.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use ecotone_bake::edit::{Brush, Change, Editing};
use ecotone_bake::verify::{Request, Verdict, verify};
use ecotone_bake::{Bake, BakeError, Options, config};
use ecotone_grid::mix;
use ecotone_store::{Artefact, Manifest, World, WorldWriter};
use support::{Place, artefacts, config_text, plain};

/// Places of flipped bits for each kind of file.
const PLACES: u64 = 1000;

fn text() -> String {
    config_text(20, 16.0).replace("[output]", "[output]\nfields = [\"slope\"]")
}

/// A small world with two edits.
fn world() -> Place {
    let place = Place::with_hills(&plain(60, 50));
    place.bake(&text(), 2, "out").unwrap();
    let brush = Brush {
        x: 1030.0,
        y: 1975.0,
        radius: 12.0,
        falloff: 0.5,
    };
    let raise = Change::Raise { brush, height: 5.0 };
    let paint = Change::Paint {
        stratum: "road".to_owned(),
        brush,
        strength: 0.7,
    };
    for change in [raise, paint] {
        let mut editing = Editing::open(&place.path("out")).unwrap();
        editing.add(&change).unwrap();
        editing
            .bake(8 << 20, 2, &AtomicBool::new(false), &mut |_| {})
            .unwrap();
    }
    place
}

fn bake_into(
    place: &Place,
    out: &str,
    cancel: &AtomicBool,
    stop_at: usize,
) -> Result<(), BakeError> {
    let loaded = config::parse(&text(), &place.path("world.toml")).unwrap();
    let options = Options {
        out: Some(place.path(out)),
        memory_bytes: 8 << 20,
        paranoid: true,
        ..Options::default()
    };
    let bake = Bake::open(&loaded, &options)?;
    let outcome = bake.run(1, cancel, &mut |at| {
        cancel.store(at.done >= stop_at, Ordering::Relaxed);
    });
    outcome.map(drop)
}

/// `ecotone bake --paranoid`.
fn bake(place: &Place) -> Result<(), BakeError> {
    bake_into(place, "out", &AtomicBool::new(false), usize::MAX)
}

/// What `ecotone verify` says of the files; whole ones are compared as well.
fn look(dir: &Path) -> Verdict {
    let request = Request {
        full: false,
        regions: None,
        seed: 0,
        scratch: None,
        threads: 1,
        memory_bytes: 8 << 20,
    };
    verify(dir, &request, &AtomicBool::new(false), &mut |_, _| {}).unwrap()
}

fn manifest(dir: &Path) -> Manifest {
    World::open(dir).unwrap().manifest().clone()
}

/// Flips the bit of a file that a draw says; returns what the file was.
fn flip(file: &Path, draw: u64) -> Vec<u8> {
    let right = std::fs::read(file).unwrap();
    let mut bytes = right.clone();
    let at = (mix(draw) % (8 * bytes.len() as u64)) as usize;
    bytes[at / 8] ^= 1 << (at % 8);
    std::fs::write(file, bytes).unwrap();
    right
}

#[test]
fn artefacts_that_rotted_are_named_and_made_again() {
    const EACH: u64 = 8;
    let place = world();
    let dir = place.path("out");
    let (before, digests) = (artefacts(&dir), place.digests("out"));
    let manifest = manifest(&dir);
    let chunks: Vec<Artefact> = manifest.chunks.iter().map(|c| c.artefact.clone()).collect();
    let slope = &manifest.fields["slope"].tiles;
    let kinds = [&manifest.weights, &manifest.sdf, slope, &chunks];
    for round in 0..PLACES / EACH {
        let mut flipped = BTreeSet::new();
        for (kind, files) in kinds.into_iter().enumerate() {
            let from = mix(round ^ (kind as u64) << 32) as usize;
            for k in 0..EACH as usize {
                let file = &files[from.wrapping_add(k) % files.len()].file;
                flip(&dir.join(file), round << 16 | (kind << 8 | k) as u64);
                flipped.insert(file.clone());
            }
        }
        let found = look(&dir).files;
        let named: BTreeSet<String> = found.damaged.into_iter().map(|d| d.file).collect();
        assert_eq!(named, flipped, "round {round}");
        bake(&place).unwrap();
        assert_eq!(artefacts(&dir), before, "round {round}");
    }
    assert_eq!(place.digests("out"), digests);
    assert!(look(&dir).is_proof());
}

#[test]
fn rasters_of_edits_that_rotted_are_told_and_taken_back_from_a_copy() {
    let place = world();
    let dir = place.path("out");
    let before = artefacts(&dir);
    for edit in manifest(&dir).edits {
        let file = edit.raster.unwrap().file;
        for k in 0..PLACES {
            let right = flip(&dir.join(&file), k ^ edit.number << 32);
            let found = look(&dir).files.damaged;
            assert_eq!(found.len(), 1, "place {k}");
            assert!(found[0].file == file && found[0].is_of_edit());
            if k % 100 == 0 {
                let told = bake(&place).unwrap_err().to_string();
                assert!(told.contains(&file), "{told}");
            }
            std::fs::write(dir.join(&file), right).unwrap();
        }
        bake(&place).unwrap();
        assert_eq!(artefacts(&dir), before);
    }
    assert!(look(&dir).is_proof());
}

/// The books of the current revision, with their copies.
fn books(dir: &Path) -> Vec<PathBuf> {
    let revision = dir.join("rev").join(manifest(dir).revision.to_string());
    let own = std::fs::read_dir(revision).unwrap();
    let own = own.map(|entry| entry.unwrap().path());
    let copies = ["current", "world.json", "weights.vrt", "sdf.vrt"];
    own.chain(copies.map(|name| dir.join(name))).collect()
}

#[test]
fn books_that_rotted_are_noticed_and_made_whole() {
    let place = world();
    let dir = place.path("out");
    let before = artefacts(&dir);
    for k in 0..PLACES {
        let books = books(&dir);
        let book = &books[k as usize % books.len()];
        let right = flip(book, k << 20);
        let found = look(&dir).files;
        assert!(found.n_damaged > 0, "place {k} of {}", book.display());
        if k % 10 == 0 {
            bake(&place).unwrap_or_else(|error| panic!("{}: {error}", book.display()));
            assert_eq!(artefacts(&dir), before, "{}", book.display());
            let again = look(&dir);
            assert!(again.is_proof(), "{}: {again:?}", book.display());
        } else {
            std::fs::write(book, right).unwrap();
        }
    }
}

#[test]
fn no_bit_of_the_sums_takes_an_edit_with_it() {
    let place = world();
    let dir = place.path("out");
    let before = artefacts(&dir);
    for k in 0..60 {
        let sums = dir.join(format!("rev/{}/sums", manifest(&dir).revision));
        let mut bytes = std::fs::read(&sums).unwrap();
        let at = mix(k) as usize % bytes.len();
        // Half of them leave no text at all.
        bytes[at] ^= if k % 2 == 0 { 0x80 } else { 1 };
        std::fs::write(&sums, bytes).unwrap();
        bake(&place).unwrap();
        assert_eq!(artefacts(&dir), before, "byte {at}");
    }
}

/// All files of a folder.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => drop(files.insert(path.clone(), std::fs::read(path).unwrap())),
            }
        }
    }
    files
}

#[test]
fn a_journal_that_rotted_is_noticed_and_costs_no_more_than_its_jobs() {
    let place = world();
    let stopped = bake_into(&place, "stopped", &AtomicBool::new(false), 20);
    assert!(matches!(stopped, Err(BakeError::Stopped)));
    bake_into(&place, "fresh", &AtomicBool::new(false), usize::MAX).unwrap();
    let dir = place.path("stopped");
    let journal = dir.join("journal");
    let before = contents(&dir);
    assert!(before[&journal].len() > 1000);
    for k in 0..PLACES {
        flip(&journal, k << 24);
        let writer = WorldWriter::open(&dir).unwrap();
        assert!(writer.recovered().n_torn > 0, "place {k}");
        drop(writer);
        if k % 50 == 0 {
            bake_into(&place, "stopped", &AtomicBool::new(false), usize::MAX).unwrap();
            assert_eq!(
                artefacts(&dir),
                artefacts(&place.path("fresh")),
                "place {k}"
            );
            std::fs::remove_dir_all(&dir).unwrap();
        }
        for (path, bytes) in &before {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    }
}
