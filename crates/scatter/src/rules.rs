//! How likely a plant is at a point, and why.

use crate::sample::{Fields, Ground, lerp};
use crate::{Edge, Species};
use ecotone_grid::slope_degrees;

/// The parts of the probability of a plant at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Height of the ground in metres.
    pub height: f64,
    /// Mixed weight of the species' strata, 0 to 1.
    pub mixed_weight: f64,
    /// Whether the mixed weight reaches the species' threshold.
    pub is_target: bool,
    /// Distance in metres to the edge of the species' stratum, positive inside.
    pub edge_distance: f64,
    /// Edge attenuation: 0 at the edge to 1 well inside.
    pub attenuation: f64,
    /// Factor of the density towards the edge.
    pub edge_factor: f64,
    /// Factor of the altitude band.
    pub altitude_factor: f64,
    /// Factor of the slope band.
    pub slope_factor: f64,
    /// Product of the factors of the distance bands.
    pub distance_factor: f64,
    /// Probability that a point of the species' pattern is a plant here, before competition.
    pub probability: f64,
}

/// The probability of a plant of `species` at a world position in 1/1024 m; `None` where the ground is void.
pub fn probability(species: &Species, fields: &Fields<'_>, x: i64, y: i64) -> Option<Sample> {
    let ground = Ground::at(fields, x, y)?;
    Odds::new(species).sample(&ground, -1.0)
}

/// What is to be expected of a species at points, before it competes with others.
#[derive(Clone, Copy, Debug)]
pub struct Expectation<'a> {
    odds: Odds<'a>,
    density_per_m2: f64,
}

impl<'a> Expectation<'a> {
    /// The expectation of a species.
    pub fn new(species: &'a Species) -> Self {
        Self {
            odds: Odds::new(species),
            density_per_m2: species.max_density_per_m2(),
        }
    }

    /// Distance in metres to the edge of the species' stratum, positive inside, and the plants expected per square metre around
    /// a point; `None` where the ground is void.
    #[inline]
    pub fn at(&self, ground: &Ground<'_>) -> Option<(f64, f64)> {
        let sample = self.odds.sample(ground, 0.0);
        if let Some(sample) = sample {
            let density = sample.probability * self.density_per_m2;
            return Some((sample.edge_distance, density));
        }
        let distance = ground.distance(self.odds.species.edge.stratum)?;
        Some((-distance, 0.0))
    }
}

/// The largest weights and the range of heights in a window, by which many a species cannot grow in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Extremes {
    /// Largest weight of each stratum.
    weights: Vec<u8>,
    /// Lowest and highest height in metres; the other way round where all is void.
    heights: (f64, f64),
}

impl Extremes {
    /// The extremes of a window.
    pub fn new(fields: &Fields<'_>) -> Self {
        let largest = |stratum| {
            let weights = fields.weights.band(stratum).pixels();
            weights.iter().fold(0, |most: u8, &weight| most.max(weight))
        };
        Self {
            weights: (0..fields.weights.n_bands()).map(largest).collect(),
            heights: range(fields.heights.pixels()),
        }
    }

    /// Whether a species could grow anywhere in the window: `false` only where none of its plants does.
    pub fn may_grow(&self, species: &Species) -> bool {
        let largest = |stratum: usize| self.weights.get(stratum).copied().map_or(0.0, f64::from);
        let strata = species.strata.iter();
        let most: f64 = strata
            .map(|&(stratum, c)| (c * largest(stratum)).max(0.0))
            .sum();
        // A bilinear mean may pass its largest pixel by a rounding.
        let most = most / 255.0 + 1e-9;
        if most < species.threshold || most <= 1e-9 {
            return false;
        }
        let (low, high) = self.heights;
        species
            .conditions
            .altitude
            .as_ref()
            .is_none_or(|profile| profile.most(low, high) > 0.0)
    }
}

/// The least and largest of values, leaving out those that are not a number.
fn range(values: &[f64]) -> (f64, f64) {
    // Several at a time, for each comparison waits for the one before it.
    const LANES: usize = 8;
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (groups, rest) = values.as_chunks::<LANES>();
    let rest = std::array::from_fn(|k| rest.get(k).copied().unwrap_or(f64::NAN));
    for group in groups.iter().chain([&rest]) {
        for k in 0..LANES {
            low[k] = if group[k] < low[k] { group[k] } else { low[k] };
            high[k] = if group[k] > high[k] {
                group[k]
            } else {
                high[k]
            };
        }
    }
    (
        low.into_iter().fold(f64::INFINITY, f64::min),
        high.into_iter().fold(f64::NEG_INFINITY, f64::max),
    )
}

/// A species with what its probabilities share everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Odds<'a> {
    species: &'a Species,
    /// The part of its pattern's points that grow at full weight.
    fill: f64,
    /// The largest that the product of all factors can be.
    peak: f64,
}

impl<'a> Odds<'a> {
    pub fn new(species: &'a Species) -> Self {
        Self {
            species,
            fill: species.fill(),
            peak: species.edge.density.max(1.0),
        }
    }

    /// The probability at a weight and a product of factors.
    #[inline]
    fn at(&self, weight: f64, factors: f64) -> f64 {
        (self.fill * (weight * factors)).clamp(0.0, 1.0)
    }

    /// The most that the probability can be anywhere.
    pub fn most(&self) -> f64 {
        self.at(1.0, self.peak)
    }

    /// All parts of the probability; `None` where the ground is void or the probability is not above a number.
    ///
    /// It asks from the cheapest question to the dearest, and no further than it has to: no factor is above 1 but that of
    /// the edge, and rounding keeps the order of products.
    pub fn sample(&self, ground: &Ground<'_>, above: f64) -> Option<Sample> {
        let species = self.species;
        let mixed_weight = mixed_weight(species, ground);
        let is_target = mixed_weight >= species.threshold;
        let weight = if is_target { mixed_weight } else { 0.0 };
        if self.at(weight, self.peak) <= above {
            return None;
        }
        let height = ground.height()?;
        let altitude_factor = species
            .conditions
            .altitude
            .as_ref()
            .map_or(1.0, |profile| profile.weight(height));
        if self.at(weight, self.peak * altitude_factor) <= above {
            return None;
        }
        let edge_distance = -ground.distance(species.edge.stratum)?;
        let attenuation = attenuation(&species.edge, edge_distance);
        let edge_factor = lerp(species.edge.density, 1.0, attenuation);
        let factors = edge_factor * altitude_factor;
        if self.at(weight, factors) <= above {
            return None;
        }
        let distance_factor = distance_factor(species, ground)?;
        let factors = factors * distance_factor;
        if self.at(weight, factors) <= above {
            return None;
        }
        let slope_factor = slope_factor(species, ground);
        let probability = self.at(weight, factors * slope_factor);
        (probability > above).then_some(Sample {
            height,
            mixed_weight,
            is_target,
            edge_distance,
            attenuation,
            edge_factor,
            altitude_factor,
            slope_factor,
            distance_factor,
            probability,
        })
    }
}

/// The mixed weight of a species' strata, 0 to 1.
fn mixed_weight(species: &Species, ground: &Ground<'_>) -> f64 {
    let mixed: f64 = species
        .strata
        .iter()
        .fold(0.0, |sum, &(stratum, c)| sum + c * ground.weight(stratum));
    (mixed / 255.0).clamp(0.0, 1.0)
}

/// Edge attenuation at a distance in metres inside the edge: 0 on it and outside, 1 from the falloff on.
pub fn attenuation(edge: &Edge, edge_distance: f64) -> f64 {
    match edge.falloff_m {
        None => 1.0,
        Some(_) if edge_distance <= 0.0 => 0.0,
        Some(falloff) if edge_distance >= falloff => 1.0,
        Some(falloff) => edge.curve.at(edge_distance / falloff),
    }
}

/// The weight of the slope at the ground in the species' band.
fn slope_factor(species: &Species, ground: &Ground<'_>) -> f64 {
    species.conditions.slope.as_ref().map_or(1.0, |band| {
        let [x, y, z] = ground.normal();
        band.weight(slope_degrees(x, y, z))
    })
}

/// The product of the weights of the signed distances to strata's edges.
fn distance_factor(species: &Species, ground: &Ground<'_>) -> Option<f64> {
    let mut factor = 1.0;
    for (stratum, band) in &species.conditions.distance {
        factor *= band.weight(ground.distance(*stratum)?);
    }
    Some(factor)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Curve;
    use crate::testing::{World, spruce};
    use ecotone_grid::{Profile, Trapezoid};

    /// The probability in the middle of a flat world, all of one weight and one distance.
    fn middle(species: &Species, weight: u8, distance: i16) -> Sample {
        let mut world = World::new(4, 4, |_, _| 500.0);
        world.weights.band_mut(0).fill(weight);
        world.sdf.band_mut(0).fill(distance);
        let (x, y) = world.position(1.5, 1.25);
        probability(species, &world.fields(), x, y).unwrap()
    }

    #[test]
    fn the_mixed_weight_has_a_threshold_and_a_limit() {
        let mut species = spruce();
        species.strata = vec![(0, 1.0)];
        species.threshold = 0.5;
        assert_eq!(middle(&species, 127, -100).probability, 0.0);
        assert_eq!(middle(&species, 128, -100).probability, 128.0 / 255.0);
        species.strata = vec![(0, 3.0)];
        assert_eq!(middle(&species, 128, -100).mixed_weight, 1.0);
        species.strata = vec![(0, -1.0)];
        assert_eq!(middle(&species, 128, -100).mixed_weight, 0.0);
    }

    #[test]
    fn attenuation_goes_from_the_edge_to_the_falloff() {
        let mut species = spruce();
        species.edge.falloff_m = Some(20.0);
        species.edge.curve = Curve::Linear;
        species.edge.density = 0.2;
        // A step is 1/8 m.
        for (steps, a) in [(8, 0.0), (0, 0.0), (-40, 0.25), (-160, 1.0), (-300, 1.0)] {
            let sample = middle(&species, 255, steps);
            assert_eq!(sample.attenuation, a);
            assert_eq!(sample.edge_distance, -f64::from(steps) / 8.0);
            assert!((sample.probability - (0.2 + 0.8 * a)).abs() < 1e-15);
        }
        species.edge.curve = Curve::Smooth;
        assert_eq!(middle(&species, 255, -40).attenuation, 0.15625);
        species.edge.falloff_m = None;
        assert_eq!(middle(&species, 255, 40).attenuation, 1.0);
    }

    #[test]
    fn bands_multiply() {
        let band = |lo, hi, blend| {
            let (lo, hi) = (Some(lo), Some(hi));
            Profile::Band(Trapezoid { lo, hi, blend })
        };
        let mut species = spruce();
        species.density_per_m2 = Some(species.max_density_per_m2() / 2.0);
        species.conditions.altitude = Some(band(500.0, 900.0, 100.0));
        species.conditions.distance = vec![(0, band(-10.0, -2.0, 4.0))];
        let sample = middle(&species, 255, -24);
        assert_eq!(
            (sample.altitude_factor, sample.distance_factor),
            (0.5, 0.75)
        );
        assert!((sample.probability - 0.5 * 0.5 * 0.75).abs() < 1e-12);
        species.conditions.slope = Some(Profile::Band(Trapezoid::slope(10.0, 90.0, 0.0)));
        assert_eq!(middle(&species, 255, -24).probability, 0.0);
    }

    #[test]
    fn no_number_below_the_probability_hides_it() {
        let mut species = spruce();
        species.edge.falloff_m = Some(20.0);
        species.edge.density = 1.5;
        species.density_per_m2 = Some(species.max_density_per_m2() / 3.0);
        species.conditions.altitude = Some(Profile::Band(Trapezoid {
            lo: Some(490.0),
            hi: None,
            blend: 80.0,
        }));
        let mut world = World::new(40, 40, |x, y| 500.0 + 0.3 * x + 0.2 * y);
        for (k, weight) in world.weights.band_mut(0).iter_mut().enumerate() {
            *weight = (k * 37 % 256) as u8;
        }
        for (k, distance) in world.sdf.band_mut(0).iter_mut().enumerate() {
            *distance = (k * 11 % 400) as i16 - 300;
        }
        let fields = world.fields();
        let odds = Odds::new(&species);
        for k in 0..500 {
            let (x, y) = world.position(f64::from(k % 37) + 0.3, f64::from(k / 37) + 0.6);
            let all = probability(&species, &fields, x, y).unwrap();
            let ground = Ground::at(&fields, x, y).unwrap();
            assert!(all.probability <= odds.most());
            assert_eq!(odds.sample(&ground, all.probability), None);
            for below in [-1e-9, all.probability / 2.0, all.probability.next_down()] {
                if below < all.probability {
                    assert_eq!(odds.sample(&ground, below), Some(all));
                }
            }
        }
    }

    #[test]
    fn a_range_leaves_out_voids() {
        for n in 0..40 {
            let mut values: Vec<f64> = (0..n).map(|k| f64::from(k * 7 % 23)).collect();
            let sorted = |values: &[f64]| {
                let fold = |f: fn(f64, f64) -> f64, from| values.iter().copied().fold(from, f);
                (
                    fold(f64::min, f64::INFINITY),
                    fold(f64::max, f64::NEG_INFINITY),
                )
            };
            let expected = sorted(&values);
            values.insert(values.len() / 2, f64::NAN);
            values.push(f64::NAN);
            assert_eq!(range(&values), expected);
        }
    }

    #[test]
    fn a_void_has_no_probability() {
        let mut world = World::new(4, 4, |_, _| 500.0);
        world.sdf.band_mut(0)[5] = i16::MIN;
        let (x, y) = world.position(1.5, 1.5);
        assert_eq!(probability(&spruce(), &world.fields(), x, y), None);
    }
}
