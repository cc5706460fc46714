//! The system's own file system.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, Write};
use std::path::Path;

use super::{Disk, Hold, Lock, Stat};

/// The file system of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let found = fs::metadata(path)?;
        Ok(if found.is_dir() {
            Stat::Folder
        } else {
            Stat::File(found.len())
        })
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        fs::read_dir(folder)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect()
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        fs::write(path, bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(bytes)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        // Windows syncs only what is open for writing.
        let file = OpenOptions::new().read(true).append(true).open(path)?;
        file.sync_all()
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // Elsewhere a folder cannot be opened, and renames are journalled.
        if cfg!(unix) {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir(folder)
    }

    fn remove_folder(&self, folder: &Path) -> io::Result<()> {
        fs::remove_dir(folder)
    }

    fn lock(&self, path: &Path, hold: Hold<'_>) -> io::Result<Lock> {
        let mut file = match hold {
            Hold::Alone(_) => OpenOptions::new()
                .create(true)
                .read(true)
                .write(true)
                .truncate(false)
                .open(path)?,
            Hold::ToRemove | Hold::ToRead => File::open(path)?,
        };
        let taken = match hold {
            Hold::ToRead => file.try_lock_shared(),
            Hold::Alone(_) | Hold::ToRemove => file.try_lock(),
        };
        match taken {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Lock::Busy),
            Err(TryLockError::Error(error)) => return Ok(Lock::Unknown(error)),
        }
        if let Hold::Alone(text) = hold {
            // Through the handle that holds the lock: on Windows no other may write.
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(text.as_bytes())?;
        }
        Ok(Lock::Held(Box::new(file)))
    }
}
