//! `ecotone check`: what a config and its inputs are, what is odd about them, and how much a bake would take.

mod json;
mod text;

use std::sync::atomic::AtomicBool;

use ecotone_bake::config::Loaded;
use ecotone_bake::survey::{Estimate, Survey, estimate};
use ecotone_bake::{Bake, BakeError, EditLog, Options, config};

use crate::args::CheckArgs;
use crate::bake::{stop_on_ctrl_c, threads};
use crate::error::CliError;
use crate::progress::Progress;
use crate::say::{Voice, bytes};

/// Memory to open inputs with where all is read: a sixteenth of it keeps the blocks of a band of rows at hand.
const DEEP_BYTES: u64 = 1 << 30;

/// All that was found.
struct Found<'a> {
    loaded: &'a Loaded,
    survey: &'a Survey,
    bake: &'a Bake,
    warnings: Vec<String>,
    estimate: Option<&'a Estimate>,
}

pub(crate) fn check(args: &CheckArgs, voice: Voice) -> Result<(), CliError> {
    let loaded = config::load(&args.world.config)?;
    let bake = Bake::open(&loaded, &options(args, DEEP_BYTES))?;
    let stop = stop_on_ctrl_c();
    let mut survey = Survey::new(&loaded, &bake);
    if args.deep {
        read_pixels(&mut survey, &bake, &stop)?;
    }
    let trial = if survey.unreadable.is_empty() {
        trial(args, &loaded, &bake, &survey, &stop)
    } else {
        Err(CliError::Damaged {
            n_failures: survey.unreadable.len(),
        })
    };
    if let Err(CliError::Bake(BakeError::Stopped)) = trial {
        return trial.map(drop);
    }
    let estimate = trial.as_ref().ok();
    let mut warnings = survey.warnings(&bake);
    warnings.extend(estimate.and_then(|estimate| of_room(estimate, &bake)));
    let found = Found {
        loaded: &loaded,
        survey: &survey,
        bake: &bake,
        warnings,
        estimate,
    };
    text::tell(&found, args, voice);
    voice.json(&json::of(&found));
    trial.map(drop)
}

fn options(args: &CheckArgs, memory_bytes: u64) -> Options {
    Options {
        out: args.world.out.clone(),
        memory_bytes,
        // A check is about the config and what it names.
        edits: Some(EditLog::default()),
        ..Options::default()
    }
}

/// Progress on standard error, also where the result is for machines: that is to be one object.
fn progress(what: &'static str, n_pixels: u64) -> Progress {
    Progress::new(Voice { json: false }, what, n_pixels)
}

fn read_pixels(survey: &mut Survey, bake: &Bake, stop: &AtomicBool) -> Result<(), BakeError> {
    let n_layers = survey.layers.len() as u64;
    let n_pixels = bake.plan().tiles.map().area() as u64 * n_layers;
    let mut progress = progress("reading", n_pixels);
    survey.read_pixels(bake, stop, &mut |share| progress.report(share, 0))
}

/// Bakes a few tiles to see what all of them take.
fn trial(
    args: &CheckArgs,
    loaded: &Loaded,
    bake: &Bake,
    survey: &Survey,
    stop: &AtomicBool,
) -> Result<Estimate, CliError> {
    let mut progress = progress("timing", 0);
    let made = estimate(
        loaded,
        bake,
        &options(args, args.memory),
        threads(args.threads),
        survey.heights().map(|heights| heights.void_share()),
        stop,
        &mut |share| progress.report(share, 0),
    );
    made.map_err(|error| match error {
        BakeError::Stopped => BakeError::Stopped.into(),
        source => CliError::NoTrial { source },
    })
}

/// A disk that will not hold the world.
fn of_room(estimate: &Estimate, bake: &Bake) -> Option<String> {
    let free = estimate.free_bytes?;
    (estimate.disk_bytes > free).then(|| {
        format!(
            "the world will take about {}, and {} are free where {} lies",
            bytes(estimate.disk_bytes),
            bytes(free),
            bake.out().display()
        )
    })
}
