//! Pairs of plants of two species that stand closer than the sum of their footprints.

use std::collections::BTreeMap;

use ecotone_store::{Manifest, PlantRecord, STEPS_PER_METRE, SpeciesRecord};

use super::ground::place;
use super::plants::{Plant, is_in};
use super::verdict::{Faults, Offender};

/// The radius in metres that each species of a manifest keeps to itself.
pub(super) struct Footprints(Vec<f64>);

impl Footprints {
    pub(super) fn new(manifest: &Manifest, metres: &BTreeMap<String, f64>) -> Self {
        let species = manifest.species.iter();
        let radius = |species: &SpeciesRecord| metres.get(&species.name).copied();
        Self(
            species
                .map(|species| radius(species).unwrap_or(0.0))
                .collect(),
        )
    }

    /// How far apart two plants can be and still overlap.
    pub(super) fn reach_m(&self) -> f64 {
        2.0 * self.0.iter().copied().fold(0.0, f64::max)
    }

    /// Notes the pairs of a block: those whose western plant stands in it.
    pub(super) fn block(
        &self,
        names: &[SpeciesRecord],
        plants: &[Plant],
        bounds: [f64; 4],
        faults: &mut Faults,
    ) {
        let inside = plants.iter().filter(|(_, plant)| is_in(bounds, plant));
        faults.n_seen += inside.count() as u64;
        let mut sorted: Vec<&Plant> = plants.iter().filter(|(s, _)| self.0[*s] > 0.0).collect();
        sorted.sort_unstable_by_key(|(species, plant)| (plant.x, plant.y, *species));
        let reach = (self.reach_m() * STEPS_PER_METRE as f64).ceil() as i64;
        for (idx, (species, plant)) in sorted.iter().enumerate() {
            if !is_in(bounds, plant) {
                continue;
            }
            let near = sorted[idx + 1..].iter();
            let others = near.take_while(|(_, other)| other.x - plant.x <= reach);
            for (other_species, other) in others.filter(|(other, _)| other != species) {
                let apart = apart_m(plant, other);
                let sum = self.0[*species] + self.0[*other_species];
                if apart + 1e-9 < sum {
                    let [x, y] = place(plant);
                    let name = &names[*other_species].name;
                    faults.note(|| Offender {
                        species: Some(names[*species].name.clone()),
                        x,
                        y,
                        what: format!("{apart:.3} m from a {name}, expected {sum:.3} m"),
                    });
                }
            }
        }
    }
}

fn apart_m(a: &PlantRecord, b: &PlantRecord) -> f64 {
    let (dx, dy) = ((a.x - b.x) as f64, (a.y - b.y) as f64);
    (dx * dx + dy * dy).sqrt() / STEPS_PER_METRE as f64
}
