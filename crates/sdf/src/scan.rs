//! The least costs along a row of square pixels, by looking sideways until nothing nearer can come.
//!
//! Edges are mostly near, so the look is short, and it takes many pixels at once in 16 bits. Where it would be long,
//! `envelope` is the better way.

use crate::bound::Bound;

/// The farthest look, in pixels: its square fits 16 bits.
const FARTHEST: usize = 181;
/// Pixels that look as far as the farthest of them needs, tuned for what the registers of SSE2 hold.
const BLOCK: usize = 32;
/// Pixels looked farther between two tests of whether that is enough.
const STRIDE: usize = 4;

/// Memory of one row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    /// The cost of each column straight down or up to its own edge, in whole blocks.
    own: Vec<i16>,
    /// The least of each block of them.
    least: Vec<i16>,
    costs: Vec<i16>,
}

impl Scan {
    /// The least cost of each of the `width` core pixels of a row, or none where it takes a longer look.
    ///
    /// `rows` are those of [`crate::envelope::write_costs`]. Costs at the bound or beyond it may be any that are.
    pub(crate) fn costs(&mut self, rows: &[u16], bound: &Bound, width: usize) -> Option<&[i16]> {
        if bound.cost_x != 1.0 || bound.cost_y != 1.0 {
            return None;
        }
        let halo = bound.pixels.x as usize;
        let look = Look {
            reach: halo.min(FARTHEST),
            limit: square(halo),
        };
        self.start(&rows[halo - look.reach..halo + width + look.reach], &look);
        self.costs.resize(width.next_multiple_of(BLOCK), 0);
        for (block, out) in self.costs.chunks_exact_mut(BLOCK).enumerate() {
            let best = look.around(&self.own, &self.least, look.margin() + block);
            // What the last block has past the core is of no concern.
            let core = &best[..BLOCK.min(width - block * BLOCK)];
            if halo > FARTHEST && core.contains(&look.limit) {
                return None;
            }
            out.copy_from_slice(&best);
        }
        Some(&self.costs[..width])
    }

    /// Squares the rows of the columns that are looked at, none above the limit, and finds the least of each block.
    ///
    /// The core pixels start a block, and there are whole blocks as far as the look goes on either side.
    fn start(&mut self, rows: &[u16], look: &Look) {
        let limit = look.limit;
        let margin = look.margin() * BLOCK;
        let width = rows.len() - 2 * look.reach;
        self.own.clear();
        self.own.resize(margin - look.reach, limit);
        self.own.extend(rows.iter().map(|&rows| {
            let rows = rows.min(FARTHEST as u16 + 1);
            (rows * rows).min(limit as u16) as i16
        }));
        self.own
            .resize(2 * margin + width.next_multiple_of(BLOCK), limit);
        self.least.clear();
        let blocks = self.own.chunks_exact(BLOCK);
        self.least
            .extend(blocks.map(|block| block.iter().copied().fold(limit, i16::min)));
    }
}

/// How far a row looks.
struct Look {
    reach: usize,
    /// A cost at the bound, or the largest that 16 bits hold.
    limit: i16,
}

impl Look {
    /// Blocks that the look reaches into, on one side.
    fn margin(&self) -> usize {
        self.reach.div_ceil(BLOCK)
    }

    /// The least costs of a block of columns.
    fn around(&self, own: &[i16], least: &[i16], block: usize) -> [i16; BLOCK] {
        let at = block * BLOCK;
        let mut best = columns(own, at);
        for away in 0..self.margin() {
            // All that lies more than `away` blocks and at most one more to either side.
            let floor = least[block - away - 1]
                .min(least[block - away])
                .min(least[block + away])
                .min(least[block + away + 1]);
            let end = (away * BLOCK + BLOCK).min(self.reach);
            let mut looked = away * BLOCK;
            while looked < end && square(looked + 1).saturating_add(floor) < largest(&best) {
                let next = (looked + STRIDE).min(end);
                for dx in looked + 1..=next {
                    let (west, east) = (columns(own, at - dx), columns(own, at + dx));
                    let across = square(dx);
                    for x in 0..BLOCK {
                        best[x] = best[x].min(west[x].min(east[x]).saturating_add(across));
                    }
                }
                looked = next;
            }
        }
        best
    }
}

#[inline(always)]
fn columns(own: &[i16], at: usize) -> [i16; BLOCK] {
    let mut columns = [0; BLOCK];
    columns.copy_from_slice(&own[at..at + BLOCK]);
    columns
}

#[inline(always)]
fn largest(costs: &[i16; BLOCK]) -> i16 {
    costs.iter().copied().fold(0, i16::max)
}

/// The square of a number of pixels, or the largest there is.
#[inline(always)]
fn square(pixels: usize) -> i16 {
    (pixels * pixels).min(i16::MAX as usize) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use ecotone_grid::PixelSize;
    use proptest::prelude::*;

    /// What is beyond the bound may be any cost beyond it; a row may be given up where the bound is farther than the
    /// look and a pixel has nothing that near.
    fn check(rows: &[u16], bound: &Bound, width: usize) {
        let halo = bound.pixels.x as usize;
        let most = (bound.farthest / bound.stored_per_root).powi(2);
        let near = |&(_, &r): &(usize, &u16)| u32::from(r) <= bound.pixels.y;
        let sites: Vec<_> = rows.iter().enumerate().filter(near).collect();
        let right: Vec<_> = (halo..halo + width)
            .map(|x| {
                let cost = |&(column, &r): &(usize, &u16)| {
                    (x as f64 - column as f64).powi(2) + f64::from(r).powi(2)
                };
                sites.iter().map(cost).fold(f64::INFINITY, f64::min)
            })
            .collect();
        let mut scan = Scan::default();
        let Some(costs) = scan.costs(rows, bound, width) else {
            assert!(halo > FARTHEST && right.iter().any(|&cost| cost >= f64::from(i16::MAX)));
            return;
        };
        assert_eq!(costs.len(), width);
        for (x, (&cost, right)) in costs.iter().zip(right).enumerate() {
            assert_eq!(
                f64::from(cost).min(most),
                right.min(most),
                "core column {x}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn every_row_is_its_brute_force_twin(
            reach in prop::sample::select(vec![1.0, 2.5, 16.0, 31.9, 32.0, 64.0, 90.7, 180.5, 181.0, 181.5, 182.0, 300.0]),
            width in 1_usize..150,
            sparse in prop::sample::select(vec![2_u16, 20, 200, 900]),
            drawn in prop::collection::vec(any::<u16>(), 800),
        ) {
            let bound = Bound::new(PixelSize { x: 1.0, y: 1.0 }, reach);
            let beyond = bound.pixels.y as u16 + 1;
            let rows: Vec<_> = drawn[..width + 2 * bound.pixels.x as usize]
                .iter()
                .map(|&r| if r % sparse == 0 { r / sparse % (beyond + 1) } else { beyond })
                .collect();
            check(&rows, &bound, width);
        }
    }
}
