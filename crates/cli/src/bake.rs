//! `ecotone bake` and `plan`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ecotone_bake::{Bake, Job, Options, Outcome, config};
use ecotone_interchange::{Finished, InterchangeError, Layer, Preview};
use serde_json::json;

use crate::args::{BakeArgs, ConfigArgs, PREVIEW_PX};
use crate::error::CliError;
use crate::progress::Progress;
use crate::say::{Voice, duration, note, reach_px, thousands};

pub(crate) fn bake(args: &BakeArgs, voice: Voice) -> Result<(), CliError> {
    if let Some(file) = &args.preview {
        check_target(file)?;
    }
    let bake = open(&args.world, args.memory, args.paranoid, voice)?;
    let out = bake.out().to_owned();
    let n_pixels = bake.plan().tiles.map().area() as u64;
    let mut progress = Progress::new(voice, "bake", n_pixels);
    let outcome = bake.run(threads(args.threads), &stop_on_ctrl_c(), &mut |at| {
        progress.report(at.done as f64 / at.total as f64, at.n_plants)
    });
    let seconds = progress.seconds();
    drop(progress);
    let outcome = outcome?;
    for warning in &outcome.committed.warnings {
        voice.warn(warning);
    }
    report(&outcome, &out, n_pixels, seconds, voice);
    match &args.preview {
        Some(file) => preview(&out, file, voice).map_err(|source| CliError::Preview { source }),
        None => Ok(()),
    }
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

fn open(
    args: &ConfigArgs,
    memory_bytes: u64,
    paranoid: bool,
    voice: Voice,
) -> Result<Bake, CliError> {
    let loaded = config::load(&args.config)?;
    let bake = Bake::open(
        &loaded,
        &Options {
            out: args.out.clone(),
            memory_bytes,
            paranoid,
            ..Options::default()
        },
    )?;
    for warning in bake.warnings() {
        voice.warn(warning);
    }
    Ok(bake)
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

fn report(outcome: &Outcome, out: &Path, n_pixels: u64, seconds: f64, voice: Voice) {
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
    for (name, n) in &outcome.n_plants {
        voice.line(format_args!("  {:>12} {name}", thousands(*n)));
    }
    let shown = |part: &str| out.join(part).display().to_string();
    voice.line(format_args!("weights     {}", shown("weights.vrt")));
    voice.line(format_args!("distances   {}", shown("sdf.vrt")));
    if n_plants > 0 {
        voice.line(format_args!("plants      {}", shown("vegetation")));
    }
    voice.json(&json!({
        "event": "baked",
        "revision": committed.revision,
        "new": committed.is_new,
        "seconds": seconds,
        "mpx_per_s": rate,
        "directory": out,
        "plants": outcome.n_plants.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
    }));
}

fn preview(out: &Path, file: &Path, voice: Voice) -> Result<(), InterchangeError> {
    let preview = Preview {
        region: None,
        layer: Layer::Terrain,
        size_px: PREVIEW_PX,
    };
    crate::picture(&Finished::open(out)?, &preview, file, voice)
}

pub(crate) fn plan(args: &ConfigArgs, voice: Voice) -> Result<(), CliError> {
    let bake = open(args, 0, false, voice)?;
    let plan = bake.plan();
    let count = |of: fn(&Job) -> bool| plan.jobs.iter().filter(|job| of(job)).count();
    let strata = count(|job| matches!(job, Job::Strata(_)));
    let sdf = count(|job| matches!(job, Job::Sdf(_)));
    let plants = count(|job| matches!(job, Job::Plants(_)));
    let reaches = &plan.reaches;
    let map = plan.tiles.map();
    voice.line(format_args!(
        "map       {} × {} pixels in tiles of {}; chunks of {} m",
        map.width(),
        map.height(),
        plan.tiles.size(),
        plan.chunks.size as f64 / ecotone_bake::STEPS_PER_M
    ));
    voice.line("stage       jobs  reads around its own");
    let pixels = |reach: ecotone_grid::Reach| format!("{} × {} pixels", reach.x, reach.y);
    voice.line(format_args!(
        "strata  {strata:>8}  {} of heights",
        pixels(reaches.strata)
    ));
    voice.line(format_args!(
        "sdf     {sdf:>8}  {} of weights",
        pixels(reaches.sdf)
    ));
    voice.line(format_args!(
        "plants  {plants:>8}  {:.3} m of ground, {} of fields",
        reaches.competition_m,
        pixels(reaches.plants)
    ));
    voice.line(format_args!(
        "a change of heights or masks moves no plant beyond {} ({:.1} × {:.1} m)",
        pixels(reaches.total()),
        f64::from(reaches.total().x) * plan.transform.pixel.x,
        f64::from(reaches.total().y) * plan.transform.pixel.y
    ));
    voice.json(&json!({
        "event": "plan",
        "map": [map.width(), map.height()],
        "tile_size": plan.tiles.size(),
        "jobs": { "strata": strata, "sdf": sdf, "plants": plants },
        "reach_px": reach_px(reaches),
        "competition_m": reaches.competition_m,
    }));
    Ok(())
}
