//! Runs a plan: workers over bounded channels, one writer in job order, one coordinator that sees every event.
//!
//! ```text
//! coordinator ──jobs──> workers ──made──> writer ──events──> coordinator
//! ```
//!
//! A job is handed out once all it reads is on disk, so a worker finds its inputs in the cache or in the files. No more
//! than a fixed number of jobs is under way at a time; the first that is not yet handed out may always go, so nothing waits
//! for itself.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use ecotone_store::{Artefact, Stage, WorldWriter};

use crate::error::BakeError;
use crate::jobs::{Made, Worker};
use crate::scene::Scene;
use crate::trim;

/// Jobs under way per thread: enough that no worker waits while the writer is busy.
pub(crate) const UNDER_WAY_PER_THREAD: usize = 4;

/// How often the wish to stop is looked at while no job ends.
const POLL_CANCEL: Duration = Duration::from_millis(100);

/// How often the inputs are looked at: a bake of a file that changed is not worth hours.
const LOOK_AT_INPUTS: Duration = Duration::from_secs(2);

/// How far beyond the first waiting job the coordinator looks for one that can run.
const LOOK_AHEAD: usize = 64;

/// What the coordinator reacts to; everything is listed here.
enum Event {
    /// A job's files are on disk.
    Written(usize, Written),
    /// A job or its writing failed; the bake ends.
    Failed(BakeError),
}

/// What is kept of a job once its files are on disk.
pub(crate) struct Written {
    pub(crate) files: Vec<(Stage, Artefact)>,
    /// Plants of each species, of a chunk.
    pub(crate) n_plants: Vec<u64>,
    pub(crate) facts: ecotone_store::Facts,
}

/// What every job made and counted.
pub(crate) fn ledger(
    plan: &crate::Plan,
    written: &[Written],
) -> (Vec<ecotone_store::Entry>, Vec<crate::StageTally>) {
    use crate::plan::Job;
    use ecotone_store::{Entry, JobKey, JobKind};
    let entries: Vec<Entry> = plan
        .jobs
        .iter()
        .zip(written)
        .map(|(job, written)| {
            let (kind, x, y) = match *job {
                Job::Strata(tile) => (JobKind::Strata, tile.x.into(), tile.y.into()),
                Job::Sdf(tile) => (JobKind::Sdf, tile.x.into(), tile.y.into()),
                Job::Plants(chunk) => (JobKind::Plants, chunk.x, chunk.y),
            };
            Entry {
                job: JobKey { kind, x, y },
                fingerprint: Default::default(),
                sight: Default::default(),
                files: written.files.clone(),
                plants: written.n_plants.clone(),
                facts: written.facts.clone(),
                cpu_us: 0,
            }
        })
        .collect();
    let stages = [JobKind::Strata, JobKind::Sdf, JobKind::Plants].map(|kind| {
        let total = entries
            .iter()
            .filter(|entry| entry.job.kind == kind)
            .count();
        crate::StageTally {
            kind,
            total,
            kept: 0,
            same: 0,
            made: total,
            cpu_seconds: 0.0,
        }
    });
    (entries, stages.into())
}

/// How far a bake has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Jobs whose files are on disk.
    pub done: usize,
    /// All jobs.
    pub total: usize,
    /// Plants so far.
    pub n_plants: u64,
}

/// How many worker threads suit this machine: one for each core that the process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Runs every job of the scene's plan; returns what was written, in job order.
pub(crate) fn run(
    scene: &Scene,
    writer: &mut WorldWriter,
    threads: usize,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Written>, BakeError> {
    let limit = threads * UNDER_WAY_PER_THREAD;
    let (job_in, job_out) = bounded::<usize>(limit + 1);
    let (made_in, made_out) = bounded::<(usize, Result<Made, BakeError>)>(limit + 1);
    let (event_in, event_out) = bounded::<Event>(limit + 1);
    let stop = AtomicBool::new(false);
    let stop = &stop;
    thread::scope(|scope| {
        // Dropped when the coordinator ends, whichever way: queued jobs are then left alone.
        let _stop = StopOnDrop(stop);
        for k in 0..threads {
            let (jobs, made) = (job_out.clone(), made_in.clone());
            spawn(scope, format!("worker-{k}"), move || {
                work(scene, &jobs, &made, stop);
            })?;
        }
        drop((job_out, made_in));
        spawn(scope, "writer".into(), move || {
            write(scene, writer, &made_out, &event_in);
        })?;
        Coordinator::new(scene, limit).run(job_in, event_out, cancel, progress)
    })
}

/// Raises a flag when it goes.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn spawn<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    name: String,
    body: impl FnOnce() + Send + 'scope,
) -> Result<(), BakeError> {
    thread::Builder::new()
        .name(name)
        .spawn_scoped(scope, body)
        .map(drop)
        .map_err(|source| BakeError::Thread { source })
}

fn work(
    scene: &Scene,
    jobs: &Receiver<usize>,
    made: &Sender<(usize, Result<Made, BakeError>)>,
    stop: &AtomicBool,
) {
    let mut worker = Worker::default();
    for idx in jobs {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let job = scene.plan.jobs[idx];
        // A panic must end the bake with an error, not leave the writer waiting for this job.
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| worker.run(scene, job)))
            .unwrap_or_else(|panic| {
                Err(BakeError::Panicked {
                    job: job.to_string(),
                    message: panic_message(&*panic),
                })
            });
        if made.send((idx, result)).is_err() {
            return; // The writer has ended: so has the bake.
        }
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
        .to_owned()
}

/// Writes what workers made, in job order, until they hang up or something fails.
fn write(
    scene: &Scene,
    writer: &mut WorldWriter,
    made: &Receiver<(usize, Result<Made, BakeError>)>,
    events: &Sender<Event>,
) {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (idx, result) in made {
        early.insert(idx, result);
        while let Some(result) = early.remove(&next) {
            let event = result
                .and_then(|made| scene.store(writer, scene.plan.jobs[next], made))
                .map_or_else(Event::Failed, |written| Event::Written(next, written));
            let failed = matches!(event, Event::Failed(_));
            if events.send(event).is_err() || failed {
                return;
            }
            next += 1;
        }
    }
}

/// Hands out jobs whose inputs are there, and gathers what was written.
struct Coordinator<'a> {
    scene: &'a Scene,
    limit: usize,
    /// The first job that is not handed out.
    head: usize,
    handed_out: Vec<bool>,
    under_way: usize,
    written: Vec<Written>,
    n_plants: u64,
}

impl<'a> Coordinator<'a> {
    fn new(scene: &'a Scene, limit: usize) -> Self {
        Self {
            scene,
            limit,
            head: 0,
            handed_out: vec![false; scene.plan.jobs.len()],
            under_way: 0,
            written: Vec::with_capacity(scene.plan.jobs.len()),
            n_plants: 0,
        }
    }

    fn run(
        mut self,
        jobs: Sender<usize>,
        events: Receiver<Event>,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Written>, BakeError> {
        let total = self.scene.plan.jobs.len();
        let mut looked = Instant::now();
        while self.written.len() < total {
            if cancel.load(Ordering::Relaxed) {
                return Err(BakeError::Stopped);
            }
            if looked.elapsed() > LOOK_AT_INPUTS {
                self.scene.inputs.check_unchanged()?;
                looked = Instant::now();
            }
            while let Some(idx) = self.next() {
                if jobs.send(idx).is_err() {
                    return Err(BakeError::WorkersGone);
                }
            }
            // Not for ever: a job on a large tile takes long, and the user may want to stop.
            match events.recv_timeout(POLL_CANCEL) {
                Ok(Event::Written(idx, written)) => self.note(idx, written),
                Ok(Event::Failed(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Err(BakeError::WorkersGone),
            }
            progress(Progress {
                done: self.written.len(),
                total,
                n_plants: self.n_plants,
            });
        }
        Ok(self.written)
    }

    fn note(&mut self, idx: usize, written: Written) {
        debug_assert_eq!(idx, self.written.len(), "the writer keeps job order");
        self.under_way -= 1;
        self.n_plants += written.n_plants.iter().sum::<u64>();
        self.written.push(written);
        if self.written.len().is_multiple_of(trim::EVERY_JOBS) {
            trim::trim();
        }
    }

    /// The next job to hand out, if any may go now.
    fn next(&mut self) -> Option<usize> {
        let jobs = &self.scene.plan.jobs;
        while self.head < jobs.len() && self.handed_out[self.head] {
            self.head += 1;
        }
        let window = if self.under_way < self.limit {
            LOOK_AHEAD
        } else {
            1
        };
        if self.under_way > self.limit {
            return None;
        }
        let end = jobs.len().min(self.head + window);
        let idx = (self.head..end)
            .find(|&idx| !self.handed_out[idx] && self.scene.is_ready(jobs[idx]))?;
        self.handed_out[idx] = true;
        self.under_way += 1;
        Some(idx)
    }
}
