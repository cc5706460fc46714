//! The file system as the store sees it: whatever it reads, writes, lists, locks and removes goes through one small trait.
//!
//! **The crash model**, which every order of calls in this crate is made for. A process that is killed loses nothing that it
//! wrote. When the power goes:
//!
//! - Bytes written to a file and not yet synced may be lost, kept, or kept in part with anything in the gaps.
//! - Names made, replaced or removed in a folder and not yet synced may be as before or as after, each file for itself; only what
//!   is done to one and the same file keeps its order. A synced file in a folder that is not may have no name.
//! - What was synced stays. A sync that failed promises nothing, also where a second one succeeds.
//!
//! So a file is whole before it is named, what is named is synced before anything says so, and what is replaced goes last.

mod files;
mod real;
mod scratch;

pub(crate) use files::Files;
pub use real::RealDisk;
pub use scratch::ScratchDisk;

use std::any::Any;
use std::fmt::Debug;
use std::io;
use std::path::Path;

/// A file system. [`RealDisk`] is the system's own; tests bring others, which fail or lose power.
///
/// Paths are as the caller gave them. No call retries, and none makes what it was not asked for.
pub trait Disk: Debug + Send + Sync {
    /// All bytes of a file.
    ///
    /// # Errors
    /// Those of the system.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// What has this name.
    ///
    /// # Errors
    /// Those of the system.
    fn stat(&self, path: &Path) -> io::Result<Stat>;

    /// The names in a folder, in any order.
    ///
    /// # Errors
    /// Those of the system.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Makes a file of these bytes, or makes them all that a file holds; nothing is synced.
    ///
    /// # Errors
    /// Those of the system; the file may then hold a part.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Adds bytes to the end of a file, which is made where it is missing; nothing is synced.
    ///
    /// # Errors
    /// Those of the system; a part may then be added.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Waits until a file's bytes would survive a power cut; its name may not.
    ///
    /// # Errors
    /// Those of the system.
    fn sync(&self, path: &Path) -> io::Result<()>;

    /// Waits until the names in a folder would survive a power cut.
    ///
    /// # Errors
    /// Those of the system.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Gives a file or folder another name in the same folder; a file that had it goes.
    ///
    /// # Errors
    /// Those of the system; both names are then as they were.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// Those of the system.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes a folder in one that is there.
    ///
    /// # Errors
    /// Those of the system.
    fn create_folder(&self, folder: &Path) -> io::Result<()>;

    /// Removes an empty folder.
    ///
    /// # Errors
    /// Those of the system.
    fn remove_folder(&self, folder: &Path) -> io::Result<()>;

    /// Takes the lock of a file, without waiting.
    ///
    /// # Errors
    /// Those of the system, but for a lock that another has or that the file system does not know.
    fn lock(&self, path: &Path, hold: Hold<'_>) -> io::Result<Lock>;
}

/// What has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stat {
    /// A file of so many bytes.
    File(u64),
    /// A folder.
    Folder,
}

/// What a lock is taken for.
#[derive(Clone, Copy, Debug)]
pub enum Hold<'a> {
    /// To be the only holder; the file is made where it is missing, and holds this text from then on.
    Alone(&'a str),
    /// To be the only holder of a file that is there.
    ToRemove,
    /// To be one of many holders of a file that is there.
    ToRead,
}

/// What became of a lock that was asked for.
#[derive(Debug)]
pub enum Lock {
    /// It is held until the guard is dropped.
    Held(Guard),
    /// Another holds it.
    Busy,
    /// The file system has no locks.
    Unknown(io::Error),
}

/// Holds a lock until it is dropped, or the process ends.
pub type Guard = Box<dyn Any + Send + Sync>;
