//! Files written here, pixel by known pixel, and read back.

#![allow(clippy::unwrap_used)]

mod writer;

use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Limits, Options, Source, SourceError};
use ecotone_grid::{Raster, Rect};
use proptest::prelude::*;
use writer::{Tiff, Value, open, open_bytes, open_cached};

fn heights(source: &Source, rect: Rect, band: usize) -> Vec<f64> {
    let mut out = Raster::default();
    source.read(rect, band, &mut out).unwrap();
    assert_eq!((out.rect(), out.n_bands()), (rect, 1));
    out.pixels().to_vec()
}

fn all(source: &Source) -> Vec<f64> {
    heights(source, source.rect(), 0)
}

/// A value that differs between neighbours and between bands, and fits the type.
fn pixel(sample: (u16, usize), band: usize, x: usize, y: usize) -> f64 {
    let n = (x * 7 + y * 31 + band * 101 + (x * y) % 13) as f64;
    match sample {
        (1, bits @ 1..8) => n % (1 << bits) as f64,
        (1, 8) => n % 251.0,
        (1, bits @ 9..16) => n % (1 << bits) as f64,
        (2, 8) => n % 251.0 - 125.0,
        (1, _) => n * 97.0 % 65_521.0,
        (2, _) => n * 97.0 % 65_521.0 - 32_760.0,
        (_, 16) => n - 500.0,
        _ => n / 8.0 - 500.0,
    }
}

fn samples() -> impl Strategy<Value = (u16, usize)> {
    let integer = (1_u16..3, prop::sample::select(vec![8, 16, 32, 64]));
    let float = (Just(3_u16), prop::sample::select(vec![16, 32, 64]));
    let packed = (Just(1_u16), 1_usize..33);
    prop_oneof![integer, float, packed]
}

fn tiffs() -> impl Strategy<Value = Tiff> {
    (
        (1_usize..40, 1_usize..40, 1_usize..4, samples()),
        (any::<bool>(), any::<bool>(), any::<bool>()),
        (
            proptest::option::of((1_usize..20, 1_usize..20)),
            1_usize..20,
        ),
        prop::sample::select(vec![1_u16, 5, 8, 32946, 50000, 32773]),
        1_u16..4,
    )
        .prop_map(|(shape, flags, cut, compression, predictor)| {
            let mut tiff = Tiff::new(shape.0, shape.1, shape.3);
            tiff.n_bands = shape.2;
            (tiff.big_endian, tiff.big_tiff, tiff.separate) = flags;
            tiff.tile = cut.0;
            tiff.rows_per_strip = cut.1;
            tiff.compression = compression;
            let has_predictor =
                ![1, 32773].contains(&compression) && [8, 16, 32, 64].contains(&shape.3.1);
            if has_predictor && (predictor < 3 || shape.3.0 == 3) {
                tiff.predictor = predictor;
            }
            tiff
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn every_kind_of_file_reads_back_in_any_window(
        tiff in tiffs(),
        (x0, y0, w, h) in (-5_i64..40, -5_i64..40, 0_i64..50, 0_i64..50),
    ) {
        let source = open(&tiff, |band, x, y| pixel(tiff.sample, band, x, y));
        let rect = Rect::new(x0, y0, x0 + w, y0 + h);
        for band in 0..tiff.n_bands {
            let found = heights(&source, rect, band);
            let mut found = found.iter();
            for y in y0..y0 + h {
                for x in x0..x0 + w {
                    let inside = source.rect().contains(x, y);
                    let expected = if inside { pixel(tiff.sample, band, x as usize, y as usize) } else { f64::NAN };
                    let found = *found.next().unwrap();
                    prop_assert!(found == expected || found.is_nan() && !inside, "{x} {y}: {found}, not {expected}");
                }
            }
        }
    }

    /// A cache that holds more than the file tells what a read went through.
    #[test]
    fn a_window_decodes_as_many_bytes_as_it_says(
        tiff in tiffs(),
        (x0, y0, w, h) in (-5_i64..40, -5_i64..40, 0_i64..50, 0_i64..50),
        south_up: bool,
    ) {
        let cache = Arc::new(BlockCache::new(1 << 24));
        let mut matrix = [0.0; 16];
        (matrix[0], matrix[5]) = (1.0, if south_up { 1.0 } else { -1.0 });
        let tiff = tiff.tag(34264, Value::Doubles(matrix.into()));
        let bytes = tiff.bytes(|band, x, y| pixel(tiff.sample, band, x, y));
        let source = open_cached(&bytes, &Options::default(), &cache).unwrap();
        let rect = Rect::new(x0, y0, x0 + w, y0 + h);
        heights(&source, rect, 0);
        prop_assert_eq!(cache.held_bytes() as u64, source.decoded_bytes(rect));
    }

    #[test]
    fn no_bytes_make_it_panic(
        tiff in tiffs(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        tail in any::<bool>(),
    ) {
        let mut bytes = tiff.bytes(|band, x, y| pixel(tiff.sample, band, x, y));
        let len = bytes.len();
        // The directory comes last in these files, and is where a wrong byte tells.
        let start = if tail { len.saturating_sub(200) } else { 0 };
        for (index, byte) in flips {
            let at = start + index.index(len - start);
            bytes[at] = byte;
        }
        let limits = Limits { block_bytes: 1 << 20, window_bytes: 1 << 20, stream_bytes: 1 << 20, ..Limits::default() };
        if let Ok(source) = open_bytes(&bytes, &Options { limits, ..Options::default() }) {
            let mut out = Raster::default();
            let mut errors = vec![source.read(Rect::new(-3, -3, 20, 20), 0, &mut out).err()];
            errors.push(source.rows_as_f32(|_| ()).err());
            errors.push(source.read_all::<i16>().err());
            errors.push(source.georeference().err());
            prop_assert!(errors.iter().flatten().all(|e| !e.to_string().is_empty()));
        }
    }
}

#[test]
fn a_whole_file_reads_at_once_band_by_band() {
    for separate in [false, true] {
        let mut tiff = Tiff::new(13, 9, (2, 16));
        (
            tiff.n_bands,
            tiff.separate,
            tiff.compression,
            tiff.rows_per_strip,
        ) = (3, separate, 50000, 4);
        let raster = open(&tiff, |b, x, y| pixel((2, 16), b, x, y))
            .read_all::<i16>()
            .unwrap();
        for band in 0..3 {
            for (x, y) in [(0, 0), (12, 0), (0, 8), (12, 8), (5, 4)] {
                let expected = pixel((2, 16), band, x as usize, y as usize);
                assert_eq!(f64::from(raster.band(band).at(x, y)), expected);
            }
        }
    }
}

#[test]
fn signed_heights_below_the_sea_keep_their_sign_in_both_orders() {
    for big_endian in [false, true] {
        for predictor in [1, 2] {
            let mut tiff = Tiff::new(3, 1, (2, 16));
            (tiff.big_endian, tiff.predictor, tiff.compression) = (big_endian, predictor, 8);
            let source = open(&tiff, |_, x, _| [-430.0, -1.0, 8848.0][x]);
            assert_eq!(all(&source), [-430.0, -1.0, 8848.0]);
        }
    }
}

#[track_caller]
fn check_nodata(
    sample: (u16, usize),
    nodata: &'static str,
    raw: [f64; 4],
    expected: [Option<f64>; 4],
) {
    let tiff = Tiff::new(4, 1, sample).tag(42113, Value::Text(nodata));
    let found = all(&open(&tiff, |_, x, _| raw[x]));
    let found = found.map_void();
    assert_eq!(found, expected, "nodata {nodata} on {sample:?}");
}

trait MapVoid {
    fn map_void(self) -> [Option<f64>; 4];
}

impl MapVoid for Vec<f64> {
    fn map_void(self) -> [Option<f64>; 4] {
        std::array::from_fn(|i| Some(self[i]).filter(|v| !v.is_nan()))
    }
}

#[test]
fn nodata_matches_in_the_samples_own_type() {
    let lowest = f64::from(f32::MIN);
    check_nodata(
        (2, 16),
        "-9999",
        [-9999.0, -9998.0, 0.0, 5.0],
        [None, Some(-9998.0), Some(0.0), Some(5.0)],
    );
    check_nodata(
        (1, 8),
        "-9999",
        [0.0, 1.0, 240.0, 241.0],
        [Some(0.0), Some(1.0), Some(240.0), Some(241.0)],
    );
    check_nodata(
        (1, 16),
        "0.5",
        [0.0, 1.0, 2.0, 3.0],
        [Some(0.0), Some(1.0), Some(2.0), Some(3.0)],
    );
    check_nodata(
        (3, 32),
        "-3.4028234663852886e+38",
        [lowest, 1.0, 2.0, 3.0],
        [None, Some(1.0), Some(2.0), Some(3.0)],
    );
    check_nodata(
        (3, 32),
        "0.1",
        [0.1, 0.25, f64::NAN, f64::INFINITY],
        [None, Some(0.25), None, None],
    );
    check_nodata(
        (3, 64),
        "nan",
        [f64::NAN, 1.0, f64::NEG_INFINITY, 3.0],
        [None, Some(1.0), None, Some(3.0)],
    );
    check_nodata(
        (2, 32),
        "nan",
        [0.0, 1.0, 2.0, 3.0],
        [Some(0.0), Some(1.0), Some(2.0), Some(3.0)],
    );
    check_nodata(
        (2, 32),
        "",
        [0.0, 1.0, 2.0, 3.0],
        [Some(0.0), Some(1.0), Some(2.0), Some(3.0)],
    );
}

#[test]
fn the_caller_overrides_scale_offset_and_nodata() {
    let xml = "<GDALMetadata><Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.5</Item>\
               <Item name=\"OFFSET\" sample=\"0\" role=\"offset\">100</Item></GDALMetadata>";
    let tiff = Tiff::new(3, 1, (2, 16))
        .tag(42112, Value::Text(xml))
        .tag(42113, Value::Text("-1"));
    let bytes = tiff.bytes(|_, x, _| [-1.0, 7.0, 8.0][x]);
    let source = open_bytes(&bytes, &Options::default()).unwrap();
    let found = all(&source);
    assert!(found[0].is_nan());
    assert_eq!(found[1..], [103.5, 104.0]);
    let options = Options {
        scale: Some(2.0),
        offset: Some(-1.0),
        nodata: Some(7.0),
        ..Options::default()
    };
    let found = all(&open_bytes(&bytes, &options).unwrap());
    assert_eq!(found[0], -3.0);
    assert!(found[1].is_nan());
    assert_eq!(found[2], 15.0);
}

#[test]
fn a_block_left_out_is_void_or_zero() {
    for compression in [1, 8] {
        let mut tiff = Tiff::new(4, 2, (2, 16));
        (tiff.tile, tiff.absent, tiff.compression) = (Some((2, 2)), vec![1], compression);
        assert_eq!(
            all(&open(&tiff, |_, x, _| x as f64 + 1.0)),
            [1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0]
        );
        let source = open(&tiff.clone().tag(42113, Value::Text("-9")), |_, x, _| {
            x as f64 + 1.0
        });
        let found = all(&source);
        assert_eq!(found[..2], [1.0, 2.0]);
        assert!(found[2].is_nan() && found[7].is_nan());
        assert_eq!(source.read_all::<i16>().unwrap().band(0).at(3, 1), -9);
    }
}

#[test]
fn lzw_without_an_end_code_stops_when_its_block_is_full() {
    // TIFF 6.0 section 13, less its last code: 256 7 258 8 8 258 6 6, nine bits each.
    let packed = [0x80, 0x01, 0xe0, 0x40, 0x80, 0x44, 0x08, 0x0c, 0x06];
    let mut tiff = Tiff::new(9, 1, (1, 8));
    tiff.compression = 5;
    let mut bytes = tiff.bytes(|_, _, _| 0.0);
    let at = bytes.len() as u64;
    bytes = tiff
        .tag(273, Value::Longs(vec![at + 100]))
        .tag(279, Value::Longs(vec![9]))
        .bytes(|_, _, _| 0.0);
    bytes.resize(at as usize + 100, 0);
    bytes.extend(packed);
    let source = open_bytes(&bytes, &Options::default()).unwrap();
    assert_eq!(all(&source), [7.0, 7.0, 7.0, 8.0, 8.0, 7.0, 7.0, 6.0, 6.0]);
}

#[test]
fn lzw_of_the_old_kind_packs_its_codes_from_the_other_end() {
    // The same codes as above, with an end code, the lowest bit of each first.
    let codes = [256_u32, 7, 258, 8, 8, 258, 6, 6, 257];
    let bits: Vec<u32> = codes
        .iter()
        .flat_map(|c| (0..9).map(move |k| c >> k & 1))
        .collect();
    let byte = |bits: &[u32]| bits.iter().rev().fold(0, |n, bit| n << 1 | bit) as u8;
    let packed: Vec<u8> = bits.chunks(8).map(byte).collect();
    let mut tiff = Tiff::new(9, 1, (1, 8));
    tiff.compression = 5;
    let at = 4096;
    let tiff = tiff
        .tag(273, Value::Longs(vec![at]))
        .tag(279, Value::Longs(vec![packed.len() as u64]));
    let mut bytes = tiff.bytes(|_, _, _| 0.0);
    bytes.resize(at as usize, 0);
    bytes.extend(packed);
    let source = open_bytes(&bytes, &Options::default()).unwrap();
    assert_eq!(all(&source), [7.0, 7.0, 7.0, 8.0, 8.0, 7.0, 7.0, 6.0, 6.0]);
}

#[test]
fn a_block_without_bytes_is_void_among_others() {
    for compression in [1, 8] {
        let mut tiff = Tiff::new(2, 3, (2, 16)).tag(42113, Value::Text("-9"));
        (tiff.compression, tiff.rows_per_strip) = (compression, 1);
        // The third strip lies somewhere, and has no bytes; a deflate stream ends before its size does.
        let sizes = if compression == 1 { 4 } else { 16 };
        let first = 8;
        let tiff = tiff
            .tag(273, Value::Longs(vec![first, first, first]))
            .tag(279, Value::Longs(vec![sizes, sizes, 0]));
        let found = all(&open(&tiff, |_, x, _| x as f64));
        assert_eq!(found[..4], [0.0, 1.0, 0.0, 1.0]);
        assert!(found[4].is_nan() && found[5].is_nan());
    }
}

#[test]
fn white_that_is_zero_changes_no_number() {
    // As GDAL reads it: the numbers stand, and the header says how they are shown.
    for sample in [(1, 1), (1, 8), (1, 16), (3, 32)] {
        let tiff = Tiff::new(2, 1, sample).tag(262, Value::Shorts(vec![0]));
        let source = open(&tiff, |_, x, _| x as f64);
        assert!(source.header().min_is_white);
        assert_eq!(all(&source), [0.0, 1.0]);
    }
}

#[test]
fn nodata_next_to_halves_is_rounded_as_they_are() {
    let tiff = Tiff::new(2, 1, (3, 16)).tag(42113, Value::Text("-9999"));
    let source = open(&tiff, |_, x, _| [-10_000.0, 5.5][x]);
    assert_eq!(source.header().sample.name(), "float32");
    let found = all(&source);
    assert!(found[0].is_nan());
    assert_eq!(found[1], 5.5);
}

#[test]
fn a_typed_read_of_another_type_is_refused() {
    let source = open(&Tiff::new(2, 2, (2, 16)), |_, _, _| 1.0);
    let mut out = Raster::default();
    let error = source
        .read_raw(source.rect(), 0, 0_u16, &mut out)
        .unwrap_err();
    assert!(matches!(
        error,
        SourceError::WrongType {
            wanted: "uint16",
            found: "int16",
            ..
        }
    ));
    let error = source
        .read(source.rect(), 1, &mut Raster::default())
        .unwrap_err();
    assert!(matches!(
        error,
        SourceError::NoBand {
            band: 1,
            n_bands: 1,
            ..
        }
    ));
    let mut out = Raster::default();
    source
        .read_raw(Rect::new(-1, 0, 2, 1), 0, 7_i16, &mut out)
        .unwrap();
    assert_eq!(out.pixels(), [7, 1, 1]);
}

#[test]
fn threads_share_a_source_and_a_small_cache() {
    let mut tiff = Tiff::new(60, 60, (3, 32));
    (tiff.compression, tiff.tile) = (50000, Some((16, 16)));
    let bytes = tiff.bytes(|b, x, y| pixel((3, 32), b, x, y));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.tif");
    std::fs::write(&path, bytes).unwrap();
    let cache = Arc::new(BlockCache::new(3 * 16 * 16 * 4));
    let source = Source::open(&path, &Options::default(), Arc::clone(&cache)).unwrap();
    let expected = all(&source);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    assert_eq!(all(&source), expected);
                    assert!(cache.held_bytes() <= 3 * 16 * 16 * 4);
                }
            });
        }
    });
    drop(source);
    assert_eq!(cache.held_bytes(), 0);
}

#[test]
fn an_uncompressed_block_needs_no_byte_count() {
    let tiff = Tiff::new(2, 2, (1, 8)).tag(279, Value::Longs(vec![0]));
    assert_eq!(
        all(&open(&tiff, |_, x, y| (x + 2 * y) as f64)),
        [0.0, 1.0, 2.0, 3.0]
    );
}

#[test]
fn a_source_may_be_shared() {
    fn check<T: Send + Sync>() {}
    check::<Source>();
    check::<BlockCache>();
}

#[test]
fn a_window_of_a_million_pixels_square_takes_no_more_than_itself() {
    // As users of other tools report: the whole raster was loaded, and the process was killed.
    let mut tiff = Tiff::new(1_000_000, 1_000_000, (1, 8));
    tiff.tile = Some((16_384, 16_384));
    tiff.absent = (0..62 * 62).collect();
    let source = open(&tiff, |_, _, _| unreachable!("no block is there"));
    let window = Rect::new(999_990, 499_990, 1_000_010, 500_010);
    let heights = heights(&source, window, 0);
    let (inside, beyond): (Vec<_>, Vec<_>) = heights
        .iter()
        .enumerate()
        .partition(|(idx, _)| idx % 20 < 10);
    assert!(inside.iter().all(|&(_, &height)| height == 0.0));
    assert!(beyond.iter().all(|(_, height)| height.is_nan()));
}
