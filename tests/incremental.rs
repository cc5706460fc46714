//! What a bake of a world that is there takes over, and what it makes again.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use ecotone_bake::{Bake, BakeError, Options, Outcome, config};
use support::listing::listing;
use support::{Place, artefacts, config_text, hills, plain, settle};

const SIDE: usize = 160;

/// A baked world of tiles of 48 and chunks of 32 m, whose inputs are old enough to be told by their stamps.
fn world() -> (Place, String) {
    let place = Place::with_hills(&plain(SIDE, SIDE));
    settle();
    let text = config_text(48, 32.0);
    place.bake(&text, 2, "out").unwrap();
    (place, text)
}

/// Kept, same and made of strata, sdf and plants.
fn fates(outcome: &Outcome) -> [[usize; 3]; 3] {
    let fates = |k: usize| {
        let stage = &outcome.stages[k];
        assert_eq!(stage.kept + stage.same + stage.made, stage.total);
        [stage.kept, stage.same, stage.made]
    };
    [fates(0), fates(1), fates(2)]
}

const TILES: usize = 16;
const CHUNKS: usize = 36;

/// Bakes again, and compares with a fresh world of the same config.
#[track_caller]
fn again(place: &Place, text: &str) -> [[usize; 3]; 3] {
    let outcome = place.bake(text, 2, "out").unwrap();
    place.bake(text, 1, "fresh").unwrap();
    assert_eq!(place.digests("out"), place.digests("fresh"));
    assert_eq!(
        artefacts(&place.path("out")),
        artefacts(&place.path("fresh"))
    );
    std::fs::remove_dir_all(place.path("fresh")).unwrap();
    fates(&outcome)
}

/// Bakes once more, for which there is no reason.
fn fates_of_nothing(place: &Place, text: &str) -> [[usize; 3]; 3] {
    fates(&place.bake(text, 2, "out").unwrap())
}

const ALL_KEPT: [[usize; 3]; 3] = [[TILES, 0, 0], [TILES, 0, 0], [CHUNKS, 0, 0]];

#[test]
fn nothing_new_is_nothing_to_do_and_writes_nothing() {
    let (place, text) = world();
    let before = listing(&place.path("out"));
    let outcome = place.bake(&text, 2, "out").unwrap();
    assert_eq!(fates(&outcome), ALL_KEPT);
    assert!(!outcome.committed.is_new);
    assert_eq!(listing(&place.path("out")), before);
}

#[test]
fn a_touched_file_is_read_and_found_to_be_the_same() {
    let (place, text) = world();
    let heights = std::fs::read(place.path("heights.tif")).unwrap();
    std::fs::write(place.path("heights.tif"), heights).unwrap();
    settle();
    // The distances stand on the weights' digests, plants also on the heights.
    let right = [[0, TILES, 0], [TILES, 0, 0], [0, CHUNKS, 0]];
    assert_eq!(again(&place, &text), right);
}

#[test]
fn another_tile_size_leaves_the_plants_the_same() {
    let (place, text) = world();
    let text = text.replace("size = 48", "size = 40");
    assert_eq!(
        again(&place, &text),
        [[0, 0, 16], [0, 0, 16], [0, CHUNKS, 0]]
    );
}

#[test]
fn another_chunk_size_leaves_the_rasters() {
    let (place, text) = world();
    let text = text.replace("chunk = 32", "chunk = 64");
    let [strata, sdf, plants] = again(&place, &text);
    assert_eq!([strata, sdf], [[TILES, 0, 0]; 2]);
    assert_eq!(plants[..2], [0, 0]);
}

#[test]
fn another_species_leaves_the_rasters() {
    let (place, text) = world();
    let text = text
        + "[[species]]\nname = \"ash\"\nstrata = { meadow = 1.0 }\nspacing = 4.0\nfootprint = 0.5\npriority = 3\n";
    assert_eq!(again(&place, &text)[..2], [[TILES, 0, 0]; 2]);
}

#[test]
fn the_order_of_species_changes_nothing() {
    let (place, text) = world();
    let (head, species) = text.split_at(text.find("[[species]]").unwrap());
    let mut species: Vec<&str> = species.split("[[species]]").skip(1).collect();
    species.rotate_left(1);
    let turned = species
        .iter()
        .fold(head.to_owned(), |text, one| text + "[[species]]" + one);
    assert_ne!(turned, text);
    assert_eq!(again(&place, &turned), ALL_KEPT);
    let outcome = place.bake(&turned, 1, "out").unwrap();
    let names: Vec<&str> = outcome
        .n_plants
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["pine", "fern", "oak"]);
}

#[test]
fn another_threshold_leaves_the_weights() {
    let (place, text) = world();
    let text = text.replace("[edges]\n", "[edges]\nthreshold = 0.55\n");
    let [strata, sdf, _] = again(&place, &text);
    assert_eq!((strata, sdf), ([TILES, 0, 0], [0, 0, TILES]));
}

#[test]
fn one_pixel_reaches_the_four_tiles_that_read_it() {
    let place = Place::new();
    let flat = |raised: f64| {
        move |x: usize, y: usize| {
            if (x, y) == (63, 63) {
                raised
            } else {
                hills(x, y)
            }
        }
    };
    place.write("heights.tif", &plain(256, 256), flat(hills(63, 63)));
    settle();
    let text = "[terrain]\nheights = [\"heights.tif\"]\n[tiles]\nsize = 64\n[output]\nfields = [\"slope\"]\n\
        [[stratum]]\nname = \"meadow\"\nslope = [0, 30]\nblend = 10\n[[stratum]]\nname = \"rock\"\nfallback = true\ntilt = [0, 60]\n";
    place.bake(text, 2, "out").unwrap();
    place.write("heights.tif", &plain(256, 256), flat(hills(63, 63) + 5.0));
    settle();
    let strata = again(&place, text)[0];
    // Its own tile, and the three whose gradients read a pixel beyond their border.
    assert_eq!(strata, [0, 12, 4]);
}

#[test]
fn masks_and_patches_beside_a_tile_are_none_of_its_business() {
    let (place, text) = world();
    let patch = |height: f64| {
        let tiff = support::writer::Tiff::new(8, 8, (3, 32)).placed((1.0, 1.0), (1010.0, 1990.0));
        place.write("patch.tif", &tiff, |_, _| height);
        settle();
    };
    patch(3.0);
    let text = text.replace(
        "[tiles]",
        "[[terrain.patch]]\nfile = \"patch.tif\"\nmode = \"add\"\n[tiles]",
    );
    // What changes lies farther from the tile's borders than any distance reaches, so its neighbours need not look.
    let one_tile = [[TILES - 1, 0, 1]; 2];
    let fates = again(&place, &text);
    assert_eq!(fates[..2], one_tile);
    assert!(fates[2][0] > CHUNKS / 2, "{fates:?}");
    patch(4.0);
    assert_eq!(again(&place, &text)[..2], one_tile);
    assert_eq!(fates_of_nothing(&place, &text), ALL_KEPT);
}

/// The file of a tile.
fn file_of(world: &Path, stage: &str, place: &str) -> PathBuf {
    let mut files = std::fs::read_dir(world.join(stage)).unwrap();
    let is_it = |path: &PathBuf| {
        path.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with(place)
    };
    files
        .find_map(|entry| Some(entry.unwrap().path()).filter(is_it))
        .unwrap()
}

fn flip(file: &Path) {
    let mut bytes = std::fs::read(file).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 4;
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn a_tile_that_rotted_is_made_again_when_it_is_read() {
    let (place, text) = world();
    flip(&file_of(&place.path("out"), "weights", "x0001_y0001"));
    let text = text.replace("[edges]\n", "[edges]\nthreshold = 0.55\n");
    let [strata, sdf, _] = again(&place, &text);
    assert_eq!((strata, sdf), ([TILES - 1, 0, 1], [0, 0, TILES]));
}

#[test]
fn the_paranoid_find_rot_where_nobody_looks() {
    let (place, text) = world();
    let before = artefacts(&place.path("out"));
    for (stage, tile) in [("weights", "x0001_y0001"), ("sdf", "x0002_y0000")] {
        flip(&file_of(&place.path("out"), stage, tile));
    }
    assert_eq!(fates(&place.bake(&text, 2, "out").unwrap()), ALL_KEPT);
    let loaded = config::parse(&text, &place.path("world.toml")).unwrap();
    let options = Options {
        out: Some(place.path("out")),
        paranoid: true,
        ..Options::default()
    };
    let bake = Bake::open(&loaded, &options).unwrap();
    let outcome = bake.run(2, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let right = [[0, TILES - 1, 1], [0, TILES - 1, 1], [0, CHUNKS, 0]];
    assert_eq!(fates(&outcome), right);
    assert_eq!(artefacts(&place.path("out")), before);
}

#[test]
fn a_bake_that_was_stopped_goes_on_where_it_was() {
    let place = Place::with_hills(&plain(SIDE, SIDE));
    settle();
    let text = config_text(48, 32.0);
    let loaded = config::parse(&text, &place.path("world.toml")).unwrap();
    let options = Options {
        out: Some(place.path("out")),
        ..Options::default()
    };
    let (stop, mut done) = (AtomicBool::new(false), 0);
    let stopped = Bake::open(&loaded, &options)
        .unwrap()
        .run(2, &stop, &mut |at| {
            done = at.done;
            stop.store(at.done >= 40, Ordering::Relaxed);
        });
    assert!(matches!(stopped, Err(BakeError::Stopped)));
    let fates = again(&place, &text);
    let kept: usize = fates.iter().map(|[kept, _, _]| kept).sum();
    assert!(kept >= done && done >= 40, "{kept} of {done}");
    assert!(kept < 2 * TILES + CHUNKS, "{fates:?}");
}
