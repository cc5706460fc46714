//! `ecotone edit`.

use std::path::Path;

use ecotone_bake::Outcome;
use ecotone_bake::edit::{Alpha, Brush, Change, Editing};
use ecotone_store::{Changed, EditRecord, PatchWord, World};
use serde_json::json;

use crate::after::after_commit;
use crate::args::{EditArgs, PatchModeWord, parse_stroke};
use crate::bake::{stop_on_ctrl_c, threads};
use crate::error::CliError;
use crate::pin::tell_orphans;
use crate::progress::Progress;
use crate::say::{Voice, duration, thousands};

pub(crate) fn edit(args: &EditArgs, voice: Voice) -> Result<(), CliError> {
    if args.list {
        return list(&args.world, voice);
    }
    let changes = changes(args)?;
    let mut editing = Editing::open(&args.world)?;
    if let Some(warning) = editing.of_config() {
        voice.warn(warning);
    }
    let before = editing.log().len();
    for change in &changes {
        editing.add(change)?;
    }
    let taken_back = match args.undo {
        Some(n) => editing.undo(n as usize)?,
        None => Vec::new(),
    };
    let made = editing.log().get(before..).unwrap_or_default().to_vec();
    let cost = (args.memory, threads(args.threads));
    commit(editing, (&args.world, cost), (&made, &taken_back), voice)
}

/// Rebuilds what an edited log reaches, commits it and says what that did; `made` and `taken_back` are what became of the log.
pub(crate) fn commit(
    editing: Editing,
    (world, (memory, threads)): (&Path, (u64, usize)),
    (made, taken_back): (&[EditRecord], &[EditRecord]),
    voice: Voice,
) -> Result<(), CliError> {
    let on_commit = editing.on_commit().map(str::to_owned);
    let mut progress = Progress::new(voice, "edit", 0);
    let cancel = stop_on_ctrl_c();
    let outcome = editing.bake(memory, threads, &cancel, &mut |at| {
        progress.report(at.done as f64 / at.total as f64, at.n_plants)
    });
    let seconds = progress.seconds();
    drop(progress);
    let outcome = outcome?;
    for warning in &outcome.committed.warnings {
        voice.warn(warning);
    }
    report(made, taken_back, &outcome, seconds, voice);
    after_commit(on_commit.as_deref(), &outcome.committed, world, voice)
}

/// What the arguments ask for.
fn changes(args: &EditArgs) -> Result<Vec<Change>, CliError> {
    let brush = |[x, y, radius, _]: [f64; 4]| Brush {
        x,
        y,
        radius,
        falloff: args.falloff,
    };
    let mode = match args.mode {
        PatchModeWord::Replace => PatchWord::Replace,
        PatchModeWord::Add => PatchWord::Add,
        PatchModeWord::Max => PatchWord::Max,
        PatchModeWord::Min => PatchWord::Min,
    };
    let alpha = match args.alpha.parse() {
        Ok(share) => Alpha::Everywhere(share),
        Err(_) => Alpha::File(args.alpha.clone().into()),
    };
    let mut changes = Vec::new();
    changes.extend(args.raise.iter().map(|&stroke| Change::Raise {
        brush: brush(stroke),
        height: stroke[3],
    }));
    changes.extend(args.patch.iter().map(|file| Change::Patch {
        file: file.clone(),
        mode,
        alpha: alpha.clone(),
    }));
    for (stratum, stroke) in strokes("--paint", &args.paint)? {
        changes.push(Change::Paint {
            stratum,
            brush: brush(stroke),
            strength: stroke[3],
        });
    }
    for (stratum, stroke) in strokes("--erase", &args.erase)? {
        changes.push(Change::Erase {
            stratum,
            brush: brush(stroke),
            strength: stroke[3],
        });
    }
    Ok(changes)
}

/// Strata and strokes, which come in turns.
fn strokes(option: &'static str, values: &[String]) -> Result<Vec<(String, [f64; 4])>, CliError> {
    let stroke = |pair: &[String]| {
        let found = || pair[1].clone();
        let stroke = parse_stroke(&pair[1]).map_err(|reason| CliError::Stroke {
            option,
            found: found(),
            reason,
        })?;
        Ok((pair[0].clone(), stroke))
    };
    values.chunks_exact(2).map(stroke).collect()
}

fn list(dir: &Path, voice: Voice) -> Result<(), CliError> {
    let world = World::open(dir)?;
    let edits = &world.manifest().edits;
    for edit in edits {
        tell("", edit, voice);
    }
    if edits.is_empty() {
        voice.line(format_args!("{} has no edits", dir.display()));
    }
    voice.json(&json!({ "event": "edits", "directory": dir, "edits": edits }));
    Ok(())
}

fn tell(what: &str, edit: &EditRecord, voice: Voice) {
    let rect = edit.rect();
    let over = match edit.raster {
        Some(_) => format!(" ({} × {} pixels)", rect.width(), rect.height()),
        None => String::new(),
    };
    voice.line(format_args!(
        "{what}{:>4}  {}{over}",
        edit.number, edit.text
    ));
}

fn report(
    made: &[EditRecord],
    taken_back: &[EditRecord],
    outcome: &Outcome,
    seconds: f64,
    voice: Voice,
) {
    let committed = &outcome.committed;
    made.iter().for_each(|edit| tell("edit ", edit, voice));
    let undone = taken_back.iter().rev();
    undone.for_each(|edit| tell("undid", edit, voice));
    voice.line(format_args!(
        "revision {} in {}",
        committed.revision,
        duration(seconds)
    ));
    changed(&committed.changed, voice);
    tell_orphans(&outcome.orphans, voice);
    voice.json(&json!({
        "event": "edited",
        "revision": committed.revision,
        "seconds": seconds,
        "edits": made,
        "undone": taken_back,
        "changed": committed.changed,
        "orphans": outcome.orphans,
    }));
}

/// So many places are named; the others are only counted.
const MOST_PLACES: usize = 12;

fn changed(changed: &Changed, voice: Voice) {
    // Weights before distances, as they are made.
    for (stage, tiles) in changed.tiles.iter().rev() {
        let places = tiles.iter().map(|[x, y]| format!("({x}, {y})"));
        let tiles = places_of(tiles.len(), "tile", places);
        voice.line(format_args!("{stage:<12}{tiles}"));
    }
    let places = changed
        .chunks
        .iter()
        .map(|at| format!("({}, {})", at.x, at.y));
    if !changed.chunks.is_empty() {
        let chunks = places_of(changed.chunks.len(), "chunk", places);
        voice.line(format_args!("{:<12}{chunks}", "vegetation"));
    }
    match changed.plants {
        Some(plants) if !changed.chunks.is_empty() => voice.line(format_args!(
            "{:<12}{} added, {} gone, {} changed",
            "plants",
            thousands(plants.added),
            thousands(plants.gone),
            thousands(plants.changed)
        )),
        Some(_) if changed.tiles.is_empty() => voice.line("no tile and no chunk changed"),
        Some(_) => {}
        None => voice.line("how many plants changed is not known: a file of before cannot be read"),
    }
}

/// How many there are, and the first of them.
fn places_of(n: usize, what: &str, places: impl Iterator<Item = String>) -> String {
    let shown: Vec<String> = places.take(MOST_PLACES).collect();
    let more = if n > MOST_PLACES { " …" } else { "" };
    let plural = if n == 1 { "" } else { "s" };
    format!(
        "{} {what}{plural}: {}{more}",
        thousands(n as u64),
        shown.join(" ")
    )
}
