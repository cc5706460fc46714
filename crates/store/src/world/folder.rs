//! Where everything of a world lies, and the reading of an artefact against its digest.

use std::path::{Component, Path, PathBuf};

use crate::disk::Files;
use crate::{Artefact, ChunkView, StoreError, content_digest};

pub(super) const CURRENT: &str = "current";
pub(super) const JOURNAL: &str = "journal";
pub(super) const LOCK: &str = "lock";
pub(super) const REVISIONS: &str = "rev";
/// Of a revision's folder, and a copy beside `current`.
pub(super) const WORLD_JSON: &str = "world.json";
/// Of a revision's folder.
pub(super) const LEDGER: &str = "ledger";
pub(super) const CONFIG_TOML: &str = "config.toml";
pub(super) const RULES_JSON: &str = "rules.json";
pub(super) const CHANGED_JSON: &str = "changed.json";
pub(super) const SUMS: &str = "sums";

/// Folders of artefacts that every world has.
pub(super) const STAGES: [&str; 4] = ["weights", "sdf", "vegetation", "edits"];
/// Holds a folder for each optional raster.
pub(super) const FIELDS: &str = "fields";

/// A world directory on its disk.
#[derive(Clone, Debug)]
pub(super) struct WorldFolder {
    pub files: Files,
    pub path: PathBuf,
}

impl WorldFolder {
    /// A file or folder by its path under the world directory.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The folder of a revision.
    pub fn revision(&self, revision: u64) -> PathBuf {
        self.join(REVISIONS).join(revision.to_string())
    }

    /// Revisions that have a folder, the newest first.
    pub fn revisions(&self) -> Result<Vec<u64>, StoreError> {
        let names = self.files.names(&self.join(REVISIONS))?;
        let mut revisions: Vec<u64> = names.iter().filter_map(|name| name.parse().ok()).collect();
        revisions.sort_unstable_by(|a, b| b.cmp(a));
        Ok(revisions)
    }

    /// Where an artefact lies.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] for a path that leaves the world directory.
    pub fn artefact(&self, artefact: &Artefact) -> Result<PathBuf, StoreError> {
        let file = Path::new(&artefact.file);
        let inside = |part| matches!(part, Component::Normal(_));
        if file.components().all(inside) {
            return Ok(self.path.join(file));
        }
        let reason = "expected a path under the world directory";
        Err(StoreError::unfit(&artefact.file, reason))
    }

    /// Whether an artefact's file is there, with its length.
    pub fn has(&self, artefact: &Artefact) -> Result<bool, StoreError> {
        let found = self.files.length(&self.artefact(artefact)?)?;
        Ok(found == Some(artefact.bytes))
    }

    /// An artefact's bytes, checked against its digest.
    pub fn read_verified(&self, artefact: &Artefact) -> Result<Vec<u8>, StoreError> {
        let path = self.artefact(artefact)?;
        let bytes = self.files.read_present(&path)?;
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
    pub fn visit_chunk<T>(
        &self,
        artefact: &Artefact,
        visit: impl FnOnce(&ChunkView<'_>) -> T,
    ) -> Result<T, StoreError> {
        let bytes = self.read_verified(artefact)?;
        let path = self.artefact(artefact)?;
        let view = ChunkView::parse(&bytes).map_err(|error| error.in_file(&path))?;
        Ok(visit(&view))
    }
}

/// The name of a place: `x0003_y0012`; a negative index is written `m0003`.
pub(super) fn place_name(x: i64, y: i64) -> String {
    let index = |i: i64| {
        let sign = if i < 0 { "m" } else { "" };
        format!("{sign}{:04}", i.unsigned_abs())
    };
    format!("x{}_y{}", index(x), index(y))
}

/// Whether a name is of the store's making: somebody's own file in the folder stays.
pub(super) fn is_artefact(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    let [place, digest, extension] = parts[..] else {
        return false;
    };
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    place.starts_with('x')
        && place.contains("_y")
        && digest.len() == 32
        && digest.chars().all(hex)
        && ["tif", "eco"].contains(&extension)
}
