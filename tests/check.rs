//! What `ecotone check` says of a world before it is baked, and that it leaves nothing behind.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use serde_json::Value;
use support::writer::{self, Tiff};
use support::{NODATA, Place, config_text, hills, is_void, plain, program};

const GROUND: &str = "terrain.heights = ['heights.tif']\n[[stratum]]\nname = 'ground'\n";

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Runs a check that must leave the folder as it was.
#[track_caller]
fn check(place: &Place, args: &[&str], code: i32) -> (String, String) {
    let before = names(&place.path(""));
    let output = program(place, &["check"]).args(args).output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
    assert_eq!(output.status.code(), Some(code), "{stdout}\n{stderr}");
    assert_eq!(names(&place.path("")), before, "something was left behind");
    (stdout, stderr)
}

/// Of a check that goes well, the one object that it prints.
#[track_caller]
fn found(place: &Place, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let (stdout, _) = check(place, &args, 0);
    serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stdout}"))
}

fn world() -> Place {
    let place = Place::with_hills(&plain(150, 131));
    std::fs::write(place.path("world.toml"), config_text(64, 60.0)).unwrap();
    place
}

/// A world of nothing but ground, of given heights.
fn ground(tiff: &Tiff, height: impl Fn(usize, usize) -> f64) -> Place {
    let place = Place::new();
    place.write("heights.tif", tiff, height);
    std::fs::write(place.path("world.toml"), GROUND).unwrap();
    place
}

/// The warnings of a check.
#[track_caller]
fn warnings(place: &Place, args: &[&str]) -> String {
    let found = found(place, args);
    let warnings = found["warnings"].as_array().unwrap();
    let sentences = warnings.iter().map(|warning| warning.as_str().unwrap());
    sentences.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_input_the_world_and_its_cost_are_told() {
    let place = world();
    let (text, _) = check(&place, &["world.toml"], 0);
    for said in [
        "heights     heights.tif",
        "mask        mask.tif, of road",
        "GeoTIFF, 150 × 131 pixels, float32, 1 band, not compressed, one strip, nodata -9999",
        "north-west corner (1000, 2000), pixels of 1 × 1 m, 0.15 × 0.131 km",
        "range       not read",
        "tiles       3 × 3 of 64 pixels",
        "strata      meadow, rock, road",
        "species     fern, oak, pine",
        "25 m (25 px) of weights",
        "(1, 1)",
        "  on disk   about ",
        "  memory    at most about ",
        "  time      about ",
    ] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
    assert!(!text.contains("warning"), "{text}");
    let (help, _) = check(&place, &["--help"], 0);
    assert!(help.contains("ecotone check world.toml --deep"), "{help}");
}

#[test]
fn deep_values_are_those_of_arithmetic() {
    let place = world();
    let pixels = || (0..131).flat_map(|y| (0..150).map(move |x| (x, y)));
    let heights: Vec<f64> = pixels()
        .filter(|&(x, y)| !is_void(x, y))
        .map(|(x, y)| hills(x, y))
        .collect();
    let found = found(&place, &["world.toml", "--deep"]);
    let layer = &found["layers"][0];
    assert_eq!(layer["role"], "heights");
    assert_eq!(
        layer["min"],
        heights.iter().copied().fold(f64::MAX, f64::min)
    );
    assert_eq!(
        layer["max"],
        heights.iter().copied().fold(f64::MIN, f64::max)
    );
    // Quarters of a metre add up exactly.
    assert_eq!(
        layer["mean"],
        heights.iter().sum::<f64>() / heights.len() as f64
    );
    let n_void = 150 * 131 - heights.len();
    assert_eq!(layer["void_share"], n_void as f64 / (150.0 * 131.0));
    let [x, y] = [0, 1].map(|k| layer["max_at"][k].as_u64().unwrap() as usize);
    assert_eq!(layer["max"], hills(x, y));

    let mask = &found["layers"][1];
    assert_eq!(
        (&mask["role"], &mask["stratum"]),
        (&"mask".into(), &"road".into())
    );
    let coverage = |(x, y): (usize, usize)| {
        let off = (x as f64 - 0.8 * y as f64 - 20.0).abs();
        (255.0 * (1.0 - (off - 3.0) / 3.0).clamp(0.0, 1.0)).round() / 255.0
    };
    let mean = pixels().map(coverage).sum::<f64>() / (150.0 * 131.0);
    assert!(
        (mask["mean"].as_f64().unwrap() - mean).abs() < 1e-7,
        "{mask}"
    );
}

#[test]
fn what_machines_read_has_its_keys() {
    let place = world();
    let found = found(&place, &["world.toml", "--threads", "3"]);
    assert_eq!(found["event"], "checked");
    assert_eq!(found["inputs"][0]["type"], "float32");
    assert_eq!(found["inputs"][0]["nodata"], NODATA);
    assert_eq!(
        found["inputs"][0]["corner"],
        serde_json::json!([1000.0, 2000.0])
    );
    assert_eq!(
        found["inputs"][1]["type_range"],
        serde_json::json!([0.0, 255.0])
    );
    assert_eq!(found["world"]["size"], serde_json::json!([150, 131]));
    assert_eq!(
        found["world"]["bounds"],
        serde_json::json!([1000.0, 1869.0, 1150.0, 2000.0])
    );
    assert_eq!(found["layers"][0].get("min"), None);
    let estimate = &found["estimate"];
    assert_eq!(estimate["threads"], 3);
    for key in [
        "cpu_seconds",
        "wall_seconds",
        "disk_bytes",
        "memory_bytes",
        "free_bytes",
    ] {
        assert!(estimate[key].as_f64().unwrap() > 0.0, "{key} in {estimate}");
    }
}

#[test]
fn a_world_that_is_baked_whole_on_trial_is_estimated_as_it_will_be() {
    let place = world();
    // Without voids, whose share under a chunk is only known by whole pixels.
    place.write("heights.tif", &plain(150, 131), hills);
    let found = found(&place, &["world.toml"]);
    let estimate = &found["estimate"];
    let outcome = place.bake(&config_text(64, 60.0), 1, "out").unwrap();
    for (name, n) in outcome.n_plants {
        assert_eq!(estimate["plants"][&name], n, "{name}");
    }
    for folder in ["weights", "sdf", "vegetation"] {
        let files = std::fs::read_dir(place.path("out").join(folder)).unwrap();
        let bytes: u64 = files
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum();
        assert_eq!(estimate["bytes"][folder], bytes, "{folder}");
    }
}

#[test]
fn a_sea_floor_of_65500_m_is_seen() {
    // As users of other tools report: 65,535 less a bit stood for the sea, and became a plateau.
    let tiff = Tiff::new(90, 70, (1, 16)).placed((1.0, 1.0), (500.0, 900.0));
    let place = ground(&tiff, |x, y| {
        if (x, y) == (41, 7) {
            65500.0
        } else {
            100.0 + x as f64
        }
    });
    assert_eq!(warnings(&place, &["world.toml"]), "");
    let said = warnings(&place, &["world.toml", "--deep"]);
    for part in [
        "65500 m",
        "pixel (41, 7), world (541.5, 892.5)",
        "terrain.nodata",
    ] {
        assert!(said.contains(part), "{part:?} in {said}");
    }
}

#[test]
fn statistics_of_the_file_warn_without_a_look_at_pixels() {
    let statistics = "<GDALMetadata><Item name=\"STATISTICS_MINIMUM\" sample=\"0\">-32767</Item>\
                      <Item name=\"STATISTICS_MAXIMUM\" sample=\"0\">2100</Item></GDALMetadata>";
    let tiff = Tiff::new(90, 70, (2, 16))
        .placed((1.0, 1.0), (0.0, 0.0))
        .tag(42112, writer::Value::Text(statistics));
    let place = ground(&tiff, |x, _| x as f64);
    let said = warnings(&place, &["world.toml"]);
    assert!(said.contains("-32767 … 2100 m"), "{said}");
    // The pixels are fine, and they are what counts.
    assert_eq!(warnings(&place, &["world.toml", "--deep"]), "");
}

#[test]
fn a_map_that_is_mostly_void_is_seen() {
    let place = ground(
        &plain(90, 70),
        |x, _| if x < 50 { NODATA } else { x as f64 },
    );
    assert_eq!(warnings(&place, &["world.toml"]), "");
    let said = warnings(&place, &["world.toml", "--deep"]);
    assert!(said.contains("55.6 % of the map is void"), "{said}");
    let all = ground(&plain(90, 70), |_, _| NODATA);
    let (text, _) = check(&all, &["world.toml", "--deep"], 0);
    assert!(text.contains("all of it is void"), "{text}");
}

#[test]
fn pixels_of_200_m_are_seen() {
    let tiff = Tiff::new(90, 70, (3, 32)).placed((200.0, 200.0), (0.0, 0.0));
    let said = warnings(&ground(&tiff, hills), &["world.toml"]);
    assert!(said.contains("is 200 × 200 m, more than 100 m"), "{said}");
}

#[test]
fn heights_that_are_flat_or_cut_off_are_seen() {
    let said = warnings(
        &ground(&plain(90, 70), |_, _| 12.5),
        &["world.toml", "--deep"],
    );
    assert!(said.contains("all heights are 12.5 m"), "{said}");
    let bytes = Tiff::new(90, 70, (1, 8)).placed((1.0, 1.0), (0.0, 0.0));
    let cut_off = ground(&bytes, |x, _| (10.0 + 3.0 * x as f64).min(255.0));
    let said = warnings(&cut_off, &["world.toml", "--deep"]);
    assert!(
        said.contains("% of the heights are 255 m, the most that uint8 holds"),
        "{said}"
    );
}

#[test]
fn blocks_that_cannot_be_read_are_told_with_their_place() {
    let mut tiff = plain(90, 600);
    (tiff.compression, tiff.rows_per_strip) = (8, 50);
    let place = ground(&tiff, hills);
    let file = place.path("heights.tif");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 400].fill(0xff);
    std::fs::write(&file, bytes).unwrap();
    let (text, error) = check(&place, &["world.toml", "--deep"], 2);
    assert!(text.contains("unreadable  heights.tif"), "{text}");
    assert!(text.contains("range "), "the rest is told: {text}");
    assert!(error.contains("cannot be read"), "{error}");
    let (_, error) = check(&place, &["world.toml"], 2);
    assert!(error.contains("heights.tif"), "{error}");
}

#[test]
fn a_check_of_what_is_wrong_ends_with_2() {
    let place = Place::new();
    let (_, error) = check(&place, &["nowhere.toml"], 2);
    assert!(error.contains("nowhere.toml"), "{error}");
    std::fs::write(place.path("world.toml"), GROUND).unwrap();
    let (_, error) = check(&place, &["world.toml"], 2);
    assert!(error.contains("there is no file"), "{error}");
    check(&place, &[], 2);
}

#[test]
fn a_world_directory_deep_down_is_not_made() {
    check(&world(), &["world.toml", "--out", "not/yet/there"], 0);
}
