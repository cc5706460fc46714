//! The edit log of a world: changes laid over its config's heights and strata, each with a raster of its own in `edits/`.

use serde::{Deserialize, Serialize};

use crate::{Artefact, PatchWord};

/// What an edit does with its raster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "op")]
pub enum EditOp {
    /// A patch of heights in metres; a void leaves the ground as it is.
    Heights {
        /// What becomes of a height under it.
        mode: PatchWord,
    },
    /// Shares in [0, 1] that raise a stratum's weight.
    Paint {
        /// The stratum.
        stratum: String,
    },
    /// Shares in [0, 1] that lower a stratum's weight.
    Erase {
        /// The stratum.
        stratum: String,
    },
}

/// One edit of a world's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditRecord {
    /// Its number in the log, from 1.
    pub number: u64,
    /// What it does.
    #[serde(flatten)]
    pub op: EditOp,
    /// What was asked for, for people.
    pub text: String,
    /// Columns and rows of its raster, on the map's grid.
    pub size: [u32; 2],
    /// Its raster: one band of 32-bit reals. Its place is the pixel of the map under its north-west corner, which may lie off the map.
    #[serde(flatten)]
    pub raster: Artefact,
}
