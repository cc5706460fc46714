//! Edits that lie over the height map.

use std::sync::Arc;

use ecotone_geotiff::{Alpha, BlockCache, Mosaic, Patch, PatchMode};

use crate::config::{self, Loaded};
use crate::error::BakeError;
use crate::inputs::refusal;

/// Opens the patches that a config names, the lowest first.
pub(super) fn open(
    loaded: &Loaded,
    base: &Mosaic,
    blocks: &Arc<BlockCache>,
) -> Result<Vec<Patch>, BakeError> {
    let patches = loaded.config.terrain.patches.iter().enumerate();
    patches
        .map(|(idx, patch)| {
            one(
                loaded,
                &format!("terrain.patch[{idx}]"),
                patch,
                base,
                blocks,
            )
        })
        .collect()
}

fn one(
    loaded: &Loaded,
    key: &str,
    patch: &config::Patch,
    base: &Mosaic,
    blocks: &Arc<BlockCache>,
) -> Result<Patch, BakeError> {
    let (file_key, alpha_key) = (format!("{key}.file"), format!("{key}.alpha"));
    let file = super::found(loaded, &file_key, &patch.file)?;
    let shares = match &patch.alpha {
        Some(config::Alpha::File(name)) => Some(super::found(loaded, &alpha_key, name)?),
        _ => None,
    };
    let alpha = match (&patch.alpha, &shares) {
        (Some(config::Alpha::Everywhere(share)), _) => Alpha::Everywhere(*share),
        (_, Some(path)) => Alpha::Raster(path.as_path()),
        _ => Alpha::Everywhere(1.0),
    };
    Patch::open(&file, mode(patch.mode), &alpha, base, blocks).map_err(|error| {
        let is_of_shares = shares.as_deref() == Some(error.path());
        let key = if is_of_shares { &alpha_key } else { &file_key };
        refusal::at(loaded, key, error)
    })
}

fn mode(mode: config::PatchMode) -> PatchMode {
    match mode {
        config::PatchMode::Replace => PatchMode::Replace,
        config::PatchMode::Add => PatchMode::Add,
        config::PatchMode::Max => PatchMode::Max,
        config::PatchMode::Min => PatchMode::Min,
    }
}
