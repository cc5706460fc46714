//! What a file says about its first image.

use ecotone_grid::GeoKeys;

use crate::decode::Compression;
use crate::georeference::{self, is_web_mercator};
use crate::map::Map;
use crate::metadata::{Linear, linears, nodata, stated_range};
use crate::packing::Packing;
use crate::predictor::Predictor;
use crate::tags::Tags;
use crate::units::{self, Unit};
use crate::{ByteOrder, Options, SampleType, SourceError};

const NODATA: u16 = 42113;
const METADATA: u16 = 42112;

/// How an image is cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Blocks of whole rows.
    Strips {
        /// Rows in one strip; the last may have fewer.
        rows: u32,
    },
    /// Rectangular blocks, all of one size.
    Tiles {
        /// Pixels from west to east.
        width: u32,
        /// Pixels from north to south.
        height: u32,
    },
}

/// How several bands lie together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interleaving {
    /// All bands of a pixel side by side (`PlanarConfiguration` 1).
    Pixel,
    /// Each band has its own blocks (`PlanarConfiguration` 2).
    Band,
}

/// What a file says about its first image, and the caller's corrections to it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Header {
    /// Pixels from west to east, at least 1.
    pub width: u32,
    /// Pixels from north to south, at least 1.
    pub height: u32,
    /// Bands, at least 1.
    pub n_bands: usize,
    /// Type of every sample.
    pub sample: SampleType,
    /// Byte order of the file.
    pub byte_order: ByteOrder,
    /// Whether offsets have eight bytes.
    pub big_tiff: bool,
    /// Strips or tiles, and their size.
    pub layout: Layout,
    /// How blocks are compressed.
    pub compression: Compression,
    /// What was done to samples before.
    pub predictor: Predictor,
    /// How several bands lie together.
    pub interleaving: Interleaving,
    /// The raw value that stands for a void: the caller's, else the file's.
    pub nodata: Option<f64>,
    /// Whether 0 is shown as white (`PhotometricInterpretation` 0). Reads give the numbers as they stand, as GDAL does.
    pub min_is_white: bool,
    /// The coordinate system's tags, passed through; empty where there are none.
    pub keys: GeoKeys,
    /// The raw value of blocks that were left out of the file.
    pub(crate) stored_nodata: Option<f64>,
    /// How samples are stored, where that is not their type.
    pub(crate) packing: Packing,
    linears: Vec<Linear>,
    said: Vec<Said>,
    stated_range: Option<[f64; 2]>,
}

/// What a file says of the heights in one of its bands.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Said {
    /// Metres per raw unit; 1 where neither a scale nor a unit is said.
    pub scale: f64,
    /// Metres added to that; 0 where none is said.
    pub offset: f64,
    /// The unit that heights are in before they are turned into metres; its size is in metres.
    pub unit: Option<Unit>,
}

impl Header {
    pub(crate) fn read(map: &Map, tags: &mut Tags, options: &Options) -> Result<Self, SourceError> {
        let width = dimension(tags, 256)?;
        let height = dimension(tags, 257)?;
        let compression = compression(map, tags)?;
        let min_is_white = photometric(map, tags)?;
        let n_bands = tags.number(277)?.unwrap_or(1);
        if n_bands == 0 || n_bands > u64::from(u16::MAX) {
            return Err(tags.corrupt(277, "1 to 65535", n_bands));
        }
        let n_bands = n_bands as usize;
        let (sample, packing) = sample_type(map, tags)?;
        let interleaving = match tags.number(284)? {
            None | Some(1) => Interleaving::Pixel,
            Some(2) => Interleaving::Band,
            Some(n) => {
                return Err(tags.corrupt(284, "1 or 2", n));
            }
        };
        let own_nodata = match tags.text(NODATA, options.limits.text_bytes)? {
            Some(text) => match nodata(&text) {
                Ok(value) => value,
                // The caller knows better.
                Err(()) if options.nodata.is_some() => None,
                Err(()) => {
                    let start: String = text.chars().take(20).collect();
                    return Err(tags.corrupt(NODATA, "a number", format_args!("{start:?}")));
                }
            },
            None => None,
        };
        let xml = tags
            .text(METADATA, options.limits.text_bytes)?
            .unwrap_or_default();
        let keys = georeference::keys(tags)?;
        let said = said(&keys, &xml, n_bands);
        Ok(Self {
            width,
            height,
            n_bands,
            sample,
            byte_order: tags.preamble.order,
            big_tiff: tags.preamble.big_tiff,
            layout: layout(tags, height)?,
            compression,
            predictor: predictor(map, tags, (sample, packing), compression)?,
            interleaving,
            nodata: options.nodata.or(own_nodata).map(|n| packing.rounded(n)),
            keys,
            stored_nodata: own_nodata,
            min_is_white,
            packing,
            linears: corrected(&said, sample, options),
            said,
            stated_range: stated_range(&xml, 0),
        })
    }

    /// The header of a file of another kind than TIFF.
    pub(crate) fn plain(plain: Plain, options: &Options) -> Self {
        let said = said(&plain.keys, "", plain.n_bands);
        Self {
            width: plain.width,
            height: plain.height,
            n_bands: plain.n_bands,
            sample: plain.sample,
            byte_order: plain.byte_order,
            big_tiff: false,
            layout: plain.layout,
            compression: Compression::None,
            predictor: Predictor::None,
            interleaving: plain.interleaving,
            nodata: options.nodata.or(plain.nodata),
            keys: plain.keys,
            stored_nodata: plain.nodata,
            min_is_white: false,
            packing: Packing::Whole,
            linears: corrected(&said, plain.sample, options),
            said,
            stated_range: None,
        }
    }

    /// The factor of a band: height in metres = raw · scale + offset. 1 for a band that is not there.
    pub fn scale(&self, band: usize) -> f64 {
        self.linears.get(band).unwrap_or(&Linear::IDENTITY).scale
    }

    /// The summand of a band: height in metres = raw · scale + offset. 0 for a band that is not there.
    pub fn offset(&self, band: usize) -> f64 {
        self.linears.get(band).unwrap_or(&Linear::IDENTITY).offset
    }

    /// Smallest and largest raw value of the first band by the statistics that GDAL left in the file; nothing says that
    /// they are true.
    pub fn stated_range(&self) -> Option<[f64; 2]> {
        self.stated_range
    }

    /// Whether the coordinates are degrees (`GTModelTypeGeoKey` 2).
    pub fn is_geographic(&self) -> bool {
        self.keys.is_geographic()
    }

    /// Whether the system is Web Mercator (EPSG 3857 and its aliases), whose metres are true at the equator only.
    pub fn is_web_mercator(&self) -> bool {
        is_web_mercator(&self.keys)
    }

    /// The unit of projected coordinates, its size in metres; `None` where the file does not say.
    pub fn linear_unit(&self) -> Option<Unit> {
        units::linear(&self.keys)
    }

    /// The unit of geographic coordinates, its size in radians; `None` where they are not geographic.
    pub fn angular_unit(&self) -> Option<Unit> {
        units::angular(&self.keys)
    }

    /// What the file itself says of a band's heights, whatever the caller said instead.
    pub fn said(&self, band: usize) -> Option<&Said> {
        self.said.get(band)
    }

    /// The nodata value of the file itself, whatever the caller said instead.
    pub fn said_nodata(&self) -> Option<f64> {
        self.stored_nodata
    }
}

/// An image whose samples lie in its file one after the other, nothing packed.
pub(crate) struct Plain {
    pub width: u32,
    pub height: u32,
    pub n_bands: usize,
    pub sample: SampleType,
    pub byte_order: ByteOrder,
    pub layout: Layout,
    pub interleaving: Interleaving,
    /// The raw value that the file has for a void.
    pub nodata: Option<f64>,
    pub keys: GeoKeys,
}

fn said(keys: &GeoKeys, metadata: &str, n_bands: usize) -> Vec<Said> {
    let bands = linears(metadata, n_bands).into_iter().enumerate();
    bands
        .map(|(band, linear)| {
            let unit = units::vertical(keys, metadata, band);
            let metres = unit.as_ref().and_then(|unit| unit.size).unwrap_or(1.0);
            Said {
                scale: linear.scale * metres,
                offset: linear.offset * metres,
                unit,
            }
        })
        .collect()
}

fn corrected(said: &[Said], sample: SampleType, options: &Options) -> Vec<Linear> {
    let linears = said.iter().map(|said| {
        let own = Linear {
            scale: said.scale,
            offset: said.offset,
        };
        let own = options
            .range
            .map_or(own, |range| Linear::over(range, sample));
        Linear {
            scale: options.scale.unwrap_or(own.scale),
            offset: options.offset.unwrap_or(own.offset),
        }
    });
    linears.collect()
}

fn dimension(tags: &mut Tags, tag: u16) -> Result<u32, SourceError> {
    let value = tags.number(tag)?;
    value
        .and_then(|n| u32::try_from(n).ok())
        .filter(|&n| n > 0)
        .ok_or_else(|| {
            let found = value.map_or("nothing".to_owned(), |n| n.to_string());
            tags.corrupt(tag, "1 to 4294967295", found)
        })
}

fn layout(tags: &mut Tags, height: u32) -> Result<Layout, SourceError> {
    if tags.has(322) || tags.has(323) {
        return Ok(Layout::Tiles {
            width: dimension(tags, 322)?,
            height: dimension(tags, 323)?,
        });
    }
    // More rows than the image has, such as 2³² − 1, mean one strip.
    let rows = match tags.number(278)? {
        None => height,
        Some(0) => return Err(tags.corrupt(278, "at least 1", 0)),
        Some(n) => n.min(u64::from(height)) as u32,
    };
    Ok(Layout::Strips { rows })
}

fn compression(map: &Map, tags: &mut Tags) -> Result<Compression, SourceError> {
    let name = match tags.number(259)?.unwrap_or(1) {
        1 => return Ok(Compression::None),
        5 => return Ok(Compression::Lzw),
        8 | 32946 => return Ok(Compression::Deflate),
        32773 => return Ok(Compression::PackBits),
        50000 => return Ok(Compression::Zstd),
        2..=4 | 32771 => "CCITT fax compression",
        6 | 7 => "JPEG compression",
        34676 | 34677 => "SGI LogLuv compression",
        34712 | 33003 | 33005 => "JPEG 2000 compression",
        34887 => "LERC compression",
        34925 => "LZMA compression",
        50001 => "WebP compression",
        50002 | 52546 => "JPEG XL compression",
        other => return Err(map.unsupported(format!("compression {other}"))),
    };
    Err(map.unsupported(name))
}

/// Refuses what is no number for each pixel and band; whether 0 is white.
fn photometric(map: &Map, tags: &mut Tags) -> Result<bool, SourceError> {
    if tags.number(266)?.unwrap_or(1) != 1 {
        return Err(map.unsupported("a reversed bit order"));
    }
    match tags.number(262)?.unwrap_or(1) {
        6 => Err(map.unsupported("YCbCr colour")),
        32803 => Err(map.unsupported("a colour filter array")),
        32844 | 32845 => Err(map.unsupported("LogLuv colour")),
        kind => Ok(kind == 0),
    }
}

fn sample_type(map: &Map, tags: &mut Tags) -> Result<(SampleType, Packing), SourceError> {
    let bits = tags.numbers(258, 1 << 16)?.unwrap_or_else(|| vec![1]);
    let formats = tags.numbers(339, 1 << 16)?.unwrap_or_else(|| vec![1]);
    if bits.iter().any(|&b| b != bits[0]) || formats.iter().any(|&f| f != formats[0]) {
        return Err(map.unsupported("bands of different types"));
    }
    let sample = match (formats[0], bits[0]) {
        (_, 0) => return Err(tags.corrupt(258, "at least 1", 0)),
        (1 | 4, bits) => {
            return Packing::of_integers(bits)
                .ok_or_else(|| map.unsupported(format!("integers of {bits} bits")));
        }
        (2, 8) => SampleType::I8,
        (2, 16) => SampleType::I16,
        (2, 32) => SampleType::I32,
        (2, 64) => SampleType::I64,
        (2, bits) => return Err(map.unsupported(format!("signed integers of {bits} bits"))),
        (3, 16) => return Ok((SampleType::F32, Packing::Half)),
        (3, 32) => SampleType::F32,
        (3, 64) => SampleType::F64,
        (3, bits) => return Err(map.unsupported(format!("floats of {bits} bits"))),
        (5 | 6, _) => {
            return Err(map.convertible(
                "complex samples",
                "gdal_translate -ot Float32 IN.tif OUT.tif",
            ));
        }
        (format, _) => return Err(tags.corrupt(339, "1 to 6", format)),
    };
    Ok((sample, Packing::Whole))
}

fn predictor(
    map: &Map,
    tags: &mut Tags,
    (sample, packing): (SampleType, Packing),
    compression: Compression,
) -> Result<Predictor, SourceError> {
    // Only these codecs have predictors; libtiff does not look at the tag for the others.
    let applies = matches!(
        compression,
        Compression::Lzw | Compression::Deflate | Compression::Zstd
    );
    match tags.number(317)? {
        _ if !applies => Ok(Predictor::None),
        None | Some(1) => Ok(Predictor::None),
        Some(2 | 3) if packing.predicted_bytes(sample).is_none() => {
            let bits = packing.bits(sample);
            Err(map.unsupported(format!("a predictor on samples of {bits} bits")))
        }
        Some(2) => Ok(Predictor::Horizontal),
        Some(3) if sample.is_float() => Ok(Predictor::FloatingPoint),
        Some(3) => Err(tags.corrupt(317, "1 or 2 for integers", 3)),
        Some(other) => Err(map.unsupported(format!("predictor {other}"))),
    }
}
