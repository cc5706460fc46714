//! The command line: arguments, progress, exit codes. The only crate that prints.

mod after;
mod args;
mod bake;
mod check;
pub mod demo;
mod diff;
mod edit;
mod error;
mod explain;
mod inspect;
mod pin;
mod plan;
mod progress;
mod report;
mod say;
mod verify;
mod watch;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;
use ecotone_grid::Simd;
use ecotone_interchange::{Finished, InterchangeError, Preview};
use serde_json::json;

use args::{Cli, Command, DemoArgs, ExportArgs, ExportFormat, PreviewArgs};
use error::CliError;
use progress::Progress;
use say::{Voice, note, thousands};

/// Runs the command that the process was started with, and says how it ended.
pub fn run() -> ExitCode {
    outlive_size_limits();
    let cli = Cli::parse();
    log(cli.verbose);
    let voice = Voice { json: cli.json };
    let done = choose_instructions().and_then(|()| carry_out(&cli.command, voice));
    let heard = || say::unheard().map_or(Ok(()), |source| Err(CliError::Unheard { source }));
    match done.and_then(|()| heard()) {
        Ok(()) => ExitCode::SUCCESS,
        // It has been said what differs.
        Err(error @ CliError::Differ) => error.exit_code(),
        Err(error) => {
            complain(&error, voice);
            error.exit_code()
        }
    }
}

fn carry_out(command: &Command, voice: Voice) -> Result<(), CliError> {
    match command {
        Command::Bake(args) => bake::bake(args, voice),
        Command::Check(args) => check::check(args, voice),
        Command::Edit(args) => edit::edit(args, voice),
        Command::Pin(args) => pin::pin(args, voice),
        Command::Plan(args) => plan::plan(args, voice),
        Command::Diff(args) => diff::diff(args, voice),
        Command::Explain(args) => explain::explain(args, voice),
        Command::Inspect(args) => inspect::inspect(args, voice),
        Command::Verify(args) => verify::verify(args, voice),
        Command::Preview(args) => preview(args, voice),
        Command::Export(args) => export(args, voice),
        Command::Demo(args) => demo(args, voice),
    }
}

/// Takes the vector instructions that `ECOTONE_SIMD` names, for comparisons; else the best that the processor has.
fn choose_instructions() -> Result<(), CliError> {
    let Some(asked) = std::env::var_os("ECOTONE_SIMD") else {
        return Ok(());
    };
    let mut named = Simd::ALL.into_iter().filter(|simd| asked == simd.name());
    match named.any(Simd::force) {
        true => Ok(()),
        false => Err(CliError::NoInstructions {
            found: asked.to_string_lossy().into_owned(),
        }),
    }
}

/// Makes a write beyond `ulimit -f` an error, which is told like any other, instead of a signal that ends the process.
///
/// Stands from the call on, for the whole process and for programs it starts.
fn outlive_size_limits() {
    // SAFETY: no handler runs: the signal is ignored, which is allowed at any time; a refusal changes nothing.
    #[cfg(unix)]
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

fn log(verbose: u8) {
    let level = match verbose {
        0 => tracing::Level::WARN,
        1 => tracing::Level::INFO,
        _ => tracing::Level::DEBUG,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .init();
}

fn complain(error: &CliError, voice: Voice) {
    let message = error.to_string();
    // A config error brings its own heading and shows the line.
    if message.starts_with("error") {
        note(&message);
    } else {
        note(format_args!("error: {message}"));
    }
    voice.json(&json!({ "event": "error", "error": error.kind(), "message": message }));
}

/// A flag that Ctrl-C raises, for commands that write files of their own.
fn stop_without_files() -> Arc<AtomicBool> {
    bake::stopped_by_user("no file is left half written")
}

fn preview(args: &PreviewArgs, voice: Voice) -> Result<(), CliError> {
    let world = Finished::open(&args.world)?.until(stop_without_files());
    check_outside(&args.world, &args.output)?;
    let preview = Preview {
        region: args.region,
        layer: args.layer.parse()?,
        size_px: args.size,
    };
    Ok(picture(&world, &preview, &args.output, voice)?)
}

/// Draws a world into a file and says where it is.
fn picture(
    world: &Finished,
    preview: &Preview,
    file: &Path,
    voice: Voice,
) -> Result<(), InterchangeError> {
    ecotone_interchange::draw(world, preview)?.write_png(file)?;
    voice.line(format_args!("picture     {}", file.display()));
    voice.json(&json!({ "event": "preview", "file": file }));
    Ok(())
}

/// Nothing but the store writes into a world: an export there would take the place of one of its files.
fn check_outside(world: &Path, target: &Path) -> Result<(), CliError> {
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    match (folder, world.canonicalize()) {
        (Ok(folder), Ok(world)) if folder.starts_with(&world) => Err(CliError::InsideWorld {
            path: target.into(),
        }),
        _ => Ok(()),
    }
}

fn export(args: &ExportArgs, voice: Voice) -> Result<(), CliError> {
    check_outside(&args.world, &args.to)?;
    let world = Finished::open(&args.world)?.until(stop_without_files());
    let n_plants = match args.format {
        ExportFormat::Csv => ecotone_interchange::write_csv(&world, &args.to)?,
    };
    voice.line(format_args!(
        "{} plants in {}",
        thousands(n_plants),
        args.to.display()
    ));
    voice.json(&json!({ "event": "exported", "file": args.to, "plants": n_plants }));
    Ok(())
}

fn demo(args: &DemoArgs, voice: Voice) -> Result<(), CliError> {
    let n_pixels = u64::from(args.size) * u64::from(args.size);
    let mut progress = Progress::new(voice, "demo", n_pixels);
    let stop = stop_without_files();
    let files = demo::write(&args.dir, args.size, args.seed, &mut |done, total| {
        progress.report(done as f64 / total as f64, 0);
        !stop.load(Ordering::Relaxed)
    });
    drop(progress);
    let files = files?;
    voice.line(format_args!("heights     {}", files.heights.display()));
    voice.line(format_args!("road        {}", files.road.display()));
    voice.line(format_args!("config      {}", files.config.display()));
    voice.line(format_args!(
        "now run     ecotone bake {}",
        files.config.display()
    ));
    voice.json(&json!({
        "event": "demo",
        "heights": files.heights,
        "road": files.road,
        "config": files.config,
    }));
    Ok(())
}
