//! What a person at a terminal sees: exit codes, errors that help, results that scripts can read.

#![allow(clippy::unwrap_used)]

mod support;

use std::process::{Command, Output};

use support::{Place, config_text, plain, run};

#[track_caller]
fn check(output: &Output, code: i32, out: &[&str], err: &[&str]) {
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b));
    assert_eq!(output.status.code(), Some(code), "{stdout}\n{stderr}");
    for text in out {
        assert!(stdout.contains(text), "{text:?} in {stdout}");
    }
    for text in err {
        assert!(stderr.contains(text), "{text:?} in {stderr}");
    }
}

fn world() -> Place {
    let place = Place::with_hills(&plain(150, 131));
    std::fs::write(place.path("world.toml"), config_text(64, 60.0)).unwrap();
    place
}

#[test]
fn a_world_is_checked_planned_baked_inspected_exported_and_drawn() {
    let place = world();
    check(
        &run(&place, &["check", "world.toml"]),
        0,
        &["heights.tif", "150 × 131 pixels"],
        &[],
    );
    check(
        &run(&place, &["plan", "world.toml"]),
        0,
        &["strata         9", "25 × 25 pixels of weights"],
        &[],
    );
    check(
        &run(&place, &["bake", "world.toml"]),
        0,
        &["baked revision 1", " oak", "weights.vrt"],
        &[],
    );
    check(
        &run(&place, &["bake", "world.toml"]),
        0,
        &["nothing changed: revision 1 stands"],
        &[],
    );
    check(
        &run(&place, &["inspect", "out"]),
        0,
        &["strata      meadow, rock, road"],
        &[],
    );
    check(
        &run(&place, &["inspect", "out", "--digest"]),
        0,
        &["{\"weights\":\""],
        &[],
    );
    check(
        &run(&place, &["inspect", "heights.tif"]),
        0,
        &["150 × 131 pixels", "nodata      -9999", "% void"],
        &[],
    );
    check(
        &run(
            &place,
            &["export", "out", "--format", "csv", "--to", "p.csv"],
        ),
        0,
        &["plants in p.csv"],
        &[],
    );
    let csv = std::fs::read_to_string(place.path("p.csv")).unwrap();
    assert!(csv.starts_with("id,species,x,y,z,yaw,size,nx,ny,nz,variant\n"));
    check(
        &run(&place, &["preview", "out", "-o", "p.png", "--size", "200"]),
        0,
        &["p.png"],
        &[],
    );
    check(
        &run(
            &place,
            &["preview", "out", "-o", "d.png", "--layer", "sdf:meadow"],
        ),
        0,
        &[],
        &[],
    );
    assert!(
        std::fs::read(place.path("p.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );

    let chunk = std::fs::read_dir(place.path("out/vegetation"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    check(
        &run(&place, &["inspect", chunk.path().to_str().unwrap()]),
        0,
        &["chunk       ("],
        &[],
    );
}

#[test]
fn results_are_json_on_request() {
    let place = world();
    let output = run(&place, &["bake", "world.toml", "--json"]);
    check(&output, 0, &[], &[]);
    let last = String::from_utf8(output.stdout).unwrap();
    let value: serde_json::Value = serde_json::from_str(last.lines().last().unwrap()).unwrap();
    assert_eq!(value["event"], "baked");
    assert_eq!(value["revision"], 1);
    assert!(value["plants"]["oak"].as_u64().unwrap() > 0);
}

#[test]
fn mistakes_are_refused_with_their_place_and_a_remedy() {
    let place = world();
    let text = config_text(64, 60.0);
    let cases = [
        ("blend = 8", "blnd = 8", "did you mean `blend`?"),
        ("density = 300", "density = 30000", "the most that fits is"),
        ("heights.tif", "heigths.tif", "there is no file"),
    ];
    for (right, wrong, said) in cases {
        std::fs::write(place.path("wrong.toml"), text.replace(right, wrong)).unwrap();
        check(
            &run(&place, &["bake", "wrong.toml"]),
            2,
            &[],
            &[said, "wrong.toml:"],
        );
        assert!(!place.path("out").exists());
    }
    check(
        &run(&place, &["bake", "nowhere.toml"]),
        2,
        &[],
        &["nowhere.toml"],
    );
    check(&run(&place, &["bake"]), 2, &[], &["Usage"]);
    check(
        &run(&place, &["inspect", "nowhere"]),
        2,
        &[],
        &["there is nothing at nowhere"],
    );
    check(
        &run(&place, &["preview", "nowhere", "-o", "p.png"]),
        2,
        &[],
        &["nowhere"],
    );
}

#[test]
fn grids_that_are_not_in_metres_are_refused_with_the_true_size() {
    use support::writer::Value;
    let place = Place::new();
    // As users of other tools report: a DEM in degrees gave slopes of 87–90° everywhere.
    let degrees = support::writer::Tiff::new(64, 64, (3, 32))
        .placed((1.0 / 3600.0, 1.0 / 3600.0), (10.0, 60.009))
        .tag(
            34735,
            Value::Shorts(vec![1, 1, 0, 2, 1024, 0, 1, 2, 2048, 0, 1, 4326]),
        );
    place.write("degrees.tif", &degrees, |x, _| 10.0 * x as f64);
    let text = "terrain.heights = ['degrees.tif']\noutput.fields = ['slope']\n[[stratum]]\nname = 'ground'\n";
    std::fs::write(place.path("world.toml"), text).unwrap();
    check(
        &run(&place, &["bake", "world.toml"]),
        2,
        &[],
        &[
            "degrees.tif is in degrees",
            "15.499948 × 30.947858 m",
            "pixel_size = \"ground\"",
        ],
    );
    let text = text.replace(
        "terrain.heights",
        "terrain.pixel_size = 'ground'\nterrain.heights",
    );
    place.bake(&text, 1, "out").unwrap();
    let world = ecotone_interchange::Finished::open(&place.path("out")).unwrap();
    let mut slope = ecotone_grid::Raster::default();
    world
        .field(
            "slope",
            0,
            ecotone_grid::Rect::new(10, 10, 50, 50),
            &mut slope,
        )
        .unwrap();
    assert!(
        slope.pixels().iter().all(|s| (s - 32.9).abs() < 0.2),
        "{}",
        slope.pixels()[0]
    );
}

#[cfg(unix)]
#[test]
fn an_export_goes_through_links_and_not_into_the_world() {
    let place = world();
    check(&run(&place, &["bake", "world.toml"]), 0, &[], &[]);
    std::fs::write(place.path("real.csv"), "old").unwrap();
    std::os::unix::fs::symlink(place.path("real.csv"), place.path("link.csv")).unwrap();
    let export = |to: &str| run(&place, &["export", "out", "--format", "csv", "--to", to]);
    check(&export("link.csv"), 0, &[], &[]);
    assert!(place.path("link.csv").is_symlink());
    assert!(
        std::fs::read_to_string(place.path("real.csv"))
            .unwrap()
            .starts_with("id,species")
    );
    check(&export("out/current"), 2, &[], &["lies inside the world"]);
    check(&run(&place, &["inspect", "out"]), 0, &["revision 1"], &[]);
    check(
        &run(&place, &["bake", "world.toml", "--out", "world.toml"]),
        2,
        &[],
        &["cannot write into the world"],
    );
}

#[test]
fn a_vrt_is_not_inspected_and_the_way_is_shown() {
    let place = world();
    for name in ["map.vrt", "map.xml"] {
        std::fs::write(place.path(name), "<VRTDataset/>").unwrap();
        let found = run(&place, &["inspect", name]);
        check(&found, 2, &[], &["is a VRT", "ecotone check", "gdalinfo"]);
    }
}

#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_is_an_error_like_others() {
    let place = world();
    check(&run(&place, &["bake", "world.toml"]), 0, &[], &[]);
    check(
        &run(&place, &["preview", "out", "-o", "p.png"]),
        0,
        &[],
        &[],
    );
    let config = config_text(64, 60.0)
        .replace("mask.tif", "p.png")
        .replace("heights.tif\"]", "p.png\"]\npixel_size = [1, 1]");
    std::fs::write(place.path("limited.toml"), config).unwrap();
    let command = "ulimit -f 8; exec \"$0\" bake limited.toml --out limited";
    let output = Command::new("sh")
        .current_dir(place.path(""))
        .args(["-c", command, env!("CARGO_BIN_EXE_ecotone")])
        .output()
        .unwrap();
    // No code at all would mean that a signal ended it.
    let code = output.status.code();
    assert!(code.is_some_and(|code| code == 1 || code == 2), "{code:?}");
    check(&output, code.unwrap(), &[], &["File too large", "TMPDIR"]);
}
