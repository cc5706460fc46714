//! A flipped bit at every byte of a world's books: it is noticed, and the next bake makes the world whole again.

#![allow(clippy::unwrap_used)]

mod disks;
mod tiny;

use std::path::Path;
use std::sync::Arc;

use disks::sim::{SimDisk, State};
use ecotone_store::{Disk, StoreError, World, WorldWriter};
use tiny::{Bake, Target, bake, check_no_strays, check_world};

const DIR: &str = "/out";

/// Two revisions of a world.
fn world() -> State {
    let disk = SimDisk::new(State::default());
    for n in [3, 44] {
        bake(disk.clone(), Path::new(DIR), Target::of(n)).unwrap();
    }
    disk.state()
}

/// The same with the journal of an unfinished bake.
fn unfinished() -> State {
    let disk = SimDisk::new(world());
    let mut bake = Bake::open(disk.clone(), Path::new(DIR), Target::of(121)).unwrap();
    while bake.step().unwrap() {}
    bake.writer.settle().unwrap();
    drop(bake);
    disk.state()
}

fn flipped(state: &State, file: &Path, at: usize, bit: usize) -> Arc<dyn Disk> {
    let disk = SimDisk::new(state.clone());
    let mut bytes = disk.read(file).unwrap();
    bytes[at] ^= 1 << bit;
    disk.write(file, &bytes).unwrap();
    disk
}

/// Whether anybody notices; a reader never sees another world.
fn is_noticed(disk: &Arc<dyn Disk>) -> bool {
    let dir = Path::new(DIR);
    let read = World::open_on(disk.clone(), dir).and_then(|world| world.check_books());
    let mut writer = WorldWriter::open_on(disk.clone(), dir).unwrap();
    writer.known(true).unwrap();
    let recovered = writer.recovered();
    let noticed = !recovered.damaged.is_empty() || recovered.n_torn > 0;
    assert!(read.is_ok() || noticed, "{read:?} {recovered:?}");
    for damage in &recovered.damaged {
        assert!(damage.to_string().contains("`ecotone bake"), "{damage}");
    }
    noticed
}

/// Flips a bit of every byte of a file.
fn check_flips(state: &State, name: &str, next: Target) {
    let dir = Path::new(DIR);
    let file = dir.join(name);
    let n_bytes = SimDisk::new(state.clone()).read(&file).unwrap().len();
    for at in 0..n_bytes {
        let disk = flipped(state, &file, at, at % 8);
        assert!(is_noticed(&disk), "{name}, byte {at}");
        if n_bytes > 1000 && at % 7 != 0 {
            continue; // Mended as its neighbours are.
        }
        bake(disk.clone(), dir, next).unwrap();
        assert_eq!(check_world(&disk, dir, &[next]), next, "{name}, byte {at}");
        let writer = WorldWriter::open_on(disk.clone(), dir).unwrap();
        let recovered = writer.recovered();
        assert!(
            recovered.damaged.is_empty(),
            "{name}, byte {at}: {recovered:?}"
        );
        drop(writer);
        check_no_strays(&disk, dir);
    }
}

#[test]
fn in_current_it_is_noticed_and_mended() {
    check_flips(&world(), "current", Target::of(44));
}

#[test]
fn in_the_sums_it_is_noticed_and_mended() {
    check_flips(&world(), "rev/2/sums", Target::of(44));
}

#[test]
fn in_the_manifest_it_is_noticed_and_mended() {
    check_flips(&world(), "rev/2/world.json", Target::of(44));
}

#[test]
fn in_the_config_the_rules_and_the_changes_it_is_noticed_and_mended() {
    for name in ["config.toml", "rules.json", "changed.json"] {
        check_flips(&world(), &format!("rev/2/{name}"), Target::of(44));
    }
}

#[test]
fn in_a_mosaic_it_is_noticed_and_mended() {
    check_flips(&world(), "rev/2/sdf.vrt", Target::of(44));
}

#[test]
fn in_the_ledger_it_is_noticed_and_mended() {
    check_flips(&world(), "rev/2/ledger", Target::of(44));
}

#[test]
fn in_the_journal_it_is_noticed_and_mended() {
    check_flips(&unfinished(), "journal", Target::of(121));
}

#[test]
fn in_an_artefact_it_is_noticed_and_mended() {
    let state = world();
    let disk: Arc<dyn Disk> = SimDisk::new(state.clone());
    let world = World::open_on(disk, Path::new(DIR)).unwrap();
    for artefact in world.manifest().artefacts() {
        check_flips(&state, &artefact.file, Target::of(44));
    }
}

#[test]
fn the_copy_for_people_stands_in_for_a_damaged_manifest() {
    let state = world();
    let disk = flipped(&state, &Path::new(DIR).join("rev/2/world.json"), 40, 0);
    let writer = WorldWriter::open_on(disk, Path::new(DIR)).unwrap();
    assert_eq!(writer.current().unwrap().revision, 2);
}

#[test]
fn a_damaged_world_says_which_file_and_what_to_do() {
    let state = world();
    for name in ["current", "rev/2/sums", "rev/2/world.json"] {
        let file = Path::new(DIR).join(name);
        let told = match World::open_on(flipped(&state, &file, 3, 1), Path::new(DIR)) {
            Err(error @ StoreError::Damaged { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        };
        // Where digest and sums differ, either may be what rotted.
        let named = [format!("{name} is damaged"), format!("`{name}` expects")];
        assert!(named.iter().any(|words| told.contains(words)), "{told}");
        assert!(told.contains("`ecotone bake`"), "{told}");
    }
}

#[test]
fn a_lost_current_costs_no_revision() {
    let dir = Path::new(DIR);
    let only = SimDisk::new(State::default());
    bake(only.clone(), dir, Target::of(3)).unwrap();
    for state in [only.state(), world()] {
        let disk: Arc<dyn Disk> = SimDisk::new(state);
        let world = World::open_on(disk.clone(), dir).unwrap();
        let (revision, manifest) = (world.manifest().revision, world.manifest().clone());
        drop(world);
        disk.remove(&dir.join("current")).unwrap();
        let writer = WorldWriter::open_on(disk.clone(), dir).unwrap();
        assert_eq!(writer.current(), Some(&manifest));
        assert_eq!(writer.recovered().damaged.len(), 1);
        drop(writer);
        let target = check_known(&disk, revision);
        assert_eq!(
            bake(disk.clone(), dir, target).unwrap().revision,
            revision + 1
        );
        assert_eq!(check_world(&disk, dir, &[target]), target);
    }
}

/// Every job of the world is known without `current`; returns its target.
fn check_known(disk: &Arc<dyn Disk>, revision: u64) -> Target {
    let target = Target::of([3, 44][revision as usize - 1]);
    let mut writer = WorldWriter::open_on(disk.clone(), Path::new(DIR)).unwrap();
    let known = writer.known(true).unwrap();
    for job in tiny::fingerprints(&target) {
        assert!(known.iter().any(|e| (e.job, e.fingerprint) == job));
    }
    target
}
