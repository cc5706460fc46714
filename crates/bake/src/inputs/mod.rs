//! The files a bake reads, and where their pixels lie in metres.

mod heights;
mod mask;
mod place;
pub(crate) mod shapes;

use std::path::PathBuf;
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Options, Source};
use ecotone_grid::{GeoKeys, GeoTransform, Rect};

use crate::config::Loaded;
use crate::error::BakeError;
use mask::Mask;
pub(crate) use mask::MaskScratch;

/// The opened inputs of a world, all on one grid.
pub(crate) struct Inputs {
    pub(crate) heights: Source,
    pub(crate) masks: Vec<Mask>,
    /// Where pixels lie in the world.
    pub(crate) transform: GeoTransform,
    /// The world's coordinate system; empty where `pixel_size` is given.
    pub(crate) keys: GeoKeys,
    /// Where the file says its pixels lie, and in which system, where `pixel_size` overrules it.
    pub(crate) overruled: Option<(GeoTransform, GeoKeys)>,
    /// What a person should know, though the bake goes on.
    pub(crate) warnings: Vec<String>,
}

impl Inputs {
    /// Opens the height map and the masks that a config names, and checks that they fit together.
    pub(crate) fn open(loaded: &Loaded, block_bytes: usize) -> Result<Self, BakeError> {
        let blocks = Arc::new(BlockCache::new(block_bytes));
        let heights = heights::open(loaded, blocks.clone())?;
        let placed = place::place(loaded, &heights)?;
        let mut inputs = Self {
            heights,
            masks: Vec::new(),
            transform: placed.transform,
            keys: placed.keys,
            overruled: placed.overruled,
            warnings: Vec::new(),
        };
        let n_bands = inputs.heights.header().n_bands;
        if n_bands > 1 {
            inputs.warnings.push(format!(
                "{} has {n_bands} bands; the first is read as heights",
                inputs.heights.path().display()
            ));
        }
        for (idx, stratum) in loaded.config.strata.iter().enumerate() {
            if let Some(name) = &stratum.mask {
                let mask = if stratum.has_shapes() {
                    Mask::Shapes(Box::new(inputs.open_shapes(loaded, idx, name)?))
                } else {
                    inputs.open_mask(loaded, idx, name, blocks.clone())?
                };
                inputs.masks.push(mask);
            }
        }
        Ok(inputs)
    }

    /// All pixels of the map.
    pub(crate) fn map(&self) -> Rect {
        self.heights.rect()
    }
}

fn open(
    loaded: &Loaded,
    key: &str,
    path: PathBuf,
    options: &Options,
    blocks: Arc<BlockCache>,
) -> Result<Source, BakeError> {
    if !path.is_file() {
        let message = format!("there is no file {}", path.display());
        let help = "file names are relative to the config's folder".to_owned();
        return Err(loaded.error_at(key, message, Some(help)).into());
    }
    Ok(Source::open(&path, options, blocks)?)
}
