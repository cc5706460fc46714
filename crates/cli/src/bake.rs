//! `ecotone bake`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ecotone_bake::config::{self, Loaded};
use ecotone_bake::{Bake, JobKind, Options, Outcome, StageTally};
use ecotone_interchange::{Finished, InterchangeError, Layer, Preview};
use serde_json::json;

use crate::after::after_commit;
use crate::args::{BakeArgs, ConfigArgs, PREVIEW_PX};
use crate::error::CliError;
use crate::pin::tell_orphans;
use crate::progress::Progress;
use crate::report::{self, Subject};
use crate::say::{Voice, duration, note, thousands};
use crate::watch::Watch;

pub(crate) fn bake(args: &BakeArgs, voice: Voice) -> Result<(), CliError> {
    if let Some(file) = &args.preview {
        check_target(file)?;
    }
    let (loaded, bake) = open(&args.world, args.memory, args.paranoid, voice)?;
    let subject = Subject::new(&loaded, &bake);
    let out = bake.out().to_owned();
    let n_pixels = bake.plan().tiles.map().area() as u64;
    let threads = threads(args.threads);
    let (mut progress, mut watch) = (Progress::new(voice, "bake", n_pixels), Watch::new());
    let outcome = bake.run(threads, &stop_on_ctrl_c(), &mut |at| {
        let share = at.done as f64 / at.total as f64;
        watch.look(share);
        progress.report(share, at.n_plants);
    });
    let seconds = progress.seconds();
    drop(progress);
    let outcome = outcome?;
    for warning in &outcome.committed.warnings {
        voice.warn(warning);
    }
    let run = (watch, threads);
    let concluded = report::conclude(subject, &outcome, &out, run, !args.no_report, voice);
    say(&outcome, &out, n_pixels, seconds, voice);
    if outcome.committed.is_new && !args.no_report {
        let page = out.join(report::PAGE);
        voice.line(format_args!("report      {}", page.display()));
    }
    // The studio's tools hear of the revision whatever came of its checks.
    let on_commit = loaded.config.output.on_commit.as_deref();
    let followed = after_commit(on_commit, &outcome.committed, &out, voice);
    if let Some(file) = &args.preview {
        preview(&out, file, voice).map_err(|source| CliError::Preview { source })?;
    }
    concluded.and(followed)
}

/// A picture that cannot be written is told before the bake, not after.
fn check_target(file: &Path) -> Result<(), CliError> {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if file.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(CliError::NoPicture { path: file.into() });
    }
    Ok(())
}

pub(crate) fn open(
    args: &ConfigArgs,
    memory_bytes: u64,
    paranoid: bool,
    voice: Voice,
) -> Result<(Loaded, Bake), CliError> {
    let loaded = config::load(&args.config)?;
    let bake = Bake::open(
        &loaded,
        &Options {
            out: args.out.clone(),
            memory_bytes,
            paranoid,
            overview: report::OVERVIEW_CELLS,
            ..Options::default()
        },
    )?;
    for warning in bake.warnings() {
        voice.warn(warning);
    }
    Ok((loaded, bake))
}

pub(crate) fn threads(threads: Option<u16>) -> usize {
    threads.map_or_else(ecotone_bake::cores, usize::from)
}

/// A flag that Ctrl-C raises; a second Ctrl-C ends the process at once.
pub(crate) fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    stopped_by_user("the world stays as it was")
}

/// As [`stop_on_ctrl_c`], where the user is told what becomes of the work.
pub(crate) fn stopped_by_user(what_stays: &'static str) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = stop.clone();
    let raise = move || {
        if raised.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        note(format_args!(
            "stopping; {what_stays} (Ctrl-C again to stop at once)"
        ));
    };
    if let Err(error) = ctrlc::set_handler(raise) {
        tracing::warn!(%error, "Ctrl-C will end the work at once");
    }
    stop
}

fn say(outcome: &Outcome, out: &Path, n_pixels: u64, seconds: f64, voice: Voice) {
    let committed = &outcome.committed;
    let n_plants: u64 = outcome.n_plants.iter().map(|(_, n)| n).sum();
    let rate = n_pixels as f64 / 1e6 / seconds.max(1e-9);
    if committed.is_new {
        voice.line(format_args!(
            "baked revision {} in {} ({rate:.1} Mpx/s)",
            committed.revision,
            duration(seconds)
        ));
    } else {
        voice.line(format_args!(
            "nothing changed: revision {} stands ({})",
            committed.revision,
            duration(seconds)
        ));
    }
    tell(outcome, voice);
    for (name, n) in &outcome.n_plants {
        voice.line(format_args!("  {:>12} {name}", thousands(*n)));
    }
    tell_orphans(&outcome.orphans, voice);
    let shown = |part: &str| out.join(part).display().to_string();
    voice.line(format_args!("weights     {}", shown("weights.vrt")));
    voice.line(format_args!("distances   {}", shown("sdf.vrt")));
    if n_plants > 0 {
        voice.line(format_args!("plants      {}", shown("vegetation")));
    }
    let densities = format!("rev/{}/density.vrt", committed.revision);
    if out.join(&densities).is_file() {
        voice.line(format_args!("densities   {}", shown(&densities)));
    }
    voice.json(&json!({
        "event": "baked",
        "revision": committed.revision,
        "new": committed.is_new,
        "seconds": seconds,
        "resumed": outcome.n_resumed,
        "stages": outcome.stages.iter().map(stage_json).collect::<serde_json::Map<_, _>>(),
        "mpx_per_s": rate,
        "directory": out,
        "orphans": outcome.orphans,
        "plants": outcome.n_plants.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
    }));
}

/// Says what became of the jobs of each stage, in a line each.
fn tell(outcome: &Outcome, voice: Voice) {
    if outcome.n_resumed > 0 {
        let total: usize = outcome.stages.iter().map(|stage| stage.total).sum();
        voice.line(format_args!(
            "went on from a bake that did not end: {} of {} jobs were done",
            thousands(outcome.n_resumed as u64),
            thousands(total as u64)
        ));
    }
    for stage in outcome.stages.iter().filter(|stage| stage.total > 0) {
        voice.line(format_args!(
            "{:<11} {} made, {} read and found the same, {} kept",
            stage_name(stage.kind),
            thousands(stage.made as u64),
            thousands(stage.same as u64),
            thousands(stage.kept as u64)
        ));
    }
}

pub(crate) fn stage_name(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Strata => "strata",
        JobKind::Sdf => "sdf",
        JobKind::Plants => "plants",
    }
}

fn stage_json(stage: &StageTally) -> (String, serde_json::Value) {
    let tally = json!({
        "jobs": stage.total,
        "made": stage.made,
        "same": stage.same,
        "kept": stage.kept,
        "cpu_seconds": stage.cpu_seconds,
    });
    (stage_name(stage.kind).to_owned(), tally)
}

fn preview(out: &Path, file: &Path, voice: Voice) -> Result<(), InterchangeError> {
    let preview = Preview {
        region: None,
        layer: Layer::Terrain,
        size_px: PREVIEW_PX,
    };
    crate::picture(&Finished::open(out)?, &preview, file, voice)
}
