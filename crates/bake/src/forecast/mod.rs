//! What a bake would run, and why, before it runs: which jobs are certain to be made, and which may be.
//!
//! Weights are decided exactly: they read nothing but inputs. Distances and plants read what other jobs make, so of those in
//! reach of a job that runs no more can be said than that they may run: where that job makes what it made before, they do not.

mod dirty;
mod outlook;
mod why;

use std::time::SystemTime;

use ecotone_store::{JobKey, JobKind, World};

pub use why::Why;

use crate::{Bake, BakeError};
use outlook::Outlook;

/// A job that a bake would run, or may have to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The job.
    pub job: JobKey,
    /// Whether it is certain to run.
    pub is_certain: bool,
    /// The first of its inputs that is not as it was.
    pub why: Why,
}

/// What a bake would do for one stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageForecast {
    /// The stage.
    pub kind: JobKind,
    /// Its jobs.
    pub total: usize,
    /// Those that stay as they are.
    pub kept: usize,
    /// Those that would run.
    pub runs: usize,
    /// Those that run only where a job before them makes something new.
    pub may_run: usize,
    /// Processor time of those that would run, by what they took before; seconds.
    pub cpu_seconds: f64,
    /// Processor time of those that may run, as well.
    pub may_cpu_seconds: f64,
}

/// What a bake would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The revision that it would go on from; `None` where none was committed yet.
    pub revision: Option<u64>,
    /// The stages, in the order in which they follow each other.
    pub stages: Vec<StageForecast>,
    /// The jobs that are not kept, in the order of the plan.
    pub due: Vec<Due>,
}

impl Bake {
    /// Works out what [`Bake::run`] would do; nothing is written.
    ///
    /// Inputs whose files look as they did are not read, unless the bake trusts none. Jobs that only the journal of an unfinished
    /// bake knows count as due.
    ///
    /// # Errors
    /// [`BakeError::Store`] for a world that cannot be read, [`BakeError::Job`] for an input.
    pub fn forecast(&self) -> Result<Forecast, BakeError> {
        let Some(world) = self.world()? else {
            return Ok(self.all_due());
        };
        let before = match world.manifest().revision {
            0 | 1 => None,
            number => World::open_revision(&self.out, number - 1)?,
        };
        Outlook::new(self, &world, before.as_ref())?.forecast()
    }

    /// The world that is there; `None` before the first commit.
    fn world(&self) -> Result<Option<World>, BakeError> {
        match self.committed_at() {
            Some(_) => Ok(Some(World::open(&self.out)?)),
            None => Ok(None),
        }
    }

    /// When the current revision was committed.
    fn committed_at(&self) -> Option<SystemTime> {
        let found = std::fs::metadata(self.out.join("current"));
        found.and_then(|found| found.modified()).ok()
    }

    /// A world that was never baked.
    fn all_due(&self) -> Forecast {
        let due = self.scene.plan.jobs.iter().map(|job| Due {
            job: job.key(),
            is_certain: true,
            why: Why::NeverMade,
        });
        let due: Vec<_> = due.collect();
        Forecast {
            revision: None,
            stages: KINDS
                .map(|kind| StageForecast::new(kind, 0, &due, &|_| 0))
                .into(),
            due,
        }
    }
}

/// The stages, in the order in which they follow each other.
const KINDS: [JobKind; 3] = [JobKind::Strata, JobKind::Sdf, JobKind::Plants];

impl StageForecast {
    /// Sums up a stage of so many kept jobs; `cpu_us` says how long a job takes.
    fn new(kind: JobKind, kept: usize, due: &[Due], cpu_us: &dyn Fn(JobKey) -> u64) -> Self {
        let own = |is_certain: bool| {
            due.iter()
                .filter(move |due| due.job.kind == kind && due.is_certain == is_certain)
        };
        let seconds =
            |is_certain| own(is_certain).map(|due| cpu_us(due.job)).sum::<u64>() as f64 / 1e6;
        let (runs, may_run) = (own(true).count(), own(false).count());
        Self {
            kind,
            total: kept + runs + may_run,
            kept,
            runs,
            may_run,
            cpu_seconds: seconds(true),
            may_cpu_seconds: seconds(false),
        }
    }
}
