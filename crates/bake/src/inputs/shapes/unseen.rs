//! Shapes on the map that hardly show or do not show at all.

use std::path::Path;

use ecotone_grid::PixelSize;

use super::geojson::{Collection, Shape, ShapeKind};
use super::{Sizes, sizes};
use crate::inputs::{Inputs, MaskKeys};

impl Inputs {
    /// Warns of lines and points thinner than a pixel, else of shapes that lie between the centres of pixels.
    pub(super) fn warn_of_unseen(
        &mut self,
        keys: &MaskKeys<'_>,
        shapes: &Collection,
        drawn: &Sizes,
        path: &Path,
    ) {
        let pixel = self.transform.pixel;
        let side = pixel.x.max(pixel.y);
        let n_before = self.warnings.len();
        for (stroke, (_, word, what, _)) in [drawn.lines, drawn.points].iter().zip(sizes(keys)) {
            let Some(stroke) = stroke.filter(|stroke| 2.0 * stroke.reach_m() < side) else {
                continue;
            };
            let (size, lack) = match word {
                "width" => (2.0 * stroke.radius_m, "have gaps"),
                _ => (stroke.radius_m, "miss the centres of pixels"),
            };
            self.warnings.push(format!(
                "`{word}` {size} m of \"{}\" is thinner than a pixel of {side} m: its {what}s will {lack}; use a `feather` of \
                 {side} m",
                keys.owner
            ));
        }
        if self.warnings.len() > n_before {
            return;
        }
        if let Some((feature, n_shapes)) = between_centres(shapes, drawn, pixel) {
            self.warnings.push(format!(
                "{} has shapes that lie between the centres of pixels and draw nothing ({n_shapes}, the first in feature \
                 {feature}); use a `feather` of {side} m",
                path.display()
            ));
        }
    }
}

/// The first feature with a shape that no pixel's centre can lie in, and how many such shapes there are.
fn between_centres(shapes: &Collection, drawn: &Sizes, pixel: PixelSize) -> Option<(u32, u32)> {
    let mut found = None;
    for shape in shapes.shapes.iter().filter(|shape| shape.n_paths > 0) {
        let reach_m = drawn.reach_of_m(shape.kind);
        let is_missed = |positions: &[[f64; 2]]| {
            [(0, pixel.x), (1, pixel.y)]
                .into_iter()
                .any(|(axis, side)| {
                    let along = positions.iter().map(|position| position[axis]);
                    let least = along.clone().fold(f64::INFINITY, f64::min) - reach_m;
                    let most = along.fold(f64::NEG_INFINITY, f64::max) + reach_m;
                    (least / side - 0.5).ceil() > (most / side - 0.5).floor()
                })
        };
        let n_missed = pieces(shapes, shape)
            .filter(|piece| is_missed(piece))
            .count() as u32;
        if n_missed > 0 {
            let (first, before) = found.unwrap_or((shape.feature, 0));
            found = Some((first, before + n_missed));
        }
    }
    found
}

/// The positions of a line, of all of a polygon or of each point.
fn pieces<'a>(shapes: &'a Collection, shape: &Shape) -> impl Iterator<Item = &'a [[f64; 2]]> {
    let start = shapes.path(shape.first_path).start;
    let end = shapes.path(shape.first_path + shape.n_paths - 1).end;
    let length = match shape.kind {
        ShapeKind::Point => 1,
        _ => end - start,
    };
    shapes.positions[start..end].chunks(length)
}
