//! Masks drawn by GeoJSON: the same world from any tiles, where the file's coordinates say, or a word on what is wrong.

#![allow(clippy::unwrap_used)]

mod support;

use ecotone_bake::{Bake, Options, config};
use ecotone_grid::{Raster, Rect};
use ecotone_interchange::Finished;
use support::writer::{Tiff, Value};
use support::{Place, plain};

const SIZE: usize = 150;

/// A world of 150 × 150 m with its corner at (1000, 2000), and a GeoJSON over it.
fn place(tiff: &Tiff, geojson: &str) -> Place {
    let place = Place::new();
    place.write("heights.tif", tiff, |x, y| {
        (x as f64 / 3.0 + y as f64 / 7.0).floor()
    });
    std::fs::write(place.path("roads.geojson"), geojson).unwrap();
    place
}

fn text(tile: u32, keys: &str) -> String {
    format!(
        "terrain.heights = ['heights.tif']\ntiles.size = {tile}\n[edges]\nmax_distance = 20\n[[stratum]]\nname = 'ground'\n\
         [[stratum]]\nname = 'road'\nmask = 'roads.geojson'\n{keys}\n\
         [[species]]\nname = 'oak'\nstrata = {{ ground = 1 }}\nspacing = 3.0\n\
         distance = [{{ stratum = 'road', band = [2, 1000], blend = 1 }}]\n"
    )
}

/// Roads that wind over the map and its border, and a pond with an island, in world coordinates.
fn roads() -> String {
    let wind = |k: usize| {
        let x = 990.0 + 3.7 * k as f64;
        let y = 1925.0 + 40.0 * (k as f64 / 9.0).sin();
        format!("[{x},{y}]")
    };
    let line: Vec<String> = (0..46).map(wind).collect();
    let ring = |side: f64| {
        let (lo, hi) = (1060.3 - side, 1060.3 + side);
        let (south, north) = (1940.7 - side, 1940.7 + side);
        format!("[[{lo},{south}],[{lo},{north}],[{hi},{north}],[{hi},{south}],[{lo},{south}]]")
    };
    format!(
        "{{\"type\":\"FeatureCollection\",\"features\":[\
         {{\"type\":\"Feature\",\"properties\":{{}},\"geometry\":{{\"type\":\"LineString\",\"coordinates\":[{}]}}}},\
         {{\"type\":\"Feature\",\"properties\":{{}},\"geometry\":{{\"type\":\"Polygon\",\"coordinates\":[{},{}]}}}}]}}",
        line.join(","),
        ring(22.0),
        ring(9.0)
    )
}

fn weights(place: &Place, band: usize) -> Raster<u8> {
    let mut all = Raster::default();
    let rect = Rect::new(0, 0, SIZE as i64, SIZE as i64);
    Finished::open(&place.path("out"))
        .unwrap()
        .weights(rect, &mut all)
        .unwrap();
    let mut one = Raster::new(rect, 1, 0);
    one.paste(0, all.band(band));
    one
}

fn line(ends: [[f64; 2]; 2]) -> String {
    format!("{{\"type\":\"LineString\",\"coordinates\":{ends:?}}}")
}

#[test]
fn any_tiles_draw_the_same_roads() {
    let place = place(&plain(SIZE, SIZE), &roads());
    let digests = [17, 64, 4096].map(|tile| {
        let out = format!("out{tile}");
        place
            .bake(&text(tile, "width = 6\nfeather = 2"), 2, &out)
            .unwrap();
        place.digests(&out)
    });
    assert_eq!(digests[0], digests[2], "tiles of 17");
    assert_eq!(digests[1], digests[2], "tiles of 64");
}

#[test]
fn a_road_lies_where_its_coordinates_say() {
    // From west to east at y = 1950, half a metre north of the centres of row 50: 6 m wide, its ramp from 2 to 4 m.
    let place = place(&plain(SIZE, SIZE), &line([[0.0, 1950.0], [9000.0, 1950.0]]));
    place
        .bake(&text(64, "width = 6\nfeather = 2"), 1, "out")
        .unwrap();
    let road = weights(&place, 1);
    let column: Vec<u8> = (44..56).map(|y| road.band(0).at(100, y)).collect();
    assert_eq!(column, [0, 0, 64, 191, 255, 255, 255, 255, 191, 64, 0, 0]);
}

#[test]
fn an_inverted_mask_is_the_rest() {
    let place = place(&plain(SIZE, SIZE), &roads());
    place
        .bake(&text(64, "width = 6\nfeather = 2"), 1, "out")
        .unwrap();
    let road = weights(&place, 1);
    place
        .bake(&text(64, "width = 6\nfeather = 2\ninvert = true"), 1, "out")
        .unwrap();
    let rest = weights(&place, 0);
    assert!(road == rest);
}

#[test]
fn pixel_size_stretches_the_coordinates_of_the_file() {
    // The file's pixels are 1 m and the config says 2 m: the road keeps its place on the picture, and its width in metres.
    let place = place(&plain(SIZE, SIZE), &line([[0.0, 1950.0], [9000.0, 1950.0]]));
    let config = text(64, "width = 12\nfeather = 4")
        .replace("tiles.size", "terrain.pixel_size = [2, 2]\ntiles.size");
    place.bake(&config, 1, "out").unwrap();
    let road = weights(&place, 1);
    let column: Vec<u8> = (44..56).map(|y| road.band(0).at(100, y)).collect();
    assert_eq!(column, [0, 0, 64, 191, 255, 255, 255, 255, 191, 64, 0, 0]);
}

#[test]
fn without_a_georeference_coordinates_are_metres_from_the_corner() {
    let bare = Tiff::new(SIZE, SIZE, (3, 32));
    let place = place(&bare, &line([[-5.0, -100.0], [9000.0, -100.0]]));
    let config = text(64, "width = 12\nfeather = 4")
        .replace("tiles.size", "terrain.pixel_size = [2, 2]\ntiles.size");
    place.bake(&config, 1, "out").unwrap();
    let road = weights(&place, 1);
    let column: Vec<u8> = (44..56).map(|y| road.band(0).at(100, y)).collect();
    assert_eq!(column, [0, 0, 64, 191, 255, 255, 255, 255, 191, 64, 0, 0]);

    std::fs::write(
        place.path("roads.geojson"),
        line([[0.0, 100.0], [50.0, 100.0]]),
    )
    .unwrap();
    let error = place
        .bake(&config, 1, "out")
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(error.contains("100.0 m north of the map"), "{error}");
    assert!(error.contains("on the map y is negative"), "{error}");
}

/// The map in EPSG:25832.
fn projected() -> Tiff {
    let keys = [1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 25832];
    plain(SIZE, SIZE).tag(34735, Value::Shorts(keys.to_vec()))
}

#[track_caller]
fn check_error(tiff: &Tiff, geojson: &str, keys: &str, wanted: &[&str]) {
    let place = place(tiff, geojson);
    let error = place
        .bake(&text(64, keys), 1, "out")
        .map(|_| ())
        .unwrap_err();
    assert!(error.is_refusal());
    let error = error.to_string();
    for wanted in wanted {
        assert!(error.contains(wanted), "{error}\nhas no {wanted}");
    }
    assert!(
        error.contains("mask = 'roads.geojson'"),
        "{error}\npoints nowhere"
    );
}

#[test]
fn what_does_not_fit_is_refused_in_a_sentence() {
    let here = line([[1010.0, 1950.0], [1020.0, 1950.0]]);
    let far = line([[-50_000.0, 1950.0], [-49_000.0, 1950.0]]);
    let degrees = line([[8.1, 47.2], [8.2, 47.3]]);
    let other = here.replacen(
        '{',
        "{\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:2056\"}},",
        1,
    );
    let point =
        "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1010,1950]}}";
    let road = "width = 6";
    check_error(
        &plain(SIZE, SIZE),
        &far,
        road,
        &["50.0 km west of the map", "x lies in 1000 … 1150"],
    );
    check_error(
        &projected(),
        &degrees,
        road,
        &["look like degrees", "ogr2ogr -t_srs EPSG:25832"],
    );
    check_error(
        &projected(),
        &other,
        road,
        &["EPSG:2056", "EPSG:25832", "ogr2ogr -t_srs EPSG:25832"],
    );
    check_error(
        &plain(SIZE, SIZE),
        &here,
        "feather = 2",
        &["feature 1", "no `width`"],
    );
    check_error(
        &plain(SIZE, SIZE),
        point,
        road,
        &["feature 1", "no `radius`"],
    );
    check_error(
        &plain(SIZE, SIZE),
        "{\"type\":\n\"Point\"",
        road,
        &["roads.geojson: line 2, column", "EOF"],
    );
    check_error(
        &plain(SIZE, SIZE),
        &line([[0.0, 1950.0], [1e300, 1950.0]]),
        road,
        &["km from the map's corner"],
    );
}

#[track_caller]
fn check_warning(tiff: &Tiff, geojson: &str, keys: &str, wanted: &str) {
    let found = warnings(tiff, geojson, keys);
    assert!(
        found.iter().any(|warning| warning.contains(wanted)),
        "{found:?} has no {wanted}"
    );
}

fn warnings(tiff: &Tiff, geojson: &str, keys: &str) -> Vec<String> {
    let place = place(tiff, geojson);
    let loaded = config::parse(&text(64, keys), &place.path("world.toml")).unwrap();
    let bake = Bake::open(&loaded, &Options::default()).unwrap();
    bake.warnings().to_vec()
}

#[test]
fn what_says_nothing_is_warned_of() {
    let warned = |geojson: &str, keys: &str, wanted: &str| {
        check_warning(&plain(SIZE, SIZE), geojson, keys, wanted);
    };
    let empty = "{\"type\":\"FeatureCollection\",\"features\":[]}";
    warned(empty, "feather = 2", "holds no shape");
    warned(
        &line([[1010.0, 1950.0], [1020.0, 1950.0]]),
        "width = 2\nradius = 3",
        "has no points, so `radius`",
    );
    let open = "{\"type\":\"Polygon\",\"coordinates\":[[[1010,1950],[1020,1950],[1020,1940],[1010,1940]]]}";
    warned(
        open,
        "feather = 2",
        "do not end where they began (1, the first in feature 1)",
    );
}

#[test]
fn a_system_is_understood_however_it_is_written_or_quoted() {
    let here = line([[1010.0, 1950.0], [1020.0, 1950.0]]);
    let with = |crs: &str| here.replacen('{', &format!("{{\"crs\":{crs},"), 1);
    let name = |name: &str| {
        with(&format!(
            "{{\"type\":\"name\",\"properties\":{{\"name\":\"{name}\"}}}}"
        ))
    };
    let road = "width = 6";
    let compound = "urn:ogc:def:crs,crs:EPSG::25832,crs:EPSG::5773";
    for same in [name(compound), with("null"), here.clone()] {
        assert_eq!(warnings(&projected(), &same, road), [""; 0], "{same}");
    }
    let other = "urn:ogc:def:crs,crs:EPSG::2056,crs:EPSG::5773";
    check_error(&projected(), &name(other), road, &["is in EPSG:2056"]);
    check_error(
        &projected(),
        &name("OGC:CRS84"),
        road,
        &["is in EPSG:4326, the map in EPSG:25832"],
    );
    let legacy = with("{\"type\":\"EPSG\",\"properties\":{\"code\":32632}}");
    check_error(&projected(), &legacy, road, &["is in EPSG:32632"]);
    let local = name("LOCAL GRID");
    check_warning(
        &projected(),
        &local,
        road,
        "the `crs` \"LOCAL GRID\", which is no EPSG code: its shapes are taken to be in the map's coordinates",
    );
    check_warning(&projected(), &with("[1]"), road, "a `crs` without a name");
}

#[test]
fn an_inverted_mask_of_shapes_off_the_map_is_whole() {
    let far = line([[-50_000.0, 1950.0], [-49_000.0, 1950.0]]);
    let keys = "width = 6\ninvert = true";
    let warning = "50.0 km west of the map, so that the inverted mask is 1 everywhere";
    check_warning(&plain(SIZE, SIZE), &far, keys, warning);
    let place = place(&plain(SIZE, SIZE), &far);
    place.bake(&text(64, keys), 1, "out").unwrap();
    assert!(
        weights(&place, 1)
            .band_mut(0)
            .iter()
            .all(|&weight| weight == 255)
    );
}

#[test]
fn shapes_that_hardly_show_are_warned_of() {
    let here = line([[1010.0, 1950.0], [1020.0, 1950.0]]);
    let check = |geojson: &str, keys: &str, wanted: &str| {
        check_warning(&plain(SIZE, SIZE), geojson, keys, wanted);
    };
    check(
        &here,
        "width = 0.2",
        "`width` 0.2 m of \"road\" is thinner than a pixel of 1 m: its lines will have gaps; use a `feather` of 1 m",
    );
    let quiet = warnings(&plain(SIZE, SIZE), &here, "width = 0.2\nfeather = 1");
    assert_eq!(quiet, [""; 0]);
    let point = "{\"type\":\"Point\",\"coordinates\":[1010,1950]}";
    check(
        point,
        "radius = 0.3",
        "its points will miss the centres of pixels",
    );
    // Centres lie at halves: the first is between two columns of them, the second holds some.
    let sliver = "{\"type\":\"MultiPolygon\",\"coordinates\":[\
                  [[[1009.7,1950],[1010.3,1950],[1010.3,1940],[1009.7,1950]]],\
                  [[[1010,1950],[1020,1950],[1020,1940],[1010,1950]]]]}";
    check(
        sliver,
        "",
        "lie between the centres of pixels and draw nothing (1, the first in feature 1)",
    );
    // Both sides of the map, so that the box around them holds it.
    let around = "{\"type\":\"MultiLineString\",\"coordinates\":[[[900,1950],[910,1950]],[[1900,1950],[1910,1950]]]}";
    check(
        around,
        "width = 6",
        "reaches the map, though they lie around it",
    );
    check(
        "{\"type\":\"MultiLineString\",\"coordinates\":[[],[[1010,1950],[1020,1950]]]}",
        "width = 6",
        "has empty parts (1, the first in feature 1): they are skipped",
    );
}

#[test]
fn longitudes_a_turn_away_are_pointed_out() {
    let keys = [1, 1, 0, 2, 1024, 0, 1, 2, 2048, 0, 1, 4326];
    let map = Tiff::new(SIZE, SIZE, (3, 32))
        .placed((0.001, 0.001), (190.0, 10.0))
        .tag(34735, Value::Shorts(keys.to_vec()));
    let place = place(&map, &line([[-169.99, 9.95], [-169.9, 9.95]]));
    let config = text(64, "width = 200")
        .replace("tiles.size", "terrain.pixel_size = [110, 110]\ntiles.size");
    let error = place
        .bake(&config, 1, "out")
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("the same place 360° away: add 360 to their longitudes"),
        "{error}"
    );
}

#[test]
fn a_line_wider_than_tiles_is_drawn_as_by_one_tile() {
    // 240 m wide: most tiles of 17 lie wholly under one segment, the whole map under none.
    let bent =
        "{\"type\":\"LineString\",\"coordinates\":[[900,1990],[1020,1950],[1021,1890],[950,1700]]}";
    let point = "{\"type\":\"Point\",\"coordinates\":[1100,1900]}";
    for (shape, keys) in [
        (bent, "width = 240\nfeather = 30"),
        (bent, "width = 240"),
        (point, "radius = 70\nfeather = 9"),
    ] {
        let place = place(&plain(SIZE, SIZE), shape);
        let digests = [(17, "tiles"), (4096, "out")].map(|(tile, out)| {
            place.bake(&text(tile, keys), 2, out).unwrap();
            place.digests(out)
        });
        assert_eq!(digests[0], digests[1], "{keys}");
        let mut road = weights(&place, 1);
        let road = road.band_mut(0);
        let (has_none, has_all) = (road.contains(&0), road.contains(&255));
        assert!(has_none && has_all, "{keys}");
    }
}

#[test]
fn many_points_are_each_drawn() {
    // 900 points in the order of a scrambled grid; the twin looks at all of them for every pixel.
    let points: Vec<[f64; 2]> = (0..900u32)
        .map(|k| (k * 487) % 900)
        .map(|k| {
            [
                1000.4 + 5.0 * f64::from(k % 30),
                1850.3 + 5.0 * f64::from(k / 30),
            ]
        })
        .collect();
    let place = place(
        &plain(SIZE, SIZE),
        &format!("{{\"type\":\"MultiPoint\",\"coordinates\":{points:?}}}"),
    );
    place.bake(&text(64, "radius = 1.3"), 1, "out").unwrap();
    let drawn = weights(&place, 1);
    for y in 0..SIZE {
        for x in 0..SIZE {
            let centre = [1000.5 + x as f64, 1999.5 - y as f64];
            let is_near = |p: &[f64; 2]| (p[0] - centre[0]).hypot(p[1] - centre[1]) <= 1.3;
            let wanted = if points.iter().any(is_near) { 255 } else { 0 };
            assert_eq!(drawn.band(0).at(x as i64, y as i64), wanted, "at {x}, {y}");
        }
    }
}
