//! What is read from GeoJSON texts, and what is said of those that are none.

#![allow(clippy::unwrap_used)]

use ecotone_bake::geojson::{Collection, Crs, GeoJsonError, ShapeKind, parse};

fn geometry(text: &str) -> Collection {
    parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Kind and paths of every shape.
fn shapes(found: &Collection) -> Vec<(ShapeKind, Vec<Vec<[f64; 2]>>)> {
    let paths = |shape: &ecotone_bake::geojson::Shape| {
        let paths = shape.first_path..shape.first_path + shape.n_paths;
        paths
            .map(|path| found.positions[found.path(path)].to_vec())
            .collect()
    };
    found
        .shapes
        .iter()
        .map(|shape| (shape.kind, paths(shape)))
        .collect()
}

#[track_caller]
fn refused(text: &str, line: usize, reason: &str) {
    match parse(text.as_bytes()) {
        Err(GeoJsonError::Malformed {
            line: at,
            reason: found,
            ..
        }) => {
            assert!(found.contains(reason), "{found}, expected {reason}");
            assert_eq!(at, line, "line of {found}");
        }
        other => panic!("{other:?}, expected {reason}"),
    }
}

const SQUARE: &str = "[[0,0],[4,0],[4,4],[0,4],[0,0]]";
const HOLE: &str = "[[1,1],[2,1],[2,2],[1,1]]";

#[test]
fn every_geometry_is_taken_apart() {
    let square = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0], [0.0, 0.0]];
    let hole = vec![[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 1.0]];
    let (point, line, polygon) = (ShapeKind::Point, ShapeKind::Line, ShapeKind::Polygon);
    let check = |text: &str, wanted: &[(ShapeKind, Vec<Vec<[f64; 2]>>)]| {
        assert_eq!(shapes(&geometry(text)), wanted, "{text}");
    };
    check(
        r#"{"type":"Point","coordinates":[1,2,300]}"#,
        &[(point, vec![vec![[1.0, 2.0]]])],
    );
    check(
        r#"{"coordinates":[[1,2],[3.5,-4e1]],"type":"MultiPoint"}"#,
        &[(point, vec![vec![[1.0, 2.0], [3.5, -40.0]]])],
    );
    check(
        r#"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#,
        &[(line, vec![vec![[1.0, 2.0], [3.0, 4.0]]])],
    );
    check(
        r#"{"type":"MultiLineString","coordinates":[[[1,2],[3,4]],[[5,6],[7,8]]]}"#,
        &[
            (line, vec![vec![[1.0, 2.0], [3.0, 4.0]]]),
            (line, vec![vec![[5.0, 6.0], [7.0, 8.0]]]),
        ],
    );
    check(
        &format!(r#"{{"type":"Polygon","coordinates":[{SQUARE},{HOLE}]}}"#),
        &[(polygon, vec![square.clone(), hole.clone()])],
    );
    check(
        &format!(
            r#"{{"type":"GeometryCollection","geometries":[{{"type":"MultiPolygon","coordinates":[[{SQUARE},{HOLE}],[{HOLE}]]}},
               {{"type":"GeometryCollection","geometries":[]}},{{"type":"Point","coordinates":[]}}]}}"#
        ),
        &[(polygon, vec![square, hole.clone()]), (polygon, vec![hole])],
    );
}

#[test]
fn members_come_in_any_order_and_foreign_ones_are_skipped() {
    // As QGIS writes it, with a name, a box and a system in front; and one with the features in front.
    let system = r#""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::25832"}}"#;
    let features = r#""features":[
        {"geometry":{"bbox":[0,0,1,1],"coordinates":[1,2],"type":"Point"},"properties":{"coordinates":[[["x"]]]},"type":"Feature"},
        {"type":"Feature","properties":null,"geometry":null},
        {"type":"Feature","id":7,"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]},"coordinates":"none"}]"#;
    let head = r#""type":"FeatureCollection","name":"roads","bbox":[0,0,9,9]"#;
    for text in [
        format!("{{{head},{system},{features}}}"),
        format!("{{{features},{system},{head}}}"),
        format!("\u{feff}{{{head},{system},{features}}}\n"),
    ] {
        let found = geometry(&text);
        assert_eq!(found.crs, Some(Crs::Epsg(25832)));
        assert_eq!(found.n_features, 3);
        let features: Vec<_> = found.shapes.iter().map(|s| (s.kind, s.feature)).collect();
        assert_eq!(features, [(ShapeKind::Point, 1), (ShapeKind::Line, 3)]);
    }
}

#[test]
fn an_open_ring_is_closed_and_counted() {
    let open = "[[0,0],[4,0],[4,4],[0,4]]";
    let found = geometry(&format!(
        r#"{{"type":"MultiPolygon","coordinates":[[{SQUARE},{open}],[{open}]]}}"#
    ));
    assert_eq!(found.unclosed, Some((1, 2)));
    let shapes = shapes(&found);
    assert_eq!(shapes[0].1[0], shapes[0].1[1]);
    assert_eq!(shapes[0].1[0], shapes[1].1[0]);
}

#[test]
fn what_is_no_geojson_is_refused_at_its_line() {
    refused("", 1, "the file is empty");
    refused(" ", 1, "EOF");
    refused("[1, 2]", 1, "expected a GeoJSON object");
    refused(
        "{\n\"type\":\"Point\",\n\"coordinates\":[1,2}",
        3,
        "expected `,` or `]`",
    );
    refused("{\"type\":\"FeatureCollection\"}", 1, "without `features`");
    refused(
        "{\"type\":\"Network\",\"arcs\":[]}",
        1,
        "type \"Network\", expected a Point",
    );
    refused(
        "{\"type\":\"Point\",\"coordinates\":[1,2]}\n{}",
        2,
        "trailing characters",
    );
    refused(
        "{\"type\":\"Point\",\"coordinates\":[1e999,2]}",
        1,
        "number out of range",
    );
    refused(
        "{\"type\":\"Point\",\"coordinates\":[null,2]}",
        1,
        "feature 1 has null in its coordinates, expected a number or a list",
    );
    let point = |coordinates: &str| {
        format!(
            "{{\"type\":\"FeatureCollection\",\"features\":[\n{{\"type\":\"Feature\",\"geometry\":null}},\n\
                 {{\"type\":\"Feature\",\"geometry\":{{\"type\":\"Polygon\",\"coordinates\":{coordinates}}}}}]}}"
        )
    };
    refused(
        &point("[[[0,0],[1,0],[0,0]]]"),
        3,
        "feature 2 has a ring of 3 positions, expected 4 or more",
    );
    refused(
        &point("[[0,0],[1,0],[1,1],[0,0]]"),
        3,
        "feature 2 has positions in 1 lists, expected 2",
    );
    refused(
        &point("[[[0,0],[1],[1,1],[0,0]]]"),
        3,
        "feature 2 has a position of one number",
    );
    refused(
        &point("[[[0,0],[[1,0]],[1,1],[0,0]]]"),
        3,
        "feature 2 has coordinates in uneven brackets",
    );
    refused(
        &point("[[[0,0],[],[1,1],[1,0],[0,0]]]"),
        3,
        "feature 2 has an empty position",
    );
    refused(
        &point("[[],[[0,0],[1,1],[1,0],[0,0]]]"),
        3,
        "feature 2 has a polygon with an empty outer ring",
    );
    refused(&point("[[],3]"), 3, "coordinates in uneven brackets");
    refused(&point("3"), 3, "feature 2 has coordinates that are no list");
    refused(&point("[[[[[1,2]]]]]"), 3, "too many brackets");
    refused(&point("[],\"coordinates\":[]"), 3, "two contents");
    refused(
        "{\"type\":\"LineString\",\"coordinates\":[[1,2]]}",
        1,
        "a line of 1 positions",
    );
    refused(
        "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Point\"}]}",
        1,
        "expected \"Feature\"",
    );
}

#[test]
fn an_object_has_one_content() {
    let line = "{\"type\":\"LineString\",\"coordinates\":[[5,5],[9,9]]}";
    let feature = format!("{{\"type\":\"Feature\",\"geometry\":{line}}}");
    let with = |kind: &str, more: &str| format!("{{\"type\":\"{kind}\",{more}}}");
    let coordinates = "\"coordinates\":[[0,0],[4,4]]";
    for (text, reason) in [
        (
            with("LineString", &format!("{coordinates},\"geometry\":{line}")),
            "feature 1 has an object with two contents",
        ),
        (
            with(
                "FeatureCollection",
                &format!("{coordinates},\"features\":[{feature}]"),
            ),
            "two contents",
        ),
        (
            with("Feature", &format!("\"geometry\":{line},\"geometry\":null")),
            "two contents",
        ),
        (
            with("Feature", coordinates),
            "a Feature with a content that is no `geometry`",
        ),
        (
            with("LineString", &format!("\"geometries\":[{line}]")),
            "the LineString of feature 1 has no `coordinates`",
        ),
    ] {
        refused(&text, 1, reason);
    }
}

#[test]
fn nesting_without_end_exhausts_no_stack() {
    let deep = 1_000_000;
    refused(
        &format!("{{\"type\":\"Point\",\"coordinates\":{}", "[".repeat(deep)),
        1,
        "recursion limit",
    );
    refused(&"{\"geometries\":[".repeat(deep), 1, "recursion limit");
    let skipped = format!(
        "{{\"type\":\"Point\",\"coordinates\":[1,2],\"foreign\":{}1{}}}",
        "[".repeat(deep),
        "]".repeat(deep)
    );
    assert_eq!(geometry(&skipped).shapes.len(), 1);
}

#[test]
fn any_cut_of_a_text_is_refused() {
    let text = format!(
        r#"{{"type":"Feature","geometry":{{"type":"Polygon","coordinates":[{SQUARE},{HOLE}]}}}}"#
    );
    for end in 0..text.len() {
        assert!(parse(&text.as_bytes()[..end]).is_err(), "{end} bytes");
    }
}

#[test]
fn other_formats_are_named_with_the_command_that_turns_them() {
    let command = "ogr2ogr -f GeoJSON out.geojson IN";
    let feature = r#"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]}}"#;
    let esri = r#"{"geometryType":"esriGeometryPolyline","features":[{"attributes":{},"geometry":{"paths":[[[1,2],[3,4]]]}}]}"#;
    let check = |text: &[u8], names: &str, remedy: &str| {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(names), "{error}, expected {names}");
        assert!(error.contains(remedy), "{error}, expected {remedy}");
        assert!(!error.contains("column 0"), "{error}");
    };
    check(
        format!("{feature}\n{feature}\n").as_bytes(),
        "GeoJSONSeq, JSON lines",
        command,
    );
    check(
        format!("\u{1e}{feature}\n").as_bytes(),
        "GeoJSON text sequence",
        command,
    );
    check(br#"{"type":"Topology","arcs":[]}"#, "TopoJSON", command);
    check(esri.as_bytes(), "without `type`", command);
    check(esri.as_bytes(), "Esri JSON", command);
    check(b"{}", "without `type`", command);
    for number in ["NaN", "-NaN", "Infinity", "-Infinity", "inf", "-inf"] {
        let text = feature.replace("1", number);
        check(text.as_bytes(), "NaN and Infinity are no JSON", command);
        let text =
            format!(r#"{{"type":"Feature","properties":{{"a":[{number}]}},"geometry":null}}"#);
        check(text.as_bytes(), "NaN and Infinity are no JSON", command);
    }
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let text: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(order).collect();
        check(&text, "UTF-16", "iconv -f UTF-16");
    }
    check(b"\n", "line 2, column 1", "EOF");
}

#[test]
fn empty_parts_are_counted_and_left_out() {
    let check = |kind: &str, coordinates: &str, n_empty: u32, n_shapes: usize| {
        let found = geometry(&format!(
            r#"{{"type":"{kind}","coordinates":{coordinates}}}"#
        ));
        assert_eq!(found.empty, Some((1, n_empty)), "{coordinates}");
        assert_eq!(found.n_shapes, n_shapes, "{coordinates}");
        assert_eq!(found.shapes.len(), n_shapes, "{coordinates}");
    };
    let line = "[[0,0],[1,1]]";
    check("Polygon", "[]", 1, 0);
    check("Polygon", "[[]]", 1, 0);
    check("Polygon", &format!("[{SQUARE},[]]"), 1, 1);
    check("MultiPolygon", &format!("[[{SQUARE}],[],[[]]]"), 2, 1);
    check("MultiPolygon", &format!("[[],[{SQUARE}]]"), 1, 1);
    check(
        "MultiLineString",
        &format!("[[],{line},[],{line},[]]"),
        3,
        2,
    );
    check("MultiPoint", "[[],[1,2]]", 1, 1);
}

#[test]
fn an_altitude_may_be_null() {
    let found = geometry(r#"{"type":"LineString","coordinates":[[1,2,null],[3,4,null,5]]}"#);
    assert_eq!(found.positions, [[1.0, 2.0], [3.0, 4.0]]);
}

#[test]
fn points_in_a_row_are_one_shape() {
    let point = |x: u32| {
        format!(r#"{{"type":"Feature","geometry":{{"type":"Point","coordinates":[{x},0]}}}}"#)
    };
    let line = r#"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[8,0],[9,0]]}}"#;
    let found = geometry(&format!(
        r#"{{"type":"FeatureCollection","features":[{},{},{line},{}]}}"#,
        point(1),
        point(2),
        point(3)
    ));
    assert_eq!(found.n_shapes, 4);
    let features: Vec<_> = found.shapes.iter().map(|s| (s.kind, s.feature)).collect();
    let (point, line) = (ShapeKind::Point, ShapeKind::Line);
    assert_eq!(features, [(point, 1), (line, 3), (point, 4)]);
    assert_eq!(found.path_ends, [2, 4, 5]);
}

#[test]
fn no_more_of_a_crs_is_kept_than_is_shown() {
    let crs = |text: &str| {
        let text = format!(r#"{{"crs":{text},"type":"Point","coordinates":[1,2]}}"#);
        geometry(&text).crs
    };
    let other = |name: &str| Some(Crs::Other(name.into()));
    let long = "x".repeat(1_000_000);
    let name = |name: &str| format!(r#"{{"type":"name","properties":{{"name":"{name}"}}}}"#);
    assert_eq!(crs("null"), None);
    assert_eq!(crs(&name(&long)), other(&long[..80]));
    assert_eq!(crs(&format!("\"{long}\"")), other(&long[..80]));
    assert_eq!(crs(&name("ESRI:102003")), other("ESRI:102003"));
    assert_eq!(crs(&name("EPSG:32633+5773")), Some(Crs::Epsg(32633)));
    let legacy = r#"{"type":"EPSG","properties":{"code":32632}}"#;
    assert_eq!(crs(legacy), Some(Crs::Epsg(32632)));
    let text = r#"{"type":"EPSG","properties":{"code":"32632"}}"#;
    assert_eq!(crs(text), Some(Crs::Epsg(32632)));
    let link =
        r#"{"type":"link","properties":{"href":"http://example.com/crs/42","type":"proj4"}}"#;
    assert_eq!(crs(link), other("http://example.com/crs/42"));
    for odd in [
        "7.5",
        "-1",
        "true",
        "{}",
        "[[[1]],{}]",
        r#"{"properties":[]}"#,
    ] {
        assert_eq!(crs(odd), other(""), "{odd}");
    }
    let many = format!("[{}0]", "0,".repeat(1_000_000));
    assert_eq!(crs(&many), other(""));
}
