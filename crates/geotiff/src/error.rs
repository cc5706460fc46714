//! What can go wrong between a path and a pixel.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use crate::MosaicError;

/// Why a file, or a part of it, cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The system refused.
    #[error("the system could not open {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The bytes contradict the format.
    #[error("{} is damaged near byte {offset}: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where in the file the contradiction was met.
        offset: u64,
        /// What was expected and found.
        reason: Cow<'static, str>,
    },
    /// Legal, but a kind that is not read.
    #[error("{} has {feature}, which is not read; convert it first, for instance with \
             `gdal_translate -co COMPRESS=ZSTD -co TILED=YES IN.tif OUT.tif`", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The kind, such as "JPEG compression".
        feature: Cow<'static, str>,
    },
    /// Going on would break a limit of [`Limits`](crate::Limits).
    #[error("{} wants {wanted} {limit}, and {allowed} are allowed", path.display())]
    OverLimit {
        /// The file.
        path: PathBuf,
        /// What is limited.
        limit: &'static str,
        /// How much the file or the caller asks for.
        wanted: u64,
        /// How much is allowed.
        allowed: u64,
    },
    /// The pixels are not on a north-up or south-up grid.
    #[error("{} cannot be placed: {reason}; resample it with `gdalwarp IN.tif OUT.tif`", path.display())]
    Placement {
        /// The file.
        path: PathBuf,
        /// What the tags say.
        reason: &'static str,
    },
    /// Several files that are not one map, or a VRT that is not read.
    #[error(transparent)]
    Mosaic(Box<MosaicError>),
    /// A typed read of another type.
    #[error("{} holds {found} samples where {wanted} ones were expected", path.display())]
    WrongType {
        /// The file.
        path: PathBuf,
        /// The type asked for.
        wanted: &'static str,
        /// The file's type.
        found: &'static str,
    },
    /// A file without a header whose length fits no image, or not the one that the config says.
    #[error("{} has {len} bytes, and {expected}; {advice}", path.display())]
    RawLength {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        len: u64,
        /// What length was expected.
        expected: String,
        /// What to do, with sizes that would fit.
        advice: String,
    },
    /// The pixels could not be unpacked.
    #[error("the pixels of {} could not be unpacked into {}, where they need {wanted} bytes: {source}; make room \
             there, or name another folder in the environment variable TMPDIR", path.display(), folder.display())]
    Unpack {
        /// The file.
        path: PathBuf,
        /// The folder of temporary files.
        folder: PathBuf,
        /// Bytes of all its pixels.
        wanted: u64,
        /// What the system said.
        source: io::Error,
    },
    /// A band that is not there.
    #[error("{} has {n_bands} bands, and band {band}, counted from 0, was asked for", path.display())]
    NoBand {
        /// The file.
        path: PathBuf,
        /// The band asked for, from 0.
        band: usize,
        /// How many there are.
        n_bands: usize,
    },
}

impl From<MosaicError> for SourceError {
    fn from(error: MosaicError) -> Self {
        Self::Mosaic(Box::new(error))
    }
}

impl SourceError {
    /// A short fixed word for machines.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::Corrupt { .. } => "corrupt",
            Self::Unsupported { .. } => "unsupported",
            Self::OverLimit { .. } => "over-limit",
            Self::Placement { .. } => "placement",
            Self::Mosaic(error) => error.kind(),
            Self::WrongType { .. } => "wrong-type",
            Self::RawLength { .. } => "raw-length",
            Self::Unpack { .. } => "unpack",
            Self::NoBand { .. } => "no-band",
        }
    }
}
