//! Species that take their keys from another: `extend`, and the templates that are only there for it.
//!
//! It works on the document, before anything is read from it: what a species takes over is as if it were written there, but
//! a mistake in it is shown where it was written.

use std::collections::BTreeMap;

use super::document::{Node, Value};
use super::error::{Findings, listed, nearest};

/// What no species takes over from another.
const OWN: [&str; 3] = ["name", "template", "extend"];

/// Whether a table is only there to be extended.
pub(super) fn is_template(table: &Node) -> bool {
    // What is neither true nor false is a mistake of its own, and not a reason to miss keys.
    let mark = table.get("template");
    mark.is_some_and(|node| !matches!(node.value, Value::Boolean(false)))
}

/// Gives each species the keys that it does not have from the one it extends; a key is taken over whole.
pub(super) fn merge(root: &mut Node, findings: &mut Findings<'_>) {
    let Some(species) = species(root) else {
        return;
    };
    named_once(species, findings);
    let parents: Vec<Option<usize>> = (0..species.len())
        .map(|idx| parent(species, idx, findings))
        .collect();
    let mut children = vec![Vec::new(); species.len()];
    for (child, parent) in parents.iter().enumerate() {
        if let &Some(parent) = parent {
            children[parent].push(child);
        }
    }
    // A species is whole before those that extend it; what is never whole is in a circle, or extends one that is.
    let is_first = |idx: &usize| parents[*idx].is_none();
    let mut whole: Vec<usize> = (0..species.len()).filter(is_first).collect();
    let mut n_done = 0;
    while let Some(&parent) = whole.get(n_done) {
        for &child in &children[parent] {
            take_over(species, child, parent);
            whole.push(child);
        }
        n_done += 1;
    }
    for circle in circles(&parents, &whole) {
        note_circle(species, &circle, findings);
    }
}

/// Leaves out the templates, and the keys that are done with.
pub(super) fn resolve(root: &mut Node) {
    let Some(list) = species(root) else {
        return;
    };
    list.retain(|table| !is_template(table));
    for table in list {
        if let Value::Table(keys) = &mut table.value {
            keys.remove("template");
            keys.remove("extend");
        }
    }
}

fn species(root: &mut Node) -> Option<&mut Vec<Node>> {
    let Value::Table(keys) = &mut root.value else {
        return None;
    };
    match &mut keys.get_mut("species")?.value {
        Value::List(list) => Some(list),
        _ => None,
    }
}

fn name(table: &Node) -> Option<&str> {
    table.get("name")?.text()
}

/// Notes names that are a template's and another's too. Names of species that grow are looked at when templates are gone.
fn named_once(species: &[Node], findings: &mut Findings<'_>) {
    let mut taken: BTreeMap<String, &Node> = BTreeMap::new();
    for table in species {
        let (Some(key), Some(name)) = (table.get("name"), name(table)) else {
            continue;
        };
        let Some(first) = taken.insert(name.to_lowercase(), table) else {
            continue;
        };
        if is_template(first) || is_template(table) {
            let line = findings.line(&first.get("name").unwrap_or(first).span);
            let message = format!("two [[species]] have the name \"{name}\"");
            let expected = format!(
                "expected another: it is taken on line {line}, and case does not tell names apart"
            );
            findings.note(Some(&key.span), message, expected, None);
        }
    }
}

/// The species that one extends, if that is there.
fn parent(species: &[Node], idx: usize, findings: &mut Findings<'_>) -> Option<usize> {
    let key = species[idx].get("extend")?;
    let wanted = key.text()?;
    let is_wanted = |table: &Node| name(table) == Some(wanted);
    if is_wanted(&species[idx]) {
        let message = format!("the species \"{wanted}\" extends itself");
        let expected = String::from("expected the name of another species");
        findings.note(Some(&key.span), message, expected, None);
        return None;
    }
    let found = species.iter().position(is_wanted);
    if found.is_none() {
        let others = species
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != idx);
        let names: Vec<&str> = others.filter_map(|(_, table)| name(table)).collect();
        let help = nearest(wanted, names.iter().copied());
        let expected = match names.is_empty() {
            true => String::from("there is no other species to extend"),
            false => format!("expected one of {}", listed(names)),
        };
        findings.note(
            Some(&key.span),
            format!("there is no species \"{wanted}\" to extend"),
            expected,
            help.map(|near| format!("did you mean `{near}`?")),
        );
    }
    found
}

fn take_over(species: &mut [Node], child: usize, parent: usize) {
    let Value::Table(inherited) = species[parent].value.clone() else {
        return;
    };
    let Value::Table(keys) = &mut species[child].value else {
        return;
    };
    for (key, node) in inherited {
        if !OWN.contains(&key.as_str()) {
            keys.entry(key).or_insert(node);
        }
    }
}

/// The species that extend each other in circles, each circle once.
fn circles(parents: &[Option<usize>], whole: &[usize]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; parents.len()];
    whole.iter().for_each(|&idx| seen[idx] = true);
    let mut circles = Vec::new();
    for start in 0..parents.len() {
        let mut way = Vec::new();
        let mut next = Some(start);
        while let Some(idx) = next.filter(|&idx| !seen[idx]) {
            seen[idx] = true;
            way.push(idx);
            next = parents[idx];
        }
        // The way ended where it had been before: what led there is no part of the circle.
        if let Some(from) = way.iter().position(|&idx| Some(idx) == next) {
            circles.push(way[from..].to_vec());
        }
    }
    circles
}

fn note_circle(species: &[Node], circle: &[usize], findings: &mut Findings<'_>) {
    let around = circle.iter().chain(circle.first());
    let names: Vec<&str> = around.filter_map(|&idx| name(&species[idx])).collect();
    let first = circle.iter().find_map(|&idx| species[idx].get("extend"));
    findings.note(
        first.map(|key| &key.span),
        String::from("species extend each other in a circle"),
        format!("it goes {}", names.join(" → ")),
        Some(String::from(
            "take `extend` from one of them, or let them all extend a template",
        )),
    );
}
