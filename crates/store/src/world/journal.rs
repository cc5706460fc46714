//! The journal: the jobs of an unfinished bake that are done and whose files are safe, one checksummed line for each.
//!
//! Its first line names the revision that it builds upon. A commit makes it obsolete, and drops it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::chain::Current;
use super::folder::{JOURNAL, WorldFolder};
use crate::{Entry, StoreError, ledger};

/// The version of the journal that this program writes and reads.
const VERSION: u32 = 1;

/// How long a job that is done may wait for others to be settled with.
const PATIENCE: Duration = Duration::from_secs(1);

/// Bytes of lines that may wait.
const PENDING_BYTES: usize = 1 << 16;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    journal: u32,
    /// Nothing before the first commit.
    upon: Option<Current>,
}

/// What a journal on disk holds.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Whole entries.
    pub entries: Vec<Entry>,
    /// Lines that a power cut tore, or that rotted.
    pub n_torn: usize,
    /// Whether it builds upon another revision than the current one.
    pub is_obsolete: bool,
}

impl Found {
    fn parse(bytes: &[u8], upon: Option<Current>) -> Self {
        let mut found = Self::default();
        let mut lines = ledger::lines(bytes).map(|(_, line)| line);
        if let Some(line) = lines.next() {
            match ledger::read_line::<Header>(line) {
                Some(header) => found.is_obsolete = header != Header::upon(upon),
                None => found.n_torn += 1,
            }
        }
        for line in lines {
            match ledger::read_line(line) {
                Some(entry) => found.entries.push(entry),
                None => found.n_torn += 1,
            }
        }
        found
    }
}

impl Header {
    fn upon(upon: Option<Current>) -> Self {
        Self {
            journal: VERSION,
            upon,
        }
    }

    fn line(&self) -> Vec<u8> {
        let mut line = Vec::new();
        ledger::put_line(self, &mut line);
        line
    }
}

/// The journal of a writer.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    upon: Option<Current>,
    /// Whether the file is there, with its header.
    exists: bool,
    /// Lines that are not in the file yet.
    pending: Vec<u8>,
    n_pending: usize,
    since: Option<Instant>,
    n_acknowledged: usize,
}

impl Journal {
    /// Reads what a killed bake left; `None` where there is no journal.
    pub fn find(world: &WorldFolder, upon: Option<Current>) -> Result<Option<Found>, StoreError> {
        let bytes = world.files.read(&world.join(JOURNAL))?;
        Ok(bytes.map(|bytes| Found::parse(&bytes, upon)))
    }

    /// Goes on with these entries of an earlier writer, whose file is whole.
    pub fn resume(world: &WorldFolder, upon: Option<Current>, n_found: Option<usize>) -> Self {
        Self {
            path: world.join(JOURNAL),
            upon,
            exists: n_found.is_some(),
            pending: Vec::new(),
            n_pending: 0,
            since: None,
            n_acknowledged: n_found.unwrap_or(0),
        }
    }

    /// Replaces the file by the whole ones of its lines.
    pub fn rewrite(
        world: &WorldFolder,
        upon: Option<Current>,
        entries: &[Entry],
    ) -> Result<(), StoreError> {
        let mut bytes = Header::upon(upon).line();
        bytes.extend(ledger::to_bytes(entries));
        world.files.write_synced(&world.join(JOURNAL), &bytes)?;
        world.files.sync_folder(&world.path)
    }

    /// Removes a journal that nobody goes on with.
    pub fn discard(world: &WorldFolder) -> Result<(), StoreError> {
        world.files.remove(&world.join(JOURNAL))
    }

    /// Adds an entry to those that wait.
    pub fn push(&mut self, entry: &Entry) {
        ledger::put_line(entry, &mut self.pending);
        self.n_pending += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    /// Whether those that wait have waited long enough, or are many.
    pub fn is_due(&self) -> bool {
        let waited = self.since.is_some_and(|since| since.elapsed() >= PATIENCE);
        waited || self.pending.len() >= PENDING_BYTES
    }

    /// Writes the lines of entries whose files are safe; from then on they are acknowledged.
    pub fn acknowledge(&mut self, world: &WorldFolder) -> Result<(), StoreError> {
        if self.n_pending == 0 {
            return Ok(());
        }
        if self.exists {
            world.files.append(&self.path, &self.pending)?;
            world.files.sync(&self.path, self.pending.len() as u64)?;
        } else {
            // Whole from the start: a journal that lost its first line would not say what it builds upon.
            let mut bytes = Header::upon(self.upon).line();
            bytes.extend_from_slice(&self.pending);
            world.files.write_synced(&self.path, &bytes)?;
            self.exists = true;
        }
        // Also what `current` names becomes safe by this, upon which the journal builds.
        world.files.sync_folder(&world.path)?;
        self.n_acknowledged += self.n_pending;
        self.pending.clear();
        self.n_pending = 0;
        self.since = None;
        Ok(())
    }

    /// How many entries are acknowledged.
    pub fn n_acknowledged(&self) -> usize {
        self.n_acknowledged
    }

    /// What it builds upon.
    pub fn upon(&self) -> Option<Current> {
        self.upon
    }

    /// Removes the file, and starts anew upon a revision; whether there was a file.
    pub fn drop(&mut self, world: &WorldFolder, upon: Option<Current>) -> Result<bool, StoreError> {
        let exists = std::mem::take(&mut self.exists);
        *self = Self::resume(world, upon, None);
        if exists {
            Self::discard(world)?;
        }
        Ok(exists)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{Digest, Fingerprint, JobKey, JobKind, KeptFacts};

    fn entry(x: i64) -> Entry {
        Entry {
            job: JobKey {
                kind: JobKind::Sdf,
                x,
                y: 0,
            },
            fingerprint: Fingerprint::default(),
            sight: Digest::default(),
            files: vec![],
            plants: vec![],
            facts: KeptFacts::default(),
            cpu_us: 0,
        }
    }

    fn journal() -> Vec<u8> {
        let mut bytes = Header::upon(None).line();
        bytes.extend(ledger::to_bytes(&[entry(1), entry(2), entry(3)]));
        bytes
    }

    #[test]
    fn a_cut_at_any_byte_costs_the_lines_behind_it() {
        let bytes = journal();
        for at in 0..=bytes.len() {
            let found = Found::parse(&bytes[..at], None);
            let n_whole = bytes[..at].iter().filter(|&&b| b == b'\n').count();
            assert_eq!(found.entries.len(), n_whole.saturating_sub(1), "{at}");
            assert!(!found.is_obsolete, "{at}");
            let cut_in_line = at > 0 && bytes[at - 1] != b'\n';
            assert_eq!(found.n_torn, usize::from(cut_in_line), "{at}");
        }
    }

    #[test]
    fn a_flipped_bit_costs_its_line_and_is_noticed() {
        let bytes = journal();
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            let found = Found::parse(&flipped, None);
            assert!(found.n_torn > 0, "{at}");
            // A line break that is none any more takes the line behind it too.
            let at_break = bytes[at] == b'\n';
            assert!(found.entries.len() >= if at_break { 1 } else { 2 }, "{at}");
        }
    }

    #[test]
    fn a_journal_upon_another_revision_is_obsolete() {
        let current = Current {
            revision: 1,
            sums: Digest::of(b""),
        };
        assert!(Found::parse(&journal(), Some(current)).is_obsolete);
    }
}
