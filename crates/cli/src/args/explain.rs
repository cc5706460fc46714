//! What can be typed after `ecotone explain`.

use std::path::PathBuf;

use clap::Args;

use super::{parse_bytes, parse_id};

pub(super) const EXPLAIN_HELP: &str = "\
Examples:
  ecotone explain out 501000.5 5198020
  ecotone explain out -12.5 300 --species oak --radius 5
  ecotone explain out --id 0xe41c4c3b2df89405
  ecotone explain out@6 501000.5 5198020 --json | jq '.species[] | {name, says}'

docs/explain.md says what the object that --json prints holds.

Exit codes:
  0    answered, also off the map and on a void
  1    a file of the world is damaged
  2    refused: usage, no such world, revision, species or plant, or its inputs are gone";

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// World directory, or DIR@7 for revision 7 of it.
    pub(crate) world: PathBuf,
    /// World x in metres.
    #[arg(
        allow_negative_numbers = true,
        required_unless_present = "id",
        requires = "y"
    )]
    pub(crate) x: Option<f64>,
    /// World y in metres.
    #[arg(allow_negative_numbers = true)]
    pub(crate) y: Option<f64>,
    /// The plant of this id instead of a point: a decimal number, or 0x and 16 hexadecimal digits.
    #[arg(long, value_parser = parse_id, conflicts_with = "x")]
    pub(crate) id: Option<u64>,
    /// How far around the point candidates are told of, in metres; at most 100.
    #[arg(
        long,
        value_name = "METRES",
        default_value_t = 2.0,
        allow_hyphen_values = true
    )]
    pub(crate) radius: f64,
    /// Only this species.
    #[arg(long, value_name = "NAME")]
    pub(crate) species: Option<String>,
    /// Memory for decoded inputs and tiles, such as 64M.
    #[arg(long, value_name = "BYTES", default_value = "64M", value_parser = parse_bytes)]
    pub(crate) memory: u64,
}
