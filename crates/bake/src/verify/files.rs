//! Every stored file against its digest.

use std::fmt;
use std::sync::atomic::AtomicBool;

use ecotone_store::{Artefact, EditRecord, Manifest, Stage, StoreError, World};

use super::stop_on;
use crate::error::BakeError;

/// A file of the world that is not what was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Damage {
    /// Its path.
    pub file: String,
    /// The stage and place it is of; `None` for one of the world's books.
    pub of: Option<(Stage, [i64; 2])>,
    /// What was expected, and what was found.
    pub reason: String,
}

impl Damage {
    /// Of the world's books; an error that is none of damage comes back.
    pub(super) fn of_books(error: StoreError) -> Result<Self, StoreError> {
        let (file, reason) = match error {
            StoreError::Damaged { path, reason } => (path.display().to_string(), reason),
            StoreError::Corrupt { file, reason, .. } => (file, reason),
            other => return Err(other),
        };
        let of = None;
        Ok(Self { file, of, reason })
    }

    /// Whether it is a raster of an edit, of which the world has no source.
    pub fn is_of_edit(&self) -> bool {
        matches!(self.of, Some((Stage::Edits, _)))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        match &self.of {
            Some((Stage::Vegetation, [x, y])) => write!(f, " (plants of chunk ({x}, {y}))")?,
            Some((Stage::Edits, [x, y])) => write!(f, " (raster of an edit at pixel ({x}, {y}))")?,
            Some((stage, [x, y])) => write!(f, " ({} of tile ({x}, {y}))", stage.folder())?,
            None => {}
        }
        write!(f, ": {}", self.reason)
    }
}

/// What the files hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Digests {
    /// Files that were read.
    pub n_files: usize,
    /// Their bytes.
    pub n_bytes: u64,
    /// Those that are not what was written.
    pub n_damaged: usize,
    /// The first of them, no more than [`Digests::MOST_DAMAGED`].
    pub damaged: Vec<Damage>,
}

impl Digests {
    /// So many damaged files are told.
    pub const MOST_DAMAGED: usize = 100;

    pub(super) fn note(&mut self, damage: Damage) {
        self.n_damaged += 1;
        if self.damaged.len() < Self::MOST_DAMAGED {
            self.damaged.push(damage);
        }
    }
}

/// Every artefact with what it is of.
fn named(manifest: &Manifest) -> impl Iterator<Item = (Stage, &Artefact)> {
    let rasters = manifest.raster_stages().flat_map(|stage| {
        let tiles = manifest.tiles(&stage).unwrap_or_default();
        tiles.iter().map(move |tile| (stage.clone(), tile))
    });
    let chunks = manifest.chunks.iter();
    let chunks = chunks.map(|chunk| (Stage::Vegetation, &chunk.artefact));
    let edits = manifest.edits.iter().flat_map(EditRecord::artefacts);
    rasters
        .chain(chunks)
        .chain(edits.map(|file| (Stage::Edits, file)))
}

/// Reads every file of a world; `progress` gets the share of the bytes.
pub(super) fn check(
    world: &World,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(f64),
) -> Result<Digests, BakeError> {
    let manifest = world.manifest();
    let mut found = Digests::default();
    for damage in world.damaged_books()? {
        found.note(Damage::of_books(damage)?);
    }
    let total: u64 = manifest.artefacts().map(|file| file.bytes).sum();
    for (stage, file) in named(manifest) {
        stop_on(cancel)?;
        found.n_files += 1;
        found.n_bytes += file.bytes;
        if let Err(error) = world.read_verified(file) {
            found.note(Damage {
                file: file.file.clone(),
                of: Some((stage, [file.x, file.y])),
                reason: match error {
                    StoreError::WrongDigest {
                        expected, found, ..
                    } => format!("expected the digest {expected}, found {found}"),
                    other => other.to_string(),
                },
            });
        }
        progress(found.n_bytes as f64 / total.max(1) as f64);
    }
    Ok(found)
}
