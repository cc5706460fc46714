//! A world to try things on: mountains at 1 m, the roads across them, and a config that is ready to bake.
//!
//! The heights are a pure function of the seed and the place, in operations that every machine rounds alike, so the same
//! seed gives the same files everywhere, and a larger map begins with the smaller one. Memory: one row of tiles.

mod erosion;
mod noise;
mod road;
mod terrain;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ecotone_grid::{GeoKeys, GeoTransform, PixelSize};
use ecotone_store::{
    BandHeader, Compression, Sample, StoreError, StreamLayout, StreamWriter, TileHeader,
};

use road::Roads;
pub use terrain::Terrain;

/// The config as it is written.
const CONFIG: &str = include_str!("world.toml");

/// Rows written at a time: a row of the file's tiles.
const BAND: u32 = StreamWriter::<f32>::TILE;

/// The largest side, in pixels.
pub const MAX_SIZE: u32 = 65_536;

/// What [`write()`] left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoFiles {
    /// `world.toml`, ready to bake.
    pub config: PathBuf,
    /// `heights.tif`, float32 metres.
    pub heights: PathBuf,
    /// `road.tif`, 8-bit, 0 beside the road and 255 on it.
    pub road: PathBuf,
}

/// Why there is no demo.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemoError {
    /// Too small or too large.
    #[error("the size must be 1 to {MAX_SIZE} pixels, found {found}")]
    Size {
        /// What was asked for.
        found: u32,
    },
    /// Something is there already.
    #[error("{} exists already: choose another directory, or move the file away", path.display())]
    Exists {
        /// The file that would have been lost.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The caller wanted an end.
    #[error("stopped before it was done; nothing was written")]
    Stopped,
    /// A raster could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Raster {
        /// The raster.
        path: PathBuf,
        /// What came of it.
        source: StoreError,
    },
}

/// Writes a map of `size` × `size` pixels of 1 m, its roads and its config into `dir`, which is made where it is missing.
///
/// `progress` hears, after every band of rows, how many pixels of how many are done, and says whether to go on. The config comes
/// last: where it is, the rest is whole. Where anything fails, no file is left.
///
/// # Errors
/// [`DemoError::Size`] unless 1 ≤ `size` ≤ [`MAX_SIZE`]; [`DemoError::Exists`] rather than overwrite a file;
/// [`DemoError::Stopped`]; an error of the system.
pub fn write(
    dir: &Path,
    size: u32,
    seed: u64,
    progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<DemoFiles, DemoError> {
    if !(1..=MAX_SIZE).contains(&size) {
        return Err(DemoError::Size { found: size });
    }
    let files = DemoFiles {
        config: dir.join("world.toml"),
        heights: dir.join("heights.tif"),
        road: dir.join("road.tif"),
    };
    for path in [&files.config, &files.heights, &files.road] {
        if fs::symlink_metadata(path).is_ok() {
            return Err(DemoError::Exists { path: path.clone() });
        }
    }
    let is_new = !dir.exists();
    fs::create_dir_all(dir).map_err(refused(dir))?;
    let made = make(&files, size, &Terrain::new(seed), progress);
    if made.is_err() {
        // Best effort: the error that matters is the first. The config is the last, so it is not there.
        let _ = [&files.heights, &files.road].map(fs::remove_file);
        if is_new {
            let _ = fs::remove_dir(dir);
        }
    }
    made.map(|()| files)
}

fn make(
    files: &DemoFiles,
    size: u32,
    terrain: &Terrain,
    progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<(), DemoError> {
    let width = size as usize;
    let half = u64::from(size) * u64::from(size);
    write_raster(
        &files.heights,
        "height",
        Compression::None,
        size,
        |row, band| {
            terrain.write_rows(row, width, band);
            progress(pixels_above(row, band.len(), size), 2 * half)
        },
    )?;
    let roads = Roads::plan(terrain, size);
    write_raster(
        &files.road,
        "road",
        Compression::Deflate,
        size,
        |row, band| {
            roads.write_rows(row, width, band);
            progress(half + pixels_above(row, band.len(), size), 2 * half)
        },
    )?;
    write_config(&files.config)
}

/// The pixels of a map down to the end of a band.
fn pixels_above(first_row: u32, band: usize, size: u32) -> u64 {
    u64::from(first_row) * u64::from(size) + band as u64
}

/// Streams a raster of one band, each row of tiles as `fill` writes it, which says whether to go on.
fn write_raster<T: Sample + Default>(
    path: &Path,
    name: &str,
    compression: Compression,
    size: u32,
    mut fill: impl FnMut(u32, &mut [T]) -> bool,
) -> Result<(), DemoError> {
    let failed = |source| DemoError::Raster {
        path: path.to_owned(),
        source,
    };
    let layout = StreamLayout {
        width: size,
        height: size,
        compression,
    };
    let mut writer = StreamWriter::create(path, layout, header(name)).map_err(failed)?;
    let mut pixels = vec![T::default(); size as usize * BAND.min(size) as usize];
    for first_row in (0..size).step_by(BAND as usize) {
        let n_rows = BAND.min(size - first_row);
        let band = &mut pixels[..n_rows as usize * size as usize];
        if !fill(first_row, band) {
            return Err(DemoError::Stopped);
        }
        writer.write_tile_row(band).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}

/// Metres of UTM zone 33 north (EPSG:32633): somewhere in the eastern Alps.
fn header(band: &str) -> TileHeader {
    TileHeader {
        transform: GeoTransform {
            x0: 500_000.0,
            y0: 5_200_000.0,
            pixel: PixelSize { x: 1.0, y: 1.0 },
        },
        geo_keys: GeoKeys {
            // Version 1.1.0 and three keys: a projected model, pixels that are areas, EPSG:32633.
            directory: vec![1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633],
            ..GeoKeys::default()
        },
        bands: vec![BandHeader::plain(band)],
        nodata: None,
    }
}

/// Writes the config, unless one has come to be meanwhile.
fn write_config(path: &Path) -> Result<(), DemoError> {
    let mut file = File::create_new(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => DemoError::Exists {
            path: path.to_owned(),
        },
        _ => refused(path)(source),
    })?;
    let written = file.write_all(CONFIG.as_bytes());
    let written = written.and_then(|()| file.sync_all());
    if written.is_err() {
        // Best effort: the error that matters is the first.
        let _ = fs::remove_file(path);
    }
    written.map_err(refused(path))
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> DemoError {
    let path = path.to_owned();
    move |source| DemoError::Io { path, source }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A directory of its own for one test, gone afterwards.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("ecotone-demo-{}-{name}", std::process::id());
            Self(std::env::temp_dir().join(name))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[track_caller]
    fn check_size(size: u32) {
        let folder = Folder::new(&size.to_string());
        let mut heard = Vec::new();
        let files = write(&folder.0, size, 7, &mut |done, total| {
            heard.push((done, total));
            true
        })
        .unwrap();
        let total = 2 * u64::from(size) * u64::from(size);
        assert_eq!(heard.last(), Some(&(total, total)));
        assert!(heard.is_sorted());
        // A raster in tiles of 512 holds whole tiles.
        let tiles = u64::from(size.div_ceil(512)).pow(2);
        let bytes = fs::metadata(&files.heights).unwrap().len();
        assert!(
            (tiles << 20..(tiles << 20) + 4096).contains(&bytes),
            "{bytes}"
        );
        assert_eq!(fs::read_to_string(&files.config).unwrap(), CONFIG);
    }

    #[test]
    fn any_size_can_be_written() {
        check_size(1);
        check_size(37);
        check_size(513);
    }

    #[test]
    fn the_first_height_is_the_terrains_own() {
        let folder = Folder::new("first");
        let files = write(&folder.0, 1, 3, &mut |_, _| true).unwrap();
        let mut height = [0.0];
        Terrain::new(3).write_rows(0, 1, &mut height);
        // The pixels of a BigTIFF that is written from north to south begin right after its 16 bytes of header.
        assert_eq!(
            fs::read(&files.heights).unwrap()[16..20],
            height[0].to_le_bytes()
        );
    }

    #[test]
    fn a_size_off_the_scale_is_refused() {
        let folder = Folder::new("none");
        for size in [0, MAX_SIZE + 1] {
            let refusal = write(&folder.0, size, 7, &mut |_, _| true);
            assert!(matches!(refusal, Err(DemoError::Size { found }) if found == size));
        }
        assert!(!folder.0.exists());
    }

    #[test]
    fn no_file_is_overwritten() {
        for name in ["world.toml", "heights.tif", "road.tif"] {
            let folder = Folder::new(&format!("over-{name}"));
            fs::create_dir_all(&folder.0).unwrap();
            let path = folder.0.join(name);
            fs::write(&path, "mine").unwrap();
            let refusal = write(&folder.0, 8, 7, &mut |_, _| true);
            assert!(matches!(refusal, Err(DemoError::Exists { path: found }) if found == path));
            assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
            assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
        }
    }

    #[test]
    fn a_demo_that_is_stopped_leaves_nothing() {
        for calls in 0..4 {
            let folder = Folder::new(&format!("stopped-{calls}"));
            let mut heard = 0;
            let stopped = write(&folder.0, 600, 7, &mut |_, _| {
                heard += 1;
                heard <= calls
            });
            assert!(matches!(stopped, Err(DemoError::Stopped)), "{stopped:?}");
            assert!(!folder.0.exists(), "after {calls} calls");
        }
    }

    #[test]
    fn a_folder_that_was_there_stays_when_a_demo_is_stopped() {
        let folder = Folder::new("stays");
        fs::create_dir_all(&folder.0).unwrap();
        assert!(write(&folder.0, 8, 7, &mut |_, _| false).is_err());
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0);
    }
}
