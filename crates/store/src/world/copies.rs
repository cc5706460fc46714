//! What people and GDAL look at: the mosaics of a revision, and copies of the current one's books beside `current`.

use super::folder::{WORLD_JSON, WorldFolder};
use crate::vrt::{Mosaic, mosaic};
use crate::{Manifest, Stage, StoreError};

impl WorldFolder {
    /// Brings the copies for people up to date; `world_json` is the manifest's text.
    pub fn refresh_copies(&self, manifest: &Manifest, world_json: &[u8]) -> Result<(), StoreError> {
        let mut is_stale = false;
        for stage in [Stage::Weights, Stage::Sdf] {
            let text = mosaic_of(manifest, &stage, "");
            is_stale |= self.refresh_copy(&mosaic_name(&stage), text.as_bytes())?;
        }
        is_stale |= self.refresh_copy(WORLD_JSON, world_json)?;
        if is_stale {
            self.files.sync_folder(&self.path)?;
        }
        Ok(())
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

/// The file of a raster stage's mosaic.
pub(super) fn mosaic_name(stage: &Stage) -> String {
    match stage {
        Stage::Field(name) => format!("{name}.vrt"),
        stage => format!("{}.vrt", stage.folder()),
    }
}

/// The mosaic of a raster stage, for a folder from which `prefix` leads to the world directory.
pub(super) fn mosaic_of(manifest: &Manifest, stage: &Stage, prefix: &str) -> String {
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
        prefix,
    };
    mosaic(&frame, sources)
}
