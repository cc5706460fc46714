//! Plants from above: crowns with light and shadow from near, a tint as dense as they are from afar.
//!
//! Nothing here depends on the order in which plants come, so a picture does not show how a world is cut into chunks.

use ecotone_store::PlantRecord;

use super::palette::Rgb;
use super::view::View;
use crate::{Finished, InterchangeError};

/// Radius of the crown that a plant of size 1 is drawn with, in metres; a world does not say how wide its meshes are.
pub const CROWN_RADIUS_M: f64 = 1.5;

/// Crowns of a smaller radius in pixels are not told apart.
const LEAST_RADIUS_PX: f64 = 0.75;

/// Crowns of a smaller radius in pixels throw no shadow.
const LEAST_SHADOW_PX: f64 = 2.0;

/// How far a shadow falls to the right and down, in radii.
const SHADOW_SHIFT: f64 = 0.55;

/// Samples along each side of a pixel.
const FINE: usize = 4;

/// Rows of a picture that are drawn at once.
const BAND_ROWS: usize = 96;

/// Steps of a pixel's area in the sums of far crowns.
const AREA_STEPS: f64 = 65536.0;

/// What the plants cover of one pixel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cover {
    /// Mean colour of the crowns.
    pub(super) colour: Rgb,
    /// Share of the pixel that crowns cover.
    pub(super) alpha: f32,
    /// Share of the pixel's ground that lies in shadow.
    pub(super) shadow: f32,
}

/// Draws the plants of a view; returns what they cover, row-major, and how many of each species stand in it.
pub(super) fn draw(
    world: &Finished,
    view: &View,
    colours: &[Rgb],
) -> Result<(Vec<Cover>, Vec<u64>), InterchangeError> {
    let steps: Vec<f64> = world.manifest().species.iter().map(|s| s.size_step).collect();
    let largest = steps.iter().copied().fold(0.0, f64::max) * f64::from(u16::MAX);
    let margin = CROWN_RADIUS_M * largest * (1.0 + SHADOW_SHIFT) + view.pixel_m()[1];
    let mut covers = Vec::with_capacity(view.width * view.height);
    let mut counts = vec![0; steps.len()];
    let mut band = Band::default();
    let [west, south, east, north] = view.bounds;
    for first in (0..view.height).step_by(BAND_ROWS) {
        let end = (first + BAND_ROWS).min(view.height);
        band.reset(view.width, first, end);
        let y = |row: usize| north - row as f64 * view.pixel_m()[1];
        let (lower, upper) = (y(end).max(south), y(first));
        let bounds = [west - margin, lower - margin, east + margin, upper + margin];
        world.plants_in(bounds, &mut |species, plant| {
            let crown = Crown::new(view, plant, steps[species], colours[species]);
            counts[species] += u64::from(band.holds(&crown));
            band.add(&crown);
        })?;
        covers.extend((0..band.n_pixels()).map(|pixel| band.cover(pixel)));
    }
    Ok((covers, counts))
}

/// A plant on the picture, in its pixels.
struct Crown {
    x: f64,
    y: f64,
    radius: f64,
    colour: Rgb,
}

impl Crown {
    fn new(view: &View, plant: &PlantRecord, size_step: f64, colour: Rgb) -> Self {
        let metres = |steps: i64| steps as f64 / ecotone_store::STEPS_PER_METRE as f64;
        let [x, y] = view.place(metres(plant.x), metres(plant.y));
        let size = f64::from(plant.size) * size_step;
        // A tint is the mesh's own affair; here it makes neighbours differ a little.
        let tint = 0.9 + 0.2 * f32::from(plant.tint) / 255.0;
        Self {
            x,
            y,
            radius: CROWN_RADIUS_M * size / view.metres_per_pixel(),
            colour: colour.map(|c| c * tint),
        }
    }
}

/// What the highest crown shows at one sample.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Top {
    height: f32,
    /// Breaks ties, so that the order of plants does not.
    rgb: [u8; 3],
}

const BARE: Top = Top {
    height: 0.0,
    rgb: [0; 3],
};

/// Some rows of a picture.
#[derive(Default)]
struct Band {
    width: usize,
    first: usize,
    rows: usize,
    tops: Vec<Top>,
    shadows: Vec<bool>,
    /// Area in [`AREA_STEPS`], and colour times area, of the far crowns of each pixel: whole numbers, whose sums know no order.
    far: Vec<[u64; 4]>,
}

impl Band {
    fn reset(&mut self, width: usize, first: usize, end: usize) {
        (self.width, self.first, self.rows) = (width, first, end - first);
        let n = self.n_pixels();
        self.tops.clear();
        self.tops.resize(n * FINE * FINE, BARE);
        self.shadows.clear();
        self.shadows.resize(n * FINE * FINE, false);
        self.far.clear();
        self.far.resize(n, [0; 4]);
    }

    fn n_pixels(&self) -> usize {
        self.width * self.rows
    }

    /// Whether the plant's foot stands in these rows.
    fn holds(&self, crown: &Crown) -> bool {
        let (x, y) = (crown.x, crown.y - self.first as f64);
        x >= 0.0 && y >= 0.0 && x < self.width as f64 && y < self.rows as f64
    }

    fn add(&mut self, crown: &Crown) {
        if crown.radius < LEAST_RADIUS_PX {
            return self.add_far(crown);
        }
        if crown.radius >= LEAST_SHADOW_PX {
            let shift = SHADOW_SHIFT * crown.radius;
            let (x, y) = (crown.x + shift, crown.y + shift);
            self.each_sample([x, y], crown.radius, |band, at, _| band.shadows[at] = true);
        }
        let radius = crown.radius as f32;
        self.each_sample([crown.x, crown.y], crown.radius, |band, at, [u, v]| {
            let up = (1.0 - u * u - v * v).max(0.0).sqrt();
            // Light from the upper left; small crowns are flat.
            let form = ((radius - 1.0) / 4.0).clamp(0.0, 1.0);
            let lit = 1.0 + form * (0.5 * (0.75 * up - 0.5 * u - 0.5 * v) - 0.3);
            let rgb = crown.colour.map(|c| (c * lit).clamp(0.0, 255.0) as u8);
            let height = radius * (1.0 + up);
            let top = Top { height, rgb };
            if top > band.tops[at] {
                band.tops[at] = top;
            }
        });
    }

    /// Calls `each(band, sample, [u, v])` for the samples within a disc, `u` right and `v` down in radii.
    fn each_sample(
        &mut self,
        [x, y]: [f64; 2],
        radius: f64,
        mut each: impl FnMut(&mut Self, usize, [f32; 2]),
    ) {
        let fine = FINE as f64;
        let (width, height) = (self.width * FINE, self.rows * FINE);
        let (cx, cy, r) = (x * fine - 0.5, (y - self.first as f64) * fine - 0.5, radius * fine);
        let range = |c: f64, n: usize| {
            let first = (c - r).ceil().clamp(0.0, n as f64) as usize;
            first..((c + r).floor() + 1.0).clamp(first as f64, n as f64) as usize
        };
        for row in range(cy, height) {
            let v = ((row as f64 - cy) / r) as f32;
            for column in range(cx, width) {
                let u = ((column as f64 - cx) / r) as f32;
                if u * u + v * v <= 1.0 {
                    each(self, row * width + column, [u, v]);
                }
            }
        }
    }

    /// Shares a small crown's area among the four pixels around it.
    fn add_far(&mut self, crown: &Crown) {
        let area = std::f64::consts::PI * crown.radius * crown.radius;
        let (x, y) = (crown.x - 0.5, crown.y - 0.5 - self.first as f64);
        let (x0, y0) = (x.floor(), y.floor());
        for (dx, dy) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            let share = (1.0 - (x - x0 - dx).abs()) * (1.0 - (y - y0 - dy).abs());
            let (column, row) = (x0 + dx, y0 + dy);
            let inside = column >= 0.0 && row >= 0.0;
            if !inside || column >= self.width as f64 || row >= self.rows as f64 {
                continue;
            }
            let steps = (area * share * AREA_STEPS).round() as u64;
            let sums = &mut self.far[row as usize * self.width + column as usize];
            sums[0] += steps;
            for (sum, c) in sums[1..].iter_mut().zip(crown.colour) {
                *sum += steps * c.clamp(0.0, 255.0) as u64;
            }
        }
    }

    fn cover(&self, pixel: usize) -> Cover {
        let (row, column) = (pixel / self.width, pixel % self.width);
        let (mut sum, mut n, mut n_shadows) = ([0.0_f32; 3], 0.0_f32, 0.0_f32);
        for fine_row in row * FINE..(row + 1) * FINE {
            let start = fine_row * self.width * FINE + column * FINE;
            for at in start..start + FINE {
                n_shadows += f32::from(u8::from(self.shadows[at]));
                if self.tops[at] != BARE {
                    n += 1.0;
                    (0..3).for_each(|k| sum[k] += f32::from(self.tops[at].rgb[k]));
                }
            }
        }
        let samples = (FINE * FINE) as f32;
        let near = (n / samples, sum.map(|s| s / n.max(1.0)));
        let [steps, colours @ ..] = self.far[pixel];
        let far_colour = colours.map(|c| c as f32 / steps.max(1) as f32);
        // Crowns strewn at random leave e^−area of the ground open.
        let far_alpha = 1.0 - (-(steps as f64) / AREA_STEPS).exp() as f32;
        let far_alpha = far_alpha * (1.0 - near.0);
        let alpha = near.0 + far_alpha;
        let part = |k: usize| (near.0 * near.1[k] + far_alpha * far_colour[k]) / alpha.max(1e-6);
        Cover {
            colour: [part(0), part(1), part(2)],
            alpha,
            shadow: n_shadows / samples,
        }
    }
}
