//! Proves on a finished world what it promises: its files are what was written, a fresh bake makes the same, and how it was
//! cut into tiles and chunks does not show.
//!
//! Nothing of the world is written. Fresh bakes go into a scratch folder, which is removed whichever way this ends.

mod difference;
mod files;
mod fresh;
mod plants;
mod rasters;
mod regions;
mod tiles;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use ecotone_grid::Rect;
use ecotone_store::{Manifest, StoreError, World};

pub use difference::{Difference, Place, Unlike};
pub use files::{Damage, Digests};

use crate::EditLog;
use crate::config::{self, Loaded};
use crate::edit::{EditError, Edits};
use crate::error::BakeError;
use fresh::Fresh;

/// How a world is verified.
#[derive(Clone, Debug)]
pub struct Request {
    /// The whole map, not samples of it.
    pub full: bool,
    /// So many sample regions; `None`: a handful, fewer where tiles are large.
    pub regions: Option<usize>,
    /// Other regions for another seed.
    pub seed: u64,
    /// Where fresh bakes are written; `None`: beside the world, or in the system's place for temporary files.
    pub scratch: Option<PathBuf>,
    /// Worker threads; the bake at another tile size takes one more.
    pub threads: usize,
    /// As of [`crate::Options::memory_bytes`].
    pub memory_bytes: u64,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Files are read for their digests.
    Files,
    /// The world's own tiles are baked afresh and compared.
    Rebuild,
    /// Tiles of another size are baked and compared.
    Partition,
}

/// What was compared with a fresh bake.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Side of the fresh bake's tiles in pixels.
    pub tile_size: u32,
    /// Side of its chunks in metres.
    pub chunk_m: f64,
    /// Its threads.
    pub threads: usize,
    /// Raster values that were compared, of all bands.
    pub n_values: u64,
    /// Plants of the world that were compared.
    pub n_plants: u64,
    /// Tiles and chunks of the fresh bake that differ from the world.
    pub n_differing: u64,
    /// The first difference in each, of no more than [`Comparison::MOST_DIFFERENCES`].
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// So many differences are told.
    pub const MOST_DIFFERENCES: usize = 10;

    fn of(fresh: &Fresh) -> Self {
        Self {
            tile_size: fresh.plan.tiles.size(),
            chunk_m: fresh.plan.chunks.size as f64 / crate::STEPS_PER_M,
            threads: fresh.threads,
            ..Self::default()
        }
    }

    /// Notes what was found in one tile or chunk.
    fn note(&mut self, found: Option<Difference>) {
        let Some(difference) = found else {
            return;
        };
        self.n_differing += 1;
        if self.differences.len() < Self::MOST_DIFFERENCES {
            self.differences.push(difference);
        }
    }
}

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The revision; `None` where the books that name it are damaged.
    pub revision: Option<u64>,
    /// The files.
    pub files: Digests,
    /// The regions of the map that were baked afresh, in its pixels.
    pub regions: Vec<Rect>,
    /// Jobs that read something else than when the world was baked: it is a bake behind its inputs, and nothing is compared.
    pub n_changed: usize,
    /// The first of them.
    pub changed: Option<String>,
    /// Against a fresh bake at the world's own tile size; `None` where damage or changed inputs came first.
    pub rebuild: Option<Comparison>,
    /// Against a fresh bake at another tile size, chunk size and number of threads.
    pub partition: Option<Comparison>,
}

impl Verdict {
    /// Whether all that was looked at is as it must be.
    pub fn is_proof(&self) -> bool {
        let is_same =
            |law: &Option<Comparison>| law.as_ref().is_some_and(|law| law.n_differing == 0);
        self.files.n_damaged == 0
            && self.n_changed == 0
            && is_same(&self.rebuild)
            && is_same(&self.partition)
    }
}

/// Why a world could not be verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// There is no world that can be read.
    #[error(transparent)]
    World(#[from] StoreError),
    /// The inputs are not to be had, or a fresh bake failed.
    #[error(transparent)]
    Bake(#[from] BakeError),
    /// The fresh bakes would not fit.
    #[error(
        "a fresh bake of the whole world takes about {wanted_bytes} bytes, and {free_bytes} are free in {}; make room, name \
         another folder with --scratch, or verify samples without --full",
        folder.display()
    )]
    NoRoom {
        /// Where they were to be written.
        folder: PathBuf,
        /// What they would take.
        wanted_bytes: u64,
        /// What is free.
        free_bytes: u64,
    },
}

/// Verifies the current revision of the world in `dir`.
///
/// `progress` gets what is being done, and the share of it that is done. Damage and differences are no errors: see
/// [`Verdict::is_proof`].
///
/// # Errors
/// [`VerifyError::World`] where there is no world, [`VerifyError::NoRoom`], or those of [`crate::Bake::open`] and
/// [`crate::Bake::run`] on the inputs; [`BakeError::Stopped`] after `cancel`.
pub fn verify(
    dir: &Path,
    request: &Request,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Step, f64),
) -> Result<Verdict, VerifyError> {
    let mut verdict = Verdict::default();
    let world = match World::open(dir) {
        Ok(world) => world,
        Err(error) => {
            verdict.files.note(Damage::of_books(error)?);
            return Ok(verdict);
        }
    };
    verdict.revision = Some(world.manifest().revision);
    let files = &mut |share| progress(Step::Files, share);
    verdict.files = files::check(&world, cancel, files)?;
    if verdict.files.n_damaged == 0 {
        let verifier = Verifier::new(&world, request, cancel)?;
        verifier.compare(&mut verdict, progress)?;
    }
    Ok(verdict)
}

/// Ends the verification where its being stopped is wished for.
fn stop_on(cancel: &AtomicBool) -> Result<(), BakeError> {
    match cancel.load(Ordering::Relaxed) {
        true => Err(BakeError::Stopped),
        false => Ok(()),
    }
}

/// Bakes afresh and compares.
struct Verifier<'a> {
    world: &'a World,
    /// The world's own config under its edits.
    loaded: Loaded,
    request: &'a Request,
    cancel: &'a AtomicBool,
}

impl<'a> Verifier<'a> {
    fn new(
        world: &'a World,
        request: &'a Request,
        cancel: &'a AtomicBool,
    ) -> Result<Self, VerifyError> {
        Ok(Self {
            loaded: loaded(world)?,
            world,
            request,
            cancel,
        })
    }

    fn manifest(&self) -> &Manifest {
        self.world.manifest()
    }

    fn compare(
        &self,
        verdict: &mut Verdict,
        progress: &mut dyn FnMut(Step, f64),
    ) -> Result<(), VerifyError> {
        self.check_room()?;
        let own = fresh::open(&self.loaded, self.request.memory_bytes)?;
        if own.manifest.grid != self.manifest().grid {
            verdict.n_changed = own.plan.jobs.len();
            verdict.changed = Some("the map has another size or place".to_owned());
            return Ok(());
        }
        verdict.regions = regions::choose(&own.plan, self.request);
        let threads = self.request.threads.max(1);
        let rebuild = &mut |share| progress(Step::Rebuild, share);
        let fresh = self.bake(own, &verdict.regions, threads, rebuild)?;
        let changed = fresh.changed_since(&self.world.ledger()?);
        if let Some(first) = changed.first() {
            verdict.n_changed = changed.len();
            verdict.changed = Some(first.to_string());
            return Ok(());
        }
        verdict.rebuild = Some(fresh.against_own(self.world, self.request.full)?);
        drop(fresh);
        let other = regions::otherwise_cut(&self.loaded, self.manifest());
        let other = fresh::open(&other, self.request.memory_bytes)?;
        let partition = &mut |share| progress(Step::Partition, share);
        let fresh = self.bake(other, &verdict.regions, threads + 1, partition)?;
        verdict.partition =
            Some(fresh.against_others(self.world, &verdict.regions, self.cancel)?);
        Ok(())
    }

    fn bake(
        &self,
        scene: crate::scene::Scene,
        regions: &[Rect],
        threads: usize,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Fresh, VerifyError> {
        let windows = (!self.request.full).then_some(regions);
        let folder = fresh::scratch(self.world.dir(), self.request.scratch.as_deref())?;
        fresh::bake(scene, windows, folder, threads, self.cancel, progress)
    }

    /// Refuses a whole bake that will not fit; samples take little.
    fn check_room(&self) -> Result<(), VerifyError> {
        if !self.request.full {
            return Ok(());
        }
        let folder = fresh::scratch(self.world.dir(), self.request.scratch.as_deref())?;
        let own: u64 = self.manifest().artefacts().map(|file| file.bytes).sum();
        // Smaller tiles pack a little worse, and a folder's entries take room too.
        let wanted_bytes = own + own / 4;
        match crate::system::free_bytes(folder.path()) {
            Some(free_bytes) if free_bytes < wanted_bytes => Err(VerifyError::NoRoom {
                folder: folder.path().parent().unwrap_or(Path::new(".")).to_owned(),
                wanted_bytes,
                free_bytes,
            }),
            _ => Ok(()),
        }
    }
}

/// The config that a world was made from, under its edits.
fn loaded(world: &World) -> Result<Loaded, VerifyError> {
    let manifest = world.manifest();
    let text = world.config()?;
    if text.is_empty() {
        let path = world.dir().to_owned();
        return Err(BakeError::from(EditError::NoConfig { path }).into());
    }
    let path = Path::new(&manifest.config.path);
    let loaded = config::parse_copy(&text, path, &world.config_path()).map_err(BakeError::from)?;
    let log = EditLog {
        records: manifest.edits.clone(),
        dir: world.dir().to_owned(),
    };
    let edits = Edits::given(log, Some(manifest.grid.transform()));
    Ok(loaded.under(edits).map_err(BakeError::from)?)
}
