//! One terrain in every file that a studio may have it in: always the same world.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use ecotone_interchange::Digests;
use support::writer::{Tiff, Value};
use support::{NODATA, Place, RULES, hills, is_void, plain};

/// Three tiles of 51 × 44 with shared borders each way.
const SIZE: (usize, usize) = (151, 130);
const TILE: (usize, usize) = (51, 44);

/// The height in metres, NaN where there is none.
fn height(x: usize, y: usize) -> f64 {
    if is_void(x, y) { f64::NAN } else { hills(x, y) }
}

/// Heights as quarters of a metre above −10 m, as tools that know only whole numbers have them; 65535 for none.
fn quarters(x: usize, y: usize) -> u16 {
    let height = height(x, y);
    if height.is_nan() {
        return u16::MAX;
    }
    ((height + 10.0) * 4.0) as u16
}

const QUARTERS: &str = "scale = 0.25\noffset = -10\nnodata = 65535\n";

/// Bakes the terrain that `terrain`, the keys of that table, names.
fn bake(place: &Place, terrain: &str) -> Digests {
    let text =
        format!("seed = 5\n[terrain]\npixel_size = [1, 1]\n{terrain}\n[tiles]\nsize = 64\n{RULES}");
    place.bake(&text, 2, "out").unwrap();
    place.digests("out")
}

/// A folder with the mask that [`RULES`] reads.
fn place() -> Place {
    let place = Place::new();
    place.write("mask.tif", &Tiff::new(SIZE.0, SIZE.1, (1, 8)), |x, y| {
        let off = (x as f64 - 0.8 * y as f64 - 20.0).abs();
        (255.0 * (1.0 - (off - 3.0) / 3.0).clamp(0.0, 1.0)).round()
    });
    place
}

fn singles(x: usize, y: usize) -> f64 {
    if is_void(x, y) { NODATA } else { hills(x, y) }
}

/// The world of the plainest file: float32 in one strip.
fn plainest() -> Digests {
    let place = place();
    place.write("heights.tif", &plain(SIZE.0, SIZE.1), singles);
    bake(&place, "heights = ['heights.tif']")
}

#[track_caller]
fn check(name: &str, terrain: &str, write: impl FnOnce(&Place)) {
    let place = place();
    write(&place);
    assert_eq!(bake(&place, terrain), plainest(), "{name}");
}

#[test]
fn every_layout_of_a_geotiff_is_the_same_terrain() {
    let strips = plain(SIZE.0, SIZE.1);
    let with = |change: fn(&mut Tiff)| {
        let mut tiff = strips.clone();
        change(&mut tiff);
        tiff
    };
    let layouts = [
        ("strips of 7 rows", with(|t| t.rows_per_strip = 7)),
        ("strips of one row", with(|t| t.rows_per_strip = 1)),
        ("tiles of 16", with(|t| t.tile = Some((16, 16)))),
        ("tiles of 64", with(|t| t.tile = Some((64, 64)))),
        ("big-endian", with(|t| t.big_endian = true)),
        ("BigTIFF", with(|t| t.big_tiff = true)),
        ("doubles", with(|t| t.sample = (3, 64))),
        (
            "planar",
            with(|t| {
                t.n_bands = 3;
                t.separate = true;
            }),
        ),
        (
            "cloud-optimised",
            with(|t| {
                t.tile = Some((64, 64));
                t.compression = 8;
                t.predictor = 3;
                t.overviews = vec![2, 4];
            }),
        ),
    ];
    for (name, tiff) in layouts {
        check(name, "heights = ['heights.tif']", |place| {
            place.write("heights.tif", &tiff, singles);
        });
    }
}

#[test]
fn whole_numbers_with_a_scale_are_the_same_terrain() {
    let terrain = format!("heights = ['heights.tif']\n{QUARTERS}");
    check("16-bit GeoTIFF", &terrain, |place| {
        let tiff = Tiff::new(SIZE.0, SIZE.1, (1, 16));
        place.write("heights.tif", &tiff, |x, y| quarters(x, y).into());
    });
    let terrain = format!("heights = ['heights.png']\n{QUARTERS}");
    check("16-bit PNG", &terrain, |place| {
        write_png(&place.path("heights.png"), SIZE, quarters);
    });
    // 0 is −10 m and 65535 is 16373.75 m.
    let terrain = "heights = ['heights.png']\nrange = [-10, 16373.75]\nnodata = 65535";
    check("16-bit PNG with a range", terrain, |place| {
        write_png(&place.path("heights.png"), SIZE, quarters);
    });
    let raw = |bytes: fn(u16) -> [u8; 2], order: &str| {
        let raw = format!(
            "raw = {{ width = {}, height = {}, byte_order = '{order}' }}",
            SIZE.0, SIZE.1
        );
        let terrain = format!("heights = ['heights.r16']\n{QUARTERS}{raw}");
        check(&raw, &terrain, |place| {
            std::fs::write(place.path("heights.r16"), raw_bytes(SIZE, quarters, bytes)).unwrap();
        });
    };
    raw(u16::to_le_bytes, "little");
    raw(u16::to_be_bytes, "big");
}

#[test]
fn an_openexr_file_is_the_same_terrain() {
    check("OpenEXR", "heights = ['heights.exr']", |place| {
        let channel = |x: usize, y: usize| height(x, y) as f32;
        write_exr(&place.path("heights.exr"), channel);
    });
}

#[test]
fn four_files_in_a_vrt_are_the_same_terrain() {
    let corners = [(0, 0), (80, 0), (0, 70), (80, 70)];
    let part = |(x0, y0): (usize, usize)| {
        let end = |start: usize, split: usize, size: usize| if start == 0 { split } else { size };
        (end(x0, 80, SIZE.0) - x0, end(y0, 70, SIZE.1) - y0)
    };
    check("VRT", "heights = ['heights.vrt']", |place| {
        let mut sources = String::new();
        for (idx, (x0, y0)) in corners.into_iter().enumerate() {
            let (width, height) = part((x0, y0));
            // The types differ, and so do the words for nothing.
            let mut tiff = Tiff::new(width, height, (3, if idx % 2 == 0 { 32 } else { 64 }));
            tiff = tiff.tag(42113, Value::Text(if idx < 2 { "-9999" } else { "1e30" }));
            let nodata = if idx < 2 { NODATA } else { 1e30 };
            place.write(&format!("part{idx}.tif"), &tiff, |x, y| {
                let height = self::height(x0 + x, y0 + y);
                if height.is_nan() { nodata } else { height }
            });
            sources += &format!(
                r#"<ComplexSource><SourceFilename relativeToVRT="1">part{idx}.tif</SourceFilename><SourceBand>1</SourceBand>
                <SrcRect xOff="0" yOff="0" xSize="{width}" ySize="{height}"/>
                <DstRect xOff="{x0}" yOff="{y0}" xSize="{width}" ySize="{height}"/><NODATA>{nodata}</NODATA></ComplexSource>"#
            );
        }
        let vrt = format!(
            r#"<VRTDataset rasterXSize="{}" rasterYSize="{}"><GeoTransform>1000, 1, 0, 2000, 0, -1</GeoTransform>
            <VRTRasterBand dataType="Float64" band="1"><NoDataValue>-9999</NoDataValue>{sources}</VRTRasterBand></VRTDataset>"#,
            SIZE.0, SIZE.1
        );
        std::fs::write(place.path("heights.vrt"), vrt).unwrap();
    });
}

#[test]
fn nine_numbered_tiles_are_the_same_terrain() {
    let (width, height) = TILE;
    for (name, rows, is_row_first) in [
        ("alps_x{x}_y{y}.r16", "south", false),
        ("alps_y{y}_x{x}.png", "north", true),
    ] {
        let terrain = format!(
            "heights = ['tiles/{name}']\noverlap = 1\nrows = '{rows}'\n{QUARTERS}raw = {{ width = {width}, height = {height} }}"
        );
        check(name, &terrain, |place| {
            std::fs::create_dir(place.path("tiles")).unwrap();
            for row in 0..3 {
                for column in 0..3 {
                    let (x0, y0) = (column * (width - 1), row * (height - 1));
                    let number = if rows == "north" { 2 - row } else { row };
                    let file = name
                        .replace("{x}", &column.to_string())
                        .replace("{y}", &number.to_string());
                    let path = place.path("tiles").join(file);
                    let pixel = |x, y| quarters(x0 + x, y0 + y);
                    if is_row_first {
                        write_png(&path, TILE, pixel);
                    } else {
                        std::fs::write(path, raw_bytes(TILE, pixel, u16::to_le_bytes)).unwrap();
                    }
                }
            }
        });
    }
}

fn raw_bytes(
    (width, height): (usize, usize),
    pixel: impl Fn(usize, usize) -> u16,
    bytes: fn(u16) -> [u8; 2],
) -> Vec<u8> {
    let rows = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    rows.flat_map(|(x, y)| bytes(pixel(x, y))).collect()
}

fn write_png(path: &Path, size: (usize, usize), pixel: impl Fn(usize, usize) -> u16) {
    let file = std::fs::File::create(path).unwrap();
    let mut encoder = png::Encoder::new(file, size.0 as u32, size.1 as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().unwrap();
    writer
        .write_image_data(&raw_bytes(size, pixel, u16::to_be_bytes))
        .unwrap();
}

fn write_exr(path: &Path, pixel: impl Fn(usize, usize) -> f32) {
    use exr::prelude::*;
    let samples = (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y)));
    let samples = samples.map(|(x, y)| pixel(x, y)).collect();
    let channel = AnyChannel::new("Y", FlatSamples::F32(samples));
    let layer = Layer::new(
        SIZE,
        LayerAttributes::default(),
        Encoding::SMALL_LOSSLESS,
        AnyChannels::sort([channel].into_iter().collect()),
    );
    Image::from_layer(layer).write().to_file(path).unwrap();
}
