//! The report of a bake, its checks, and the command after a commit.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::process::Output;
use std::time::Duration;

use ecotone_grid::Raster;
use ecotone_interchange::{Check, CheckKind, CheckLevel, Finished, Limits, Verdict, evaluate};
use ecotone_store::{
    Chunk, ChunkArtefact, ChunkSpecies, Manifest, PlantRecord, Stage, World, WorldWriter, encode,
    encode_tiff,
};
use serde_json::Value;
use support::listing::listing;
use support::{Place, config_text, plain, program};

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

fn void() -> CheckKind {
    CheckKind::Void { species: None }
}

fn roots() -> CheckKind {
    CheckKind::Roots {
        species: None,
        tolerance_m: 0.01,
        sinks_m: Default::default(),
    }
}

fn overlap() -> CheckKind {
    let footprints = [("oak", 1.5), ("pine", 1.2), ("fern", 0.6)];
    CheckKind::Overlap {
        footprints_m: footprints.map(|(name, m)| (name.to_owned(), m)).into(),
    }
}

/// Oaks keep 3 m from roads, over a ramp of 2 m: none stands nearer than 2.
fn keep_off() -> CheckKind {
    CheckKind::KeepOff {
        stratum: "road".into(),
        distance_m: 2.0,
        species: Some("oak".into()),
    }
}

/// All plants of a chunk.
fn chunk(world: &World, artefact: &ChunkArtefact) -> Chunk {
    let read = world.chunk(artefact, |view| Chunk {
        x: view.index().0,
        y: view.index().1,
        size: view.size(),
        species: view
            .species()
            .iter()
            .map(|species| ChunkSpecies {
                name: species.name().to_owned(),
                size_step: species.size_step(),
                variants: species
                    .variants()
                    .iter()
                    .map(|&name| name.to_owned())
                    .collect(),
                plants: species.plants().collect(),
            })
            .collect(),
    });
    read.unwrap()
}

/// Commits the world again with something changed in it.
fn tamper(place: &Place, change: impl FnOnce(&mut WorldWriter, &World, &mut Manifest)) {
    let mut writer = WorldWriter::open(&place.path(OUT)).unwrap();
    let world = World::open(&place.path(OUT)).unwrap();
    let mut manifest = world.manifest().clone();
    change(&mut writer, &world, &mut manifest);
    assert!(writer.commit(manifest).unwrap().is_new);
}

/// Changes a plant of a species in the chunk that holds a place; returns where it stands now.
fn move_plant(
    place: &Place,
    species: &str,
    near: [f64; 2],
    change: impl Fn(&mut PlantRecord, &Chunk),
) -> [f64; 2] {
    let mut at = [0.0; 2];
    tamper(place, |writer, world, manifest| {
        let of =
            |metres: f64| ecotone_store::chunk_index((metres * 1024.0) as i64, manifest.chunk_size);
        let key = near.map(of);
        let found = manifest
            .chunks
            .iter_mut()
            .find(|c| [c.artefact.x, c.artefact.y] == key);
        let found = found.unwrap();
        let mut plants = chunk(world, found);
        let whole = plants.clone();
        let own = plants
            .species
            .iter_mut()
            .find(|s| s.name == species)
            .unwrap();
        let plant = own.plants.first_mut().unwrap();
        change(plant, &whole);
        at = [plant.x, plant.y].map(|steps| steps as f64 / 1024.0);
        let bytes = encode(&plants).unwrap();
        found.artefact = writer
            .put(&Stage::Vegetation, key[0], key[1], &bytes)
            .unwrap();
    });
    at
}

#[track_caller]
fn check_offender(verdict: &Verdict, species: &str, [x, y]: [f64; 2]) {
    assert!(!verdict.passed && verdict.is_failure(), "{verdict:?}");
    assert_eq!(verdict.faults, 1, "{verdict:?}");
    let offender = &verdict.offenders[0];
    let found = (offender.species.as_deref(), offender.x, offender.y);
    assert_eq!(found, (Some(species), x, y), "{}", offender.what);
}

#[test]
fn a_sound_world_passes_every_check() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    for kind in [void(), roots(), overlap(), keep_off(), CheckKind::Seams] {
        let verdict = verdict(&place, kind);
        assert!(verdict.passed && verdict.faults == 0, "{verdict:?}");
        assert!(verdict.examined > 0, "{verdict:?}");
    }
}

#[test]
fn a_plant_on_a_void_is_named() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    // The disc of void around pixel (40, 33).
    let hole = [1040.5, 1966.5];
    let at = move_plant(&place, "pine", hole, |plant, _| {
        [plant.x, plant.y] = hole.map(|m| (m * 1024.0) as i64);
    });
    assert_eq!(at, hole);
    check_offender(&verdict(&place, void()), "pine", hole);
}

#[test]
fn a_floating_root_is_named() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    let at = move_plant(&place, "fern", [1090.0, 1960.0], |plant, _| {
        plant.z_mm += 12
    });
    let found = verdict(&place, roots());
    check_offender(&found, "fern", at);
    assert!(
        found.offenders[0].what.contains("0.012 m above"),
        "{found:?}"
    );
}

#[test]
fn a_plant_may_stand_as_deep_as_its_species_is_sunk() {
    let place = hills();
    let sunk = config_text(64, 60.0).replace("align = 0.4", "align = 0.4\nsink = [0.2, 0.3]");
    place.bake(&sunk, 2, OUT).unwrap();
    let with = |sinks: &[[f64; 2]]| CheckKind::Roots {
        species: Some("oak".into()),
        tolerance_m: 0.0,
        sinks_m: sinks.iter().map(|&sink| ("oak".into(), sink)).collect(),
    };
    assert!(verdict(&place, with(&[[0.2, 0.3]])).passed);
    for other in [&[][..], &[[0.2, 0.25]], &[[0.25, 0.3]]] {
        assert!(!verdict(&place, with(other)).passed, "{other:?}");
    }
    // The config's own numbers are those that a check goes by.
    let check = "[[check]]\nkind = \"roots\"\ntolerance = 0\n";
    let found = bake(&place, &format!("{sunk}{check}"), &[]);
    assert_eq!(found.status.code(), Some(0), "{}", stderr(&found));
}

#[test]
fn footprints_that_overlap_are_named_once() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    let pines = |chunk: &Chunk| {
        chunk
            .species
            .iter()
            .find(|s| s.name == "pine")
            .unwrap()
            .plants[0]
    };
    move_plant(&place, "fern", [1090.0, 1960.0], |plant, chunk| {
        // Between the two it stands nearest to the pine, and nothing else may be as near as 0.1 m.
        let pine = pines(chunk);
        (plant.x, plant.y) = (pine.x + 100, pine.y);
    });
    let found = verdict(&place, overlap());
    assert!(!found.passed, "{found:?}");
    let whats: Vec<&str> = found.offenders.iter().map(|o| o.what.as_str()).collect();
    let near = whats
        .iter()
        .filter(|what| what.starts_with("0.098 m from a fern"));
    assert_eq!(near.count(), 1, "{whats:?}");
}

#[test]
fn a_plant_on_the_road_is_named() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    // The road's middle line is x = 0.8 y + 20 in pixels.
    let road = [1060.5, 1949.5];
    move_plant(&place, "oak", road, |plant, _| {
        [plant.x, plant.y] = road.map(|m| (m * 1024.0) as i64);
    });
    let found = verdict(&place, keep_off());
    check_offender(&found, "oak", road);
    assert!(
        found.offenders[0].what.ends_with("inside road"),
        "{found:?}"
    );
}

/// Writes a tile of a raster stage anew.
fn tamper_tile<T: ecotone_store::Sample + ecotone_geotiff::Sample>(
    place: &Place,
    stage: Stage,
    change: impl Fn(&mut Raster<T>),
) {
    tamper(place, |writer, world, manifest| {
        let (_, header) = manifest.raster(&stage).unwrap();
        let tiles = match stage {
            Stage::Weights => &mut manifest.weights,
            _ => &mut manifest.sdf,
        };
        let tile = tiles
            .iter_mut()
            .find(|tile| (tile.x, tile.y) == (1, 0))
            .unwrap();
        let path = world.path(tile).unwrap();
        let blocks = std::sync::Arc::new(ecotone_geotiff::BlockCache::new(0));
        let source = ecotone_geotiff::Source::open(&path, &Default::default(), blocks).unwrap();
        let stored: Raster<T> = source.read_all().unwrap();
        let grid = manifest.grid.tiles();
        let rect = grid.rect(ecotone_grid::TileId { x: 1, y: 0 });
        let mut raster = Raster::from_pixels(rect, stored.n_bands(), stored.into_pixels());
        change(&mut raster);
        let bytes = encode_tiff(&raster, &header, manifest.compression).unwrap();
        *tile = writer.put(&stage, 1, 0, &bytes).unwrap();
    });
}

#[test]
fn a_tile_that_does_not_fit_its_neighbours_shows() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    // Every pixel changes hands between meadow and rock.
    tamper_tile::<u8>(&place, Stage::Weights, |raster| {
        let (meadow, rock) = (
            raster.band(0).pixels().to_vec(),
            raster.band(1).pixels().to_vec(),
        );
        raster.band_mut(0).copy_from_slice(&rock);
        raster.band_mut(1).copy_from_slice(&meadow);
    });
    let found = verdict(&place, CheckKind::Seams);
    assert!(
        !found.passed && (1..=3).contains(&found.faults),
        "{found:?}"
    );

    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    // One distance beside the border to the west is 3 m off.
    let scale = finished(&place).manifest().edges.scale;
    tamper_tile::<i16>(&place, Stage::Sdf, |raster| {
        let row = raster.row_mut(0, 20);
        row[0] += (3.0 / scale) as i16 * if row[0] > 0 { -1 } else { 1 };
    });
    let found = verdict(&place, CheckKind::Seams);
    assert_eq!(found.faults, 1, "{found:?}");
    // Beside pixel (64, 20).
    let offender = &found.offenders[0];
    assert_eq!((offender.x, offender.y), (1064.0, 1979.5), "{offender:?}");
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
    std::thread::sleep(Duration::from_millis(60));
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
