//! How much a bake will take, from a few tiles that are baked for it.

use std::sync::atomic::AtomicBool;

use ecotone_grid::TileId;
use ecotone_store::Stage;

use super::memory;
use super::timing::{Cost, Sample, sample};
use crate::config::Loaded;
use crate::plan::{Job, Plan};
use crate::scene::Scene;
use crate::scratch;
use crate::system::free_bytes;
use crate::{Bake, BakeError, Options, cores};

/// Tiles of this side are timed where the config's are larger: what they read around them is worked out for the config's.
/// Not smaller: a tile that outgrows the processor's caches takes longer by the pixel.
const LARGEST_TIMED_PX: u32 = 2048;

/// What the files of one artefact take beside themselves: their lines in the manifest and its copy.
const MANIFEST_BYTES: u64 = 2 * 220;

/// What one kind of output takes.
#[derive(Clone, Debug, PartialEq)]
pub struct StageEstimate {
    /// The folder of its files, such as "weights".
    pub folder: String,
    /// Its files, together.
    pub bytes: u64,
}

/// How much a bake will take, by what a few of its tiles took.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The tiles that were baked, by column and row of tiles of `tile_size`.
    pub tiles: Vec<TileId>,
    /// Side of the tiles that were baked, in pixels: the config's, or 2048 where those are larger.
    pub tile_size: u32,
    /// How long they took, seconds.
    pub sample_seconds: f64,
    /// The share of voids that was reckoned with: of all pixels once they are read, else of the tiles looked at.
    pub void_share: f64,
    /// Threads of the bake.
    pub threads: usize,
    /// Time of all threads together, seconds.
    pub cpu_seconds: f64,
    /// Time on the clock, seconds, on this machine with what else it is doing.
    pub wall_seconds: f64,
    /// The output by its kinds.
    pub stages: Vec<StageEstimate>,
    /// All of the output, the manifest included.
    pub disk_bytes: u64,
    /// What is free on the file system of the world directory, where the system says.
    pub free_bytes: Option<u64>,
    /// Plants of each species.
    pub plants: Vec<(String, u64)>,
    /// Most memory that is taken at once, mapped inputs not counted.
    pub memory_bytes: u64,
}

/// Bakes a few tiles spread over the map into a folder that is removed again, and reckons from them.
///
/// `void_share` is the map's, where its pixels were read. `progress` gets the share that is done.
///
/// # Errors
/// As [`Bake::run`]; [`BakeError::NoScratch`] where the tiles can be written nowhere.
pub fn estimate(
    loaded: &Loaded,
    bake: &Bake,
    options: &Options,
    threads: usize,
    void_share: Option<f64>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(f64),
) -> Result<Estimate, BakeError> {
    let mut timed = loaded.clone();
    let tiles = &mut timed.config.tiles;
    tiles.size = tiles.size.min(LARGEST_TIMED_PX);
    let scene = Scene::open(&timed, options.memory_bytes)?;
    // Gone with the folder when it is dropped, whichever way this ends.
    let folder = scratch::beside(bake.out(), ".ecotone-check-")?;
    let sample = sample(&scene, folder.path(), cancel, progress)?;
    let void_share = void_share.unwrap_or(sample.void_share);
    Ok(reckon(
        bake,
        &sample,
        options.memory_bytes,
        threads,
        void_share,
    ))
}

/// From the sample to the whole map.
fn reckon(
    bake: &Bake,
    sample: &Sample,
    budget_bytes: u64,
    threads: usize,
    void_share: f64,
) -> Estimate {
    let plan = bake.plan();
    let valid_px = plan.tiles.map().area() as f64 * (1.0 - void_share);
    let times = Times::new(&bake.scene, sample, valid_px);
    let mut stages: Vec<StageEstimate> = Vec::new();
    let mut add = |stage: &Stage, bytes: f64| {
        stages.push(StageEstimate {
            folder: stage.folder(),
            bytes: bytes.round() as u64,
        });
    };
    for (stage, bytes) in &sample.bytes {
        let cost = match stage {
            Stage::Weights | Stage::Field(_) => &sample.strata,
            Stage::Sdf => &sample.sdf,
            Stage::Vegetation | Stage::Edits => &sample.plants,
        };
        add(stage, *bytes as f64 * cost.times_valid(valid_px));
    }
    let artefacts = plan.jobs.len() as u64 * MANIFEST_BYTES;
    let disk_bytes = stages.iter().map(|stage| stage.bytes).sum::<u64>() + artefacts;
    let n_bytes = sample.bytes.values().sum::<u64>().max(1);
    let sync = sample.sync_seconds * disk_bytes as f64 / n_bytes as f64;
    let at_once = threads.min(cores()).min(plan.jobs.len()).max(1);
    let plants = sample.n_plants.iter().map(|(name, n)| {
        let times = sample.plants.times_valid(valid_px);
        (name.clone(), (*n as f64 * times).round() as u64)
    });
    Estimate {
        tiles: sample.tiles.clone(),
        tile_size: sample.tile_size,
        sample_seconds: sample.seconds,
        void_share,
        threads,
        cpu_seconds: times.sum(|cost| cost.cpu_seconds),
        wall_seconds: times.sum(|cost| cost.wall_seconds) / at_once as f64 + sync,
        stages,
        disk_bytes,
        free_bytes: free_bytes(&scratch::nearest_folder(bake.out())),
        plants: plants.collect(),
        memory_bytes: memory::peak_bytes(&bake.scene, budget_bytes, threads)
            + sample.bytes_under_way(threads),
    }
}

/// Each cost of the sample, and how many times as much the map takes.
struct Times<'a>([(&'a Cost, f64); 4]);

impl<'a> Times<'a> {
    fn new(scene: &Scene, sample: &'a Sample, valid_px: f64) -> Self {
        let plan = &scene.plan;
        let read = |is_stage: fn(&Job) -> bool| read_px(plan, is_stage);
        let over = |whole: f64, part: f64| if part > 0.0 { whole / part } else { 0.0 };
        let strata = read(|job| matches!(job, Job::Strata(_)));
        let sdf = read(|job| matches!(job, Job::Sdf(_)));
        let map = plan.map_area();
        let patterns = &scene.rules.patterns;
        let n_blocks: usize = patterns
            .iter()
            .map(|pattern| pattern.blocks_over(&map).count())
            .sum();
        Self([
            (&sample.strata, over(strata, sample.strata.read_px)),
            (&sample.sdf, over(sdf, sample.sdf.read_px)),
            (&sample.plants, sample.plants.times_valid(valid_px)),
            // Blocks are drawn whole, also for the chunks at a sample's rim.
            (
                &sample.patterns,
                over(n_blocks as f64, sample.n_blocks as f64),
            ),
        ])
    }

    fn sum(&self, of: impl Fn(&Cost) -> f64) -> f64 {
        self.0.iter().map(|(cost, times)| of(cost) * times).sum()
    }
}

/// All that the jobs of a stage read, halos included.
fn read_px(plan: &Plan, is_stage: impl Fn(&Job) -> bool) -> f64 {
    let jobs = plan.jobs.iter().filter(|job| is_stage(job));
    jobs.map(|job| plan.reads(*job).area() as f64).sum()
}
