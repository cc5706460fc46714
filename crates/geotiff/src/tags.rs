//! The tags of one image file directory, each checked for size before it is read.

use std::borrow::Cow;
use std::io::Cursor;

use tiff::TiffError;
use tiff::decoder::Decoder;
use tiff::tags::{IfdPointer, Tag, Type, ValueBuffer};

use crate::SourceError;
use crate::map::Map;

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
        let not_tiff = |reason: &'static str| map.corrupt(0, reason);
        let bytes = map.bytes();
        let order = match bytes.get(..2) {
            Some(b"II") => ByteOrder::Little,
            Some(b"MM") => ByteOrder::Big,
            _ => return Err(not_tiff("a TIFF starts with II or MM")),
        };
        let at = |start: usize, len: usize| {
            bytes
                .get(start..start + len)
                .map(|number| order.number(number))
                .ok_or_else(|| not_tiff("the file ends within its first bytes"))
        };
        let big_tiff = match at(2, 2)? {
            42 => false,
            43 if at(4, 2)? == 8 && at(6, 2)? == 0 => true,
            43 => return Err(not_tiff("a BigTIFF has offsets of 8 bytes")),
            _ => return Err(not_tiff("a TIFF has 42 or 43 as its third byte's number")),
        };
        let directory = if big_tiff { at(8, 8)? } else { at(4, 4)? };
        if directory < if big_tiff { 16 } else { 8 } {
            return Err(not_tiff("the first directory lies within the first bytes"));
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
        let mut decoder = Decoder::new(smallest).map_err(|e| fault(map, at, &e))?;
        *decoder.inner() = Cursor::new(Cow::Borrowed(map.bytes()));
        let directory = decoder
            .read_directory(IfdPointer(at))
            .map_err(|e| fault(map, at, &e))?;
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

    /// A contradiction in this directory.
    pub fn corrupt(&self, reason: impl Into<Cow<'static, str>>) -> SourceError {
        self.map.corrupt(self.preamble.directory, reason)
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
        self.map
            .within("values of one tag", entry.count(), allowed)?;
        let len = entry
            .count()
            .saturating_mul(size_of_type(entry.field_type()) as u64);
        if len > self.map.bytes().len() as u64 {
            return Err(self.corrupt(format!("tag {tag} is longer than the file")));
        }
        let mut buffer = ValueBuffer::empty(Type::BYTE);
        self.decoder
            .read_directory_tags(&self.directory)
            .find_tag_buf(key, &mut buffer)
            .map_err(|e| fault(self.map, self.preamble.directory, &e))?;
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
            _ => return Err(self.corrupt(format!("tag {tag} is not a whole number"))),
        };
        let order = self.preamble.order;
        let numbers = buffer
            .as_bytes()
            .chunks_exact(size)
            .map(|b| order.number(b));
        let numbers: Vec<u64> = numbers.collect();
        if signed && numbers.iter().any(|n| n >> (8 * size - 1) != 0) {
            return Err(self.corrupt(format!("tag {tag} is negative")));
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

fn fault(map: &Map, offset: u64, error: &TiffError) -> SourceError {
    map.corrupt(
        offset,
        match error {
            TiffError::IoError(_) => {
                Cow::Borrowed("a directory or the values of a tag lie beyond the end of the file")
            }
            other => Cow::Owned(other.to_string()),
        },
    )
}
