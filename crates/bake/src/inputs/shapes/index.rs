//! The shapes of a stratum, found by where they lie.
//!
//! R-trees (Guttman 1984, packed in bulk) over runs of consecutive corners, of lines and of each polygon's rings, and over
//! the polygons: a grid of cells would have to be tuned to a density that differs between a village and a mountain, and
//! a coast of half a million corners beside it. Corners are kept once; a run adds three bytes to each in a long line.

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

/// Consecutive corners of one line or ring, and the box around them.
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
    pub(super) fn new(shapes: Collection) -> Self {
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
        self.draw(&self.lines, stroke, canvas);
    }

    /// Raises coverage to that of the points.
    pub(super) fn draw_points(&self, stroke: &Stroke, canvas: &mut Canvas<'_>) {
        self.draw(&self.points, stroke, canvas);
    }

    fn draw(&self, tree: &RTree<Run>, stroke: &Stroke, canvas: &mut Canvas<'_>) {
        let near = tree.locate_in_envelope_intersecting(around(canvas, stroke.reach_m()));
        terrain::stroke(near.map(|run| self.line(run)), stroke, canvas);
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

/// The paths of a shape in runs; each begins with the corner that the one before ended with.
fn runs<'a>(shapes: &'a Collection, shape: &Shape) -> impl Iterator<Item = Run> + use<'a> {
    let paths = shape.first_path..shape.first_path + shape.n_paths;
    paths.flat_map(move |path| {
        let Range { start, end } = shapes.path(path);
        // A point has no segment, and is a run all the same.
        let n_runs = (end - start - 1).div_ceil(RUN_SEGMENTS).max(1);
        (0..n_runs).map(move |k| {
            let first = start + k * RUN_SEGMENTS;
            let end = end.min(first + RUN_SEGMENTS + 1);
            Run {
                bounds: AABB::from_points(&shapes.positions[first..end]),
                first: first as u32,
                end: end as u32,
            }
        })
    })
}
