//! A level's lattice: square cells so small that each holds one point at most.

use crate::Area;
use crate::draws::{Purpose, draw};
use ecotone_grid::mix;

/// How many cells away a point can still be in conflict.
///
/// With the cell's side the whole part of radius/√2, two points of one cell always conflict, and so never points three
/// cells apart, nor points two cells apart on both axes.
pub(super) const NEIGHBOURS: usize = 2;

/// Rows of a cell's neighbourhood, as row offset and half width: 5 × 5 cells less the corners.
pub(super) const ROWS: [(isize, usize); 5] = [(-2, 1), (-1, 2), (0, 2), (1, 2), (2, 1)];

/// A level's least distance is less than this many of its units, so that its square is exact in `f32`.
const UNITS: i64 = 1 << 12;

/// One level's lattice over the whole world.
///
/// Its points lie on multiples of a unit, a power of two of 1/1024 m that is less than a 2000th of the least distance or
/// 1/1024 m itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lattice {
    /// Square of the level's least distance between points, in units squared.
    pub radius2: i64,
    /// Side of a cell in units.
    pub cell: i64,
    /// A unit in 1/1024 m is 1 shifted by this.
    pub unit_bits: u32,
    /// Hash key of (seed, species, level).
    pub key: u64,
    /// World x of the west side of cell 0, in 1/1024 m.
    shift_x: i64,
    /// World y of the south side of cell 0, in 1/1024 m.
    shift_y: i64,
    /// 2³⁶ by `cell`, rounded up.
    inverse: u64,
}

impl Lattice {
    /// The lattice for points no closer than √`radius2`, in 1/1024 m, shifted by a draw from `key`; `radius2` at least 2.
    pub fn new(key: u64, radius2: i64) -> Self {
        let units = radius2.isqrt() as u64 / UNITS as u64;
        let unit_bits = u64::BITS - units.leading_zeros();
        // Rounded up: a whole number of square units is below it exactly where the distance is too short.
        let radius2 = ((radius2 - 1) >> (2 * unit_bits)) + 1;
        let cell = (radius2 / 2).isqrt();
        let shift = |purpose| ((draw(key, purpose) % cell as u64) as i64) << unit_bits;
        Self {
            radius2,
            cell,
            unit_bits,
            key,
            shift_x: shift(Purpose::ShiftX),
            shift_y: shift(Purpose::ShiftY),
            inverse: (1_u64 << 36).div_ceil(cell as u64),
        }
    }

    /// Side of a cell in 1/1024 m.
    pub fn side(&self) -> i64 {
        self.cell << self.unit_bits
    }

    /// A length in units as a whole number of cells, rounded down; right for lengths below 2²⁴, for a cell is below 2¹².
    #[inline]
    pub fn per_cell(&self, units: u32) -> u32 {
        ((u64::from(units) * self.inverse) >> 36) as u32
    }

    /// The cells that touch `area` and `margin` more on every side.
    pub fn frame(&self, area: &Area, margin: usize) -> Frame {
        let side = self.side();
        let first = |v: i64, shift: i64| (v - shift).div_euclid(side) - margin as i64;
        let after = |v: i64, shift: i64| (v - 1 - shift).div_euclid(side) + 1 + margin as i64;
        let (column0, row0) = (first(area.x0, self.shift_x), first(area.y0, self.shift_y));
        Frame {
            column0,
            row0,
            width: (after(area.x1, self.shift_x) - column0) as usize,
            height: (after(area.y1, self.shift_y) - row0) as usize,
            x0: column0 * side + self.shift_x,
            y0: row0 * side + self.shift_y,
        }
    }

    /// The hash key of a row of cells in a round of darts.
    pub fn row_key(&self, round: usize, row: i64) -> u64 {
        mix(mix(self.key ^ (round as u64 + 1)) ^ row as u64).wrapping_add(0x9e37_79b9_7f4a_7c15)
    }
}

/// A window of a lattice: `width` × `height` cells from the south-west one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    /// World column of the first cell.
    pub column0: i64,
    /// World row of the first cell.
    pub row0: i64,
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// World x of the west side.
    pub x0: i64,
    /// World y of the south side.
    pub y0: i64,
}

impl Frame {
    /// The positions in the frame of cells with a `side`, less `margin` cells on every side.
    pub fn area(&self, side: i64, margin: usize) -> Area {
        Area::new(
            self.x0,
            self.y0,
            self.x0 + self.width as i64 * side,
            self.y0 + self.height as i64 * side,
        )
        .grow(-(margin as i64 * side))
    }
}
