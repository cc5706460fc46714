//! Geometries taken apart into points, lines and polygons.

use std::ops::Range;

use super::coordinates::Coordinates;
use super::{Collection, Shape, ShapeKind};

/// What a geometry with coordinates is made of, and whether of several.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    shape: ShapeKind,
    is_multi: bool,
}

impl Kind {
    /// The kind that a `type` member names.
    pub(super) fn named(name: &str) -> Option<Self> {
        let (single, is_multi) = match name.strip_prefix("Multi") {
            Some(single) => (single, true),
            None => (name, false),
        };
        let shape = match single {
            "Point" => ShapeKind::Point,
            "LineString" => ShapeKind::Line,
            "Polygon" => ShapeKind::Polygon,
            _ => return None,
        };
        Some(Self { shape, is_multi })
    }

    /// How deep its positions lie in lists.
    fn depth(self) -> u8 {
        let single = match self.shape {
            ShapeKind::Point => 0,
            ShapeKind::Line => 1,
            ShapeKind::Polygon => 2,
        };
        single + u8::from(self.is_multi)
    }
}

/// Takes a geometry's positions, which are the last of the collection, in as shapes.
pub(super) fn take(into: &mut Collection, kind: Kind, found: &Coordinates) -> Result<(), String> {
    let feature = into.feature();
    into.count_empty(found.n_empty);
    let Some(depth) = found.depth else {
        return Ok(());
    };
    if depth != kind.depth() {
        return Err(format!(
            "feature {feature} has positions in {depth} lists, expected {} for its type",
            kind.depth()
        ));
    }
    if found.has_empty_position && kind.shape != ShapeKind::Point {
        return Err(format!("feature {feature} has an empty position"));
    }
    match kind.shape {
        ShapeKind::Point => points(into, found.start),
        ShapeKind::Line => {
            for list in lists(found) {
                enough(&list, 2, "a line", feature)?;
                push(into, ShapeKind::Line, &[list.end as u32]);
            }
        }
        ShapeKind::Polygon => polygons(into, kind, found)?,
    }
    Ok(())
}

/// The positions of each innermost list.
fn lists(found: &Coordinates) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = found.start;
    found.list_ends.iter().map(move |&end| {
        let list = start..end as usize;
        start = list.end;
        list
    })
}

fn enough(list: &Range<usize>, least: usize, what: &str, feature: u32) -> Result<(), String> {
    if list.len() >= least {
        return Ok(());
    }
    Err(format!(
        "feature {feature} has {what} of {} positions, expected {least} or more",
        list.len()
    ))
}

/// Takes positions in as points: with those just before, where these are points too.
fn points(into: &mut Collection, start: usize) {
    let end = into.positions.len() as u32;
    into.n_shapes += into.positions.len() - start;
    match (into.shapes.last(), into.path_ends.last_mut()) {
        (Some(last), Some(last_end)) if last.kind == ShapeKind::Point => *last_end = end,
        _ => {
            push(into, ShapeKind::Point, &[end]);
            into.n_shapes -= 1;
        }
    }
}

fn push(into: &mut Collection, kind: ShapeKind, path_ends: &[u32]) {
    into.shapes.push(Shape {
        kind,
        feature: into.feature(),
        first_path: into.path_ends.len() as u32,
        n_paths: path_ends.len() as u32,
    });
    into.path_ends.extend_from_slice(path_ends);
    into.n_shapes += 1;
}

fn polygons(into: &mut Collection, kind: Kind, found: &Coordinates) -> Result<(), String> {
    let feature = into.feature();
    if found.has_empty_front {
        return Err(format!(
            "feature {feature} has a polygon with an empty outer ring"
        ));
    }
    for list in lists(found) {
        enough(&list, 4, "a ring", feature)?;
    }
    let ends = closed(into, found);
    if !kind.is_multi {
        push(into, ShapeKind::Polygon, &ends);
        return Ok(());
    }
    let mut first = 0;
    for &end in &found.group_ends {
        push(into, ShapeKind::Polygon, &ends[first..end as usize]);
        first = end as usize;
    }
    Ok(())
}

/// Closes the rings that are open, and gives the position after each.
fn closed(into: &mut Collection, found: &Coordinates) -> Vec<u32> {
    let positions = &into.positions;
    let n_open = lists(found)
        .filter(|ring| positions[ring.start] != positions[ring.end - 1])
        .count();
    if n_open == 0 {
        return found.list_ends.clone();
    }
    let first = into.unclosed.map_or(into.feature(), |(first, _)| first);
    let before = into.unclosed.map_or(0, |(_, n)| n);
    into.unclosed = Some((first, before + n_open as u32));
    let given = into.positions.split_off(found.start);
    let mut ends = Vec::with_capacity(found.list_ends.len());
    for ring in lists(found) {
        let ring = &given[ring.start - found.start..ring.end - found.start];
        into.positions.extend_from_slice(ring);
        if ring[0] != ring[ring.len() - 1] {
            into.positions.push(ring[0]);
        }
        ends.push(into.positions.len() as u32);
    }
    ends
}
