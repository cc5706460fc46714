//! Folders for what is baked on trial.

use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};

use crate::error::BakeError;

/// A folder that goes when it is dropped: beside the world, on the same disk; where none can be made, in the system's own place.
pub(crate) fn beside(world: &Path, prefix: &str) -> Result<TempDir, BakeError> {
    let mut builder = Builder::new();
    builder.prefix(prefix);
    builder
        .tempdir_in(nearest_folder(world.parent().unwrap_or(world)))
        .or_else(|_| builder.tempdir())
        .map_err(|source| BakeError::NoScratch { source })
}

/// A folder that goes when it is dropped, in one that was asked for.
pub(crate) fn within(folder: &Path, prefix: &str) -> Result<TempDir, BakeError> {
    let made = Builder::new().prefix(prefix).tempdir_in(folder);
    made.map_err(|source| BakeError::NoScratch { source })
}

/// The folder itself, or the first above it that exists.
pub(crate) fn nearest_folder(path: &Path) -> PathBuf {
    let found = path.ancestors().find(|folder| folder.is_dir());
    found.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_nearest_folder_exists() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("not/yet/there");
        assert_eq!(nearest_folder(&deep), dir.path());
        assert_eq!(
            nearest_folder(Path::new("no_such_folder_here")),
            Path::new(".")
        );
    }

    #[test]
    fn a_scratch_folder_lies_beside_the_world_and_goes() {
        let dir = tempfile::tempdir().unwrap();
        let folder = beside(&dir.path().join("out"), ".ecotone-").unwrap();
        assert_eq!(folder.path().parent(), Some(dir.path()));
        drop(folder);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
