//! How close plants of two species may stand, and how far that makes competition reach.

use super::ROUNDS;
use super::grid::{FARTHEST, Nearness};
use crate::pattern::whole_spacing;
use crate::{Species, UNITS_PER_M};
use std::cmp::Reverse;

/// The distance in 1/1024 m below which plants of two different species conflict, given by their places in the list:
/// the sum of their footprints, or what either keeps from the other if that is more; rounded up, and at most 2³⁰, a
/// million metres.
pub fn conflict_distance(species: &[Species], a: usize, b: usize) -> i64 {
    let kept = |from: usize, to: usize| {
        let own = species[from].keep_from.iter();
        own.filter(move |(other, _)| *other == to).map(|&(_, m)| m)
    };
    let footprints = species[a].footprint_m + species[b].footprint_m;
    let least_m = kept(a, b).chain(kept(b, a)).fold(footprints, f64::max);
    ((least_m * UNITS_PER_M as f64).ceil() as i64).clamp(0, FARTHEST)
}

/// The distance in 1/1024 m within which a pin of species `pinned` leaves no room for a plant of species `other`.
pub(super) fn pin_distance(species: &[Species], pinned: usize, other: usize) -> i64 {
    if pinned == other {
        whole_spacing(species[other].effective_spacing_m())
    } else {
        conflict_distance(species, pinned, other)
    }
}

/// How far in metres from a plant a candidate can decide whether it stands.
///
/// A tier's rounds reach (2·[`ROUNDS`] − 1) times its largest conflict distance, and start from what the higher tiers
/// left within the conflict distance to them, and within the distance that a species stands near one of theirs.
pub fn competition_reach_m(species: &[Species]) -> f64 {
    let mut tiers: Vec<(Vec<usize>, i64)> = Vec::new();
    for members in tiers_of(species) {
        let largest = |a: &[usize], b: &[usize]| {
            let pairs = a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j)));
            pairs
                .filter(|(i, j)| i != j)
                .map(|(i, j)| conflict_distance(species, i, j))
                .max()
                .unwrap_or(0)
        };
        let within = (2 * ROUNDS as i64 - 1) * largest(&members, &members);
        let through = |(above, reach): &(Vec<usize>, i64)| match (
            largest(&members, above),
            near_distance(species, &members, above),
        ) {
            (0, None) => 0,
            (distance, near) => distance.max(near.unwrap_or(0)) + reach,
        };
        let above = tiers.iter().map(through).max().unwrap_or(0);
        tiers.push((members, within + above));
    }
    let reach = tiers.iter().map(|&(_, reach)| reach).max().unwrap_or(0);
    reach as f64 / UNITS_PER_M as f64
}

/// How far in metres from a candidate a pin can decide about it by itself.
///
/// It then decides about plants as far as [`competition_reach_m`] from that candidate.
pub fn pins_reach_m(species: &[Species]) -> f64 {
    let all: Vec<usize> = (0..species.len()).collect();
    let pairs = all.iter().flat_map(|&i| all.iter().map(move |&j| (i, j)));
    let apart = pairs.map(|(i, j)| pin_distance(species, i, j)).max();
    let reach = apart.max(near_distance(species, &all, &all));
    reach.unwrap_or(0) as f64 / UNITS_PER_M as f64
}

/// The largest distance in 1/1024 m within which one of `members` stands near one of `others`, if one does.
fn near_distance(species: &[Species], members: &[usize], others: &[usize]) -> Option<i64> {
    let near = members.iter().filter_map(|&i| species[i].near);
    near.filter(|near| others.contains(&near.species))
        .map(|near| Nearness::within_m(near.within_m).reach())
        .max()
}

/// Whether no plant of a species can decide about one of another, nor be decided about by one of a tier of its own.
pub(crate) fn is_alone(species: &[Species], index: usize) -> bool {
    let matters = |other: usize| {
        let is_sought = species[other]
            .near
            .is_some_and(|near| near.species == index);
        is_sought || conflict_distance(species, index, other) > 0
    };
    !(0..species.len()).any(|other| other != index && matters(other))
}

/// The species of each tier, the highest tier first.
pub(super) fn tiers_of(species: &[Species]) -> Vec<Vec<usize>> {
    let mut priorities: Vec<i32> = species.iter().map(|s| s.priority).collect();
    priorities.sort_unstable_by_key(|&priority| Reverse(priority));
    priorities.dedup();
    let tier = |&priority: &i32| {
        (0..species.len())
            .filter(|&i| species[i].priority == priority)
            .collect()
    };
    priorities.iter().map(tier).collect()
}
