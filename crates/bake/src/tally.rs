//! What became of the jobs of a bake.

use std::sync::Arc;

use ecotone_store::{Entry, JobKind};

/// What became of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Its inputs looked as before, and were not read.
    Kept,
    /// Its inputs were read, and held what they held before.
    Same,
    /// It was made.
    Made,
}

/// A job that is done, in this bake.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    pub(crate) entry: Arc<Entry>,
    pub(crate) fate: Fate,
    /// Processor time that this bake spent on it, in microseconds.
    pub(crate) cpu_us: u64,
}

/// What became of the jobs of one stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageTally {
    /// The stage.
    pub kind: JobKind,
    /// Its jobs.
    pub total: usize,
    /// Those whose inputs looked as before, and were not read.
    pub kept: usize,
    /// Those whose inputs were read, and held what they held before.
    pub same: usize,
    /// Those that were made.
    pub made: usize,
    /// Processor time that this bake spent on them.
    pub cpu_seconds: f64,
}

/// Counts what became of each stage's jobs, in the order in which stages follow each other.
pub(crate) fn tallies(settled: &[Settled]) -> Vec<StageTally> {
    let of_kind = |kind| {
        let jobs = || settled.iter().filter(move |s| s.entry.job.kind == kind);
        let count = |fate| jobs().filter(|settled| settled.fate == fate).count();
        StageTally {
            kind,
            total: jobs().count(),
            kept: count(Fate::Kept),
            same: count(Fate::Same),
            made: count(Fate::Made),
            cpu_seconds: jobs().map(|settled| settled.cpu_us).sum::<u64>() as f64 / 1e6,
        }
    };
    [JobKind::Strata, JobKind::Sdf, JobKind::Plants]
        .map(of_kind)
        .into()
}
