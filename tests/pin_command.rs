//! What a person at a terminal sees of pins.
//!
//! Nothing is baked in this process: one that starts others hands them the locks that it holds, for a moment.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::Write;
use std::process::Stdio;

use support::{Place, check_run as check, config_text, plain, program};

fn world() -> Place {
    let place = Place::with_hills(&plain(150, 131));
    std::fs::write(place.path("world.toml"), config_text(64, 60.0)).unwrap();
    check(&place, &["bake", "world.toml"], 0, &["revision 1"]);
    place
}

/// The rows of an export of the world, without the heading.
fn export(place: &Place) -> Vec<String> {
    let args = ["export", "out", "--format", "csv", "--to", "all.csv"];
    check(place, &args, 0, &["plants in all.csv"]);
    let text = std::fs::read_to_string(place.path("all.csv")).unwrap();
    text.lines().skip(1).map(str::to_owned).collect()
}

fn id_of(row: &str) -> &str {
    row.split(',').next().unwrap()
}

#[test]
fn plants_are_pinned_listed_and_undone() {
    let place = world();
    check(&place, &["pin", "out", "list"], 0, &["has no pins"]);
    let add = [
        "pin",
        "out",
        "add",
        "--species",
        "oak",
        "--at",
        "1050.5,1950.25",
        "--size",
        "1.2",
    ];
    let words = [
        "edit    1  add oak at (1050.5, 1950.25)",
        "revision 2",
        "vegetation",
        "plants",
    ];
    check(&place, &add, 0, &words);
    let words = [
        "   1  set     oak at (1050.5, 1950.25)",
        "pins: 1, of which ",
    ];
    check(&place, &["pin", "out", "list"], 0, &words);
    let near = ["--species", "oak", "--at", "1051,1950"];
    let moved = [&["pin", "out", "move"], &near[..], &["--to", "1060,1950"]].concat();
    check(
        &place,
        &moved,
        0,
        &["edit    2  move oak ", "(1050.5, 1950.25) to (1060, 1950)"],
    );
    let gone = [&["pin", "out", "remove"], &near[..], &["--within", "0.7"]].concat();
    check(
        &place,
        &gone,
        2,
        &["no oak within 0.69", "nothing was pinned"],
    );
    check(&place, &["edit", "out", "--list"], 0, &["   2  move oak "]);
    check(
        &place,
        &["edit", "out", "--undo", "2"],
        0,
        &["undid   1  add oak"],
    );
    check(&place, &["pin", "out", "list"], 0, &["has no pins"]);
}

#[test]
fn a_list_has_metres_and_tells_of_a_variant_that_is_gone() {
    let place = world();
    let at = ["--species", "pine", "--at", "1050.5,1950.25"];
    let add = [&["pin", "out", "add"], &at[..], &["--variant", "b"]].concat();
    check(&place, &add, 0, &[]);
    let list = check(&place, &["pin", "out", "list", "--json"], 0, &[]);
    let list: serde_json::Value = serde_json::from_str(list.trim()).unwrap();
    let pin = &list["pins"][0]["pin"];
    assert_eq!((&pin["x"], &pin["y"]), (&1050.5.into(), &1950.25.into()));
    assert_eq!(pin["stands"]["variant"], "b");
    let text = config_text(64, 60.0).replace("{ a = 1, b = 3 }", "{ a = 1, c = 3 }");
    std::fs::write(place.path("world.toml"), text).unwrap();
    let words = ["its species has no such variant any more"];
    check(&place, &["bake", "world.toml"], 0, &words);
    check(&place, &["pin", "out", "list", "--orphans"], 0, &words);
    let text = config_text(64, 60.0);
    std::fs::write(place.path("world.toml"), text).unwrap();
    check(&place, &["bake", "world.toml"], 0, &[]);
    let words = ["pins: 1, of which 0 "];
    check(&place, &["pin", "out", "list"], 0, &words);
}

#[test]
fn an_export_is_locked_and_lines_that_cannot_be_done_are_told() {
    let place = world();
    let rows = export(&place);
    let heading = std::fs::read_to_string(place.path("all.csv")).unwrap();
    let heading = heading.lines().next().unwrap().to_owned();
    let some = [&[heading], &rows[..200]].concat().join("\n");
    std::fs::write(place.path("some.csv"), some).unwrap();
    check(
        &place,
        &["pin", "out", "lock", "--csv", "some.csv"],
        0,
        &["edit    1  200 pins of some.csv"],
    );
    // Locked as they stood: nothing was there to change but the log.
    let (before, after) = (rows, export(&place));
    let is_there = |row: &String| after.contains(row);
    assert!(before[..200].iter().all(is_there));

    let text = format!(
        "op,id,species,x,y,to_x,to_y\nremove,{0},,,,,\nmove,{1},,,,1000,\nfell,{0},,,,,\nlock,12,,,,,\n,{1},,,,,\n",
        id_of(&before[300]),
        id_of(&before[301])
    );
    std::fs::write(place.path("bad.csv"), &text).unwrap();
    let words = [
        "4 of the 5 pins of bad.csv cannot be done, and none was:",
        "line 3: expected both to_x and to_y",
        "line 4: expected add, remove, move or lock for op, found \"fell\"",
        "line 5: there is no plant with the id 12",
        "line 6: it does not say what to do",
    ];
    check(&place, &["pin", "out", "--csv", "bad.csv"], 2, &words);
    check(
        &place,
        &["pin", "out", "--csv", "none.csv"],
        2,
        &["cannot read none.csv"],
    );
    assert_eq!(export(&place), after);

    let first: String = text
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    let args = ["--json", "pin", "out", "--csv", "-"];
    let mut child = program(&place, &args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(first.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains(r#""text":"1 pins of standard input""#),
        "{said}"
    );
    assert!(said.contains(r#""orphans":[]"#), "{said}");
    assert!(
        !export(&place)
            .iter()
            .any(|row| id_of(row) == id_of(&before[300]))
    );
}

#[test]
fn a_pinned_world_is_proved_planned_and_told_apart() {
    let place = world();
    let add = [
        "pin",
        "out",
        "add",
        "--species",
        "fern",
        "--at",
        "1041,1966",
    ];
    let words = [
        "orphans     1 plant",
        "fern at (1041, 1966), pinned by edit 1: the ground is void",
    ];
    check(&place, &add, 0, &words);
    let id = export(&place)[40].clone();
    check(
        &place,
        &["pin", "out", "remove", "--id", id_of(&id)],
        0,
        &["edit    2  remove"],
    );
    check(&place, &["verify", "out", "--full"], 0, &[]);
    check(&place, &["diff", "out"], 0, &["removed"]);
    let plan = check(&place, &["plan", "world.toml", "--json"], 0, &[]);
    assert!(plan.contains(r#""due":[]"#), "{plan}");
    let again = check(
        &place,
        &["bake", "world.toml"],
        0,
        &["orphans     1 plant", "nothing changed"],
    );
    assert!(!again.contains("have lost"), "{again}");
    let text = config_text(64, 60.0).replace("density = 500", "density = 480");
    std::fs::write(place.path("world.toml"), text).unwrap();
    check(&place, &["bake", "world.toml"], 0, &["orphans     1 plant"]);
    let report = std::fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(
        report.contains("the ground is void there"),
        "the report does not tell"
    );
    check(
        &place,
        &["pin", "out", "list", "--orphans"],
        0,
        &["lost  fern at (1041, 1966)"],
    );
    check(&place, &["pin", "out"], 2, &["required"]);
    check(
        &place,
        &["pin", "out", "add", "--orphans"],
        2,
        &["pin list"],
    );
    check(
        &place,
        &["pin", "out", "--help"],
        0,
        &["Examples:", "Exit codes:"],
    );
}
