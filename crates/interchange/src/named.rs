//! Worlds by what a person types: a directory, or a directory and one of the revisions that it keeps.

use std::path::{Path, PathBuf};

use ecotone_store::{StoreError, World};

use crate::{Finished, InterchangeError};

impl Finished {
    /// Opens a world by its name: `DIR` for the current revision, `DIR@7` for revision 7, as long as that is kept.
    ///
    /// A directory whose own name ends so goes before.
    ///
    /// # Errors
    /// [`InterchangeError::RevisionGone`] names the revisions that are kept; else as [`Finished::open`].
    pub fn open_named(name: &Path) -> Result<Self, InterchangeError> {
        match split(name) {
            Some((dir, revision)) if !name.is_dir() => open_revision(&dir, Some(revision)),
            _ => Self::open(name),
        }
    }

    /// The revision before this one that the world still keeps.
    ///
    /// # Errors
    /// [`InterchangeError::RevisionGone`] where there is none; else as [`Finished::open`].
    pub fn before(&self) -> Result<Self, InterchangeError> {
        let (dir, own) = (self.world().dir(), self.manifest().revision);
        let kept = World::kept(dir)?;
        match kept.into_iter().find(|&revision| revision < own) {
            Some(revision) => open_revision(dir, Some(revision)),
            None => open_revision(dir, None),
        }
    }
}

/// The directory of a world's name, whatever revision of it is meant.
pub fn world_dir(name: &Path) -> PathBuf {
    match split(name) {
        Some((dir, _)) if !name.is_dir() => dir,
        _ => name.to_owned(),
    }
}

fn split(name: &Path) -> Option<(PathBuf, u64)> {
    let (dir, revision) = name.to_str()?.rsplit_once('@')?;
    // Nothing but digits: `parse` takes a sign, too.
    let is_number = revision.bytes().all(|byte| byte.is_ascii_digit());
    let revision = revision.parse().ok().filter(|_| is_number)?;
    Some((PathBuf::from(dir), revision))
}

fn open_revision(dir: &Path, revision: Option<u64>) -> Result<Finished, InterchangeError> {
    let found = revision.map(|revision| World::open_revision(dir, revision));
    if let Some(world) = found.transpose()?.flatten() {
        return Ok(Finished::new(world));
    }
    let kept = World::kept(dir)?;
    if kept.is_empty() {
        let path = dir.to_owned();
        return Err(StoreError::NotAWorld { path }.into());
    }
    Err(InterchangeError::RevisionGone {
        dir: dir.to_owned(),
        revision,
        kept,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_revision_is_the_digits_after_the_last_at() {
        let check = |name: &str, split_as: Option<(&str, u64)>| {
            let expected = split_as.map(|(dir, revision)| (PathBuf::from(dir), revision));
            assert_eq!(split(Path::new(name)), expected, "{name}");
        };
        check("out@7", Some(("out", 7)));
        check("a@b/out@12", Some(("a@b/out", 12)));
        check("out", None);
        check("out@", None);
        check("out@+7", None);
        check("out@seven", None);
        check("out@99999999999999999999", None);
    }
}
