//! Whether the keys of each check go together, and name what there is.

use super::check::Check;
use super::document::KeyPath;
use super::error::{listed, nearest};
use super::{Limit, LimitKind};

/// Notes everything in the checks that says nothing, is missing, or names what there is not.
pub(super) fn check(check: &mut Check<'_, '_>) {
    for (idx, limit) in check.config.checks.iter().enumerate() {
        let here = Check::entry("check", idx);
        without_use(check, limit, &here);
        missing(check, limit, &here);
        names(check, limit, &here);
        numbers(check, limit, &here);
    }
}

/// The kinds that a key is about.
fn kinds_of(key: &str) -> &'static [LimitKind] {
    use LimitKind::{Count, Coverage, KeepOff, Overlap, Roots, Seams, Void};
    match key {
        "species" => &[Void, Roots, KeepOff, Count],
        "stratum" => &[KeepOff, Coverage],
        "distance" => &[KeepOff],
        "tolerance" => &[Roots],
        "most" => &[Void, Roots, Overlap, KeepOff, Seams],
        // `band` and `drift`.
        _ => &[Coverage, Count],
    }
}

fn without_use(check: &mut Check<'_, '_>, limit: &Limit, here: &KeyPath) {
    let given = [
        ("species", limit.species.is_some()),
        ("stratum", limit.stratum.is_some()),
        ("distance", limit.distance.is_some()),
        ("tolerance", limit.tolerance.is_some()),
        ("band", limit.band.is_some()),
        ("drift", limit.drift.is_some()),
        ("most", limit.most.is_some()),
    ];
    for (key, _) in given.iter().filter(|(_, is_given)| *is_given) {
        let kinds = kinds_of(key);
        if !kinds.contains(&limit.kind) {
            let words: Vec<String> = kinds.iter().map(|kind| quoted(*kind)).collect();
            let message = format!("`{key}` in a [[check]] of {}", quoted(limit.kind));
            let expected = format!("leave it out: it is about {}", words.join(", "));
            check.note_key(&here.key(*key), message, expected, None);
        }
    }
}

fn quoted(kind: LimitKind) -> String {
    format!("\"{}\"", kind.word())
}

fn missing(check: &mut Check<'_, '_>, limit: &Limit, here: &KeyPath) {
    let kind = quoted(limit.kind);
    if kinds_of("stratum").contains(&limit.kind) && limit.stratum.is_none() {
        let message = format!("a [[check]] of {kind} without a stratum");
        let help = Some(String::from("for example `stratum = \"road\"`"));
        check.note(&here.key("kind"), message, "expected `stratum` too", help);
    }
    let has_limit = limit.band.is_some() || limit.drift.is_some();
    if kinds_of("band").contains(&limit.kind) && !has_limit {
        let message = format!("a [[check]] of {kind} without a limit");
        let help = Some(String::from(match limit.kind {
            LimitKind::Coverage => "for example `band = [0.1, 0.4]`, or `drift = 0.05`",
            _ => "for example `band = [1000, 2000]`, or `drift = 0.05`",
        }));
        let expected = "expected `band` or `drift` too";
        check.note(&here.key("kind"), message, expected, help);
    }
}

fn names(check: &mut Check<'_, '_>, limit: &Limit, here: &KeyPath) {
    if let Some(stratum) = &limit.stratum {
        check.known_stratum(stratum, &here.key("stratum"), false);
    }
    // A species that is written as a density has no plants to check.
    let grown = check.config.species.iter().filter(|s| !s.is_density());
    let known: Vec<&str> = grown.map(|s| s.name.as_str()).collect();
    let Some(name) = limit.species.as_deref() else {
        return;
    };
    if !known.contains(&name) {
        let near = nearest(name, known.iter().copied());
        let help = near.map(|near| format!("did you mean `{near}`?"));
        let message = format!("there is no species \"{name}\"");
        let expected = match known.is_empty() {
            true => "no species is listed".to_owned(),
            false => format!("expected one of {}", listed(known)),
        };
        check.note(&here.key("species"), message, expected, help);
    }
}

fn numbers(check: &mut Check<'_, '_>, limit: &Limit, here: &KeyPath) {
    let most = check.config.edges.max_distance;
    if limit.distance.is_some_and(|distance| distance > most) {
        let message = "`distance` in a [[check]] reaches farther than distances are kept";
        let expected = format!("expected at most `edges.max_distance`, {most}");
        check.note(&here.key("distance"), message, expected, None);
    }
    let Some(band @ [lo, hi]) = limit.band else {
        return;
    };
    let path = here.key("band");
    // A band of one value is a limit, too: exactly so many.
    if lo > hi {
        check.band(band, &path);
    } else if limit.kind == LimitKind::Coverage && hi > 1.0 {
        let message = "`band` in a [[check]] of \"coverage\" passes the whole ground";
        let help = Some(String::from("a share of 1 is all of it"));
        check.note(&path.at(1), message, "expected at most 1", help);
    }
}
