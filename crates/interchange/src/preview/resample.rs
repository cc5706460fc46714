//! Averages the map's pixels down to a picture's, or interpolates them up, row by row as they are read.
//!
//! A box as wide as a pixel of the picture, or of the map where that is wider, is laid over each pixel's centre: the exact mean
//! of what is shown from afar, and bilinear interpolation from near.

use std::ops::Range;

/// Which map pixels, and how much of each, one line of a picture's pixels is made of.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    spans: Vec<Span>,
}

#[derive(Clone, Debug)]
struct Span {
    first: i64,
    /// Sum to 1.
    shares: Vec<f32>,
}

impl Span {
    fn end(&self) -> i64 {
        self.first + self.shares.len() as i64
    }
}

impl Axis {
    /// `n` pixels from the map coordinate `start` (borders at whole numbers), each `step` map pixels wide, over `0..limit`.
    pub(super) fn new(n: usize, start: f64, step: f64, limit: i64) -> Self {
        let half = step.max(1.0) / 2.0;
        let span = |idx: usize| {
            let centre = start + (idx as f64 + 0.5) * step;
            let lo = (centre - half).clamp(0.0, limit as f64 - 1.0);
            let hi = (centre + half).clamp(1.0, limit as f64).max(lo);
            let (first, end) = (
                lo.floor() as i64,
                (hi.ceil() as i64).max(lo.floor() as i64 + 1),
            );
            let overlap = |pixel: i64| (hi.min(pixel as f64 + 1.0) - lo.max(pixel as f64)).max(0.0);
            let total: f64 = (first..end).map(overlap).sum();
            let share = |pixel| {
                if total > 0.0 {
                    (overlap(pixel) / total) as f32
                } else {
                    1.0
                }
            };
            Span {
                first,
                shares: (first..end).map(share).collect(),
            }
        };
        Self {
            spans: (0..n).map(span).collect(),
        }
    }

    /// The same with nothing of the pixels that are no multiple of `every`; a line without any other keeps all of its own.
    pub(super) fn thinned(mut self, every: i64) -> Self {
        for span in &mut self.spans {
            let is_kept = |idx: usize| (span.first + idx as i64) % every == 0;
            let shares = span.shares.iter().enumerate();
            let kept: f32 = shares
                .filter(|(idx, _)| is_kept(*idx))
                .map(|(_, share)| share)
                .sum();
            if kept > 0.0 {
                let shares = span.shares.iter_mut().enumerate();
                shares.for_each(|(idx, share)| {
                    *share = if is_kept(idx) { *share / kept } else { 0.0 }
                });
            }
        }
        self
    }

    /// All map pixels that are needed.
    pub(super) fn span(&self) -> Range<i64> {
        let first = self.spans.first().map_or(0, |span| span.first);
        first..self.spans.last().map_or(0, Span::end)
    }

    /// The picture's lines that a map pixel is part of.
    fn lines(&self, pixel: i64) -> Range<usize> {
        let from = self.spans.partition_point(|span| span.end() <= pixel);
        from..self
            .spans
            .partition_point(|span| span.first <= pixel)
            .max(from)
    }

    fn share(&self, line: usize, pixel: i64) -> f32 {
        let span = &self.spans[line];
        span.shares
            .get((pixel - span.first) as usize)
            .copied()
            .unwrap_or(0.0)
    }
}

/// A picture in the making: `C` channels a pixel, each the mean of the map's.
pub(super) struct Resampled<const C: usize> {
    columns: Axis,
    rows: Axis,
    line: Vec<[f32; C]>,
    pixels: Vec<[f32; C]>,
}

impl<const C: usize> Resampled<C> {
    pub(super) fn new(columns: Axis, rows: Axis) -> Self {
        let (width, height) = (columns.spans.len(), rows.spans.len());
        Self {
            columns,
            rows,
            line: vec![[0.0; C]; width],
            pixels: vec![[0.0; C]; width * height],
        }
    }

    /// Adds row `y` of the map, of which `pixels` are the columns of the [`Axis::span`].
    pub(super) fn add(&mut self, y: i64, pixels: &[[f32; C]]) {
        let first = self.columns.span().start;
        for (out, span) in self.line.iter_mut().zip(&self.columns.spans) {
            *out = [0.0; C];
            let from = (span.first - first) as usize;
            for (share, pixel) in span.shares.iter().zip(&pixels[from..]) {
                for (sum, value) in out.iter_mut().zip(pixel) {
                    *sum += share * value;
                }
            }
        }
        for line in self.rows.lines(y) {
            let share = self.rows.share(line, y);
            let start = line * self.line.len();
            for (out, mean) in self.pixels[start..].iter_mut().zip(&self.line) {
                for (sum, value) in out.iter_mut().zip(mean) {
                    *sum += share * value;
                }
            }
        }
    }

    /// The picture, row-major.
    pub(super) fn finish(self) -> Vec<[f32; C]> {
        self.pixels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resamples one row of the map.
    fn along(n: usize, start: f64, step: f64, values: &[f32]) -> Vec<f32> {
        let axis = Axis::new(n, start, step, values.len() as i64);
        let span = axis.span();
        let mut out = Resampled::<1>::new(axis, Axis::new(1, 0.0, 1.0, 1));
        let pixels: Vec<[f32; 1]> = span.map(|x| [values[x as usize]]).collect();
        out.add(0, &pixels);
        out.finish().into_iter().map(|[v]| v).collect()
    }

    #[test]
    fn from_afar_each_pixel_is_the_mean_of_what_it_covers() {
        assert_eq!(along(2, 0.0, 2.0, &[1.0, 3.0, 10.0, 20.0]), [2.0, 15.0]);
        // 1.5 map pixels each: (1 + 3/2) / 1.5 and (3/2 + 9) / 1.5.
        let [a, b] = along(2, 0.0, 1.5, &[1.0, 3.0, 9.0])[..] else {
            panic!()
        };
        assert!(
            (a - 2.5 / 1.5).abs() < 1e-6 && (b - 10.5 / 1.5).abs() < 1e-6,
            "{a} {b}"
        );
    }

    #[test]
    fn from_near_a_line_stays_a_line_between_the_centres() {
        let found = along(8, 0.0, 0.5, &[0.0, 1.0, 2.0, 3.0]);
        let expected = [0.0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.0];
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn a_thinned_line_is_the_mean_of_what_is_left() {
        let rows = |every: i64, step: f64, n: usize| {
            let axis = Axis::new(n, 0.0, step, (step * n as f64) as i64).thinned(every);
            let mut out = Resampled::<1>::new(Axis::new(1, 0.0, 1.0, 1), axis);
            let y = 0..(step * n as f64) as i64;
            y.for_each(|y| out.add(y, &[[y as f32]]));
            out.finish().into_iter().map(|[v]| v).collect::<Vec<f32>>()
        };
        // Of rows 0 … 5 every third: 0 and 3; of rows 6 … 11: 6 and 9.
        assert_eq!(rows(3, 6.0, 2), [1.5, 7.5]);
        assert_eq!(rows(1, 6.0, 2), [2.5, 8.5]);
        // A line that holds none of them keeps its own.
        assert_eq!(rows(4, 2.0, 2), [0.0, 2.5]);
    }

    #[test]
    fn one_pixel_fills_any_picture() {
        assert_eq!(along(5, 0.0, 0.2, &[7.0]), [7.0; 5]);
        assert_eq!(along(1, 0.0, 1.0, &[7.0]), [7.0]);
    }
}
