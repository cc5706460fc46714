//! How deep plants stand in the ground, so that those which are kept as they are stay as deep.

use std::collections::HashMap;

use ecotone_grid::{Raster, Rect};
use ecotone_scatter::{Fields, Ground};
use ecotone_store::{PlantRecord, pins};

use super::super::{Editing, Edits};
use super::asked::{Asked, PinOp};
use super::search::{Hit, Search};
use crate::inputs::Inputs;
use crate::plan::STEPS_PER_M;
use crate::rules::Rules;
use crate::{BakeError, EditLog};

/// Decoded blocks of the heights that are kept meanwhile.
const BLOCK_BYTES: usize = 32 << 20;

impl Editing {
    /// Metres below the ground of each plant that is locked or moved; `None` for what is added or removed.
    pub(super) fn depths(
        &self,
        asked: &[Asked<'_>],
        search: &Search,
    ) -> Result<Vec<Option<f64>>, BakeError> {
        let kept = |one: &Asked<'_>| {
            let is_kept = matches!(one.request.op, PinOp::Lock | PinOp::Move);
            let plant = one.plant.filter(|_| is_kept)?;
            search.answer(plant).hit.clone()
        };
        let kept: Vec<Option<Hit>> = asked.iter().map(kept).collect();
        if kept.iter().all(Option::is_none) {
            return Ok(vec![None; asked.len()]);
        }
        let rules = Rules::new(&self.loaded, self.manifest.grid.transform().pixel)?;
        let species = rules.species.iter();
        let ranges: HashMap<&str, [f64; 2]> =
            species.map(|own| (own.name.as_str(), own.sink_m)).collect();
        let pinned = self.pinned_depths();
        let mut heights = None;
        let depth = |hit: Option<Hit>| {
            let Some(hit) = hit else {
                return Ok(None);
            };
            // It was kept before, whatever its species draws from by now.
            let place = (hit.species.as_str(), hit.plant.x, hit.plant.y);
            if let Some(&depth) = pinned.get(&place) {
                return Ok(Some(depth));
            }
            let Some(&[least, most]) = ranges.get(hit.species.as_str()) else {
                return Ok(None);
            };
            if least >= most {
                return Ok(Some(least));
            }
            let inputs = match &mut heights {
                Some(inputs) => inputs,
                none => none.insert(self.inputs()?),
            };
            let z = f64::from(hit.plant.z_mm) / 1000.0;
            let ground = height_under(inputs, &hit.plant)?;
            // The ground may have changed since the world was baked.
            Ok(ground.map(|ground| (ground - z).clamp(least, most)))
        };
        kept.into_iter().map(depth).collect()
    }

    /// The depths that pins of the committed world have, by species and place.
    fn pinned_depths(&self) -> HashMap<(&str, i64, i64), f64> {
        let depths = pins(&self.manifest.edits).into_iter().filter_map(|pin| {
            let own = pin.record;
            let depth = own.stands.as_ref()?.sink?;
            Some(((own.species.as_str(), own.x, own.y), depth))
        });
        depths.collect()
    }

    /// The inputs under the edits of the committed world.
    fn inputs(&self) -> Result<Inputs, BakeError> {
        let log = EditLog {
            records: self.manifest.edits.clone(),
            dir: self.dir.clone(),
        };
        let edits = Edits::given(log, Some(self.manifest.grid.transform()));
        Inputs::open(&self.loaded.under(edits)?, BLOCK_BYTES)
    }
}

/// The height of the ground that a plant stands on; `None` where it is void.
fn height_under(inputs: &Inputs, plant: &PlantRecord) -> Result<Option<f64>, BakeError> {
    let [x, y] = [plant.x, plant.y].map(|steps| steps as f64 / STEPS_PER_M);
    let (column, row) = inputs.transform.pixel_at(x, y);
    let (column, row) = (column.floor() as i64, row.floor() as i64);
    let mut heights = Raster::default();
    inputs
        .heights
        .read(Rect::new(column, row, column + 2, row + 2), &mut heights)?;
    let (weights, sdf) = (Raster::default(), Raster::default());
    let fields = Fields {
        transform: inputs.transform,
        map: inputs.map(),
        heights: heights.band(0),
        normals: None,
        weights: &weights,
        sdf: &sdf,
        sdf_scale: 1.0,
        layers: None,
    };
    Ok(Ground::at(&fields, plant.x, plant.y).and_then(|ground| ground.height()))
}
