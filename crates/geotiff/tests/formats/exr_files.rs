//! What OpenEXR files say beyond their pixels.

use super::*;

#[test]
fn wild_numbers_in_the_header_of_an_exr_are_refused_or_read() {
    let encoding = Encoding {
        compression: Compression::ZIP1,
        blocks: Blocks::Tiles(Vec2(4, 4)),
        line_order: LineOrder::Increasing,
    };
    let bytes = exr((9, 7), encoding, &["Y"], LayerAttributes::default());
    let content = |name: &[u8]| {
        let start = bytes.windows(name.len()).position(|w| w == name).unwrap();
        start + name.len() + 4
    };
    let window = content(b"dataWindow\0box2i\0");
    let tiles = content(b"tiles\0tiledesc\0");
    let numbers: Vec<usize> = (0..4)
        .map(|i| window + 4 * i)
        .chain([tiles, tiles + 4])
        .collect();
    let wild = [0, -1, 1 << 16, i32::MAX, i32::MIN];
    let pairs = |n: usize| (0..n).flat_map(move |a| (0..n).map(move |b| (a, b)));
    // One level, levels halved in both directions or in each, rounded down or up.
    for level_mode in [0, 1, 18] {
        for (i, j) in pairs(numbers.len()).filter(|(i, j)| i < j) {
            for (a, b) in pairs(wild.len()) {
                let mut bytes = bytes.clone();
                bytes[tiles + 8] = level_mode;
                bytes[numbers[i]..numbers[i] + 4].copy_from_slice(&wild[a].to_le_bytes());
                bytes[numbers[j]..numbers[j] + 4].copy_from_slice(&wild[b].to_le_bytes());
                check_sound("map.exr", &bytes);
            }
        }
    }
}

#[test]
fn the_channel_most_like_heights_comes_first() {
    let encoding = Encoding {
        compression: Compression::Uncompressed,
        blocks: Blocks::ScanLines,
        line_order: LineOrder::Increasing,
    };
    for (names, first) in [
        (&["A", "B", "G", "R"][..], "R"),
        (&["A", "terrain.Height"], "terrain.Height"),
        (&["R", "Y", "Z"], "Y"),
        (&["one", "two"], "one"),
    ] {
        let bytes = exr((4, 3), encoding, names, LayerAttributes::default());
        let source = open("map.exr", &bytes);
        let band = names.iter().position(|name| *name == first).unwrap();
        assert_eq!(
            heights(&source, Rect::new(1, 2, 2, 3), 0),
            [pixel(band, 1, 2)]
        );
        let note = format!("band 1 is {first}");
        assert!(source.notes()[0].contains(&note), "{:?}", source.notes());
    }
}

#[test]
fn a_data_window_of_its_own_is_the_image() {
    let encoding = Encoding {
        compression: Compression::ZIP1,
        blocks: Blocks::ScanLines,
        line_order: LineOrder::Increasing,
    };
    let attributes = LayerAttributes::default().with_position(Vec2(-3, 100));
    let channels = AnyChannels::sort([channel("Z", 0, (6, 5))].into_iter().collect());
    let layer = Layer::new((6, 5), attributes, encoding, channels);
    let mut image = Image::from_layer(layer);
    image.attributes.display_window = exr::meta::attribute::IntegerBounds::from_dimensions((9, 9));
    let mut file = std::io::Cursor::new(Vec::new());
    image.write().to_buffered(&mut file).unwrap();
    let source = open("map.exr", file.get_ref());
    check_same(&source, &exr_twin((6, 5), 1), Rect::new(-1, -1, 7, 6));
    assert!(
        source.notes()[0].contains("6 × 5 from (-3, 100)"),
        "{:?}",
        source.notes()
    );
}

#[test]
fn deep_pixels_are_refused_by_name() {
    let bytes = [0x76, 0x2f, 0x31, 0x01, 2, 0x08, 0, 0, 0];
    let error = open_named("map.exr", &bytes, &Options::default()).unwrap_err();
    assert_eq!(error.kind(), "unsupported");
    assert!(error.to_string().contains("deep"), "{error}");
}
