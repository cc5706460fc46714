//! Where plants could stand: a stationary blue-noise pattern of points, each with a rank.
//!
//! A pattern is made in levels, from sparse to dense. Level l has the least distance s·√2^(5 − l), s the spacing, and adds
//! points between those of the levels before until little room is left; so every prefix of levels is a
//! Poisson-disk pattern. A point's rank lies in its level's share of [0, 1), which makes thinning by rank blue as well.
//!
//! The numbers below were measured over 2 · 10⁷ points:
//! `cargo run --release -p ecotone-scatter --example spectrum`.

mod cover;
mod lattice;
mod level;
mod near;
#[cfg(test)]
mod tests;

use crate::draws::{Purpose, draw, unit};
use crate::{Area, UNITS_PER_M};
use ecotone_grid::{mix, name_key};
use lattice::{Frame, Lattice};
use level::{LevelScratch, PAD, Point, margin};

/// Levels of a pattern; the density doubles from one to the next.
const LEVELS: usize = 6;

/// Points per spacing squared.
const DENSITY: f64 = 0.6117;

/// The part of all points that each level and those before it hold.
const SHARES: [f64; LEVELS] = [0.0265, 0.0560, 0.1130, 0.2258, 0.4517, 1.0];

/// Side of a block in spacings, by the levels that are wanted: 181 times the least distance in the densest of them.
///
/// Tuned for an edit, which wants few points around it, as much as for a bake: at half the area a point costs a tenth more
/// for what is computed around the block, at twice the area a twentieth less.
const BLOCKS: [i64; LEVELS] = [1024, 724, 512, 362, 256, 181];

/// Least and largest spacing in 1/1024 m: below, positions are too coarse; above, a block is no longer below 2³¹ wide.
const SPACINGS: (i64, i64) = (16, 1 << 20);

/// Blocks farther than this from block 0 hold nothing, so that no position overflows.
const LAST_BLOCK: i64 = 1 << 31;

/// A place where a plant could stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// World x in 1/1024 m.
    pub x: i64,
    /// World y in 1/1024 m, growing north.
    pub y: i64,
    /// Uniform in [0, 1): the candidate is a plant where its probability is above.
    pub rank: f64,
    /// A hash key of seed, species, lattice cell and index in the cell: all its attributes are drawn from it.
    pub draws: u64,
}

/// A block of a pattern, by column from west to east and row from south to north; block (0, 0) starts at the world's origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId {
    /// Row.
    pub y: i64,
    /// Column.
    pub x: i64,
}

/// Memory for computing blocks; it grows to what a block needs and is reused.
#[derive(Clone, Debug, Default)]
pub struct PatternScratch {
    level: LevelScratch,
    points: Vec<Point>,
}

/// The pattern of one species: it depends on the seed, the species' name and the spacing, and on nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    spacing: i64,
    levels: [Lattice; LEVELS],
    /// Levels that are wanted, from the sparsest.
    n_levels: usize,
}

/// A spacing in whole 1/1024 m, rounded up, within what a pattern can hold.
pub(crate) fn whole_spacing(spacing_m: f64) -> i64 {
    // A float that is not a number becomes 0.
    let spacing = (spacing_m * UNITS_PER_M as f64).ceil() as i64;
    spacing.clamp(SPACINGS.0, SPACINGS.1)
}

/// The density of a full pattern in plants per square metre: the most that a spacing in metres can hold.
pub fn max_density_per_m2(spacing_m: f64) -> f64 {
    let spacing_m = whole_spacing(spacing_m) as f64 / UNITS_PER_M as f64;
    DENSITY / (spacing_m * spacing_m)
}

impl Pattern {
    /// The ranks below which a pattern is a whole number of levels, each a Poisson-disk pattern by itself.
    pub const LEVEL_RANKS: [f64; LEVELS] = SHARES;

    /// The pattern of a species; no two of its points are closer than `spacing_m`.
    ///
    /// The spacing is rounded up to a whole 1/1024 m and held between 1/64 m and 1024 m.
    pub fn new(seed: u64, species: &str, spacing_m: f64) -> Self {
        let spacing = whole_spacing(spacing_m);
        let key = mix(mix(seed) ^ name_key(species));
        let levels = std::array::from_fn(|level| {
            let radius2 = (spacing * spacing) << (LEVELS - 1 - level);
            Lattice::new(mix(key.wrapping_add(level as u64 + 1)), radius2)
        });
        Self {
            spacing,
            levels,
            n_levels: LEVELS,
        }
    }

    /// The same pattern for one who wants no point of `rank` or above: levels that only add such points are left out.
    ///
    /// Half the points take less than half of the time.
    pub fn up_to(mut self, rank: f64) -> Self {
        self.n_levels = SHARES
            .partition_point(|&share| share < rank)
            .min(LEVELS - 1)
            + 1;
        self
    }

    /// Points per square metre.
    pub fn density_per_m2(&self) -> f64 {
        max_density_per_m2(self.spacing as f64 / UNITS_PER_M as f64)
    }

    /// The least distance between two points, in 1/1024 m.
    pub fn spacing(&self) -> i64 {
        self.spacing
    }

    /// Side of a block in 1/1024 m.
    pub fn block_side(&self) -> i64 {
        BLOCKS[self.n_levels - 1] * self.spacing
    }

    /// The positions of a block.
    pub fn block_area(&self, block: BlockId) -> Area {
        let side = self.block_side();
        let edge = |i: i64| i.clamp(-LAST_BLOCK, LAST_BLOCK) * side;
        let after = |i: i64| edge(i) + side * i64::from((-LAST_BLOCK..=LAST_BLOCK).contains(&i));
        Area::new(edge(block.x), edge(block.y), after(block.x), after(block.y))
    }

    /// The blocks that share a position with `area`, row by row from the south.
    pub fn blocks_over(&self, area: &Area) -> impl Iterator<Item = BlockId> + use<> {
        let side = self.block_side();
        let span = move |lo: i64, hi: i64| {
            if lo < hi {
                lo.div_euclid(side)..(hi - 1).div_euclid(side) + 1
            } else {
                0..0
            }
        };
        let (columns, rows) = (span(area.x0, area.x1), span(area.y0, area.y1));
        rows.flat_map(move |y| columns.clone().map(move |x| BlockId { y, x }))
    }

    /// Writes the points of a block, in an order that depends on the block alone.
    pub fn block(&self, block: BlockId, scratch: &mut PatternScratch, out: &mut Vec<Candidate>) {
        out.clear();
        self.block_within(block, &self.block_area(block), scratch, out);
    }

    /// Adds the points of a block that lie in `area` to `out`; no time is spent on the others.
    pub fn block_within(
        &self,
        block: BlockId,
        area: &Area,
        scratch: &mut PatternScratch,
        out: &mut Vec<Candidate>,
    ) {
        let area = self.block_area(block).intersect(area);
        if area.x0 < area.x1 && area.y0 < area.y1 {
            self.points(&area, scratch);
            out.extend(scratch.points.iter().map(candidate));
        }
    }

    /// Finds the points of an area.
    fn points(&self, area: &Area, scratch: &mut PatternScratch) {
        scratch.points.clear();
        let frames = self.frames(area);
        let levels = self.levels[..self.n_levels].iter().zip(&frames);
        for (level, (lattice, frame)) in levels.enumerate() {
            let (memory, points) = (&mut scratch.level, &mut scratch.points);
            level::grow(lattice, frame, level as u8, memory, points);
        }
        scratch.points.retain(|p| area.contains(p.x, p.y));
    }

    /// What each level is computed over, so that the last one is right in `area`: each reads the one before it.
    fn frames(&self, area: &Area) -> [Frame; LEVELS] {
        let mut wanted = *area;
        let mut frames = [Frame::default(); LEVELS];
        for (level, lattice) in self.levels[..self.n_levels].iter().enumerate().rev() {
            frames[level] = lattice.frame(&wanted, margin(level));
            wanted = frames[level].area(lattice.side(), PAD);
        }
        frames
    }
}

/// A point with its rank and the key of its attributes.
fn candidate(point: &Point) -> Candidate {
    let level = usize::from(point.level);
    let before = if level == 0 { 0.0 } else { SHARES[level - 1] };
    let within = unit(draw(point.key, Purpose::Rank));
    Candidate {
        x: point.x,
        y: point.y,
        rank: before + (SHARES[level] - before) * within,
        draws: draw(point.key, Purpose::Attributes),
    }
}
