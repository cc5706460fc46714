//! GDAL's virtual rasters, against the file, or GDAL's rules, that they stand for.

#![allow(clippy::unwrap_used)]

mod folder;

use ecotone_geotiff::{Options, SampleType};
use ecotone_grid::Rect;
use folder::writer::{Tiff, Value};
use folder::{Folder, check_same, heights, open_one, quarters};

/// A VRT of the quarters as gdalbuildvrt 3.6 writes it, but for the coordinate system.
fn quarters_vrt(source: &str) -> String {
    let mut text = "<VRTDataset rasterXSize=\"13\" rasterYSize=\"9\">\n  \
        <GeoTransform>  1.2341000000000000e+03,  1.0000000000000001e-01,  0.0000000000000000e+00,  \
        7.7770000000000005e+02,  0.0000000000000000e+00, -2.9999999999999999e-01</GeoTransform>\n  \
        <VRTRasterBand dataType=\"Float32\" band=\"1\">\n    <ColorInterp>Gray</ColorInterp>\n"
        .to_owned();
    for (name, [x, y, width, height]) in [
        ("nw.tif", [0, 0, 5, 4]),
        ("ne.tif", [5, 0, 8, 4]),
        ("sw.tif", [0, 4, 5, 5]),
        ("se.tif", [5, 4, 8, 5]),
    ] {
        text += &format!(
            "    <{source}>\n      <SourceFilename relativeToVRT=\"1\">{name}</SourceFilename>\n      \
             <SourceBand>1</SourceBand>\n      <SourceProperties RasterXSize=\"{width}\" RasterYSize=\"{height}\" \
             DataType=\"Float32\" BlockXSize=\"{width}\" BlockYSize=\"{height}\" />\n      \
             <SrcRect xOff=\"0\" yOff=\"0\" xSize=\"{width}\" ySize=\"{height}\" />\n      \
             <DstRect xOff=\"{x}\" yOff=\"{y}\" xSize=\"{width}\" ySize=\"{height}\" />\n    </{source}>\n"
        );
    }
    text + "  </VRTRasterBand>\n</VRTDataset>\n"
}

#[test]
fn a_vrt_of_quarters_is_the_file() {
    let folder = Folder::new();
    quarters(&folder);
    let whole = open_one(&folder.path("whole.tif"));
    folder.text("simple.vrt", &quarters_vrt("SimpleSource"));
    // By its first bytes, whatever its name.
    folder.text("complex.xml", &quarters_vrt("ComplexSource"));
    for name in ["simple.vrt", "complex.xml"] {
        let map = folder.open(&[name]).unwrap();
        check_same(&map, &whole);
        assert_eq!(map.sources().count(), 4);
        assert_eq!(map.parts()[0].sample(), SampleType::F32);
        assert_eq!(map.first().path(), folder.path("nw.tif"));
    }
}

#[test]
fn the_files_under_a_window_are_those_of_the_parts_that_it_cuts() {
    let folder = Folder::new();
    let names = quarters(&folder);
    folder.text("quarters.vrt", &quarters_vrt("SimpleSource"));
    let maps = [&names[..], &["quarters.vrt"]].map(|names| folder.open(names).unwrap());
    for map in maps {
        let under = |window| {
            let mut found = Vec::new();
            map.sources_under(window, &mut |source, part| {
                let name = source.path().file_name().unwrap().to_owned();
                found.push((name.into_string().unwrap(), part));
            });
            found
        };
        // The quarters meet at (5, 4).
        let part =
            |name: &str, [x0, y0, x1, y1]: [i64; 4]| (name.to_owned(), Rect::new(x0, y0, x1, y1));
        assert_eq!(
            under(Rect::new(1, -3, 5, 4)),
            [part("nw.tif", [1, 0, 5, 4])]
        );
        assert_eq!(
            under(Rect::new(4, 3, 7, 20)),
            [
                part("nw.tif", [4, 3, 5, 4]),
                part("ne.tif", [0, 3, 2, 4]),
                part("sw.tif", [4, 0, 5, 5]),
                part("se.tif", [0, 0, 2, 5]),
            ]
        );
        assert_eq!(under(Rect::new(13, 0, 20, 9)), []);
    }
}

/// A VRT with one band of two sources over 6 × 1 pixels.
fn vrt(band: &str, sources: [&str; 2]) -> String {
    format!(
        "<VRTDataset rasterXSize=\"6\" rasterYSize=\"1\"><VRTRasterBand {band}{}{}</VRTRasterBand></VRTDataset>",
        sources[0], sources[1]
    )
}

fn source(kind: &str, file: &str, from: [i32; 2], to: [i32; 2], more: &str) -> String {
    let rect = |name: &str, [x, width]: [i32; 2]| {
        format!("<{name} xOff=\"{x}\" yOff=\"0\" xSize=\"{width}\" ySize=\"1\"/>")
    };
    let (from, to) = (rect("SrcRect", from), rect("DstRect", to));
    format!(
        "<{kind}><SourceFilename relativeToVRT=\"1\">{file}</SourceFilename>{from}{to}{more}</{kind}>"
    )
}

#[test]
fn sources_of_a_vrt_are_cut_scaled_and_laid_as_gdal_does() {
    let folder = Folder::new();
    let row = Tiff::new(6, 1, (2, 16));
    folder.write("a.tif", &row, |x, _| [1.0, 2.0, 3.0, 4.0, 5.0, 6.0][x]);
    folder.write("b.tif", &row, |x, _| [7.0, -1.0, 9.0, 260.0, 8.0, 0.0][x]);
    let shown = |text: &str, options: &Options| {
        folder.text("map.vrt", text);
        let map = folder.open_with(&["map.vrt"], options).unwrap();
        format!("{:?}", heights(&map, map.rect()))
    };
    let plain = Options::default();
    // A simple source hides what is under it, its own void value included.
    let a = source("SimpleSource", "a.tif", [0, 4], [0, 4], "");
    let band = "dataType=\"Int16\"><NoDataValue>-1</NoDataValue>";
    let b = source("SimpleSource", "b.tif", [0, 3], [2, 3], "");
    assert_eq!(
        shown(&vrt(band, [&a, &b]), &plain),
        "[1.0, 2.0, 7.0, NaN, 9.0, NaN]"
    );
    // A complex one lets it show where it says NODATA.
    let b = source(
        "ComplexSource",
        "b.tif",
        [0, 3],
        [2, 3],
        "<NODATA>-1</NODATA>",
    );
    assert_eq!(
        shown(&vrt(band, [&a, &b]), &plain),
        "[1.0, 2.0, 7.0, 4.0, 9.0, NaN]"
    );
    // Bytes are rounded and kept in their range before the band's own scale.
    let b = source(
        "ComplexSource",
        "b.tif",
        [0, 6],
        [0, 6],
        "<ScaleOffset>0.5</ScaleOffset><ScaleRatio>1.5</ScaleRatio>",
    );
    let band = "dataType=\"Byte\"><Offset>-5</Offset><Scale>0.5</Scale>";
    assert_eq!(
        shown(&vrt(band, ["", &b]), &plain),
        "[0.5, -5.0, 2.0, 122.5, 1.5, -4.5]"
    );
    let caller = Options {
        scale: Some(2.0),
        offset: Some(0.0),
        nodata: Some(255.0),
        ..Options::default()
    };
    assert_eq!(
        shown(&vrt(band, ["", &b]), &caller),
        "[22.0, 0.0, 28.0, NaN, 26.0, 2.0]"
    );
    // What a source does not have hides nothing; what goes off the map is cut.
    let b = source("SimpleSource", "b.tif", [-2, 4], [-1, 4], "");
    let all = source("SimpleSource", "a.tif", [0, 6], [0, 6], "");
    assert_eq!(
        shown(&vrt("dataType=\"Int16\">", [&all, &b]), &plain),
        "[1.0, 7.0, -1.0, 4.0, 5.0, 6.0]"
    );
}

#[test]
fn a_vrt_may_name_a_vrt_but_not_itself() {
    let folder = Folder::new();
    quarters(&folder);
    folder.text("0.vrt", &quarters_vrt("SimpleSource"));
    let outer = |inner: &str| {
        "<VRTDataset rasterXSize=\"13\" rasterYSize=\"9\"><GeoTransform>1234.1, 0.1, 0, 777.7, 0, -0.3</GeoTransform>\
         <VRTRasterBand dataType=\"Float32\"><SimpleSource><SourceFilename relativeToVRT=\"1\">INNER</SourceFilename>\
         </SimpleSource></VRTRasterBand></VRTDataset>"
            .replace("INNER", inner)
    };
    for level in 1..5 {
        folder.text(
            &format!("{level}.vrt"),
            &outer(&format!("{}.vrt", level - 1)),
        );
    }
    check_same(
        &folder.open(&["3.vrt"]).unwrap(),
        &open_one(&folder.path("whole.tif")),
    );
    assert_eq!(
        folder.refusal(&["4.vrt"]),
        "0.vrt is no VRT file: it is the 5th VRT within others, and 4 are read"
    );
    folder.text("self.vrt", &outer("mirror.vrt"));
    folder.text("mirror.vrt", &outer("self.vrt"));
    assert_eq!(
        folder.refusal(&["self.vrt"]),
        "self.vrt is no VRT file: it names itself as a source, in a circle"
    );
}

#[test]
fn a_vrt_that_does_more_is_refused_by_element_and_line() {
    let folder = Folder::new();
    quarters(&folder);
    let plain = quarters_vrt("ComplexSource");
    let check = |from: &str, to: &str, expected: &str| {
        let text = plain.replacen(from, to, 1);
        assert_ne!(text, plain, "{from}");
        folder.text("map.vrt", &text);
        let refusal = folder.refusal(&["map.vrt"]);
        let remedy = "; make a plain file of it with `gdal_translate map.vrt OUT.tif`";
        assert_eq!(refusal, format!("{expected}{remedy}"));
    };
    check(
        "<VRTDataset ",
        "<VRTDataset subClass=\"VRTWarpedDataset\" ",
        "map.vrt:1: <VRTDataset> is a VRTWarpedDataset, which is not read",
    );
    check(
        "band=\"1\"",
        "band=\"1\" subClass=\"VRTDerivedRasterBand\"",
        "map.vrt:3: <VRTRasterBand> is a VRTDerivedRasterBand, which is not read",
    );
    check(
        "<SourceBand>1</SourceBand>",
        "<SourceBand>1</SourceBand>\n<LUT>0:0,255:1</LUT>",
        "map.vrt:8: <LUT> of a source is not read",
    );
    check(
        "<ColorInterp>Gray</ColorInterp>",
        "<KernelFilteredSource/>",
        "map.vrt:4: <KernelFilteredSource> is not read",
    );
    check(
        "xSize=\"5\" ySize=\"4\" />\n    </",
        "xSize=\"6\" ySize=\"4\" />\n    </",
        "map.vrt:5: <SrcRect> is 5 × 4 pixels and goes to 6 × 4, and nothing is resampled",
    );
    check(
        "<DstRect xOff=\"0\"",
        "<DstRect xOff=\"0.5\"",
        "map.vrt:10: <DstRect> has xOff \"0.5\", and whole pixels are expected, as nothing is resampled here, which \
         `gdal_translate` does",
    );
    check(
        "\"1\">nw.tif",
        "\"0\">/vsicurl/http://host/nw.tif",
        "map.vrt:6: <SourceFilename> names /vsicurl/http://host/nw.tif, and only files are read",
    );
    check(
        "dataType=\"Float32\" band",
        "dataType=\"CFloat32\" band",
        "map.vrt:3: <VRTRasterBand> holds CFloat32 samples, which are not read",
    );
    check(
        "rasterXSize=\"13\"",
        "rasterXSize=\"0\"",
        "map.vrt:1: <VRTDataset> has rasterXSize \"0\", and 1 to 2147483647 is expected",
    );
    check(
        "<VRTRasterBand",
        "<SRS>GEOGCS[\"WGS 84\"]</SRS><VRTRasterBand",
        "map.vrt:3: <SRS> is in degrees, and the first source does not say so",
    );
    check(
        "<VRTRasterBand",
        "<SRS>PROJCS[\"WGS 84 / Pseudo-Mercator\",AUTHORITY[\"EPSG\",\"3857\"]]</SRS><VRTRasterBand",
        "map.vrt:3: <SRS> is EPSG:3857, and the first source says no EPSG code",
    );
    // The same system in both is as good as one.
    let keys = writer_keys(&[(1024, 1), (3072, 25832)]);
    let tiff = Tiff::new(5, 4, (3, 32)).tag(34735, keys);
    folder.write("nw.tif", &tiff, |_, _| 0.0);
    let of = |code: u32| plain.replacen("<VRTR", &format!("<SRS>EPSG:{code}</SRS><VRTR"), 1);
    folder.text("map.vrt", &of(25832));
    folder.open(&["map.vrt"]).unwrap();
    folder.text("map.vrt", &of(25833));
    assert!(
        folder
            .refusal(&["map.vrt"])
            .contains("<SRS> is EPSG:25833, and the first source says EPSG:25832; make")
    );
}

#[test]
fn hostile_xml_is_refused_quickly() {
    let folder = Folder::new();
    let check = |text: &str, expected: &str| {
        folder.text("map.vrt", text);
        let refusal = folder.refusal(&["map.vrt"]);
        assert!(
            refusal.starts_with("map.vrt is no VRT file: ") && refusal.contains(expected),
            "{refusal}"
        );
    };
    check("<VRTDataset", "");
    check("", "");
    check(
        "<!DOCTYPE lolz [<!ENTITY a \"aaaa\">]><VRTDataset>&a;</VRTDataset>",
        "",
    );
    let attributes: String = (0..500_000).map(|n| format!(" a{n}=''")).collect();
    check(&format!("<VRTDataset{attributes}/>"), "a tag has");
    let tags: String = "<a b='' c='' d=''/>".repeat(1 << 20);
    check(&format!("<VRTDataset>{tags}</VRTDataset>"), "attributes");
    check(&"<a>".repeat(4_000_000), "");
    let nested = "<a>".repeat(500_000) + &"</a>".repeat(500_000);
    folder.text("map.vrt", &nested);
    assert!(
        folder
            .refusal(&["map.vrt"])
            .starts_with("map.vrt:1: <a> is no")
    );
}

#[test]
fn heights_in_feet_become_metres_once() {
    let folder = Folder::new();
    // Keys: a projected model, and feet as the vertical unit.
    let keys = writer_keys(&[(1024, 1), (4099, 9002)]);
    let feet = Tiff::new(2, 1, (3, 32)).tag(34735, keys);
    folder.write("feet.tif", &feet, |_, _| 1000.0);
    folder.write("plain.tif", &Tiff::new(2, 1, (3, 32)), |_, _| 1000.0);
    let vrt = |file: &str, unit: &str| {
        format!(
            "<VRTDataset rasterXSize=\"2\" rasterYSize=\"1\"><VRTRasterBand dataType=\"Float32\" band=\"1\">{unit}\
             <SimpleSource><SourceFilename relativeToVRT=\"1\">{file}</SourceFilename></SimpleSource>\
             </VRTRasterBand></VRTDataset>"
        )
    };
    let cases = [
        ("feet.tif", "", 304.8),
        ("plain.tif", "<UnitType>ft</UnitType>", 304.8),
        ("feet.tif", "<UnitType>m</UnitType>", 1000.0),
        ("plain.tif", "", 1000.0),
    ];
    for (file, unit, metres) in cases {
        folder.text("map.vrt", &vrt(file, unit));
        let map = folder.open(&["map.vrt"]).unwrap();
        assert_eq!(heights(&map, map.rect()), [metres; 2], "{file} {unit}");
    }
    let scaled = Options {
        scale: Some(2.0),
        ..Options::default()
    };
    folder.text("map.vrt", &vrt("feet.tif", ""));
    let map = folder.open_with(&["map.vrt"], &scaled).unwrap();
    assert_eq!(heights(&map, map.rect()), [2000.0; 2]);
}

fn writer_keys(keys: &[(u16, u16)]) -> Value {
    let mut directory = vec![1, 1, 0, keys.len() as u16];
    for &(key, value) in keys {
        directory.extend([key, 0, 1, value]);
    }
    Value::Shorts(directory)
}
