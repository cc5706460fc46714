//! The heights a world was made from: they are not part of it, so their files are read again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecotone_geotiff::{
    Alpha, BlockCache, ByteOrder, Mosaic, MosaicFile, Options, Patch, PatchMode, Patched,
    RawLayout, SampleType,
};
use ecotone_store::{
    AlphaRecord, EditOp, EditRecord, HeightsRecord, PatchRecord, PatchWord, RawWord, StoreError,
    World,
};

use crate::InterchangeError;

/// Opens the world's height map, the patches over it and the edits over those; its pixels are those of the map.
///
/// # Errors
/// [`InterchangeError::HeightsGone`], [`InterchangeError::Foreign`] where it is of another size, or those of the files.
pub(crate) fn open(world: &World, blocks: Arc<BlockCache>) -> Result<Patched, InterchangeError> {
    let manifest = world.manifest();
    let first = manifest.heights.first().ok_or_else(|| StoreError::Unfit {
        what: "a world without heights".to_owned(),
        reason: "the manifest names none".to_owned(),
    })?;
    let files = manifest
        .heights
        .iter()
        .map(file)
        .collect::<Result<Vec<_>, _>>()?;
    let band = first.band.map_or(0, |band| band.saturating_sub(1));
    let base = Mosaic::open(&files, band as usize, &options(first), Arc::clone(&blocks))?;
    let size = |width: usize, height: usize| format!("{width} × {height} pixels");
    let expected = size(manifest.grid.width as usize, manifest.grid.height as usize);
    let found = size(base.rect().width(), base.rect().height());
    if expected != found {
        return Err(InterchangeError::Foreign {
            path: PathBuf::from(&first.path),
            expected,
            found,
        });
    }
    let patches = manifest.patches.iter().map(|record| patch(record, &blocks));
    let edits = manifest.edits.iter();
    let edits = edits.filter_map(|record| edit(world, record, &blocks).transpose());
    let layers = patches.chain(edits).collect::<Result<Vec<_>, _>>()?;
    Ok(Patched::new(base, layers))
}

/// How the height files are read: all of them alike.
fn options(record: &HeightsRecord) -> Options {
    Options {
        scale: record.scale,
        offset: record.offset,
        range: record.range,
        nodata: record.nodata,
        raw: record.raw.map(|raw| RawLayout {
            width: raw.width,
            height: raw.height,
            sample: match raw.sample {
                RawWord::U8 => SampleType::U8,
                RawWord::U16 => SampleType::U16,
                RawWord::I16 => SampleType::I16,
                RawWord::F32 => SampleType::F32,
            },
            byte_order: if raw.big_endian {
                ByteOrder::Big
            } else {
                ByteOrder::Little
            },
        }),
        ..Options::default()
    }
}

fn file(record: &HeightsRecord) -> Result<MosaicFile, InterchangeError> {
    Ok(MosaicFile {
        path: there(&record.path)?,
        at: record.at.map(|[x, y]| (x, y)),
    })
}

fn patch(record: &PatchRecord, blocks: &Arc<BlockCache>) -> Result<Patch, InterchangeError> {
    let path = there(&record.file.path)?;
    let alpha = match &record.alpha {
        AlphaRecord::Everywhere(share) => Alpha::Everywhere(*share),
        AlphaRecord::File(path) => {
            there(path)?;
            Alpha::Raster(Path::new(path))
        }
    };
    let [x, y] = record.file.at.unwrap_or_default();
    let options = options(&record.file);
    Ok(Patch::open_at(
        &path,
        &options,
        (x, y),
        mode(record.mode),
        &alpha,
        blocks,
    )?)
}

/// An edit of the heights as a patch; `None` for one of a stratum.
fn edit(
    world: &World,
    record: &EditRecord,
    blocks: &Arc<BlockCache>,
) -> Result<Option<Patch>, InterchangeError> {
    let EditOp::Heights { mode: word, alpha } = record.op else {
        return Ok(None);
    };
    record
        .artefacts()
        .try_for_each(|artefact| world.check(artefact))?;
    let Some(raster) = &record.raster else {
        return Ok(None);
    };
    let (path, at) = (world.path(raster)?, record.rect());
    let shares = record.shares.as_ref().map(|shares| world.path(shares));
    let shares = shares.transpose()?;
    let alpha = match &shares {
        Some(path) => Alpha::Raster(path.as_path()),
        None => Alpha::Everywhere(alpha),
    };
    let options = Options::default();
    let at = (at.x0, at.y0);
    let patch = Patch::open_at(&path, &options, at, mode(word), &alpha, blocks)?;
    Ok(Some(patch))
}

fn mode(word: PatchWord) -> PatchMode {
    match word {
        PatchWord::Replace => PatchMode::Replace,
        PatchWord::Add => PatchMode::Add,
        PatchWord::Max => PatchMode::Max,
        PatchWord::Min => PatchMode::Min,
    }
}

/// A path of the manifest, if there is a file.
fn there(path: &str) -> Result<PathBuf, InterchangeError> {
    let path = PathBuf::from(path);
    if path.is_file() {
        Ok(path)
    } else {
        Err(InterchangeError::HeightsGone { path })
    }
}
