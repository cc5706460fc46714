//! Stratum weights: trapezoids of slope and altitude, then masks over them, as bytes that sum to 255.

use crate::quantise::Quantiser;
use crate::slope::write_slopes;
use ecotone_grid::{Raster, Rect, Trapezoid, Window};

/// One layer of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stratum {
    /// Where it lies.
    pub kind: Ground,
}

/// What decides the weight of a stratum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    /// A preset: the product of its bands, shared out among all presets in proportion.
    Preset {
        /// Band of slopes in degrees.
        slope: Option<Trapezoid>,
        /// Band of altitudes in metres.
        altitude: Option<Trapezoid>,
        /// Whether it takes a pixel where the raw weights of all presets are 0; else the first preset does.
        fallback: bool,
    },
    /// A custom stratum over everything listed so far and over all presets.
    Mask {
        /// Its place among the masks given to [`weights`], which must have it.
        mask: usize,
    },
}

/// Memory that [`weights`] works in: a few rows.
#[derive(Clone, Debug, Default)]
pub struct WeightScratch {
    weights: Vec<f64>,
    slopes: Vec<f64>,
    sums: Vec<f64>,
    void: Vec<bool>,
    quantiser: Quantiser,
}

/// Writes the weight of each stratum at each pixel of `normals`: one band per stratum, summing to 255, all 0 on voids.
///
/// `heights` (metres, NaN on voids) and each of `masks` cover at least the rectangle of `normals`; mask values lie in
/// [0, 1], NaN is 0. `out` is reset to that rectangle. Presets share a pixel in proportion to their raw weights; each
/// mask, in listed order, takes its value and leaves the others the rest of what they had. Without any preset the
/// masks' own weights are scaled to sum to 1, and where all are 0 the first stratum takes the pixel. The bytes go to the
/// largest remainders, compared in 1/2²⁴, ties to the first listed.
pub fn weights(
    normals: &Raster<f32>,
    heights: Window<'_, f64>,
    masks: &[Window<'_, f32>],
    strata: &[Stratum],
    scratch: &mut WeightScratch,
    out: &mut Raster<u8>,
) {
    let rect = normals.rect();
    out.reset(rect, strata.len(), 0);
    if rect.is_empty() || strata.is_empty() {
        return;
    }
    let ground = Layers::new(strata);
    scratch.weights.resize(strata.len() * rect.width(), 0.0);
    scratch.slopes.resize(rect.width(), 0.0);
    for y in rect.y0..rect.y1 {
        let heights = part(heights, rect, y);
        scratch.void.clear();
        let up = normals.band(2).row(y);
        scratch
            .void
            .extend(up.iter().zip(heights).map(|(n, h)| n.is_nan() | h.is_nan()));
        if ground.reads_slope {
            write_slopes(normals, y, &mut scratch.slopes, |degrees| degrees);
        }
        ground.write_presets(heights, scratch);
        ground.share_out(scratch);
        ground.lay_masks(masks, rect, y, scratch);
        if ground.presets == 0 {
            ground.share_out(scratch);
        }
        scratch
            .quantiser
            .write_row(&scratch.weights, &scratch.void, out, y);
    }
}

/// The strata and what is known of them for all rows.
struct Layers<'a> {
    strata: &'a [Stratum],
    presets: usize,
    /// The stratum that takes a pixel where there is no weight.
    fallback: usize,
    reads_slope: bool,
}

impl<'a> Layers<'a> {
    fn new(strata: &'a [Stratum]) -> Self {
        let find = |wanted: fn(&Ground) -> bool| strata.iter().position(|s| wanted(&s.kind));
        let marked = find(|kind| matches!(kind, Ground::Preset { fallback: true, .. }));
        let first = find(|kind| matches!(kind, Ground::Preset { .. }));
        Self {
            strata,
            presets: strata
                .iter()
                .filter(|s| matches!(s.kind, Ground::Preset { .. }))
                .count(),
            fallback: marked.or(first).unwrap_or(0),
            reads_slope: find(|kind| matches!(kind, Ground::Preset { slope: Some(_), .. }))
                .is_some(),
        }
    }

    /// Writes the raw weights of the presets, 0 for the custom strata.
    fn write_presets(&self, heights: &[f64], scratch: &mut WeightScratch) {
        let rows = scratch.weights.chunks_exact_mut(heights.len());
        for (stratum, row) in self.strata.iter().zip(rows) {
            match stratum.kind {
                Ground::Preset {
                    slope, altitude, ..
                } => {
                    row.fill(1.0);
                    multiply(row, slope, &scratch.slopes);
                    multiply(row, altitude, heights);
                }
                Ground::Mask { .. } => row.fill(0.0),
            }
        }
    }

    /// Scales the weights of each pixel to sum to 1; the fallback takes it where all are 0.
    fn share_out(&self, scratch: &mut WeightScratch) {
        let WeightScratch {
            weights,
            sums,
            void,
            ..
        } = scratch;
        let width = void.len();
        sums.clear();
        sums.resize(width, 0.0);
        for row in weights.chunks_exact(width) {
            for (sum, &w) in sums.iter_mut().zip(row) {
                *sum += w;
            }
        }
        let fallback = &mut weights[self.fallback * width..(self.fallback + 1) * width];
        for (w, sum) in fallback.iter_mut().zip(sums.iter_mut()) {
            let none = *sum <= 0.0;
            *w = if none { 1.0 } else { *w };
            *sum = 1.0 / if none { 1.0 } else { *sum };
        }
        for row in weights.chunks_exact_mut(width) {
            for (w, &k) in row.iter_mut().zip(sums.iter()) {
                *w *= k;
            }
        }
    }

    /// Lays the custom strata over the ground in listed order: each takes c, everything else keeps 1 − c.
    fn lay_masks(
        &self,
        masks: &[Window<'_, f32>],
        rect: Rect,
        y: i64,
        scratch: &mut WeightScratch,
    ) {
        let width = rect.width();
        for (own, stratum) in self.strata.iter().enumerate() {
            let Ground::Mask { mask } = stratum.kind else {
                continue;
            };
            let cover = part(masks[mask], rect, y);
            for (band, row) in scratch.weights.chunks_exact_mut(width).enumerate() {
                for (w, &c) in row.iter_mut().zip(cover) {
                    // NaN fails the comparison and becomes 0.
                    let c = if c > 0.0 { f64::from(c.min(1.0)) } else { 0.0 };
                    *w = if band == own { c } else { *w * (1.0 - c) };
                }
            }
        }
    }
}

/// The pixels of row `y` of a window that lie in `rect`.
fn part<T: Copy>(window: Window<'_, T>, rect: Rect, y: i64) -> &[T] {
    let from = (rect.x0 - window.rect().x0) as usize;
    &window.row(y)[from..from + rect.width()]
}

fn multiply(row: &mut [f64], band: Option<Trapezoid>, values: &[f64]) {
    if let Some(band) = band {
        for (w, &v) in row.iter_mut().zip(values) {
            *w *= band.weight(v);
        }
    }
}
