//! What can be typed after `ecotone pin`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{parse_bytes, parse_numbers};

/// Examples and exit codes.
pub(super) const HELP: &str = "\
A plant is named by its id, as `ecotone export` and `ecotone diff` write it, or by --species and --at: then the nearest
of the species within --within metres is meant. Coordinates are in metres of the world.

Examples:
  ecotone pin out add --species oak --at 501000.5,5198000.25 --size 1.3 --yaw 90
  ecotone pin out remove --species oak --at 501003,5198001
  ecotone pin out remove --id 13835790212471650821
  ecotone pin out move --species oak --at 501003,5198001 --to 501010,5198001
  ecotone pin out lock --id 13835790212471650821 --at 501003,5198001
  ecotone pin out --csv pins.csv
  ecotone export out --format csv --to all.csv && grep -e ^id -e ,oak, all.csv | ecotone pin out lock --csv -
  ecotone pin out list --orphans
  ecotone edit out --undo

Columns of a CSV file, in any order and by the names in its first line; others are left out:
  op        add, remove, move or lock; may be missing where the command says it for all lines
  species, id, x, y, to_x, to_y, size, yaw (degrees), variant, tint (0 to 1)
Either all lines are done, as one edit of the world, or none, and every one that cannot be is told.

Exit codes:
  0    done; the world holds the pins
  1    something failed on the way; the world and its log are as they were
  2    refused: usage, no such plant, species or place, no world, or another writer in it
  130  stopped by the user; the world and its log are as they were";

#[derive(Args, Debug)]
pub(crate) struct PinArgs {
    /// World directory.
    pub(crate) world: PathBuf,
    /// What to do; --csv may leave it to the file.
    #[arg(value_enum, required_unless_present = "csv")]
    pub(crate) op: Option<PinWord>,
    /// Species of the plant.
    #[arg(long, value_name = "NAME", conflicts_with = "csv")]
    pub(crate) species: Option<String>,
    /// Id of the plant: a decimal number, or 0x and 16 hexadecimal digits.
    #[arg(long, value_parser = parse_id, conflicts_with = "csv")]
    pub(crate) id: Option<u64>,
    /// Where it stands, or is to stand.
    #[arg(long, value_name = "X,Y", value_parser = parse_place, allow_hyphen_values = true, conflicts_with = "csv")]
    pub(crate) at: Option<[f64; 2]>,
    /// Where it is moved to.
    #[arg(long, value_name = "X,Y", value_parser = parse_place, allow_hyphen_values = true, conflicts_with = "csv")]
    pub(crate) to: Option<[f64; 2]>,
    /// How far around its place a plant is looked for, in metres.
    #[arg(
        long,
        value_name = "METRES",
        default_value_t = 2.0,
        allow_hyphen_values = true
    )]
    pub(crate) within: f64,
    /// Its size, as a factor of the mesh; else drawn, or as it is.
    #[arg(long, allow_hyphen_values = true, conflicts_with = "csv")]
    pub(crate) size: Option<f64>,
    /// Its turn in degrees, counter-clockwise seen from above; else drawn, or as it is.
    #[arg(
        long,
        value_name = "DEGREES",
        allow_hyphen_values = true,
        conflicts_with = "csv"
    )]
    pub(crate) yaw: Option<f64>,
    /// Its variant; else drawn, or as it is.
    #[arg(long, value_name = "NAME", conflicts_with = "csv")]
    pub(crate) variant: Option<String>,
    /// Its tint, from 0 to 1; else drawn, or as it is.
    #[arg(long, allow_hyphen_values = true, conflicts_with = "csv")]
    pub(crate) tint: Option<f64>,
    /// Read pins from this CSV file, `-` for standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// List only the pins that have lost their ground.
    #[arg(long)]
    pub(crate) orphans: bool,
    /// Worker threads; by default one a core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Memory for decoded inputs and tiles that are kept at hand, such as 192M or 2G.
    #[arg(long, value_name = "BYTES", default_value = "192M", value_parser = parse_bytes)]
    pub(crate) memory: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PinWord {
    /// Set a plant.
    Add,
    /// Take a plant away.
    Remove,
    /// Take a plant away and set it elsewhere.
    Move,
    /// Keep a plant as it is, whatever becomes of the rules.
    Lock,
    /// Show the pins that count.
    List,
}

/// Reads the id of a plant.
pub(crate) fn parse_id(text: &str) -> Result<u64, String> {
    let hex = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    let id = match hex {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    id.map_err(|_| {
        "expected the id of a plant, such as 13835790212471650821 or 0xe41c4c3b2df89405".into()
    })
}

fn parse_place(text: &str) -> Result<[f64; 2], String> {
    let numbers = parse_numbers(text)?;
    let n = numbers.len();
    numbers
        .try_into()
        .map_err(|_| format!("expected two numbers with a comma between them, found {n}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_decimal_or_hexadecimal() {
        let id = 0xe41c_4c3b_2df8_9405;
        assert_eq!(parse_id("16437096557053514757"), Ok(id));
        assert_eq!(parse_id("0xe41c4c3b2df89405"), Ok(id));
        assert!(parse_id("e41c4c3b2df89405").is_err());
        assert!(parse_id("-1").is_err() && parse_id("").is_err());
    }
}
