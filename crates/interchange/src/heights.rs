//! The heights a world was made from: they are not part of it, so the source is read again.

use std::path::PathBuf;
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Options, Source};
use ecotone_store::{Manifest, StoreError};

use crate::InterchangeError;

/// Opens the world's height map; its pixels are those of the map.
///
/// # Errors
/// [`InterchangeError::HeightsGone`], [`InterchangeError::Foreign`] where it is of another size, or those of the file.
pub(crate) fn open(
    manifest: &Manifest,
    blocks: Arc<BlockCache>,
) -> Result<Source, InterchangeError> {
    let (path, options) = record(manifest)?;
    if !path.is_file() {
        return Err(InterchangeError::HeightsGone { path });
    }
    let source = Source::open(&path, &options, blocks)?;
    let size = |width: usize, height: usize| format!("{width} × {height} pixels");
    let expected = size(manifest.grid.width as usize, manifest.grid.height as usize);
    let found = size(source.rect().width(), source.rect().height());
    if expected == found {
        return Ok(source);
    }
    Err(InterchangeError::Foreign {
        path,
        expected,
        found,
    })
}

/// Where the manifest says the heights lie, and how they are read.
fn record(manifest: &Manifest) -> Result<(PathBuf, Options), InterchangeError> {
    let record = manifest.heights.first().ok_or_else(|| StoreError::Unfit {
        what: "a world without heights".to_owned(),
        reason: "the manifest names none".to_owned(),
    })?;
    let options = Options {
        scale: record.scale,
        offset: record.offset,
        nodata: record.nodata,
        ..Options::default()
    };
    Ok((PathBuf::from(&record.path), options))
}
