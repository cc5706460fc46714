//! The keys of biomes and of groups of species.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Conditions;

/// A biome: a part of the world, and the species that grow only there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Biome {
    /// The biome's name: at most 64 characters, without `/` and `\`.
    #[schemars(length(min = 1, max = 64), extend("examples" = ["highland"]))]
    pub name: String,
    /// The biome it is a part of: its presence is multiplied by that one's.
    #[schemars(length(min = 1), extend("examples" = ["north"]))]
    pub within: Option<String>,
    /// The strata it lies on, each with a coefficient above 0: the sum of coefficient times weight, at most 1, is a factor
    /// of its presence. Left out: any ground.
    #[serde(default)]
    #[schemars(
        extend("additionalProperties" = { "type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000 }),
        extend("examples" = [{ "meadow": 1.0 }])
    )]
    pub strata: BTreeMap<String, f64>,
    /// The species that grow in it, and nowhere outside of the biomes that list them. A species in several biomes grows as
    /// well as in the one that is most present.
    #[serde(default)]
    #[schemars(inner(length(min = 1)), extend("examples" = [["pine", "heather"]]))]
    pub species: Vec<String>,
    /// What it asks of the ground.
    #[serde(flatten)]
    pub conditions: Conditions,
}

/// A group of species, such as a layer of the forest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The group's name: at most 64 characters, without `/` and `\`.
    #[schemars(length(min = 1, max = 64), extend("examples" = ["canopy"]))]
    pub name: String,
    /// The least distance in metres between two plants of different species of the group. Left out: what their footprints
    /// ask.
    #[schemars(range(min = 0, max = 1000), extend("examples" = [4.0]))]
    pub spacing: Option<f64>,
    /// The priority of those of its species that have none of their own.
    #[schemars(range(min = -2_147_483_648_i32, max = 2_147_483_647_i32), extend("examples" = [10]))]
    pub priority: Option<i32>,
}
