//! The size of a pixel on the ground, for grids that are not in metres.
//!
//! Radii of curvature of the WGS 84 ellipsoid (NGA.STND.0036, 2014): R cos φ / W east–west and R (1 − e²) / W³ north–south,
//! with W = √(1 − e² sin² φ).

use ecotone_grid::{GeoTransform, PixelSize, Rect};

/// Semi-major axis of WGS 84, metres.
const R: f64 = 6_378_137.0;
/// First eccentricity squared of WGS 84.
const E2: f64 = 0.006_694_379_990_141_316_5;

/// The true size, at the map's centre, of pixels that are sized in radians of longitude and latitude.
///
/// NaN beyond the poles.
pub(crate) fn of_radians(grid: &GeoTransform, map: Rect) -> PixelSize {
    size(centre_y(grid, map), grid.pixel.x, grid.pixel.y)
}

/// The true size, at the map's centre, of pixels that are sized in Web Mercator metres (EPSG:3857).
///
/// Web Mercator is spherical in geodetic latitudes: φ = atan(sinh(y / R)), and dφ = cos φ · dy / R.
pub(crate) fn of_web_mercator(grid: &GeoTransform, map: Rect) -> PixelSize {
    let latitude = libm::atan(libm::sinh(centre_y(grid, map) / R));
    size(
        latitude,
        grid.pixel.x / R,
        grid.pixel.y / R * libm::cos(latitude),
    )
}

/// Whether two sizes are more than a hundredth apart: so far is Web Mercator off near the equator.
pub(crate) fn differs(a: &PixelSize, b: &PixelSize) -> bool {
    apart(a, b, 0.01)
}

/// Whether two sizes are more than a share apart.
pub(crate) fn apart(a: &PixelSize, b: &PixelSize, share: f64) -> bool {
    let far = |a: f64, b: f64| (a / b - 1.0).abs() > share;
    far(a.x, b.x) || far(a.y, b.y)
}

fn centre_y(grid: &GeoTransform, map: Rect) -> f64 {
    grid.y0 - grid.pixel.y * map.height() as f64 / 2.0
}

/// Metres of so many radians of longitude and latitude.
fn size(latitude: f64, longitude_step: f64, latitude_step: f64) -> PixelSize {
    if latitude.abs() > std::f64::consts::FRAC_PI_2 {
        let (x, y) = (f64::NAN, f64::NAN);
        return PixelSize { x, y };
    }
    let sin = libm::sin(latitude);
    let w = (1.0 - E2 * sin * sin).sqrt();
    PixelSize {
        x: R * libm::cos(latitude) / w * longitude_step,
        y: R * (1.0 - E2) / (w * w * w) * latitude_step,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid whose one pixel has its centre at `y`.
    fn at(y: f64, pixel: f64) -> GeoTransform {
        GeoTransform {
            x0: 0.0,
            y0: y + pixel / 2.0,
            pixel: PixelSize { x: pixel, y: pixel },
        }
    }

    #[test]
    fn a_degree_has_its_length_on_wgs_84() {
        // Lengths of one degree: NGA's table for latitudes 0, 45 and 60.
        for (latitude, x, y) in [
            (0.0, 111_319.49, 110_574.28),
            (45.0, 78_846.81, 111_131.75),
            (60.0, 55_800.46, 111_412.24),
        ] {
            let grid = at(latitude, 1e-3).scaled(1_f64.to_radians());
            let size = of_radians(&grid, Rect::new(0, 0, 1, 1));
            assert!((size.x * 1e3 - x).abs() < 0.5, "{latitude}: {size:?}");
            assert!((size.y * 1e3 - y).abs() < 0.5, "{latitude}: {size:?}");
        }
    }

    #[test]
    fn web_mercator_halves_at_60_degrees() {
        // y of 60° N is R·ln(tan(75°)).
        let y = R * 75_f64.to_radians().tan().ln();
        let size = of_web_mercator(&at(y, 10.0), Rect::new(0, 0, 1, 1));
        let w2 = 1.0 - E2 * 0.75;
        assert!((size.x - 5.0 / w2.sqrt()).abs() < 1e-6, "{size:?}");
        assert!(
            (size.y - 5.0 * (1.0 - E2) / w2.powf(1.5)).abs() < 1e-6,
            "{size:?}"
        );
    }
}
