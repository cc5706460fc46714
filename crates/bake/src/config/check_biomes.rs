//! Whether biomes and groups hold together, and what species say of each other.

use super::check::Check;
use super::check_conditions;
use super::document::KeyPath;
use super::error::{listed, nearest};
use super::{Biome, Species};

/// Notes everything in biomes, groups and the relations of species that contradicts itself.
pub(super) fn check(check: &mut Check<'_, '_>) {
    let config = check.config;
    check.names("group", config.groups.iter().map(|own| own.name.as_str()));
    check.names("biome", config.biomes.iter().map(|own| own.name.as_str()));
    for (idx, own) in config.biomes.iter().enumerate() {
        biome(check, own, &Check::entry("biome", idx));
    }
    for (idx, own) in config.species.iter().enumerate() {
        relations(check, own, &Check::entry("species", idx));
    }
}

fn biome(check: &mut Check<'_, '_>, own: &Biome, here: &KeyPath) {
    let config = check.config;
    for name in own.strata.keys() {
        check.known_stratum(name, &here.key("strata").key(name), true);
    }
    check_conditions::check(check, &own.conditions, here);
    for (idx, name) in own.species.iter().enumerate() {
        let names = config.species.iter().map(|own| own.name.as_str()).collect();
        known(
            check,
            ("species", name),
            names,
            &here.key("species").at(idx),
            false,
        );
    }
    if own.strata.is_empty() && own.conditions.is_empty() && own.within.is_none() {
        let message = format!("the biome \"{}\" does not say where it is", own.name);
        let expected = "expected `strata`, `within`, or a condition such as `altitude` or `mask`";
        let help = format!(
            "for example `strata = {{ {} = 1.0 }}`",
            config.strata[0].name
        );
        check.note(here, message, expected, Some(help));
    }
    let Some(parent) = &own.within else {
        return;
    };
    let path = here.key("within");
    let names = config.biomes.iter().map(|own| own.name.as_str()).collect();
    if known(check, ("biome", parent), names, &path, false) && is_within_itself(config, own) {
        let message = format!("the biome \"{}\" lies within itself", own.name);
        let expected = "expected a biome that does not lie in this one";
        check.note(&path, message, expected, None);
    }
}

/// Whether a way up from a biome leads back to it.
fn is_within_itself(config: &super::Config, own: &Biome) -> bool {
    let mut at = own;
    for _ in 0..config.biomes.len() {
        let parent = config
            .biomes
            .iter()
            .find(|other| at.within.as_ref() == Some(&other.name));
        match parent {
            Some(parent) if parent.name == own.name => return true,
            Some(parent) => at = parent,
            None => return false,
        }
    }
    false
}

/// Notes what a species says of a group or of others that cannot be.
fn relations(check: &mut Check<'_, '_>, own: &Species, here: &KeyPath) {
    let config = check.config;
    if let Some(group) = &own.group {
        let names = config.groups.iter().map(|own| own.name.as_str()).collect();
        known(check, ("group", group), names, &here.key("group"), false);
    }
    if own.is_density() {
        return density(check, own, here);
    }
    for name in own.keep_from.keys() {
        let path = here.key("keep_from").key(name);
        if *name == own.name {
            let message = format!("\"{name}\" keeps from itself");
            let help = "the distance between plants of one species is `spacing`".to_owned();
            check.note_key(&path, message, "expected another species", Some(help));
        } else {
            other(check, name, &path, true);
        }
    }
    let Some(near) = &own.near else {
        return;
    };
    let path = here.key("near").key("species");
    let Some(parent) = other(check, &near.species, &path, false) else {
        return;
    };
    let (ours, theirs) = (config.priority(own), config.priority(parent));
    if theirs <= ours {
        let message = format!(
            "\"{}\" is not placed before \"{}\", which is to stand near it",
            parent.name, own.name
        );
        let expected = format!("expected a priority above {ours}, found {theirs}");
        let help = format!(
            "raise the priority of \"{}\", or lower this one",
            parent.name
        );
        check.note(&path, message, expected, Some(help));
    }
}

/// Notes keys of competition on a species that has no part in it.
fn density(check: &mut Check<'_, '_>, own: &Species, here: &KeyPath) {
    let surplus = [
        ("footprint", own.footprint > 0.0),
        ("keep_from", !own.keep_from.is_empty()),
        ("near", own.near.is_some()),
    ];
    for (key, is_surplus) in surplus {
        if is_surplus {
            let message = format!("`{key}` of \"{}\", which is written as a density", own.name);
            let expected = "leave it out: a density has no plants that keep a distance";
            check.note_key(&here.key(key), message, expected, None);
        }
    }
}

/// Another species that grows plants; noted where there is none.
fn other<'a>(
    check: &mut Check<'a, '_>,
    name: &str,
    path: &KeyPath,
    is_key: bool,
) -> Option<&'a Species> {
    let config = check.config;
    let found = config.species.iter().find(|own| own.name == name);
    match found {
        Some(found) if found.is_density() => {
            let message = format!("\"{name}\" is written as a density and has no plants");
            let expected = "expected a species that grows plants";
            if is_key {
                check.note_key(path, message, expected, None);
            } else {
                check.note(path, message, expected, None);
            }
            None
        }
        Some(found) => Some(found),
        None => {
            let grown = config.species.iter().filter(|own| !own.is_density());
            let names = grown.map(|own| own.name.as_str()).collect();
            known(check, ("species", name), names, path, is_key);
            None
        }
    }
}

/// Whether a name is one of those there are; noted where it is not.
fn known(
    check: &mut Check<'_, '_>,
    (kind, name): (&str, &str),
    names: Vec<&str>,
    path: &KeyPath,
    is_key: bool,
) -> bool {
    if names.contains(&name) {
        return true;
    }
    let near = nearest(name, names.iter().copied());
    let help = near.map(|near| format!("did you mean `{near}`?"));
    let message = format!("there is no {kind} \"{name}\"");
    let expected = match names.is_empty() {
        true => format!("no {kind} is listed"),
        false => format!("expected one of {}", listed(names)),
    };
    if is_key {
        check.note_key(path, message, expected, help);
    } else {
        check.note(path, message, expected, help);
    }
    false
}
