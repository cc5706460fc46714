//! Where plants could stand on a chunk: points of the species' patterns, drawn block by block or for the chunk alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ecotone_scatter::{Area, BlockId, Candidate, Pattern, PatternScratch};

use crate::cache::Cache;

/// How the points of a chunk are best drawn; they are the same either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawing {
    /// In whole blocks, which the chunks around it will want as well.
    Blocks,
    /// For the chunk alone, since those around it may stand as they are.
    Alone,
}

/// A block of a species' pattern, by the species' number.
type Key = (usize, BlockId);

/// The patterns of a bake, and as many of their blocks as the budget holds.
pub(crate) struct Patterns {
    map: Area,
    blocks: Cache<Key, Vec<Candidate>>,
    /// The area that was drawn of each block piece by piece. Once that is all of it, the block is drawn whole: whether few or
    /// many chunks want it shows only in time, and this way costs at most twice what the better guess would have.
    pieces: Mutex<HashMap<Key, i128>>,
}

impl Patterns {
    /// Of a map, with a budget for blocks.
    pub(crate) fn new(map: Area, budget_bytes: usize) -> Self {
        Self {
            map,
            blocks: Cache::new(budget_bytes),
            pieces: Mutex::default(),
        }
    }

    /// Adds the points of a species' pattern in an area to `out`.
    pub(crate) fn draw(
        &self,
        (species, pattern): (usize, &Pattern),
        area: &Area,
        drawing: Drawing,
        scratch: &mut PatternScratch,
        out: &mut Vec<Candidate>,
    ) {
        for block in pattern.blocks_over(area) {
            let key = (species, block);
            let piece = pattern.block_area(block).intersect(area);
            let whole = pattern.block_area(block).intersect(&self.map);
            let points = match drawing {
                Drawing::Alone if self.is_better_in_pieces(key, &piece, &whole) => {
                    let mut points = Vec::new();
                    pattern.block_within(block, &piece, scratch, &mut points);
                    out.append(&mut points);
                    continue;
                }
                _ => self.block(key, pattern, &whole, scratch),
            };
            let inside = points.iter().filter(|p| area.contains(p.x, p.y));
            out.extend(inside);
        }
    }

    fn is_better_in_pieces(&self, key: Key, piece: &Area, whole: &Area) -> bool {
        if self.blocks.holds(key) {
            return false;
        }
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = pieces.entry(key).or_default();
        *drawn += size(piece);
        *drawn <= size(whole)
    }

    fn block(
        &self,
        key: Key,
        pattern: &Pattern,
        whole: &Area,
        scratch: &mut PatternScratch,
    ) -> Arc<Vec<Candidate>> {
        let bytes = |points: &Vec<Candidate>| size_of_val(points.as_slice());
        let (species, block) = key;
        self.blocks.get_or_make(key, bytes, || {
            tracing::debug!(species, x = block.x, y = block.y, "pattern block");
            let mut points = Vec::new();
            pattern.block_within(block, whole, scratch, &mut points);
            points.shrink_to_fit();
            points
        })
    }
}

/// Square steps of an area.
fn size(area: &Area) -> i128 {
    let side = |lo: i64, hi: i64| i128::from(hi.saturating_sub(lo).max(0));
    side(area.x0, area.x1) * side(area.y0, area.y1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_hold_the_points_of_blocks() {
        let pattern = Pattern::new(7, "oak", 1.5);
        let map = Area::new(-400_000, -100_000, 900_000, 600_000);
        let scratch = &mut PatternScratch::default();
        let (whole, pieces) = (Patterns::new(map, 1 << 24), Patterns::new(map, 1 << 24));
        for k in 0..40 {
            let (x, y) = (-400_000 + 23_456 * k, -100_000 + 9_876 * k);
            let area = Area::new(x, y, x + 200_000, y + 150_000).intersect(&map);
            let mut drawn = |patterns: &Patterns, drawing| {
                let mut points = Vec::new();
                patterns.draw((0, &pattern), &area, drawing, scratch, &mut points);
                points.sort_by_key(|p| (p.x, p.y));
                points
            };
            let right = drawn(&whole, Drawing::Blocks);
            assert!(right.len() > 1000);
            assert_eq!(drawn(&pieces, Drawing::Alone), right, "area {k}");
        }
        let pieces = pieces.pieces.lock().map(|pieces| pieces.len());
        assert!(pieces.is_ok_and(|n| n > 0));
    }
}
