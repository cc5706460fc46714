//! Compares plants, one by one.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use ecotone_grid::name_key;
use ecotone_scatter::Area;
use ecotone_store::{ChunkView, PlantRecord, STEPS_PER_METRE, StoreError};

use super::difference::Unlike;

/// The plants of an area by species: the worth of a step of their size, and each with its id.
#[derive(Debug, Default)]
pub(super) struct Plants(BTreeMap<String, (f64, Vec<(u64, PlantRecord)>)>);

impl Plants {
    /// Takes in the plants of a chunk file that stand in an area.
    pub(super) fn add(&mut self, bytes: &[u8], area: &Area) -> Result<(), StoreError> {
        for species in ChunkView::parse(bytes)?.species() {
            if species.n_plants() == 0 {
                continue;
            }
            let key = name_key(species.name());
            let own = self.0.entry(species.name().to_owned()).or_default();
            own.0 = species.size_step();
            let inside = species.plants().filter(|p| area.contains(p.x, p.y));
            own.1.extend(inside.map(|plant| (plant.id(key), plant)));
        }
        Ok(())
    }

    /// How many there are.
    pub(super) fn n(&self) -> u64 {
        self.0.values().map(|(_, plants)| plants.len() as u64).sum()
    }

    /// The first plant, by species and id, that is not the same in both.
    pub(super) fn first_difference(mut self, mut fresh: Self) -> Option<Unlike> {
        let names: Vec<String> = self.0.keys().chain(fresh.0.keys()).cloned().collect();
        let names = std::collections::BTreeSet::from_iter(names);
        names.into_iter().find_map(|name| {
            let mut stored = self.0.remove(&name).unwrap_or_default();
            let mut fresh = fresh.0.remove(&name).unwrap_or_default();
            stored.1.sort_unstable();
            fresh.1.sort_unstable();
            first_of_species(&name, (stored.0, &stored.1), (fresh.0, &fresh.1))
        })
    }
}

type OfSpecies<'a> = (f64, &'a [(u64, PlantRecord)]);

fn first_of_species(
    name: &str,
    (stored_step, stored): OfSpecies<'_>,
    (fresh_step, fresh): OfSpecies<'_>,
) -> Option<Unlike> {
    let at = stored.iter().zip(fresh).position(|(a, b)| a != b);
    let steps_differ = stored_step.to_bits() != fresh_step.to_bits();
    let at = match at {
        _ if steps_differ && !stored.is_empty() && !fresh.is_empty() => 0,
        Some(at) => at,
        None if stored.len() == fresh.len() => return None,
        None => stored.len().min(fresh.len()),
    };
    let place = |plant: &(u64, PlantRecord)| (plant.0, plant.1.x, plant.1.y);
    let lone = |(id, plant): &(u64, PlantRecord), is_stored| Unlike::Lone {
        species: name.to_owned(),
        id: *id,
        x: metres(plant.x),
        y: metres(plant.y),
        is_stored,
    };
    let (a, b) = match (stored.get(at), fresh.get(at)) {
        (Some(a), Some(b)) => (a, b),
        (Some(a), None) => return Some(lone(a, true)),
        (None, b) => return b.map(|b| lone(b, false)),
    };
    match place(a).cmp(&place(b)) {
        Ordering::Less => Some(lone(a, true)),
        Ordering::Greater => Some(lone(b, false)),
        Ordering::Equal => {
            let fresh = attributes(&b.1, fresh_step);
            let pairs = attributes(&a.1, stored_step).into_iter().zip(fresh);
            let mut unlike = pairs.filter(|((_, a), (_, b))| a != b);
            let ((attribute, stored), (_, fresh)) = unlike.next()?;
            Some(Unlike::Plant {
                species: name.to_owned(),
                id: a.0,
                x: metres(a.1.x),
                y: metres(a.1.y),
                attribute,
                stored,
                fresh,
            })
        }
    }
}

fn metres(steps: i64) -> f64 {
    steps as f64 / STEPS_PER_METRE as f64
}

/// What a plant has beside its place, by name.
fn attributes(plant: &PlantRecord, size_step: f64) -> [(&'static str, f64); 7] {
    [
        (
            "height of its foot in metres",
            f64::from(plant.z_mm) / 1000.0,
        ),
        ("size", f64::from(plant.size) * size_step),
        ("turn in degrees", f64::from(plant.yaw) * 360.0 / 65536.0),
        ("first byte of the up vector", plant.up[0].into()),
        ("second byte of the up vector", plant.up[1].into()),
        ("variant", plant.variant.into()),
        ("tint", plant.tint.into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oaks(plants: &[PlantRecord]) -> Plants {
        let key = name_key("oak");
        let plants = plants.iter().map(|plant| (plant.id(key), *plant)).collect();
        Plants(BTreeMap::from([("oak".to_owned(), (0.5, plants))]))
    }

    const OAK: PlantRecord = PlantRecord {
        x: 1024,
        y: -512,
        z_mm: 3,
        size: 7,
        yaw: 0,
        up: [0, 0],
        variant: 0,
        tint: 9,
    };

    #[test]
    fn order_is_no_difference() {
        let other = PlantRecord { x: 5, ..OAK };
        let (a, b) = (oaks(&[OAK, other]), oaks(&[other, OAK]));
        assert_eq!(a.first_difference(b), None);
    }

    #[test]
    fn an_attribute_is_named() {
        let grown = PlantRecord { size: 8, ..OAK };
        let found = oaks(&[OAK]).first_difference(oaks(&[grown]));
        assert_eq!(
            found,
            Some(Unlike::Plant {
                species: "oak".to_owned(),
                id: OAK.id(name_key("oak")),
                x: 1.0,
                y: -0.5,
                attribute: "size",
                stored: 3.5,
                fresh: 4.0,
            })
        );
    }

    #[test]
    fn a_lone_plant_is_named_with_its_side() {
        let is_stored = |found| match found {
            Some(Unlike::Lone { x, is_stored, .. }) => Some((x, is_stored)),
            _ => None,
        };
        let found = oaks(&[OAK]).first_difference(Plants::default());
        assert_eq!(is_stored(found), Some((1.0, true)));
        let found = oaks(&[OAK]).first_difference(oaks(&[OAK, PlantRecord { x: 2048, ..OAK }]));
        assert_eq!(is_stored(found), Some((2.0, false)));
    }
}
