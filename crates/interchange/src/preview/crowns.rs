//! Plants from above: crowns with light and shadow from near, a tint as dense as they are from afar.
//!
//! Nothing here depends on the order in which plants come, so a picture does not show how a world is cut into chunks.

use ecotone_grid::mix;
use ecotone_store::{PlantRecord, SpeciesRecord};

use super::canopy::Canopy;
use super::palette::Rgb;
use super::view::View;
use crate::{Finished, InterchangeError};

/// Radius of the crown that a plant of size 1 is drawn with, in metres, where its species says neither footprint nor spacing.
const CROWN_RADIUS_M: f64 = 1.5;

/// Crowns reach farther than the ground that a plant keeps to itself: neighbours touch.
const CROWN_PER_FOOTPRINT: f64 = 1.25;

/// Of species without a footprint, neighbours that stand as close as they may overlap a little.
const CROWN_PER_SPACING: f64 = 0.6;

/// Radius in metres of the crown that a plant of size 1 is drawn with; a world does not say how wide its meshes are.
fn crown_radius_m(species: &SpeciesRecord) -> f64 {
    if species.footprint > 0.0 {
        CROWN_PER_FOOTPRINT * species.footprint
    } else if species.spacing > 0.0 {
        CROWN_PER_SPACING * species.spacing
    } else {
        CROWN_RADIUS_M
    }
}

/// Crowns of a smaller radius in pixels are not told apart.
const LEAST_RADIUS_PX: f64 = 1.1;

/// Crowns of a smaller radius in pixels throw no shadow.
const LEAST_SHADOW_PX: f64 = 2.0;

/// How far a shadow falls to the right and down, in radii.
const SHADOW_SHIFT: f64 = 0.5;

/// What shadow leaves of a crown's colour.
const SHADED_CROWN: f32 = 0.66;

/// Crowns of a larger radius in pixels have leaves.
const LEAFY_PX: f64 = 5.0;

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
    /// Share of the pixel that crowns cover which can be told apart: they are lit by themselves.
    pub(super) near: f32,
    /// Share of the pixel's ground that lies in shadow.
    pub(super) shadow: f32,
}

/// The plants of a view.
pub(super) struct Crowns {
    /// What they cover of each pixel, row by row.
    pub(super) covers: Vec<Cover>,
    /// How many of each species stand in it.
    pub(super) counts: Vec<u64>,
    /// How many times wider than they are the small ones are drawn.
    pub(super) enlarged: f32,
}

/// Draws the plants of a view, each species in its colour.
pub(super) fn draw(
    world: &Finished,
    view: &View,
    colours: &[Rgb],
) -> Result<Crowns, InterchangeError> {
    // Metres of crown in one step of a size.
    let step_m = |species: &SpeciesRecord| species.size_step * crown_radius_m(species);
    let steps: Vec<f64> = world.manifest().species.iter().map(step_m).collect();
    let largest = steps.iter().copied().fold(0.0, f64::max) * f64::from(u16::MAX);
    let margin = largest * (1.0 + SHADOW_SHIFT) + view.pixel_m()[1];
    let mut covers = Vec::with_capacity(view.width * view.height);
    let mut far = Vec::with_capacity(view.width * view.height);
    let mut counts = vec![0; steps.len()];
    let mut n_far = 0;
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
            let counted = u64::from(band.holds(&crown));
            counts[species] += counted;
            n_far += if crown.is_far() { counted } else { 0 };
            band.add(&crown);
        })?;
        covers.extend((0..band.n_pixels()).map(|pixel| band.cover(pixel)));
        far.extend(
            band.far
                .iter()
                .map(|sums| sums.map(|sum| (sum as f64 / AREA_STEPS) as f32)),
        );
    }
    let canopy = Canopy::new(view.width, far, n_far, counts.iter().sum());
    for (pixel, cover) in covers.iter_mut().enumerate() {
        cover.lay_under(canopy.tint(pixel));
    }
    let enlarged = canopy.enlarged;
    Ok(Crowns {
        covers,
        counts,
        enlarged,
    })
}

impl Cover {
    /// Puts small crowns where larger ones leave the ground open.
    fn lay_under(&mut self, (colour, cover): (Rgb, f32)) {
        let (near, open) = (self.near, cover * (1.0 - self.near));
        let alpha = near + open;
        self.colour = std::array::from_fn(|k| {
            (near * self.colour[k] + open * colour[k]) / alpha.max(f32::MIN_POSITIVE)
        });
        self.alpha = alpha;
    }
}

/// A plant on the picture, in its pixels.
struct Crown {
    x: f64,
    y: f64,
    radius: f64,
    colour: Rgb,
    /// Makes its outline and leaves its own.
    seed: u64,
}

impl Crown {
    fn new(view: &View, plant: &PlantRecord, step_m: f64, colour: Rgb) -> Self {
        let metres = |steps: i64| steps as f64 / ecotone_store::STEPS_PER_METRE as f64;
        let [x, y] = view.place(metres(plant.x), metres(plant.y));
        // A tint is the mesh's own affair; here it makes neighbours differ a little.
        let tint = 0.9 + 0.2 * f32::from(plant.tint) / 255.0;
        Self {
            x,
            y,
            radius: f64::from(plant.size) * step_m / view.metres_per_pixel(),
            colour: colour.map(|c| c * tint),
            seed: mix(plant.x as u64 ^ mix(plant.y as u64)),
        }
    }

    fn is_far(&self) -> bool {
        self.radius < LEAST_RADIUS_PX
    }

    /// How far the rim lies in from a circle in the direction of (u, v), a share of the radius.
    fn dent(&self, u: f32, v: f32) -> f32 {
        let r = (u * u + v * v).sqrt().max(1e-6);
        let (c, s) = (u / r, v / r);
        // Cosines and sines of multiples of the angle, as powers of c + is.
        let power = |n: usize| (1..n).fold((c, s), |(a, b), _| (a * c - b * s, a * s + b * c));
        let turn = |bits: u32| (self.seed >> bits & 0xff) as f32 / 128.0 - 1.0;
        let lobes = |(a, b): (f32, f32), bits: u32| a * turn(bits) + b * turn(bits + 8);
        0.1 + 0.045 * lobes(power(3), 0) + 0.035 * lobes(power(5), 16) + 0.035 * lobes(power(9), 32)
    }

    /// Light and dark clumps of leaves, a few to a crown.
    fn leaves(&self, u: f32, v: f32) -> f32 {
        let at = |i: f32, j: f32| {
            let place = (i as i64 as u64) << 32 ^ (j as i64 as u64 & 0xffff_ffff);
            (mix(self.seed ^ place) >> 40) as f32 / (1 << 24) as f32
        };
        let (x, y) = (u * 3.5, v * 3.5);
        let (i, j) = (x.floor(), y.floor());
        let (s, t) = (x - i, y - j);
        let (s, t) = (s * s * (3.0 - 2.0 * s), t * t * (3.0 - 2.0 * t));
        let row = |j: f32| at(i, j) * (1.0 - s) + at(i + 1.0, j) * s;
        row(j) * (1.0 - t) + row(j + 1.0) * t - 0.5
    }

    /// The crown at (u, v), in radii from its middle; `None` beyond its rim.
    fn top(&self, u: f32, v: f32) -> Option<Top> {
        let leafy = self.radius >= LEAFY_PX;
        let square = u * u + v * v;
        let rim = if leafy { 1.0 - self.dent(u, v) } else { 1.0 };
        if square > rim * rim {
            return None;
        }
        let up = (1.0 - square / (rim * rim)).sqrt();
        // Light from the upper left; small crowns are flat.
        let radius = self.radius as f32;
        let form = ((radius - 1.0) / 4.0).clamp(0.0, 1.0);
        let leaves = if leafy { 0.3 * self.leaves(u, v) } else { 0.0 };
        let lit = 1.0 + form * (0.24 * up - 0.19 * (u + v) - 0.17 + leaves);
        Some(Top {
            // Larger crowns lie over smaller ones, and domes of one size meet in the middle.
            height: radius * (1.2 + 0.25 * up),
            rgb: self.colour.map(|c| (c * lit).clamp(0.0, 255.0) as u8),
        })
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
    /// Radius of the largest crown whose shadow falls there; 0 for none.
    shadows: Vec<f32>,
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
        self.shadows.resize(n * FINE * FINE, 0.0);
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
        if crown.is_far() {
            return self.add_far(crown);
        }
        let radius = crown.radius as f32;
        if crown.radius >= LEAST_SHADOW_PX {
            let shift = SHADOW_SHIFT * crown.radius;
            let (x, y) = (crown.x + shift, crown.y + shift);
            self.each_sample([x, y], 0.95 * crown.radius, |band, at, _| {
                band.shadows[at] = band.shadows[at].max(radius);
            });
        }
        self.each_sample([crown.x, crown.y], crown.radius, |band, at, [u, v]| {
            if let Some(top) = crown.top(u, v).filter(|top| *top > band.tops[at]) {
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
        let (cx, cy, r) = (
            x * fine - 0.5,
            (y - self.first as f64) * fine - 0.5,
            radius * fine,
        );
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

    /// What the crowns that can be told apart cover of a pixel.
    fn cover(&self, pixel: usize) -> Cover {
        let (row, column) = (pixel / self.width, pixel % self.width);
        let (mut sum, mut n, mut n_shadows) = ([0.0_f32; 3], 0.0_f32, 0.0_f32);
        for fine_row in row * FINE..(row + 1) * FINE {
            let start = fine_row * self.width * FINE + column * FINE;
            for at in start..start + FINE {
                let (top, shadow) = (self.tops[at], self.shadows[at]);
                n_shadows += f32::from(u8::from(shadow > 0.0));
                if top != BARE {
                    n += 1.0;
                    // A crown of height 1.2 … 1.45 of its radius does not stand in its own shadow.
                    let light = if top.height < 1.1 * shadow {
                        SHADED_CROWN
                    } else {
                        1.0
                    };
                    (0..3).for_each(|k| sum[k] += light * f32::from(top.rgb[k]));
                }
            }
        }
        let samples = (FINE * FINE) as f32;
        Cover {
            colour: sum.map(|s| s / n.max(1.0)),
            alpha: n / samples,
            near: n / samples,
            shadow: n_shadows / samples,
        }
    }
}
