//! What differs between two revisions: tiles, chunks, and plants by their ids.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::AddAssign;

use ecotone_grid::name_key;
use serde::{Deserialize, Serialize};

use super::folder::WorldFolder;
use crate::{Artefact, ChunkView, Manifest, PlantRecord, Stage, StoreError};

/// How many plants differ; a plant is the same while its id is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlantChanges {
    /// Ids that are new.
    pub added: u64,
    /// Ids that are no more.
    pub gone: u64,
    /// Ids that stayed, with another height, size, turn, variant or tint.
    pub changed: u64,
}

impl AddAssign for PlantChanges {
    fn add_assign(&mut self, other: Self) {
        self.added += other.added;
        self.gone += other.gone;
        self.changed += other.changed;
    }
}

/// A chunk that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkChange {
    /// Chunk column.
    pub x: i64,
    /// Chunk row, growing north.
    pub y: i64,
    /// What became of its plants; `None` where the older file cannot be read, or the chunks were cut anew.
    pub plants: Option<PlantChanges>,
}

/// `changed.json`: what a revision changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// The revision before, where there was one.
    pub from: Option<u64>,
    /// This revision.
    pub to: u64,
    /// Column and row of the tiles that differ, by the folder of their stage.
    pub tiles: BTreeMap<String, Vec<[i64; 2]>>,
    /// Plants of all chunks together; `None` where one of them does not know.
    pub plants: Option<PlantChanges>,
    /// Chunks that differ, by row then column.
    pub chunks: Vec<ChunkChange>,
}

type ByPlace<'a> = BTreeMap<(i64, i64), &'a Artefact>;

fn by_place<'a>(artefacts: impl Iterator<Item = &'a Artefact>) -> ByPlace<'a> {
    artefacts
        .map(|artefact| ((artefact.y, artefact.x), artefact))
        .collect()
}

/// Places whose artefacts differ, by row then column.
fn differing<'a>(
    old: &ByPlace<'a>,
    new: &ByPlace<'a>,
) -> Vec<(Option<&'a Artefact>, Option<&'a Artefact>)> {
    let mut places: Vec<_> = old.keys().chain(new.keys()).copied().collect();
    places.sort_unstable();
    places.dedup();
    let pairs = places
        .iter()
        .map(|at| (old.get(at).copied(), new.get(at).copied()));
    pairs
        .filter(|(old, new)| old.map(|a| &a.digest) != new.map(|a| &a.digest))
        .collect()
}

fn place((old, new): &(Option<&Artefact>, Option<&Artefact>)) -> [i64; 2] {
    new.or(*old)
        .map_or([0, 0], |artefact| [artefact.x, artefact.y])
}

impl Changed {
    /// What `new` changes after `old`; reads the chunk files that differ.
    pub(super) fn between(
        world: &WorldFolder,
        old: Option<&Manifest>,
        new: &Manifest,
    ) -> Result<Self, StoreError> {
        let mut stages: Vec<Stage> = new.raster_stages().collect();
        stages.extend(old.into_iter().flat_map(Manifest::raster_stages));
        stages.sort_unstable();
        stages.dedup();
        let tiles = |manifest: Option<&'_ Manifest>, stage: &Stage| -> Vec<Artefact> {
            let tiles = manifest.and_then(|manifest| manifest.tiles(stage));
            tiles.unwrap_or_default().to_vec()
        };
        let mut changed = Self {
            from: old.map(|manifest| manifest.revision),
            to: new.revision,
            plants: Some(PlantChanges::default()),
            ..Self::default()
        };
        for stage in &stages {
            let (old, new) = (tiles(old, stage), tiles(Some(new), stage));
            let pairs = differing(&by_place(old.iter()), &by_place(new.iter()));
            let places: Vec<_> = pairs.iter().map(place).collect();
            if !places.is_empty() {
                changed.tiles.insert(stage.folder(), places);
            }
        }
        changed.compare_chunks(world, old, new)?;
        Ok(changed)
    }

    fn compare_chunks(
        &mut self,
        world: &WorldFolder,
        old: Option<&Manifest>,
        new: &Manifest,
    ) -> Result<(), StoreError> {
        let chunks = |manifest: Option<&Manifest>| -> Vec<Artefact> {
            let chunks = manifest.into_iter().flat_map(|manifest| &manifest.chunks);
            chunks.map(|chunk| chunk.artefact.clone()).collect()
        };
        let recut = old.is_some_and(|old| old.chunk_size != new.chunk_size);
        let (old, new) = (chunks(old), chunks(Some(new)));
        for pair in differing(&by_place(old.iter()), &by_place(new.iter())) {
            let [x, y] = place(&pair);
            let plants = if recut {
                None
            } else {
                compare_plants(world, pair)?
            };
            self.plants = self.plants.zip(plants).map(|(mut sum, plants)| {
                sum += plants;
                sum
            });
            self.chunks.push(ChunkChange { x, y, plants });
        }
        Ok(())
    }
}

/// A plant and what a reader makes of its numbers.
struct Plant {
    species: String,
    id: u64,
    record: PlantRecord,
    size_step: f64,
    variant: String,
}

impl Plant {
    fn identity(&self) -> (&str, u64, i64, i64) {
        (&self.species, self.id, self.record.x, self.record.y)
    }

    fn looks_like(&self, other: &Self) -> bool {
        let index_aside = PlantRecord {
            variant: other.record.variant,
            ..self.record
        };
        index_aside == other.record
            && self.variant == other.variant
            && self.size_step == other.size_step
    }
}

/// The plants of a chunk, sorted by identity; none where there is no chunk.
fn plants(world: &WorldFolder, chunk: Option<&Artefact>) -> Result<Vec<Plant>, StoreError> {
    chunk.map_or(Ok(Vec::new()), |chunk| world.visit_chunk(chunk, sorted))
}

fn sorted(chunk: &ChunkView<'_>) -> Vec<Plant> {
    let mut plants = Vec::new();
    for species in chunk.species() {
        let key = name_key(species.name());
        plants.extend(species.plants().map(|record| {
            Plant {
                species: species.name().to_owned(),
                id: record.id(key),
                record,
                size_step: species.size_step(),
                variant: species
                    .variants()
                    .get(usize::from(record.variant))
                    .map_or(String::new(), |name| (*name).to_owned()),
            }
        }));
    }
    plants.sort_unstable_by(|a, b| a.identity().cmp(&b.identity()));
    plants
}

/// `None` where the older file cannot be read: that must not stop the commit that replaces it.
fn compare_plants(
    world: &WorldFolder,
    (old, new): (Option<&Artefact>, Option<&Artefact>),
) -> Result<Option<PlantChanges>, StoreError> {
    let new = plants(world, new)?;
    let Ok(old) = plants(world, old) else {
        return Ok(None);
    };
    let mut changes = PlantChanges::default();
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return Ok(Some(changes)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.identity().cmp(&b.identity()),
        };
        let a = old.next_if(|_| order.is_le());
        let b = new.next_if(|_| order.is_ge());
        match (a, b) {
            (Some(a), Some(b)) => changes.changed += u64::from(!a.looks_like(b)),
            (Some(_), None) => changes.gone += 1,
            _ => changes.added += 1,
        }
    }
}
