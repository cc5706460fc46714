//! What a check found, for people.

use std::path::Path;

use ecotone_bake::STEPS_PER_M;
use ecotone_bake::config::Loaded;
use ecotone_bake::survey::{Estimate, Input, Layer, RasterFacts, Role, Unit, Values};
use ecotone_grid::{PixelSize, Reach};

use super::Found;
use crate::args::CheckArgs;
use crate::say::{Voice, bytes, decimal, duration, thousands};

/// Prints all of it.
pub(super) fn tell(found: &Found<'_>, args: &CheckArgs, voice: Voice) {
    let out = Out { voice };
    tell_config(found.loaded, out);
    let inputs = &found.survey.inputs;
    for alike in inputs.chunk_by(|a, b| a.role == b.role) {
        tell_inputs(alike, out);
    }
    for layer in &found.survey.layers {
        tell_layer(layer, found, out);
    }
    tell_world(found, out);
    for sentence in &found.survey.unreadable {
        out.say("unreadable", sentence);
    }
    for warning in &found.warnings {
        out.say("warning", warning);
    }
    if let Some(estimate) = found.estimate {
        tell_estimate(estimate, found.bake.out(), args.memory, out);
    }
}

/// Lines with a label in front.
#[derive(Clone, Copy)]
struct Out {
    voice: Voice,
}

impl Out {
    fn say(self, label: &str, text: impl std::fmt::Display) {
        self.voice.line(format_args!("{label:<12}{text}"));
    }
}

/// The config, where it is more than the one file that was named.
fn tell_config(loaded: &Loaded, out: Out) {
    let n_files = match loaded.included().len() {
        0 => return,
        1 => String::from("1 included file"),
        n => format!("{} included files", thousands(n as u64)),
    };
    out.say(
        "config",
        format_args!("{} + {n_files}", loaded.path.display()),
    );
}

/// So many files of one role are shown; the others are counted.
const MOST_SHOWN: usize = 3;

/// Files of one role.
fn tell_inputs(inputs: &[Input], out: Out) {
    for input in inputs.iter().take(MOST_SHOWN) {
        tell_input(input, out);
    }
    if let Some(more) = more(inputs) {
        out.say("", more);
    }
}

/// How many files of one role are not shown, and how large all of them are.
fn more(inputs: &[Input]) -> Option<String> {
    let n_more = inputs.len().checked_sub(MOST_SHOWN).filter(|&n| n > 0)?;
    let n_bytes = inputs.iter().map(|input| input.file_bytes).sum();
    Some(format!(
        "and {} more, {} in all",
        thousands(n_more as u64),
        bytes(n_bytes)
    ))
}

fn tell_input(input: &Input, out: Out) {
    let path = input.path.display();
    match &input.role {
        Role::Heights => out.say("heights", path),
        Role::Patch => out.say("patch", path),
        Role::Mask(stratum) => out.say("mask", format_args!("{path}, of {stratum}")),
    }
    let size = bytes(input.file_bytes);
    let Some(raster) = &input.raster else {
        out.say("", format_args!("{}, {size}", input.kind));
        return;
    };
    let bands = match raster.n_bands {
        1 => "1 band".to_owned(),
        n => format!("{n} bands"),
    };
    let mut facts = vec![
        format!(
            "{}, {} × {} pixels",
            input.kind, raster.width, raster.height
        ),
        raster.sample.to_owned(),
        bands,
    ];
    facts.extend(raster.compression.map(|word| match word {
        "none" => "not compressed".to_owned(),
        word => word.to_owned(),
    }));
    facts.extend(raster.layout.clone());
    facts.extend(raster.nodata.map(|nodata| format!("nodata {nodata}")));
    facts.push(size);
    out.say("", facts.join(", "));
    out.say("", place(raster));
}

/// Where the pixels lie, by the file.
fn place(raster: &RasterFacts) -> String {
    let Some(grid) = raster.place else {
        return "it does not say where it lies".to_owned();
    };
    let crs = raster
        .epsg
        .map_or_else(|| "no EPSG code".to_owned(), |code| format!("EPSG:{code}"));
    let (unit, large, per_large) = match raster.unit {
        Unit::Metre => ("m", "km", 1000.0),
        Unit::Degree => ("degrees", "degrees", 1.0),
        Unit::Other => ("units", "units", 1.0),
    };
    let extent = |n: u32, pixel: f64| decimal(f64::from(n) * pixel / per_large, 3);
    format!(
        "{crs}, north-west corner ({}, {}), pixels of {} × {} {unit}, {} × {} {large}",
        grid.x0,
        grid.y0,
        decimal(grid.pixel.x, 9),
        decimal(grid.pixel.y, 9),
        extent(raster.width, grid.pixel.x),
        extent(raster.height, grid.pixel.y),
    )
}

fn tell_layer(layer: &Layer, found: &Found<'_>, out: Out) {
    let is_mask = layer.stratum.is_some();
    match &layer.values {
        Some(values) if is_mask => out.say("coverage", coverage(layer, values)),
        Some(values) => out.say("range", range(values)),
        None if is_mask => {}
        None => out.say("range", unread(found)),
    }
}

fn range(values: &Values) -> String {
    let Some(mean) = values.mean() else {
        return "all of it is void".to_owned();
    };
    let at = |(x, y): (i64, i64)| format!("pixel ({x}, {y})");
    format!(
        "{} m at {} … {} m at {}, mean {} m, {:.2} % void",
        decimal(values.lowest, 3),
        at(values.lowest_at),
        decimal(values.highest, 3),
        at(values.highest_at),
        decimal(mean, 3),
        values.void_share() * 100.0
    )
}

fn coverage(layer: &Layer, values: &Values) -> String {
    let name = layer.stratum.as_deref().unwrap_or_default();
    match values.mean() {
        None => format!("{name} was not read"),
        Some(mean) => format!(
            "{name} takes {} … {}, {:.2} % of the map",
            decimal(values.lowest, 3),
            decimal(values.highest, 3),
            mean * 100.0
        ),
    }
}

/// What is known of heights that were not read.
fn unread(found: &Found<'_>) -> String {
    let rasters = found
        .survey
        .inputs
        .iter()
        .filter(|input| input.is_of_heights());
    let known = rasters.filter_map(|input| {
        let raster = input.raster.as_ref()?;
        match (raster.stated, raster.holds) {
            (Some([low, high]), _) => Some(format!("{low} … {high} m by the file's statistics")),
            (None, Some([low, high])) => Some(format!("{} holds {low} … {high} m", raster.sample)),
            (None, None) => None,
        }
    });
    let mut known: Vec<String> = known.collect();
    known.dedup();
    match known.is_empty() || known.len() > 3 {
        true => "not read; --deep reads it".to_owned(),
        false => format!("not read ({}); --deep reads it", known.join("; ")),
    }
}

fn tell_world(found: &Found<'_>, out: Out) {
    let (plan, survey) = (found.bake.plan(), found.survey);
    let map = plan.tiles.map();
    let pixel = plan.transform.pixel;
    let km = |n: usize, size: f64| decimal(n as f64 * size / 1000.0, 3);
    out.say(
        "world",
        format_args!(
            "{} × {} pixels of {} × {} m, {} × {} km",
            map.width(),
            map.height(),
            decimal(pixel.x, 6),
            decimal(pixel.y, 6),
            km(map.width(), pixel.x),
            km(map.height(), pixel.y)
        ),
    );
    let [west, south, east, north] = plan.transform.bounds(map).map(|edge| decimal(edge, 3));
    let crs = survey.epsg.map_or_else(
        || "no coordinate system".to_owned(),
        |code| format!("EPSG:{code}"),
    );
    out.say(
        "",
        format_args!("from ({west}, {south}) to ({east}, {north}), {crs}"),
    );
    let (columns, rows) = plan.tiles.n_tiles();
    let n_chunks = plan.chunks.n_over(plan.transform.bounds(map));
    out.say(
        "tiles",
        format_args!("{columns} × {rows} of {} pixels", plan.tiles.size()),
    );
    out.say(
        "chunks",
        format_args!(
            "{} of {} m",
            thousands(n_chunks),
            plan.chunks.size as f64 / STEPS_PER_M
        ),
    );
    let reaches = &plan.reaches;
    out.say(
        "reach",
        format_args!(
            "around its own a job reads {} of heights, {} of weights, {} of fields",
            far(reaches.strata, pixel),
            far(reaches.sdf, pixel),
            far(reaches.plants, pixel)
        ),
    );
    out.say("strata", survey.strata.join(", "));
    if !survey.species.is_empty() {
        out.say("species", survey.species.join(", "));
    }
}

/// A reach in metres and pixels; one number where both axes have it.
fn far(reach: Reach, pixel: PixelSize) -> String {
    let metres = |n: u32, size: f64| decimal(f64::from(n) * size, 1);
    let (x, y) = (metres(reach.x, pixel.x), metres(reach.y, pixel.y));
    if reach.x == reach.y && x == y {
        return format!("{x} m ({} px)", reach.x);
    }
    format!("{x} × {y} m ({} × {} px)", reach.x, reach.y)
}

fn tell_estimate(estimate: &Estimate, world: &Path, memory: u64, out: Out) {
    let tiles: Vec<String> = estimate
        .tiles
        .iter()
        .map(|tile| format!("({}, {})", tile.x, tile.y))
        .collect();
    out.say(
        "estimate",
        format_args!(
            "from {} of {} px and what lies around, baked on trial in {}: {}",
            if tiles.len() == 1 {
                "a tile".to_owned()
            } else {
                format!("{} tiles", tiles.len())
            },
            estimate.tile_size,
            duration(estimate.sample_seconds),
            tiles.join(" ")
        ),
    );
    let n_plants: u64 = estimate.plants.iter().map(|(_, n)| n).sum();
    if !estimate.plants.is_empty() {
        let each = estimate
            .plants
            .iter()
            .map(|(name, n)| format!("{name} {}", thousands(rounded(*n))));
        out.say(
            "  plants",
            format_args!(
                "about {}: {}",
                thousands(rounded(n_plants)),
                each.collect::<Vec<_>>().join(", ")
            ),
        );
    }
    tell_cost(estimate, world, memory, out);
}

fn tell_cost(estimate: &Estimate, world: &Path, memory: u64, out: Out) {
    let stages = estimate
        .stages
        .iter()
        .map(|stage| format!("{} {}", stage.folder, bytes(stage.bytes)));
    out.say(
        "  on disk",
        format_args!(
            "about {}: {}",
            bytes(estimate.disk_bytes),
            stages.collect::<Vec<_>>().join(", ")
        ),
    );
    if let Some(free) = estimate.free_bytes {
        out.say(
            "",
            format_args!("{} are free where {} lies", bytes(free), world.display()),
        );
    }
    out.say(
        "  memory",
        format_args!(
            "at most about {}, with {} and --memory {}",
            bytes(estimate.memory_bytes),
            n_threads(estimate.threads),
            bytes(memory)
        ),
    );
    out.say(
        "  time",
        format_args!(
            "about {} with {}; {} of processor time",
            duration(estimate.wall_seconds),
            n_threads(estimate.threads),
            duration(estimate.cpu_seconds)
        ),
    );
}

fn n_threads(n: usize) -> String {
    match n {
        1 => "1 thread".to_owned(),
        n => format!("{n} threads"),
    }
}

/// To two digits: an estimate has no more.
fn rounded(n: u64) -> u64 {
    let step = 10_u64.pow(n.checked_ilog10().unwrap_or(0).saturating_sub(1));
    (n + step / 2) / step * step
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn of_many_files_the_first_are_shown() {
        let input = Input {
            path: "tile.tif".into(),
            role: Role::Heights,
            kind: "GeoTIFF",
            file_bytes: 1 << 20,
            raster: None,
        };
        let inputs = vec![input; 3000];
        assert_eq!(more(&inputs[..3]), None);
        assert_eq!(more(&inputs[..4]).unwrap(), "and 1 more, 4.0 MiB in all");
        assert_eq!(more(&inputs).unwrap(), "and 2,997 more, 2.9 GiB in all");
    }

    #[test]
    fn an_estimate_has_two_digits() {
        for (n, expected) in [
            (0, 0),
            (7, 7),
            (42, 42),
            (12_549, 13_000),
            (99_600, 100_000),
        ] {
            assert_eq!(rounded(n), expected);
        }
    }
}
