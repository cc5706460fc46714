//! Where the pixels lie in the world (OGC 19-008r4, read as GDAL reads it).

use ecotone_grid::{GeoKeys, GeoTransform, PixelSize, Rect};

use crate::SourceError;
use crate::tags::Tags;

const PIXEL_SCALE: u16 = 33550;
const TIE_POINTS: u16 = 33922;
const TRANSFORMATION: u16 = 34264;
const KEY_DIRECTORY: u16 = 34735;
const KEY_DOUBLES: u16 = 34736;
const KEY_ASCII: u16 = 34737;

/// `GTRasterTypeGeoKey`: 1 pixel is area, 2 pixel is point.
const RASTER_TYPE: u16 = 1025;

/// EPSG 3857 and the codes it had before, or has elsewhere.
const WEB_MERCATOR: [u16; 5] = [3857, 3785, 3587, 54004, 41001];

/// Its names at EPSG, at Esri, and at GDAL before it had a code.
const WEB_MERCATOR_NAMES: [&str; 3] = [
    "Pseudo Mercator",
    "Web Mercator",
    "Google Maps Global Mercator",
];

/// Values in a geographic tag, far more than any known file has.
const MAX_VALUES: u64 = 1 << 16;

/// The grid of a file in the world, turned north-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Georeference {
    /// The north-west corner and the pixel size, in the units of the coordinate system: metres, feet or degrees.
    ///
    /// The half pixel of `PixelIsPoint` is already taken off.
    pub transform: GeoTransform,
    /// Whether the file's rows go north; reads turn them.
    pub south_up: bool,
}

/// Whether the rows of an image go north; not where it is not known.
pub(crate) fn is_south_up<E>(placement: &Result<Option<Georeference>, E>) -> bool {
    matches!(placement, Ok(Some(place)) if place.south_up)
}

/// A rectangle of a raster of `height` rows, counted from the other end.
pub(crate) fn upside_down(rect: Rect, height: i64) -> Rect {
    Rect::new(rect.x0, height - rect.y1, rect.x1, height - rect.y0)
}

/// The coordinate system's tags; empty where they are missing or their values do not fit together.
pub(crate) fn keys(tags: &mut Tags) -> Result<GeoKeys, SourceError> {
    let directory = tags.numbers(KEY_DIRECTORY, MAX_VALUES)?.unwrap_or_default();
    let directory: Vec<u16> = directory.into_iter().map(|n| n as u16).collect();
    // Version 1, then the revision, then the number of entries of four numbers each.
    let sound = directory.len() >= 4
        && directory[0] == 1
        && directory.len() >= 4 * (usize::from(directory[3]) + 1);
    if !sound {
        return Ok(GeoKeys::default());
    }
    let len = 4 * (usize::from(directory[3]) + 1);
    Ok(GeoKeys {
        directory: directory[..len].to_vec(),
        doubles: tags.doubles(KEY_DOUBLES, MAX_VALUES)?.unwrap_or_default(),
        ascii: tags.text(KEY_ASCII, MAX_VALUES)?.unwrap_or_default(),
    })
}

/// Whether the system is Web Mercator, whose metres are metres only at the equator.
pub(crate) fn is_web_mercator(keys: &GeoKeys) -> bool {
    if let Some(code) = keys.code(GeoKeys::PROJECTED_SYSTEM) {
        return WEB_MERCATOR.contains(&code);
    }
    // Without a code, only the citation tells it from other Mercators; Esri joins its words with underlines.
    let citation = keys.ascii.replace(['_', '-'], " ");
    WEB_MERCATOR_NAMES
        .iter()
        .any(|name| citation.contains(name))
}

/// A grid, none, or the reason why the tags place none that is upright.
pub(crate) type Placement = Result<Option<Georeference>, &'static str>;

/// The grid that the tags say, of an image `height` pixels high.
pub(crate) fn placement(
    tags: &mut Tags,
    keys: &GeoKeys,
    height: u32,
) -> Result<Placement, SourceError> {
    let scale = tags.doubles(PIXEL_SCALE, MAX_VALUES)?;
    let tie_points = tags.doubles(TIE_POINTS, MAX_VALUES)?;
    let matrix = tags.doubles(TRANSFORMATION, MAX_VALUES)?;
    let affine = match (scale.as_deref(), matrix.as_deref()) {
        (Some([sx, sy, ..]), _) if *sx != 0.0 && *sy != 0.0 => match tie_points.as_deref() {
            Some([i, j, _, x, y, _, ..]) => {
                // GDAL takes a negative scale for a slip of the writer, not for rows that go north.
                let sy = sy.abs();
                [*sx, 0.0, x - i * sx, 0.0, -sy, y + j * sy]
            }
            _ => return Ok(Err("it has a pixel scale and no tie point")),
        },
        (_, Some(m)) if m.len() == 16 => [m[0], m[1], m[3], m[4], m[5], m[7]],
        // Nothing, or ground control points alone, which place no grid.
        _ => return Ok(Ok(None)),
    };
    let is_point = keys.short(RASTER_TYPE) == Some(2);
    Ok(upright(affine, is_point, height).map(Some))
}

/// Turns x = a·i + b·j + c, y = d·i + e·j + f, of pixel corners (of centres where a pixel is a point), into a grid.
pub(crate) fn upright(
    [a, b, c, d, e, f]: [f64; 6],
    is_point: bool,
    height: u32,
) -> Result<Georeference, &'static str> {
    if ![a, b, c, d, e, f].iter().all(|v| v.is_finite()) {
        return Err("its transform is not finite");
    }
    if b != 0.0 || d != 0.0 {
        return Err("its rows and columns are rotated or sheared against east and north");
    }
    if a <= 0.0 || e == 0.0 {
        return Err("its pixels have no size, or its columns go west");
    }
    let half = if is_point { 0.5 } else { 0.0 };
    let south_up = e > 0.0;
    let x0 = c - a * half;
    let first_row = f - e * half;
    let y0 = if south_up {
        first_row + e * f64::from(height)
    } else {
        first_row
    };
    if x0 + a == x0 || y0 + e == y0 {
        return Err("its pixels are smaller than the last digit of its coordinates");
    }
    Ok(Georeference {
        transform: GeoTransform {
            x0,
            y0,
            pixel: PixelSize { x: a, y: e.abs() },
        },
        south_up,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_point_lies_half_a_pixel_from_its_corner() {
        let area = upright([2.0, 0.0, 100.0, 0.0, -4.0, 50.0], false, 10).unwrap();
        let point = upright([2.0, 0.0, 100.0, 0.0, -4.0, 50.0], true, 10).unwrap();
        assert_eq!((area.transform.x0, area.transform.y0), (100.0, 50.0));
        assert_eq!((point.transform.x0, point.transform.y0), (99.0, 52.0));
        assert_eq!(point.transform.pixel, PixelSize { x: 2.0, y: 4.0 });
    }

    #[test]
    fn a_south_up_grid_is_placed_by_its_last_row() {
        let area = upright([2.0, 0.0, 100.0, 0.0, 4.0, 50.0], false, 10).unwrap();
        assert!(area.south_up);
        assert_eq!((area.transform.x0, area.transform.y0), (100.0, 90.0));
        let point = upright([2.0, 0.0, 100.0, 0.0, 4.0, 50.0], true, 10).unwrap();
        assert_eq!((point.transform.x0, point.transform.y0), (99.0, 88.0));
    }

    #[test]
    fn a_grid_that_is_not_upright_is_refused() {
        for affine in [
            [2.0, 0.1, 0.0, 0.0, -2.0, 0.0],
            [0.0, 2.0, 0.0, 2.0, 0.0, 0.0],
            [-2.0, 0.0, 0.0, 0.0, -2.0, 0.0],
            [0.0; 6],
            [f64::INFINITY, 0.0, 0.0, 0.0, -2.0, 0.0],
            [1e-300, 0.0, 5e5, 0.0, -1e-300, 4e6],
        ] {
            assert!(upright(affine, false, 10).is_err(), "{affine:?}");
        }
    }
}
