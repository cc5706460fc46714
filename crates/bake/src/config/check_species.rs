//! Whether each species can grow: its strata exist, its bands and distances are within reach.

use super::check::Check;
use super::check_conditions;
use super::document::KeyPath;
use super::{Curve, Edge, SMALLEST_SPACING_M, Species};

/// Notes everything in the species that contradicts itself or the strata.
pub(super) fn check(check: &mut Check<'_, '_>) {
    let species = &check.config.species;
    check.names(
        "species",
        species.iter().map(|species| species.name.as_str()),
    );
    for (idx, species) in species.iter().enumerate() {
        let here = KeyPath::default().key("species").at(idx);
        strata(check, species, &here);
        spacing(check, species, &here);
        size(check, species.size, &here.key("size"));
        check_conditions::check(check, &species.conditions, &here);
        if let Some(inner) = &species.edge {
            edge(check, inner, species, &here.key("edge"));
        }
        variants(check, species, &here.key("variants"));
        let looks = [
            ("tilt", species.tilt),
            ("sink", species.sink),
            ("tint", species.tint),
            ("yaw", species.yaw_range()),
        ];
        for (key, range) in looks {
            ordered(check, range, &here.key(key));
        }
    }
}

fn strata(check: &mut Check<'_, '_>, species: &Species, here: &KeyPath) {
    for name in species.strata.keys() {
        let path = here.key("strata").key(name);
        check.known_stratum(name, &path, true);
    }
    // Weights sum to 1, so the mix never passes the largest coefficient.
    let most = species.strata.values().copied().fold(0.0, f64::max);
    if most < species.threshold {
        let path = here.key("strata");
        let message = format!("\"{}\" can grow nowhere", species.name);
        let expected = format!(
            "a coefficient must reach the threshold, {}",
            species.threshold
        );
        let help = "raise a coefficient, or lower the threshold".to_owned();
        check.note(&path, message, expected, Some(help));
    }
}

fn spacing(check: &mut Check<'_, '_>, species: &Species, here: &KeyPath) {
    let needs_none = species.is_density() && species.density.is_some();
    if !needs_none && species.effective_spacing() < SMALLEST_SPACING_M {
        let message = format!(
            "the plants of \"{}\" stand {} m apart",
            species.name,
            species.effective_spacing()
        );
        let expected =
            format!("expected `spacing` or twice `footprint` to be at least {SMALLEST_SPACING_M}");
        let help = Some(String::from("for example `spacing = 3`, in metres"));
        check.note(&here.key("spacing"), message, expected, help);
    }
}

fn size(check: &mut Check<'_, '_>, [lo, hi]: [f64; 2], path: &KeyPath) {
    let table = path.table();
    if lo > hi {
        let help = Some(format!("write `size = [{hi}, {lo}]`"));
        let message = format!("`size` {table} is the wrong way round");
        check.note(path, message, "expected [smallest, largest]", help);
    } else if hi == 0.0 {
        let message = format!("`size` {table} leaves nothing to see");
        check.note(path, message, "expected a largest size above 0", None);
    }
}

fn edge(check: &mut Check<'_, '_>, edge: &Edge, species: &Species, here: &KeyPath) {
    if let Some(name) = &edge.stratum {
        check.known_stratum(name, &here.key("stratum"), false);
    }
    if let Some(range) = edge.size {
        size(check, range, &here.key("size"));
    }
    if let Curve::Points(points) = &edge.curve {
        curve(check, points, &here.key("curve"));
    }
    let most = check.config.edges.max_distance;
    match edge.falloff {
        Some(falloff) if falloff > most => {
            let message = "`falloff` reaches farther than distances are kept";
            let expected = format!("expected at most `edges.max_distance`, {most}");
            let help = Some(format!("or write `max_distance = {falloff}` in [edges]"));
            check.note(&here.key("falloff"), message, expected, help);
        }
        Some(_) => {}
        None => {
            let changes = edge.density != 1.0
                || edge.curve != Curve::default()
                || edge.size.is_some_and(|size| size != species.size);
            if changes {
                let message = "`edge` in [[species]] changes nothing without a falloff";
                let help = Some(String::from("for example `falloff = 25`, in metres"));
                check.note(here, message, "expected `falloff` too", help);
            }
        }
    }
}

fn curve(check: &mut Check<'_, '_>, points: &[[f64; 2]], path: &KeyPath) {
    let ascends = points.windows(2).all(|pair| pair[0][0] < pair[1][0]);
    let starts = points.first().is_some_and(|point| point[0] == 0.0);
    let ends = points.last().is_some_and(|point| point[0] == 1.0);
    if !(ascends && starts && ends) {
        let message = "`curve` in `edge` of [[species]] does not lead from edge to interior";
        let expected = "expected points [t, a] with t rising from exactly 0 to exactly 1";
        check.note(path, message, expected, None);
    }
}

/// Notes a range that runs backwards.
fn ordered(check: &mut Check<'_, '_>, [lo, hi]: [f64; 2], path: &KeyPath) {
    if lo > hi {
        let key = path.last_key();
        let help = Some(format!("write `{key} = [{hi}, {lo}]`"));
        let message = format!("`{key}` {} is the wrong way round", path.table());
        check.note(path, message, "expected [least, largest]", help);
    }
}

fn variants(check: &mut Check<'_, '_>, species: &Species, here: &KeyPath) {
    for name in species.variants.keys() {
        let is_bad = name.is_empty() || name.chars().any(char::is_control);
        if is_bad || name.chars().count() > 256 {
            let message = "a variant of [[species]] has no usable name";
            let expected = "expected 1 to 256 characters, none of them a control character";
            check.note_key(&here.key(name), message, expected, None);
        }
    }
    for (name, variant) in &species.variants {
        let keys = variant.keys();
        for (key, range) in [("size", keys.size), ("edge_size", keys.edge_size)] {
            if let Some(range) = range {
                size(check, range, &here.key(name).key(key));
            }
        }
    }
    let keys = || species.variants.values().map(|variant| variant.keys());
    let ends = [
        ("in the interior", keys().map(|own| own.weight).sum::<f64>()),
        (
            "at the edge",
            keys().map(|own| own.edge.unwrap_or(own.weight)).sum(),
        ),
    ];
    for (place, weight) in ends {
        if weight <= 0.0 && !species.variants.is_empty() {
            let message = format!("no variant of \"{}\" has a weight {place}", species.name);
            let expected = "expected a weight above 0 for at least one";
            check.note(here, message, expected, None);
        }
    }
}
