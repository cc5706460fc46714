//! The commit: everything is on disk, then one small file changes.

use super::chain::{Current, Sums};
use super::collect::{collect, collect_after};
use super::copies::{mosaic_name, mosaic_of};
use super::folder::{
    CHANGED_JSON, CONFIG_TOML, CURRENT, LEDGER, RULES_JSON, SUMS, WORLD_JSON, WorldFolder,
};
use super::writer::check_field;
use super::{Changed, PlantChanges, WorldWriter};
use crate::disk::Files;
use crate::manifest::layout::to_lines;
use crate::{Digest, Entry, FORMAT_VERSION, Manifest, StoreError, ledger};

/// All that a commit makes current.
#[derive(Debug)]
pub struct Revision {
    /// What readers need.
    pub manifest: Manifest,
    /// What every job read and made.
    pub ledger: Vec<Entry>,
    /// The text of the config.
    pub config: String,
    /// The config as each stage reads it, by the stage's name; its differences explain what a bake does again.
    pub rules: serde_json::Value,
}

impl From<Manifest> for Revision {
    /// A revision that nobody will go on from.
    fn from(manifest: Manifest) -> Self {
        Self {
            manifest,
            ledger: Vec::new(),
            config: String::new(),
            rules: serde_json::Value::Null,
        }
    }
}

/// What a commit did.
#[derive(Debug)]
pub struct Committed {
    /// The revision that is current now.
    pub revision: u64,
    /// Whether it is a new one; not so where the world is as it was.
    pub is_new: bool,
    /// What differs from the revision before; nothing where it is not new.
    pub changed: Changed,
    /// Files that no kept revision names any more, and that were removed.
    pub n_removed: u64,
    /// What went wrong after the commit, when the revision stood already: copies that are stale, files that could not be removed.
    pub warnings: Vec<StoreError>,
}

impl WorldWriter {
    /// Makes `manifest` the current revision, under the next number.
    ///
    /// Where only the revision's number would differ from the current one, that one stays: its ledger is
    /// [refreshed](WorldWriter::refresh_ledger), the copies for people are brought up to date where they are stale, and where
    /// nothing is, nothing is written. Where that one is damaged, the new one takes its place.
    ///
    /// # Errors
    /// [`StoreError::MissingArtefact`], [`StoreError::DiskFull`] or another error of the system; the world is then as it was, and
    /// the next writer goes on from there.
    pub fn commit(&mut self, revision: impl Into<Revision>) -> Result<Committed, StoreError> {
        let mut revision = revision.into();
        let manifest = &mut revision.manifest;
        manifest
            .fields
            .keys()
            .try_for_each(|name| check_field(name))?;
        manifest.format = FORMAT_VERSION;
        manifest.revision = self.current.as_ref().map_or(0, |current| current.revision);
        if self.is_whole && self.current.as_ref() == Some(manifest) {
            return self.keep(&revision);
        }
        let newest = self.world.revisions()?.first().copied().unwrap_or(0);
        manifest.revision = manifest.revision.max(newest) + 1;
        self.check_artefacts(&revision.manifest)?;
        // A kill from here on costs no job.
        self.settle()?;
        let changed = Changed::between(&self.world, self.current.as_ref(), &revision.manifest)?;
        let current = self.or_fail(|writer| {
            let current = writer.write_revision(&revision, &changed)?;
            let path = writer.world.join(CURRENT);
            let files = &writer.world.files;
            files.write_synced(&path, current.text().as_bytes())?;
            Ok(current)
        })?;
        let mut committed = Committed {
            revision: current.revision,
            is_new: true,
            changed,
            n_removed: 0,
            warnings: Vec::new(),
        };
        let was_whole = std::mem::replace(&mut self.is_whole, true);
        self.named.add(&revision.manifest);
        self.current = Some(revision.manifest);
        match self.world.files.sync_folder(&self.world.path) {
            Ok(()) => self.tidy(current, was_whole, &mut committed),
            // A power cut may bring the revision before back: leave its files and the journal alone.
            Err(error) => {
                self.has_failed = true;
                committed.warnings.push(error);
            }
        }
        Ok(committed)
    }

    /// Leaves the current revision as it is, but for what is not part of its chain of digests.
    fn keep(&mut self, revision: &Revision) -> Result<Committed, StoreError> {
        let number = revision.manifest.revision;
        self.or_fail(Self::sync_fresh)?;
        if !revision.ledger.is_empty() {
            self.refresh_ledger(&revision.ledger)?;
        }
        let mut committed = Committed {
            revision: number,
            is_new: false,
            changed: Changed {
                from: Some(number),
                to: number,
                plants: Some(PlantChanges::default()),
                ..Changed::default()
            },
            n_removed: 0,
            warnings: Vec::new(),
        };
        let tidied = [
            self.world.refresh_copies(number),
            self.forget_journal(&mut committed),
        ];
        let warnings = tidied.into_iter().filter_map(Result::err);
        committed.warnings.extend(warnings);
        Ok(committed)
    }

    /// Replaces the ledger of the current revision, where it is another: what its jobs made is the same, but their inputs may
    /// be called otherwise now, or lines of it rotted.
    ///
    /// # Errors
    /// [`StoreError::DiskFull`] or another error of the system; the ledger is then as it was.
    pub fn refresh_ledger(&self, entries: &[Entry]) -> Result<(), StoreError> {
        let Some(current) = &self.current else {
            return Ok(());
        };
        let path = self.world.revision(current.revision).join(LEDGER);
        let bytes = ledger::to_bytes(entries);
        if self.world.files.read(&path)?.as_ref() == Some(&bytes) {
            return Ok(());
        }
        self.world.files.write_synced(&path, &bytes)?;
        self.world.files.sync_folder_of(&path)
    }

    /// Checks that every artefact is there, and has those synced that may not survive a power cut.
    fn check_artefacts(&mut self, manifest: &Manifest) -> Result<(), StoreError> {
        for artefact in manifest.artefacts() {
            if self.is_settled(&artefact.file) && self.has_just_seen(&artefact.file) {
                continue;
            }
            let path = self.path(artefact)?;
            let found = self.world.files.length(&path)?.unwrap_or(0);
            if found != artefact.bytes || found == 0 {
                let expected = artefact.bytes;
                return Err(StoreError::MissingArtefact {
                    path,
                    expected,
                    found,
                });
            }
            if !self.is_settled(&artefact.file) {
                self.must_sync(&artefact.file);
            }
        }
        Ok(())
    }

    /// Writes the revision's folder under a temporary name, and renames it; returns what `current` is to say.
    fn write_revision(
        &self,
        revision: &Revision,
        changed: &Changed,
    ) -> Result<Current, StoreError> {
        let files = &self.world.files;
        let number = revision.manifest.revision;
        let folder = self.world.revision(number);
        let unfinished = Files::temporary(&folder);
        let write = || {
            files.remove_folder(&unfinished)?;
            files.create_folders(&unfinished)?;
            let mut book = Book {
                world: &self.world,
                folder: &unfinished,
                sums: Sums::default(),
            };
            book.write(LEDGER, &ledger::to_bytes(&revision.ledger))?;
            book.add_all(revision, changed)?;
            let sums = book.sums.text();
            book.write(SUMS, sums.as_bytes())?;
            files.sync_folder(&unfinished)?;
            files.rename(&unfinished, &folder)?;
            files.sync_folder_of(&folder)?;
            Ok(Current {
                revision: number,
                sums: Digest::of(sums.as_bytes()),
            })
        };
        let written = write();
        if written.is_err() {
            // Best effort: the error that matters is the first, and the next writer sweeps too.
            let _ = files.remove_folder(&unfinished);
        }
        written
    }

    /// Drops the journal that the current revision makes needless, and the files that only it names.
    fn forget_journal(&mut self, committed: &mut Committed) -> Result<(), StoreError> {
        let upon = self.journal.upon();
        if self.journal.drop(&self.world, upon)? {
            // It still builds upon this revision: it must not come back without its files.
            self.world.files.sync_folder(&self.world.path)?;
        }
        self.remove_loose(committed.revision, committed)
    }

    /// What follows a commit and may fail without harm.
    fn tidy(&mut self, current: Current, was_whole: bool, committed: &mut Committed) {
        let dropped = self.journal.drop(&self.world, Some(current));
        let copied = self.world.refresh_copies(current.revision);
        committed.warnings.extend(dropped.err());
        committed.warnings.extend(copied.err());
        let removed = if was_whole {
            self.remove_loose(current.revision, committed)
        } else {
            self.remove_all_loose(committed)
        };
        committed.warnings.extend(removed.err());
    }

    /// Removes what this commit left without a revision.
    fn remove_loose(&mut self, current: u64, committed: &mut Committed) -> Result<(), StoreError> {
        let loose = std::mem::take(&mut self.settled);
        committed.n_removed = collect_after(&self.world, current, &mut self.named, &loose)?;
        Ok(())
    }

    /// Removes all that is without a revision, now that the world is whole.
    fn remove_all_loose(&mut self, committed: &mut Committed) -> Result<(), StoreError> {
        self.settled.clear();
        let collected = collect(&self.world, self.current.as_ref(), &self.settled)?;
        self.named = collected.named;
        committed.n_removed = collected.n_removed;
        Ok(())
    }
}

/// The folder of a revision, as it is written.
struct Book<'a> {
    world: &'a WorldFolder,
    folder: &'a std::path::Path,
    sums: Sums,
}

impl Book<'_> {
    /// Writes a file that keeps its bytes.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.folder.join(name);
        self.world.files.write(&path, bytes)?;
        self.world.files.sync(&path, bytes.len() as u64)
    }

    /// Writes a file that the sums know.
    fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.sums.add(name, bytes);
        self.write(name, bytes)
    }

    fn add_all(&mut self, revision: &Revision, changed: &Changed) -> Result<(), StoreError> {
        let manifest = &revision.manifest;
        for stage in manifest.raster_stages() {
            let text = mosaic_of(manifest, &stage);
            self.add(&mosaic_name(&stage), text.as_bytes())?;
        }
        self.add(CONFIG_TOML, revision.config.as_bytes())?;
        self.add(RULES_JSON, &to_lines(&revision.rules))?;
        self.add(CHANGED_JSON, &to_lines(changed))?;
        self.add(WORLD_JSON, &manifest.to_json())
    }
}
