//! The rules of a species one by one, with their numbers: what an answer to "why not here?" is made of.

use super::odds::{attenuation, threshold_factor};
use crate::conditions::{mixed_weight, presence};
use crate::sample::{Ground, lerp};
use crate::{Biome, Fields, Species};
use ecotone_grid::{aspect_degrees, slope_degrees};

/// What one rule of a species says of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// The rule.
    pub rule: Rule,
    /// What it looks at, in the rule's own unit.
    pub value: f64,
    /// What it multiplies the probability by.
    pub factor: f64,
}

/// A rule of a species.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The mixed weight of its strata, which is its own factor.
    MixedWeight,
    /// Whether the mixed weight reaches the threshold.
    Threshold,
    /// The density by the distance in metres inside the edge.
    Edge,
    /// The altitude in metres.
    Altitude,
    /// The slope in degrees.
    Slope,
    /// The direction that the slope faces, in degrees clockwise from north; NaN where there is none.
    Aspect,
    /// The signed distance in metres of a place in [`Conditions::distance`](crate::Conditions::distance), positive outside.
    Distance(usize),
    /// The field of a place in [`Conditions::layers`](crate::Conditions::layers); NaN where it is void.
    Layer(usize),
    /// The clusters: the share, 0 to 1, of the ground that is farther from the middle of a patch.
    Clusters,
    /// The presence of a biome by its place in the list of biomes, and the mixed weight of its own strata (1 where it
    /// has none). Of several, only the largest presence counts.
    Biome(usize),
}

/// Writes what each rule of a species says at a world position in 1/1024 m; nothing where the ground is void.
///
/// A rule that the species does not have is left out, but for the first three. The probability is
/// [`Species::fill`] times the product of all factors, of those of biomes the largest, and at most 1.
pub fn factors(
    species: &Species,
    biomes: &[Biome],
    fields: &Fields<'_>,
    x: i64,
    y: i64,
    out: &mut Vec<Factor>,
) {
    out.clear();
    if let Some(ground) = Ground::at(fields, x, y)
        && add(species, biomes, &ground, out).is_none()
    {
        out.clear();
    }
}

/// Adds the factors of a species; `None` where it meets a void.
fn add(
    species: &Species,
    biomes: &[Biome],
    ground: &Ground<'_>,
    out: &mut Vec<Factor>,
) -> Option<()> {
    let mut push = |rule, value, factor| {
        out.push(Factor {
            rule,
            value,
            factor,
        });
    };
    let conditions = &species.conditions;
    let mixed = mixed_weight(&species.strata, ground);
    push(Rule::MixedWeight, mixed, mixed);
    push(Rule::Threshold, mixed, threshold_factor(species, mixed));
    let distance = -ground.distance(species.edge.stratum)?;
    let attenuation = attenuation(&species.edge, distance);
    push(
        Rule::Edge,
        distance,
        lerp(species.edge.density, 1.0, attenuation),
    );
    let height = ground.height()?;
    if let Some(profile) = &conditions.altitude {
        push(Rule::Altitude, height, profile.weight(height));
    }
    let [x, y, z] = ground.normal();
    if let Some(profile) = &conditions.slope {
        let slope = slope_degrees(x, y, z);
        push(Rule::Slope, slope, profile.weight(slope));
    }
    if let Some(sector) = &conditions.aspect {
        let aspect = aspect_degrees(x, y);
        push(Rule::Aspect, aspect, sector.weight(aspect));
    }
    for (place, (stratum, profile)) in conditions.distance.iter().enumerate() {
        let distance = ground.distance(*stratum)?;
        push(Rule::Distance(place), distance, profile.weight(distance));
    }
    for (place, (band, profile)) in conditions.layers.iter().enumerate() {
        let value = ground.layer(*band);
        push(Rule::Layer(place), value, profile.weight(value));
    }
    for &place in &species.biomes {
        let own = biomes.get(place).map_or(1.0, |own| own.own_weight(ground));
        push(Rule::Biome(place), own, presence(place, biomes, ground)?);
    }
    if let Some(clusters) = &conditions.clusters {
        let share = clusters.share(ground.metres());
        push(Rule::Clusters, share, clusters.factor(share));
    }
    Some(())
}
