//! Tile files of one world, opened when they are first wanted.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ecotone_geotiff::{BlockCache, Options, Sample, Source};
use ecotone_grid::{Raster, Rect, TileGrid, TileId, Window};
use ecotone_store::{Artefact, World};
use lru::LruCache;

use crate::InterchangeError;

/// Tile files that stay open: a row of tiles of a map of 128 k pixels.
const OPEN_FILES: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");

/// The most recently used tile files of a world, and their most recently used decoded blocks.
#[derive(Debug)]
pub(crate) struct Tiles {
    blocks: Arc<BlockCache>,
    shelf: Mutex<Shelf>,
}

#[derive(Debug)]
struct Shelf {
    open: LruCache<String, Arc<Source>>,
    /// Files whose digest was looked at: once is enough, and a large map opens its tiles for every band.
    checked: HashSet<String>,
}

/// The tiles of one raster of a world.
pub(crate) struct Mosaic<'a> {
    pub(crate) world: &'a World,
    pub(crate) grid: TileGrid,
    /// By row, then column.
    pub(crate) tiles: &'a [Artefact],
    pub(crate) n_bands: usize,
}

impl<'a> Mosaic<'a> {
    /// The file of a tile; `None` where there is none.
    pub(crate) fn artefact(&self, tile: TileId) -> Option<&'a Artefact> {
        let place = (i64::from(tile.y), i64::from(tile.x));
        let found = self
            .tiles
            .binary_search_by_key(&place, |artefact| (artefact.y, artefact.x));
        found.ok().map(|idx| &self.tiles[idx])
    }
}

impl Tiles {
    /// At most `budget_bytes` of decoded blocks.
    pub(crate) fn new(budget_bytes: usize) -> Self {
        Self {
            blocks: Arc::new(BlockCache::new(budget_bytes)),
            shelf: Mutex::new(Shelf {
                open: LruCache::new(OPEN_FILES),
                checked: HashSet::new(),
            }),
        }
    }

    /// The cache of decoded blocks.
    pub(crate) fn blocks(&self) -> Arc<BlockCache> {
        Arc::clone(&self.blocks)
    }

    /// Reads bands of a mosaic into the bands of `out`, which covers what is wanted.
    ///
    /// What no tile covers keeps its value, as in GDAL's mosaic.
    pub(crate) fn read<T: Sample>(
        &self,
        mosaic: &Mosaic<'_>,
        bands: std::ops::Range<usize>,
        fill: T,
        out: &mut Raster<T>,
    ) -> Result<(), InterchangeError> {
        let mut part = Raster::new(Rect::default(), 1, fill);
        for tile in mosaic.grid.over(out.rect()) {
            let Some(artefact) = mosaic.artefact(tile) else {
                continue;
            };
            let rect = mosaic.grid.rect(tile);
            let source = self.source(mosaic, artefact, rect)?;
            let shared = out.rect().intersect(&rect);
            let inside = Rect::new(
                shared.x0 - rect.x0,
                shared.y0 - rect.y0,
                shared.x1 - rect.x0,
                shared.y1 - rect.y0,
            );
            for (idx, band) in bands.clone().enumerate() {
                source.read_raw(inside, band, fill, &mut part)?;
                out.paste(idx, Window::new(shared, part.pixels()));
            }
        }
        Ok(())
    }

    /// The open file of a tile; its digest is checked before it is first used.
    fn source(
        &self,
        mosaic: &Mosaic<'_>,
        artefact: &Artefact,
        rect: Rect,
    ) -> Result<Arc<Source>, InterchangeError> {
        // Nothing under the lock can leave it half changed.
        let lock = || self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(source) = lock().open.get(&artefact.file) {
            return Ok(Arc::clone(source));
        }
        let path = mosaic.world.path(artefact)?;
        // Opened before the check, so that what is read is what was checked; a damaged header is told as damage.
        let source = Source::open(&path, &Options::default(), self.blocks());
        if !lock().checked.contains(&artefact.file) {
            mosaic.world.check(artefact)?;
        }
        let source = Arc::new(source?);
        check(&path, &source, rect, mosaic.n_bands)?;
        let mut shelf = lock();
        shelf.checked.insert(artefact.file.clone());
        shelf.open.put(artefact.file.clone(), Arc::clone(&source));
        Ok(source)
    }
}

/// A tile has the pixels and the bands of its place.
fn check(path: &Path, source: &Source, rect: Rect, n_bands: usize) -> Result<(), InterchangeError> {
    let shape =
        |width: usize, height: usize, n: usize| format!("{width} × {height} pixels in {n} bands");
    let expected = shape(rect.width(), rect.height(), n_bands);
    let found = shape(
        source.rect().width(),
        source.rect().height(),
        source.header().n_bands,
    );
    if expected == found {
        return Ok(());
    }
    Err(InterchangeError::Foreign {
        path: path.to_owned(),
        expected,
        found,
    })
}
