//! The files a bake reads, and where their pixels lie in metres.

mod clash;
mod heights;
mod identity;
pub(crate) mod mask;
mod patches;
mod place;
mod refusal;
pub(crate) mod shapes;

use std::path::PathBuf;
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Mosaic, Source, SourceError};
use ecotone_grid::{GeoKeys, GeoTransform, Rect};

use ecotone_store::EditRecord;

use crate::config::Loaded;
use crate::error::BakeError;
use crate::rules::density_masks;
use heights::Heights;
use identity::Identity;
pub(crate) use mask::{Covers, Mask, MaskKeys, MaskScratch};

/// The opened inputs of a world, all on one grid.
pub(crate) struct Inputs {
    pub(crate) heights: Heights,
    /// One for each layer over the presets, those of edits last.
    pub(crate) masks: Vec<Mask>,
    /// The density masks of biomes and species, in the order of [`density_masks`].
    pub(crate) densities: Vec<Mask>,
    /// The biome or species that each of them is of.
    pub(crate) density_owners: Vec<String>,
    /// The world's edit log, on the map's grid.
    pub(crate) edits: Vec<EditRecord>,
    /// Where pixels lie in the world.
    pub(crate) transform: GeoTransform,
    /// The world's coordinate system; empty where `pixel_size` is given.
    pub(crate) keys: GeoKeys,
    /// Where the file says its pixels lie, and in which system, where `pixel_size` overrules it.
    pub(crate) overruled: Option<(GeoTransform, GeoKeys)>,
    /// What a person should know, though the bake goes on.
    pub(crate) warnings: Vec<String>,
    /// How the config has them read.
    identity: Identity,
    /// Decoded blocks of all of them.
    blocks: Arc<BlockCache>,
}

impl Inputs {
    /// Opens the height map and the masks that a config names, and checks that they fit together.
    ///
    /// Decoded blocks are kept up to `block_bytes`, until [`Inputs::keep_blocks`] says otherwise.
    pub(crate) fn open(loaded: &Loaded, block_bytes: usize) -> Result<Self, BakeError> {
        let blocks = Arc::new(BlockCache::new(block_bytes));
        let mut warnings = Vec::new();
        let mut heights = heights::open(loaded, &blocks, &mut warnings)?;
        let placed = place::place(loaded, &heights)?;
        warnings.extend(placed.warnings);
        warnings.extend(clash::warnings(&loaded.config.terrain, &heights));
        let edits = loaded.edits.on(&placed.transform)?;
        heights.lay(loaded.edits.heights(&edits, &blocks));
        let mut inputs = Self {
            heights,
            masks: Vec::new(),
            densities: Vec::new(),
            density_owners: Vec::new(),
            edits,
            transform: placed.transform,
            keys: placed.keys,
            overruled: placed.overruled,
            warnings,
            identity: Identity::new(loaded),
            blocks: Arc::clone(&blocks),
        };
        let strata = loaded.config.strata.iter().enumerate();
        for keys in strata.filter_map(|(idx, own)| MaskKeys::of_stratum(idx, own)) {
            let mask = inputs.open_mask(loaded, &keys, blocks.clone())?;
            inputs.masks.push(mask);
        }
        for (asking, mask) in density_masks(&loaded.config) {
            let keys = MaskKeys::of_density(&asking, mask);
            let mask = inputs.open_mask(loaded, &keys, blocks.clone())?;
            inputs.densities.push(mask);
            inputs.density_owners.push(keys.owner.to_owned());
        }
        inputs
            .masks
            .extend(loaded.edits.masks(&inputs.edits, &blocks));
        Ok(inputs)
    }

    /// Every file that the bake reads, but for the rasters of edits, which are the world's own.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Source> {
        let masks = self.masks.iter().chain(&self.densities);
        let rasters = masks.filter_map(Mask::raster);
        self.heights
            .layers()
            .sources()
            .chain(rasters.flat_map(Mosaic::sources))
    }

    /// Hands every file that a read of a window of the map goes to to `each`, with the part of its own pixels.
    pub(crate) fn sources_under(&self, window: Rect, each: &mut dyn FnMut(&Source, Rect)) {
        self.heights.layers().sources_under(window, each);
        for mask in self.masks.iter().chain(&self.densities) {
            mask.sources_under(window, each);
        }
    }

    /// Changes how many bytes of decoded blocks are kept.
    pub(crate) fn keep_blocks(&self, block_bytes: usize) {
        self.blocks.resize(block_bytes);
    }

    /// Whether all of them are still the files that were opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), SourceError> {
        self.sources().try_for_each(Source::check_unchanged)
    }

    /// How many of the masks are strokes of edits.
    pub(crate) fn n_strokes(&self) -> usize {
        let is_stroke = |mask: &&Mask| matches!(mask, Mask::Stroke(_));
        self.masks.iter().filter(is_stroke).count()
    }

    /// All pixels of the map.
    pub(crate) fn map(&self) -> Rect {
        self.heights.rect()
    }
}

/// Opens the height map of a config alone, without its edits.
pub(crate) fn open_heights(
    loaded: &Loaded,
    blocks: &Arc<BlockCache>,
) -> Result<Heights, BakeError> {
    heights::open(loaded, blocks, &mut Vec::new())
}

/// The file that a key names.
fn found(loaded: &Loaded, key: &str, name: &str) -> Result<PathBuf, BakeError> {
    let path = loaded.resolve(name);
    if path.is_file() {
        return Ok(path);
    }
    Err(refusal::missing(loaded, key, &path))
}

/// A length for people.
fn length(metres: f64) -> String {
    if metres >= 1000.0 {
        format!("{:.1} km", metres / 1000.0)
    } else {
        format!("{metres:.1} m")
    }
}
