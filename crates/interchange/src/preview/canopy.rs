//! Crowns too small to be told apart: a tint as dense as they are.

use super::palette::Rgb;

/// Where the densest twentieth of the canopy covers less than this of the ground, it is drawn denser, since nobody would see it.
const LEAST_COVER: f32 = 0.1;

/// What the densest twentieth is lifted to then, as crown area over ground: e^−0.6 of the ground stays open.
const SHOWN_COVER: f32 = 0.6;

/// Which share of the plants must be too small to be told apart for any of that: beside crowns to scale, all are to scale.
const MOST_ARE_SMALL: f64 = 0.9;

/// Plants that the tint of a pixel is the mean of, at least: fewer are noise.
const LEAST_PLANTS: f64 = 12.0;

/// The widest mean, in pixels.
const WIDEST: f64 = 32.0;

/// Side of the blocks that tell where plants stand at all.
const BLOCK: usize = 16;

/// The summed crown area of each pixel, in its own area, and colour times area.
pub(super) struct Canopy {
    width: usize,
    pixels: Vec<[f32; 4]>,
    /// How many times wider than they are the crowns are drawn.
    pub(super) enlarged: f32,
}

impl Canopy {
    /// From the sums of `n_small` crowns, row by row, where there are `n_plants` in all.
    pub(super) fn new(width: usize, pixels: Vec<[f32; 4]>, n_small: u64, n_plants: u64) -> Self {
        let mut canopy = Self {
            width,
            pixels,
            enlarged: 1.0,
        };
        if n_small > 0 && n_small as f64 >= MOST_ARE_SMALL * n_plants as f64 {
            canopy.soften(n_small);
            canopy.lift();
        }
        canopy
    }

    /// The mean colour of a pixel's small crowns, and the share of it that they cover.
    pub(super) fn tint(&self, pixel: usize) -> (Rgb, f32) {
        let [area, colour @ ..] = self.pixels[pixel];
        // Crowns strewn at random leave e^−area of the ground open.
        let cover = 1.0 - (-area).exp();
        (colour.map(|c| c / area.max(f32::MIN_POSITIVE)), cover)
    }

    /// Spreads sparse crowns over so many pixels that their density shows and not their dots.
    fn soften(&mut self, n_plants: u64) {
        let height = self.pixels.len() / self.width;
        let (columns, rows) = (self.width.div_ceil(BLOCK), height.div_ceil(BLOCK));
        let mut occupied = vec![false; columns * rows];
        for (idx, _) in self
            .pixels
            .iter()
            .enumerate()
            .filter(|(_, sums)| sums[0] > 0.0)
        {
            occupied[idx / self.width / BLOCK * columns + idx % self.width / BLOCK] = true;
        }
        let n_blocks = occupied.iter().filter(|&&any| any).count().max(1);
        let density = n_plants as f64 / (n_blocks * BLOCK * BLOCK) as f64;
        let side = (LEAST_PLANTS / density).sqrt().min(WIDEST);
        let radius = (side / 2.0) as usize;
        if radius == 0 {
            return;
        }
        // Two means in a row fall off like a tent: no boxes show.
        for _ in 0..2 {
            let pixels = std::mem::take(&mut self.pixels);
            let across = means(&pixels, height, self.width, radius);
            self.pixels = means(&across, self.width, height, radius);
        }
    }

    fn lift(&mut self) {
        let mut areas: Vec<f32> = self
            .pixels
            .iter()
            .map(|sums| sums[0])
            .filter(|&a| a > 0.0)
            .collect();
        if areas.is_empty() {
            return;
        }
        let rank = (areas.len() - 1) * 19 / 20;
        let (_, &mut dense, _) = areas.select_nth_unstable_by(rank, f32::total_cmp);
        if dense >= LEAST_COVER {
            return;
        }
        let gain = SHOWN_COVER / dense;
        self.enlarged = gain.sqrt();
        for sums in &mut self.pixels {
            *sums = sums.map(|sum| sum * gain);
        }
    }
}

/// The mean over each line's `2 · radius + 1` neighbours, fewer at its ends; the result is transposed.
fn means(pixels: &[[f32; 4]], n_lines: usize, length: usize, radius: usize) -> Vec<[f32; 4]> {
    let mut out = vec![[0.0; 4]; pixels.len()];
    let mut sums = vec![[0.0_f64; 4]; length + 1];
    for (line, values) in pixels.chunks_exact(length).enumerate() {
        for (idx, value) in values.iter().enumerate() {
            sums[idx + 1] = std::array::from_fn(|k| sums[idx][k] + f64::from(value[k]));
        }
        for idx in 0..length {
            let (from, to) = (idx.saturating_sub(radius), (idx + radius + 1).min(length));
            let n = (to - from) as f64;
            out[idx * n_lines + line] =
                std::array::from_fn(|k| ((sums[to][k] - sums[from][k]) / n) as f32);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_crowns_stay_as_they_are() {
        let pixels = vec![[0.5, 50.0, 100.0, 25.0]; 40 * 30];
        let canopy = Canopy::new(40, pixels, 1_000_000, 1_000_000);
        let (colour, cover) = canopy.tint(77);
        assert_eq!(colour, [100.0, 200.0, 50.0]);
        assert!((cover - (1.0 - (-0.5_f32).exp())).abs() < 1e-6);
        assert_eq!(canopy.enlarged, 1.0);
    }

    #[test]
    fn sparse_crowns_are_spread_and_lifted_and_it_is_said() {
        let mut pixels = vec![[0.0; 4]; 96 * 64];
        for idx in (0..pixels.len()).step_by(97 * 3) {
            pixels[idx] = [1e-4, 1e-2, 1e-2, 1e-2];
        }
        let canopy = Canopy::new(96, pixels, 21, 21);
        assert!(canopy.enlarged > 10.0, "{}", canopy.enlarged);
        let (colour, cover) = canopy.tint(32 * 96 + 48);
        assert!(
            cover > 0.2 && cover < 0.9 && (colour[0] - 100.0).abs() < 0.1,
            "{cover} {colour:?}"
        );
    }

    #[test]
    fn a_mean_is_the_mean_of_its_neighbours() {
        let line: Vec<[f32; 4]> = [1.0, 2.0, 6.0, 3.0].map(|v| [v; 4]).to_vec();
        let found: Vec<f32> = means(&line, 1, 4, 1).iter().map(|v| v[0]).collect();
        assert_eq!(found, [1.5, 3.0, 11.0 / 3.0, 4.5]);
    }
}
