//! Exports, pictures, checks and reports of a finished world, and what differs between two.
//!
//! Reads a committed world in windows, digests it, checks it, writes its plants as a table, draws it and reports on it. It does not know how a weight or a
//! plant came to be, never writes into a world, prints nothing and starts no thread.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use ecotone_interchange::{Finished, Layer, Preview, draw};
//!
//! # fn main() -> Result<(), ecotone_interchange::InterchangeError> {
//! let world = Finished::open(Path::new("out"))?;
//! let preview = Preview { region: None, layer: Layer::Terrain, size_px: 1600 };
//! draw(&world, &preview)?.write_png(Path::new("terrain.png"))?;
//! # Ok(())
//! # }
//! ```

mod cells;
mod checks;
mod diff;
mod digests;
mod error;
mod finished;
mod heights;
mod named;
mod plants;
mod preview;
pub mod report;
mod table;
mod tiles;
mod whole;

pub use checks::{
    Check, CheckKind, CheckLevel, Limits, Offender, Verdict, checks_digest, evaluate,
};
pub use diff::{
    BandDiff, Change, ChunkDiff, FieldDiff, GreatestChange, GreatestMove, PlantChange, PlantCounts,
    PlantDiff, SpeciesDiff, WorldDiff, diff, diff_to_csv,
};
pub use digests::{Digests, digests};
pub use error::InterchangeError;
pub use finished::Finished;
pub use named::world_dir;
pub use preview::{Layer, MAX_SIZE_PX, Overview, Picture, Preview, draw, sketch};
pub use table::write_csv;
