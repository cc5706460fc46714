//! What an answer about a point holds. As JSON it is described in `docs/explain.md`.

use serde::Serialize;

/// Everything about a point of a world.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The revision that was asked.
    pub revision: u64,
    /// World x in metres, to the nearest 1/1024 m.
    pub x: f64,
    /// World y in metres.
    pub y: f64,
    /// How far around the point candidates are told of, in metres.
    pub radius: f64,
    /// What is there.
    pub ground: Ground,
    /// Jobs whose inputs are others now than when the world was baked: heights and masks are told as they are now.
    pub changed: Vec<String>,
    /// Jobs of which the world does not know any more what they read, for its ledger is damaged.
    pub unknown: Vec<String>,
    /// The ground's own fields; `None` off the map and on a void.
    pub fields: Option<GroundFields>,
    /// Every stratum; none off the map.
    pub strata: Vec<StratumAnswer>,
    /// Further fields that rules read.
    pub layers: Vec<LayerAnswer>,
    /// How much of each biome there is.
    pub biomes: Vec<BiomeAnswer>,
    /// The species that were asked about, by name.
    pub species: Vec<SpeciesAnswer>,
}

/// What lies at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// Nothing: the point is not on the map.
    OffMap,
    /// A void, or one of the four pixels around the point is one or off the map.
    Void,
    /// Ground.
    Solid,
}

/// The ground's own fields at a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroundFields {
    /// Height in metres.
    pub height: f64,
    /// The smoothed normal: east, north, up.
    pub normal: [f64; 3],
    /// Slope in degrees.
    pub slope: f64,
    /// Direction that the slope faces, in degrees clockwise from north; `None` where it is level.
    pub aspect: Option<f64>,
}

/// A stratum at a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StratumAnswer {
    /// Its name.
    pub name: String,
    /// Its stored weight, 0 to 1.
    pub weight: f64,
    /// Stored signed distance to its edge in metres, negative inside; `None` where it is void.
    pub distance: Option<f64>,
}

/// A further field at a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LayerAnswer {
    /// What it is.
    pub name: String,
    /// Its value; `None` where it is void.
    pub value: Option<f64>,
}

/// A biome at a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BiomeAnswer {
    /// Its name.
    pub name: String,
    /// How much of it there is, 0 to 1.
    pub presence: f64,
}

/// A species at a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpeciesAnswer {
    /// Its name.
    pub name: String,
    /// Whether it is written as a density, and has no plants.
    pub is_density: bool,
    /// The answer in a sentence.
    pub says: String,
    /// Part of its pattern's points that grow at full weight.
    pub fill: f64,
    /// Probability that a point of its pattern is a plant here, before competition; `None` on a void.
    pub probability: Option<f64>,
    /// Its rules one by one; none on a void.
    pub rules: Vec<RuleAnswer>,
    /// What stands or could stand within the radius, the nearest first.
    pub candidates: Vec<CandidateAnswer>,
}

/// What a rule says of a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleAnswer {
    /// The rule: mixed_weight, threshold, edge, altitude, slope, aspect, distance, layer, clusters, biome.
    pub rule: &'static str,
    /// The stratum, further field or biome that it looks at.
    pub of: Option<String>,
    /// What it looks at, in its own unit.
    pub value: Option<f64>,
    /// What it multiplies the probability by.
    pub factor: f64,
    /// What it asks for.
    pub asks: String,
    /// Its verdict in a few words.
    pub says: String,
}

/// What stands or could stand somewhere.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CandidateAnswer {
    /// The id that its plant has or would have, in hexadecimal digits after `0x`.
    pub id: String,
    /// World x in metres.
    pub x: f64,
    /// World y in metres.
    pub y: f64,
    /// Distance from the point in metres.
    pub distance: f64,
    /// Its rank, 0 to 1; `None` where a plant was set by hand beside the pattern.
    pub rank: Option<f64>,
    /// The probability there; `None` on a void.
    pub probability: Option<f64>,
    /// What became of it.
    pub fate: FateWord,
    /// The same in a sentence.
    pub says: String,
    /// Who took its ground.
    pub beaten_by: Option<Victor>,
    /// The plant, where it is one.
    pub plant: Option<PlantAnswer>,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FateWord {
    /// It is a plant.
    Stands,
    /// A plant was set there by hand.
    Pinned,
    /// The ground is void.
    Void,
    /// Its rank is not below its probability.
    Improbable,
    /// It was taken away by hand.
    Removed,
    /// A plant of its species was set at its very place by hand.
    Replaced,
    /// No plant stands near that its species stands near.
    Lonely,
    /// Another plant took its ground.
    Beaten,
    /// Competition ended before it was decided.
    Undecided,
    /// The world has a plant there that would not grow now: inputs have changed.
    Stale,
}

/// A plant that took another's ground.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Victor {
    /// Its species.
    pub species: String,
    /// Its id.
    pub id: String,
    /// World x in metres.
    pub x: f64,
    /// World y in metres.
    pub y: f64,
    /// How far it stands from the candidate, in metres.
    pub distance: f64,
    /// How far it would have to stand.
    pub needed: f64,
}

/// A plant as the world stores it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlantAnswer {
    /// Height of its foot in metres.
    pub z: f64,
    /// Size, as a factor of the mesh.
    pub size: f64,
    /// Turn in degrees, counter-clockwise seen from above.
    pub yaw: f64,
    /// Its upright: east, north, up.
    pub up: [f64; 3],
    /// Its mesh variant, where the species has any.
    pub variant: Option<String>,
    /// Tint, 0 to 1.
    pub tint: f64,
}
