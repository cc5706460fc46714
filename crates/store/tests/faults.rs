//! Every call of a bake fails in turn, as disks fail: the world stays whole, the error says why, and the next bake ends right.

#![allow(clippy::unwrap_used)]

mod disks;
mod tiny;

use std::path::Path;
use std::sync::Arc;

use disks::faulty::{Fault, FaultyDisk};
use ecotone_store::{Disk, RealDisk, Stage, StoreError, WorldWriter};
use tiny::{Bake, Target, bake, check_no_strays, check_world};

const EIO: i32 = 5;
const EACCES: i32 = 13;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;
const EOPNOTSUPP: i32 = 95;
const EDQUOT: i32 = 122;

fn folder() -> tempfile::TempDir {
    let fast = Path::new("/dev/shm");
    let made = if fast.is_dir() {
        tempfile::tempdir_in(fast)
    } else {
        tempfile::tempdir()
    };
    made.unwrap()
}

fn real() -> Arc<dyn Disk> {
    Arc::new(RealDisk)
}

/// Two revisions, and a third bake that was killed.
fn unfinished(dir: &Path) {
    bake(real(), dir, Target::of(1)).unwrap();
    bake(real(), dir, Target::of(27)).unwrap();
    let mut killed = Bake::open(real(), dir, Target::of(58)).unwrap();
    killed.step().unwrap();
    killed.writer.settle().unwrap();
    killed.step().unwrap();
}

/// A bake that settles half-way.
fn settled_bake(disk: Arc<dyn Disk>, dir: &Path, target: Target) -> Result<(), StoreError> {
    let mut bake = Bake::open(disk, dir, target)?;
    bake.step()?;
    bake.step()?;
    bake.writer.settle()?;
    match bake.commit(1)?.warnings.pop() {
        Some(warning) => Err(warning),
        None => Ok(()),
    }
}

/// Fails call after call; returns how many there are.
fn check_faults(code: i32, is_short: bool, stays: bool) -> usize {
    for at in 0.. {
        let dir = folder();
        let dir = dir.path();
        unfinished(dir);
        let disk = FaultyDisk::new(Fault {
            at,
            code,
            is_short,
            stays,
        });
        let (old, new) = (Target::of(27), Target::of(58));
        let baked = settled_bake(disk.clone(), dir, new);
        let found = check_world(&real(), dir, &[old, new]);
        if !disk.has_failed() {
            baked.unwrap();
            assert_eq!(found, new);
            return at;
        }
        if let Err(error) = &baked {
            let told = error.to_string();
            let is_full = matches!(error, StoreError::DiskFull { .. });
            let read = told.starts_with("cannot read") || told.starts_with("cannot look");
            let list = told.starts_with("cannot list") || told.starts_with("cannot open");
            assert!(
                code != ENOSPC || is_full || read || list,
                "call {at}: {told}"
            );
        } else {
            // Only what is cleared up after a failure may fail unheard.
            assert_eq!(found, new, "call {at}");
        }
        settled_bake(real(), dir, new).unwrap();
        assert_eq!(check_world(&real(), dir, &[new]), new, "call {at}");
        check_no_strays(&real(), dir);
    }
    unreachable!("a bake has an end")
}

#[test]
fn an_error_of_any_call_leaves_the_old_world_or_the_new() {
    assert!(check_faults(EIO, false, false) > 150);
}

#[test]
fn a_full_disk_at_any_call_leaves_the_old_world_or_the_new() {
    assert!(check_faults(ENOSPC, true, true) > 150);
}

#[test]
fn a_short_write_at_any_call_leaves_the_old_world_or_the_new() {
    assert!(check_faults(EIO, true, true) > 150);
}

/// The first write of an artefact fails so.
fn refused(code: i32) -> String {
    let dir = folder();
    bake(real(), dir.path(), Target::of(1)).unwrap();
    let count = FaultyDisk::new(Fault {
        at: usize::MAX,
        code,
        is_short: false,
        stays: false,
    });
    drop(WorldWriter::open_on(count.clone(), dir.path()).unwrap());
    let disk = FaultyDisk::new(Fault {
        at: count.n_calls() + 1,
        code,
        is_short: true,
        stays: true,
    });
    let mut writer = WorldWriter::open_on(disk, dir.path()).unwrap();
    let refused = writer.put(&Stage::Weights, 3, -12, b"content");
    drop(writer);
    let next = WorldWriter::open(dir.path()).unwrap();
    assert!(next.recovered().damaged.is_empty());
    refused.unwrap_err().to_string()
}

#[test]
fn what_the_system_refuses_is_said_in_a_clear_sentence() {
    for (code, words) in [
        (ENOSPC, "the disk is full: 7 bytes were to be written to"),
        (EDQUOT, "the disk is full: 7 bytes were to be written to"),
        (EROFS, "read-only"),
        (EACCES, "permission denied"),
        (EIO, "Input/output error"),
    ] {
        let told = refused(code);
        assert!(told.contains(words), "{told}");
        assert!(told.contains("x0003_ym0012."), "{told}");
    }
}

#[test]
fn a_file_system_without_locks_takes_no_writer_and_says_so() {
    let dir = folder();
    bake(real(), dir.path(), Target::of(1)).unwrap();
    let disk = FaultyDisk::new(Fault {
        at: 1, // Behind a look at the folder.
        code: EOPNOTSUPP,
        is_short: false,
        stays: true,
    });
    let refused = WorldWriter::open_on(disk, dir.path()).unwrap_err();
    assert!(matches!(refused, StoreError::NoLocks { .. }), "{refused}");
    let told = refused.to_string();
    assert!(
        told.contains("/lock") && told.contains("no locks"),
        "{told}"
    );
}

#[test]
fn a_folder_that_vanished_is_named() {
    let dir = folder();
    let mut writer = WorldWriter::open(dir.path()).unwrap();
    std::fs::remove_dir_all(dir.path().join("sdf")).unwrap();
    let told = writer.put(&Stage::Sdf, 0, 0, b"x").unwrap_err().to_string();
    assert!(
        told.contains("/sdf/") && told.contains("its folder went away"),
        "{told}"
    );
}

#[test]
fn a_writer_promises_nothing_after_a_failed_sync() {
    let target = Target::of(3);
    let mut n_refused = 0;
    for at in 0..120 {
        let dir = folder();
        let disk = FaultyDisk::new(Fault {
            at,
            code: EIO,
            is_short: false,
            stays: false,
        });
        let Ok(mut bake) = Bake::open(disk, dir.path(), target) else {
            continue;
        };
        if bake.step().is_err() || bake.writer.settle().is_ok() {
            continue;
        }
        n_refused += 1;
        assert_eq!(bake.writer.n_acknowledged(), 0);
        let again = [bake.writer.settle(), bake.commit(0).map(drop)];
        for again in again {
            assert!(
                matches!(again, Err(StoreError::AfterFailure { .. })),
                "{again:?}"
            );
        }
        drop(bake);
        tiny::bake(real(), dir.path(), target).unwrap();
        check_world(&real(), dir.path(), &[target]);
    }
    assert!(n_refused >= 5, "{n_refused}");
}

/// Two writers at once: one bakes, the other is told who holds the world since when.
#[test]
fn of_two_writers_one_bakes_and_the_other_is_told() {
    const ROUNDS: u64 = 500;
    let dir = folder();
    let path = dir.path();
    let write = |first: u64| {
        let mut n_told = 0;
        for n in 0..ROUNDS {
            match bake(real(), path, Target::of(first + n)) {
                Ok(committed) => assert!(committed.warnings.is_empty(), "{committed:?}"),
                Err(error @ StoreError::Locked { .. }) => {
                    n_told += 1;
                    let told = error.to_string();
                    // Between taking the lock and writing into it the holder has no name yet.
                    let named = told.contains(&format!("process {} on ", std::process::id()));
                    assert!(named || told.contains("another process"), "{told}");
                }
                Err(error) => panic!("{error}"),
            }
        }
        n_told
    };
    let n_told = std::thread::scope(|scope| {
        let other = scope.spawn(|| write(17));
        write(0) + other.join().unwrap()
    });
    assert!(n_told > 0);
    let targets: Vec<Target> = (0..125).map(Target::of).collect();
    check_world(&real(), path, &targets);
    bake(real(), path, Target::of(7)).unwrap();
    check_no_strays(&real(), path);
}
