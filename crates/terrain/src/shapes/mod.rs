//! Coverage of vector shapes: how much of a pixel's centre lies under a line, a point or a polygon.
//!
//! For a pixel's centre p, with the feather f:
//!
//! - a **line** of width w at distance d: c = clamp(½ + (w/2 − d)/f, 0, 1); its ends are round;
//! - a **point** of radius r: the same with r for w/2;
//! - a **polygon**: c = clamp(½ + s/f, 0, 1), where s is the distance to the outline, positive inside. Inside is where a
//!   ray crosses the rings an odd number of times (even-odd), so the direction of a ring says nothing, a ring in a ring
//!   is a hole, and rings that touch or cross themselves have a meaning; the outline is every segment of every ring.
//!
//! So the ramp is `feather` wide and centred on the shape's own outline, where c = ½. With f = 0: 1 where d ≤ w/2, or
//! inside the polygon by the half-open rule of scanlines (a centre on a western or northern border is inside, on an
//! eastern or southern one it is not), else 0. Of several shapes the largest c counts.
//!
//! Everything is computed in f64 from the absolute index of the pixel and the segments' own coordinates; of distances
//! the least is kept, of crossings the parity, of coverages the largest. None of these depends on an order or on the
//! window, so any window gives the same bits. A segment is turned to a fixed direction first, so that the direction in
//! which a line was drawn does not change the last bit either.

mod lines;
mod parity;
mod scratch;

use ecotone_grid::{PixelSize, Raster, Rect};

pub use scratch::ShapeScratch;

use lines::Segment;

/// A place on the map, in metres east and south of its north-west corner.
pub type Point = [f64; 2];

/// The farthest a [`Point`] may lie from the map's corner on either axis: up to there a distance is true to 1e-6 m.
pub const FARTHEST_POINT_M: f64 = 1e9;

/// How a line or a point is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Half the width of a line, or the radius of a point, in metres; not negative.
    pub radius_m: f64,
    /// The width in metres of the ramp centred on the outline; 0 is a hard edge.
    pub feather_m: f64,
}

impl Stroke {
    /// How far from a line or a point there is coverage, in metres.
    pub fn reach_m(&self) -> f64 {
        self.radius_m + 0.5 * self.feather_m
    }

    fn coverage(&self, squared: f64) -> f64 {
        ramp(self.radius_m - squared.sqrt(), self.feather_m)
    }
}

/// The coverage of a centre that lies `depth` metres inside an outline.
fn ramp(depth: f64, feather: f64) -> f64 {
    if feather > 0.0 {
        (0.5 + depth / feather).clamp(0.0, 1.0)
    } else {
        f64::from(u8::from(depth >= 0.0))
    }
}

/// The pixels whose centres may lie within `reach_m` of a box of west, north, east and south in metres; a few more.
pub fn pixels_near([west, north, east, south]: [f64; 4], reach_m: f64, pixel: PixelSize) -> Rect {
    Rect {
        x0: ((west - reach_m) / pixel.x).floor() as i64 - 1,
        y0: ((north - reach_m) / pixel.y).floor() as i64 - 1,
        x1: ((east + reach_m) / pixel.x).ceil() as i64 + 1,
        y1: ((south + reach_m) / pixel.y).ceil() as i64 + 1,
    }
}

/// What shapes are drawn on.
#[derive(Debug)]
pub struct Canvas<'a> {
    /// The size of a pixel.
    pub pixel: PixelSize,
    /// Coverage, raised by what is drawn.
    pub out: &'a mut Raster<f32>,
    /// The band of `out` that is drawn on.
    pub band: usize,
    /// Memory for drawing.
    pub scratch: &'a mut ShapeScratch,
}

/// Raises coverage to that of lines and points.
///
/// Each of `lines` is a line's corners in order; one of a single corner is a point. They need to hold no more than what
/// lies within the stroke's reach of the canvas, and may hold more. Coordinates are finite, up to [`FARTHEST_POINT_M`].
pub fn stroke<'a>(
    lines: impl Iterator<Item = &'a [Point]>,
    stroke: &Stroke,
    canvas: &mut Canvas<'_>,
) {
    let Canvas { out, scratch, .. } = canvas;
    scratch.cover(out.rect(), canvas.pixel);
    for segment in lines.flat_map(segments) {
        lines::measure(&segment, stroke.reach_m(), scratch);
    }
    scratch.finish(|y, touched, _, squared, _| {
        let row = &mut out.row_mut(canvas.band, y)[touched];
        for (coverage, &squared) in row.iter_mut().zip(squared) {
            // Between two lines of a row nothing may have been measured.
            if squared < f64::INFINITY {
                raise(coverage, stroke.coverage(squared));
            }
        }
    });
}

/// Raises coverage to that of one polygon, touching no pixel outside `window`.
///
/// Each of `outline` is a piece of a ring, its corners in order; together they hold every segment of the polygon's rings
/// once that reaches into the rows of `window` and half of `feather_m` beyond, less those as far east of it; they may
/// hold more. `window` holds all pixels of the canvas within half of `feather_m` of the polygon, such as from
/// [`pixels_near`]. Coordinates are finite, up to [`FARTHEST_POINT_M`].
pub fn fill<'a>(
    outline: impl Iterator<Item = &'a [Point]>,
    feather_m: f64,
    window: Rect,
    canvas: &mut Canvas<'_>,
) {
    let Canvas { out, scratch, .. } = canvas;
    let window = window.intersect(&out.rect());
    if window.is_empty() {
        return;
    }
    scratch.cover(window, canvas.pixel);
    for segment in outline.flat_map(segments) {
        parity::cross(&segment, scratch);
        if feather_m > 0.0 {
            lines::measure(&segment, 0.5 * feather_m, scratch);
        }
    }
    let left = (window.x0 - out.rect().x0) as usize;
    scratch.finish(|y, touched, mut is_inside, squared, flips| {
        let row = &mut out.row_mut(canvas.band, y)[left..left + window.width()];
        if is_inside {
            row[..touched.start].fill(1.0);
        }
        let end = touched.end;
        for ((coverage, &squared), &flip) in row[touched].iter_mut().zip(squared).zip(flips) {
            is_inside ^= flip;
            raise(coverage, inside(is_inside, squared, feather_m));
        }
        if is_inside {
            row[end..].fill(1.0);
        }
    });
}

/// The coverage of a centre inside or outside of a polygon, from the squared distance to its outline.
fn inside(is_inside: bool, squared: f64, feather: f64) -> f64 {
    if feather == 0.0 || squared == f64::INFINITY {
        return f64::from(u8::from(is_inside));
    }
    let distance = squared.sqrt();
    ramp(if is_inside { distance } else { -distance }, feather)
}

fn raise(coverage: &mut f32, to: f64) {
    let to = to as f32;
    if to > *coverage {
        *coverage = to;
    }
}

/// The segments between corners; of a single corner, the segment from it to itself.
fn segments(line: &[Point]) -> impl Iterator<Item = Segment> + '_ {
    let single = match line {
        [point] => Some(Segment::new(*point, *point)),
        _ => None,
    };
    let pairs = line.windows(2);
    single
        .into_iter()
        .chain(pairs.map(|ends| Segment::new(ends[0], ends[1])))
}
