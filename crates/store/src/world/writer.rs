//! The one writer of a world: takes the lock, puts artefacts.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::{
    JOURNAL, LEDGER, collect, current_revision, place_name, read_manifest, revision_folder,
};
use crate::{Artefact, Entry, Manifest, Stage, StoreError, content_digest, disk, ledger};

/// Writes artefacts into a world and commits revisions; there is one at a time.
///
/// Nothing it puts is visible before [`WorldWriter::commit`]: dropped or killed at any instant, it leaves the current revision
/// as it was.
#[derive(Debug)]
pub struct WorldWriter {
    pub(super) dir: PathBuf,
    pub(super) current: Option<Manifest>,
    /// Held as long as the writer lives; the system lets go of it with the process.
    _lock: File,
}

impl WorldWriter {
    /// Opens or founds the world in `dir`, takes its lock and sweeps what a killed writer left unfinished.
    ///
    /// # Errors
    /// [`StoreError::Locked`] names the process that holds it; [`StoreError::Corrupt`] or an error of the system.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        disk::create_folder(dir)?;
        let lock = lock(&dir.join("lock"))?;
        for folder in ["rev", "weights", "sdf", "vegetation", "edits"] {
            disk::create_folder(&dir.join(folder))?;
        }
        collect::sweep_temporaries(dir)?;
        let current = match current_revision(dir)? {
            None => None,
            Some(number) => {
                let path = revision_folder(dir, number).join(super::WORLD_JSON);
                let missing = || {
                    let reason = "the current revision has no manifest";
                    StoreError::corrupt(&path.display().to_string(), 0, reason)
                };
                Some(read_manifest(&path)?.ok_or_else(missing)?)
            }
        };
        Ok(Self {
            dir: dir.to_owned(),
            current,
            _lock: lock,
        })
    }

    /// The current revision; `None` before the first commit.
    pub fn current(&self) -> Option<&Manifest> {
        self.current.as_ref()
    }

    /// Jobs that are done and whose files are there: of the journal of an unfinished bake, of the current revision, and of the
    /// one before it, in this order. A job may occur more than once, with different fingerprints.
    ///
    /// # Errors
    /// An error of the system.
    pub fn known(&self) -> Result<Vec<Entry>, StoreError> {
        let number = self.current.as_ref().map_or(0, |current| current.revision);
        let kept = [number, number.saturating_sub(1)];
        let ledgers = kept.map(|number| revision_folder(&self.dir, number).join(LEDGER));
        let mut known = Vec::new();
        for path in [self.dir.join(JOURNAL)].iter().chain(&ledgers) {
            let bytes = disk::read(path)?.unwrap_or_default();
            known.extend(ledger::read_lines(&bytes).0);
        }
        known.retain(|entry| entry.files.iter().all(|(_, file)| self.is_there(file)));
        Ok(known)
    }

    /// Whether an artefact's file is there, with its length.
    fn is_there(&self, artefact: &Artefact) -> bool {
        let found = self.path(artefact).map(std::fs::metadata);
        matches!(found, Ok(Ok(found)) if found.len() == artefact.bytes)
    }

    /// Notes a job that is done, and whose files were [put](WorldWriter::put): a bake that goes on after this one was killed
    /// finds it among the [known](WorldWriter::known).
    ///
    /// # Errors
    /// [`StoreError::DiskFull`] or another error of the system.
    pub fn note(&mut self, entry: &Entry) -> Result<(), StoreError> {
        let mut line = Vec::new();
        entry.put_line(&mut line);
        disk::append(&self.dir.join(JOURNAL), &line)
    }

    /// Where an artefact lies.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] for a path that leaves the world directory.
    pub fn path(&self, artefact: &Artefact) -> Result<PathBuf, StoreError> {
        super::artefact_path(&self.dir, artefact)
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
        let name = format!("{}.{digest}.{}", place_name(x, y), stage.extension());
        let path = folder.join(&name);
        let artefact = Artefact {
            x,
            y,
            file: format!("{}/{name}", stage.folder()),
            digest,
            bytes: bytes.len() as u64,
        };
        if !self.holds(&artefact)? {
            // A damaged file of this name may belong to the current revision, which no commit syncs again.
            disk::write_whole(&path, bytes, path.exists())?;
        }
        Ok(artefact)
    }

    /// Whether an artefact is there already, whole; a killed bake leaves many.
    fn holds(&self, artefact: &Artefact) -> Result<bool, StoreError> {
        let path = self.path(artefact)?;
        match std::fs::metadata(&path) {
            Ok(found) if found.is_file() && found.len() == artefact.bytes => {
                let bytes = disk::read(&path)?;
                Ok(bytes.is_some_and(|bytes| content_digest(&bytes) == artefact.digest))
            }
            _ => Ok(false),
        }
    }

    fn stage_folder(&self, stage: &Stage) -> Result<PathBuf, StoreError> {
        let folder = self.dir.join(stage.folder());
        if let Stage::Field(name) = stage {
            check_field(name)?;
            if !folder.is_dir() {
                disk::create_folder(&folder)?;
            }
        }
        Ok(folder)
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

/// Takes the lock and writes into it who has it.
fn lock(path: &Path) -> Result<File, StoreError> {
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .write(true)
        .truncate(false)
        .open(path)
        .map_err(StoreError::io("open", path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // Where the lock also forbids reading, the holder stays nameless.
            let _ = file.read_to_string(&mut holder);
            let holder = Some(holder.trim().to_owned()).filter(|text| !text.is_empty());
            return Err(StoreError::Locked {
                path: path.to_owned(),
                holder: holder.unwrap_or_else(|| "another process".to_owned()),
            });
        }
        Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", path)(error)),
    }
    let holder = format!("process {} on {}\n", std::process::id(), host());
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| file.write_all(holder.as_bytes()))
        .map_err(StoreError::writing(path, holder.len() as u64))?;
    Ok(file)
}

/// The machine's name, for people.
fn host() -> String {
    let from_system = ["/proc/sys/kernel/hostname", "/etc/hostname"]
        .iter()
        .find_map(|path| std::fs::read_to_string(path).ok());
    let from_shell = || {
        ["HOSTNAME", "COMPUTERNAME"]
            .iter()
            .find_map(|key| std::env::var(key).ok())
    };
    let name = from_system.or_else(from_shell).unwrap_or_default();
    match name.trim() {
        "" => "an unnamed host".to_owned(),
        name => name.to_owned(),
    }
}
