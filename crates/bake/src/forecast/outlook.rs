//! Goes through the jobs of a plan stage by stage, as the bake would, without making any.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use ecotone_grid::{Rect, TileId};
use ecotone_store::{Digest, Entry, Fingerprint, JobKey, JobKind, World};
use ecotone_terrain::Layer;
use serde_json::Value;

use super::dirty::Dirty;
use super::{Due, Forecast, KINDS, StageForecast, Why};
use crate::fingerprint::first_difference;
use crate::jobs::Worker;
use crate::known::Known;
use crate::layers::Asked;
use crate::plan::Job;
use crate::scene::Scene;
use crate::{Bake, BakeError};

/// What is known before a forecast.
pub(super) struct Outlook<'a> {
    scene: &'a Scene,
    dir: &'a Path,
    revision: u64,
    committed_at: Option<SystemTime>,
    /// What the bake could take over.
    known: Known,
    /// The jobs of the current revision.
    current: HashMap<JobKey, Entry>,
    /// The config as each stage of it read it.
    rules: Value,
    worker: RefCell<Worker>,
}

/// How a job stands.
enum Standing {
    /// It stays as it is.
    Kept(Entry),
    /// It runs, or may run.
    Due { is_certain: bool, why: Why },
}

impl<'a> Outlook<'a> {
    pub(super) fn new(
        bake: &'a Bake,
        world: &World,
        before: Option<&World>,
    ) -> Result<Self, BakeError> {
        let scene = &bake.scene;
        let current = world.ledger()?;
        let mut entries = current.clone();
        if let Some(before) = before {
            entries.extend(before.ledger()?);
        }
        entries.retain(|entry| lost_file(&bake.out, entry).is_none());
        Ok(Self {
            scene,
            dir: &bake.out,
            revision: world.manifest().revision,
            committed_at: bake.committed_at(),
            known: Known::new(entries, &scene.rule_digests, !bake.paranoid),
            current: current
                .into_iter()
                .map(|entry| (entry.job, entry))
                .collect(),
            rules: world.rules()?,
            worker: RefCell::default(),
        })
    }

    pub(super) fn forecast(&self) -> Result<Forecast, BakeError> {
        let tiles = self.scene.plan.tiles;
        let (mut weights, mut distances) = (Dirty::none(tiles), Dirty::none(tiles));
        let mut due = Vec::new();
        let mut kept = [0; 3];
        // Stage by stage: whether a job may run depends on all that the stages before it leave.
        for (stage, kind) in KINDS.into_iter().enumerate() {
            let jobs = self.scene.plan.jobs.iter();
            for &job in jobs.filter(|job| job.key().kind == kind) {
                let upstream = self.upstream(job, &weights, &distances);
                match self.standing(job, upstream)? {
                    Standing::Kept(entry) => {
                        kept[stage] += 1;
                        self.scene.note_all(job, &entry.files, self.dir);
                    }
                    Standing::Due { is_certain, why } => {
                        match job {
                            Job::Strata(tile) => weights.add(tile),
                            Job::Sdf(tile) => distances.add(tile),
                            Job::Plants(_) => {}
                        }
                        let job = job.key();
                        due.push(Due {
                            job,
                            is_certain,
                            why,
                        });
                    }
                }
            }
        }
        let cpu_us = self.cpu_us();
        let stages = KINDS.into_iter().zip(kept);
        Ok(Forecast {
            revision: Some(self.revision),
            stages: stages
                .map(|(kind, kept)| StageForecast::new(kind, kept, &due, &cpu_us))
                .collect(),
            due,
        })
    }

    /// A tile in reach of a job that may change before it runs.
    fn upstream(&self, job: Job, weights: &Dirty, distances: &Dirty) -> Option<Why> {
        let window = self.scene.plan.reads(job);
        let why = |stage, tile: TileId| Why::Upstream {
            stage,
            tile: [tile.x, tile.y],
        };
        match job {
            Job::Strata(_) => None,
            Job::Sdf(tile) => {
                let of_weights = weights.under(window);
                let has_grass = !self.scene.rules.grasses.is_empty();
                let heights = has_grass.then(|| {
                    let core = self.scene.plan.tiles.rect(tile);
                    self.scene.heights_of_grass(core)
                });
                of_weights
                    .or_else(|| weights.under(heights?))
                    .map(|tile| why("strata", tile))
            }
            Job::Plants(chunk) => {
                // Where heights differ, the weights of their own tile are made anew.
                let heights = self.scene.heights_under(self.scene.plan.ground(chunk));
                let of_weights = weights.under(window).or_else(|| weights.under(heights));
                let of_distances = || distances.under(window).map(|tile| why("sdf", tile));
                of_weights
                    .map(|tile| why("strata", tile))
                    .or_else(of_distances)
            }
        }
    }

    fn standing(&self, job: Job, upstream: Option<Why>) -> Result<Standing, BakeError> {
        let key = job.key();
        let due = |is_certain, why| Ok(Standing::Due { is_certain, why });
        if !self.known.has(key) {
            return due(true, self.why_unknown(key));
        }
        if let Some(why) = upstream {
            return due(false, why);
        }
        if let Some(entry) = self.known.kept(key, self.scene.sight(job)) {
            return Ok(Standing::Kept(Arc::unwrap_or_clone(entry)));
        }
        let fingerprint = Fingerprint {
            rules: self.scene.rule_digests.of(key.kind),
            reads: self.worker.borrow_mut().read(self.scene, job)?,
        };
        match self.known.same(key, fingerprint) {
            Some(entry) => Ok(Standing::Kept(Entry::clone(entry))),
            None => due(true, self.why_content(job, fingerprint.reads)),
        }
    }

    /// Why nothing is known of a job under its rules.
    fn why_unknown(&self, job: JobKey) -> Why {
        let Some(entry) = self.current.get(&job) else {
            return Why::NeverMade;
        };
        let stage = match job.kind {
            JobKind::Strata => "strata",
            JobKind::Sdf => "sdf",
            JobKind::Plants => "plants",
        };
        if let Some(difference) =
            first_difference(&self.rules[stage], &self.scene.stage_rules[stage])
        {
            return Why::Config {
                key: difference.key,
                old: difference.old,
                new: difference.new,
            };
        }
        match lost_file(self.dir, entry) {
            Some(file) => Why::Missing { file },
            None => Why::NeverMade,
        }
    }

    /// Why a job reads something else than before.
    fn why_content(&self, job: Job, new: Digest) -> Why {
        let lost = self.current.get(&job.key()).map(|entry| {
            let lost = lost_file(self.dir, entry);
            (entry.fingerprint.reads, lost)
        });
        match lost {
            Some((_, Some(file))) => Why::Missing { file },
            Some((old, None)) => self.why_changed(job, old, new),
            None => Why::NeverMade,
        }
    }

    /// A key that says how inputs are read, or the files that changed.
    fn why_changed(&self, job: Job, old: Digest, new: Digest) -> Why {
        let files = self.changed_under(job);
        let inputs = first_difference(&self.rules["inputs"], &self.scene.stage_rules["inputs"]);
        match inputs.filter(|_| files.is_empty()) {
            Some(difference) => Why::Config {
                key: difference.key,
                old: difference.old,
                new: difference.new,
            },
            None => Why::Content { old, new, files },
        }
    }

    /// The files that a job reads which changed since the commit, each with what it is for.
    fn changed_under(&self, job: Job) -> Vec<(String, PathBuf)> {
        let plan = &self.scene.plan;
        let inputs = &self.scene.inputs;
        let mut found = Vec::new();
        let mut note = |role: &str, path: &Path| {
            let file = (role.to_owned(), path.to_owned());
            if self.is_newer(path) && !found.contains(&file) {
                found.push(file);
            }
        };
        let heights = |window: Rect, note: &mut dyn FnMut(&str, &Path)| {
            let layers = inputs.heights.layers();
            layers.sources_under(window, &mut |source, _| note("heights", source.path()));
        };
        match job {
            Job::Strata(tile) => {
                heights(plan.reads(job), &mut note);
                let core = plan.tiles.rect(tile);
                for (mask, layer) in inputs.masks.iter().zip(&self.scene.rules.strata.layers) {
                    let role = format!("mask of {}", self.stratum(layer));
                    mask.sources_under(core, &mut |source, _| note(&role, source.path()));
                    mask.shapes().into_iter().for_each(|path| note(&role, path));
                }
            }
            Job::Sdf(tile) if !self.scene.rules.grasses.is_empty() => {
                let core = plan.tiles.rect(tile);
                heights(self.scene.heights_of_grass(core), &mut note);
                self.densities_under(&self.scene.grass_asks, core, &mut note);
            }
            Job::Sdf(_) => {}
            Job::Plants(chunk) => {
                let ground = plan.ground(chunk);
                heights(self.scene.heights_under(ground), &mut note);
                self.densities_under(&self.scene.plant_asks, ground, &mut note);
            }
        }
        found
    }

    /// Notes the files of the density masks over a window that some species ask for.
    fn densities_under(&self, asked: &Asked, window: Rect, note: &mut dyn FnMut(&str, &Path)) {
        let owners = &self.scene.inputs.density_owners;
        for (idx, mask) in asked.masks(&self.scene.inputs) {
            let role = format!("density mask of {}", owners[idx]);
            mask.sources_under(window, &mut |source, _| note(&role, source.path()));
            mask.shapes().into_iter().for_each(|path| note(&role, path));
        }
    }

    /// The stratum that a mask is of, or corrects.
    fn stratum(&self, layer: &Layer) -> &str {
        let (Layer::Over { band } | Layer::Add { target: band } | Layer::Subtract { target: band }) =
            layer;
        &self.scene.manifest.strata[*band]
    }

    /// Whether a file changed after the commit, or in the same tick of the clock.
    fn is_newer(&self, path: &Path) -> bool {
        let found = std::fs::metadata(path).ok();
        let changed = found.and_then(|found| last_change(&found));
        let times = changed.zip(self.committed_at);
        times.is_none_or(|(changed, committed)| changed >= committed)
    }

    /// How long a job takes: as long as it did, else as long as the mean of its stage.
    fn cpu_us(&self) -> impl Fn(JobKey) -> u64 + use<'_, 'a> {
        let mean = |kind: JobKind| {
            let times = self.current.values().filter(|entry| entry.job.kind == kind);
            let (sum, n) = times.fold((0, 0), |(sum, n), entry| (sum + entry.cpu_us, n + 1));
            (kind, sum / n.max(1))
        };
        let means = KINDS.map(mean);
        move |job: JobKey| {
            let own = self.current.get(&job).map(|entry| entry.cpu_us);
            let of_stage = means.iter().find(|(kind, _)| *kind == job.kind);
            own.unwrap_or(of_stage.map_or(0, |(_, mean)| *mean))
        }
    }
}

/// A file that a job made and that is not there, with its length.
fn lost_file(dir: &Path, entry: &Entry) -> Option<String> {
    let is_lost = |file: &&ecotone_store::Artefact| {
        let found = std::fs::metadata(dir.join(&file.file));
        found.map_or(true, |found| found.len() != file.bytes)
    };
    let mut files = entry.files.iter().map(|(_, file)| file);
    files.find(is_lost).map(|file| file.file.clone())
}

/// When a file last changed: a copy that sets the old time of its content shows in the inode's.
fn last_change(found: &std::fs::Metadata) -> Option<SystemTime> {
    let modified = found.modified().ok();
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let seconds = u64::try_from(found.ctime()).ok()?;
        let nanos = u32::try_from(found.ctime_nsec()).ok()?;
        let since = std::time::Duration::new(seconds, nanos);
        modified.max(SystemTime::UNIX_EPOCH.checked_add(since))
    }
    #[cfg(not(unix))]
    modified
}
