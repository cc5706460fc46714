//! The disk's calls as the store makes them: errors name the file, and a file appears whole or not at all.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Disk, Hold, Lock, RealDisk, Stat};
use crate::StoreError;

/// How the name of an unfinished file ends.
const TEMPORARY: &str = ".tmp";

/// A disk whose errors say what was tried, and on what.
#[derive(Clone, Debug)]
pub(crate) struct Files(Arc<dyn Disk>);

/// `None` where there is nothing of that name.
fn if_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    use io::ErrorKind as Kind;
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), Kind::NotFound | Kind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Files {
    /// Those of a disk.
    pub(crate) fn on(disk: Arc<dyn Disk>) -> Self {
        Self(disk)
    }

    /// Those of the machine.
    pub(crate) fn real() -> Self {
        Self(Arc::new(RealDisk))
    }

    /// The unfinished name of `path`, in the same folder so that a rename finishes it.
    pub(crate) fn temporary(path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!(".{name}{TEMPORARY}"))
    }

    /// Whether a name is that of an unfinished file.
    pub(crate) fn is_temporary(name: &str) -> bool {
        name.starts_with('.') && name.ends_with(TEMPORARY)
    }

    /// Reads a whole file; `None` where there is none.
    pub(crate) fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
        if_there(self.0.read(path)).map_err(StoreError::io("read", path))
    }

    /// Reads a whole file that ought to be there.
    pub(crate) fn read_present(&self, path: &Path) -> Result<Vec<u8>, StoreError> {
        self.0.read(path).map_err(StoreError::io("read", path))
    }

    /// What has this name; `None` where nothing has.
    pub(crate) fn stat(&self, path: &Path) -> Result<Option<Stat>, StoreError> {
        if_there(self.0.stat(path)).map_err(StoreError::io("look at", path))
    }

    /// A file's length; `None` where there is no such file.
    pub(crate) fn length(&self, path: &Path) -> Result<Option<u64>, StoreError> {
        Ok(match self.stat(path)? {
            Some(Stat::File(bytes)) => Some(bytes),
            _ => None,
        })
    }

    /// The names in a folder; none where it is not there.
    pub(crate) fn names(&self, folder: &Path) -> Result<Vec<String>, StoreError> {
        // None either where somebody's own file is in the folder's place.
        let names = if_there(self.0.list(folder)).map_err(StoreError::io("list", folder))?;
        Ok(names.unwrap_or_default())
    }

    /// Makes a file that appears whole, over an older one if there is one; a power cut may still tear it.
    pub(crate) fn write_whole(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        self.finish(path, |unfinished| self.write(unfinished, bytes))
    }

    /// Makes a file that appears whole and keeps its bytes; its name survives a power cut once the folder is synced.
    pub(crate) fn write_synced(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        self.finish(path, |unfinished| {
            self.write(unfinished, bytes)?;
            self.sync(unfinished, bytes.len() as u64)
        })
    }

    fn finish(
        &self,
        path: &Path,
        write: impl FnOnce(&Path) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let unfinished = Self::temporary(path);
        let written = write(&unfinished).and_then(|()| self.rename(&unfinished, path));
        if written.is_err() {
            // Best effort: the error that matters is the first, and the next writer sweeps too.
            let _ = self.0.remove(&unfinished);
        }
        written
    }

    /// Writes a file in place, for one that nobody looks for yet.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let written = self.0.write(path, bytes);
        written.map_err(StoreError::changing("write", path, bytes.len() as u64))
    }

    /// Adds to the end of a file, which is made where it is missing.
    pub(crate) fn append(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let written = self.0.append(path, bytes);
        written.map_err(StoreError::changing("write", path, bytes.len() as u64))
    }

    /// Waits until a file's bytes would survive a power cut; so many of them are new.
    pub(crate) fn sync(&self, path: &Path, n_bytes: u64) -> Result<(), StoreError> {
        let synced = self.0.sync(path);
        synced.map_err(StoreError::changing("sync", path, n_bytes))
    }

    /// Waits until the names in a folder would survive a power cut.
    pub(crate) fn sync_folder(&self, folder: &Path) -> Result<(), StoreError> {
        let synced = self.0.sync_folder(folder);
        synced.map_err(StoreError::changing("sync the folder", folder, 0))
    }

    /// [`Files::sync_folder`] of the folder that holds `path`.
    pub(crate) fn sync_folder_of(&self, path: &Path) -> Result<(), StoreError> {
        self.sync_folder(folder_of(path))
    }

    /// [`Files::sync_folder`] of all folders above one, as far up as the system lets us.
    pub(crate) fn sync_folders_above(&self, folder: &Path) -> Result<(), StoreError> {
        self.sync_folder_of(folder)?;
        for above in folder_of(folder).ancestors().skip(1) {
            // Best effort: those far up have mostly been there for long, and may be closed to us.
            let _ = self.0.sync_folder(above);
        }
        Ok(())
    }

    /// Gives a file or folder another name, over what had it.
    pub(crate) fn rename(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        let renamed = self.0.rename(from, to);
        renamed.map_err(StoreError::changing("rename a finished file to", to, 0))
    }

    /// Removes a file; one that is gone is fine.
    pub(crate) fn remove(&self, path: &Path) -> Result<(), StoreError> {
        let removed = if_there(self.0.remove(path));
        removed.map_err(StoreError::changing("remove", path, 0))?;
        Ok(())
    }

    /// Removes a file, or a folder and what is in it; what is gone is fine.
    pub(crate) fn remove_whatever(&self, path: &Path) -> Result<(), StoreError> {
        match self.stat(path)? {
            Some(Stat::Folder) => self.remove_folder(path),
            _ => self.remove(path),
        }
    }

    /// Removes a folder and what is in it; one that is gone is fine.
    pub(crate) fn remove_folder(&self, folder: &Path) -> Result<(), StoreError> {
        for name in self.names(folder)? {
            self.remove_whatever(&folder.join(name))?;
        }
        let removed = if_there(self.0.remove_folder(folder));
        removed.map_err(StoreError::changing("remove the folder", folder, 0))?;
        Ok(())
    }

    /// Makes a folder and those above it that are missing; returns the folders that hold a new name.
    pub(crate) fn create_folders(&self, folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
        let mut missing = Vec::new();
        let mut at = folder;
        while !at.as_os_str().is_empty() && self.stat(at)?.is_none() {
            missing.push(at);
            at = folder_of(at);
        }
        let mut holders = Vec::new();
        for folder in missing.into_iter().rev() {
            match self.0.create_folder(folder) {
                // Another process was faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made.map_err(StoreError::changing("create the folder", folder, 0))?,
            }
            holders.push(folder_of(folder).to_owned());
        }
        Ok(holders)
    }

    /// Takes the lock of a file; `None` where the file is not there.
    pub(crate) fn lock(&self, path: &Path, hold: Hold<'_>) -> Result<Option<Lock>, StoreError> {
        let taken = if_there(self.0.lock(path, hold));
        match hold {
            Hold::Alone(text) => {
                taken.map_err(StoreError::changing("lock", path, text.len() as u64))
            }
            Hold::ToRead | Hold::ToRemove => taken.map_err(StoreError::io("open", path)),
        }
    }
}

/// The folder that holds `path`.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) => Path::new("."),
        None => path,
    }
}
