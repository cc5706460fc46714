//! What every worker of a bake shares: the plan, the rules, the inputs, and the tiles that are done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use ecotone_geotiff::{BlockCache, Options as SourceOptions, Source};
use ecotone_grid::{Raster, Reach, Rect, TileGrid, TileId};
use ecotone_scatter::Candidate;
use ecotone_store::{Artefact, JobKey, Manifest, Stage, TileHeader, WorldWriter, content_digest};

use crate::buffers::Buffers;
use crate::cache::Cache;
use crate::config::Loaded;
use crate::draw::Patterns;
use crate::edit::Pins;
use crate::error::BakeError;
use crate::fingerprint::{Look, RuleDigests, stage_rules};
use crate::inputs::{Inputs, mask};
use crate::jobs::{Encoded, Made};
use crate::layers::Asked;
use crate::manifest;
use crate::overview::Gathered;
use crate::plan::{ChunkGrid, Job, Plan};
use crate::rules::Rules;
use crate::run::Written;
use crate::shares::{Shares, Wanted};

/// What every worker shares; nothing in it changes but the caches and the ledger of finished tiles.
pub(crate) struct Scene {
    pub(crate) plan: Plan,
    pub(crate) rules: Rules,
    pub(crate) inputs: Inputs,
    /// What plants ask of the ground.
    pub(crate) plant_asks: Asked,
    /// What species that are written as a density ask of it.
    pub(crate) grass_asks: Asked,
    /// What the bake will commit, as yet without files.
    pub(crate) manifest: Manifest,
    headers: BTreeMap<Stage, TileHeader>,
    pub(crate) weights: Tiles<u8>,
    pub(crate) sdf: Tiles<i16>,
    pub(crate) patterns: Patterns,
    /// What pictures of the ground are drawn from.
    pub(crate) overview: Gathered,
    /// Memory of encoded files.
    pub(crate) buffers: Buffers,
    /// What is set and taken away by hand.
    pub(crate) pins: Pins,
    /// The config as each stage reads it.
    pub(crate) stage_rules: serde_json::Value,
    /// Their digests.
    pub(crate) rule_digests: RuleDigests,
}

/// What a species' pattern takes at the least: the blocks under the chunks at work, or each would be drawn again for every
/// chunk. Tuned for blocks of some 20,000 candidates and two workers.
pub(crate) const PATTERN_BYTES: usize = 6 * 20_000 * size_of::<Candidate>();

/// The finished tiles of one stage: on disk, and as many as the budget holds decoded.
pub(crate) struct Tiles<T> {
    tiles: TileGrid,
    cache: Cache<TileId, Raster<T>>,
    budget_bytes: usize,
    files: Vec<OnceLock<Stored>>,
    blocks: Arc<BlockCache>,
    /// Tiles that were compared with what they held before.
    n_compared: AtomicUsize,
}

/// Where a finished tile lies, and what it holds.
struct Stored {
    path: PathBuf,
    digest: String,
    /// What it held before this bake.
    before: Option<Before>,
}

/// What a tile held before it was made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Before {
    pub(crate) digest: String,
    /// A rectangle around all pixels that are others now; empty where there are none.
    pub(crate) changed: Rect,
}

impl Stored {
    /// Reads the file once, for its digest.
    fn verify(&self) -> Result<(), BakeError> {
        let found = std::fs::read(&self.path).map(|bytes| content_digest(&bytes));
        let reason = match found {
            Ok(found) if found == self.digest => return Ok(()),
            Ok(found) => format!("expected the digest {}, found {found}", self.digest),
            Err(error) => error.to_string(),
        };
        let path = self.path.clone();
        Err(BakeError::Rotten { path, reason })
    }
}

impl<T: ecotone_geotiff::Sample + Default + PartialEq> Tiles<T> {
    pub(crate) fn new(tiles: TileGrid, budget_bytes: usize) -> Self {
        let (columns, rows) = tiles.n_tiles();
        Self {
            tiles,
            cache: Cache::new(budget_bytes),
            budget_bytes,
            files: (0..columns as usize * rows as usize)
                .map(|_| OnceLock::new())
                .collect(),
            // Whole tiles are kept decoded above; their blocks need not be kept as well.
            blocks: Arc::new(BlockCache::new(0)),
            n_compared: AtomicUsize::new(0),
        }
    }

    /// Forgets all that was noted.
    pub(crate) fn forget(&mut self) {
        *self = Self::new(self.tiles, self.budget_bytes);
    }

    fn slot(&self, tile: TileId) -> &OnceLock<Stored> {
        &self.files[tile.y as usize * self.tiles.n_tiles().0 as usize + tile.x as usize]
    }

    /// Whether a tile is on disk.
    pub(crate) fn is_done(&self, tile: TileId) -> bool {
        self.slot(tile).get().is_some()
    }

    /// Notes that a tile lies on disk.
    pub(crate) fn note(&self, tile: TileId, path: PathBuf, digest: &str, before: Option<Before>) {
        let stored = Stored {
            path,
            digest: digest.to_owned(),
            before,
        };
        // Once in a bake: a second time says the same.
        let _ = self.slot(tile).set(stored);
    }

    /// Looks at the digests of the tiles under a window, which are on disk.
    pub(crate) fn look_at(&self, window: Rect, look: &mut Look) {
        for tile in self.tiles.over(window) {
            let stored = self.slot(tile).get();
            let stored = stored.expect("a job is looked at after the tiles it reads are written");
            look.tile(&stored.digest, stored.before.as_ref(), window);
        }
    }

    /// How a tile differs from what it held before, as the file of that says.
    ///
    /// `None` where that file cannot be read, is damaged or of another shape; and after some tiles of a bake: where much changes,
    /// what is beside it mostly changes as well, and this would only take time.
    pub(crate) fn differ(&self, dir: &Path, old: &Artefact, new: &Raster<T>) -> Option<Before> {
        /// Tuned for an edit, which reaches a few tiles.
        const MOST: usize = 32;
        if self.n_compared.fetch_add(1, Ordering::Relaxed) >= MOST {
            return None;
        }
        let stored = Stored {
            path: dir.join(&old.file),
            digest: old.digest.clone(),
            before: None,
        };
        let old = self.read_back(&stored, new.rect()).ok()?;
        let changed = (old.n_bands() == new.n_bands()).then(|| difference(&old, new))?;
        Some(Before {
            digest: stored.digest,
            changed,
        })
    }

    fn read_back(&self, file: &Stored, rect: Rect) -> Result<Raster<T>, BakeError> {
        file.verify()?;
        let options = SourceOptions::default();
        let source = Source::open(&file.path, &options, self.blocks.clone())?;
        let stored = source.read_all::<T>()?;
        let (n_bands, size) = (stored.n_bands(), stored.rect());
        if (size.width(), size.height()) != (rect.width(), rect.height()) {
            let reason = "it has another size".to_owned();
            let path = file.path.clone();
            return Err(BakeError::Rotten { path, reason });
        }
        Ok(Raster::from_pixels(rect, n_bands, stored.into_pixels()))
    }

    /// Keeps a tile that was just made, and leaves the memory of one that had to go in its place.
    pub(crate) fn keep(&self, tile: TileId, raster: &mut Raster<T>) {
        let spare = self.cache.take_spare().unwrap_or_default();
        let made = std::mem::replace(raster, spare);
        let bytes = size_of_val(made.pixels());
        self.cache.put(tile, Arc::new(made), bytes);
    }

    /// A finished tile, read back from its file where it is no longer at hand; [`BakeError::Rotten`] where that is damaged.
    fn get(&self, tile: TileId) -> Result<Arc<Raster<T>>, BakeError> {
        self.cache.get(
            tile,
            |raster| size_of_val(raster.pixels()),
            || {
                let file = self
                    .slot(tile)
                    .get()
                    .expect("a job runs after the tiles it reads are written");
                self.read_back(file, self.tiles.rect(tile))
            },
        )
    }

    /// Fills a window of `n_bands` from the finished tiles under it; `void` off the map.
    pub(crate) fn read(
        &self,
        rect: Rect,
        n_bands: usize,
        void: T,
        out: &mut Raster<T>,
    ) -> Result<(), BakeError> {
        if self.tiles.map().covers(&rect) {
            out.cover(rect, n_bands, void);
        } else {
            out.reset(rect, n_bands, void);
        }
        for tile in self.tiles.over(rect) {
            let raster = self.get(tile)?;
            for band in 0..n_bands {
                out.paste(band, raster.band(band));
            }
        }
        Ok(())
    }
}

/// A rectangle around the pixels in which two rasters of one shape differ.
fn difference<T: Copy + PartialEq>(old: &Raster<T>, new: &Raster<T>) -> Rect {
    let rect = new.rect();
    let mut around = Rect::new(rect.x1, rect.y1, rect.x0, rect.y0);
    for band in 0..new.n_bands() {
        let (old, new) = (old.band(band), new.band(band));
        for y in rect.y0..rect.y1 {
            let (old, new) = (old.row(y), new.row(y));
            if old == new {
                continue;
            }
            let differs = |(a, b): (&T, &T)| a != b;
            let first = old.iter().zip(new).position(differs).unwrap_or(0) as i64;
            let last = old.iter().zip(new).rposition(differs).unwrap_or(0) as i64;
            around.x0 = around.x0.min(rect.x0 + first);
            around.x1 = around.x1.max(rect.x0 + last + 1);
            around.y0 = around.y0.min(y);
            around.y1 = around.y1.max(y + 1);
        }
    }
    around
}

impl Scene {
    /// Opens the inputs of a config and plans their bake; nothing is written.
    pub(crate) fn open(loaded: &Loaded, memory_bytes: u64) -> Result<Self, BakeError> {
        let mut inputs = Inputs::open(loaded, Shares::new(memory_bytes, 0).sources)?;
        let rules = Rules::new(loaded, inputs.transform.pixel)?;
        let plan = plan(loaded, &inputs, &rules)?;
        let wanted = Wanted::new(&plan, &inputs);
        let shares = Shares::new(memory_bytes, wanted.bytes);
        inputs.keep_blocks(shares.sources);
        inputs.warnings.extend(wanted.warning(memory_bytes));
        let manifest = manifest::blank(loaded, &plan, &inputs, &rules);
        let headers = manifest
            .raster_stages()
            .filter_map(|stage| Some((stage.clone(), manifest.raster(&stage)?.1)))
            .collect();
        let patterns_bytes = shares.patterns.max(rules.species.len() * PATTERN_BYTES);
        let stage_rules = stage_rules(loaded, &manifest);
        Ok(Self {
            weights: Tiles::new(plan.tiles, shares.weights),
            sdf: Tiles::new(plan.tiles, shares.sdf),
            patterns: Patterns::new(plan.map_area(), patterns_bytes),
            overview: Gathered::default(),
            buffers: Buffers::default(),
            pins: Pins::new(
                &inputs.edits,
                loaded.config.seed,
                (&rules.species, &manifest.species),
                plan.chunks,
            ),
            rule_digests: RuleDigests::new(&stage_rules),
            stage_rules,
            plant_asks: rules.asked_by(&rules.species),
            grass_asks: rules.asked_by(&rules.grasses),
            plan,
            rules,
            inputs,
            manifest,
            headers,
        })
    }

    /// Has workers gather an overview of at most so many cells along its longer side; 0 for none.
    pub(crate) fn gather_overview(&mut self, most: u32) {
        let map = self.plan.tiles.map();
        self.overview = Gathered::new(map, self.rules.strata.n_bands(), most);
    }

    /// What a raster stage's files say about their pixels.
    pub(crate) fn header(&self, stage: &Stage) -> &TileHeader {
        self.headers
            .get(stage)
            .expect("the manifest names every raster stage that a job makes")
    }

    /// Writes what a job made, and notes where its tiles lie for the jobs that read them.
    pub(crate) fn store(
        &self,
        writer: &mut WorldWriter,
        job: Job,
        made: Made,
    ) -> Result<Written, BakeError> {
        let JobKey { x, y, .. } = job.key();
        let mut files = Vec::with_capacity(made.files.len());
        for Encoded { stage, bytes } in made.files {
            let artefact = writer.put(&stage, x, y, &bytes)?;
            let path = writer.path(&artefact)?;
            self.note(job, &stage, (&artefact, path), made.before.clone());
            files.push((stage, artefact));
            self.buffers.give(bytes);
        }
        Ok(Written {
            files,
            n_plants: made.n_plants,
        })
    }

    /// Notes where the files of a finished job lie for the jobs that read them.
    pub(crate) fn note_all(&self, job: Job, files: &[(Stage, Artefact)], dir: &Path) {
        for (stage, artefact) in files {
            self.note(job, stage, (artefact, dir.join(&artefact.file)), None);
        }
    }

    fn note(
        &self,
        job: Job,
        stage: &Stage,
        (artefact, path): (&Artefact, PathBuf),
        before: Option<Before>,
    ) {
        let digest = &artefact.digest;
        match (job, stage) {
            (Job::Strata(tile), Stage::Weights) => self.weights.note(tile, path, digest, before),
            (Job::Sdf(tile), Stage::Sdf) => self.sdf.note(tile, path, digest, before),
            _ => {}
        }
    }

    /// Forgets which tiles are done.
    pub(crate) fn forget_tiles(&mut self) {
        self.weights.forget();
        self.sdf.forget();
    }

    /// Whether all that a job reads is on disk.
    pub(crate) fn is_ready(&self, job: Job) -> bool {
        let mut inputs = self.plan.inputs(job);
        match job {
            Job::Strata(_) => true,
            Job::Sdf(_) => inputs.all(|tile| self.weights.is_done(tile)),
            Job::Plants(_) => inputs.all(|tile| self.sdf.is_done(tile)),
        }
    }
}

/// Farther from the origin no map lies, and patterns of every spacing reach as far.
pub(crate) const FARTHEST_M: f64 = 1e9;

/// More tiles than a folder of files can sensibly hold.
const MOST_TILES: u64 = 1 << 22;
/// More chunks than that.
const MOST_CHUNKS: u64 = 1 << 22;

fn plan(loaded: &Loaded, inputs: &Inputs, rules: &Rules) -> Result<Plan, BakeError> {
    let config = &loaded.config;
    let map = inputs.map();
    let tiles = TileGrid::new(map.width() as u32, map.height() as u32, config.tiles.size);
    let (columns, rows) = tiles.n_tiles();
    let n_tiles = u64::from(columns) * u64::from(rows);
    if n_tiles > MOST_TILES {
        return Err(too_many(loaded, "tiles.size", "tiles", n_tiles, MOST_TILES));
    }
    let chunks = ChunkGrid::new(config.output.chunk);
    let n_chunks = chunks.n_over(inputs.transform.bounds(map));
    if n_chunks > MOST_CHUNKS && !rules.species.is_empty() {
        return Err(too_many(
            loaded,
            "output.chunk",
            "chunks",
            n_chunks,
            MOST_CHUNKS,
        ));
    }
    check_windows(loaded, inputs, rules, tiles)?;
    if inputs
        .transform
        .bounds(map)
        .iter()
        .any(|edge| edge.abs() > FARTHEST_M)
    {
        let message = format!(
            "the map lies more than {FARTHEST_M:e} m from the origin, farther than plants are placed"
        );
        let help = "give terrain.pixel_size, which puts the origin at the map's corner".to_owned();
        return Err(loaded
            .error_at("terrain.heights", message, Some(help))
            .into());
    }
    let with_plants = !rules.species.is_empty();
    Ok(Plan::new(
        tiles,
        inputs.transform,
        chunks,
        rules.reaches(),
        with_plants,
    ))
}

/// What a worker may take for one job's windows.
const MOST_WINDOW_BYTES: u64 = 4 << 30;

/// Pixels along the side of the largest tile.
fn side(tiles: TileGrid) -> u64 {
    u64::from(tiles.size()).min(tiles.map().width().max(tiles.map().height()) as u64)
}

/// What a worker takes for the windows of a tile's weights, and of its distances.
pub(crate) fn window_bytes(
    inputs: &Inputs,
    rules: &Rules,
    grass_asks: &Asked,
    tiles: TileGrid,
) -> [u64; 2] {
    let size = side(tiles);
    let n_strata = rules.strata.n_bands() as u64;
    let area = |reach: Reach| (size + 2 * u64::from(reach.x)) * (size + 2 * u64::from(reach.y));
    let reaches = rules.reaches();
    let tile = Rect::new(0, 0, size as i64, size as i64);
    // Heights, normals and weights, and masks; weights, classes and distances.
    let strata = area(reaches.strata) * (8 + 12 + 12)
        + size * size * n_strata * 5
        + mask::window_bytes(&inputs.masks, tile);
    let sdf = area(reaches.sdf) * (n_strata + 4) + size * size * n_strata * 2;
    let grass = match rules.grasses.len() as u64 {
        0 => 0,
        n => {
            let heights = grass_asks.heights_under(tile, &rules.normals).area() as u64;
            let layers = grass_asks.window_bytes(rules, inputs, tile);
            heights * (8 + 12) + size * size * n + layers
        }
    };
    [strata, sdf + grass]
}

/// Refuses a tile, a bound or a smoothing whose windows no machine should be asked to hold.
fn check_windows(
    loaded: &Loaded,
    inputs: &Inputs,
    rules: &Rules,
    tiles: TileGrid,
) -> Result<(), BakeError> {
    let size = side(tiles);
    let reaches = rules.reaches();
    let grass_asks = rules.asked_by(&rules.grasses);
    let [strata, sdf] = window_bytes(inputs, rules, &grass_asks, tiles);
    let [tile, smoothing, bound] = ["tiles.size", "normals.smoothing", "edges.max_distance"];
    let grown = |reach: Reach| u64::from(reach.x.max(reach.y)) > size;
    for (bytes, reach, other) in [
        (strata, reaches.strata, smoothing),
        (sdf, reaches.sdf, bound),
    ] {
        if bytes > MOST_WINDOW_BYTES {
            let key = if grown(reach) { other } else { tile };
            let message = format!(
                "each worker would need {} MiB for one tile and what is read around it, more than {} MiB",
                bytes >> 20,
                MOST_WINDOW_BYTES >> 20
            );
            let help = format!("make {key} smaller");
            return Err(loaded.error_at(key, message, Some(help)).into());
        }
    }
    Ok(())
}

fn too_many(loaded: &Loaded, key: &str, what: &str, found: u64, most: u64) -> BakeError {
    let message = format!(
        "the map would be cut into {found} {what}, more than the {most} that a world holds"
    );
    let help = format!("make {key} larger");
    loaded.error_at(key, message, Some(help)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_around_all_that_differs() {
        let rect = Rect::new(10, 20, 18, 26);
        let old = Raster::new(rect, 2, 5_u8);
        let mut new = old.clone();
        assert!(difference(&old, &new).is_empty());
        new.row_mut(0, 22)[3] = 6;
        assert_eq!(difference(&old, &new), Rect::new(13, 22, 14, 23));
        new.row_mut(1, 25)[7] = 6;
        new.row_mut(1, 25)[1] = 4;
        assert_eq!(difference(&old, &new), Rect::new(11, 22, 18, 26));
    }
}
