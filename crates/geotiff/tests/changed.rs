//! Files that do not stay as they were while they are read.

#![allow(clippy::unwrap_used)]

mod writer;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Options, Source, SourceError};
use ecotone_grid::{Raster, Rect};
use writer::Tiff;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file of 1 MiB before compression.
    fn source(&self, name: &str, compression: u16) -> Source {
        let mut tiff = Tiff::new(512, 512, (3, 32));
        (tiff.compression, tiff.rows_per_strip) = (compression, 16);
        let bytes = tiff.bytes(|_, x, y| ((x * 7919 + y * 104_729) % 65_521) as f64);
        fs::write(self.path(name), bytes).unwrap();
        open(&self.path(name)).unwrap()
    }
}

fn open(path: &Path) -> Result<Source, SourceError> {
    Source::open(
        path,
        &Options::default(),
        Arc::new(BlockCache::new(1 << 16)),
    )
}

fn read(source: &Source, y0: i64, y1: i64) -> Result<Raster<f64>, SourceError> {
    let mut out = Raster::default();
    source.read(Rect::new(0, y0, 512, y1), 0, &mut out)?;
    Ok(out)
}

fn cut(path: &Path, len: u64) {
    OpenOptions::new()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(len)
        .unwrap();
}

#[track_caller]
fn check_changed(result: Result<(), SourceError>) {
    let error = result.unwrap_err();
    assert!(matches!(error, SourceError::Changed { .. }), "{error}");
    assert_eq!(error.kind(), "changed");
    let text = error.to_string();
    assert!(
        text.contains("changed while it was read; run again"),
        "{text}"
    );
}

#[test]
#[cfg_attr(not(unix), ignore = "a mapped file cannot be cut short there")]
fn a_read_of_lost_pages_ends_with_changed() {
    for compression in [1, 8, 5, 50000, 32773] {
        let place = Place::new();
        let (lost, kept) = (
            place.source("lost.tif", compression),
            place.source("kept.tif", 1),
        );
        let expected = read(&kept, 0, 512).unwrap();
        assert_eq!(
            read(&lost, 0, 64).unwrap().pixels(),
            &expected.pixels()[..64 * 512]
        );
        cut(&place.path("lost.tif"), 1 << 15);
        check_changed(read(&lost, 448, 512).map(drop));
        check_changed(lost.rows_as_f32(|_| ()));
        check_changed(lost.read_all::<f32>().map(drop));
        assert_eq!(read(&kept, 0, 512).unwrap(), expected, "another file");
        // Not even when the bytes come back: what was decoded meanwhile may be kept somewhere.
        fs::copy(place.path("kept.tif"), place.path("lost.tif")).unwrap();
        check_changed(read(&lost, 448, 512).map(drop));
        assert_eq!(open(&place.path("lost.tif")).unwrap().rect().width(), 512);
    }
}

#[test]
fn every_change_of_a_file_is_seen() {
    #[track_caller]
    fn check(change: impl FnOnce(&Path)) {
        let place = Place::new();
        let source = place.source("file.tif", 1);
        source.check_unchanged().unwrap();
        // As long as the tick of a clock of the system.
        std::thread::sleep(std::time::Duration::from_millis(20));
        change(&place.path("file.tif"));
        check_changed(source.check_unchanged());
    }
    let write = |path: &Path, append: bool| {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).append(append).open(path).unwrap();
        file.write_all(b"II").unwrap();
    };
    check(|path| cut(path, 1000));
    check(|path| write(path, false));
    check(|path| write(path, true));
    check(|path| fs::remove_file(path).unwrap());
    check(|path| {
        fs::copy(path, path.with_extension("new")).unwrap();
        fs::rename(path.with_extension("new"), path).unwrap();
    });
    // The old time set back.
    check(|path| {
        let old = fs::metadata(path).unwrap().modified().unwrap();
        write(path, false);
        let file = OpenOptions::new().write(true).open(path).unwrap();
        file.set_modified(old).unwrap();
    });
}

#[test]
fn what_looks_corrupt_in_a_changed_file_is_a_change() {
    let place = Place::new();
    let source = place.source("file.tif", 8);
    let len = fs::metadata(place.path("file.tif")).unwrap().len();
    fs::write(place.path("file.tif"), vec![0x55; len as usize]).unwrap();
    check_changed(read(&source, 0, 512).map(drop));
}

#[test]
fn a_thousand_files_may_be_open() {
    let place = Place::new();
    let tiff = Tiff::new(4, 4, (1, 8));
    fs::write(place.path("file.tif"), tiff.bytes(|_, x, _| x as f64)).unwrap();
    let sources: Vec<_> = (0..3000)
        .map(|_| open(&place.path("file.tif")).unwrap())
        .collect();
    let bad = place.source("bad.tif", 1);
    cut(&place.path("bad.tif"), 100);
    if cfg!(unix) {
        check_changed(read(&bad, 0, 512).map(drop));
    }
    for source in &sources {
        assert_eq!(source.read_all::<u8>().unwrap().pixels()[3], 3);
    }
}

/// A bus error that is none of ours ends the program as ever: tried out in a child.
#[test]
#[cfg(target_os = "linux")]
fn a_foreign_bus_error_is_left_to_others() {
    use std::os::unix::process::ExitStatusExt;
    const CHILD: &str = "ECOTONE_TEST_FOREIGN_BUS_ERROR";
    if std::env::var_os(CHILD).is_some() {
        let place = Place::new();
        let source = place.source("ours.tif", 1);
        let path = place.path("foreign");
        fs::write(&path, vec![1; 1 << 16]).unwrap();
        // SAFETY: nothing relies on these bytes; that they go is what is tried here.
        let foreign = unsafe { memmap2::Mmap::map(&fs::File::open(&path).unwrap()) }.unwrap();
        cut(&path, 0);
        let byte = std::hint::black_box(foreign[1 << 15]);
        unreachable!("{byte} {}", source.rect().width());
    }
    let ended = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_foreign_bus_error_is_left_to_others"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    assert_eq!(ended.status.signal(), Some(libc::SIGBUS), "{ended:?}");
}
