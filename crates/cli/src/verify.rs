//! `ecotone verify`: proves that a world is what a fresh bake makes of it, however it was cut.

use std::path::Path;

use ecotone_bake::verify::{Comparison, Digests, Request, Step, Verdict, verify as run};
use serde_json::{Value, json};

use crate::args::VerifyArgs;
use crate::bake::{stop_on_ctrl_c, threads};
use crate::error::CliError;
use crate::progress::Progress;
use crate::say::{Voice, bytes, decimal, duration, thousands};

pub(crate) fn verify(args: &VerifyArgs, voice: Voice) -> Result<(), CliError> {
    let request = Request {
        full: args.full,
        regions: args.regions.map(|n| n as usize),
        seed: args.seed,
        scratch: args.scratch.clone(),
        threads: threads(args.threads),
        memory_bytes: args.memory,
    };
    let start = std::time::Instant::now();
    let cancel = stop_on_ctrl_c();
    let mut shown: Option<(Step, Progress)> = None;
    let verdict = run(&args.world, &request, &cancel, &mut |step, share| {
        if shown.as_ref().is_none_or(|(of, _)| *of != step) {
            // The old bar goes before the new one comes.
            drop(shown.take());
            shown = Some((step, Progress::new(voice, word(step), 0)));
        }
        if let Some((_, progress)) = &mut shown {
            progress.report(share, 0);
        }
    });
    drop(shown);
    let verdict = verdict?;
    tell(&verdict, &args.world, start.elapsed().as_secs_f64(), voice);
    voice.json(&object(&verdict));
    match verdict.is_proof() {
        true => Ok(()),
        false => Err(CliError::Unproved {
            path: args.world.clone(),
            why: why(&verdict),
        }),
    }
}

fn word(step: Step) -> &'static str {
    match step {
        Step::Files => "files",
        Step::Rebuild => "rebuild",
        Step::Partition => "partition",
    }
}

/// What does not hold, in a few words.
fn why(verdict: &Verdict) -> String {
    if verdict.files.n_damaged > 0 {
        return format!("{} files are damaged", verdict.files.n_damaged);
    }
    if verdict.n_changed > 0 {
        return "the inputs are not those the world was baked from: bake again".to_owned();
    }
    let laws = [&verdict.rebuild, &verdict.partition];
    let n: u64 = laws.into_iter().flatten().map(|law| law.n_differing).sum();
    format!("{n} tiles and chunks differ from fresh bakes")
}

fn tell(verdict: &Verdict, world: &Path, seconds: f64, voice: Voice) {
    tell_files(&verdict.files, voice);
    if let Some(first) = &verdict.changed {
        let n = verdict.n_changed;
        voice.line(format_args!(
            "inputs      not those the world was baked from: {n} jobs read something else, the first is {first}; bake again"
        ));
    }
    for (name, law) in [
        ("rebuild", &verdict.rebuild),
        ("partition", &verdict.partition),
    ] {
        if let Some(law) = law {
            tell_law(name, law, voice);
        }
    }
    if let (true, Some(own), Some(other)) =
        (verdict.is_proof(), &verdict.rebuild, &verdict.partition)
    {
        voice.line(format_args!(
            "verified    {}: {} files whole; {} values and {} plants as from a fresh bake; {} values and {} plants the same \
             in tiles of {} and of {} with {} and {} threads ({})",
            world.display(),
            thousands(verdict.files.n_files as u64),
            thousands(own.n_values),
            thousands(own.n_plants),
            thousands(other.n_values),
            thousands(other.n_plants),
            own.tile_size,
            other.tile_size,
            own.threads,
            other.threads,
            duration(seconds)
        ));
    }
}

fn tell_files(files: &Digests, voice: Voice) {
    if files.n_damaged == 0 {
        let n = thousands(files.n_files as u64);
        voice.line(format_args!(
            "files       {n} of {} have their digests",
            bytes(files.n_bytes)
        ));
        return;
    }
    voice.line(format_args!("files       {} damaged", files.n_damaged));
    for damage in &files.damaged {
        voice.line(format_args!("  {damage}"));
    }
    let n_more = files.n_damaged - files.damaged.len();
    if n_more > 0 {
        voice.line(format_args!("  and {n_more} more"));
    }
    if files.damaged.iter().any(|damage| damage.is_of_edit()) {
        voice.line(
            "repair      the raster of an edit has no source: bring back a copy of the file, or take the edit back with \
             `ecotone edit --undo`",
        );
    }
    if files.damaged.iter().any(|damage| !damage.is_of_edit()) {
        voice.line(
            "repair      `ecotone bake CONFIG --paranoid` makes the other damaged files again",
        );
    }
}

fn tell_law(name: &str, law: &Comparison, voice: Voice) {
    let outcome = match law.n_differing {
        0 => "the same".to_owned(),
        n => format!("{} tiles and chunks differ", thousands(n)),
    };
    voice.line(format_args!(
        "{name:<11} {outcome}: {} values, {} plants; tiles of {}, chunks of {} m, {} threads",
        thousands(law.n_values),
        thousands(law.n_plants),
        law.tile_size,
        decimal(law.chunk_m, 3),
        law.threads
    ));
    for difference in &law.differences {
        voice.line(format_args!("  {difference}"));
    }
    let n_more = law.n_differing - law.differences.len() as u64;
    if n_more > 0 {
        voice.line(format_args!("  and {n_more} more"));
    }
}

fn object(verdict: &Verdict) -> Value {
    let files = &verdict.files;
    let damaged = files.damaged.iter().map(|damage| {
        json!({
            "file": damage.file,
            "stage": damage.of.as_ref().map(|(stage, _)| stage.folder()),
            "place": damage.of.as_ref().map(|(_, place)| place),
            "reason": damage.reason,
        })
    });
    let regions = verdict.regions.iter();
    json!({
        "event": "verified",
        "proved": verdict.is_proof(),
        "revision": verdict.revision,
        "files": files.n_files,
        "bytes": files.n_bytes,
        "n_damaged": files.n_damaged,
        "damaged": damaged.collect::<Vec<_>>(),
        "regions": regions.map(|r| [r.x0, r.y0, r.x1, r.y1]).collect::<Vec<_>>(),
        "n_changed_inputs": verdict.n_changed,
        "rebuild": verdict.rebuild.as_ref().map(law_object),
        "partition": verdict.partition.as_ref().map(law_object),
    })
}

fn law_object(law: &Comparison) -> Value {
    let differences = law.differences.iter();
    json!({
        "tile_size": law.tile_size,
        "chunk_m": law.chunk_m,
        "threads": law.threads,
        "values": law.n_values,
        "plants": law.n_plants,
        "n_differing": law.n_differing,
        "differences": differences.map(ToString::to_string).collect::<Vec<_>>(),
    })
}
