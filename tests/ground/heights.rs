//! Heights are in metres, whatever a file's tags say they are in; where the config disagrees, that is said.

use super::*;

#[test]
fn a_range_that_is_given_is_compared() {
    let xml =
        "<GDALMetadata><Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.5</Item></GDALMetadata>";
    let scaled = metric(&[]).tag(42112, Value::Text(xml));
    let baked = bake(&scaled, "terrain.range = [-50, 1200]", |_, _| 0.5);
    baked.check_warning(&["terrain.range is [-50, 1200]", "0.5 m per raw unit"]);
}

#[test]
fn a_scale_that_is_given_is_used_recorded_and_compared() {
    let rules = "terrain.pixel_size = 'ground'\nterrain.scale = 0.3048";
    // 3.048 m over 15.4997 m.
    let silent = bake(&degrees(&[]), rules, |x, _| 10.0 * x as f64);
    check_slope(&silent, 11.126, 0.01);
    assert_eq!(silent.world().manifest().heights[0].scale, Some(0.3048));
    assert!(silent.warnings.is_empty(), "{:?}", silent.warnings);
    let metres = bake(&degrees(&[(4099, 9001)]), rules, |x, _| 10.0 * x as f64);
    check_slope(&metres, 11.126, 0.01);
    assert_eq!(metres.world().manifest().heights[0].scale, Some(0.3048));
    metres.check_warning(&["terrain.scale is 0.3048", "says 1 m per raw unit", "metre"]);
    let feet = bake(&degrees(&[(4096, 8228)]), rules, |x, _| 10.0 * x as f64);
    assert!(feet.warnings.is_empty(), "{:?}", feet.warnings);
}

#[test]
fn heights_in_feet_become_metres() {
    let survey = 1200.0 / 3937.0;
    let xml = "<GDALMetadata><Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">ft</Item></GDALMetadata>";
    for (tiff, metres, name) in [
        (metric(&[(4099, 9002)]), 0.3048, "foot"),
        (metric(&[(4099, 9003)]), survey, "US survey foot"),
        (metric(&[(4096, 6360)]), survey, "US survey foot"),
        (metric(&[]).tag(42112, Value::Text(xml)), 0.3048, "foot"),
    ] {
        let baked = bake(&tiff, "", |_, _| 10_000.0);
        baked.check_warning(&["heights in the unit", name, &metres.to_string()]);
        let positions = baked.positions();
        assert!(positions.len() > 500);
        for [_, _, z] in positions {
            assert!((z - 10_000.0 * metres).abs() <= 0.0005, "{z}");
        }
        let mut heights = Raster::default();
        let world = baked.world();
        world.heights(world.map(), &mut heights).unwrap();
        assert!(heights.pixels().iter().all(|&z| z == 10_000.0 * metres));
    }
    let given = bake(&metric(&[(4099, 9003)]), "terrain.scale = 1", |_, _| 500.0);
    given.check_warning(&["terrain.scale is 1", &survey.to_string()]);
    assert!(given.positions().iter().all(|p| p[2] == 500.0));
}

#[test]
fn scale_and_offset_tags_are_in_the_unit_of_the_heights() {
    let xml = "<GDALMetadata><Item name=\"OFFSET\" sample=\"0\" role=\"offset\">100</Item>\
               <Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.5</Item></GDALMetadata>";
    let feet = metric(&[(4099, 9002)]).tag(42112, Value::Text(xml));
    // (0.5 · 1000 + 100) ft.
    let baked = bake(&feet, "", |_, _| 1000.0);
    assert!(baked.positions().iter().all(|p| p[2] == 182.88));
    // (1000 · 2) m and 100 ft.
    let baked = bake(&feet, "terrain.scale = 2", |_, _| 1000.0);
    baked.check_warning(&["terrain.scale is 2", "0.1524"]);
    assert!(baked.positions().iter().all(|p| p[2] == 2030.48));
    let baked = bake(&feet, "terrain.offset = 7", |_, _| 1000.0);
    baked.check_warning(&["terrain.offset is 7 m", "30.48"]);
    assert!(
        baked
            .positions()
            .iter()
            .all(|p| (p[2] - 159.4).abs() < 0.0006)
    );
}

#[test]
fn a_nodata_value_that_is_given_is_compared() {
    let own = metric(&[]).tag(42113, Value::Text("-9999"));
    let baked = bake(&own, "terrain.nodata = 0", |x, _| x as f64);
    baked.check_warning(&["terrain.nodata is 0", "-9999"]);
    let same = bake(&own, "terrain.nodata = -9999", |x, _| x as f64);
    assert!(same.warnings.is_empty(), "{:?}", same.warnings);
    let silent = bake(&metric(&[]), "terrain.nodata = 0", |x, _| x as f64);
    assert!(silent.warnings.is_empty(), "{:?}", silent.warnings);
}

#[test]
fn heights_below_the_sea_keep_their_sign() {
    for big_endian in [false, true] {
        let mut below = Tiff::new(16, 16, (2, 16)).placed((1.0, 1.0), (0.0, 0.0));
        below.big_endian = big_endian;
        let baked = bake(&below, "", |_, _| -430.0);
        let positions = baked.positions();
        assert!(positions.len() > 20);
        assert!(positions.iter().all(|p| p[2] == -430.0));
    }
}
