//! The keys of a check: what must hold in the finished world.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A check of the finished world, made after each bake from the files that were written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// What the report calls it. Left out: what it looks for.
    #[schemars(length(min = 1, max = 120), extend("examples" = ["the road is clear"]))]
    pub name: Option<String>,
    /// What it looks for: "void": plants where there is no ground; "roots": plants whose foot is not on the ground;
    /// "overlap": plants of two species whose footprints overlap; "keep_off": plants too near to a stratum, or on it;
    /// "coverage": a stratum's share of the ground; "count": how many plants there are; "seams": steps along the borders
    /// of tiles that the ground inside them does not have.
    #[schemars(extend("examples" = ["void"]))]
    pub kind: LimitKind,
    /// The species that it is about. Left out: all of them. Not for "overlap", "coverage" and "seams".
    #[schemars(extend("examples" = ["spruce"]))]
    pub species: Option<String>,
    /// The stratum that it is about, for "keep_off" and "coverage".
    #[schemars(extend("examples" = ["road"]))]
    pub stratum: Option<String>,
    /// Metres outside the stratum's edge that plants keep off, for "keep_off": at most `edges.max_distance`. Left out: 0,
    /// which is the stratum itself.
    #[schemars(range(min = 0), extend("examples" = [4.0]))]
    pub distance: Option<f64>,
    /// Metres between a plant's foot and the ground that are allowed, for "roots". Left out: 0.01.
    #[schemars(range(min = 0), extend("examples" = [0.01]))]
    pub tolerance: Option<f64>,
    /// The least and the most there may be: shares of the ground from 0 to 1 for "coverage", plants for "count".
    #[schemars(inner(range(min = 0)), extend("examples" = [[0.01, 0.05]]))]
    pub band: Option<[f64; 2]>,
    /// How much may change from the bake before, for "coverage" and "count", as a share of what was there: 0.05 is a
    /// twentieth more or less.
    #[schemars(range(min = 0), extend("examples" = [0.05]))]
    pub drift: Option<f64>,
    /// How many plants, pairs of plants or sides of tiles may be found at fault before the check fails. Left out: 0.
    #[schemars(extend("examples" = [0]))]
    pub most: Option<u64>,
    /// What a failed check does.
    #[serde(default)]
    pub level: Level,
}

/// What a check looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Plants where there is no ground.
    Void,
    /// Plants whose foot is not on the ground.
    Roots,
    /// Plants of two species whose footprints overlap.
    Overlap,
    /// Plants too near to a stratum, or on it.
    KeepOff,
    /// A stratum's share of the ground.
    Coverage,
    /// How many plants there are.
    Count,
    /// Steps along the borders of tiles.
    Seams,
}

impl LimitKind {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::Roots => "roots",
            Self::Overlap => "overlap",
            Self::KeepOff => "keep_off",
            Self::Coverage => "coverage",
            Self::Count => "count",
            Self::Seams => "seams",
        }
    }
}

/// What a failed check does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The bake ends with exit code 1; what it committed stands.
    #[default]
    Error,
    /// The bake warns of it.
    Warn,
}
