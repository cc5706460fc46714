//! What a job counts of its own tile or chunk, for reports: sums only, so that those of a world are added up.

use serde::{Deserialize, Serialize};

/// What a job counted; empty where it counted nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {}
