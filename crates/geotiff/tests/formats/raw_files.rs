//! Files of bare numbers: what is guessed, and what is said about it.

use super::*;

#[test]
fn a_square_is_guessed_aloud() {
    let square = |sample| RawLayout {
        width: 12,
        height: 12,
        sample,
        byte_order: ByteOrder::Little,
    };
    for (name, sample, words) in [
        (
            "alps.r16",
            SampleType::U16,
            "288 bytes are read as 12 × 12 little-endian 16-bit numbers",
        ),
        (
            "alps.raw",
            SampleType::U16,
            "288 bytes are read as 12 × 12 little-endian 16-bit numbers",
        ),
        (
            "alps.R8",
            SampleType::U8,
            "144 bytes are read as 12 × 12 8-bit numbers",
        ),
        (
            "alps.r32",
            SampleType::F32,
            "576 bytes are read as 12 × 12 little-endian 32-bit fractions",
        ),
    ] {
        let source = open(name, &raw(square(sample)));
        check_same(&source, &raw_twin(square(sample)), source.rect());
        let note = &source.notes()[0];
        assert!(
            note.contains(words) && note.contains("terrain.raw"),
            "{note}"
        );
        assert_eq!(source.georeference().unwrap(), None);
    }
}

#[test]
fn a_name_outweighs_first_bytes() {
    let mut bytes = vec![0; 32];
    bytes[..8].copy_from_slice(b"\x89PNG\r\n\x1a\n");
    let source = open("map.r16", &bytes);
    assert_eq!(all(&source)[0], f64::from(u16::from_le_bytes([0x89, b'P'])));
}

#[test]
fn a_wrong_length_is_refused_with_what_would_fit() {
    let error = |options: &Options, len| {
        let error = open_named("alps.raw", &vec![0; len], options).unwrap_err();
        assert_eq!(error.kind(), "raw-length");
        error.to_string()
    };
    let guess = error(&Options::default(), 2000);
    for words in [
        "2000 bytes",
        "no square of 16-bit numbers",
        "terrain.raw",
        "40 × 25, 50 × 20 as 16-bit",
    ] {
        assert!(guess.contains(words), "{guess}");
    }
    let layout = RawLayout {
        width: 30,
        height: 20,
        sample: SampleType::U16,
        byte_order: ByteOrder::Big,
    };
    let options = Options {
        raw: Some(layout),
        ..Options::default()
    };
    let given = error(&options, 1199);
    for words in [
        "1199 bytes",
        "30 × 20 16-bit numbers of terrain.raw take 1200",
    ] {
        assert!(given.contains(words), "{given}");
    }
    assert!(error(&Options::default(), 0).contains("0 bytes"));
    assert!(error(&options, 0).contains("cut short"));
}

#[test]
fn swapped_bytes_are_noticed() {
    let layout = |byte_order| RawLayout {
        width: 64,
        height: 64,
        sample: SampleType::U16,
        byte_order,
    };
    let slope: Vec<u8> = (0..64_u16)
        .flat_map(|y| (0..64_u16).flat_map(move |x| (1000 + x * 3 + y * 5).to_be_bytes()))
        .collect();
    let n_notes = |bytes: &[u8], byte_order| {
        let options = Options {
            raw: Some(layout(byte_order)),
            ..Options::default()
        };
        let source = open_named("map.r16", bytes, &options).unwrap();
        assert!(
            source
                .notes()
                .iter()
                .all(|n| n.contains("looks big-endian"))
        );
        source.notes().len()
    };
    assert_eq!(n_notes(&slope, ByteOrder::Little), 1);
    assert_eq!(n_notes(&slope, ByteOrder::Big), 0);
    assert_eq!(n_notes(&[7; 8192], ByteOrder::Little), 0);
}

fn hgt(width: usize, height: usize) -> Vec<u8> {
    let heights = (0..height).flat_map(|y| (0..width).map(move |x| (x * 3 + y) as i16 - 500));
    heights.flat_map(i16::to_be_bytes).collect()
}

#[test]
fn an_hgt_lies_where_its_name_says() {
    let mut bytes = hgt(1201, 1201);
    bytes[2..4].copy_from_slice(&(-32768_i16).to_be_bytes());
    let source = open("n43w010.HGT", &bytes);
    let place = source.georeference().unwrap().unwrap().transform;
    let step = 1.0 / 1200.0;
    assert_eq!((place.pixel.x, place.pixel.y), (step, step));
    assert_eq!(
        (place.x0, place.y0),
        (-10.0 - step / 2.0, 44.0 + step / 2.0)
    );
    assert_eq!(source.header().keys.epsg(), Some(4326));
    assert!(source.header().is_geographic());
    let found = heights(&source, Rect::new(0, 0, 3, 1), 0);
    assert!(found[0] == -500.0 && found[1].is_nan() && found[2] == -494.0);
    assert_eq!(
        heights(&source, Rect::new(1200, 1200, 1201, 1201), 0),
        [4300.0]
    );
    assert!(source.notes().is_empty());
}

#[test]
fn an_hgt_may_have_half_the_columns_or_no_place() {
    let source = open("N60E010.hgt", &hgt(11, 21));
    let place = source.georeference().unwrap().unwrap().transform;
    assert_eq!((place.pixel.x, place.pixel.y), (0.1, 0.05));
    assert_eq!((place.x0, place.y0), (9.95, 61.025));
    let source = open("alps.hgt", &hgt(11, 11));
    assert_eq!(source.georeference().unwrap(), None);
    assert!(
        source.notes()[0].contains("N43E010.hgt"),
        "{:?}",
        source.notes()
    );
    let error = open_named("N60E010.hgt", &[0; 100], &Options::default()).unwrap_err();
    assert_eq!(error.kind(), "raw-length");
}
