//! `ecotone plan`: what a bake would run, and why.

use ecotone_bake::{Due, Forecast, Job, JobKind, Plan, STEPS_PER_M, StageForecast, Why};
use ecotone_grid::Reach;
use serde_json::{Map, Value, json};

use crate::args::PlanArgs;
use crate::bake::{open, stage_name};
use crate::error::CliError;
use crate::say::{Voice, duration, reach_px, thousands};

/// Decoded inputs and tiles that are kept at hand.
const MEMORY_BYTES: u64 = 192 << 20;

pub(crate) fn plan(args: &PlanArgs, voice: Voice) -> Result<(), CliError> {
    let (_, bake) = open(&args.world, MEMORY_BYTES, args.paranoid, voice)?;
    let forecast = bake.forecast()?;
    let plan = bake.plan();
    tell_plan(plan, voice);
    tell_forecast(&forecast, args.limit, voice);
    voice.json(&to_json(plan, &forecast));
    Ok(())
}

fn count(plan: &Plan, of: fn(&Job) -> bool) -> usize {
    plan.jobs.iter().filter(|job| of(job)).count()
}

/// Jobs of strata, distances and plants.
fn counts(plan: &Plan) -> [usize; 3] {
    [
        count(plan, |job| matches!(job, Job::Strata(_))),
        count(plan, |job| matches!(job, Job::Sdf(_))),
        count(plan, |job| matches!(job, Job::Plants(_))),
    ]
}

/// How the map is cut, and how far each stage reads.
fn tell_plan(plan: &Plan, voice: Voice) {
    let reaches = &plan.reaches;
    let map = plan.tiles.map();
    voice.line(format_args!(
        "map       {} × {} pixels in tiles of {}; chunks of {} m",
        map.width(),
        map.height(),
        plan.tiles.size(),
        plan.chunks.size as f64 / STEPS_PER_M
    ));
    let [strata, sdf, plants] = counts(plan);
    let pixels = |reach: Reach| format!("{} × {} pixels", reach.x, reach.y);
    voice.line("stage       jobs  reads around its own");
    let weights = pixels(reaches.strata);
    voice.line(format_args!("strata  {strata:>8}  {weights} of heights"));
    let distances = pixels(reaches.sdf);
    voice.line(format_args!("sdf     {sdf:>8}  {distances} of weights"));
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
}

/// What would run: totals, time, and the first jobs with their reasons.
fn tell_forecast(forecast: &Forecast, limit: usize, voice: Voice) {
    let Some(revision) = forecast.revision else {
        voice.line("the world was never baked: everything would run; `ecotone check` estimates how long it takes");
        return;
    };
    if forecast.due.is_empty() {
        voice.line(format_args!(
            "nothing to do: revision {revision} is what a bake would make"
        ));
        return;
    }
    voice.line(format_args!("a bake would go on from revision {revision}"));
    voice.line("stage       jobs      kept  would run   may run  processor time");
    for stage in &forecast.stages {
        voice.line(format_args!(
            "{:<6}  {:>8}  {:>8}  {:>9}  {:>8}  {}",
            stage_name(stage.kind),
            stage.total,
            stage.kept,
            stage.runs,
            stage.may_run,
            between(stage.cpu_seconds, stage.may_cpu_seconds)
        ));
    }
    let [wall, more] = wall_seconds(forecast);
    voice.line(format_args!(
        "time      {} with {} threads",
        between(wall, more),
        ecotone_bake::cores()
    ));
    for due in forecast.due.iter().take(limit) {
        voice.line(sentence(due));
    }
    let n_more = forecast.due.len().saturating_sub(limit);
    if n_more > 0 {
        voice.line(format_args!(
            "and {} more: --limit shows them, --json all",
            thousands(n_more as u64)
        ));
    }
}

/// A span of time, from what is certain to all that may be.
fn between(certain: f64, more: f64) -> String {
    if more == 0.0 {
        return format!("about {}", duration(certain));
    }
    format!("{} to {}", duration(certain), duration(certain + more))
}

/// Time on the clock of what is certain to run and of what may run as well, at one thread a core.
fn wall_seconds(forecast: &Forecast) -> [f64; 2] {
    let sum = |of: fn(&StageForecast) -> f64| {
        let cpu_seconds: f64 = forecast.stages.iter().map(of).sum();
        cpu_seconds / ecotone_bake::cores() as f64
    };
    [
        sum(|stage| stage.cpu_seconds),
        sum(|stage| stage.may_cpu_seconds),
    ]
}

fn sentence(due: &Due) -> String {
    let place = match due.job.kind {
        JobKind::Plants => "chunk",
        JobKind::Strata | JobKind::Sdf => "tile",
    };
    let may = if due.is_certain { "" } else { " may run" };
    let stage = stage_name(due.job.kind);
    format!(
        "  {stage} of {place} ({}, {}){may}: {}",
        due.job.x, due.job.y, due.why
    )
}

fn to_json(plan: &Plan, forecast: &Forecast) -> Value {
    let map = plan.tiles.map();
    let [strata, sdf, plants] = counts(plan);
    let [wall, more] = wall_seconds(forecast);
    json!({
        "event": "plan",
        "map": [map.width(), map.height()],
        "tile_size": plan.tiles.size(),
        "jobs": { "strata": strata, "sdf": sdf, "plants": plants },
        "reach_px": reach_px(&plan.reaches),
        "competition_m": plan.reaches.competition_m,
        "revision": forecast.revision,
        "stages": forecast.stages.iter().map(stage_json).collect::<Map<_, _>>(),
        "due": forecast.due.iter().map(due_json).collect::<Vec<_>>(),
        "wall_seconds": wall,
        "most_wall_seconds": wall + more,
    })
}

fn stage_json(stage: &StageForecast) -> (String, Value) {
    let value = json!({
        "jobs": stage.total,
        "kept": stage.kept,
        "runs": stage.runs,
        "may_run": stage.may_run,
        "cpu_seconds": stage.cpu_seconds,
        "may_cpu_seconds": stage.may_cpu_seconds,
    });
    (stage_name(stage.kind).to_owned(), value)
}

fn due_json(due: &Due) -> Value {
    let mut value = match &due.why {
        Why::NeverMade => json!({ "why": "never made" }),
        Why::Missing { file } => json!({ "why": "missing", "file": file }),
        Why::Config { key, old, new } => {
            json!({ "why": "config", "key": key, "old": old, "new": new })
        }
        Why::Content { old, new, files } => {
            let files = files
                .iter()
                .map(|(role, path)| json!({ "role": role, "path": path }));
            let files: Vec<_> = files.collect();
            json!({ "why": "content", "old": old, "new": new, "files": files })
        }
        Why::Upstream { stage, tile } => json!({ "why": "upstream", "of": stage, "tile": tile }),
    };
    value["stage"] = stage_name(due.job.kind).into();
    value["x"] = due.job.x.into();
    value["y"] = due.job.y.into();
    value["certain"] = due.is_certain.into();
    value
}
