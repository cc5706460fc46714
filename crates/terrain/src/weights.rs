//! Stratum weights: bands of the ground, then masks over them, as bytes that sum to 255.

use ecotone_grid::{Raster, Rect, Window};

use crate::presets::{PresetScratch, Presets};
use crate::quantise::Quantiser;
use crate::strata::{Layer, Strata};
use crate::stretch::{Ground, Sources, Stretch};

/// Pixels that are looked at together: few enough that all weights are often level, enough to be worth the look.
const STRETCH: usize = 64;

/// Memory that [`weights`] works in: a few pixels of each stratum.
#[derive(Clone, Debug, Default)]
pub struct WeightScratch {
    /// Of each pixel of a stretch, stratum after stratum.
    weights: Vec<f64>,
    sums: Vec<f64>,
    /// All bits of a pixel, none of a void.
    kept: Vec<i8>,
    /// Of a mask that covers a part of a stretch.
    cover: Vec<f32>,
    presets: PresetScratch,
    quantiser: Quantiser,
}

/// Writes the weight of each stratum at each pixel: one band per stratum, summing to 255, all 0 on voids.
///
/// `out` is made to cover the normals of `ground` less [`Strata::reach`] on every side; heights cover at least that. There is
/// a mask for each layer; what it does not cover is 0, and a mask that lies elsewhere costs nothing. Presets share a pixel in proportion to their raw weights. Then the layers
/// go over it, in order. Where no weight is left, the fallback takes the pixel. Without any preset the weights of the
/// layers are scaled to sum to 1, and where all are 0 the first stratum takes the pixel. The bytes go to the largest
/// remainders, compared in 1/2²⁴, ties to the first listed.
pub fn weights(
    ground: &Ground<'_>,
    strata: &Strata,
    scratch: &mut WeightScratch,
    out: &mut Raster<u8>,
) {
    assert_eq!(ground.masks.len(), strata.layers.len(), "masks of layers");
    let rect = ground.normals.rect().shrink(strata.reach());
    out.cover(rect, strata.n_bands(), 0);
    if rect.is_empty() || strata.bands.is_empty() {
        return;
    }
    let shares = Shares::new(strata, ground.masks, rect);
    let sources = Sources::of(ground);
    for y in rect.y0..rect.y1 {
        for x in (rect.x0..rect.x1).step_by(STRETCH) {
            let len = STRETCH.min((rect.x1 - x) as usize);
            shares.write(&sources, Stretch { x, y, len }, scratch, out);
        }
    }
}

/// The strata and what is known of them for all pixels.
struct Shares<'a> {
    presets: Presets,
    /// With their masks; without the corrections that lie elsewhere.
    layers: Vec<(Layer, Window<'a, f32>)>,
    n_bands: usize,
    has_presets: bool,
    /// The stratum that takes a pixel where there is no weight.
    fallback: usize,
}

impl<'a> Shares<'a> {
    fn new(strata: &Strata, masks: &[Window<'a, f32>], rect: Rect) -> Self {
        let layers = strata.layers.iter().copied().zip(masks.iter().copied());
        let is_seen = |(layer, mask): &(Layer, Window<'_, f32>)| {
            matches!(layer, Layer::Over { .. }) || !mask.rect().intersect(&rect).is_empty()
        };
        let mut bands = strata.bands.iter();
        let marked = bands.position(|band| band.is_some_and(|preset| preset.fallback));
        let first = strata.bands.iter().position(Option::is_some);
        Self {
            presets: Presets::new(&strata.bands),
            layers: layers.filter(is_seen).collect(),
            n_bands: strata.n_bands(),
            has_presets: first.is_some(),
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
        let [_, _, up] = stretch.of_each(ground.normals);
        let pixels = up.iter().zip(stretch.of(ground.heights));
        scratch.kept.clear();
        scratch
            .kept
            .extend(pixels.map(|(n, h)| i8::from(n.is_nan() | h.is_nan()) - 1));

        let level = self.presets.look(ground, stretch, &mut scratch.presets)
            && self.layers.iter().all(|(_, mask)| stretch.is_level(*mask));
        let n = if level { 1 } else { stretch.len };
        scratch.weights.resize(self.n_bands * n, 0.0);
        let (presets, weights) = (&mut scratch.presets, &mut scratch.weights);
        self.presets.write(ground, stretch, n, presets, weights);
        scratch.share_out(n, self.fallback, |_| true);
        let mut cover = std::mem::take(&mut scratch.cover);
        self.lay(stretch, n, &mut cover, scratch);
        scratch.cover = cover;
        if !self.has_presets {
            scratch.share_out(n, self.fallback, |_| true);
        }
        scratch.write_bytes(stretch, n, out);
    }

    /// Lays the masks over the ground in listed order.
    fn lay(&self, stretch: Stretch, n: usize, cover: &mut Vec<f32>, scratch: &mut WeightScratch) {
        for &(layer, mask) in &self.layers {
            let cover = stretch.of_mask(mask, n, cover);
            let is_bare = !cover.iter().fold(false, |any, &c| any | (c > 0.0));
            match layer {
                Layer::Over { band } if is_bare => {
                    scratch.weights[band * n..(band + 1) * n].fill(0.0);
                }
                Layer::Over { band } => scratch.lay_over(band, cover),
                Layer::Add { .. } | Layer::Subtract { .. } if is_bare => {}
                Layer::Add { target } => scratch.correct(target, 1.0, cover, self.fallback),
                Layer::Subtract { target } => scratch.correct(target, -1.0, cover, self.fallback),
            }
        }
    }
}

/// A mask's value as a share.
#[inline(always)]
fn share(c: f32) -> f64 {
    // NaN fails the comparison and becomes 0.
    if c > 0.0 { f64::from(c.min(1.0)) } else { 0.0 }
}

impl WeightScratch {
    /// Scales the weights of each pixel to sum to 1, of the first `n` pixels those that are `wanted`; the fallback takes
    /// a pixel where all are 0.
    fn share_out(&mut self, n: usize, fallback: usize, wanted: impl Fn(usize) -> bool) {
        let Self { weights, sums, .. } = self;
        sums.clear();
        sums.resize(n, 0.0);
        for row in weights.chunks_exact(n) {
            for (sum, &w) in sums.iter_mut().zip(row) {
                *sum += w;
            }
        }
        let fallback = &mut weights[fallback * n..(fallback + 1) * n];
        for (x, (w, sum)) in fallback.iter_mut().zip(sums.iter_mut()).enumerate() {
            // What is not wanted keeps its weights to the last bit: a factor of 1.
            *sum = if wanted(x) { *sum } else { 1.0 };
            let none = *sum <= 0.0;
            *w = if none { 1.0 } else { *w };
            *sum = 1.0 / if none { 1.0 } else { *sum };
        }
        for row in weights.chunks_exact_mut(n) {
            for (w, &k) in row.iter_mut().zip(sums.iter()) {
                *w *= k;
            }
        }
    }

    /// Lays a stratum over all others: it takes c, everything else keeps 1 − c.
    fn lay_over(&mut self, own: usize, cover: &[f32]) {
        for (band, row) in self.weights.chunks_exact_mut(cover.len()).enumerate() {
            for (w, &c) in row.iter_mut().zip(cover) {
                let c = share(c);
                *w = if band == own { c } else { *w * (1.0 - c) };
            }
        }
    }

    /// Moves the weight of a stratum up or down by c, and shares out again where that is more than nothing.
    fn correct(&mut self, target: usize, sign: f64, cover: &[f32], fallback: usize) {
        let n = cover.len();
        let row = &mut self.weights[target * n..(target + 1) * n];
        for (w, &c) in row.iter_mut().zip(cover) {
            let moved = (*w + sign * share(c)).clamp(0.0, 1.0);
            *w = if c > 0.0 { moved } else { *w };
        }
        self.share_out(n, fallback, |x| cover[x] > 0.0);
    }

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
