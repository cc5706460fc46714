//! What species and biomes ask of the ground, beside their strata.

use crate::Clusters;
use crate::sample::Ground;
use ecotone_grid::{Profile, Sector, aspect_degrees, slope_degrees};

/// Conditions on the ground at a point; their factors multiply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// By altitude in metres.
    pub altitude: Option<Profile>,
    /// By slope in degrees.
    pub slope: Option<Profile>,
    /// By the direction that the slope faces.
    pub aspect: Option<Sector>,
    /// By signed distance in metres to strata's edges, positive outside, by the strata's places.
    pub distance: Vec<(usize, Profile)>,
    /// By further fields, such as curvatures and density masks, by their bands in [`Fields::layers`](crate::Fields::layers).
    pub layers: Vec<(usize, Profile)>,
    /// By patches of a noise of its own.
    pub clusters: Option<Clusters>,
}

impl Conditions {
    /// Whether they look at the ground's normal.
    pub fn read_normals(&self) -> bool {
        self.slope.is_some() || self.aspect.is_some()
    }

    /// The weight of a height in metres.
    #[inline]
    pub(crate) fn altitude_factor(&self, height: f64) -> f64 {
        let altitude = self.altitude.as_ref();
        altitude.map_or(1.0, |profile| profile.weight(height))
    }

    /// The product of the weights of the signed distances to strata's edges; `None` where one is void.
    #[inline]
    pub(crate) fn distance_factor(&self, ground: &Ground<'_>) -> Option<f64> {
        let mut factor = 1.0;
        for (stratum, profile) in &self.distance {
            factor *= profile.weight(ground.distance(*stratum)?);
        }
        Some(factor)
    }

    /// The product of the weights of further fields; a void weighs nothing.
    #[inline]
    pub(crate) fn layer_factor(&self, ground: &Ground<'_>) -> f64 {
        self.layers.iter().fold(1.0, |factor, (band, profile)| {
            factor * profile.weight(ground.layer(*band))
        })
    }

    /// The weights of the slope and of the aspect.
    #[inline]
    pub(crate) fn normal_factors(&self, ground: &Ground<'_>) -> (f64, f64) {
        if !self.read_normals() {
            return (1.0, 1.0);
        }
        let [x, y, z] = ground.normal();
        let slope = self.slope.as_ref();
        let aspect = self.aspect.as_ref();
        (
            slope.map_or(1.0, |profile| profile.weight(slope_degrees(x, y, z))),
            aspect.map_or(1.0, |sector| sector.weight(aspect_degrees(x, y))),
        )
    }

    /// The weight of the place in its clusters.
    #[inline]
    pub(crate) fn cluster_factor(&self, ground: &Ground<'_>) -> f64 {
        self.clusters.as_ref().map_or(1.0, |clusters| {
            clusters.factor(clusters.share(ground.metres()))
        })
    }

    /// The product of all factors, the dearest asked last and none after one that is 0; `None` where it meets a void.
    fn factor(&self, ground: &Ground<'_>) -> Option<f64> {
        let mut factor = self.altitude_factor(ground.height()?) * self.distance_factor(ground)?;
        if factor > 0.0 {
            let (slope, aspect) = self.normal_factors(ground);
            factor = factor * self.layer_factor(ground) * slope * aspect;
        }
        if factor > 0.0 {
            factor *= self.cluster_factor(ground);
        }
        Some(factor)
    }
}

/// A named part of the world, inside which its species grow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Biome {
    /// Its name.
    pub name: String,
    /// The biome it is a part of, by its place in the list; its presence multiplies into this one's.
    pub parent: Option<usize>,
    /// The strata it lies on, each with its coefficient: their mixed weight is a factor. None: any ground.
    pub strata: Vec<(usize, f64)>,
    /// What else it asks of the ground.
    pub conditions: Conditions,
}

impl Biome {
    /// The mixed weight of its strata; 1 where it has none.
    #[inline]
    pub(crate) fn own_weight(&self, ground: &Ground<'_>) -> f64 {
        if self.strata.is_empty() {
            return 1.0;
        }
        mixed_weight(&self.strata, ground)
    }
}

/// The mixed weight of strata at a point, 0 to 1.
#[inline]
pub(crate) fn mixed_weight(strata: &[(usize, f64)], ground: &Ground<'_>) -> f64 {
    let mixed: f64 = strata
        .iter()
        .fold(0.0, |sum, &(stratum, c)| sum + c * ground.weight(stratum));
    (mixed / 255.0).clamp(0.0, 1.0)
}

/// How much of a biome, by its place, there is at a point: its own factors times those of all that it is a part of, 0 to 1.
/// `None` where it meets a void; a biome that is not in the list, or is a part of itself, is nowhere.
pub(crate) fn presence(place: usize, biomes: &[Biome], ground: &Ground<'_>) -> Option<f64> {
    let (mut presence, mut next) = (1.0, Some(place));
    // No chain of parents is longer than the list, unless it goes round.
    for _ in 0..=biomes.len() {
        let Some(place) = next else {
            return Some(presence);
        };
        let Some(biome) = biomes.get(place) else {
            return Some(0.0);
        };
        presence *= biome.own_weight(ground);
        if presence > 0.0 {
            presence *= biome.conditions.factor(ground)?;
        }
        if presence <= 0.0 {
            return Some(0.0);
        }
        next = biome.parent;
    }
    Some(0.0)
}

/// The largest presence among biomes, by their places; 1 where none are named, for that is everywhere.
#[inline]
pub(crate) fn most_presence(
    places: &[usize],
    biomes: &[Biome],
    ground: &Ground<'_>,
) -> Option<f64> {
    if places.is_empty() {
        return Some(1.0);
    }
    let mut most = 0.0_f64;
    for &place in places {
        most = most.max(presence(place, biomes, ground)?);
    }
    Some(most)
}
