//! `ecotone verify` as a person at a terminal sees it: exit codes, and words that name what is wrong.

#![allow(clippy::unwrap_used)]

mod support;

use support::{Place, check_run as check, config_text, plain, run};

/// A world in `out`, baked from `world.toml`.
fn world() -> Place {
    let place = Place::with_hills(&plain(150, 131));
    std::fs::write(place.path("world.toml"), config_text(64, 60.0)).unwrap();
    check(&place, &["bake", "world.toml"], 0, &[]);
    place
}

#[test]
fn a_sound_world_is_proved() {
    let place = world();
    check(
        &place,
        &["verify", "out"],
        0,
        &["files", "rebuild", "partition"],
    );
    check(&place, &["verify", "out", "--full"], 0, &[]);
    let told = run(&place, &["verify", "out", "--full", "--json"]);
    assert_eq!(told.status.code(), Some(0), "{told:?}");
    let lines = String::from_utf8(told.stdout).unwrap();
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert!(last.is_object(), "{lines}");
    let left = std::fs::read_dir(place.path("")).unwrap();
    let names: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "no scratch is left: {names:?}");
}

#[test]
fn a_damaged_file_is_named_and_a_paranoid_bake_makes_it_again() {
    let place = world();
    let folder = std::fs::read_dir(place.path("out/sdf")).unwrap();
    let file = folder.last().unwrap().unwrap();
    let mut bytes = std::fs::read(file.path()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(file.path(), bytes).unwrap();
    let name = file.file_name().into_string().unwrap();
    check(&place, &["verify", "out"], 1, &[&name, "--paranoid"]);
    check(&place, &["bake", "world.toml", "--paranoid"], 0, &[]);
    check(&place, &["verify", "out"], 0, &[]);
}

#[test]
fn other_inputs_are_told_as_such_and_what_is_not_there_is_refused() {
    let place = world();
    place.write("heights.tif", &plain(150, 131), |x, y| {
        support::hills(x, y) + f64::from(u8::from(x == 70))
    });
    check(&place, &["verify", "out"], 1, &["bake again"]);
    std::fs::remove_file(place.path("heights.tif")).unwrap();
    check(&place, &["verify", "out"], 2, &["heights.tif"]);
    check(&place, &["verify", "nowhere"], 2, &["nowhere"]);
}
