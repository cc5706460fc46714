//! Worlds of configs that include files of species: where a species is written says nothing, and a world needs no file but its
//! own copy.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::atomic::AtomicBool;

use ecotone_bake::{Bake, Options, Outcome, config};
use ecotone_store::{Manifest, World};
use serde_json::Value;
use support::{Place, check_run, config_text, plain, plants};

const HEAD: &str = "include = \"species/*.toml\"\n";

/// A place with hills, and the species of its config each in a file of its own.
fn place() -> (Place, String) {
    let place = Place::with_hills(&plain(96, 96));
    let whole = config_text(48, 64.0);
    std::fs::create_dir(place.path("species")).unwrap();
    let mut parts = whole.split("[[species]]\n");
    let main = format!("{HEAD}{}", parts.next().unwrap());
    for (idx, species) in parts.enumerate() {
        // By name the last comes first.
        let file = place.path(&format!("species/{}.toml", 9 - idx));
        std::fs::write(file, format!("[[species]]\n{species}")).unwrap();
    }
    std::fs::write(place.path("world.toml"), main).unwrap();
    (place, whole)
}

fn bake(place: &Place) -> Outcome {
    let loaded = config::load(&place.path("world.toml")).unwrap_or_else(|error| panic!("{error}"));
    let options = Options {
        out: Some(place.path("out")),
        memory_bytes: 8 << 20,
        ..Options::default()
    };
    let bake = Bake::open(&loaded, &options).unwrap();
    bake.run(2, &AtomicBool::new(false), &mut |_| {}).unwrap()
}

fn read(place: &Place, out: &str) -> (Manifest, Value) {
    let world = World::open(&place.path(out)).unwrap();
    (world.manifest().clone(), world.rules().unwrap())
}

/// Puts something else into the file of the first species.
fn change(place: &Place, old: &str, new: &str) {
    let file = place.path("species/9.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(old), "{text}");
    std::fs::write(file, text.replace(old, new)).unwrap();
}

#[test]
fn where_a_species_is_written_says_nothing() {
    let (place, whole) = place();
    bake(&place);
    place.bake(&whole, 1, "whole").unwrap();
    assert_eq!(read(&place, "out").1, read(&place, "whole").1);
    let rows = plants(&place.path("out"));
    assert!(rows.len() > 100, "{} plants", rows.len());
    assert_eq!(rows, plants(&place.path("whole")));
    let [out, whole] = ["out", "whole"].map(|world| place.digests(world).plants);
    assert_eq!(out, whole);
}

#[test]
fn a_template_in_the_place_of_equal_keys_changes_nothing() {
    let (place, whole) = place();
    let oak = "name = \"oak\"\n";
    let template = "[[species]]\nname = \"tree\"\ntemplate = true\nspacing = 4.0\nsize = [0.8, 1.4]\nalign = 1\n";
    let text = whole
        .replace(oak, &format!("{oak}extend = \"tree\"\n"))
        .replace("spacing = 4.0\n", "")
        .replace("size = [0.8, 1.4]\n", "");
    place.bake(&whole, 1, "out").unwrap();
    let first = read(&place, "out");
    let outcome = place
        .bake(&format!("{text}\n{template}"), 1, "out")
        .unwrap();
    let second = read(&place, "out");
    assert_eq!(first.1, second.1);
    assert!(outcome.committed.changed.chunks.is_empty());
}

#[test]
fn a_change_of_an_included_file_is_noticed() {
    let (place, _) = place();
    assert!(bake(&place).committed.is_new);
    let digest = read(&place, "out").0.config.digest;
    assert!(!bake(&place).committed.is_new, "nothing has changed");
    change(&place, "density = 300", "density = 200");
    let plan = check_run(&place, &["plan", "world.toml"], 0, &["species.oak.density"]);
    assert!(plan.contains("300"), "{plan}");
    check_run(
        &place,
        &["edit", "out", "--raise", "1040,1950,9,3"],
        0,
        &["has changed since this world was baked"],
    );
    assert!(bake(&place).committed.is_new);
    assert_ne!(read(&place, "out").0.config.digest, digest);
}

#[test]
fn a_world_needs_no_file_of_species_but_its_own_copy() {
    let (place, _) = place();
    bake(&place);
    let before = plants(&place.path("out"));
    check_run(
        &place,
        &["check", "world.toml"],
        0,
        &["world.toml + 3 included files"],
    );
    std::fs::remove_dir_all(place.path("species")).unwrap();
    check_run(&place, &["verify", "out"], 0, &[]);
    check_run(&place, &["edit", "out", "--raise", "1040,1950,9,3"], 0, &[]);
    check_run(&place, &["edit", "out", "--undo"], 0, &[]);
    assert_eq!(plants(&place.path("out")), before);
    check_run(
        &place,
        &["bake", "world.toml"],
        2,
        &["no file matches", "world.toml:1:11"],
    );
}

#[test]
fn a_mistake_in_a_copy_is_shown_in_the_copy() {
    let (place, _) = place();
    bake(&place);
    std::fs::remove_file(place.path("mask.tif")).unwrap();
    let said = check_run(
        &place,
        &["verify", "out", "--full"],
        2,
        &["there is no file"],
    );
    assert!(said.contains("config.toml:"), "{said}");
}
