//! Files of heights: opened, described, and read in windows, as a whole and as a stream.

use std::path::Path;
use std::sync::Arc;

use ecotone_geotiff::{
    BlockCache, ByteOrder, Limits, Mosaic, MosaicFile, Options, RawLayout, SampleType, Source,
    SourceError,
};
use ecotone_grid::{Raster, Rect};

use super::{check_text, folder};

/// A TIFF.
pub fn geotiff(bytes: &[u8]) {
    heights("heights.tif", bytes, options());
}

/// A PNG; what follows its last chunk is the world file beside it.
pub fn png(bytes: &[u8]) {
    const LAST_CHUNK: &[u8; 4] = b"IEND";
    const CHECKSUM_BYTES: usize = 4;
    let found = bytes
        .windows(LAST_CHUNK.len())
        .position(|w| w == LAST_CHUNK);
    let end = found.map_or(bytes.len(), |at| at + LAST_CHUNK.len() + CHECKSUM_BYTES);
    let (image, place) = bytes.split_at(end.min(bytes.len()));
    let folder = folder();
    if !place.is_empty() {
        std::fs::write(folder.path().join("heights.pgw"), place).unwrap();
    }
    open(&folder.path().join("heights.png"), image, options());
}

/// An OpenEXR file.
pub fn exr(bytes: &[u8]) {
    heights("heights.exr", bytes, options());
}

/// Bare numbers: the first byte chooses the file's name; from 128 on, five more are the layout that the caller gives.
pub fn raw(bytes: &[u8]) {
    const NAMES: [&str; 9] = [
        "heights.r16",
        "heights.raw",
        "heights.r8",
        "heights.r32",
        "heights.hgt",
        "N43E010.hgt",
        "s07w063.SRTMGL1.hgt",
        "N90W180.hgt",
        "heights.HGT",
    ];
    const SAMPLES: [SampleType; 4] = [
        SampleType::U16,
        SampleType::I16,
        SampleType::U8,
        SampleType::F64,
    ];
    let Some((&choice, mut rest)) = bytes.split_first() else {
        return;
    };
    let mut options = options();
    if let (128.., Some((&[w0, w1, h0, h1, kind], numbers))) = (choice, rest.split_first_chunk()) {
        rest = numbers;
        options.raw = Some(RawLayout {
            width: u16::from_le_bytes([w0, w1]).into(),
            height: u16::from_le_bytes([h0, h1]).into(),
            sample: SAMPLES[usize::from(kind) % SAMPLES.len()],
            byte_order: if kind < 128 {
                ByteOrder::Little
            } else {
                ByteOrder::Big
            },
        });
    }
    heights(NAMES[usize::from(choice) % NAMES.len()], rest, options);
}

/// A VRT with some files beside it that it may name, by itself and as one map with one of them.
pub fn vrt(bytes: &[u8]) {
    let sources: [(&str, &[u8]); 7] = [
        (
            "plain.tif",
            include_bytes!("../corpus/geotiff/plain_f32.tif"),
        ),
        ("bands.tif", include_bytes!("../corpus/geotiff/pixel_3.tif")),
        (
            "south_up.tif",
            include_bytes!("../corpus/geotiff/south_up.tif"),
        ),
        (
            "degrees.tif",
            include_bytes!("../corpus/geotiff/degrees.tif"),
        ),
        ("grey.png", include_bytes!("../corpus/png/grey_16.png")),
        ("bare.r8", &[7; 64]),
        ("other.vrt", include_bytes!("../corpus/vrt/two.vrt")),
    ];
    let folder = folder();
    for (name, bytes) in sources {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let path = folder.path().join("heights.vrt");
    std::fs::write(&path, bytes).unwrap();
    let own = MosaicFile::new(&path);
    let other = MosaicFile::new(folder.path().join("plain.tif"));
    for files in [&[own.clone()][..], &[own, other]] {
        let cache = Arc::new(BlockCache::new(1 << 16));
        match Mosaic::open(files, 0, &options(), cache) {
            Ok(mosaic) => read_mosaic(&mosaic),
            Err(error) => check_text(&error.to_string()),
        }
    }
}

/// Limits that a small honest file never meets.
fn options() -> Options {
    Options {
        limits: Limits {
            block_bytes: 1 << 20,
            blocks: 1 << 14,
            text_bytes: 1 << 16,
            window_bytes: 1 << 21,
            stream_bytes: 1 << 20,
            unpacked_bytes: 1 << 22,
        },
        ..Options::default()
    }
}

/// Reads a file of a name in a folder of its own.
fn heights(name: &str, bytes: &[u8], options: Options) {
    let folder = folder();
    open(&folder.path().join(name), bytes, options);
}

fn open(path: &Path, bytes: &[u8], options: Options) {
    std::fs::write(path, bytes).unwrap();
    let cache = Arc::new(BlockCache::new(1 << 16));
    match Source::open(path, &options, cache) {
        Ok(source) => read(&source),
        Err(error) => check_text(&error.to_string()),
    }
}

fn read(source: &Source) {
    let (header, map) = (source.header(), source.rect());
    if let Err(error) = source.georeference() {
        check_text(&error.to_string());
    }
    let _ = (
        header.linear_unit(),
        header.angular_unit(),
        header.is_web_mercator(),
    );
    source.notes().iter().for_each(|note| check_text(note));
    assert!(map.width() > 0 && map.height() > 0 && header.n_bands > 0);
    let last = header.n_bands - 1;
    let _ = (header.said(last), header.scale(last), header.offset(last));
    for (window, band) in windows(map).into_iter().zip([0, last, 0]) {
        agree(map, window, |rect, out| source.read(rect, band, out));
    }
    // Refused for its band, or before that for pixels that cannot be unpacked.
    let beyond = source.read(Rect::default(), header.n_bands, &mut Raster::default());
    assert!(beyond.is_err());
    let mut n_streamed = 0_usize;
    if source
        .rows_as_f32(|piece| n_streamed += piece.len())
        .is_ok()
    {
        assert_eq!(n_streamed, map.width() * map.height());
    }
}

fn read_mosaic(mosaic: &Mosaic) {
    let map = mosaic.rect();
    assert!(map.width() > 0 && map.height() > 0 && (map.x0, map.y0) == (0, 0));
    let errors = [mosaic.georeference().err(), mosaic.offset_to(mosaic).err()];
    for error in errors.into_iter().flatten() {
        check_text(&error.to_string());
    }
    assert!(mosaic.sources().count() > 0);
    for window in windows(map) {
        agree(map, window, |rect, out| mosaic.read(rect, out));
    }
    for part in mosaic.parts() {
        assert!(map.covers(&part.rect()));
        let corner = windows(part.rect())[1];
        agree(part.rect(), corner, |rect, out| part.read(rect, out));
    }
}

/// Over the north-west and the south-east corner of a map, and one of no pixels.
fn windows(map: Rect) -> [Rect; 3] {
    let (x, y) = (map.x0, map.y0);
    [
        Rect::new(x - 3, y - 2, x + 17, y + 13),
        Rect::new(map.x1 - 9, map.y1 - 7, map.x1 + 3, map.y1 + 2),
        Rect::new(x + 5, y + 5, x + 5, y + 5),
    ]
}

/// A window that is read twice, and one of its rows alone, have the same heights; what is off the map is void.
fn agree(
    map: Rect,
    window: Rect,
    read: impl Fn(Rect, &mut Raster<f64>) -> Result<(), SourceError>,
) {
    let read = |rect| {
        let mut out = Raster::default();
        read(rect, &mut out).map(|()| out)
    };
    let whole = match read(window) {
        Ok(whole) => whole,
        Err(error) => return check_text(&error.to_string()),
    };
    let bits = |heights: &Raster<f64>| -> Vec<u64> {
        let pixels = heights.pixels().iter();
        pixels.map(|height| height.to_bits()).collect()
    };
    let again = read(window).map(|again| bits(&again));
    assert_eq!(again.ok(), Some(bits(&whole)));
    for y in window.y0..window.y1 {
        let row = read(Rect::new(window.x0, y, window.x1, y + 1)).unwrap();
        for x in window.x0..window.x1 {
            let height = whole.band(0).at(x, y);
            assert_eq!(row.band(0).at(x, y).to_bits(), height.to_bits());
            let is_off = !(map.x0..map.x1).contains(&x) || !(map.y0..map.y1).contains(&y);
            assert!(!is_off || height.is_nan());
        }
    }
}
