//! The house is as ARCHITECTURE.md draws it: arrows between crates point down only.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Each crate's floor, and the crates of the house that it may see.
const FLOORS: &[(&str, &[&str])] = &[
    ("grid", &[]),
    ("terrain", &["grid"]),
    ("sdf", &["grid"]),
    ("scatter", &["grid"]),
    ("geotiff", &["grid"]),
    ("store", &["grid"]),
    (
        "bake",
        &["grid", "terrain", "sdf", "scatter", "geotiff", "store"],
    ),
    ("interchange", &["grid", "geotiff", "store"]),
    ("cli", &["grid", "geotiff", "store", "bake", "interchange"]),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The crates of the house that a `Cargo.toml` names in any of its dependency tables, target-specific ones included.
fn arrows(manifest: &str) -> Vec<String> {
    let table: toml::Table = manifest.parse().expect("a Cargo.toml is TOML");
    let mut found = Vec::new();
    collect(&table, &mut found);
    found
}

fn collect(table: &toml::Table, found: &mut Vec<String>) {
    for (key, value) in table {
        let Some(inner) = value.as_table() else {
            continue;
        };
        if key.ends_with("dependencies") {
            found.extend(inner.iter().filter_map(|(name, spec)| {
                let package = spec.get("package").and_then(|p| p.as_str()).unwrap_or(name);
                package.strip_prefix("ecotone-").map(str::to_owned)
            }));
        } else {
            collect(inner, found);
        }
    }
}

fn check_arrows(name: &str, manifest: &str) -> Result<(), String> {
    let floors: BTreeMap<_, _> = FLOORS.iter().copied().collect();
    let allowed = floors
        .get(name)
        .ok_or(format!("crate {name} stands on no floor"))?;
    match arrows(manifest)
        .iter()
        .find(|to| !allowed.contains(&to.as_str()))
    {
        None => Ok(()),
        Some(to) => Err(format!("{name} must not see {to}")),
    }
}

#[test]
fn arrows_point_down_only() {
    let mut seen = 0;
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let dir = entry.unwrap().path();
        let name = dir.file_name().unwrap().to_str().unwrap().to_owned();
        let manifest = std::fs::read_to_string(dir.join("Cargo.toml")).unwrap();
        check_arrows(&name, &manifest).unwrap();
        seen += 1;
    }
    assert_eq!(seen, FLOORS.len());
}

#[test]
fn an_arrow_that_points_up_is_seen() {
    for manifest in [
        "[dependencies]\necotone-bake.workspace = true",
        "[dev-dependencies]\necotone-bake = { path = \"../bake\" }",
        "[target.'cfg(unix)'.dependencies]\nx = { package = \"ecotone-bake\", path = \"../bake\" }",
    ] {
        assert!(check_arrows("sdf", manifest).is_err(), "{manifest}");
    }
}

/// Words that only one crate may use, with the crate that may.
const KEPT: &[(&str, &[&str])] = &[
    ("std::thread", &["bake"]),
    ("crossbeam_channel", &["bake"]),
    ("println!", &[]),
    ("tokio::", &[]),
];

#[test]
fn threads_live_in_bake_and_printing_in_cli() {
    for (name, _) in FLOORS {
        for file in rust_files(&root().join("crates").join(name).join("src")) {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (word, owners) in KEPT {
                let used = code
                    .lines()
                    .any(|line| line.contains(word) && !line.trim_start().starts_with("//"));
                assert!(
                    !used || owners.contains(name),
                    "{} uses {word}",
                    file.display()
                );
            }
        }
    }
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}
