//! The edit log as it lies over a config.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, PatchMode};
use ecotone_grid::GeoTransform;
use ecotone_store::{EditOp, EditRecord, Manifest, PatchWord, StoreError, World, WorldWriter};
use ecotone_terrain::Layer;

use super::raster::Hold;
use super::{EditError, EditRaster, HeightEdit};
use crate::EditLog;
use crate::config::{Loaded, nearest};
use crate::error::BakeError;
use crate::inputs::Mask;

/// How far, in pixels, a grid may lie from the edits' own and still be the same.
const TOLERANCE_PX: f64 = 0.01;

/// The edits that lie over a config.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits {
    records: Vec<EditRecord>,
    /// The world directory, which holds their rasters.
    dir: PathBuf,
    /// The grid on which they have their places; `None`: the map's.
    grid: Option<GeoTransform>,
}

impl Edits {
    /// No edits, to be kept in a world directory.
    fn none(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            ..Self::default()
        }
    }

    /// Edits on a grid, or on the map's own.
    pub(crate) fn given(log: EditLog, grid: Option<GeoTransform>) -> Self {
        let EditLog { records, dir } = log;
        Self { records, dir, grid }
    }

    /// The edits of the world in a directory, where there is one.
    pub(crate) fn of_world(dir: &Path) -> Result<Self, BakeError> {
        let world = match World::open(dir) {
            Ok(world) => world,
            Err(StoreError::NotAWorld { .. }) if !dir.join("rev").is_dir() => {
                return Ok(Self::none(dir));
            }
            Err(StoreError::NotAWorld { .. } | StoreError::Damaged { .. }) => {
                return Self::of_damaged(dir);
            }
            Err(source) => return Err(BakeError::Closed { source }),
        };
        Ok(Self::of_manifest(world.manifest(), dir))
    }

    /// The edits of a world whose books are damaged or gone: of the revision that a writer goes on from, where it finds one.
    fn of_damaged(dir: &Path) -> Result<Self, BakeError> {
        let writer = WorldWriter::open(dir).map_err(|source| BakeError::Closed { source })?;
        let edits = |manifest| Self::of_manifest(manifest, dir);
        Ok(writer.current().map_or_else(|| Self::none(dir), edits))
    }

    fn of_manifest(manifest: &Manifest, dir: &Path) -> Self {
        Self {
            records: manifest.edits.clone(),
            dir: dir.to_owned(),
            grid: Some(manifest.grid.transform()),
        }
    }

    /// The world directory that has their rasters.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The oldest first.
    pub(crate) fn records(&self) -> &[EditRecord] {
        &self.records
    }

    /// Refuses edits of strata that the config does not have.
    pub(crate) fn check(&self, loaded: &Loaded) -> Result<(), EditError> {
        for (idx, edit) in self.records.iter().enumerate() {
            let Some(name) = edit.op.stratum() else {
                continue;
            };
            if band(loaded, name).is_none() {
                return Err(EditError::StratumGone {
                    number: edit.number,
                    text: edit.text.clone(),
                    name: name.to_owned(),
                    n: self.records.len() - idx,
                });
            }
        }
        Ok(())
    }

    /// The same edits on the grid of a map that may have grown or shrunk at its borders since.
    pub(crate) fn on(&self, now: &GeoTransform) -> Result<Vec<EditRecord>, EditError> {
        let mut records = self.records.clone();
        // Pins have places in the world, whatever pixels are there.
        let has_raster = records.iter().any(|edit| edit.raster.is_some());
        let Some(then) = self.grid.filter(|then| then != now && has_raster) else {
            return Ok(records);
        };
        let east = (then.x0 - now.x0) / now.pixel.x;
        let south = (now.y0 - then.y0) / now.pixel.y;
        let is_whole = |px: f64| (px - px.round()).abs() <= TOLERANCE_PX && px.abs() < 1e9;
        if then.pixel != now.pixel || !is_whole(east) || !is_whole(south) {
            let n = records.len();
            return Err(EditError::Moved { then, now: *now, n });
        }
        for edit in &mut records {
            for file in edit.artefacts_mut() {
                file.x = file.x.saturating_add(east.round() as i64);
                file.y = file.y.saturating_add(south.round() as i64);
            }
        }
        Ok(records)
    }

    /// What lies over the heights.
    pub(crate) fn heights(
        &self,
        records: &[EditRecord],
        blocks: &Arc<BlockCache>,
    ) -> Vec<HeightEdit> {
        let edit = |record: &EditRecord| {
            let EditOp::Heights { mode, alpha } = record.op else {
                return None;
            };
            let mode = match mode {
                PatchWord::Replace => PatchMode::Replace,
                PatchWord::Add => PatchMode::Add,
                PatchWord::Max => PatchMode::Max,
                PatchWord::Min => PatchMode::Min,
            };
            let open = |file| EditRaster::new(record, file, &self.dir, blocks);
            Some(HeightEdit {
                raster: open(record.raster.as_ref()?),
                mode,
                hold: match &record.shares {
                    Some(shares) => Hold::Shares(Box::new(open(shares))),
                    None => Hold::Everywhere(alpha),
                },
            })
        };
        records.iter().filter_map(edit).collect()
    }

    /// The masks of the strokes over strata.
    pub(crate) fn masks(&self, records: &[EditRecord], blocks: &Arc<BlockCache>) -> Vec<Mask> {
        let strokes = records.iter().filter(|edit| edit.op.stratum().is_some());
        let open = |edit: &EditRecord| {
            let raster = edit.raster.as_ref()?;
            Some(EditRaster::new(edit, raster, &self.dir, blocks))
        };
        strokes.filter_map(open).map(Mask::Stroke).collect()
    }

    /// What the strokes over strata do, in the order of [`Edits::masks`].
    pub(crate) fn layers(&self, loaded: &Loaded) -> Vec<Layer> {
        let target = |name: &str| {
            band(loaded, name).expect("the strata of edits were looked up when they were laid over")
        };
        let layer = |edit: &EditRecord| match &edit.op {
            EditOp::Heights { .. } | EditOp::Pins { .. } => None,
            EditOp::Paint { stratum } => Some(Layer::Add {
                target: target(stratum),
            }),
            EditOp::Erase { stratum } => Some(Layer::Subtract {
                target: target(stratum),
            }),
        };
        self.records.iter().filter_map(layer).collect()
    }
}

/// The number of a stratum among those that have weights of their own.
fn band(loaded: &Loaded, name: &str) -> Option<usize> {
    let mut bands = loaded.config.bands();
    bands.position(|stratum| stratum.name == name)
}

/// Refuses a stroke over a stratum that there is not, and says which ones there are.
pub(super) fn check_stratum(loaded: &Loaded, name: &str) -> Result<(), EditError> {
    if band(loaded, name).is_some() {
        return Ok(());
    }
    let names = || loaded.config.bands().map(|stratum| stratum.name.as_str());
    let known: Vec<String> = names().map(|name| format!("`{name}`")).collect();
    let help = nearest(name, names()).map(|near| format!("; did you mean `{near}`?"));
    Err(EditError::NoStratum {
        name: name.to_owned(),
        known: known.join(", "),
        help: help.unwrap_or_default(),
    })
}

impl Loaded {
    /// The same config under edits.
    ///
    /// # Errors
    /// [`EditError::StratumGone`].
    pub(crate) fn under(&self, edits: Edits) -> Result<Self, EditError> {
        edits.check(self)?;
        let mut loaded = self.clone();
        loaded.edits = edits;
        Ok(loaded)
    }
}
