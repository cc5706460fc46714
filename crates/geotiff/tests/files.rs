//! Files that GDAL wrote, and broken ones; what is expected of them is what rasterio 1.4.4 (GDAL 3.10.3) reads.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecotone_geotiff::{
    BlockCache, Compression, Interleaving, Layout, Options, Predictor, SampleType, Source,
    SourceError,
};
use ecotone_grid::Raster;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn open(name: &str) -> Source {
    Source::open(
        &file(name),
        &Options::default(),
        Arc::new(BlockCache::new(1 << 20)),
    )
    .unwrap()
}

struct Facts {
    n_void: usize,
    /// Of the heights that are not void.
    sum: f64,
    /// Column, row, height.
    heights: [(i64, i64, Option<f64>); 4],
    /// West and north border, pixel width and height.
    place: Option<[f64; 4]>,
    epsg: Option<u16>,
}

#[track_caller]
fn check(name: &str, facts: &Facts) {
    let source = open(name);
    let mut out = Raster::default();
    source.read(source.rect(), 0, &mut out).unwrap();
    let valid: Vec<f64> = out
        .pixels()
        .iter()
        .copied()
        .filter(|h| !h.is_nan())
        .collect();
    assert_eq!(
        out.pixels().len() - valid.len(),
        facts.n_void,
        "{name}: voids"
    );
    let sum: f64 = valid.iter().sum();
    assert!(
        (sum - facts.sum).abs() <= 1e-6,
        "{name}: sum {sum}, not {}",
        facts.sum
    );
    for (x, y, height) in facts.heights {
        let found = Some(out.band(0).at(x, y)).filter(|h| !h.is_nan());
        assert_eq!(found, height, "{name}: {x} {y}");
    }
    let place = source.georeference().unwrap().map(|g| {
        let t = g.transform;
        [t.x0, t.y0, t.pixel.x, t.pixel.y]
    });
    assert_eq!(place, facts.place, "{name}");
    assert_eq!(source.header().keys.epsg(), facts.epsg, "{name}");
}

const UTM: Option<[f64; 4]> = Some([412_340.0, 5_123_450.0, 5.0, 5.0]);

#[test]
fn big_endian_heights_below_the_sea_keep_their_sign() {
    check(
        "be_int16.tif",
        &Facts {
            n_void: 0,
            sum: -1213490.0,
            heights: [
                (0, 0, Some(44.0)),
                (149, 130, Some(-101.0)),
                (75, 65, Some(-156.0)),
                (50, 87, Some(-115.0)),
            ],
            place: UTM,
            epsg: Some(32633),
        },
    );
}

#[test]
fn big_endian_differences_in_zstd_add_up() {
    check(
        "zstd_be_pred2.tif",
        &Facts {
            n_void: 0,
            sum: -1591549.0,
            heights: [
                (0, 0, Some(-165.0)),
                (149, 130, Some(131.0)),
                (75, 65, Some(-43.0)),
                (50, 87, Some(-61.0)),
            ],
            place: None,
            epsg: None,
        },
    );
}

#[test]
fn doubles_are_gathered_from_planes_of_bytes() {
    check(
        "pred3_float64_zstd.tif",
        &Facts {
            n_void: 0,
            sum: 8454950.25,
            heights: [
                (0, 0, Some(529.375)),
                (149, 130, Some(303.875)),
                (75, 65, Some(346.25)),
                (50, 87, Some(364.125)),
            ],
            place: UTM,
            epsg: Some(32633),
        },
    );
}

#[test]
fn a_tile_may_be_larger_than_its_image() {
    check(
        "tile_over.tif",
        &Facts {
            n_void: 0,
            sum: 964508.5,
            heights: [
                (0, 0, Some(541.5)),
                (49, 39, Some(264.875)),
                (25, 20, Some(528.375)),
                (16, 26, Some(530.5)),
            ],
            place: UTM,
            epsg: Some(32633),
        },
    );
}

#[test]
fn a_pixel_that_is_a_point_lies_half_a_pixel_off() {
    check(
        "point_wgs84.tif",
        &Facts {
            n_void: 0,
            sum: -2064648.0,
            heights: [
                (0, 0, Some(-228.0)),
                (149, 130, Some(-105.0)),
                (75, 65, Some(-12.0)),
                (50, 87, Some(-103.0)),
            ],
            place: Some([10.0, 46.0, 0.0008333333333333334, 0.0008333333333333334]),
            epsg: Some(4326),
        },
    );
}

#[test]
fn a_tie_point_need_not_be_the_corner() {
    check(
        "geo_tiepoint_not_origin.tif",
        &Facts {
            n_void: 0,
            sum: 229664.125,
            heights: [
                (0, 0, Some(107.5)),
                (39, 29, Some(276.5)),
                (20, 15, Some(194.375)),
                (13, 20, Some(180.25)),
            ],
            place: Some([500000.0, 4100000.0, 10.0, 10.0]),
            epsg: Some(32611),
        },
    );
}

#[test]
fn a_negative_scale_is_read_as_gdal_reads_it() {
    check(
        "geo_scale_negative_y.tif",
        &Facts {
            n_void: 0,
            sum: 229664.125,
            heights: [
                (0, 0, Some(107.5)),
                (39, 29, Some(276.5)),
                (20, 15, Some(194.375)),
                (13, 20, Some(180.25)),
            ],
            place: Some([500000.0, 4100000.0, 10.0, 10.0]),
            epsg: Some(32611),
        },
    );
}

#[test]
fn sparse_compressed_tiles_are_void() {
    check(
        "sparse_nodata.tif",
        &Facts {
            n_void: 8192,
            sum: 4472496.125,
            heights: [
                (0, 0, Some(331.75)),
                (149, 130, Some(285.5)),
                (75, 65, Some(453.625)),
                (50, 87, None),
            ],
            place: UTM,
            epsg: Some(32633),
        },
    );
}

#[test]
fn sparse_plain_tiles_are_void() {
    check(
        "tile_sparse_nodata.tif",
        &Facts {
            n_void: 1132,
            sum: 405982.25,
            heights: [
                (0, 0, None),
                (69, 49, None),
                (35, 25, Some(160.125)),
                (23, 33, Some(176.25)),
            ],
            place: Some([500000.0, 4100000.0, 10.0, 10.0]),
            epsg: Some(32611),
        },
    );
}

#[test]
fn integer_nodata_is_void() {
    check(
        "nodata_m32768_i16.tif",
        &Facts {
            n_void: 516,
            sum: -1849006.0,
            heights: [
                (0, 0, Some(-129.0)),
                (149, 130, Some(-240.0)),
                (75, 65, Some(-69.0)),
                (50, 87, Some(-129.0)),
            ],
            place: UTM,
            epsg: Some(32633),
        },
    );
}

#[test]
fn nodata_printed_as_a_double_matches_a_single() {
    check(
        "z_nodata_rounding.tif",
        &Facts {
            n_void: 1,
            sum: 75379.625,
            heights: [
                (0, 0, Some(107.5)),
                (23, 19, Some(213.625)),
                (12, 10, Some(160.75)),
                (8, 13, Some(153.125)),
            ],
            place: Some([500000.0, 4100000.0, 10.0, 10.0]),
            epsg: Some(32611),
        },
    );
}

#[test]
fn infinities_are_void() {
    check(
        "z_inf.tif",
        &Facts {
            n_void: 2,
            sum: 75230.875,
            heights: [
                (0, 0, Some(107.5)),
                (23, 19, Some(213.625)),
                (12, 10, Some(160.75)),
                (8, 13, Some(153.125)),
            ],
            place: Some([500000.0, 4100000.0, 10.0, 10.0]),
            epsg: Some(32611),
        },
    );
}

#[test]
fn what_the_mask_covers_is_void() {
    check(
        "mask_ifd.tif",
        &Facts {
            n_void: 420,
            sum: 8081285.25,
            heights: [
                (0, 0, Some(491.75)),
                (149, 130, Some(253.875)),
                (75, 65, Some(367.5)),
                (50, 87, Some(357.375)),
            ],
            place: UTM,
            epsg: Some(32633),
        },
    );
}

#[test]
fn heights_are_scaled_and_offset() {
    check(
        "scale_offset.tif",
        &Facts {
            n_void: 0,
            sum: 19533036.5,
            heights: [
                (0, 0, Some(1003.0)),
                (149, 130, Some(996.9)),
                (75, 65, Some(984.9)),
                (50, 87, Some(989.3)),
            ],
            place: UTM,
            epsg: Some(32633),
        },
    );
}

#[test]
fn a_header_says_how_its_file_is_made() {
    let source = open("be_int16.tif");
    let header = source.header();
    assert_eq!((header.width, header.height, header.n_bands), (150, 131, 1));
    assert_eq!(header.sample, SampleType::I16);
    assert_eq!(
        header.layout,
        Layout::Tiles {
            width: 64,
            height: 64
        }
    );
    assert_eq!(
        (header.compression, header.predictor),
        (Compression::Deflate, Predictor::Horizontal)
    );
    assert_eq!(header.interleaving, Interleaving::Pixel);
    assert_eq!(
        (
            header.is_geographic(),
            header.is_web_mercator(),
            header.linear_unit().and_then(|unit| unit.size)
        ),
        (false, false, Some(1.0))
    );
    assert!(open("point_wgs84.tif").header().is_geographic());
    let scaled = open("scale_offset.tif");
    assert_eq!(
        (scaled.header().scale(0), scaled.header().offset(0)),
        (0.1, 1000.0)
    );
}

#[test]
fn a_broken_file_is_refused_with_a_reason() {
    let mut n_files = 0;
    for entry in std::fs::read_dir(file("hostile")).unwrap() {
        let path = entry.unwrap().path();
        n_files += 1;
        let cache = Arc::new(BlockCache::new(1 << 20));
        let result = Source::open(&path, &Options::default(), cache)
            .and_then(|source| source.rows_as_f32(|_| ()));
        let name = path.file_stem().unwrap().to_str().unwrap();
        match result {
            // Only its second image is out of reach.
            Ok(()) => assert_eq!(name, "ifd_loop_self"),
            Err(error) => assert!(["corrupt", "over-limit"].contains(&error.kind()), "{error}"),
        }
    }
    assert_eq!(n_files, 16);
}

#[test]
fn what_is_no_file_is_the_systems_error() {
    for path in [file("nowhere.tif"), file("hostile")] {
        let result = Source::open(&path, &Options::default(), Arc::new(BlockCache::new(0)));
        assert!(matches!(result, Err(SourceError::Io { .. })));
    }
}
