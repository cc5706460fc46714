//! Where the config and a file's tags say different things of its heights: the config wins, and that is said.

use ecotone_geotiff::{Said, Source};

use super::heights::Heights;
use crate::config::Terrain;

/// How far apart, in shares, two numbers may be and still be one, written differently.
const ROUNDING: f64 = 1e-9;

/// What a person should know of the units, the scale and the nodata value of the first file of heights, and of other
/// units in the others.
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
    warnings.extend(others(terrain, heights, said));
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

/// Names the first file of the map or of its patches whose heights are in another unit than the very first's.
fn others(terrain: &Terrain, heights: &Heights, first: &Said) -> Option<String> {
    let band = terrain.band as usize - 1;
    let map = heights.layers();
    // A scale that is given holds for all files of the map, and for no patch.
    let is_own = terrain.scale.is_none() && terrain.range.is_none();
    let of_map = map.base().sources().filter(|_| is_own);
    let of_map = of_map.filter_map(|source| Some((source, source.header().said(band)?)));
    let patched = map
        .patches()
        .iter()
        .flat_map(|patch| patch.heights().sources());
    let of_patches = patched.filter_map(|source| Some((source, source.header().said(0)?)));
    let mut others = of_map
        .chain(of_patches)
        .filter(|(_, said)| !is_same_unit(first, said))
        .map(|(source, _): (&Source, _)| source.path().display());
    let named = others.next()?;
    let have = match others.count() {
        0 => " has".to_owned(),
        1 => ", and 1 more file, have".to_owned(),
        n => format!(", and {n} more files, have"),
    };
    Some(format!(
        "{named}{have} heights in another unit than {}; each file is turned into metres by its own unit, but those \
         that a VRT names by that of its first",
        heights.layers().base().first().path().display()
    ))
}

/// Whether two files have heights in one unit; those that name none are in metres.
fn is_same_unit(a: &Said, b: &Said) -> bool {
    let size = |said: &Said| said.unit.as_ref().map_or(Some(1.0), |unit| unit.size);
    match (size(a), size(b)) {
        (Some(a), Some(b)) => !differ(a, b),
        (a, b) => a == b,
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
