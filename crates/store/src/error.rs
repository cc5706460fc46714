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
    /// No room for what had to be written, on the disk or under a quota.
    #[error("{}", full(path, *wanted_bytes))]
    DiskFull {
        /// The file that did not fit.
        path: PathBuf,
        /// How many bytes were to be written; 0 for a name in a folder.
        wanted_bytes: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The file system takes no writes.
    #[error("cannot {action} {}: its file system is read-only; make it writable, or bake into another folder", path.display())]
    ReadOnly {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system does not let this user.
    #[error("cannot {action} {}: permission denied; see who owns it and its folder", path.display())]
    Denied {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder that the store made is no longer there.
    #[error("cannot {action} {}: its folder went away; see whether the disk is still there and who removed the folder, then bake again", path.display())]
    FolderGone {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A write of this writer failed before, so that it can promise nothing more.
    #[error("{} is not written any more after the first failure: bake again, which goes on from what was acknowledged", path.display())]
    AfterFailure {
        /// The world directory.
        path: PathBuf,
    },
    /// Another writer holds the world.
    #[error("{} is held by {holder}: one writer at a time, wait for it or stop it", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Process, host and since when, as the holder wrote them.
        holder: String,
    },
    /// The file system has no locks.
    #[error("cannot lock {}: its file system has no locks to keep a second writer out ({source}); put the world on one that has them, such as a local disk", path.display())]
    NoLocks {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The directory holds no committed revision.
    #[error("{} holds no world: expected a file named current with a revision's number", path.display())]
    NotAWorld {
        /// The directory.
        path: PathBuf,
    },
    /// A file of the world's books is not what was written.
    #[error("{} is damaged: {reason}; `ecotone bake` of the world makes it whole again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was expected, and what was found.
        reason: String,
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
    #[error("{} is damaged: expected digest {expected}, found {found}; `ecotone bake CONFIG --paranoid` remakes it", path.display())]
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

    /// An error of the system while doing `action` on `path`, which takes room for `wanted_bytes`.
    pub(crate) fn changing(
        action: &'static str,
        path: &Path,
        wanted_bytes: u64,
    ) -> impl FnOnce(io::Error) -> Self {
        use io::ErrorKind as Kind;
        let path = path.to_owned();
        move |source| match source.kind() {
            Kind::StorageFull | Kind::QuotaExceeded => Self::DiskFull {
                path,
                wanted_bytes,
                source,
            },
            Kind::ReadOnlyFilesystem => Self::ReadOnly {
                action,
                path,
                source,
            },
            Kind::PermissionDenied => Self::Denied {
                action,
                path,
                source,
            },
            Kind::NotFound | Kind::NotADirectory | Kind::StaleNetworkFileHandle => {
                Self::FolderGone {
                    action,
                    path,
                    source,
                }
            }
            _ => Self::Io {
                action,
                path,
                source,
            },
        }
    }

    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }

    /// Whether the bytes are at fault, not the system: a writer can go on and write them again.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. } | Self::Corrupt { .. } | Self::WrongDigest { .. }
        )
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

/// The sentence of a full disk.
fn full(path: &Path, wanted_bytes: u64) -> String {
    let what = match wanted_bytes {
        0 => "there was no room to make".to_owned(),
        n => format!("{n} bytes were to be written to"),
    };
    let path = path.display();
    format!(
        "the disk is full: {what} {path}, and what was there is as before; make room and bake again, which goes on where it was"
    )
}
