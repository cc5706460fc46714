//! The plants of a world as one table of comma-separated values.

use std::io::Write;
use std::path::Path;

use ecotone_grid::name_key;
use ecotone_store::{ChunkView, PlantRecord, SpeciesView, decode_up};

use crate::cells::Cells;
use crate::whole::write_whole;
use crate::{Finished, InterchangeError};

const HEADER: [&str; 11] = [
    "id", "species", "x", "y", "z", "yaw", "size", "nx", "ny", "nz", "variant",
];

/// Writes every plant of a world as CSV (RFC 4180, UTF-8) and returns how many rows there are beside the header.
///
/// Columns: `id` as an unsigned 64-bit decimal; `species`; `x` and `y` in world metres, every digit there is, since places are
/// whole 1/1024 m; `z` in metres to the millimetre; `yaw` in degrees; `size`; the up vector
/// `nx`, `ny`, `nz` to 6 decimals; `variant` by name, 0 for a species without variants. `yaw` and `size` have as many digits as
/// read back to the same number. Rows come in the order of the chunks. The file appears whole or not at all.
///
/// # Errors
/// Those of the chunk files and of the system.
pub fn write_csv(world: &Finished, to: &Path) -> Result<u64, InterchangeError> {
    write_whole(to, |out| {
        let refused = |error: csv::Error| InterchangeError::io("write", to)(error.into());
        let mut table = Table {
            cells: Cells::new(out, &HEADER).map_err(refused)?,
            n_rows: 0,
        };
        for chunk in &world.manifest().chunks {
            world
                .chunk(chunk, |view| table.chunk(view))?
                .map_err(refused)?;
        }
        let Table { cells, n_rows } = table;
        cells.finish().map_err(refused)?;
        Ok(n_rows)
    })
}

struct Table<W: Write> {
    cells: Cells<W>,
    n_rows: u64,
}

impl<W: Write> Table<W> {
    fn chunk(&mut self, chunk: &ChunkView<'_>) -> csv::Result<()> {
        for species in chunk.species() {
            let key = name_key(species.name());
            for plant in species.plants() {
                self.plant(species, key, &plant)?;
            }
        }
        Ok(())
    }

    fn plant(
        &mut self,
        species: &SpeciesView<'_>,
        key: u64,
        plant: &PlantRecord,
    ) -> csv::Result<()> {
        let cells = &mut self.cells;
        cells.shown(plant.id(key))?;
        cells.text(species.name())?;
        cells.steps(plant.x)?;
        cells.steps(plant.y)?;
        cells.millimetres(plant.z_mm)?;
        cells.shown(f64::from(plant.yaw) * 360.0 / 65536.0)?;
        cells.shown(f64::from(plant.size) * species.size_step())?;
        for part in decode_up(plant.up) {
            cells.shown(format_args!("{part:.6}"))?;
        }
        let variant = species.variants().get(usize::from(plant.variant));
        cells.text(variant.copied().unwrap_or("0"))?;
        cells.end_row()?;
        self.n_rows += 1;
        Ok(())
    }
}
