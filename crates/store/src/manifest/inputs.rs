//! What a manifest says of the inputs.

use serde::{Deserialize, Serialize};

use super::GeoKeysRecord;

/// Where the source lay before the config placed it at (0, 0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceRecord {
    /// Its transform in GDAL's order: x0, dx, 0, y0, 0, dy.
    pub transform: [f64; 6],
    /// EPSG code of its coordinate system, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsg: Option<u16>,
    /// Its coordinate system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geo_keys: Option<GeoKeysRecord>,
}

/// A height file and what the config knew better than it; `None` where the file's own value holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeightsRecord {
    /// Its absolute path.
    pub path: String,
    /// Column and row in the map of its north-west corner, where there are several files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[i64; 2]>,
    /// The band that was read, from 1; `None` for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<u32>,
    /// Metres in one raw unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Metres added to each scaled height.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// Heights of the smallest and the largest number of the file's type, or of 0 and 1 where it holds fractions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// The raw value of a void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodata: Option<f64>,
    /// What a raw file holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawRecord>,
}

/// What a raw file holds, row by row from the north-west.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawRecord {
    /// Pixels from west to east.
    pub width: u32,
    /// Pixels from north to south.
    pub height: u32,
    /// The type of its numbers.
    #[serde(rename = "type")]
    pub sample: RawWord,
    /// Whether the first byte of a number is its highest.
    pub big_endian: bool,
}

/// The type of a raw file's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RawWord {
    /// Whole numbers of one byte.
    U8,
    /// Whole numbers of two bytes.
    U16,
    /// Signed whole numbers of two bytes.
    I16,
    /// Fractions of four bytes.
    F32,
}

/// A patch of heights and where in the map it lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchRecord {
    /// Its file; `at` may lie beyond the map.
    #[serde(flatten)]
    pub file: HeightsRecord,
    /// What becomes of a height under it.
    pub mode: PatchWord,
    /// How much of it takes hold.
    pub alpha: AlphaRecord,
}

/// What becomes of a height under a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PatchWord {
    /// The patch's height.
    Replace,
    /// The sum of both.
    Add,
    /// The higher of the two.
    Max,
    /// The lower of the two.
    Min,
}

/// How much of a patch takes hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AlphaRecord {
    /// As much everywhere, 0 to 1.
    Everywhere(f64),
    /// As much as the file with this absolute path says, pixel for pixel of the patch.
    File(String),
}
