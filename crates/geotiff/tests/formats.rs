//! Files of other kinds than TIFF, written here, pixel by known pixel, and read back as the same numbers in a TIFF are.

#![allow(clippy::unwrap_used)]

#[path = "formats/beside.rs"]
mod beside;
#[path = "formats/exr_files.rs"]
mod exr_files;
mod png_writer;
#[path = "formats/raw_files.rs"]
mod raw_files;
mod writer;

use std::path::Path;
use std::sync::Arc;

use ecotone_geotiff::{
    BlockCache, ByteOrder, Limits, Options, RawLayout, SampleType, Source, SourceError,
};
use ecotone_grid::{Raster, Rect};
use exr::prelude::{
    AnyChannel, AnyChannels, Blocks, Compression, Encoding, FlatSamples, Image, Layer,
    LayerAttributes, LineOrder, Vec2, WritableImage,
};
use png_writer::Png;
use proptest::prelude::*;
use writer::Tiff;

/// Opens a file of these bytes and this name.
fn open_named(name: &str, bytes: &[u8], options: &Options) -> Result<Source, SourceError> {
    let directory = tempfile::tempdir().unwrap();
    open_beside(directory.path(), name, bytes, options)
}

fn open_beside(
    folder: &Path,
    name: &str,
    bytes: &[u8],
    options: &Options,
) -> Result<Source, SourceError> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    Source::open(&path, options, Arc::new(BlockCache::new(1 << 16)))
}

fn open(name: &str, bytes: &[u8]) -> Source {
    open_named(name, bytes, &Options::default()).unwrap()
}

fn heights(source: &Source, rect: Rect, band: usize) -> Vec<f64> {
    let mut out = Raster::default();
    source.read(rect, band, &mut out).unwrap();
    out.pixels().to_vec()
}

fn all(source: &Source) -> Vec<f64> {
    heights(source, source.rect(), 0)
}

/// Checks that both hold the same pixels in a window, void where either is void.
#[track_caller]
fn check_same(found: &Source, expected: &Source, rect: Rect) {
    assert_eq!(found.rect(), expected.rect());
    assert_eq!(found.header().n_bands, expected.header().n_bands);
    for band in 0..expected.header().n_bands {
        let (a, b) = (heights(found, rect, band), heights(expected, rect, band));
        let same = a
            .iter()
            .zip(&b)
            .all(|(a, b)| a == b || a.is_nan() && b.is_nan());
        assert!(same, "band {band} of {rect:?}: {a:?}, not {b:?}");
    }
}

/// A whole number below 2¹¹, which a half can hold, that differs between neighbours and bands.
fn pixel(band: usize, x: usize, y: usize) -> f64 {
    ((x * 7 + y * 31 + band * 101 + (x * y) % 13) % 2039) as f64
}

fn raw(layout: RawLayout) -> Vec<u8> {
    let mut bytes = Vec::new();
    for y in 0..layout.height as usize {
        for x in 0..layout.width as usize {
            let value = pixel(0, x, y);
            let mut number = match layout.sample {
                SampleType::U8 => vec![(value % 256.0) as u8],
                SampleType::I16 => (value as i16 - 900).to_le_bytes().to_vec(),
                SampleType::F32 => (value as f32 / 8.0).to_le_bytes().to_vec(),
                _ => (value as u16).to_le_bytes().to_vec(),
            };
            if layout.byte_order == ByteOrder::Big {
                number.reverse();
            }
            bytes.extend(number);
        }
    }
    bytes
}

/// The same numbers as those of [`raw`] in a TIFF.
fn raw_twin(layout: RawLayout) -> Source {
    let (sample, value): (_, fn(f64) -> f64) = match layout.sample {
        SampleType::U8 => ((1, 8), |v| v % 256.0),
        SampleType::I16 => ((2, 16), |v| v - 900.0),
        SampleType::F32 => ((3, 32), |v| v / 8.0),
        _ => ((1, 16), |v| v),
    };
    let tiff = Tiff::new(layout.width as usize, layout.height as usize, sample);
    writer::open(&tiff, |band, x, y| value(pixel(band, x, y)))
}

fn layouts() -> impl Strategy<Value = RawLayout> {
    let samples = vec![
        SampleType::U8,
        SampleType::U16,
        SampleType::I16,
        SampleType::F32,
    ];
    let orders = vec![ByteOrder::Little, ByteOrder::Big];
    let kind = (prop::sample::select(samples), prop::sample::select(orders));
    (1_u32..40, 1_u32..40, kind).prop_map(|(width, height, (sample, byte_order))| RawLayout {
        width,
        height,
        sample,
        byte_order,
    })
}

fn pngs() -> impl Strategy<Value = Png> {
    let kinds = vec![
        (0, 1),
        (0, 2),
        (0, 4),
        (0, 8),
        (0, 16),
        (2, 8),
        (2, 16),
        (4, 8),
        (4, 16),
        (6, 8),
        (6, 16),
    ];
    let shape = (1_usize..40, 1_usize..40, any::<bool>());
    (shape, prop::sample::select(kinds)).prop_map(
        |((width, height, interlaced), (colour, depth))| {
            let mut png = Png::new(width, height, depth);
            (png.colour, png.interlaced) = (colour, interlaced);
            png
        },
    )
}

fn png_pixel(depth: usize) -> impl Fn(usize, usize, usize) -> f64 {
    move |band, x, y| match depth {
        16 => pixel(band, x, y) * 31.0,
        _ => pixel(band, x, y) % f64::from(1 << depth),
    }
}

fn png_twin(png: &Png) -> Source {
    let mut tiff = Tiff::new(png.width, png.height, (1, png.depth.max(8)));
    tiff.n_bands = png.n_bands();
    writer::open(&tiff, png_pixel(png.depth))
}

fn windows() -> impl Strategy<Value = Rect> {
    (-5_i64..40, -5_i64..40, 0_i64..50, 0_i64..50)
        .prop_map(|(x, y, w, h)| Rect::new(x, y, x + w, y + h))
}

/// One OpenEXR channel of every type: floats for even bands, halves for odd ones.
fn channel(name: &str, band: usize, (width, height): (usize, usize)) -> AnyChannel<FlatSamples> {
    let values = (0..height).flat_map(|y| (0..width).map(move |x| pixel(band, x, y) as f32));
    let samples = if band.is_multiple_of(2) {
        FlatSamples::F32(values.collect())
    } else {
        FlatSamples::F16(values.map(half::f16::from_f32).collect())
    };
    AnyChannel::new(name, samples)
}

fn exr(
    size: (usize, usize),
    encoding: Encoding,
    names: &[&str],
    attributes: LayerAttributes,
) -> Vec<u8> {
    let channels = names
        .iter()
        .enumerate()
        .map(|(band, name)| channel(name, band, size));
    let channels = AnyChannels::sort(channels.collect());
    let layer = Layer::new(size, attributes, encoding, channels);
    let mut file = std::io::Cursor::new(Vec::new());
    Image::from_layer(layer)
        .write()
        .to_buffered(&mut file)
        .unwrap();
    file.into_inner()
}

fn encodings() -> impl Strategy<Value = Encoding> {
    let compressions = vec![
        Compression::Uncompressed,
        Compression::RLE,
        Compression::ZIP1,
        Compression::ZIP16,
        Compression::PIZ,
    ];
    let blocks = prop_oneof![
        Just(Blocks::ScanLines),
        (4_usize..50, 4_usize..50).prop_map(|(w, h)| Blocks::Tiles(Vec2(w, h))),
    ];
    let orders = vec![LineOrder::Increasing, LineOrder::Decreasing];
    (
        prop::sample::select(compressions),
        blocks,
        prop::sample::select(orders),
    )
        .prop_map(|(compression, blocks, line_order)| Encoding {
            compression,
            blocks,
            line_order,
        })
}

fn exr_twin(size: (usize, usize), n_bands: usize) -> Source {
    let mut tiff = Tiff::new(size.0, size.1, (3, 32));
    tiff.n_bands = n_bands;
    writer::open(&tiff, pixel)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn raw_numbers_read_as_the_same_numbers_in_a_tiff(layout in layouts(), rect in windows()) {
        let options = Options { raw: Some(layout), ..Options::default() };
        let source = open_named("map.RAW", &raw(layout), &options).unwrap();
        check_same(&source, &raw_twin(layout), rect);
    }

    #[test]
    fn a_png_reads_as_the_same_numbers_in_a_tiff(png in pngs(), rect in windows()) {
        let source = open("map.png", &png.bytes(png_pixel(png.depth)));
        check_same(&source, &png_twin(&png), rect);
    }

    #[test]
    fn an_exr_reads_as_the_same_numbers_in_a_tiff(
        (width, height) in (1_usize..40, 1_usize..40),
        encoding in encodings(),
        n_bands in 1_usize..4,
        rect in windows(),
    ) {
        let names = &["one", "three", "two"][..n_bands];
        let bytes = exr((width, height), encoding, names, LayerAttributes::default());
        check_same(&open("map.exr", &bytes), &exr_twin((width, height), n_bands), rect);
    }

    #[test]
    fn no_bytes_make_it_panic(
        png in pngs(),
        encoding in encodings(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        head in any::<bool>(),
    ) {
        let files = [
            ("map.png", png.bytes(png_pixel(png.depth))),
            ("map.exr", exr((9, 20), encoding, &["a", "b"], LayerAttributes::default())),
        ];
        for (name, mut bytes) in files {
            let len = if head { bytes.len().min(400) } else { bytes.len() };
            for (index, byte) in &flips {
                bytes[index.index(len)] = *byte;
            }
            check_sound(name, &bytes);
        }
    }
}

/// Checks that a file is read or refused with a sentence.
fn check_sound(name: &str, bytes: &[u8]) {
    let limits = Limits {
        block_bytes: 1 << 20,
        unpacked_bytes: 1 << 20,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let error = match open_named(name, bytes, &options) {
        Ok(source) => {
            let mut out = Raster::default();
            let error = source.read(Rect::new(-3, -3, 20, 20), 0, &mut out).err();
            // The second time it says the same.
            let again = source.read(Rect::new(-3, -3, 20, 20), 0, &mut out).err();
            assert_eq!(
                error.as_ref().map(ToString::to_string),
                again.map(|e| e.to_string())
            );
            error
        }
        Err(error) => Some(error),
    };
    assert!(error.is_none_or(|e| e.to_string().contains(name)));
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let png = Png::new(30, 20, 16);
    let encoding = Encoding {
        compression: Compression::ZIP16,
        blocks: Blocks::ScanLines,
        line_order: LineOrder::Increasing,
    };
    let files = [
        ("map.png", png.bytes(png_pixel(16))),
        (
            "map.exr",
            exr((30, 20), encoding, &["Y"], LayerAttributes::default()),
        ),
    ];
    // The file stays: one that is gone would be said to have changed.
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        // A PNG has all its pixels before the 12 bytes of its last chunk and the 4 of the checksum before.
        for len in (0..bytes.len() - 16).step_by(10) {
            let result = open_beside(folder.path(), name, &bytes[..len], &Options::default());
            let error = match result {
                Ok(source) => source
                    .read_all::<u16>()
                    .map(|_| ())
                    .err()
                    .or_else(|| source.read_all::<f32>().map(|_| ()).err()),
                Err(error) => Some(error),
            };
            let error = error.unwrap_or_else(|| panic!("{name} of {len} bytes was read"));
            assert!(
                ["corrupt", "not-an-image", "wrong-type", "io"].contains(&error.kind()),
                "{error}"
            );
        }
    }
}

#[test]
fn a_png_that_says_more_than_it_can_hold_is_refused_at_once() {
    let small = Png::new(3, 3, 16);
    let mut bytes = small.bytes(|_, _, _| 1.0);
    for (width, height, kind) in [
        (0x7fff_ffff_u32, 0x7fff_ffff_u32, "over-limit"),
        (100_000, 100_000, "corrupt"),
    ] {
        bytes[16..20].copy_from_slice(&width.to_be_bytes());
        bytes[20..24].copy_from_slice(&height.to_be_bytes());
        let mut crc = flate2::Crc::new();
        crc.update(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&crc.sum().to_be_bytes());
        let error = open_named("map.png", &bytes, &Options::default()).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    }
}

#[test]
fn texts_and_profiles_of_a_png_are_not_unpacked() {
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut zlib, &vec![b' '; 20 << 20]).unwrap();
    let bomb = [b"name\0\0".to_vec(), zlib.finish().unwrap()].concat();
    let mut png = Png::new(3, 2, 8);
    png.chunks = vec![(*b"zTXt", bomb.clone()), (*b"iCCP", bomb)];
    let limits = Limits {
        block_bytes: 8 << 20,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let source = open_named("map.png", &png.bytes(|_, x, _| x as f64), &options).unwrap();
    assert_eq!(all(&source), [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
}

#[test]
fn a_palette_is_refused_with_advice() {
    let mut png = Png::new(2, 2, 8);
    png.colour = 3;
    png.chunks = vec![(*b"PLTE", vec![0; 12])];
    let error = open_named("map.png", &png.bytes(|_, _, _| 1.0), &Options::default()).unwrap_err();
    assert_eq!(error.kind(), "unsupported");
    assert!(error.to_string().contains("-expand rgb"), "{error}");
}

#[test]
fn the_transparent_grey_of_a_png_is_void() {
    let mut png = Png::new(3, 1, 16);
    png.chunks = vec![(*b"tRNS", vec![0x12, 0x34])];
    let source = open("map.png", &png.bytes(|_, x, _| [5.0, 4660.0, 7.0][x]));
    assert_eq!(source.header().nodata, Some(4660.0));
    let found = all(&source);
    assert!(found[0] == 5.0 && found[1].is_nan() && found[2] == 7.0);

    png.chunks = vec![(*b"tRNS", vec![0x12, 0x34, 0, 0])];
    assert_eq!(
        open("map.png", &png.bytes(|_, _, _| 5.0)).header().nodata,
        None
    );
}

#[test]
fn pixels_that_are_more_than_allowed_are_not_unpacked() {
    let limits = Limits {
        unpacked_bytes: 11,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let bytes = Png::new(3, 2, 16).bytes(|_, _, _| 0.0);
    let error = open_named("map.png", &bytes, &options).unwrap_err();
    assert_eq!(error.kind(), "over-limit");
}
