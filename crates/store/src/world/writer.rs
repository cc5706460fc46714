//! The one writer of a world: takes the lock, puts artefacts, notes jobs that are done.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::collect::Named;
use super::folder::{FIELDS, JOURNAL, LEDGER, REVISIONS, STAGES, WorldFolder, place_name};
use super::journal::Journal;
use super::recover::{Base, Recovered, recover};
use crate::disk::{Disk, Files, Guard, RealDisk, Stat};
use crate::ledger::{self, News};
use crate::{Artefact, Entry, Manifest, Stage, StoreError, content_digest};

/// Files that are settled together: so many that the waiting for the disk is shared, so few that little is done again.
const GROUP_FILES: usize = 64;

/// Writes artefacts into a world and commits revisions; there is one at a time.
///
/// Nothing it puts is visible before [`WorldWriter::commit`]: dropped or killed at any instant, it leaves the current revision
/// as it was. Jobs that were [noted](WorldWriter::note) and acknowledged are there for the next writer.
#[derive(Debug)]
pub struct WorldWriter {
    pub(super) world: WorldFolder,
    pub(super) current: Option<Manifest>,
    /// Whether the current revision is all there; the next commit makes it so.
    pub(super) is_whole: bool,
    pub(super) journal: Journal,
    pub(super) named: Named,
    /// Files that would survive a power cut, though no revision names them yet.
    pub(super) settled: HashSet<String>,
    /// Files that may not.
    fresh: BTreeSet<String>,
    fresh_folders: BTreeSet<PathBuf>,
    recovered: Recovered,
    /// Files that were there when [`WorldWriter::known`] last looked, and when that was.
    seen: HashSet<String>,
    seen_at: Option<Instant>,
    /// After a failed write or sync nothing can be promised any more.
    pub(super) has_failed: bool,
    /// Held as long as the writer lives; the system lets go of it with the process.
    _lock: Guard,
}

impl WorldWriter {
    /// Opens or founds the world in `dir`, takes its lock, takes over what an unfinished bake acknowledged and sweeps the rest.
    ///
    /// Damage does not stop it: see [`WorldWriter::recovered`].
    ///
    /// # Errors
    /// [`StoreError::Locked`] names the process that holds it; [`StoreError::WrongVersion`] for a world of another program, or an
    /// error of the system.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        Self::open_on(Arc::new(RealDisk), dir)
    }

    /// [`WorldWriter::open`] on another disk, for tests.
    ///
    /// # Errors
    /// As [`WorldWriter::open`].
    pub fn open_on(disk: Arc<dyn Disk>, dir: &Path) -> Result<Self, StoreError> {
        let files = Files::on(disk);
        let path = dir.to_owned();
        let world = WorldFolder { files, path };
        let mut fresh_folders = BTreeSet::from_iter(world.files.create_folders(dir)?);
        let lock = world.lock()?;
        for folder in [REVISIONS].iter().chain(&STAGES) {
            fresh_folders.extend(world.files.create_folders(&world.join(folder))?);
        }
        // A killed writer may have replaced `current` and not synced it: what comes next builds upon it.
        world.files.sync_folder(dir)?;
        let mut base = Base::find(&world)?;
        let is_whole = base.is_whole();
        if base.manifest.is_none() {
            // Another may have made the folder, and those above it, and been killed.
            world.files.sync_folders_above(dir)?;
        }
        let remains = recover(&world, &mut base)?;
        Ok(Self {
            world,
            current: base.manifest,
            is_whole,
            journal: remains.journal,
            named: remains.named,
            settled: remains.journalled,
            fresh: BTreeSet::new(),
            fresh_folders,
            recovered: remains.recovered,
            seen: HashSet::new(),
            seen_at: None,
            has_failed: false,
            _lock: lock,
        })
    }

    /// The current revision, or the newest that is whole where `current` is damaged; `None` before the first commit.
    pub fn current(&self) -> Option<&Manifest> {
        self.current.as_ref()
    }

    /// What it found when it was opened, and what [`WorldWriter::known`] found damaged since.
    pub fn recovered(&self) -> &Recovered {
        &self.recovered
    }

    /// Jobs that are done and whose files are there: of the journal of an unfinished bake, of the current revision, and of the
    /// one before it, in this order. A job may occur more than once, with different fingerprints.
    ///
    /// A file is looked for with its length; `paranoid` reads it whole. A job with a damaged file is left out, and the damage
    /// [reported](WorldWriter::recovered).
    ///
    /// # Errors
    /// An error of the system.
    pub fn known(&mut self, paranoid: bool) -> Result<Vec<Entry>, StoreError> {
        let journal = self.world.files.read(&self.world.join(JOURNAL))?;
        // A revision shares most lines with the one before it.
        let mut seen = HashSet::new();
        let mut known = ledger::news(&journal.unwrap_or_default(), &mut seen).entries;
        let current = self.current.as_ref().map(|current| current.revision);
        for revision in self.world.revisions()? {
            let path = self.world.revision(revision).join(LEDGER);
            let bytes = self.world.files.read(&path)?;
            let news = ledger::news(bytes.as_deref().unwrap_or_default(), &mut seen);
            // Older ledgers only save work; the current one is written anew by the next commit.
            if current == Some(revision) {
                let damage =
                    bytes.map_or_else(|| Some(News::missing(&path)), |_| news.damage(&path));
                self.recovered.damaged.extend(damage);
            }
            known.extend(news.entries);
        }
        let mut whole = Vec::with_capacity(known.len());
        for entry in known {
            if self.has_files(&entry, paranoid)? {
                let files = entry.files.iter();
                self.seen
                    .extend(files.map(|(_, artefact)| artefact.file.clone()));
                whole.push(entry);
            }
        }
        self.seen_at = Some(Instant::now());
        Ok(whole)
    }

    fn has_files(&mut self, entry: &Entry, paranoid: bool) -> Result<bool, StoreError> {
        let mut has_all = true;
        for (_, artefact) in &entry.files {
            has_all &= self.check_file(artefact, paranoid)?;
        }
        Ok(has_all)
    }

    /// Whether an artefact is there; one that the current revision names and that is not is reported.
    fn check_file(&mut self, artefact: &Artefact, paranoid: bool) -> Result<bool, StoreError> {
        let damage = if !self.world.has(artefact)? {
            let reason = format!("expected a file of {} bytes", artefact.bytes);
            StoreError::damaged(&self.world.artefact(artefact)?, reason)
        } else if paranoid {
            match self.world.read_verified(artefact) {
                Ok(_) => return Ok(true),
                Err(error) if error.is_damage() => error,
                Err(error) => return Err(error),
            }
        } else {
            return Ok(true);
        };
        if self.is_settled(&artefact.file) {
            self.recovered.damaged.push(damage);
        }
        Ok(false)
    }

    /// An artefact's bytes, checked against its digest.
    ///
    /// # Errors
    /// [`StoreError::WrongDigest`] or an error of the system; [`StoreError::Unfit`] for a path that leaves the world directory.
    pub fn read_verified(&self, artefact: &Artefact) -> Result<Vec<u8>, StoreError> {
        self.world.read_verified(artefact)
    }

    /// Where an artefact lies.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] for a path that leaves the world directory.
    pub fn path(&self, artefact: &Artefact) -> Result<PathBuf, StoreError> {
        self.world.artefact(artefact)
    }

    /// Writes an artefact under a name of its place and content; where it is already there, nothing is written.
    ///
    /// # Errors
    /// [`StoreError::DiskFull`] or another error of the system, and no file of that name; [`StoreError::Unfit`] for a field
    /// whose name cannot be a folder's.
    pub fn put(
        &mut self,
        stage: &Stage,
        x: i64,
        y: i64,
        bytes: &[u8],
    ) -> Result<Artefact, StoreError> {
        let folder = self.stage_folder(stage)?;
        let digest = content_digest(bytes);
        let file = format!(
            "{folder}/{}.{digest}.{}",
            place_name(x, y),
            stage.extension()
        );
        let artefact = Artefact {
            x,
            y,
            file,
            digest,
            bytes: bytes.len() as u64,
        };
        let is_there = self.holds(&artefact)?;
        if !is_there {
            self.world
                .files
                .write_whole(&self.world.join(&artefact.file), bytes)?;
        }
        if !is_there || !self.is_settled(&artefact.file) {
            self.fresh.insert(artefact.file.clone());
        }
        Ok(artefact)
    }

    /// Whether an artefact is there already, whole.
    fn holds(&self, artefact: &Artefact) -> Result<bool, StoreError> {
        if !self.world.has(artefact)? {
            return Ok(false);
        }
        match self.world.read_verified(artefact) {
            Ok(_) => Ok(true),
            Err(error) if error.is_damage() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a file would survive a power cut.
    pub(super) fn is_settled(&self, file: &str) -> bool {
        let is_named = self.settled.contains(file) || self.named.holds(file);
        is_named && !self.fresh.contains(file)
    }

    fn stage_folder(&mut self, stage: &Stage) -> Result<String, StoreError> {
        let folder = stage.folder();
        if let Stage::Field(name) = stage {
            check_field(name)?;
            let path = self.world.join(&folder);
            if self.world.files.stat(&path)? != Some(Stat::Folder) {
                self.fresh_folders
                    .extend(self.world.files.create_folders(&path)?);
            }
        }
        Ok(folder)
    }

    /// Notes a job that is done, and whose files were [put](WorldWriter::put).
    ///
    /// Once it is [acknowledged](WorldWriter::n_acknowledged), which takes a second at most while notes go on, the next writer
    /// finds it among the [known](WorldWriter::known), also after a power cut.
    ///
    /// # Errors
    /// As [`WorldWriter::settle`].
    pub fn note(&mut self, entry: &Entry) -> Result<(), StoreError> {
        let files = entry.files.iter().map(|(_, artefact)| &artefact.file);
        let unsettled: Vec<String> = files
            .filter(|file| !self.is_settled(file))
            .cloned()
            .collect();
        self.fresh.extend(unsettled);
        self.journal.push(entry);
        if self.fresh.len() >= GROUP_FILES || self.journal.is_due() {
            self.settle()?;
        }
        Ok(())
    }

    /// Waits until all that was put would survive a power cut, and acknowledges all that was noted.
    ///
    /// # Errors
    /// [`StoreError::DiskFull`] or another error of the system; after it the writer writes nothing more, and says so by
    /// [`StoreError::AfterFailure`].
    pub fn settle(&mut self) -> Result<(), StoreError> {
        self.or_fail(|writer| {
            writer.sync_fresh()?;
            writer.journal.acknowledge(&writer.world)
        })
    }

    /// How many jobs are acknowledged since the current revision, those of an unfinished bake included.
    pub fn n_acknowledged(&self) -> usize {
        self.journal.n_acknowledged()
    }

    /// Does what the writer cannot go on after, should it fail: the system may take a second sync for one of nothing.
    pub(super) fn or_fail<T>(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.has_failed {
            let path = self.world.path.clone();
            return Err(StoreError::AfterFailure { path });
        }
        let done = step(self);
        self.has_failed = done.is_err();
        done
    }

    /// Syncs what was put and not synced yet, and the folders.
    pub(super) fn sync_fresh(&mut self) -> Result<(), StoreError> {
        let mut folders = std::mem::take(&mut self.fresh_folders);
        for file in &self.fresh {
            let path = self.world.join(file);
            let n_bytes = self.world.files.length(&path)?.unwrap_or(0);
            self.world.files.sync(&path, n_bytes)?;
            folders.extend(path.parent().map(Path::to_owned));
        }
        if folders
            .iter()
            .any(|folder| folder.starts_with(self.world.join(FIELDS)))
        {
            folders.insert(self.world.join(FIELDS));
        }
        for folder in &folders {
            self.world.files.sync_folder(folder)?;
        }
        self.settled.extend(std::mem::take(&mut self.fresh));
        Ok(())
    }

    /// Whether an artefact was there, with its length, so shortly ago that it need not be looked for again.
    pub(super) fn has_just_seen(&self, file: &str) -> bool {
        /// What an edit takes at the most; over a long bake, somebody may tidy up.
        const SHORTLY: Duration = Duration::from_secs(5);
        let is_fresh = self.seen_at.is_some_and(|at| at.elapsed() < SHORTLY);
        is_fresh && self.seen.contains(file)
    }

    /// Counts a file among those that are to be synced.
    pub(super) fn must_sync(&mut self, file: &str) {
        self.fresh.insert(file.to_owned());
    }
}

/// Refuses a field's name that is not safe as a folder's on every system, or whose mosaic would be another stage's.
pub(super) fn check_field(name: &str) -> Result<(), StoreError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let safe = name.chars().all(plain) && !name.starts_with('.');
    if safe && !["", "weights", "sdf"].contains(&name) {
        return Ok(());
    }
    let reason = "expected letters, digits, '.', '_' and '-', and neither weights nor sdf";
    Err(StoreError::unfit(format!("the field {name:?}"), reason))
}
