//! A TIFF's skeleton: its header and its image file directory, classic or BigTIFF.
//!
//! Always little-endian, so a file has the same bytes on every machine; and the directory comes last, so pixels can
//! stream out before it.

use std::collections::BTreeMap;

/// How wide a TIFF's offsets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// 32-bit offsets: files below 4 GiB.
    Classic,
    /// 64-bit offsets.
    Big,
}

impl Layout {
    /// The header of a file whose directory lies at `directory`.
    pub(crate) fn header(self, directory: u64) -> Vec<u8> {
        let mut out = b"II".to_vec();
        match self {
            Self::Classic => {
                out.extend(42_u16.to_le_bytes());
                out.extend((directory as u32).to_le_bytes());
            }
            Self::Big => {
                out.extend(43_u16.to_le_bytes());
                out.extend(8_u16.to_le_bytes());
                out.extend(0_u16.to_le_bytes());
                out.extend(directory.to_le_bytes());
            }
        }
        out
    }

    fn put_offset(self, value: u64, out: &mut Vec<u8>) {
        match self {
            Self::Classic => out.extend((value as u32).to_le_bytes()),
            Self::Big => out.extend(value.to_le_bytes()),
        }
    }

    fn offset_bytes(self) -> usize {
        match self {
            Self::Classic => 4,
            Self::Big => 8,
        }
    }
}

struct Entry {
    kind: u16,
    count: u64,
    bytes: Vec<u8>,
}

/// Tags and their values, sorted by tag as TIFF asks.
#[derive(Default)]
pub(crate) struct Directory {
    entries: BTreeMap<u16, Entry>,
}

impl Directory {
    fn put<const N: usize>(&mut self, tag: u16, kind: u16, values: impl Iterator<Item = [u8; N]>) {
        let bytes: Vec<u8> = values.flatten().collect();
        let count = (bytes.len() / N) as u64;
        self.entries.insert(tag, Entry { kind, count, bytes });
    }

    /// 16-bit values.
    pub(crate) fn shorts(&mut self, tag: u16, values: &[u16]) {
        self.put(tag, 3, values.iter().map(|v| v.to_le_bytes()));
    }

    /// 32-bit values.
    pub(crate) fn longs(&mut self, tag: u16, values: &[u32]) {
        self.put(tag, 4, values.iter().map(|v| v.to_le_bytes()));
    }

    /// 64-bit values, for BigTIFF only.
    pub(crate) fn long8s(&mut self, tag: u16, values: &[u64]) {
        self.put(tag, 16, values.iter().map(|v| v.to_le_bytes()));
    }

    /// 64-bit reals.
    pub(crate) fn doubles(&mut self, tag: u16, values: &[f64]) {
        self.put(tag, 12, values.iter().map(|v| v.to_le_bytes()));
    }

    /// A text, in UTF-8 as GDAL has it.
    pub(crate) fn text(&mut self, tag: u16, value: &str) {
        let text = value.trim_end_matches('\0');
        self.put(tag, 2, text.bytes().chain([0]).map(|b| [b]));
    }

    /// The directory's bytes for a file in which it starts at `at`, values that do not fit their entry behind it.
    pub(crate) fn encode(&self, layout: Layout, at: u64) -> Vec<u8> {
        let (count_bytes, entry_bytes) = match layout {
            Layout::Classic => (2, 12),
            Layout::Big => (8, 20),
        };
        let mut table = match layout {
            Layout::Classic => (self.entries.len() as u16).to_le_bytes().to_vec(),
            Layout::Big => (self.entries.len() as u64).to_le_bytes().to_vec(),
        };
        let table_bytes = count_bytes + entry_bytes * self.entries.len() + layout.offset_bytes();
        let mut values = Vec::new();
        for (tag, entry) in &self.entries {
            table.extend(tag.to_le_bytes());
            table.extend(entry.kind.to_le_bytes());
            layout.put_offset(entry.count, &mut table);
            if entry.bytes.len() <= layout.offset_bytes() {
                table.extend(&entry.bytes);
                table.resize(table.len() + layout.offset_bytes() - entry.bytes.len(), 0);
            } else {
                let pad = (at as usize + table_bytes + values.len()).wrapping_neg() % 8;
                values.resize(values.len() + pad, 0);
                layout.put_offset(at + (table_bytes + values.len()) as u64, &mut table);
                values.extend(&entry.bytes);
            }
        }
        layout.put_offset(0, &mut table);
        table.extend(values);
        table
    }
}
