//! World positions in whole 1/1024 m.

/// Units of a position in a metre: a candidate's x and y are whole multiples of 1/1024 m.
pub const UNITS_PER_M: i64 = 1024;

/// A half-open rectangle of world positions, `x0 ≤ x < x1` and `y0 ≤ y < y1`, in 1/1024 m; y grows north.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Area {
    /// West.
    pub x0: i64,
    /// South.
    pub y0: i64,
    /// The position after the eastmost.
    pub x1: i64,
    /// The position after the northmost.
    pub y1: i64,
}

impl Area {
    /// The area of `x0 ≤ x < x1` and `y0 ≤ y < y1`.
    pub const fn new(x0: i64, y0: i64, x1: i64, y1: i64) -> Self {
        Self { x0, y0, x1, y1 }
    }

    /// Whether the position lies inside.
    pub const fn contains(&self, x: i64, y: i64) -> bool {
        x >= self.x0 && x < self.x1 && y >= self.y0 && y < self.y1
    }

    /// The positions in both; its ends cross where there are none.
    pub fn intersect(&self, other: &Self) -> Self {
        Self {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// The area and `margin` more on every side.
    pub const fn grow(&self, margin: i64) -> Self {
        Self {
            x0: self.x0.saturating_sub(margin),
            y0: self.y0.saturating_sub(margin),
            x1: self.x1.saturating_add(margin),
            y1: self.y1.saturating_add(margin),
        }
    }
}
