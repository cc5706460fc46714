//! Removes what no revision needs any more.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::{WORLD_JSON, read_manifest, revision_folder};
use crate::{StoreError, disk};

/// Revisions that stay: the current one, and the one before it.
const KEPT_REVISIONS: usize = 2;

/// Removes older revisions that no reader holds, and the artefacts that no remaining revision names; returns how many files went.
///
/// The revision goes first: killed in between, the next run finds artefacts without a revision and removes them.
pub(super) fn collect(dir: &Path, current: u64) -> Result<u64, StoreError> {
    let mut kept = Vec::new();
    let mut revisions = revisions(dir)?;
    revisions.sort_unstable_by(|a, b| b.cmp(a));
    for revision in revisions {
        let committed = revision <= current;
        if committed && kept.len() < KEPT_REVISIONS || !remove_revision(dir, revision)? {
            kept.push(revision);
        }
    }
    let named = named_files(dir, &kept)?;
    let mut n_removed = 0;
    for (folder, path) in artefact_folders(dir)? {
        for name in names(&path)? {
            let unnamed = is_artefact(&name) && !named.contains(&format!("{folder}/{name}"));
            if unnamed || is_temporary(&name) {
                disk::remove(&path.join(&name))?;
                n_removed += 1;
            }
        }
    }
    Ok(n_removed)
}

/// Removes the unfinished files of a killed writer.
pub(super) fn sweep_temporaries(dir: &Path) -> Result<(), StoreError> {
    let mut folders: Vec<PathBuf> = vec![dir.to_owned(), dir.join("rev")];
    folders.extend(artefact_folders(dir)?.into_iter().map(|(_, path)| path));
    for folder in folders {
        for name in names(&folder)?.iter().filter(|name| is_temporary(name)) {
            let path = folder.join(name);
            if path.is_dir() {
                disk::remove_folder(&path)?;
            } else {
                disk::remove(&path)?;
            }
        }
    }
    Ok(())
}

/// Whether a revision is gone now; not so where a reader holds it.
fn remove_revision(dir: &Path, revision: u64) -> Result<bool, StoreError> {
    let folder = revision_folder(dir, revision);
    let manifest = folder.join(WORLD_JSON);
    if let Ok(file) = File::open(&manifest) {
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Ok(false);
        }
        // While the lock is held, so that no reader takes a revision that is on its way out.
        disk::remove(&manifest)?;
    }
    disk::remove_folder(&folder)?;
    Ok(true)
}

/// Revisions that have a folder, in any order.
fn revisions(dir: &Path) -> Result<Vec<u64>, StoreError> {
    let names = names(&dir.join("rev"))?;
    Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
}

/// Every file that one of these revisions names.
fn named_files(dir: &Path, revisions: &[u64]) -> Result<BTreeSet<String>, StoreError> {
    let mut named = BTreeSet::new();
    for &revision in revisions {
        let manifest = read_manifest(&revision_folder(dir, revision).join(WORLD_JSON))?;
        let artefacts = manifest.iter().flat_map(|manifest| manifest.artefacts());
        named.extend(artefacts.map(|artefact| artefact.file.clone()));
    }
    Ok(named)
}

/// The folders of artefacts: their path under the world directory as manifests write it, and where they lie.
fn artefact_folders(dir: &Path) -> Result<Vec<(String, PathBuf)>, StoreError> {
    let mut folders: Vec<String> = ["weights", "sdf", "vegetation", "edits"]
        .map(str::to_owned)
        .into();
    let fields = names(&dir.join("fields"))?;
    folders.extend(fields.iter().map(|name| format!("fields/{name}")));
    let paths = folders.into_iter().map(|folder| {
        let path = dir.join(&folder);
        (folder, path)
    });
    Ok(paths.filter(|(_, path)| path.is_dir()).collect())
}

/// The names in a folder; none where it is not there.
fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let listing = || -> std::io::Result<Vec<String>> {
        fs::read_dir(folder)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect()
    };
    match listing() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        listing => listing.map_err(StoreError::io("list", folder)),
    }
}

fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(disk::TEMPORARY)
}

/// Whether a name is of the store's making: somebody's own file in the folder stays.
fn is_artefact(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    let [place, digest, extension] = parts[..] else {
        return false;
    };
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    place.starts_with('x')
        && place.contains("_y")
        && digest.len() == 32
        && digest.chars().all(hex)
        && ["tif", "eco"].contains(&extension)
}
