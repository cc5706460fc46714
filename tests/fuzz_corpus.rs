//! Every file that the fuzzers start from or have found: no panic, and no allocation far beyond the file's size.

#![allow(clippy::unwrap_used)]

#[path = "fuzz/targets/mod.rs"]
mod targets;

use std::path::{Path, PathBuf};

use targets::{TARGETS, Target, bounded, caught};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = match std::fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        // A target that nothing was found with has no such folder.
        Err(_) => Vec::new(),
    };
    files.sort();
    files
}

fn check((name, run): Target) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let seeds = files(&fuzz.join("corpus").join(name));
    assert!(seeds.len() >= 10, "{name} has {} seeds", seeds.len());
    for file in seeds
        .into_iter()
        .chain(files(&fuzz.join("findings").join(name)))
    {
        let bytes = std::fs::read(&file).unwrap();
        assert!(bytes.len() < 1 << 16, "{} is large", file.display());
        let caught = std::panic::catch_unwind(|| caught(|| bounded(run, &bytes)));
        assert!(caught.is_ok(), "{} breaks {name}", file.display());
    }
}

#[test]
fn what_the_fuzzers_keep_is_harmless() {
    for target in TARGETS {
        check(target);
    }
}
