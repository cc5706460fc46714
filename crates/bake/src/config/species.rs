//! The keys of a species.

use std::collections::BTreeMap;

use ecotone_grid::Trapezoid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AltitudeBand, SlopeBand, Stratum};

/// The smallest distance in metres between two plants of a species.
pub const SMALLEST_SPACING_M: f64 = 0.1;

/// A species: which strata it grows on, how densely, and how it changes towards their edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Species {
    /// The species' name: at most 64 characters, without `/` and `\`. Renaming a species draws its plants anew.
    #[schemars(length(min = 1, max = 64), extend("examples" = ["spruce"]))]
    pub name: String,
    /// The strata it grows on, each with a coefficient above 0. Together they mix into the suitability of a place: the
    /// sum of coefficient times weight, at most 1.
    #[schemars(
        extend("minProperties" = 1, "additionalProperties" = { "type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000 }),
        extend("examples" = [{ "meadow": 1.0 }])
    )]
    pub strata: BTreeMap<String, f64>,
    /// The suitability from which a place is taken at all.
    #[serde(default = "half")]
    #[schemars(range(min = 0, max = 1))]
    pub threshold: f64,
    /// Plants per hectare where the suitability is 1, before competition with other species. Left out: as dense as the
    /// spacing holds.
    #[schemars(extend("exclusiveMinimum" = 0, "examples" = [400.0]))]
    pub density: Option<f64>,
    /// The least distance in metres between two plants of this species. What counts is the larger of this and twice
    /// the footprint, and that must be at least 0.1.
    #[schemars(range(min = 0, max = 1000), extend("examples" = [3.0]))]
    pub spacing: f64,
    /// The radius in metres of the ground a plant keeps to itself: footprints of different species never overlap.
    #[serde(default)]
    #[schemars(range(min = 0, max = 500), extend("examples" = [1.2]))]
    pub footprint: f64,
    /// Who yields where footprints meet: the species of lower priority.
    #[serde(default)]
    #[schemars(range(min = -2_147_483_648_i32, max = 2_147_483_647_i32), extend("examples" = [10]))]
    pub priority: i32,
    /// Smallest and largest size, as a factor of the model's own; each plant draws between them.
    #[serde(default = "own_size")]
    #[schemars(inner(range(min = 0)), extend("examples" = [[0.8, 1.3]]))]
    pub size: [f64; 2],
    /// How the species changes towards the edge of its stratum. Left out: not at all.
    #[schemars(extend("examples" = [{ "falloff": 25.0, "curve": "smooth", "density": 0.2, "size": [0.3, 0.6] }]))]
    pub edge: Option<Edge>,
    /// The band of altitudes it grows at. Left out: any.
    #[schemars(extend("examples" = [{ "band": [200.0, 1700.0], "blend": 150.0 }]))]
    pub altitude: Option<AltitudeBand>,
    /// The band of slopes it grows on. Left out: any.
    #[schemars(extend("examples" = [{ "band": [0.0, 35.0], "blend": 5.0 }]))]
    pub slope: Option<SlopeBand>,
    /// The distances it keeps from the edges of strata; all of them must hold.
    #[serde(default)]
    #[schemars(extend("examples" = [[{ "stratum": "road", "band": [5.0, 1000.0], "blend": 2.0 }]]))]
    pub distance: Vec<DistanceBand>,
    /// How far a plant leans from the vertical (0) to the ground's normal (1).
    #[serde(default)]
    #[schemars(range(min = 0, max = 1), extend("examples" = [0.3]))]
    pub align: f64,
    /// The meshes of the species with their weights, at most 256, numbered by name. Left out: one mesh.
    #[serde(default)]
    #[schemars(
        extend("maxProperties" = 256, "additionalProperties" = { "type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000 }),
        extend("examples" = [{ "spruce_a": 3.0, "spruce_b": 1.0 }])
    )]
    pub variants: BTreeMap<String, f64>,
}

impl Species {
    /// The least distance in metres between two plants of the species, counting its footprint.
    pub fn effective_spacing(&self) -> f64 {
        self.spacing.max(2.0 * self.footprint)
    }

    /// The index of the stratum whose edge the species answers to.
    ///
    /// The named one, or the associated one with the largest coefficient, ties to the first of `strata`; `None` where no
    /// such stratum exists, which a loaded config rules out.
    pub fn edge_stratum<'a>(&self, mut bands: impl Iterator<Item = &'a Stratum>) -> Option<usize> {
        if let Some(name) = self.edge.as_ref().and_then(|edge| edge.stratum.as_ref()) {
            return bands.position(|stratum| stratum.name == *name);
        }
        let mut best: Option<(usize, f64)> = None;
        for (idx, stratum) in bands.enumerate() {
            if let Some(&coefficient) = self.strata.get(&stratum.name)
                && best.is_none_or(|(_, most)| coefficient > most)
            {
                best = Some((idx, coefficient));
            }
        }
        best.map(|(idx, _)| idx)
    }

    /// Smallest and largest size at the edge: the interior's where the edge has none of its own.
    pub fn edge_size(&self) -> [f64; 2] {
        let edge = self.edge.as_ref();
        edge.and_then(|edge| edge.size).unwrap_or(self.size)
    }
}

/// How a species changes towards the edge of its stratum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// The stratum whose edge counts. Left out: the one with the largest coefficient, the first listed among equals.
    #[schemars(extend("examples" = ["meadow"]))]
    pub stratum: Option<String>,
    /// How many metres inside the edge the interior begins: above 0, at most `edges.max_distance`. Left out: at once.
    #[schemars(extend("exclusiveMinimum" = 0, "examples" = [25.0]))]
    pub falloff: Option<f64>,
    /// The way from edge to interior: "smooth", "linear", or points `[t, a]` with t rising from exactly 0 (edge) to
    /// exactly 1 (interior) and a between 0 (as at the edge) and 1 (as in the interior).
    #[serde(default)]
    #[schemars(extend("examples" = [[[0.0, 0.0], [0.4, 0.8], [1.0, 1.0]]]))]
    pub curve: Curve,
    /// The density at the edge, as a share of the interior's. At most 1, because `density` is the most the species has.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 1), extend("examples" = [0.2]))]
    pub density: f64,
    /// Smallest and largest size at the edge. Left out: as in the interior.
    #[schemars(inner(range(min = 0)), extend("examples" = [[0.3, 0.6]]))]
    pub size: Option<[f64; 2]>,
}

/// The way from edge to interior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Curve {
    /// A well-known curve.
    Word(CurveWord),
    /// Points `[t, a]`, joined by straight lines.
    Points(
        #[schemars(length(min = 2, max = 64), inner(inner(range(min = 0, max = 1))))] Vec<[f64; 2]>,
    ),
}

impl Default for Curve {
    fn default() -> Self {
        Self::Word(CurveWord::Smooth)
    }
}

/// A curve in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CurveWord {
    /// 3t² − 2t³.
    Smooth,
    /// A straight line.
    Linear,
}

/// A band of signed distances to the edge of a stratum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DistanceBand {
    /// The stratum whose edge is meant.
    #[schemars(extend("examples" = ["road"]))]
    pub stratum: String,
    /// Lower and upper end in metres outside the edge; negative is inside. An end beyond `edges.max_distance` is open;
    /// the ramp of any other must end within it.
    #[schemars(extend("examples" = [[5.0, 1000.0]]))]
    pub band: [f64; 2],
    /// The width in metres of the ramp centred on each end. 0: a hard end.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub blend: f64,
}

impl DistanceBand {
    /// The band as a curve of weights, where distances are kept up to `max_distance` metres.
    pub fn trapezoid(&self, max_distance: f64) -> Trapezoid {
        let [lo, hi] = self.band;
        Trapezoid {
            lo: (lo > -max_distance).then_some(lo),
            hi: (hi < max_distance).then_some(hi),
            blend: self.blend,
        }
    }
}

fn half() -> f64 {
    0.5
}

fn one() -> f64 {
    1.0
}

fn own_size() -> [f64; 2] {
    [1.0, 1.0]
}
