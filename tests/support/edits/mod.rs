//! Small random worlds, and random edits of all that a bake reads.

#![allow(dead_code, clippy::unwrap_used)]

mod dirt;
mod files;
mod species;

use ecotone_grid::{Rect, mix};

pub use dirt::Dirt;
use species::Species;

/// Random numbers from a seed, the same on every machine.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(mix(seed ^ 0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// From 0 to n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// From `lo` to `hi`, both included.
    pub fn from(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as usize) as i64
    }

    /// True so many times out of a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// All that a bake reads: files and config.
#[derive(Clone, PartialEq)]
pub struct State {
    size: (i64, i64),
    pixel: (f64, f64),
    corner: (f64, f64),
    /// NaN for a void.
    heights: Vec<f32>,
    /// Of the stratum `field`.
    mask: Vec<u8>,
    /// Of a correction.
    paint: Vec<u8>,
    patches: Vec<Patch>,
    /// Corners of a road in pixels, and its width in metres.
    road: (Vec<(i64, i64)>, f64),
    rules: Rules,
}

/// A patch of heights.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Patch {
    id: u64,
    at: Rect,
    mode: &'static str,
    height: f32,
    /// Whether every third pixel is void.
    is_ragged: bool,
}

/// What a config says beside its files.
#[derive(Clone, PartialEq)]
struct Rules {
    /// The longer side of a pixel, for lengths that suit it.
    side_m: f64,
    seed: u64,
    tile: i64,
    chunk: f64,
    gradient: &'static str,
    smoothing: f64,
    threshold: f64,
    max_distance: f64,
    compression: &'static str,
    fields: &'static str,
    split: i64,
    blend: i64,
    altitude: Option<i64>,
    noise: Option<i64>,
    curvature: bool,
    /// Up to which altitude the biome of some species lies.
    biome: i64,
    /// Whether a mask lies over that biome.
    biome_has_mask: bool,
    species: Vec<Species>,
}

const NAMES: [&str; 5] = ["ash", "elm", "fern", "oak", "pine"];

impl State {
    pub fn random(dice: &mut Dice) -> Self {
        let size = (dice.from(24, 80), dice.from(24, 80));
        let pixel = dice.pick(&[(1.0, 1.0), (1.0, 1.0), (2.0, 3.0), (0.75, 0.5)]);
        let n_pixels = (size.0 * size.1) as usize;
        let relief = dice.next();
        let noise = |i: i64, step: i64| {
            let (x, y) = (i % size.0 / step, i / size.0 / step);
            (mix(relief ^ ((x as u64) << 20) ^ y as u64) % 64) as f32 / 16.0
        };
        let heights = (0..n_pixels as i64).map(|i| 4.0 * noise(i, 9) + noise(i, 3) * 0.5);
        let side_m = f64::max(pixel.0, pixel.1);
        let mut state = Self {
            size,
            pixel,
            corner: dice.pick(&[(1000.0, 2000.0), (-5000.5, 700.25)]),
            heights: heights.collect(),
            mask: vec![0; n_pixels],
            paint: vec![0; n_pixels],
            patches: Vec::new(),
            road: (vec![(0, 5), (size.0, size.1 / 2)], 3.0 * side_m),
            rules: Rules {
                side_m,
                seed: 5,
                tile: dice.from(13, 40),
                chunk: dice.from(12, 50) as f64 * side_m,
                gradient: "horn",
                smoothing: dice.pick(&[0.0, 1.0, 2.5]) * side_m,
                threshold: 0.5,
                max_distance: dice.from(3, 14) as f64 * side_m,
                compression: "zstd",
                fields: "",
                split: dice.from(15, 45),
                blend: dice.from(0, 9),
                altitude: None,
                noise: None,
                curvature: false,
                biome: 10,
                biome_has_mask: dice.chance(40),
                species: Vec::new(),
            },
        };
        for name in &NAMES[..dice.below(4)] {
            let species = Species::random(name, side_m, dice);
            state.rules.species.push(species);
        }
        let disc = state.disc(dice, 20);
        state.stroke(disc, |state, i| state.mask[i] = 200);
        state
    }

    fn map(&self) -> Rect {
        Rect::new(0, 0, self.size.0, self.size.1)
    }

    /// A disc at a random place: anywhere, a border, a corner, or where four tiles meet.
    fn disc(&self, dice: &mut Dice, most: i64) -> (i64, i64, i64) {
        let (w, h) = self.size;
        let tile = self.rules.tile;
        let corner_of_tile = |dice: &mut Dice, side: i64| {
            (tile * dice.from(0, side / tile) - dice.from(0, 1)).clamp(0, side - 1)
        };
        let (x, y) = match dice.below(6) {
            0 => (dice.pick(&[0, w - 1]), dice.from(0, h - 1)),
            1 => (dice.pick(&[0, w - 1]), dice.pick(&[0, h - 1])),
            2 => (corner_of_tile(dice, w), corner_of_tile(dice, h)),
            _ => (dice.from(0, w - 1), dice.from(0, h - 1)),
        };
        let radius = match dice.chance(70) {
            true => dice.from(0, 5),
            false => dice.from(1, most),
        };
        (x, y, radius)
    }

    fn stroke(&mut self, (cx, cy, r): (i64, i64, i64), mut each: impl FnMut(&mut Self, usize)) {
        for y in (cy - r).max(0)..(cy + r + 1).min(self.size.1) {
            for x in (cx - r).max(0)..(cx + r + 1).min(self.size.0) {
                if (x - cx).pow(2) + (y - cy).pow(2) <= r * r {
                    each(self, (y * self.size.0 + x) as usize);
                }
            }
        }
    }

    /// Changes something, and says what.
    pub fn edit(&mut self, dice: &mut Dice) -> String {
        match dice.below(100) {
            0..30 => self.edit_heights(dice),
            30..52 => self.edit_masks(dice),
            52..66 => self.edit_patches(dice),
            66..74 => self.edit_road(dice),
            74..87 => self.rules.edit(dice),
            _ => self.rules.edit_species(dice),
        }
    }

    fn edit_heights(&mut self, dice: &mut Dice) -> String {
        let disc = self.disc(dice, 40);
        match dice.below(5) {
            0 => self.stroke(disc, |state, i| state.heights[i] = f32::NAN),
            1 => {
                // Out of a void too.
                let level = dice.from(0, 20) as f32;
                self.stroke(disc, |state, i| state.heights[i] = level);
            }
            _ => {
                let lift = dice.pick(&[-3.0, 0.5, 5.0, 1.0 / 64.0]);
                self.stroke(disc, |state, i| state.heights[i] += lift);
            }
        }
        format!("heights in {disc:?}")
    }

    fn edit_masks(&mut self, dice: &mut Dice) -> String {
        let disc = self.disc(dice, 25);
        let share = dice.pick(&[0, 100, 180, 255]);
        if dice.chance(50) {
            self.stroke(disc, |state, i| state.mask[i] = share);
            format!("mask in {disc:?}")
        } else {
            self.stroke(disc, |state, i| state.paint[i] = share);
            format!("correction in {disc:?}")
        }
    }

    fn edit_patches(&mut self, dice: &mut Dice) -> String {
        if !self.patches.is_empty() && dice.chance(40) {
            let idx = dice.below(self.patches.len());
            let patch = self.patches.remove(idx);
            return format!("without {patch:?}");
        }
        if self.patches.len() > 1 && dice.chance(20) {
            self.patches.reverse();
            return "patches in another order".to_owned();
        }
        let (x, y, r) = self.disc(dice, 15);
        let patch = Patch {
            id: dice.next() % 1_000_000,
            at: Rect::new(x - r, y - r / 2, x + r + 1, y + r + 1),
            mode: dice.pick(&["replace", "add", "max", "min"]),
            height: dice.from(-3, 12) as f32,
            is_ragged: dice.chance(50),
        };
        self.patches.push(patch);
        format!("{patch:?}")
    }

    fn edit_road(&mut self, dice: &mut Dice) -> String {
        let (w, h) = self.size;
        let corner = dice.below(self.road.0.len());
        match dice.below(4) {
            0 if self.road.0.len() < 5 => {
                let at = (dice.from(-9, w + 9), dice.from(-9, h + 9));
                self.road.0.push(at);
            }
            1 if self.road.0.len() > 2 => drop(self.road.0.pop()),
            2 => self.road.1 = dice.from(1, 6) as f64 * self.pixel.0,
            _ => self.road.0[corner] = (dice.from(0, w), dice.from(0, h)),
        }
        format!("road {:?}", self.road)
    }
}

impl Rules {
    fn edit(&mut self, dice: &mut Dice) -> String {
        match dice.below(16) {
            0 => self.seed = dice.next() % 3,
            1 => self.tile = dice.from(13, 40),
            2 => self.chunk = dice.from(12, 50) as f64 * self.side_m,
            3 => self.gradient = dice.pick(&["horn", "central"]),
            4 => self.smoothing = dice.from(0, 4) as f64 * self.side_m,
            5 => self.threshold = dice.pick(&[0.3, 0.5, 0.501, 0.7]),
            6 => self.max_distance = dice.from(3, 16) as f64 * self.side_m,
            7 => self.compression = dice.pick(&["zstd", "deflate", "none"]),
            8 => {
                self.fields =
                    dice.pick(&["", "'slope'", "'normals', 'slope'", "'slope', 'normals'"])
            }
            9 => self.split = dice.from(15, 45),
            10 => self.blend = dice.from(0, 9),
            11 => self.altitude = dice.pick(&[None, Some(10), Some(14)]),
            12 => self.noise = dice.pick(&[None, Some(7), Some(30)]),
            13 => self.biome = dice.from(3, 14),
            14 => self.biome_has_mask = !self.biome_has_mask,
            _ => self.curvature = dice.chance(50),
        }
        "rules".to_owned()
    }

    fn edit_species(&mut self, dice: &mut Dice) -> String {
        let absent: Vec<&str> = NAMES
            .into_iter()
            .filter(|name| self.species.iter().all(|own| own.name != *name))
            .collect();
        let n = self.species.len();
        match dice.below(4) {
            0 if n > 0 => {
                let gone = self.species.remove(dice.below(n));
                format!("without {}", gone.name)
            }
            1 if n > 1 => {
                self.species.rotate_left(1);
                "species in another order".to_owned()
            }
            2 if n > 0 => {
                let idx = dice.below(n);
                self.species[idx] = Species::random(self.species[idx].name, self.side_m, dice);
                format!("another {}", self.species[idx].name)
            }
            _ if !absent.is_empty() => {
                let name = dice.pick(&absent);
                self.species
                    .insert(dice.below(n + 1), Species::random(name, self.side_m, dice));
                format!("with {name}")
            }
            _ => "nothing".to_owned(),
        }
    }
}
