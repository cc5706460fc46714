//! The tags of one image file directory, each checked for size before it is read.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::io::Cursor;

use tiff::TiffError;
use tiff::decoder::Decoder;
use tiff::tags::{IfdPointer, Tag, Type, ValueBuffer};

use crate::error::mismatch;
use crate::map::Map;
use crate::{SourceError, Start};

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant first ("II").
    Little,
    /// Most significant first ("MM").
    Big,
}

impl ByteOrder {
    /// The order of this machine.
    pub const NATIVE: Self = if cfg!(target_endian = "big") {
        Self::Big
    } else {
        Self::Little
    };

    /// An unsigned number of up to eight bytes.
    pub(crate) fn number(self, bytes: &[u8]) -> u64 {
        let push = |n: u64, &byte: &u8| n << 8 | u64::from(byte);
        match self {
            Self::Little => bytes.iter().rev().fold(0, push),
            Self::Big => bytes.iter().fold(0, push),
        }
    }
}

/// The first eight (BigTIFF: sixteen) bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preamble {
    pub order: ByteOrder,
    pub big_tiff: bool,
    pub directory: u64,
}

impl Preamble {
    fn read(map: &Map) -> Result<Self, SourceError> {
        let bytes = map.bytes();
        let not_an_image = || SourceError::NotAnImage {
            path: map.path().to_path_buf(),
            start: Start::of(bytes),
        };
        let order = match bytes.get(..2) {
            Some(b"II") => ByteOrder::Little,
            Some(b"MM") => ByteOrder::Big,
            _ => return Err(not_an_image()),
        };
        let corrupt = |offset, expected: &str, found: String| {
            map.corrupt(offset, mismatch("the file header", expected, found))
        };
        let at = |start: usize, len: usize| {
            let number = bytes.get(start..start + len);
            number.map(|number| order.number(number)).ok_or_else(|| {
                let found = format!("a file of {} bytes", bytes.len());
                corrupt(start as u64, "8 bytes, or 16 of a BigTIFF", found)
            })
        };
        let big_tiff = match at(2, 2)? {
            42 => false,
            43 => true,
            _ => return Err(not_an_image()),
        };
        if big_tiff && at(4, 2)? != 8 {
            let found = format!("offsets of {}", at(4, 2)?);
            return Err(corrupt(4, "offsets of 8 bytes in a BigTIFF", found));
        }
        if big_tiff && at(6, 2)? != 0 {
            return Err(corrupt(6, "0", at(6, 2)?.to_string()));
        }
        let (link, len) = if big_tiff { (8, 8) } else { (4, 4) };
        let directory = at(link, len)?;
        if directory < (link + len) as u64 {
            let found = format!("the offset {directory}");
            return Err(corrupt(link as u64, "the first directory behind it", found));
        }
        Ok(Self {
            order,
            big_tiff,
            directory,
        })
    }

    /// A whole TIFF of this kind with one grey pixel.
    fn smallest_file(self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut put = |value: u64, len: usize| {
            let little = &value.to_le_bytes()[..len];
            match self.order {
                ByteOrder::Little => file.extend(little),
                ByteOrder::Big => file.extend(little.iter().rev()),
            }
        };
        let mark = if self.order == ByteOrder::Big {
            0x4d4d
        } else {
            0x4949
        };
        let word = if self.big_tiff { 8 } else { 4 };
        put(mark, 2);
        if self.big_tiff {
            put(43, 2);
            put(8, 2);
            put(0, 2);
            put(16, 8);
            put(5, 8);
        } else {
            put(42, 2);
            put(8, 4);
            put(5, 2);
        }
        // Width, height, photometric interpretation, offset and byte count of the one strip, all as LONG.
        for (tag, value) in [(256, 1), (257, 1), (262, 1), (273, 0), (279, 1)] {
            put(tag, 2);
            put(4, 2);
            put(1, word);
            put(value, 4);
            put(0, word - 4);
        }
        put(0, word);
        file
    }
}

/// A directory and where it was found.
pub(crate) struct Tags<'a> {
    map: &'a Map,
    decoder: Decoder<Cursor<Cow<'a, [u8]>>>,
    directory: tiff::Directory,
    pub preamble: Preamble,
}

impl<'a> Tags<'a> {
    /// Reads the file's first directory.
    pub fn first(map: &'a Map) -> Result<Self, SourceError> {
        let preamble = Preamble::read(map)?;
        // The decoder insists on a first image it can decode, and copies all its block tables; GDAL reads files
        // that it refuses. So it opens on the smallest file of the same kind and is then given the real one.
        let smallest = Cursor::new(Cow::Owned(preamble.smallest_file()));
        let at = preamble.directory;
        let fault = |error| map.corrupt(at, unreadable("the first directory", map, &error));
        let mut decoder = Decoder::new(smallest).map_err(fault)?;
        *decoder.inner() = Cursor::new(Cow::Borrowed(map.bytes()));
        let directory = decoder.read_directory(IfdPointer(at)).map_err(fault)?;
        Ok(Self {
            map,
            decoder,
            directory,
            preamble,
        })
    }

    /// Moves on to the next directory of the file; whether there is one that can be read.
    pub fn advance(&mut self) -> bool {
        let Some(next) = self.directory.next() else {
            return false;
        };
        let Ok(directory) = self.decoder.read_directory(next) else {
            return false;
        };
        self.preamble.directory = next.0;
        self.directory = directory;
        true
    }

    /// A tag that says what it must not.
    pub fn corrupt(&self, tag: u16, expected: impl Display, found: impl Display) -> SourceError {
        self.map
            .corrupt(self.offset(tag), mismatch(Name(tag), expected, found))
    }

    /// Where a tag's entry stands in the file; where its directory does, if the tag is missing.
    fn offset(&self, tag: u16) -> u64 {
        let Preamble {
            order,
            big_tiff,
            directory,
        } = self.preamble;
        let (head, entry) = if big_tiff { (8, 20) } else { (2, 12) };
        let entries = usize::try_from(directory)
            .ok()
            .and_then(|at| self.map.bytes().get(at..)?.get(head..));
        let entries = entries.unwrap_or_default().chunks_exact(entry);
        entries
            .take(self.directory.len())
            .position(|entry| order.number(&entry[..2]) == u64::from(tag))
            .map_or(directory, |k| directory + (head + k * entry) as u64)
    }

    /// Whether a tag is there.
    pub fn has(&self, tag: u16) -> bool {
        self.directory.contains(Tag::from_u16_exhaustive(tag))
    }

    fn values(&mut self, tag: u16, allowed: u64) -> Result<Option<ValueBuffer>, SourceError> {
        let key = Tag::from_u16_exhaustive(tag);
        let Some(entry) = self.directory.get(key) else {
            return Ok(None);
        };
        let limit = || format!("values of {}", Name(tag)).into();
        self.map.within_named(limit, entry.count(), allowed)?;
        let len = entry
            .count()
            .saturating_mul(size_of_type(entry.field_type()) as u64);
        if len > self.map.bytes().len() as u64 {
            let expected = format!("values within the file's {} bytes", self.map.bytes().len());
            return Err(self.corrupt(tag, expected, format!("{len} bytes of values")));
        }
        let mut buffer = ValueBuffer::empty(Type::BYTE);
        self.decoder
            .read_directory_tags(&self.directory)
            .find_tag_buf(key, &mut buffer)
            .map_err(|error| {
                let reason = unreadable(Name(tag), self.map, &error);
                self.map.corrupt(self.offset(tag), reason)
            })?;
        Ok((buffer.count() > 0).then_some(buffer))
    }

    /// The whole numbers of a tag, at most `allowed` of them; a negative or fractional one is corrupt.
    pub fn numbers(&mut self, tag: u16, allowed: u64) -> Result<Option<Vec<u64>>, SourceError> {
        let Some(buffer) = self.values(tag, allowed)? else {
            return Ok(None);
        };
        let (size, signed) = match buffer.data_type() {
            Type::BYTE | Type::SHORT | Type::LONG | Type::LONG8 | Type::IFD | Type::IFD8 => {
                (size_of_type(buffer.data_type()), false)
            }
            Type::SBYTE | Type::SSHORT | Type::SLONG | Type::SLONG8 => {
                (size_of_type(buffer.data_type()), true)
            }
            other => {
                let found = format!("type {other:?}");
                return Err(self.corrupt(tag, "whole numbers", found));
            }
        };
        let order = self.preamble.order;
        let numbers = buffer
            .as_bytes()
            .chunks_exact(size)
            .map(|b| order.number(b));
        let numbers: Vec<u64> = numbers.collect();
        if let Some(n) = numbers.iter().find(|&n| signed && n >> (8 * size - 1) != 0) {
            let negative = (n << (64 - 8 * size)) as i64 >> (64 - 8 * size);
            return Err(self.corrupt(tag, "no number below 0", negative));
        }
        Ok(Some(numbers))
    }

    /// The first whole number of a tag.
    pub fn number(&mut self, tag: u16) -> Result<Option<u64>, SourceError> {
        Ok(self.numbers(tag, 1 << 16)?.map(|numbers| numbers[0]))
    }

    /// The doubles of a tag; `None` also where it has another type, as GDAL has it.
    pub fn doubles(&mut self, tag: u16, allowed: u64) -> Result<Option<Vec<f64>>, SourceError> {
        let Some(buffer) = self.values(tag, allowed)? else {
            return Ok(None);
        };
        let order = self.preamble.order;
        let bytes = buffer.as_bytes();
        Ok(match buffer.data_type() {
            Type::DOUBLE => Some(
                bytes
                    .chunks_exact(8)
                    .map(|b| f64::from_bits(order.number(b)))
                    .collect(),
            ),
            Type::FLOAT => Some(
                bytes
                    .chunks_exact(4)
                    .map(|b| f64::from(f32::from_bits(order.number(b) as u32)))
                    .collect(),
            ),
            _ => None,
        })
    }

    /// The text of a tag up to its first NUL.
    pub fn text(&mut self, tag: u16, allowed: u64) -> Result<Option<String>, SourceError> {
        let Some(buffer) = self.values(tag, allowed)? else {
            return Ok(None);
        };
        let bytes = buffer.as_bytes();
        let len = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        Ok(Some(String::from_utf8_lossy(&bytes[..len]).into_owned()))
    }
}

fn size_of_type(ty: Type) -> usize {
    match ty {
        Type::SHORT | Type::SSHORT => 2,
        Type::LONG | Type::SLONG | Type::FLOAT | Type::IFD => 4,
        Type::RATIONAL | Type::SRATIONAL | Type::DOUBLE => 8,
        Type::LONG8 | Type::SLONG8 | Type::IFD8 => 8,
        _ => 1,
    }
}

/// What the decoder of directories stumbled over.
fn unreadable(place: impl Display, map: &Map, error: &TiffError) -> String {
    let len = map.bytes().len();
    match error {
        TiffError::IoError(_) => {
            let expected = format!("it within the file's {len} bytes");
            mismatch(
                place,
                expected,
                "that it reaches beyond, as in a file cut short",
            )
        }
        other => mismatch(place, "a directory entry of a known form", other),
    }
}

/// A tag as the standards call it, with its number.
pub(crate) struct Name(pub u16);

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            254 => "NewSubfileType",
            256 => "ImageWidth",
            257 => "ImageLength",
            258 => "BitsPerSample",
            259 => "Compression",
            262 => "PhotometricInterpretation",
            266 => "FillOrder",
            273 => "StripOffsets",
            277 => "SamplesPerPixel",
            278 => "RowsPerStrip",
            279 => "StripByteCounts",
            284 => "PlanarConfiguration",
            317 => "Predictor",
            322 => "TileWidth",
            323 => "TileLength",
            324 => "TileOffsets",
            325 => "TileByteCounts",
            339 => "SampleFormat",
            33550 => "ModelPixelScale",
            33922 => "ModelTiepoint",
            34264 => "ModelTransformation",
            34735 => "GeoKeyDirectory",
            34736 => "GeoDoubleParams",
            34737 => "GeoAsciiParams",
            42112 => "GDAL_METADATA",
            42113 => "GDAL_NODATA",
            other => return write!(f, "tag {other}"),
        };
        write!(f, "tag {name} ({})", self.0)
    }
}
