//! The ground of a world in small, gathered while its tiles are at hand, so that its picture reads no file again.

use std::sync::{Mutex, PoisonError};

use ecotone_grid::{Raster, Rect};

/// The ground in small: one cell for every few pixels.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Pixels along a side of a cell; the first starts at the map's corner.
    pub step: u32,
    /// Weights of all strata: means along the middle row of each cell; 0 on voids.
    pub weights: Raster<u8>,
    /// Heights in metres at the middle of each cell, NaN on voids.
    pub heights: Raster<f32>,
    /// The sum of the weights of each stratum over all pixels.
    pub totals: Vec<u64>,
    /// Pixels that tiles have shown.
    seen: u64,
}

impl Overview {
    /// Of a map, at most so many cells along its longer side.
    pub(crate) fn new(map: Rect, n_strata: usize, most: u32) -> Self {
        let longest = map.width().max(map.height()) as u32;
        let step = longest.div_ceil(most.max(1)).max(1);
        let cells = |pixels: usize| pixels.div_ceil(step as usize) as i64;
        let rect = Rect::new(0, 0, cells(map.width()), cells(map.height()));
        Self {
            step,
            weights: Raster::new(rect, n_strata, 0),
            heights: Raster::new(rect, 1, f32::NAN),
            totals: vec![0; n_strata],
            seen: 0,
        }
    }

    /// Takes in a tile of a map, with the sums of its weights: the cells whose middle lies in it. Heights cover it.
    fn add(&mut self, map: Rect, (weights, sums): (&Raster<u8>, &[u64]), heights: &Raster<f64>) {
        let (tile, step) = (weights.rect(), i64::from(self.step));
        self.seen += tile.area() as u64;
        for (total, sum) in self.totals.iter_mut().zip(sums) {
            *total += sum;
        }
        let middle = |cell: i64, end: i64| (cell * step + step / 2).min(end - 1);
        let inside = |from: i64, to: i64, end: i64| {
            (from / step..=(to - 1) / step)
                .filter(move |&cell| (from..to).contains(&middle(cell, end)))
        };
        for cell_y in inside(tile.y0, tile.y1, map.y1) {
            let y = middle(cell_y, map.y1);
            let row = heights.band(0);
            let row = row.row(y);
            for cell_x in inside(tile.x0, tile.x1, map.x1) {
                let x = middle(cell_x, map.x1);
                let height = row[(x - heights.rect().x0) as usize];
                self.heights.row_mut(0, cell_y)[cell_x as usize] = height as f32;
                let (from, to) = (
                    (cell_x * step).max(tile.x0),
                    (cell_x * step + step).min(tile.x1),
                );
                let shared = (from - tile.x0) as usize..(to - tile.x0) as usize;
                for band in 0..self.totals.len() {
                    let pixels = &weights.band(band).row(y)[shared.clone()];
                    let sum: u32 = pixels.iter().map(|&weight| u32::from(weight)).sum();
                    self.weights.row_mut(band, cell_y)[cell_x as usize] =
                        (sum / pixels.len() as u32) as u8;
                }
            }
        }
    }
}

/// An overview that workers add to, if one is wanted.
#[derive(Default)]
pub(crate) struct Gathered {
    map: Rect,
    overview: Option<Mutex<Overview>>,
}

impl Gathered {
    /// None where `most` is 0.
    pub(crate) fn new(map: Rect, n_strata: usize, most: u32) -> Self {
        let overview = (most > 0).then(|| Mutex::new(Overview::new(map, n_strata, most)));
        Self { map, overview }
    }

    /// Takes in a tile: its weights with the sum of each band, and heights that cover it.
    pub(crate) fn add(&self, weights: (&Raster<u8>, &[u64]), heights: &Raster<f64>) {
        if let Some(overview) = &self.overview {
            let mut overview = overview.lock().unwrap_or_else(PoisonError::into_inner);
            overview.add(self.map, weights, heights);
        }
    }

    /// The overview, where every tile of the map was shown to it once.
    pub(crate) fn whole(self) -> Option<Overview> {
        let overview = self.overview?.into_inner();
        let overview = overview.unwrap_or_else(PoisonError::into_inner);
        (overview.seen == self.map.area() as u64).then_some(overview)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ecotone_grid::{Reach, TileGrid};

    /// Weights and heights of any tile of a map, both functions of the place.
    fn tile(rect: Rect) -> (Raster<u8>, Raster<f64>) {
        let mut weights = Raster::new(rect, 2, 0);
        let mut heights = Raster::new(rect.grow(Reach::square(2)), 1, f64::NAN);
        for y in rect.y0..rect.y1 {
            for x in rect.x0..rect.x1 {
                let at = (x - rect.x0) as usize;
                let weight = (x / 4 * 40 % 256) as u8;
                weights.row_mut(0, y)[at] = weight;
                weights.row_mut(1, y)[at] = 255 - weight;
                heights.row_mut(0, y)[at + 2] = (1000 * y + x) as f64;
            }
        }
        (weights, heights)
    }

    fn sum(weights: &Raster<u8>, band: usize) -> u64 {
        let pixels = weights.band(band).pixels().iter();
        pixels.map(|&weight| u64::from(weight)).sum()
    }

    #[test]
    fn cells_hold_the_mean_of_their_middle_row_whatever_the_tiles() {
        for size in [7, 16, 64] {
            let grid = TileGrid::new(50, 31, size);
            let gathered = Gathered::new(grid.map(), 2, 13);
            for id in grid.over(grid.map()) {
                let (weights, heights) = tile(grid.rect(id));
                let sums = [0, 1].map(|band| sum(&weights, band));
                gathered.add((&weights, &sums), &heights);
            }
            let overview = gathered.whole().expect("all tiles were shown");
            assert_eq!(
                (overview.step, overview.weights.rect()),
                (4, Rect::new(0, 0, 13, 8))
            );
            for (cell, &weight) in overview.weights.band(0).row(3).iter().enumerate() {
                assert_eq!(weight, (cell * 40 % 256) as u8, "tiles of {size}");
                // The last is cut off by the map's rim.
                let middle = (4 * cell + 2).min(49) as f32;
                assert_eq!(overview.heights.band(0).row(3)[cell], 14_000.0 + middle);
            }
            assert_eq!(overview.totals.iter().sum::<u64>(), 255 * 50 * 31);
        }
    }

    #[test]
    fn a_part_of_a_map_is_no_overview() {
        let grid = TileGrid::new(50, 31, 16);
        let gathered = Gathered::new(grid.map(), 2, 13);
        let (weights, heights) = tile(grid.rect(ecotone_grid::TileId { x: 1, y: 0 }));
        let sums = [0, 1].map(|band| sum(&weights, band));
        gathered.add((&weights, &sums), &heights);
        assert!(gathered.whole().is_none());
        assert!(Gathered::new(grid.map(), 2, 0).whole().is_none());
    }
}
