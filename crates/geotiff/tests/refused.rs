//! What is refused, and in which words.

#![allow(clippy::unwrap_used)]

mod writer;

use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Limits, Options, Source};
use ecotone_grid::Raster;
use writer::{Tiff, Value, open_bytes};

#[test]
fn what_is_not_read_is_named() {
    #[track_caller]
    fn check(tiff: &Tiff, name: &str) {
        let error = open_bytes(&tiff.bytes(|_, _, _| 0.0), &Options::default()).unwrap_err();
        assert_eq!(error.kind(), "unsupported");
        let text = error.to_string();
        assert!(
            text.contains(name) && text.contains("gdal_translate"),
            "{text}"
        );
    }
    for (compression, name) in [
        (7, "JPEG"),
        (34887, "LERC"),
        (34925, "LZMA"),
        (4, "CCITT"),
        (65000, "65000"),
    ] {
        let mut tiff = Tiff::new(2, 2, (1, 8));
        tiff.compression = compression;
        check(&tiff, name);
    }
    check(&Tiff::new(2, 2, (3, 24)), "floats of 24 bits");
    check(&Tiff::new(2, 2, (2, 12)), "signed integers of 12 bits");
    check(&Tiff::new(2, 2, (1, 33)), "integers of 33 bits");
    let mut predicted = Tiff::new(2, 2, (1, 12));
    (predicted.compression, predicted.predictor) = (8, 2);
    check(&predicted, "a predictor on samples of 12 bits");
    check(&Tiff::new(2, 2, (6, 64)), "-ot Float32");
    check(
        &Tiff::new(2, 2, (1, 8)).tag(262, Value::Shorts(vec![6])),
        "YCbCr",
    );
}

#[test]
fn an_error_says_where_what_was_expected_and_what_was_found() {
    #[track_caller]
    fn check(tiff: &Tiff, words: &[&str]) {
        // The file stays: what is corrupt in one that is gone counts as changed.
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file.tif");
        std::fs::write(&path, tiff.bytes(|_, _, _| 0.0)).unwrap();
        let cache = Arc::new(BlockCache::new(1 << 16));
        let text = Source::open(&path, &Options::default(), cache)
            .and_then(|source| source.rows_as_f32(|_| ()))
            .unwrap_err()
            .to_string();
        for word in words {
            assert!(text.contains(word), "{word}: {text}");
        }
        assert!(text.contains("file.tif is damaged at byte"), "{text}");
    }
    let tiff = || Tiff::new(4, 6, (1, 8));
    let tag = |tag, n| tiff().tag(tag, Value::Longs(vec![n]));
    check(
        &tag(256, 0),
        &["tag ImageWidth (256)", "1 to 4294967295", "found 0"],
    );
    check(
        &tag(278, 0),
        &["tag RowsPerStrip (278)", "expected at least 1", "found 0"],
    );
    check(
        &tag(278, 2),
        &[
            "tag StripOffsets (273)",
            "the offsets of 3 blocks",
            "found 1",
        ],
    );
    check(
        &tag(284, 3),
        &["tag PlanarConfiguration (284)", "1 or 2", "found 3"],
    );
    check(
        &tag(339, 9),
        &["tag SampleFormat (339)", "1 to 6", "found 9"],
    );
    check(
        &tiff().tag(42113, Value::Text("seabed")),
        &["tag GDAL_NODATA (42113)", "a number", "seabed"],
    );
    check(
        &tiff().tag(258, Value::Text("8")),
        &["tag BitsPerSample (258)", "whole numbers", "ASCII"],
    );
    check(
        &tag(273, 1 << 30),
        &[
            "block 0 (column 0, row 0)",
            "24 bytes from 1073741824",
            "a file of",
        ],
    );
    let mut short = tiff();
    (short.compression, short.rows_per_strip) = (8, 2);
    let short = short
        .tag(273, Value::Longs(vec![8, 8, 60]))
        .tag(279, Value::Longs(vec![40, 40, 3]));
    check(
        &short,
        &[
            "block 2 (column 0, row 2)",
            "8 bytes (deflate)",
            "stream after 0",
        ],
    );
}

#[test]
fn what_is_no_image_shows_its_first_bytes() {
    let kind = |bytes: &[u8]| open_bytes(bytes, &Options::default()).unwrap_err();
    for (bytes, words) in [
        (&b""[..], "it is empty"),
        (b"%PDF-1.7", "25 50 44 46 2d 31 2e 37 (\"%PDF-1.7\")"),
        (b"II\x2b\x2a", "49 49 2b 2a (\"II+*\")"),
    ] {
        let error = kind(bytes);
        assert_eq!(error.kind(), "not-an-image");
        let text = error.to_string();
        assert!(text.contains(words) && text.contains("TIFF"), "{text}");
    }
    assert_eq!(kind(b"II\x2a\0").kind(), "corrupt", "cut short");
}

#[test]
fn limits_hold_before_memory_is_reserved() {
    #[track_caller]
    fn check(limits: Limits) {
        let mut tiff = Tiff::new(64, 64, (1, 8));
        (tiff.compression, tiff.rows_per_strip) = (8, 32);
        let bytes = tiff.bytes(|_, _, _| 0.0);
        let read = |source: Source| {
            source.read(source.rect(), 0, &mut Raster::default())?;
            source.rows_as_f32(|_| ())
        };
        let result = open_bytes(
            &bytes,
            &Options {
                limits,
                ..Options::default()
            },
        )
        .and_then(read);
        assert_eq!(result.unwrap_err().kind(), "over-limit");
    }
    check(Limits {
        blocks: 1,
        ..Limits::default()
    });
    check(Limits {
        block_bytes: 64 * 32 - 1,
        ..Limits::default()
    });
    check(Limits {
        window_bytes: 64 * 64 * 8 - 1,
        ..Limits::default()
    });
    check(Limits {
        stream_bytes: 64 * 64 * 4 - 1,
        ..Limits::default()
    });
}
