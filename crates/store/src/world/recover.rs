//! What a writer finds when it opens a world: the revision to go on from, what is damaged, and what a killed writer left.

use std::collections::HashSet;

use super::chain::{Current, Sums};
use super::collect::{self, Named};
use super::folder::{CURRENT, WORLD_JSON, WorldFolder};
use super::journal::{Found, Journal};
use crate::{Digest, Entry, Manifest, StoreError};

/// What a writer found and did before it started.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Jobs of an unfinished bake that are taken over from its journal.
    pub n_found: usize,
    /// Unfinished files, and artefacts and revisions that nothing names, which were removed.
    pub n_strays: u64,
    /// Lines of the journal that a power cut tore, or that rotted: those jobs are done again.
    pub n_torn: usize,
    /// Files of the world that are damaged; the next commit makes the world whole.
    pub damaged: Vec<StoreError>,
}

/// The revision a writer goes on from.
#[derive(Debug, Default)]
pub(super) struct Base {
    /// Its manifest; `None` where there is none that can be read.
    pub manifest: Option<Manifest>,
    /// What `current` says of it, or ought to say.
    pub current: Option<Current>,
    /// What is wrong with it, with what `current` names, or with `current`.
    pub damaged: Vec<StoreError>,
}

impl Base {
    /// Looks at all that `current` leads to, or, where that leads nowhere, for the newest revision whose sums hold.
    pub fn find(world: &WorldFolder) -> Result<Self, StoreError> {
        let revisions = world.revisions()?;
        let found = world.read_current().and_then(|current| match current {
            None if never_committed(world, &revisions)? => Ok(Self::default()),
            None => Err(StoreError::damaged(
                &world.join(CURRENT),
                "the file is missing, though there are revisions",
            )),
            Some(current) => Self::named(world, current),
        });
        let damage = match found {
            Err(error) if error.is_damage() => error,
            found => return found,
        };
        let mut base = Self::newest(world, &revisions)?;
        base.damaged.insert(0, damage);
        Ok(base)
    }

    /// The revision that `current` names, with all its files looked at.
    fn named(world: &WorldFolder, current: Current) -> Result<Self, StoreError> {
        let (sums, _) = world.read_sums(current.revision, Some(current.sums))?;
        let (manifest, damage) = manifest_or_copy(world, current.revision, &sums)?;
        let mut damaged: Vec<StoreError> = damage.into_iter().collect();
        for name in sums.names().filter(|&name| name != WORLD_JSON) {
            match world.read_own(current.revision, &sums, name) {
                Err(error) if error.is_damage() => damaged.push(error),
                read => drop(read?),
            }
        }
        Ok(Self {
            manifest: Some(manifest),
            current: Some(current),
            damaged,
        })
    }

    fn newest(world: &WorldFolder, revisions: &[u64]) -> Result<Self, StoreError> {
        let mut base = Self::default();
        for &revision in revisions {
            let found = world.read_sums(revision, None).and_then(|(sums, digest)| {
                let (manifest, damage) = manifest_or_copy(world, revision, &sums)?;
                Ok((manifest, digest, damage))
            });
            let found = found.or_else(|damage| twin(world, revision, damage));
            match found {
                Ok((manifest, sums, damage)) => {
                    base.damaged.extend(damage);
                    base.manifest = Some(manifest);
                    base.current = Some(Current { revision, sums });
                    break;
                }
                Err(error) if error.is_damage() => base.damaged.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok(base)
    }

    /// Whether nothing is wrong with it.
    pub fn is_whole(&self) -> bool {
        self.damaged.is_empty()
    }
}

/// Whether a world without `current` never had one: a first commit that was cut off may have left revision 1, and the copies
/// for people come after it.
fn never_committed(world: &WorldFolder, revisions: &[u64]) -> Result<bool, StoreError> {
    let has_copy = world.files.stat(&world.join(WORLD_JSON))?.is_some();
    Ok(revisions.is_empty() || revisions == [1] && !has_copy)
}

/// A revision's manifest: its own, or the copy for people where that is the same; and what is wrong with its own.
fn manifest_or_copy(
    world: &WorldFolder,
    revision: u64,
    sums: &Sums,
) -> Result<(Manifest, Option<StoreError>), StoreError> {
    let damage = match world.read_manifest(revision, sums) {
        Ok(manifest) => return Ok((manifest, None)),
        Err(error) if error.is_damage() => error,
        Err(error) => return Err(error),
    };
    let path = world.join(WORLD_JSON);
    match world.files.read(&path)? {
        Some(copy) if sums.agree(WORLD_JSON, &copy) => {
            let manifest = Manifest::from_json(&copy, &path.display().to_string())?;
            Ok((manifest, Some(damage)))
        }
        _ => Err(damage),
    }
}

/// The manifest of a revision whose sums do not hold, where its own file and the copy for people are the same: two files do not
/// rot alike. Else the damage comes back.
fn twin(
    world: &WorldFolder,
    revision: u64,
    damage: StoreError,
) -> Result<(Manifest, Digest, Option<StoreError>), StoreError> {
    if !damage.is_damage() {
        return Err(damage);
    }
    let path = world.revision(revision).join(WORLD_JSON);
    let own = world.files.read(&path)?;
    match own {
        Some(own) if world.files.read(&world.join(WORLD_JSON))?.as_ref() == Some(&own) => {
            let manifest = Manifest::from_json(&own, &path.display().to_string())?;
            Ok((manifest, Digest::default(), Some(damage)))
        }
        _ => Err(damage),
    }
}

/// What was found beside the revision to go on from.
#[derive(Debug)]
pub(super) struct Remains {
    pub journal: Journal,
    /// Files that the journal names, and that are safe.
    pub journalled: HashSet<String>,
    pub named: Named,
    pub recovered: Recovered,
}

/// Takes over the journal, removes what nothing names, and looks at the ledgers.
pub(super) fn recover(world: &WorldFolder, base: &mut Base) -> Result<Remains, StoreError> {
    let is_whole = base.is_whole();
    let mut recovered = Recovered {
        damaged: std::mem::take(&mut base.damaged),
        ..Recovered::default()
    };
    let entries = take_over(world, base.current, is_whole, &mut recovered)?;
    let files = entries.iter().flatten().flat_map(|entry| &entry.files);
    let journalled = files.map(|(_, artefact)| artefact.file.clone()).collect();
    let named = if is_whole {
        let collected = collect::collect(world, base.manifest.as_ref(), &journalled)?;
        recovered.n_strays = collected.n_removed;
        recovered.damaged.extend(collected.damaged);
        collected.named
    } else {
        // Nothing goes before the world is whole again: what looks like a stray may be all that is left of a revision.
        recovered.n_strays = collect::sweep_unfinished(world)?;
        let mut named = Named::default();
        base.manifest
            .iter()
            .for_each(|manifest| named.add(manifest));
        named
    };
    let n_found = entries.map(|entries| entries.len());
    Ok(Remains {
        journal: Journal::resume(world, base.current, n_found),
        journalled,
        named,
        recovered,
    })
}

/// The entries of the journal whose files are there, after the file was cut to them; `None` where there is no journal to go on with.
fn take_over(
    world: &WorldFolder,
    upon: Option<Current>,
    is_whole: bool,
    recovered: &mut Recovered,
) -> Result<Option<Vec<Entry>>, StoreError> {
    let Some(mut found) = Journal::find(world, upon)? else {
        return Ok(None);
    };
    recovered.n_torn = found.n_torn;
    if found.is_obsolete && is_whole {
        Journal::discard(world)?;
        return Ok(None);
    }
    let n_lines = found.entries.len();
    drop_lost(world, &mut found, recovered)?;
    if found.n_torn > 0 || found.is_obsolete || found.entries.len() < n_lines {
        Journal::rewrite(world, upon, &found.entries)?;
    }
    recovered.n_found = found.entries.len();
    Ok(Some(found.entries))
}

/// Drops the entries whose files are not there, or not of their length.
fn drop_lost(
    world: &WorldFolder,
    found: &mut Found,
    recovered: &mut Recovered,
) -> Result<(), StoreError> {
    let mut whole = Vec::with_capacity(found.entries.len());
    for entry in found.entries.drain(..) {
        match missing_file(world, &entry)? {
            None => whole.push(entry),
            Some(damage) => recovered.damaged.push(damage),
        }
    }
    found.entries = whole;
    Ok(())
}

fn missing_file(world: &WorldFolder, entry: &Entry) -> Result<Option<StoreError>, StoreError> {
    for (_, artefact) in &entry.files {
        if !world.has(artefact)? {
            let reason = format!("expected a file of {} bytes", artefact.bytes);
            return Ok(Some(StoreError::damaged(
                &world.artefact(artefact)?,
                reason,
            )));
        }
    }
    Ok(None)
}
