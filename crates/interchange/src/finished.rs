//! A committed world, open for windowed reads.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ecotone_geotiff::Patched;
use ecotone_grid::{GeoTransform, Raster, Rect, TileGrid, TileId};
use ecotone_store::{Artefact, ChunkArtefact, ChunkView, Manifest, Stage, World};

use crate::tiles::{Mosaic, Tiles};
use crate::{InterchangeError, heights};

/// Decoded blocks that are kept: two stages of a row of tiles of a map of 32 k pixels.
const CACHE_BYTES: usize = 96 << 20;

/// The raster of what species that are written as a density have in each pixel.
pub(crate) const DENSITY: &str = "density";

/// One committed revision of a world; while it is open, no writer deletes its files.
///
/// Files are opened when they are first wanted, and at most 96 MiB of decoded blocks are kept.
#[derive(Debug)]
pub struct Finished {
    world: World,
    tiles: Tiles,
    heights: Mutex<Option<Arc<Patched>>>,
    stop: Arc<AtomicBool>,
}

impl Finished {
    /// Opens the current revision of a world directory.
    ///
    /// # Errors
    /// As [`World::open`].
    pub fn open(dir: &Path) -> Result<Self, InterchangeError> {
        Ok(Self::new(World::open(dir)?))
    }

    /// A revision that is open already.
    pub fn new(world: World) -> Self {
        Self {
            world,
            tiles: Tiles::new(CACHE_BYTES),
            heights: Mutex::new(None),
            stop: Arc::default(),
        }
    }

    /// The same world, whose reads end with [`InterchangeError::Stopped`] once `stop` is raised: whoever writes a file from it
    /// then leaves none.
    pub fn until(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// Refuses to go on once the caller wants an end.
    fn go_on(&self) -> Result<(), InterchangeError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(InterchangeError::Stopped);
        }
        Ok(())
    }

    /// Shows one chunk to `visit`, after a look at its digest, and returns what that makes of it.
    pub(crate) fn chunk<T>(
        &self,
        chunk: &ChunkArtefact,
        visit: impl FnOnce(&ChunkView<'_>) -> T,
    ) -> Result<T, InterchangeError> {
        self.go_on()?;
        Ok(self.world.chunk(chunk, visit)?)
    }

    /// The world as the store sees it.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What the revision holds.
    pub fn manifest(&self) -> &Manifest {
        self.world.manifest()
    }

    /// All pixels of the map.
    pub fn map(&self) -> Rect {
        self.grid().map()
    }

    /// Where pixels lie in the world.
    pub fn transform(&self) -> GeoTransform {
        self.manifest().grid.transform()
    }

    /// West, south, east and north of the map in metres.
    pub fn extent(&self) -> [f64; 4] {
        self.transform().bounds(self.map())
    }

    /// Reads the stored weights of all strata; `out` is made to cover `rect`, 0 off the map.
    ///
    /// # Errors
    /// Those of the tile files.
    pub fn weights(&self, rect: Rect, out: &mut Raster<u8>) -> Result<(), InterchangeError> {
        let n_bands = self.manifest().strata.len();
        self.weight_bands(rect, 0..n_bands, out)
    }

    /// Reads the stored distances of all strata, in steps of the manifest's `edges.scale`; off the map they are void.
    ///
    /// # Errors
    /// Those of the tile files.
    pub fn sdf(&self, rect: Rect, out: &mut Raster<i16>) -> Result<(), InterchangeError> {
        let n_bands = self.manifest().strata.len();
        self.sdf_bands(rect, 0..n_bands, out)
    }

    /// Reads heights in metres, one band; NaN where there is none.
    ///
    /// They come from the files the world was made from, with the patches that lie over them and the edits of the world.
    ///
    /// # Errors
    /// [`InterchangeError::HeightsGone`], [`InterchangeError::Foreign`] where they are others now, or those of the files.
    pub fn heights(&self, rect: Rect, out: &mut Raster<f64>) -> Result<(), InterchangeError> {
        self.go_on()?;
        let source = self.height_source()?;
        Ok(source.read(rect, out)?)
    }

    /// Reads one band of an optional raster in its unit; NaN where there is no value. `false` where the world does not have it.
    ///
    /// # Errors
    /// Those of the tile files.
    pub fn field(
        &self,
        name: &str,
        band: usize,
        rect: Rect,
        out: &mut Raster<f32>,
    ) -> Result<bool, InterchangeError> {
        let field = self.manifest().fields.get(name);
        let Some(field) = field.filter(|field| band < field.bands.len()) else {
            return Ok(false);
        };
        if let Some(scale) = field.scales.get(band) {
            let mut steps = Raster::default();
            self.field_steps(name, band, rect, &mut steps)?;
            out.reset(rect, 1, f32::NAN);
            for (value, &steps) in out.pixels_mut().iter_mut().zip(steps.pixels()) {
                *value = (f64::from(steps) * scale) as f32;
            }
            return Ok(true);
        }
        let (stage, n_bands) = (Stage::Field(name.to_owned()), field.bands.len());
        self.go_on()?;
        out.reset(rect, 1, f32::NAN);
        let mosaic = self.mosaic(&stage, n_bands);
        self.tiles.read(&mosaic, band..band + 1, f32::NAN, out)?;
        Ok(true)
    }

    /// One band of an optional raster of 8-bit steps, as they are stored; 0 where there is no tile.
    pub(crate) fn field_steps(
        &self,
        name: &str,
        band: usize,
        rect: Rect,
        out: &mut Raster<u8>,
    ) -> Result<(), InterchangeError> {
        self.go_on()?;
        let stage = Stage::Field(name.to_owned());
        let n_bands = self.manifest().fields.get(name);
        let n_bands = n_bands.map_or(0, |field| field.bands.len());
        out.reset(rect, 1, 0);
        let mosaic = self.mosaic(&stage, n_bands);
        self.tiles.read(&mosaic, band..band + 1, 0, out)
    }

    /// Some bands of the weights.
    pub(crate) fn weight_bands(
        &self,
        rect: Rect,
        bands: std::ops::Range<usize>,
        out: &mut Raster<u8>,
    ) -> Result<(), InterchangeError> {
        self.go_on()?;
        out.reset(rect, bands.len(), 0);
        let mosaic = self.mosaic(&Stage::Weights, self.manifest().strata.len());
        self.tiles.read(&mosaic, bands, 0, out)
    }

    /// Some bands of the distances.
    pub(crate) fn sdf_bands(
        &self,
        rect: Rect,
        bands: std::ops::Range<usize>,
        out: &mut Raster<i16>,
    ) -> Result<(), InterchangeError> {
        self.go_on()?;
        let void = self.manifest().edges.nodata;
        out.reset(rect, bands.len(), void);
        let mosaic = self.mosaic(&Stage::Sdf, self.manifest().strata.len());
        self.tiles.read(&mosaic, bands, void, out)
    }

    pub(crate) fn grid(&self) -> TileGrid {
        self.manifest().grid.tiles()
    }

    /// The file of a tile; `None` where the world has none there.
    pub(crate) fn tile(&self, stage: &Stage, tile: TileId) -> Option<&Artefact> {
        self.mosaic(stage, 0).artefact(tile)
    }

    fn mosaic(&self, stage: &Stage, n_bands: usize) -> Mosaic<'_> {
        Mosaic {
            world: &self.world,
            grid: self.grid(),
            tiles: self.manifest().tiles(stage).unwrap_or_default(),
            n_bands,
        }
    }

    fn height_source(&self) -> Result<Arc<Patched>, InterchangeError> {
        // Nothing under the lock can leave it half changed.
        let mut open = self.heights.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(source) = &*open {
            return Ok(Arc::clone(source));
        }
        let source = Arc::new(heights::open(&self.world, self.tiles.blocks())?);
        *open = Some(Arc::clone(&source));
        Ok(source)
    }
}
