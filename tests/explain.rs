//! An explanation of a point says what the bake made there, and why.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::HashMap;

use ecotone_bake::explain::{
    ExplainError, Explainer, Explanation, FateWord, Ground, Place as At, Request,
};
use ecotone_grid::mix;
use ecotone_store::{PlantRecord, World};
use support::writer::Tiff;
use support::{Place, check_run, config_text, plain, stored};

/// The size of the world in metres.
const SIZE: [usize; 2] = [300, 260];

fn baked(tile: u32, chunk: f64) -> Place {
    let place = Place::with_hills(&plain(SIZE[0], SIZE[1]));
    place.bake(&config_text(tile, chunk), 2, "out").unwrap();
    place
}

fn open(world: &World) -> Explainer<'_> {
    Explainer::open(world, 16 << 20).unwrap()
}

fn ask(explainer: &Explainer<'_>, at: At, radius: f64) -> Explanation {
    let request = Request {
        at,
        radius,
        species: None,
    };
    explainer.explain(&request).unwrap()
}

/// A place in the world.
fn random_point(k: u64) -> (f64, f64) {
    let h = mix(k);
    let along = |side: usize, bits: u64| side as f64 * (bits & 0xffff) as f64 / 65536.0;
    (1000.0 + along(SIZE[0], h), 2000.0 - along(SIZE[1], h >> 48))
}

fn metres(steps: i64) -> f64 {
    steps as f64 / 1024.0
}

fn hex(id: u64) -> String {
    format!("{id:#018x}")
}

#[test]
fn every_plant_is_found_standing_with_its_attributes_and_its_odds() {
    let place = baked(64, 48.0);
    let dir = place.path("out");
    let (world, plants) = (World::open(&dir).unwrap(), stored(&dir));
    let mut ids: Vec<u64> = plants.keys().copied().collect();
    ids.sort_unstable_by_key(|id| mix(*id));
    let explainer = open(&world);
    for id in &ids[..1000] {
        let (name, step, plant) = &plants[id];
        let answer = ask(&explainer, At::Point(metres(plant.x), metres(plant.y)), 0.0);
        let species = answer.species.iter().find(|s| s.name == *name).unwrap();
        let found = species
            .candidates
            .iter()
            .find(|c| c.id == hex(*id))
            .unwrap();
        assert_eq!(found.fate, FateWord::Stands, "{found:?}");
        assert!(found.rank.unwrap() < found.probability.unwrap());
        let attributes = found.plant.as_ref().unwrap();
        assert_eq!(attributes.size, f64::from(plant.size) * step);
        assert_eq!(attributes.z, f64::from(plant.z_mm) / 1000.0);
        assert_eq!(attributes.tint, f64::from(plant.tint) / 255.0);
        let product: f64 = species.rules.iter().map(|rule| rule.factor).product();
        let expected = (product * species.fill).min(1.0);
        assert!(
            (expected - species.probability.unwrap()).abs() < 1e-12,
            "{species:?}"
        );
        assert!(answer.changed.is_empty(), "{:?}", answer.changed);
    }
}

#[test]
fn around_any_place_exactly_the_plants_of_the_world_stand() {
    let place = baked(64, 48.0);
    let dir = place.path("out");
    let (world, plants) = (World::open(&dir).unwrap(), stored(&dir));
    let explainer = open(&world);
    let mut n_empty = 0;
    for (x, y) in (0..).map(random_point) {
        let answer = ask(&explainer, At::Point(x, y), 1.5);
        let near = |p: &PlantRecord| {
            let (dx, dy) = (metres(p.x) - answer.x, metres(p.y) - answer.y);
            (dx * dx + dy * dy).sqrt() <= 1.5
        };
        let mut expected: Vec<_> = plants
            .iter()
            .filter(|(_, (_, _, p))| near(p))
            .map(|(id, _)| hex(*id))
            .collect();
        let all = answer.species.iter().flat_map(|s| &s.candidates);
        let standing = all.clone().filter(|c| c.fate == FateWord::Stands);
        let mut found: Vec<_> = standing.map(|c| c.id.clone()).collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "at {x} {y}");
        for own in all.filter(|c| c.fate == FateWord::Beaten) {
            let by = own.beaten_by.as_ref().unwrap();
            let id = u64::from_str_radix(&by.id[2..], 16).unwrap();
            assert_eq!(plants[&id].0, by.species);
            assert!(by.distance < by.needed, "{own:?}");
        }
        n_empty += usize::from(found.is_empty());
        if n_empty == 1000 {
            break;
        }
    }
}

#[test]
fn right_at_a_candidate_that_is_no_plant_the_same_is_told_and_none_stands() {
    let place = baked(64, 48.0);
    let dir = place.path("out");
    let (world, plants) = (World::open(&dir).unwrap(), stored(&dir));
    let explainer = open(&world);
    let mut fates: HashMap<String, usize> = HashMap::new();
    let mut n_empty = 0;
    for (x, y) in (40_000..).map(random_point) {
        let around = ask(&explainer, At::Point(x, y), 3.0);
        let mut all = around.species.iter().flat_map(|s| &s.candidates);
        let Some(absent) = all.rfind(|c| c.fate != FateWord::Stands) else {
            continue;
        };
        let answer = ask(&explainer, At::Point(absent.x, absent.y), 0.0);
        let mut all = answer.species.iter().flat_map(|s| &s.candidates);
        let found = all.find(|c| c.id == absent.id).unwrap();
        let seen = (found.fate, &found.says, found.rank, found.probability);
        let told = (absent.fate, &absent.says, absent.rank, absent.probability);
        assert_eq!((seen, found.distance), (told, 0.0));
        let id = u64::from_str_radix(&found.id[2..], 16).unwrap();
        assert!(!plants.contains_key(&id) && found.plant.is_none());
        let is_likely = found.rank < found.probability;
        assert_eq!(is_likely, found.fate == FateWord::Beaten, "{found:?}");
        *fates.entry(format!("{:?}", found.fate)).or_default() += 1;
        n_empty += 1;
        if n_empty == 1000 {
            break;
        }
    }
    for fate in ["Beaten", "Improbable", "Void"] {
        assert!(fates.get(fate) > Some(&5), "{fates:?}");
    }
}

#[test]
fn how_a_world_was_cut_changes_no_answer() {
    let (first, second) = (baked(64, 48.0), baked(37, 31.0));
    let worlds = [&first, &second].map(|place| World::open(&place.path("out")).unwrap());
    let explainers = [open(&worlds[0]), open(&worlds[1])];
    for (x, y) in (7000..7100).map(random_point) {
        let [a, b] = [0, 1].map(|k| ask(&explainers[k], At::Point(x, y), 3.0));
        assert_eq!(a, b);
    }
}

#[test]
fn a_plant_is_asked_by_its_id() {
    let place = baked(64, 48.0);
    let dir = place.path("out");
    let (world, plants) = (World::open(&dir).unwrap(), stored(&dir));
    let (id, (name, _, plant)) = plants.iter().next().unwrap();
    let explainer = open(&world);
    let answer = ask(&explainer, At::Plant(*id), 0.0);
    assert_eq!((answer.x, answer.y), (metres(plant.x), metres(plant.y)));
    assert_eq!(answer.species.len(), 1);
    assert_eq!(answer.species[0].name, *name);
    let request = Request {
        at: At::Plant(1),
        radius: 0.0,
        species: None,
    };
    assert!(matches!(
        explainer.explain(&request),
        Err(ExplainError::NoPlant { id: 1 })
    ));
}

#[test]
fn the_outside_and_voids_are_answers() {
    let place = baked(64, 48.0);
    let world = World::open(&place.path("out")).unwrap();
    assert_eq!(
        ask(&open(&world), At::Point(-12.5, 300.0), 2.0).ground,
        Ground::OffMap
    );
    // The middle of a disc of voids.
    let void = ask(&open(&world), At::Point(1040.5, 1966.5), 2.0);
    assert_eq!(void.ground, Ground::Void);
    assert!(
        void.species
            .iter()
            .all(|s| s.probability.is_none() && s.rules.is_empty())
    );
}

#[test]
fn inputs_that_changed_are_told() {
    let place = baked(64, 48.0);
    place.write("heights.tif", &plain(SIZE[0], SIZE[1]), |x, y| {
        (x + y) as f64
    });
    let world = World::open(&place.path("out")).unwrap();
    assert!(
        !ask(&open(&world), At::Point(1020.0, 1980.0), 2.0)
            .changed
            .is_empty()
    );
}

/// A mask is named by its file, and the job that reads it by `rules` is told of once the file holds something else.
#[track_caller]
fn check_mask(rules: &str, job: &str) {
    let place = Place::with_hills(&plain(150, 130));
    let write_mask = |value: f64| {
        let mask = Tiff::new(150, 130, (1, 8)).placed((1.0, 1.0), (1000.0, 2000.0));
        place.write("meadow.tif", &mask, |_, _| value);
    };
    write_mask(51.0);
    place
        .bake(&(config_text(64, 48.0) + rules), 2, "out")
        .unwrap();
    let dir = place.path("out");
    let world = World::open(&dir).unwrap();
    let at = At::Point(1020.0, 1980.0);
    let before = ask(&open(&world), at, 0.0);
    assert_eq!(before.layers[0].name, "mask meadow.tif");
    assert_eq!(before.layers[0].value, Some(f64::from(0.2_f32)));
    assert!(before.changed.is_empty(), "{:?}", before.changed);
    write_mask(102.0);
    let after = ask(&open(&world), at, 0.0);
    assert_eq!(after.changed, [job]);
}

const GRASS: &str =
    "[[species]]\nname = 'grass'\nwrite = 'density'\nstrata = { meadow = 1.0 }\ndensity = 900\n";
const MASK: &str = "mask = { file = 'meadow.tif' }\n";

#[test]
fn a_mask_that_grass_alone_reads_is_named_and_seen_to_change() {
    check_mask(&format!("{GRASS}{MASK}"), "distances of tile (0, 0)");
}

#[test]
fn a_mask_that_a_biome_alone_reads_is_named_and_seen_to_change() {
    let biome = |species: &str| {
        format!("{GRASS}[[biome]]\nname = 'glade'\nspecies = ['{species}']\n{MASK}")
    };
    check_mask(&biome("grass"), "distances of tile (0, 0)");
    // Chunks of 48 m.
    check_mask(&biome("fern"), "plants of chunk (21, 41)");
}

#[test]
fn a_flipped_bit_of_the_ledger_is_told_or_changes_nothing() {
    let place = baked(64, 48.0);
    let dir = place.path("out");
    let world = World::open(&dir).unwrap();
    // Where another file than the one that was baked would be seen.
    place.write("heights.tif", &plain(SIZE[0], SIZE[1]), |x, y| {
        (x + y) as f64
    });
    let at = At::Point(1020.0, 1980.0);
    let mut right = ask(&open(&world), at, 0.0);
    right.changed.sort();
    let ledger = dir.join("rev/1/ledger");
    let bytes = std::fs::read(&ledger).unwrap();
    let n_bits = 8 * bytes.len() as u64;
    let mut n_told = 0;
    for k in 0..600 {
        let bit = mix(k) % n_bits;
        let mut flipped = bytes.clone();
        flipped[(bit / 8) as usize] ^= 1 << (bit % 8);
        std::fs::write(&ledger, flipped).unwrap();
        let mut answer = ask(&open(&world), at, 0.0);
        let unknown = std::mem::take(&mut answer.unknown);
        // A job is told once, as changed or as not known.
        answer.changed.extend_from_slice(&unknown);
        answer.changed.sort();
        assert_eq!(answer, right, "bit {bit}");
        n_told += usize::from(!unknown.is_empty());
    }
    assert!((1..600).contains(&n_told), "{n_told}");
}

#[test]
fn a_damaged_world_is_told() {
    let place = baked(64, 48.0);
    let dir = place.path("out");
    let ask = |code, words: &[&str]| {
        check_run(&place, &["explain", "out", "1020", "1980"], code, words);
    };
    let ledger = dir.join("rev/1/ledger");
    std::fs::write(&ledger, "").unwrap();
    ask(0, &["strata of tile (0, 0)", "its ledger is damaged"]);
    std::fs::remove_file(&ledger).unwrap();
    ask(0, &["its ledger is damaged"]);
    let world = World::open(&dir).unwrap();
    for chunk in &world.manifest().chunks {
        std::fs::write(dir.join(&chunk.artefact.file), "").unwrap();
    }
    ask(1, &["vegetation/", "expected digest"]);
}

#[test]
fn inputs_of_another_map_end_it_with_both_maps() {
    let place = Place::new();
    let write = |width, height| {
        place.write("heights.tif", &plain(width, height), |x, y| (x + y) as f64);
    };
    write(140, 130);
    let text = "[terrain]\nheights = ['heights.tif']\n[tiles]\nsize = 32\n[[stratum]]\nname = 'ground'\n\
        [[species]]\nname = 'fir'\nstrata = { ground = 1 }\nspacing = 3\n";
    place.bake(text, 1, "out").unwrap();
    for (width, height) in [(140, 100), (1, 1), (141, 130)] {
        write(width, height);
        let made = format!("{width} × {height} pixels");
        let words = [
            made.as_str(),
            "140 × 130 pixels of 1 × 1 m from (1000, 2000)",
        ];
        check_run(&place, &["explain", "out", "1020", "1980"], 2, &words);
    }
}

#[test]
fn the_command_answers_and_refuses() {
    let place = Place::with_hills(&plain(150, 130));
    std::fs::write(place.path("world.toml"), config_text(64, 48.0)).unwrap();
    check_run(
        &place,
        &["bake", "world.toml", "--out", "out", "--no-report"],
        0,
        &[],
    );
    let said = check_run(
        &place,
        &["explain", "out", "1020", "1980.5"],
        0,
        &["oak", "slope", "stratum meadow"],
    );
    assert!(said.contains("mixed weight"), "{said}");
    check_run(
        &place,
        &["explain", "out", "-12.5", "300"],
        0,
        &["off the map"],
    );
    check_run(
        &place,
        &["explain", "out", "1020", "1980", "--species", "oka"],
        2,
        &["did you mean `oak`?"],
    );
    check_run(
        &place,
        &["explain", "out", "1020", "1980", "--radius", "900"],
        2,
        &["radius"],
    );
    check_run(&place, &["explain", "out@9", "1020", "1980"], 2, &[]);
    check_run(&place, &["explain", "out"], 2, &[]);
    let json = check_run(
        &place,
        &["explain", "out@1", "1020", "1980", "--json"],
        0,
        &[],
    );
    let value: serde_json::Value = serde_json::from_str(json.trim()).unwrap();
    assert_eq!(value["event"], "explained");
    assert_eq!(value["ground"], "solid");
    assert_eq!(value["species"].as_array().unwrap().len(), 3);
}
