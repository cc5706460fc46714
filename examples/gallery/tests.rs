//! The numbers of the gallery, held to their limits.

use std::path::{Path, PathBuf};

use crate::cases;
use crate::numbers::Numbers;
use crate::page::page;
use crate::statistics::p_value;

#[test]
fn a_probability_is_that_of_the_tables() {
    // Critical values of χ² with 20 degrees of freedom.
    for (chi2, p) in [
        (10.851, 0.95),
        (19.337, 0.5),
        (31.410, 0.05),
        (45.315, 0.001),
    ] {
        assert!((p_value(chi2) / p - 1.0).abs() < 1e-3, "{chi2}");
    }
}

#[test]
fn plants_keep_to_the_rules_and_the_page_says_so() {
    let numbers = Numbers::measure();
    let rules = numbers.rules.iter().map(|own| (own.case.name, &own.fit));
    let real = numbers.oaks.fits.iter().map(|(axis, fit)| (*axis, fit));
    for (name, fit) in rules.chain(real) {
        assert!(fit.n >= 100_000, "{name}: {fit:?}");
        assert!(fit.p > 0.001, "{name}: {fit:?}");
        assert!((fit.ratio() - 1.0).abs() < 0.02, "{name}: {fit:?}");
    }
    assert_eq!(numbers.n_strays(), 0);
    check_looks(&numbers);
    for pair in &numbers.pairs {
        let (name, least, found) = (pair.species, pair.least, pair.found);
        // No closer, and so close somewhere that nothing else can have kept them apart.
        assert!(found >= least && found < 1.01 * least, "{name:?}: {found}");
    }
    let [full, half, quarter, by_lot] = numbers.low_powers[..] else {
        panic!("four patterns")
    };
    assert!(
        full < 0.10 && half < 0.25 && quarter < 0.25,
        "{full} {half} {quarter}"
    );
    assert!(by_lot > 0.4, "{by_lot}");

    let written = std::fs::read_to_string(docs().join("gallery.md")).unwrap();
    let same = written == page(&numbers);
    assert!(
        same,
        "docs/gallery.md is not of today: cargo run --release --example gallery"
    );
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

#[test]
fn the_page_shows_every_picture_and_each_is_small() {
    let page = std::fs::read_to_string(docs().join("gallery.md")).unwrap();
    let links = page.split("](gallery/").skip(1);
    let mut shown: Vec<&str> = links.map(|link| link.split(')').next().unwrap()).collect();
    shown.sort_unstable();
    let (mut there, mut bytes) = (Vec::new(), 0);
    for file in std::fs::read_dir(docs().join("gallery")).unwrap() {
        let file = file.unwrap();
        let len = file.metadata().unwrap().len();
        assert!(len < 150_000, "{file:?}: {len}");
        bytes += len;
        there.push(file.file_name().into_string().unwrap());
    }
    there.sort_unstable();
    assert_eq!(shown, there);
    assert!(bytes < 1_500_000, "{bytes}");
}

fn check_looks(numbers: &Numbers) {
    let sizes = numbers.sizes.iter().map(|(_, sizes)| sizes);
    for own in sizes.chain([&numbers.oaks.sizes]) {
        assert_eq!(own.n_outside, 0, "by {} steps", own.most_off_steps);
        assert!(own.ends[0] < 0.01 && own.ends[1] > 0.99, "{:?}", own.ends);
        assert!(own.draws.p > 0.001, "{:?}", own.draws);
    }
    let variants = &numbers.variants;
    assert!(variants.fit.p > 0.001, "{:?}", variants.fit);
    for [asked, found] in [variants.outside, variants.interior, numbers.coverage] {
        assert!((found / asked - 1.0).abs() < 0.02, "{found} for {asked}");
    }
}

#[test]
fn another_curve_is_told_from_the_one_asked_for() {
    let all = cases::cases();
    let named = |name| all.iter().find(|case| case.name == name).unwrap();
    for (asked, other) in [
        ("edge, smooth", "edge, linear"),
        ("edge, linear", "edge, ease"),
        ("altitude, band", "altitude, curve"),
        ("slope, curve", "slope, band"),
    ] {
        let (fit, _) = named(other).fit(&named(asked).world());
        assert!(fit.p < 1e-6, "{other} for {asked}: {fit:?}");
    }
}
