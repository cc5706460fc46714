//! The probability of a plant at a point, asked for no further than it has to be.

use crate::conditions::{mixed_weight, most_presence};
use crate::sample::{Ground, lerp};
use crate::{Biome, Edge, Sample, Species};

/// A species with what its probabilities share everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Odds<'a> {
    pub(super) species: &'a Species,
    biomes: &'a [Biome],
    /// The part of its pattern's points that grow at full weight.
    fill: f64,
    /// The largest that the product of all factors can be.
    peak: f64,
}

impl<'a> Odds<'a> {
    pub fn new(species: &'a Species, biomes: &'a [Biome]) -> Self {
        Self {
            species,
            biomes,
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
        let (species, conditions) = (self.species, &self.species.conditions);
        let mixed_weight = mixed_weight(&species.strata, ground);
        let threshold_factor = threshold_factor(species, mixed_weight);
        let weight = threshold_factor * mixed_weight;
        let is_hidden = |factors: f64| self.at(weight, factors) <= above;
        if is_hidden(self.peak) {
            return None;
        }
        let height = ground.height()?;
        let altitude_factor = conditions.altitude_factor(height);
        if is_hidden(self.peak * altitude_factor) {
            return None;
        }
        let edge_distance = -ground.distance(species.edge.stratum)?;
        let attenuation = attenuation(&species.edge, edge_distance);
        let edge_factor = lerp(species.edge.density, 1.0, attenuation);
        let factors = edge_factor * altitude_factor;
        if is_hidden(factors) {
            return None;
        }
        let distance_factor = conditions.distance_factor(ground)?;
        let factors = factors * distance_factor;
        if is_hidden(factors) {
            return None;
        }
        let layer_factor = conditions.layer_factor(ground);
        let factors = factors * layer_factor;
        if is_hidden(factors) {
            return None;
        }
        let (slope_factor, aspect_factor) = conditions.normal_factors(ground);
        let factors = factors * slope_factor * aspect_factor;
        if is_hidden(factors) {
            return None;
        }
        let presence = most_presence(&species.biomes, self.biomes, ground)?;
        let factors = factors * presence;
        if is_hidden(factors) {
            return None;
        }
        let cluster_factor = conditions.cluster_factor(ground);
        let probability = self.at(weight, factors * cluster_factor);
        (probability > above).then_some(Sample {
            height,
            mixed_weight,
            threshold_factor,
            edge_distance,
            attenuation,
            edge_factor,
            altitude_factor,
            slope_factor,
            aspect_factor,
            distance_factor,
            layer_factor,
            presence,
            cluster_factor,
            probability,
        })
    }
}

/// Whether a mixed weight reaches a species' threshold: 0 or 1, or between them on a soft threshold's ramp.
pub(super) fn threshold_factor(species: &Species, mixed_weight: f64) -> f64 {
    let over = mixed_weight - species.threshold;
    if species.softness > 0.0 {
        (over / (2.0 * species.softness) + 0.5).clamp(0.0, 1.0)
    } else {
        f64::from(u8::from(mixed_weight >= species.threshold))
    }
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
