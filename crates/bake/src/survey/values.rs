//! What the pixels of a layer hold, read in bands of rows.

use std::sync::atomic::AtomicBool;

use ecotone_grid::{Raster, Rect};

use super::{Survey, stop_on};
use crate::BakeError;
use crate::inputs::MaskScratch;
use crate::scene::Scene;

/// Rows of a band: a whole number of the usual tiles, so that no block is unpacked twice.
const ROWS: usize = 256;
/// Columns of a window, so that a band of a wide map stays small.
const COLUMNS: usize = 16384;

/// The values of a layer, in short; heights in metres, masks in shares of 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// Pixels that were read, voids included.
    pub n_pixels: u64,
    /// Voids among them.
    pub n_void: u64,
    /// The lowest value; +∞ where all is void.
    pub lowest: f64,
    /// Column and row of the first pixel that has it.
    pub lowest_at: (i64, i64),
    /// The highest value; −∞ where all is void.
    pub highest: f64,
    /// Column and row of the first pixel that has it.
    pub highest_at: (i64, i64),
    /// Pixels at the very values beyond which an input's type holds nothing, for each such value.
    pub at_ends: Vec<(f64, u64)>,
    sum: f64,
}

impl Values {
    /// Of no pixel yet; `ends` are values to count.
    pub(super) fn new(ends: impl IntoIterator<Item = f64>) -> Self {
        Self {
            n_pixels: 0,
            n_void: 0,
            lowest: f64::INFINITY,
            lowest_at: (0, 0),
            highest: f64::NEG_INFINITY,
            highest_at: (0, 0),
            at_ends: ends.into_iter().map(|end| (end, 0)).collect(),
            sum: 0.0,
        }
    }

    /// Pixels that are no void.
    pub fn n_valid(&self) -> u64 {
        self.n_pixels - self.n_void
    }

    /// The share of voids, in [0, 1]; 0 of nothing.
    pub fn void_share(&self) -> f64 {
        self.n_void as f64 / self.n_pixels.max(1) as f64
    }

    /// The mean of all but voids; `None` where all is void.
    pub fn mean(&self) -> Option<f64> {
        (self.n_valid() > 0).then(|| self.sum / self.n_valid() as f64)
    }

    /// Takes in one row, from a column and row of the map on.
    pub(super) fn add_row<T: Copy + Into<f64>>(&mut self, (x0, y): (i64, i64), row: &[T]) {
        let mut n_valid = 0_u64;
        let mut sum = 0.0;
        for (x, &value) in (x0..).zip(row) {
            let value: f64 = value.into();
            if value.is_nan() {
                continue;
            }
            n_valid += 1;
            sum += value;
            if value < self.lowest {
                (self.lowest, self.lowest_at) = (value, (x, y));
            }
            if value > self.highest {
                (self.highest, self.highest_at) = (value, (x, y));
            }
        }
        for (end, n) in &mut self.at_ends {
            *n += row.iter().filter(|&&value| value.into() == *end).count() as u64;
        }
        self.n_pixels += row.len() as u64;
        self.n_void += row.len() as u64 - n_valid;
        // Row sums first: so many pixels, one after the other, would lose digits.
        self.sum += sum;
    }
}

/// Reads all layers of a survey.
pub(super) fn read(
    survey: &mut Survey,
    scene: &Scene,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(f64),
) -> Result<(), BakeError> {
    let windows = windows(scene.plan.tiles.map());
    let total = windows.len() * survey.layers.len();
    let mut buffers = Buffers::default();
    let mut done = 0;
    for layer in 0..survey.layers.len() {
        let ends = if layer == 0 { ends(survey) } else { Vec::new() };
        let mut values = Values::new(ends);
        for &window in &windows {
            stop_on(cancel)?;
            let read = match layer.checked_sub(1) {
                None => buffers.add_heights(scene, window, &mut values),
                Some(mask) => buffers.add_mask(scene, mask, window, &mut values),
            };
            if let Err(error) = read {
                survey.note_failure(&error);
            }
            done += 1;
            progress(done as f64 / total as f64);
        }
        survey.layers[layer].values = Some(values);
    }
    Ok(())
}

/// The map in windows, row by row.
fn windows(map: Rect) -> Vec<Rect> {
    let rows = (map.y0..map.y1).step_by(ROWS);
    rows.flat_map(|y| {
        let columns = (map.x0..map.x1).step_by(COLUMNS);
        columns.map(move |x| Rect::new(x, y, x + COLUMNS as i64, y + ROWS as i64).intersect(&map))
    })
    .collect()
}

/// Where heights would be cut off, each value once.
fn ends(survey: &Survey) -> Vec<f64> {
    let rasters = survey
        .inputs
        .iter()
        .filter(|input| input.is_of_heights())
        .filter_map(|input| input.raster.as_ref());
    let mut ends: Vec<f64> = rasters
        .filter_map(|raster| raster.holds)
        .flatten()
        .collect();
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    ends
}

/// Memory for one window, kept from window to window.
#[derive(Default)]
struct Buffers {
    heights: Raster<f64>,
    mask: Raster<f32>,
    scratch: MaskScratch,
}

impl Buffers {
    fn add_heights(
        &mut self,
        scene: &Scene,
        window: Rect,
        values: &mut Values,
    ) -> Result<(), BakeError> {
        scene.read_heights(window, &mut self.heights)?;
        let band = self.heights.band(0);
        (window.y0..window.y1).for_each(|y| values.add_row((window.x0, y), band.row(y)));
        Ok(())
    }

    fn add_mask(
        &mut self,
        scene: &Scene,
        mask: usize,
        window: Rect,
        values: &mut Values,
    ) -> Result<(), BakeError> {
        self.mask.reset(window, 1, 0.0);
        // Strokes of edits follow those of strata, and are no layer.
        let inputs = &scene.inputs;
        let n_strata = inputs.masks.len() - inputs.n_strokes();
        let mask = match mask.checked_sub(n_strata) {
            Some(density) => &inputs.densities[density],
            None => &inputs.masks[mask],
        };
        mask.read(&mut self.scratch, 0, &mut self.mask)?;
        let band = self.mask.band(0);
        (window.y0..window.y1).for_each(|y| values.add_row((window.x0, y), band.row(y)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn values_are_what_arithmetic_says() {
        let mut values = Values::new([0.0, 255.0]);
        values.add_row((10, 4), &[3.0, f64::NAN, 0.0]);
        values.add_row((10, 5), &[255.0, 255.0, f64::NAN]);
        assert_eq!((values.n_pixels, values.n_void), (6, 2));
        assert_eq!((values.lowest, values.lowest_at), (0.0, (12, 4)));
        assert_eq!((values.highest, values.highest_at), (255.0, (10, 5)));
        assert_eq!(values.mean(), Some(513.0 / 4.0));
        assert_eq!(values.at_ends, [(0.0, 1), (255.0, 2)]);
        assert_eq!(values.void_share(), 1.0 / 3.0);
    }

    #[test]
    fn of_voids_there_is_no_mean() {
        let mut values = Values::new([]);
        assert_eq!(values.void_share(), 0.0);
        values.add_row((0, 0), &[f64::NAN; 3]);
        assert_eq!(values.mean(), None);
        assert_eq!(values.void_share(), 1.0);
    }

    #[test]
    fn windows_cover_the_map_once() {
        for (width, height) in [(1, 1), (300, 257), (40_000, 513)] {
            let map = Rect::new(0, 0, width, height);
            let windows = windows(map);
            let area: usize = windows.iter().map(Rect::area).sum();
            assert_eq!(area, map.area());
            assert!(windows.iter().all(|window| map.covers(window)));
            assert!(windows.iter().all(|window| window.area() <= 1 << 22));
        }
    }
}
