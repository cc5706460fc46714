//! Memory-mapped GeoTIFF sources and windowed reads, and other files of heights read the same way.
//!
//! It reads the first image of a TIFF or BigTIFF: integers of 1 to 32 and of 64 bits and floats of 16, 32 and 64,
//! in strips or tiles, plain or compressed (LZW, deflate, PackBits, Zstandard), and says where it lies in the world. It
//! does not know what a pixel means, does not interpret a coordinate system beyond its units, and does not resample.
//!
//! PNG, OpenEXR, SRTM tiles (`.hgt`) and files of bare numbers (`.raw`, `.r16`, `.r8`, `.r32`) are opened by the same
//! [`Source::open`]; what one of them does not say and was assumed is in [`Source::notes`]. [`Mosaic`] makes one map of
//! many such files, or of what a GDAL `.vrt` names; [`Patched`] lays edits over a map.
//!
//! A file is never trusted: every offset and size in it is checked before use, and before memory is reserved. Nor is
//! it trusted to stay: one that is cut short, overwritten or replaced while it is read is [`SourceError::Changed`].
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use ecotone_geotiff::{BlockCache, Options, Source};
//! use ecotone_grid::{Raster, Rect};
//!
//! # fn main() -> Result<(), ecotone_geotiff::SourceError> {
//! let cache = Arc::new(BlockCache::new(64 << 20));
//! let source = Source::open(Path::new("alps.tif"), &Options::default(), cache)?;
//! let mut heights = Raster::default();
//! source.read(Rect::new(-2, -2, 514, 514), 0, &mut heights)?;
//! assert!(heights.band(0).at(-1, 0).is_nan(), "west of the map is void");
//! # Ok(())
//! # }
//! ```

mod block;
mod cache;
mod decode;
mod error;
mod formats;
mod georeference;
mod header;
mod image;
mod map;
mod metadata;
mod mosaic;
mod packing;
mod predictor;
mod sample;
mod source;
mod tags;
mod units;

pub use cache::BlockCache;
pub use decode::Compression;
pub use error::{SourceError, Start};
pub use formats::RawLayout;
pub use georeference::Georeference;
pub use header::{Header, Interleaving, Layout, Said};
pub use map::FileStamp;
pub use mosaic::{Alpha, Mosaic, MosaicError, MosaicFile, Part, Patch, PatchMode, Patched};
pub use predictor::Predictor;
pub use sample::{Sample, SampleType};
pub use source::{Limits, Options, Source};
pub use tags::ByteOrder;
pub use units::Unit;
