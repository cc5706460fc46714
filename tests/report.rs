//! The report of a bake, its checks, and the command after a commit.

#![allow(clippy::unwrap_used)]

#[path = "report/checks.rs"]
mod checks;
mod support;

use std::collections::BTreeMap;
use std::process::Output;

use ecotone_grid::Raster;
use ecotone_interchange::{Check, CheckKind, CheckLevel, Finished, Limits, Verdict, evaluate};
use ecotone_store::{
    Chunk, ChunkArtefact, ChunkSpecies, Manifest, PlantRecord, Stage, World, WorldWriter, encode,
    encode_tiff,
};
use serde_json::Value;
use support::listing::listing;
use support::{Place, config_text, plain, program, settle};

const OUT: &str = "out";

fn hills() -> Place {
    Place::with_hills(&plain(150, 131))
}

/// Bakes a config with the program itself, in the place's folder.
fn bake(place: &Place, config: &str, args: &[&str]) -> Output {
    std::fs::write(place.path("world.toml"), config).unwrap();
    program(place, &["bake", "world.toml", "--out", OUT])
        .args(args)
        .output()
        .unwrap()
}

/// The config of the tests with checks behind it.
fn with_checks(checks: &str) -> String {
    format!("{}{checks}", config_text(64, 60.0))
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn text(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.path(OUT).join(name)).unwrap()
}

fn numbers(place: &Place) -> Value {
    serde_json::from_str(&text(place, "report.json")).unwrap()
}

fn finished(place: &Place) -> Finished {
    Finished::open(&place.path(OUT)).unwrap()
}

/// A check that lets nothing pass.
fn strict(kind: CheckKind) -> Check {
    Check {
        name: "it".into(),
        kind,
        most: 0,
        level: CheckLevel::Error,
    }
}

fn verdict(place: &Place, kind: CheckKind) -> Verdict {
    let checks = [strict(kind)];
    evaluate(&finished(place), None, &checks).unwrap().remove(0)
}

/// A stratum's share of the ground, straight from the definition.
fn share(place: &Place, band: usize) -> f64 {
    let world = finished(place);
    let mut weights = Raster::default();
    world.weights(world.map(), &mut weights).unwrap();
    let sum = |band: usize| {
        weights
            .band(band)
            .pixels()
            .iter()
            .map(|&w| f64::from(w))
            .sum::<f64>()
    };
    sum(band) / (0..weights.n_bands()).map(sum).sum::<f64>()
}

fn csv_counts(place: &Place) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for row in support::plants(&place.path(OUT)) {
        let species = row.split(',').nth(1).unwrap().to_owned();
        *counts.entry(species).or_default() += 1;
    }
    counts
}

#[test]
fn coverage_and_counts_are_those_of_the_files() {
    let place = hills();
    let output = bake(&place, &config_text(64, 60.0), &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report = numbers(&place);

    for (band, stratum) in report["strata"].as_array().unwrap().iter().enumerate() {
        let expected = share(&place, band);
        let found = stratum["share"].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        let limits = |lo: f64, hi: f64| CheckKind::Coverage {
            stratum: stratum["name"].as_str().unwrap().to_owned(),
            limits: Limits {
                band: Some([lo, hi]),
                drift: None,
            },
        };
        assert!(verdict(&place, limits(expected - 1e-9, expected + 1e-9)).passed);
        assert!(!verdict(&place, limits(expected + 1e-6, 1.0)).passed);
        assert!(!verdict(&place, limits(0.0, expected - 1e-6)).passed);
    }
    let world = finished(&place);
    let mut weights = Raster::default();
    world.weights(world.map(), &mut weights).unwrap();
    let n_valid = (0..weights.band(0).pixels().len())
        .filter(|&k| (0..3).any(|band| weights.band(band).pixels()[k] > 0))
        .count();
    assert_eq!(report["map"]["valid_px"], n_valid);

    let expected = csv_counts(&place);
    assert_eq!(report["species"].as_array().unwrap().len(), expected.len());
    for species in report["species"].as_array().unwrap() {
        let n = expected[species["name"].as_str().unwrap()];
        assert_eq!(species["plants"], n);
        let sum = |list: &Value| {
            list.as_array()
                .unwrap()
                .iter()
                .map(|v| v.as_u64().unwrap())
                .sum::<u64>()
        };
        assert_eq!(sum(&species["sizes"]["counts"]), n);
        let bins = species["edge"]["bins"].as_array().unwrap().iter();
        assert_eq!(
            bins.map(|bin| bin["found"].as_u64().unwrap()).sum::<u64>(),
            n
        );
    }
    let band = |lo: f64, hi: f64| CheckKind::Count {
        species: Some("oak".into()),
        limits: Limits {
            band: Some([lo, hi]),
            drift: None,
        },
    };
    let n = expected["oak"] as f64;
    assert!(verdict(&place, band(n, n)).passed);
    assert!(!verdict(&place, band(n + 1.0, n + 9.0)).passed);
}

#[test]
fn a_species_alone_grows_as_dense_as_expected() {
    let place = Place::new();
    place.write("heights.tif", &plain(700, 600), |x, _| (x / 4) as f64);
    let config = r#"
terrain.heights = ["heights.tif"]
[edges]
max_distance = 40
[[stratum]]
name = "low"
altitude = { band = [0, 100], blend = 30 }
[[stratum]]
name = "high"
altitude = { band = [100, 900], blend = 30 }
[[species]]
name = "oak"
strata = { low = 1.0 }
spacing = 2.0
edge = { falloff = 30, density = 0.1 }
"#;
    let output = bake(&place, config, &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report = numbers(&place);
    let bins = report["species"][0]["edge"]["bins"]
        .as_array()
        .unwrap()
        .clone();
    let sum = |key: &str| {
        bins.iter()
            .map(|bin| bin[key].as_f64().unwrap())
            .sum::<f64>()
    };
    let (found, expected) = (sum("found"), sum("expected"));
    assert!(
        found > 10_000.0 && (found / expected - 1.0).abs() < 0.03,
        "{found} {expected}"
    );
    // Every point stands for 144 m²: all of the ground but a part of its rim.
    assert!(
        (sum("hectares") / 42.0 - 1.0).abs() < 0.03,
        "{}",
        sum("hectares")
    );
    for bin in &bins {
        let of = |key: &str| bin[key].as_f64().unwrap();
        // Four deviations: of plants that come and go, and of points that fall into the bin, one for 144 m².
        let n_points = of("hectares") * 10_000.0 / 144.0;
        let noise = of("found").sqrt() + of("expected") / n_points.sqrt().max(1.0);
        let off = (of("found") - of("expected")).abs();
        assert!(off <= 4.0 * noise + 1.0, "{bin}");
    }
}

#[test]
fn a_failed_check_stands_first_and_fails_the_bake_again_and_again() {
    let place = hills();
    // A file that has just been written is read again by the next bake, which then has a newer look of it to note.
    settle();
    let config = with_checks(
        "[[check]]\nkind = \"void\"\n[[check]]\nname = \"no <oak>\"\nkind = \"count\"\nspecies = \"oak\"\nband = [0, 0]\n",
    );
    let first = bake(&place, &config, &[]);
    assert_eq!(first.status.code(), Some(1));
    let said = stderr(&first);
    assert!(
        said.starts_with("check failed: no <oak>: expected oak: 0 to 0 plants, found "),
        "{said}"
    );
    assert!(said.contains("error: 1 of 2 checks failed"), "{said}");
    assert_eq!(numbers(&place)["checks"]["failed"], 1);
    assert_eq!(numbers(&place)["revision"], 1);

    let page = text(&place, "report.html");
    let at = |word: &str| page.find(word).unwrap_or_else(|| panic!("no {word}"));
    assert!(at("1 of 2 checks failed") < at("<h2>Checks</h2>"));
    assert!(at("<h2>Checks</h2>") < at("<h2>Map</h2>"));
    assert!(at(">failed<") < at(">passed<"));
    assert!(page.contains("no &lt;oak&gt;") && !page.contains("<oak>"));

    let before = listing(&place.path(OUT));
    let again = bake(&place, &config, &[]);
    assert_eq!(again.status.code(), Some(1), "{}", stderr(&again));
    assert!(
        stderr(&again).starts_with("check failed: no <oak>"),
        "{}",
        stderr(&again)
    );
    assert_eq!(listing(&place.path(OUT)), before);
}

#[test]
fn a_bake_without_a_report_is_checked_all_the_same() {
    let place = hills();
    let config = with_checks("[[check]]\nkind = \"count\"\nband = [0, 0]\n");
    for _ in 0..2 {
        let output = bake(&place, &config, &["--no-report"]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(!place.path(OUT).join("report.html").exists());
    }
    let told = bake(
        &place,
        &config.replace("band = [0, 0]", "band = [0, 0]\nlevel = \"warn\""),
        &[],
    );
    assert!(told.status.success(), "{}", stderr(&told));
    assert!(
        stderr(&told).starts_with("warning: count: "),
        "{}",
        stderr(&told)
    );
    assert!(text(&place, "report.html").contains("1 of 1 checks to look at"));
}

#[test]
fn drift_is_measured_against_the_bake_before() {
    let place = hills();
    let config = with_checks(
        "[[check]]\nkind = \"count\"\nspecies = \"oak\"\ndrift = 0.2\n[[check]]\nkind = \"coverage\"\nstratum = \"meadow\"\ndrift = 0.001\n",
    );
    let first = bake(&place, &config, &[]);
    assert!(first.status.success(), "{}", stderr(&first));
    let before = csv_counts(&place)["oak"];

    let second = bake(
        &place,
        &config.replace("density = 300", "density = 100"),
        &[],
    );
    assert_eq!(second.status.code(), Some(1), "{}", stderr(&second));
    let after = csv_counts(&place)["oak"];
    let expected = format!("found {after} plants after {before} plants");
    assert!(stderr(&second).contains(&expected), "{}", stderr(&second));
    assert_eq!(numbers(&place)["checks"]["verdicts"][1]["passed"], true);
    let oak = &numbers(&place)["species"][0];
    assert_eq!(
        (oak["plants"].as_u64(), oak["plants_before"].as_u64()),
        (Some(after), Some(before))
    );

    let third = bake(
        &place,
        &config.replace("slope = [0, 22]", "slope = [0, 25]"),
        &[],
    );
    assert!(
        stderr(&third).contains("check failed: coverage meadow"),
        "{}",
        stderr(&third)
    );
}

#[test]
fn the_page_is_one_whole_file_that_needs_no_other() {
    let place = hills();
    let config = with_checks("[[check]]\nkind = \"keep_off\"\nstratum = \"road\"\ndistance = 9\n")
        .replace("\"pine\"", "\"pine <i>&'\"");
    let output = bake(&place, &config, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let page = text(&place, "report.html");
    let markup = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
    let tree = roxmltree::Document::parse(markup).unwrap_or_else(|e| panic!("{e}"));
    let named = |name: &str| tree.descendants().filter(|n| n.has_tag_name(name)).count();
    // Two plots for each species that grows, and what was asked.
    assert!(named("svg") >= 6 && named("img") == 1 && named("script") + named("link") == 0);
    for node in tree.descendants() {
        for attribute in node.attributes() {
            let is_link = ["src", "href"].contains(&attribute.name());
            assert!(!is_link || attribute.value().starts_with("data:image/png;base64,"));
            let is_number = !is_link && ["NaN", "inf"].iter().any(|n| attribute.value() == *n);
            assert!(
                !is_number && !attribute.value().contains("http:"),
                "{attribute:?}"
            );
        }
    }
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("url("));
    assert!(tree.descendants().any(|n| n.text() == Some("pine <i>&'")));
}

#[test]
fn a_command_hears_of_each_new_revision() {
    let place = hills();
    let on_commit = |command: &str| {
        config_text(64, 60.0).replace(
            "[output]\n",
            &format!("[output]\non_commit = '''{command}'''\n"),
        )
    };
    let command =
        "echo $ECOTONE_REVISION $ECOTONE_WORLD $ECOTONE_CHANGED >> heard.txt; echo loud; cat";
    let output = bake(&place, &on_commit(command), &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    // What it prints goes to standard error, and what it is given last is the revision's changes.
    assert!(said.contains("loud") && said.contains("\"to\""), "{said}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("loud"));
    let out = place.path(OUT);
    let changed = out.join("rev/1/changed.json");
    let expected = format!("1 {} {}\n", out.display(), changed.display());
    assert_eq!(
        std::fs::read_to_string(place.path("heard.txt")).unwrap(),
        expected
    );

    assert!(bake(&place, &on_commit(command), &[]).status.success());
    let heard = std::fs::read_to_string(place.path("heard.txt")).unwrap();
    assert_eq!(heard, expected, "nothing was committed");

    let failing = bake(
        &place,
        &on_commit("exit 3; true").replace("seed = 5", "seed = 6"),
        &[],
    );
    assert_eq!(failing.status.code(), Some(1));
    let said = stderr(&failing);
    assert!(
        said.contains("on_commit failed, but revision 2 stands") && said.contains("exit status: 3"),
        "{said}"
    );
    assert_eq!(finished(&place).manifest().revision, 2);
}
