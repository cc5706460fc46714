//! The shapes of a stratum, found by where they lie.
//!
//! R-trees (Guttman 1984, packed in bulk) over runs of consecutive corners, of lines and of each polygon's rings, and over
//! the polygons: a grid of cells would have to be tuned to a density that differs between a village and a mountain, and
//! a coast of half a million corners beside it. Corners are kept once; a run adds three bytes to each in a long line.
//! Points in a row are gathered by place first, since which of them is drawn before another says nothing.

use std::ops::Range;

use ecotone_grid::{PixelSize, Rect};
use ecotone_terrain::{self as terrain, Canvas, Point, Stroke};
use rstar::{AABB, RTree, RTreeObject};

use super::geojson::{Collection, Shape, ShapeKind};

/// Segments in a run. Tuned for rings of 200 and of 500,000 corners: fewer cost memory, more are read in vain.
const RUN_SEGMENTS: usize = 16;

/// Shapes on the map's own metres, indexed.
pub(super) struct Index {
    corners: Vec<Point>,
    lines: RTree<Run>,
    points: RTree<Run>,
    polygons: RTree<Polygon>,
}

/// Consecutive corners of one line or ring, or points close together, and the box around them.
struct Run {
    bounds: AABB<Point>,
    first: u32,
    end: u32,
}

struct Polygon {
    bounds: AABB<Point>,
    outline: RTree<Run>,
}

impl RTreeObject for Run {
    type Envelope = AABB<Point>;

    fn envelope(&self) -> AABB<Point> {
        self.bounds
    }
}

impl RTreeObject for Polygon {
    type Envelope = AABB<Point>;

    fn envelope(&self) -> AABB<Point> {
        self.bounds
    }
}

impl Index {
    /// Indexes a collection whose positions are in metres east and south of the map's corner.
    pub(super) fn new(mut shapes: Collection) -> Self {
        for shape in &shapes.shapes {
            if shape.kind == ShapeKind::Point {
                let points = shapes.path(shape.first_path);
                gather(&mut shapes.positions[points]);
            }
        }
        let of_kind = |kind| shapes.shapes.iter().filter(move |shape| shape.kind == kind);
        let tree = |kind| {
            let runs = of_kind(kind).flat_map(|shape| runs(&shapes, shape));
            RTree::bulk_load(runs.collect())
        };
        let (lines, points) = (tree(ShapeKind::Line), tree(ShapeKind::Point));
        let polygons = of_kind(ShapeKind::Polygon).map(|shape| {
            let outline = RTree::bulk_load(runs(&shapes, shape).collect());
            let bounds = outline.root().envelope();
            Polygon { bounds, outline }
        });
        let polygons = RTree::bulk_load(polygons.collect());
        Self {
            corners: shapes.positions,
            lines,
            points,
            polygons,
        }
    }

    /// Raises coverage to that of the lines.
    pub(super) fn draw_lines(&self, stroke: &Stroke, canvas: &mut Canvas<'_>) {
        self.draw(&self.lines, usize::MAX, stroke, canvas);
    }

    /// Raises coverage to that of the points.
    pub(super) fn draw_points(&self, stroke: &Stroke, canvas: &mut Canvas<'_>) {
        self.draw(&self.points, 1, stroke, canvas);
    }

    /// Whether anything may lie within `reach_m` of a box.
    pub(super) fn reaches(&self, start: Point, end: Point, reach_m: f64) -> bool {
        let start = start.map(|start| start - reach_m);
        let map = AABB::from_corners(start, end.map(|end| end + reach_m));
        let is_near =
            |runs: &RTree<Run>| runs.locate_in_envelope_intersecting(map).next().is_some();
        let mut polygons = self.polygons.locate_in_envelope_intersecting(map);
        is_near(&self.lines) || is_near(&self.points) || polygons.next().is_some()
    }

    /// Draws runs in pieces of up to `length` corners.
    fn draw(&self, tree: &RTree<Run>, length: usize, stroke: &Stroke, canvas: &mut Canvas<'_>) {
        let reached = around(canvas, stroke.reach_m());
        let near = || {
            let runs = tree.locate_in_envelope_intersecting(reached);
            runs.flat_map(|run| self.line(run).chunks(length))
        };
        // A line far wider than the canvas would otherwise be measured at every pixel, segment by segment.
        if covers(near(), stroke, canvas) {
            canvas.out.band_mut(canvas.band).fill(1.0);
        } else {
            terrain::stroke(near(), stroke, canvas);
        }
    }

    /// Raises coverage to that of the polygons.
    pub(super) fn draw_polygons(&self, feather_m: f64, canvas: &mut Canvas<'_>) {
        let reach = 0.5 * feather_m;
        let near = around(canvas, reach);
        // Whether a pixel is inside depends on all of the outline in its row to the west of it.
        let rows = AABB::from_corners([f64::MIN, near.lower()[1]], near.upper());
        for polygon in self.polygons.locate_in_envelope_intersecting(near) {
            let ([west, north], [east, south]) = (polygon.bounds.lower(), polygon.bounds.upper());
            let window = terrain::pixels_near([west, north, east, south], reach, canvas.pixel);
            let outline = polygon.outline.locate_in_envelope_intersecting(rows);
            let outline = outline.map(|run| self.line(run));
            terrain::fill(outline, feather_m, window, canvas);
        }
    }

    fn line(&self, run: &Run) -> &[Point] {
        &self.corners[run.first as usize..run.end as usize]
    }
}

/// The box of all that may show on a canvas: its pixels, and `reach_m` more.
fn around(canvas: &Canvas<'_>, reach_m: f64) -> AABB<Point> {
    let Rect { x0, y0, x1, y1 } = canvas.out.rect();
    let PixelSize { x, y } = canvas.pixel;
    AABB::from_corners(
        [x0 as f64 * x - reach_m, y0 as f64 * y - reach_m],
        [x1 as f64 * x + reach_m, y1 as f64 * y + reach_m],
    )
}

/// Whether one segment of the lines gives every pixel of the canvas the coverage 1.
fn covers<'a>(
    mut lines: impl Iterator<Item = &'a [Point]>,
    stroke: &Stroke,
    canvas: &Canvas<'_>,
) -> bool {
    // A margin far above any rounding of the coverage, so that no pixel differs from what drawing gives it.
    let margin = 0.01 * canvas.pixel.x.max(canvas.pixel.y);
    let within = stroke.radius_m - 0.5 * stroke.feather_m - margin;
    let bounds = around(canvas, 0.0);
    let ([west, north], [east, south]) = (bounds.lower(), bounds.upper());
    if within < 0.5 * (east - west).max(south - north) {
        return false;
    }
    // The distance to a segment is greatest at a corner of the canvas.
    let corners = [[west, north], [east, north], [west, south], [east, south]];
    lines.any(|line| {
        let n_segments = (line.len() - 1).max(1);
        (0..n_segments).any(|k| {
            let segment = [line[k], line[(k + 1).min(line.len() - 1)]];
            let is_within = |corner| square_distance(corner, segment) <= within * within;
            corners.into_iter().all(is_within)
        })
    })
}

fn square_distance(point: Point, [a, b]: [Point; 2]) -> f64 {
    let (run, ahead) = (
        [b[0] - a[0], b[1] - a[1]],
        [point[0] - a[0], point[1] - a[1]],
    );
    let square = run[0] * run[0] + run[1] * run[1];
    let along = if square >= f64::MIN_POSITIVE {
        ((ahead[0] * run[0] + ahead[1] * run[1]) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let off = [ahead[0] - along * run[0], ahead[1] - along * run[1]];
    off[0] * off[0] + off[1] * off[1]
}

/// Orders points so that those of a run lie close together: halved along the longer side, run by run.
fn gather(points: &mut [Point]) {
    if points.len() <= RUN_SEGMENTS {
        return;
    }
    let bounds = AABB::from_points(&*points);
    let [width, height] = [0, 1].map(|axis| bounds.upper()[axis] - bounds.lower()[axis]);
    let axis = usize::from(height > width);
    let middle = (points.len() / 2).next_multiple_of(RUN_SEGMENTS);
    points.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis]));
    let (first, second) = points.split_at_mut(middle);
    gather(first);
    gather(second);
}

/// The paths of a shape in runs; each begins with the corner that the one before ended with, except of points.
fn runs<'a>(shapes: &'a Collection, shape: &Shape) -> impl Iterator<Item = Run> + use<'a> {
    let paths = shape.first_path..shape.first_path + shape.n_paths;
    let kind = shape.kind;
    paths.flat_map(move |path| {
        let Range { start, end } = shapes.path(path);
        let shared = usize::from(kind != ShapeKind::Point);
        let n_runs = (end - start - shared).div_ceil(RUN_SEGMENTS);
        (0..n_runs).map(move |k| {
            let first = start + k * RUN_SEGMENTS;
            let end = end.min(first + RUN_SEGMENTS + shared);
            Run {
                bounds: AABB::from_points(&shapes.positions[first..end]),
                first: first as u32,
                end: end as u32,
            }
        })
    })
}
