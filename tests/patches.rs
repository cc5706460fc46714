//! Patches mean what people who cut them from their own exports mean by them, or it is said.

#![allow(clippy::unwrap_used)]

mod support;

use ecotone_bake::{Bake, BakeError, Options, config};
use ecotone_grid::{Raster, Rect};
use ecotone_interchange::Finished;
use support::Place;
use support::writer::Tiff;

/// A level map of 8 × 8 whole numbers, and a patch of them in its corner.
fn place() -> Place {
    let place = Place::new();
    let map = Tiff::new(8, 8, (1, 16)).placed((1.0, 1.0), (1000.0, 2000.0));
    place.write("map.tif", &map, |_, _| 3000.0);
    let patch = Tiff::new(4, 4, (1, 16)).placed((1.0, 1.0), (1000.0, 2000.0));
    place.write("patch.tif", &patch, |_, _| 5000.0);
    place
}

fn text(terrain: &str, patch: &str) -> String {
    format!(
        "[terrain]\nheights = ['map.tif']\n{terrain}\n[[terrain.patch]]\nfile = 'patch.tif'\n{patch}\n\
         [[stratum]]\nname = 'ground'\n"
    )
}

fn open(place: &Place, text: &str) -> Result<Bake, BakeError> {
    let loaded = config::parse(text, &place.path("world.toml")).unwrap_or_else(|e| panic!("{e}"));
    Bake::open(&loaded, &Options::default())
}

/// The heights of a baked world, as they are read again, at the first and the last pixel; and what was said.
fn ends(place: &Place, text: &str) -> ([f64; 2], String) {
    let said = open(place, text).unwrap().warnings().join("\n");
    place.bake(text, 1, "out").unwrap();
    let world = Finished::open(&place.path("out")).unwrap();
    let mut heights = Raster::default();
    world.heights(Rect::new(0, 0, 8, 8), &mut heights).unwrap();
    let band = heights.band(0);
    ([band.at(0, 0), band.at(7, 7)], said)
}

#[test]
fn a_patch_has_a_scale_and_a_range_of_its_own() {
    let place = place();
    let terrain = "scale = 0.1";
    let (heights, said) = ends(&place, &text(terrain, ""));
    assert_eq!(heights, [5000.0, 300.0]);
    assert!(
        said.contains("give them in [[terrain.patch]] too"),
        "{said}"
    );
    for patch in [
        "scale = 0.1",
        "scale = 0.1\noffset = 0",
        "range = [0, 6553.5]",
    ] {
        let (heights, said) = ends(&place, &text(terrain, patch));
        assert_eq!(heights, [500.0, 300.0], "{patch}");
        assert_eq!(said, "", "{patch}");
    }
    assert_eq!(ends(&place, &text("", "nodata = 5000")).0, [3000.0; 2]);
}

#[test]
fn an_alpha_of_0_and_1_is_nothing_and_all() {
    let place = place();
    let alpha = Tiff::new(4, 4, (1, 8)).placed((1.0, 1.0), (1000.0, 2000.0));
    place.write("alpha.tif", &alpha, |x, _| if x < 2 { 1.0 } else { 0.0 });
    let (heights, said) = ends(&place, &text("", "alpha = 'alpha.tif'"));
    assert_eq!(heights, [5000.0, 3000.0]);
    assert!(said.contains("alpha.tif holds only 0 and 1"), "{said}");
    place.write("alpha.tif", &alpha, |_, _| 51.0);
    let (heights, _) = ends(&place, &text("", "alpha = 'alpha.tif'"));
    assert_eq!(heights, [3400.0, 3000.0]);
}

#[test]
fn a_patch_off_the_map_is_refused_at_its_key() {
    let place = place();
    let far = Tiff::new(4, 4, (1, 16)).placed((1.0, 1.0), (6000.0, 2000.0));
    place.write("patch.tif", &far, |_, _| 5000.0);
    let Err(error) = open(&place, &text("", "")) else {
        panic!("a patch off the map was taken");
    };
    let error = error.to_string();
    assert!(error.contains("columns 5000 to 5004"), "{error}");
    assert!(error.contains("world.toml:5:8"), "{error}");
}
