//! What lies in a folder, to see whether a bake wrote anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// All files of a world, when each was last changed, and its length; but for the lock, which names its last holder.
pub fn listing(dir: &Path) -> BTreeMap<PathBuf, (SystemTime, u64)> {
    let mut files = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let found = entry.metadata().unwrap();
            if found.is_dir() {
                folders.push(entry.path());
            } else if entry.file_name() != "lock" {
                files.insert(entry.path(), (found.modified().unwrap(), found.len()));
            }
        }
    }
    files
}
