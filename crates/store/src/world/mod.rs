//! The world directory: immutable artefacts, revisions that name them, and one small file that says which revision counts.

mod chain;
mod changes;
mod collect;
mod commit;
mod copies;
mod folder;
mod journal;
mod lock;
mod recover;
#[cfg(test)]
mod tests;
mod writer;

pub use changes::{Changed, ChunkChange, PlantChanges};
pub use commit::{Committed, Revision};
pub use copies::write_copy;
pub use recover::Recovered;
pub use writer::WorldWriter;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chain::Sums;
use folder::{CONFIG_TOML, CURRENT, LEDGER, RULES_JSON, WORLD_JSON, WorldFolder};

use crate::digest::plant_digest;
use crate::disk::{Disk, Files, Guard, Hold, Lock, RealDisk};
use crate::ledger::News;
use crate::{Artefact, ChunkArtefact, ChunkView, Digest, Entry, Manifest, StoreError, ledger};

/// One committed revision, open for reading; while it is open no writer deletes its files.
#[derive(Debug)]
pub struct World {
    world: WorldFolder,
    manifest: Manifest,
    sums: Sums,
    /// A shared lock on the revision's manifest, which the collector asks for; none where the file system has no locks.
    _pin: Option<Guard>,
}

impl World {
    /// Opens the current revision, after a look at the digests that lead to its manifest.
    ///
    /// # Errors
    /// [`StoreError::NotAWorld`] where nothing was committed; [`StoreError::Damaged`] names the file that is not what was
    /// written; [`StoreError::WrongVersion`], or an error of the system.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        Self::open_on(Arc::new(RealDisk), dir)
    }

    /// [`World::open`] on another disk, for tests.
    ///
    /// # Errors
    /// As [`World::open`].
    pub fn open_on(disk: Arc<dyn Disk>, dir: &Path) -> Result<Self, StoreError> {
        // A writer may collect the revision between the look at `current` and the lock; then `current` has moved on.
        const ATTEMPTS: usize = 16;
        let world = WorldFolder {
            files: Files::on(disk),
            path: dir.to_owned(),
        };
        for _ in 0..ATTEMPTS {
            let current = world.read_current()?;
            let current = current.ok_or_else(|| StoreError::NotAWorld {
                path: dir.to_owned(),
            })?;
            let opened = Self::pinned(world.clone(), current.revision, Some(current.sums))?;
            if let Some(world) = opened {
                return Ok(world);
            }
        }
        let reason = "the revision it names is not there";
        Err(StoreError::damaged(&world.join(CURRENT), reason))
    }

    /// Opens a revision that is still kept; `None` where it is gone.
    ///
    /// # Errors
    /// As [`World::open`].
    pub fn open_revision(dir: &Path, revision: u64) -> Result<Option<Self>, StoreError> {
        let world = WorldFolder {
            files: Files::real(),
            path: dir.to_owned(),
        };
        Self::pinned(world, revision, None)
    }

    /// The revisions of a world directory that are still kept, the newest first; none where there is no world.
    ///
    /// # Errors
    /// An error of the system.
    pub fn kept(dir: &Path) -> Result<Vec<u64>, StoreError> {
        let world = WorldFolder {
            files: Files::real(),
            path: dir.to_owned(),
        };
        world.revisions()
    }

    fn pinned(
        world: WorldFolder,
        revision: u64,
        sums: Option<Digest>,
    ) -> Result<Option<Self>, StoreError> {
        let path = world.revision(revision).join(WORLD_JSON);
        let pin = match world.files.lock(&path, Hold::ToRead)? {
            None | Some(Lock::Busy) => return Ok(None),
            Some(Lock::Held(pin)) => Some(pin),
            // A file system without locks: read on, unprotected.
            Some(Lock::Unknown(_)) => None,
        };
        if world.files.stat(&path)?.is_none() {
            return Ok(None); // It went between the look and the lock.
        }
        let (sums, _) = world.read_sums(revision, sums)?;
        let manifest = world.read_manifest(revision, &sums)?;
        Ok(Some(Self {
            world,
            manifest,
            sums,
            _pin: pin,
        }))
    }

    /// What the revision holds.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The world directory.
    pub fn dir(&self) -> &Path {
        &self.world.path
    }

    /// What every job of the revision read and made; lines that rotted are left out.
    ///
    /// # Errors
    /// An error of the system.
    pub fn ledger(&self) -> Result<Vec<Entry>, StoreError> {
        let path = self.world.revision(self.manifest.revision).join(LEDGER);
        let bytes = self.world.files.read(&path)?.unwrap_or_default();
        Ok(ledger::entries(&bytes).collect())
    }

    /// A file of the revision's folder, checked against its digest.
    fn own(&self, name: &str) -> Result<(PathBuf, Vec<u8>), StoreError> {
        let revision = self.manifest.revision;
        let bytes = self.world.read_own(revision, &self.sums, name)?;
        Ok((self.world.revision(revision).join(name), bytes))
    }

    /// The text of the config that the revision was made from.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], [`StoreError::Corrupt`] where it is no text, or an error of the system.
    pub fn config(&self) -> Result<String, StoreError> {
        let (path, bytes) = self.own(CONFIG_TOML)?;
        String::from_utf8(bytes)
            .map_err(|_| StoreError::corrupt(&path.display().to_string(), 0, "expected UTF-8 text"))
    }

    /// The file that [`config`](Self::config) is in.
    pub fn config_path(&self) -> PathBuf {
        self.world
            .revision(self.manifest.revision)
            .join(CONFIG_TOML)
    }

    /// The config as each stage of the revision read it, by the stage's name.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], [`StoreError::Corrupt`] where it is no JSON, or an error of the system.
    pub fn rules(&self) -> Result<serde_json::Value, StoreError> {
        let (path, bytes) = self.own(RULES_JSON)?;
        serde_json::from_slice(&bytes)
            .map_err(|why| StoreError::corrupt(&path.display().to_string(), 0, why.to_string()))
    }

    /// Looks at every file of the revision's folder that the chain of digests knows: mosaics, config, rules, what changed.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] for the first that is not what was written, or an error of the system.
    pub fn check_books(&self) -> Result<(), StoreError> {
        self.sums
            .names()
            .try_for_each(|name| self.own(name).map(drop))
    }

    /// All that is wrong with the revision's books: the files of [`World::check_books`], its ledger, and the copies of them for
    /// people.
    ///
    /// # Errors
    /// An error of the system.
    pub fn damaged_books(&self) -> Result<Vec<StoreError>, StoreError> {
        let revision = self.manifest.revision;
        let mut damaged = Vec::new();
        for name in self.sums.names() {
            match self.own(name) {
                Err(error) if error.is_damage() => damaged.push(error),
                read => drop(read?),
            }
        }
        let path = self.world.revision(revision).join(LEDGER);
        let ledger = self.world.files.read(&path)?;
        damaged.extend(ledger.map_or_else(
            || Some(News::missing(&path)),
            |bytes| ledger::news(&bytes, &mut HashSet::new()).damage(&path),
        ));
        if damaged.is_empty() {
            damaged = self.world.stale_copies(revision)?;
        }
        Ok(damaged)
    }

    /// Where an artefact lies.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] for a path that leaves the world directory.
    pub fn path(&self, artefact: &Artefact) -> Result<PathBuf, StoreError> {
        self.world.artefact(artefact)
    }

    /// An artefact's bytes, checked against its digest.
    ///
    /// # Errors
    /// [`StoreError::WrongDigest`] or an error of the system; [`StoreError::Unfit`] for a path that leaves the world directory.
    pub fn read_verified(&self, artefact: &Artefact) -> Result<Vec<u8>, StoreError> {
        self.world.read_verified(artefact)
    }

    /// Looks whether an artefact's file is what was written, for readers that open it by its path.
    ///
    /// # Errors
    /// As [`World::read_verified`].
    pub fn check(&self, artefact: &Artefact) -> Result<(), StoreError> {
        self.read_verified(artefact).map(drop)
    }

    /// Shows one chunk to `visit`, after a look at its digest, and returns what that makes of it.
    ///
    /// # Errors
    /// [`StoreError::WrongDigest`] or one of [`ChunkView::parse`], naming the file; an error of the system.
    pub fn chunk<T>(
        &self,
        chunk: &ChunkArtefact,
        visit: impl FnOnce(&ChunkView<'_>) -> T,
    ) -> Result<T, StoreError> {
        self.world.visit_chunk(&chunk.artefact, visit)
    }

    /// Shows every chunk to `visit`, in the order of the manifest, one in memory at a time.
    ///
    /// # Errors
    /// As [`World::chunk`].
    pub fn each_chunk(&self, visit: &mut dyn FnMut(&ChunkView<'_>)) -> Result<(), StoreError> {
        let mut chunks = self.manifest.chunks.iter();
        chunks.try_for_each(|chunk| self.chunk(chunk, &mut *visit))
    }

    /// The canonical digest of its plants (drawn in `docs/format.md`): BLAKE3 over the records sorted by species name and id.
    ///
    /// Every chunk is read once to count, and once more for every `plants_per_pass` plants of the world; about so many are in
    /// memory at once, such as [`PLANTS_PER_PASS`](crate::PLANTS_PER_PASS).
    ///
    /// # Errors
    /// As [`World::each_chunk`].
    pub fn plant_digest(&self, plants_per_pass: usize) -> Result<String, StoreError> {
        plant_digest(plants_per_pass, |visit| self.each_chunk(visit))
    }
}
