//! What a person at a terminal sees of edits.
//!
//! Nothing is baked in this process: one that starts others hands them the locks that it holds, for a moment.

#![allow(clippy::unwrap_used)]

mod support;

use support::{Place, check_run as check, config_text, plain};

fn world() -> Place {
    let place = Place::with_hills(&plain(150, 131));
    std::fs::write(place.path("world.toml"), config_text(64, 60.0)).unwrap();
    check(&place, &["bake", "world.toml"], 0, &["revision 1"]);
    place
}

#[test]
fn a_world_is_edited_listed_and_undone() {
    let place = world();
    check(&place, &["edit", "out", "--list"], 0, &["has no edits"]);
    let raised = [
        "edit",
        "out",
        "--raise",
        "1070,1935,20,-10",
        "--falloff",
        "0.2",
    ];
    check(
        &place,
        &raised,
        0,
        &[
            "edit    1  raise at (1070, 1935) within 20 m by -10 m",
            "weights     2 tiles: (1, 0) (1, 1)",
            "plants      ",
        ],
    );
    let painted = [
        "edit",
        "out",
        "--paint",
        "road",
        "1020,1900,9,1",
        "--paint",
        "meadow",
        "1030,1900,9,0.5",
    ];
    check(
        &place,
        &painted,
        0,
        &["edit    2  paint road", "edit    3  paint meadow"],
    );
    check(
        &place,
        &["edit", "out", "--list"],
        0,
        &["   1  raise at", "   3  paint meadow at (1030, 1900)"],
    );
    check(
        &place,
        &["edit", "out", "--undo", "2"],
        0,
        &["undid   3", "undid   2", "revision 4"],
    );
    check(&place, &["edit", "out", "--undo"], 0, &["undid   1"]);
    check(
        &place,
        &["edit", "out", "--undo"],
        2,
        &["take back 1 of the world's 0 edits"],
    );
    check(&place, &["bake", "world.toml"], 0, &["nothing changed"]);
}

#[test]
fn coordinates_may_be_negative_and_results_are_json_on_request() {
    let place = world();
    check(
        &place,
        &["edit", "out", "--raise", "-5,-7,2,1"],
        2,
        &["the brush at (-5, -7) within 2 m lies off the map"],
    );
    let said = check(
        &place,
        &[
            "edit",
            "out",
            "--json",
            "--erase",
            "meadow",
            "1070,1935,20,0.5",
        ],
        0,
        &[],
    );
    let value: serde_json::Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    assert_eq!(value["event"], "edited");
    assert_eq!(value["revision"], 2);
    assert_eq!(value["edits"][0]["op"], "erase");
    assert!(
        !value["changed"]["tiles"]["weights"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    assert!(value["changed"]["plants"]["gone"].is_u64());
}

#[test]
fn mistakes_are_refused_with_a_remedy() {
    let place = world();
    check(
        &place,
        &["edit", "nowhere", "--list"],
        2,
        &["holds no world"],
    );
    check(
        &place,
        &["edit", "nowhere", "--raise", "1,2,3,4"],
        2,
        &["holds no world"],
    );
    assert!(!place.path("nowhere").exists());
    check(&place, &["edit", "out"], 2, &["--raise"]);
    check(
        &place,
        &["edit", "out", "--raise", "1,2,3,4", "--list"],
        2,
        &["cannot be used with"],
    );
    check(
        &place,
        &["edit", "out", "--raise", "1,2,3"],
        2,
        &["four numbers", "found 3"],
    );
    check(
        &place,
        &["edit", "out", "--raise", "nan,2,3,4"],
        2,
        &["x of the brush is NaN"],
    );
    check(
        &place,
        &["edit", "out", "--raise", "1070,1935,0,4"],
        2,
        &["the radius is 0"],
    );
    check(
        &place,
        &["edit", "out", "--paint", "road", "1,2"],
        2,
        &["--paint", "found 2"],
    );
    check(
        &place,
        &["edit", "out", "--paint", "raod", "1070,1935,9,1"],
        2,
        &["did you mean `road`?"],
    );
    check(
        &place,
        &["edit", "out", "--patch", "none.tif"],
        2,
        &["none.tif"],
    );
    check(&place, &["edit", "out", "--undo", "0"], 2, &["--undo"]);
    check(
        &place,
        &["edit", "out", "--patch", "a.tif", "--alpha", "a.tif"],
        2,
        &["a.tif"],
    );
}

#[test]
fn an_edit_works_on_the_worlds_own_config() {
    let place = world();
    std::fs::write(place.path("world.toml"), "this is no config any more").unwrap();
    let raised = ["edit", "out", "--raise", "1070,1935,20,10"];
    check(
        &place,
        &raised,
        0,
        &["works on the world's own copy", "revision 2"],
    );
}
