//! The files that make the height map.

mod names;
mod numbered;

use std::path::Path;
use std::sync::Arc;

use ecotone_geotiff::{
    BlockCache, ByteOrder, Georeference, Header, Mosaic, MosaicError, MosaicFile, Options, Patched,
    RawLayout, SampleType, Source, SourceError,
};
use ecotone_grid::{Raster, Rect};

use crate::config::{self, Loaded, RawType, Terrain};
use crate::edit::HeightEdit;
use crate::error::BakeError;
use crate::inputs::refusal;
use names::Named;

/// The height map: its files, the patches that lie over them, and the edits over those.
pub(crate) struct Heights {
    layers: Patched,
    edits: Vec<HeightEdit>,
}

impl Heights {
    /// The map and its patches, without edits.
    pub(crate) fn layers(&self) -> &Patched {
        &self.layers
    }

    /// Lays the edits over it.
    pub(super) fn lay(&mut self, edits: Vec<HeightEdit>) {
        self.edits = edits;
    }

    /// The first file that is named.
    pub(crate) fn path(&self) -> &Path {
        self.layers.base().parts()[0].path()
    }

    /// What the first file says about itself.
    pub(crate) fn header(&self) -> &Header {
        self.layers.base().first().header()
    }

    /// All pixels of the map.
    pub(crate) fn rect(&self) -> Rect {
        self.layers.base().rect()
    }

    /// Where the map lies in the world.
    pub(crate) fn georeference(&self) -> Result<Option<Georeference>, SourceError> {
        self.layers.base().georeference()
    }

    /// Reads the heights of a window; NaN where there is none.
    pub(crate) fn read(&self, rect: Rect, out: &mut Raster<f64>) -> Result<(), SourceError> {
        self.layers.read(rect, out)?;
        let mut scratch = [Raster::default(), Raster::default()];
        let map = self.rect();
        let mut edits = self.edits.iter();
        edits.try_for_each(|edit| edit.apply(map, &mut scratch, out))
    }
}

/// How the files of heights are read, as far as the config knows better than they do.
fn options(terrain: &Terrain) -> Options {
    Options {
        scale: terrain.scale,
        offset: terrain.offset,
        range: terrain.range,
        nodata: terrain.nodata,
        raw: terrain.raw.map(|raw| RawLayout {
            width: raw.width,
            height: raw.height,
            sample: match raw.sample {
                RawType::U8 => SampleType::U8,
                RawType::U16 => SampleType::U16,
                RawType::I16 => SampleType::I16,
                RawType::F32 => SampleType::F32,
            },
            byte_order: match raw.byte_order {
                config::ByteOrder::Little => ByteOrder::Little,
                config::ByteOrder::Big => ByteOrder::Big,
            },
        }),
        ..Options::default()
    }
}

/// So many files are quoted with what they leave to be guessed; the others are only counted.
const MOST_NOTES: usize = 4;

/// What the files leave to be guessed, in their own words.
fn notes(map: &Mosaic) -> Vec<String> {
    let mut notes: Vec<String> = map.sources().flat_map(Source::notes).cloned().collect();
    if notes.len() > MOST_NOTES {
        let more = notes.len() - MOST_NOTES;
        notes.truncate(MOST_NOTES);
        notes.push(format!("and {more} more like these"));
    }
    notes
}

/// Opens what `terrain.heights` names, and the patches over it; notes what a person should know.
pub(super) fn open(
    loaded: &Loaded,
    blocks: &Arc<BlockCache>,
    warnings: &mut Vec<String>,
) -> Result<Heights, BakeError> {
    let base = match names::find(loaded)? {
        Named::Files(files) => {
            let files: Vec<_> = files.into_iter().map(MosaicFile::new).collect();
            mosaic(loaded, &files, blocks)?
        }
        Named::Numbered(tiles) => tiles.open(loaded, blocks, warnings)?,
    };
    let many = base.parts().iter().find(|part| part.n_bands() > 1);
    if let Some(part) = many.filter(|_| loaded.config.terrain.band == 1) {
        warnings.push(format!(
            "{} has {} bands; the first is read as heights",
            part.path().display(),
            part.n_bands()
        ));
    }
    warnings.extend(notes(&base));
    let patches = super::patches::open(loaded, &base, blocks, warnings)?;
    Ok(Heights {
        layers: Patched::new(base, patches),
        edits: Vec::new(),
    })
}

/// Opens files as one map; an error points at the key that is the reason.
fn mosaic(
    loaded: &Loaded,
    files: &[MosaicFile],
    blocks: &Arc<BlockCache>,
) -> Result<Mosaic, BakeError> {
    let terrain = &loaded.config.terrain;
    let band = terrain.band as usize - 1;
    let opened = Mosaic::open(files, band, &options(terrain), Arc::clone(blocks));
    opened.map_err(|error| match &error {
        SourceError::NoBand { path, n_bands, .. } => {
            let (path, band) = (path.display(), terrain.band);
            let message = format!("{path} has no band {band}: it has {n_bands}");
            let help = format!("bands are counted from 1: use at most {n_bands}");
            loaded.error_at("terrain.band", message, Some(help)).into()
        }
        SourceError::Mosaic(reason) if matches!(**reason, MosaicError::Unplaced { .. }) => {
            match names::pattern_of(loaded, files) {
                Some(pattern) => unnumbered(loaded, &error, &pattern),
                None => refusal::of_heights(loaded, error),
            }
        }
        _ => refusal::of_heights(loaded, error),
    })
}

/// Says of tiles without a place how they are laid by their numbers.
fn unnumbered(loaded: &Loaded, error: &SourceError, pattern: &str) -> BakeError {
    let help = format!("write `heights = [\"{pattern}\"]`");
    let (message, _) = refusal::parts(error);
    loaded
        .error_at("terrain.heights", message, Some(help))
        .into()
}
