//! What is known of the pixels of a window while shapes are drawn over it.

use std::ops::Range;

use ecotone_grid::{PixelSize, Rect};

/// Memory of a window in which shapes are drawn; kept from window to window.
///
/// Between two drawings every squared distance is infinite and no pixel is flipped: a drawing cleans up what it touched,
/// so that a small shape on a large window costs no more than itself.
#[derive(Clone, Debug, Default)]
pub struct ShapeScratch {
    pub(super) window: Rect,
    pub(super) pixel: Option<PixelSize>,
    /// World x of the centres of the columns.
    pub(super) columns: Vec<f64>,
    /// Squared distance to the nearest segment so far, row after row.
    squared: Vec<f64>,
    /// Whether the inside begins or ends at this pixel, going east.
    flips: Vec<bool>,
    rows: Vec<Row>,
}

/// What was touched of a row.
#[derive(Clone, Copy, Debug)]
struct Row {
    first: usize,
    end: usize,
    /// Whether the row begins inside.
    is_inside: bool,
}

const UNTOUCHED: Row = Row {
    first: usize::MAX,
    end: 0,
    is_inside: false,
};

impl Row {
    fn touch(&mut self, columns: &Range<usize>) {
        self.first = self.first.min(columns.start);
        self.end = self.end.max(columns.end);
    }
}

impl ShapeScratch {
    /// What it takes for a pixel of the largest window so far.
    pub const BYTES_PER_PIXEL: usize = size_of::<f64>() + size_of::<bool>();

    /// Makes it cover a window.
    pub(super) fn cover(&mut self, window: Rect, pixel: PixelSize) {
        self.window = window;
        self.pixel = Some(pixel);
        self.columns.clear();
        self.columns
            .extend((window.x0..window.x1).map(|x| (x as f64 + 0.5) * pixel.x));
        self.rows.clear();
        self.rows.resize(window.height(), UNTOUCHED);
        if self.squared.len() < window.area() {
            self.squared.resize(window.area(), f64::INFINITY);
            self.flips.resize(window.area(), false);
        }
    }

    /// The size of a pixel.
    pub(super) fn pixel(&self) -> PixelSize {
        self.pixel.expect("drawing begins with `cover`")
    }

    /// The rows of the window whose centres lie from `north` to `south`, and perhaps one more at either end.
    pub(super) fn rows_between(&self, north: f64, south: f64) -> Range<i64> {
        let size = self.pixel().y;
        let first = ((north / size - 0.5).floor() as i64).max(self.window.y0);
        let last = ((south / size - 0.5).ceil() as i64).min(self.window.y1 - 1);
        first..last + 1
    }

    /// World y of a row's centre, southward.
    pub(super) fn row_centre(&self, y: i64) -> f64 {
        (y as f64 + 0.5) * self.pixel().y
    }

    /// The columns whose centres lie from `west` to `east`, and perhaps one more at either end.
    pub(super) fn columns_between(&self, west: f64, east: f64) -> Range<usize> {
        let size = self.pixel().x;
        let column = |x: f64| (x as i64).saturating_sub(self.window.x0);
        let width = self.columns.len() as i64;
        let first = column((west / size - 0.5).floor()).clamp(0, width);
        let end = column((east / size - 0.5).ceil()).saturating_add(1);
        first as usize..end.clamp(first, width) as usize
    }

    /// The centres and the squared distances of some columns of a row, which count as touched.
    pub(super) fn touch(&mut self, y: i64, columns: Range<usize>) -> (&[f64], &mut [f64]) {
        let row = (y - self.window.y0) as usize;
        self.rows[row].touch(&columns);
        let start = row * self.columns.len();
        let squared = &mut self.squared[start + columns.start..start + columns.end];
        (&self.columns[columns], squared)
    }

    /// Notes that the outline crosses a row in front of a column's centre.
    pub(super) fn flip(&mut self, y: i64, column: usize) {
        let row = (y - self.window.y0) as usize;
        if column == 0 {
            self.rows[row].is_inside ^= true;
        } else if column < self.columns.len() {
            self.rows[row].touch(&(column..column + 1));
            self.flips[row * self.columns.len() + column] ^= true;
        }
    }

    /// Hands every touched row to `write`, with its map row, the columns touched, whether it begins inside, and the
    /// squared distances and flips of these columns; then cleans up.
    pub(super) fn finish(
        &mut self,
        mut write: impl FnMut(i64, Range<usize>, bool, &[f64], &[bool]),
    ) {
        let width = self.columns.len();
        for (idx, row) in self.rows.iter().enumerate() {
            let y = self.window.y0 + idx as i64;
            let touched = row.first.min(row.end)..row.end;
            if touched.is_empty() && !row.is_inside {
                continue;
            }
            let pixels = idx * width + touched.start..idx * width + touched.end;
            let squared = &mut self.squared[pixels.clone()];
            let flips = &mut self.flips[pixels];
            write(y, touched, row.is_inside, squared, flips);
            squared.fill(f64::INFINITY);
            flips.fill(false);
        }
    }
}
