//! Law 3: nothing is lost. A killed bake leaves the last committed revision as it was, and the next one completes.

#![allow(clippy::unwrap_used)]

mod support;

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use support::{Place, config_text, plain};

fn start(place: &Place, config: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_ecotone"))
        .arg("bake")
        .arg(place.path(config))
        .arg("--out")
        .arg(place.path("out"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_bake_leaves_the_last_revision_and_the_next_completes() {
    let place = Place::with_hills(&plain(400, 300));
    let old = config_text(64, 60.0);
    std::fs::write(place.path("old.toml"), &old).unwrap();
    std::fs::write(place.path("new.toml"), old.replace("seed = 5", "seed = 6")).unwrap();
    place
        .bake(&old.replace("seed = 5", "seed = 6"), 2, "fresh")
        .unwrap();
    let new_digests = place.digests("fresh");

    assert!(start(&place, "old.toml").wait().unwrap().success());
    let old_digests = place.digests("out");
    assert_ne!(old_digests, new_digests);

    let mut n_killed = 0;
    for k in 0..12 {
        let mut bake = start(&place, "new.toml");
        std::thread::sleep(Duration::from_millis(4 + 17 * k));
        bake.kill().unwrap();
        let ended = bake.wait().unwrap();
        if ended.success() {
            break; // It was faster than the killer: from here on the world is the new one.
        }
        n_killed += 1;
        let now = place.digests("out");
        assert!(now == old_digests || now == new_digests, "after {k}");
    }
    assert!(n_killed >= 1);
    assert!(start(&place, "new.toml").wait().unwrap().success());
    assert_eq!(place.digests("out"), new_digests);
    assert_no_strays(&place);
}

/// Nothing is left but what the two kept revisions name.
fn assert_no_strays(place: &Place) {
    let mut named = std::collections::BTreeSet::new();
    for revision in std::fs::read_dir(place.path("out/rev")).unwrap() {
        let text = std::fs::read_to_string(revision.unwrap().path().join("world.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        for list in ["weights", "sdf", "chunks"] {
            for artefact in manifest[list].as_array().unwrap() {
                named.insert(artefact["file"].as_str().unwrap().to_owned());
            }
        }
    }
    for folder in ["weights", "sdf", "vegetation"] {
        for file in std::fs::read_dir(place.path("out").join(folder)).unwrap() {
            let name = format!("{folder}/{}", file.unwrap().file_name().to_str().unwrap());
            assert!(named.contains(&name), "{name} belongs to no revision");
        }
    }
}

#[test]
fn baking_again_changes_nothing() {
    let place = Place::with_hills(&plain(150, 131));
    let text = config_text(64, 60.0);
    assert!(place.bake(&text, 2, "out").unwrap().committed.is_new);
    let again = place.bake(&text, 1, "out").unwrap().committed;
    assert!(!again.is_new);
    assert_eq!(again.revision, 1);
}

#[test]
fn a_second_bake_of_a_world_is_told_who_holds_it() {
    let place = Place::with_hills(&plain(150, 131));
    let _holder = ecotone_store::WorldWriter::open(&place.path("out")).unwrap();
    let error = place
        .bake(&config_text(64, 60.0), 1, "out")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(&format!("process {}", std::process::id())),
        "{error}"
    );
}

#[test]
fn a_broken_block_ends_the_bake_with_its_place_and_leaves_the_world() {
    let mut packed = plain(150, 131);
    (packed.compression, packed.tile) = (8, Some((32, 32)));
    let place = Place::with_hills(&packed);
    place.bake(&config_text(64, 60.0), 2, "out").unwrap();
    let before = place.digests("out");

    let mut bytes = std::fs::read(place.path("heights.tif")).unwrap();
    // Blocks lie behind the header; one of the first is spoilt.
    bytes[300..340].fill(0xff);
    std::fs::write(place.path("heights.tif"), bytes).unwrap();
    let error = place.bake(&config_text(64, 60.0), 2, "out").unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("strata of tile") && text.contains("heights.tif"),
        "{text}"
    );
    assert_eq!(place.digests("out"), before);
}
