//! Why files make no map together.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use ecotone_grid::Rect;

/// Why several files, or the files that a VRT names, are not one map.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MosaicError {
    /// The pixels of two files do not lie over each other.
    #[error(
        "{} and {} are not on one grid: {} lies {} of {}'s north-west corner, and whole pixels are expected; \
         resample both with `gdalwarp -tap -tr {} {} IN.tif OUT.tif`",
        first.display(), second.display(), short(second), way(*east_px, *south_px), short(first), pixel[0], pixel[1]
    )]
    OffGrid {
        /// The file whose grid is the map's.
        first: PathBuf,
        /// The file that does not fit.
        second: PathBuf,
        /// How far east of the first file's north-west corner the second's lies, in pixels.
        east_px: f64,
        /// How far south, in pixels.
        south_px: f64,
        /// The first file's pixel size.
        pixel: [f64; 2],
    },
    /// The pixels of two files differ in size.
    #[error(
        "{} and {} are not on one grid: pixels are {} × {} in the first and {} × {} in the second; \
         resample both with `gdalwarp -tap -tr {} {} IN.tif OUT.tif`",
        first.display(), second.display(), sizes[0][0], sizes[0][1], sizes[1][0], sizes[1][1], sizes[0][0], sizes[0][1]
    )]
    PixelSizes {
        /// The file whose grid is the map's.
        first: PathBuf,
        /// The file that does not fit.
        second: PathBuf,
        /// East–west and north–south size of a pixel in each.
        sizes: [[f64; 2]; 2],
    },
    /// Two files are in different coordinate systems.
    #[error(
        "{} is in EPSG:{} and {} in EPSG:{}; warp one with `gdalwarp -t_srs EPSG:{} IN.tif OUT.tif`",
        first.display(), systems[0], second.display(), systems[1], systems[0]
    )]
    Systems {
        /// The file whose system is the map's.
        first: PathBuf,
        /// The file that is in another.
        second: PathBuf,
        /// Their EPSG codes.
        systems: [u16; 2],
    },
    /// One of several files does not say where it lies.
    #[error(
        "{} does not say where it lies, so it cannot be laid beside {}; give tiles that are numbered as a pattern with \
         {{x}} and {{y}}, or place the file with `gdal_translate -a_ullr WEST NORTH EAST SOUTH IN.tif OUT.tif`",
        path.display(), other.display()
    )]
    Unplaced {
        /// The file without a place.
        path: PathBuf,
        /// Another of the map's files.
        other: PathBuf,
    },
    /// Files that are placed by their numbers say themselves that they lie elsewhere.
    #[error(
        "by their numbers {} lies {} of {}, by their own georeference {}; turn `rows` or change `overlap`, or give \
         `pixel_size`, with which the numbers alone count",
        second.display(), way(numbered[0] as f64, numbered[1] as f64), first.display(), way(found[0], found[1])
    )]
    Misnumbered {
        /// The first file.
        first: PathBuf,
        /// The file that says something else.
        second: PathBuf,
        /// Pixels east and south of the first file by the numbers.
        numbered: [i64; 2],
        /// Pixels east and south by the georeference.
        found: [f64; 2],
    },
    /// A raster that must have as many pixels as another has not.
    #[error(
        "{} is {} × {} pixels and {} is {} × {}; make it of the same size; a patch may \
         also say where it lies, with `gdal_translate -a_ullr WEST NORTH EAST SOUTH IN.tif OUT.tif`",
        second.display(), sizes[1][0], sizes[1][1], first.display(), sizes[0][0], sizes[0][1]
    )]
    Sizes {
        /// The file whose size counts.
        first: PathBuf,
        /// The file of another size.
        second: PathBuf,
        /// Their columns and rows.
        sizes: [[u64; 2]; 2],
    },
    /// A raster of shares does not lie exactly on its patch.
    #[error(
        "{} does not lie exactly on its patch {}, pixel for pixel{}; {}",
        alpha.display(), patch.display(), unlike(*sizes), onto(sizes[0], *bounds)
    )]
    Alpha {
        /// The patch.
        patch: PathBuf,
        /// The raster of shares.
        alpha: PathBuf,
        /// Their columns and rows.
        sizes: [[u64; 2]; 2],
        /// West, south, east and north border of the patch, where both say where they lie.
        bounds: Option<[f64; 4]>,
    },
    /// A raster says where it lies, over a map that does not.
    #[error(
        "{} lies at ({west}, {north}), and {} does not say where it lies; place the map with \
         `gdal_translate -a_ullr WEST NORTH EAST SOUTH IN.tif OUT.tif`",
        second.display(), first.display()
    )]
    UnplacedMap {
        /// A file of the map.
        first: PathBuf,
        /// The file that says where it lies.
        second: PathBuf,
        /// Its west border.
        west: f64,
        /// Its north border.
        north: f64,
    },
    /// The map around the files is larger than any map can be.
    #[error(
        "the map from {} to {} would be {width} × {height} pixels; at most 2147483648 a side and 2^40 in all are \
         expected, so one of them lies elsewhere",
        first.display(), second.display()
    )]
    TooLarge {
        /// The first file.
        first: PathBuf,
        /// The file with which the map grew too large.
        second: PathBuf,
        /// Columns.
        width: u64,
        /// Rows.
        height: u64,
    },
    /// A VRT that is no XML, or more of it than is read.
    #[error("{} is no VRT file: {reason}", path.display())]
    NotXml {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A VRT that does more than lay files side by side.
    #[error(
        "{}:{line}: <{element}> {reason}; make a plain file of it with `gdal_translate {} OUT.tif`",
        path.display(), path.display()
    )]
    Vrt {
        /// The file.
        path: PathBuf,
        /// The line of the element, from 1.
        line: u32,
        /// The element's name.
        element: String,
        /// What is wrong with it.
        reason: Cow<'static, str>,
    },
}

impl MosaicError {
    /// Two rasters that should have the same size have not.
    pub(super) fn sizes(first: (&Path, Rect), second: (&Path, Rect)) -> Self {
        let size = |rect: Rect| [rect.width() as u64, rect.height() as u64];
        Self::Sizes {
            first: first.0.to_owned(),
            second: second.0.to_owned(),
            sizes: [size(first.1), size(second.1)],
        }
    }

    /// The file it is about; of two that do not fit, the second.
    pub fn path(&self) -> &Path {
        match self {
            Self::OffGrid { second, .. }
            | Self::PixelSizes { second, .. }
            | Self::Systems { second, .. }
            | Self::Misnumbered { second, .. }
            | Self::Sizes { second, .. }
            | Self::UnplacedMap { second, .. }
            | Self::TooLarge { second, .. } => second,
            Self::Alpha { alpha, .. } => alpha,
            Self::Unplaced { path, .. } | Self::NotXml { path, .. } | Self::Vrt { path, .. } => {
                path
            }
        }
    }

    /// A short fixed word for machines.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Vrt { .. } | Self::NotXml { .. } => "vrt",
            Self::TooLarge { .. } => "over-limit",
            _ => "grid",
        }
    }
}

/// The last part of a path.
fn short(path: &Path) -> std::path::Display<'_> {
    path.file_name().map_or(path, Path::new).display()
}

/// An offset in words, such as "12.37 pixels east and 0.50 south".
fn way(east: f64, south: f64) -> String {
    let (column, row) = (
        if east < 0.0 { "west" } else { "east" },
        if south < 0.0 { "north" } else { "south" },
    );
    format!(
        "{:.2} pixels {column} and {:.2} {row}",
        east.abs(),
        south.abs()
    )
}

/// That two sizes differ, the second named first; nothing where they do not.
fn unlike([first, second]: [[u64; 2]; 2]) -> String {
    if first == second {
        return String::new();
    }
    let ([width, height], [own_width, own_height]) = (first, second);
    format!(": it is {own_width} × {own_height} pixels and the patch {width} × {height}")
}

/// How a raster comes to have a size, and a place where that is known.
fn onto([width, height]: [u64; 2], bounds: Option<[f64; 4]>) -> String {
    match bounds {
        Some([west, south, east, north]) => format!(
            "lay it there with `gdalwarp -te {west} {south} {east} {north} -ts {width} {height} IN.tif OUT.tif`"
        ),
        None => "make it of the same size, with the same north-west corner".to_owned(),
    }
}
