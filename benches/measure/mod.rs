//! What all benches share: where they work, on what machine, and processes seen from outside.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder in memory, where there is one.
pub fn fast_folder() -> PathBuf {
    let shm = PathBuf::from("/dev/shm");
    if shm.is_dir() {
        shm
    } else {
        std::env::temp_dir()
    }
}

/// What the figures were measured on.
pub fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpuinfo = read("/proc/cpuinfo");
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown processor", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or("?");
    format!("{model}, {cores} cores, load {load} at the start")
}

/// The middle one.
pub fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Makes a demo of so many pixels a side.
pub fn demo(dir: &Path, size: u32) {
    let made = Command::new(env!("CARGO_BIN_EXE_ecotone"))
        .arg("demo")
        .arg(dir)
        .args(["--size", &size.to_string()])
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(made.success());
}

/// User and system seconds of the children that have ended, to the microsecond.
pub fn children_cpu_seconds() -> f64 {
    // SAFETY: all zeros are a valid `rusage`, which the call fills; it keeps no pointer.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
