//! The pixels of a packed file, unpacked once onto the disk when they are first wanted.
//!
//! A PNG can only be read from its first row on, and windows are wanted in any order; held in memory, its pixels would
//! take as much as the map is large. As a file that is mapped they are read like those of an uncompressed image.

use std::fs::File as DiskFile;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::SourceError;
use crate::image::{File, Image};
use crate::map::Map;

use super::{exr, png};

/// How to unpack.
#[derive(Debug)]
pub(crate) enum Packed {
    Png,
    Exr(exr::Layer),
}

/// The pixels of a packed file.
#[derive(Debug)]
pub(crate) struct Unpacked {
    packed: Packed,
    /// A failure is kept too: each of a thousand windows would run into it again.
    pixels: OnceLock<Result<File, SourceError>>,
}

impl Unpacked {
    /// Refuses pixels that are more than the caller allows to be unpacked.
    pub fn new(
        map: &Map,
        image: &Image,
        packed: Packed,
        allowed: u64,
    ) -> Result<Self, SourceError> {
        map.within("bytes of unpacked pixels", image.blocks.n_bytes(), allowed)?;
        Ok(Self {
            packed,
            pixels: OnceLock::new(),
        })
    }

    /// The unpacked pixels of `packed`; the first caller unpacks them, others wait for it.
    pub fn pixels(&self, packed: &File, image: &Image) -> Result<&File, SourceError> {
        self.pixels
            .get_or_init(|| self.unpack(packed, image))
            .as_ref()
            .map_err(repeated)
    }

    fn unpack(&self, packed: &File, image: &Image) -> Result<File, SourceError> {
        let map = &packed.map;
        let mut disk = Disk::new(map, image.blocks.n_bytes())?;
        map.judged(match &self.packed {
            Packed::Png => png::unpack(map, image, &packed.limits, &mut disk),
            Packed::Exr(layer) => exr::unpack(map, image, layer, &mut disk),
        })?;
        map.release(0, map.bytes().len() as u64);
        Ok(File {
            map: disk.map()?,
            limits: packed.limits.clone(),
            cache: Arc::clone(&packed.cache),
        })
    }
}

/// The same error once more.
fn repeated(error: &SourceError) -> SourceError {
    let again = |source: &io::Error| io::Error::new(source.kind(), source.to_string());
    match error {
        SourceError::Corrupt {
            path,
            offset,
            reason,
        } => SourceError::Corrupt {
            path: path.clone(),
            offset: *offset,
            reason: reason.clone(),
        },
        SourceError::Unsupported {
            path,
            feature,
            remedy,
        } => SourceError::Unsupported {
            path: path.clone(),
            feature: feature.clone(),
            remedy,
        },
        SourceError::OverLimit {
            path,
            limit,
            wanted,
            allowed,
        } => SourceError::OverLimit {
            path: path.clone(),
            limit: limit.clone(),
            wanted: *wanted,
            allowed: *allowed,
        },
        SourceError::Unpack {
            path,
            folder,
            wanted,
            source,
        } => SourceError::Unpack {
            path: path.clone(),
            folder: folder.clone(),
            wanted: *wanted,
            source: again(source),
        },
        SourceError::Changed { path } => SourceError::Changed { path: path.clone() },
        SourceError::Io { path, source } => SourceError::Io {
            path: path.clone(),
            source: again(source),
        },
        other => SourceError::Io {
            path: PathBuf::new(),
            source: io::Error::other(other.to_string()),
        },
    }
}

/// A file without a name among the system's temporary files; it goes when it is closed.
pub(super) struct Disk<'a> {
    file: DiskFile,
    at: u64,
    /// The packed file.
    packed: &'a Map,
    folder: PathBuf,
    len: u64,
}

impl<'a> Disk<'a> {
    /// A file of `len` bytes, all 0.
    fn new(packed: &'a Map, len: u64) -> Result<Self, SourceError> {
        let folder = std::env::temp_dir();
        let made = tempfile::tempfile_in(&folder).and_then(|file| {
            file.set_len(len)?;
            Ok(file)
        });
        Ok(Self {
            file: made.map_err(|source| fault(packed, &folder, len, source))?,
            at: 0,
            packed,
            folder,
            len,
        })
    }

    fn fault(&self, source: io::Error) -> SourceError {
        fault(self.packed, &self.folder, self.len, source)
    }

    fn go_to(&mut self, offset: u64) -> io::Result<()> {
        if self.at != offset {
            self.at = self.file.seek(SeekFrom::Start(offset))?;
        }
        Ok(())
    }

    /// Writes bytes at an offset.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), SourceError> {
        self.go_to(offset)
            .and_then(|()| self.file.write_all(bytes))
            .map_err(|e| self.fault(e))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Reads bytes from an offset.
    pub fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), SourceError> {
        self.go_to(offset)
            .and_then(|()| self.file.read_exact(bytes))
            .map_err(|e| self.fault(e))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn map(self) -> Result<Map, SourceError> {
        Map::of_copy(self.packed, &self.file).map_err(|e| self.fault(e))
    }
}

fn fault(packed: &Map, folder: &Path, wanted: u64, source: io::Error) -> SourceError {
    SourceError::Unpack {
        path: packed.path().to_owned(),
        folder: folder.to_owned(),
        wanted,
        source,
    }
}
