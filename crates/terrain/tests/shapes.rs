//! Coverage of shapes against a slow twin that measures every segment from every pixel.

#![allow(clippy::unwrap_used)]

use ecotone_grid::{PixelSize, Raster, Rect};
use ecotone_terrain::{Canvas, Point, ShapeScratch, Stroke, fill, pixels_near, stroke};
use proptest::prelude::*;

const PIXEL: PixelSize = PixelSize { x: 1.5, y: 0.75 };
const MAP: Rect = Rect::new(0, 0, 40, 37);

fn centre(x: i64, y: i64) -> Point {
    [(x as f64 + 0.5) * PIXEL.x, (y as f64 + 0.5) * PIXEL.y]
}

fn distance_to_segment(p: Point, a: Point, b: Point) -> f64 {
    let run = [b[0] - a[0], b[1] - a[1]];
    let length = run[0].hypot(run[1]);
    let to = |q: Point| (p[0] - q[0]).hypot(p[1] - q[1]);
    if length == 0.0 {
        return to(a);
    }
    let along = ((p[0] - a[0]) * run[0] + (p[1] - a[1]) * run[1]) / length;
    if along <= 0.0 {
        to(a)
    } else if along >= length {
        to(b)
    } else {
        (((p[0] - a[0]) * run[1] - (p[1] - a[1]) * run[0]) / length).abs()
    }
}

fn distance(p: Point, paths: &[Vec<Point>]) -> f64 {
    let of_path = |path: &Vec<Point>| {
        let first = distance_to_segment(p, path[0], path[0]);
        let ends = path.windows(2);
        ends.fold(first, |d, ends| {
            d.min(distance_to_segment(p, ends[0], ends[1]))
        })
    };
    paths.iter().map(of_path).fold(f64::INFINITY, f64::min)
}

/// Even-odd, by the angles of a ray to the east.
fn is_inside(p: Point, rings: &[Vec<Point>]) -> bool {
    let edges = rings.iter().flat_map(|ring| ring.windows(2));
    let crossed = edges.filter(|ends| {
        let (a, b) = (ends[0], ends[1]);
        (a[1] > p[1]) != (b[1] > p[1])
            && p[0] < (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1]) + a[0]
    });
    crossed.count() % 2 == 1
}

fn ramp(depth: f64, feather: f64) -> f64 {
    if feather == 0.0 {
        f64::from(u8::from(depth >= 0.0))
    } else {
        (0.5 + depth / feather).clamp(0.0, 1.0)
    }
}

fn slow_stroke(paths: &[Vec<Point>], how: &Stroke, p: Point) -> f64 {
    ramp(how.radius_m - distance(p, paths), how.feather_m)
}

fn slow_fill(rings: &[Vec<Point>], feather: f64, p: Point) -> f64 {
    let inside = is_inside(p, rings);
    if feather == 0.0 {
        return f64::from(u8::from(inside));
    }
    let distance = distance(p, rings);
    ramp(if inside { distance } else { -distance }, feather)
}

/// What is drawn, in this test file's words.
#[derive(Clone, Debug)]
enum Drawing {
    Lines(Vec<Vec<Point>>, Stroke),
    Polygon(Vec<Vec<Point>>, f64),
}

impl Drawing {
    fn slow(&self, p: Point) -> f64 {
        match self {
            Self::Lines(paths, how) => slow_stroke(paths, how, p),
            Self::Polygon(rings, feather) => slow_fill(rings, *feather, p),
        }
    }

    /// Draws all drawings over a window, with one scratch.
    fn draw(all: &[Self], rect: Rect, scratch: &mut ShapeScratch) -> Raster<f32> {
        let mut out = Raster::new(rect, 2, 0.0);
        let mut canvas = Canvas {
            pixel: PIXEL,
            out: &mut out,
            band: 1,
            scratch,
        };
        for drawing in all {
            match drawing {
                Self::Lines(paths, how) => {
                    stroke(paths.iter().map(Vec::as_slice), how, &mut canvas);
                }
                Self::Polygon(rings, feather) => {
                    let all: Vec<Point> = rings.iter().flatten().copied().collect();
                    let on = |axis: usize| all.iter().map(move |p| p[axis]);
                    let bounds = [
                        on(0).fold(f64::INFINITY, f64::min),
                        on(1).fold(f64::INFINITY, f64::min),
                        on(0).fold(f64::NEG_INFINITY, f64::max),
                        on(1).fold(f64::NEG_INFINITY, f64::max),
                    ];
                    let window = pixels_near(bounds, 0.5 * feather, PIXEL);
                    fill(
                        rings.iter().map(Vec::as_slice),
                        *feather,
                        window,
                        &mut canvas,
                    );
                }
            }
        }
        assert!(
            out.band(0).pixels().iter().all(|&c| c == 0.0),
            "another band"
        );
        out
    }
}

#[track_caller]
fn check(all: &[Drawing]) {
    let mut scratch = ShapeScratch::default();
    let whole = Drawing::draw(all, MAP, &mut scratch);
    for y in MAP.y0..MAP.y1 {
        for x in MAP.x0..MAP.x1 {
            let slow = all.iter().map(|one| one.slow(centre(x, y)));
            let slow = slow.fold(0.0, f64::max);
            let found = f64::from(whole.band(1).at(x, y));
            assert!(
                (found - slow).abs() < 1e-6,
                "({x}, {y}): {found}, wanted {slow}"
            );
        }
    }
    for (width, height) in [(7, 11), (13, 3), (40, 1), (1, 37)] {
        for y0 in (MAP.y0..MAP.y1).step_by(height) {
            for x0 in (MAP.x0..MAP.x1).step_by(width) {
                let rect = Rect::new(x0, y0, x0 + width as i64, y0 + height as i64);
                let part = Drawing::draw(all, rect.intersect(&MAP), &mut scratch);
                for (y, x) in
                    (y0..part.rect().y1).flat_map(|y| (x0..part.rect().x1).map(move |x| (y, x)))
                {
                    let (cut, whole) = (part.band(1).at(x, y), whole.band(1).at(x, y));
                    assert_eq!(cut.to_bits(), whole.to_bits(), "({x}, {y}) in {rect:?}");
                }
            }
        }
    }
}

fn road(radius_m: f64, feather_m: f64) -> Stroke {
    Stroke {
        radius_m,
        feather_m,
    }
}

fn square(x: f64, y: f64, side: f64) -> Vec<Point> {
    vec![
        [x, y],
        [x + side, y],
        [x + side, y + side],
        [x, y + side],
        [x, y],
    ]
}

fn polygon(rings: &[Vec<Point>]) {
    for feather in [0.0, 2.0, 9.0] {
        check(&[Drawing::Polygon(rings.to_vec(), feather)]);
    }
}

#[test]
fn a_road_has_round_ends_and_a_ramp_on_its_border() {
    // Along y = 10.125, the centres of row 13; the ramp is ½ where d = 3.
    let lines = vec![vec![[15.0, 10.125], [40.0, 10.125]]];
    let drawing = Drawing::Lines(lines.clone(), road(3.0, 3.0));
    let out = Drawing::draw(
        std::slice::from_ref(&drawing),
        MAP,
        &mut ShapeScratch::default(),
    );
    let at = |x: i64, y: i64| out.band(1).at(x, y);
    assert_eq!(at(15, 13), 1.0);
    assert_eq!(at(15, 13 + 4), 0.5, "3 m to the south");
    assert_eq!(at(15, 13 + 5), 0.25, "3.75 m to the south");
    assert_eq!(at(15, 13 + 6), 0.0, "4.5 m to the south");
    // Column 7 has its centre at 11.25: 3.75 m beyond the western end.
    assert_eq!(at(7, 13), 0.25);
    check(&[drawing, Drawing::Lines(lines, road(0.0, 0.0))]);
}

#[test]
fn a_hard_line_takes_the_centres_on_its_border() {
    let lines = vec![vec![[-100.0, 10.125], [100.0, 10.125]]];
    let drawing = Drawing::Lines(lines, road(1.5, 0.0));
    let out = Drawing::draw(&[drawing], MAP, &mut ShapeScratch::default());
    let column: Vec<f32> = (9..18).map(|y| out.band(1).at(20, y)).collect();
    assert_eq!(column, [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
}

#[test]
fn points_are_discs_and_the_largest_coverage_counts() {
    let points = vec![vec![[10.0, 9.0]], vec![[14.0, 9.0]], vec![[58.0, 27.0]]];
    check(&[
        Drawing::Lines(points, road(4.0, 3.0)),
        Drawing::Polygon(vec![square(10.0, 8.0, 20.0)], 4.0),
    ]);
}

#[test]
fn repeated_and_collinear_corners_change_nothing() {
    let plain = vec![vec![[5.0, 5.0], [30.0, 20.0], [30.0, 5.0]]];
    let odd = vec![vec![
        [5.0, 5.0],
        [5.0, 5.0],
        [17.5, 12.5],
        [30.0, 20.0],
        [30.0, 20.0],
        [30.0, 10.0],
        [30.0, 15.0],
        [30.0, 5.0],
    ]];
    let draw = |lines| Drawing::Lines(lines, road(2.0, 1.0));
    check(&[draw(odd.clone())]);
    let [a, b] =
        [plain, odd].map(|lines| Drawing::draw(&[draw(lines)], MAP, &mut ShapeScratch::default()));
    for (a, b) in a.pixels().iter().zip(b.pixels()) {
        assert!((a - b).abs() < 1e-6);
    }
    check(&[draw(vec![vec![[9.0, 9.0], [9.0, 9.0]]])]);
}

#[test]
fn a_hole_is_outside() {
    polygon(&[square(6.0, 3.0, 20.0), square(12.0, 9.0, 7.0)]);
}

#[test]
fn rings_that_touch_or_cross_themselves_are_even_odd() {
    let bow_tie = vec![
        [5.0, 4.0],
        [45.0, 22.0],
        [45.0, 4.0],
        [5.0, 22.0],
        [5.0, 4.0],
    ];
    polygon(&[bow_tie]);
    let touching = vec![
        [5.0, 4.0],
        [25.0, 4.0],
        [25.0, 24.0],
        [15.0, 4.0],
        [5.0, 24.0],
        [5.0, 4.0],
    ];
    polygon(&[touching]);
    // Twice around the same square is outside.
    let mut twice = square(9.0, 6.0, 12.0);
    twice.extend(square(9.0, 6.0, 12.0));
    polygon(&[twice]);
}

#[test]
fn rings_may_reach_over_the_border_and_around_the_map() {
    polygon(&[square(-30.0, -10.0, 50.0)]);
    polygon(&[square(-500.0, -500.0, 2000.0)]);
    polygon(&[square(-500.0, -500.0, 2000.0), square(20.0, 10.0, 6.0)]);
    polygon(&[vec![[-1e9, -1e9], [1e9, -0.9e9], [0.0, 1e9], [-1e9, -1e9]]]);
}

#[test]
fn corners_and_borders_on_centres_follow_the_half_open_rule() {
    // From a centre to a centre: the western and the northern border are inside, the others not.
    let ring = vec![
        [6.75, 3.375],
        [15.75, 3.375],
        [15.75, 9.375],
        [6.75, 9.375],
        [6.75, 3.375],
    ];
    let drawing = Drawing::Polygon(vec![ring.clone()], 0.0);
    let out = Drawing::draw(&[drawing], MAP, &mut ShapeScratch::default());
    let inside = |x: i64, y: i64| out.band(1).at(x, y) == 1.0;
    assert!(inside(4, 4) && inside(9, 4) && inside(4, 11));
    assert!(!inside(10, 4) && !inside(4, 12) && !inside(3, 4) && !inside(4, 3));
    polygon(&[ring]);
}

#[test]
fn the_direction_and_the_start_of_a_ring_do_not_change_a_bit() {
    let ring = [[6.1, 3.3], [31.7, 5.9], [44.4, 19.2], [20.2, 25.1]];
    let mut closed: Vec<Vec<Point>> = (0..4)
        .map(|from| (0..5).map(|k| ring[(from + k) % 4]).collect())
        .collect();
    let turned: Vec<Point> = closed[0].iter().rev().copied().collect();
    closed.push(turned);
    let drawn = closed.into_iter().map(|ring| {
        let drawing = Drawing::Polygon(vec![ring], 3.0);
        Drawing::draw(&[drawing], MAP, &mut ShapeScratch::default())
    });
    let drawn: Vec<_> = drawn.collect();
    assert!(drawn.windows(2).all(|pair| pair[0] == pair[1]));
}

fn corner() -> impl Strategy<Value = Point> {
    // On whole and half metres corners meet centres, borders and each other.
    let axis = |hi: i32| {
        prop_oneof![
            (-10.0..f64::from(hi)),
            (-40..4 * hi).prop_map(|v| f64::from(v) / 4.0)
        ]
    };
    (axis(70), axis(40)).prop_map(|(x, y)| [x, y])
}

fn width() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.1..8.0]
}

fn drawing() -> impl Strategy<Value = Drawing> {
    let path = |n: std::ops::Range<usize>| prop::collection::vec(corner(), n);
    let lines = (
        prop::collection::vec(path(1..7), 1..4),
        0.3..5.0,
        0.1..8.0_f64,
    )
        .prop_map(|(lines, r, f)| Drawing::Lines(lines, road(r, f)));
    let rings = prop::collection::vec(path(3..8), 1..4).prop_map(|mut rings| {
        for ring in &mut rings {
            ring.push(ring[0]);
        }
        rings
    });
    let polygon = (rings, width()).prop_map(|(rings, f)| Drawing::Polygon(rings, f));
    prop_oneof![lines, polygon]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_drawings_are_those_of_the_slow_twin_from_any_window(all in prop::collection::vec(drawing(), 1..4)) {
        check(&all);
    }
}
