//! Where the pixels of a file lie, and which of them are no ground.

use super::*;

#[test]
fn a_point_lies_half_a_pixel_from_where_an_area_would() {
    let twin = |raster_type: u16| {
        let keys = [(1024, 1), (1025, raster_type), (3072, 32633)];
        bake(&tiff((2.0, 4.0), (1000.0, 2000.0), &keys), "", hills)
    };
    let (area, point) = (twin(1), twin(2));
    assert_eq!(area.grid(), [1000.0, 2000.0, 2.0, 4.0]);
    assert_eq!(point.grid(), [999.0, 2002.0, 2.0, 4.0]);
    let rasters = |baked: &Baked| {
        let digests = baked.place.digests("out");
        (digests.weights, digests.sdf)
    };
    assert_eq!(rasters(&area), rasters(&point));
}

#[test]
fn a_south_up_file_makes_the_world_of_its_flipped_twin() {
    let pixel = |x, y| if is_void(x, y) { f64::NAN } else { hills(x, y) };
    let north_up = tiff((2.0, 3.0), (1000.0, 2000.0), &[]);
    // Row 0 is the southernmost; the south border lies 64 rows of 3 m under the north one.
    let matrix = vec![
        2.0, 0.0, 0.0, 1000.0, 0.0, 3.0, 0.0, 1808.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ];
    let south_up = Tiff::new(64, 64, (3, 32)).tag(34264, Value::Doubles(matrix));
    let north_up = bake(&north_up, "", pixel);
    let south_up = bake(&south_up, "", |x, y| pixel(x, 63 - y));
    assert_eq!(north_up.grid(), south_up.grid());
    assert_eq!(north_up.place.digests("out"), south_up.place.digests("out"));
    assert!(north_up.positions().len() > 1000);
}

#[test]
fn pixels_need_not_be_square() {
    let baked = bake(&tiff((5.0, 3.0), (0.0, 0.0), &[]), "", |x, y| {
        (x + y) as f64
    });
    // √(1/25 + 1/9) is the tangent of 21.243°.
    check_slope(&baked, 21.243, 0.001);
}

#[test]
fn far_from_the_origin_nothing_is_rounded() {
    let corner = (16_000_000.125, -9_000_000.375);
    let baked = bake(&tiff((0.25, 0.25), corner, &[]), "", |x, _| 0.25 * x as f64);
    assert_eq!(baked.grid(), [corner.0, corner.1, 0.25, 0.25]);
    let positions = baked.positions();
    assert!(positions.len() > 30);
    for [x, y, z] in positions {
        assert_eq!((x * 1024.0).fract(), 0.0);
        assert_eq!((y * 1024.0).fract(), 0.0);
        assert!(corner.0 < x && x < corner.0 + 16.0 && corner.1 - 16.0 < y && y < corner.1);
        // Heights rise with x from the first pixel's centre: a position off by a step of singles, 1 m, would show.
        assert!((z - (x - corner.0 - 0.125)).abs() <= 0.0006, "{x} {z}");
    }
}

#[test]
fn a_void_is_never_a_height() {
    let field = Tiff::new(9, 9, (3, 32))
        .placed((1.0, 1.0), (0.0, 0.0))
        .tag(42113, Value::Text("-9999"));
    let baked = bake(
        &field,
        "",
        |x, y| {
            if (x, y) == (4, 4) { -9999.0 } else { 100.0 }
        },
    );
    for (band, component) in [0.0, 0.0, 1.0].into_iter().enumerate() {
        let normals = baked.field("normals", band);
        assert!(normals[40].is_nan());
        let valid = normals.iter().enumerate().filter(|(k, _)| *k != 40);
        assert!(valid.clone().all(|(_, &n)| n == component), "{valid:?}");
    }
    let positions = baked.positions();
    assert!(positions.len() > 5);
    assert!(positions.iter().all(|p| p[2] == 100.0));
}

#[test]
fn void_corners_stay_empty() {
    let corner = |v: usize| !(3..13).contains(&v);
    let baked = bake(
        &Tiff::new(16, 16, (3, 32)).placed((1.0, 1.0), (0.0, 0.0)),
        "",
        |x, y| {
            if corner(x) && corner(y) {
                f64::NAN
            } else {
                50.0
            }
        },
    );
    let mut weights = Raster::default();
    let map = Rect::new(0, 0, 16, 16);
    baked.world().weights(map, &mut weights).unwrap();
    for (k, &weight) in weights.pixels().iter().enumerate() {
        let is_corner = corner(k % 16) && corner(k / 16);
        assert_eq!(weight, if is_corner { 0 } else { 255 }, "pixel {k}");
    }
    let positions = baked.positions();
    assert!(positions.len() > 20);
    for [x, y, z] in positions {
        assert!(!(corner(x as usize) && corner(-y as usize)), "({x}, {y})");
        assert_eq!(z, 50.0);
    }
}
