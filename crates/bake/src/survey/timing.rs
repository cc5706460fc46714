//! The jobs of a few tiles, run one after the other and timed.
//!
//! They are the bake's own jobs, with all that lies around them: what a tile reads beyond its border is made first, and
//! counts as a sample too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ecotone_grid::{Raster, Reach, Rect, TileId};
use ecotone_scatter::BlockId;
use ecotone_store::{Stage, WorldWriter};

use super::stop_on;
use crate::BakeError;
use crate::jobs::Worker;
use crate::plan::{ChunkId, Job, Plan, STEPS_PER_M};
use crate::scene::Scene;
use crate::system::thread_cpu_seconds;

/// Where tiles are looked at for voids, in shares of the map's width and height; timed are the first that have ground.
/// The middle, then as far apart as may be: what grows in one corner need not in the other.
const SPREAD: [(f64, f64); 13] = [
    (0.5, 0.5),
    (0.2, 0.2),
    (0.8, 0.8),
    (0.8, 0.2),
    (0.2, 0.8),
    (0.5, 0.05),
    (0.5, 0.95),
    (0.05, 0.5),
    (0.95, 0.5),
    (0.35, 0.65),
    (0.65, 0.35),
    (0.35, 0.35),
    (0.65, 0.65),
];

/// So many tiles are timed at the most.
const MOST_SITES: usize = 5;
/// The neighbours of larger tiles are not timed as well: they are ground enough by themselves.
const LARGEST_WITH_NEIGHBOURS_PX: u32 = 512;
/// No further tile is begun after that.
const LONG_ENOUGH: Duration = Duration::from_secs(5);

/// What the jobs of one kind took.
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    pub(super) wall_seconds: f64,
    pub(super) cpu_seconds: f64,
    /// Pixels that they read, halos included.
    pub(super) read_px: f64,
    /// Pixels that they are of, voids left out.
    pub(super) valid_px: f64,
}

impl Cost {
    /// How many times as much so many valid pixels take.
    pub(super) fn times_valid(&self, valid_px: f64) -> f64 {
        if self.valid_px > 0.0 {
            valid_px / self.valid_px
        } else {
            0.0
        }
    }

    fn add(&mut self, spent: Spent) {
        self.wall_seconds += spent.wall;
        self.cpu_seconds += spent.cpu;
    }
}

/// What a few tiles took.
pub(super) struct Sample {
    /// The tiles that stand for the map.
    pub(super) tiles: Vec<TileId>,
    pub(super) tile_size: u32,
    /// Time on the clock, of all of it.
    pub(super) seconds: f64,
    /// Of the tiles looked at.
    pub(super) void_share: f64,
    pub(super) strata: Cost,
    pub(super) sdf: Cost,
    /// Without the drawing of patterns.
    pub(super) plants: Cost,
    pub(super) patterns: Cost,
    /// Blocks of patterns drawn.
    pub(super) n_blocks: usize,
    /// Bytes of the files.
    pub(super) bytes: BTreeMap<Stage, u64>,
    /// Time to bring all of them to the disk.
    pub(super) sync_seconds: f64,
    /// Plants of each species.
    pub(super) n_plants: Vec<(String, u64)>,
    n_jobs: usize,
}

impl Sample {
    /// Encoded files that wait for the writer, at the most.
    pub(super) fn bytes_under_way(&self, threads: usize) -> u64 {
        let mean = self.bytes.values().sum::<u64>() / self.n_jobs.max(1) as u64;
        mean * (threads * crate::run::UNDER_WAY_PER_THREAD) as u64
    }
}

/// Bakes tiles into a folder, on this thread.
pub(super) fn sample(
    scene: &Scene,
    folder: &Path,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(f64),
) -> Result<Sample, BakeError> {
    let start = Instant::now();
    let mut sampler = Sampler::new(scene, folder)?;
    let sites = sampler.sites()?;
    let n_sites = sites.len();
    for (idx, site) in sites.into_iter().enumerate() {
        if idx > 0 && start.elapsed() > LONG_ENOUGH {
            break;
        }
        sampler.bake(site, cancel, &mut |share| {
            progress((idx as f64 + share) / n_sites as f64);
        })?;
    }
    sampler.sync();
    let mut sample = sampler.sample;
    sample.seconds = start.elapsed().as_secs_f64();
    Ok(sample)
}

/// Time that has gone by, on the clock and for this thread.
#[derive(Clone, Copy)]
struct Spent {
    wall: f64,
    cpu: f64,
}

/// Runs something and says what it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Spent) {
    let (clock, cpu) = (Instant::now(), thread_cpu_seconds());
    let made = work();
    let wall = clock.elapsed().as_secs_f64();
    let cpu = cpu.zip(thread_cpu_seconds()).map(|(from, to)| to - from);
    let cpu = cpu.unwrap_or(wall);
    (made, Spent { wall, cpu })
}

/// Bakes tile after tile.
struct Sampler<'a> {
    scene: &'a Scene,
    writer: WorldWriter,
    worker: Worker,
    heights: Raster<f64>,
    chunks: BTreeSet<ChunkId>,
    blocks: BTreeSet<(usize, BlockId)>,
    files: Vec<PathBuf>,
    sample: Sample,
}

impl<'a> Sampler<'a> {
    fn new(scene: &'a Scene, folder: &Path) -> Result<Self, BakeError> {
        let writer = WorldWriter::open(folder).map_err(|source| BakeError::Closed { source })?;
        let species = scene.manifest.species.iter();
        Ok(Self {
            scene,
            writer,
            worker: Worker::default(),
            heights: Raster::default(),
            chunks: BTreeSet::new(),
            blocks: BTreeSet::new(),
            files: Vec::new(),
            sample: Sample {
                tiles: Vec::new(),
                tile_size: scene.plan.tiles.size(),
                seconds: 0.0,
                void_share: 0.0,
                strata: Cost::default(),
                sdf: Cost::default(),
                plants: Cost::default(),
                patterns: Cost::default(),
                n_blocks: 0,
                bytes: BTreeMap::new(),
                sync_seconds: 0.0,
                n_plants: species.map(|s| (s.name.clone(), 0)).collect(),
                n_jobs: 0,
            },
        })
    }

    /// The tiles to time, none of them mostly void where that can be helped.
    fn sites(&mut self) -> Result<Vec<TileId>, BakeError> {
        let tiles = self.scene.plan.tiles;
        let mut looked_at: Vec<(TileId, f64)> = Vec::new();
        let (mut n_pixels, mut n_valid) = (0.0, 0.0);
        for tile in spread(tiles.n_tiles()) {
            if looked_at.iter().any(|(known, _)| *known == tile) {
                continue;
            }
            let rect = tiles.rect(tile);
            let share = self.valid_share(rect)?;
            n_pixels += rect.area() as f64;
            n_valid += rect.area() as f64 * share;
            looked_at.push((tile, share));
        }
        self.sample.void_share = 1.0 - n_valid / f64::max(n_pixels, 1.0);
        // A stable sort: those with ground enough keep their order.
        looked_at.sort_by(|a, b| f64::total_cmp(&b.1.min(0.5), &a.1.min(0.5)));
        if n_valid > 0.0 {
            looked_at.retain(|(_, share)| *share > 0.0);
        }
        Ok(looked_at
            .into_iter()
            .take(MOST_SITES)
            .map(|(tile, _)| tile)
            .collect())
    }

    /// The share of a rectangle that is no void.
    fn valid_share(&mut self, rect: Rect) -> Result<f64, BakeError> {
        self.scene.read_heights(rect, &mut self.heights)?;
        let pixels = self.heights.pixels();
        let n_valid = pixels.iter().filter(|height| !height.is_nan()).count();
        Ok(n_valid as f64 / pixels.len().max(1) as f64)
    }

    /// Bakes a tile, those around it, and all chunks that can stand on them.
    fn bake(
        &mut self,
        site: TileId,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(), BakeError> {
        self.sample.tiles.push(site);
        let scene = self.scene;
        let jobs = raster_jobs(scene, site);
        let share_of_rasters = if scene.rules.species.is_empty() {
            1.0
        } else {
            0.5
        };
        let n_jobs = jobs.len();
        for (idx, job) in jobs.into_iter().enumerate() {
            stop_on(cancel)?;
            self.raster(job)?;
            progress(share_of_rasters * (idx + 1) as f64 / n_jobs as f64);
        }
        let chunks: Vec<ChunkId> = scene
            .plan
            .jobs
            .iter()
            .filter_map(|job| match job {
                Job::Plants(chunk) if scene.is_ready(*job) => Some(*chunk),
                _ => None,
            })
            .filter(|chunk| !self.chunks.contains(chunk))
            .collect();
        let n_chunks = chunks.len();
        for (idx, chunk) in chunks.into_iter().enumerate() {
            stop_on(cancel)?;
            self.plants(chunk)?;
            progress(0.5 + 0.5 * (idx + 1) as f64 / n_chunks as f64);
        }
        Ok(())
    }

    /// Runs and writes the job of a tile.
    fn raster(&mut self, job: Job) -> Result<(), BakeError> {
        let scene = self.scene;
        let (Job::Strata(tile) | Job::Sdf(tile)) = job else {
            return Ok(());
        };
        let (done, spent) = timed(|| {
            let made = self.worker.run(scene, job)?;
            scene.store(&mut self.writer, job, made)
        });
        self.note(done?.files)?;
        let core = scene.plan.tiles.rect(tile);
        let valid_px = self.valid_share(core)? * core.area() as f64;
        let cost = match job {
            Job::Strata(_) => &mut self.sample.strata,
            _ => &mut self.sample.sdf,
        };
        cost.add(spent);
        cost.read_px += scene.plan.reads(job).area() as f64;
        cost.valid_px += valid_px;
        Ok(())
    }

    /// Runs and writes the plants of a chunk, and runs them again, which shows what the patterns took.
    fn plants(&mut self, chunk: ChunkId) -> Result<(), BakeError> {
        let scene = self.scene;
        let job = Job::Plants(chunk);
        let (first, drawing) = timed(|| self.worker.run(scene, job));
        drop(first?);
        let (made, placing) = timed(|| self.worker.run(scene, job));
        let made = made?;
        let (written, writing) = timed(|| scene.store(&mut self.writer, job, made));
        let written = written?;
        for ((_, sum), n) in self.sample.n_plants.iter_mut().zip(&written.n_plants) {
            *sum += n;
        }
        self.note(written.files)?;
        let plants = &mut self.sample.plants;
        plants.add(placing);
        plants.add(writing);
        self.sample.patterns.add(Spent {
            wall: (drawing.wall - placing.wall).max(0.0),
            cpu: (drawing.cpu - placing.cpu).max(0.0),
        });
        let area = scene.plan.reach_of(chunk);
        for (idx, pattern) in scene.rules.patterns.iter().enumerate() {
            self.blocks
                .extend(pattern.blocks_over(&area).map(|block| (idx, block)));
        }
        self.sample.n_blocks = self.blocks.len();
        let share = self.valid_share(scene.plan.reads(job))?;
        self.sample.plants.valid_px += core_px(&scene.plan, chunk) * share;
        self.chunks.insert(chunk);
        Ok(())
    }

    fn note(&mut self, files: Vec<(Stage, ecotone_store::Artefact)>) -> Result<(), BakeError> {
        self.sample.n_jobs += 1;
        for (stage, artefact) in files {
            self.files.push(self.writer.path(&artefact)?);
            *self.sample.bytes.entry(stage).or_default() += artefact.bytes;
        }
        Ok(())
    }

    /// Brings all files to the disk, as a commit does.
    fn sync(&mut self) {
        let ((), spent) = timed(|| {
            for file in &self.files {
                // Only the time is wanted; a file system that cannot sync takes none.
                let _ = std::fs::File::open(file).and_then(|file| file.sync_all());
            }
        });
        self.sample.sync_seconds = spent.wall;
    }
}

/// The tiles at the places of [`SPREAD`]; some may be the same.
fn spread((columns, rows): (u32, u32)) -> impl Iterator<Item = TileId> {
    let at = |share: f64, n: u32| ((share * f64::from(n)) as u32).min(n - 1);
    SPREAD.into_iter().map(move |(x, y)| TileId {
        x: at(x, columns),
        y: at(y, rows),
    })
}

/// The weights and distances around a tile that are not there yet: enough for the chunk in its middle at the least.
fn raster_jobs(scene: &Scene, site: TileId) -> Vec<Job> {
    let plan = &scene.plan;
    let size = plan.tiles.size();
    let has_neighbours = size <= LARGEST_WITH_NEIGHBOURS_PX;
    let margin = if has_neighbours { size } else { 0 };
    let around = plan.tiles.rect(site).grow(Reach::square(margin));
    let mut distances: BTreeSet<TileId> = plan.tiles.over(around).collect();
    if !scene.rules.species.is_empty() {
        distances.extend(plan.inputs(Job::Plants(middle_chunk(plan, site))));
    }
    let weights: BTreeSet<TileId> = distances
        .iter()
        .flat_map(|&tile| plan.inputs(Job::Sdf(tile)))
        .collect();
    let strata = weights
        .into_iter()
        .filter(|&tile| !scene.weights.is_done(tile));
    let sdf = distances
        .into_iter()
        .filter(|&tile| !scene.sdf.is_done(tile));
    strata.map(Job::Strata).chain(sdf.map(Job::Sdf)).collect()
}

/// The chunk that the middle of a tile lies in.
fn middle_chunk(plan: &Plan, tile: TileId) -> ChunkId {
    let [west, south, east, north] = plan.transform.bounds(plan.tiles.rect(tile));
    let at = |metres: f64| ((metres * STEPS_PER_M).floor() as i64).div_euclid(plan.chunks.size);
    ChunkId {
        x: at((west + east) / 2.0),
        y: at((south + north) / 2.0),
    }
}

/// Pixels of the map that a chunk lies over, parts of them included.
fn core_px(plan: &Plan, chunk: ChunkId) -> f64 {
    let area = plan.chunks.area(chunk);
    let bounds = plan.transform.bounds(plan.tiles.map());
    let metres = |steps: i64| steps as f64 / STEPS_PER_M;
    let width = metres(area.x1).min(bounds[2]) - metres(area.x0).max(bounds[0]);
    let height = metres(area.y1).min(bounds[3]) - metres(area.y0).max(bounds[1]);
    let pixel = plan.transform.pixel;
    width.max(0.0) / pixel.x * (height.max(0.0) / pixel.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_looked_at_first_and_no_place_is_off_the_map() {
        let first = spread((16, 9)).next();
        assert_eq!(first, Some(TileId { x: 8, y: 4 }));
        for n in [(1, 1), (2, 1), (3, 700)] {
            assert!(spread(n).all(|tile| tile.x < n.0 && tile.y < n.1));
        }
    }

    #[test]
    fn a_cost_of_nothing_is_nothing() {
        assert_eq!(Cost::default().times_valid(100.0), 0.0);
        let cost = Cost {
            valid_px: 25.0,
            ..Cost::default()
        };
        assert_eq!(cost.times_valid(100.0), 4.0);
    }
}
