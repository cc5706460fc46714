#![allow(clippy::unwrap_used)]
use super::*;
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
    let conflict = |i: usize, j: usize| {
        let (a, b) = (&contenders[i], &contenders[j]);
        let (dx, dy) = ((a.x - b.x) as f64 / 1024.0, (a.y - b.y) as f64 / 1024.0);
        let least = of(i).footprint_m + of(j).footprint_m;
        a.species != b.species && dx * dx + dy * dy < least * least
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
    let mut stands = vec![false; contenders.len()];
    for priority in [10, 0, -5] {
        let tier = (0..contenders.len()).filter(|&i| of(i).priority == priority);
        let free = tier.filter(|&i| !(0..contenders.len()).any(|j| stands[j] && conflict(i, j)));
        let mut undecided: Vec<usize> = free.collect();
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
    fn a_window_with_the_reach_around_it_decides_like_the_whole(seed: u64, x in -40_i64..40, y in -40_i64..40) {
        let species = flora();
        let all = contenders(seed, 6000, 200 * 1024);
        let stands = standing(&species, &all);
        let reach = (competition_reach_m(&species) * 1024.0) as i64;
        let core = crate::Area::new(x * 1024, y * 1024, (x + 9) * 1024, (y + 5) * 1024);
        let window = core.grow(reach);
        let seen: Vec<Contender> = all.iter().filter(|c| window.contains(c.x, c.y)).copied().collect();
        let survivors = |all: &[Contender], stands: &[bool]| -> Vec<u64> {
            let both = all.iter().zip(stands);
            both.filter(|(c, s)| **s && core.contains(c.x, c.y)).map(|(c, _)| c.id).collect()
        };
        prop_assert_eq!(survivors(&seen, &standing(&species, &seen)), survivors(&all, &stands));
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
