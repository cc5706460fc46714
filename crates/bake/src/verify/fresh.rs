//! A fresh bake of some regions in a scratch folder, and its comparison with the world.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ecotone_grid::Rect;
use ecotone_scatter::Area;
use ecotone_store::{
    Artefact, Entry, JobKey, JobKind, Manifest, ScratchDisk, Stage, StoreError, World, WorldWriter,
};
use tempfile::TempDir;

use super::difference::{Difference, Place, Unlike};
use super::plants::Plants;
use super::rasters::Pair;
use super::regions::{area_of, jobs_over};
use super::tiles::Tiles;
use super::{Comparison, VerifyError, stop_on};
use crate::config::Loaded;
use crate::density;
use crate::error::BakeError;
use crate::known::Known;
use crate::plan::{Job, Plan};
use crate::run::{self, Crew};
use crate::scene::Scene;
use crate::scratch;

/// Opens the inputs for a fresh bake.
pub(super) fn open(loaded: &Loaded, memory_bytes: u64) -> Result<Scene, VerifyError> {
    Ok(Scene::open(loaded, memory_bytes)?)
}

/// A folder that goes when it is dropped: in the one that is asked for, else beside the world, else in the system's own place.
pub(super) fn scratch(world: &Path, wanted: Option<&Path>) -> Result<TempDir, BakeError> {
    const PREFIX: &str = ".ecotone-verify-";
    if let Some(folder) = wanted {
        return scratch::within(folder, PREFIX);
    }
    let world = std::path::absolute(world).unwrap_or_else(|_| world.to_owned());
    scratch::beside(&world, PREFIX)
}

/// A fresh bake.
pub(super) struct Fresh {
    pub(super) plan: Plan,
    pub(super) threads: usize,
    entries: Vec<Arc<Entry>>,
    folder: TempDir,
}

/// Bakes what lies in some windows, or all of the map.
pub(super) fn bake(
    mut scene: Scene,
    windows: Option<&[Rect]>,
    folder: TempDir,
    threads: usize,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(f64),
) -> Result<Fresh, VerifyError> {
    if let Some(windows) = windows {
        scene.plan.jobs = jobs_over(&scene.plan, windows);
    }
    let mut writer =
        WorldWriter::open_on(Arc::new(ScratchDisk), folder.path()).map_err(BakeError::from)?;
    let known = Known::new(Vec::new(), &scene.rule_digests, false);
    let mut settled = vec![None; scene.plan.jobs.len()];
    let crew = Crew {
        scene: &scene,
        known: &known,
        dir: folder.path(),
        threads,
        cancel,
    };
    run::run(crew, &mut writer, &mut settled, &mut |at| {
        progress(at.done as f64 / at.total.max(1) as f64);
    })?;
    drop(writer);
    Ok(Fresh {
        entries: settled.into_iter().flatten().map(|s| s.entry).collect(),
        plan: scene.plan,
        threads,
        folder,
    })
}

/// The world's files by what they are of.
fn by_place(manifest: &Manifest) -> BTreeMap<(Stage, i64, i64), &Artefact> {
    let mut files = BTreeMap::new();
    for stage in manifest.raster_stages() {
        for tile in manifest.tiles(&stage).unwrap_or_default() {
            files.insert((stage.clone(), tile.x, tile.y), tile);
        }
    }
    for chunk in &manifest.chunks {
        let file = &chunk.artefact;
        files.insert((Stage::Vegetation, file.x, file.y), file);
    }
    files
}

impl Fresh {
    /// The jobs that read something else than they did when the world was baked, by the same rules.
    pub(super) fn changed_since(&self, ledger: &[Entry]) -> Vec<Job> {
        let then: HashMap<JobKey, &Entry> = ledger.iter().map(|e| (e.job, e)).collect();
        let is_changed = |entry: &Entry| {
            let Some(then) = then.get(&entry.job) else {
                return false;
            };
            // Distances read nothing but weights, unless densities are made with them.
            let reads_inputs = entry.job.kind != JobKind::Sdf
                || entry.files.iter().any(|(stage, _)| density::is(stage));
            reads_inputs
                && then.fingerprint.rules == entry.fingerprint.rules
                && then.fingerprint.reads != entry.fingerprint.reads
        };
        let pairs = self.plan.jobs.iter().zip(&self.entries);
        pairs
            .filter(|(_, entry)| is_changed(entry))
            .map(|(job, _)| *job)
            .collect()
    }

    fn files(&self, stage: &Stage) -> impl Iterator<Item = &Artefact> {
        let files = self.entries.iter().flat_map(|entry| &entry.files);
        files
            .filter(move |(of, _)| of == stage)
            .map(|(_, file)| file)
    }

    /// Every raster of the world beside the fresh one.
    fn pairs<'a>(&self, world: &'a World) -> BTreeMap<Stage, Pair<'a>> {
        let manifest = world.manifest();
        let pair = |stage: Stage| {
            let own = manifest.tiles(&stage).unwrap_or_default();
            let stored = Tiles::new(manifest.grid.tiles(), world.dir(), own.iter());
            let fresh = Tiles::new(self.plan.tiles, self.folder.path(), self.files(&stage));
            let pair = Pair {
                stage: stage.clone(),
                stored,
                fresh,
                manifest,
            };
            (stage, pair)
        };
        manifest.raster_stages().map(pair).collect()
    }

    /// Compares with the world's tiles and chunks, which are cut as these are: file by file, by digest.
    pub(super) fn against_own(
        &self,
        world: &World,
        is_full: bool,
    ) -> Result<Comparison, VerifyError> {
        let mut found = Comparison::of(self);
        let mut stored = by_place(world.manifest());
        let pairs = self.pairs(world);
        for (job, entry) in self.plan.jobs.iter().zip(&self.entries) {
            for stage in stages(entry.job.kind, world.manifest()) {
                let JobKey { x, y, .. } = entry.job;
                let own = stored.remove(&(stage.clone(), x, y));
                let file = entry.files.iter().find(|(of, _)| *of == stage);
                let pair = (own, file.map(|(_, file)| file));
                match pairs.get(&stage) {
                    Some(raster) => self.note_tile(raster, *job, pair, &mut found),
                    None => self.note_chunk(world, entry.job, pair, &mut found)?,
                }
            }
        }
        let left: Vec<_> = stored.into_keys().filter(|_| is_full).collect();
        for (stage, x, y) in left {
            found.note(Some(Difference {
                place: match stage {
                    Stage::Vegetation => Place::Chunk(x, y),
                    _ => Place::Tile(x, y),
                },
                stage,
                unlike: other_bytes("the world names a file that no bake makes"),
            }));
        }
        Ok(found)
    }

    fn note_tile(
        &self,
        raster: &Pair<'_>,
        job: Job,
        (own, fresh): (Option<&Artefact>, Option<&Artefact>),
        found: &mut Comparison,
    ) {
        let (Job::Strata(tile) | Job::Sdf(tile)) = job else {
            return;
        };
        let JobKey { x, y, .. } = job.key();
        let core = self.plan.tiles.rect(tile);
        let is_same = own.map(|own| &own.digest) == fresh.map(|fresh| &fresh.digest);
        let (n_values, difference) = if is_same && own.is_some() {
            (raster.n_values(core), None)
        } else {
            let (n, difference) = raster.compare(core, [x, y]);
            let bytes = || Difference {
                stage: raster.stage.clone(),
                place: Place::Tile(x, y),
                unlike: other_bytes("the same values, but packed into other bytes"),
            };
            (n, Some(difference.unwrap_or_else(bytes)))
        };
        found.n_values += n_values;
        found.note(difference);
    }

    fn note_chunk(
        &self,
        world: &World,
        job: JobKey,
        (own, fresh): (Option<&Artefact>, Option<&Artefact>),
        found: &mut Comparison,
    ) -> Result<(), VerifyError> {
        let everywhere = Area::default().grow(i64::MAX);
        let (mut stored, mut made) = (Plants::default(), Plants::default());
        if let Some(own) = own {
            stored.add(&world.read_verified(own)?, &everywhere)?;
        }
        found.n_plants += stored.n();
        if own.map(|own| &own.digest) == fresh.map(|fresh| &fresh.digest) {
            return Ok(());
        }
        if let Some(fresh) = fresh {
            self.add_plants(fresh, &everywhere, &mut made)?;
        }
        let unlike = stored.first_difference(made);
        found.note(Some(Difference {
            stage: Stage::Vegetation,
            place: Place::Chunk(job.x, job.y),
            unlike: unlike
                .unwrap_or_else(|| other_bytes("the same plants, but packed into other bytes")),
        }));
        Ok(())
    }

    /// Takes in the plants of a fresh chunk.
    fn add_plants(
        &self,
        file: &Artefact,
        area: &Area,
        out: &mut Plants,
    ) -> Result<(), VerifyError> {
        let path = self.folder.path().join(&file.file);
        let bytes = std::fs::read(&path).map_err(|source| StoreError::Io {
            action: "read",
            path,
            source,
        })?;
        Ok(out.add(&bytes, area)?)
    }

    /// Compares regions with the world's, which is cut otherwise: value by value and plant by plant.
    pub(super) fn against_others(
        &self,
        world: &World,
        regions: &[Rect],
        cancel: &AtomicBool,
    ) -> Result<Comparison, VerifyError> {
        let mut found = Comparison::of(self);
        let pairs = self.pairs(world);
        for region in regions {
            for tile in self.plan.tiles.over(*region) {
                stop_on(cancel)?;
                let window = self.plan.tiles.rect(tile).intersect(region);
                for pair in pairs.values() {
                    let place = [tile.x.into(), tile.y.into()];
                    let (n_values, difference) = pair.compare(window, place);
                    found.n_values += n_values;
                    found.note(difference);
                }
            }
            self.compare_plants(world, *region, cancel, &mut found)?;
        }
        Ok(found)
    }

    /// Compares the plants in a region, fresh chunk by fresh chunk.
    fn compare_plants(
        &self,
        world: &World,
        region: Rect,
        cancel: &AtomicBool,
        found: &mut Comparison,
    ) -> Result<(), VerifyError> {
        let manifest = world.manifest();
        let area = match region == self.plan.tiles.map() {
            // Whatever stands at the rim of the map.
            true => Area::default().grow(i64::MAX),
            false => area_of(&self.plan, region),
        };
        let by_place = |file: &'_ Artefact| (file.x, file.y);
        let own: HashMap<_, _> = (manifest.chunks.iter())
            .map(|chunk| (by_place(&chunk.artefact), &chunk.artefact))
            .collect();
        let fresh: HashMap<_, _> = (self.files(&Stage::Vegetation))
            .map(|file| (by_place(file), file))
            .collect();
        for job in &self.plan.jobs {
            let Job::Plants(chunk) = *job else {
                continue;
            };
            stop_on(cancel)?;
            let part = self.plan.chunks.area(chunk).intersect(&area);
            let (mut stored, mut made) = (Plants::default(), Plants::default());
            for place in chunks_over(&part, manifest.chunk_size) {
                if let Some(file) = own.get(&place) {
                    stored.add(&world.read_verified(file)?, &part)?;
                }
            }
            if let Some(file) = fresh.get(&(chunk.x, chunk.y)) {
                self.add_plants(file, &part, &mut made)?;
            }
            found.n_plants += stored.n();
            let unlike = stored.first_difference(made);
            found.note(unlike.map(|unlike| Difference {
                stage: Stage::Vegetation,
                place: Place::Chunk(chunk.x, chunk.y),
                unlike,
            }));
        }
        Ok(())
    }
}

/// The places of the chunks of a size that share a position with an area.
fn chunks_over(area: &Area, size: i64) -> impl Iterator<Item = (i64, i64)> + use<> {
    let span = |from: i64, to: i64| match from < to {
        true => from.div_euclid(size)..(to - 1).div_euclid(size) + 1,
        false => 0..0,
    };
    let columns = span(area.x0, area.x1);
    span(area.y0, area.y1).flat_map(move |y| columns.clone().map(move |x| (x, y)))
}

fn other_bytes(reason: &str) -> Unlike {
    Unlike::File {
        reason: reason.to_owned(),
    }
}

/// What the jobs of a kind make in a world.
fn stages(kind: JobKind, manifest: &Manifest) -> Vec<Stage> {
    match kind {
        JobKind::Strata => manifest
            .raster_stages()
            .filter(|stage| *stage != Stage::Sdf && !density::is(stage))
            .collect(),
        JobKind::Sdf => manifest
            .raster_stages()
            .filter(|stage| *stage == Stage::Sdf || density::is(stage))
            .collect(),
        JobKind::Plants => vec![Stage::Vegetation],
    }
}
