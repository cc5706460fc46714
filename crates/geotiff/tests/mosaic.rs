//! Maps of several files, virtual rasters, and patches: each against the one file, or the arithmetic, it stands for.

#![allow(clippy::unwrap_used)]

mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecotone_geotiff::{
    Alpha, BlockCache, Mosaic, MosaicFile, Options, Patch, PatchMode, Patched, SampleType, Source,
    SourceError,
};
use ecotone_grid::{Raster, Rect};
use writer::{Tiff, Value};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, tiff: &Tiff, pixel: impl Fn(usize, usize) -> f64) {
        std::fs::write(self.path(name), tiff.bytes(|_, x, y| pixel(x, y))).unwrap();
    }

    fn text(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn open(&self, names: &[&str]) -> Result<Mosaic, SourceError> {
        self.open_with(names, &Options::default())
    }

    fn open_with(&self, names: &[&str], options: &Options) -> Result<Mosaic, SourceError> {
        let files: Vec<_> = names
            .iter()
            .map(|name| MosaicFile::new(self.path(name)))
            .collect();
        Mosaic::open(&files, 0, options, cache())
    }

    /// The error without the folder's name.
    fn refusal(&self, names: &[&str]) -> String {
        let error = self.open(names).unwrap_err().to_string();
        error.replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn cache() -> Arc<BlockCache> {
    Arc::new(BlockCache::new(1 << 20))
}

fn heights(map: &Mosaic, rect: Rect) -> Vec<f64> {
    let mut out = Raster::default();
    map.read(rect, &mut out).unwrap();
    assert_eq!((out.rect(), out.n_bands()), (rect, 1));
    out.pixels().to_vec()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn f32_at(width: usize, height: usize, corner: (f64, f64)) -> Tiff {
    Tiff::new(width, height, (3, 32)).placed((0.1, 0.3), corner)
}

/// Heights that differ from pixel to pixel.
fn ground(x: usize, y: usize) -> f64 {
    ((x * 31 + y * 17) % 97) as f64 / 4.0
}

/// A file of 13 × 9 pixels whose corner has no short binary form, and its quarters, cut at (5, 4).
fn quarters(folder: &Folder) -> [&'static str; 4] {
    let (x0, y0) = (1234.1, 777.7);
    folder.write("whole.tif", &f32_at(13, 9, (x0, y0)), ground);
    let mut names = ["nw.tif", "ne.tif", "sw.tif", "se.tif"].into_iter();
    for (y, height) in [(0, 4), (4, 5)] {
        for (x, width) in [(0, 5), (5, 8)] {
            let corner = (x0 + 0.1 * x as f64, y0 - 0.3 * y as f64);
            let name = names.next().unwrap();
            folder.write(name, &f32_at(width, height, corner), |i, j| {
                ground(x + i, y + j)
            });
        }
    }
    ["nw.tif", "ne.tif", "sw.tif", "se.tif"]
}

#[track_caller]
fn check_same(map: &Mosaic, whole: &Source) {
    assert_eq!(map.rect(), whole.rect());
    let (found, expected) = (
        map.georeference().unwrap().unwrap().transform,
        whole.georeference().unwrap().unwrap().transform,
    );
    assert_eq!(
        bits(&[found.x0, found.y0, found.pixel.x, found.pixel.y]),
        bits(&[expected.x0, expected.y0, expected.pixel.x, expected.pixel.y])
    );
    let mut out = Raster::default();
    for rect in [
        whole.rect(),
        Rect::new(-2, -3, 16, 12),
        Rect::new(4, 3, 6, 5),
        Rect::new(7, 0, 9, 2),
        Rect::new(20, 20, 25, 22),
    ] {
        whole.read(rect, 0, &mut out).unwrap();
        assert_eq!(bits(&heights(map, rect)), bits(out.pixels()), "{rect:?}");
    }
}

fn open_one(path: &Path) -> Source {
    Source::open(path, &Options::default(), cache()).unwrap()
}

#[test]
fn quarters_are_the_file_in_any_order() {
    let folder = Folder::new();
    let [nw, ne, sw, se] = quarters(&folder);
    let whole = open_one(&folder.path("whole.tif"));
    for names in [[nw, ne, sw, se], [se, sw, ne, nw], [sw, nw, se, ne]] {
        let map = folder.open(&names).unwrap();
        check_same(&map, &whole);
        assert_eq!(map.sources().count(), 4);
    }
    check_same(&folder.open(&["whole.tif"]).unwrap(), &whole);
}

#[test]
fn a_file_that_says_point_or_runs_south_up_is_laid_like_any_other() {
    let folder = Folder::new();
    folder.write(
        "west.tif",
        &Tiff::new(4, 3, (3, 32)).placed((2.0, 2.0), (100.0, 50.0)),
        ground,
    );
    let point = vec![1, 1, 0, 1, 1025, 0, 1, 2];
    let point = Tiff::new(4, 3, (3, 32))
        .placed((2.0, 2.0), (109.0, 49.0))
        .tag(34735, Value::Shorts(point));
    folder.write("middle.tif", &point, |x, y| ground(x + 4, y));
    let matrix = vec![
        2.0, 0.0, 0.0, 116.0, 0.0, 2.0, 0.0, 44.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ];
    let south_up = Tiff::new(4, 3, (3, 32)).tag(34264, Value::Doubles(matrix));
    folder.write("east.tif", &south_up, |x, y| ground(x + 8, 2 - y));
    let map = folder
        .open(&["west.tif", "middle.tif", "east.tif"])
        .unwrap();
    assert_eq!(map.rect(), Rect::new(0, 0, 12, 3));
    let expected: Vec<f64> = (0..3)
        .flat_map(|y| (0..12).map(move |x| ground(x, y)))
        .collect();
    assert_eq!(heights(&map, map.rect()), expected);
}

#[test]
fn each_file_has_its_own_type_and_nodata_and_the_later_wins_where_it_has_a_value() {
    let folder = Folder::new();
    // Raw 5 is 50.5 m; 255 is void.
    let scale = "<GDALMetadata><Item name=\"SCALE\" sample=\"0\" role=\"scale\">10</Item>\
                 <Item name=\"OFFSET\" sample=\"0\" role=\"offset\">0.5</Item></GDALMetadata>";
    let bytes = Tiff::new(4, 1, (1, 8))
        .placed((1.0, 1.0), (0.0, 0.0))
        .tag(42113, Value::Text("255"))
        .tag(42112, Value::Text(scale));
    folder.write("bytes.tif", &bytes, |x, _| [5.0, 6.0, 255.0, 7.0][x]);
    let shorts = Tiff::new(4, 1, (2, 16))
        .placed((1.0, 1.0), (2.0, 0.0))
        .tag(42113, Value::Text("-1"));
    folder.write("shorts.tif", &shorts, |x, _| [-3.0, -1.0, -1.0, 9.0][x]);
    let far = Tiff::new(1, 1, (3, 64)).placed((1.0, 1.0), (7.0, 0.0));
    folder.write("far.tif", &far, |_, _| 0.25);

    let map = folder
        .open(&["bytes.tif", "shorts.tif", "far.tif"])
        .unwrap();
    let shown = |map: &Mosaic| format!("{:?}", heights(map, map.rect()));
    assert_eq!(shown(&map), "[50.5, 60.5, -3.0, 70.5, NaN, 9.0, NaN, 0.25]");
    let map = folder
        .open(&["shorts.tif", "far.tif", "bytes.tif"])
        .unwrap();
    assert_eq!(shown(&map), "[50.5, 60.5, -3.0, 70.5, NaN, 9.0, NaN, 0.25]");
    let plain = Options {
        scale: Some(1.0),
        offset: Some(0.0),
        nodata: Some(9.0),
        ..Options::default()
    };
    let map = folder
        .open_with(&["bytes.tif", "shorts.tif"], &plain)
        .unwrap();
    assert_eq!(shown(&map), "[5.0, 6.0, -3.0, -1.0, -1.0, NaN]");
}

#[test]
fn random_parts_equal_a_slow_twin() {
    let folder = Folder::new();
    let seed = 11_u64;
    let noise = |n: u64| ecotone_grid::mix(seed ^ ecotone_grid::mix(n));
    let (mut names, mut rects) = (Vec::new(), Vec::new());
    for part in 0..12_u64 {
        let n = |k: u64, most: u64| (noise(part * 100 + k) % most) as usize;
        let (x, y, width, height) = (n(0, 30), n(1, 30), 1 + n(2, 20), 1 + n(3, 20));
        let tiff = Tiff::new(width, height, (3, 32))
            .placed((0.5, 0.25), (x as f64 * 0.5, 100.0 - y as f64 * 0.25))
            .tag(42113, Value::Text("-1"));
        let name = format!("{part}.tif");
        let value = move |i: usize, j: usize| {
            let n = noise(part << 40 | (i << 20) as u64 | j as u64);
            if n % 5 == 0 { -1.0 } else { (n % 1000) as f64 }
        };
        folder.write(&name, &tiff, value);
        names.push(name);
        rects.push((x, y, width, height, value));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let map = folder.open(&names).unwrap();
    let west = rects.iter().map(|r| r.0).min().unwrap();
    let north = rects.iter().map(|r| r.1).min().unwrap();
    let slow = |x: i64, y: i64| {
        let mut height = f64::NAN;
        for (x0, y0, width, height_px, value) in &rects {
            let (i, j) = (x + west as i64 - *x0 as i64, y + north as i64 - *y0 as i64);
            let inside = (0..*width as i64).contains(&i) && (0..*height_px as i64).contains(&j);
            if inside && value(i as usize, j as usize) != -1.0 {
                height = value(i as usize, j as usize);
            }
        }
        height
    };
    for rect in [
        map.rect(),
        Rect::new(-3, -3, 60, 60),
        Rect::new(11, 7, 24, 31),
        Rect::new(5, 30, 6, 31),
    ] {
        let expected: Vec<f64> = (rect.y0..rect.y1)
            .flat_map(|y| (rect.x0..rect.x1).map(move |x| (x, y)))
            .map(|(x, y)| slow(x, y))
            .collect();
        assert_eq!(
            bits(&heights(&map, rect)),
            bits(&expected),
            "seed {seed}, {rect:?}"
        );
    }
}

#[test]
fn files_that_make_no_map_are_told_apart() {
    let folder = Folder::new();
    let tiff = |size: f64, corner| Tiff::new(10, 10, (1, 8)).placed((size, size), corner);
    let zero = |_: usize, _: usize| 0.0;
    folder.write("a.tif", &tiff(2.0, (100.0, 200.0)), zero);
    folder.write("b.tif", &tiff(2.0, (124.74, 199.0)), zero);
    assert_eq!(
        folder.refusal(&["a.tif", "b.tif"]),
        "a.tif and b.tif are not on one grid: b.tif lies 12.37 pixels east and 0.50 south of a.tif's \
         north-west corner, and whole pixels are expected; resample it with `gdalwarp -tap -tr 2 2 IN.tif OUT.tif`"
    );
    folder.write("c.tif", &tiff(2.5, (100.0, 200.0)), zero);
    assert_eq!(
        folder.refusal(&["a.tif", "c.tif"]),
        "a.tif and c.tif are not on one grid: pixels are 2 × 2 in the first and 2.5 × 2.5 in the second; \
         resample one with `gdalwarp -tap -tr 2 2 IN.tif OUT.tif`"
    );
    let keys = |epsg: u16| {
        tiff(2.0, (100.0, 200.0)).tag(34735, Value::Shorts(vec![1, 1, 0, 1, 3072, 0, 1, epsg]))
    };
    folder.write("utm32.tif", &keys(25832), zero);
    folder.write("utm33.tif", &keys(25833), zero);
    assert_eq!(
        folder.refusal(&["utm32.tif", "utm33.tif"]),
        "utm32.tif is in EPSG:25832 and utm33.tif in EPSG:25833; warp one with \
         `gdalwarp -t_srs EPSG:25832 IN.tif OUT.tif`"
    );
    folder.open(&["a.tif", "utm33.tif"]).unwrap();
    folder.write("bare.tif", &Tiff::new(10, 10, (1, 8)), zero);
    for names in [["a.tif", "bare.tif"], ["bare.tif", "a.tif"]] {
        let refusal = folder.refusal(&names);
        assert!(
            refusal.starts_with(
                "bare.tif does not say where it lies, so it cannot be laid beside a.tif; give tiles that are numbered \
                 as a pattern with {x} and {y}, or place the file with `gdal_translate -a_ullr"
            ),
            "{refusal}"
        );
    }
    folder.open(&["bare.tif"]).unwrap();
    folder.write("far.tif", &tiff(2.0, (9e9, 200.0)), zero);
    assert_eq!(
        folder.refusal(&["a.tif", "far.tif"]),
        "the map from a.tif to far.tif would be 4499999960 × 10 pixels; at most 2147483648 a side and 2^40 in all are \
         expected, so one of them lies elsewhere"
    );
    let map = Mosaic::open(
        &[MosaicFile::new(folder.path("a.tif"))],
        1,
        &Options::default(),
        cache(),
    );
    assert_eq!(map.unwrap_err().kind(), "no-band");
}

#[test]
fn a_hair_off_the_grid_is_on_it() {
    let folder = Folder::new();
    let tiff = |corner| Tiff::new(2, 1, (1, 8)).placed((1.0, 1.0), corner);
    folder.write("a.tif", &tiff((0.0, 0.0)), |x, _| x as f64);
    folder.write("b.tif", &tiff((2.009, -0.009)), |x, _| (x + 2) as f64);
    let map = folder.open(&["a.tif", "b.tif"]).unwrap();
    assert_eq!(heights(&map, map.rect()), [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn placed_files_lie_where_the_caller_says_and_know_their_place_only_if_they_agree() {
    let folder = Folder::new();
    let at = |name: &str, x, y| MosaicFile {
        path: folder.path(name),
        at: Some((x, y)),
    };
    let open = |files: &[MosaicFile]| Mosaic::open(files, 0, &Options::default(), cache()).unwrap();
    let bare = Tiff::new(2, 2, (1, 8));
    folder.write("p.tif", &bare, |x, y| (1 + x + 2 * y) as f64);
    folder.write("q.tif", &bare, |x, y| (5 + x + 2 * y) as f64);
    let map = open(&[at("p.tif", 13, 7), at("q.tif", 10, 8)]);
    assert_eq!(map.rect(), Rect::new(0, 0, 5, 3));
    assert_eq!(map.georeference().unwrap(), None);
    assert_eq!(heights(&map, Rect::new(0, 1, 5, 2))[..2], [5.0, 6.0]);
    assert_eq!(map.parts()[0].rect(), Rect::new(3, 0, 5, 2));

    let placed = |corner| bare.clone().placed((1.0, 1.0), corner);
    folder.write("r.tif", &placed((100.0, 50.0)), |_, _| 0.0);
    folder.write("s.tif", &placed((102.0, 50.0)), |_, _| 0.0);
    let map = open(&[at("r.tif", 2, 0), at("s.tif", 4, 0)]);
    let place = map.georeference().unwrap().unwrap().transform;
    assert_eq!((place.x0, place.y0), (100.0, 50.0));
    let map = open(&[at("r.tif", 0, 0), at("s.tif", 0, 2)]);
    let error = map.georeference().unwrap_err().to_string();
    assert!(
        error.contains("0.00 pixels east and 2.00 south")
            && error.contains("2.00 pixels east and 0.00 south"),
        "{error}"
    );
}

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
        "map.vrt:10: <DstRect> has xOff \"0.5\", and whole pixels are expected",
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

/// A patch of `hill` heights at a map pixel; void in one corner.
struct Layer {
    name: &'static str,
    at: (i64, i64),
    size: (usize, usize),
    mode: PatchMode,
    alpha: Alpha<&'static str>,
}

fn patch_height(x: usize, y: usize) -> f64 {
    if x < 2 && y < 2 {
        -1.0
    } else {
        ((x * 7 + y * 13) % 23) as f64 + 0.125
    }
}

#[test]
fn patches_equal_a_slow_twin_in_any_window() {
    let folder = Folder::new();
    let base_height = |x: usize, y: usize| if (x + y) % 6 == 0 { -1.0 } else { ground(x, y) };
    let placed = |(width, height), (x, y): (i64, i64)| {
        Tiff::new(width, height, (3, 32))
            .placed((2.0, 2.0), (500.0 + 2.0 * x as f64, 900.0 - 2.0 * y as f64))
            .tag(42113, Value::Text("-1"))
    };
    folder.write("base.tif", &placed((20, 15), (0, 0)), base_height);
    let share = |x: usize, y: usize| ((x * 40 + y * 9) % 256) as f64;
    let layers = [
        (
            "a",
            (-3, -2),
            (9, 8),
            PatchMode::Replace,
            Alpha::Everywhere(1.0),
        ),
        (
            "b",
            (4, 4),
            (12, 14),
            PatchMode::Add,
            Alpha::Everywhere(0.3),
        ),
        (
            "c",
            (2, 1),
            (18, 9),
            PatchMode::Max,
            Alpha::Raster("c_alpha.tif"),
        ),
        (
            "d",
            (10, 0),
            (10, 15),
            PatchMode::Min,
            Alpha::Everywhere(0.75),
        ),
        (
            "e",
            (0, 6),
            (20, 5),
            PatchMode::Replace,
            Alpha::Raster("e_alpha.tif"),
        ),
        (
            "f",
            (30, 30),
            (2, 2),
            PatchMode::Add,
            Alpha::Everywhere(1.0),
        ),
    ]
    .map(|(name, at, size, mode, alpha)| Layer {
        name,
        at,
        size,
        mode,
        alpha,
    });
    let base = folder.open(&["base.tif"]).unwrap();
    let mut patches = Vec::new();
    for layer in &layers {
        let name = format!("{}.tif", layer.name);
        folder.write(&name, &placed(layer.size, layer.at), patch_height);
        if let Alpha::Raster(alpha) = layer.alpha {
            let tiff = Tiff::new(layer.size.0, layer.size.1, (1, 8)).tag(42113, Value::Text("7"));
            folder.write(alpha, &tiff, share);
        }
        let path = match layer.alpha {
            Alpha::Raster(alpha) => Some(folder.path(alpha)),
            Alpha::Everywhere(_) => None,
        };
        let alpha = match (&path, &layer.alpha) {
            (Some(path), _) => Alpha::Raster(path.as_path()),
            (None, Alpha::Everywhere(share)) => Alpha::Everywhere(*share),
            (None, Alpha::Raster(_)) => unreachable!(),
        };
        let patch = Patch::open(&folder.path(&name), layer.mode, &alpha, &base, &cache()).unwrap();
        assert_eq!((patch.rect().x0, patch.rect().y0), layer.at);
        patches.push(patch);
    }
    let map = Patched::new(base, patches);

    let slow = |x: i64, y: i64| {
        if !Rect::new(0, 0, 20, 15).contains(x, y) {
            return f64::NAN;
        }
        let stored = |value: f64| {
            if value == -1.0 {
                f64::NAN
            } else {
                f64::from(value as f32)
            }
        };
        let mut h = stored(base_height(x as usize, y as usize));
        for layer in &layers {
            let (i, j) = (x - layer.at.0, y - layer.at.1);
            let inside = Rect::new(0, 0, layer.size.0 as i64, layer.size.1 as i64).contains(i, j);
            if !inside {
                continue;
            }
            let (i, j) = (i as usize, j as usize);
            let p = stored(patch_height(i, j));
            let a = match layer.alpha {
                Alpha::Everywhere(share) => share,
                Alpha::Raster(_) if share(i, j) == 7.0 => 0.0,
                Alpha::Raster(_) => share(i, j) / 255.0,
            };
            if p.is_nan() || a == 0.0 {
                continue;
            }
            h = match layer.mode {
                PatchMode::Replace if a == 1.0 || h.is_nan() => p,
                PatchMode::Replace => h + a * (p - h),
                _ if h.is_nan() => h,
                PatchMode::Add => h + a * p,
                PatchMode::Max => h + a * (h.max(p) - h),
                PatchMode::Min => h + a * (h.min(p) - h),
            };
        }
        h
    };
    let mut out = Raster::default();
    for rect in [
        Rect::new(0, 0, 20, 15),
        Rect::new(-4, -4, 25, 20),
        Rect::new(3, 3, 4, 9),
        Rect::new(11, 5, 19, 6),
    ] {
        map.read(rect, &mut out).unwrap();
        let expected: Vec<f64> = (rect.y0..rect.y1)
            .flat_map(|y| (rect.x0..rect.x1).map(move |x| (x, y)))
            .map(|(x, y)| slow(x, y))
            .collect();
        assert_eq!(bits(out.pixels()), bits(&expected), "{rect:?}");
    }
}

#[test]
fn a_patch_off_the_grid_is_refused() {
    let folder = Folder::new();
    let tiff = |size: f64, corner| Tiff::new(6, 6, (1, 8)).placed((size, size), corner);
    let zero = |_: usize, _: usize| 0.0;
    folder.write("base.tif", &tiff(1.0, (0.0, 0.0)), zero);
    folder.write("bare.tif", &Tiff::new(6, 6, (1, 8)), zero);
    folder.write("off.tif", &tiff(1.0, (-0.25, 0.0)), zero);
    folder.write("small.tif", &Tiff::new(5, 6, (1, 8)), zero);
    let refusal = |base: &str, patch: &str, alpha: &Alpha<&Path>| {
        let base = folder.open(&[base]).unwrap();
        Patch::open(&folder.path(patch), PatchMode::Add, alpha, &base, &cache())
            .err()
            .map(|error| {
                error
                    .to_string()
                    .replace(&format!("{}/", folder.0.path().display()), "")
            })
    };
    let whole = Alpha::Everywhere(1.0);
    let off = refusal("base.tif", "off.tif", &whole).unwrap();
    assert!(
        off.starts_with("base.tif and off.tif are not on one grid: off.tif lies 0.25 pixels west"),
        "{off}"
    );
    let small = refusal("base.tif", "small.tif", &whole).unwrap();
    assert!(small.contains("small.tif is 5 × 6 pixels"), "{small}");
    let placed = refusal("bare.tif", "off.tif", &whole).unwrap();
    assert!(
        placed.contains("bare.tif does not say where it lies") && placed.contains("-a_ullr"),
        "{placed}"
    );
    assert_eq!(refusal("bare.tif", "bare.tif", &whole), None);
    assert_eq!(refusal("base.tif", "bare.tif", &whole), None);
    let small = folder.path("small.tif");
    let shares = refusal("base.tif", "base.tif", &Alpha::Raster(&small)).unwrap();
    assert!(shares.contains("small.tif is 5 × 6 pixels"), "{shares}");
}
