//! What differs between two revisions: tiles, chunks, and plants by their ids.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use ecotone_grid::TileId;
use serde::{Deserialize, Serialize};

use super::folder::WorldFolder;
use crate::{
    Artefact, Manifest, Plant, PlantDifference, STEPS_PER_METRE, Stage, StoreError, compare_plants,
    gather,
};

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

impl PlantChanges {
    const NONE: Self = Self {
        added: 0,
        gone: 0,
        changed: 0,
    };
    const ADDED: Self = Self {
        added: 1,
        ..Self::NONE
    };
    const GONE: Self = Self {
        gone: 1,
        ..Self::NONE
    };
    const CHANGED: Self = Self {
        changed: 1,
        ..Self::NONE
    };
}

impl AddAssign for PlantChanges {
    fn add_assign(&mut self, other: Self) {
        self.added += other.added;
        self.gone += other.gone;
        self.changed += other.changed;
    }
}

/// A chunk that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkChange {
    /// Chunk column.
    pub x: i64,
    /// Chunk row, growing north.
    pub y: i64,
    /// What became of its plants; `None` where the older file cannot be read, or the chunks were cut anew.
    pub plants: Option<PlantChanges>,
    /// The same by species, of those whose plants differ; empty in the first revision, whose manifest says it.
    #[serde(default, skip_serializing_if = "BySpecies::is_empty")]
    pub species: BySpecies,
}

/// `changed.json`: what a revision changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    /// The revision before, where there was one.
    pub from: Option<u64>,
    /// This revision.
    pub to: u64,
    /// West, south, east and north in metres of all tiles and chunks that differ; `None` where none does.
    #[serde(default)]
    pub bounds: Option<[f64; 4]>,
    /// Column and row of the tiles that differ, by the folder of their stage.
    pub tiles: BTreeMap<String, Vec<[i64; 2]>>,
    /// Plants of all chunks together; `None` where one of them does not know.
    pub plants: Option<PlantChanges>,
    /// The same by species, of those whose plants differ; empty where `plants` is `None`.
    #[serde(default)]
    pub species: BySpecies,
    /// Chunks that differ, by row then column.
    pub chunks: Vec<ChunkChange>,
}

type BySpecies = BTreeMap<String, PlantChanges>;
type ByPlace<'a> = BTreeMap<(i64, i64), &'a Artefact>;

fn by_place<'a>(artefacts: impl Iterator<Item = &'a Artefact>) -> ByPlace<'a> {
    artefacts
        .map(|artefact| ((artefact.y, artefact.x), artefact))
        .collect()
}

/// The files of one place in both revisions.
type Pair<'a> = (Option<&'a Artefact>, Option<&'a Artefact>);

/// Places whose artefacts differ, by row then column.
fn differing<'a>(old: &ByPlace<'a>, new: &ByPlace<'a>) -> Vec<Pair<'a>> {
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

fn place((old, new): &Pair<'_>) -> [i64; 2] {
    new.or(*old)
        .map_or([0, 0], |artefact| [artefact.x, artefact.y])
}

/// West, south, east and north of a tile in metres.
fn tile_ground(manifest: &Manifest, tile: &Artefact) -> [f64; 4] {
    let grid = &manifest.grid;
    let id = TileId {
        x: tile.x as u32,
        y: tile.y as u32,
    };
    grid.transform().bounds(grid.tiles().rect(id))
}

/// West, south, east and north of a chunk in metres.
fn chunk_ground(manifest: &Manifest, chunk: &Artefact) -> [f64; 4] {
    let side = manifest.chunk_size as f64 / STEPS_PER_METRE as f64;
    let [west, south] = [chunk.x, chunk.y].map(|index| index as f64 * side);
    [west, south, west + side, south + side]
}

impl Changed {
    /// What `new` changes after `old`; reads the chunk files that differ, but for those of chunks that were not there before.
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
            let (before, after) = (tiles(old, stage), tiles(Some(new), stage));
            let pairs = differing(&by_place(before.iter()), &by_place(after.iter()));
            pairs
                .iter()
                .for_each(|pair| changed.cover(pair, (old, new), tile_ground));
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
        let (before, after) = (chunks(old), chunks(Some(new)));
        let counts = new.chunks.iter();
        let counts = counts.map(|chunk| ((chunk.artefact.y, chunk.artefact.x), &*chunk.plants));
        let counts: BTreeMap<(i64, i64), &[u64]> = counts.collect();
        for pair in differing(&by_place(before.iter()), &by_place(after.iter())) {
            self.cover(&pair, (old, new), chunk_ground);
            let [x, y] = place(&pair);
            let species = match (recut, pair.0, counts.get(&(y, x))) {
                (true, ..) => None,
                // No file need be read for what the manifest knows.
                (_, None, Some(counts)) => Some(added(new, counts)),
                _ => changes(world, pair)?,
            };
            let plants = species.as_ref().map(|species| self.take_in(species));
            if plants.is_none() {
                self.plants = None;
            }
            let species = species.filter(|_| old.is_some()).unwrap_or_default();
            self.chunks.push(ChunkChange {
                x,
                y,
                plants,
                species,
            });
        }
        if self.plants.is_none() {
            self.species.clear();
        }
        Ok(())
    }

    /// Widens the bounds over a place that differs: over what it was and what it is, where the world is cut otherwise now.
    fn cover(
        &mut self,
        (before, after): &Pair<'_>,
        (old, new): (Option<&Manifest>, &Manifest),
        ground: fn(&Manifest, &Artefact) -> [f64; 4],
    ) {
        let before = old
            .zip(*before)
            .map(|(old, artefact)| ground(old, artefact));
        let after = after.map(|artefact| ground(new, artefact));
        for own in before.into_iter().chain(after) {
            let so_far = self.bounds.unwrap_or(own);
            self.bounds = Some([
                so_far[0].min(own[0]),
                so_far[1].min(own[1]),
                so_far[2].max(own[2]),
                so_far[3].max(own[3]),
            ]);
        }
    }

    /// Adds a chunk's changes to those of the world, and returns what they are together.
    fn take_in(&mut self, species: &BySpecies) -> PlantChanges {
        let mut plants = PlantChanges::NONE;
        for (name, &more) in species {
            plants += more;
            add(&mut self.species, name, more);
        }
        if let Some(sum) = &mut self.plants {
            *sum += plants;
        }
        plants
    }
}

/// The plants of a chunk; none where there is no chunk.
fn plants(world: &WorldFolder, chunk: Option<&Artefact>) -> Result<Vec<Plant>, StoreError> {
    let mut plants = Vec::new();
    if let Some(chunk) = chunk {
        world.visit_chunk(chunk, |view| gather(view, |_, _| true, &mut plants))?;
    }
    Ok(plants)
}

/// The plants of a chunk where there was none.
fn added(manifest: &Manifest, counts: &[u64]) -> BySpecies {
    let species = manifest.species.iter().zip(counts);
    let grown = species.filter(|(_, added)| **added > 0);
    grown
        .map(|(species, &added)| {
            let none = PlantChanges::NONE;
            (species.name.clone(), PlantChanges { added, ..none })
        })
        .collect()
}

/// Changes of each species; `None` where the older file cannot be read: that must not stop the commit that replaces it.
fn changes(world: &WorldFolder, (old, new): Pair<'_>) -> Result<Option<BySpecies>, StoreError> {
    let mut new = plants(world, new)?;
    let Ok(mut old) = plants(world, old) else {
        return Ok(None);
    };
    let mut changes = BySpecies::new();
    compare_plants(&mut old, &mut new, &mut |difference| {
        let (plant, sum) = match difference {
            PlantDifference::Added(plant) => (plant, PlantChanges::ADDED),
            PlantDifference::Gone(plant) => (plant, PlantChanges::GONE),
            PlantDifference::Changed(_, plant) => (plant, PlantChanges::CHANGED),
        };
        add(&mut changes, &plant.kind.species, sum);
    });
    Ok(Some(changes))
}

fn add(changes: &mut BySpecies, species: &str, more: PlantChanges) {
    match changes.get_mut(species) {
        Some(sum) => *sum += more,
        None => drop(changes.insert(species.to_owned(), more)),
    }
}
