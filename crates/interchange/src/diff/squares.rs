//! Two worlds cut into the same squares, whatever their chunks.

use std::collections::BTreeMap;

use ecotone_store::{ChunkArtefact, Manifest, Plant, PlantRecord, chunk_index, gather};

use crate::{Finished, InterchangeError};

/// The chunks of both worlds that lie over a square.
#[derive(Default)]
pub(super) struct Square<'a> {
    pub old: Vec<&'a ChunkArtefact>,
    pub new: Vec<&'a ChunkArtefact>,
}

impl Square<'_> {
    /// Whether the same files lie over it: then the same plants stand in it.
    pub fn is_same(&self) -> bool {
        let digests = |chunks: &[&ChunkArtefact]| -> Vec<String> {
            chunks.iter().map(|c| c.artefact.digest.clone()).collect()
        };
        digests(&self.old) == digests(&self.new)
    }

    /// Shares of its ids that are compared one after the other, so that no more plants are in memory than may be.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        let chunks = self.old.iter().chain(&self.new);
        // Saturating: the numbers come from a file.
        let n_plants = chunks
            .flat_map(|chunk| &chunk.plants)
            .fold(0_u64, |sum, n| sum.saturating_add(*n));
        let of = n_plants.div_ceil(PLANTS_AT_ONCE).max(1);
        (0..of).map(move |number| Part { number, of })
    }
}

/// Plants of a square, of both worlds together, that are compared at once: 48 bytes each.
const PLANTS_AT_ONCE: u64 = 1 << 20;

/// One of several equal shares of all ids. Ids are hashes, so it holds about as many plants as the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    number: u64,
    of: u64,
}

impl Part {
    fn holds(self, id: u64) -> bool {
        let share = (u128::from(id) * u128::from(self.of)) >> 64;
        share == u128::from(self.number)
    }
}

/// All squares with plants of either world, by row and column.
pub(super) struct Squares<'a> {
    /// Side of a square in steps: that of the larger chunks.
    pub side: i64,
    pub by_place: BTreeMap<(i64, i64), Square<'a>>,
}

impl<'a> Squares<'a> {
    pub fn of(old: &'a Manifest, new: &'a Manifest) -> Self {
        let side = old.chunk_size.max(new.chunk_size);
        let mut by_place = BTreeMap::<_, Square<'a>>::new();
        for (at, chunk) in places(old, side) {
            by_place.entry(at).or_default().old.push(chunk);
        }
        for (at, chunk) in places(new, side) {
            by_place.entry(at).or_default().new.push(chunk);
        }
        Self { side, by_place }
    }
}

/// Row and column of every square that a chunk lies over, with the chunk: one square, or four at the most, since no chunk is
/// larger than a square.
fn places(
    manifest: &Manifest,
    side: i64,
) -> impl Iterator<Item = ((i64, i64), &ChunkArtefact)> + use<'_> {
    let size = manifest.chunk_size;
    let span = move |index: i64| {
        // Saturating: the numbers come from a file.
        let first = index.saturating_mul(size);
        chunk_index(first, side)..=chunk_index(first.saturating_add(size - 1), side)
    };
    manifest.chunks.iter().flat_map(move |chunk| {
        let (columns, rows) = (span(chunk.artefact.x), span(chunk.artefact.y));
        rows.flat_map(move |row| columns.clone().map(move |column| ((row, column), chunk)))
    })
}

/// Reads one part of the plants of some chunks that stand in a square; `at` is its row and column.
pub(super) fn plants(
    world: &Finished,
    chunks: &[&ChunkArtefact],
    (side, at): (i64, (i64, i64)),
    part: Part,
    plants: &mut Vec<Plant>,
) -> Result<(), InterchangeError> {
    plants.clear();
    for chunk in chunks {
        world.chunk(chunk, |view| {
            let inside = |(x, y)| (chunk_index(y, side), chunk_index(x, side)) == at;
            let wanted = |id, record: &PlantRecord| part.holds(id) && inside((record.x, record.y));
            gather(view, wanted, plants);
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ecotone_store::Artefact;

    use super::*;

    fn chunk(plants: Vec<u64>) -> ChunkArtefact {
        let artefact = Artefact {
            x: 0,
            y: 0,
            file: String::new(),
            digest: String::new(),
            bytes: 0,
        };
        ChunkArtefact { artefact, plants }
    }

    #[test]
    fn a_square_of_many_plants_comes_in_parts() {
        let check = |old: Vec<u64>, new: Vec<u64>, n_parts: usize| {
            let (old, new) = (chunk(old), chunk(new));
            let square = Square {
                old: vec![&old],
                new: vec![&new],
            };
            assert_eq!(square.parts().count(), n_parts, "{old:?} {new:?}");
        };
        check(vec![], vec![], 1);
        check(vec![PLANTS_AT_ONCE / 2, 1], vec![PLANTS_AT_ONCE / 2 - 1], 1);
        check(vec![PLANTS_AT_ONCE / 2, 1], vec![PLANTS_AT_ONCE / 2], 2);
        check(vec![7 * PLANTS_AT_ONCE], vec![], 7);
    }

    #[test]
    fn every_id_is_in_one_part_and_parts_are_alike() {
        for of in [1, 2, 3, 10, 1000] {
            let parts: Vec<Part> = (0..of).map(|number| Part { number, of }).collect();
            let mut counts = vec![0; parts.len()];
            // An odd step that goes round all ids evenly, and both ends.
            let ids = (0..20_000_u64).map(|k| k.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            for id in ids.chain([u64::MAX, 1 << 63]) {
                let held: Vec<usize> = (0..parts.len()).filter(|&k| parts[k].holds(id)).collect();
                assert_eq!(held.len(), 1, "{id} of {of}");
                counts[held[0]] += 1;
            }
            let (least, most) = (counts.iter().min(), counts.iter().max());
            let even = 20_000 / of as usize;
            assert!(
                least >= Some(&(even * 9 / 10 - 1)) && most <= Some(&(even * 11 / 10 + 4)),
                "{counts:?}"
            );
        }
    }
}
