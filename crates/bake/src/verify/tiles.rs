//! The tiles of one raster as they lie on disk, read window by window.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Options, Sample, Source};
use ecotone_grid::{Raster, Rect, TileGrid, TileId, Window};
use ecotone_store::Artefact;

/// The tiles of a raster; some may be missing.
pub(super) struct Tiles {
    grid: TileGrid,
    files: HashMap<TileId, PathBuf>,
    blocks: Arc<BlockCache>,
}

/// Decoded blocks kept while a window is read: those under a tile's border are read more than once.
const BLOCK_BYTES: usize = 16 << 20;

impl Tiles {
    /// The tiles of a world in a directory; those off the grid are left out.
    pub(super) fn new<'a>(
        grid: TileGrid,
        dir: &Path,
        tiles: impl Iterator<Item = &'a Artefact>,
    ) -> Self {
        let (columns, rows) = grid.n_tiles();
        let place = |tile: &Artefact| {
            let x = u32::try_from(tile.x).ok().filter(|&x| x < columns)?;
            let y = u32::try_from(tile.y).ok().filter(|&y| y < rows)?;
            Some((TileId { y, x }, dir.join(&tile.file)))
        };
        Self {
            grid,
            files: tiles.filter_map(place).collect(),
            blocks: Arc::new(BlockCache::new(BLOCK_BYTES)),
        }
    }

    /// Fills a window of the map; the reason where a tile under it is missing or is no such raster.
    pub(super) fn read<T: Sample>(
        &self,
        rect: Rect,
        n_bands: usize,
        out: &mut Raster<T>,
    ) -> Result<(), String> {
        out.cover(rect, n_bands, T::from_f64(0.0));
        self.grid
            .over(rect)
            .try_for_each(|tile| self.read_tile(tile, n_bands, out))
    }

    fn read_tile<T: Sample>(
        &self,
        tile: TileId,
        n_bands: usize,
        out: &mut Raster<T>,
    ) -> Result<(), String> {
        let missing = || format!("there is no file for tile ({}, {})", tile.x, tile.y);
        let path = self.files.get(&tile).ok_or_else(missing)?;
        let core = self.grid.rect(tile);
        let source = Source::open(path, &Options::default(), self.blocks.clone());
        let source = source.map_err(|error| error.to_string())?;
        let header = source.header();
        let found = (source.rect(), header.n_bands);
        let expected = (
            Rect::new(0, 0, core.width() as i64, core.height() as i64),
            n_bands,
        );
        if found != expected {
            let shape = |(rect, n): (Rect, usize)| {
                format!("{} × {} pixels of {n} bands", rect.width(), rect.height())
            };
            let path = path.display();
            return Err(format!(
                "{path}: expected {}, found {}",
                shape(expected),
                shape(found)
            ));
        }
        let part = core.intersect(&out.rect());
        let local = Rect::new(
            part.x0 - core.x0,
            part.y0 - core.y0,
            part.x1 - core.x0,
            part.y1 - core.y0,
        );
        let mut band_pixels = Raster::new(Rect::default(), 1, T::from_f64(0.0));
        for band in 0..n_bands {
            source
                .read_raw(local, band, T::from_f64(0.0), &mut band_pixels)
                .map_err(|error| error.to_string())?;
            out.paste(band, Window::new(part, band_pixels.pixels()));
        }
        Ok(())
    }
}
