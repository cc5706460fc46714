//! What people and GDAL look at: the mosaics of a revision, and copies of the current one's books beside `current`.

use std::path::Path;

use super::folder::{WORLD_JSON, WorldFolder};
use crate::disk::Files;
use crate::vrt::{Mosaic, mosaic};
use crate::{Manifest, Stage, StoreError};

/// From a revision's folder to the world directory.
pub(super) const UP: &str = "../../";

/// What stands before a path in a mosaic; no other text of one holds it, since angle brackets are escaped there.
const BEFORE_PATH: &str = "relativeToVRT=\"1\">";

impl WorldFolder {
    /// Brings the copies for people up to date with a revision.
    pub fn refresh_copies(&self, revision: u64) -> Result<(), StoreError> {
        let mut is_stale = false;
        for (name, bytes) in self.copies_of(revision)? {
            is_stale |= self.refresh_copy(&name, &bytes)?;
        }
        if is_stale {
            self.files.sync_folder(&self.path)?;
        }
        Ok(())
    }

    /// The copies for people that are not those of a revision.
    pub fn stale_copies(&self, revision: u64) -> Result<Vec<StoreError>, StoreError> {
        let mut stale = Vec::new();
        for (name, bytes) in self.copies_of(revision)? {
            let path = self.join(&name);
            if self.files.read(&path)?.is_none_or(|found| found != bytes) {
                let reason = format!("it is no copy of that of revision {revision}");
                stale.push(StoreError::damaged(&path, reason));
            }
        }
        Ok(stale)
    }

    /// The names and bytes of the copies for people.
    fn copies_of(&self, revision: u64) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let folder = self.revision(revision);
        let mut copies = Vec::new();
        for stage in [Stage::Weights, Stage::Sdf] {
            let name = mosaic_name(&stage);
            let text = self.files.read_present(&folder.join(&name))?;
            let text = String::from_utf8_lossy(&text);
            let text = text.replace(&format!("{BEFORE_PATH}{UP}"), BEFORE_PATH);
            copies.push((name, text.into_bytes()));
        }
        let manifest = self.files.read_present(&folder.join(WORLD_JSON))?;
        copies.push((WORLD_JSON.to_owned(), manifest));
        Ok(copies)
    }

    /// Whether a copy had to be written.
    fn refresh_copy(&self, name: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        let path = self.join(name);
        match self.files.read(&path) {
            Ok(Some(found)) if found == bytes => Ok(false),
            _ => self.files.write_synced(&path, bytes).map(|()| true),
        }
    }
}

/// Writes a copy for people into a world directory, such as a report: whole or not at all, over an older one.
///
/// No reader of the world looks at it, and no writer removes it.
///
/// # Errors
/// [`StoreError::DiskFull`] or another error of the system.
pub fn write_copy(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    Files::real().write_synced(&dir.join(name), bytes)
}

/// The file of a raster stage's mosaic.
pub(super) fn mosaic_name(stage: &Stage) -> String {
    match stage {
        Stage::Field(name) => format!("{name}.vrt"),
        stage => format!("{}.vrt", stage.folder()),
    }
}

/// The mosaic of a raster stage, for the folder of a revision.
pub(super) fn mosaic_of(manifest: &Manifest, stage: &Stage) -> String {
    let (Some((data_type, header)), Some(tiles)) = (manifest.raster(stage), manifest.tiles(stage))
    else {
        return String::new();
    };
    let grid = manifest.grid.tiles();
    let sources = tiles.iter().map(|tile| {
        let id = ecotone_grid::TileId {
            x: tile.x as u32,
            y: tile.y as u32,
        };
        (grid.rect(id), tile.file.as_str())
    });
    let frame = Mosaic {
        map: grid.map(),
        header: &header,
        data_type,
        prefix: UP,
    };
    mosaic(&frame, sources)
}
