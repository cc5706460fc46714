//! The plants of a world as one table of comma-separated values.

use std::io::Write;
use std::path::Path;

use ecotone_grid::name_key;
use ecotone_store::{ChunkView, PlantRecord, SpeciesView, decode_up};

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
        let mut table = Table {
            csv: csv::Writer::from_writer(out),
            cell: Vec::new(),
            n_rows: 0,
        };
        let mut written = table.csv.write_record(HEADER);
        world.world().each_chunk(&mut |chunk| {
            if written.is_ok() {
                written = table.chunk(chunk);
            }
        })?;
        written
            .and_then(|()| Ok(table.csv.flush()?))
            .map_err(|error| InterchangeError::io("write", to)(error.into()))?;
        Ok(table.n_rows)
    })
}

struct Table<W: Write> {
    csv: csv::Writer<W>,
    cell: Vec<u8>,
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
        self.field(format_args!("{}", plant.id(key)))?;
        self.csv.write_field(species.name())?;
        self.steps(plant.x)?;
        self.steps(plant.y)?;
        let (sign, mm) = (sign(i64::from(plant.z_mm)), plant.z_mm.unsigned_abs());
        self.field(format_args!("{sign}{}.{:03}", mm / 1000, mm % 1000))?;
        self.field(format_args!("{}", f64::from(plant.yaw) * 360.0 / 65536.0))?;
        self.field(format_args!(
            "{}",
            f64::from(plant.size) * species.size_step()
        ))?;
        for part in decode_up(plant.up) {
            self.field(format_args!("{part:.6}"))?;
        }
        let variant = species.variants().get(usize::from(plant.variant));
        self.csv.write_field(variant.copied().unwrap_or("0"))?;
        self.csv.write_record(None::<&[u8]>)?;
        self.n_rows += 1;
        Ok(())
    }

    /// A position with every digit: a step is 0.0009765625 m.
    fn steps(&mut self, steps: i64) -> csv::Result<()> {
        const STEP_E10: u64 = 9_765_625;
        let (sign, steps) = (sign(steps), steps.unsigned_abs());
        let fraction = format!("{:010}", steps % 1024 * STEP_E10);
        let digits = fraction.trim_end_matches('0');
        let point = if digits.is_empty() { "" } else { "." };
        self.field(format_args!("{sign}{}{point}{digits}", steps / 1024))
    }

    fn field(&mut self, text: std::fmt::Arguments<'_>) -> csv::Result<()> {
        self.cell.clear();
        self.cell.write_fmt(text)?;
        self.csv.write_field(&self.cell)
    }
}

fn sign(number: i64) -> &'static str {
    if number < 0 { "-" } else { "" }
}
