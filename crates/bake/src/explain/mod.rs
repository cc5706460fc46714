//! Why there is what there is at a point of a finished world: its fields, the species' rules one by one, and what became of
//! every candidate around it.
//!
//! Weights, distances and plants are those that the world stores; heights and masks are read from the inputs again, and where
//! these have changed since, the answer says so. Only what lies around the point is read.

mod answer;
mod candidates;
mod gather;
mod plants;
mod words;

pub use answer::{
    BiomeAnswer, CandidateAnswer, Explanation, FateWord, Ground, GroundFields, LayerAnswer,
    PlantAnswer, RuleAnswer, SpeciesAnswer, StratumAnswer, Victor,
};

use crate::config::nearest;
use crate::error::BakeError;
pub use gather::Explainer;

/// The largest radius in metres.
pub const MOST_RADIUS_M: f64 = 100.0;

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Where, in world metres.
    pub at: Place,
    /// How far around it candidates are told of, in metres; at most [`MOST_RADIUS_M`].
    pub radius: f64,
    /// Only this species; `None`: all.
    pub species: Option<String>,
}

/// A place that is asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// World x and y in metres.
    Point(f64, f64),
    /// Where the plant of this id stands; every chunk is looked through until it is found.
    Plant(u64),
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The config, the inputs or a file of the world cannot be read.
    #[error(transparent)]
    Bake(#[from] BakeError),
    /// The inputs make another map than the world's, so that no place of theirs can be told.
    #[error(
        "the inputs now make a map of {found}, and the world was baked of one of {expected}; explain reads heights and masks from the inputs: bake again, or bring back those of the bake"
    )]
    OtherMap {
        /// The world's map.
        expected: String,
        /// What the inputs make.
        found: String,
    },
    /// There is no such species.
    #[error("the world has no species `{name}`{help}")]
    NoSpecies {
        /// What was asked for.
        name: String,
        /// The nearest name, or all there are.
        help: String,
    },
    /// There is no such plant.
    #[error("no plant of the world has the id {id:#018x}; `ecotone export` writes the ids of all")]
    NoPlant {
        /// What was asked for.
        id: u64,
    },
    /// The point or the radius is none.
    #[error(
        "expected a point in metres and a radius from 0 to {MOST_RADIUS_M} m, found ({x}, {y}) and {radius} m"
    )]
    NoPoint {
        /// World x.
        x: f64,
        /// World y.
        y: f64,
        /// The radius.
        radius: f64,
    },
}

/// Names the species that may have been meant.
fn no_species<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> ExplainError {
    let help = match nearest(name, known.clone()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => match known.map(|own| format!("`{own}`")).collect::<Vec<_>>() {
            none if none.is_empty() => ", and no other".to_owned(),
            names => format!("; it has {}", names.join(", ")),
        },
    };
    let name = name.to_owned();
    ExplainError::NoSpecies { name, help }
}
