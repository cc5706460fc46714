//! Maps of several files, each against the one file, or the arithmetic, it stands for.

#![allow(clippy::unwrap_used)]

mod folder;

use ecotone_geotiff::{Mosaic, MosaicFile, Options};
use ecotone_grid::Rect;
use folder::writer::{Tiff, Value};
use folder::{Folder, bits, cache, check_same, ground, heights, open_one, quarters};

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
         north-west corner, and whole pixels are expected; resample both with `gdalwarp -tap -tr 2 2 IN.tif OUT.tif`"
    );
    folder.write("c.tif", &tiff(2.5, (100.0, 200.0)), zero);
    assert_eq!(
        folder.refusal(&["a.tif", "c.tif"]),
        "a.tif and c.tif are not on one grid: pixels are 2 × 2 in the first and 2.5 × 2.5 in the second; \
         resample both with `gdalwarp -tap -tr 2 2 IN.tif OUT.tif`"
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
    let refusal = folder.refusal(&["a.tif", "utm33.tif", "utm32.tif"]);
    assert!(
        refusal.starts_with("utm33.tif is in EPSG:25833 and utm32.tif in EPSG:25832;"),
        "{refusal}"
    );
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
