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

#[test]
fn what_says_nothing_is_warned_of() {
    let warned = |geojson: &str, keys: &str, wanted: &str| {
        let place = place(&plain(SIZE, SIZE), geojson);
        let loaded = config::parse(&text(64, keys), &place.path("world.toml")).unwrap();
        let bake = Bake::open(&loaded, &Options::default()).unwrap();
        let warnings = bake.warnings();
        assert!(
            warnings.iter().any(|warning| warning.contains(wanted)),
            "{warnings:?}"
        );
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
