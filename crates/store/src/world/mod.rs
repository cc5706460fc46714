//! The world directory: immutable artefacts, revisions that name them, and one small file that says which revision counts.

mod changes;
mod collect;
mod commit;
#[cfg(test)]
mod tests;
mod writer;

pub use changes::{Changed, ChunkChange, PlantChanges};
pub use commit::{Committed, Revision};
pub use writer::WorldWriter;

use std::fs::{File, TryLockError};
use std::path::{Component, Path, PathBuf};

use crate::digest::plant_digest;
use crate::{
    Artefact, ChunkArtefact, ChunkView, Entry, Manifest, StoreError, content_digest, disk, ledger,
};

const CURRENT: &str = "current";
const WORLD_JSON: &str = "world.json";
const JOURNAL: &str = "journal";
/// Of a revision's folder.
const LEDGER: &str = "ledger";
const CONFIG_TOML: &str = "config.toml";
const RULES_JSON: &str = "rules.json";

/// The name of a place: `x0003_y0012`; a negative index is written `m0003`.
fn place_name(x: i64, y: i64) -> String {
    let index = |i: i64| {
        let sign = if i < 0 { "m" } else { "" };
        format!("{sign}{:04}", i.unsigned_abs())
    };
    format!("x{}_y{}", index(x), index(y))
}

/// The folder of a revision.
fn revision_folder(dir: &Path, revision: u64) -> PathBuf {
    dir.join("rev").join(revision.to_string())
}

/// The committed revision's number; `None` where nothing was committed yet.
fn current_revision(dir: &Path) -> Result<Option<u64>, StoreError> {
    let path = dir.join(CURRENT);
    let Some(bytes) = disk::read(&path)? else {
        return Ok(None);
    };
    let number = std::str::from_utf8(&bytes)
        .ok()
        .and_then(|text| text.trim().parse().ok());
    let corrupt = || {
        let reason = "expected a revision's number";
        StoreError::corrupt(&path.display().to_string(), 0, reason)
    };
    number.map(Some).ok_or_else(corrupt)
}

fn read_manifest(path: &Path) -> Result<Option<Manifest>, StoreError> {
    let bytes = disk::read(path)?;
    let name = path.display().to_string();
    bytes
        .map(|bytes| Manifest::from_json(&bytes, &name))
        .transpose()
}

/// Writes a copy for people into a world directory, such as a report: whole or not at all, over an older one.
///
/// No reader of the world looks at it, and no writer removes it.
///
/// # Errors
/// [`StoreError::DiskFull`] or another error of the system.
pub fn write_copy(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    disk::write_whole(&dir.join(name), bytes, false)
}

/// Where an artefact lies.
///
/// # Errors
/// [`StoreError::Unfit`] for a path that leaves the world directory.
fn artefact_path(dir: &Path, artefact: &Artefact) -> Result<PathBuf, StoreError> {
    let file = Path::new(&artefact.file);
    if file
        .components()
        .all(|part| matches!(part, Component::Normal(_)))
    {
        return Ok(dir.join(file));
    }
    Err(StoreError::unfit(
        &artefact.file,
        "expected a path under the world directory",
    ))
}

/// An artefact's bytes, checked against its digest.
fn read_verified(dir: &Path, artefact: &Artefact) -> Result<Vec<u8>, StoreError> {
    let path = artefact_path(dir, artefact)?;
    let bytes = std::fs::read(&path).map_err(StoreError::io("read", &path))?;
    let found = content_digest(&bytes);
    if found == artefact.digest {
        return Ok(bytes);
    }
    Err(StoreError::WrongDigest {
        path,
        expected: artefact.digest.clone(),
        found,
    })
}

/// Shows a chunk file to `visit`; an error names the file.
fn visit_chunk<T>(
    dir: &Path,
    artefact: &Artefact,
    visit: impl FnOnce(&ChunkView<'_>) -> T,
) -> Result<T, StoreError> {
    let bytes = read_verified(dir, artefact)?;
    let path = artefact_path(dir, artefact)?;
    let view = ChunkView::parse(&bytes).map_err(|error| error.in_file(&path))?;
    Ok(visit(&view))
}

/// One committed revision, open for reading; while it is open no writer deletes its files.
#[derive(Debug)]
pub struct World {
    dir: PathBuf,
    manifest: Manifest,
    /// Holds a shared lock on the revision's manifest, which the collector asks for.
    _pin: File,
}

impl World {
    /// Opens the current revision.
    ///
    /// # Errors
    /// [`StoreError::NotAWorld`] where nothing was committed, [`StoreError::Corrupt`] or an error of the system.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        // A writer may collect the revision between the look at `current` and the lock; then `current` has moved on.
        const ATTEMPTS: usize = 16;
        for _ in 0..ATTEMPTS {
            let number = current_revision(dir)?.ok_or_else(|| StoreError::NotAWorld {
                path: dir.to_owned(),
            })?;
            if let Some(world) = Self::open_revision(dir, number)? {
                return Ok(world);
            }
        }
        let path = dir.join(CURRENT).display().to_string();
        Err(StoreError::corrupt(
            &path,
            0,
            "the revision it names is not there",
        ))
    }

    /// Opens a revision that is still kept; `None` where it is gone.
    ///
    /// # Errors
    /// As [`World::open`].
    pub fn open_revision(dir: &Path, revision: u64) -> Result<Option<Self>, StoreError> {
        let path = revision_folder(dir, revision).join(WORLD_JSON);
        let pin = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("open", &path)(error)),
        };
        if let Err(TryLockError::WouldBlock) = pin.try_lock_shared() {
            return Ok(None);
        }
        // Any other refusal is a file system without locks: read on, unprotected.
        let manifest = read_manifest(&path)?;
        Ok(manifest.map(|manifest| Self {
            dir: dir.to_owned(),
            manifest,
            _pin: pin,
        }))
    }

    /// What the revision holds.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The world directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The file of a name in the revision's folder.
    fn own(&self, name: &str) -> PathBuf {
        revision_folder(&self.dir, self.manifest.revision).join(name)
    }

    /// What every job of the revision read and made; lines that rotted are left out.
    ///
    /// # Errors
    /// An error of the system.
    pub fn ledger(&self) -> Result<Vec<Entry>, StoreError> {
        let bytes = disk::read(&self.own(LEDGER))?.unwrap_or_default();
        Ok(ledger::read_lines(&bytes).0)
    }

    /// The text of the config that the revision was made from.
    ///
    /// # Errors
    /// An error of the system, or [`StoreError::Corrupt`] where it is no text.
    pub fn config(&self) -> Result<String, StoreError> {
        let path = self.own(CONFIG_TOML);
        let bytes = disk::read(&path)?.unwrap_or_default();
        String::from_utf8(bytes)
            .map_err(|_| StoreError::corrupt(&path.display().to_string(), 0, "expected UTF-8 text"))
    }

    /// The config as each stage of the revision read it, by the stage's name.
    ///
    /// # Errors
    /// An error of the system, or [`StoreError::Corrupt`] where it is no JSON.
    pub fn rules(&self) -> Result<serde_json::Value, StoreError> {
        let path = self.own(RULES_JSON);
        let bytes = disk::read(&path)?.unwrap_or_default();
        serde_json::from_slice(&bytes)
            .map_err(|why| StoreError::corrupt(&path.display().to_string(), 0, why.to_string()))
    }

    /// Where an artefact lies.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] for a path that leaves the world directory.
    pub fn path(&self, artefact: &Artefact) -> Result<PathBuf, StoreError> {
        artefact_path(&self.dir, artefact)
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
        visit_chunk(&self.dir, &chunk.artefact, visit)
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
