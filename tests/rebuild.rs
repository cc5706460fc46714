//! Law 2: after any edits, a bake that takes over what it can equals one that starts from nothing, byte for byte, and
//! makes no more again than what the edit reaches, and what was foretold.
//!
//! `ECOTONE_EDITS=10000` makes more of them, and `ECOTONE_WORLD=17` those of one world alone.

#![allow(clippy::unwrap_used)]

#[path = "support/edits/mod.rs"]
mod edits;
mod support;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ecotone_bake::{Bake, Forecast, JobKind, Options, Outcome, Plan, config};
use ecotone_store::{Entry, Manifest, World};
use edits::{Dice, Dirt, State};
use support::{Place, bilinear, plain, plants};

/// Edits of one world.
const EDITS_PER_WORLD: u64 = 40;
/// Edits in all, where nobody asks for more.
const EDITS: u64 = 2_000;

/// A file that changed so long ago is told by its stamp.
const STAMP_AGE: Duration = Duration::from_millis(35);

fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn a_rebuild_equals_a_fresh_bake_and_makes_no_more_than_it_reaches() {
    if let Some(seed) = asked("ECOTONE_WORLD") {
        return live(seed).unwrap();
    }
    let n_worlds = asked("ECOTONE_EDITS")
        .unwrap_or(EDITS)
        .div_ceil(EDITS_PER_WORLD);
    let next = AtomicU64::new(0);
    // Some always wait for their files to age.
    let n_threads = 4 * ecotone_bake::cores();
    std::thread::scope(|scope| {
        let work = || {
            let mut seeds = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
            let failed = seeds
                .by_ref()
                .take_while(|&seed| seed < n_worlds)
                .find_map(|seed| live(seed).err());
            // The others need not go on.
            failed.inspect(|_| next.store(n_worlds, Ordering::Relaxed))
        };
        let crew: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
        let failed: Vec<_> = crew.into_iter().filter_map(|w| w.join().unwrap()).collect();
        assert!(failed.is_empty(), "{}", failed.join("\n"));
    });
}

/// Edits a world again and again.
fn live(seed: u64) -> Result<(), String> {
    let mut dice = Dice::new(seed);
    let place = Place::new();
    let mut state = State::random(&mut dice);
    state.write(&place, None, &mut dice);
    let mut stack = Vec::new();
    // What differs from the revision that is current: an edit without effect makes none.
    let mut dirt: Option<Dirt> = None;
    for step in 0..EDITS_PER_WORLD {
        let before = state.clone();
        let what = match step {
            0 => "nothing yet".to_owned(),
            _ => change(&mut state, &mut stack, &mut dice),
        };
        state.write(&place, (step > 0).then_some(&before), &mut dice);
        if dice.chance(10) {
            std::thread::sleep(STAMP_AGE);
        }
        let mut now = Dirt::between(&before, &state);
        if let Some(dirt) = &dirt {
            now.add(dirt);
        }
        let failed = |why: String| format!("ECOTONE_WORLD={seed}, edit {step}, {what}: {why}");
        let bound = (step > 0).then_some(&now);
        let outcome = rebuild(&place, &state.text(), bound).map_err(failed)?;
        dirt = (!outcome.committed.is_new).then_some(now);
        stack.push(before);
    }
    Ok(())
}

/// An edit, several, or the way back.
fn change(state: &mut State, stack: &mut Vec<State>, dice: &mut Dice) -> String {
    if dice.chance(12) && !stack.is_empty() {
        let n = 1 + dice.below(stack.len().min(3));
        for _ in 0..n {
            *state = stack.pop().unwrap();
        }
        return format!("undo {n}");
    }
    let n = if dice.chance(15) { 3 } else { 1 };
    let edits: Vec<_> = (0..n).map(|_| state.edit(dice)).collect();
    edits.join(" and ")
}

/// Bakes over the world that is there and afresh; says what is not as it should be.
fn rebuild(place: &Place, text: &str, dirt: Option<&Dirt>) -> Result<Outcome, String> {
    let forecast = open(place, text, "out").forecast().unwrap();
    let (outcome, plan) = bake(place, text, "out");
    check_forecast(&forecast, &outcome)?;
    if let Some(dirt) = dirt {
        let most = dirt.most(&plan);
        for (stage, most) in outcome.stages.iter().zip(most) {
            if stage.made > most {
                return Err(format!(
                    "{:?}: {} jobs made, {most} in reach",
                    stage.kind, stage.made
                ));
            }
        }
    }
    bake(place, text, "fresh");
    let found = first_difference(&place.path("out"), &place.path("fresh"));
    std::fs::remove_dir_all(place.path("fresh")).unwrap();
    found.map_or(Ok(outcome), Err)
}

/// Weights are foretold exactly, distances and plants from both sides.
fn check_forecast(forecast: &Forecast, outcome: &Outcome) -> Result<(), String> {
    for (told, found) in forecast.stages.iter().zip(&outcome.stages) {
        let most = told.runs + told.may_run;
        let is_right = (told.runs..=most).contains(&found.made) && told.total == found.total;
        if !is_right || (told.kind == JobKind::Strata && told.may_run > 0) {
            return Err(format!("foretold {told:?}, found {found:?}"));
        }
    }
    Ok(())
}

fn open(place: &Place, text: &str, out: &str) -> Bake {
    let loaded = config::parse(text, &place.path("world.toml")).unwrap_or_else(|e| panic!("{e}"));
    let options = Options {
        out: Some(place.path(out)),
        memory_bytes: 1 << 20,
        ..Options::default()
    };
    Bake::open(&loaded, &options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn bake(place: &Place, text: &str, out: &str) -> (Outcome, Plan) {
    let bake = open(place, text, out);
    let plan = bake.plan().clone();
    let outcome = bake.run(1, &AtomicBool::new(false), &mut |_| {});
    (outcome.unwrap_or_else(|e| panic!("{e}\n{text}")), plan)
}

/// The first thing that tells two worlds apart, but for their revisions' numbers.
fn first_difference(a: &Path, b: &Path) -> Option<String> {
    let [a, b] = [a, b].map(|dir| World::open(dir).unwrap());
    let [left, right] = [&a, &b].map(|world| Manifest {
        revision: 0,
        ..world.manifest().clone()
    });
    let names = |manifest: &Manifest| {
        manifest
            .artefacts()
            .map(|f| f.file.clone())
            .collect::<Vec<_>>()
    };
    let (ours, theirs) = (names(&left), names(&right));
    if ours != theirs {
        let own = ours.iter().find(|name| !theirs.contains(name));
        let other = theirs.iter().find(|name| !ours.contains(name));
        return Some(format!(
            "the rebuild names {own:?}, the fresh bake {other:?}"
        ));
    }
    if left != right {
        return Some("world.json differs".to_owned());
    }
    let bytes = |world: &World, file| std::fs::read(world.path(file).unwrap()).unwrap();
    let mut files = left.artefacts();
    if let Some(file) = files.find(|file| bytes(&a, file) != bytes(&b, file)) {
        return Some(format!("the bytes of {}", file.file));
    }
    let [ours, theirs] = [&a, &b].map(|world| world.ledger().unwrap());
    let differs = |(x, y): &(&Entry, &Entry)| {
        (x.job, x.fingerprint, &x.files, &x.plants) != (y.job, y.fingerprint, &y.files, &y.plants)
    };
    let found = ours.iter().zip(&theirs).find(differs);
    found.map(|(own, _)| format!("the ledger's {:?}", own.job))
}

#[test]
fn one_pixel_rebuilds_the_four_tiles_around_it() {
    let flat = |raised: bool| {
        move |x: usize, y: usize| {
            if raised && (x, y) == (63, 63) {
                5.0
            } else {
                0.0
            }
        }
    };
    let place = Place::new();
    let text = "[terrain]\nheights = ['heights.tif']\n[tiles]\nsize = 64\n[[stratum]]\nname = 'flat'\nslope = [0, 30]\n\
        [[stratum]]\nname = 'steep'\nslope = [30, 90]\n";
    place.write("heights.tif", &plain(256, 256), flat(false));
    rebuild(&place, text, None).unwrap();
    place.write("heights.tif", &plain(256, 256), flat(true));
    let outcome = rebuild(&place, text, None).unwrap();
    let weights = &outcome.committed.changed.tiles["weights"];
    assert_eq!(outcome.stages[0].made, 4);
    assert_eq!(weights, &[[0, 0], [1, 0], [0, 1], [1, 1]]);
}

/// Corner of [`plain`], and the disc that is raised.
const CORNER: (f64, f64) = (1000.0, 2000.0);
const DISC: (f64, f64, f64) = (60.0, 70.0, 20.0);

#[test]
fn plants_stand_on_raised_ground_and_leave_its_rim() {
    let ground = |raised: bool| {
        move |x: usize, y: usize| {
            let (dx, dy) = (x as f64 - DISC.0, y as f64 - DISC.1);
            let is_raised = raised && dx * dx + dy * dy <= DISC.2 * DISC.2;
            x as f64 * 0.125 + if is_raised { 10.0 } else { 0.0 }
        }
    };
    let place = Place::new();
    let text = "[terrain]\nheights = ['heights.tif']\n[tiles]\nsize = 32\n[output]\nchunk = 24\n\
        [[stratum]]\nname = 'ground'\n[[species]]\nname = 'fir'\nstrata = { ground = 1 }\nspacing = 1.0\n\
        slope = { band = [0, 40] }\n";
    place.write("heights.tif", &plain(130, 130), ground(false));
    rebuild(&place, text, None).unwrap();
    let before = plants(&place.path("out"));
    place.write("heights.tif", &plain(130, 130), ground(true));
    rebuild(&place, text, None).unwrap();
    let after = plants(&place.path("out"));

    let off_rim = |row: &String| (from_disc(row) - DISC.2).abs();
    let on_rim = |rows: &[String]| rows.iter().filter(|row| off_rim(row) < 0.5).count();
    // Ten metres within one or two of them are steeper than 40°.
    assert!(on_rim(&before) > 50, "{}", on_rim(&before));
    assert_eq!(on_rim(&after), 0);
    for row in &after {
        let [x, y, z] = place_of(row);
        let right = bilinear(&ground(true), x - CORNER.0 - 0.5, CORNER.1 - y - 0.5);
        assert!((z - right).abs() <= 1e-3, "{row}: the ground is at {right}");
    }
    let far = |rows: &[String]| {
        rows.iter()
            .filter(|row| from_disc(row) > DISC.2 + 4.0)
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(far(&before), far(&after));
}

/// Columns x, y and z of a row of CSV, after id and species.
fn place_of(row: &str) -> [f64; 3] {
    let columns: Vec<&str> = row.split(',').collect();
    [2, 3, 4].map(|k| columns[k].parse().unwrap())
}

/// Metres from the middle of the disc.
fn from_disc(row: &str) -> f64 {
    let [x, y, _] = place_of(row);
    let (dx, dy) = (x - CORNER.0 - 0.5 - DISC.0, CORNER.1 - y - 0.5 - DISC.1);
    (dx * dx + dy * dy).sqrt()
}
