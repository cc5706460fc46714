//! The power cut at every call of random bakes, and again while the world recovers.

#![allow(clippy::unwrap_used)]

mod disks;
mod tiny;

use std::path::Path;
use std::sync::Arc;

use disks::Dice;
use disks::sim::{SimDisk, State};
use ecotone_store::{Disk, Fingerprint, JobKey, StoreError, World, WorldWriter};
use tiny::{Bake, Target, bake, check_no_strays, check_world};

const DIR: &str = "/worlds/out";

/// What was promised.
#[derive(Clone, Debug, Default)]
struct Promised {
    /// The last commit that returned.
    committed: Option<Target>,
    /// A commit that did not return.
    in_flight: Option<Target>,
    /// Jobs that were acknowledged since.
    jobs: Vec<(JobKey, Fingerprint)>,
}

/// A state of the disk, and what had been promised by then.
type Moment = (State, Promised);

/// Runs bakes on a disk and keeps every moment.
struct Recorder {
    disk: Arc<SimDisk>,
    promised: Promised,
    moments: Vec<Moment>,
}

impl Recorder {
    fn new(state: State) -> Self {
        Self {
            disk: SimDisk::new(state),
            promised: Promised::default(),
            moments: Vec::new(),
        }
    }

    /// Keeps the states since the last call: nothing new was promised while they came to be.
    fn keep(&mut self) {
        let states = self.disk.take_history();
        let promised = &self.promised;
        let moments = states.into_iter().map(|state| (state, promised.clone()));
        self.moments.extend(moments);
    }

    /// Promises what was just returned: it holds from the state it was returned in.
    fn promise(&mut self, promise: impl FnOnce(&mut Promised)) {
        self.keep();
        promise(&mut self.promised);
        self.moments
            .push((self.disk.state(), self.promised.clone()));
    }

    /// Bakes `n_steps` jobs, settles now and then, and commits where there is no more to do and `sight` is given.
    fn bake(
        &mut self,
        target: Target,
        n_steps: usize,
        sight: Option<u8>,
        dice: &mut Dice,
    ) -> Result<(), StoreError> {
        let mut bake = Bake::open(self.disk.clone(), Path::new(DIR), target)?;
        assert!(bake.writer.recovered().damaged.is_empty());
        let found = self.target_there();
        self.promise(|promised| {
            // What a killed writer committed and could not tell is what this one builds upon.
            if let Some(found) = promised.in_flight.take().filter(|&t| Some(t) == found) {
                promised.committed = Some(found);
                promised.jobs.clear();
            }
        });
        let n_before = bake.writer.n_acknowledged();
        for _ in 0..n_steps {
            bake.step()?;
            if dice.one_in(3) {
                bake.writer.settle()?;
                let n = bake.writer.n_acknowledged() - n_before;
                let noted = bake.noted[..n].iter().map(|e| (e.job, e.fingerprint));
                let noted: Vec<_> = noted.collect();
                self.promise(|promised| promised.jobs.extend(noted));
            }
        }
        if let Some(sight) = sight {
            self.keep();
            self.promised.in_flight = Some(target);
            let mut committed = bake.commit(sight)?;
            if let Some(warning) = committed.warnings.pop() {
                return Err(warning);
            }
            self.promise(|promised| {
                *promised = Promised {
                    committed: Some(target),
                    ..Promised::default()
                }
            });
        }
        Ok(())
    }

    /// Several bakes: some end, some are dropped half-way, some are killed inside a call.
    fn script(&mut self, dice: &mut Dice) {
        for _ in 0..6 {
            // Few targets, so that worlds come back and bakes find nothing to do.
            let target = Target::of(dice.roll() % 40);
            let (n_steps, ends) = (dice.below(6), !dice.one_in(3));
            let sight = ends.then_some(dice.below(3) as u8);
            let killed = dice.one_in(3).then(|| dice.below(220));
            self.disk.kill_after(killed);
            let baked = self.bake(target, n_steps, sight, dice);
            self.disk.kill_after(None);
            assert!(baked.is_ok() || killed.is_some(), "{baked:?}");
            self.keep();
        }
    }

    /// The target of the world that a reader sees.
    fn target_there(&self) -> Option<Target> {
        // A look from aside: no call of the bake's own, which may be killed.
        let aside = SimDisk::new(self.disk.state());
        let world = World::open_on(aside, Path::new(DIR)).ok()?;
        let config = world.config().unwrap();
        (0..125)
            .map(Target::of)
            .find(|target| target.config() == config)
    }
}

/// Cuts the power, checks what is left and that the next bake ends right, and now and then cuts that one too; returns how often
/// the power went.
fn check_cut((state, promised): &Moment, dice: &mut Dice) -> usize {
    let dir = Path::new(DIR);
    let mut recorder = Recorder::new(state.cut(dice));
    let disk: Arc<dyn Disk> = recorder.disk.clone();
    let left = check_left(&disk, promised);

    let is_over = left.is_some() && left == promised.in_flight;
    let stands = left == promised.committed && !is_over;
    let jobs = promised.jobs.iter().filter(|_| stands).copied().collect();
    check_jobs(&disk, &jobs);
    recorder.promised = Promised {
        committed: left,
        in_flight: None,
        jobs,
    };
    let goes_again = dice.one_in(3);
    if goes_again {
        recorder.disk.record();
    }
    let next = Target::of(dice.roll() % 40);
    recorder.bake(next, 9, Some(0), dice).unwrap();
    assert_eq!(check_world(&disk, dir, &[next]), next);
    check_no_strays(&disk, dir);
    if goes_again {
        let moment = &recorder.moments[dice.below(recorder.moments.len())];
        return 1 + check_cut(moment, dice);
    }
    1
}

/// The world is as it was last committed, or as it was about to be.
fn check_left(disk: &Arc<dyn Disk>, promised: &Promised) -> Option<Target> {
    let dir = Path::new(DIR);
    let allowed: Vec<Target> = promised
        .committed
        .into_iter()
        .chain(promised.in_flight)
        .collect();
    match World::open_on(disk.clone(), dir) {
        Ok(_) => Some(check_world(disk, dir, &allowed)),
        Err(StoreError::NotAWorld { .. }) => {
            assert_eq!(promised.committed, None);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Every acknowledged job is known to the next writer, with whole files; nothing damaged shows.
fn check_jobs(disk: &Arc<dyn Disk>, jobs: &Vec<(JobKey, Fingerprint)>) {
    let mut writer = WorldWriter::open_on(disk.clone(), Path::new(DIR)).unwrap();
    let known = writer.known(true).unwrap();
    assert!(
        writer.recovered().damaged.is_empty(),
        "{:?}",
        writer.recovered()
    );
    for job in jobs {
        assert!(
            known.iter().any(|e| (e.job, e.fingerprint) == *job),
            "{job:?}"
        );
    }
}

#[test]
fn a_power_cut_at_any_call_loses_nothing_that_was_promised() {
    let mut n_cuts = 0;
    for seed in 0.. {
        let mut dice = Dice(seed);
        let mut recorder = Recorder::new(State::default());
        recorder.disk.record();
        recorder.script(&mut dice);
        for (n, moment) in recorder.moments.iter().enumerate() {
            let seed = dice.roll();
            let cut = std::panic::AssertUnwindSafe(|| check_cut(moment, &mut Dice(seed)));
            let cut = std::panic::catch_unwind(cut);
            n_cuts += cut.unwrap_or_else(|_| panic!("script {}, moment {n}", dice.0));
        }
        if n_cuts >= 10_000 {
            break;
        }
    }
}

/// A killed writer may have committed without a sync; who opened the world since builds upon what they saw.
#[test]
fn what_a_writer_found_is_there_after_a_power_cut() {
    let dir = Path::new(DIR);
    let before = SimDisk::new(State::default());
    bake(before.clone(), dir, Target::of(7)).unwrap();
    let before = before.state().cut(&mut Dice(1));
    let mut dice = Dice(2);
    for n in 0.. {
        let disk = SimDisk::new(before.clone());
        disk.kill_after(Some(n));
        let baked = bake(disk.clone(), dir, Target::of(31));
        disk.kill_after(None);
        let writer = WorldWriter::open_on(disk.clone(), dir).unwrap();
        let found = writer.current().unwrap().config.digest.clone();
        for _ in 0..8 {
            let left: Arc<dyn Disk> = SimDisk::new(disk.state().cut(&mut dice));
            let world = World::open_on(left, dir).unwrap();
            assert_eq!(world.manifest().config.digest, found, "killed at call {n}");
        }
        if baked.is_ok_and(|committed| committed.warnings.is_empty()) {
            break;
        }
    }
}
