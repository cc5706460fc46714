//! From the coordinates of a GeoJSON file to metres on the map.

use std::path::Path;

use ecotone_grid::{GeoKeys, GeoTransform};
use ecotone_terrain::FARTHEST_POINT_M;

use super::Refusal;
use super::geojson::{Collection, Crs};
use crate::inputs::{Inputs, length};

/// West, south, east and north ends of some positions.
type Bounds = [f64; 4];

impl Inputs {
    /// Turns the positions of a file into metres east and south of the map's north-west corner.
    ///
    /// They are in the coordinates of the height map's own file, or in world metres where it has none. Shapes off the map
    /// are refused, or warned of by what is returned where the rest of the map is meant.
    pub(super) fn turn_onto_map(
        &self,
        shapes: &mut Collection,
        path: &Path,
        reach_m: f64,
        is_inverted: bool,
    ) -> Result<Option<String>, Refusal> {
        let (from, keys) = match &self.overruled {
            Some((transform, keys)) => (transform, keys),
            None => (&self.transform, &self.keys),
        };
        check_system(shapes, path, keys)?;
        if shapes.positions.is_empty() {
            return Ok(None);
        }
        let given = bounds(&shapes.positions);
        self.turn(shapes, from);
        let reached = bounds(&shapes.positions);
        let farthest = reached.into_iter().map(f64::abs).fold(0.0, f64::max);
        let off = self.off_map(reached, reach_m);
        let is_far = farthest > FARTHEST_POINT_M;
        if off.is_none() && !is_far {
            return Ok(None);
        }
        let file = path.display();
        let advice = self.advice(given, from, keys, path);
        let message = match off {
            Some(off) if !is_far && is_inverted => {
                return Ok(Some(format!(
                    "the shapes of {file} lie {off} of the map, so that the inverted mask is 1 everywhere: {advice}"
                )));
            }
            Some(off) if !is_far => format!("the shapes of {file} lie {off} of the map"),
            _ => format!(
                "{file} has a position {:.0e} km from the map's corner",
                farthest / 1000.0
            ),
        };
        Err((message, Some(advice)))
    }

    fn turn(&self, shapes: &mut Collection, from: &GeoTransform) {
        let pixel = self.transform.pixel;
        let stretch = (pixel.x / from.pixel.x, pixel.y / from.pixel.y);
        for [x, y] in &mut shapes.positions {
            *x = (*x - from.x0) * stretch.0;
            *y = (from.y0 - *y) * stretch.1;
        }
    }

    /// How far the shapes lie off the map and in which direction, where none of them reaches it.
    fn off_map(&self, [west, north, east, south]: Bounds, reach_m: f64) -> Option<String> {
        let (map, pixel) = (self.map(), self.transform.pixel);
        let width = map.width() as f64 * pixel.x;
        let height = map.height() as f64 * pixel.y;
        let gaps = [
            (-south, "north"),
            (north - height, "south"),
            (-east, "west"),
            (west - width, "east"),
        ];
        let off: Vec<String> = gaps
            .iter()
            .filter(|(gap, _)| *gap > reach_m)
            .map(|&(gap, side)| format!("{} {side}", length(gap)))
            .collect();
        (!off.is_empty()).then(|| off.join(" and "))
    }

    /// What may have gone wrong with shapes off the map.
    fn advice(
        &self,
        [west, south, east, north]: Bounds,
        from: &GeoTransform,
        keys: &GeoKeys,
        path: &Path,
    ) -> String {
        let in_degrees = |v: [f64; 2], most: f64| v.iter().all(|v| v.abs() <= most);
        let looks_like_degrees =
            in_degrees([west, east], 180.0) && in_degrees([south, north], 90.0);
        if looks_like_degrees && keys.is_projected() {
            return format!(
                "the numbers look like degrees and the map is in metres: {}",
                warp(keys, path)
            );
        }
        if self.overruled.is_none() && (from.x0, from.y0) == (0.0, 0.0) && south >= 0.0 {
            return "the map has no georeference, so x and y are metres east and north of its north-west corner: on the \
                    map y is negative"
                .into();
        }
        let given = [west, east];
        let [west, south, east, north] = from.bounds(self.map());
        let is_geographic = keys.is_geographic();
        let shift = [360.0, -360.0]
            .into_iter()
            .find(|shift| is_geographic && given[0] + shift <= east && given[1] + shift >= west);
        if let Some(shift) = shift {
            return format!(
                "the map counts longitudes from {west} to {east}, the shapes from {} to {}, which is the same place 360° \
                 away: add {shift} to their longitudes",
                given[0], given[1]
            );
        }
        format!("on the map x lies in {west} … {east} and y in {south} … {north}")
    }
}

/// Refuses a file that says it is in another coordinate system than the map.
fn check_system(shapes: &Collection, path: &Path, keys: &GeoKeys) -> Result<(), Refusal> {
    let named = match shapes.crs {
        Some(Crs::Epsg(code)) => Some(code),
        _ => None,
    };
    match (named, keys.epsg().map(u32::from)) {
        (Some(named), Some(wanted)) if named != wanted => Err((
            format!(
                "{} is in EPSG:{named}, the map in EPSG:{wanted}",
                path.display()
            ),
            Some(format!("turn it with {}", warp(keys, path))),
        )),
        _ => Ok(()),
    }
}

/// The command that turns a file into the map's coordinate system.
fn warp(keys: &GeoKeys, path: &Path) -> String {
    let system = match keys.epsg() {
        Some(code) => format!("EPSG:{code}"),
        None => "EPSG:CODE_OF_THE_MAP".to_owned(),
    };
    format!("ogr2ogr -t_srs {system} turned.geojson {}", path.display())
}

/// The least and the greatest of both coordinates, in this order.
fn bounds(positions: &[[f64; 2]]) -> Bounds {
    let mut found = [
        f64::INFINITY,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NEG_INFINITY,
    ];
    for &[x, y] in positions {
        found[0] = found[0].min(x);
        found[1] = found[1].min(y);
        found[2] = found[2].max(x);
        found[3] = found[3].max(y);
    }
    found
}
