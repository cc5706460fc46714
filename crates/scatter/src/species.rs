//! What a species wants of the ground, and how its plants vary.

use crate::max_density_per_m2;
use ecotone_grid::Trapezoid;

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
    /// Expected plants per square metre at full weight; `None`: as dense as the spacing holds.
    pub density_per_m2: Option<f64>,
    /// Least distance between two of its plants in metres.
    pub spacing_m: f64,
    /// Radius in metres that plants of other species keep out of.
    pub footprint_m: f64,
    /// Species of higher priority take their ground first.
    pub priority: i32,
    /// Smallest and largest size inside the stratum.
    pub size: [f64; 2],
    /// What changes towards the edge of a stratum.
    pub edge: Edge,
    /// Where it grows by altitude in metres.
    pub altitude: Option<Trapezoid>,
    /// Where it grows by slope in degrees.
    pub slope: Option<Trapezoid>,
    /// Where it grows by signed distance in metres to strata's edges, positive outside.
    pub distance: Vec<(usize, Trapezoid)>,
    /// How far it leans from the vertical (0) to the ground's normal (1).
    pub align: f64,
    /// Weights of its mesh variants; none means one.
    pub variants: Vec<f64>,
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
    /// Straight lines between points [t, value], t rising; level before the first and after the last.
    Points(Vec<[f64; 2]>),
}

impl Curve {
    /// The curve's value at `t`, in [0, 1].
    pub fn at(&self, t: f64) -> f64 {
        let value = match self {
            Self::Smooth => t * t * (3.0 - 2.0 * t),
            Self::Linear => t,
            Self::Points(points) => along(points, t),
        };
        value.clamp(0.0, 1.0)
    }
}

/// Straight lines between points; without a point, t itself.
fn along(points: &[[f64; 2]], t: f64) -> f64 {
    let next = points.partition_point(|p| p[0] <= t);
    match (next.checked_sub(1).map(|k| points[k]), points.get(next)) {
        (Some([t0, v0]), Some(&[t1, v1])) => v0 + (v1 - v0) * ((t - t0) / (t1 - t0)),
        (Some([_, v]), None) | (None, Some(&[_, v])) => v,
        (None, None) => t,
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
        self.slope.is_some() || self.align > 0.0
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
