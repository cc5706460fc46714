//! How likely a plant is at a point, and why.

mod extremes;
mod factors;
mod odds;

pub use extremes::Extremes;
pub use factors::{Factor, Rule, factors};
pub use odds::attenuation;

pub(crate) use odds::Odds;

use crate::sample::{Fields, Ground};
use crate::{Biome, Species};

/// The parts of the probability of a plant at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Height of the ground in metres.
    pub height: f64,
    /// Mixed weight of the species' strata, 0 to 1.
    pub mixed_weight: f64,
    /// Whether the mixed weight reaches the species' threshold: 0 or 1, or between them on the ramp of a soft threshold.
    pub threshold_factor: f64,
    /// Distance in metres to the edge of the species' stratum, positive inside.
    pub edge_distance: f64,
    /// Edge attenuation: 0 at the edge to 1 well inside.
    pub attenuation: f64,
    /// Factor of the density towards the edge.
    pub edge_factor: f64,
    /// Factor of the altitude.
    pub altitude_factor: f64,
    /// Factor of the slope.
    pub slope_factor: f64,
    /// Factor of the direction that the slope faces.
    pub aspect_factor: f64,
    /// Product of the factors of distances to strata.
    pub distance_factor: f64,
    /// Product of the factors of further fields.
    pub layer_factor: f64,
    /// The largest presence among the species' biomes; 1 where it has none.
    pub presence: f64,
    /// Factor of its clusters.
    pub cluster_factor: f64,
    /// Probability that a point of the species' pattern is a plant here, before competition.
    pub probability: f64,
}

/// The probability of a plant of `species` at a world position in 1/1024 m; `None` where the ground is void.
pub fn probability(
    species: &Species,
    biomes: &[Biome],
    fields: &Fields<'_>,
    x: i64,
    y: i64,
) -> Option<Sample> {
    let ground = Ground::at(fields, x, y)?;
    Odds::new(species, biomes).sample(&ground, -1.0)
}

/// What is to be expected of a species at points, before it competes with others.
#[derive(Clone, Copy, Debug)]
pub struct Expectation<'a> {
    odds: Odds<'a>,
    density_per_m2: f64,
}

impl<'a> Expectation<'a> {
    /// The expectation of a species that may name some of the biomes.
    pub fn new(species: &'a Species, biomes: &'a [Biome]) -> Self {
        Self {
            odds: Odds::new(species, biomes),
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
        probability(species, &[], &world.fields(), x, y).unwrap()
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
        let odds = Odds::new(&species, &[]);
        for k in 0..500 {
            let (x, y) = world.position(f64::from(k % 37) + 0.3, f64::from(k / 37) + 0.6);
            let all = probability(&species, &[], &fields, x, y).unwrap();
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
    fn a_void_has_no_probability() {
        let mut world = World::new(4, 4, |_, _| 500.0);
        world.sdf.band_mut(0)[5] = i16::MIN;
        let (x, y) = world.position(1.5, 1.5);
        assert_eq!(probability(&spruce(), &[], &world.fields(), x, y), None);
    }
}
