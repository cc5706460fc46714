//! Where the blocks (strips or tiles) of an image lie in its file, and what they hold.

use std::fmt::Display;

use ecotone_grid::Rect;

use crate::cache::Block;
use crate::decode::{Compression, decode};
use crate::error::mismatch;
use crate::header::{Header, Interleaving, Layout};
use crate::map::Map;
use crate::packing::Packing;
use crate::predictor::undo;
use crate::tags::Tags;
use crate::{Limits, SourceError};

const STRIP_OFFSETS: u16 = 273;
const STRIP_BYTE_COUNTS: u16 = 279;
const TILE_OFFSETS: u16 = 324;
const TILE_BYTE_COUNTS: u16 = 325;

/// The blocks of an image, one plane after the other, each plane row by row.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// Pixels of a whole block.
    pub width: u64,
    pub height: u64,
    across: u64,
    per_plane: u64,
    /// Samples of one pixel in one block.
    n_samples: usize,
    image_height: u64,
    /// Whether the south-most blocks stop where the image does, as strips do.
    cut: bool,
    offsets: Vec<u64>,
    /// May be empty: some writers leave them out where nothing is compressed.
    byte_counts: Vec<u64>,
}

/// The samples of a block.
pub(crate) enum Samples<'a> {
    /// In the file, in its byte order.
    Mapped(&'a [u8]),
    /// In memory, in this machine's byte order.
    Decoded(Block),
    /// Left out of the file: all void, or 0 where the file has no nodata value.
    Absent,
}

impl Blocks {
    pub fn read(
        map: &Map,
        tags: &mut Tags,
        header: &Header,
        limits: &Limits,
    ) -> Result<Self, SourceError> {
        let (mut blocks, n_blocks) = Self::shaped(map, header, limits)?;
        // libtiff takes either pair of tags for either layout.
        let (offsets_tag, byte_counts_tag) = if tags.has(TILE_OFFSETS) {
            (TILE_OFFSETS, TILE_BYTE_COUNTS)
        } else {
            (STRIP_OFFSETS, STRIP_BYTE_COUNTS)
        };
        let mut numbers = |tag| tags.numbers(tag, limits.blocks);
        blocks.offsets = numbers(offsets_tag)?.unwrap_or_default();
        blocks.byte_counts = numbers(byte_counts_tag)?.unwrap_or_default();
        let (n_offsets, n_byte_counts) = (blocks.offsets.len(), blocks.byte_counts.len());
        if (n_offsets as u64) < n_blocks {
            let expected = format!("the offsets of {n_blocks} blocks");
            return Err(tags.corrupt(offsets_tag, expected, format!("{n_offsets} of them")));
        }
        if n_byte_counts > 0 && (n_byte_counts as u64) < n_blocks {
            let expected = format!("the sizes of {n_blocks} blocks, or none");
            let found = format!("{n_byte_counts} of them");
            return Err(tags.corrupt(byte_counts_tag, expected, found));
        }
        Ok(blocks)
    }

    /// The blocks of an image that lies plain in its file, from its first byte on.
    pub fn plain(map: &Map, header: &Header, limits: &Limits) -> Result<Self, SourceError> {
        let (mut blocks, n_blocks) = Self::shaped(map, header, limits)?;
        let mut next: u64 = 0;
        for block in 0..n_blocks {
            let len = blocks
                .row_bytes(header)
                .saturating_mul(blocks.n_rows(block));
            blocks.offsets.push(next);
            blocks.byte_counts.push(len);
            next = next.saturating_add(len);
        }
        Ok(blocks)
    }

    /// The shape of an image's blocks, as yet without a place in the file, and how many of them there are.
    fn shaped(map: &Map, header: &Header, limits: &Limits) -> Result<(Self, u64), SourceError> {
        let (image_width, image_height) = (u64::from(header.width), u64::from(header.height));
        let (width, height, cut) = match header.layout {
            Layout::Strips { rows } => (image_width, u64::from(rows), true),
            Layout::Tiles { width, height } => (u64::from(width), u64::from(height), false),
        };
        let across = image_width.div_ceil(width);
        let per_plane = across * image_height.div_ceil(height);
        let (n_planes, n_samples) = match header.interleaving {
            Interleaving::Pixel => (1, header.n_bands),
            Interleaving::Band => (header.n_bands as u64, 1),
        };
        let n_blocks = per_plane.saturating_mul(n_planes);
        map.within("blocks", n_blocks, limits.blocks)?;
        let blocks = Self {
            width,
            height,
            across,
            per_plane,
            n_samples,
            image_height,
            cut,
            offsets: Vec::new(),
            byte_counts: Vec::new(),
        };
        Ok((blocks, n_blocks))
    }

    /// Blocks of one plane.
    pub fn per_plane(&self) -> u64 {
        self.per_plane
    }

    /// Where a block starts in its file.
    pub fn offset(&self, block: u64) -> u64 {
        self.offsets[block as usize]
    }

    /// Bytes of all blocks together.
    pub fn n_bytes(&self) -> u64 {
        self.byte_counts
            .iter()
            .fold(0, |sum, &n| sum.saturating_add(n))
    }

    /// The block of a plane at a column and a row of blocks.
    pub fn index(&self, plane: usize, column: u64, row: u64) -> u64 {
        plane as u64 * self.per_plane + row * self.across + column
    }

    /// Pixel rows that a block holds.
    fn n_rows(&self, block: u64) -> u64 {
        let first = block % self.per_plane / self.across * self.height;
        if self.cut {
            self.height.min(self.image_height - first)
        } else {
            self.height
        }
    }

    /// Bytes of one row of samples in a block, in memory.
    pub fn row_bytes(&self, header: &Header) -> u64 {
        // Below 2³² · 2¹⁶ · 8.
        self.width * (self.n_samples * header.sample.size()) as u64
    }

    /// Bytes of the decoded blocks of one plane under a part of the image; 0 where none has to be decoded.
    pub fn decoded_bytes(&self, header: &Header, part: Rect) -> u64 {
        if part.is_empty() || are_mapped(header) {
            return 0;
        }
        let blocks =
            |first: i64, end: i64, side: u64| first as u64 / side..(end as u64).div_ceil(side);
        let columns = blocks(part.x0, part.x1, self.width);
        let rows = blocks(part.y0, part.y1, self.height);
        let south = rows.end.saturating_mul(self.height);
        let end = if self.cut {
            south.min(self.image_height)
        } else {
            south
        };
        let n_rows = end - rows.start * self.height;
        let row_bytes = self.row_bytes(header);
        row_bytes
            .saturating_mul(columns.end - columns.start)
            .saturating_mul(n_rows)
    }

    /// Bytes of one row of samples in a block, before it is packed.
    fn stored_row_bytes(&self, header: &Header) -> u64 {
        let bits = header.packing.bits(header.sample);
        // Below 2³² · 2¹⁶ · 2⁶ = 2⁵⁴.
        (self.width * self.n_samples as u64 * bits).div_ceil(8)
    }

    /// The bytes of a block as they lie in the file; `None` where it was left out.
    fn stored<'a>(
        &self,
        map: &'a Map,
        header: &Header,
        block: u64,
    ) -> Result<Option<(u64, &'a [u8])>, SourceError> {
        let place = block as usize;
        let offset = self.offsets[place];
        let byte_count = self.byte_counts.get(place).copied();
        // GDAL too takes a block without bytes for one left out, unless it is the only one.
        if byte_count.unwrap_or(offset) == 0 && (offset == 0 || self.offsets.len() > 1) {
            return Ok(None);
        }
        let len = if header.compression == Compression::None {
            // The shape says how much there is; libtiff mends counts that say otherwise.
            self.stored_row_bytes(header)
                .saturating_mul(self.n_rows(block))
        } else {
            let rest = (map.bytes().len() as u64).saturating_sub(offset);
            byte_count.filter(|&count| count > 0).unwrap_or(rest)
        };
        Ok(Some((offset, map.slice(self.place(block), offset, len)?)))
    }

    /// The samples of an uncompressed block, straight from the map; `None` where it must be decoded.
    pub fn mapped<'a>(
        &self,
        map: &'a Map,
        header: &Header,
        block: u64,
    ) -> Result<Option<Samples<'a>>, SourceError> {
        Ok(match self.stored(map, header, block)? {
            None => Some(Samples::Absent),
            Some((_, bytes)) if are_mapped(header) => Some(Samples::Mapped(bytes)),
            Some(_) => None,
        })
    }

    /// Decodes a block that is there.
    pub fn decode(
        &self,
        map: &Map,
        header: &Header,
        limits: &Limits,
        block: u64,
    ) -> Result<Vec<u8>, SourceError> {
        let row_bytes = self.row_bytes(header);
        let unpacked = row_bytes.saturating_mul(self.height);
        map.within("bytes of one decoded block", unpacked, limits.block_bytes)?;
        let (row_bytes, n_rows) = (row_bytes as usize, self.n_rows(block) as usize);
        let Some((offset, stored)) = self.stored(map, header, block)? else {
            return Ok(vec![0; row_bytes * n_rows]);
        };
        let stored_row = self.stored_row_bytes(header) as usize;
        let capacity = stored_row * self.height as usize;
        // Out of the map: a decoder relies on bytes that stay as they are, and the file may be rewritten meanwhile.
        let stored = stored.to_vec();
        map.release(offset, stored.len() as u64);
        let len = stored_row * n_rows;
        let mut samples = decode(header.compression, &stored, len, capacity).map_err(|found| {
            let expected = format!("{len} bytes ({})", header.compression.name());
            map.corrupt(offset, mismatch(self.place(block), expected, found))
        })?;
        drop(stored);
        if let Some(size) = header.packing.predicted_bytes(header.sample) {
            let mut scratch = vec![0; stored_row];
            for row in samples.chunks_exact_mut(stored_row) {
                let shape = (size, self.n_samples);
                undo(
                    header.predictor,
                    shape,
                    header.byte_order,
                    row,
                    &mut scratch,
                );
            }
        }
        if header.packing == Packing::Whole {
            return Ok(samples);
        }
        let mut wide = Vec::with_capacity(row_bytes * n_rows);
        for (k, row) in samples.chunks_exact(stored_row).enumerate() {
            header.packing.widen(header.sample, row, &mut wide);
            // The last byte of a row may have room for more samples than there are.
            wide.truncate((k + 1) * row_bytes);
        }
        Ok(wide)
    }

    /// A block as people find it: its number in the tables, and where it lies in the image.
    fn place(&self, block: u64) -> impl Display {
        let (plane, in_plane) = (block / self.per_plane, block % self.per_plane);
        let (column, row) = (in_plane % self.across, in_plane / self.across);
        let band = if self.per_plane < self.offsets.len() as u64 && plane > 0 {
            format!(", band {plane}")
        } else {
            String::new()
        };
        format!("block {block} (column {column}, row {row}{band})")
    }

    /// Samples of one pixel in one block.
    pub fn n_samples(&self) -> usize {
        self.n_samples
    }
}

/// Whether samples are read from the file's map as they are.
fn are_mapped(header: &Header) -> bool {
    header.compression == Compression::None && header.packing == Packing::Whole
}
