//! Distance fields against their definition, spelled out pixel by pixel, and against themselves from other windows.
#![allow(clippy::unwrap_used)]

use ecotone_grid::{PixelSize, Raster, Rect, mix};
use ecotone_sdf::*;
use proptest::prelude::*;

const SQUARE: PixelSize = PixelSize { x: 1.0, y: 1.0 };

/// A map of classes, one letter a pixel: `#` in, `.` out, blank void.
fn map(rows: &[&str]) -> Raster<Class> {
    let class = |c| match c {
        b'#' => Class::In,
        b'.' => Class::Out,
        _ => Class::Void,
    };
    let rect = Rect::new(0, 0, rows[0].len() as i64, rows.len() as i64);
    Raster::from_pixels(
        rect,
        1,
        rows.iter().flat_map(|row| row.bytes().map(class)).collect(),
    )
}

/// The part of the field over `core`, from a window that reaches just far enough.
fn field(map: &Raster<Class>, core: Rect, bound: &Bound) -> Raster<i16> {
    let mut window = Raster::new(core.grow(bound.reach()), 1, Class::Void);
    window.paste(0, map.band(0));
    // Leftovers of other work in the scratch must not show.
    let mut scratch = Scratch::default();
    let mut out = Raster::new(core, 1, 77);
    for _ in 0..2 {
        distance(window.band(0), bound, &mut scratch, out.band_mut(0));
    }
    out
}

fn tiled(map: &Raster<Class>, side: i64, bound: &Bound) -> Raster<i16> {
    let all = map.rect();
    let mut out = Raster::new(all, 1, 77);
    for y in (all.y0..all.y1).step_by(side as usize) {
        for x in (all.x0..all.x1).step_by(side as usize) {
            let core = Rect::new(x, y, x + side, y + side).intersect(&all);
            out.paste(0, field(map, core, bound).band(0));
        }
    }
    out
}

/// Edges and distances by definition: metres, NaN on voids.
fn twin(map: &Raster<Class>, pixel: PixelSize, max_m: f64) -> Vec<f64> {
    let rect = map.rect();
    let class = |x, y| {
        if rect.contains(x, y) {
            map.band(0).at(x, y)
        } else {
            Class::Void
        }
    };
    let pixels: Vec<_> = (rect.y0..rect.y1)
        .flat_map(|y| (rect.x0..rect.x1).map(move |x| (x, y)))
        .collect();
    let is_edge = |&(x, y): &(i64, i64)| {
        let around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)];
        class(x, y) == Class::In && around.iter().any(|&(x, y)| class(x, y) == Class::Out)
    };
    let edges: Vec<_> = pixels.iter().copied().filter(is_edge).collect();
    let metres = |(x, y): (i64, i64)| {
        let to = |&(u, v): &(i64, i64)| ((x - u) as f64 * pixel.x).hypot((y - v) as f64 * pixel.y);
        let d = edges.iter().map(to).fold(max_m, f64::min);
        match class(x, y) {
            Class::Void => f64::NAN,
            Class::Out => d,
            Class::In => -d,
        }
    };
    pixels.into_iter().map(metres).collect()
}

#[track_caller]
fn check(map: &Raster<Class>, pixel: PixelSize, max_m: f64) {
    let bound = Bound::new(pixel, max_m);
    let whole = field(map, map.rect(), &bound);
    for (i, (&stored, right)) in whole
        .pixels()
        .iter()
        .zip(twin(map, pixel, max_m))
        .enumerate()
    {
        if right.is_nan() {
            assert_eq!(stored, VOID, "pixel {i}");
            continue;
        }
        // Half a unit of rounding, and what is left of the ratio of the sides.
        let error = (f64::from(stored) - right / bound.scale()).abs();
        assert!(error <= 0.52, "pixel {i}: {stored} is not {right} m");
        assert!(
            stored.unsigned_abs() < 32767 || right.abs() > max_m - bound.scale(),
            "pixel {i}"
        );
    }
    for side in [1, 3, 8] {
        assert_eq!(tiled(map, side, &bound), whole, "tiles of {side}");
    }
}

/// Patches: a checkerboard of random classes, coarse or fine.
fn random_map(seed: u64, width: i64, height: i64, grain: i64, voids: u64) -> Raster<Class> {
    let draw = |x: i64, y: i64, purpose: u64| {
        mix(seed ^ mix(x as u64 ^ mix(y as u64 ^ purpose << 32))) % 100
    };
    let class = |x: i64, y: i64| {
        if draw(x / 2, y / 2, 1) < voids {
            Class::Void
        } else if draw(x / grain, y / grain, 2) < 35 {
            Class::In
        } else {
            Class::Out
        }
    };
    let pixels = (0..height)
        .flat_map(|y| (0..width).map(move |x| class(x, y)))
        .collect();
    Raster::from_pixels(Rect::new(0, 0, width, height), 1, pixels)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_map_is_its_brute_force_twin(
        seed: u64,
        size in (1_i64..26, 1_i64..26),
        grain in 1_i64..9,
        voids in prop::sample::select(vec![0, 5, 40, 95]),
        pixel in prop::sample::select(vec![(1.0, 1.0), (5.0, 3.0), (0.3, 0.3), (2.0, 7.5), (100.0, 0.5)]),
        reach in 0.3_f64..40.0,
    ) {
        let map = random_map(seed, size.0, size.1, grain, voids);
        check(&map, PixelSize { x: pixel.0, y: pixel.1 }, reach * pixel.1);
    }
}

#[test]
fn a_plane_without_edges_is_at_the_bound() {
    let bound = Bound::new(SQUARE, 5.0);
    for (row, right) in [
        ("####", -32767),
        ("....", 32767),
        ("    ", VOID),
        ("# ##", -32767),
    ] {
        let map = map(&[row, row, row]);
        let field = field(&map, map.rect(), &bound);
        for (&stored, class) in field.pixels().iter().zip(map.pixels()) {
            assert_eq!(
                stored,
                if *class == Class::Void { VOID } else { right },
                "{row}"
            );
        }
    }
}

#[test]
fn a_step_counts_from_its_inner_side() {
    let map = map(&["....##..", "....##.."]);
    let bound = Bound::new(PixelSize { x: 2.0, y: 2.0 }, 6.0);
    let metres: Vec<_> = field(&map, map.rect(), &bound).pixels()[..8]
        .iter()
        .map(|&d| (f64::from(d) * bound.scale() * 100.0).round() / 100.0)
        .collect();
    assert_eq!(metres, [6.0, 6.0, 4.0, 2.0, 0.0, 0.0, 2.0, 4.0]);
}

#[test]
fn a_void_makes_no_edge() {
    let map = map(&["# .", " # ", "# ."]);
    let bound = Bound::new(SQUARE, 4.0);
    let field = field(&map, map.rect(), &bound);
    assert_eq!(
        field.pixels(),
        [-32767, VOID, 32767, VOID, -32767, VOID, -32767, VOID, 32767]
    );
}

#[test]
fn padding_with_voids_changes_nothing() {
    let small = random_map(7, 19, 13, 3, 20);
    let mut padded = Raster::new(Rect::new(-30, -9, 40, 22), 1, Class::Void);
    padded.paste(0, small.band(0));
    let bound = Bound::new(PixelSize { x: 1.0, y: 2.0 }, 9.0);
    let mut inner = Raster::new(small.rect(), 1, 0);
    inner.paste(0, field(&padded, padded.rect(), &bound).band(0));
    assert_eq!(inner, field(&small, small.rect(), &bound));
}

#[test]
fn a_target_just_over_a_tile_border_is_found() {
    // Report xarray-spatial#2809: one target at column 31, row 32 of 64 × 64, distances up to 20.
    let mut map = Raster::new(Rect::new(0, 0, 64, 64), 1, Class::Out);
    map.row_mut(0, 32)[31] = Class::In;
    let bound = Bound::new(SQUARE, 20.0);
    for side in [8, 16, 64] {
        let field = tiled(&map, side, &bound);
        for y in 0..64 {
            for x in 0..64 {
                let d = (((x - 31) * (x - 31) + (y - 32) * (y - 32)) as f64)
                    .sqrt()
                    .min(20.0);
                let right = (d / bound.scale()).round() as i16;
                assert_eq!(field.band(0).at(x, y), right, "{x} {y}, tiles of {side}");
            }
        }
    }
}

#[test]
fn a_bound_of_nothing_is_zero_everywhere() {
    for row in ["#. ", "## ", ".. "] {
        let map = map(&[row]);
        let field = field(&map, map.rect(), &Bound::new(SQUARE, 0.0));
        assert_eq!(field.pixels(), [0, 0, VOID], "{row}");
    }
}

#[test]
fn the_largest_bound_reaches_as_far_as_it_says() {
    // Pixels so wide that the window stays a strip.
    let pixel = PixelSize { x: 32768.0, y: 1.0 };
    let bound = Bound::new(pixel, 1e9);
    assert_eq!((bound.reach().x, bound.reach().y), (2, 32769));
    let mut map = Raster::new(Rect::new(0, 0, 3, 40_000), 1, Class::Out);
    map.row_mut(0, 5)[1] = Class::In;
    let stored = |x, y| field(&map, Rect::new(x, y, x + 1, y + 1), &bound).pixels()[0];
    assert_eq!(stored(1, 5), 0);
    assert_eq!(stored(1, 5 + 16_384), 16_384);
    assert_eq!(stored(1, 5 + 32_768), 32_767);
    assert_eq!(stored(1, 39_999), 32_767);
    assert_eq!(stored(0, 5), 32_767);
}

#[test]
fn classes_follow_the_stored_weight() {
    let weights = Raster::from_pixels(
        Rect::new(4, 9, 8, 10),
        2,
        vec![128, 127, 0, 0, 127, 128, 255, 0],
    );
    let (mut void, mut class) = (Raster::default(), Raster::default());
    write_voids(&weights, &mut void);
    assert_eq!(void.pixels(), [false, false, false, true]);
    classes(weights.band(0), void.band(0), threshold_u8(0.5), &mut class);
    assert_eq!(class.rect(), weights.rect());
    assert_eq!(
        class.pixels(),
        [Class::In, Class::Out, Class::Out, Class::Void]
    );
    classes(weights.band(1), void.band(0), 0, &mut class);
    assert_eq!(
        class.pixels(),
        [Class::In, Class::In, Class::In, Class::Void]
    );
}

#[test]
fn a_threshold_is_rounded_up() {
    for (t, right) in [
        (0.0, 0),
        (0.5, 128),
        (0.2, 51),
        (0.6, 153),
        (0.601, 154),
        (1.0, 255),
        (7.0 / 255.0, 7),
    ] {
        assert_eq!(threshold_u8(t), right, "{t}");
    }
}
