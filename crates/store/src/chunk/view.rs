//! A chunk file read in place: checked once, then only sliced.

use std::ops::Range;

use super::encode::place;
use super::{
    CELL_STEPS, CHECKSUM_BYTES, CHUNK_VERSION, HEADER_BYTES, MAGIC, PlantRecord, SPECIES_BYTES,
};
use crate::StoreError;

/// A chunk file over borrowed bytes, every offset checked.
#[derive(Clone, Debug)]
pub struct ChunkView<'a> {
    x: i64,
    y: i64,
    size: i64,
    species: Vec<SpeciesView<'a>>,
}

/// One species of a chunk file.
#[derive(Clone, Debug)]
pub struct SpeciesView<'a> {
    name: &'a str,
    size_step: f64,
    variants: Vec<&'a str>,
    n_plants: usize,
    side: usize,
    west: i64,
    south: i64,
    cells: &'a [u8],
    columns: Columns<'a>,
}

/// The columns of a species, as long as it has plants.
#[derive(Clone, Copy, Debug)]
struct Columns<'a> {
    x: &'a [u8],
    y: &'a [u8],
    z_mm: &'a [u8],
    size: &'a [u8],
    yaw: &'a [u8],
    up: &'a [u8],
    variant: &'a [u8],
    tint: &'a [u8],
}

impl<'a> ChunkView<'a> {
    /// Checks the bytes of a chunk file: checksum, version, and every offset.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] or [`StoreError::WrongVersion`]; no bytes make it panic.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, StoreError> {
        let bytes = Unchecked::open(bytes)?;
        let n_species = bytes.u32(12)? as usize;
        let [x, y, size] = [bytes.i64(24)?, bytes.i64(32)?, bytes.i64(40)?];
        let (west, south, side) =
            place(x, y, size).ok_or_else(|| corrupt(24, "expected a chunk's index and size"))?;
        if bytes.u32(48)? != side {
            return Err(corrupt(48, format!("expected {side} cells a side")));
        }
        bytes.block(HEADER_BYTES as u64, n_species, SPECIES_BYTES)?;
        let corner = [west, south];
        let species = (0..n_species)
            .map(|idx| bytes.species(HEADER_BYTES + SPECIES_BYTES * idx, corner, side as usize))
            .collect::<Result<Vec<_>, _>>()?;
        if !species.is_sorted_by(|a, b| a.name < b.name) {
            return Err(corrupt(HEADER_BYTES, "expected species sorted by name"));
        }
        let n_plants: u64 = species.iter().map(|species| species.n_plants as u64).sum();
        if bytes.u64(56)? != n_plants {
            return Err(corrupt(56, format!("expected {n_plants} plants in all")));
        }
        Ok(Self {
            x,
            y,
            size,
            species,
        })
    }

    /// Chunk column and row.
    pub fn index(&self) -> (i64, i64) {
        (self.x, self.y)
    }

    /// Side of the chunk in 1/1024 m.
    pub fn size(&self) -> i64 {
        self.size
    }

    /// Its species, by name.
    pub fn species(&self) -> &[SpeciesView<'a>] {
        &self.species
    }
}

impl<'a> SpeciesView<'a> {
    /// The species' name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// What one step of [`PlantRecord::size`] is worth.
    pub fn size_step(&self) -> f64 {
        self.size_step
    }

    /// Names of the mesh variants.
    pub fn variants(&self) -> &[&'a str] {
        &self.variants
    }

    /// How many plants of it the chunk holds.
    pub fn n_plants(&self) -> usize {
        self.n_plants
    }

    /// All its plants, cell by cell and by id inside a cell.
    pub fn plants(&self) -> impl Iterator<Item = PlantRecord> + '_ {
        (0..self.side * self.side).flat_map(move |cell| self.in_cell(cell))
    }

    /// The plants of one 64 m cell, by its column from the west and row from the south; none outside the chunk.
    pub fn plants_in_cell(
        &self,
        column: usize,
        row: usize,
    ) -> impl Iterator<Item = PlantRecord> + '_ {
        let inside = column < self.side && row < self.side;
        let cell = inside.then(|| row * self.side + column);
        cell.into_iter().flat_map(move |cell| self.in_cell(cell))
    }

    fn in_cell(&self, cell: usize) -> impl Iterator<Item = PlantRecord> + '_ {
        let west = self.west + (cell % self.side) as i64 * CELL_STEPS;
        let south = self.south + (cell / self.side) as i64 * CELL_STEPS;
        self.range(cell).map(move |idx| {
            let columns = &self.columns;
            PlantRecord {
                x: west + i64::from(u16_at(columns.x, idx)),
                y: south + i64::from(u16_at(columns.y, idx)),
                z_mm: u32_at(columns.z_mm, idx) as i32,
                size: u16_at(columns.size, idx),
                yaw: u16_at(columns.yaw, idx),
                up: [columns.up[2 * idx], columns.up[2 * idx + 1]],
                variant: columns.variant[idx],
                tint: columns.tint[idx],
            }
        })
    }

    fn range(&self, cell: usize) -> Range<usize> {
        u32_at(self.cells, cell) as usize..u32_at(self.cells, cell + 1) as usize
    }
}

fn u16_at(column: &[u8], idx: usize) -> u16 {
    u16::from_le_bytes([column[2 * idx], column[2 * idx + 1]])
}

fn u32_at(column: &[u8], idx: usize) -> u32 {
    let at = 4 * idx;
    u32::from_le_bytes([column[at], column[at + 1], column[at + 2], column[at + 3]])
}

fn corrupt(at: usize, reason: impl Into<String>) -> StoreError {
    StoreError::corrupt("a chunk file", at as u64, reason)
}

/// The bytes before the checksum, which nobody has looked at yet.
#[derive(Clone, Copy)]
struct Unchecked<'a>(&'a [u8]);

impl<'a> Unchecked<'a> {
    /// The magic number, the version, the length and the checksum.
    fn open(bytes: &'a [u8]) -> Result<Self, StoreError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(corrupt(0, "expected the magic number of a chunk file"));
        }
        let whole = Self(bytes);
        let found = whole.u32(8)?;
        if found != CHUNK_VERSION {
            return Err(StoreError::WrongVersion {
                file: "a chunk file".to_owned(),
                found,
                expected: CHUNK_VERSION,
            });
        }
        let length = whole.u64(16)?;
        if length != bytes.len() as u64 || bytes.len() < HEADER_BYTES + CHECKSUM_BYTES {
            let found = bytes.len();
            return Err(corrupt(
                16,
                format!("expected {length} bytes, found {found}"),
            ));
        }
        let (body, checksum) = bytes.split_at(bytes.len() - CHECKSUM_BYTES);
        if blake3::hash(body).as_bytes() != checksum {
            return Err(corrupt(body.len(), "the checksum differs from the content"));
        }
        Ok(Self(body))
    }

    fn array<const N: usize>(self, at: usize) -> Result<[u8; N], StoreError> {
        let bytes = at.checked_add(N).and_then(|end| self.0.get(at..end));
        bytes
            .and_then(|bytes| bytes.try_into().ok())
            .ok_or_else(|| corrupt(at, format!("expected {N} bytes")))
    }

    fn u32(self, at: usize) -> Result<u32, StoreError> {
        self.array(at).map(u32::from_le_bytes)
    }

    fn u64(self, at: usize) -> Result<u64, StoreError> {
        self.array(at).map(u64::from_le_bytes)
    }

    fn i64(self, at: usize) -> Result<i64, StoreError> {
        self.array(at).map(i64::from_le_bytes)
    }

    /// `count` items of `bytes` bytes from an offset that must be aligned.
    fn block(self, at: u64, count: usize, bytes: usize) -> Result<&'a [u8], StoreError> {
        let slice = usize::try_from(at)
            .ok()
            .filter(|at| at.is_multiple_of(8) && *at >= HEADER_BYTES)
            .and_then(|at| Some(at..at.checked_add(count.checked_mul(bytes)?)?))
            .and_then(|range| self.0.get(range));
        slice.ok_or_else(|| {
            let reason = format!("expected a block of {count} × {bytes} bytes at {at}");
            corrupt(self.0.len().min(at as usize), reason)
        })
    }

    fn species(
        self,
        entry: usize,
        [west, south]: [i64; 2],
        side: usize,
    ) -> Result<SpeciesView<'a>, StoreError> {
        let n_variants = self.u32(entry + 8)? as usize;
        let n_plants = self.u32(entry + 12)? as usize;
        let mut names = self.names(self.u64(entry)?, n_variants)?.into_iter();
        let cells = self.block(self.u64(entry + 24)?, side * side + 1, 4)?;
        check_cells(cells, n_plants, entry)?;
        let column =
            |idx: usize, bytes: usize| self.block(self.u64(entry + 32 + 8 * idx)?, n_plants, bytes);
        let columns = Columns {
            x: column(0, 2)?,
            y: column(1, 2)?,
            z_mm: column(2, 4)?,
            size: column(3, 2)?,
            yaw: column(4, 2)?,
            up: column(5, 2)?,
            variant: column(6, 1)?,
            tint: column(7, 1)?,
        };
        if columns
            .variant
            .iter()
            .any(|&v| usize::from(v) >= n_variants.max(1))
        {
            return Err(corrupt(
                entry,
                format!("expected variants below {n_variants}"),
            ));
        }
        Ok(SpeciesView {
            name: names.next().unwrap_or_default(),
            size_step: self.array(entry + 16).map(f64::from_le_bytes)?,
            variants: names.collect(),
            n_plants,
            side,
            west,
            south,
            cells,
            columns,
        })
    }

    /// The name of a species and those of its variants.
    fn names(self, at: u64, n_variants: usize) -> Result<Vec<&'a str>, StoreError> {
        if n_variants > 256 {
            return Err(corrupt(
                HEADER_BYTES,
                format!("found {n_variants} variants, at most 256"),
            ));
        }
        let mut at = usize::try_from(at).unwrap_or(usize::MAX);
        let mut names = Vec::with_capacity(n_variants + 1);
        for _ in 0..=n_variants {
            let length = self.u32(at)? as usize;
            let text = (at + 4)
                .checked_add(length)
                .and_then(|end| self.0.get(at + 4..end))
                .and_then(|bytes| std::str::from_utf8(bytes).ok());
            names.push(text.ok_or_else(|| corrupt(at, "expected a name in UTF-8"))?);
            at += 4 + length;
        }
        Ok(names)
    }
}

/// A cell table counts up from 0 to the number of plants.
fn check_cells(cells: &[u8], n_plants: usize, entry: usize) -> Result<(), StoreError> {
    let last = cells.len() / 4 - 1;
    let counts = |cell| u32_at(cells, cell) as usize;
    let rises = (0..last).all(|cell| counts(cell) <= counts(cell + 1));
    if counts(0) != 0 || counts(last) != n_plants || !rises {
        return Err(corrupt(
            entry,
            format!("expected cells that rise from 0 to {n_plants}"),
        ));
    }
    Ok(())
}
