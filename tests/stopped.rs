//! Commands that write files of their own leave none where they are stopped.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ecotone_interchange::{
    Finished, InterchangeError, Layer, Preview, diff, diff_to_csv, draw, write_csv,
};
use support::{Place, config_text, plain};

/// Two worlds whose plants all differ, in nine chunks.
fn worlds() -> Place {
    let place = Place::with_hills(&plain(150, 131));
    let text = config_text(64, 60.0);
    place.bake(&text, 1, "old").unwrap();
    place
        .bake(&text.replace("seed = 5", "seed = 6"), 1, "new")
        .unwrap();
    std::fs::create_dir(place.path("to")).unwrap();
    place
}

fn open(dir: &Path, stop: &Arc<AtomicBool>) -> Finished {
    Finished::open(dir).unwrap().until(Arc::clone(stop))
}

#[track_caller]
fn check_stopped<T: std::fmt::Debug>(place: &Place, done: Result<T, InterchangeError>) {
    assert!(matches!(done, Err(InterchangeError::Stopped)), "{done:?}");
    let left: Vec<_> = std::fs::read_dir(place.path("to")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_table_or_picture_that_is_stopped_leaves_no_file() {
    let place = worlds();
    let stop = Arc::new(AtomicBool::new(true));
    let [old, new] = ["old", "new"].map(|name| open(&place.path(name), &stop));
    check_stopped(&place, write_csv(&new, &place.path("to/plants.csv")));
    check_stopped(
        &place,
        diff_to_csv(&old, &new, &place.path("to/plants.csv")),
    );
    let layers =
        ["terrain", "weights:rock", "sdf:meadow", "slope"].map(|text| text.parse::<Layer>());
    for layer in layers {
        let layer = layer.unwrap();
        let region = None;
        check_stopped(
            &place,
            draw(
                &new,
                &Preview {
                    region,
                    layer,
                    size_px: 64,
                },
            ),
        );
    }
    stop.store(false, Ordering::Relaxed);
    assert!(write_csv(&new, &place.path("to/plants.csv")).unwrap() > 0);
}

#[test]
fn a_comparison_ends_soon_after_it_is_stopped() {
    let place = worlds();
    let stop = Arc::new(AtomicBool::new(false));
    let [old, new] = ["old", "new"].map(|name| open(&place.path(name), &stop));
    let mut chunks = std::collections::BTreeSet::new();
    let stopped = diff(&old, &new, &mut |change| {
        chunks.insert(change.chunk);
        stop.store(true, Ordering::Relaxed);
        Ok(())
    });
    check_stopped(&place, stopped);
    assert_eq!(chunks.len(), 1);
}

#[cfg(unix)]
#[test]
fn a_demo_that_the_user_stops_leaves_no_file() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let place = Place::new();
    let mut demo = Command::new(env!("CARGO_BIN_EXE_ecotone"))
        .current_dir(place.path(""))
        .args(["demo", "alps", "--size", "8192"])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !place.path("alps/.heights.tif.tmp").exists() {
        assert!(
            demo.try_wait().unwrap().is_none(),
            "it ended before it was stopped"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    let pid = demo.id().to_string();
    let signalled = Command::new("kill").args(["-INT", &pid]).status();
    assert!(signalled.unwrap().success());
    assert_eq!(demo.wait().unwrap().code(), Some(130));
    assert!(!place.path("alps").exists());
}
