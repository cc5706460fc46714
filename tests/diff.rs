//! What differs between two worlds is what their exports say, however either is cut.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use ecotone_grid::{Raster, Rect};
use ecotone_interchange::{Finished, InterchangeError, WorldDiff, diff_to_csv};
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
    assert_eq!(
        species["pine"].counts.total(),
        species["pine"].counts.changed
    );
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

/// A band of the whole map: a value for each pixel, NaN for a void.
type Band = (String, String, Vec<f64>);

fn whole_bands(world: &Finished) -> Vec<Band> {
    let (map, manifest) = (world.map(), world.manifest());
    let (mut weights, mut sdf) = (Raster::default(), Raster::default());
    world.weights(map, &mut weights).unwrap();
    world.sdf(map, &mut sdf).unwrap();
    let scale = manifest.edges.scale;
    let mut bands = Vec::new();
    for (idx, name) in manifest.strata.iter().enumerate() {
        let weights = weights.band(idx).pixels().iter();
        let shares = weights.map(|&v| f64::from(v) / 255.0).collect();
        bands.push(("weights".to_owned(), name.clone(), shares));
    }
    for (idx, name) in manifest.strata.iter().enumerate() {
        let metres = sdf.band(idx).pixels().iter().map(|&v| match v {
            i16::MIN => f64::NAN,
            steps => f64::from(steps) * scale,
        });
        bands.push(("sdf".to_owned(), name.clone(), metres.collect()));
    }
    for (field, record) in &manifest.fields {
        for (idx, name) in record.bands.iter().enumerate() {
            let mut values = Raster::default();
            assert!(world.field(field, idx, map, &mut values).unwrap());
            let values = values.pixels().iter().map(|&v| f64::from(v)).collect();
            bands.push((format!("fields/{field}"), name.clone(), values));
        }
    }
    bands
}

/// Pixels that differ, those void in one of the two, the greatest change, and the rectangle.
fn brute(old: &[f64], new: &[f64]) -> (u64, u64, f64, Rect) {
    let (mut n, mut n_void, mut greatest) = (0, 0, 0.0_f64);
    let mut rect = Rect::new(i64::MAX, i64::MAX, i64::MIN, i64::MIN);
    for (idx, (a, b)) in old.iter().zip(new).enumerate() {
        if a == b || a.is_nan() && b.is_nan() {
            continue;
        }
        let (x, y) = ((idx % SIZE.0) as i64, (idx / SIZE.0) as i64);
        rect = Rect::new(
            rect.x0.min(x),
            rect.y0.min(y),
            rect.x1.max(x + 1),
            rect.y1.max(y + 1),
        );
        n += 1;
        if a.is_nan() || b.is_nan() {
            n_void += 1;
        } else {
            greatest = greatest.max((a - b).abs());
        }
    }
    (n, n_void, greatest, rect)
}

#[track_caller]
fn check_fields(place: &Place, old: &str, new: &str) -> usize {
    let (found, _) = compare(place, old, new);
    let (old, new) = (open(place, old), open(place, new));
    let mut n_bands = 0;
    for (stage, name, after) in whole_bands(&new) {
        let before = whole_bands(&old)
            .into_iter()
            .find(|band| (&band.0, &band.1) == (&stage, &name));
        let (n, n_void, greatest, rect) = brute(&before.unwrap().2, &after);
        let band = found
            .fields
            .bands
            .iter()
            .find(|b| b.stage == stage && b.band == name);
        let Some(band) = band else {
            assert_eq!(n, 0, "{stage} {name}");
            continue;
        };
        n_bands += 1;
        assert_eq!(
            (band.n_pixels, band.n_void, band.bounds),
            (n, n_void, rect),
            "{stage} {name}"
        );
        let Some(most) = band.greatest else {
            assert_eq!(n, n_void, "{stage} {name}");
            continue;
        };
        assert_eq!(most.amount(), greatest, "{stage} {name}");
        let [x, y] = most.pixel;
        let idx = y as usize * SIZE.0 + x as usize;
        assert_eq!(most.new, after[idx]);
        // Pixels of 1 m, the north-west corner at (1000, 2000).
        assert_eq!(most.place, [1000.5 + x as f64, 1999.5 - y as f64]);
    }
    assert_eq!(n_bands, found.fields.bands.len());
    n_bands
}

#[test]
fn pixels_that_differ_are_counted_and_placed_however_the_worlds_are_tiled() {
    let place = world();
    let slope = "[output]\nfields = [\"slope\"]";
    let with_slope = |text: String| text.replace("[output]", slope);
    place
        .bake(&with_slope(config_text(64, 60.0)), 2, "old")
        .unwrap();
    for (idx, tile) in [64, 50, 200].iter().enumerate() {
        let name = format!("new{idx}");
        place
            .bake(&with_slope(raised(*tile, 60.0)), 2, &name)
            .unwrap();
        assert!(check_fields(&place, "old", &name) >= 5);
    }
}

#[test]
fn bands_are_matched_by_name_and_those_of_one_world_are_named() {
    let place = world();
    let other = config_text(64, 60.0)
        .replace("name = \"road\"", "name = \"path\"")
        .replace("stratum = \"road\"", "stratum = \"path\"");
    place.bake(&other, 2, "new").unwrap();
    let (found, rows) = compare(&place, "old", "new");
    let named = |name: &str| ["weights", "sdf"].map(|stage| (stage.to_owned(), name.to_owned()));
    assert_eq!(found.fields.removed, named("road"));
    assert_eq!(found.fields.added, named("path"));
    assert!(found.fields.bands.is_empty() && rows.is_empty());
    assert!(!found.is_empty());
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

fn run(place: &Place, args: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_ecotone");
    Command::new(program)
        .current_dir(place.path(""))
        .args(args)
        .output()
        .unwrap()
}

#[track_caller]
fn check(place: &Place, args: &[&str], code: i32, words: &[&str]) -> String {
    let output = run(place, args);
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    let said = said.join("\n");
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{word:?} of {args:?} in {said}");
    }
    said
}

#[test]
fn revisions_are_compared_as_long_as_they_are_kept() {
    let place = world();
    check(
        &place,
        &["diff", "old"],
        2,
        &["holds no revision before its current one: it keeps 1;"],
    );
    place.bake(&raised(64, 60.0), 2, "old").unwrap();
    let said = check(
        &place,
        &["diff", "old"],
        0,
        &["old@1 → old@2", "oak", "removed", "weights:"],
    );
    assert_eq!(check(&place, &["diff", "old@1", "old@2"], 0, &[]), said);
    assert_eq!(check(&place, &["diff", "old@1"], 0, &[]), said);
    check(
        &place,
        &["diff", "old", "--exit-code"],
        1,
        &["old@1 → old@2"],
    );
    check(
        &place,
        &["diff", "old@2", "old", "--exit-code"],
        0,
        &["the worlds are the same"],
    );
    place.bake(&config_text(64, 60.0), 2, "old").unwrap();
    check(
        &place,
        &["diff", "old@1", "old"],
        2,
        &["holds no revision 1: it keeps 2 and 3;"],
    );
    check(&place, &["diff", "nowhere", "old"], 2, &["holds no world"]);
    check(
        &place,
        &["diff", "nowhere@3", "old"],
        2,
        &["holds no world"],
    );
}

#[test]
fn scripts_get_one_object_and_the_chunks_they_ask_for() {
    let place = world();
    place.bake(&raised(64, 60.0), 2, "new").unwrap();
    let object = |args: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&run(&place, args).stdout).unwrap()
    };
    let all = object(&["diff", "old", "new", "--json"]);
    let (found, _) = compare(&place, "old", "new");
    assert_eq!(all["same"], false);
    assert_eq!(
        all["chunks"].as_array().unwrap().len(),
        found.plants.chunks.len()
    );
    assert_eq!(
        all["fields"].as_array().unwrap().len(),
        found.fields.bands.len()
    );
    let oak = all["species"]
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["name"] == "oak")
        .unwrap();
    assert_eq!(oak["moved"], found.plants.species["oak"].counts.moved);
    let two = object(&["diff", "old", "new", "--json", "--limit", "1"]);
    let most = found
        .plants
        .chunks
        .iter()
        .map(|chunk| chunk.counts.total())
        .max()
        .unwrap();
    let counts = ["added", "removed", "moved", "resized", "changed"];
    let shown = two["chunks"].as_array().unwrap();
    let total: u64 = counts
        .iter()
        .map(|word| shown[0][word].as_u64().unwrap())
        .sum();
    assert_eq!((shown.len(), total), (1, most));
}

#[test]
fn chunks_and_tiles_of_one_digest_are_not_read() {
    let place = world();
    place.bake(&config_text(64, 60.0), 2, "new").unwrap();
    let world = open(&place, "new");
    let manifest = world.manifest().clone();
    for file in manifest.artefacts() {
        std::fs::remove_file(place.path("new").join(&file.file)).unwrap();
    }
    let found = diff_to_csv(&open(&place, "old"), &world, &place.path("differs.csv")).unwrap();
    assert!(found.is_empty());
}

#[test]
fn a_table_is_not_written_into_a_world_nor_left_half_done() {
    let place = world();
    place.bake(&raised(64, 60.0), 2, "new").unwrap();
    check(
        &place,
        &["diff", "old", "new", "--csv", "old/x.csv"],
        2,
        &["lies inside the world"],
    );
    check(
        &place,
        &["diff", "old", "new", "--csv", "new/x.csv"],
        2,
        &["lies inside the world"],
    );
    let world = open(&place, "new");
    let chunks = &world.manifest().chunks;
    let path = place
        .path("new")
        .join(&chunks[chunks.len() / 2].artefact.file);
    std::fs::remove_file(path).unwrap();
    let refused = diff_to_csv(&open(&place, "old"), &world, &place.path("x.csv")).unwrap_err();
    assert!(matches!(refused, InterchangeError::Store(_)), "{refused}");
    let names = std::fs::read_dir(place.path("")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().contains("x.csv")),
        "{names:?}"
    );
}
