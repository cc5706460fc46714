//! What differs between two worlds: plants by their ids, and fields pixel by pixel.
//!
//! Files whose digests agree are not read; what is read goes through memory a chunk or a window at a time.

mod fields;
mod plants;
mod squares;
mod table;

pub use fields::{BandDiff, FieldDiff, GreatestChange};
pub use plants::{
    Change, ChunkDiff, GreatestMove, PlantChange, PlantCounts, PlantDiff, SpeciesDiff,
};
pub use table::diff_to_csv;

use crate::{Finished, InterchangeError};

/// What differs between two worlds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldDiff {
    /// Plants, by species and id.
    pub plants: PlantDiff,
    /// Weights, distances and optional rasters, by name.
    pub fields: FieldDiff,
}

impl WorldDiff {
    /// Whether every plant and every pixel is the same.
    pub fn is_empty(&self) -> bool {
        self.plants.is_empty() && self.fields.is_empty()
    }
}

/// Compares two worlds and shows `each` every plant that differs: by squares as large as the larger chunks, from the south-west
/// row by row, and in a square by species and id. A square of more than a million plants comes in several such runs, each of its
/// own range of ids, so that memory does not grow with it.
///
/// Two worlds of the same chunk size are compared chunk by chunk, and chunk files of one digest are not read; nor are tiles of one
/// digest where both worlds are tiled alike.
///
/// # Errors
/// Those of the worlds' files, such as [`StoreError::WrongDigest`](ecotone_store::StoreError::WrongDigest), and those of `each`.
pub fn diff(
    old: &Finished,
    new: &Finished,
    each: &mut dyn FnMut(&PlantChange<'_>) -> Result<(), InterchangeError>,
) -> Result<WorldDiff, InterchangeError> {
    Ok(WorldDiff {
        plants: plants::compare(old, new, each)?,
        fields: fields::compare(old, new)?,
    })
}
