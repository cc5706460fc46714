//! The system's file system for folders that nobody wants after a power cut.

use std::io;
use std::path::Path;

use super::{Disk, Hold, Lock, RealDisk, Stat};

/// [`RealDisk`] that never waits for the disk: what is written is promised to nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScratchDisk;

impl Disk for ScratchDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        RealDisk.read(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        RealDisk.stat(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        RealDisk.list(folder)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.write(path, bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        RealDisk.append(path, bytes)
    }

    fn sync(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn sync_folder(&self, _folder: &Path) -> io::Result<()> {
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }

    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        RealDisk.create_folder(folder)
    }

    fn remove_folder(&self, folder: &Path) -> io::Result<()> {
        RealDisk.remove_folder(folder)
    }

    fn lock(&self, path: &Path, hold: Hold<'_>) -> io::Result<Lock> {
        RealDisk.lock(path, hold)
    }
}
