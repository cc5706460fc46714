//! Law 3: a bake that is killed loses nothing that it acknowledged, shows nothing that is damaged, and goes on to the same world.
//!
//! The process is really killed (SIGKILL): at every call that changes the disk, those of the commit among them, and at random
//! moments.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support;

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ecotone_bake::{Bake, Options, Outcome, config};
use ecotone_interchange::Digests;
use ecotone_store::{Disk, Hold, Lock, RealDisk, Stat, World, WorldWriter};
use support::{Place, config_text, plain};

/// One test at a time: a process that another thread starts has this one's open files, and so its locks, until it is another
/// program.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many calls the child may make, and the folder it bakes in.
const CALLS: &str = "ECOTONE_TEST_CALLS";
const FOLDER: &str = "ECOTONE_TEST_FOLDER";

/// The real disk under a process that dies in the call after so many that change something.
#[derive(Debug)]
struct Deadly {
    left: AtomicUsize,
}

impl Deadly {
    /// Counts a call; in the last one `half` of it is done first.
    fn count(&self, half: impl FnOnce()) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            half();
            let id = std::process::id().to_string();
            let _ = Command::new("kill").args(["-KILL", &id]).status();
            loop {
                std::thread::park();
            }
        }
    }
}

impl Disk for Deadly {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        RealDisk.read(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        RealDisk.stat(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        RealDisk.list(folder)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.count(|| drop(RealDisk.write(path, &bytes[..bytes.len() / 2])));
        RealDisk.write(path, bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.count(|| drop(RealDisk.append(path, &bytes[..bytes.len() / 2])));
        RealDisk.append(path, bytes)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        self.count(|| ());
        RealDisk.sync(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.count(|| ());
        RealDisk.sync_folder(folder)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.count(|| ());
        RealDisk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.count(|| ());
        RealDisk.remove(path)
    }

    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        self.count(|| ());
        RealDisk.create_folder(folder)
    }

    fn remove_folder(&self, folder: &Path) -> io::Result<()> {
        self.count(|| ());
        RealDisk.remove_folder(folder)
    }

    fn lock(&self, path: &Path, hold: Hold<'_>) -> io::Result<Lock> {
        RealDisk.lock(path, hold)
    }
}

/// Bakes `new.toml` of a folder into its `out`.
fn bake_new(folder: &Path, disk: Arc<dyn Disk>) -> Outcome {
    let loaded = config::load(&folder.join("new.toml")).unwrap();
    let options = Options {
        out: Some(folder.join("out")),
        memory_bytes: 8 << 20,
        disk,
        ..Options::default()
    };
    let bake = Bake::open(&loaded, &options).unwrap();
    bake.run(1, &AtomicBool::new(false), &mut |_| {}).unwrap()
}

/// Not a test of its own: the process that another test starts, and that kills itself.
#[test]
fn child() {
    let (Ok(calls), Ok(folder)) = (std::env::var(CALLS), std::env::var(FOLDER)) else {
        return;
    };
    let left = AtomicUsize::new(calls.parse().unwrap());
    bake_new(Path::new(&folder), Arc::new(Deadly { left }));
}

/// A folder with a world of `old.toml` in `out`, and what `new.toml` makes of it.
struct Killing {
    place: Place,
    old: Digests,
    new: Digests,
    n_jobs: usize,
}

impl Killing {
    /// The configs differ in every stage.
    fn new(side: usize, tile: u32) -> Self {
        let place = Place::with_hills(&plain(side, side));
        let old = config_text(tile, 40.0);
        let new = old.replace("smoothing = 3.0", "smoothing = 2.0");
        std::fs::write(place.path("new.toml"), &new).unwrap();
        place.bake(&old, 2, "out").unwrap();
        let outcome = place.bake(&new, 2, "fresh").unwrap();
        let (old, new) = (place.digests("out"), place.digests("fresh"));
        assert_ne!(old, new);
        std::fs::rename(place.path("out"), place.path("before")).unwrap();
        Self {
            old,
            new,
            n_jobs: outcome.stages.iter().map(|stage| stage.total).sum(),
            place,
        }
    }

    /// Puts the world back to where it was before the bake that is killed.
    fn reset(&self) {
        let _ = std::fs::remove_dir_all(self.place.path("out"));
        copy(&self.place.path("before"), &self.place.path("out"));
    }

    /// Looks at what a killed bake left, goes on, and looks at what is there then.
    fn check(&self, when: &str) {
        let out = self.place.path("out");
        let world = World::open(&out).unwrap_or_else(|error| panic!("{when}: {error}"));
        assert!([1, 2].contains(&world.manifest().revision), "{when}");
        for artefact in world.manifest().artefacts() {
            world
                .read_verified(artefact)
                .unwrap_or_else(|error| panic!("{when}: {error}"));
        }
        let committed = world.manifest().revision == 2;
        drop(world);
        let right = if committed { &self.new } else { &self.old };
        assert_eq!(&self.place.digests("out"), right, "{when}");

        let mut writer = WorldWriter::open(&out).unwrap();
        let n_found = writer.recovered().n_found;
        assert!(writer.recovered().damaged.is_empty(), "{when}");
        let n_claimed = writer.known(false).unwrap().len();
        assert_eq!(writer.known(true).unwrap().len(), n_claimed, "{when}");
        drop(writer);

        let outcome = bake_new(self.place.path("").as_path(), Arc::new(RealDisk));
        let made: usize = outcome.stages.iter().map(|stage| stage.made).sum();
        let most = if committed { 0 } else { self.n_jobs - n_found };
        assert!(
            made <= most,
            "{when}: {made} jobs made, {n_found} were acknowledged"
        );
        assert!(outcome.committed.warnings.is_empty(), "{when}");
        assert_eq!(outcome.committed.revision, 2, "{when}");
        assert_eq!(self.place.digests("out"), self.new, "{when}");
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (from, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name());
        if from.is_dir() {
            copy(&from, &to.join(name));
        } else {
            std::fs::copy(&from, to.join(name)).unwrap();
        }
    }
}

fn die_after(killing: &Killing, calls: usize) -> ExitStatus {
    Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact"])
        .env(CALLS, calls.to_string())
        .env(FOLDER, killing.place.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
}

#[test]
fn a_bake_killed_at_any_call_that_changes_the_disk_goes_on_where_it_was() {
    let _alone = alone();
    let killing = Killing::new(60, 32);
    let mut n_killed = 0;
    for calls in 0.. {
        killing.reset();
        let ended = die_after(&killing, calls);
        killing.check(&format!("after {calls} calls"));
        if ended.success() {
            break;
        }
        assert_eq!(
            ended.code(),
            None,
            "killed, not failed, after {calls} calls"
        );
        n_killed += 1;
    }
    assert!(n_killed > 60, "{n_killed}");
}

/// A number below `n` that differs from call to call.
fn random(state: &mut u64, n: u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    (*state >> 33) % n
}

#[test]
fn a_bake_killed_at_200_random_moments_goes_on_where_it_was() {
    let _alone = alone();
    let killing = Killing::new(100, 32);
    let start = || {
        let mut bake = Command::new(env!("CARGO_BIN_EXE_ecotone"));
        bake.current_dir(killing.place.path("")).args([
            "bake",
            "new.toml",
            "--out",
            "out",
            "--threads",
            "2",
        ]);
        bake.stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    killing.reset();
    let clock = Instant::now();
    assert!(start().wait().unwrap().success());
    let whole = clock.elapsed().as_micros() as u64;

    let (mut n_killed, mut state) = (0, 7);
    while n_killed < 200 {
        killing.reset();
        let mut bake = start();
        let moment = random(&mut state, whole);
        std::thread::sleep(Duration::from_micros(moment));
        bake.kill().unwrap();
        let is_killed = !bake.wait().unwrap().success();
        killing.check(&format!("after {moment} of {whole} µs"));
        n_killed += usize::from(is_killed);
    }
}

#[test]
fn of_two_bakes_at_once_one_is_told_who_holds_the_world() {
    const ROUNDS: usize = 500;
    let _alone = alone();
    let killing = Killing::new(40, 32);
    killing.reset();
    let out = killing.place.path("out");
    let mut n_told = 0;
    for round in 0..ROUNDS {
        // A round in which both have something to do, and many in which neither has.
        let config = ["new.toml", "old.toml"][round / 50 % 2];
        if config == "old.toml" {
            let old = config_text(32, 40.0);
            std::fs::write(killing.place.path(config), old).unwrap();
        }
        let start = || {
            let mut bake = Command::new(env!("CARGO_BIN_EXE_ecotone"));
            bake.current_dir(killing.place.path(""))
                .args(["bake", config, "--out", "out"]);
            bake.stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let bakes = [start(), start()];
        let ended = bakes.map(|bake| bake.wait_with_output().unwrap());
        let n_done = ended.iter().filter(|bake| bake.status.success()).count();
        assert!(n_done >= 1, "round {round}: {ended:?}");
        for bake in ended.iter().filter(|bake| !bake.status.success()) {
            let said = String::from_utf8_lossy(&bake.stderr);
            let names_it = said.contains("is held by process") && said.contains(" on ");
            assert!(
                bake.status.code() == Some(2) && names_it,
                "round {round}: {said}"
            );
            n_told += 1;
        }
        let world = World::open(&out).unwrap();
        for artefact in world.manifest().artefacts() {
            world.read_verified(artefact).unwrap();
        }
    }
    assert!(n_told > 0);
}
