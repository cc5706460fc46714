//! What a file does not say itself: ranges, places from files beside it, and kinds that are refused.

use super::*;

#[test]
fn a_range_spreads_the_numbers_of_a_type() {
    let range = |range| Options {
        range: Some(range),
        ..Options::default()
    };
    let png = Png::new(3, 1, 16).bytes(|_, x, _| [0.0, 13107.0, 65535.0][x]);
    let source = open_named("map.png", &png, &range([-50.0, 1200.0])).unwrap();
    for (found, expected) in all(&source).iter().zip([-50.0, 200.0, 1200.0]) {
        assert!((found - expected).abs() < 1e-9, "{found}");
    }
    let tiff = Tiff::new(2, 1, (2, 16)).bytes(|_, x, _| [-32768.0, 32767.0][x]);
    let source = open_named("map.tif", &tiff, &range([0.0, 131_070.0])).unwrap();
    assert_eq!(all(&source), [0.0, 131_070.0]);
    let tiff = Tiff::new(3, 1, (3, 32)).bytes(|_, x, _| [0.0, 0.25, 1.0][x]);
    let source = open_named("map.tif", &tiff, &range([100.0, 500.0])).unwrap();
    assert_eq!(all(&source), [100.0, 200.0, 500.0]);
}

#[test]
fn a_world_file_places_what_says_nothing_itself() {
    let png = Png::new(4, 3, 8).bytes(|_, _, y| y as f64);
    let open = |name: &str, text: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
        open_beside(folder.path(), "map.png", &png, &Options::default())
    };
    for name in ["map.pgw", "map.PGW", "map.wld", "map.pngw"] {
        let source = open(name, "2.0\n0\n0\n-4.0\n101\n998.0\n").unwrap();
        let place = source.georeference().unwrap().unwrap().transform;
        assert_eq!(
            (place.x0, place.y0),
            (100.0, 1000.0),
            "the corner, half a pixel off the centre"
        );
        assert_eq!((place.pixel.x, place.pixel.y), (2.0, 4.0));
        assert!(source.notes()[0].contains(name), "{:?}", source.notes());
    }
    let turned = open("map.pgw", "2 0 0 4 101 990").unwrap();
    assert!(turned.georeference().unwrap().unwrap().south_up);
    assert_eq!(heights(&turned, Rect::new(0, 0, 1, 3), 0), [2.0, 1.0, 0.0]);
    let rotated = open("map.pgw", "2 1 1 -4 101 990").unwrap();
    assert_eq!(rotated.georeference().unwrap_err().kind(), "placement");
    assert_eq!(open("map.pgw", "2 0 zero").unwrap_err().kind(), "corrupt");
}

#[test]
fn what_is_no_kind_of_image_is_refused() {
    let error = open_named("map.tif", b"GIF89a.....", &Options::default()).unwrap_err();
    assert!(error.to_string().contains("PNG, OpenEXR"), "{error}");
}

#[test]
fn compressions_that_lose_heights_are_refused_with_advice() {
    // Their numbers in the file.
    for (number, name) in [(6, "B44"), (7, "B44A"), (8, "DWAA"), (9, "DWAB")] {
        let encoding = Encoding {
            compression: Compression::ZIP16,
            blocks: Blocks::ScanLines,
            line_order: LineOrder::Increasing,
        };
        let mut bytes = exr((9, 16), encoding, &["Y"], LayerAttributes::default());
        let at = b"compression\0compression\0\x01\0\0\0";
        let start = bytes.windows(at.len()).position(|w| w == at).unwrap();
        bytes[start + at.len()] = number;
        let error = open_named("map.exr", &bytes, &Options::default()).unwrap_err();
        let text = error.to_string();
        assert_eq!(error.kind(), "unsupported", "{text}");
        assert!(text.contains(&format!("has {name} compression")), "{text}");
        assert!(text.contains("--compression zip"), "{text}");
    }
}

/// A file with another beside it.
fn open_with(name: &str, bytes: &[u8], other: &str, text: &str) -> Source {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(other), text).unwrap();
    open_beside(folder.path(), name, bytes, &Options::default()).unwrap()
}

#[test]
fn what_lies_beside_a_file_and_is_not_read_is_said() {
    let tiff = Tiff::new(4, 3, (1, 8)).bytes(|_, _, _| 1.0);
    let masked = open_with("map.tif", &tiff, "map.tif.msk", "II*");
    assert!(masked.notes()[0].contains("map.tif.msk is not read"));
    assert!(masked.notes()[0].contains("GDAL_TIFF_INTERNAL_MASK YES map.tif"));
    let band = |text: &str| {
        let xml =
            format!("<PAMDataset><PAMRasterBand band=\"1\">{text}</PAMRasterBand></PAMDataset>");
        open_with("map.tif", &tiff, "map.tif.aux.xml", &xml)
    };
    let source = band(
        "<NoDataValue>1</NoDataValue><Offset>3</Offset><Scale>2</Scale><UnitType>ft</UnitType>",
    );
    let note = &source.notes()[0];
    assert!(
        note.contains("(nodata value, scale, offset, unit)"),
        "{note}"
    );
    let silent = "<Scale>1</Scale><Metadata><MDI key=\"STATISTICS_MEAN\">5</MDI></Metadata>";
    for text in [silent, "<Scale>2", ""] {
        assert!(band(text).notes().is_empty(), "{text}");
    }
    let palette = Tiff::new(4, 3, (1, 8)).tag(262, writer::Value::Shorts(vec![3]));
    let palette = open("map.tif", &palette.bytes(|_, x, _| x as f64));
    assert!(palette.notes()[0].contains("palette"));
    assert_eq!(heights(&palette, Rect::new(0, 0, 2, 1), 0), [0.0, 1.0]);
}

#[test]
fn gdals_own_file_places_what_says_nothing_itself() {
    let png = Png::new(4, 3, 8).bytes(|_, _, y| y as f64);
    // As gdal_translate -a_ullr 10 20 50 8 writes it.
    let xml = "<PAMDataset>\n  <SRS>LOCAL_CS[]</SRS><GeoTransform>  1.0000000000000000e+01,  1.0e+01,  0.0,  2.0e+01,  \
               0.0, -4.0</GeoTransform>\n</PAMDataset>";
    let source = open_with("map.png", &png, "map.png.aux.xml", xml);
    let place = source.georeference().unwrap().unwrap().transform;
    assert_eq!((place.x0, place.y0), (10.0, 20.0));
    assert_eq!((place.pixel.x, place.pixel.y), (10.0, 4.0));
    assert_eq!(source.notes()[0], "map.png is placed by map.png.aux.xml");
    assert!(source.notes()[1].contains("(coordinate system)"));
}
