//! Fingerprints: what decides the result of a job, and the cheap sight of its inputs that saves working them out.
//!
//! A job's result is decided by its stage's rules and by what it reads. Rules are the part of the config that the stage reads,
//! as canonical JSON. What it reads is digested by the worker, from the windows that it has in memory before its kernels run.
//! The sight is made of names alone: stamps of the files under a window, and digests of the artefacts under it. It says that
//! nothing can have changed, or nothing at all.

mod reads;
mod rules;
mod sight;

use ecotone_store::{Digest, JobKey, JobKind};
use serde_json::Value;

pub(crate) use reads::Reads;
pub(crate) use rules::{first_difference, stage_rules};
pub(crate) use sight::{Look, Sight};

use crate::plan::Job;

/// The digests of what each stage reads of the config.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleDigests {
    strata: Digest,
    sdf: Digest,
    plants: Digest,
}

impl RuleDigests {
    /// Digests the rules of [`stage_rules`].
    pub(crate) fn new(rules: &Value) -> Self {
        let digest = |stage: &str| Digest::of(rules[stage].to_string().as_bytes());
        Self {
            strata: digest("strata"),
            sdf: digest("sdf"),
            plants: digest("plants"),
        }
    }

    /// Those of a kind of job.
    pub(crate) fn of(&self, kind: JobKind) -> Digest {
        match kind {
            JobKind::Strata => self.strata,
            JobKind::Sdf => self.sdf,
            JobKind::Plants => self.plants,
        }
    }
}

impl Job {
    /// What the store calls it.
    pub fn key(self) -> JobKey {
        let (kind, x, y) = match self {
            Self::Strata(tile) => (JobKind::Strata, tile.x.into(), tile.y.into()),
            Self::Sdf(tile) => (JobKind::Sdf, tile.x.into(), tile.y.into()),
            Self::Plants(chunk) => (JobKind::Plants, chunk.x, chunk.y),
        };
        JobKey { kind, x, y }
    }
}
