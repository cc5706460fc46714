//! Blue-noise patterns, and which of their candidates become plants.
//!
//! A [`Pattern`] says where plants of a species could stand anywhere in the world; [`place`] looks at the ground there
//! and decides which of them do, and how they stand. Everything is a pure function of what it is given: this crate knows
//! nothing of tiles, chunks, files or threads, and two windows agree bit for bit on every plant that both of them see
//! whole.
//!
//! ```
//! use ecotone_scatter::{BlockId, Pattern, PatternScratch};
//!
//! let spruce = Pattern::new(7, "spruce", 3.0);
//! let mut candidates = Vec::new();
//! spruce.block(BlockId { x: -1, y: 4 }, &mut PatternScratch::default(), &mut candidates);
//!
//! let expected = spruce.density_per_m2() * (spruce.block_side() as f64 / 1024.0).powi(2);
//! assert!((candidates.len() as f64 / expected - 1.0).abs() < 0.03);
//! ```

mod area;
mod attributes;
mod clusters;
mod competition;
mod conditions;
mod draws;
mod explain;
mod pattern;
mod pins;
mod place;
mod rules;
mod sample;
mod species;
#[cfg(test)]
mod testing;

pub use area::{Area, UNITS_PER_M};
pub use clusters::Clusters;
pub use competition::{
    ROUNDS as COMPETITION_ROUNDS, competition_reach_m, conflict_distance, pins_reach_m,
};
pub use conditions::{Biome, Conditions};
pub use explain::{Fate, Verdict, explain};
pub use pattern::{BlockId, Candidate, Pattern, PatternScratch, max_density_per_m2};
pub use pins::{Look, Pin, PinKind};
pub use place::{Flora, PlaceScratch, Plant, place};
pub use rules::{Expectation, Extremes, Factor, Rule, Sample, attenuation, factors, probability};
pub use sample::{Fields, Ground};
pub use species::{Curve, Edge, Facing, Near, Species, Variant, Yaw};
