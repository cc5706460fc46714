#![allow(clippy::unwrap_used)]
use super::*;
use crate::Near;
use crate::testing::spruce;
use ecotone_grid::mix;
use proptest::prelude::*;

fn species(name: &str, footprint_m: f64, priority: i32) -> Species {
    Species {
        name: name.into(),
        footprint_m,
        priority,
        ..spruce()
    }
}

/// Three tiers, with two, three and one species.
fn flora() -> Vec<Species> {
    vec![
        species("fern", 0.5, 0),
        species("oak", 2.0, 10),
        species("ash", 1.5, 10),
        species("moss", 0.0, -5),
        species("hazel", 0.75, 0),
        species("broom", 0.25, 0),
    ]
}

/// The same, with distances that species keep, and plants that stand near others; broom seeks one of its own tier.
fn rich() -> Vec<Species> {
    let near = |species, within_m| Some(Near { species, within_m });
    let mut species = flora();
    species[0].near = near(1, 5.5);
    species[1].keep_from = vec![(2, 6.0), (5, 3.25)];
    species[3].near = near(4, 1.5);
    species[3].keep_from = vec![(0, 1.0)];
    species[4].keep_from = vec![(0, 2.0), (0, 0.5)];
    species[5].near = near(4, 8.0);
    species
}

/// Contenders with `n` pins of each species more, at the end of each.
fn pinned(seed: u64, n: u64, side: i64, all: Vec<Contender>) -> Vec<Contender> {
    let mut both = all;
    both.extend(
        contenders(mix(seed), n, side)
            .into_iter()
            .map(|c| Contender { is_pin: true, ..c }),
    );
    both.sort_by_key(|c| (c.species, c.is_pin));
    both
}

/// Contenders of each species at random places of a square, of few viabilities, so that ties are common.
fn contenders(seed: u64, n: u64, side: i64) -> Vec<Contender> {
    let mut all = Vec::new();
    for species in 0..6_u16 {
        for k in 0..n {
            let draw = |what: u64| mix(mix(seed ^ what << 40) ^ (u64::from(species) << 32 | k));
            all.push(Contender {
                x: (draw(1) % side as u64) as i64 - side / 2,
                y: (draw(2) % side as u64) as i64 - side / 2,
                id: draw(3),
                species,
                viability: (draw(4) % 4) as u16,
                is_pin: false,
            });
        }
    }
    all
}

/// Who stands, by definition.
fn twin(species: &[Species], contenders: &[Contender]) -> Vec<bool> {
    let of = |i: usize| &species[usize::from(contenders[i].species)];
    let distance2 = |i: usize, j: usize| {
        let (a, b) = (&contenders[i], &contenders[j]);
        let (dx, dy) = ((a.x - b.x) as f64 / 1024.0, (a.y - b.y) as f64 / 1024.0);
        dx * dx + dy * dy
    };
    let kept = |i: usize, j: usize| {
        let to = usize::from(contenders[j].species);
        let own = of(i).keep_from.iter().filter(|(other, _)| *other == to);
        own.map(|&(_, m)| m).fold(0.0, f64::max)
    };
    let conflict = |i: usize, j: usize| {
        let (a, b) = (&contenders[i], &contenders[j]);
        let least = if a.species != b.species {
            (of(i).footprint_m + of(j).footprint_m)
                .max(kept(i, j))
                .max(kept(j, i))
        } else if a.is_pin || b.is_pin {
            of(i).spacing_m.max(2.0 * of(i).footprint_m)
        } else {
            0.0
        };
        distance2(i, j) < least * least
    };
    let beats = |i: usize, j: usize| {
        let (a, b) = (&contenders[i], &contenders[j]);
        if a.viability != b.viability {
            a.viability > b.viability
        } else if of(i).name != of(j).name {
            of(i).name < of(j).name
        } else {
            a.id < b.id
        }
    };
    let all = 0..contenders.len();
    let mut stands: Vec<bool> = contenders.iter().map(|c| c.is_pin).collect();
    for priority in [10, 0, -5] {
        let is_free = |i: usize| {
            let is_near = |near: Near| {
                all.clone().any(|j| {
                    let is_sought = usize::from(contenders[j].species) == near.species;
                    stands[j] && is_sought && distance2(i, j) <= near.within_m * near.within_m
                })
            };
            of(i).near.is_none_or(is_near) && !all.clone().any(|j| stands[j] && conflict(i, j))
        };
        let tier = all
            .clone()
            .filter(|&i| of(i).priority == priority && !contenders[i].is_pin);
        let mut undecided: Vec<usize> = tier.filter(|&i| is_free(i)).collect();
        for _ in 0..4 {
            let wins = |&&i: &&usize| undecided.iter().all(|&j| !conflict(i, j) || beats(i, j));
            let winners: Vec<usize> = undecided.iter().filter(wins).copied().collect();
            undecided
                .retain(|&i| !winners.contains(&i) && !winners.iter().any(|&w| conflict(i, w)));
            winners.iter().for_each(|&w| stands[w] = true);
        }
    }
    stands
}

fn standing(species: &[Species], contenders: &[Contender]) -> Vec<bool> {
    let mut scratch = CompetitionScratch::default();
    compete(species, contenders, &mut scratch);
    (0..contenders.len())
        .map(|i| scratch.state(i) == State::Standing)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn it_equals_its_definition(seed: u64, n in 1_u64..120, side_m in 3_i64..60) {
        let (species, contenders) = (flora(), contenders(seed, n, side_m * 1024));
        prop_assert_eq!(standing(&species, &contenders), twin(&species, &contenders));
    }

    #[test]
    fn with_pins_and_neighbours_it_equals_its_definition(seed: u64, n in 1_u64..100, n_pins in 0_u64..5, side_m in 5_i64..60) {
        let side = side_m * 1024;
        let all = pinned(seed, n_pins, side, contenders(seed, n, side));
        prop_assert_eq!(standing(&rich(), &all), twin(&rich(), &all));
    }

    #[test]
    fn a_window_with_the_reach_around_it_decides_like_the_whole(seed: u64, x in -40_i64..40, y in -40_i64..40) {
        for species in [flora(), rich()] {
            let (n, side) = (5000, 200 * 1024);
            let all = pinned(seed, 30, side, contenders(seed, n, side));
            let stands = standing(&species, &all);
            let core = crate::Area::new(x * 1024, y * 1024, (x + 9) * 1024, (y + 5) * 1024);
            let window = core.grow((competition_reach_m(&species) * 1024.0) as i64);
            let with_pins = window.grow((pins_reach_m(&species) * 1024.0) as i64);
            let is_seen = |c: &&Contender| if c.is_pin { with_pins } else { window }.contains(c.x, c.y);
            let seen: Vec<Contender> = all.iter().filter(is_seen).copied().collect();
            let survivors = |all: &[Contender], stands: &[bool]| -> Vec<u64> {
                let both = all.iter().zip(stands);
                both.filter(|(c, s)| **s && core.contains(c.x, c.y)).map(|(c, _)| c.id).collect()
            };
            prop_assert_eq!(survivors(&seen, &standing(&species, &seen)), survivors(&all, &stands));
        }
    }
}

#[test]
fn survivors_keep_their_distance() {
    let (species, all) = (flora(), contenders(7, 4000, 120 * 1024));
    let stands = standing(&species, &all);
    let alive: Vec<&Contender> = all
        .iter()
        .zip(&stands)
        .filter(|(_, s)| **s)
        .map(|(c, _)| c)
        .collect();
    assert!(alive.len() > 2000);
    for (k, a) in alive.iter().enumerate() {
        for b in alive[k + 1..].iter().filter(|b| b.species != a.species) {
            let sum = species[usize::from(a.species)].footprint_m
                + species[usize::from(b.species)].footprint_m;
            let (dx, dy) = ((a.x - b.x) as f64, (a.y - b.y) as f64);
            assert!((dx * dx + dy * dy).sqrt() >= sum * 1024.0);
        }
    }
}

#[test]
fn conflict_distances_are_rounded_up() {
    let distance = |a, b| conflict_distance(&[species("a", a, 0), species("b", b, 0)], 0, 1);
    assert_eq!(distance(0.5, 0.25), 768);
    assert_eq!(distance(0.5, 0.2501), 769);
    assert_eq!(distance(0.0, 0.0), 0);
}

#[test]
fn the_reach_is_the_sum_along_the_tiers() {
    // Oak and ash: 7 · 3.5. Fern and hazel: 7 · 1.25, then 2.75 to the oaks. Moss: 2 to the oaks, or 0.75 to the hazels.
    let expected: f64 = 7.0 * 1.25 + 2.75 + 7.0 * 3.5 + 0.75;
    assert_eq!(competition_reach_m(&flora()), expected);
    assert_eq!(competition_reach_m(&[species("alone", 3.0, 0)]), 0.0);
    assert_eq!(competition_reach_m(&[]), 0.0);
    let apart = [
        species("a", 0.0, 0),
        species("b", 0.0, 0),
        species("c", 0.0, 1),
    ];
    assert_eq!(competition_reach_m(&apart), 0.0);
    let two = [species("a", 1.0, 0), species("b", 0.5, 3)];
    assert_eq!(competition_reach_m(&two), 1.5);
}

#[test]
fn who_keeps_from_whom_does_not_matter() {
    let mut all = [
        species("a", 0.5, 0),
        species("b", 0.5, 0),
        species("c", 2.0, 0),
    ];
    all[0].keep_from = vec![(1, 6.0), (2, 1.0), (7, 99.0)];
    assert_eq!(conflict_distance(&all, 0, 1), 6144);
    assert_eq!(conflict_distance(&all, 1, 0), 6144);
    assert_eq!(conflict_distance(&all, 0, 2), 2560);
    assert_eq!(conflict_distance(&all, 1, 2), 2560);
    all[1].keep_from = vec![(0, 7.0)];
    assert_eq!(conflict_distance(&all, 0, 1), 7168);
    all[1].keep_from = vec![(0, f64::NAN), (2, f64::INFINITY)];
    assert_eq!(conflict_distance(&all, 0, 1), 6144);
    assert_eq!(conflict_distance(&all, 2, 1), 1 << 30);
}

#[test]
fn the_reach_goes_through_what_is_kept_and_sought() {
    // Oak and ash: 7 · 6. Fern and broom in their tier: 7 · 2 by the hazel; 5.5 to the oaks. Moss: 1.5 to the hazels, or
    // 2 to the oaks, 1 to the ferns.
    assert_eq!(
        competition_reach_m(&rich()),
        7.0 * 2.0 + 5.5 + 7.0 * 6.0 + 1.5
    );
    assert_eq!(pins_reach_m(&rich()), 8.0);
    assert_eq!(pins_reach_m(&flora()), 4.0, "two footprints of an oak");
    assert_eq!(pins_reach_m(&[]), 0.0);
    let mut two = [species("a", 0.0, 1), species("b", 0.0, 0)];
    assert!(is_alone(&two, 0) && is_alone(&two, 1));
    two[1].near = Some(Near {
        species: 0,
        within_m: 4.0,
    });
    assert_eq!(competition_reach_m(&two), 4.0);
    assert!(!is_alone(&two, 0) && is_alone(&two, 1));
    two[1].near = Some(Near {
        species: 1,
        within_m: 4.0,
    });
    assert_eq!(competition_reach_m(&two), 0.0);
}

#[test]
fn who_stands_near_what_cannot_be_there_does_not_stand() {
    for near in [0, 1, 2, 77] {
        let mut two = [species("a", 0.0, 1), species("b", 0.0, 0)];
        two[0].near = Some(Near {
            species: near,
            within_m: 100.0,
        });
        let at = |species| Contender {
            x: 0,
            y: 0,
            id: 1,
            species,
            viability: 9,
            is_pin: false,
        };
        assert_eq!(standing(&two, &[at(0), at(1)]), [false, true]);
        let pin = Contender {
            is_pin: true,
            x: 5000,
            ..at(0)
        };
        assert_eq!(standing(&two, &[at(0), pin, at(1)])[0], near == 0);
    }
}

#[test]
fn near_counts_the_distance_itself() {
    for (within_m, distance, is_near) in [
        (2.0, 2048, true),
        (2.0, 2049, false),
        (0.0, 0, true),
        (f64::NAN, 0, false),
    ] {
        let mut two = [species("a", 0.0, 1), species("b", 0.0, 0)];
        two[1].near = Some(Near {
            species: 0,
            within_m,
        });
        let at = |species, x| Contender {
            x,
            y: 0,
            id: 1,
            species,
            viability: 9,
            is_pin: false,
        };
        assert_eq!(
            standing(&two, &[at(0, -7), at(1, distance - 7)]),
            [true, is_near]
        );
    }
}
