//! `ecotone diff`: what differs between two worlds, or two revisions of one.

use ecotone_interchange::{
    BandDiff, ChunkDiff, Finished, GreatestChange, GreatestMove, InterchangeError, PlantCounts,
    SpeciesDiff, WorldDiff, world_dir,
};
use serde_json::{Value, json};

use crate::args::DiffArgs;
use crate::error::CliError;
use crate::say::{Voice, decimal, thousands};
use crate::{check_outside, stop_without_files};

/// Chunks that are shown to people who ask for no number.
const CHUNKS: usize = 10;

pub(crate) fn diff(args: &DiffArgs, voice: Voice) -> Result<(), CliError> {
    let (old, new) = open(args)?;
    let stop = stop_without_files();
    let (old, new) = (old.until(stop.clone()), new.until(stop));
    let found = match &args.csv {
        Some(file) => {
            for name in std::iter::once(&args.old).chain(&args.new) {
                check_outside(&world_dir(name), file)?;
            }
            ecotone_interchange::diff_to_csv(&old, &new, file)?
        }
        None => ecotone_interchange::diff(&old, &new, &mut |_| Ok(()))?,
    };
    if voice.json {
        voice.json(&machine(&old, &new, &found, args.limit));
    } else {
        people(&old, &new, &found, args, voice);
    }
    if args.exit_code && !found.is_empty() {
        return Err(CliError::Differ);
    }
    Ok(())
}

fn open(args: &DiffArgs) -> Result<(Finished, Finished), InterchangeError> {
    if let Some(new) = &args.new {
        return Ok((Finished::open_named(&args.old)?, Finished::open_named(new)?));
    }
    let dir = world_dir(&args.old);
    let new = Finished::open(&dir)?;
    let old = if dir == args.old {
        new.before()?
    } else {
        Finished::open_named(&args.old)?
    };
    Ok((old, new))
}

fn people(old: &Finished, new: &Finished, found: &WorldDiff, args: &DiffArgs, voice: Voice) {
    let name = |world: &Finished| {
        let dir = world.world().dir().display();
        format!("{dir}@{}", world.manifest().revision)
    };
    voice.line(format_args!("{} → {}", name(old), name(new)));
    if found.is_empty() {
        voice.line("the worlds are the same");
    }
    if !found.plants.is_empty() {
        plants(found, args.limit.unwrap_or(CHUNKS), voice);
    }
    fields(found, voice);
    if let Some(file) = &args.csv {
        let n = thousands(found.plants.counts().total());
        voice.line(format_args!("{n} plants in {}", file.display()));
    }
}

const COUNTS: [&str; 5] = ["added", "removed", "moved", "resized", "changed"];

fn numbers(counts: &PlantCounts) -> [u64; 5] {
    [
        counts.added,
        counts.removed,
        counts.moved,
        counts.resized,
        counts.changed,
    ]
}

/// The numbers of a line, each under its heading.
fn columns(counts: &PlantCounts) -> String {
    let numbers = numbers(counts).map(|n| format!("{:>11}", thousands(n)));
    numbers.concat()
}

fn plants(found: &WorldDiff, limit: usize, voice: Voice) {
    let headings = COUNTS.map(|word| format!("{word:>11}")).concat();
    voice.line(format_args!("{:<16}{headings}", "plants"));
    for (name, species) in &found.plants.species {
        voice.line(species_line(name, species));
    }
    if found.plants.species.len() > 1 {
        let sum = columns(&found.plants.counts());
        voice.line(format_args!("{:<16}{sum}", "all"));
    }
    let chunks = by_weight(&found.plants.chunks, Some(limit));
    let n = thousands(found.plants.chunks.len() as u64);
    voice.line(format_args!("{:<16}{headings}", format!("chunks: {n}")));
    for chunk in &chunks {
        let [x, y] = chunk.at;
        let name = format!("({x}, {y})");
        voice.line(format_args!("{name:<16}{}", columns(&chunk.counts)));
    }
    let n_more = found.plants.chunks.len() - chunks.len();
    if n_more > 0 {
        voice.line(format_args!("… and {}", thousands(n_more as u64)));
    }
}

fn species_line(name: &str, species: &SpeciesDiff) -> String {
    let totals = match (species.n_old, species.n_new) {
        (old, new) if old == new => format!("  {} in both", thousands(old)),
        (old, new) => format!("  {} → {}", thousands(old), thousands(new)),
    };
    let farthest = species.greatest_move.map_or(String::new(), |farthest| {
        let [x, y] = farthest.place.map(|m| decimal(m, 2));
        format!("; up to {:+.3} m, at ({x}, {y})", farthest.metres)
    });
    format!("{name:<16}{}{totals}{farthest}", columns(&species.counts))
}

/// The chunks with the most differences first, as many as are wanted.
fn by_weight(chunks: &[ChunkDiff], limit: Option<usize>) -> Vec<ChunkDiff> {
    let mut chunks = chunks.to_vec();
    if let Some(limit) = limit {
        // Stable: chunks that are alike stay in the order of their places.
        chunks.sort_by_key(|chunk| std::cmp::Reverse(chunk.counts.total()));
        chunks.truncate(limit);
    }
    chunks
}

fn fields(found: &WorldDiff, voice: Voice) {
    if let Some(why) = &found.fields.apart {
        voice.line(format_args!("fields          not compared: {why}"));
    }
    let name = |stage: &str, band: &str| format!("{stage}:{band}");
    for (stage, band) in &found.fields.removed {
        voice.line(format_args!("{:<16} removed", name(stage, band)));
    }
    for (stage, band) in &found.fields.added {
        voice.line(format_args!("{:<16} added", name(stage, band)));
    }
    for band in &found.fields.bands {
        let name = name(&band.stage, &band.band);
        voice.line(format_args!("{name:<16} {}", band_line(band)));
    }
}

fn band_line(band: &BandDiff) -> String {
    let rect = band.bounds;
    let n = thousands(band.n_pixels);
    let plural = if band.n_pixels == 1 { "" } else { "s" };
    let mut line = format!(
        "{n} pixel{plural} in columns {}–{}, rows {}–{}",
        rect.x0,
        rect.x1 - 1,
        rect.y0,
        rect.y1 - 1
    );
    if let Some(greatest) = &band.greatest {
        line.push_str(&greatest_change(greatest, band.unit));
    }
    if band.n_void > 0 {
        let n = thousands(band.n_void);
        line.push_str(&format!("; {n} of them void in one of the two"));
    }
    line
}

fn greatest_change(greatest: &GreatestChange, unit: &str) -> String {
    let [column, row] = greatest.pixel;
    let [x, y] = greatest.place.map(|m| decimal(m, 2));
    let unit = match unit {
        "m" => " m",
        _ => "",
    };
    let [from, to] = [greatest.old, greatest.new].map(|value| decimal(value, 3));
    format!("; most at ({x}, {y}), column {column}, row {row}: {from} → {to}{unit}")
}

fn machine(old: &Finished, new: &Finished, found: &WorldDiff, limit: Option<usize>) -> Value {
    let name = |world: &Finished| json!({ "dir": world.world().dir(), "revision": world.manifest().revision });
    let species = found.plants.species.iter().map(|(name, species)| {
        let own = json!({
            "name": name,
            "old": species.n_old,
            "new": species.n_new,
            "greatest_move": species.greatest_move.map(|farthest| move_of(&farthest)),
        });
        with_counts(own, &species.counts)
    });
    let chunks = by_weight(&found.plants.chunks, limit);
    let chunks = chunks.iter().map(|chunk| {
        let [x, y] = chunk.at;
        with_counts(json!({ "x": x, "y": y }), &chunk.counts)
    });
    json!({
        "event": "diff",
        "old": name(old),
        "new": name(new),
        "same": found.is_empty(),
        "species": species.collect::<Vec<_>>(),
        "chunks": chunks.collect::<Vec<_>>(),
        "fields": found.fields.bands.iter().map(|found| band(found, old, new)).collect::<Vec<_>>(),
        "bands": { "added": found.fields.added, "removed": found.fields.removed },
        "apart": found.fields.apart,
    })
}

fn with_counts(mut value: Value, counts: &PlantCounts) -> Value {
    for (word, n) in COUNTS.iter().zip(numbers(counts)) {
        value[*word] = n.into();
    }
    value
}

fn move_of(farthest: &GreatestMove) -> Value {
    // As text: 64 bits are more than many readers of JSON keep of a number.
    json!({ "metres": farthest.metres, "id": farthest.id.to_string(), "at": farthest.place })
}

/// A value as the file holds it; `None` where files hold the values themselves.
fn stored(world: &Finished, stage: &str, value: f64) -> Option<i64> {
    let steps = match stage {
        "weights" => value * 255.0,
        "sdf" => value / world.manifest().edges.scale,
        _ => return None,
    };
    Some(steps.round() as i64)
}

fn band(band: &BandDiff, old: &Finished, new: &Finished) -> Value {
    let rect = band.bounds;
    let greatest = band.greatest.map(|greatest| {
        json!({
            "old": greatest.old,
            "new": greatest.new,
            "old_stored": stored(old, &band.stage, greatest.old),
            "new_stored": stored(new, &band.stage, greatest.new),
            "pixel": greatest.pixel,
            "at": greatest.place,
        })
    });
    json!({
        "stage": band.stage,
        "band": band.band,
        "unit": band.unit,
        "pixels": band.n_pixels,
        "void": band.n_void,
        "columns": [rect.x0, rect.x1 - 1],
        "rows": [rect.y0, rect.y1 - 1],
        "bounds": new.transform().bounds(rect),
        "greatest": greatest,
    })
}
