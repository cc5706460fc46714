//! Tiles whose content may change, and what lies within reach of them.

use ecotone_grid::{Rect, TileGrid, TileId};

/// Tiles of a grid that may change.
pub(super) struct Dirty {
    tiles: TileGrid,
    is_dirty: Vec<bool>,
}

impl Dirty {
    /// None of them.
    pub(super) fn none(tiles: TileGrid) -> Self {
        let (columns, rows) = tiles.n_tiles();
        Self {
            tiles,
            is_dirty: vec![false; columns as usize * rows as usize],
        }
    }

    /// Adds a tile.
    pub(super) fn add(&mut self, tile: TileId) {
        let idx = self.idx(tile);
        self.is_dirty[idx] = true;
    }

    /// The first tile under a window that may change.
    pub(super) fn under(&self, window: Rect) -> Option<TileId> {
        let mut tiles = self.tiles.over(window.intersect(&self.tiles.map()));
        tiles.find(|&tile| self.is_dirty[self.idx(tile)])
    }

    fn idx(&self, tile: TileId) -> usize {
        tile.y as usize * self.tiles.n_tiles().0 as usize + tile.x as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_sees_the_dirty_tiles_that_it_shares_a_pixel_with() {
        let mut dirty = Dirty::none(TileGrid::new(100, 70, 32));
        let tile = TileId { x: 1, y: 2 };
        dirty.add(tile);
        // It covers columns 32 to 63 and rows 64 to 69.
        for (window, expected) in [
            (Rect::new(0, 0, 100, 64), None),
            (Rect::new(0, 0, 100, 65), Some(tile)),
            (Rect::new(63, 69, 64, 70), Some(tile)),
            (Rect::new(64, 60, 100, 70), None),
            (Rect::new(-50, -50, 32, 200), None),
            (Rect::new(-50, -50, 33, 200), Some(tile)),
        ] {
            assert_eq!(dirty.under(window), expected, "{window:?}");
        }
    }
}
