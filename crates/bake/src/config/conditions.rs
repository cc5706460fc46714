//! The keys that species and biomes share: what they ask of the ground beside strata.

use ecotone_grid::{Profile, Trapezoid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AspectBand, CurvatureKind};

/// Conditions on the ground; each is a factor from 0 to 1, and they multiply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conditions {
    /// The altitudes it wants. Left out: any.
    #[schemars(extend("examples" = [{ "band": [200.0, 1700.0], "blend": 150.0 }]))]
    pub altitude: Option<AltitudeRule>,
    /// The slopes it wants. Left out: any.
    #[schemars(extend("examples" = [{ "band": [0.0, 35.0], "blend": 5.0 }]))]
    pub slope: Option<SlopeRule>,
    /// The directions that its slopes face. Left out: any.
    #[schemars(extend("examples" = [{ "band": [315.0, 45.0], "blend": 40.0 }]))]
    pub aspect: Option<AspectBand>,
    /// The curvatures it wants, such as hollows. Left out: any.
    #[schemars(extend("examples" = [{ "band": [-1.0, -0.002], "blend": 0.002 }]))]
    pub curvature: Option<CurvatureRule>,
    /// The distances it keeps from the edges of strata; all of them must hold.
    #[serde(default)]
    #[schemars(extend("examples" = [[{ "stratum": "road", "band": [5.0, 1000.0], "blend": 2.0 }]]))]
    pub distance: Vec<DistanceRule>,
    /// A density mask, which says where and how densely it grows: 1 as densely as can be, 0 not at all.
    #[schemars(extend("examples" = [{ "file": "orchard.tif" }]))]
    pub mask: Option<DensityMask>,
    /// Patches of noise in which it grows, with nothing between them. Left out: everywhere.
    #[schemars(extend("examples" = [{ "wavelength": 60.0, "coverage": 0.4 }]))]
    pub clusters: Option<Clusters>,
}

impl Conditions {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What altitudes are worth: a band, or a curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AltitudeRule {
    /// Lower and upper end in metres. Give this or `curve`.
    #[schemars(extend("examples" = [[200.0, 1700.0]]))]
    pub band: Option<[f64; 2]>,
    /// The width in metres of the ramp centred on each end of the band. 0: a hard end.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub blend: f64,
    /// Points `[altitude in metres, factor]` instead of a band, altitudes rising and factors from 0 to 1. Straight lines
    /// join them; before the first and after the last the factor stays.
    #[schemars(
        length(min = 2, max = 64),
        extend("examples" = [[[200.0, 0.0], [600.0, 1.0], [1700.0, 0.2]]])
    )]
    pub curve: Option<Vec<[f64; 2]>>,
}

impl AltitudeRule {
    /// The factor of every altitude.
    pub fn profile(&self) -> Profile {
        profile(self.band, self.curve.as_ref(), |[lo, hi]| Trapezoid {
            lo: Some(lo),
            hi: Some(hi),
            blend: self.blend,
        })
    }
}

/// What slopes are worth: a band, or a curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlopeRule {
    /// Lower and upper end in degrees from flat (0) to wall (90). Give this or `curve`.
    #[schemars(inner(range(min = 0, max = 90)), extend("examples" = [[0.0, 35.0]]))]
    pub band: Option<[f64; 2]>,
    /// The width in degrees of the ramp centred on each end of the band. 0: a hard end.
    #[serde(default)]
    #[schemars(range(min = 0, max = 90))]
    pub blend: f64,
    /// Points `[slope in degrees, factor]` instead of a band, slopes rising and factors from 0 to 1. Straight lines join
    /// them; before the first and after the last the factor stays.
    #[schemars(
        length(min = 2, max = 64),
        extend("examples" = [[[0.0, 1.0], [20.0, 0.8], [40.0, 0.0]]])
    )]
    pub curve: Option<Vec<[f64; 2]>>,
}

impl SlopeRule {
    /// The factor of every slope; 0 and 90 are open ends of a band.
    pub fn profile(&self) -> Profile {
        profile(self.band, self.curve.as_ref(), |[lo, hi]| {
            Trapezoid::slope(lo, hi, self.blend)
        })
    }
}

/// What curvatures are worth: a band, or a curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurvatureRule {
    /// Lower and upper end in 1/m: above 0 on ridges and knolls, below 0 in valleys and hollows. Give this or `curve`.
    #[schemars(extend("examples" = [[-1.0, -0.002]]))]
    pub band: Option<[f64; 2]>,
    /// The width in 1/m of the ramp centred on each end of the band. 0: a hard end.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub blend: f64,
    /// Points `[curvature in 1/m, factor]` instead of a band, curvatures rising and factors from 0 to 1. Straight lines
    /// join them; before the first and after the last the factor stays.
    #[schemars(
        length(min = 2, max = 64),
        extend("examples" = [[[-0.01, 1.0], [0.0, 0.5], [0.01, 0.0]]])
    )]
    pub curve: Option<Vec<[f64; 2]>>,
    /// Which curvature.
    #[serde(default)]
    pub kind: CurvatureKind,
}

impl CurvatureRule {
    /// The factor of every curvature.
    pub fn profile(&self) -> Profile {
        profile(self.band, self.curve.as_ref(), |[lo, hi]| Trapezoid {
            lo: Some(lo),
            hi: Some(hi),
            blend: self.blend,
        })
    }
}

/// What distances to the edge of a stratum are worth: a band, or a curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DistanceRule {
    /// The stratum whose edge is meant.
    #[schemars(extend("examples" = ["road"]))]
    pub stratum: String,
    /// Lower and upper end in metres outside the edge; negative is inside. An end beyond `edges.max_distance` is open;
    /// the ramp of any other must end within it. Give this or `curve`.
    #[schemars(extend("examples" = [[5.0, 1000.0]]))]
    pub band: Option<[f64; 2]>,
    /// The width in metres of the ramp centred on each end of the band. 0: a hard end.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub blend: f64,
    /// Points `[metres outside the edge, factor]` instead of a band, distances rising, none of them farther than
    /// `edges.max_distance`, and factors from 0 to 1. Straight lines join them; before the first and after the last the
    /// factor stays.
    #[schemars(
        length(min = 2, max = 64),
        extend("examples" = [[[-5.0, 0.0], [4.0, 1.0], [30.0, 0.3]]])
    )]
    pub curve: Option<Vec<[f64; 2]>>,
}

impl DistanceRule {
    /// The factor of every distance, where distances are kept up to `max_distance` metres.
    pub fn profile(&self, max_distance: f64) -> Profile {
        profile(self.band, self.curve.as_ref(), |[lo, hi]| Trapezoid {
            lo: (lo > -max_distance).then_some(lo),
            hi: (hi < max_distance).then_some(hi),
            blend: self.blend,
        })
    }
}

/// The one of the two that is given; 1 everywhere where neither is, which a loaded config rules out.
fn profile(
    band: Option<[f64; 2]>,
    curve: Option<&Vec<[f64; 2]>>,
    trapezoid: impl Fn([f64; 2]) -> Trapezoid,
) -> Profile {
    match (band, curve) {
        (Some(band), _) => Profile::Band(trapezoid(band)),
        (None, Some(points)) => Profile::Points(points.clone()),
        (None, None) => Profile::Points(vec![[0.0, 1.0]]),
    }
}

/// A density mask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DensityMask {
    /// The file, relative to this file's folder: a raster between 0 and 1 (8- and 16-bit integers are divided by their
    /// type's largest value) on any grid in the map's coordinates, or a GeoJSON of polygons, lines and points.
    #[schemars(length(min = 1), extend("examples" = ["orchard.tif"]))]
    pub file: String,
    /// The band of a raster mask, from 1. Left out: 1.
    #[schemars(range(min = 1, max = 65535), extend("examples" = [3]))]
    pub band: Option<u32>,
    /// The values of a raster mask that mean 0 and 1; what lies between is in proportion.
    #[schemars(extend("examples" = [[0.0, 200.0]]))]
    pub range: Option<[f64; 2]>,
    /// Whether the mask says where it does not grow.
    #[serde(default)]
    #[schemars(extend("examples" = [true]))]
    pub invert: bool,
    /// The width in metres of the lines of a GeoJSON mask.
    #[schemars(range(min = 0, max = 10000), extend("examples" = [6.0]))]
    pub width: Option<f64>,
    /// The radius in metres of the points of a GeoJSON mask.
    #[schemars(range(min = 0, max = 10000), extend("examples" = [3.0]))]
    pub radius: Option<f64>,
    /// The width in metres of the ramp from 1 to 0 that is centred on the outline of what a GeoJSON mask draws. 0: a
    /// hard edge.
    #[schemars(range(min = 0, max = 10000), extend("examples" = [2.0]))]
    pub feather: Option<f64>,
}

impl DensityMask {
    /// Whether it is a GeoJSON file, by its name.
    pub fn has_shapes(&self) -> bool {
        super::stratum::names_shapes(&self.file)
    }
}

/// Patches of noise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clusters {
    /// The distance in metres from one patch to the next, about.
    #[schemars(range(min = 0.5, max = 1_000_000), extend("examples" = [60.0]))]
    pub wavelength: f64,
    /// The part of the ground that the patches cover, above 0, below 1.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1, "maximum" = 1, "examples" = [0.4]))]
    pub coverage: f64,
    /// The part of the ground over which patches fade out, half of it inside and half outside their outlines. 0: hard
    /// outlines.
    #[serde(default = "fifth")]
    #[schemars(range(min = 0, max = 1))]
    pub softness: f64,
    /// The number its randomness starts from; equal numbers and wavelengths make equal patches. Left out: it follows from the world's
    /// seed and the name of the species or biome.
    #[schemars(range(max = 9_223_372_036_854_775_807_u64), extend("examples" = [11]))]
    pub seed: Option<u64>,
}

fn fifth() -> f64 {
    0.2
}
