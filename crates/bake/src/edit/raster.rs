//! Rasters of the log, opened when a pixel of them is first wanted: a tile that an edit does not touch pays nothing for it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ecotone_geotiff::{BlockCache, Mosaic, MosaicFile, Options, PatchMode, SourceError};
use ecotone_grid::{Raster, Rect};
use ecotone_store::{Artefact, EditRecord, content_digest};

/// The raster of an edit.
pub(crate) struct EditRaster {
    path: PathBuf,
    /// Of its content, by the log.
    digest: String,
    /// In the map.
    rect: Rect,
    blocks: Arc<BlockCache>,
    opened: OnceLock<Mosaic>,
}

impl EditRaster {
    /// A raster of a record, in the world directory; nothing is opened.
    pub(crate) fn new(
        record: &EditRecord,
        raster: &Artefact,
        dir: &Path,
        blocks: &Arc<BlockCache>,
    ) -> Self {
        Self {
            path: dir.join(&raster.file),
            digest: raster.digest.clone(),
            rect: record.rect(),
            blocks: Arc::clone(blocks),
            opened: OnceLock::new(),
        }
    }

    /// The pixels of the map that it lies over.
    pub(crate) fn rect(&self) -> Rect {
        self.rect
    }

    /// Reads pixels of the map that it lies over; NaN where it has no value.
    fn read(&self, rect: Rect, out: &mut Raster<f64>) -> Result<(), SourceError> {
        let (x, y) = (self.rect.x0, self.rect.y0);
        let own = Rect::new(rect.x0 - x, rect.y0 - y, rect.x1 - x, rect.y1 - y);
        self.map()?.read(own, out)?;
        // As many pixels as before: only their coordinates change.
        out.cover(rect, 1, f64::NAN);
        Ok(())
    }

    /// Fills band `band` of `out` with its shares; 0 where it has none.
    pub(crate) fn read_shares(
        &self,
        raw: &mut Raster<f64>,
        band: usize,
        out: &mut Raster<f32>,
    ) -> Result<(), SourceError> {
        out.band_mut(band).fill(0.0);
        let shared = self.rect.intersect(&out.rect());
        if shared.is_empty() {
            return Ok(());
        }
        self.read(shared, raw)?;
        let from = (shared.x0 - out.rect().x0) as usize;
        for y in shared.y0..shared.y1 {
            let row = &mut out.row_mut(band, y)[from..from + shared.width()];
            for (share, &raw) in row.iter_mut().zip(raw.band(0).row(y)) {
                // NaN becomes 0.
                *share = (raw as f32).max(0.0);
            }
        }
        Ok(())
    }

    fn map(&self) -> Result<&Mosaic, SourceError> {
        if let Some(map) = self.opened.get() {
            return Ok(map);
        }
        let map = self.open()?;
        Ok(self.opened.get_or_init(|| map))
    }

    /// Opens the file; its content must be what the log says, since nothing could make it again.
    fn open(&self) -> Result<Mosaic, SourceError> {
        let bytes = std::fs::read(&self.path).map_err(|source| SourceError::Io {
            path: self.path.clone(),
            source,
        })?;
        if content_digest(&bytes) != self.digest {
            return Err(SourceError::Corrupt {
                path: self.path.clone(),
                offset: 0,
                reason: "its content is not what the world's edit log says; bring it back from a copy, or take the edit back \
                         with `ecotone edit DIR --undo`"
                    .into(),
            });
        }
        let file = MosaicFile::new(&self.path);
        Mosaic::open(&[file], 0, &Options::default(), Arc::clone(&self.blocks))
    }
}

/// How much of an edit of the heights takes hold.
pub(crate) enum Hold {
    /// As much everywhere.
    Everywhere(f64),
    /// As much as a raster over the same pixels says.
    Shares(Box<EditRaster>),
}

/// An edit of the heights.
pub(crate) struct HeightEdit {
    pub(super) raster: EditRaster,
    pub(super) mode: PatchMode,
    pub(super) hold: Hold,
}

impl HeightEdit {
    /// Lays it over what `out` holds of `map`.
    pub(crate) fn apply(
        &self,
        map: Rect,
        scratch: &mut [Raster<f64>; 2],
        out: &mut Raster<f64>,
    ) -> Result<(), SourceError> {
        let shared = self.raster.rect.intersect(&map).intersect(&out.rect());
        if shared.is_empty() {
            return Ok(());
        }
        let [edits, shares] = scratch;
        self.raster.read(shared, edits)?;
        match &self.hold {
            Hold::Everywhere(share) => shares.reset(shared, 1, *share),
            Hold::Shares(raster) => raster.read(shared, shares)?,
        }
        let from = (shared.x0 - out.rect().x0) as usize;
        for y in shared.y0..shared.y1 {
            let row = &mut out.row_mut(0, y)[from..from + shared.width()];
            let edits = edits.band(0).row(y).iter().zip(shares.band(0).row(y));
            for (height, (&edit, &share)) in row.iter_mut().zip(edits) {
                *height = self.mode.over(*height, edit, share);
            }
        }
        Ok(())
    }
}
