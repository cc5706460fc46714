//! What is refused, stopped or damaged leaves the world and its log as they were.

use std::sync::atomic::AtomicBool;

use ecotone_bake::edit::{Alpha, Brush, Change, EditError, Editing};
use ecotone_bake::{Bake, BakeError, Options, config};
use ecotone_store::PatchWord;

use super::support::writer::Tiff;
use super::support::{Place, config_text};
use super::{brush, edit, erase, files, manifest, paint, patch_of, raise, world};

/// What an edit is refused with; the world stays as it was.
#[track_caller]
fn check_refused(place: &Place, change: Change, word: &str) {
    let before = manifest(&place.path("out"));
    let error = edit(&place.path("out"), &[change]).map(drop).unwrap_err();
    assert!(error.is_refusal(), "{error}");
    assert!(error.to_string().contains(word), "{error}");
    assert_eq!(manifest(&place.path("out")), before);
}

#[test]
fn what_can_do_nothing_is_refused_and_not_recorded() {
    let place = world();
    let good = brush(1070.0, 1935.0, 20.0, 0.5);
    let small = Brush {
        radius: 0.3,
        ..good
    };
    check_refused(&place, raise(small, 1.0), "touches no pixel's centre");
    let away = Brush { x: 900.0, ..good };
    check_refused(
        &place,
        raise(away, 1.0),
        "x is 1000 … 1150 and y is 1869 … 2000",
    );
    check_refused(&place, raise(good, f64::INFINITY), "the height is inf");
    check_refused(&place, paint("medow", good, 1.0), "did you mean `meadow`?");
    check_refused(&place, erase("road", good, 0.0), "the strength is 0");
    let patch = |name: &str, alpha: f64| {
        patch_of(
            place.path(name),
            PatchWord::Replace,
            Alpha::Everywhere(alpha),
        )
    };
    check_refused(&place, patch("none.tif", 1.0), "none.tif");
    check_refused(&place, patch("heights.tif", 0.0), "the alpha is 0");
    let tiff = |x0: f64| Tiff::new(9, 9, (3, 32)).placed((1.0, 1.0), (x0, 1990.0));
    place.write("far.tif", &tiff(5000.0), |_, _| 1.0);
    check_refused(&place, patch("far.tif", 1.0), "off the map");
    place.write("void.tif", &tiff(1010.0), |_, _| f64::NAN);
    check_refused(&place, patch("void.tif", 1.0), "is void wherever");
    place.write("between.tif", &tiff(1010.5), |_, _| 1.0);
    check_refused(&place, patch("between.tif", 1.0), "between.tif");
}

#[test]
fn a_stroke_that_stands_on_a_void_is_recorded_and_changes_nothing_else() {
    let place = world();
    let (digests, named) = (place.digests("out"), files(&place.path("out")));
    // The void at (1090, 1920) has a radius of 11 m.
    let outcome = edit(
        &place.path("out"),
        &[raise(brush(1090.5, 1919.5, 5.0, 0.5), 9.0)],
    );
    assert!(outcome.unwrap().committed.changed.tiles.is_empty());
    assert_eq!(
        (place.digests("out"), files(&place.path("out"))),
        (digests, named)
    );
}

#[test]
fn a_config_without_the_stratum_of_an_edit_is_refused_with_a_remedy() {
    let place = world();
    edit(
        &place.path("out"),
        &[paint("road", brush(1070.0, 1935.0, 9.0, 0.5), 1.0)],
    )
    .unwrap();
    let renamed = config_text(64, 60.0).replace("\"road\"", "\"track\"");
    let error = place.bake(&renamed, 1, "out").map(drop).unwrap_err();
    assert!(error.is_refusal());
    let error = error.to_string();
    assert!(error.contains("edit 1 of the world (paint road"), "{error}");
    assert!(error.contains("--undo 1"), "{error}");
}

#[test]
fn one_edits_at_a_time_and_a_bake_never_drops_an_edit() {
    let place = world();
    let out = place.path("out");
    let loaded = config::parse(&config_text(64, 60.0), &place.path("world.toml")).unwrap();
    let options = Options {
        out: Some(out.clone()),
        ..Options::default()
    };
    let late = Bake::open(&loaded, &options).unwrap();
    let mut editing = Editing::open(&out).unwrap();
    let error = Editing::open(&out).map(drop).unwrap_err().to_string();
    assert!(
        error.contains(&format!("process {}", std::process::id())),
        "{error}"
    );
    editing
        .add(&raise(brush(1070.0, 1935.0, 9.0, 0.5), 1.0))
        .unwrap();
    editing
        .bake(8 << 20, 1, &AtomicBool::new(false), &mut |_| {})
        .unwrap();
    let error = late
        .run(1, &AtomicBool::new(false), &mut |_| {})
        .map(drop)
        .unwrap_err();
    assert!(
        matches!(&error, BakeError::Edit(why) if matches!(**why, EditError::EditedMeanwhile)),
        "{error}"
    );
    assert_eq!(manifest(&out).edits.len(), 1);
}

#[test]
fn a_stopped_edit_leaves_the_world_and_its_log() {
    let place = world();
    let out = place.path("out");
    let before = manifest(&out);
    let mut editing = Editing::open(&out).unwrap();
    editing
        .add(&raise(brush(1070.0, 1935.0, 9.0, 0.5), 1.0))
        .unwrap();
    let stopped = editing.bake(8 << 20, 1, &AtomicBool::new(true), &mut |_| {});
    assert!(matches!(stopped, Err(BakeError::Stopped)));
    assert_eq!(manifest(&out), before);
    // Its raster goes with the next commit.
    edit(&out, &[raise(brush(1020.0, 1935.0, 9.0, 0.5), 1.0)]).unwrap();
    assert_eq!(std::fs::read_dir(out.join("edits")).unwrap().count(), 1);
}

#[test]
fn a_damaged_raster_of_the_log_is_noticed() {
    let place = world();
    let out = place.path("out");
    edit(&out, &[raise(brush(1070.0, 1935.0, 9.0, 0.5), 1.0)]).unwrap();
    let file = out.join(&manifest(&out).edits[0].raster.as_ref().unwrap().file);
    let mut bytes = std::fs::read(&file).unwrap();
    let last = bytes.len() / 2;
    bytes[last] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    // Another tiling, so that every tile is made again.
    let error = place
        .bake(&config_text(37, 60.0), 1, "out")
        .map(drop)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("not what the world's edit log says"),
        "{error}"
    );
}
