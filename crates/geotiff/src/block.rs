//! Where the blocks (strips or tiles) of an image lie in its file, and what they hold.

use crate::cache::Block;
use crate::decode::{Compression, decode};
use crate::header::{Header, Interleaving, Layout};
use crate::map::Map;
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
        // libtiff takes either pair of tags for either layout.
        let (offsets, byte_counts) = if tags.has(TILE_OFFSETS) {
            (TILE_OFFSETS, TILE_BYTE_COUNTS)
        } else {
            (STRIP_OFFSETS, STRIP_BYTE_COUNTS)
        };
        let offsets = tags.numbers(offsets, limits.blocks)?.unwrap_or_default();
        let byte_counts = tags
            .numbers(byte_counts, limits.blocks)?
            .unwrap_or_default();
        let short = |found: usize| (found as u64) < n_blocks;
        if short(offsets.len()) || (short(byte_counts.len()) && !byte_counts.is_empty()) {
            let found = offsets.len().min(byte_counts.len());
            return Err(tags.corrupt(format!("{n_blocks} blocks are expected, {found} are there")));
        }
        Ok(Self {
            width,
            height,
            across,
            per_plane,
            n_samples,
            image_height,
            cut,
            offsets,
            byte_counts,
        })
    }

    /// The blocks of an image that lies plain in its file, from its first byte on.
    pub fn plain(map: &Map, header: &Header, limits: &Limits) -> Result<Self, SourceError> {
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
        let mut blocks = Self {
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

    /// Bytes of one row of samples in a block, before it is packed.
    fn stored_row_bytes(&self, header: &Header) -> u64 {
        if header.one_bit {
            (self.width * self.n_samples as u64).div_ceil(8)
        } else {
            self.row_bytes(header)
        }
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
        if offset == 0 && byte_count.unwrap_or(0) == 0 {
            return Ok(None);
        }
        let len = if header.compression == Compression::None {
            // The shape says how much there is; libtiff mends counts that say otherwise.
            self.stored_row_bytes(header)
                .saturating_mul(self.n_rows(block))
        } else {
            match byte_count {
                Some(0) => return Err(map.corrupt(offset, "a compressed block has no bytes")),
                Some(count) => count,
                None => (map.bytes().len() as u64).saturating_sub(offset),
            }
        };
        Ok(Some((offset, map.slice(offset, len)?)))
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
            Some((_, bytes)) if header.compression == Compression::None && !header.one_bit => {
                Some(Samples::Mapped(bytes))
            }
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
        let mut samples = decode(header.compression, stored, stored_row * n_rows, capacity)
            .map_err(|reason| map.corrupt(offset, reason))?;
        map.release(offset, stored.len() as u64);
        if header.one_bit {
            return Ok(unpack(&samples, stored_row, row_bytes));
        }
        let mut scratch = vec![0; row_bytes];
        for row in samples.chunks_exact_mut(row_bytes) {
            let shape = (header.sample, self.n_samples);
            undo(
                header.predictor,
                shape,
                header.byte_order,
                row,
                &mut scratch,
            );
        }
        Ok(samples)
    }

    /// Samples of one pixel in one block.
    pub fn n_samples(&self) -> usize {
        self.n_samples
    }
}

/// One byte for each bit, the highest first; every row starts on a byte.
fn unpack(bits: &[u8], stored_row: usize, row_bytes: usize) -> Vec<u8> {
    let mut samples = Vec::with_capacity(bits.len() / stored_row * row_bytes);
    for row in bits.chunks_exact(stored_row) {
        samples.extend((0..row_bytes).map(|x| row[x / 8] >> (7 - x % 8) & 1));
    }
    samples
}
