//! Looks up plants of a finished world by id or place, all that are asked for in one pass over its chunks.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;

use ecotone_grid::name_key;
use ecotone_store::{
    CELL_STEPS, ChunkArtefact, ChunkView, PlantRecord, SpeciesView, World, chunk_index,
};

use crate::BakeError;

/// A plant that is asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// Its species, where that is said.
    pub(super) species: Option<String>,
    /// Its id, where that is said.
    pub(super) id: Option<u64>,
    /// Where it stands, in 1/1024 m; none: anywhere.
    pub(super) at: Option<[i64; 2]>,
    /// How far from there, in 1/1024 m.
    pub(super) within: i64,
}

/// A plant of the world.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hit {
    pub(super) species: String,
    pub(super) id: u64,
    pub(super) plant: PlantRecord,
    pub(super) size: f64,
    pub(super) variant: Option<String>,
    /// The square of how far it is from the place that was asked for, in 1/1024 m.
    pub(super) off2: i64,
}

/// What was found for one that is asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    /// The plant: of the id, or else the nearest.
    pub(super) hit: Option<Hit>,
    /// The nearest plant of the species, whatever its id.
    pub(super) nearest: Option<Hit>,
}

/// Plants that are asked for, and once the world was gone through, what was found.
#[derive(Debug, Default)]
pub(super) struct Search {
    wanted: Vec<Wanted>,
    answers: Vec<Answer>,
}

impl Search {
    /// Adds one; returns its number.
    pub(super) fn add(&mut self, wanted: Wanted) -> usize {
        self.wanted.push(wanted);
        self.answers.push(Answer::default());
        self.wanted.len() - 1
    }

    pub(super) fn wanted(&self, number: usize) -> &Wanted {
        &self.wanted[number]
    }

    pub(super) fn answer(&self, number: usize) -> &Answer {
        &self.answers[number]
    }

    /// Goes through the chunks that may hold one of them.
    pub(super) fn run(&mut self, world: &World) -> Result<(), BakeError> {
        let size = world.manifest().chunk_size;
        let mut by_id: HashMap<u64, Vec<usize>> = HashMap::new();
        let mut by_chunk: BTreeMap<(i64, i64), Vec<usize>> = BTreeMap::new();
        for (number, wanted) in self.wanted.iter().enumerate() {
            match (wanted.at, wanted.id) {
                (Some([x, y]), _) => {
                    for column in chunks(x, wanted.within, size) {
                        let rows = chunks(y, wanted.within, size);
                        rows.for_each(|row| {
                            by_chunk.entry((column, row)).or_default().push(number)
                        });
                    }
                }
                (None, Some(id)) => by_id.entry(id).or_default().push(number),
                (None, None) => {}
            }
        }
        for chunk in &world.manifest().chunks {
            let ChunkArtefact { artefact, .. } = chunk;
            let near = by_chunk.get(&(artefact.x, artefact.y));
            if near.is_none() && by_id.is_empty() {
                continue;
            }
            let near = near.map_or(&[][..], Vec::as_slice);
            world.chunk(chunk, |view| self.look_in(view, near, &by_id))?;
        }
        Ok(())
    }

    fn look_in(&mut self, view: &ChunkView<'_>, near: &[usize], by_id: &HashMap<u64, Vec<usize>>) {
        for species in view.species() {
            let key = name_key(species.name());
            for &number in near {
                self.look_near(number, view, species, key);
            }
            if by_id.is_empty() {
                continue;
            }
            for plant in species.plants() {
                for &number in by_id.get(&plant.id(key)).into_iter().flatten() {
                    if is_of(&self.wanted[number], species) {
                        self.answers[number].hit = Some(hit(species, key, plant, 0));
                    }
                }
            }
        }
    }

    fn look_near(
        &mut self,
        number: usize,
        view: &ChunkView<'_>,
        species: &SpeciesView<'_>,
        key: u64,
    ) {
        let wanted = &self.wanted[number];
        let Some([x, y]) = wanted.at.filter(|_| is_of(wanted, species)) else {
            return;
        };
        let (column, row) = view.index();
        let columns = cells(x, wanted.within, column, view.size());
        let rows = cells(y, wanted.within, row, view.size());
        let places = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
        let plants = places.flat_map(|(column, row)| species.plants_in_cell(column, row));
        let answer = &mut self.answers[number];
        for plant in plants {
            let (east, north) = (plant.x - x, plant.y - y);
            let off2 = east
                .saturating_mul(east)
                .saturating_add(north.saturating_mul(north));
            if off2 > wanted.within * wanted.within {
                continue;
            }
            let found = hit(species, key, plant, off2);
            if wanted.id.is_none_or(|id| id == found.id) {
                keep_nearer(&mut answer.hit, found.clone());
            }
            keep_nearer(&mut answer.nearest, found);
        }
    }
}

/// Ties go to the name that sorts first, then to the smaller id: no order of chunks shows.
fn keep_nearer(best: &mut Option<Hit>, found: Hit) {
    let rank = |hit: &Hit| (hit.off2, hit.species.clone(), hit.id);
    if best.as_ref().is_none_or(|best| rank(&found) < rank(best)) {
        *best = Some(found);
    }
}

fn is_of(wanted: &Wanted, species: &SpeciesView<'_>) -> bool {
    let named = wanted.species.as_deref();
    named.is_none_or(|name| name == species.name())
}

fn hit(species: &SpeciesView<'_>, key: u64, plant: PlantRecord, off2: i64) -> Hit {
    let variant = species.variants().get(usize::from(plant.variant));
    Hit {
        species: species.name().to_owned(),
        id: plant.id(key),
        size: f64::from(plant.size) * species.size_step(),
        variant: variant.map(|&name| name.to_owned()),
        plant,
        off2,
    }
}

/// Columns or rows of chunks within some distance of a place.
fn chunks(at: i64, within: i64, size: i64) -> RangeInclusive<i64> {
    chunk_index(at - within, size)..=chunk_index(at + within, size)
}

/// Columns or rows of a chunk's cells within some distance of a place.
fn cells(at: i64, within: i64, index: i64, size: i64) -> RangeInclusive<usize> {
    let (origin, last) = (index * size, (size - 1) / CELL_STEPS);
    let cell = |steps: i64| ((steps - origin).div_euclid(CELL_STEPS)).clamp(0, last) as usize;
    cell(at - within)..=cell(at + within)
}
