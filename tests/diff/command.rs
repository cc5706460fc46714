//! What a person at a terminal and a script see of it.

use ecotone_interchange::{InterchangeError, diff_to_csv};

use super::support::{check_run as check, config_text, run};
use super::{compare, open, raised, world};

#[test]
fn revisions_are_compared_as_long_as_they_are_kept() {
    let place = world();
    check(
        &place,
        &["diff", "old"],
        2,
        &["holds no revision before its current one: it keeps 1;"],
    );
    place.bake(&raised(64, 60.0), 2, "old").unwrap();
    let said = check(
        &place,
        &["diff", "old"],
        0,
        &["old@1 → old@2", "oak", "removed", "weights:"],
    );
    assert_eq!(check(&place, &["diff", "old@1", "old@2"], 0, &[]), said);
    assert_eq!(check(&place, &["diff", "old@1"], 0, &[]), said);
    check(
        &place,
        &["diff", "old", "--exit-code"],
        1,
        &["old@1 → old@2"],
    );
    check(
        &place,
        &["diff", "old@2", "old", "--exit-code"],
        0,
        &["the worlds are the same"],
    );
    let kept = [
        "old, revision 2",
        "kept        revisions 2, 1",
        "edits       0",
    ];
    check(&place, &["inspect", "old"], 0, &kept);
    place.bake(&config_text(64, 60.0), 2, "old").unwrap();
    check(
        &place,
        &["diff", "old@1", "old"],
        2,
        &["holds no revision 1: it keeps 2 and 3;"],
    );
    check(&place, &["diff", "nowhere", "old"], 2, &["holds no world"]);
    check(
        &place,
        &["diff", "nowhere@3", "old"],
        2,
        &["holds no world"],
    );
}

/// The map's pixels are of 1 m, from (1000, 2000) on; weights are stored in 1/255.
#[track_caller]
fn check_field(field: &serde_json::Value) {
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let [columns, rows] = ["columns", "rows"].map(|side| &field[side]);
    let bounds = [
        1000.0 + number(&columns[0]),
        1999.0 - number(&rows[1]),
        1001.0 + number(&columns[1]),
        2000.0 - number(&rows[0]),
    ];
    assert_eq!(field["bounds"], serde_json::json!(bounds));
    if field["stage"] == "weights" {
        let greatest = &field["greatest"];
        for side in ["old", "new"] {
            let stored = greatest[format!("{side}_stored")].as_i64().unwrap();
            assert_eq!(number(&greatest[side]), stored as f64 / 255.0);
        }
    }
}

#[test]
fn scripts_get_one_object_and_the_chunks_they_ask_for() {
    let place = world();
    place.bake(&raised(64, 60.0), 2, "new").unwrap();
    let object = |args: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&run(&place, args).stdout).unwrap()
    };
    let all = object(&["diff", "old", "new", "--json"]);
    let (found, _) = compare(&place, "old", "new");
    assert_eq!(all["same"], false);
    assert_eq!(
        all["chunks"].as_array().unwrap().len(),
        found.plants.chunks.len()
    );
    assert_eq!(
        all["fields"].as_array().unwrap().len(),
        found.fields.bands.len()
    );
    for field in all["fields"].as_array().unwrap() {
        check_field(field);
    }
    let oak = all["species"]
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["name"] == "oak")
        .unwrap();
    assert_eq!(oak["moved"], found.plants.species["oak"].counts.moved);
    let two = object(&["diff", "old", "new", "--json", "--limit", "1"]);
    let most = found
        .plants
        .chunks
        .iter()
        .map(|chunk| chunk.counts.total())
        .max()
        .unwrap();
    let counts = ["added", "removed", "moved", "resized", "changed"];
    let shown = two["chunks"].as_array().unwrap();
    let total: u64 = counts
        .iter()
        .map(|word| shown[0][word].as_u64().unwrap())
        .sum();
    assert_eq!((shown.len(), total), (1, most));
}

#[test]
fn chunks_and_tiles_of_one_digest_are_not_read() {
    let place = world();
    place.bake(&config_text(64, 60.0), 2, "new").unwrap();
    let world = open(&place, "new");
    let manifest = world.manifest().clone();
    for file in manifest.artefacts() {
        std::fs::remove_file(place.path("new").join(&file.file)).unwrap();
    }
    let found = diff_to_csv(&open(&place, "old"), &world, &place.path("differs.csv")).unwrap();
    assert!(found.is_empty());
}

#[test]
fn a_table_is_not_written_into_a_world_nor_left_half_done() {
    let place = world();
    place.bake(&raised(64, 60.0), 2, "new").unwrap();
    check(
        &place,
        &["diff", "old", "new", "--csv", "old/x.csv"],
        2,
        &["lies inside the world"],
    );
    check(
        &place,
        &["diff", "old", "new", "--csv", "new/x.csv"],
        2,
        &["lies inside the world"],
    );
    let world = open(&place, "new");
    let chunks = &world.manifest().chunks;
    let path = place
        .path("new")
        .join(&chunks[chunks.len() / 2].artefact.file);
    std::fs::remove_file(path).unwrap();
    let refused = diff_to_csv(&open(&place, "old"), &world, &place.path("x.csv")).unwrap_err();
    assert!(matches!(refused, InterchangeError::Store(_)), "{refused}");
    let names = std::fs::read_dir(place.path("")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().contains("x.csv")),
        "{names:?}"
    );
}
