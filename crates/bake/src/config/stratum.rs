//! The keys of a stratum, and the bands they stand for.

use ecotone_grid::Trapezoid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stratum: a kind of ground, by slope and altitude or painted with a mask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stratum {
    /// The stratum's name, also the name of its band in the rasters: at most 64 characters, without `/` and `\`.
    #[schemars(length(min = 1, max = 64), extend("examples" = ["meadow"]))]
    pub name: String,
    /// The band of slopes in degrees from flat (0) to wall (90). Left out: any slope.
    #[schemars(inner(range(min = 0, max = 90)), extend("examples" = [[0.0, 25.0]]))]
    pub slope: Option<[f64; 2]>,
    /// The same band as angles in degrees between the normal and the horizontal plane, 90 minus slope: give this or
    /// `slope`.
    #[schemars(inner(range(min = 0, max = 90)), extend("examples" = [[65.0, 90.0]]))]
    pub tilt: Option<[f64; 2]>,
    /// The width in degrees of the ramp centred on each end of the slope band. 0: a hard end.
    #[serde(default)]
    #[schemars(range(min = 0, max = 90), extend("examples" = [6.0]))]
    pub blend: f64,
    /// The band of altitudes. Left out: any altitude.
    #[schemars(extend("examples" = [{ "band": [0.0, 1800.0], "blend": 100.0 }]))]
    pub altitude: Option<AltitudeBand>,
    /// The band of aspects. Left out: any aspect.
    #[schemars(extend("examples" = [{ "band": [315.0, 45.0], "blend": 20.0 }]))]
    pub aspect: Option<AspectBand>,
    /// The band of curvatures. Left out: any curvature.
    #[schemars(extend("examples" = [{ "band": [0.002, 1.0], "blend": 0.001 }]))]
    pub curvature: Option<CurvatureBand>,
    /// Noise that shifts the slope or the altitude that this stratum's bands see, so that its edges wander.
    #[schemars(extend("examples" = [{ "wavelength": 80.0, "amplitude": 4.0 }]))]
    pub noise: Option<Noise>,
    /// Whether this stratum takes the ground that no other claims. At most one; if none does, the first without a mask.
    #[serde(default)]
    #[schemars(extend("examples" = [true]))]
    pub fallback: bool,
    /// Where the stratum lies over the ground, relative to this file's folder: a raster between 0 and 1 (8- and
    /// 16-bit integers are divided by their type's largest value) on any grid in the map's coordinates, or a GeoJSON of polygons, lines and
    /// points. A stratum with a mask has no bands and no fallback.
    #[schemars(length(min = 1), extend("examples" = ["road.tif"]))]
    pub mask: Option<String>,
    /// The band of a raster mask, from 1. Left out: 1.
    #[schemars(range(min = 1, max = 65535), extend("examples" = [3]))]
    pub mask_band: Option<u32>,
    /// The values of a raster mask that mean 0 and 1; what lies between is in proportion.
    #[schemars(extend("examples" = [[0.0, 200.0]]))]
    pub range: Option<[f64; 2]>,
    /// Whether the mask says where the stratum does not lie.
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
    /// What the mask does with what lies under it: "over" takes the mask's share and leaves the rest; "add" and
    /// "subtract" correct the weight of `target`, and make no stratum of their own.
    #[serde(default)]
    pub mode: MaskMode,
    /// The stratum that "add" and "subtract" correct: one without a mask, or one that is listed before.
    #[schemars(length(min = 1), extend("examples" = ["meadow"]))]
    pub target: Option<String>,
}

impl Stratum {
    /// Whether it is a correction of another stratum, which makes no band of its own.
    pub fn is_correction(&self) -> bool {
        self.mode != MaskMode::Over
    }

    /// Whether its mask is a GeoJSON file, by its name.
    pub fn has_shapes(&self) -> bool {
        self.mask.as_deref().is_some_and(names_shapes)
    }

    /// The band of slopes in degrees from flat; open at both ends where none is given.
    pub fn slope_band(&self) -> Trapezoid {
        let [lo, hi] = match (self.slope, self.tilt) {
            (Some(slope), _) => slope,
            (None, Some([lo, hi])) => [90.0 - hi, 90.0 - lo],
            (None, None) => [0.0, 90.0],
        };
        Trapezoid::slope(lo, hi, self.blend)
    }
}

/// Whether a file is a GeoJSON file, by its name.
pub(super) fn names_shapes(file: &str) -> bool {
    let file = file.to_ascii_lowercase();
    file.ends_with(".geojson") || file.ends_with(".json")
}

/// How a mask goes over what lies under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MaskMode {
    /// It takes the mask's share; everything under it keeps the rest of what it had.
    #[default]
    Over,
    /// It raises the weight of another stratum by the mask; then all weights are scaled to sum to 1.
    Add,
    /// It lowers the weight of another stratum by the mask; then all weights are scaled to sum to 1.
    Subtract,
}

/// A band of aspects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AspectBand {
    /// The first and the last direction that a slope may face, in degrees clockwise from north: [315, 45] is the north.
    /// Flat ground faces every way.
    #[schemars(inner(range(min = 0, max = 360)), extend("examples" = [[315.0, 45.0]]))]
    pub band: [f64; 2],
    /// The width in degrees of the ramp centred on each end. 0: a hard end.
    #[serde(default)]
    #[schemars(range(min = 0, max = 180))]
    pub blend: f64,
}

/// A band of curvatures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurvatureBand {
    /// Lower and upper end in 1/m: above 0 on ridges and knolls, below 0 in valleys and hollows.
    #[schemars(extend("examples" = [[0.002, 1.0]]))]
    pub band: [f64; 2],
    /// The width in 1/m of the ramp centred on each end. 0: a hard end.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub blend: f64,
    /// Which curvature.
    #[serde(default)]
    pub kind: CurvatureKind,
}

/// A curvature of the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CurvatureKind {
    /// Half the sum of the other two, which is that of any two directions at right angles.
    #[default]
    Mean,
    /// Along the line of fall: where water speeds up or slows down.
    Profile,
    /// Across the line of fall: where water spreads or gathers.
    Plan,
}

/// Noise that shifts what the bands of a stratum see.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Noise {
    /// The distance in metres between the points of its lattice; its humps stand about one and a half times as far apart.
    #[schemars(range(min = 0.01, max = 1_000_000), extend("examples" = [80.0]))]
    pub wavelength: f64,
    /// The greatest shift, in degrees of slope or metres of altitude; nine tenths of the ground shift by less than half
    /// of it.
    #[schemars(range(min = 0, max = 10000), extend("examples" = [4.0]))]
    pub amplitude: f64,
    /// What it shifts.
    #[serde(default)]
    pub shifts: Shifted,
    /// The number its randomness starts from. Left out: it follows from the world's seed and the stratum's name.
    #[schemars(range(max = 9_223_372_036_854_775_807_u64), extend("examples" = [11]))]
    pub seed: Option<u64>,
}

/// What noise shifts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Shifted {
    /// The slope.
    #[default]
    Slope,
    /// The altitude.
    Altitude,
}

/// A band of altitudes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AltitudeBand {
    /// Lower and upper end in metres.
    #[schemars(extend("examples" = [[0.0, 1800.0]]))]
    pub band: [f64; 2],
    /// The width in metres of the ramp centred on each end. 0: a hard end.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub blend: f64,
}

impl AltitudeBand {
    /// The band as a curve of weights.
    pub fn trapezoid(&self) -> Trapezoid {
        let [lo, hi] = self.band.map(Some);
        let blend = self.blend;
        Trapezoid { lo, hi, blend }
    }
}
