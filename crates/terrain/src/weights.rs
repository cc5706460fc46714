//! Stratum weights: trapezoids of slope and altitude, then masks over them, as bytes that sum to 255.

use crate::plateau::{Plateau, Range, range_of};
use crate::quantise::Quantiser;
use crate::slope::{slope_range, write_slopes};
use ecotone_grid::{Raster, Trapezoid, Window};

/// Pixels that are looked at together: few enough that all weights are often level, enough to be worth the look.
const STRETCH: usize = 64;

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

/// Memory that [`weights`] works in: a few pixels of each stratum.
#[derive(Clone, Debug, Default)]
pub struct WeightScratch {
    /// Of each pixel of a stretch, stratum after stratum.
    weights: Vec<f64>,
    levels: Vec<Levels>,
    slopes: Vec<f64>,
    sums: Vec<f64>,
    /// All bits of a pixel, none of a void.
    kept: Vec<i8>,
    quantiser: Quantiser,
}

/// Writes the weight of each stratum at each pixel of `normals`: one band per stratum, summing to 255, all 0 on voids.
///
/// `heights` (metres, NaN on voids) and each of `masks` cover at least the rectangle of `normals`; mask values lie in
/// [0, 1], NaN is 0. `out` is made to cover that rectangle. Presets share a pixel in proportion to their raw weights; each
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
    out.cover(rect, strata.len(), 0);
    if rect.is_empty() || strata.is_empty() {
        return;
    }
    let layers = Layers::new(strata);
    let ground = Sources {
        normals: [0, 1, 2].map(|band| normals.band(band)),
        heights,
        masks,
    };
    for y in rect.y0..rect.y1 {
        for x in (rect.x0..rect.x1).step_by(STRETCH) {
            let len = STRETCH.min((rect.x1 - x) as usize);
            layers.write(&ground, Stretch { x, y, len }, scratch, out);
        }
    }
}

/// What weights are made of.
struct Sources<'a> {
    normals: [Window<'a, f32>; 3],
    heights: Window<'a, f64>,
    masks: &'a [Window<'a, f32>],
}

/// Some pixels of a row, by their map column and row.
#[derive(Clone, Copy)]
struct Stretch {
    x: i64,
    y: i64,
    len: usize,
}

impl Stretch {
    fn of<'a, T: Copy>(&self, window: Window<'a, T>) -> &'a [T] {
        let from = (self.x - window.rect().x0) as usize;
        &window.row(self.y)[from..from + self.len]
    }

    fn of_each<'a>(&self, normals: [Window<'a, f32>; 3]) -> [&'a [f32]; 3] {
        normals.map(|band| self.of(band))
    }

    /// Whether each of the masks is the same number everywhere.
    fn is_level(&self, masks: &[Window<'_, f32>]) -> bool {
        masks.iter().all(|&mask| {
            let cover = self.of(mask);
            cover.iter().fold(true, |level, &c| level & (c == cover[0]))
        })
    }
}

/// A stratum, and where its bands are level.
struct Layer {
    kind: Ground,
    slope_plateau: Option<Plateau>,
    altitude_plateau: Option<Plateau>,
}

/// The weight that a layer's bands give to a whole stretch, where it is the same; 1 without a band.
#[derive(Clone, Copy, Debug)]
struct Levels {
    slope: Option<f64>,
    altitude: Option<f64>,
}

impl Levels {
    fn are_all(&self) -> bool {
        self.slope.is_some() && self.altitude.is_some()
    }
}

/// The strata and what is known of them for all pixels.
struct Layers {
    layers: Vec<Layer>,
    presets: usize,
    /// The stratum that takes a pixel where there is no weight.
    fallback: usize,
    reads_slope: bool,
    reads_altitude: bool,
}

impl Layers {
    fn new(strata: &[Stratum]) -> Self {
        let find = |wanted: fn(&Ground) -> bool| strata.iter().position(|s| wanted(&s.kind));
        let marked = find(|kind| matches!(kind, Ground::Preset { fallback: true, .. }));
        let first = find(|kind| matches!(kind, Ground::Preset { .. }));
        let layer = |stratum: &Stratum| {
            let (slope, altitude) = match stratum.kind {
                Ground::Preset {
                    slope, altitude, ..
                } => (slope, altitude),
                Ground::Mask { .. } => (None, None),
            };
            Layer {
                kind: stratum.kind,
                slope_plateau: slope.map(Plateau::of),
                altitude_plateau: altitude.map(Plateau::of),
            }
        };
        let layers: Vec<_> = strata.iter().map(layer).collect();
        Self {
            reads_slope: layers.iter().any(|l| l.slope_plateau.is_some()),
            reads_altitude: layers.iter().any(|l| l.altitude_plateau.is_some()),
            layers,
            presets: strata
                .iter()
                .filter(|s| matches!(s.kind, Ground::Preset { .. }))
                .count(),
            fallback: marked.or(first).unwrap_or(0),
        }
    }

    /// Writes the bytes of a stretch. Where all that decides them is level, one pixel speaks for the others.
    fn write(
        &self,
        ground: &Sources<'_>,
        stretch: Stretch,
        scratch: &mut WeightScratch,
        out: &mut Raster<u8>,
    ) {
        let up = stretch.of(ground.normals[2]).iter();
        let pixels = up.zip(stretch.of(ground.heights));
        scratch.kept.clear();
        scratch
            .kept
            .extend(pixels.map(|(n, h)| i8::from(n.is_nan() | h.is_nan()) - 1));

        self.find_levels(ground, stretch, &mut scratch.levels);
        let mut levels = scratch.levels.iter();
        let level = levels.all(Levels::are_all) && stretch.is_level(ground.masks);
        let n = if level { 1 } else { stretch.len };
        scratch.weights.resize(self.layers.len() * n, 0.0);
        self.write_presets(ground, stretch, n, scratch);
        self.share_out(n, scratch);
        self.lay_masks(ground, stretch, n, scratch);
        if self.presets == 0 {
            self.share_out(n, scratch);
        }
        scratch.write_bytes(stretch, n, out);
    }

    /// Finds what is known of the bands of each layer without a look at each pixel.
    fn find_levels(&self, ground: &Sources<'_>, stretch: Stretch, out: &mut Vec<Levels>) {
        let slopes = self
            .reads_slope
            .then(|| slope_range(stretch.of_each(ground.normals)));
        let altitudes = self
            .reads_altitude
            .then(|| range_of(stretch.of(ground.heights)));
        let over = |plateau: &Option<Plateau>, range: Option<Range>| match (plateau, range) {
            (Some(plateau), Some(range)) => plateau.over(range),
            _ => Some(1.0),
        };
        out.clear();
        out.extend(self.layers.iter().map(|layer| Levels {
            slope: over(&layer.slope_plateau, slopes),
            altitude: over(&layer.altitude_plateau, altitudes),
        }));
    }

    /// Writes the raw weights of the presets for the first `n` pixels, anything for the custom strata.
    fn write_presets(
        &self,
        ground: &Sources<'_>,
        stretch: Stretch,
        n: usize,
        WeightScratch {
            weights,
            levels,
            slopes,
            ..
        }: &mut WeightScratch,
    ) {
        if levels.iter().any(|levels| levels.slope.is_none()) {
            slopes.resize(n, 0.0);
            write_slopes(stretch.of_each(ground.normals), slopes, |degrees| degrees);
        }
        let rows = weights.chunks_exact_mut(n);
        for ((layer, levels), row) in self.layers.iter().zip(levels).zip(rows) {
            let Ground::Preset {
                slope, altitude, ..
            } = layer.kind
            else {
                row.fill(0.0);
                continue;
            };
            row.fill(levels.slope.unwrap_or(1.0) * levels.altitude.unwrap_or(1.0));
            if levels.slope.is_none() {
                multiply(row, slope, slopes);
            }
            if levels.altitude.is_none() {
                multiply(row, altitude, stretch.of(ground.heights));
            }
        }
    }

    /// Scales the weights of each pixel to sum to 1; the fallback takes it where all are 0.
    fn share_out(&self, width: usize, WeightScratch { weights, sums, .. }: &mut WeightScratch) {
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
        ground: &Sources<'_>,
        stretch: Stretch,
        n: usize,
        scratch: &mut WeightScratch,
    ) {
        for (own, layer) in self.layers.iter().enumerate() {
            let Ground::Mask { mask } = layer.kind else {
                continue;
            };
            let cover = &stretch.of(ground.masks[mask])[..n];
            if !cover.iter().fold(false, |any, &c| any | (c > 0.0)) {
                scratch.weights[own * n..(own + 1) * n].fill(0.0);
                continue;
            }
            for (band, row) in scratch.weights.chunks_exact_mut(n).enumerate() {
                for (w, &c) in row.iter_mut().zip(cover) {
                    // NaN fails the comparison and becomes 0.
                    let c = if c > 0.0 { f64::from(c.min(1.0)) } else { 0.0 };
                    *w = if band == own { c } else { *w * (1.0 - c) };
                }
            }
        }
    }
}

impl WeightScratch {
    /// Writes the weights of the first `n` pixels as bytes, those of a single one all along the stretch.
    fn write_bytes(&mut self, stretch: Stretch, n: usize, out: &mut Raster<u8>) {
        let from = (stretch.x - out.rect().x0) as usize;
        let kept = if n == stretch.len {
            self.kept.as_slice()
        } else {
            &[-1]
        };
        let bytes = self.quantiser.bytes(&self.weights, kept, n);
        for (band, bytes) in bytes.chunks_exact(n).enumerate() {
            let row = &mut out.row_mut(band, stretch.y)[from..from + stretch.len];
            let pixels = row.iter_mut().zip(&self.kept);
            if n == stretch.len {
                pixels
                    .zip(bytes)
                    .for_each(|((out, &kept), &byte)| *out = byte as u8 & kept as u8);
            } else {
                pixels.for_each(|(out, &kept)| *out = bytes[0] as u8 & kept as u8);
            }
        }
    }
}

fn multiply(row: &mut [f64], band: Option<Trapezoid>, values: &[f64]) {
    if let Some(band) = band {
        for (w, &v) in row.iter_mut().zip(values) {
            *w *= band.weight(v);
        }
    }
}
