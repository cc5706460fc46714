//! The file in memory, and whether it is still the file that was opened.

#[cfg(unix)]
mod guard;
mod mapping;
mod stamp;

use std::borrow::Cow;
use std::fmt::{self, Debug, Display, Formatter};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::SourceError;
use crate::error::{mismatch, within};
use mapping::Mapping;
pub use stamp::FileStamp;
pub(crate) use stamp::Stamp;

/// A mapped file and its name; every slice of it is checked.
///
/// The file may be cut short, rewritten or replaced while it is mapped. What is read then means nothing: whoever reads
/// passes the result through [`Map::judged`].
pub(crate) struct Map {
    path: PathBuf,
    mapping: Mapping,
    opened: Stamp,
    /// Of the file as it was opened.
    settled: FileStamp,
}

impl Debug for Map {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map")
            .field("path", &self.path)
            .field("n_bytes", &self.bytes().len())
            .finish_non_exhaustive()
    }
}

impl Map {
    /// Maps a regular file.
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        let io_error = |source| SourceError::Io {
            path: path.to_path_buf(),
            source,
        };
        // Asked before opening: opening a pipe would wait for its other end.
        if !std::fs::metadata(path).map_err(io_error)?.is_file() {
            return Err(io_error(io::Error::other("not a regular file")));
        }
        let file = File::open(path).map_err(io_error)?;
        // Taken before mapping: a file that changes in between is seen to have changed.
        let opened = Stamp::of(&file.metadata().map_err(io_error)?);
        Ok(Self {
            path: path.to_path_buf(),
            mapping: Mapping::new(&file).map_err(io_error)?,
            settled: opened.settled(SystemTime::now()),
            opened,
        })
    }

    /// Maps a temporary copy of the pixels of a file, which nobody else can open; it stands for that file.
    pub fn of_copy(original: &Self, copy: &File) -> io::Result<Self> {
        Ok(Self {
            path: original.path.clone(),
            mapping: Mapping::new(copy)?,
            opened: original.opened.clone(),
            settled: original.settled,
        })
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The state of the file when it was opened.
    pub fn stamp(&self) -> FileStamp {
        self.settled
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        self.mapping.bytes()
    }

    /// A part of the file; corrupt where it does not lie inside.
    pub fn slice(&self, place: impl Display, offset: u64, len: u64) -> Result<&[u8], SourceError> {
        let range = || {
            let start = usize::try_from(offset).ok()?;
            let end = start.checked_add(usize::try_from(len).ok()?)?;
            self.bytes().get(start..end)
        };
        range().ok_or_else(|| {
            let expected = format!("{len} bytes from {offset} on");
            let found = format!("a file of {} bytes", self.bytes().len());
            self.corrupt(offset, mismatch(place, expected, found))
        })
    }

    /// Tells the system that a part will not be wanted again soon.
    pub fn release(&self, offset: u64, len: u64) {
        self.mapping.release(offset, len);
    }

    /// Whether what was read since the file was opened may be zeros that stand for lost pages.
    pub fn is_damaged(&self) -> bool {
        self.mapping.is_damaged()
    }

    /// Compares the file of this name with the one that was opened.
    pub fn check_unchanged(&self) -> Result<(), SourceError> {
        let path = || self.path.clone();
        let now = match std::fs::metadata(&self.path) {
            Ok(now) => Stamp::of(&now),
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(SourceError::Io {
                    path: path(),
                    source,
                });
            }
            Err(_) => return Err(SourceError::Changed { path: path() }),
        };
        if now != self.opened {
            return Err(SourceError::Changed { path: path() });
        }
        if self.is_damaged() {
            let source = io::Error::other("the disk did not deliver a part of it");
            return Err(SourceError::Io {
                path: path(),
                source,
            });
        }
        Ok(())
    }

    /// The result of a read of this map, once the bytes it was made of are known to have been the file's.
    ///
    /// That the file changed is the better reason where its bytes are refused: they are then only half written.
    pub fn judged<T>(&self, read: Result<T, SourceError>) -> Result<T, SourceError> {
        use SourceError::{Corrupt, NotAnImage, Unsupported};
        let is_refused = matches!(
            read,
            Err(Corrupt { .. } | NotAnImage { .. } | Unsupported { .. })
        );
        if is_refused || self.is_damaged() {
            self.check_unchanged()?;
        }
        read
    }

    pub fn corrupt(&self, offset: u64, reason: impl Into<Cow<'static, str>>) -> SourceError {
        SourceError::Corrupt {
            path: self.path.clone(),
            offset,
            reason: reason.into(),
        }
    }

    pub fn unsupported(&self, feature: impl Into<Cow<'static, str>>) -> SourceError {
        const REPACK: &str = "gdal_translate -co COMPRESS=ZSTD -co TILED=YES IN.tif OUT.tif";
        self.convertible(feature, REPACK)
    }

    /// [`Map::unsupported`] with the command that makes a file that is read.
    pub fn convertible(
        &self,
        feature: impl Into<Cow<'static, str>>,
        remedy: &'static str,
    ) -> SourceError {
        SourceError::Unsupported {
            path: self.path.clone(),
            feature: feature.into(),
            remedy,
        }
    }

    /// Refuses `wanted` of something where it is more than `allowed`.
    pub fn within(
        &self,
        limit: &'static str,
        wanted: u64,
        allowed: u64,
    ) -> Result<(), SourceError> {
        within(&self.path, || limit.into(), wanted, allowed)
    }

    /// As [`Map::within`], of something whose name must be made.
    pub fn within_named(
        &self,
        limit: impl FnOnce() -> Cow<'static, str>,
        wanted: u64,
        allowed: u64,
    ) -> Result<(), SourceError> {
        within(&self.path, limit, wanted, allowed)
    }
}
