//! Plants that were pinned by hand stay through every rebuild, keep their ground, and are never dropped in silence.

#![allow(clippy::unwrap_used)]

#[path = "pins/looks.rs"]
mod looks;
#[path = "pins/lost.rs"]
mod lost;
#[path = "pins/random.rs"]
mod random;
mod support;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use ecotone_bake::edit::{Brush, Change, Editing, PinLine, PinOp, PinRequest};
use ecotone_bake::{Bake, BakeError, EditLog, Options, Outcome, config};
use ecotone_store::{Manifest, World};
use support::{Place, config_text, plain, plants};

/// A request that says nothing yet.
fn ask(op: PinOp) -> PinRequest {
    PinRequest {
        op,
        species: None,
        id: None,
        at: None,
        to: None,
        within: 2.0,
        size: None,
        yaw: None,
        variant: None,
        tint: None,
    }
}

fn add(species: &str, at: [f64; 2]) -> PinRequest {
    PinRequest {
        species: Some(species.to_owned()),
        at: Some(at),
        ..ask(PinOp::Add)
    }
}

fn by_id(op: PinOp, id: u64) -> PinRequest {
    let id = Some(id);
    PinRequest { id, ..ask(op) }
}

fn lines(requests: &[PinRequest]) -> Vec<PinLine> {
    let line = |asked: &PinRequest| PinLine {
        line: None,
        asked: Ok(asked.clone()),
    };
    requests.iter().map(line).collect()
}

fn run(editing: Editing) -> Result<Outcome, BakeError> {
    editing.bake(8 << 20, 2, &AtomicBool::new(false), &mut |_| {})
}

fn pin(world: &Path, requests: &[PinRequest]) -> Result<Outcome, BakeError> {
    let mut editing = Editing::open(world)?;
    editing.pin(&lines(requests), None)?;
    run(editing)
}

fn raise(world: &Path, x: f64, y: f64, radius: f64, height: f64) -> Result<Outcome, BakeError> {
    let mut editing = Editing::open(world)?;
    let brush = Brush {
        x,
        y,
        radius,
        falloff: 0.5,
    };
    editing.add(&Change::Raise { brush, height })?;
    run(editing)
}

fn undo(world: &Path, n: usize) -> Outcome {
    let mut editing = Editing::open(world).unwrap();
    editing.undo(n).unwrap();
    run(editing).unwrap()
}

fn manifest(world: &Path) -> Manifest {
    World::open(world).unwrap().manifest().clone()
}

/// A plant as an export says it.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    id: u64,
    species: String,
    at: [f64; 2],
    /// All that follows the place: z, yaw, size, upright and variant.
    look: Vec<String>,
}

fn rows(world: &Path) -> Vec<Row> {
    let row = |text: String| {
        let cells: Vec<String> = text.split(',').map(str::to_owned).collect();
        Row {
            id: cells[0].parse().unwrap(),
            species: cells[1].clone(),
            at: [cells[2].parse().unwrap(), cells[3].parse().unwrap()],
            look: cells[4..].to_vec(),
        }
    };
    plants(world).into_iter().map(row).collect()
}

fn find(rows: &[Row], id: u64) -> Option<&Row> {
    rows.iter().find(|row| row.id == id)
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

/// A small world of hills, baked into `out`.
fn world(tile: u32, chunk: f64) -> Place {
    let place = Place::with_hills(&plain(150, 131));
    std::fs::write(place.path("world.toml"), config_text(tile, chunk)).unwrap();
    place.bake(&config_text(tile, chunk), 2, "out").unwrap();
    place
}

/// A plant of a species well inside the map, with others around it.
fn some(rows: &[Row], species: &str, skip: usize) -> Row {
    let inside = |row: &&Row| {
        let [x, y] = row.at;
        row.species == species && (1020.0..1130.0).contains(&x) && (1890.0..1980.0).contains(&y)
    };
    let inside: Vec<&Row> = rows.iter().filter(inside).collect();
    inside[skip % inside.len()].clone()
}

/// Bakes a config from nothing under the log of another world.
fn fresh(place: &Place, text: &str, of: &str, out: &str) -> Outcome {
    let loaded = config::parse(text, &place.path("world.toml")).unwrap();
    let options = Options {
        out: Some(place.path(out)),
        memory_bytes: 8 << 20,
        edits: Some(EditLog {
            records: manifest(&place.path(of)).edits,
            dir: place.path(of),
        }),
        ..Options::default()
    };
    let bake = Bake::open(&loaded, &options).unwrap();
    bake.run(2, &AtomicBool::new(false), &mut |_| {}).unwrap()
}

/// Every file that the world names, which goes by its content, is one of a fresh bake under the same log.
#[track_caller]
fn check_fresh(place: &Place, text: &str) {
    fresh(place, text, "out", "fresh");
    let [ours, theirs] = ["out", "fresh"].map(|out| manifest(&place.path(out)));
    let revision = ours.revision;
    assert_eq!(ours, Manifest { revision, ..theirs });
    std::fs::remove_dir_all(place.path("fresh")).unwrap();
}

#[test]
fn an_added_plant_stands_as_asked_and_keeps_its_ground() {
    let place = world(64, 60.0);
    let out = place.path("out");
    let before = rows(&out);
    // Beside an oak, so that the oak's ground is taken.
    let near = some(&before, "oak", 3);
    let at = [near.at[0] + 0.5, near.at[1]];
    let asked = PinRequest {
        size: Some(0.75),
        yaw: Some(-90.0),
        variant: Some("b".to_owned()),
        ..add("pine", at)
    };
    let outcome = pin(&out, &[asked]).unwrap();
    let after = rows(&out);
    let stands = after.iter().find(|row| row.at == at).unwrap();
    assert_eq!(stands.species, "pine");
    assert_eq!(stands.look[1], "270");
    // Stored in 65,535 steps up to the largest size, which is 1.
    let size: f64 = stands.look[2].parse().unwrap();
    assert!((size - 0.75).abs() <= 0.5 / 65535.0, "{size}");
    assert_eq!(stands.look[6], "b");
    // Footprints: pine 1.2, oak 1.5, fern 0.6; the spacing of pines is 5.
    for row in after.iter().filter(|row| row.at != at) {
        let least = match row.species.as_str() {
            "pine" => 5.0,
            "oak" => 2.7,
            _ => 1.8,
        };
        assert!(distance(row.at, at) >= least, "{row:?}");
    }
    assert!(find(&after, near.id).is_none());
    assert_eq!(outcome.committed.changed.plants.unwrap().added, 1);
    check_fresh(&place, &config_text(64, 60.0));
}

#[test]
fn a_removed_plant_is_gone_and_an_undo_brings_it_back() {
    let place = world(64, 60.0);
    let out = place.path("out");
    let before = rows(&out);
    let digests = place.digests("out");
    let oak = some(&before, "oak", 0);
    pin(&out, &[by_id(PinOp::Remove, oak.id)]).unwrap();
    assert!(find(&rows(&out), oak.id).is_none());
    check_fresh(&place, &config_text(64, 60.0));
    // A bake of the config keeps it away.
    place.bake(&config_text(64, 60.0), 1, "out").unwrap();
    assert!(find(&rows(&out), oak.id).is_none());
    undo(&out, 1);
    assert_eq!(place.digests("out"), digests);
}

#[test]
fn a_moved_plant_keeps_its_look_and_a_locked_one_outlives_its_rules() {
    let place = world(64, 60.0);
    let out = place.path("out");
    let before = rows(&out);
    let (moved, locked) = (some(&before, "fern", 5), some(&before, "oak", 7));
    let to = [moved.at[0] + 3.25, moved.at[1] - 2.5];
    let request = PinRequest {
        to: Some(to),
        ..by_id(PinOp::Move, moved.id)
    };
    pin(&out, &[request, by_id(PinOp::Lock, locked.id)]).unwrap();
    let after = rows(&out);
    assert!(find(&after, moved.id).is_none());
    let there = after.iter().find(|row| row.at == to).unwrap();
    assert_eq!(there.species, "fern");
    assert_eq!(there.look[1..3], moved.look[1..3]);
    assert_eq!(find(&after, locked.id).unwrap(), &locked);

    // Oaks that hardly grow, elsewhere and smaller: the locked one is as it was.
    let text = config_text(64, 60.0)
        .replace("density = 300", "density = 1")
        .replace("seed = 5", "seed = 6")
        .replace("size = [0.8, 1.4]", "size = [0.8, 1.4]\nsink = [0.1, 0.2]");
    place.bake(&text, 2, "out").unwrap();
    let after = rows(&out);
    assert!(after.iter().filter(|row| row.species == "oak").count() < 20);
    assert_eq!(find(&after, locked.id).unwrap(), &locked);
    check_fresh(&place, &text);
}

#[test]
fn a_pinned_plant_is_moved_and_removed_like_any_other() {
    let place = world(64, 60.0);
    let out = place.path("out");
    let digests = place.digests("out");
    let (at, to) = ([1050.0, 1950.0], [1060.0, 1944.5]);
    pin(&out, &[add("oak", at)]).unwrap();
    let moved = PinRequest {
        species: Some("oak".to_owned()),
        at: Some([1051.0, 1950.5]),
        to: Some(to),
        ..ask(PinOp::Move)
    };
    pin(&out, &[moved]).unwrap();
    let after = rows(&out);
    let places = |at: [f64; 2]| after.iter().filter(|row| row.at == at).count();
    assert_eq!((places(at), places(to)), (0, 1));
    let remove = PinRequest {
        species: Some("oak".to_owned()),
        at: Some(to),
        ..ask(PinOp::Remove)
    };
    let outcome = pin(&out, &[remove]).unwrap();
    // What an earlier pin had set is taken away: that needs no plant of the rules' own.
    assert_eq!(outcome.orphans, []);
    assert_eq!(place.digests("out").plants, digests.plants);
    check_fresh(&place, &config_text(64, 60.0));
}

#[test]
fn a_pin_rebuilds_the_chunks_in_its_reach_and_no_others() {
    let place = world(64, 30.0);
    let out = place.path("out");
    let outcome = pin(&out, &[add("oak", [1045.0, 1925.0])]).unwrap();
    let [strata, sdf, plants] = [0, 1, 2].map(|k| outcome.stages[k].made);
    assert_eq!((strata, sdf), (0, 0));
    // Beyond its own chunk lie those within competition's reach and a spacing.
    let text = config_text(64, 30.0);
    let loaded = config::parse(&text, &place.path("world.toml")).unwrap();
    let options = Options {
        out: Some(out.clone()),
        ..Options::default()
    };
    let reach = Bake::open(&loaded, &options)
        .unwrap()
        .plan()
        .reaches
        .competition_m
        + 5.0;
    let side = 2.0 * (reach / 30.0).ceil() + 1.0;
    assert!(
        (plants as f64) <= side * side,
        "{plants} chunks, {side} a side"
    );
    assert!(plants > 0 && plants < outcome.stages[2].total);
    let far = pin(&out, &[add("oak", [1010.0, 1990.0])]).unwrap();
    // Whether the others were read at all hangs on how long ago the heights were written.
    assert!(far.stages[2].made < far.stages[2].total);
}

#[test]
fn tiles_chunks_and_threads_do_not_show_in_pinned_worlds() {
    let place = world(64, 60.0);
    let out = place.path("out");
    let before = rows(&out);
    let mut requests: Vec<_> = (0..12)
        .map(|k| by_id(PinOp::Remove, some(&before, "fern", 9 * k).id))
        .collect();
    // Along the borders of tiles and chunks.
    requests.extend((0..40).map(|k| {
        let species = ["oak", "pine", "fern"][k % 3];
        add(
            species,
            [1064.0 + 0.3 * (k % 2) as f64, 1880.0 + 2.5 * k as f64],
        )
    }));
    pin(&out, &requests).unwrap();
    let right = plants(&out);
    for (tile, chunk) in [(150, 200.0), (37, 17.0), (64, 60.0)] {
        fresh(&place, &config_text(tile, chunk), "out", "other");
        assert_eq!(
            plants(&place.path("other")),
            right,
            "tiles {tile}, chunks {chunk}"
        );
        std::fs::remove_dir_all(place.path("other")).unwrap();
    }
}
