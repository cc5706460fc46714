//! The plants that differ as a table of comma-separated values.

use std::io::Write;
use std::path::Path;

use super::{PlantChange, WorldDiff, diff};
use crate::cells::Cells;
use crate::whole::write_whole;
use crate::{Finished, InterchangeError};

const HEADER: [&str; 11] = [
    "species", "id", "what", "x", "y", "z_old", "z_new", "size_old", "size_new", "chunk_x",
    "chunk_y",
];

/// Compares two worlds as [`diff`], and writes a row for every plant that differs (RFC 4180, UTF-8).
///
/// Columns: `species`; `id` as an unsigned 64-bit decimal; `what`: added, removed, moved, resized or changed; `x` and `y` in world
/// metres, every digit there is; `z_old` and `z_new` in metres to the millimetre, `size_old` and `size_new`, each empty where the
/// world has no such plant; `chunk_x` and `chunk_y`, its chunk in the newer world. Rows come in the order of [`diff`]. The file
/// appears whole or not at all.
///
/// # Errors
/// Those of [`diff`] and of the system.
pub fn diff_to_csv(
    old: &Finished,
    new: &Finished,
    to: &Path,
) -> Result<WorldDiff, InterchangeError> {
    write_whole(to, |out| {
        let refused = |error: csv::Error| InterchangeError::io("write", to)(error.into());
        let mut cells = Cells::new(out, &HEADER).map_err(refused)?;
        let found = diff(old, new, &mut |change| {
            row(&mut cells, change).map_err(refused)
        })?;
        cells.finish().map_err(refused)?;
        Ok(found)
    })
}

fn row<W: Write>(cells: &mut Cells<W>, change: &PlantChange<'_>) -> csv::Result<()> {
    let plant = change.plant();
    cells.text(&plant.kind.species)?;
    cells.shown(plant.id)?;
    cells.text(change.what.word())?;
    cells.steps(plant.record.x)?;
    cells.steps(plant.record.y)?;
    for side in [change.old, change.new] {
        match side {
            Some(plant) => cells.millimetres(plant.record.z_mm)?,
            None => cells.text("")?,
        }
    }
    for side in [change.old, change.new] {
        match side {
            Some(plant) => cells.shown(plant.size())?,
            None => cells.text("")?,
        }
    }
    change.chunk.iter().try_for_each(|at| cells.shown(at))?;
    cells.end_row()
}
