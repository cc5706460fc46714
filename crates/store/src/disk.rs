//! The only calls that change the disk: files appear whole, under a temporary name until then.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::StoreError;

/// How the name of an unfinished file ends.
pub(crate) const TEMPORARY: &str = ".tmp";

/// The unfinished name of `path`, in the same folder so that a rename finishes it.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}{TEMPORARY}"))
}

/// Writes a file whole, over an older one if there is one; `sync` asks that it survives a power cut.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], sync: bool) -> Result<(), StoreError> {
    let unfinished = temporary(path);
    let written = write_plain(&unfinished, bytes, sync).and_then(|()| rename(&unfinished, path));
    if written.is_err() {
        // Best effort: the error that matters is the first, and the next writer sweeps too.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn write_plain(path: &Path, bytes: &[u8], sync: bool) -> Result<(), StoreError> {
    let wanted = bytes.len() as u64;
    let mut file = File::create(path).map_err(StoreError::writing(path, wanted))?;
    if let Err(error) = fault::strike() {
        // A kill tears the file that is being written.
        let _ = file.write_all(&bytes[..bytes.len() / 2]);
        return Err(StoreError::writing(path, wanted)(error));
    }
    file.write_all(bytes)
        .and_then(|()| if sync { file.sync_all() } else { Ok(()) })
        .map_err(StoreError::writing(path, wanted))
}

/// Adds to the end of a file, which is made where it is missing.
pub(crate) fn append(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    fault::strike()
        .and_then(|()| {
            let mut file = fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)?;
            file.write_all(bytes)
        })
        .map_err(StoreError::writing(path, bytes.len() as u64))
}

/// Creates a folder and those above it.
pub(crate) fn create_folder(path: &Path) -> Result<(), StoreError> {
    fault::strike()
        .and_then(|()| fs::create_dir_all(path))
        .map_err(StoreError::io("create the folder", path))
}

/// Gives a file or folder another name, over what had it.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    fault::strike()
        .and_then(|()| fs::rename(from, to))
        .map_err(StoreError::io("rename a finished file to", to))
}

/// Removes a file; one that is gone is fine.
pub(crate) fn remove(path: &Path) -> Result<(), StoreError> {
    match fault::strike().and_then(|()| fs::remove_file(path)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Removes a folder and what is in it; one that is gone is fine.
pub(crate) fn remove_folder(path: &Path) -> Result<(), StoreError> {
    match fault::strike().and_then(|()| fs::remove_dir_all(path)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::io("remove the folder", path)(error))
        }
        _ => Ok(()),
    }
}

/// Waits until a file's bytes would survive a power cut.
pub(crate) fn sync(path: &Path) -> Result<(), StoreError> {
    fault::strike()
        .and_then(|()| {
            // Windows syncs only what is open for writing.
            fs::OpenOptions::new()
                .read(true)
                .append(true)
                .open(path)?
                .sync_all()
        })
        .map_err(StoreError::io("sync", path))
}

/// Waits until the names in a folder would survive a power cut.
pub(crate) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    fault::strike().map_err(StoreError::io("sync", path))?;
    // Elsewhere a folder cannot be opened, and renames are journalled.
    if cfg!(unix) {
        File::open(path)
            .and_then(|folder| folder.sync_all())
            .map_err(StoreError::io("sync the folder", path))?;
    }
    Ok(())
}

/// [`sync_folder`] of the folder that holds `path`.
pub(crate) fn sync_folder_of(path: &Path) -> Result<(), StoreError> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
        _ => sync_folder(Path::new(".")),
    }
}

/// Reads a whole file; `None` where there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io("read", path)(error)),
    }
}

/// Lets the tests cut the power: from the n-th call that changes the disk on, every one fails.
#[cfg(test)]
pub(crate) mod fault {
    use std::cell::Cell;
    use std::io;

    thread_local! {
        static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    }

    /// How many more calls succeed; `None` is all.
    pub(crate) fn after(calls: Option<u32>) {
        LEFT.set(calls);
    }

    /// One call that changes the disk.
    pub(crate) fn strike() -> io::Result<()> {
        match LEFT.get() {
            None => Ok(()),
            Some(0) => Err(io::Error::from(io::ErrorKind::StorageFull)),
            Some(left) => {
                LEFT.set(Some(left - 1));
                Ok(())
            }
        }
    }
}

#[cfg(not(test))]
mod fault {
    /// One call that changes the disk.
    pub(super) fn strike() -> std::io::Result<()> {
        Ok(())
    }
}
