//! Runs a plan: a coordinator that sees every event, workers over bounded channels, and one writer.
//!
//! ```text
//! coordinator ──tasks──> workers ──done──> writer ──events──> coordinator
//! ```
//!
//! A job's turn comes once all it reads is on disk. Where its inputs look as they did for a known entry, the coordinator keeps
//! that entry and no worker sees the job. Else a worker reads its windows, and runs the kernels only where they hold what no
//! known entry read. No more than a fixed number of jobs is under way at a time; the first that is not yet handed out may
//! always go, so nothing waits for itself. Results are written as they come: none depends on another's turn.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use ecotone_store::{Artefact, Entry, Fingerprint, KeptFacts, Stage, WorldWriter};

use crate::draw::Drawing;
use crate::error::BakeError;
use crate::fingerprint::Sight;
use crate::jobs::{Made, Worker};
use crate::known::Known;
use crate::plan::Job;
use crate::scene::Scene;
use crate::system::thread_cpu_seconds;
use crate::tally::{Fate, Settled};
use crate::trim;

/// Jobs under way per thread: enough that no worker waits while the writer is busy.
pub(crate) const UNDER_WAY_PER_THREAD: usize = 4;

/// So many jobs each worker must have been handed before another is started: what a worker brings into memory for itself costs
/// as much as a few jobs of an edit.
const JOBS_PER_WORKER: usize = 12;

/// How often the wish to stop is looked at while no job ends.
const POLL_CANCEL: Duration = Duration::from_millis(100);

/// How often the inputs are looked at: a bake of a file that changed is not worth hours.
const LOOK_AT_INPUTS: Duration = Duration::from_secs(2);

/// How far beyond the first waiting job the coordinator looks for one that can run.
const LOOK_AHEAD: usize = 64;

/// What the coordinator reacts to; everything is listed here.
enum Event {
    /// A job's files are on disk.
    Settled(usize, Settled),
    /// A job or its writing failed; the bake ends.
    Failed(BakeError),
}

/// What is kept of a job once its files are on disk.
pub(crate) struct Written {
    pub(crate) files: Vec<(Stage, Artefact)>,
    /// Plants of each species, of a chunk.
    pub(crate) n_plants: Vec<u64>,
}

/// How far a bake has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Jobs whose files are on disk, those kept from before included.
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

/// What all threads of a run share.
#[derive(Clone, Copy)]
pub(crate) struct Crew<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) known: &'a Known,
    /// The world directory.
    pub(crate) dir: &'a Path,
    /// Workers at the most.
    pub(crate) threads: usize,
    /// A wish to stop.
    pub(crate) cancel: &'a AtomicBool,
}

/// Runs every job of the scene's plan. `settled` has a place for each, and keeps what was done also where a job fails.
pub(crate) fn run(
    crew: Crew<'_>,
    writer: &mut WorldWriter,
    settled: &mut [Option<Settled>],
    progress: &mut dyn FnMut(Progress),
) -> Result<(), BakeError> {
    let limit = crew.threads * UNDER_WAY_PER_THREAD;
    let (task_in, task_out) = bounded::<Task>(limit + 1);
    let (done_in, done_out) = bounded::<Result<Done, BakeError>>(limit + 1);
    let (event_in, event_out) = bounded::<Event>(limit + 1);
    let stop = AtomicBool::new(false);
    let stop = &stop;
    thread::scope(|scope| {
        // Dropped when the coordinator ends, whichever way: queued jobs are then left alone.
        let _stop = StopOnDrop(stop);
        spawn(scope, "writer".into(), move || {
            write(crew.scene, writer, &done_out, &event_in);
        })?;
        // It holds the ends of the channels that workers get, and goes before their threads are waited for.
        let mut hire = move |k: usize| {
            let (tasks, done) = (task_out.clone(), done_in.clone());
            let body = move || work(crew, &tasks, &done, stop);
            spawn(scope, format!("worker-{k}"), body)
        };
        let mut coordinator = Coordinator::new(crew, limit, settled);
        coordinator.run((task_in, event_out), &mut hire, progress)
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

/// A job that is handed out.
struct Task {
    idx: usize,
    job: Job,
    sight: Option<Sight>,
}

/// What a worker found or made.
enum Work {
    /// A known entry that read the same.
    Same(Arc<Entry>),
    /// All that the kernels made.
    Made(Made),
}

/// A job that a worker is done with.
struct Done {
    task: Task,
    fingerprint: Fingerprint,
    work: Work,
    cpu_us: u64,
}

fn work(
    crew: Crew<'_>,
    tasks: &Receiver<Task>,
    done: &Sender<Result<Done, BakeError>>,
    stop: &AtomicBool,
) {
    let mut worker = Worker::default();
    for task in tasks {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let job = task.job;
        // A panic must end the bake with an error, not leave the writer waiting for this job.
        let result =
            std::panic::catch_unwind(AssertUnwindSafe(|| perform(crew, &mut worker, task)))
                .unwrap_or_else(|panic| {
                    Err(BakeError::Panicked {
                        job: job.to_string(),
                        message: panic_message(&*panic),
                    })
                });
        if done.send(result).is_err() {
            return; // The writer has ended: so has the bake.
        }
    }
}

/// Reads what a job reads, and makes it unless it was made of that before.
fn perform(crew: Crew<'_>, worker: &mut Worker, task: Task) -> Result<Done, BakeError> {
    let Crew { scene, known, .. } = crew;
    let (job, key) = (task.job, task.job.key());
    let start = thread_cpu_seconds();
    let fingerprint = Fingerprint {
        rules: scene.rule_digests.of(key.kind),
        reads: worker.read(scene, job)?,
    };
    let work = match known.same(key, fingerprint) {
        Some(entry) => Work::Same(entry.clone()),
        None => {
            let drawing = match known.has(key) {
                true => Drawing::Alone,
                false => Drawing::Blocks,
            };
            let mut made = worker.make(scene, job, drawing)?;
            made.before = worker.differ(crew, job);
            worker.keep(scene, job);
            Work::Made(made)
        }
    };
    let seconds = start.zip(thread_cpu_seconds()).map(|(from, to)| to - from);
    Ok(Done {
        task,
        fingerprint,
        work,
        cpu_us: (seconds.unwrap_or(0.0) * 1e6) as u64,
    })
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
        .to_owned()
}

/// Writes what workers are done with, until they hang up or something fails.
fn write(
    scene: &Scene,
    writer: &mut WorldWriter,
    done: &Receiver<Result<Done, BakeError>>,
    events: &Sender<Event>,
) {
    for result in done {
        let event = result
            .and_then(|done| settle(scene, writer, done))
            .unwrap_or_else(Event::Failed);
        let failed = matches!(event, Event::Failed(_));
        if events.send(event).is_err() || failed {
            return;
        }
    }
}

/// Writes what a worker made of a job, and notes that it is done.
fn settle(scene: &Scene, writer: &mut WorldWriter, done: Done) -> Result<Event, BakeError> {
    let Task { idx, job, sight } = done.task;
    // No sight is as good as one that nothing looks like.
    let sight = sight.map(|sight| sight.now).unwrap_or_default();
    let (entry, fate) = match done.work {
        Work::Same(known) => {
            let entry = Entry {
                sight,
                ..Entry::clone(&known)
            };
            (entry, Fate::Same)
        }
        Work::Made(made) => {
            let facts = KeptFacts::from(&made.facts);
            let written = scene.store(writer, job, made)?;
            let entry = Entry {
                job: job.key(),
                fingerprint: done.fingerprint,
                sight,
                files: written.files,
                plants: written.n_plants,
                facts,
                cpu_us: done.cpu_us,
            };
            (entry, Fate::Made)
        }
    };
    writer.note(&entry)?;
    let settled = Settled {
        entry: Arc::new(entry),
        fate,
        cpu_us: done.cpu_us,
    };
    Ok(Event::Settled(idx, settled))
}

/// Keeps the jobs whose inputs look as before, hands out the others once their inputs are there, and gathers what became of all.
struct Coordinator<'a> {
    crew: Crew<'a>,
    limit: usize,
    /// The first job that is not handed out.
    head: usize,
    handed_out: Vec<bool>,
    under_way: usize,
    n_workers: usize,
    /// Jobs that workers were handed.
    n_handed_out: usize,
    settled: &'a mut [Option<Settled>],
    n_settled: usize,
    n_performed: usize,
    n_plants: u64,
}

impl<'a> Coordinator<'a> {
    fn new(crew: Crew<'a>, limit: usize, settled: &'a mut [Option<Settled>]) -> Self {
        Self {
            crew,
            limit,
            head: 0,
            handed_out: vec![false; settled.len()],
            under_way: 0,
            n_workers: 0,
            n_handed_out: 0,
            settled,
            n_settled: 0,
            n_performed: 0,
            n_plants: 0,
        }
    }

    fn run(
        &mut self,
        (tasks, events): (Sender<Task>, Receiver<Event>),
        hire: &mut dyn FnMut(usize) -> Result<(), BakeError>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), BakeError> {
        let mut looked = Instant::now();
        loop {
            if looked.elapsed() > LOOK_AT_INPUTS {
                self.crew.scene.inputs.check_unchanged()?;
                looked = Instant::now();
            }
            while let Some(task) = self.next()? {
                self.n_handed_out += 1;
                let is_worth = self.n_handed_out > self.n_workers * JOBS_PER_WORKER;
                if is_worth && self.n_workers < self.crew.threads {
                    hire(self.n_workers)?;
                    self.n_workers += 1;
                }
                if tasks.send(task).is_err() {
                    return Err(BakeError::WorkersGone);
                }
            }
            progress(self.progress());
            if self.n_settled == self.settled.len() {
                return Ok(());
            }
            self.wait(&events)?;
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            done: self.n_settled,
            total: self.settled.len(),
            n_plants: self.n_plants,
        }
    }

    /// Waits until a job ends, or its being stopped is wished for.
    fn wait(&mut self, events: &Receiver<Event>) -> Result<(), BakeError> {
        loop {
            self.check_cancel()?;
            // Not for ever: a job on a large tile takes long, and the user may want to stop.
            match events.recv_timeout(POLL_CANCEL) {
                Ok(Event::Settled(idx, settled)) => {
                    let files = &settled.entry.files;
                    let job = self.crew.scene.plan.jobs[idx];
                    self.crew.scene.note_all(job, files, self.crew.dir);
                    self.under_way -= 1;
                    self.n_performed += 1;
                    if self.n_performed.is_multiple_of(trim::EVERY_JOBS) {
                        trim::trim();
                    }
                    self.note(idx, settled);
                    return Ok(());
                }
                Ok(Event::Failed(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(BakeError::WorkersGone),
            }
        }
    }

    fn check_cancel(&self) -> Result<(), BakeError> {
        match self.crew.cancel.load(Ordering::Relaxed) {
            true => Err(BakeError::Stopped),
            false => Ok(()),
        }
    }

    fn note(&mut self, idx: usize, settled: Settled) {
        self.n_settled += 1;
        self.n_plants += settled.entry.plants.iter().sum::<u64>();
        self.settled[idx] = Some(settled);
    }

    /// The next job to hand out, if any may go now; keeps those on the way that look as before.
    fn next(&mut self) -> Result<Option<Task>, BakeError> {
        let Crew { scene, known, .. } = self.crew;
        while let Some(idx) = self.ready() {
            self.check_cancel()?;
            self.handed_out[idx] = true;
            let job = scene.plan.jobs[idx];
            let sight = scene.sight(job);
            let Some(entry) = known.kept(job.key(), sight) else {
                self.under_way += 1;
                return Ok(Some(Task { idx, job, sight }));
            };
            scene.note_all(job, &entry.files, self.crew.dir);
            // Where the run starts again, what it made before stays made.
            let before = self.settled[idx].take();
            let settled = Settled {
                entry,
                fate: before.as_ref().map_or(Fate::Kept, |before| before.fate),
                cpu_us: before.map_or(0, |before| before.cpu_us),
            };
            self.note(idx, settled);
        }
        Ok(None)
    }

    /// The next job whose inputs are there, if one may go now.
    fn ready(&mut self) -> Option<usize> {
        let scene = self.crew.scene;
        let jobs = &scene.plan.jobs;
        while self.head < jobs.len() && self.handed_out[self.head] {
            self.head += 1;
        }
        if self.under_way > self.limit {
            return None;
        }
        let window = if self.under_way < self.limit {
            LOOK_AHEAD
        } else {
            1
        };
        let end = jobs.len().min(self.head + window);
        (self.head..end).find(|&idx| !self.handed_out[idx] && scene.is_ready(jobs[idx]))
    }
}
