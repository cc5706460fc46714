//! Two worlds cut into the same squares, whatever their chunks.

use std::collections::BTreeMap;

use ecotone_store::{ChunkArtefact, Manifest, Plant, chunk_index, gather};

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

/// Reads the plants of some chunks that stand in a square; `at` is its row and column.
pub(super) fn plants(
    world: &Finished,
    chunks: &[&ChunkArtefact],
    side: i64,
    at: (i64, i64),
    plants: &mut Vec<Plant>,
) -> Result<(), InterchangeError> {
    plants.clear();
    for chunk in chunks {
        world.world().chunk(chunk, |view| {
            let inside = |(x, y)| (chunk_index(y, side), chunk_index(x, side)) == at;
            gather(view, |record| inside((record.x, record.y)), plants);
        })?;
    }
    Ok(())
}
