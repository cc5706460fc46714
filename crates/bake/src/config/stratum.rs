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
    /// Whether this stratum takes the ground that no other claims. At most one; if none does, the first without a mask.
    #[serde(default)]
    #[schemars(extend("examples" = [true]))]
    pub fallback: bool,
    /// A GeoTIFF between 0 and 1 (integers are divided by their type's largest value), relative to this file's folder:
    /// where the stratum lies over the ground. A stratum with a mask has no slope, tilt, blend, altitude or fallback.
    #[schemars(length(min = 1), extend("examples" = ["road.tif"]))]
    pub mask: Option<String>,
    /// How the mask goes over what lies under it: "over" takes the mask's share and leaves the rest.
    #[serde(default)]
    pub mode: MaskMode,
}

impl Stratum {
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

/// How a mask goes over what lies under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MaskMode {
    /// It takes the mask's share; everything under it keeps the rest of what it had.
    #[default]
    Over,
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

/// A band of slopes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlopeBand {
    /// Lower and upper end in degrees from flat (0) to wall (90).
    #[schemars(inner(range(min = 0, max = 90)), extend("examples" = [[0.0, 35.0]]))]
    pub band: [f64; 2],
    /// The width in degrees of the ramp centred on each end. 0: a hard end.
    #[serde(default)]
    #[schemars(range(min = 0, max = 90))]
    pub blend: f64,
}

impl SlopeBand {
    /// The band as a curve of weights; 0 and 90 are open ends.
    pub fn trapezoid(&self) -> Trapezoid {
        Trapezoid::slope(self.band[0], self.band[1], self.blend)
    }
}
