//! How deep plants may stand in the ground: as deep as their species, or their own pin, has them sunk.

use std::collections::BTreeMap;

use ecotone_store::{Manifest, pins};

use super::plants::Plant;

/// Heights are stored to the millimetre.
const ROUNDING_M: f64 = 0.000_501;

/// What is allowed between a plant's foot and the ground.
pub(super) struct Roots {
    tolerance_m: f64,
    /// Least and largest depth in metres, by species.
    sinks_m: Vec<[f64; 2]>,
    /// Depths of plants that were set by hand, by species, x and y.
    pinned_m: BTreeMap<(usize, i64, i64), f64>,
}

impl Roots {
    /// Of the species of a world; those that are not named stand on the ground.
    pub(super) fn new(
        manifest: &Manifest,
        sinks_m: &BTreeMap<String, [f64; 2]>,
        tolerance_m: f64,
    ) -> Self {
        let species = &manifest.species;
        let sink = |name: &String| sinks_m.get(name).copied().unwrap_or_default();
        let pinned = pins(&manifest.edits).into_iter().filter_map(|pin| {
            let depth_m = pin.record.stands.as_ref()?.sink?;
            let own = |name: &String| *name == pin.record.species;
            let idx = species.iter().position(|species| own(&species.name))?;
            Some(((idx, pin.record.x, pin.record.y), depth_m))
        });
        Self {
            tolerance_m: tolerance_m + ROUNDING_M,
            sinks_m: species.iter().map(|species| sink(&species.name)).collect(),
            pinned_m: pinned.collect(),
        }
    }

    /// Whether a plant may stand so many metres above the ground.
    pub(super) fn allow(&self, (species, plant): &Plant, above_m: f64) -> bool {
        let pinned = self.pinned_m.get(&(*species, plant.x, plant.y));
        let own = pinned.map_or(self.sinks_m[*species], |&depth| [depth; 2]);
        let [least, most] = own;
        above_m <= self.tolerance_m - least && above_m >= -self.tolerance_m - most
    }
}
