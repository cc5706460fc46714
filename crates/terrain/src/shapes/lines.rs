//! Squared distances to a segment, written where it is near.

use super::Point;
use super::scratch::ShapeScratch;

/// A share of a pixel by which the band of a segment is widened, so that rounding leaves out no pixel on its border.
const MARGIN_PX: f64 = 0.01;

/// A straight piece of a line or of an outline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// The end farther north; of two equally far, the one farther west.
    pub(super) a: Point,
    /// The other end.
    pub(super) b: Point,
}

impl Segment {
    /// The segment between two ends, whichever way it runs.
    pub(super) fn new(a: Point, b: Point) -> Self {
        let is_turned = (b[1], b[0]) < (a[1], a[0]);
        let (a, b) = if is_turned { (b, a) } else { (a, b) };
        Self { a, b }
    }

    fn run(&self) -> Point {
        [self.b[0] - self.a[0], self.b[1] - self.a[1]]
    }
}

/// Lowers the squared distances to those of the segment, at least wherever it is no farther than `reach` metres.
pub(super) fn measure(segment: &Segment, reach: f64, scratch: &mut ShapeScratch) {
    let pixel = scratch.pixel();
    let reach = reach + MARGIN_PX * pixel.x.min(pixel.y);
    let near = scratch.columns_between(
        segment.a[0].min(segment.b[0]) - reach,
        segment.a[0].max(segment.b[0]) + reach,
    );
    if near.is_empty() {
        return;
    }
    let band = Band::new(segment, reach);
    for y in scratch.rows_between(segment.a[1] - reach, segment.b[1] + reach) {
        let centre = scratch.row_centre(y);
        let (west, east) = band.ends(centre);
        if west <= east {
            let columns = scratch.columns_between(west, east);
            if !columns.is_empty() {
                let (centres, squared) = scratch.touch(y, columns);
                band.lower(centre, centres, squared);
            }
        }
    }
}

/// All that lies within `reach` of a segment: a rectangle between two half discs.
struct Band {
    segment: Segment,
    run: Point,
    /// One over the squared length; 0 where there is none.
    per_square: f64,
    reach: f64,
    /// From the segment to the longer sides of the rectangle: this way, and the other.
    aside: Point,
}

impl Band {
    fn new(segment: &Segment, reach: f64) -> Self {
        let run = segment.run();
        let square = run[0] * run[0] + run[1] * run[1];
        // Below this the quotient would not be finite: the segment is a point.
        let (per_square, aside) = if square >= f64::MIN_POSITIVE {
            let scale = reach / square.sqrt();
            (1.0 / square, [-run[1] * scale, run[0] * scale])
        } else {
            (0.0, [0.0, 0.0])
        };
        Self {
            segment: *segment,
            run,
            per_square,
            reach,
            aside,
        }
    }

    /// The westernmost and easternmost x of the band in a row; the first is larger where there is none.
    ///
    /// The band is convex, so it meets the row in one stretch, whose ends lie on a disc or on a long side.
    fn ends(&self, y: f64) -> (f64, f64) {
        let (mut west, mut east) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut widen = |from: f64, to: f64| {
            west = west.min(from);
            east = east.max(to);
        };
        for end in [self.segment.a, self.segment.b] {
            let off = y - end[1];
            let half = self.reach * self.reach - off * off;
            if half >= 0.0 {
                widen(end[0] - half.sqrt(), end[0] + half.sqrt());
            }
        }
        for side in [1.0, -1.0] {
            let from = self.segment.a[1] + side * self.aside[1];
            let down = y - from;
            if self.run[1] > 0.0 && down >= 0.0 && down <= self.run[1] {
                let along = down / self.run[1];
                let x = self.segment.a[0] + side * self.aside[0] + along * self.run[0];
                widen(x, x);
            }
        }
        (west, east)
    }

    /// Lowers the squared distances of pixels of one row.
    fn lower(&self, y: f64, centres: &[f64], squared: &mut [f64]) {
        let off = y - self.segment.a[1];
        let [run_x, run_y] = self.run;
        for (squared, &x) in squared.iter_mut().zip(centres) {
            let ahead = x - self.segment.a[0];
            let along = (ahead * run_x + off * run_y) * self.per_square;
            let along = if along > 0.0 { along } else { 0.0 };
            let along = if along < 1.0 { along } else { 1.0 };
            let (dx, dy) = (ahead - along * run_x, off - along * run_y);
            let found = dx * dx + dy * dy;
            *squared = if found < *squared { found } else { *squared };
        }
    }
}
