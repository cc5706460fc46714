//! The units that coordinates and heights are in.
//!
//! GeoTIFF says them by key, or by the code of a system whose unit EPSG knows (OGC 19-008r4).

mod epsg;

use std::borrow::Cow;

use ecotone_grid::GeoKeys;

use crate::metadata::unit_type;

/// `GeogAngularUnitsGeoKey`, and the size in radians where that is user-defined.
const ANGULAR: (u16, u16) = (2054, 2055);
/// `ProjLinearUnitsGeoKey`, and the size in metres where that is user-defined.
const LINEAR: (u16, u16) = (3076, 3077);
/// `VerticalGeoKey`: the code of the vertical system.
const VERTICAL_SYSTEM: u16 = 4096;
/// `VerticalUnitsGeoKey`.
const VERTICAL: u16 = 4099;

const USER_DEFINED: u16 = GeoKeys::USER_DEFINED;

/// A unit of length or angle.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Its name in the EPSG registry, such as "US survey foot", or how the file names it.
    pub name: Cow<'static, str>,
    /// Metres or radians; `None` where the unit is not known.
    pub size: Option<f64>,
}

impl Unit {
    fn new(code: u16, known: Option<(&'static str, f64)>) -> Self {
        match known {
            Some((name, size)) => Self {
                name: name.into(),
                size: Some(size),
            },
            None => Self {
                name: format!("EPSG:{code}").into(),
                size: None,
            },
        }
    }

    fn own(size: Option<f64>) -> Self {
        Self {
            name: "user-defined".into(),
            size: size.filter(|size| size.is_finite() && *size > 0.0),
        }
    }
}

/// The unit of projected coordinates; `None` where the file does not say.
pub(crate) fn linear(keys: &GeoKeys) -> Option<Unit> {
    if keys.is_geographic() {
        return None;
    }
    let code = match keys.short(LINEAR.0) {
        None | Some(0) => epsg::of_projected(keys.code(GeoKeys::PROJECTED_SYSTEM)?),
        Some(USER_DEFINED) => return Some(Unit::own(keys.double(LINEAR.1))),
        Some(code) => code,
    };
    Some(Unit::new(code, epsg::length(code)))
}

/// The unit of geographic coordinates, degrees where the file does not say; `None` where they are not geographic.
pub(crate) fn angular(keys: &GeoKeys) -> Option<Unit> {
    if !keys.is_geographic() {
        return None;
    }
    let code = match keys.short(ANGULAR.0) {
        None | Some(0) => epsg::of_geographic(keys.code(GeoKeys::GEOGRAPHIC_SYSTEM).unwrap_or(0)),
        Some(USER_DEFINED) => return Some(Unit::own(keys.double(ANGULAR.1))),
        Some(code) => code,
    };
    Some(Unit::new(code, epsg::angle(code)))
}

/// The unit of heights; `None` where the file does not say.
///
/// As in GDAL, what the band says comes before what the coordinate system says.
pub(crate) fn vertical(keys: &GeoKeys, metadata: &str, band: usize) -> Option<Unit> {
    if let Some(unit) = unit_type(metadata, band).and_then(named) {
        return Some(unit);
    }
    let code = match keys.short(VERTICAL) {
        // A user-defined vertical unit has no key for its size.
        None | Some(0 | USER_DEFINED) => epsg::of_vertical(vertical_system(keys)?),
        Some(code) => code,
    };
    Some(Unit::new(code, epsg::length(code)))
}

/// The EPSG code of the vertical system; to older writers, numbers from 5001 to 5099 were ellipsoids.
fn vertical_system(keys: &GeoKeys) -> Option<u16> {
    keys.code(VERTICAL_SYSTEM)
        .filter(|code| !(5001..5100).contains(code))
}

/// A unit by one of the names that GDAL and its users write for a band; `None` where it is no known length.
pub(crate) fn named(name: &str) -> Option<Unit> {
    let code = match name.to_ascii_lowercase().as_str() {
        "m" | "metre" | "metres" | "meter" | "meters" => 9001,
        "ft" | "foot" | "feet" | "international foot" | "foot_intl" => 9002,
        "us-ft" | "ftus" | "us survey foot" | "us survey feet" | "foot_us" | "survey foot" => 9003,
        "cm" | "centimetre" | "centimeter" => 1033,
        "mm" | "millimetre" | "millimeter" => 1025,
        "km" | "kilometre" | "kilometer" => 9036,
        "fathom" => 9014,
        _ => return None,
    };
    Some(Unit::new(code, epsg::length(code)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Keys stored in the directory, and doubles beside it.
    fn keys(shorts: &[(u16, u16)], doubles: &[(u16, f64)]) -> GeoKeys {
        let mut directory = vec![1, 1, 0, (shorts.len() + doubles.len()) as u16];
        for &(key, value) in shorts {
            directory.extend([key, 0, 1, value]);
        }
        for (idx, &(key, _)) in doubles.iter().enumerate() {
            directory.extend([key, 34736, 1, idx as u16]);
        }
        GeoKeys {
            directory,
            doubles: doubles.iter().map(|double| double.1).collect(),
            ascii: String::new(),
        }
    }

    #[track_caller]
    fn check(unit: Option<Unit>, expected: Option<(&str, Option<f64>)>) {
        let found = unit.as_ref().map(|unit| (unit.name.as_ref(), unit.size));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_projected_unit_is_a_key_or_that_of_its_system() {
        check(linear(&keys(&[], &[])), None);
        check(linear(&keys(&[(1024, 1)], &[])), None);
        let metre = Some(("metre", Some(1.0)));
        check(linear(&keys(&[(1024, 1), (3072, 32633)], &[])), metre);
        check(linear(&keys(&[(1024, 1), (3076, 9001)], &[])), metre);
        let survey = Some(("US survey foot", Some(1200.0 / 3937.0)));
        check(linear(&keys(&[(1024, 1), (3072, 2263)], &[])), survey);
        // A key of its own comes before the system's unit.
        let both = keys(&[(1024, 1), (3072, 2263), (3076, 9001)], &[]);
        check(linear(&both), metre);
        let own = keys(&[(1024, 1), (3076, 32767)], &[(3077, 0.5)]);
        check(linear(&own), Some(("user-defined", Some(0.5))));
        for size in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
            let own = keys(&[(1024, 1), (3076, 32767)], &[(3077, size)]);
            check(linear(&own), Some(("user-defined", None)));
        }
        let unknown = keys(&[(1024, 1), (3076, 1234)], &[]);
        check(linear(&unknown), Some(("EPSG:1234", None)));
        check(linear(&keys(&[(1024, 2), (3076, 9001)], &[])), None);
    }

    #[test]
    fn a_geographic_unit_is_degrees_unless_said() {
        let degree = Some(("degree", Some(1_f64.to_radians())));
        check(angular(&keys(&[(1024, 2)], &[])), degree);
        check(angular(&keys(&[(1024, 2), (2048, 4326)], &[])), degree);
        check(angular(&keys(&[(1024, 1)], &[])), None);
        let grad = angular(&keys(&[(1024, 2), (2048, 4807)], &[])).unwrap();
        assert!((grad.size.unwrap() - 0.9_f64.to_radians()).abs() < 1e-15);
        let radian = keys(&[(1024, 2), (2054, 9101)], &[]);
        check(angular(&radian), Some(("radian", Some(1.0))));
        // Degrees, minutes and seconds in the digits of one number are no unit.
        let packed = keys(&[(1024, 2), (2054, 9110)], &[]);
        check(angular(&packed), Some(("EPSG:9110", None)));
    }

    #[test]
    fn a_vertical_unit_is_the_bands_or_the_systems() {
        let foot = Some(("foot", Some(0.3048)));
        check(vertical(&keys(&[], &[]), "", 0), None);
        check(vertical(&keys(&[(4099, 9002)], &[]), "", 0), foot);
        check(vertical(&keys(&[(4096, 8228)], &[]), "", 0), foot);
        check(vertical(&keys(&[(4096, 5030)], &[]), "", 0), None);
        let xml = r#"<GDALMetadata><Item name="UNITTYPE" sample="1" role="unittype">ft</Item></GDALMetadata>"#;
        check(vertical(&keys(&[(4099, 9001)], &[]), xml, 1), foot);
        let metre = Some(("metre", Some(1.0)));
        check(vertical(&keys(&[(4099, 9001)], &[]), xml, 0), metre);
    }
}
