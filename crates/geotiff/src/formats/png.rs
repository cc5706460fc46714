//! PNG (ISO/IEC 15948): grey and colour, each channel a band, in their own numbers.

use std::cell::Cell;

use ecotone_grid::GeoKeys;
use png::{BitDepth, ColorType, Decoder, DecodingError, Info, Reader};

use crate::header::{Interleaving, Plain};
use crate::image::Image;
use crate::map::Map;
use crate::{ByteOrder, Limits, Options, SampleType, SourceError};

use super::tracked::Tracked;
use super::unpacked::{Disk, Packed, Unpacked};
use super::{Opened, strips};

/// Bytes of rows that are written at once.
const PIECE: usize = 1 << 18;

/// What deflate can make of one byte at most.
const MAX_RATIO: u64 = 1032;

/// Opens a PNG; no pixels yet.
pub(super) fn open(map: &Map, options: &Options) -> Result<Opened, SourceError> {
    let at = Cell::new(0);
    let reader = reader(map, &options.limits, &at)?;
    let info = reader.info();
    if info.color_type == ColorType::Indexed {
        return Err(map.unsupported(
            "a palette of colours instead of numbers (`gdal_translate -expand rgb IN.png OUT.tif` writes them out)",
        ));
    }
    let sample = match info.bit_depth {
        BitDepth::Sixteen => SampleType::U16,
        _ => SampleType::U8,
    };
    // The width was checked.
    let row_bytes = u64::from(info.width) * (info.color_type.samples() * sample.size()) as u64;
    let plain = Plain {
        width: info.width,
        height: info.height,
        n_bands: info.color_type.samples(),
        sample,
        byte_order: ByteOrder::Big,
        layout: strips(row_bytes, info.height),
        interleaving: Interleaving::Pixel,
        nodata: transparent(info),
        keys: GeoKeys::default(),
    };
    let image = Image::plain(map, plain, options)?;
    let unpacked = Unpacked::new(map, &image, Packed::Png, options.limits.unpacked_bytes)?;
    Ok(Opened {
        unpacked: Some(unpacked),
        ..Opened::new(image)
    })
}

/// The grey that is transparent, which GDAL too takes for nodata; a chunk that holds more than a grey says nothing.
fn transparent(info: &Info) -> Option<f64> {
    let grey = info.trns.as_ref().filter(|grey| {
        let is_grey = info.color_type == ColorType::Grayscale;
        is_grey && grey.len() == (info.bit_depth as usize).div_ceil(8)
    })?;
    Some(ByteOrder::Big.number(grey) as f64)
}

fn reader<'a>(
    map: &'a Map,
    limits: &Limits,
    at: &'a Cell<u64>,
) -> Result<Reader<Tracked<'a>>, SourceError> {
    // The decoder holds several rows.
    let allowed = limits.block_bytes / 8;
    let bytes = usize::try_from(allowed).unwrap_or(usize::MAX);
    let mut decoder =
        Decoder::new_with_limits(Tracked::new(map.bytes(), at), png::Limits { bytes });
    // Neither says anything about heights, and both may be bombs.
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let fault = |e| fault(map, limits, at, &e);
    let info = decoder.read_header_info().map_err(fault)?;
    check_size(map, info, allowed)?;
    decoder.read_info().map_err(fault)
}

/// Refuses an image that is too wide, or larger than its file can hold.
fn check_size(map: &Map, info: &Info, allowed: u64) -> Result<(), SourceError> {
    let pixel_bits = (info.color_type.samples() * info.bit_depth as usize) as u64;
    // Below 2³¹ · 64.
    let row_bits = u64::from(info.width) * pixel_bits;
    map.within("bytes of one row", row_bits / 8, allowed)?;
    let n_bits = row_bits.saturating_mul(u64::from(info.height));
    let n_file = map.bytes().len() as u64;
    if n_bits <= n_file.saturating_mul(MAX_RATIO * 8) {
        return Ok(());
    }
    let (width, height) = (info.width, info.height);
    Err(map.corrupt(
        16,
        format!(
            "{width} × {height} pixels are said there, more than a file of {n_file} bytes can hold"
        ),
    ))
}

fn fault(map: &Map, limits: &Limits, at: &Cell<u64>, error: &DecodingError) -> SourceError {
    let reason = match error {
        DecodingError::IoError(_) => "the file ends before its image does".to_owned(),
        DecodingError::LimitsExceeded => format!(
            "a chunk wants more than the {} bytes that are allowed",
            limits.block_bytes / 8
        ),
        other => other.to_string(),
    };
    map.corrupt(at.get(), reason)
}

/// Writes the pixels of a PNG row by row.
pub(super) fn unpack(
    map: &Map,
    image: &Image,
    limits: &Limits,
    disk: &mut Disk,
) -> Result<(), SourceError> {
    let at = Cell::new(0);
    let mut rows = Rows {
        reader: reader(map, limits, &at)?,
        packed: Vec::new(),
    };
    let row_bytes = image.blocks.row_bytes(&image.header) as usize;
    let info = rows.reader.info();
    let (width, height, interlaced) = (info.width, info.height, info.interlaced);
    let result = if interlaced {
        rows.interlaced((width, height), row_bytes, disk)
    } else {
        rows.in_order((width, height), row_bytes, disk)
    };
    result.map_err(|e| match e {
        Fault::Png(e) => fault(map, limits, &at, &e),
        Fault::Disk(e) => e,
    })
}

enum Fault {
    Png(DecodingError),
    Disk(SourceError),
}

struct Rows<'a> {
    reader: Reader<Tracked<'a>>,
    packed: Vec<u8>,
}

impl Rows<'_> {
    /// The next row of the file: `width` pixels, appended to `out`, one byte or two to a sample.
    fn next(&mut self, width: u32, out: &mut Vec<u8>) -> Result<(), Fault> {
        let info = self.reader.info();
        let (depth, n_samples) = (info.bit_depth, info.color_type.samples());
        let longest = self.reader.output_line_size(info.width);
        self.packed.resize(longest.unwrap_or_default(), 0);
        self.reader.read_row(&mut self.packed).map_err(Fault::Png)?;
        let n_samples = width as usize * n_samples;
        match depth {
            BitDepth::Sixteen => out.extend(&self.packed[..n_samples * 2]),
            BitDepth::Eight => out.extend(&self.packed[..n_samples]),
            few => out.extend((0..n_samples).map(|x| bits(&self.packed, x, few as usize))),
        }
        Ok(())
    }

    fn in_order(
        &mut self,
        (width, height): (u32, u32),
        row_bytes: usize,
        disk: &mut Disk,
    ) -> Result<(), Fault> {
        let mut piece = Vec::with_capacity(PIECE + row_bytes);
        let mut offset = 0;
        for y in 0..height {
            self.next(width, &mut piece)?;
            if piece.len() >= PIECE || y + 1 == height {
                disk.write(offset, &piece).map_err(Fault::Disk)?;
                offset += piece.len() as u64;
                piece.clear();
            }
        }
        Ok(())
    }

    /// Seven passes over the image (section 8.2 of the standard), each adding pixels to rows on the disk.
    fn interlaced(
        &mut self,
        (width, height): (u32, u32),
        row_bytes: usize,
        disk: &mut Disk,
    ) -> Result<(), Fault> {
        /// First column, columns to the next, first row, rows to the next.
        const PASSES: [[u32; 4]; 7] = [
            [0, 8, 0, 8],
            [4, 8, 0, 8],
            [0, 4, 4, 8],
            [2, 4, 0, 4],
            [0, 2, 2, 4],
            [1, 2, 0, 2],
            [0, 1, 1, 2],
        ];
        let pixel_bytes = row_bytes / width as usize;
        let mut row = vec![0; row_bytes];
        let mut found = Vec::new();
        for [x0, dx, y0, dy] in PASSES {
            if x0 >= width {
                continue;
            }
            let n_found = (width - x0).div_ceil(dx);
            for y in (y0..height).step_by(dy as usize) {
                found.clear();
                self.next(n_found, &mut found)?;
                let offset = u64::from(y) * row_bytes as u64;
                disk.read(offset, &mut row).map_err(Fault::Disk)?;
                let places = row.chunks_exact_mut(pixel_bytes);
                let places = places.skip(x0 as usize).step_by(dx as usize);
                for (place, pixel) in places.zip(found.chunks_exact(pixel_bytes)) {
                    place.copy_from_slice(pixel);
                }
                disk.write(offset, &row).map_err(Fault::Disk)?;
            }
        }
        Ok(())
    }
}

/// A sample of 1, 2 or 4 bits, the first in the highest.
fn bits(row: &[u8], x: usize, depth: usize) -> u8 {
    let bit = x * depth;
    let shift = 8 - depth - bit % 8;
    row[bit / 8] >> shift & ((1 << depth) - 1)
}
