//! A folder of small rasters, and the ways in which the tests look at them.

// Each file of tests uses a part of it.
#![allow(dead_code, clippy::unwrap_used)]

#[path = "../writer/mod.rs"]
pub mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Mosaic, MosaicFile, Options, Source, SourceError};
use ecotone_grid::{Raster, Rect};
use writer::Tiff;

pub struct Folder(pub tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, tiff: &Tiff, pixel: impl Fn(usize, usize) -> f64) {
        std::fs::write(self.path(name), tiff.bytes(|_, x, y| pixel(x, y))).unwrap();
    }

    pub fn text(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn open(&self, names: &[&str]) -> Result<Mosaic, SourceError> {
        self.open_with(names, &Options::default())
    }

    pub fn open_with(&self, names: &[&str], options: &Options) -> Result<Mosaic, SourceError> {
        let files: Vec<_> = names
            .iter()
            .map(|name| MosaicFile::new(self.path(name)))
            .collect();
        Mosaic::open(&files, 0, options, cache())
    }

    /// The error without the folder's name.
    pub fn refusal(&self, names: &[&str]) -> String {
        let error = self.open(names).unwrap_err().to_string();
        error.replace(&format!("{}/", self.0.path().display()), "")
    }
}

pub fn cache() -> Arc<BlockCache> {
    Arc::new(BlockCache::new(1 << 20))
}

pub fn heights(map: &Mosaic, rect: Rect) -> Vec<f64> {
    let mut out = Raster::default();
    map.read(rect, &mut out).unwrap();
    assert_eq!((out.rect(), out.n_bands()), (rect, 1));
    out.pixels().to_vec()
}

pub fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

pub fn f32_at(width: usize, height: usize, corner: (f64, f64)) -> Tiff {
    Tiff::new(width, height, (3, 32)).placed((0.1, 0.3), corner)
}

/// Heights that differ from pixel to pixel.
pub fn ground(x: usize, y: usize) -> f64 {
    ((x * 31 + y * 17) % 97) as f64 / 4.0
}

/// A file of 13 × 9 pixels whose corner has no short binary form, and its quarters, cut at (5, 4).
pub fn quarters(folder: &Folder) -> [&'static str; 4] {
    let (x0, y0) = (1234.1, 777.7);
    folder.write("whole.tif", &f32_at(13, 9, (x0, y0)), ground);
    let mut names = ["nw.tif", "ne.tif", "sw.tif", "se.tif"].into_iter();
    for (y, height) in [(0, 4), (4, 5)] {
        for (x, width) in [(0, 5), (5, 8)] {
            let corner = (x0 + 0.1 * x as f64, y0 - 0.3 * y as f64);
            let name = names.next().unwrap();
            folder.write(name, &f32_at(width, height, corner), |i, j| {
                ground(x + i, y + j)
            });
        }
    }
    ["nw.tif", "ne.tif", "sw.tif", "se.tif"]
}

#[track_caller]
pub fn check_same(map: &Mosaic, whole: &Source) {
    assert_eq!(map.rect(), whole.rect());
    let (found, expected) = (
        map.georeference().unwrap().unwrap().transform,
        whole.georeference().unwrap().unwrap().transform,
    );
    assert_eq!(
        bits(&[found.x0, found.y0, found.pixel.x, found.pixel.y]),
        bits(&[expected.x0, expected.y0, expected.pixel.x, expected.pixel.y])
    );
    let mut out = Raster::default();
    for rect in [
        whole.rect(),
        Rect::new(-2, -3, 16, 12),
        Rect::new(4, 3, 6, 5),
        Rect::new(7, 0, 9, 2),
        Rect::new(20, 20, 25, 22),
    ] {
        whole.read(rect, 0, &mut out).unwrap();
        assert_eq!(bits(&heights(map, rect)), bits(out.pixels()), "{rect:?}");
    }
}

pub fn open_one(path: &Path) -> Source {
    Source::open(path, &Options::default(), cache()).unwrap()
}
