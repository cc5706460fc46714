//! Packs a file's strips or tiles one after the other, in memory that it keeps.

use std::io::{self, Write};

use zstd::bulk::Compressor;

use super::Compression;

/// Level of Zstandard: the next ones gain little for much time.
const ZSTD_LEVEL: i32 = 1;

/// Level of miniz_oxide, the same bytes on every CPU; higher levels gain a few percent for twice the time.
const DEFLATE_LEVEL: u32 = 4;

/// A compression and its memory.
pub(super) enum Packer {
    Zstd(Box<Compressor<'static>>, Vec<u8>),
    Deflate(Vec<u8>),
    None,
}

impl Packer {
    pub(super) fn new(compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::Zstd => Self::Zstd(Box::new(Compressor::new(ZSTD_LEVEL)?), Vec::new()),
            Compression::Deflate => Self::Deflate(Vec::new()),
            Compression::None => Self::None,
        })
    }

    /// The bytes, packed.
    pub(super) fn pack<'a>(&'a mut self, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        match self {
            Self::Zstd(compressor, packed) => {
                packed.clear();
                packed.reserve(zstd::zstd_safe::compress_bound(bytes.len()));
                compressor.compress_to_buffer(bytes, packed)?;
                Ok(packed)
            }
            Self::Deflate(packed) => {
                packed.clear();
                let level = flate2::Compression::new(DEFLATE_LEVEL);
                let mut encoder = flate2::write::ZlibEncoder::new(&mut *packed, level);
                encoder.write_all(bytes)?;
                encoder.finish()?;
                Ok(packed)
            }
            Self::None => Ok(bytes),
        }
    }
}
