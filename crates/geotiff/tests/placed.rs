//! Where files lie in the world.

#![allow(clippy::unwrap_used)]

mod writer;

use ecotone_geotiff::Source;
use ecotone_grid::{Raster, Rect};
use writer::{Tiff, Value, open};

fn heights(source: &Source, rect: Rect, band: usize) -> Vec<f64> {
    let mut out = Raster::default();
    source.read(rect, band, &mut out).unwrap();
    assert_eq!((out.rect(), out.n_bands()), (rect, 1));
    out.pixels().to_vec()
}

fn all(source: &Source) -> Vec<f64> {
    heights(source, source.rect(), 0)
}

#[test]
fn a_south_up_file_is_turned() {
    let tiff = Tiff::new(2, 3, (3, 32)).tag(
        34264,
        Value::Doubles(vec![
            10.0, 0.0, 0.0, 500.0, 0.0, 10.0, 0.0, 1000.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ]),
    );
    let source = open(&tiff, |_, x, y| (x + 10 * y) as f64);
    let place = source.georeference().unwrap().unwrap();
    assert!(place.south_up);
    assert_eq!((place.transform.x0, place.transform.y0), (500.0, 1030.0));
    assert_eq!(all(&source), [20.0, 21.0, 10.0, 11.0, 0.0, 1.0]);
    assert_eq!(heights(&source, Rect::new(1, 0, 2, 2), 0), [21.0, 11.0]);
    assert_eq!(source.read_all::<f32>().unwrap().band(0).at(0, 0), 20.0);
    let mut streamed = Vec::new();
    source
        .rows_as_f32(|piece| streamed.extend_from_slice(piece))
        .unwrap();
    assert_eq!(
        streamed,
        [0.0, 1.0, 10.0, 11.0, 20.0, 21.0],
        "in file order"
    );
}

#[test]
fn point_and_area_differ_by_half_a_pixel() {
    let place = |raster_type: u16| {
        let keys = vec![1, 1, 0, 2, 1024, 0, 1, 1, 1025, 0, 1, raster_type];
        let tiff = Tiff::new(4, 4, (1, 8))
            .placed((10.0, 20.0), (1000.0, 2000.0))
            .tag(34735, Value::Shorts(keys));
        let place = open(&tiff, |_, _, _| 0.0).georeference().unwrap().unwrap();
        (place.transform.x0, place.transform.y0)
    };
    assert_eq!(place(1), (1000.0, 2000.0));
    assert_eq!(place(2), (995.0, 2010.0));
}

#[test]
fn a_far_origin_keeps_its_last_digit() {
    let tiff = Tiff::new(1, 1, (1, 8)).placed((0.125, 0.125), (16_777_217.062_5, -9_999_999.937_5));
    let transform = open(&tiff, |_, _, _| 0.0)
        .georeference()
        .unwrap()
        .unwrap()
        .transform;
    assert_eq!(
        (transform.x0, transform.y0),
        (16_777_217.062_5, -9_999_999.937_5)
    );
}

#[test]
fn a_tie_point_may_lie_anywhere() {
    let tiff = Tiff::new(4, 4, (1, 8))
        .tag(33550, Value::Doubles(vec![10.0, 20.0, 0.0]))
        .tag(
            33922,
            Value::Doubles(vec![2.0, 3.0, 0.0, 1020.0, 1940.0, 0.0]),
        );
    let transform = open(&tiff, |_, _, _| 0.0)
        .georeference()
        .unwrap()
        .unwrap()
        .transform;
    assert_eq!((transform.x0, transform.y0), (1000.0, 2000.0));
}

#[test]
fn a_rotated_file_reads_but_has_no_place() {
    let tiff = Tiff::new(2, 1, (1, 8)).tag(
        34264,
        Value::Doubles(vec![
            4.0, 3.0, 0.0, 500.0, 3.0, -4.0, 0.0, 1000.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ]),
    );
    let source = open(&tiff, |_, x, _| x as f64);
    assert_eq!(all(&source), [0.0, 1.0]);
    let error = source.georeference().unwrap_err();
    assert_eq!(error.kind(), "placement");
    assert!(error.to_string().contains("gdalwarp"), "{error}");
}

#[test]
fn control_points_and_keys_alone_place_no_grid() {
    let points = [
        0.0, 0.0, 0.0, 10.0, 50.0, 0.0, 3.0, 3.0, 0.0, 11.0, 49.0, 0.0,
    ];
    let keys = vec![1, 1, 0, 1, 1024, 0, 1, 2];
    let tiff = Tiff::new(4, 4, (1, 8))
        .tag(33922, Value::Doubles(points.to_vec()))
        .tag(34735, Value::Shorts(keys));
    let source = open(&tiff, |_, _, _| 0.0);
    assert_eq!(source.georeference().unwrap(), None);
    assert!(source.header().is_geographic());
}

#[test]
fn a_scale_without_a_tie_point_is_refused() {
    let tiff = Tiff::new(4, 4, (1, 8)).tag(33550, Value::Doubles(vec![10.0, 10.0, 0.0]));
    assert_eq!(
        open(&tiff, |_, _, _| 0.0)
            .georeference()
            .unwrap_err()
            .kind(),
        "placement"
    );
}
