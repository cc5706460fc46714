//! GeoJSON: read, and what it holds drawn.

use std::ops::Range;

use ecotone_bake::geojson::{self, Collection, Shape, ShapeKind};
use ecotone_grid::{PixelSize, Raster, Rect};
use ecotone_terrain::{Canvas, FARTHEST_POINT_M, ShapeScratch, Stroke, fill, stroke};

use super::check_text;

/// A GeoJSON text.
pub fn geojson(bytes: &[u8]) {
    match geojson::parse(bytes) {
        Ok(found) => {
            check(&found);
            draw(&found);
            // Chains, so that the reader does not see all bytes at once.
            let (start, rest) = bytes.split_at(bytes.len().min(20));
            let chained = std::io::Read::chain(start, rest);
            assert_eq!(geojson::parse(chained).ok(), Some(found));
        }
        Err(error) => check_text(&error.to_string()),
    }
}

/// What [`Collection`] says of itself.
fn check(found: &Collection) {
    assert!(found.positions.iter().flatten().all(|n| n.is_finite()));
    assert!(found.path_ends.is_sorted());
    let end = found.path_ends.last().copied().unwrap_or_default();
    assert_eq!(end as usize, found.positions.len(), "no position is left");
    let mut next_path = 0;
    for shape in &found.shapes {
        assert!((1..=found.n_features).contains(&shape.feature));
        assert_eq!(shape.first_path, next_path);
        next_path += shape.n_paths;
        assert!(shape.kind == ShapeKind::Polygon || shape.n_paths == 1);
        for path in paths(found, shape) {
            let corners = &found.positions[path];
            match shape.kind {
                ShapeKind::Point => assert!(!corners.is_empty()),
                ShapeKind::Line => assert!(corners.len() >= 2),
                ShapeKind::Polygon => {
                    assert!(corners.len() >= 4 && corners[0] == corners[corners.len() - 1])
                }
            }
        }
    }
    assert_eq!(next_path as usize, found.path_ends.len());
}

fn paths<'a>(found: &'a Collection, shape: &Shape) -> impl Iterator<Item = Range<usize>> + 'a {
    (shape.first_path..shape.first_path + shape.n_paths).map(|path| found.path(path))
}

/// Coverage lies from 0 to 1, and that of one row alone is the same.
fn draw(found: &Collection) {
    let window = Rect::new(-4, -3, 12, 9);
    let whole = drawn(found, window);
    for y in window.y0..window.y1 {
        let row = drawn(found, Rect::new(window.x0, y, window.x1, y + 1));
        for x in window.x0..window.x1 {
            let coverage = whole.band(0).at(x, y);
            assert!((0.0..=1.0).contains(&coverage));
            assert_eq!(row.band(0).at(x, y).to_bits(), coverage.to_bits());
        }
    }
}

fn drawn(found: &Collection, window: Rect) -> Raster<f32> {
    const STROKE: Stroke = Stroke {
        radius_m: 1.5,
        feather_m: 0.7,
    };
    let mut out = Raster::new(window, 1, 0.0);
    let mut canvas = Canvas {
        pixel: PixelSize { x: 1.0, y: 0.75 },
        out: &mut out,
        band: 0,
        scratch: &mut ShapeScratch::default(),
    };
    let is_near = |shape: &&Shape| {
        let mut corners = paths(found, shape).flat_map(|path| &found.positions[path]);
        corners.all(|corner| corner.iter().all(|n| n.abs() <= FARTHEST_POINT_M))
    };
    for shape in found.shapes.iter().filter(is_near) {
        let outline = paths(found, shape).map(|path| &found.positions[path]);
        match shape.kind {
            ShapeKind::Polygon => fill(outline, STROKE.feather_m, window, &mut canvas),
            ShapeKind::Line => stroke(outline, &STROKE, &mut canvas),
            ShapeKind::Point => {
                let points = outline.flat_map(|points| points.chunks(1));
                stroke(points, &STROKE, &mut canvas);
            }
        }
    }
    out
}
