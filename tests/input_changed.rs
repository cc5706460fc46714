//! An input that does not stay as it was ends its bake with that word, publishes nothing, and harms nobody else.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::AtomicBool;

use ecotone_bake::{Bake, BakeError, Options, Outcome, Progress, config};
use ecotone_geotiff::SourceError;
use support::writer::Tiff;
use support::{Place, hills, plain};

const WIDTH: usize = 1100;
const HEIGHT: usize = 1000;

const CONFIG: &str = "
terrain.heights = ['heights.tif']
tiles.size = 128
edges.max_distance = 10
[[stratum]]
name = 'flat'
slope = [0, 30]
blend = 5
[[stratum]]
name = 'steep'
slope = [30, 90]
blend = 5
";

fn tiff(compression: u16) -> Tiff {
    let mut tiff = plain(WIDTH, HEIGHT);
    (tiff.compression, tiff.rows_per_strip) = (compression, 8);
    tiff
}

/// Heights that no codec makes much smaller.
fn rough(x: usize, y: usize) -> f64 {
    let noise = (x * 2_654_435_761 + y * 40_503) ^ (x * y * 97);
    hills(x, y) + (noise % 65_521) as f64 / 65_536.0
}

/// What happens to the file during the bake.
type Change = fn(&Path);

fn cut_short(path: &Path) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(1 << 20).unwrap();
}

fn overwrite(path: &Path) {
    let len = fs::metadata(path).unwrap().len();
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(len / 3)).unwrap();
    file.write_all(&vec![7; (len / 2) as usize]).unwrap();
}

fn replace(path: &Path) {
    let other = path.with_extension("new");
    fs::copy(path, &other).unwrap();
    fs::rename(&other, path).unwrap();
}

fn delete(path: &Path) {
    fs::remove_file(path).unwrap();
}

fn append(path: &Path) {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(b"more").unwrap();
}

const CHANGES: [(&str, Change); 5] = [
    ("cut short", cut_short),
    ("overwritten", overwrite),
    ("replaced", replace),
    ("deleted", delete),
    ("appended to", append),
];

fn bake(place: &Place, progress: &mut dyn FnMut(Progress)) -> Result<Outcome, BakeError> {
    let loaded = config::parse(CONFIG, &place.path("world.toml")).unwrap();
    let options = Options {
        out: Some(place.path("out")),
        memory_bytes: 2 << 20,
        ..Options::default()
    };
    Bake::open(&loaded, &options)?.run(2, &AtomicBool::new(false), progress)
}

/// Every file of the world that `current` reaches.
fn published(place: &Place) -> (Vec<u8>, ecotone_interchange::Digests) {
    let current = place.path("out/current");
    let current = fs::read(&current)
        .or_else(|_| fs::read_link(&current).map(|to| to.as_os_str().as_encoded_bytes().to_vec()))
        .unwrap();
    (current, place.digests("out"))
}

#[track_caller]
fn check_changed(result: Result<Outcome, BakeError>, how: &str) {
    let error = result.map(|_| ()).unwrap_err();
    assert!(
        matches!(
            &error,
            BakeError::InputChanged {
                source: SourceError::Changed { path }
            } if path.ends_with("heights.tif")
        ),
        "{how}: {error}"
    );
    let text = error.to_string();
    assert!(text.contains("changed while it was read"), "{text}");
    assert!(
        text.contains("nothing of this bake was published"),
        "{text}"
    );
}

#[test]
fn a_map_that_changes_under_a_bake_ends_that_bake_alone() {
    for compression in [1, 8] {
        let place = Place::new();
        let good = tiff(compression).bytes(|_, x, y| rough(x, y));
        let heights = place.path("heights.tif");
        assert!(good.len() > 2 << 20 && (compression != 1 || good.len() > 4 << 20));
        fs::write(&heights, tiff(compression).bytes(|_, x, y| hills(x, y))).unwrap();
        bake(&place, &mut |_| {}).unwrap();
        let before = published(&place);
        for (how, change) in CHANGES {
            fs::write(&heights, &good).unwrap();
            let result = bake(&place, &mut |progress| {
                if progress.done == 3 {
                    change(&heights);
                }
                assert!(progress.total > 100);
            });
            check_changed(result, how);
            assert_eq!(published(&place), before, "{how}");
        }
        // The process and its handlers are as good as before.
        fs::write(&heights, &good).unwrap();
        bake(&place, &mut |_| {}).unwrap();
        assert_ne!(published(&place), before);
    }
}

#[test]
fn another_bake_of_the_process_goes_on() {
    let (bad, good) = (Place::new(), Place::new());
    for place in [&bad, &good] {
        place.write("heights.tif", &tiff(1), rough);
    }
    let both_run = Barrier::new(2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            bake(&good, &mut |progress| {
                if progress.done == 1 {
                    both_run.wait();
                }
            })
        });
        let result = bake(&bad, &mut |progress| {
            if progress.done == 1 {
                both_run.wait();
                let path = bad.path("heights.tif");
                scope.spawn(move || cut_short(&path));
            }
        });
        check_changed(result, "cut short by another thread");
        assert!(!bad.path("out/current").exists());
        other.join().unwrap().unwrap();
    });
    assert!(File::open(good.path("out/current")).is_ok());
}
