//! What can be typed.

mod explain;
mod pin;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use explain::EXPLAIN_HELP;
pub(crate) use explain::ExplainArgs;
pub(crate) use pin::{PinArgs, PinWord, parse_id};

const EDIT_HELP: &str = "\
Coordinates, radii and heights are in metres of the world. The last of the four numbers is what the brush does at its
centre: metres (below 0 lowers), or a share of the stratum's weight from 0 to 1.

Examples:
  ecotone edit out --raise 501000,5198000,40,12
  ecotone edit out --raise 501000,5198000,40,-3 --falloff 1
  ecotone edit out --paint meadow 501000,5198000,25,0.8
  ecotone edit out --erase road 501000,5198000,10,1 --falloff 0
  ecotone edit out --patch crater.tif --mode min
  ecotone edit out --list
  ecotone edit out --undo 2

Exit codes:
  0    done; the world holds the edit
  1    something failed on the way; the world and its log are as they were
  2    refused: usage, no such stratum, nothing on the map, no world, or another writer in it
  130  stopped by the user; the world and its log are as they were";

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    done, but something failed on the way or a check failed
  2    could not start: usage, config or input
  130  stopped by the user

Environment:
  ECOTONE_SIMD  portable, avx2 or avx512: the vector instructions of the kernels, for comparisons. Left out: the best
                that the processor has. The bytes are the same with all.";

const DIFF_HELP: &str = "\
Examples:
  ecotone diff out
  ecotone diff out@6 out@7 --csv plants.csv
  ecotone diff last-week/out out --exit-code
  ecotone diff out --json | jq '.species[] | {name, added, removed}'

With --json one object is printed:
  old, new  dir and revision
  same      whether every plant and every pixel is the same
  species   name, old and new (plants), added, removed, moved, resized, changed; greatest_move: metres, id, at
  chunks    x, y, added, removed, moved, resized, changed: those that differ
  fields    stage, band, unit, pixels, void, columns, rows, bounds in metres; greatest: old, new, old_stored and new_stored as the
            files hold them, pixel, at: the bands that differ
  bands     added and removed, as stage and band
  apart     why no pixel was compared, or null

Exit codes:
  0    compared, whether or not they differ
  1    they differ, with --exit-code
  2    refused: usage, no such world or revision, or a file of one is damaged";

const CHECK_HELP: &str = "\
Examples:
  ecotone check world.toml
  ecotone check world.toml --deep
  ecotone check world.toml --json | jq '.estimate.wall_seconds'

With --json one object is printed:
  inputs      the files: role, stratum, path, kind, bytes, width, height, bands, type, compression, layout, nodata,
              epsg, unit, corner, pixel, type_range, stated_range
  layers      heights in metres and masks in shares of 1: role, stratum; once read also min, max, mean, min_at, max_at,
              void_share
  world       size, pixel, bounds, epsg, tile_size, tiles, chunk_m, chunks, reach_px, competition_m, strata, species
  warnings    sentences
  unreadable  sentences; not empty only with exit code 2
  estimate    null, or tiles, tile_size, sample_seconds, void_share, threads, cpu_seconds, wall_seconds, plants, bytes,
              disk_bytes, free_bytes, memory_bytes

Exit codes:
  0    checked, with or without warnings
  2    the config or an input is wrong
  130  stopped by the user";

const PLAN_HELP: &str = "\
Examples:
  ecotone plan world.toml
  ecotone plan world.toml --limit 100
  ecotone plan world.toml --json | jq '.due[] | select(.stage == \"strata\")'

With --json one object is printed:
  revision    the one that the bake would go on from, or null
  stages      by name: jobs, kept, runs, may_run, cpu_seconds, may_cpu_seconds
  due         the jobs that are not kept: stage, x, y, certain, why; as the case may be, key, old, new, file, files,
              of, tile
  wall_seconds, most_wall_seconds
              with one thread for each core: of the jobs that would run, and of those that may run as well
  map, tile_size, jobs, reach_px, competition_m";

const VERIFY_HELP: &str = "\
Examples:
  ecotone verify out
  ecotone verify out --regions 20 --seed 3
  ecotone verify out --full --scratch /fast/tmp

Exit codes:
  0    all of it holds
  1    a file is damaged, a pixel or plant differs, or the inputs are others than when the world was baked
  2    could not start: no world, inputs missing, or no room
  130  stopped by the user";

/// Longest side of a picture, where nobody says otherwise.
pub(crate) const PREVIEW_PX: u32 = 1600;

/// Turns height maps into strata, exact distance fields and vegetation, tile by tile.
#[derive(Parser, Debug)]
#[command(name = "ecotone", version, after_help = EXIT_CODES, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Write results and progress as JSON lines on standard output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say more; twice for everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Bake a world from its config.
    #[command(after_help = "\
Examples:
  ecotone bake world.toml
  ecotone bake world.toml --preview world.png
  ecotone bake world.toml --out /fast/out --threads 2 --memory 512M")]
    Bake(BakeArgs),
    /// Say what a config and its inputs are, what is odd about them, and how much a bake would take.
    ///
    /// No pixel is read but those of a few tiles, which are baked into a temporary folder to time them.
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Change a baked world's ground or strata, and rebuild what that reaches.
    ///
    /// The edit is kept in the world's own log, over its config: later bakes into the same directory keep it, and
    /// --undo takes it back. A brush or an option may be given more than once.
    #[command(after_help = EDIT_HELP)]
    Edit(EditArgs),
    /// Add, remove, move or lock single plants by hand, and rebuild what that reaches.
    ///
    /// Pins are kept in the world's log of edits, over its config and its rules: later bakes into the same directory keep
    /// them, and `ecotone edit --undo` takes them back. A plant that is set by hand keeps others off its ground. A pin that
    /// has lost its own, since the ground or the rules changed beneath it, is told after each bake and stays in the log.
    #[command(after_help = pin::HELP)]
    Pin(PinArgs),
    /// Show what a bake would run and why, and how far each stage reads.
    ///
    /// Weights are decided exactly. Distances and plants in reach of a tile that would run may run too: they do where it
    /// turns out other than it was. Nothing is written.
    #[command(after_help = PLAN_HELP)]
    Plan(PlanArgs),
    /// Say what differs between two worlds, or two revisions of one: plants by their ids, and fields pixel by pixel.
    ///
    /// A plant is the same while its species and its id are, and then stands where it stood. Of what may have become of it the
    /// first that fits counts: moved (another height), resized, changed (turn, tilt, variant or tint).
    #[command(after_help = DIFF_HELP)]
    Diff(DiffArgs),
    /// Say why there is what there is at a point: its fields, the species' rules one by one, and what became of each candidate.
    ///
    /// Weights, distances and plants are those of the world; heights and masks are read from its inputs.
    #[command(after_help = EXPLAIN_HELP)]
    Explain(ExplainArgs),
    /// Say what a raster, a chunk file or a world directory holds.
    #[command(after_help = "\
Examples:
  ecotone inspect alps.tif
  ecotone inspect out/vegetation/x0003_y0012.5e1f….eco
  ecotone inspect out --digest")]
    Inspect(InspectArgs),
    /// Prove that a world is what a fresh bake of it makes, and that how it was cut does not show.
    ///
    /// Every file is read for its digest; sample regions are baked afresh in a scratch folder, once as the world is cut and
    /// once with other tiles, chunks and threads, and compared value by value and plant by plant.
    #[command(after_help = VERIFY_HELP)]
    Verify(VerifyArgs),
    /// Draw a baked world, or one of its fields, as a PNG.
    #[command(after_help = "\
Examples:
  ecotone preview out -o world.png
  ecotone preview out --region 500100,5199200,500300,5199400 -o close.png
  ecotone preview out --layer sdf:meadow -o meadow.png")]
    Preview(PreviewArgs),
    /// Write a baked world's plants in another format.
    #[command(after_help = "Example:\n  ecotone export out --format csv --to plants.csv")]
    Export(ExportArgs),
    /// Make a demo world: a 1 m terrain, a road and a commented config, ready to bake.
    #[command(after_help = "\
Examples:
  ecotone demo alps && ecotone bake alps/world.toml
  ecotone demo big --size 16384 --seed 3")]
    Demo(DemoArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    /// The world's config, a TOML file.
    pub(crate) config: PathBuf,
    /// World directory; overrides the config's `output.directory`.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct BakeArgs {
    #[command(flatten)]
    pub(crate) world: ConfigArgs,
    /// Worker threads; by default one a core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Memory for decoded inputs and tiles that are kept at hand, such as 192M or 2G.
    #[arg(long, value_name = "BYTES", default_value = "192M", value_parser = parse_bytes)]
    pub(crate) memory: u64,
    /// Trust no file's date: read every input, and every file that an earlier bake left.
    #[arg(long)]
    pub(crate) paranoid: bool,
    /// Draw the world into this PNG once it is baked.
    #[arg(long, value_name = "FILE")]
    pub(crate) preview: Option<PathBuf>,
    /// Write no report.html and report.json into the world directory.
    #[arg(long)]
    pub(crate) no_report: bool,
}

#[derive(Args, Debug)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) world: ConfigArgs,
    /// Trust no file's date: read every input, as `bake --paranoid` does.
    #[arg(long)]
    pub(crate) paranoid: bool,
    /// Show so many of the jobs that would run; --json shows all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
}

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(false))]
pub(crate) struct EditArgs {
    /// World directory.
    pub(crate) world: PathBuf,
    /// Raise the ground under a round brush.
    #[arg(long, group = "what", value_name = "X,Y,RADIUS,HEIGHT", value_parser = parse_stroke, allow_hyphen_values = true)]
    pub(crate) raise: Vec<[f64; 4]>,
    /// Raise the weight of a stratum under a round brush.
    #[arg(long, group = "what", num_args = 2, value_names = ["STRATUM", "X,Y,RADIUS,STRENGTH"], allow_hyphen_values = true)]
    pub(crate) paint: Vec<String>,
    /// Lower the weight of a stratum under a round brush.
    #[arg(long, group = "what", num_args = 2, value_names = ["STRATUM", "X,Y,RADIUS,STRENGTH"], allow_hyphen_values = true)]
    pub(crate) erase: Vec<String>,
    /// Lay a file of heights over the ground: any that a [[terrain.patch]] of a config may be.
    #[arg(long, group = "what", value_name = "FILE")]
    pub(crate) patch: Vec<PathBuf>,
    /// Take the last edits back.
    #[arg(long, group = "what", value_name = "N", num_args = 0..=1, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) undo: Option<u32>,
    /// Show the edits, the oldest first.
    #[arg(long, group = "what")]
    pub(crate) list: bool,
    /// Share of a brush's radius over which it fades out to nothing, from 0 to 1; 0 is a hard disc.
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, conflicts_with_all = ["patch", "undo", "list"])]
    pub(crate) falloff: f64,
    /// What becomes of a height under a patch.
    #[arg(long, value_enum, default_value = "replace", requires = "patch")]
    pub(crate) mode: PatchModeWord,
    /// How much of a patch takes hold: a number above 0 to 1, or a file on the patch's own grid.
    #[arg(
        long,
        value_name = "SHARE|FILE",
        default_value = "1",
        requires = "patch"
    )]
    pub(crate) alpha: String,
    /// Worker threads; by default one a core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Memory for decoded inputs and tiles that are kept at hand, such as 192M or 2G.
    #[arg(long, value_name = "BYTES", default_value = "192M", value_parser = parse_bytes)]
    pub(crate) memory: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PatchModeWord {
    /// The patch's height.
    Replace,
    /// The sum of both.
    Add,
    /// The higher of the two.
    Max,
    /// The lower of the two.
    Min,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) world: ConfigArgs,
    /// Read every pixel: ranges, means, voids, and blocks that cannot be read.
    #[arg(long)]
    pub(crate) deep: bool,
    /// Worker threads of the bake to reckon with; by default one a core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Memory of the bake to reckon with, as for `bake`.
    #[arg(long, value_name = "BYTES", default_value = "192M", value_parser = parse_bytes)]
    pub(crate) memory: u64,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// The older world: its directory, or DIR@7 for revision 7 of it. Alone, it is compared with the world as it is now: DIR
    /// stands for the revision before the current one.
    pub(crate) old: PathBuf,
    /// The newer world, likewise.
    pub(crate) new: Option<PathBuf>,
    /// Write a line for every plant that differs into this CSV file.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Show at most so many chunks, those with the most differences first; by default 10, with --json all.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// End with exit code 1 where the worlds differ.
    #[arg(long)]
    pub(crate) exit_code: bool,
}

#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// A GeoTIFF, PNG, OpenEXR, .hgt or raw file (.raw, .r16, .r8, .r32; square), a chunk file (.eco) or a world
    /// directory; no VRT.
    pub(crate) path: PathBuf,
    /// Print one JSON line with the digest of the content.
    #[arg(long)]
    pub(crate) digest: bool,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// World directory.
    pub(crate) world: PathBuf,
    /// Bake the whole map afresh, twice; it takes as much room as the world, and twice the time of a bake.
    #[arg(long, conflicts_with = "regions")]
    pub(crate) full: bool,
    /// Sample regions of 256 × 256 pixels; by default up to six, fewer where tiles are large.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) regions: Option<u16>,
    /// Another seed samples other regions.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Folder to bake in; by default beside the world. What is made in it is removed again.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) scratch: Option<PathBuf>,
    /// Worker threads; by default one a core. The bake with other tiles takes one more.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Memory for decoded inputs and tiles that are kept at hand, such as 192M or 2G.
    #[arg(long, value_name = "BYTES", default_value = "192M", value_parser = parse_bytes)]
    pub(crate) memory: u64,
}

#[derive(Args, Debug)]
pub(crate) struct PreviewArgs {
    /// World directory.
    pub(crate) world: PathBuf,
    /// Where to write the PNG.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// World metres to draw: west, south, east, north.
    #[arg(long, value_name = "X0,Y0,X1,Y1", value_parser = parse_region, allow_hyphen_values = true)]
    pub(crate) region: Option<[f64; 4]>,
    /// What to draw: terrain, slope, weights:STRATUM, sdf:STRATUM or density:SPECIES.
    #[arg(long, default_value = "terrain")]
    pub(crate) layer: String,
    /// Longest side of the picture, in pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = PREVIEW_PX, value_parser = clap::value_parser!(u32).range(16..=16384))]
    pub(crate) size: u32,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Comma-separated values, one plant a line.
    Csv,
}

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// World directory.
    pub(crate) world: PathBuf,
    /// Format of the export.
    #[arg(long, value_enum)]
    pub(crate) format: ExportFormat,
    /// File to write.
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// Folder to make the demo in.
    pub(crate) dir: PathBuf,
    /// Side of the map in pixels of 1 m.
    #[arg(long, default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) size: u32,
    /// Another seed makes another terrain.
    #[arg(long, default_value_t = 7)]
    pub(crate) seed: u64,
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    const EXPECTED: &str = "expected a number of bytes such as 268435456, 256M or 2G";
    let end_of_digits = text.find(|c: char| !c.is_ascii_digit());
    let (digits, unit) = text.split_at(end_of_digits.unwrap_or(text.len()));
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err(EXPECTED.into()),
    };
    let number: u64 = digits.parse().map_err(|_| EXPECTED)?;
    number
        .checked_shl(shift)
        .filter(|bytes| bytes >> shift == number)
        .ok_or_else(|| "more bytes than there are".into())
}

fn parse_numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |part: &str| {
        part.trim()
            .parse::<f64>()
            .map_err(|e| format!("{part:?}: {e}"))
    };
    text.split(',').map(number).collect()
}

/// Reads x, y and radius of a brush, and what it does.
pub(crate) fn parse_stroke(text: &str) -> Result<[f64; 4], String> {
    let numbers = parse_numbers(text)?;
    let n = numbers.len();
    numbers
        .try_into()
        .map_err(|_| format!("expected four numbers with commas between them, found {n}"))
}

fn parse_region(text: &str) -> Result<[f64; 4], String> {
    let numbers = parse_numbers(text)?;
    match numbers[..] {
        [x0, y0, x1, y1] if x0 < x1 && y0 < y1 && numbers.iter().all(|v| v.is_finite()) => {
            Ok([x0, y0, x1, y1])
        }
        [_, _, _, _] => {
            Err("expected west < east and south < north, in that order: x0,y0,x1,y1".into())
        }
        _ => Err(format!(
            "expected four numbers x0,y0,x1,y1, found {}",
            numbers.len()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn bytes_have_units() {
        assert_eq!(parse_bytes("12"), Ok(12));
        assert_eq!(parse_bytes("256M"), Ok(256 << 20));
        assert_eq!(parse_bytes("2GiB"), Ok(2 << 30));
        assert!(parse_bytes("12X").is_err());
        assert!(parse_bytes("").is_err());
        assert!(parse_bytes("99999999999G").is_err());
    }

    #[test]
    fn a_region_is_west_south_east_north() {
        assert_eq!(parse_region("-1,2.5,3,4"), Ok([-1.0, 2.5, 3.0, 4.0]));
        assert!(parse_region("3,2,1,4").is_err());
        assert!(parse_region("1,2,3").is_err());
        assert!(parse_region("nan,0,1,1").is_err());
    }
}
