//! One level of a pattern: darts thrown in rounds at what the points so far leave open.
//!
//! After L.-Y. Wei, *Parallel Poisson Disk Sampling* (SIGGRAPH 2008), whose levels and lattices these are, and
//! M. Ebeida et al., *A Simple Algorithm for Maximal Poisson-Disk Sampling* (Eurographics 2012), who aim darts at open
//! squares only. What they settle by order of arrival is settled by hashes here, in synchronous rounds:
//!
//! 1. Each cell throws darts at its open squares, as many as these are large; in the first round that is one dart in
//!    every second or third cell, for darts that are too close together strike each other out.
//! 2. A dart nearer than the radius to a point is lost, and closes the square it was aimed at. The first that is not
//!    lost is the cell's dart, and the cell throws no more.
//! 3. A dart that beats every other cell's dart in conflict with it becomes a point, and covers squares.
//!
//! A round carries word two cells for step 3 and two more for steps 1 and 2, whence the reach of 4 cells a round. Who
//! is not settled by the last round is dropped: nothing waits for anything, and nothing depends on a window.

use super::LEVELS;
use super::cover::{COVERED, Disks};
use super::lattice::{Frame, Lattice, NEIGHBOURS};
use super::near::{EMPTY, Instructions, NO_DART, Near, PLACES_BEYOND, Place, Plain, Rows};
use ecotone_grid::mix;

/// How readily a cell throws darts in each round of each level, in eighths of a dart for a cell that is open all over.
///
/// Tuned for points per second at a density of 0.6 and more and a power below 0.1, which takes three rounds of the last
/// level; the sparse levels need not be full.
const ZEAL: [&[u16]; LEVELS] = [SPARSE, SPARSE, SPARSE, SPARSE, SPARSE, &[3, 20, 48]];

const SPARSE: &[u16] = &[4, 20];

/// A point of the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub x: i64,
    pub y: i64,
    /// Hash of the pattern's key, level, cell, round and dart.
    pub key: u64,
    pub level: u8,
}

/// A cell with a dart in play, and the dart's hash.
#[derive(Clone, Copy, Debug, Default)]
struct Seat {
    key: u64,
    at: u32,
    column: u16,
    row: u16,
}

/// Memory for one level; every array has a value for each cell of the frame.
#[derive(Clone, Debug, Default)]
pub(super) struct LevelScratch {
    disks: Disks,
    /// Where each cell's point stands; [`EMPTY`] where there is none.
    points: Vec<Place>,
    cover: Vec<u64>,
    darts: Vec<Place>,
    /// The dart's priority, a whole number of 24 bits; [`NO_DART`] where none is in play.
    priority: Vec<i32>,
    /// Draws for how many darts each cell of a row throws.
    draws: Vec<u16>,
    /// How many darts each cell of a row throws.
    n_darts: Vec<u8>,
    /// Columns of a row's cells that have darts left to throw.
    throwing: Vec<u16>,
    /// Cells with a dart in play, row by row.
    seats: Vec<Seat>,
    /// Those of them whose dart becomes a point.
    winners: Vec<Seat>,
}

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
    let task = Task {
        lattice,
        frame,
        level,
        near: Near::new(lattice),
    };
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = super::near::Avx2::detect() {
        // SAFETY: an `Avx2` is only made where the processor has every feature that the function enables.
        return unsafe { grow_by_avx2(avx2, &task, scratch, points) };
    }
    grow_by(Plain, &task, scratch, points);
}

/// Adds a level's points with AVX2: what is inlined here is compiled for it.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn grow_by_avx2(
    avx2: super::near::Avx2,
    task: &Task<'_>,
    scratch: &mut LevelScratch,
    points: &mut Vec<Point>,
) {
    grow_by(avx2, task, scratch, points);
}

/// Adds a level's points.
#[inline(always)]
fn grow_by(
    by: impl Instructions,
    task: &Task<'_>,
    scratch: &mut LevelScratch,
    points: &mut Vec<Point>,
) {
    scratch.reset(task.frame);
    for point in points.iter() {
        scratch.settle(task, point);
    }
    for round in 0..rounds(usize::from(task.level)) {
        scratch.throw(by, task, round);
        scratch.resolve(by, task, round, points);
    }
}

/// What a level's steps have in common.
struct Task<'a> {
    lattice: &'a Lattice,
    frame: &'a Frame,
    level: u8,
    near: Near,
}

impl LevelScratch {
    /// Makes room for a frame without points.
    fn reset(&mut self, frame: &Frame) {
        let n = frame.width * frame.height + PLACES_BEYOND;
        refill(&mut self.points, n, EMPTY);
        refill(&mut self.priority, n, NO_DART);
        refill(&mut self.cover, n, 0);
        // Read only where a dart is in play, so what they hold from before does not matter.
        self.darts.resize(n, EMPTY);
        // Room for whole groups of four draws.
        self.draws.resize(frame.width + 2 * DRAWS, 0);
        self.n_darts.resize(frame.width, 0);
        self.throwing.resize(frame.width, 0);
    }

    /// Puts an earlier point in its cell, if that lies in the frame.
    #[inline(always)]
    fn settle(&mut self, task: &Task<'_>, point: &Point) {
        let (frame, lattice) = (task.frame, task.lattice);
        let (x, y) = (point.x - frame.x0, point.y - frame.y0);
        let units = |length: i64, n: usize| {
            let units = length >> lattice.unit_bits;
            (length >= 0 && units < n as i64 * lattice.cell).then_some(units as u32)
        };
        let (Some(x), Some(y)) = (units(x, frame.width), units(y, frame.height)) else {
            return;
        };
        let (column, row) = (lattice.per_cell(x), lattice.per_cell(y));
        let inside = |i: u32, n: usize| i as usize >= PAD && (i as usize) < n - PAD;
        if inside(column, frame.width) && inside(row, frame.height) {
            let at = row as usize * frame.width + column as usize;
            let cell = lattice.cell as u32;
            self.points[at] = [(x - column * cell) as i16, (y - row * cell) as i16];
            self.stamp(task, at);
        }
    }

    /// Covers the squares around the point in a cell.
    #[inline(always)]
    fn stamp(&mut self, task: &Task<'_>, at: usize) {
        let [u, v] = self.points[at];
        let disk = self.disks.around(u as u32, v as u32, task.lattice);
        disk.stamp(&mut self.cover, task.frame.width, at);
    }

    /// Throws the darts of a round, row by row, and loses those too close to a point.
    #[inline(always)]
    fn throw(&mut self, by: impl Instructions, task: &Task<'_>, round: usize) {
        let margin = PAD + 2 * NEIGHBOURS * (round + 1) - NEIGHBOURS;
        self.seats.clear();
        for row in margin..task.frame.height - margin {
            let key = task.lattice.row_key(round, task.frame.row0 + row as i64);
            let mut n_throwing = self.aim(task, round, row, margin, key);
            let mut dart = 0;
            while n_throwing > 0 {
                n_throwing = self.land(by, task, row, n_throwing, (key, dart));
                dart += 1;
            }
        }
    }

    /// Finds which cells of a row throw darts, and how many; returns the number of these cells.
    #[inline(always)]
    fn aim(&mut self, task: &Task<'_>, round: usize, row: usize, margin: usize, key: u64) -> usize {
        let frame = task.frame;
        let n_columns = frame.width - 2 * margin;
        let first = frame.column0 + margin as i64;
        let group = first.div_euclid(DRAWS as i64);
        let groups = self.draws.chunks_exact_mut(DRAWS);
        for (draws, group) in groups.zip(group..=(first + n_columns as i64) / DRAWS as i64 + 1) {
            draws.copy_from_slice(&row_draws(key, group));
        }
        let draws = &self.draws[first.rem_euclid(DRAWS as i64) as usize..];
        let cover = &self.cover[row * frame.width + margin..][..n_columns];
        let zeal = ZEAL[usize::from(task.level)][round];
        let counts = &mut self.n_darts[margin..][..n_columns];
        for ((n, &cover), &draw) in counts.iter_mut().zip(cover).zip(draws) {
            *n = n_darts(zeal, cover, draw);
        }
        // Written always and counted sometimes, here and below: a branch would be a coin toss to the processor.
        let mut n_throwing = 0;
        for (column, &n) in counts.iter().enumerate() {
            self.throwing[n_throwing] = (margin + column) as u16;
            n_throwing += usize::from(n > 0);
        }
        n_throwing
    }

    /// Lets one dart of each throwing cell land; returns how many cells throw again.
    #[inline(always)]
    fn land(
        &mut self,
        by: impl Instructions,
        task: &Task<'_>,
        row: usize,
        n_throwing: usize,
        (row_key, dart): (u64, u8),
    ) -> usize {
        let (width, cell) = (task.frame.width, task.lattice.cell as u32);
        let mut n_seats = self.seats.len();
        self.seats.resize(n_seats + n_throwing, Seat::default());
        let this_row = row * width..(row + 1) * width;
        let points = Rows::around(&self.points, width, row);
        let cover = &mut self.cover[this_row.clone()];
        let darts = &mut self.darts[this_row.clone()];
        let priorities = &mut self.priority[this_row];
        let n_darts = &self.n_darts[..width];
        let throwing = &mut self.throwing[..n_throwing];
        let mut n_left = 0;
        for k in 0..n_throwing {
            let column = usize::from(throwing[k]);
            let key = dart_key(row_key, task.frame.column0 + column as i64, dart);
            let square = by.aim(cover[column], key & 0xffff);
            // Eighths of the cell, then 12 bits within the eighth.
            let along = |eighth: u32, bits: u32| ((eighth << 12 | bits & 0xfff) * cell) >> 15;
            let u = along(square as u32 & 7, (key >> 16) as u32);
            let v = along(square as u32 >> 3, (key >> 28) as u32);
            let place = [u as i16, v as i16];
            // An earlier dart may have closed the cell's last square.
            let is_covered = cover[column] == COVERED;
            let lost = by.is_lost(&task.near, &points, column, place) | is_covered;
            cover[column] |= u64::from(lost) << square;
            darts[column] = place;
            priorities[column] = priority(key, lost);
            self.seats[n_seats] = Seat {
                key,
                at: (row * width + column) as u32,
                column: column as u16,
                row: row as u16,
            };
            // Written always and counted sometimes, as above.
            n_seats += usize::from(!lost);
            throwing[n_left] = column as u16;
            n_left += usize::from(lost & (n_darts[column] > dart + 1));
        }
        self.seats.truncate(n_seats);
        n_left
    }

    /// Makes points of the darts that beat all those in conflict with them.
    #[inline(always)]
    fn resolve(
        &mut self,
        by: impl Instructions,
        task: &Task<'_>,
        round: usize,
        points: &mut Vec<Point>,
    ) {
        let (frame, lattice) = (task.frame, task.lattice);
        let winners = self.winners(by, task, round);
        let is_last = round + 1 == rounds(usize::from(task.level));
        for seat in &winners {
            let at = seat.at as usize;
            let place = self.darts[at];
            if !is_last {
                self.points[at] = place;
                self.stamp(task, at);
            }
            let along = |cells: u16, within: i16| {
                (i64::from(cells) * lattice.cell + i64::from(within)) << lattice.unit_bits
            };
            points.push(Point {
                x: frame.x0 + along(seat.column, place[0]),
                y: frame.y0 + along(seat.row, place[1]),
                key: seat.key,
                level: task.level,
            });
        }
        self.winners = winners;
        for seat in &self.seats {
            self.priority[seat.at as usize] = NO_DART;
        }
    }

    /// The cells whose darts beat all those in conflict with them, where nothing from beyond the frame has a say.
    #[inline(always)]
    fn winners(&mut self, by: impl Instructions, task: &Task<'_>, round: usize) -> Vec<Seat> {
        let frame = task.frame;
        let margin = PAD + 2 * NEIGHBOURS * (round + 1);
        let inside = |i: u16, n: usize| usize::from(i) >= margin && usize::from(i) < n - margin;
        let mut winners = std::mem::take(&mut self.winners);
        winners.resize(self.seats.len(), Seat::default());
        let mut n_winners = 0;
        for seats in self.seats.chunk_by(|a, b| a.row == b.row) {
            let row = seats[0].row;
            if !inside(row, frame.height) {
                continue;
            }
            let darts = Rows::around(&self.darts, frame.width, usize::from(row));
            let priorities = Rows::around(&self.priority, frame.width, usize::from(row));
            for &seat in seats.iter().filter(|seat| inside(seat.column, frame.width)) {
                winners[n_winners] = seat;
                let column = usize::from(seat.column);
                let beaten = by.is_beaten(&task.near, &darts, &priorities, column);
                n_winners += usize::from(!beaten);
            }
        }
        winners.truncate(n_winners);
        winners
    }
}

/// Makes `values` hold `n` times the same.
fn refill<T: Copy>(values: &mut Vec<T>, n: usize, value: T) {
    values.clear();
    values.resize(n, value);
}

/// How many draws for numbers of darts one hash gives.
const DRAWS: usize = 4;

/// The draws of a group of [`DRAWS`] columns of a row.
#[inline]
fn row_draws(row_key: u64, group: i64) -> [u16; DRAWS] {
    let bits = mix(!row_key ^ group as u64);
    [0, 16, 32, 48].map(|shift| (bits >> shift) as u16)
}

/// The draw of a cell for how many darts it throws.
#[cfg(test)]
pub(super) fn cell_draw(row_key: u64, column: i64) -> u16 {
    let group = column.div_euclid(DRAWS as i64);
    row_draws(row_key, group)[column.rem_euclid(DRAWS as i64) as usize]
}

/// The hash of a cell's dart: where it lands, its priority, and all that its point draws later.
#[inline]
pub(super) fn dart_key(row_key: u64, column: i64, dart: u8) -> u64 {
    mix(row_key ^ (column << 8 | i64::from(dart)) as u64)
}

/// A dart's priority over others, or [`NO_DART`] for one that is lost.
#[inline]
pub(super) fn priority(key: u64, lost: bool) -> i32 {
    // Without a branch: all bits set are −1.
    (key >> 40) as i32 | -i32::from(lost)
}

/// The readiness of a level's cells in a round.
#[cfg(test)]
pub(super) fn zeal(level: usize, round: usize) -> u16 {
    ZEAL[level][round]
}

/// How many darts a cell throws whose `cover` leaves some squares open.
///
/// What is expected is exactly in proportion to the open squares: a cell that threw more for its size would draw points
/// to where little is left of cells, and the lattice would show in the spectrum.
#[inline]
pub(super) fn n_darts(zeal: u16, cover: u64, draw: u16) -> u8 {
    // Eighths of 64 squares, rounded up or down by a draw from 512.
    ((zeal * cover.count_zeros() as u16 + (draw >> 7)) >> 9) as u8
}
