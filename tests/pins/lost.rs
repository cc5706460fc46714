//! Pins that lose their ground, and those that cannot be done.

use std::collections::BTreeSet;

use ecotone_store::Lost;

use super::*;

fn whys(outcome: &Outcome) -> Vec<(u64, Lost)> {
    let orphans = outcome.orphans.iter();
    orphans.map(|orphan| (orphan.edit, orphan.why)).collect()
}

#[test]
fn pins_that_lose_their_ground_are_told_and_come_back_with_it() {
    let place = world(64, 60.0);
    let out = place.path("out");
    let before = rows(&out);
    let (oak, other) = (some(&before, "oak", 0), some(&before, "oak", 1));
    assert_ne!(oak, other);
    // Where oaks grow. Edits 1 to 3: one that stands, one in the void, one taken away.
    let at = [other.at[0] + 0.125, other.at[1]];
    let outcome = pin(&out, &[add("oak", at)]).unwrap();
    assert_eq!(whys(&outcome), []);
    let outcome = pin(&out, &[add("fern", [1041.0, 1966.0])]).unwrap();
    assert_eq!(whys(&outcome), [(2, Lost::Void)]);
    let outcome = pin(&out, &[by_id(PinOp::Remove, oak.id)]).unwrap();
    assert_eq!(whys(&outcome), [(2, Lost::Void)]);

    // Far above what an oak's meadow allows: what was set by hand stands, what was taken away would not grow.
    let text = config_text(64, 60.0);
    let high = text.replace(
        "density = 300",
        "density = 300\naltitude = { band = [5000, 6000] }",
    );
    let outcome = place.bake(&high, 2, "out").unwrap();
    let lost: BTreeSet<_> = whys(&outcome).into_iter().collect();
    let expected = [
        (1, Lost::Unfit),
        (2, Lost::Void),
        (3, Lost::NothingToRemove),
    ];
    assert_eq!(lost, BTreeSet::from(expected));
    assert!(rows(&out).iter().any(|row| row.at == at));
    // They are told again by a bake that has nothing to do.
    assert_eq!(whys(&place.bake(&high, 2, "out").unwrap()).len(), 3);

    // Without oaks at all nothing is refused and nothing is forgotten.
    let (head, tail) = text.split_once("[[species]]\nname = \"oak\"").unwrap();
    let (_, tail) = tail.split_once("[[species]]").unwrap();
    let without = format!("{head}[[species]]{tail}");
    let outcome = place.bake(&without, 2, "out").unwrap();
    let lost: BTreeSet<_> = whys(&outcome).into_iter().collect();
    let expected = [(1, Lost::NoSpecies), (2, Lost::Void), (3, Lost::NoSpecies)];
    assert_eq!(lost, BTreeSet::from(expected));
    let outcome = place.bake(&text, 2, "out").unwrap();
    assert_eq!(whys(&outcome), [(2, Lost::Void)]);
    let after = rows(&out);
    assert!(after.iter().any(|row| row.at == at));
    assert!(find(&after, oak.id).is_none());
    check_fresh(&place, &text);
}

#[test]
fn what_cannot_be_done_is_told_whole_and_changes_nothing() {
    let place = world(64, 60.0);
    let out = place.path("out");
    let digests = place.digests("out");
    let oak = some(&rows(&out), "oak", 1);
    let off = PinRequest {
        at: Some(oak.at),
        ..by_id(PinOp::Remove, oak.id + 1)
    };
    let requests = [
        by_id(PinOp::Lock, oak.id),
        by_id(PinOp::Remove, oak.id),
        off,
        add("aok", oak.at),
        add("oak", [9e3, 0.0]),
        PinRequest {
            size: Some(9.0),
            ..add("oak", oak.at)
        },
        ask(PinOp::Remove),
    ];
    let mut editing = Editing::open(&out).unwrap();
    let numbered = lines(&requests).into_iter().enumerate();
    let numbered: Vec<_> = numbered
        .map(|(k, line)| PinLine {
            line: Some(k as u64 + 2),
            ..line
        })
        .collect();
    let error = editing.pin(&numbered, Some("trees.csv")).unwrap_err();
    let told = error.to_string();
    for words in [
        "6 of the 7 pins of trees.csv",
        "line 3: line 2 means the same oak",
        &format!("line 4: there is no plant with the id {}", oak.id + 1),
        &format!("the nearest is oak {}", oak.id),
        "line 5: there is no species \"aok\"",
        "did you mean `oak`?",
        "line 6: (9000, 0) lies off the map",
        "line 7: the size is 9",
        "line 8: a plant to remove is named by its id",
    ] {
        assert!(told.contains(words), "{words:?} in {told}");
    }
    assert!(editing.log().is_empty());
    drop(editing);
    assert_eq!(place.digests("out"), digests);
}
