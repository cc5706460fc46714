//! Packs a file's strips or tiles one after the other, in memory that it keeps.

use std::io::{self, Write};

use zstd::bulk::Compressor;

use super::Compression;

/// Level of Zstandard: the next ones gain little for much time.
const ZSTD_LEVEL: i32 = 1;

/// Level of miniz_oxide, the same bytes on every CPU; higher levels gain a few percent for twice the time.
const DEFLATE_LEVEL: u32 = 4;

/// A compression and its memory.
pub(super) struct Packer {
    codec: Codec,
    packed: Vec<u8>,
    /// The last strip whose pixels were all alike: the first of them, how many bytes there were, and what they became. A map has
    /// many such strips, all one stratum or all far from its edges.
    level: Level,
}

enum Codec {
    Zstd(Box<Compressor<'static>>),
    Deflate,
    None,
}

#[derive(Default)]
struct Level {
    pixel: Vec<u8>,
    n_bytes: usize,
    packed: Vec<u8>,
}

impl Packer {
    pub(super) fn new(compression: Compression) -> io::Result<Self> {
        let codec = match compression {
            Compression::Zstd => Codec::Zstd(Box::new(Compressor::new(ZSTD_LEVEL)?)),
            Compression::Deflate => Codec::Deflate,
            Compression::None => Codec::None,
        };
        Ok(Self {
            codec,
            packed: Vec::new(),
            level: Level::default(),
        })
    }

    /// Appends the bytes of pixels, packed.
    pub(super) fn put(
        &mut self,
        bytes: &[u8],
        pixel_bytes: usize,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        if matches!(self.codec, Codec::None) {
            out.extend_from_slice(bytes);
            return Ok(());
        }
        let is_level = bytes[pixel_bytes..] == bytes[..bytes.len() - pixel_bytes];
        let pixel = &bytes[..pixel_bytes];
        if is_level && (self.level.n_bytes, &*self.level.pixel) == (bytes.len(), pixel) {
            out.extend_from_slice(&self.level.packed);
            return Ok(());
        }
        let packed = self.pack(bytes)?;
        out.extend_from_slice(packed);
        if is_level {
            self.level = Level {
                pixel: pixel.to_owned(),
                n_bytes: bytes.len(),
                packed: self.packed.clone(),
            };
        }
        Ok(())
    }

    /// The bytes, packed.
    pub(super) fn pack<'a>(&'a mut self, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        let packed = &mut self.packed;
        packed.clear();
        match &mut self.codec {
            Codec::Zstd(compressor) => {
                packed.reserve(zstd::zstd_safe::compress_bound(bytes.len()));
                compressor.compress_to_buffer(bytes, packed)?;
            }
            Codec::Deflate => {
                let level = flate2::Compression::new(DEFLATE_LEVEL);
                let mut encoder = flate2::write::ZlibEncoder::new(packed, level);
                encoder.write_all(bytes)?;
                encoder.finish()?;
            }
            Codec::None => return Ok(bytes),
        }
        Ok(&self.packed)
    }
}
