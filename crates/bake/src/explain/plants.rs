//! The plants that a world stores around a point.

use std::collections::BTreeMap;

use ecotone_grid::name_key;
use ecotone_scatter::Area;
use ecotone_store::{PlantRecord, SpeciesView, StoreError, World, decode_up};

use super::answer::PlantAnswer;
use crate::plan::{ChunkGrid, STEPS_PER_M};

/// A stored plant: where it stands, and what it is.
pub(super) struct Stored {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) plant: PlantAnswer,
}

/// Plants by their species' names and ids.
pub(super) type Plants = BTreeMap<(String, u64), Stored>;

/// The stored plants in an area.
pub(super) fn within(world: &World, chunks: ChunkGrid, area: &Area) -> Result<Plants, StoreError> {
    let mut plants = Plants::new();
    let (first, last) = (chunks.of(area.x0, area.y0), chunks.of(area.x1, area.y1));
    for chunk in &world.manifest().chunks {
        let (x, y) = (chunk.artefact.x, chunk.artefact.y);
        if !(first.x..=last.x).contains(&x) || !(first.y..=last.y).contains(&y) {
            continue;
        }
        world.chunk(chunk, |view| {
            for species in view.species() {
                let inside = species.plants().filter(|own| area.contains(own.x, own.y));
                let key = name_key(species.name());
                plants.extend(inside.map(|own| {
                    let stored = Stored {
                        x: own.x,
                        y: own.y,
                        plant: answer(&own, species),
                    };
                    ((species.name().to_owned(), own.id(key)), stored)
                }));
            }
        })?;
    }
    Ok(plants)
}

fn answer(own: &PlantRecord, species: &SpeciesView<'_>) -> PlantAnswer {
    let variant = species.variants().get(usize::from(own.variant));
    PlantAnswer {
        z: f64::from(own.z_mm) / 1000.0,
        size: f64::from(own.size) * species.size_step(),
        yaw: f64::from(own.yaw) * 360.0 / 65536.0,
        up: decode_up(own.up),
        variant: variant.map(|&name| name.to_owned()),
        tint: f64::from(own.tint) / 255.0,
    }
}

/// The species and the place of a plant.
pub(super) fn find(world: &World, id: u64) -> Result<Option<(String, [f64; 2])>, StoreError> {
    for chunk in &world.manifest().chunks {
        let found = world.chunk(chunk, |view| {
            view.species().iter().find_map(|species| {
                let key = name_key(species.name());
                let own = species.plants().find(|own| own.id(key) == id)?;
                let place = [own.x, own.y].map(|steps| steps as f64 / STEPS_PER_M);
                Some((species.name().to_owned(), place))
            })
        })?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
