//! The world of `configs/biomes.toml`: three biomes, a fourth within one of them, ten species and a density, with every kind of
//! rule at once.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use ecotone_bake::explain::{Explainer, FateWord, Place as At, Request};
use ecotone_bake::{Bake, Options, config};
use ecotone_grid::mix;
use ecotone_store::World;
use support::{Place, check_run, plants};

/// The config and its species, to be changed in a place of its own.
struct Biomes {
    place: Place,
    text: String,
}

impl Biomes {
    fn new() -> Self {
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
        let place = Place::new();
        for folder in ["data", "species"] {
            std::fs::create_dir(place.path(folder)).unwrap();
        }
        for file in [
            "data/jacksboro_fault.tif",
            "data/trail.geojson",
            "species/trees.toml",
            "species/understorey.toml",
            "species/ground.toml",
        ] {
            std::fs::copy(configs.join(file), place.path(file)).unwrap();
        }
        let text = std::fs::read_to_string(configs.join("biomes.toml")).unwrap();
        Self { place, text }
    }

    /// Changes a file of species.
    fn change(&self, file: &str, from: &str, to: &str) {
        let path = self.place.path(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from:?} in {file}");
        std::fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    fn bake(&self, (tile, chunk, threads): (u32, u32, usize), out: &str) {
        let text = self.text.replace("size = 128", &format!("size = {tile}"));
        let text = text.replace("chunk = 256", &format!("chunk = {chunk}"));
        std::fs::write(self.place.path("world.toml"), &text).unwrap();
        let loaded = config::load(&self.place.path("world.toml")).unwrap_or_else(|e| panic!("{e}"));
        let options = Options {
            out: Some(self.place.path(out)),
            memory_bytes: 32 << 20,
            ..Options::default()
        };
        let bake = Bake::open(&loaded, &options).unwrap();
        bake.run(threads, &AtomicBool::new(false), &mut |_| {})
            .unwrap();
    }

    /// Rows of the plants of each species.
    fn rows(&self, out: &str) -> BTreeMap<String, BTreeSet<String>> {
        let mut rows = BTreeMap::<_, BTreeSet<_>>::new();
        for row in plants(&self.place.path(out)) {
            let name = row.split(',').nth(1).unwrap().to_owned();
            rows.entry(name).or_default().insert(row);
        }
        rows
    }
}

const CUT: (u32, u32, usize) = (128, 256, 2);

#[test]
fn any_cut_and_any_number_of_threads_make_the_same_world() {
    let biomes = Biomes::new();
    biomes.bake(CUT, "out");
    let whole = biomes.place.digests("out");
    assert!(whole.density.is_some());
    for cut in [(64, 100, 1), (100, 64, 7), (4096, 4096, 16)] {
        biomes.bake(cut, "other");
        assert_eq!(biomes.place.digests("other"), whole, "{cut:?}");
    }
}

#[test]
fn edits_of_ground_plants_and_rules_equal_a_fresh_bake() {
    let biomes = Biomes::new();
    biomes.bake(CUT, "out");
    let run = |args: &[&str]| check_run(&biomes.place, args, 0, &[]);
    run(&["edit", "out", "--raise", "800,-700,60,9"]);
    run(&["edit", "out", "--paint", "trail", "700,-600,30,1"]);
    let at = ["--species", "white oak", "--at", "812.5,-690.25"];
    run(&[&["pin", "out", "add"], &at[..]].concat());
    run(&["verify", "out", "--full"]);
    // The rules of an included file.
    biomes.change(
        "species/ground.toml",
        "coverage = 0.5, softness = 0.4",
        "coverage = 0.4, softness = 0.1",
    );
    biomes.change("species/trees.toml", "softness = 0.2", "softness = 0.1");
    biomes.bake(CUT, "out");
    run(&["verify", "out", "--full"]);
    run(&["edit", "out", "--undo", "3"]);
    biomes.bake(CUT, "fresh");
    assert_eq!(biomes.place.digests("out"), biomes.place.digests("fresh"));
}

#[test]
fn what_yields_changes_no_plant_of_what_it_yields_to() {
    let biomes = Biomes::new();
    biomes.bake(CUT, "out");
    let before = biomes.rows("out");
    // Both stand in the lowest tier.
    biomes.change("species/ground.toml", "density = 1500", "density = 700");
    biomes.change(
        "species/ground.toml",
        "[[species]]",
        "[[species]]\nname = \"a moss\"\ngroup = \"ground\"\nstrata = { hillside = 1.0 }\nspacing = 1.5\nfootprint = 0.3\n[[species]]",
    );
    biomes.bake(CUT, "out");
    let after = biomes.rows("out");
    assert!(after["a moss"].len() > 1000 && after["aster"].len() < before["aster"].len());
    let diff = ["diff", "out@1", "out@2", "--csv", "diff.csv"];
    check_run(&biomes.place, &diff, 0, &[]);
    let text = std::fs::read_to_string(biomes.place.path("diff.csv")).unwrap();
    let species = text
        .lines()
        .skip(1)
        .map(|row| row.split(',').next().unwrap());
    let changed: BTreeSet<&str> = species.collect();
    assert!(changed.is_superset(&BTreeSet::from(["a moss", "aster"])));
    assert!(changed.is_subset(&BTreeSet::from(["a moss", "aster", "fern", "chanterelle"])));
    for (name, rows) in &before {
        match name.as_str() {
            // These compete with the moss and the asters; who still stands does so as before.
            "aster" | "fern" | "chanterelle" => {
                let kept = rows.intersection(&after[name]).count();
                assert!(kept * 3 > after[name].len(), "{kept} of {name}");
            }
            _ => assert!(*rows == after[name], "{name}"),
        }
    }
}

/// The smallest distance of plants to any other closer than `within` metres, of each pair of species.
fn closest(rows: &BTreeMap<String, BTreeSet<String>>, within: f64) -> BTreeMap<[&str; 2], f64> {
    let cell = |v: f64| (v / within).floor() as i64;
    let mut cells = BTreeMap::<(i64, i64), Vec<(&str, f64, f64)>>::new();
    for (name, rows) in rows {
        for row in rows {
            let mut columns = row.split(',').skip(2).map(|v| v.parse::<f64>().unwrap());
            let (x, y) = (columns.next().unwrap(), columns.next().unwrap());
            let own = cells.entry((cell(x), cell(y))).or_default();
            own.push((name, x, y));
        }
    }
    let mut closest = BTreeMap::new();
    for (&(i, j), own) in &cells {
        let around = (i - 1..=i + 1).flat_map(|i| (j - 1..=j + 1).map(move |j| (i, j)));
        let others: Vec<_> = around.filter_map(|at| cells.get(&at)).flatten().collect();
        for a in own {
            for b in others.iter().filter(|b| **b != a && a.0 <= b.0) {
                let (dx, dy) = (a.1 - b.1, a.2 - b.2);
                let gap = closest.entry([a.0, b.0]).or_insert(f64::INFINITY);
                *gap = (dx * dx + dy * dy).sqrt().min(*gap);
            }
        }
    }
    closest
}

#[test]
fn no_two_plants_are_closer_than_they_may_across_all_borders() {
    let biomes = Biomes::new();
    // Chunks of 64 m and tiles of 32 pixels: borders everywhere.
    biomes.bake((32, 64, 2), "out");
    let rows = biomes.rows("out");
    let closest = closest(&rows, 5.0);
    // Spacings, sums of footprints, the spacing of the canopy, and what rhododendrons keep from oaks.
    for (pair, least) in [
        (["white oak", "white oak"], 4.6),
        (["red spruce", "red spruce"], 3.6),
        (["fern", "fern"], 0.9),
        (["beech", "white oak"], 4.0),
        (["red spruce", "table pine"], 4.0),
        (["tulip poplar", "white oak"], 4.0),
        (["rhododendron", "white oak"], 3.5),
        (["fern", "rhododendron"], 1.05),
        (["fern", "white oak"], 1.75),
        (["aster", "chanterelle"], 0.25),
    ] {
        let found = closest[&pair];
        // A row gives metres to three digits.
        assert!(found >= least - 2e-3, "{pair:?}: {found}");
        assert!(found < least + 1.5, "{pair:?} never meet: {found}");
    }
}

#[test]
fn an_explanation_agrees_with_the_bake_under_every_kind_of_rule() {
    let biomes = Biomes::new();
    biomes.bake(CUT, "out");
    let world = World::open(&biomes.place.path("out")).unwrap();
    let explainer = Explainer::open(&world, 32 << 20).unwrap();
    let mut plants = BTreeMap::new();
    for rows in biomes.rows("out").into_values() {
        for row in rows {
            let columns: Vec<&str> = row.split(',').collect();
            let number = |k: usize| columns[k].parse::<f64>().unwrap();
            let id: u64 = columns[0].parse().unwrap();
            plants.insert(id, (columns[1].to_owned(), [number(2), number(3)]));
        }
    }
    let ask = |[x, y]: [f64; 2], radius| {
        let request = Request {
            at: At::Point(x, y),
            radius,
            species: None,
        };
        explainer.explain(&request).unwrap()
    };
    let mut ids: Vec<u64> = plants.keys().copied().collect();
    ids.sort_unstable_by_key(|&id| mix(id));
    for id in &ids[..1000] {
        let (name, at) = &plants[id];
        let answer = ask(*at, 0.01);
        let own = answer.species.iter().find(|own| own.name == *name).unwrap();
        let stands = own.candidates.iter().find(|c| c.fate == FateWord::Stands);
        assert_eq!(stands.unwrap().id, format!("{id:#018x}"));
    }
    // Plants by their square of 4 m.
    let cell = |[x, y]: [f64; 2]| [x, y].map(|v| (v / 4.0).floor() as i64);
    let mut cells = BTreeMap::<[i64; 2], Vec<(u64, [f64; 2])>>::new();
    for (&id, &(_, at)) in &plants {
        cells.entry(cell(at)).or_default().push((id, at));
    }
    const RADIUS: f64 = 1.5;
    // Rows give metres to three digits.
    const ROUNDING: f64 = 2e-3;
    let mut n_empty = 0;
    for k in 0.. {
        let h = mix(k);
        let share = |bits: u32| (h >> bits & 0xffff) as f64 / 65536.0;
        let at = [1612.0 * share(0), -1376.0 * share(32)];
        let within = |radius: f64| -> BTreeSet<String> {
            let [i, j] = cell(at);
            let squares = (i - 1..=i + 1).flat_map(|i| (j - 1..=j + 1).map(move |j| [i, j]));
            let around = squares.filter_map(|square| cells.get(&square)).flatten();
            let near = around.filter(|(_, [x, y])| (x - at[0]).hypot(y - at[1]) <= radius);
            near.map(|(id, _)| format!("{id:#018x}")).collect()
        };
        let answer = ask(at, RADIUS);
        let standing = answer.species.iter().flat_map(|own| &own.candidates);
        let standing = standing.filter(|c| c.fate == FateWord::Stands);
        let found: BTreeSet<String> = standing.map(|c| c.id.clone()).collect();
        assert!(found.is_superset(&within(RADIUS - ROUNDING)), "{at:?}");
        assert!(found.is_subset(&within(RADIUS + ROUNDING)), "{at:?}");
        n_empty += usize::from(found.is_empty());
        if n_empty == 1000 {
            break;
        }
    }
}
