//! The ledger: what every job of a world read and made, one checksummed line for each.
//!
//! A bake adds lines to the world's journal as its jobs are done, and a revision keeps the lines of all of its jobs. A line that
//! rotted is no line: its job is done again.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Artefact, Facts, Stage};

/// 128 bits of BLAKE3: what something is, whatever it is called.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(into = "String", try_from = "String")]
pub struct Digest([u8; 16]);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::finish(blake3::Hasher::new().update(bytes))
    }

    /// The digest of all that a hasher was fed.
    pub fn finish(hasher: &blake3::Hasher) -> Self {
        let hash = hasher.finalize();
        let half = hash.as_bytes().first_chunk();
        Self(*half.expect("a hash has 32 bytes"))
    }

    /// Its bytes, to be fed into another digest.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Digest {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected 32 hex digits";
        let mut bytes = [0; 16];
        if text.len() != 32 || !text.is_ascii() {
            return Err(EXPECTED);
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| EXPECTED)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| EXPECTED)?;
        }
        Ok(Self(bytes))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// What a job makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobKind {
    /// The weights of a tile, and its optional fields.
    Strata,
    /// The distances of a tile.
    Sdf,
    /// The plants of a chunk.
    Plants,
}

/// A job by kind and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobKey {
    /// What it makes.
    pub kind: JobKind,
    /// Column of its tile, or of its chunk.
    pub x: i64,
    /// Row of its tile from the north, or of its chunk growing north.
    pub y: i64,
}

/// What decides a job's result: where both are as they were, so is the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The program's format and the part of the config that the job's stage reads.
    pub rules: Digest,
    /// The content that the job read, and no more than it read.
    pub reads: Digest,
}

/// A job that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Which one.
    #[serde(flatten)]
    pub job: JobKey,
    /// What decided its result.
    #[serde(flatten)]
    pub fingerprint: Fingerprint,
    /// What its inputs were called: stamps of files, and digests of the artefacts that it read. A hint: where it is as it was,
    /// the fingerprint's `reads` need not be worked out again.
    pub sight: Digest,
    /// The files it made; a chunk without plants has none.
    pub files: Vec<(Stage, Artefact)>,
    /// Plants of each species, of a chunk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plants: Vec<u64>,
    /// What it counted, for reports.
    #[serde(default)]
    pub facts: Facts,
    /// Processor time that it took, in microseconds.
    pub cpu_us: u64,
}

/// Hex digits of a line's checksum.
const CHECKSUM: usize = 16;

fn checksum(text: &[u8]) -> String {
    blake3::hash(text).to_hex()[..CHECKSUM].to_owned()
}

impl Entry {
    /// Adds its line: a checksum, a space, JSON, and a line break.
    pub(crate) fn put_line(&self, out: &mut Vec<u8>) {
        let json = serde_json::to_vec(self)
            .expect("records of numbers, texts and lists always have a JSON form");
        out.extend_from_slice(checksum(&json).as_bytes());
        out.push(b' ');
        out.extend_from_slice(&json);
        out.push(b'\n');
    }

    /// Reads a line without its line break; `None` where it is torn or rotten.
    fn from_line(line: &[u8]) -> Option<Self> {
        let (sum, rest) = line.split_at_checked(CHECKSUM)?;
        let json = rest.strip_prefix(b" ")?;
        if checksum(json).as_bytes() != sum {
            return None;
        }
        serde_json::from_slice(json).ok()
    }
}

/// The whole entries of a ledger's bytes, and how many lines were torn or rotten.
pub(crate) fn read_lines(bytes: &[u8]) -> (Vec<Entry>, usize) {
    let lines = || bytes.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    let entries: Vec<Entry> = lines().filter_map(Entry::from_line).collect();
    let n_lost = lines().count() - entries.len();
    (entries, n_lost)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn entry() -> Entry {
        Entry {
            job: JobKey {
                kind: JobKind::Plants,
                x: -3,
                y: 7,
            },
            fingerprint: Fingerprint {
                rules: Digest::of(b"rules"),
                reads: Digest::of(b"reads"),
            },
            sight: Digest::default(),
            files: vec![(
                Stage::Field("slope".into()),
                Artefact {
                    x: -3,
                    y: 7,
                    file: "fields/slope/x".into(),
                    digest: "d".into(),
                    bytes: 9,
                },
            )],
            plants: vec![1, 2],
            facts: Facts::default(),
            cpu_us: 12,
        }
    }

    #[test]
    fn an_entry_survives_its_line_and_a_flipped_bit_does_not() {
        let mut bytes = Vec::new();
        entry().put_line(&mut bytes);
        assert_eq!(read_lines(&bytes), (vec![entry()], 0));
        for at in 0..bytes.len() - 1 {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                assert!(read_lines(&flipped).0.is_empty(), "byte {at}, bit {bit}");
            }
            assert!(read_lines(&bytes[..at]).0.is_empty(), "cut at {at}");
        }
    }

    #[test]
    fn a_digest_is_its_hex() {
        let digest = Digest::of(b"x");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        for text in ["", "0g", &"é".repeat(16), &"0".repeat(33)] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
