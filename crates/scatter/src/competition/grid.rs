//! Contenders of one species by where they are, so that those near a point are found without looking at the others.

use super::Contender;
use crate::UNITS_PER_M;
use std::ops::Range;

/// Beyond this no distances are told apart, so that their squares fit their type.
pub(super) const FARTHEST: i64 = 1 << 30;

/// Which distances from a point are near it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearness {
    /// No distance along an axis is larger, in 1/1024 m.
    reach: i64,
    /// The square of a distance is below this.
    below: i64,
}

impl Nearness {
    /// Less than a distance in 1/1024 m.
    pub fn below(distance: i64) -> Self {
        let reach = distance.clamp(0, FARTHEST);
        let below = reach * reach;
        Self { reach, below }
    }

    /// A distance in metres or less.
    pub fn within_m(distance_m: f64) -> Self {
        let distance = (distance_m * UNITS_PER_M as f64).clamp(-1.0, FARTHEST as f64);
        if distance >= 0.0 {
            let below = (distance * distance) as i64 + 1;
            let reach = distance.ceil() as i64;
            Self { reach, below }
        } else {
            Self { reach: 0, below: 0 }
        }
    }

    /// The largest distance along an axis, in 1/1024 m.
    pub fn reach(&self) -> i64 {
        self.reach
    }
}

/// Contenders of one species, sorted into square cells with about one each.
#[derive(Clone, Debug, Default)]
pub(super) struct PointGrid {
    x0: i64,
    y0: i64,
    /// The side of a cell is two to the power of this.
    bits: u32,
    columns: i64,
    rows: i64,
    /// Where each cell's points start; one more than there are cells.
    starts: Vec<u32>,
    /// Position and index of each point, cell by cell.
    points: Vec<(i64, i64, u32)>,
}

impl PointGrid {
    /// Sorts contenders into cells.
    pub fn fill(&mut self, contenders: &[Contender], group: Range<usize>) {
        let members = &contenders[group.clone()];
        self.lay_out(members);
        self.starts.clear();
        self.starts
            .resize((self.columns * self.rows) as usize + 1, 0);
        for member in members {
            let cell = self.cell_of(member);
            self.starts[cell] += 1;
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        self.points.clear();
        self.points.resize(members.len(), (0, 0, 0));
        // From each cell's end to its start, after which `starts` holds starts.
        for (index, member) in group.zip(members).rev() {
            let cell = self.cell_of(member);
            self.starts[cell] -= 1;
            self.points[self.starts[cell] as usize] = (member.x, member.y, index as u32);
        }
    }

    /// Chooses cells that cover all members.
    fn lay_out(&mut self, members: &[Contender]) {
        let span = |values: &mut dyn Iterator<Item = i64>| {
            values.fold((i64::MAX, i64::MIN), |(lo, hi), v| (lo.min(v), hi.max(v)))
        };
        let (x0, x1) = span(&mut members.iter().map(|m| m.x));
        let (y0, y1) = span(&mut members.iter().map(|m| m.y));
        if members.is_empty() {
            (self.columns, self.rows, self.bits) = (0, 0, 0);
            return;
        }
        let n = members.len() as f64;
        let (width, height) = ((x1 - x0) as f64, (y1 - y0) as f64);
        // No more cells than members along either axis, however thin the area.
        let side = (width * height / n).sqrt().max(width.max(height) / n);
        // The next power of two: shifts are many times as fast as divisions, and a cell holds at most four on average.
        self.bits = (side as u64 + 1).next_power_of_two().trailing_zeros();
        (self.x0, self.y0) = (x0, y0);
        self.columns = ((x1 - x0) >> self.bits) + 1;
        self.rows = ((y1 - y0) >> self.bits) + 1;
    }

    /// The cell that holds a member.
    fn cell_of(&self, member: &Contender) -> usize {
        let (column, row) = (
            (member.x - self.x0) >> self.bits,
            (member.y - self.y0) >> self.bits,
        );
        (row * self.columns + column) as usize
    }

    /// Calls `visit` with the index of each member near (`x`, `y`), and the square of its distance.
    pub fn near(&self, x: i64, y: i64, range: &Nearness, mut visit: impl FnMut(usize, i64)) {
        let first = |v: i64| ((v - range.reach) >> self.bits).max(0);
        let last = |v: i64, n: i64| ((v + range.reach) >> self.bits).min(n - 1);
        let (column0, column1) = (first(x - self.x0), last(x - self.x0, self.columns));
        if range.below <= 0 || column0 > column1 {
            return;
        }
        for row in first(y - self.y0)..=last(y - self.y0, self.rows) {
            let cells = (row * self.columns) as usize;
            let from = self.starts[cells + column0 as usize] as usize;
            let to = self.starts[cells + column1 as usize + 1] as usize;
            for &(px, py, index) in &self.points[from..to] {
                let (dx, dy) = (px - x, py - y);
                let distance2 = dx * dx + dy * dy;
                if distance2 < range.below {
                    visit(index as usize, distance2);
                }
            }
        }
    }
}
