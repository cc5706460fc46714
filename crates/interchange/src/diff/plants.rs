//! Plants of two worlds, by species and id; the id is a hash of species and place, so who keeps it stands where it stood.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use ecotone_store::{
    Manifest, Plant, PlantDifference, STEPS_PER_METRE, chunk_index, compare_plants,
};

use super::squares::{self, Squares};
use crate::{Finished, InterchangeError};

/// What became of a plant; the first that fits counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It stands in the newer world only.
    Added,
    /// It stands in the older world only.
    Removed,
    /// It stands at another height.
    Moved,
    /// It has another size.
    Resized,
    /// Its turn, its up vector, its variant or its tint is another.
    Changed,
}

impl Change {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Moved => "moved",
            Self::Resized => "resized",
            Self::Changed => "changed",
        }
    }
}

/// A plant that differs.
#[derive(Clone, Copy, Debug)]
pub struct PlantChange<'a> {
    /// How.
    pub what: Change,
    /// As the older world has it.
    pub old: Option<&'a Plant>,
    /// As the newer world has it.
    pub new: Option<&'a Plant>,
    /// Its chunk's column and row, as the newer world is cut.
    pub chunk: [i64; 2],
}

impl<'a> PlantChange<'a> {
    fn new(difference: PlantDifference<'a>, chunk_size: i64) -> Self {
        let (what, old, new) = match difference {
            PlantDifference::Added(new) => (Change::Added, None, Some(new)),
            PlantDifference::Gone(old) => (Change::Removed, Some(old), None),
            PlantDifference::Changed(old, new) => (of_both(old, new), Some(old), Some(new)),
        };
        let mut change = Self {
            what,
            old,
            new,
            chunk: [0; 2],
        };
        let record = &change.plant().record;
        change.chunk = [record.x, record.y].map(|at| chunk_index(at, chunk_size));
        change
    }

    /// The plant, the newer one where it stands in both worlds: species, id and place are the same.
    pub fn plant(&self) -> &'a Plant {
        let either = self.new.or(self.old);
        either.expect("a plant that differs stands in one of the two")
    }

    /// Metres that it moved up, or down where below 0.
    fn metres_up(&self) -> f64 {
        let both = self.new.zip(self.old);
        both.map_or(0.0, |(new, old)| new.metres_above(old))
    }
}

fn of_both(old: &Plant, new: &Plant) -> Change {
    if old.record.z_mm != new.record.z_mm {
        Change::Moved
    } else if old.size() != new.size() {
        Change::Resized
    } else {
        Change::Changed
    }
}

/// How many plants differ; each counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlantCounts {
    /// See [`Change::Added`].
    pub added: u64,
    /// See [`Change::Removed`].
    pub removed: u64,
    /// See [`Change::Moved`]; some have another size, too.
    pub moved: u64,
    /// See [`Change::Resized`].
    pub resized: u64,
    /// See [`Change::Changed`].
    pub changed: u64,
}

impl PlantCounts {
    /// All together.
    pub fn total(&self) -> u64 {
        self.added + self.removed + self.moved + self.resized + self.changed
    }
}

impl AddAssign<Change> for PlantCounts {
    fn add_assign(&mut self, what: Change) {
        let count = match what {
            Change::Added => &mut self.added,
            Change::Removed => &mut self.removed,
            Change::Moved => &mut self.moved,
            Change::Resized => &mut self.resized,
            Change::Changed => &mut self.changed,
        };
        *count += 1;
    }
}

impl AddAssign for PlantCounts {
    fn add_assign(&mut self, other: Self) {
        self.added += other.added;
        self.removed += other.removed;
        self.moved += other.moved;
        self.resized += other.resized;
        self.changed += other.changed;
    }
}

/// The plant that moved farthest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GreatestMove {
    /// Metres up, or down where below 0.
    pub metres: f64,
    /// Its id.
    pub id: u64,
    /// World x and y in metres.
    pub place: [f64; 2],
}

impl GreatestMove {
    fn of(change: &PlantChange<'_>) -> Self {
        let plant = change.plant();
        let metres = |steps: i64| steps as f64 / STEPS_PER_METRE as f64;
        Self {
            metres: change.metres_up(),
            id: plant.id,
            place: [metres(plant.record.x), metres(plant.record.y)],
        }
    }

    /// Whether it went farther, or as far with a smaller id: the order in which squares are read does not show.
    fn beats(&self, other: &Self) -> bool {
        let (own, others) = (self.metres.abs(), other.metres.abs());
        own > others || (own == others && self.id < other.id)
    }
}

/// What became of a species.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpeciesDiff {
    /// Plants of it in the older world.
    pub n_old: u64,
    /// Plants of it in the newer world.
    pub n_new: u64,
    /// How many differ.
    pub counts: PlantCounts,
    /// The farthest move; `None` where none moved.
    pub greatest_move: Option<GreatestMove>,
}

/// What became of the plants of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkDiff {
    /// Column and row, as the newer world is cut.
    pub at: [i64; 2],
    /// How many differ.
    pub counts: PlantCounts,
}

/// What became of the plants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlantDiff {
    /// By name, those of both worlds.
    pub species: BTreeMap<String, SpeciesDiff>,
    /// Chunks with plants that differ, by row then column.
    pub chunks: Vec<ChunkDiff>,
}

impl PlantDiff {
    /// Whether every plant is the same.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// How many differ.
    pub fn counts(&self) -> PlantCounts {
        let mut sum = PlantCounts::default();
        self.species.values().for_each(|kind| sum += kind.counts);
        sum
    }
}

/// Counts while it is shown plants.
#[derive(Default)]
struct Tally {
    species: BTreeMap<String, SpeciesDiff>,
    /// By row and column.
    chunks: BTreeMap<(i64, i64), PlantCounts>,
}

impl Tally {
    /// The plants there are, by what the manifests say.
    fn of(old: &Manifest, new: &Manifest) -> Self {
        let mut tally = Self::default();
        for (name, n) in census(old) {
            tally.species.entry(name).or_default().n_old += n;
        }
        for (name, n) in census(new) {
            tally.species.entry(name).or_default().n_new += n;
        }
        tally
    }

    fn add(&mut self, change: &PlantChange<'_>) {
        let name = &change.plant().kind.species;
        if !self.species.contains_key(name) {
            self.species.insert(name.clone(), SpeciesDiff::default());
        }
        let kind = self.species.get_mut(name).expect("it is there by now");
        kind.counts += change.what;
        if change.what == Change::Moved {
            let farthest = GreatestMove::of(change);
            let best = kind.greatest_move.get_or_insert(farthest);
            if farthest.beats(best) {
                *best = farthest;
            }
        }
        let [column, row] = change.chunk;
        *self.chunks.entry((row, column)).or_default() += change.what;
    }

    fn finish(self) -> PlantDiff {
        let chunks = self.chunks.into_iter().map(|((row, column), counts)| {
            let at = [column, row];
            ChunkDiff { at, counts }
        });
        PlantDiff {
            species: self.species,
            chunks: chunks.collect(),
        }
    }
}

/// Plants of each species.
fn census(manifest: &Manifest) -> impl Iterator<Item = (String, u64)> + '_ {
    let species = manifest.species.iter().enumerate();
    species.map(|(idx, species)| {
        let counts = manifest.chunks.iter().filter_map(|c| c.plants.get(idx));
        (species.name.clone(), counts.sum())
    })
}

/// Compares the plants square by square, and a square of very many part by part.
pub(super) fn compare(
    old: &Finished,
    new: &Finished,
    each: &mut dyn FnMut(&PlantChange<'_>) -> Result<(), InterchangeError>,
) -> Result<PlantDiff, InterchangeError> {
    let squares = Squares::of(old.manifest(), new.manifest());
    let is_cut_alike = old.manifest().chunk_size == new.manifest().chunk_size;
    let mut tally = Tally::of(old.manifest(), new.manifest());
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (&at, square) in &squares.by_place {
        if is_cut_alike && square.is_same() {
            continue;
        }
        for part in square.parts() {
            let place = (squares.side, at);
            squares::plants(old, &square.old, place, part, &mut before)?;
            squares::plants(new, &square.new, place, part, &mut after)?;
            let mut shown = Ok(());
            compare_plants(&mut before, &mut after, &mut |difference| {
                let change = PlantChange::new(difference, new.manifest().chunk_size);
                tally.add(&change);
                shown = std::mem::replace(&mut shown, Ok(())).and_then(|()| each(&change));
            });
            shown?;
        }
    }
    Ok(tally.finish())
}
