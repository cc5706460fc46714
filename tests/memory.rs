//! Law 4: memory is a budget. The peak does not grow with the map.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn ecotone() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ecotone"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Peak RssAnon + RssShmem of a bake in KiB, looked at every millisecond.
fn peak_kib(config: &Path) -> u64 {
    let mut bake = ecotone()
        .arg("bake")
        .arg(config)
        // The report draws what is finished, and has a budget of its own.
        .args(["--threads", "2", "--memory", "8M", "--no-report"])
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", bake.id());
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let field = |name: &str| -> u64 {
            let rest = text.lines().find_map(|line| line.strip_prefix(name));
            rest.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
                .unwrap_or(0)
        };
        peak = peak.max(field("RssAnon:") + field("RssShmem:"));
        if let Some(ended) = bake.try_wait().unwrap() {
            assert!(ended.success());
            return peak;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "reads /proc")]
fn twice_the_map_takes_the_same_memory() {
    let dir = tempfile::tempdir().unwrap();
    let peaks = [3072, 4608].map(|size: u32| {
        let demo = dir.path().join(size.to_string());
        let made = ecotone()
            .arg("demo")
            .arg(&demo)
            .args(["--size", &size.to_string()])
            .status();
        assert!(made.unwrap().success());
        let config = demo.join("world.toml");
        let text = std::fs::read_to_string(&config).unwrap();
        assert!(text.contains("size = 512"));
        std::fs::write(&config, text.replace("size = 512", "size = 256")).unwrap();
        peak_kib(&config)
    });
    let growth = peaks[1] as f64 / peaks[0] as f64;
    assert!(growth < 1.1, "peaks of {peaks:?} KiB");
}
