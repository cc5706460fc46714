//! One level of a pattern: darts thrown in rounds at what the points so far leave open.
//!
//! After L.-Y. Wei, *Parallel Poisson Disk Sampling* (SIGGRAPH 2008), whose levels and lattices these are, and
//! M. Ebeida et al., *A Simple Algorithm for Maximal Poisson-Disk Sampling* (Eurographics 2012), who aim darts at open
//! squares only. What they settle by order of arrival is settled by hashes here, in synchronous rounds:
//!
//! 1. Each cell throws darts at its open squares, as many as these are large; in the first round that is one dart in
//!    every third cell, for darts that are too close together strike each other out.
//! 2. A dart nearer than the radius to a point is lost, and closes the square it was aimed at. Of the others, a cell
//!    keeps the one of the highest priority.
//! 3. A dart that beats every other cell's dart in conflict with it becomes a point, and covers squares.
//!
//! A round carries word two cells for step 3 and two more for steps 1 and 2, whence the reach of 4 cells a round. Who
//! is not settled by the last round is dropped: nothing waits for anything, and nothing depends on a window.

use super::LEVELS;
use super::cover::{COVERED, Disks, Open};
use super::lattice::{Frame, Lattice, NEIGHBOURS, ROWS};
use crate::draws::{Purpose, draw};
use ecotone_grid::mix;

/// How readily a cell throws darts in each round of each level, in eighths of a dart for a cell that is open all over.
///
/// Tuned for points per second at a density of 0.6 and more and a power below 0.1. The sparse levels need not be full;
/// with two rounds for them a pattern thinned to a half is less blue at the waves that matter for gaps.
const ZEAL: [&[u64]; LEVELS] = [SPARSE, SPARSE, SPARSE, SPARSE, SPARSE, &[3, 20, 64]];

const SPARSE: &[u64] = &[3, 16, 32];

/// A point of the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub x: i64,
    pub y: i64,
    /// Hash of the pattern's key, level, cell, round and dart.
    pub key: u64,
    pub level: u8,
}

/// A cell of the row at work and how many darts it throws.
#[derive(Clone, Copy, Debug, Default)]
struct Throw {
    column: u32,
    n_darts: u32,
    key: u64,
}

/// A dart of the round, by its cell's place in the frame and its hash.
#[derive(Clone, Copy, Debug, Default)]
struct Dart {
    at: u32,
    key: u64,
}

/// Memory for one level; every array has a value for each cell of the frame.
///
/// Positions are whole numbers from the frame's corner, less than 2³¹, and kept as `f64`: differences between
/// neighbours are below 2²⁵, so their squares and the sums of them are exact, and there are vector instructions for them.
#[derive(Clone, Debug, Default)]
pub(super) struct LevelScratch {
    disks: Disks,
    x: Vec<f64>,
    y: Vec<f64>,
    cover: Vec<u64>,
    dart_x: Vec<f64>,
    dart_y: Vec<f64>,
    priority: Vec<u64>,
    keys: Vec<u64>,
    /// 1 where a dart of this round is in play.
    in_play: Vec<u8>,
    /// Columns of a row's open cells.
    open: Vec<u32>,
    throwing: Vec<Throw>,
    aimed: Vec<Dart>,
    /// Cells with a dart in play.
    darts: Vec<u32>,
}

/// Where no point stands: farther off than any radius.
const NOWHERE: f64 = -1e12;

/// Cells at the frame's border that hold no point of it, so that neighbourhoods need no test.
pub(super) const PAD: usize = NEIGHBOURS;

/// Rounds of darts in a level.
pub(super) const fn rounds(level: usize) -> usize {
    ZEAL[level].len()
}

/// Cells of padding and reach around the cells of a level that are wanted.
///
/// The reach is how far beyond those wanted earlier points and darts have a say in them.
pub(super) const fn margin(level: usize) -> usize {
    2 * NEIGHBOURS * rounds(level) + PAD
}

/// Cells read together from the west end of a neighbourhood's row: an even number for vectors, so one too many.
const LANES: usize = 6;

/// Adds a level's points to those of the earlier levels, right in all cells of `frame` but for [`margin`] at its sides.
///
/// `points` holds every point of the earlier levels in the frame less [`PAD`] cells.
pub(super) fn grow(
    lattice: &Lattice,
    frame: &Frame,
    level: u8,
    scratch: &mut LevelScratch,
    points: &mut Vec<Point>,
) {
    scratch.reset(frame.width * frame.height);
    let task = Task {
        lattice,
        frame,
        level,
    };
    for point in points.iter() {
        scratch.settle(&task, point);
    }
    for round in 0..rounds(usize::from(level)) {
        scratch.throw(&task, round);
        scratch.resolve(&task, round, points);
    }
}

/// What a level's steps have in common.
struct Task<'a> {
    lattice: &'a Lattice,
    frame: &'a Frame,
    level: u8,
}

impl LevelScratch {
    /// Makes room for a frame without points.
    fn reset(&mut self, n_cells: usize) {
        let n = n_cells + LANES;
        for positions in [&mut self.x, &mut self.y] {
            positions.clear();
            positions.resize(n, NOWHERE);
        }
        self.cover.clear();
        self.cover.resize(n, 0);
        self.in_play.clear();
        self.in_play.resize(n + 8, 0);
        // Read only where a dart is in play, so what they hold from before does not matter.
        for positions in [&mut self.dart_x, &mut self.dart_y] {
            positions.resize(n.max(positions.len()), 0.0);
        }
        for hashes in [&mut self.priority, &mut self.keys] {
            hashes.resize(n.max(hashes.len()), 0);
        }
    }

    /// Puts an earlier point in its cell, if that lies in the frame.
    fn settle(&mut self, task: &Task<'_>, point: &Point) {
        let (frame, cell) = (task.frame, task.lattice.cell);
        let (x, y) = (point.x - frame.x0, point.y - frame.y0);
        let (column, row) = (x.div_euclid(cell), y.div_euclid(cell));
        let inside = |i: i64, n: usize| i >= PAD as i64 && i < (n - PAD) as i64;
        if !inside(column, frame.width) || !inside(row, frame.height) {
            return;
        }
        let at = row as usize * frame.width + column as usize;
        self.stand(at, x, y);
        self.stamp(task, at, x, y);
    }

    /// Records that a point stands in cell `at`.
    fn stand(&mut self, at: usize, x: i64, y: i64) {
        (self.x[at], self.y[at]) = (x as f64, y as f64);
    }

    /// Covers the squares around a point.
    fn stamp(&mut self, task: &Task<'_>, at: usize, x: i64, y: i64) {
        let (width, cell) = (task.frame.width, task.lattice.cell);
        let within = (x % cell, y % cell);
        self.disks.stamp(&mut self.cover, width, at, within, cell);
    }

    /// Throws the darts of a round, row by row, and loses those too close to a point.
    fn throw(&mut self, task: &Task<'_>, round: usize) {
        let margin = PAD + 2 * NEIGHBOURS * (round + 1) - NEIGHBOURS;
        self.darts.clear();
        for row in margin..task.frame.height - margin {
            self.aim(task, round, row, margin);
            self.land(task, row);
        }
    }

    /// Finds the darts that the cells of a row throw.
    fn aim(&mut self, task: &Task<'_>, round: usize, row: usize, margin: usize) {
        let frame = task.frame;
        let key = task.lattice.row_key(round, frame.row0 + row as i64);
        let first = row * frame.width;
        let columns = margin..frame.width - margin;
        self.open.resize(frame.width, 0);
        self.throwing.resize(frame.width, Throw::default());
        // Written always and counted sometimes, here and below: a branch would be a coin toss to the processor.
        let mut n_open = 0;
        for (cover, column) in self.cover[first..][columns.clone()].iter().zip(columns) {
            self.open[n_open] = column as u32;
            n_open += usize::from(*cover != COVERED);
        }
        let mut n_throwing = 0;
        for &column in &self.open[..n_open] {
            let key = mix(key ^ (frame.column0 + i64::from(column)) as u64);
            let open = Open::new(self.cover[first + column as usize]).n();
            let n_darts = n_darts(task.level, round, open, key) as u32;
            self.throwing[n_throwing] = Throw {
                column,
                n_darts,
                key,
            };
            n_throwing += usize::from(n_darts > 0);
        }
        self.aimed.clear();
        for &Throw {
            column,
            n_darts,
            key,
        } in &self.throwing[..n_throwing]
        {
            let at = first as u32 + column;
            for n in 0..u64::from(n_darts) {
                let key = key.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                self.aimed.push(Dart {
                    at,
                    key: draw(key, Purpose::Flight),
                });
            }
        }
    }

    /// Lets the darts of a row land, and keeps those that are far enough from every point.
    fn land(&mut self, task: &Task<'_>, row: usize) {
        let (width, cell) = (task.frame.width, task.lattice.cell as u64);
        let radius2 = task.lattice.radius2 as f64;
        let nowhere = task.frame.width * task.frame.height;
        let mut n_darts = self.darts.len();
        self.darts.resize(n_darts + self.aimed.len(), 0);
        for &Dart { at, key } in &self.aimed {
            let at = at as usize;
            let open = Open::new(self.cover[at]);
            let square = open.nth(((key & 0xffff) * open.n()) >> 16);
            // Eighths of the cell, then 24 bits within the eighth.
            let along = |eighth: u64, bits: u64| ((eighth << 24 | bits & 0xff_ffff) * cell) >> 27;
            let u = along(square & 7, key >> 16);
            let v = along(square >> 3, key >> 40);
            let x = ((at - row * width) as u64 * cell + u) as f64;
            let y = (row as u64 * cell + v) as f64;
            let priority = draw(key, Purpose::Priority);

            // An earlier dart may have closed the cell's last square.
            let lost = near(&self.x, &self.y, width, at, (x, y), radius2) | (open.n() == 0);
            self.cover[at] |= u64::from(lost) << square;
            let is_first = self.in_play[at] == 0;
            let leads = !lost & (is_first | (priority > self.priority[at]));
            let slot = if leads { at } else { nowhere };
            (self.dart_x[slot], self.dart_y[slot]) = (x, y);
            (self.priority[slot], self.keys[slot]) = (priority, key);
            self.in_play[at] |= u8::from(!lost);
            self.darts[n_darts] = at as u32;
            n_darts += usize::from(is_first & !lost);
        }
        self.darts.truncate(n_darts);
    }

    /// Makes points of the darts that beat all those in conflict with them.
    fn resolve(&mut self, task: &Task<'_>, round: usize, points: &mut Vec<Point>) {
        let frame = task.frame;
        let margin = PAD + 2 * NEIGHBOURS * (round + 1);
        let inside = |i: usize, n: usize| i >= margin && i < n - margin;
        let darts = std::mem::take(&mut self.darts);
        for &at in &darts {
            let at = at as usize;
            let (column, row) = (at % frame.width, at / frame.width);
            if !inside(column, frame.width) || !inside(row, frame.height) {
                continue;
            }
            if self.beaten(frame.width, at, task.lattice.radius2 as f64) {
                continue;
            }
            let (x, y) = (self.dart_x[at] as i64, self.dart_y[at] as i64);
            self.stand(at, x, y);
            if round + 1 < rounds(usize::from(task.level)) {
                self.stamp(task, at, x, y);
            }
            points.push(Point {
                x: frame.x0 + x,
                y: frame.y0 + y,
                key: self.keys[at],
                level: task.level,
            });
        }
        for &at in &darts {
            self.in_play[at as usize] = 0;
        }
        self.darts = darts;
    }

    /// Whether a dart in conflict with that of cell `at` has the higher priority; a tie goes to the cell that comes first.
    #[inline]
    fn beaten(&self, width: usize, at: usize, radius2: f64) -> bool {
        let (x, y, priority) = (self.dart_x[at], self.dart_y[at], self.priority[at]);
        // The nearest rows first, for they decide most cases.
        for (row, half) in [ROWS[2], ROWS[1], ROWS[3], ROWS[0], ROWS[4]] {
            let first = (at as isize + row * width as isize) as usize - half;
            let mut in_play = u64::from_le_bytes(eight(&self.in_play, first));
            in_play &= (1 << (8 * (2 * half + 1))) - 1;
            while in_play != 0 {
                let other = first + in_play.trailing_zeros() as usize / 8;
                in_play &= in_play - 1;
                let rival = (self.priority[other], at);
                if rival > (priority, other) {
                    let (dx, dy) = (self.dart_x[other] - x, self.dart_y[other] - y);
                    if dx * dx + dy * dy < radius2 {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// How many darts a cell with `n_open` open squares throws.
///
/// What is expected is exactly in proportion to the open squares: a cell that threw more for its size would draw points
/// to where little is left of cells, and the lattice would show in the spectrum.
#[inline]
pub(super) fn n_darts(level: u8, round: usize, n_open: u64, key: u64) -> u64 {
    // Eighths of 64 squares, rounded up or down by a draw from 512.
    (ZEAL[usize::from(level)][round] * n_open + (key >> 55)) >> 9
}

/// Eight flags from `first`.
#[inline]
fn eight(flags: &[u8], first: usize) -> [u8; 8] {
    let flags = &flags[first..first + 8];
    flags.try_into().expect("the slice has eight flags")
}

/// Positions of `N` cells from the west end of a neighbourhood's row.
#[inline]
fn lanes<const N: usize>(positions: &[f64], first: usize) -> &[f64; N] {
    let positions = &positions[first..first + N];
    positions.try_into().expect("the slice has that length")
}

/// Lowers two minima to the squared distances of `N` cells' points, an even number of cells for two lanes of a vector.
#[inline]
fn nearer<const N: usize>(
    (xs, ys): (&[f64], &[f64]),
    first: usize,
    (x, y): (f64, f64),
    nearest: &mut [f64; 2],
) {
    let (xs, ys) = (lanes::<N>(xs, first), lanes::<N>(ys, first));
    for k in 0..N {
        let (dx, dy) = (xs[k] - x, ys[k] - y);
        let distance2 = dx * dx + dy * dy;
        let least = &mut nearest[k % 2];
        *least = if distance2 < *least {
            distance2
        } else {
            *least
        };
    }
}

/// Whether a point stands nearer to `from` in cell `at` than the radius.
///
/// One cell beyond each row is looked at as well, for vectors are even; it does no harm.
#[inline]
fn near(xs: &[f64], ys: &[f64], width: usize, at: usize, from: (f64, f64), radius2: f64) -> bool {
    let mut odd = [f64::INFINITY; 2];
    let mut even = [f64::INFINITY; 2];
    let points = (xs, ys);
    nearer::<4>(points, at - 2 * width - 1, from, &mut even);
    nearer::<6>(points, at - width - 2, from, &mut odd);
    nearer::<6>(points, at - 2, from, &mut even);
    nearer::<6>(points, at + width - 2, from, &mut odd);
    nearer::<4>(points, at + 2 * width - 1, from, &mut even);
    let nearest = [0, 1].map(|k| if odd[k] < even[k] { odd[k] } else { even[k] });
    (nearest[0] < radius2) | (nearest[1] < radius2)
}
