//! Whether the keys of a stratum's mask go together.

use super::MaskMode;
use super::Stratum;
use super::check::Check;
use super::document::KeyPath;

/// Notes what does not go together in the n-th stratum.
pub(super) fn check(check: &mut Check<'_, '_>, idx: usize) {
    let stratum = &check.config.strata[idx];
    let here = Check::entry("stratum", idx);
    without_use(check, stratum, &here);
    if let Some([lo, hi]) = stratum.range
        && lo == hi
    {
        let message = "`range` in [[stratum]] is empty";
        let expected = "expected the value that means 0, then the one that means 1";
        check.note(&here.key("range"), message, expected, None);
    }
    correction(check, idx, &here);
}

/// Notes keys that say nothing here: of masks where there is none, of shapes for a raster, of rasters for shapes.
fn without_use(check: &mut Check<'_, '_>, stratum: &Stratum, here: &KeyPath) {
    let of_rasters = [
        ("mask_band", stratum.mask_band.is_some()),
        ("range", stratum.range.is_some()),
    ];
    let of_shapes = [
        ("width", stratum.width.is_some()),
        ("radius", stratum.radius.is_some()),
        ("feather", stratum.feather.is_some()),
    ];
    let of_any = [
        ("invert", stratum.invert),
        ("mode", stratum.is_correction()),
        ("target", stratum.target.is_some()),
    ];
    let mut note = |keys: &[(&str, bool)], place: &str, expected: &str| {
        for (key, _) in keys.iter().filter(|(_, is_given)| *is_given) {
            let message = format!("`{key}` in a [[stratum]] {place}");
            check.note_key(&here.key(*key), message, expected, None);
        }
    };
    if stratum.mask.is_none() {
        for keys in [&of_rasters[..], &of_shapes, &of_any] {
            note(
                keys,
                "without a mask",
                "it is about a mask: expected `mask` too",
            );
        }
    } else if stratum.has_shapes() {
        note(
            &of_rasters,
            "with a GeoJSON mask",
            "leave it out: it is about the values of a raster",
        );
    } else {
        note(
            &of_shapes,
            "with a raster mask",
            "leave it out: it is about the lines and points of a GeoJSON file",
        );
    }
}

/// Notes a correction without a stratum to correct, and a target of what is no correction.
fn correction(check: &mut Check<'_, '_>, idx: usize, here: &KeyPath) {
    let strata = &check.config.strata;
    let stratum = &strata[idx];
    let path = here.key("target");
    let Some(target) = &stratum.target else {
        if stratum.is_correction() && stratum.mask.is_some() {
            let word = match stratum.mode {
                MaskMode::Subtract => "subtract",
                _ => "add",
            };
            let message = format!("`mode = \"{word}\"` in [[stratum]] has no `target`");
            let help = format!("for example `target = \"{}\"`", strata[0].name);
            check.note(
                &here.key("mode"),
                message,
                "expected `target` too",
                Some(help),
            );
        }
        return;
    };
    if !stratum.is_correction() {
        let message = "`target` in a [[stratum]] that corrects none";
        let help = "write `mode = \"add\"` or `mode = \"subtract\"`";
        check.note_key(
            &path,
            message,
            "it is about a correction",
            Some(help.into()),
        );
        return;
    }
    let Some(found) = strata.iter().position(|other| other.name == *target) else {
        check.known_stratum(target, &path, false);
        return;
    };
    let other = &strata[found];
    if other.is_correction() {
        let message = format!("\"{target}\" is a correction itself");
        let help = "correct what it corrects instead: name the same target";
        check.note(
            &path,
            message,
            "expected a stratum of its own",
            Some(help.into()),
        );
    } else if other.mask.is_some() && found > idx {
        let message = format!("\"{target}\" lies over the ground only after this correction of it");
        let help = format!("list \"{target}\" before \"{}\"", stratum.name);
        check.note(
            &path,
            message,
            "expected a stratum that is listed before",
            Some(help),
        );
    }
}
