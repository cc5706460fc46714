//! The file in memory: the one place of this crate with `unsafe` in it.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::SourceError;

/// Smaller parts share their pages with neighbours, which would have to be fetched again.
#[cfg(unix)]
const WORTH_RELEASING: u64 = 1 << 16;

/// A mapped file and its name; every slice of it is checked.
#[derive(Debug)]
pub(crate) struct Map {
    path: PathBuf,
    bytes: Mmap,
}

impl Map {
    /// Maps a regular file.
    ///
    /// Nobody may shorten or rewrite the file while it is mapped: the system ends a program that touches a page the
    /// file has lost. Replacing it by renaming another file over it is safe.
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
        // SAFETY: the map is private to this type and only read; that the file keeps its length and bytes is the
        // contract above.
        let bytes = unsafe { Mmap::map(&file) }.map_err(io_error)?;
        Ok(Self {
            path: path.to_path_buf(),
            bytes,
        })
    }

    /// Maps a temporary copy of the pixels of a file, which nobody else can open, under that file's name.
    pub fn of_copy(path: &Path, copy: &File) -> io::Result<Self> {
        // SAFETY: the map is private to this type and only read, and the copy has no name by which anybody could
        // shorten or rewrite it.
        let bytes = unsafe { Mmap::map(copy) }?;
        Ok(Self {
            path: path.to_path_buf(),
            bytes,
        })
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A part of the file; corrupt where it does not lie inside.
    pub fn slice(&self, offset: u64, len: u64) -> Result<&[u8], SourceError> {
        let range = || {
            let start = usize::try_from(offset).ok()?;
            let end = start.checked_add(usize::try_from(len).ok()?)?;
            self.bytes.get(start..end)
        };
        range().ok_or_else(|| {
            self.corrupt(
                offset,
                format!(
                    "{len} bytes are expected there, and the file has {}",
                    self.bytes.len()
                ),
            )
        })
    }

    /// Tells the system that a part will not be wanted again soon.
    #[cfg(unix)]
    pub fn release(&self, offset: u64, len: u64) {
        let inside = offset
            .checked_add(len)
            .is_some_and(|end| end <= self.bytes.len() as u64);
        if inside && len >= WORTH_RELEASING {
            // SAFETY: the pages belong to a read-only map of a file, so dropping them loses nothing: the next touch
            // reads the same bytes from the file again.
            let advice = unsafe {
                self.bytes.unchecked_advise_range(
                    memmap2::UncheckedAdvice::DontNeed,
                    offset as usize,
                    len as usize,
                )
            };
            // Advice only: refused, the pages stay until the system wants them.
            drop(advice);
        }
    }

    /// Tells the system that a part will not be wanted again soon.
    #[cfg(not(unix))]
    pub fn release(&self, _offset: u64, _len: u64) {}

    pub fn corrupt(&self, offset: u64, reason: impl Into<Cow<'static, str>>) -> SourceError {
        SourceError::Corrupt {
            path: self.path.clone(),
            offset,
            reason: reason.into(),
        }
    }

    pub fn unsupported(&self, feature: impl Into<Cow<'static, str>>) -> SourceError {
        SourceError::Unsupported {
            path: self.path.clone(),
            feature: feature.into(),
        }
    }

    /// Refuses `wanted` of something where it is more than `allowed`.
    pub fn within(
        &self,
        limit: &'static str,
        wanted: u64,
        allowed: u64,
    ) -> Result<(), SourceError> {
        if wanted <= allowed {
            return Ok(());
        }
        Err(SourceError::OverLimit {
            path: self.path.clone(),
            limit,
            wanted,
            allowed,
        })
    }
}
