//! What became of the jobs of a bake.

use ecotone_store::JobKind;

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
