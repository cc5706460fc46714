//! Checks of a finished world, by an independent reading of its files: nothing of the bake that made them is trusted.
//!
//! Plants are read chunk by chunk and rasters tile by tile, so memory does not grow with the map.

mod coverage;
mod ground;
mod overlap;
mod plants;
mod roots;
mod seams;
mod verdict;

use std::collections::BTreeMap;

use ecotone_store::content_digest;
use serde::{Deserialize, Serialize};

pub use verdict::{Offender, Verdict};

use crate::{Finished, InterchangeError};

/// A check of a world, and when it fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What the report calls it.
    pub name: String,
    /// What it looks for.
    pub kind: CheckKind,
    /// How many faults it lets pass.
    pub most: u64,
    /// What it does when it fails.
    pub level: CheckLevel,
}

/// What a failed check does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckLevel {
    /// The command that made it fails.
    Error,
    /// It is told.
    Warn,
}

/// What a check looks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum CheckKind {
    /// Plants of which a pixel around their foot is void.
    Void {
        /// All species where there is none.
        species: Option<String>,
    },
    /// Plants whose foot is not on the heights, read bilinearly, nor as deep below them as they are sunk.
    Roots {
        /// All species where there is none.
        species: Option<String>,
        /// Metres that are allowed.
        tolerance_m: f64,
        /// Least and largest depth in metres that plants are sunk into the ground, by species; 0 of those left out.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        sinks_m: BTreeMap<String, [f64; 2]>,
    },
    /// Pairs of plants of two species that stand closer than the sum of their footprints.
    Overlap {
        /// Radii in metres, by species.
        footprints_m: BTreeMap<String, f64>,
    },
    /// Plants nearer to a stratum's edge than they may be, or inside it.
    KeepOff {
        /// The stratum.
        stratum: String,
        /// Metres outside its edge.
        distance_m: f64,
        /// All species where there is none.
        species: Option<String>,
    },
    /// A stratum's share of the ground that is no void.
    Coverage {
        /// The stratum.
        stratum: String,
        /// What is allowed.
        limits: Limits,
    },
    /// How many plants there are.
    Count {
        /// All species where there is none.
        species: Option<String>,
        /// What is allowed.
        limits: Limits,
    },
    /// Sides of tiles that show in the weights or the distances.
    Seams,
}

/// What a number may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// The least and the most.
    pub band: Option<[f64; 2]>,
    /// How much it may differ from the revision before, as a share of what it was.
    pub drift: Option<f64>,
}

impl CheckKind {
    /// The word for it, as a config has it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Void { .. } => "void",
            Self::Roots { .. } => "roots",
            Self::Overlap { .. } => "overlap",
            Self::KeepOff { .. } => "keep_off",
            Self::Coverage { .. } => "coverage",
            Self::Count { .. } => "count",
            Self::Seams => "seams",
        }
    }
}

/// A digest of checks: the same where they ask the same.
pub fn checks_digest(checks: &[Check]) -> String {
    let json =
        serde_json::to_vec(checks).expect("records of numbers, texts and lists have a JSON form");
    content_digest(&json)
}

/// Makes checks of a world; `before` is the revision that drift is measured against, where it is still there.
///
/// # Errors
/// Those of the world's files.
pub fn evaluate(
    world: &Finished,
    before: Option<&Finished>,
    checks: &[Check],
) -> Result<Vec<Verdict>, InterchangeError> {
    let mut plants = plants::survey(world, checks)?.into_iter();
    let mut shares = coverage::Shares::new(world, before);
    checks
        .iter()
        .map(|check| match &check.kind {
            CheckKind::Coverage { stratum, limits } => shares.verdict(check, stratum, limits),
            CheckKind::Seams => seams::verdict(world, check),
            CheckKind::Count { species, limits } => {
                let counted = plants.next().unwrap_or_default();
                let species = species.as_deref();
                let was = before.and_then(|before| coverage::n_plants(before, species));
                let now = coverage::Change {
                    now: counted.n_seen as f64,
                    was: was.map(|n| n as f64),
                };
                Ok(Verdict::of_number(check, now, limits, &verdict::count))
            }
            _ => Ok(Verdict::of_faults(check, plants.next().unwrap_or_default())),
        })
        .collect()
}
