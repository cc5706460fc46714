//! Rectangles of pixels, and how far a stage reads beyond one.

/// How many pixels beyond its own a stage reads, east–west and north–south.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Pixels to the west and to the east.
    pub x: u32,
    /// Pixels to the north and to the south.
    pub y: u32,
}

impl Reach {
    /// The same reach on both axes.
    pub const fn square(pixels: u32) -> Self {
        Self {
            x: pixels,
            y: pixels,
        }
    }

    /// The reach of one stage read through another.
    pub const fn then(self, next: Self) -> Self {
        Self {
            x: self.x + next.x,
            y: self.y + next.y,
        }
    }

    /// The larger reach on each axis.
    pub fn max(self, other: Self) -> Self {
        Self {
            x: self.x.max(other.x),
            y: self.y.max(other.y),
        }
    }
}

/// A half-open rectangle of map pixels: columns `x0..x1`, rows `y0..y1`; it may reach off the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rect {
    /// First column.
    pub x0: i64,
    /// First row.
    pub y0: i64,
    /// The column after the last.
    pub x1: i64,
    /// The row after the last.
    pub y1: i64,
}

impl Rect {
    /// The rectangle of columns `x0..x1` and rows `y0..y1`.
    pub const fn new(x0: i64, y0: i64, x1: i64, y1: i64) -> Self {
        Self { x0, y0, x1, y1 }
    }

    /// Whether it holds no pixel.
    pub const fn is_empty(&self) -> bool {
        self.x1 <= self.x0 || self.y1 <= self.y0
    }

    /// Number of columns.
    pub const fn width(&self) -> usize {
        if self.x1 > self.x0 {
            (self.x1 - self.x0) as usize
        } else {
            0
        }
    }

    /// Number of rows.
    pub const fn height(&self) -> usize {
        if self.y1 > self.y0 {
            (self.y1 - self.y0) as usize
        } else {
            0
        }
    }

    /// Number of pixels.
    pub const fn area(&self) -> usize {
        self.width() * self.height()
    }

    /// Whether the pixel lies inside.
    pub const fn contains(&self, x: i64, y: i64) -> bool {
        x >= self.x0 && x < self.x1 && y >= self.y0 && y < self.y1
    }

    /// Whether every pixel of `other` lies inside.
    pub fn covers(&self, other: &Self) -> bool {
        other.is_empty() || self.intersect(other) == *other
    }

    /// The pixels in both; empty where there are none.
    pub fn intersect(&self, other: &Self) -> Self {
        Self {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// The rectangle and `reach` more on every side.
    pub fn grow(&self, reach: Reach) -> Self {
        Self {
            x0: self.x0 - i64::from(reach.x),
            y0: self.y0 - i64::from(reach.y),
            x1: self.x1 + i64::from(reach.x),
            y1: self.y1 + i64::from(reach.y),
        }
    }

    /// The rectangle less `reach` on every side.
    pub fn shrink(&self, reach: Reach) -> Self {
        Self {
            x0: self.x0 + i64::from(reach.x),
            y0: self.y0 + i64::from(reach.y),
            x1: self.x1 - i64::from(reach.x),
            y1: self.y1 - i64::from(reach.y),
        }
    }
}
