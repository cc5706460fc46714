//! Removes what no revision needs any more.

use std::collections::{BTreeMap, HashSet};

use super::folder::{FIELDS, REVISIONS, STAGES, WORLD_JSON, WorldFolder, is_artefact};
use crate::disk::{Files, Hold, Lock};
use crate::{Manifest, StoreError};

/// Revisions that stay beside the current one.
const KEPT_BEFORE: usize = 1;

/// The files that each remaining revision names.
#[derive(Debug, Default)]
pub(super) struct Named(BTreeMap<u64, HashSet<String>>);

impl Named {
    /// Whether a remaining revision names a file.
    pub fn holds(&self, file: &str) -> bool {
        self.0.values().any(|names| names.contains(file))
    }

    /// Takes in what a revision names.
    pub fn add(&mut self, manifest: &Manifest) {
        let names = manifest.artefacts().map(|artefact| artefact.file.clone());
        self.0.insert(manifest.revision, names.collect());
    }
}

/// What a collection found and removed.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub named: Named,
    /// Unfinished files, and artefacts and revisions that nothing names.
    pub n_removed: u64,
    /// Older revisions that cannot be read.
    pub damaged: Vec<StoreError>,
    /// What removed revisions named: no strays, though they go.
    aged: HashSet<String>,
}

/// Removes all that neither the current revision, the whole one before it, one that a reader holds nor the journal names.
///
/// A revision goes before its artefacts: killed in between, the next run finds artefacts without a revision and removes them.
pub(super) fn collect(
    world: &WorldFolder,
    current: Option<&Manifest>,
    journalled: &HashSet<String>,
) -> Result<Collected, StoreError> {
    let mut collected = Collected::default();
    collected.n_removed += sweep_books(world)?;
    let number = current.map_or(0, |manifest| manifest.revision);
    for revision in world.revisions()? {
        match current.filter(|_| revision == number) {
            Some(manifest) => collected.named.add(manifest),
            None => collected.older(world, revision, number)?,
        }
    }
    for folder in artefact_folders(world)? {
        let is_stray = |file: &str| !collected.named.holds(file) && !journalled.contains(file);
        let swept = sweep(world, &folder, is_stray)?;
        let strays = swept.iter().filter(|file| !collected.aged.contains(*file));
        collected.n_removed += strays.count() as u64;
    }
    Ok(collected)
}

impl Collected {
    /// Keeps or removes a revision that is not the current one.
    fn older(
        &mut self,
        world: &WorldFolder,
        revision: u64,
        current: u64,
    ) -> Result<(), StoreError> {
        let is_before = revision < current;
        let n_kept = self.named.0.range(..current).count();
        let names = match world.read_names(revision) {
            Ok(names) => Some(names),
            Err(error) if error.is_damage() => {
                self.damaged.extend(Some(error).filter(|_| is_before));
                None
            }
            Err(error) => return Err(error),
        };
        let stays = is_before && n_kept < KEPT_BEFORE && names.is_some();
        if !stays && remove_revision(world, revision)? {
            self.n_removed += u64::from(!is_before);
            self.aged
                .extend(names.into_iter().filter(|_| is_before).flatten());
        } else if let Some(names) = names {
            self.named.0.insert(revision, names);
        }
        Ok(())
    }
}

/// Removes what became garbage with a commit: the revisions before the kept ones, and those of `loose` files that none names.
///
/// `named` knows every revision that there is.
pub(super) fn collect_after(
    world: &WorldFolder,
    current: u64,
    named: &mut Named,
    loose: &HashSet<String>,
) -> Result<u64, StoreError> {
    let older = named.0.range(..current).rev().skip(KEPT_BEFORE);
    let older: Vec<u64> = older.map(|(&revision, _)| revision).collect();
    let mut garbage: Vec<String> = loose.iter().cloned().collect();
    for revision in older {
        if remove_revision(world, revision)? {
            garbage.extend(named.0.remove(&revision).unwrap_or_default());
        }
    }
    garbage.retain(|file| !named.holds(file));
    garbage.sort_unstable();
    garbage.dedup();
    for file in &garbage {
        world.files.remove(&world.join(file))?;
    }
    Ok(garbage.len() as u64)
}

/// Removes the unfinished files of a killed writer, and nothing else; returns how many.
pub(super) fn sweep_unfinished(world: &WorldFolder) -> Result<u64, StoreError> {
    let mut n_removed = sweep_books(world)?;
    for folder in artefact_folders(world)? {
        n_removed += sweep(world, &folder, |_| false)?.len() as u64;
    }
    Ok(n_removed)
}

/// Removes what is unfinished beside `current` and among the revisions.
fn sweep_books(world: &WorldFolder) -> Result<u64, StoreError> {
    let mut folders = vec![String::new(), REVISIONS.to_owned()];
    // A ledger is refreshed in its revision's folder.
    let revisions = world.revisions()?.into_iter();
    folders.extend(revisions.map(|revision| format!("{REVISIONS}/{revision}")));
    let mut n_removed = 0;
    for folder in &folders {
        n_removed += sweep(world, folder, |_| false)?.len() as u64;
    }
    Ok(n_removed)
}

/// Removes what is unfinished in a folder, and the artefacts that are strays; returns their paths under the world directory.
fn sweep(
    world: &WorldFolder,
    folder: &str,
    is_stray: impl Fn(&str) -> bool,
) -> Result<Vec<String>, StoreError> {
    let mut swept = Vec::new();
    for name in world.files.names(&world.join(folder))? {
        let file = format!("{folder}/{name}");
        if Files::is_temporary(&name) || is_artefact(&name) && is_stray(&file) {
            world
                .files
                .remove_whatever(&world.join(folder).join(name))?;
            swept.push(file);
        }
    }
    Ok(swept)
}

/// Whether a revision is gone now; not so where a reader holds it.
///
/// It goes under another name first, so that no power cut leaves a part of it.
fn remove_revision(world: &WorldFolder, revision: u64) -> Result<bool, StoreError> {
    let folder = world.revision(revision);
    let held = world.files.lock(&folder.join(WORLD_JSON), Hold::ToRemove)?;
    if matches!(held, Some(Lock::Busy)) {
        return Ok(false);
    }
    // So long that no reader takes a revision on its way out; elsewhere an open file keeps its folder's name.
    let held = held.filter(|_| cfg!(unix));
    let unfinished = Files::temporary(&folder);
    world.files.remove_folder(&unfinished)?;
    world.files.rename(&folder, &unfinished)?;
    world.files.sync_folder_of(&folder)?;
    drop(held);
    world.files.remove_folder(&unfinished)?;
    Ok(true)
}

/// The folders of artefacts, by their path under the world directory.
fn artefact_folders(world: &WorldFolder) -> Result<Vec<String>, StoreError> {
    let fields = world.files.names(&world.join(FIELDS))?;
    let fields = fields.iter().map(|name| format!("{FIELDS}/{name}"));
    Ok(STAGES
        .map(str::to_owned)
        .into_iter()
        .chain(fields)
        .collect())
}
