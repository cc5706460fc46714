//! OpenEXR (openexr.com, *File Layout*): one flat layer, each channel a band.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::exr::block::reader::ChunksReader;
use ::exr::block::{self, BlockIndex, UncompressedBlock};
use ::exr::compression::Compression;
use ::exr::error::Error;
use ::exr::math::Vec2;
use ::exr::meta::BlockDescription;
use ::exr::meta::attribute::{ChannelList, SampleType as ExrType};
use ::exr::meta::header::Header as ExrHeader;
use ecotone_grid::GeoKeys;

use crate::header::{Interleaving, Layout, Plain};
use crate::image::Image;
use crate::map::Map;
use crate::{ByteOrder, Limits, Options, SampleType, SourceError};

use super::tracked::Tracked;
use super::unpacked::{Disk, Packed, Unpacked};
use super::{Opened, name};

/// What is read of a file: its first layer, its channels in the order of the bands.
#[derive(Debug)]
pub(crate) struct Layer {
    /// The channel of each band, counted in the file.
    channels: Vec<usize>,
}

/// Which layer is read.
const LAYER: usize = 0;

/// Opens an OpenEXR file; no pixels yet.
pub(super) fn open(map: &Map, options: &Options) -> Result<Opened, SourceError> {
    /// "Non-image": several samples to a pixel.
    const DEEP: u8 = 0x08;
    if map.bytes().get(5).is_some_and(|flags| flags & DEEP != 0) {
        return Err(map.unsupported("deep pixels, of several samples each"));
    }
    let at = Cell::new(0);
    let reader = decode(map, &at, || {
        block::read(Tracked::new(map.bytes(), &at), false)
    })?;
    let headers = reader.headers();
    let header = &headers[LAYER];
    if header
        .channels
        .list
        .iter()
        .any(|c| c.sampling != Vec2(1, 1))
    {
        return Err(map.unsupported("channels with fewer pixels than others"));
    }
    check_compression(map, header.compression)?;
    for header in headers {
        // Whatever is read, a block may say that it belongs to another layer.
        check_limits(map, header, &options.limits)?;
    }
    let layer = Layer {
        channels: order(&header.channels),
    };
    let plain = plain(map, header)?;
    let image = Image::plain(map, plain, options)?;
    let notes = notes(map, headers, &layer);
    let packed = Packed::Exr(layer);
    let unpacked = Unpacked::new(map, &image, packed, options.limits.unpacked_bytes)?;
    Ok(Opened {
        unpacked: Some(unpacked),
        notes,
        ..Opened::new(image)
    })
}

/// Takes a step of the decoder; where it panics, the file is broken.
fn decode<T>(
    map: &Map,
    at: &Cell<u64>,
    step: impl FnOnce() -> Result<T, Error>,
) -> Result<T, SourceError> {
    // The decoder does sums over the file's numbers that some builds check for overflow; what it was at is dropped.
    match catch_unwind(AssertUnwindSafe(step)) {
        Ok(result) => result.map_err(|e| fault(map, at, e)),
        Err(_) => Err(map.corrupt(
            at.get(),
            "the numbers there are beyond what the decoder can hold",
        )),
    }
}

fn fault(map: &Map, at: &Cell<u64>, error: Error) -> SourceError {
    match error {
        Error::NotSupported(feature) => {
            map.unsupported(format!("a kind of OpenEXR pixels ({feature})"))
        }
        Error::Invalid(reason) => map.corrupt(at.get(), reason),
        other => map.corrupt(at.get(), other.to_string()),
    }
}

/// Refuses what loses heights: it is made for the eye, and its decoder believes whatever sizes a block says.
fn check_compression(map: &Map, compression: Compression) -> Result<(), SourceError> {
    let feature = match compression {
        Compression::DWAA(_) => "DWAA compression",
        Compression::DWAB(_) => "DWAB compression",
        Compression::B44 => "B44 compression",
        Compression::B44A => "B44A compression",
        _ => return Ok(()),
    };
    Err(map.convertible(feature, "oiiotool in.exr --compression zip -o out.exr"))
}

/// What the decoder would reserve, before it does.
fn check_limits(map: &Map, header: &ExrHeader, limits: &Limits) -> Result<(), SourceError> {
    let Vec2(width, height) = header.max_block_pixel_size();
    let block = (width as u64)
        .saturating_mul(height as u64)
        .saturating_mul(header.channels.bytes_per_pixel as u64);
    // Packed, unpacked, and in between.
    map.within("bytes of one decoded block", block, limits.block_bytes / 4)?;
    let n_blocks = header.chunk_count as u64;
    map.within("blocks", n_blocks, limits.blocks)?;
    // Every block of every level has its place in a table of eight bytes each.
    if n_blocks <= map.bytes().len() as u64 / 8 {
        return Ok(());
    }
    Err(map.corrupt(
        0,
        format!("it says that it has {n_blocks} blocks, more than it has room for"),
    ))
}

fn plain(map: &Map, header: &ExrHeader) -> Result<Plain, SourceError> {
    let Vec2(width, height) = header.layer_size;
    let side = |n: usize| u32::try_from(n).ok().filter(|&n| n > 0);
    let (Some(width), Some(height)) = (side(width), side(height)) else {
        return Err(map.corrupt(0, "its data window is empty"));
    };
    let Vec2(block_width, block_height) = header.max_block_pixel_size();
    let within = |block: usize, image: u32| (block as u64).clamp(1, u64::from(image)) as u32;
    let layout = match header.blocks {
        BlockDescription::ScanLines => Layout::Strips {
            rows: within(block_height, height),
        },
        BlockDescription::Tiles(_) => Layout::Tiles {
            width: within(block_width, width),
            height: within(block_height, height),
        },
    };
    Ok(Plain {
        width,
        height,
        n_bands: header.channels.list.len(),
        sample: sample(&header.channels),
        byte_order: ByteOrder::NATIVE,
        layout,
        interleaving: Interleaving::Band,
        nodata: None,
        keys: GeoKeys::default(),
    })
}

/// The type that holds all channels exactly.
fn sample(channels: &ChannelList) -> SampleType {
    let is_integer = |kind| kind == ExrType::U32;
    let mut kinds = channels.list.iter().map(|c| c.sample_type);
    if kinds.clone().all(is_integer) {
        SampleType::U32
    } else if kinds.any(is_integer) {
        SampleType::F64
    } else {
        SampleType::F32
    }
}

/// The channels most likely to hold heights first, then colours in their usual order, then the rest by name.
fn order(channels: &ChannelList) -> Vec<usize> {
    const FIRST: [&str; 7] = ["Y", "HEIGHT", "Z", "R", "G", "B", "A"];
    let rank = |&channel: &usize| {
        let name = channels.list[channel].name.to_string().to_uppercase();
        let name = name.rsplit('.').next().unwrap_or_default();
        FIRST
            .iter()
            .position(|first| *first == name)
            .unwrap_or(FIRST.len())
    };
    let mut order: Vec<usize> = (0..channels.list.len()).collect();
    // Stable: channels of one rank keep the order of their names, which the file has.
    order.sort_by_key(rank);
    order
}

fn notes(map: &Map, headers: &[ExrHeader], layer: &Layer) -> Vec<String> {
    let file = name(map.path());
    let header = &headers[LAYER];
    let mut notes = Vec::new();
    if headers.len() > 1 {
        let own_name = header.own_attributes.layer_name.as_ref();
        let own_name = own_name.map_or("the first".to_owned(), |name| {
            format!("the first, {:.40},", name.to_string())
        });
        notes.push(format!(
            "{file} has {} layers, and {own_name} is read",
            headers.len()
        ));
    }
    if layer.channels.len() > 1 {
        let bands = layer.channels.iter().zip(1..).map(|(&channel, band)| {
            let name = header.channels.list[channel].name.to_string();
            format!("band {band} is {name:.40}")
        });
        let bands: Vec<String> = bands.take(8).collect();
        notes.push(format!(
            "{file} has {} channels: {}",
            layer.channels.len(),
            bands.join(", ")
        ));
    }
    let (whole, shown) = (
        header.data_window(),
        header.shared_attributes.display_window,
    );
    if whole != shown {
        notes.push(format!(
            "{file} has pixels for {} × {} from ({}, {}) on, its data window, and all are read, though it shows {} × {} \
             from ({}, {}) on",
            whole.size.0,
            whole.size.1,
            whole.position.0,
            whole.position.1,
            shown.size.0,
            shown.size.1,
            shown.position.0,
            shown.position.1,
        ));
    }
    notes
}

/// Writes the pixels block by block, each channel's plane by itself.
pub(super) fn unpack(
    map: &Map,
    image: &Image,
    layer: &Layer,
    disk: &mut Disk,
) -> Result<(), SourceError> {
    let at = Cell::new(0);
    let reader = decode(map, &at, || {
        block::read(Tracked::new(map.bytes(), &at), false)
    })?;
    let header = reader.headers()[LAYER].clone();
    let is_wanted = |block: &BlockIndex| block.layer == LAYER && block.level == Vec2(0, 0);
    let chunks = decode(map, &at, || {
        reader.filter_chunks(false, |_, _, block| is_wanted(&block))
    })?;
    let mut blocks = chunks.sequential_decompressor(false);
    let mut missing = vec![true; image.blocks.per_plane() as usize];
    let mut plane = Vec::new();
    while let Some(block) = decode(map, &at, || blocks.next().transpose())? {
        let Some(index) = place(image, &block) else {
            return Err(map.corrupt(at.get(), "a block lies where none is expected"));
        };
        if block.data.len() != block.index.pixel_size.area() * header.channels.bytes_per_pixel {
            return Err(map.corrupt(at.get(), "a block has not the size it should have"));
        }
        missing[index as usize] = false;
        for (band, &channel) in layer.channels.iter().enumerate() {
            plane.clear();
            cut_out(&block, &header.channels, channel, image, &mut plane);
            let index = band as u64 * image.blocks.per_plane() + index;
            disk.write(image.blocks.offset(index), &plane)?;
        }
    }
    if missing.contains(&true) {
        let n_missing = missing.iter().filter(|&&is_missing| is_missing).count();
        let reason = format!("{n_missing} of its {} blocks are missing", missing.len());
        return Err(map.corrupt(at.get(), reason));
    }
    Ok(())
}

/// The index of a block in its plane; `None` where it is of another layer or level, or does not fit.
fn place(image: &Image, block: &UncompressedBlock) -> Option<u64> {
    let index = &block.index;
    let (x, y) = (index.pixel_position.0 as u64, index.pixel_position.1 as u64);
    let (width, height) = (image.blocks.width, image.blocks.height);
    let inside = index.layer == LAYER
        && index.level == Vec2(0, 0)
        && (x % width, y % height) == (0, 0)
        && index.pixel_size.0 as u64 <= width
        && index.pixel_size.1 as u64 <= height
        && x < u64::from(image.header.width)
        && y < u64::from(image.header.height);
    inside.then(|| image.blocks.index(0, x / width, y / height))
}

/// Appends the samples of one channel of a block, its rows filled up to the width of a whole block.
fn cut_out(
    block: &UncompressedBlock,
    channels: &ChannelList,
    channel: usize,
    image: &Image,
    out: &mut Vec<u8>,
) {
    let width = block.index.pixel_size.0;
    let line_bytes = width * channels.bytes_per_pixel;
    let before = &channels.list[..channel];
    let before: usize = before
        .iter()
        .map(|c| c.sample_type.bytes_per_sample())
        .sum();
    let kind = channels.list[channel].sample_type;
    let samples = before * width..(before + kind.bytes_per_sample()) * width;
    let row_bytes = image.blocks.row_bytes(&image.header) as usize;
    for line in block.data.chunks_exact(line_bytes) {
        let end = out.len() + row_bytes;
        convert(&line[samples.clone()], kind, image.header.sample, out);
        out.resize(end, 0);
    }
}

fn convert(samples: &[u8], kind: ExrType, to: SampleType, out: &mut Vec<u8>) {
    let words = || {
        samples
            .chunks_exact(4)
            .map(|b| ByteOrder::NATIVE.number(b) as u32)
    };
    let halves = || {
        let bits = samples
            .chunks_exact(2)
            .map(|b| ByteOrder::NATIVE.number(b) as u16);
        bits.map(|bits| half::f16::from_bits(bits).to_f32())
    };
    match (kind, to) {
        (ExrType::F16, SampleType::F64) => {
            out.extend(halves().flat_map(|v| f64::from(v).to_ne_bytes()))
        }
        (ExrType::F32, SampleType::F64) => {
            out.extend(words().flat_map(|bits| f64::from(f32::from_bits(bits)).to_ne_bytes()));
        }
        (ExrType::U32, SampleType::F64) => {
            out.extend(words().flat_map(|n| f64::from(n).to_ne_bytes()))
        }
        (ExrType::F16, _) => out.extend(halves().flat_map(f32::to_ne_bytes)),
        _ => out.extend(samples),
    }
}
