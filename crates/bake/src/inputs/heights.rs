//! The files that make the height map.

use std::path::PathBuf;
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Options, Source};

use crate::config::Loaded;
use crate::error::BakeError;

/// Opens what `terrain.heights` names.
pub(super) fn open(loaded: &Loaded, blocks: Arc<BlockCache>) -> Result<Source, BakeError> {
    let terrain = &loaded.config.terrain;
    let mut files = Vec::new();
    for (idx, pattern) in terrain.heights.iter().enumerate() {
        let found = matches(loaded, idx, pattern)?;
        files.extend(found.into_iter().map(|path| (idx, path)));
    }
    let options = Options {
        scale: terrain.scale,
        offset: terrain.offset,
        nodata: terrain.nodata,
        ..Options::default()
    };
    let n_files = files.len();
    let (idx, path) = files.swap_remove(0);
    if n_files > 1 {
        let message = format!("{n_files} files match; one is expected");
        let help = "merge them first, such as with gdalbuildvrt and gdal_translate".to_owned();
        return Err(loaded
            .error_at("terrain.heights", message, Some(help))
            .into());
    }
    super::open(
        loaded,
        &format!("terrain.heights[{idx}]"),
        path,
        &options,
        blocks,
    )
}

/// The files that a name or a glob means; at least one.
fn matches(loaded: &Loaded, idx: usize, pattern: &str) -> Result<Vec<PathBuf>, BakeError> {
    let whole = loaded.resolve(pattern);
    if whole.is_file() || !pattern.contains(['*', '?', '[']) {
        return Ok(vec![whole]);
    }
    let key = format!("terrain.heights[{idx}]");
    let refuse = |message: String| loaded.error_at(&key, message, None);
    let found = glob::glob(&whole.to_string_lossy()).map_err(|e| refuse(e.to_string()))?;
    let mut files: Vec<_> = found.filter_map(Result::ok).collect();
    files.sort();
    if files.is_empty() {
        return Err(refuse(format!("no file matches {}", whole.display())).into());
    }
    Ok(files)
}
