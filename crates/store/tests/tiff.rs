//! Raster files, read back by another program's decoder.

#![allow(clippy::unwrap_used)]

use std::io::Cursor;

use ecotone_grid::{GeoKeys, GeoTransform, PixelSize, Raster, Rect};
use ecotone_store::{
    BandHeader, Compression, StoreError, StreamLayout, StreamWriter, TileHeader, encode_tiff,
};
use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

fn header(n_bands: usize) -> TileHeader {
    TileHeader {
        transform: GeoTransform {
            x0: 1000.0,
            y0: 2000.0,
            pixel: PixelSize { x: 2.0, y: 0.5 },
        },
        geo_keys: GeoKeys {
            directory: vec![1, 1, 0, 2, 1025, 0, 1, 2, 3072, 0, 1, 25832],
            ..GeoKeys::default()
        },
        bands: (0..n_bands)
            .map(|k| BandHeader {
                description: format!("<{k}> & é"),
                scale: 0.25,
                offset: -1.0,
            })
            .collect(),
        nodata: Some(-32768.0),
    }
}

fn open(bytes: &[u8]) -> Decoder<Cursor<&[u8]>> {
    Decoder::new(Cursor::new(bytes)).unwrap()
}

#[test]
fn one_band_comes_back_through_another_decoder() {
    let rect = Rect::new(-3, 7, 400, 500);
    let pixels: Vec<i16> = (0..rect.area())
        .map(|k| (k * 7919 % 65_536) as u16 as i16)
        .collect();
    let raster = Raster::from_pixels(rect, 1, pixels.clone());
    for compression in [Compression::None, Compression::Deflate] {
        let bytes = encode_tiff(&raster, &header(1), compression).unwrap();
        let mut decoder = open(&bytes);
        assert_eq!(decoder.dimensions().unwrap(), (403, 493));
        let DecodingResult::I16(found) = decoder.read_image().unwrap() else {
            panic!("not 16-bit")
        };
        assert!(found == pixels, "{compression:?}");
    }
}

#[test]
fn a_zstd_strip_holds_its_rows() {
    let rect = Rect::new(0, 0, 700, 900);
    let pixels: Vec<u8> = (0..2 * rect.area())
        .map(|k| (k / 911 % 251) as u8)
        .collect();
    let raster = Raster::from_pixels(rect, 2, pixels.clone());
    let bytes = encode_tiff(&raster, &header(2), Compression::Zstd).unwrap();
    let mut decoder = open(&bytes);
    let offsets = decoder.get_tag_u64_vec(Tag::StripOffsets).unwrap();
    let counts = decoder.get_tag_u64_vec(Tag::StripByteCounts).unwrap();
    assert_eq!(
        decoder.get_tag_u32(Tag::RowsPerStrip).unwrap(),
        262_144 / 700
    );
    let strips = offsets.iter().zip(&counts).map(|(&at, &n)| {
        zstd::bulk::decompress(&bytes[at as usize..(at + n) as usize], 1 << 20).unwrap()
    });
    assert!(strips.flatten().eq(pixels));
    assert_eq!(offsets.len(), 2 * 3);
}

#[test]
fn the_tags_say_where_and_what() {
    let raster = Raster::new(Rect::new(10, 20, 14, 24), 2, 0_i16);
    let bytes = encode_tiff(&raster, &header(2), Compression::None).unwrap();
    let mut decoder = open(&bytes);
    let mut reals = |tag| decoder.get_tag_f64_vec(Tag::Unknown(tag)).unwrap();
    assert_eq!(reals(33550), [2.0, 0.5, 0.0]);
    assert_eq!(reals(33922), [0.0, 0.0, 0.0, 1020.0, 1990.0, 0.0]);
    let keys = decoder.get_tag_u16_vec(Tag::Unknown(34735)).unwrap();
    assert_eq!(keys, [1, 1, 0, 2, 1025, 0, 1, 1, 3072, 0, 1, 25832]);
    assert_eq!(
        decoder.get_tag_ascii_string(Tag::Unknown(42113)).unwrap(),
        "-32768"
    );
    assert_eq!(
        decoder.get_tag_u16_vec(Tag::PlanarConfiguration).unwrap(),
        [2]
    );
    assert_eq!(
        decoder.get_tag_ascii_string(Tag::Software).unwrap(),
        "ecotone"
    );
    let xml = String::from_utf8_lossy(&bytes).into_owned();
    let item = "<Item name=\"DESCRIPTION\" sample=\"1\" role=\"description\">&amp;lt;1&amp;gt; &amp;amp; é</Item>";
    assert!(xml.contains(item), "{xml}");
    assert!(xml.contains("<Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.25</Item>"));
}

#[test]
fn a_raster_that_is_not_what_its_header_says_is_refused() {
    let refused = |raster: &Raster<u8>| {
        let refused = encode_tiff(raster, &header(2), Compression::None);
        assert!(matches!(refused, Err(StoreError::Unfit { .. })));
    };
    refused(&Raster::new(Rect::new(0, 0, 4, 4), 1, 0));
    refused(&Raster::new(Rect::new(0, 0, 0, 4), 2, 0));
}

#[test]
fn a_stream_is_the_raster_it_was_given() {
    let (width, height) = (1100_u32, 1030_u32);
    let pixel = |x: u32, y: u32| (x * 3 + y * 5) as f32 * 0.25;
    for compression in [Compression::None, Compression::Deflate] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("big.tif");
        let layout = StreamLayout {
            width,
            height,
            compression,
        };
        let mut writer = StreamWriter::<f32>::create(&path, layout, header(1)).unwrap();
        for y0 in (0..height).step_by(512) {
            let rows = y0..height.min(y0 + 512);
            let pixels: Vec<f32> = rows
                .flat_map(|y| (0..width).map(move |x| pixel(x, y)))
                .collect();
            assert!(writer.write_tile_row(&pixels[1..]).is_err());
            writer.write_tile_row(&pixels).unwrap();
        }
        assert!(!path.exists());
        writer.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let mut decoder = open(&bytes);
        let DecodingResult::F32(found) = decoder.read_image().unwrap() else {
            panic!("not 32-bit reals")
        };
        let wanted = (0..height).flat_map(|y| (0..width).map(move |x| pixel(x, y)));
        assert!(found.into_iter().eq(wanted), "{compression:?}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}

#[test]
fn an_unfinished_stream_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("big.tif");
    let layout = StreamLayout {
        width: 10,
        height: 600,
        compression: Compression::None,
    };
    let mut writer = StreamWriter::<u8>::create(&path, layout, header(1)).unwrap();
    writer.write_tile_row(&[0; 5120]).unwrap();
    assert!(matches!(writer.finish(), Err(StoreError::Unfit { .. })));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
