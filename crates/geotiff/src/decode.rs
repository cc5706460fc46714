//! The codecs: compressed bytes in, exactly as many bytes out as a block holds.

use flate2::{Decompress, FlushDecompress};

/// How blocks are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all (1).
    None,
    /// LZW of TIFF 6.0 (5).
    Lzw,
    /// Deflate (8, and 32946 of old).
    Deflate,
    /// Runs of bytes (32773).
    PackBits,
    /// Zstandard (50000).
    Zstd,
}

impl Compression {
    /// Its name as rasterio has it, such as "deflate".
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lzw => "lzw",
            Self::Deflate => "deflate",
            Self::PackBits => "packbits",
            Self::Zstd => "zstd",
        }
    }
}

/// Decodes a block of `len` bytes; what the stream holds beyond that is left alone, less is an error.
///
/// `capacity` ≥ `len` is what the block would hold without the image's south border: some writers fill it up. The error
/// says what was found instead of `len` bytes.
pub(crate) fn decode(
    compression: Compression,
    input: &[u8],
    len: usize,
    capacity: usize,
) -> Result<Vec<u8>, String> {
    let mut output = vec![0; len];
    let stopped = match compression {
        Compression::None => {
            let whole = input.get(..len).ok_or(Stopped::Early(input.len()));
            whole.map(|whole| output.copy_from_slice(whole))
        }
        Compression::Lzw => lzw(input, &mut output),
        Compression::Deflate => deflate(input, &mut output),
        Compression::PackBits => pack_bits(input, &mut output),
        Compression::Zstd => zstd(input, capacity, &mut output),
    };
    match stopped {
        Ok(()) => Ok(output),
        Err(Stopped::Early(n)) => Err(format!("the end of its stream after {n}")),
        Err(Stopped::Damaged(n)) => Err(format!("a damaged stream after {n}")),
    }
}

/// Why a stream gave less than its block holds, and how many bytes it gave.
enum Stopped {
    /// It ends too soon.
    Early(usize),
    /// Its codec makes no sense of it.
    Damaged(usize),
}

fn deflate(input: &[u8], output: &mut [u8]) -> Result<(), Stopped> {
    let mut stream = Decompress::new(true);
    loop {
        let (read, written) = (stream.total_in() as usize, stream.total_out() as usize);
        if written == output.len() {
            return Ok(());
        }
        stream
            .decompress(
                &input[read..],
                &mut output[written..],
                FlushDecompress::None,
            )
            .map_err(|_| Stopped::Damaged(written))?;
        if stream.total_in() as usize == read && stream.total_out() as usize == written {
            return Err(Stopped::Early(written));
        }
    }
}

fn lzw(input: &[u8], output: &mut [u8]) -> Result<(), Stopped> {
    // Before TIFF 6.0, codes were packed from the other end; then the first one, 256, looks like this.
    let is_old = input.len() >= 2 && input[0] == 0 && input[1] & 1 == 1;
    let configuration = if is_old {
        weezl::decode::Configuration::new(weezl::BitOrder::Lsb, 8)
    } else {
        weezl::decode::Configuration::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
    };
    let mut stream = configuration.with_yield_on_full_buffer(true).build();
    let (mut read, mut written) = (0, 0);
    // Not until the end code: some writers leave it out.
    while written < output.len() {
        let step = stream.decode_bytes(&input[read..], &mut output[written..]);
        read += step.consumed_in;
        written += step.consumed_out;
        match step.status {
            Ok(weezl::LzwStatus::Ok) if step.consumed_in + step.consumed_out > 0 => {}
            Ok(_) if written == output.len() => {}
            Ok(_) => return Err(Stopped::Early(written)),
            Err(_) => return Err(Stopped::Damaged(written)),
        }
    }
    Ok(())
}

fn pack_bits(mut input: &[u8], output: &mut [u8]) -> Result<(), Stopped> {
    let mut written = 0;
    while written < output.len() {
        let early = Stopped::Early(written);
        let Some((&head, rest)) = input.split_first() else {
            return Err(early);
        };
        input = rest;
        let room = &mut output[written..];
        match head as i8 {
            -128 => {}
            literal @ 0.. => {
                // What does not fit belongs to no row.
                let n = (literal as usize + 1).min(room.len());
                room[..n].copy_from_slice(input.get(..n).ok_or(early)?);
                input = &input[n..];
                written += n;
            }
            repeat => {
                let n = (1 - isize::from(repeat)) as usize;
                let n = n.min(room.len());
                let (&byte, rest) = input.split_first().ok_or(early)?;
                room[..n].fill(byte);
                input = rest;
                written += n;
            }
        }
    }
    Ok(())
}

fn zstd(input: &[u8], capacity: usize, output: &mut Vec<u8>) -> Result<(), Stopped> {
    // In one piece: a streaming decoder would reserve the window that the stream claims, up to 128 MiB.
    let len = output.len();
    output.resize(capacity, 0);
    let written = ::zstd::bulk::decompress_to_buffer(input, &mut output[..])
        .map_err(|_| Stopped::Damaged(0))?;
    if written < len {
        return Err(Stopped::Early(written));
    }
    output.truncate(len);
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn pack_bits_follows_the_example_of_the_standard() {
        // TIFF 6.0, and Apple's technical note TN1023.
        let packed = [
            0xfe, 0xaa, 0x02, 0x80, 0x00, 0x2a, 0xfd, 0xaa, 0x03, 0x80, 0x00, 0x2a, 0x22, 0xf7,
            0xaa,
        ];
        let plain = [
            0xaa, 0xaa, 0xaa, 0x80, 0x00, 0x2a, 0xaa, 0xaa, 0xaa, 0xaa, 0x80, 0x00, 0x2a, 0x22,
            0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa,
        ];
        let decode = |packed: &[u8], len| super::decode(Compression::PackBits, packed, len, len);
        assert_eq!(decode(&packed, 24).unwrap(), plain);
        assert_eq!(decode(&packed, 20).unwrap(), plain[..20]);
        assert!(decode(&packed, 25).is_err());
        assert!(decode(&packed[..14], 24).is_err());
    }

    #[test]
    fn lzw_follows_the_example_of_the_standard() {
        // TIFF 6.0 section 13: 7 7 7 8 8 7 7 6 6 → 256 7 258 8 8 258 6 6 257, nine bits each.
        let codes = [256_u32, 7, 258, 8, 8, 258, 6, 6, 257];
        let plain = [7, 7, 7, 8, 8, 7, 7, 6, 6];
        let pack = |codes: &[u32]| {
            let bits: String = codes.iter().map(|c| format!("{c:09b}")).collect();
            let padded = format!("{bits:0<width$}", width = bits.len().div_ceil(8) * 8);
            (0..padded.len())
                .step_by(8)
                .map(|i| u8::from_str_radix(&padded[i..i + 8], 2).unwrap())
                .collect::<Vec<u8>>()
        };
        let decode = |packed: &[u8], len| super::decode(Compression::Lzw, packed, len, len);
        assert_eq!(decode(&pack(&codes), 9).unwrap(), plain);
        assert_eq!(
            decode(&pack(&codes[..8]), 9).unwrap(),
            plain,
            "without an end code"
        );
        assert!(decode(&pack(&codes), 10).is_err());
        assert!(decode(&pack(&codes[..5]), 9).is_err());
    }

    #[test]
    fn a_stream_longer_than_its_block_stops_there() {
        let mut encoder =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, &[7; 100_000]).unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(
            decode(Compression::Deflate, &packed, 10, 10).unwrap(),
            [7; 10]
        );
        assert!(decode(Compression::Deflate, &packed, 100_001, 100_001).is_err());
        assert!(decode(Compression::Deflate, &packed[..20], 100_000, 100_000).is_err());
    }
}
