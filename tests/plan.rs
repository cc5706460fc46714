//! What a bake would run, and the reason it gives for each job.

#![allow(clippy::unwrap_used)]

mod support;

use std::sync::atomic::AtomicBool;

use ecotone_bake::{Bake, Due, Forecast, JobKind, Options, Why, config};
use support::writer::Tiff;
use support::{Place, config_text, hills, plain, run};

/// Tiles of 48 pixels, 4 by 4, and chunks of 64 m.
const SIDE: usize = 160;

fn text() -> String {
    config_text(48, 64.0)
}

fn place() -> Place {
    let place = Place::with_hills(&plain(SIDE, SIDE));
    place.bake(&text(), 1, "out").unwrap();
    place
}

fn forecast(place: &Place, text: &str) -> Forecast {
    let loaded = config::parse(text, &place.path("world.toml")).unwrap();
    let options = Options {
        out: Some(place.path("out")),
        ..Options::default()
    };
    Bake::open(&loaded, &options).unwrap().forecast().unwrap()
}

/// Jobs that would run, and that may, of strata, distances and plants.
fn due(forecast: &Forecast) -> [[usize; 2]; 3] {
    [0, 1, 2].map(|k| [forecast.stages[k].runs, forecast.stages[k].may_run])
}

fn why(forecast: &Forecast, kind: JobKind) -> &Due {
    forecast
        .due
        .iter()
        .find(|due| due.job.kind == kind)
        .unwrap()
}

#[test]
fn a_world_without_a_revision_is_all_due() {
    let place = Place::with_hills(&plain(SIDE, SIDE));
    let forecast = forecast(&place, &text());
    assert_eq!(forecast.revision, None);
    assert_eq!(due(&forecast)[..2], [[16, 0], [16, 0]]);
    assert!(forecast.due.iter().all(|due| due.why == Why::NeverMade));
    assert!(!place.path("out").exists());
}

#[test]
fn a_baked_world_has_nothing_due() {
    let place = place();
    let forecast = forecast(&place, &text());
    assert_eq!((forecast.revision, &forecast.due[..]), (Some(1), &[][..]));
}

#[test]
fn a_key_of_the_config_is_named_with_both_values() {
    let place = place();
    let all_plants = place.path("out").join("rev/1/ledger");
    let n_chunks = std::fs::read_to_string(all_plants)
        .unwrap()
        .matches("\"plants\",")
        .count();
    for (old, new, key, values, kind) in [
        (
            "density = 300",
            "density = 250",
            "species.oak.density",
            ["300.0", "250.0"],
            JobKind::Plants,
        ),
        (
            "slope = [0, 22]",
            "slope = [0, 25]",
            "stratum[0].slope",
            ["[0.0,22.0]", "[0.0,25.0]"],
            JobKind::Strata,
        ),
        (
            "[edges]",
            "[edges]\nthreshold = 0.6",
            "edges.threshold",
            ["\"128/255\"", "\"153/255\""],
            JobKind::Sdf,
        ),
        ("seed = 5", "seed = 6", "seed", ["5", "6"], JobKind::Plants),
    ] {
        let forecast = forecast(&place, &text().replacen(old, new, 1));
        let first = why(&forecast, kind);
        let [old, new] = values.map(str::to_owned);
        assert!(first.is_certain);
        assert_eq!(
            first.why,
            Why::Config {
                key: key.into(),
                old,
                new
            }
        );
        let [strata, sdf, plants] = due(&forecast);
        match kind {
            JobKind::Strata => assert_eq!((strata, sdf, plants), ([16, 0], [0, 16], [0, n_chunks])),
            JobKind::Sdf => assert_eq!((strata, sdf, plants), ([0, 0], [16, 0], [0, n_chunks])),
            JobKind::Plants => assert_eq!((strata, sdf, plants), ([0, 0], [0, 0], [n_chunks, 0])),
        }
    }
}

#[test]
fn a_file_that_changed_is_named_with_the_tiles_that_read_it() {
    let place = place();
    place.write("heights.tif", &plain(SIDE, SIDE), |x, y| match (x, y) {
        (99, 20) => 500.0,
        _ if support::is_void(x, y) => support::NODATA,
        _ => hills(x, y),
    });
    let told = forecast(&place, &text());
    // Column 99 is in the third tile of columns; the second reads 4 pixels beyond its border at 96: normals are smoothed
    // over 3 pixels, and a gradient reads one more.
    assert_eq!(due(&told)[0], [2, 0]);
    let Why::Content { old, new, files } = &why(&told, JobKind::Strata).why else {
        panic!("{:?}", why(&told, JobKind::Strata));
    };
    assert_ne!(old, new);
    assert_eq!(files, &[("heights".to_owned(), place.path("heights.tif"))]);
    let distances = why(&told, JobKind::Sdf);
    assert!(!distances.is_certain);
    assert!(matches!(
        distances.why,
        Why::Upstream {
            stage: "strata",
            ..
        }
    ));
    assert!(due(&told)[2][1] > 0);
    assert_eq!(told.stages[0].kept, 16 - told.stages[0].runs);
}

#[test]
fn a_mask_that_changed_is_named_with_its_stratum() {
    let place = place();
    place.write("mask.tif", &Tiff::new(SIDE, SIDE, (1, 8)), |_, _| 255.0);
    let told = forecast(&place, &text());
    assert_eq!(due(&told)[0], [16, 0]);
    let Why::Content { files, .. } = &why(&told, JobKind::Strata).why else {
        panic!("{:?}", why(&told, JobKind::Strata));
    };
    assert_eq!(
        files,
        &[("mask of road".to_owned(), place.path("mask.tif"))]
    );
}

#[test]
fn a_mask_that_is_read_otherwise_is_named_by_its_key() {
    let place = place();
    let text = text().replace("mask = \"mask.tif\"", "mask = \"mask.tif\"\ninvert = true");
    let told = forecast(&place, &text);
    let expected = Why::Config {
        key: "stratum.road.invert".into(),
        old: "false".into(),
        new: "true".into(),
    };
    assert_eq!(why(&told, JobKind::Strata).why, expected);
}

#[test]
fn a_file_that_is_gone_is_named() {
    let place = place();
    let world = ecotone_store::World::open(&place.path("out")).unwrap();
    let file = world.manifest().sdf[5].file.clone();
    std::fs::remove_file(place.path("out").join(&file)).unwrap();
    let told = forecast(&place, &text());
    assert_eq!(due(&told)[..2], [[0, 0], [1, 0]]);
    assert_eq!(why(&told, JobKind::Sdf).why, Why::Missing { file });
}

#[test]
fn time_is_what_the_jobs_took() {
    let place = place();
    let told = forecast(&place, &text().replace("seed = 5", "seed = 6"));
    let world = ecotone_store::World::open(&place.path("out")).unwrap();
    let ledger = world.ledger().unwrap();
    let plants = ledger
        .iter()
        .filter(|entry| entry.job.kind == JobKind::Plants);
    let sum_us: u64 = plants.map(|entry| entry.cpu_us).sum();
    assert_eq!(told.stages[2].cpu_seconds, sum_us as f64 / 1e6);
}

#[test]
fn a_forecast_that_trusts_no_date_finds_the_same() {
    let place = place();
    let loaded = config::parse(&text(), &place.path("world.toml")).unwrap();
    let options = Options {
        out: Some(place.path("out")),
        paranoid: true,
        ..Options::default()
    };
    let bake = Bake::open(&loaded, &options).unwrap();
    assert_eq!(bake.forecast().unwrap().due, []);
    // What was foretold holds for the bake itself.
    let outcome = bake.run(1, &AtomicBool::new(false), &mut |_| {}).unwrap();
    assert!(outcome.stages.iter().all(|stage| stage.made == 0));
}

fn told(place: &Place, args: &[&str]) -> String {
    let out = run(place, args);
    assert!(out.status.success(), "{out:?}");
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn the_command_tells_people_the_first_jobs_and_machines_all() {
    let place = place();
    std::fs::write(place.path("world.toml"), text()).unwrap();
    let idle = told(&place, &["plan", "world.toml"]);
    assert!(
        idle.ends_with("nothing to do: revision 1 is what a bake would make\n"),
        "{idle}"
    );

    std::fs::write(
        place.path("world.toml"),
        text().replace("density = 300", "density = 250"),
    )
    .unwrap();
    let people = told(&place, &["plan", "world.toml", "--limit", "2"]);
    let n_shown = people.matches("species.oak.density: 300.0 → 250.0").count();
    assert_eq!(n_shown, 2, "{people}");
    assert!(
        people.contains("a bake would go on from revision 1"),
        "{people}"
    );

    let machines = told(&place, &["plan", "world.toml", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&machines).unwrap();
    let stage = &json["stages"]["plants"];
    assert_eq!(
        json["due"].as_array().unwrap().len() as u64,
        stage["runs"].as_u64().unwrap()
    );
    assert_eq!(json["stages"]["sdf"]["kept"], 16);
    let first = &json["due"][0];
    assert_eq!(
        [&first["why"], &first["key"], &first["stage"]],
        ["config", "species.oak.density", "plants"]
    );
    assert!(json["wall_seconds"].as_f64().unwrap() > 0.0);
}
