//! Edits that lie over the height map.

use std::sync::Arc;

use ecotone_geotiff::{Alpha, BlockCache, Mosaic, Options, Patch, PatchMode};

use crate::config::{self, Loaded, Terrain};
use crate::error::BakeError;
use crate::inputs::refusal;

/// Opens the patches that a config names, the lowest first.
pub(super) fn open(
    loaded: &Loaded,
    base: &Mosaic,
    blocks: &Arc<BlockCache>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Patch>, BakeError> {
    let terrain = &loaded.config.terrain;
    let mut patches = Vec::with_capacity(terrain.patches.len());
    for (idx, given) in terrain.patches.iter().enumerate() {
        let key = format!("terrain.patch[{idx}]");
        let patch = one(loaded, &key, given, base, blocks)?;
        if patch.rect().intersect(&base.rect()).is_empty() {
            return Err(off_the_map(loaded, &key, &patch, base));
        }
        warnings.extend(own_numbers(terrain, given, &patch));
        if patch.has_shares_of_0_and_1() {
            warnings.extend(patch.alpha().map(|shares| {
                format!(
                    "{} holds only 0 and 1, which are read as 0 and 1",
                    shares.path().display()
                )
            }));
        }
        patches.push(patch);
    }
    Ok(patches)
}

/// A patch beside the map is a mistake.
fn off_the_map(loaded: &Loaded, key: &str, patch: &Patch, base: &Mosaic) -> BakeError {
    let (map, own) = (base.rect(), patch.rect());
    let message = format!(
        "{} lies off the map: it would take columns {} to {} and rows {} to {} of a map of {} × {} pixels",
        patch.heights().path().display(),
        own.x0,
        own.x1,
        own.y0,
        own.y1,
        map.width(),
        map.height()
    );
    let help = "is it of another place or coordinate system?".to_owned();
    loaded
        .error_at(&format!("{key}.file"), message, Some(help))
        .into()
}

/// What to say of a patch of raw numbers over a map whose raw numbers the config explains.
fn own_numbers(terrain: &Terrain, given: &config::Patch, patch: &Patch) -> Option<String> {
    let is_explained = |scale: Option<f64>, offset: Option<f64>, range: Option<[f64; 2]>| {
        scale.is_some() || offset.is_some() || range.is_some()
    };
    let header = patch.heights().first().header();
    let is_raw = header.sample.max().is_some() && header.scale(0) == 1.0 && header.offset(0) == 0.0;
    let is_odd = is_raw
        && is_explained(terrain.scale, terrain.offset, terrain.range)
        && !is_explained(given.scale, given.offset, given.range);
    is_odd.then(|| {
        format!(
            "{} holds whole numbers, which are read as metres: what [terrain] says of scale, offset and range does not \
             hold for patches; give them in [[terrain.patch]] too if they should",
            patch.heights().path().display()
        )
    })
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
    let options = Options {
        scale: patch.scale,
        offset: patch.offset,
        range: patch.range,
        nodata: patch.nodata,
        ..Options::default()
    };
    Patch::open(&file, &options, mode(patch.mode), &alpha, base, blocks).map_err(|error| {
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
