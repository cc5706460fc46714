//! The chain of digests: `current` holds the digest of a revision's `sums`, which hold those of the revision's files, of which
//! `world.json` holds those of the artefacts. The ledger is apart: each of its lines carries its own.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::folder::{CURRENT, SUMS, WORLD_JSON, WorldFolder};
use crate::manifest::layout::FileNames;
use crate::{Digest, Manifest, StoreError};

/// What `current` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Current {
    /// The revision that counts.
    pub revision: u64,
    /// The digest of its sums.
    pub sums: Digest,
}

impl Current {
    /// The file's text.
    pub fn text(&self) -> String {
        format!("{} {}\n", self.revision, self.sums)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (revision, sums) = text.trim_end().split_once(' ')?;
        let current = Self {
            revision: revision.parse().ok()?,
            sums: sums.parse().ok()?,
        };
        // To the letter: digits can be written in more than one way.
        (current.text() == text).then_some(current)
    }
}

/// The digests of a revision's files, as `b3sum --check` reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums(BTreeMap<String, String>);

fn sum(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl Sums {
    /// Takes a file in.
    pub fn add(&mut self, name: &str, bytes: &[u8]) {
        self.0.insert(name.to_owned(), sum(bytes));
    }

    /// The file's text: 64 hex digits, two spaces and a name on each line.
    pub fn text(&self) -> String {
        let line = |(name, sum): (&String, &String)| format!("{sum}  {name}\n");
        self.0.iter().map(line).collect()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let line = |line: &str| {
            let (sum, name) = line.split_once("  ")?;
            Some((name.to_owned(), sum.to_owned()))
        };
        text.lines().map(line).collect::<Option<_>>().map(Self)
    }

    /// The names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether these are the bytes of a file.
    pub fn agree(&self, name: &str, bytes: &[u8]) -> bool {
        self.0
            .get(name)
            .is_some_and(|expected| *expected == sum(bytes))
    }
}

fn missing(path: &Path) -> StoreError {
    StoreError::damaged(path, "the file is missing")
}

impl WorldFolder {
    /// What `current` says; `None` where nothing was committed yet.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] or an error of the system.
    pub fn read_current(&self) -> Result<Option<Current>, StoreError> {
        let path = self.join(CURRENT);
        let Some(bytes) = self.files.read(&path)? else {
            return Ok(None);
        };
        let wrong = || {
            let reason = "expected a revision's number, a space and 32 hex digits";
            StoreError::damaged(&path, reason)
        };
        Current::parse(&bytes).map(Some).ok_or_else(wrong)
    }

    /// The sums of a revision and their digest; `current` knows which digest they ought to have.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] or an error of the system.
    pub fn read_sums(
        &self,
        revision: u64,
        expected: Option<Digest>,
    ) -> Result<(Sums, Digest), StoreError> {
        let path = self.revision(revision).join(SUMS);
        let bytes = self.files.read(&path)?.ok_or_else(|| missing(&path))?;
        let digest = Digest::of(&bytes);
        if let Some(expected) = expected.filter(|&expected| expected != digest) {
            let reason = format!("`current` expects digest {expected}, found {digest}");
            return Err(StoreError::damaged(&path, reason));
        }
        let wrong = || StoreError::damaged(&path, "expected a digest and a name on each line");
        Ok((Sums::parse(&bytes).ok_or_else(wrong)?, digest))
    }

    /// A file of a revision's folder, checked against the revision's sums.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] or an error of the system.
    pub fn read_own(&self, revision: u64, sums: &Sums, name: &str) -> Result<Vec<u8>, StoreError> {
        let path = self.revision(revision).join(name);
        let bytes = self.files.read(&path)?.ok_or_else(|| missing(&path))?;
        if sums.agree(name, &bytes) {
            return Ok(bytes);
        }
        let reason = "it is not what the sums of its revision say";
        Err(StoreError::damaged(&path, reason))
    }

    /// The manifest of a revision, checked against its sums.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], [`StoreError::WrongVersion`] or an error of the system.
    pub fn read_manifest(&self, revision: u64, sums: &Sums) -> Result<Manifest, StoreError> {
        let bytes = self.read_own(revision, sums, WORLD_JSON)?;
        let path = self.revision(revision).join(WORLD_JSON);
        Manifest::from_json(&bytes, &path.display().to_string())
    }

    /// The files that a revision names whose sums hold, whatever `current` says of them.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], [`StoreError::Corrupt`] or an error of the system.
    pub fn read_names(&self, revision: u64) -> Result<HashSet<String>, StoreError> {
        let (sums, _) = self.read_sums(revision, None)?;
        let bytes = self.read_own(revision, &sums, WORLD_JSON)?;
        let path = self.revision(revision).join(WORLD_JSON);
        let names: FileNames = serde_json::from_slice(&bytes)
            .map_err(|why| StoreError::corrupt(&path.display().to_string(), 0, why.to_string()))?;
        Ok(names.into_all().collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn current_is_read_to_the_letter() {
        let current = Current {
            revision: 17,
            sums: Digest::of(b"sums"),
        };
        let text = current.text();
        assert_eq!(Current::parse(text.as_bytes()), Some(current));
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut flipped = text.clone().into_bytes();
                flipped[at] ^= 1 << bit;
                assert_ne!(
                    Current::parse(&flipped),
                    Some(current),
                    "byte {at}, bit {bit}"
                );
            }
        }
        for other in [
            "",
            "17",
            "17\n",
            "one",
            &text.to_uppercase(),
            &format!("0{text}"),
        ] {
            assert_eq!(Current::parse(other.as_bytes()), None, "{other:?}");
        }
    }

    #[test]
    fn sums_come_back() {
        let mut sums = Sums::default();
        sums.add("world.json", b"{}");
        sums.add("a b.vrt", b"");
        assert_eq!(Sums::parse(sums.text().as_bytes()), Some(sums.clone()));
        assert!(sums.agree("world.json", b"{}") && !sums.agree("world.json", b"[]"));
        assert!(!sums.agree("missing", b"{}"));
        assert_eq!(Sums::parse(b"no sums\n"), None);
    }
}
