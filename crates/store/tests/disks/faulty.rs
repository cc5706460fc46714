//! The machine's disk, of which one call fails.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ecotone_store::{Disk, Hold, Lock, RealDisk, Stat};

/// How calls fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The first call that does, from 0.
    pub at: usize,
    /// What the system says.
    pub code: i32,
    /// Whether a write leaves a half.
    pub is_short: bool,
    /// Whether all calls behind it fail too.
    pub stays: bool,
}

#[derive(Debug)]
pub struct FaultyDisk {
    fault: Fault,
    n_calls: AtomicUsize,
    n_failed: AtomicUsize,
}

impl FaultyDisk {
    pub fn new(fault: Fault) -> Arc<Self> {
        Arc::new(Self {
            fault,
            n_calls: AtomicUsize::new(0),
            n_failed: AtomicUsize::new(0),
        })
    }

    pub fn has_failed(&self) -> bool {
        self.n_failed.load(Ordering::Relaxed) > 0
    }

    pub fn n_calls(&self) -> usize {
        self.n_calls.load(Ordering::Relaxed)
    }

    fn strike(&self) -> io::Result<()> {
        let n = self.n_calls.fetch_add(1, Ordering::Relaxed);
        if n == self.fault.at || n > self.fault.at && self.fault.stays {
            self.n_failed.fetch_add(1, Ordering::Relaxed);
            return Err(io::Error::from_raw_os_error(self.fault.code));
        }
        Ok(())
    }

    fn half(&self, bytes: &[u8], write: impl Fn(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match self.strike() {
            Ok(()) => write(bytes),
            Err(error) => {
                if self.fault.is_short {
                    write(&bytes[..bytes.len() / 2])?;
                }
                Err(error)
            }
        }
    }
}

impl Disk for FaultyDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.strike().and_then(|()| RealDisk.read(path))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.strike().and_then(|()| RealDisk.stat(path))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.strike().and_then(|()| RealDisk.list(folder))
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.half(bytes, |bytes| RealDisk.write(path, bytes))
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.half(bytes, |bytes| RealDisk.append(path, bytes))
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        self.strike().and_then(|()| RealDisk.sync(path))
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.strike().and_then(|()| RealDisk.sync_folder(folder))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.strike().and_then(|()| RealDisk.rename(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.strike().and_then(|()| RealDisk.remove(path))
    }

    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        self.strike().and_then(|()| RealDisk.create_folder(folder))
    }

    fn remove_folder(&self, folder: &Path) -> io::Result<()> {
        self.strike().and_then(|()| RealDisk.remove_folder(folder))
    }

    fn lock(&self, path: &Path, hold: Hold<'_>) -> io::Result<Lock> {
        match self.strike() {
            // As the system's own disk does on a file system without locks.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(Lock::Unknown(error)),
            struck => struck.and_then(|()| RealDisk.lock(path, hold)),
        }
    }
}
