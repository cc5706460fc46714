//! The keys of a species.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Conditions, Stratum};

/// The smallest distance in metres between two plants of a species.
pub const SMALLEST_SPACING_M: f64 = 0.1;

/// A species: which strata it grows on, how densely, and how it changes towards their edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Species {
    /// The species' name: at most 64 characters, without `/` and `\`. Renaming a species draws its plants anew.
    #[schemars(length(min = 1, max = 64), extend("examples" = ["spruce"]))]
    pub name: String,
    /// Whether it never grows itself, and is there to be extended by others.
    #[serde(skip_serializing)]
    #[schemars(extend("examples" = [true]))]
    pub template: Option<bool>,
    /// Another species, from which it takes every key that it does not give itself, each whole; but for `name`, `template`
    /// and `extend`.
    #[serde(skip_serializing)]
    #[schemars(length(min = 1), extend("examples" = ["conifer"]))]
    pub extend: Option<String>,
    /// The group of species that it belongs to.
    #[schemars(length(min = 1), extend("examples" = ["canopy"]))]
    pub group: Option<String>,
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
    /// Half the width of a ramp around the threshold: below it by this much nothing grows, above it by this much all that
    /// could. 0: a hard threshold.
    #[serde(default)]
    #[schemars(range(min = 0, max = 0.5), extend("examples" = [0.1]))]
    pub softness: f64,
    /// What is written of it: "plants", each with its place and its looks; or "density", a raster of plants per pixel for
    /// an engine to grow them from, such as grass. A species that is a density competes with none.
    #[serde(default)]
    pub write: Write,
    /// Plants per hectare where the suitability is 1, before competition with other species. Left out: as dense as the
    /// spacing holds.
    #[schemars(extend("exclusiveMinimum" = 0, "examples" = [400.0]))]
    pub density: Option<f64>,
    /// The least distance in metres between two plants of this species. What counts is the larger of this and twice
    /// the footprint, and that must be at least 0.1; only what is written as a density that is given needs none.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1000), extend("examples" = [3.0]))]
    pub spacing: f64,
    /// The radius in metres of the ground a plant keeps to itself: footprints of different species never overlap.
    #[serde(default)]
    #[schemars(range(min = 0, max = 500), extend("examples" = [1.2]))]
    pub footprint: f64,
    /// Least distances in metres from its plants to those of other species, from centre to centre, where these are more
    /// than both footprints.
    #[serde(default)]
    #[schemars(
        extend("additionalProperties" = { "type": "number", "exclusiveMinimum": 0, "maximum": 1000 }),
        extend("examples" = [{ "oak": 6.0 }])
    )]
    pub keep_from: BTreeMap<String, f64>,
    /// Another species, of a higher priority, that its plants stand beside.
    #[schemars(extend("examples" = [{ "species": "oak", "within": 8.0 }]))]
    pub near: Option<Near>,
    /// Who yields where plants of different species stand too close: the species of lower priority. Left out: its group's,
    /// or 0.
    #[schemars(range(min = -2_147_483_648_i32, max = 2_147_483_647_i32), extend("examples" = [10]))]
    pub priority: Option<i32>,
    /// Smallest and largest size, as a factor of the model's own; each plant draws between them.
    #[serde(default = "own_size")]
    #[schemars(inner(range(min = 0)), extend("examples" = [[0.8, 1.3]]))]
    pub size: [f64; 2],
    /// How the species changes towards the edge of its stratum. Left out: not at all.
    #[schemars(extend("examples" = [{ "falloff": 25.0, "curve": "smooth", "density": 0.2, "size": [0.3, 0.6] }]))]
    pub edge: Option<Edge>,
    /// What else it asks of the ground.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// How far a plant leans from the vertical (0) to the ground's normal (1).
    #[serde(default)]
    #[schemars(range(min = 0, max = 1), extend("examples" = [0.3]))]
    pub align: f64,
    /// Least and largest angle in degrees off that, in a random direction.
    #[serde(default)]
    #[schemars(inner(range(min = 0, max = 45)), extend("examples" = [[0.0, 4.0]]))]
    pub tilt: [f64; 2],
    /// What the range of `yaw` is measured from.
    #[serde(default)]
    pub facing: Facing,
    /// Least and largest turn in degrees, counter-clockwise seen from above; each plant draws between them. Left out: a full
    /// turn, or none where it faces downhill.
    #[schemars(inner(range(min = -360, max = 360)), extend("examples" = [[-30.0, 30.0]]))]
    pub yaw: Option<[f64; 2]>,
    /// Least and largest depth in metres that a plant is sunk into the ground.
    #[serde(default)]
    #[schemars(inner(range(min = 0, max = 1000)), extend("examples" = [[0.0, 0.1]]))]
    pub sink: [f64; 2],
    /// Least and largest tint, a number for shaders; each plant draws between them.
    #[serde(default = "any_tint")]
    #[schemars(inner(range(min = 0, max = 1)), extend("examples" = [[0.2, 0.8]]))]
    pub tint: [f64; 2],
    /// The meshes of the species, at most 256, numbered by name: each with its weight, or a table of it and what else is its
    /// own. Left out: one mesh.
    #[serde(default)]
    #[schemars(
        extend("maxProperties" = 256),
        extend("examples" = [{ "spruce_a": 3.0, "spruce_b": { "weight": 1.0, "edge": 4.0 } }])
    )]
    pub variants: BTreeMap<String, Variant>,
}

/// What is written of a species.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Write {
    /// Plants, one by one.
    #[default]
    Plants,
    /// A raster of plants per pixel.
    Density,
}

/// What the turn of plants is measured from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Facing {
    /// The east.
    #[default]
    East,
    /// The way the ground falls; the east where it is flat.
    Downhill,
}

/// A species that plants stand beside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Near {
    /// The other species, of a higher priority.
    #[schemars(length(min = 1), extend("examples" = ["oak"]))]
    pub species: String,
    /// The largest distance in metres to the nearest of its plants.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1000, "examples" = [8.0]))]
    pub within: f64,
}

/// A mesh of a species: its weight, or a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Variant {
    /// How often it is drawn, beside the weights of the others.
    Weight(#[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1_000_000))] f64),
    /// The same, and what else is its own.
    Own(VariantKeys),
}

impl Variant {
    /// Its keys, defaults filled in.
    pub fn keys(&self) -> VariantKeys {
        match self {
            Self::Weight(weight) => VariantKeys::of(*weight),
            Self::Own(keys) => keys.clone(),
        }
    }
}

/// What a mesh of a species has of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VariantKeys {
    /// How often it is drawn in the interior, beside the weights of the others.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 1_000_000), extend("examples" = [1.0]))]
    pub weight: f64,
    /// How often it is drawn at the edge; between the two the weight goes with the edge's curve. Left out: as in the
    /// interior.
    #[schemars(range(min = 0, max = 1_000_000), extend("examples" = [4.0]))]
    pub edge: Option<f64>,
    /// Its smallest and largest size in the interior. Left out: as at the edge, or the species'.
    #[schemars(inner(range(min = 0)), extend("examples" = [[1.2, 1.8]]))]
    pub size: Option<[f64; 2]>,
    /// Its smallest and largest size at the edge. Left out: as in the interior, or the species'.
    #[schemars(inner(range(min = 0)), extend("examples" = [[0.3, 0.6]]))]
    pub edge_size: Option<[f64; 2]>,
}

impl VariantKeys {
    /// Of a weight and nothing else.
    pub fn of(weight: f64) -> Self {
        Self {
            weight,
            edge: None,
            size: None,
            edge_size: None,
        }
    }

    /// Its own sizes in the interior and at the edge: where only one of the two is given, it counts for both.
    pub fn sizes(&self) -> Option<[[f64; 2]; 2]> {
        let interior = self.size.or(self.edge_size)?;
        Some([interior, self.edge_size.unwrap_or(interior)])
    }
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
    /// The smallest and the largest size that a plant of it can have, of any variant, inside and at the edge.
    pub fn size_bounds(&self) -> [f64; 2] {
        let species = [self.size, self.edge_size()];
        let own = self.variants.values().map(|variant| variant.keys().sizes());
        let mut ranges: Vec<_> = own.flat_map(|own| own.unwrap_or(species)).collect();
        if ranges.is_empty() {
            ranges.extend(species);
        }
        let largest = ranges
            .iter()
            .fold(0.0, |most: f64, range| most.max(range[1]));
        let smallest = ranges
            .iter()
            .fold(largest, |least, range| least.min(range[0]));
        [smallest, largest]
    }

    /// Whether it grows no plants, but is written as a density.
    pub fn is_density(&self) -> bool {
        self.write == Write::Density
    }

    /// The range of turns in degrees from what it faces.
    pub fn yaw_range(&self) -> [f64; 2] {
        self.yaw.unwrap_or(match self.facing {
            Facing::East => [0.0, 360.0],
            Facing::Downhill => [0.0, 0.0],
        })
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
    /// The way from edge to interior: "smooth", "linear", "ease", which is fast at the edge and slow inside, or points `[t, a]` with t rising from exactly 0 (edge) to
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
    /// 1 − (1 − t)².
    Ease,
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

fn any_tint() -> [f64; 2] {
    [0.0, 1.0]
}
