//! Where plants could stand on a chunk: points of the species' patterns, drawn block by block or for the chunk alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ecotone_scatter::{Area, BlockId, Candidate, Pattern, PatternScratch};

use crate::cache::Cache;

/// Memory for drawing points; it grows to what a block needs and is reused.
#[derive(Default)]
pub(crate) struct DrawScratch {
    pattern: PatternScratch,
    points: Vec<Candidate>,
    squares: Vec<usize>,
}

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
    blocks: Cache<Key, Block>,
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
        scratch: &mut DrawScratch,
        out: &mut Vec<Candidate>,
    ) {
        for block in pattern.blocks_over(area) {
            let key = (species, block);
            let piece = pattern.block_area(block).intersect(area);
            let whole = pattern.block_area(block).intersect(&self.map);
            let points = match drawing {
                Drawing::Alone if self.is_better_in_pieces(key, &piece, &whole) => {
                    pattern.block_within(block, &piece, &mut scratch.pattern, out);
                    continue;
                }
                _ => self.block(key, pattern, &whole, scratch),
            };
            points.copy(area, out);
        }
    }

    fn is_better_in_pieces(&self, key: Key, piece: &Area, whole: &Area) -> bool {
        if self.blocks.holds(key) {
            return false;
        }
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = pieces.entry(key).or_default();
        *drawn += size(piece);
        if *drawn <= size(whole) {
            return true;
        }
        // A block that the budget gives up has to be earned again.
        *drawn = 0;
        false
    }

    fn block(
        &self,
        key: Key,
        pattern: &Pattern,
        whole: &Area,
        scratch: &mut DrawScratch,
    ) -> Arc<Block> {
        let (species, block) = key;
        self.blocks.get_or_make(key, Block::bytes, || {
            tracing::debug!(species, x = block.x, y = block.y, "pattern block");
            scratch.points.clear();
            pattern.block_within(block, whole, &mut scratch.pattern, &mut scratch.points);
            Block::new(
                pattern.block_area(block),
                &scratch.points,
                &mut scratch.squares,
            )
        })
    }
}

/// Squares along each side of a block by which its points are sorted.
const SQUARES: i64 = 16;

/// The points of a block, sorted into squares: who wants a part of it looks at little more than that.
struct Block {
    area: Area,
    /// Square by square, row after row.
    points: Vec<Candidate>,
    /// Where each square's points start, and the end of the last.
    starts: Vec<u32>,
}

impl Block {
    fn new(area: Area, points: &[Candidate], squares: &mut Vec<usize>) -> Self {
        let mut block = Self {
            area,
            points: points.to_vec(),
            starts: vec![0; (SQUARES * SQUARES) as usize + 1],
        };
        let square = |p: &Candidate| block.row(p.y) * SQUARES as usize + block.column(p.x);
        squares.clear();
        squares.extend(points.iter().map(square));
        for &square in squares.iter() {
            block.starts[square] += 1;
        }
        let mut n = 0;
        for start in &mut block.starts {
            n += *start;
            *start = n;
        }
        // From each square's end to its start, after which `starts` holds starts.
        for (point, square) in points.iter().zip(squares.iter()).rev() {
            block.starts[*square] -= 1;
            block.points[block.starts[*square] as usize] = *point;
        }
        block
    }

    fn bytes(&self) -> usize {
        size_of_val(self.points.as_slice()) + size_of_val(self.starts.as_slice())
    }

    /// Adds the points in an area to `out`.
    fn copy(&self, area: &Area, out: &mut Vec<Candidate>) {
        let area = self.area.intersect(area);
        if area.x0 >= area.x1 || area.y0 >= area.y1 {
            return;
        }
        let (first, last) = (self.column(area.x0), self.column(area.x1 - 1));
        for row in self.row(area.y0)..=self.row(area.y1 - 1) {
            let start = |column: usize| self.starts[row * SQUARES as usize + column] as usize;
            let points = &self.points[start(first)..start(last + 1)];
            out.extend(points.iter().filter(|p| area.contains(p.x, p.y)));
        }
    }

    /// The column of squares that holds a place in the block.
    fn column(&self, x: i64) -> usize {
        ((x - self.area.x0) * SQUARES / (self.area.x1 - self.area.x0)) as usize
    }

    /// The row of squares that holds a place in the block.
    fn row(&self, y: i64) -> usize {
        ((y - self.area.y0) * SQUARES / (self.area.y1 - self.area.y0)) as usize
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
        let scratch = &mut DrawScratch::default();
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

    #[test]
    fn a_block_that_is_not_held_is_drawn_whole_after_each_of_its_worth_in_pieces() {
        let whole = Area::new(0, 0, 1000, 1000);
        let half = Area::new(0, 500, 1000, 1000);
        let patterns = Patterns::new(whole, 1 << 20);
        let key = (0, BlockId { x: 0, y: 0 });
        let ways = (0..9).map(|_| patterns.is_better_in_pieces(key, &half, &whole));
        let ways: Vec<bool> = ways.collect();
        assert_eq!(ways, [true, true, false].repeat(3));
    }
}
