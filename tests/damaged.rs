//! A damaged file of a world is never served: whatever reads it says so, and leaves nothing half made.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Output, Stdio};

use ecotone_interchange::Finished;
use support::{Place, config_text, plain, program};

/// A world of small tiles and chunks with a stored slope in `out`, and one that is cut otherwise in `other`.
fn world() -> Place {
    let place = Place::with_hills(&plain(150, 131));
    let config = |tile, chunk| {
        config_text(tile, chunk).replace("[output]", "[output]\nfields = [\"slope\"]")
    };
    place.bake(&config(20, 20.0), 2, "out").unwrap();
    place.bake(&config(64, 60.0), 2, "other").unwrap();
    place
}

fn names(place: &Place) -> BTreeSet<OsString> {
    let entries = fs::read_dir(place.path("")).unwrap();
    entries.map(|entry| entry.unwrap().file_name()).collect()
}

/// Commands that read every file of a stage.
fn readers(stage: &str) -> Vec<Vec<&'static str>> {
    let digest = vec!["inspect", "out", "--digest"];
    let diff = vec!["diff", "other", "out", "--csv", "x.csv"];
    let preview = |layer| {
        // Small, so that it takes little time: all pixels count in it.
        vec![
            "preview", "out", "--layer", layer, "--size", "150", "-o", "x.png",
        ]
    };
    match stage {
        "weights" => vec![preview("weights:meadow"), digest, diff, preview("terrain")],
        "sdf" => vec![preview("sdf:rock"), digest, diff],
        "fields" => vec![preview("slope"), diff],
        _ => vec![
            vec!["export", "out", "--format", "csv", "--to", "x.csv"],
            digest,
            diff,
            preview("terrain"),
        ],
    }
}

fn flip(path: &Path, bit: u64) {
    let mut bytes = fs::read(path).unwrap();
    let bit = bit % (8 * bytes.len() as u64);
    bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
    fs::write(path, bytes).unwrap();
}

#[track_caller]
fn check_told(output: &Output, file: &str, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{what}");
    for word in [file, "expected digest", "found", "--paranoid"] {
        assert!(said.contains(word), "{word:?} of {what} in {said}");
    }
}

#[test]
fn one_flipped_bit_in_any_of_200_files_is_told_by_whatever_reads_it() {
    const FILES: u64 = 200;
    let place = world();
    let before = names(&place);
    let manifest = Finished::open(&place.path("out"))
        .unwrap()
        .manifest()
        .clone();
    let files: Vec<String> = manifest.artefacts().map(|file| file.file.clone()).collect();
    assert!(files.len() as u64 >= FILES, "{}", files.len());
    for n in 0..FILES {
        let file = &files[(n * files.len() as u64 / FILES) as usize];
        let (path, bit) = (place.path("out").join(file), ecotone_grid::mix(n));
        let readers = readers(file.split('/').next().unwrap());
        let args = &readers[n as usize % readers.len()];
        flip(&path, bit);
        let output = program(&place, args).output().unwrap();
        flip(&path, bit);
        check_told(
            &output,
            file,
            &format!("{args:?} with bit {bit} of {file} flipped"),
        );
        assert_eq!(names(&place), before, "{args:?}");
    }
    for stage in ["weights", "sdf", "fields", "vegetation"] {
        for args in readers(stage) {
            let output = program(&place, &args).output().unwrap();
            assert!(output.status.success(), "{args:?} of the world made whole");
        }
    }
}

#[test]
fn a_damaged_edit_is_told_by_what_reads_the_ground() {
    let place = world();
    fs::write(place.path("world.toml"), config_text(64, 60.0)).unwrap();
    assert!(
        program(&place, &["bake", "world.toml", "--out", "edited"])
            .status()
            .unwrap()
            .success()
    );
    let raise = ["edit", "edited", "--raise", "1070,1935,20,-10"];
    assert!(program(&place, &raise).status().unwrap().success());
    let manifest = Finished::open(&place.path("edited"))
        .unwrap()
        .manifest()
        .clone();
    let file = &manifest.edits[0].raster.as_ref().unwrap().file;
    flip(&place.path("edited").join(file), 4001);
    let preview = ["preview", "edited", "--layer", "slope", "-o", "x.png"];
    let output = program(&place, &preview).output().unwrap();
    check_told(&output, file, "a preview of an edited world");
    assert!(!place.path("x.png").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn results_that_cannot_be_written_are_no_success() {
    let place = world();
    for args in [
        &["inspect", "out"][..],
        &["inspect", "out", "--digest"],
        &["diff", "other", "out", "--json"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = program(&place, args).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("standard output: No space left"), "{said}");
    }
    let export = ["export", "out", "--format", "csv", "--to", "/dev/full"];
    assert!(!program(&place, &export).status().unwrap().success());
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = world();
    let mut child = program(&place, &["inspect", "out"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_export_that_fails_leaves_no_file() {
    let place = world();
    let before = names(&place);
    fs::create_dir(place.path("taken")).unwrap();
    fs::write(place.path("taken/x"), "mine").unwrap();
    let export = ["export", "out", "--format", "csv", "--to", "taken"];
    assert!(!program(&place, &export).status().unwrap().success());
    fs::remove_dir_all(place.path("taken")).unwrap();
    assert_eq!(names(&place), before);
}
