//! What differs between two worlds is what their exports say, however either is cut.

#![allow(clippy::unwrap_used)]

#[path = "diff/command.rs"]
mod command;
#[path = "diff/fields.rs"]
mod fields;
mod support;

use std::collections::BTreeMap;
use std::path::Path;

use ecotone_interchange::{Finished, WorldDiff, diff_to_csv};
use support::{NODATA, Place, config_text, hills, is_void, plain, plants};

const SIZE: (usize, usize) = (150, 131);

/// A world in `old`, and the place to bake others in; `raised.tif` has a bump of 6 m, and a void more.
fn world() -> Place {
    let place = Place::with_hills(&plain(SIZE.0, SIZE.1));
    let bump = |x: usize, y: usize| {
        let (dx, dy) = (x as f64 - 100.0, y as f64 - 30.0);
        (1.0 - (dx * dx + dy * dy) / 144.0).max(0.0) * 6.0
    };
    place.write("raised.tif", &plain(SIZE.0, SIZE.1), |x, y| {
        if is_void(x, y) || (20..24).contains(&x) && (60..63).contains(&y) {
            NODATA
        } else {
            hills(x, y) + bump(x, y)
        }
    });
    place.bake(&config_text(64, 60.0), 2, "old").unwrap();
    place
}

fn raised(tile: u32, chunk: f64) -> String {
    config_text(tile, chunk).replace("heights.tif", "raised.tif")
}

fn open(place: &Place, name: &str) -> Finished {
    Finished::open_named(&place.path(name)).unwrap()
}

fn compare(place: &Place, old: &str, new: &str) -> (WorldDiff, Vec<Vec<String>>) {
    let file = place.path("differs.csv");
    let found = diff_to_csv(&open(place, old), &open(place, new), &file).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().skip(1);
    let rows = rows.map(|row| row.split(',').map(str::to_owned).collect());
    (found, rows.collect())
}

/// The rows of an export by species and id.
fn exported(world: &Path) -> BTreeMap<(String, String), Vec<String>> {
    let rows = plants(world).into_iter().map(|row| {
        let cells: Vec<String> = row.split(',').map(str::to_owned).collect();
        ((cells[1].clone(), cells[0].clone()), cells)
    });
    rows.collect()
}

/// What two exports say: rows as those of the CSV, by species and id.
fn expected(old: &Path, new: &Path, chunk_m: f64) -> Vec<Vec<String>> {
    const X: usize = 2;
    const Z: usize = 4;
    const SIZE: usize = 6;
    let (old, new) = (exported(old), exported(new));
    let mut keys: Vec<_> = old.keys().chain(new.keys()).collect();
    keys.sort();
    keys.dedup();
    let mut rows = Vec::new();
    for key in keys {
        let (a, b) = (old.get(key), new.get(key));
        let what = match (a, b) {
            (None, _) => "added",
            (_, None) => "removed",
            (Some(a), Some(b)) if a == b => continue,
            (Some(a), Some(b)) if a[Z] != b[Z] => "moved",
            (Some(a), Some(b)) if a[SIZE] != b[SIZE] => "resized",
            _ => "changed",
        };
        let plant = b.or(a).unwrap();
        let cell =
            |row: Option<&Vec<String>>, at: usize| row.map_or(String::new(), |r| r[at].clone());
        let chunk = |at: usize| {
            (plant[at].parse::<f64>().unwrap() / chunk_m)
                .floor()
                .to_string()
        };
        rows.push(vec![
            key.0.clone(),
            key.1.clone(),
            what.to_owned(),
            plant[X].clone(),
            plant[X + 1].clone(),
            cell(a, Z),
            cell(b, Z),
            cell(a, SIZE),
            cell(b, SIZE),
            chunk(X),
            chunk(X + 1),
        ]);
    }
    rows
}

/// Compares plants of two worlds with what their exports say, and returns how often each word stands there.
#[track_caller]
fn check_plants(place: &Place, old: &str, new: &str, chunk_m: f64) -> BTreeMap<String, u64> {
    let (found, mut rows) = compare(place, old, new);
    let expected = expected(&place.path(old), &place.path(new), chunk_m);
    rows.sort();
    let mut sorted = expected.clone();
    sorted.sort();
    assert_eq!(rows, sorted);

    let mut words = BTreeMap::new();
    let mut chunks = BTreeMap::new();
    for row in &expected {
        *words.entry(row[2].clone()).or_insert(0) += 1;
        let [x, y] = [9, 10].map(|at| row[at].parse::<i64>().unwrap());
        *chunks.entry((y, x)).or_insert(0) += 1;
    }
    let counts = found.plants.counts();
    let word = |word: &str| words.get(word).copied().unwrap_or(0);
    assert_eq!(
        [
            counts.added,
            counts.removed,
            counts.moved,
            counts.resized,
            counts.changed
        ],
        ["added", "removed", "moved", "resized", "changed"].map(word)
    );
    let found_chunks = found.plants.chunks.iter().map(|chunk| {
        let [x, y] = chunk.at;
        ((y, x), chunk.counts.total())
    });
    assert!(found_chunks.eq(chunks));
    check_species(&found, &expected, place, old, new);
    words
}

#[track_caller]
fn check_species(found: &WorldDiff, rows: &[Vec<String>], place: &Place, old: &str, new: &str) {
    let (old, new) = (exported(&place.path(old)), exported(&place.path(new)));
    for (name, species) in &found.plants.species {
        let count = |plants: &BTreeMap<(String, String), Vec<String>>| {
            plants.keys().filter(|key| key.0 == *name).count() as u64
        };
        assert_eq!((species.n_old, species.n_new), (count(&old), count(&new)));
        let mine = || rows.iter().filter(|row| row[0] == *name);
        assert_eq!(species.counts.total(), mine().count() as u64, "{name}");
        let moved = mine().filter(|row| row[2] == "moved");
        let up = moved.map(|row| row[6].parse::<f64>().unwrap() - row[5].parse::<f64>().unwrap());
        let farthest = up.fold(0.0, |farthest: f64, up| farthest.max(up.abs()));
        let found = species.greatest_move.map_or(0.0, |m| m.metres.abs());
        assert!(
            (found - farthest).abs() < 1e-6,
            "{name}: {found} {farthest}"
        );
    }
}

#[test]
fn plants_that_differ_are_those_of_the_exports_however_the_worlds_are_cut() {
    let place = world();
    for (idx, (tile, chunk)) in [(64, 60.0), (64, 25.0), (50, 1000.0), (150, 64.0)]
        .iter()
        .enumerate()
    {
        let name = format!("new{idx}");
        place.bake(&raised(*tile, *chunk), 2, &name).unwrap();
        let words = check_plants(&place, "old", &name, *chunk);
        assert!(
            words["moved"] > 20 && words["added"] > 0 && words["removed"] > 0,
            "{words:?}"
        );
        check_plants(&place, &name, "old", 60.0);
    }
}

#[test]
fn sizes_and_other_looks_are_told_apart() {
    let place = world();
    let other = config_text(64, 60.0)
        .replace("size = [0.8, 1.4]", "size = [0.9, 1.6]")
        .replace("variants = { a = 1, b = 3 }", "variants = { a = 3, b = 1 }")
        .replace("name = \"fern\"", "name = \"moss\"");
    place.bake(&other, 2, "new").unwrap();
    let words = check_plants(&place, "old", "new", 60.0);
    assert!(
        ["added", "changed", "removed", "resized"]
            .iter()
            .all(|word| words[*word] >= 5),
        "{words:?}"
    );
    let (found, _) = compare(&place, "old", "new");
    let species = &found.plants.species;
    assert_eq!(species["oak"].counts.total(), species["oak"].counts.resized);
    // Ferns and pines compete, and moss throws other dice than fern.
    let pines = species["pine"].counts;
    assert_eq!(pines.total(), pines.changed + pines.added + pines.removed);
    assert_eq!((species["fern"].n_new, species["moss"].n_old), (0, 0));
    assert!(found.fields.is_empty());
}

#[test]
fn worlds_that_differ_in_their_cut_alone_are_the_same() {
    let place = world();
    place.bake(&config_text(37, 25.0), 2, "new").unwrap();
    let (found, rows) = compare(&place, "old", "new");
    assert!(found.is_empty() && rows.is_empty(), "{found:?}");
}

#[test]
fn maps_of_another_size_are_compared_by_their_plants_alone() {
    let place = world();
    place.write("cut.tif", &plain(120, 131), |x, y| {
        if is_void(x, y) { NODATA } else { hills(x, y) }
    });
    let mask = support::writer::Tiff::new(120, 131, (1, 8));
    place.write("cut_mask.tif", &mask, |x, y| {
        let off = (x as f64 - 0.8 * y as f64 - 20.0).abs();
        (255.0 * (1.0 - (off - 3.0) / 3.0).clamp(0.0, 1.0)).round()
    });
    let cut = config_text(64, 60.0)
        .replace("heights.tif", "cut.tif")
        .replace("mask.tif", "cut_mask.tif");
    place.bake(&cut, 2, "new").unwrap();
    let words = check_plants(&place, "old", "new", 60.0);
    assert!(words["removed"] > 20);
    let (found, _) = compare(&place, "old", "new");
    let why = found.fields.apart.unwrap();
    assert!(
        why.contains("150 × 131") && why.contains("120 × 131"),
        "{why}"
    );
}
