//! The report of a bake, and the verdict on its checks.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use ecotone_bake::config::{Config, Level, Limit, LimitKind, Loaded};
use ecotone_bake::{Bake, EDGE_BINS, Outcome, SIZE_BINS, StageTally};
use ecotone_interchange::report::{Asked, Checks, Report, Run, Scale, Stage, Standing};
use ecotone_interchange::{
    Check, CheckKind, CheckLevel, Finished, InterchangeError, Limits, Overview, Verdict,
    checks_digest, evaluate, sketch,
};
use ecotone_store::{JobKind, World, write_copy};
use serde_json::json;

use crate::error::CliError;
use crate::pin;
use crate::say::{Voice, note};
use crate::watch::Watch;

/// The report's names in the world directory.
pub(crate) const PAGE: &str = "report.html";
const NUMBERS: &str = "report.json";

/// Pixels along the longer side of the map's picture.
const PICTURE_PX: u32 = 840;

/// Cells along the longer side of what the picture's ground is made of: some three for each of its pixels.
pub(crate) const OVERVIEW_CELLS: u32 = 1400;

/// What a report says of a bake beside what it did.
pub(crate) struct Subject {
    checks: Vec<Check>,
    scales: Vec<Scale>,
    asked: Asked,
    warnings: Vec<String>,
}

impl Subject {
    /// Of a bake that is about to run.
    pub(crate) fn new(loaded: &Loaded, bake: &Bake) -> Self {
        let config = &loaded.config;
        Self {
            checks: config
                .checks
                .iter()
                .map(|limit| check(limit, config))
                .collect(),
            scales: scales(config, bake),
            asked: Asked {
                seed: config.seed,
                inputs: bake.inputs(),
                ..Asked::default()
            },
            warnings: bake.warnings().to_vec(),
        }
    }
}

fn scales(config: &Config, bake: &Bake) -> Vec<Scale> {
    let strata: Vec<&str> = config
        .bands()
        .map(|stratum| stratum.name.as_str())
        .collect();
    let point_m2 = bake.point_m2();
    let place = |name: &str| {
        config
            .species
            .iter()
            .position(|species| species.name == name)
    };
    let scale = |scale: &ecotone_bake::SpeciesScale| Scale {
        name: scale.name.clone(),
        edge_stratum: strata[scale.edge_stratum].to_owned(),
        sizes: scale.sizes,
        size_bins: SIZE_BINS,
        edge_span_m: scale.edge_span_m,
        edge_bins: EDGE_BINS,
        falloff_m: scale.falloff_m,
        point_m2,
    };
    let mut scales: Vec<Scale> = bake.scales().iter().map(scale).collect();
    // As people know them.
    scales.sort_by_key(|scale| place(&scale.name));
    scales
}

/// Metres that a foot may be off the ground where the config says nothing: a hundredth, less than anyone sees.
const TOLERANCE_M: f64 = 0.01;

/// A check of the config in the words of who makes it.
fn check(limit: &Limit, config: &Config) -> Check {
    let species = limit.species.clone();
    let stratum = limit.stratum.clone().unwrap_or_default();
    let limits = Limits {
        band: limit.band,
        drift: limit.drift,
    };
    let kind = match limit.kind {
        LimitKind::Void => CheckKind::Void { species },
        LimitKind::Roots => CheckKind::Roots {
            species,
            tolerance_m: limit.tolerance.unwrap_or(TOLERANCE_M),
            sinks_m: sinks(config),
        },
        LimitKind::Overlap => CheckKind::Overlap {
            footprints_m: footprints(config),
        },
        LimitKind::KeepOff => CheckKind::KeepOff {
            stratum,
            distance_m: limit.distance.unwrap_or(0.0),
            species,
        },
        LimitKind::Coverage => CheckKind::Coverage { stratum, limits },
        LimitKind::Count => CheckKind::Count { species, limits },
        LimitKind::Seams => CheckKind::Seams,
    };
    Check {
        name: limit.name.clone().unwrap_or_else(|| name(limit)),
        kind,
        most: limit.most.unwrap_or(0),
        level: match limit.level {
            Level::Error => CheckLevel::Error,
            Level::Warn => CheckLevel::Warn,
        },
    }
}

/// How deep the plants of each species that is sunk at all stand in the ground.
fn sinks(config: &Config) -> BTreeMap<String, [f64; 2]> {
    let sunk = config.species.iter().filter(|own| own.sink != [0.0; 2]);
    sunk.map(|own| (own.name.clone(), own.sink)).collect()
}

fn footprints(config: &Config) -> BTreeMap<String, f64> {
    let species = config.species.iter();
    species
        .map(|species| (species.name.clone(), species.footprint))
        .collect()
}

/// What a check without a name is called.
fn name(limit: &Limit) -> String {
    let parts = [limit.stratum.as_deref(), limit.species.as_deref()];
    let mut name = limit.kind.word().replace('_', " ");
    for part in parts.into_iter().flatten() {
        name = format!("{name} {part}");
    }
    name
}

/// Makes the checks, writes the report where it is wanted, and says what failed.
///
/// Where nothing was committed, nothing is written, and the verdict of the revision's own report counts, if it has one on the same
/// checks.
///
/// # Errors
/// [`CliError::ChecksFailed`], [`CliError::Report`]; the revision stands.
pub(crate) fn conclude(
    subject: Subject,
    outcome: &Outcome,
    out: &Path,
    (watch, threads): (Watch, usize),
    is_wanted: bool,
    voice: Voice,
) -> Result<(), CliError> {
    let digest = checks_digest(&subject.checks);
    let checks = match standing(outcome, out, &digest) {
        Some(checks) => checks,
        None => fresh(
            subject,
            outcome,
            out,
            (watch, threads),
            is_wanted,
            digest,
            voice,
        )
        .map_err(|source| CliError::Report { source })?,
    };
    tell(&checks, voice);
    match checks.failed {
        0 => Ok(()),
        n_failed => Err(CliError::ChecksFailed {
            n_failed,
            n_checks: checks.verdicts.len(),
        }),
    }
}

/// The verdict that the report of a revision which stays already has.
fn standing(outcome: &Outcome, out: &Path, digest: &str) -> Option<Checks> {
    if outcome.committed.is_new {
        return None;
    }
    let found = Standing::from_json(&std::fs::read(out.join(NUMBERS)).ok()?)?;
    let counts = found.revision == outcome.committed.revision && found.checks.digest == digest;
    counts.then_some(found.checks)
}

fn fresh(
    subject: Subject,
    outcome: &Outcome,
    out: &Path,
    (watch, threads): (Watch, usize),
    is_wanted: bool,
    digest: String,
    voice: Voice,
) -> Result<Checks, InterchangeError> {
    let is_wanted = is_wanted && outcome.committed.is_new;
    if subject.checks.is_empty() && !is_wanted {
        return Ok(Checks::default());
    }
    let revision = outcome.committed.revision;
    let open = |revision| -> Result<_, InterchangeError> {
        Ok(World::open_revision(out, revision)?.map(Finished::new))
    };
    let Some(world) = open(revision)? else {
        // Another bake has taken its place already, and reports of itself.
        return Ok(Checks::default());
    };
    let before = match revision {
        0 | 1 => None,
        revision => open(revision - 1)?,
    };
    let verdicts = evaluate(&world, before.as_ref(), &subject.checks)?;
    let checks = Checks::new(digest, verdicts);
    if is_wanted {
        let mut report = Report::new(
            &world,
            before.as_ref(),
            &outcome.committed.changed,
            &subject.scales,
        )?;
        report.checks = checks.clone();
        report.asked = Asked {
            seed: subject.asked.seed,
            inputs: subject.asked.inputs,
            ..report.asked
        };
        let mut warnings = subject.warnings;
        warnings.extend(outcome.committed.warnings.iter().map(ToString::to_string));
        warnings.extend(pin::orphan_lines(&outcome.orphans));
        report.run = run(outcome, (watch, threads), warnings);
        let overview = outcome.overview.as_ref().map(ground);
        write(&mut report, (&world, overview.as_ref()), out, voice)?;
    }
    Ok(checks)
}

fn run(outcome: &Outcome, (watch, threads): (Watch, usize), warnings: Vec<String>) -> Run {
    let (progress, peak_bytes) = watch.seen();
    Run {
        ended: utc(SystemTime::now()),
        seconds: progress.last().map_or(0.0, |moment| moment.seconds),
        threads,
        peak_bytes,
        stages: outcome.stages.iter().map(stage).collect(),
        progress,
        warnings,
    }
}

fn stage(tally: &StageTally) -> Stage {
    let name = match tally.kind {
        JobKind::Strata => "strata",
        JobKind::Sdf => "sdf",
        JobKind::Plants => "plants",
    };
    Stage {
        name: name.to_owned(),
        total: tally.total,
        kept: tally.kept,
        same: tally.same,
        made: tally.made,
        cpu_seconds: tally.cpu_seconds,
    }
}

/// The ground in small, as pictures take it.
fn ground(overview: &ecotone_bake::Overview) -> Overview {
    Overview {
        step: overview.step,
        weights: overview.weights.clone(),
        heights: overview.heights.clone(),
        totals: overview.totals.clone(),
    }
}

/// Writes page and numbers into the world directory.
fn write(
    report: &mut Report,
    (world, overview): (&Finished, Option<&Overview>),
    out: &Path,
    voice: Voice,
) -> Result<(), InterchangeError> {
    let picture = sketch(world, overview, PICTURE_PX).and_then(|picture| picture.to_png());
    let picture = picture.map_err(|error| {
        let warning = format!("the report has no map: {error}");
        voice.warn(&warning);
        report.run.warnings.push(warning);
    });
    let page = report.to_html(picture.ok().as_deref());
    write_copy(out, PAGE, page.as_bytes())?;
    write_copy(out, NUMBERS, report.to_json().as_bytes())?;
    voice.json(&json!({ "event": "report", "file": out.join(PAGE) }));
    Ok(())
}

/// Says what failed, the worst first.
fn tell(checks: &Checks, voice: Voice) {
    let unmet = |is_failure| {
        let verdicts = checks.verdicts.iter();
        verdicts.filter(move |verdict| !verdict.passed && verdict.is_failure() == is_failure)
    };
    for verdict in unmet(true) {
        note(format_args!("check failed: {}", verdict.line()));
        offenders(verdict);
    }
    for verdict in unmet(false) {
        voice.warn(verdict.line());
        offenders(verdict);
    }
    if !checks.verdicts.is_empty() {
        voice.json(
            &json!({ "event": "checks", "failed": checks.failed, "verdicts": checks.verdicts }),
        );
    }
}

fn offenders(verdict: &Verdict) {
    for offender in &verdict.offenders {
        let species = offender.species.as_deref().unwrap_or("side of a tile");
        let (x, y, what) = (offender.x, offender.y, &offender.what);
        note(format_args!("  {species} at {x:.3}, {y:.3}: {what}"));
    }
}

/// A time in words, such as `2026-03-01 05:12 UTC`.
///
/// The day by H. Hinnant's `civil_from_days`, which counts years from March on.
fn utc(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (days, minutes) = (seconds / 86_400 + 719_468, seconds / 60 % 1440);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute) = (minutes / 60, minutes % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_time_is_that_of_the_calendar() {
        let at = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        // `date -u -d @…`.
        assert_eq!(at(0), "1970-01-01 00:00 UTC");
        assert_eq!(at(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(at(1_767_225_599), "2025-12-31 23:59 UTC");
        assert_eq!(at(1_772_323_200), "2026-03-01 00:00 UTC");
    }
}
