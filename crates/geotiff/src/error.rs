//! What can go wrong between a path and a pixel.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

use crate::MosaicError;

/// The kinds of files that are read, for people.
const KINDS_READ: &str = "TIFF or BigTIFF (II or MM, then 42 or 43), PNG, OpenEXR, or a name that ends in .hgt, .raw, .r16, .r8 or .r32";

/// Why a file, or a part of it, cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The system refused.
    #[error("the system could not read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It was cut short, overwritten, replaced or removed after it was opened: what was read of it means nothing.
    #[error("{} changed while it was read; run again when it is complete", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Not an image of any kind that is read; it may be a sound file of another kind.
    #[error("{} is no image of a kind that is read: {KINDS_READ} were expected, and it {start}", path.display())]
    NotAnImage {
        /// The file.
        path: PathBuf,
        /// How it starts instead.
        start: Start,
    },
    /// The bytes contradict the format.
    #[error("{} is damaged at byte {offset}: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where in the file the contradiction was met.
        offset: u64,
        /// The tag or block, what was expected there, and what was found.
        reason: Cow<'static, str>,
    },
    /// Legal, but a kind that is not read.
    #[error("{} has {feature}, which is not read; convert it first, for instance with `{remedy}`", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The kind, such as "JPEG compression".
        feature: Cow<'static, str>,
        /// A command that makes a file that is read.
        remedy: &'static str,
    },
    /// Going on would break a limit of [`Limits`](crate::Limits).
    #[error("{} wants {wanted} {limit}, and {allowed} are allowed", path.display())]
    OverLimit {
        /// The file.
        path: PathBuf,
        /// What is limited.
        limit: Cow<'static, str>,
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
    /// The file it is about; of two that do not fit, the second.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::Changed { path }
            | Self::NotAnImage { path, .. }
            | Self::Corrupt { path, .. }
            | Self::Unsupported { path, .. }
            | Self::OverLimit { path, .. }
            | Self::Placement { path, .. }
            | Self::WrongType { path, .. }
            | Self::RawLength { path, .. }
            | Self::Unpack { path, .. }
            | Self::NoBand { path, .. } => path,
            Self::Mosaic(error) => error.path(),
        }
    }

    /// A short fixed word for machines.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::Changed { .. } => "changed",
            Self::NotAnImage { .. } => "not-an-image",
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

/// The first bytes of a file that is no image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start(Vec<u8>);

impl Start {
    /// How many bytes are worth showing.
    const LEN: usize = 8;

    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(bytes[..bytes.len().min(Self::LEN)].to_vec())
    }
}

impl Display for Start {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some((last, rest)) = self.0.split_last() else {
            return f.write_str("is empty");
        };
        f.write_str("starts with the bytes")?;
        rest.iter().try_for_each(|byte| write!(f, " {byte:02x}"))?;
        write!(f, " {last:02x} (\"{}\")", self.0.escape_ascii())
    }
}

/// What contradicts the format, in words: a tag or a block, what was expected there, and what was found.
///
/// What comes out of the file is shown as numbers and short words only, so no file makes a sentence long.
pub(crate) fn mismatch(place: impl Display, expected: impl Display, found: impl Display) -> String {
    format!("{place}: expected {expected}, found {found}")
}

/// Refuses `wanted` of something where it is more than `allowed`.
pub(crate) fn within(
    path: &Path,
    limit: impl FnOnce() -> Cow<'static, str>,
    wanted: u64,
    allowed: u64,
) -> Result<(), SourceError> {
    if wanted <= allowed {
        return Ok(());
    }
    Err(SourceError::OverLimit {
        path: path.to_owned(),
        limit: limit(),
        wanted,
        allowed,
    })
}
