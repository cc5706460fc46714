//! Plans and runs a bake: from a config and a height map to a committed world.
//!
//! Threads and channels live here, and nowhere else. It does not print, and does not know what a field is made of (the
//! kernels do) or how a file is laid out (the store does).
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//!
//! let loaded = ecotone_bake::config::load("world.toml".as_ref())?;
//! let bake = ecotone_bake::Bake::open(&loaded, &ecotone_bake::Options::default())?;
//! let outcome = bake.run(2, &AtomicBool::new(false), &mut |_| {})?;
//! println!("revision {}", outcome.committed.revision);
//! # Ok::<(), ecotone_bake::BakeError>(())
//! ```

mod cache;
pub mod config;
mod error;
mod facts;
mod ground;
mod inputs;
mod jobs;
mod manifest;
mod plan;
mod rules;
mod run;
mod scene;
mod shares;
pub mod survey;
mod system;
mod tally;
mod trim;

use std::path::{Component, Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ecotone_store::{Committed, Revision, WorldWriter};

pub use error::BakeError;
pub use facts::{EDGE_BINS, SIZE_BINS, SpeciesScale};
pub use inputs::shapes::geojson;
pub use plan::{ChunkGrid, ChunkId, Job, Plan, Reaches, STEPS_PER_M};
pub use run::{Progress, cores};
pub use tally::StageTally;

use config::Loaded;
use scene::Scene;

/// What a bake may take, beside its config.
#[derive(Clone, Debug)]
pub struct Options {
    /// World directory, instead of the config's.
    pub out: Option<PathBuf>,
    /// Bytes of decoded inputs, tiles and patterns that are kept at hand; workers' own windows come on top.
    pub memory_bytes: u64,
}

impl Default for Options {
    /// The config's directory and 192 MiB.
    fn default() -> Self {
        Self {
            out: None,
            memory_bytes: 192 << 20,
        }
    }
}

/// A bake that is ready to run: inputs open, everything checked, nothing written.
pub struct Bake {
    scene: Scene,
    out: PathBuf,
    /// The config's text.
    config: String,
}

/// What a bake did.
#[derive(Debug)]
pub struct Outcome {
    /// The revision, and what it changed.
    pub committed: Committed,
    /// Plants of each species, in the order of the config.
    pub n_plants: Vec<(String, u64)>,
    /// What became of the jobs of each stage.
    pub stages: Vec<StageTally>,
}

/// A path without detours over `folder/..`, unless a folder on the way is a link.
fn tidied(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        let is_plain = tidy.file_name().is_some() && !tidy.is_symlink();
        if part == Component::ParentDir && is_plain {
            tidy.pop();
        } else {
            tidy.push(part);
        }
    }
    tidy
}

impl Bake {
    /// Opens and checks what a config names.
    ///
    /// # Errors
    /// [`BakeError::Config`] where the config does not fit its inputs, [`BakeError::Input`] where one cannot be read.
    pub fn open(loaded: &Loaded, options: &Options) -> Result<Self, BakeError> {
        let out = options
            .out
            .clone()
            .unwrap_or_else(|| tidied(&loaded.resolve(&loaded.config.output.directory)));
        Ok(Self {
            scene: Scene::open(loaded, options.memory_bytes)?,
            out,
            config: loaded.text.clone(),
        })
    }

    /// What will run.
    pub fn plan(&self) -> &Plan {
        &self.scene.plan
    }

    /// The world directory.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// How the jobs count each species for reports, in the order of the manifest.
    pub fn scales(&self) -> &[SpeciesScale] {
        &self.scene.rules.scales
    }

    /// Square metres that each point of [`SpeciesFacts::points`](ecotone_store::SpeciesFacts) stands for.
    pub fn point_m2(&self) -> f64 {
        facts::point_m2(self.scene.plan.transform.pixel)
    }

    /// The inputs, a line for each.
    pub fn inputs(&self) -> Vec<String> {
        let inputs = &self.scene.inputs;
        let masks = inputs.masks.iter().map(|mask| mask.describe());
        let mut lines = manifest::describe_heights(inputs.heights.layers());
        lines.extend(masks);
        lines
    }

    /// What a person should know before the bake, though it can go on.
    pub fn warnings(&self) -> &[String] {
        &self.scene.inputs.warnings
    }

    /// Runs every job and commits the world; `cancel` is polled between jobs.
    ///
    /// # Errors
    /// The first failure ends the bake, and the world stays as it was: [`BakeError::Stopped`] after `cancel`,
    /// [`BakeError::Job`] for an input, [`BakeError::InputChanged`] for one that did not stay as it was,
    /// [`BakeError::Store`] for an output; [`BakeError::Closed`] where nothing could start.
    pub fn run(
        self,
        threads: usize,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Outcome, BakeError> {
        let mut writer =
            WorldWriter::open(&self.out).map_err(|source| BakeError::Closed { source })?;
        // More threads than jobs would only be started and ended.
        let threads = threads.min(self.scene.plan.jobs.len()).max(1);
        let written = run::run(&self.scene, &mut writer, threads, cancel, progress)
            .map_err(|error| self.why(error))?;
        let inputs = &self.scene.inputs;
        let (ledger, stages) = run::ledger(&self.scene.plan, &written);
        let manifest = manifest::filled(self.scene.manifest, written);
        let n_plants = manifest
            .species
            .iter()
            .enumerate()
            .map(|(idx, species)| {
                let n = manifest.chunks.iter().map(|chunk| chunk.plants[idx]).sum();
                (species.name.clone(), n)
            })
            .collect();
        // As late as can be: reads notice bytes that are gone, but not bytes that are others.
        inputs
            .check_unchanged()
            .map_err(|source| BakeError::InputChanged { source })?;
        let committed = writer.commit(Revision {
            manifest,
            ledger,
            config: self.config,
            rules: serde_json::Value::Null,
        })?;
        Ok(Outcome {
            committed,
            n_plants,
            stages,
        })
    }

    /// The reason of a failure: an input that changed explains whatever a job made of it.
    fn why(&self, error: BakeError) -> BakeError {
        match self.scene.inputs.check_unchanged() {
            Err(source) if !matches!(error, BakeError::Stopped) => {
                BakeError::InputChanged { source }
            }
            _ => error,
        }
    }
}
