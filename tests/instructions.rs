//! Whatever vector instructions the kernels run on, the bytes are the same.

#![allow(clippy::unwrap_used)]

mod support;

use ecotone_grid::Simd;
use support::{Place, artefacts, config_text, plain, program};

#[test]
fn every_set_of_instructions_makes_the_same_files() {
    let place = Place::with_hills(&plain(150, 131));
    std::fs::write(place.path("world.toml"), config_text(48, 60.0)).unwrap();
    let bake = |simd: Simd| {
        let out = simd.name();
        let ended = program(&place, &["bake", "world.toml", "--out", out])
            .env("ECOTONE_SIMD", out)
            .output()
            .unwrap();
        assert!(ended.status.success(), "{ended:?}");
        (place.digests(out), artefacts(&place.path(out)))
    };
    let here = Simd::ALL.into_iter().filter(|simd| simd.is_here());
    let worlds: Vec<_> = here.map(bake).collect();
    for pair in worlds.windows(2) {
        assert_eq!(pair[0].0, pair[1].0);
        assert!(pair[0].1 == pair[1].1);
    }
}

#[test]
fn instructions_that_are_not_there_are_told_with_those_that_are() {
    let place = Place::new();
    let ended = program(&place, &["inspect", "."])
        .env("ECOTONE_SIMD", "mmx")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(
        said.contains("ECOTONE_SIMD is \"mmx\"; this processor has portable"),
        "{said}"
    );
}
