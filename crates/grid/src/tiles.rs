//! The tiling of a map.

use crate::Rect;

/// A tile's place: column from the west, row from the north.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TileId {
    /// Row of tiles, from the north. First, so that ids sort in row order.
    pub y: u32,
    /// Column of tiles, from the west.
    pub x: u32,
}

/// A map cut into square tiles; those at the east and south borders may be smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileGrid {
    width: u32,
    height: u32,
    size: u32,
}

impl TileGrid {
    /// A map of `width` × `height` pixels in tiles of `size` pixels; all three at least 1.
    pub fn new(width: u32, height: u32, size: u32) -> Self {
        assert!(width > 0 && height > 0 && size > 0, "an empty tile grid");
        Self {
            width,
            height,
            size,
        }
    }

    /// The whole map.
    pub fn map(&self) -> Rect {
        Rect::new(0, 0, i64::from(self.width), i64::from(self.height))
    }

    /// Core pixels along one side of a tile.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// How many tiles there are from west to east and from north to south.
    pub fn n_tiles(&self) -> (u32, u32) {
        (
            self.width.div_ceil(self.size),
            self.height.div_ceil(self.size),
        )
    }

    /// The pixels of a tile.
    pub fn rect(&self, tile: TileId) -> Rect {
        let size = i64::from(self.size);
        let (x0, y0) = (i64::from(tile.x) * size, i64::from(tile.y) * size);
        Rect::new(x0, y0, x0 + size, y0 + size).intersect(&self.map())
    }

    /// All tiles, row by row.
    pub fn tiles(&self) -> impl Iterator<Item = TileId> + use<> {
        self.over(self.map())
    }

    /// The tiles that share a pixel with `rect`, row by row.
    pub fn over(&self, rect: Rect) -> impl Iterator<Item = TileId> + use<> {
        let size = i64::from(self.size);
        let r = rect.intersect(&self.map());
        let span = |lo: i64, hi: i64| {
            if r.is_empty() {
                0..0
            } else {
                (lo / size) as u32..((hi - 1) / size + 1) as u32
            }
        };
        let columns = span(r.x0, r.x1);
        span(r.y0, r.y1).flat_map(move |y| columns.clone().map(move |x| TileId { y, x }))
    }
}
