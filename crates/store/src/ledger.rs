//! The ledger: what every job of a world read and made, one checksummed line for each.
//!
//! A bake adds lines to the world's journal as its jobs are done, and a revision keeps the lines of all of its jobs. A line that
//! rotted is no line: its job is done again.

use std::collections::HashSet;
use std::fmt::{self, Write};
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Artefact, KeptFacts, Stage, StoreError};

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
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let hex = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        hex.map(|digit| char::from(DIGITS[usize::from(digit)]))
            .try_for_each(|digit| f.write_char(digit))
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
    pub job: JobKey,
    /// What decided its result.
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
    pub facts: KeptFacts,
    /// Processor time that it took, in microseconds.
    pub cpu_us: u64,
}

/// Hex digits of a line's checksum.
const CHECKSUM: usize = 16;

fn checksum(text: &[u8]) -> [u8; CHECKSUM] {
    let hex = blake3::hash(text).to_hex();
    *hex.as_bytes()
        .first_chunk()
        .expect("a hash has 64 hex digits")
}

/// Adds a record's line: a checksum, a space, JSON, and a line break.
pub(crate) fn put_line(record: &impl Serialize, out: &mut Vec<u8>) {
    let json = serde_json::to_vec(record)
        .expect("records of numbers, texts and lists always have a JSON form");
    out.extend_from_slice(&checksum(&json));
    out.push(b' ');
    out.extend_from_slice(&json);
    out.push(b'\n');
}

/// The JSON of a line with its line break; `None` where it is torn or rotten.
fn json_of(line: &[u8]) -> Option<&[u8]> {
    let (sum, rest) = line.split_at_checked(CHECKSUM)?;
    let json = rest.strip_prefix(b" ")?.strip_suffix(b"\n")?;
    (checksum(json) == sum).then_some(json)
}

/// Reads a line with its line break; `None` where it is torn or rotten.
pub(crate) fn read_line<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Option<T> {
    serde_json::from_slice(json_of(line)?).ok()
}

/// The lines of a ledger's bytes, each with its offset; empty ones are none.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut end = 0;
    let lines = bytes.split_inclusive(|&b| b == b'\n').map(move |line| {
        let offset = end;
        end += line.len() as u64;
        (offset, line)
    });
    lines.filter(|(_, line)| *line != b"\n")
}

/// The whole entries of a ledger's bytes.
pub(crate) fn entries(bytes: &[u8]) -> impl Iterator<Item = Entry> {
    lines(bytes).filter_map(|(_, line)| read_line(line))
}

/// What a ledger's bytes hold beside the lines that were seen before.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// The whole entries.
    pub entries: Vec<Entry>,
    /// Lines that are torn or rotten.
    pub n_rotten: usize,
    /// Where the first of them starts.
    pub first_rotten: Option<u64>,
}

impl News {
    /// What to say of a ledger that is not there.
    pub(crate) fn missing(path: &Path) -> StoreError {
        StoreError::damaged(path, "the file is missing")
    }

    /// What is wrong with the ledger.
    pub(crate) fn damage(&self, path: &Path) -> Option<StoreError> {
        let first = self.first_rotten?;
        let n = self.n_rotten;
        let reason =
            format!("{n} of its lines are not what was written, the first at byte {first}");
        Some(StoreError::damaged(path, reason))
    }
}

/// Reads the lines of a ledger's bytes that are not among those already seen, by their checksums.
pub(crate) fn news(bytes: &[u8], seen: &mut HashSet<[u8; CHECKSUM]>) -> News {
    let mut news = News::default();
    for (offset, line) in lines(bytes) {
        let sum = line.first_chunk();
        if sum.is_some_and(|sum| seen.contains(sum)) {
            continue;
        }
        match sum.zip(read_line(line)) {
            Some((sum, entry)) => {
                seen.insert(*sum);
                news.entries.push(entry);
            }
            None => {
                news.n_rotten += 1;
                news.first_rotten.get_or_insert(offset);
            }
        }
    }
    news
}

/// The bytes of a ledger.
pub(crate) fn to_bytes(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    entries.iter().for_each(|entry| put_line(entry, &mut bytes));
    bytes
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
            facts: KeptFacts::default(),
            cpu_us: 12,
        }
    }

    #[test]
    fn an_entry_survives_its_line_and_a_flipped_bit_does_not() {
        let bytes = to_bytes(&[entry()]);
        assert!(entries(&bytes).eq([entry()]));
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                assert!(entries(&flipped).next().is_none(), "byte {at}, bit {bit}");
                let news = news(&flipped, &mut HashSet::new());
                assert_eq!(news.n_rotten, 1, "byte {at}, bit {bit}");
            }
            assert!(entries(&bytes[..at]).next().is_none(), "cut at {at}");
        }
    }

    #[test]
    fn a_rotten_line_takes_no_other_with_it() {
        let mut bytes = to_bytes(&[entry(), entry(), entry()]);
        let line = bytes.len() / 3;
        bytes[line + 3] ^= 1;
        assert_eq!(entries(&bytes).count(), 2);
        let news = news(&bytes, &mut HashSet::new());
        assert_eq!((news.n_rotten, news.first_rotten), (1, Some(line as u64)));
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
