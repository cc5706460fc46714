//! What a species wants of the ground, and how its plants vary.

use crate::{Conditions, max_density_per_m2};
use ecotone_grid::between;

/// A species of plants.
///
/// Strata are named by their place in the list of strata, which is their band in the weights and the distances.
#[derive(Clone, Debug, PartialEq)]
pub struct Species {
    /// Its name: part of every draw and id, so a species that is renamed grows anew.
    pub name: String,
    /// The strata it grows on, each with its coefficient in the mixed weight.
    pub strata: Vec<(usize, f64)>,
    /// The least mixed weight it grows at.
    pub threshold: f64,
    /// Half the width of the ramp of probability around the threshold; 0: a hard threshold.
    pub softness: f64,
    /// Expected plants per square metre at full weight; `None`: as dense as the spacing holds.
    pub density_per_m2: Option<f64>,
    /// Least distance between two of its plants in metres.
    pub spacing_m: f64,
    /// Radius in metres that plants of other species keep out of.
    pub footprint_m: f64,
    /// Species of higher priority take their ground first.
    pub priority: i32,
    /// Least distances in metres to plants of other species, by their places, where these are more than footprints.
    pub keep_from: Vec<(usize, f64)>,
    /// What it stands beside.
    pub near: Option<Near>,
    /// Smallest and largest size inside the stratum.
    pub size: [f64; 2],
    /// What changes towards the edge of a stratum.
    pub edge: Edge,
    /// What it asks of the ground beside its strata.
    pub conditions: Conditions,
    /// The biomes it grows in, by their places, as well as it does in the one that is most present; none: everywhere.
    pub biomes: Vec<usize>,
    /// How far it leans from the vertical (0) to the ground's normal (1).
    pub align: f64,
    /// Least and largest tilt in degrees off that, in a random direction.
    pub tilt: [f64; 2],
    /// How it is turned.
    pub yaw: Yaw,
    /// Least and largest depth in metres below the ground.
    pub sink_m: [f64; 2],
    /// Least and largest tint, 0 to 1.
    pub tint: [f64; 2],
    /// Its mesh variants; none means one.
    pub variants: Vec<Variant>,
}

/// A species that plants stand beside: only within some distance of one of its plants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The other species, of a higher priority, by its place.
    pub species: usize,
    /// Largest distance in metres.
    pub within_m: f64,
}

/// How plants are turned about their upright.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yaw {
    /// What the range is measured from.
    pub facing: Facing,
    /// Least and largest turn in degrees, counter-clockwise seen from above; a plant draws between them.
    pub range: [f64; 2],
}

impl Default for Yaw {
    fn default() -> Self {
        Self {
            facing: Facing::East,
            range: [0.0, 360.0],
        }
    }
}

/// A direction that plants face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Facing {
    /// The world's east, from which a stored yaw counts.
    #[default]
    East,
    /// The way the ground falls; east where it is flat.
    Downhill,
}

/// A mesh that plants of a species may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant {
    /// How often it is drawn in the interior, beside the weights of the others.
    pub weight: f64,
    /// How often at the edge.
    pub edge_weight: f64,
    /// Its own smallest and largest size in the interior, instead of the species'.
    pub size: Option<[f64; 2]>,
    /// Its own smallest and largest size at the edge; where it has only one of the two, that counts for both.
    pub edge_size: Option<[f64; 2]>,
}

impl Variant {
    /// A variant of a weight, edge or not, and of the species' size.
    pub const fn of(weight: f64) -> Self {
        Self {
            weight,
            edge_weight: weight,
            size: None,
            edge_size: None,
        }
    }
}

/// How a species changes towards the edge of a stratum.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The stratum whose edge it is.
    pub stratum: usize,
    /// Distance inside the edge, in metres, at which nothing of it is left; `None`: no change at all.
    pub falloff_m: Option<f64>,
    /// How the change goes.
    pub curve: Curve,
    /// Density at the edge, as a part of that inside.
    pub density: f64,
    /// Smallest and largest size at the edge.
    pub size: [f64; 2],
}

/// How something goes from 0 to 1 while t does.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Curve {
    /// 3t² − 2t³.
    #[default]
    Smooth,
    /// t.
    Linear,
    /// 1 − (1 − t)²: fast away from 0, and slowing down towards 1.
    Ease,
    /// Straight lines between points [t, value], t rising; level before the first and after the last.
    Points(Vec<[f64; 2]>),
}

impl Curve {
    /// The curve's value at `t`, in [0, 1].
    pub fn at(&self, t: f64) -> f64 {
        let value = match self {
            Self::Smooth => t * t * (3.0 - 2.0 * t),
            Self::Linear => t,
            Self::Ease => t * (2.0 - t),
            Self::Points(points) => between(points, t).unwrap_or(t),
        };
        value.clamp(0.0, 1.0)
    }
}

impl Species {
    /// The least distance between two of its plants in metres: the spacing, but never less than two footprints.
    pub fn effective_spacing_m(&self) -> f64 {
        self.spacing_m.max(2.0 * self.footprint_m)
    }

    /// The most plants per square metre that its spacing can hold; a larger `density_per_m2` cannot be had.
    pub fn max_density_per_m2(&self) -> f64 {
        max_density_per_m2(self.effective_spacing_m())
    }

    /// Whether it looks at the ground's normal at all.
    pub fn reads_normals(&self) -> bool {
        let falls = self.yaw.facing == Facing::Downhill;
        self.conditions.read_normals() || self.align > 0.0 || falls
    }

    /// The part of its pattern's points that grow at full weight: no point of a higher rank ever does.
    pub fn fill(&self) -> f64 {
        self.density_per_m2
            .map_or(1.0, |density| density / self.max_density_per_m2())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_pass_through_their_points() {
        assert_eq!(
            [0.0, 0.5, 1.0].map(|t| Curve::Smooth.at(t)),
            [0.0, 0.5, 1.0]
        );
        assert_eq!(Curve::Smooth.at(0.25), 0.15625);
        assert_eq!(Curve::Linear.at(0.3), 0.3);
        assert_eq!(Curve::Ease.at(0.5), 0.75);
        let points = Curve::Points(vec![[0.2, 0.0], [0.4, 1.0], [1.0, 0.5]]);
        for (t, value) in [
            (0.0, 0.0),
            (0.2, 0.0),
            (0.25, 0.25),
            (0.4, 1.0),
            (0.7, 0.75),
            (1.0, 0.5),
        ] {
            assert!((points.at(t) - value).abs() < 1e-12, "at {t}");
        }
        assert_eq!(Curve::Points(Vec::new()).at(0.5), 0.5);
    }
}
