//! Where the config and a file's tags say different things of its heights: the config wins, and that is said.

use ecotone_geotiff::Said;

use super::heights::Heights;
use crate::config::Terrain;

/// How far apart, in shares, two numbers may be and still be one, written differently.
const ROUNDING: f64 = 1e-9;

/// What a person should know of the units, the scale and the nodata value of the first file of heights.
pub(super) fn warnings(terrain: &Terrain, heights: &Heights) -> Vec<String> {
    let (header, file) = (heights.header(), heights.path().display().to_string());
    let Some(said) = header.said(terrain.band as usize - 1) else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    warnings.extend(scale(terrain, said, &file));
    warnings.extend(offset(terrain, said, &file));
    if terrain.scale.is_none() && terrain.range.is_none() {
        let is_in_feet = header
            .linear_unit()
            .and_then(|unit| unit.size)
            .is_some_and(|metres| differ(metres, 1.0));
        warnings.extend(unit(said, &file, is_in_feet));
    }
    if let (Some(given), Some(own)) = (terrain.nodata, header.said_nodata())
        && given != own
        && !(given.is_nan() && own.is_nan())
    {
        warnings.push(format!(
            "terrain.nodata is {given}, and {file} says {own}; terrain.nodata is used"
        ));
    }
    warnings
}

fn scale(terrain: &Terrain, said: &Said, file: &str) -> Option<String> {
    let own = said.scale;
    let says_one = said.unit.is_some() || own != 1.0;
    if let Some([lo, hi]) = terrain.range {
        let says_any = own != 1.0 || said.offset != 0.0;
        return says_any.then(|| {
            format!(
                "terrain.range is [{lo}, {hi}], and {file} says {own} m per raw unit + {} m; terrain.range is used",
                said.offset
            )
        });
    }
    let given = terrain
        .scale
        .filter(|&given| says_one && differ(given, own))?;
    Some(format!(
        "terrain.scale is {given}, and {file} says {own} m per raw unit{}; terrain.scale is used",
        unit_name(said)
    ))
}

fn offset(terrain: &Terrain, said: &Said, file: &str) -> Option<String> {
    let own = said.offset;
    let given = terrain
        .offset
        .filter(|&given| own != 0.0 && differ(given, own))?;
    Some(format!(
        "terrain.offset is {given} m, and {file} says {own} m; terrain.offset is used"
    ))
}

/// Says aloud that heights are turned into metres, or that their unit can only be supposed.
fn unit(said: &Said, file: &str, is_in_feet: bool) -> Option<String> {
    match &said.unit {
        None => is_in_feet.then(|| {
            format!(
                "{file} is not in metres and does not say whether its heights are; they are taken as metres: \
                 give terrain.scale, in metres per raw unit, if they are not"
            )
        }),
        Some(unit) => match unit.size {
            None => Some(format!(
                "{file} has heights in the unit \"{}\", whose size is not known; they are taken as metres: \
                 give terrain.scale, in metres per raw unit, if they are not",
                unit.name
            )),
            Some(metres) => differ(metres, 1.0).then(|| {
                format!(
                    "{file} has heights in the unit \"{}\"; they are turned into metres, {} m per raw unit: \
                     give terrain.scale to use another factor",
                    unit.name, said.scale
                )
            }),
        },
    }
}

fn unit_name(said: &Said) -> String {
    match &said.unit {
        Some(unit) => format!(" (its unit is \"{}\")", unit.name),
        None => String::new(),
    }
}

fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > ROUNDING * a.abs().max(b.abs())
}
