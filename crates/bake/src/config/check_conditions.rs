//! Whether what species and biomes ask of the ground can be: bands and curves that hold something, within reach.

use super::check::Check;
use super::document::KeyPath;
use super::{Clusters, Conditions, DensityMask, DistanceRule};

/// Notes everything that contradicts itself in the conditions of the table at `here`.
pub(super) fn check(check: &mut Check<'_, '_>, own: &Conditions, here: &KeyPath) {
    if let Some(rule) = &own.altitude {
        profile(
            check,
            (rule.band, rule.blend),
            rule.curve.as_deref(),
            &here.key("altitude"),
        );
    }
    if let Some(rule) = &own.slope {
        let path = here.key("slope");
        profile(check, (rule.band, rule.blend), rule.curve.as_deref(), &path);
        within(
            check,
            rule.curve.as_deref(),
            [0.0, 90.0],
            "degrees from flat to wall",
            &path,
        );
    }
    if let Some(rule) = &own.curvature {
        profile(
            check,
            (rule.band, rule.blend),
            rule.curve.as_deref(),
            &here.key("curvature"),
        );
    }
    if let Some(aspect) = &own.aspect
        && aspect.band[0] == aspect.band[1]
    {
        let path = here.key("aspect").key("band");
        let message = format!("the band of aspects {} is empty", path.table());
        let expected = "it goes clockwise from the first to the last";
        let help = "[315, 45] is the north, [0, 360] all round".to_owned();
        check.note(&path, message, expected, Some(help));
    }
    for (idx, rule) in own.distance.iter().enumerate() {
        distance(check, rule, &here.key("distance").at(idx));
    }
    if let Some(keys) = &own.mask {
        mask(check, keys, &here.key("mask"));
    }
    if let Some(keys) = &own.clusters {
        clusters(check, keys, &here.key("clusters"));
    }
}

/// Notes what is no band and no curve, or both.
fn profile(
    check: &mut Check<'_, '_>,
    (band, blend): (Option<[f64; 2]>, f64),
    curve: Option<&[[f64; 2]]>,
    here: &KeyPath,
) {
    let key = here.last_key();
    let table = here.table();
    match (band, curve) {
        (Some(_), Some(_)) => {
            let message = format!("`{key}` {table} has a band and a curve");
            check.note_key(&here.key("curve"), message, "expected one of the two", None);
        }
        (None, None) => {
            let message = format!("`{key}` {table} says nothing");
            check.note(here, message, "expected `band` or `curve`", None);
        }
        (Some(band), None) => check.band(band, &here.key("band")),
        (None, Some(points)) => {
            curve_points(check, points, &here.key("curve"));
            if blend > 0.0 {
                let message = format!("`blend` beside a curve in `{key}` {table}");
                let expected = "leave it out: it is about a band";
                check.note_key(&here.key("blend"), message, expected, None);
            }
        }
    }
}

/// Notes points that do not rise, factors that are none, and curves that let nothing grow.
fn curve_points(check: &mut Check<'_, '_>, points: &[[f64; 2]], path: &KeyPath) {
    let table = path.table();
    let back = points.windows(2).position(|pair| pair[0][0] >= pair[1][0]);
    if let Some(before) = back {
        let message = format!("the points of `curve` {table} do not rise");
        let expected = format!("expected a value above {}", points[before][0]);
        let help = "list the points from the smallest value to the largest".to_owned();
        check.note(&path.at(before + 1), message, expected, Some(help));
    }
    let is_factor = |point: &[f64; 2]| (0.0..=1.0).contains(&point[1]);
    if let Some(idx) = points.iter().position(|point| !is_factor(point)) {
        let message = format!("a factor of `curve` {table} is out of range");
        let expected = "expected points [value, factor] with factors from 0 to 1";
        check.note(&path.at(idx), message, expected, None);
    } else if points.iter().all(|point| point[1] == 0.0) {
        let message = format!("`curve` {table} is 0 everywhere");
        let expected = "expected a factor above 0 somewhere";
        check.note(path, message, expected, None);
    }
}

/// Notes points of a curve beyond the values that there are.
fn within(
    check: &mut Check<'_, '_>,
    curve: Option<&[[f64; 2]]>,
    [least, most]: [f64; 2],
    what: &str,
    here: &KeyPath,
) {
    let path = here.key("curve");
    for (idx, point) in curve.unwrap_or_default().iter().enumerate() {
        if point[0] < least || point[0] > most {
            let message = format!("a value of `curve` {} is out of range", path.table());
            let expected = format!("expected {least} to {most}, {what}");
            check.note(&path.at(idx), message, expected, None);
        }
    }
}

fn distance(check: &mut Check<'_, '_>, rule: &DistanceRule, here: &KeyPath) {
    check.known_stratum(&rule.stratum, &here.key("stratum"), false);
    profile(check, (rule.band, rule.blend), rule.curve.as_deref(), here);
    let most = check.config.edges.max_distance;
    let what = "the distances that `edges.max_distance` keeps";
    within(check, rule.curve.as_deref(), [-most, most], what, here);
    if let (Some(band), None) = (rule.band, &rule.curve) {
        ramps(check, band, rule.blend / 2.0, &here.key("band"));
    }
}

/// Notes ramps of a band of distances beyond those that are kept.
fn ramps(check: &mut Check<'_, '_>, [lo, hi]: [f64; 2], half: f64, path: &KeyPath) {
    let most = check.config.edges.max_distance;
    let is_within = |end: f64| end - half >= -most && end + half <= most;
    let limits = if half <= most {
        format!("expected {} to {}", half - most, most - half)
    } else {
        String::from("expected a narrower `blend`")
    };
    let ends = [
        (lo, lo < -most, format!("below {} m", -most)),
        (hi, hi > most, format!("above {most} m")),
    ];
    for (idx, (end, is_open, beyond)) in ends.into_iter().enumerate() {
        if is_open || is_within(end) {
            continue;
        }
        let message = format!("the ramp at {end} m leaves the distances that are kept");
        let expected = format!("{limits}: `edges.max_distance` less half the blend");
        let help = Some(format!("an end {beyond} is open"));
        check.note(&path.at(idx), message, expected, help);
    }
}

/// Notes keys of shapes for a raster, of rasters for shapes, and a range that is none.
fn mask(check: &mut Check<'_, '_>, mask: &DensityMask, here: &KeyPath) {
    let of_rasters = [
        ("band", mask.band.is_some()),
        ("range", mask.range.is_some()),
    ];
    let of_shapes = [
        ("width", mask.width.is_some()),
        ("radius", mask.radius.is_some()),
        ("feather", mask.feather.is_some()),
    ];
    let (keys, kind, expected) = if mask.has_shapes() {
        let expected = "leave it out: it is about the values of a raster";
        (&of_rasters[..], "GeoJSON", expected)
    } else {
        let expected = "leave it out: it is about the lines and points of a GeoJSON file";
        (&of_shapes[..], "raster", expected)
    };
    for (key, _) in keys.iter().filter(|(_, is_given)| *is_given) {
        let path = here.key(*key);
        let message = format!("`{key}` {} beside a {kind} file", path.table());
        check.note_key(&path, message, expected, None);
    }
    if mask.range.is_some_and(|[lo, hi]| lo == hi) {
        let path = here.key("range");
        let message = format!("`range` {} is empty", path.table());
        let expected = "expected the value that means 0, then the one that means 1";
        check.note(&path, message, expected, None);
    }
}

/// Notes patches that cover everything, which is no clustering.
fn clusters(check: &mut Check<'_, '_>, clusters: &Clusters, here: &KeyPath) {
    if clusters.coverage == 1.0 {
        let path = here.key("coverage");
        let message = format!(
            "the patches of `clusters` {} cover everything",
            here.table()
        );
        let help = "leave `clusters` out to let it grow everywhere".to_owned();
        check.note(&path, message, "expected less than 1", Some(help));
    }
}
