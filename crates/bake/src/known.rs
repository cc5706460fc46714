//! Jobs that were done before, found again by what decided their results.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ecotone_store::{Artefact, Entry, Fingerprint, JobKey, Stage, content_digest};

use crate::fingerprint::{RuleDigests, Sight};

/// The entries of a world that a bake can take over: those of its own rules.
pub(crate) struct Known {
    by_job: HashMap<JobKey, Vec<Arc<Entry>>>,
    trusts_sights: bool,
}

impl Known {
    /// Takes the entries that were made by these rules; where sights are not trusted, inputs are always read.
    pub(crate) fn new(entries: Vec<Entry>, rules: &RuleDigests, trusts_sights: bool) -> Self {
        let mut known = Self {
            by_job: HashMap::new(),
            trusts_sights,
        };
        for entry in entries {
            if entry.fingerprint.rules == rules.of(entry.job.kind) {
                known.learn(Arc::new(entry));
            }
        }
        known
    }

    /// Adds an entry.
    pub(crate) fn learn(&mut self, entry: Arc<Entry>) {
        let of_job = self.by_job.entry(entry.job).or_default();
        let is_new = |known: &Arc<Entry>| {
            (known.fingerprint, known.sight) != (entry.fingerprint, entry.sight)
        };
        if of_job.iter().all(is_new) {
            of_job.push(entry);
        }
    }

    fn of(&self, job: JobKey) -> impl Iterator<Item = &Arc<Entry>> {
        self.by_job.get(&job).into_iter().flatten()
    }

    /// Whether a job was done before, whatever it read.
    pub(crate) fn has(&self, job: JobKey) -> bool {
        self.by_job.contains_key(&job)
    }

    /// The entry of a job whose inputs look as they do now, by this sight from now on.
    pub(crate) fn kept(&self, job: JobKey, sight: Option<Sight>) -> Option<Arc<Entry>> {
        let sight = sight.filter(|_| self.trusts_sights)?;
        if let Some(entry) = self.of(job).find(|entry| entry.sight == sight.now) {
            return Some(entry.clone());
        }
        let before = sight.before?;
        let known = self.of(job).find(|entry| entry.sight == before)?;
        Some(Arc::new(Entry {
            sight: sight.now,
            ..Entry::clone(known)
        }))
    }

    /// The file of a stage that a job made before: that of the newest entry.
    pub(crate) fn file(&self, job: JobKey, stage: &Stage) -> Option<&Artefact> {
        let entry = self.of(job).next()?;
        let (_, file) = entry.files.iter().find(|(of, _)| of == stage)?;
        Some(file)
    }

    /// The entry of a job that read the same by the same rules.
    pub(crate) fn same(&self, job: JobKey, fingerprint: Fingerprint) -> Option<&Arc<Entry>> {
        self.of(job).find(|entry| entry.fingerprint == fingerprint)
    }

    /// Reads every file of the entries, and forgets those of which one is not what it was; says how many these were.
    pub(crate) fn verify(&mut self, dir: &Path) -> usize {
        let mut n_lost = 0;
        self.by_job.retain(|_, entries| {
            entries.retain(|entry| {
                let is_whole = is_whole(dir, entry);
                n_lost += usize::from(!is_whole);
                is_whole
            });
            !entries.is_empty()
        });
        n_lost
    }
}

fn is_whole(dir: &Path, entry: &Entry) -> bool {
    entry.files.iter().all(|(_, artefact)| {
        let bytes = std::fs::read(dir.join(&artefact.file));
        let is_right = bytes.is_ok_and(|bytes| content_digest(&bytes) == artefact.digest);
        if !is_right {
            tracing::warn!(
                file = artefact.file,
                "a stored file is damaged, and is made again"
            );
        }
        is_right
    })
}
