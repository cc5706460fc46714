//! What can go wrong between memory and the disk.

use std::io;
use std::path::{Path, PathBuf};

/// Why something was not written or could not be read back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, such as "rename".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No room for what had to be written.
    #[error("the disk is full: {wanted_bytes} bytes were to be written to {}, and what was there is as before", path.display())]
    DiskFull {
        /// The file that did not fit.
        path: PathBuf,
        /// Its length.
        wanted_bytes: u64,
        /// What the system said.
        source: io::Error,
    },
    /// Another writer holds the world.
    #[error("{} is held by {holder}: one writer at a time, wait for it or stop it", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Process and host as the holder wrote them.
        holder: String,
    },
    /// The directory holds no committed revision.
    #[error("{} holds no world: expected a file named current with a revision's number", path.display())]
    NotAWorld {
        /// The directory.
        path: PathBuf,
    },
    /// The bytes contradict the format.
    #[error("{file} is corrupt at byte {offset}: {reason}")]
    Corrupt {
        /// The file, or what it should be where the bytes have no name.
        file: String,
        /// Where in it.
        offset: u64,
        /// What was expected there.
        reason: String,
    },
    /// A file's content is not what its digest says.
    #[error("{} is not what the manifest says: expected digest {expected}, found {found}", path.display())]
    WrongDigest {
        /// The file.
        path: PathBuf,
        /// The manifest's digest.
        expected: String,
        /// The content's digest.
        found: String,
    },
    /// Written by a program that knows another format.
    #[error("{file} has format version {found}, and this program reads {expected}")]
    WrongVersion {
        /// The file, or what it should be.
        file: String,
        /// The version it states.
        found: u32,
        /// The version this program knows.
        expected: u32,
    },
    /// A manifest names a file that is not there, or not of that length.
    #[error("cannot commit: {} should have {expected} bytes, found {found}", path.display())]
    MissingArtefact {
        /// The file.
        path: PathBuf,
        /// Its length in the manifest.
        expected: u64,
        /// Its length on disk; 0 where it is absent.
        found: u64,
    },
    /// The caller asked for something the format cannot hold.
    #[error("{what} cannot be stored: {reason}")]
    Unfit {
        /// What was to be stored.
        what: String,
        /// What the format allows, and what was found.
        reason: String,
    },
}

impl StoreError {
    /// An error of the system while doing `action` on `path`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    /// An error of the system while writing `wanted_bytes` to `path`.
    pub(crate) fn writing(path: &Path, wanted_bytes: u64) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull {
                path,
                wanted_bytes,
                source,
            },
            _ => Self::Io {
                action: "write",
                path,
                source,
            },
        }
    }

    pub(crate) fn corrupt(file: &str, offset: u64, reason: impl Into<String>) -> Self {
        Self::Corrupt {
            file: file.to_owned(),
            offset,
            reason: reason.into(),
        }
    }

    pub(crate) fn unfit(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Unfit {
            what: what.into(),
            reason: reason.into(),
        }
    }

    /// The same error, with the file's name where the parser only saw bytes.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        let name = path.display().to_string();
        match self {
            Self::Corrupt { offset, reason, .. } => Self::Corrupt {
                file: name,
                offset,
                reason,
            },
            Self::WrongVersion {
                found, expected, ..
            } => Self::WrongVersion {
                file: name,
                found,
                expected,
            },
            other => other,
        }
    }
}
