//! What a job counts of its own tile or chunk while it has it at hand, so that a report reads nothing again.

use ecotone_grid::{Raster, mix};
use ecotone_scatter::{self as scatter, Area, Expectation, Fields, Ground, Plant};
use ecotone_store::{Counts, Facts, SpeciesFacts};

use crate::plan::STEPS_PER_M;

/// Bins of a histogram of sizes.
pub const SIZE_BINS: usize = 12;

/// Bins of edge distances inside a stratum; before them one for all that lies outside, after them one for all beyond.
pub const EDGE_BINS: usize = 12;

/// Pixels along both sides of the squares in each of which the expectation is worked out at one.
///
/// Tuned for a chunk of 256 m at 1 m: some five hundred points, which take a hundredth of its bake.
const STEP_PX: i64 = 12;

/// How a species is counted by size and by edge distance.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeciesScale {
    /// Its name.
    pub name: String,
    /// Place of the stratum to whose edge distances are measured, in the order of the manifest.
    pub edge_stratum: usize,
    /// The smallest and the largest size that a plant can have: from the first bin to the last.
    pub sizes: [f64; 2],
    /// Metres inside the edge at which the last bin but one ends.
    pub edge_span_m: f64,
    /// Metres inside the edge at which the interior begins, where the species changes towards the edge.
    pub falloff_m: Option<f64>,
}

impl SpeciesScale {
    pub(crate) fn new(species: &scatter::Species, sizes: [f64; 2], max_distance_m: f64) -> Self {
        let falloff_m = species.edge.falloff_m;
        Self {
            name: species.name.clone(),
            edge_stratum: species.edge.stratum,
            sizes,
            edge_span_m: falloff_m.map_or(max_distance_m, |falloff| {
                (1.5 * falloff).min(max_distance_m)
            }),
            falloff_m,
        }
    }

    fn size_bin(&self, size: f64) -> usize {
        let [lo, hi] = self.sizes;
        bin((size - lo) / (hi - lo), SIZE_BINS).min(SIZE_BINS - 1)
    }

    fn edge_bin(&self, distance: f64) -> usize {
        if distance <= 0.0 {
            return 0;
        }
        // At the bound itself all is as far or farther.
        1 + bin(distance / self.edge_span_m, EDGE_BINS)
    }
}

/// The bin of a share, `n` where it is 1 or more; 0 where it is no number.
fn bin(share: f64, n: usize) -> usize {
    ((share * n as f64) as usize).min(n)
}

/// Counts the ground of a tile.
pub(crate) fn of_tile(weights: &Raster<u8>) -> Facts {
    let sum = |band| {
        let pixels = weights.band(band).pixels().chunks(1 << 16);
        pixels
            .map(|part| u64::from(part.iter().map(|&w| u32::from(w)).sum::<u32>()))
            .sum::<u64>()
    };
    let sums: Vec<u64> = (0..weights.n_bands()).map(sum).collect();
    Facts {
        // The weights of a pixel that is no void sum to 255.
        valid: sums.iter().sum::<u64>() / 255,
        weights: sums,
        ..Facts::default()
    }
}

/// Counts the plants of a chunk, and what was to be expected of its ground.
pub(crate) fn of_chunk(
    species: &[scatter::Species],
    scales: &[SpeciesScale],
    fields: &Fields<'_>,
    area: &Area,
    plants: &[Plant],
) -> Facts {
    let mut tallies = vec![Tally::default(); scales.len()];
    for plant in plants {
        let idx = usize::from(plant.species);
        let (own, scale) = (&mut tallies[idx], &scales[idx]);
        own.sizes[scale.size_bin(plant.size)] += 1;
        own.found[scale.edge_bin(plant.edge_distance)] += 1;
    }
    expect(species, scales, fields, area, &mut tallies);
    Facts {
        species: tallies.iter().map(Tally::facts).collect(),
        ..Facts::default()
    }
}

/// What is counted of a species, in bins of their own place.
#[derive(Clone, Debug, Default)]
struct Tally {
    sizes: [u64; SIZE_BINS],
    found: [u64; EDGE_BINS + 2],
    points: [u64; EDGE_BINS + 2],
    /// Plants expected.
    expected: [f64; EDGE_BINS + 2],
}

impl Tally {
    fn facts(&self) -> SpeciesFacts {
        let tenths = self.expected.map(|sum| (sum * 10.0).round() as u64);
        SpeciesFacts {
            sizes: counts(&self.sizes),
            found: counts(&self.found),
            expected_tenths: counts(&tenths),
            points: counts(&self.points),
        }
    }
}

fn counts(bins: &[u64]) -> Counts {
    let mut counts = Counts::default();
    let bins = bins.iter().enumerate();
    bins.for_each(|(bin, &n)| counts.add(bin, n));
    counts
}

/// Adds what is expected of a chunk's ground, from points that the whole map shares.
fn expect(
    species: &[scatter::Species],
    scales: &[SpeciesScale],
    fields: &Fields<'_>,
    area: &Area,
    tallies: &mut [Tally],
) {
    let expectations: Vec<Expectation<'_>> = species
        .iter()
        .map(|own| Expectation::new(own, &[]))
        .collect();
    let each_m2 = point_m2(fields.transform.pixel);
    for (x, y) in points(fields, area) {
        let Some(ground) = Ground::at(fields, x, y) else {
            continue;
        };
        for (idx, expectation) in expectations.iter().enumerate() {
            if let Some((distance, density)) = expectation.at(&ground) {
                let bin = scales[idx].edge_bin(distance);
                tallies[idx].points[bin] += 1;
                tallies[idx].expected[bin] += density * each_m2;
            }
        }
    }
}

/// The square metres that each point stands for.
pub(crate) fn point_m2(pixel: ecotone_grid::PixelSize) -> f64 {
    pixel.x * pixel.y * (STEP_PX * STEP_PX) as f64
}

/// The places in an area, in 1/1024 m, one in each square of [`STEP_PX`] of the map and drawn by the square's own hash: a
/// lattice would see straight roads and walls all at once or not at all.
fn points<'a>(fields: &'a Fields<'_>, area: &'a Area) -> impl Iterator<Item = (i64, i64)> + 'a {
    let transform = fields.transform;
    let metres = |units: i64| units as f64 / STEPS_PER_M;
    let (west, north) = transform.pixel_at(metres(area.x0), metres(area.y1));
    let (east, south) = transform.pixel_at(metres(area.x1), metres(area.y0));
    let squares = |from: f64, to: f64| {
        let first = (from.floor() as i64).div_euclid(STEP_PX);
        first..=(to.ceil() as i64).div_euclid(STEP_PX)
    };
    let units = |metres: f64| (metres * STEPS_PER_M).round() as i64;
    squares(north, south)
        .flat_map(move |j| squares(west, east).map(move |i| (i, j)))
        .map(move |(i, j)| {
            let drawn = mix(i as u64 ^ mix(j as u64));
            // Between pixels too, as plants stand: distances at pixels' centres are all of a few kinds.
            let pixels = |square: i64, bits: u32| {
                let within = (drawn >> bits & 0xffff) as f64 / 65536.0;
                (square as f64 + within) * STEP_PX as f64
            };
            (
                units(transform.x0 + pixels(i, 16) * transform.pixel.x),
                units(transform.y0 - pixels(j, 40) * transform.pixel.y),
            )
        })
        .filter(|&(x, y)| area.contains(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ecotone_grid::Rect;

    fn scale() -> SpeciesScale {
        SpeciesScale {
            name: "oak".into(),
            edge_stratum: 0,
            sizes: [0.5, 1.5],
            edge_span_m: 24.0,
            falloff_m: Some(16.0),
        }
    }

    #[test]
    fn every_size_and_distance_has_a_bin() {
        let scale = scale();
        for (size, bin) in [
            (0.5, 0),
            (0.58, 0),
            (0.59, 1),
            (1.0, 6),
            (1.5, 11),
            (1.6, 11),
        ] {
            assert_eq!(scale.size_bin(size), bin, "{size}");
        }
        for (metres, bin) in [
            (-5.0, 0),
            (0.0, 0),
            (0.1, 1),
            (2.1, 2),
            (23.9, 12),
            (24.0, 13),
            (99.0, 13),
        ] {
            assert_eq!(scale.edge_bin(metres), bin, "{metres}");
        }
        let alike = SpeciesScale {
            sizes: [1.0, 1.0],
            ..scale
        };
        assert_eq!(alike.size_bin(1.0), 0);
    }

    #[test]
    fn a_tile_sums_its_weights_and_counts_what_is_no_void() {
        let mut weights = Raster::new(Rect::new(0, 0, 3, 2), 2, 0);
        weights.band_mut(0).copy_from_slice(&[255, 100, 0, 0, 5, 0]);
        weights
            .band_mut(1)
            .copy_from_slice(&[0, 155, 255, 0, 250, 0]);
        let facts = of_tile(&weights);
        assert_eq!((facts.valid, facts.weights), (4, vec![360, 660]));
    }
}
