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

mod buffers;
mod cache;
pub mod config;
mod density;
mod draw;
pub mod edit;
mod error;
pub mod explain;
mod facts;
mod fingerprint;
mod forecast;
mod ground;
mod inputs;
mod jobs;
mod known;
mod layers;
mod manifest;
mod overview;
mod plan;
mod rules;
mod run;
mod scene;
mod scratch;
mod shares;
pub mod survey;
mod system;
mod tally;
mod trim;
pub mod verify;

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ecotone_geotiff::SourceError;
use ecotone_store::{
    Committed, Disk, EditRecord, Entry, Manifest, Orphan, RealDisk, Revision, Stage, WorldWriter,
};

pub use ecotone_store::{JobKey, JobKind};
pub use error::BakeError;
pub use facts::{EDGE_BINS, SIZE_BINS, SpeciesScale};
pub use forecast::{Due, Forecast, StageForecast, Why};
pub use inputs::shapes::geojson;
pub use overview::Overview;
pub use plan::{ChunkGrid, ChunkId, Job, Plan, Reaches, STEPS_PER_M};
pub use run::{Progress, cores};
pub use tally::StageTally;

use config::Loaded;
use edit::{EditError, Edits};
use known::Known;
use run::Crew;
use scene::Scene;
use tally::Settled;

/// What a bake may take, beside its config.
#[derive(Clone, Debug)]
pub struct Options {
    /// World directory, instead of the config's.
    pub out: Option<PathBuf>,
    /// Bytes of decoded inputs, tiles and patterns that are kept at hand; workers' own windows come on top.
    pub memory_bytes: u64,
    /// What lies over the config; `None`: the edits of the world that is there.
    pub edits: Option<EditLog>,
    /// Trust nothing but content: read every input, and every file that an earlier bake left.
    pub paranoid: bool,
    /// Cells along the longer side of the [`Overview`] that is gathered; 0 for none.
    pub overview: u32,
    /// Where the world is written.
    pub disk: Arc<dyn Disk>,
}

/// Edits on the map's grid, and the world directory that has their rasters; a bake into another one copies them.
#[derive(Clone, Debug, Default)]
pub struct EditLog {
    /// The oldest first.
    pub records: Vec<EditRecord>,
    /// The world directory.
    pub dir: PathBuf,
}

impl Default for Options {
    /// The config's directory, 192 MiB, and the world's own edits.
    fn default() -> Self {
        Self {
            out: None,
            memory_bytes: 192 << 20,
            edits: None,
            paranoid: false,
            overview: 0,
            disk: Arc::new(RealDisk),
        }
    }
}

/// A bake that is ready to run: inputs open, everything checked, nothing written.
pub struct Bake {
    scene: Scene,
    out: PathBuf,
    /// The config's text.
    config: String,
    /// The edits of the world as they were when they were looked at, where that was before its lock was taken.
    seen_edits: Option<Vec<EditRecord>>,
    /// The world directory that has the edits' rasters, where they are to be brought from it to this one or to another place.
    edits_from: Option<PathBuf>,
    /// Names of the species, in the order of the config.
    species: Vec<String>,
    paranoid: bool,
    disk: Arc<dyn Disk>,
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
    /// Jobs that were taken over from a bake that did not end.
    pub n_resumed: usize,
    /// Plants that were pinned by hand and have lost their ground.
    pub orphans: Vec<Orphan>,
    /// The ground in small, where it was wanted and all of it was made.
    pub overview: Option<Overview>,
}

/// Plants of a species in a world.
fn count(manifest: &Manifest, name: &str) -> u64 {
    let mut species = manifest.species.iter();
    let idx = species.position(|species| species.name == name);
    idx.map_or(0, |idx| {
        manifest.chunks.iter().map(|chunk| chunk.plants[idx]).sum()
    })
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
    /// [`BakeError::Config`] where the config does not fit its inputs, [`BakeError::Input`] where one cannot be read;
    /// [`BakeError::Edit`] where the world's edits do not fit the config or the map.
    pub fn open(loaded: &Loaded, options: &Options) -> Result<Self, BakeError> {
        let out = options
            .out
            .clone()
            .unwrap_or_else(|| tidied(&loaded.resolve(&loaded.config.output.directory)));
        let Some(given) = options.edits.clone() else {
            let edits = Edits::of_world(&out)?;
            let seen = edits.records().to_vec();
            let bake = Self::open_under(loaded, edits, out, options)?;
            return Ok(Self {
                seen_edits: Some(seen),
                ..bake
            });
        };
        let edits = Edits::given(given, None);
        Self::open_under(loaded, edits, out, options)
    }

    /// Opens and checks what a config names, under edits.
    pub(crate) fn open_under(
        loaded: &Loaded,
        edits: Edits,
        out: PathBuf,
        options: &Options,
    ) -> Result<Self, BakeError> {
        let loaded = loaded.under(edits)?;
        let mut scene = Scene::open(&loaded, options.memory_bytes)?;
        scene.gather_overview(options.overview);
        let edits = &loaded.edits;
        let is_at_home = edits.dir() == out && edits.records() == scene.inputs.edits;
        Ok(Self {
            edits_from: (!is_at_home).then(|| edits.dir().to_owned()),
            scene,
            out,
            seen_edits: None,
            species: loaded
                .config
                .species
                .iter()
                .filter(|own| !own.is_density())
                .map(|own| own.name.clone())
                .collect(),
            config: loaded.text,
            paranoid: options.paranoid,
            disk: Arc::clone(&options.disk),
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
        let masks = inputs.masks.iter().chain(&inputs.densities);
        let masks = masks.filter_map(|mask| mask.describe());
        let mut lines = manifest::describe_heights(inputs.heights.layers());
        lines.extend(masks);
        let edits = inputs.edits.len();
        lines.extend((edits > 0).then(|| format!("{edits} edits of {}", self.out.display())));
        lines
    }

    /// What a person should know before the bake, though it can go on.
    pub fn warnings(&self) -> &[String] {
        &self.scene.inputs.warnings
    }

    /// Runs what must run and commits the world; `cancel` is polled between jobs.
    ///
    /// Jobs that were done before, of the same inputs by the same rules, are taken over: from the revision that is current, from
    /// the one before it, and from an unfinished bake.
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
        trim::give_back();
        let mut writer = WorldWriter::open_on(Arc::clone(&self.disk), &self.out)
            .map_err(|source| BakeError::Closed { source })?;
        let current = writer.current().map(|world| world.edits.as_slice());
        if let Some(seen) = &self.seen_edits
            && current.unwrap_or_default() != seen
        {
            return Err(EditError::EditedMeanwhile.into());
        }
        self.run_into(&mut writer, threads, cancel, progress)
    }

    /// As [`Bake::run`], into a world that is open already.
    pub(crate) fn run_into(
        mut self,
        writer: &mut WorldWriter,
        threads: usize,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Outcome, BakeError> {
        self.bring_edits(writer)?;
        let settled = self.settle(writer, threads, cancel, progress)?;
        let stages = tally::tallies(&settled);
        let n_taken = stages.iter().map(|stage| stage.kept + stage.same).sum();
        let n_resumed = writer.recovered().n_found.min(n_taken);
        let entries = settled.into_iter().map(|s| Arc::unwrap_or_clone(s.entry));
        let ledger: Vec<Entry> = entries.collect();
        let inputs = &self.scene.inputs;
        let manifest = manifest::filled(self.scene.manifest, &ledger);
        let n_plants = self
            .species
            .iter()
            .map(|name| (name.clone(), count(&manifest, name)));
        let n_plants = n_plants.collect();
        // As late as can be: reads notice bytes that are gone, but not bytes that are others.
        inputs
            .check_unchanged()
            .map_err(|source| BakeError::InputChanged { source })?;
        let orphans = ecotone_store::orphans(&manifest, &ledger);
        let committed = writer.commit(Revision {
            manifest,
            ledger,
            config: self.config,
            rules: self.scene.stage_rules,
        })?;
        Ok(Outcome {
            committed,
            n_plants,
            stages,
            n_resumed,
            orphans,
            overview: self.scene.overview.whole(),
        })
    }

    /// Brings the rasters of edits that lie in another world, or under the name of another place.
    fn bring_edits(&mut self, writer: &mut WorldWriter) -> Result<(), BakeError> {
        let Some(dir) = &self.edits_from else {
            return Ok(());
        };
        let edits = self.scene.manifest.edits.iter_mut();
        for file in edits.flat_map(EditRecord::artefacts_mut) {
            let path = dir.join(&file.file);
            let bytes = std::fs::read(&path).map_err(|source| SourceError::Io { path, source })?;
            *file = writer.put(&Stage::Edits, file.x, file.y, &bytes)?;
        }
        Ok(())
    }

    /// Runs every job that is not as before; starts again where a tile that was done turns out to be damaged.
    fn settle(
        &mut self,
        writer: &mut WorldWriter,
        threads: usize,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Settled>, BakeError> {
        let entries = writer.known(self.paranoid)?;
        for damage in &writer.recovered().damaged {
            tracing::warn!("{damage}");
        }
        let mut known = Known::new(entries, &self.scene.rule_digests, !self.paranoid);
        let mut settled = vec![None; self.scene.plan.jobs.len()];
        loop {
            let crew = Crew {
                scene: &self.scene,
                known: &known,
                dir: &self.out,
                threads: threads.max(1),
                cancel,
            };
            let Err(error) = run::run(crew, writer, &mut settled, progress) else {
                break;
            };
            let done = settled.iter().flatten().map(|s: &Settled| s.entry.clone());
            done.for_each(|entry| known.learn(entry));
            // Damage that is not among what is known cannot be helped by making it again.
            if !error.is_of_rot() || known.verify(&self.out) == 0 {
                // What is done is there for the next bake; the error that matters is the first.
                let _ = writer.settle();
                return Err(self.why(error));
            }
            self.scene.forget_tiles();
        }
        Ok(settled.into_iter().flatten().collect())
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
