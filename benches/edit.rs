//! What an edit of a large world costs against its bake: `cargo bench --bench edit`.
//!
//! A brush of 100 m raises the ground of the demo world at random places, one `ecotone edit` process each, so that the world's
//! log grows as in an afternoon's work. Another size or number of places: `cargo bench --bench edit -- 4096 20`.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

#[path = "../tests/support/listing.rs"]
mod listing;
mod measure;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ecotone_grid::mix;
use ecotone_store::World;
use listing::listing;
use measure::{children_cpu_seconds, demo, fast_folder, machine, median};

/// Of the brush, and how far it lifts the ground in its middle.
const RADIUS_M: f64 = 50.0;
const LIFT_M: f64 = 5.0;

/// No edit and no bake without anything to do may take longer.
const MOST_SECONDS: f64 = 0.5;

fn main() {
    // Cargo's own flags are no numbers.
    let numbers: Vec<u32> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let size = numbers.first().copied().unwrap_or(8192);
    let n_places = numbers.get(1).copied().unwrap_or(100);
    let scratch = tempfile::tempdir_in(fast_folder()).unwrap();
    println!(
        "{}; a brush of {} m over {n_places} places",
        machine(),
        2.0 * RADIUS_M
    );
    println!();
    println!("| {size}² demo | found | limit | |");
    println!("|---|---|---|---|");

    let dir = scratch.path().join("demo");
    demo(&dir, size);
    // A file that has just changed is not told by its date, and looked at once more.
    std::thread::sleep(Duration::from_millis(200));
    let (config, out) = (dir.join("world.toml"), dir.join("out"));
    let bake = |out: &Path| {
        run(&[
            "bake".as_ref(),
            config.as_os_str(),
            "--out".as_ref(),
            out.as_os_str(),
        ])
    };
    let full = bake(&out);
    println!(
        "| full bake | {:.1} s of CPU, {:.1} s | | |",
        full.cpu, full.wall
    );

    let before = listing(&out);
    let idle = median((0..5).map(|_| bake(&out).wall).collect());
    row(
        "bake with nothing to do",
        format!("{idle:.2} s"),
        format!("{MOST_SECONDS} s"),
        idle <= MOST_SECONDS,
    );
    let n_written = n_differing(&before, &listing(&out));
    row(
        "files that it writes",
        n_written.to_string(),
        "0".into(),
        n_written == 0,
    );

    let edits: Vec<Run> = places(&out, n_places).map(|at| edit(&out, at)).collect();
    edits_rows(&edits, &full);
}

/// The costs of edits as shares of a full bake.
fn edits_rows(edits: &[Run], full: &Run) {
    let of = |value: fn(&Run) -> f64| edits.iter().map(value).collect::<Vec<_>>();
    let worst = |values: Vec<f64>| values.into_iter().fold(0.0, f64::max);
    let mean = of(|run| run.cpu).iter().sum::<f64>() / edits.len() as f64;
    for (name, cpu, share) in [
        ("CPU of an edit, mean", mean, 100.0),
        ("CPU of an edit, median", median(of(|run| run.cpu)), 100.0),
        ("CPU of an edit, worst", worst(of(|run| run.cpu)), 30.0),
    ] {
        let found = format!("1/{:.0} ({:.0} ms)", full.cpu / cpu, cpu * 1e3);
        row(name, found, format!("1/{share}"), cpu * share <= full.cpu);
    }
    for (name, wall) in [
        ("an edit, median", median(of(|run| run.wall))),
        ("an edit, worst", worst(of(|run| run.wall))),
    ] {
        row(
            name,
            format!("{wall:.2} s"),
            format!("{MOST_SECONDS} s"),
            wall <= MOST_SECONDS,
        );
    }
}

fn row(name: &str, found: String, limit: String, is_within: bool) {
    let verdict = if is_within { "holds" } else { "**exceeded**" };
    println!("| {name} | {found} | {limit} | {verdict} |");
}

/// One process, seen from outside.
struct Run {
    wall: f64,
    cpu: f64,
}

fn run(args: &[&std::ffi::OsStr]) -> Run {
    let before = children_cpu_seconds();
    let start = Instant::now();
    let ended = Command::new(env!("CARGO_BIN_EXE_ecotone"))
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    let wall = start.elapsed().as_secs_f64();
    assert!(ended.success(), "{args:?}");
    Run {
        wall,
        cpu: children_cpu_seconds() - before,
    }
}

fn edit(out: &Path, [x, y]: [f64; 2]) -> Run {
    let brush = format!("--raise={x},{y},{RADIUS_M},{LIFT_M}");
    run(&["edit".as_ref(), out.as_os_str(), brush.as_ref()])
}

/// Places all over the map, the same in every run.
fn places(out: &Path, n: u32) -> impl Iterator<Item = [f64; 2]> {
    let grid = World::open(out).unwrap().manifest().grid.clone();
    let share = |k: u32, axis: u64| mix(u64::from(k) * 2 + axis) as f64 / u64::MAX as f64;
    (0..n).map(move |k| {
        let (column, row) = (
            share(k, 0) * f64::from(grid.width),
            share(k, 1) * f64::from(grid.height),
        );
        [
            grid.x0 + column * grid.pixel[0],
            grid.y0 - row * grid.pixel[1],
        ]
    })
}

/// Files that are in one listing alone, or that differ.
fn n_differing<T: PartialEq>(a: &BTreeMap<PathBuf, T>, b: &BTreeMap<PathBuf, T>) -> usize {
    let n_changed = a
        .iter()
        .filter(|(path, found)| b.get(*path) != Some(found))
        .count();
    n_changed + b.keys().filter(|path| !a.contains_key(*path)).count()
}
