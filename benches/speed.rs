//! Speed and memory, one table: `cargo bench --bench speed`.
//!
//! Kernels run on one thread over a 2048² demo terrain; bakes run as a user's would, on all cores, with output on a memory
//! file system where there is one. Each figure is the median of [`RUNS`] runs. Sizes other than the usual two:
//! `cargo bench --bench speed -- 2048 5000`.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod kernels;
mod measure;

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use measure::{children_cpu_seconds, demo, fast_folder, machine, median};

/// How often each figure is measured.
const RUNS: usize = 3;

fn main() {
    // Cargo's own flags are not sizes.
    let sizes: Vec<u32> = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let sizes = if sizes.is_empty() {
        vec![4096, 8192]
    } else {
        sizes
    };
    let scratch = tempfile::tempdir_in(fast_folder()).unwrap();
    println!("{}; medians of {RUNS}", machine());
    println!();
    println!("| kernel, one thread | speed |");
    println!("|---|---|");
    kernels::table(scratch.path());
    println!();
    println!("| plants stage, one thread | plants per CPU-second |");
    println!("|---|---|");
    stages(scratch.path());
    println!();
    println!("| whole bake, all cores | wall | per CPU-second | plants/s | peak memory |");
    println!("|---|---|---|---|---|");
    for size in sizes {
        bakes(scratch.path(), size);
    }
}

/// Grows wherever there is ground, as densely as it can: five points in six become plants, the others lose to a plant.
const DENSE: &str = r#"
[[species]]
name = "fir"
strata = { meadow = 1.0, scree = 1.0, rock = 1.0, road = 1.0 }
spacing = 3.0
footprint = 0.5
priority = 1

[[species]]
name = "fern"
strata = { meadow = 1.0, scree = 1.0, rock = 1.0, road = 1.0 }
spacing = 1.5
footprint = 0.5
"#;

/// The stage that makes plants, as the bake itself measures it: reading the weights, distances and heights around each chunk
/// and digesting them, normals, patterns, rules and attributes, competition, the counts for the report and encoding; all but
/// writing files.
fn stages(scratch: &Path) {
    let dir = scratch.join("stages");
    demo(&dir, 4096);
    let config = std::fs::read_to_string(dir.join("world.toml")).unwrap();
    let (ground, rest) = config.split_once("# Species\n").unwrap();
    let (_, output) = rest.split_once("[output]\n").unwrap();
    let dense = format!("{ground}{DENSE}\n[output]\n{output}");
    std::fs::write(dir.join("dense.toml"), dense).unwrap();
    for (name, config) in [
        ("four species of the demo", "world.toml"),
        (
            "two species that grow wherever there is ground",
            "dense.toml",
        ),
    ] {
        let speeds = (0..RUNS).map(|_| plants_per_cpu_second(&dir.join(config), &dir.join("out")));
        println!("| {name} | {:.2} M |", median(speeds.collect()) / 1e6);
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

/// Bakes on one thread, and reads of the report what the stage took.
fn plants_per_cpu_second(config: &Path, out: &Path) -> f64 {
    let baked = Command::new(env!("CARGO_BIN_EXE_ecotone"))
        .arg("bake")
        .arg(config)
        .arg("--out")
        .arg(out)
        .args(["--threads", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(baked.success());
    let report = std::fs::read_to_string(out.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let seconds = list(&report["run"]["stages"])
        .iter()
        .find(|stage| stage["name"] == "plants")
        .and_then(|stage| stage["cpu_seconds"].as_f64())
        .unwrap();
    let plants = list(&report["species"])
        .iter()
        .map(|own| own["plants"].as_f64().unwrap())
        .sum::<f64>();
    std::fs::remove_dir_all(out).unwrap();
    plants / seconds
}

/// One bake, seen from outside.
struct Run {
    wall: f64,
    cpu: f64,
    plants: f64,
    peak_kib: u64,
}

/// Six species more than the demo's four.
const SIX_MORE: &str = include_str!("measure/six_more.toml");

fn bakes(scratch: &Path, size: u32) {
    let dir = scratch.join(size.to_string());
    demo(&dir, size);
    let config = std::fs::read_to_string(dir.join("world.toml")).unwrap();
    let (species, output) = config.split_once("[output]\n").unwrap();
    let ten = format!("{species}{SIX_MORE}\n[output]\n{output}");
    std::fs::write(dir.join("ten.toml"), ten).unwrap();
    bakes_of(size, "", &dir.join("world.toml"));
    bakes_of(size, ", ten species", &dir.join("ten.toml"));
    std::fs::remove_dir_all(&dir).unwrap();
}

fn bakes_of(size: u32, what: &str, config: &Path) {
    let out = config.with_extension("out");
    let run = |_| {
        let run = bake(config, &out);
        std::fs::remove_dir_all(&out).unwrap();
        run
    };
    let runs: Vec<Run> = (0..RUNS).map(run).collect();
    let of = |value: fn(&Run) -> f64| median(runs.iter().map(value).collect());
    let pixels = f64::from(size) * f64::from(size) / 1e6;
    println!(
        "| {size}² demo{what} | {:.1} Mpx/s | {:.1} Mpx | {:.2} M | {:.0} MiB |",
        pixels / of(|run| run.wall),
        pixels / of(|run| run.cpu),
        of(|run| run.plants / run.wall) / 1e6,
        of(|run| run.peak_kib as f64) / 1024.0,
    );
}

/// Bakes as a user would; memory is RssAnon + RssShmem, looked at every 5 ms.
fn bake(config: &Path, out: &Path) -> Run {
    let before = children_cpu_seconds();
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_ecotone"))
        .arg("bake")
        .arg(config)
        .arg("--out")
        .arg(out)
        .arg("--json")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0;
    let ended = loop {
        peak_kib = peak_kib.max(resident_kib(&status));
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let wall = start.elapsed().as_secs_f64();
    assert!(ended.success());
    let mut lines = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut lines)
        .unwrap();
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let plants = last["plants"]
        .as_object()
        .unwrap()
        .values()
        .map(|n| n.as_f64().unwrap())
        .sum();
    Run {
        wall,
        cpu: children_cpu_seconds() - before,
        plants,
        peak_kib,
    }
}

fn resident_kib(status: &str) -> u64 {
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let field = |name: &str| -> u64 {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
            .unwrap_or(0)
    };
    field("RssAnon:") + field("RssShmem:")
}
