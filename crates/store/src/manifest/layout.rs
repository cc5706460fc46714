//! JSON with one line for each item of a list: small enough for thousands of tiles, and readable by people and by `diff`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::ser::Formatter;

use crate::{Artefact, ChunkArtefact};

/// Breaks lines down to this depth: the object, its lists.
const OPEN_DEPTH: usize = 2;

#[derive(Default)]
struct Lines {
    depth: usize,
    /// Whether the innermost list or object has an item.
    filled: bool,
}

impl Lines {
    fn open<W: Write + ?Sized>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        out.write_all(bracket)
    }

    fn close<W: Write + ?Sized>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.filled && self.depth < OPEN_DEPTH {
            self.line(out)?;
        }
        self.filled = true;
        out.write_all(bracket)
    }

    fn item<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        if self.depth <= OPEN_DEPTH {
            self.line(out)?;
        }
        Ok(())
    }

    fn line<W: Write + ?Sized>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        out.write_all(&b"    "[..self.depth.min(4)])
    }
}

impl Formatter for Lines {
    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(if self.depth <= OPEN_DEPTH {
            b": "
        } else {
            b":"
        })
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }
}

/// A chunk's line as it is read: a flattened record would be held aside and read twice, for thousands of them.
#[derive(Deserialize)]
pub(crate) struct ChunkLine {
    x: i64,
    y: i64,
    file: String,
    digest: String,
    bytes: u64,
    plants: Vec<u64>,
}

impl From<ChunkLine> for ChunkArtefact {
    fn from(line: ChunkLine) -> Self {
        Self {
            artefact: Artefact {
                x: line.x,
                y: line.y,
                file: line.file,
                digest: line.digest,
                bytes: line.bytes,
            },
            plants: line.plants,
        }
    }
}

/// The files that a manifest names, and nothing else of it.
#[derive(Deserialize)]
pub(crate) struct FileNames {
    weights: Vec<FileName>,
    sdf: Vec<FileName>,
    chunks: Vec<FileName>,
    #[serde(default)]
    edits: Vec<EditFiles>,
    #[serde(default)]
    fields: BTreeMap<String, FieldNames>,
}

#[derive(Deserialize)]
struct FileName {
    file: String,
}

/// An edit has a raster, shares beside it, or no file at all.
#[derive(Deserialize)]
struct EditFiles {
    file: Option<String>,
    shares: Option<FileName>,
}

#[derive(Deserialize)]
struct FieldNames {
    tiles: Vec<FileName>,
}

impl FileNames {
    /// Every one of them.
    pub(crate) fn into_all(self) -> impl Iterator<Item = String> {
        let fields = self.fields.into_values().flat_map(|field| field.tiles);
        let edits = self.edits.into_iter();
        let edits =
            edits.flat_map(|edit| edit.file.into_iter().chain(edit.shares.map(|own| own.file)));
        let stages = [self.weights, self.sdf, self.chunks];
        let files = stages.into_iter().flatten().chain(fields);
        files.map(|name| name.file).chain(edits)
    }
}

/// The value as JSON text that ends with a line break.
pub(crate) fn to_lines(value: &impl Serialize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Lines::default());
    value
        .serialize(&mut serializer)
        .expect("records of numbers, texts and lists always have a JSON form");
    out.push(b'\n');
    out
}
