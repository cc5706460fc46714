//! Which keys of a config count for which stage: all of them, so that a new one is not forgotten.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use ecotone_grid::{GeoKeys, GeoTransform, PixelSize, TileGrid};

use super::*;
use crate::config::{self, PixelSizeChoice};

#[path = "rules_tests/table.rs"]
mod table;
use table::{INPUTS, STRATA, rows};

const BASE: &str = include_str!("rules_tests/base.toml");

fn rules(text: &str) -> Value {
    let loaded = config::parse(text, "world.toml".as_ref()).unwrap_or_else(|e| panic!("{e}"));
    let config = &loaded.config;
    let (x, y) = match config.terrain.pixel_size {
        Some(PixelSizeChoice::Metres([x, y])) => (x, y),
        _ => (1.0, 1.0),
    };
    let transform = GeoTransform {
        x0: 0.0,
        y0: 0.0,
        pixel: PixelSize { x, y },
    };
    let tiles = TileGrid::new(64, 64, config.tiles.size);
    of(
        config,
        &GridRecord::new(tiles, &transform, &GeoKeys::default()),
    )
}

fn counts(old: &Value, new: &Value) -> [bool; 4] {
    ["inputs", "strata", "sdf", "plants"].map(|part| old[part] != new[part])
}

#[test]
fn every_key_counts_for_the_stages_that_read_it() {
    let base = rules(BASE);
    for &(key, old, new, expected) in rows() {
        assert_eq!(BASE.matches(old).count(), 1, "{key}: {old:?} in the config");
        let changed = rules(&BASE.replace(old, new));
        assert_eq!(counts(&base, &changed), expected, "{key}");
    }
}

#[test]
fn every_key_of_the_schema_is_in_the_table() {
    let schema: Value = serde_json::from_str(&config::schema()).unwrap();
    let mut keys = BTreeSet::new();
    gather(&schema, "", &mut keys);
    assert!(keys.len() > 60, "{keys:?}");
    let known: BTreeSet<_> = rows().map(|row| row.0.to_owned()).collect();
    let missing: Vec<_> = keys.difference(&known).collect();
    assert!(missing.is_empty(), "which stages read {missing:?}?");
}

/// The keys of a table that hold no further table, by their paths.
fn gather(schema: &Value, path: &str, out: &mut BTreeSet<String>) {
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = under(path, key);
        let mut tables = vec![inner, &inner["items"]];
        tables.extend(
            inner["additionalProperties"]["anyOf"]
                .as_array()
                .into_iter()
                .flatten(),
        );
        match tables.iter().find(|table| table["properties"].is_object()) {
            Some(table) => gather(table, &path, out),
            None => drop(out.insert(path)),
        }
    }
}

#[test]
fn what_stands_for_the_same_is_the_same() {
    let base = rules(BASE);
    for (old, new) in [
        ("\nsize = 16", "\nsize = 16 # pixels"),
        ("tilt = [0, 60]", "slope = [30, 90]"),
        ("edge = { stratum = \"meadow\", ", "edge = { "),
        ("threshold = 0.5\n", "threshold = 0.501\n"),
        ("gradient = \"horn\"\n", ""),
    ] {
        assert_eq!(rules(&BASE.replace(old, new)), base, "{new}");
    }
}

#[test]
fn the_order_of_species_says_nothing() {
    let at = BASE.find("[[species]]").unwrap();
    let (head, species) = BASE.split_at(at);
    let second = species.rfind("[[species]]").unwrap();
    let turned = format!("{head}{}{}", &species[second..], &species[..second]);
    assert_ne!(turned, BASE);
    assert_eq!(rules(&turned), rules(BASE));
}

#[test]
fn a_correction_more_counts_for_no_stage() {
    let more = "[[stratum]]\nname = \"more\"\nmask = \"more.tif\"\nmode = \"subtract\"\ntarget = \"rock\"\n";
    let with = BASE.replacen("[[species]]", &format!("{more}[[species]]"), 1);
    assert_eq!(counts(&rules(BASE), &rules(&with)), INPUTS);
}

#[test]
fn normals_count_for_plants_that_read_them() {
    let from = BASE.find("[[species]]\nname = \"ivy\"").unwrap();
    let to = BASE.find("[[check]]").unwrap();
    let level = format!("{}{}", &BASE[..from], &BASE[to..])
        .replace("slope = { band = [0, 40], blend = 3.0 }\n", "")
        .replace("align = 0.5\n", "");
    let smoother = level.replace("smoothing = 3.0", "smoothing = 4.0");
    assert_eq!(counts(&rules(&level), &rules(&smoother)), STRATA);
}

#[test]
fn keys_come_sorted() {
    // A digest of the text is one of the value: no feature of a dependency may keep the order of insertion.
    let text = json!({ "b": 1, "a": { "d": 1, "c": 2 } }).to_string();
    assert_eq!(text, r#"{"a":{"c":2,"d":1},"b":1}"#);
}

#[test]
fn the_first_difference_is_a_key_of_the_config() {
    let base = rules(BASE);
    for (stage, old, new, expected) in [
        (
            "strata",
            "slope = [0, 30]",
            "slope = [0, 31]",
            ["stratum[0].slope", "[0.0,30.0]", "[0.0,31.0]"],
        ),
        (
            "plants",
            "density = 50.0",
            "density = 60.0",
            ["species.oak.density", "50.0", "60.0"],
        ),
        (
            "plants",
            "name = \"fern\"",
            "name = \"old.fern\"",
            ["species.fern", "given", "none"],
        ),
        (
            "sdf",
            "threshold = 0.5",
            "threshold = 0.6",
            ["edges.threshold", "\"128/255\"", "\"153/255\""],
        ),
        (
            "sdf",
            "name = \"lake\"",
            "name = \"pond\"",
            ["stratum[2].name", "\"lake\"", "\"pond\""],
        ),
    ] {
        let changed = rules(&BASE.replace(old, new));
        let found = first_difference(&base[stage], &changed[stage]).unwrap();
        assert_eq!([&*found.key, &*found.old, &*found.new], expected);
    }
    assert_eq!(first_difference(&base, &base), None);
}
