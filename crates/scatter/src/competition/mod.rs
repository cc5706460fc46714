//! Competition: no two plants of different species stand closer than their footprints and what they keep from each other.
//!
//! Pins stand whatever happens. Species of one priority form a tier, and the tiers take the ground from the highest to the
//! lowest: who stands near nothing that it has to stand near is out, and so is who stands too close to a pin or to a
//! plant of a higher tier. Inside a tier, synchronous rounds: who beats all undecided rivals stands and drops them.
//! Conflicts are found once, as pairs, and the rounds run over the pairs; what comes out depends on no order.

mod distances;
mod grid;
#[cfg(test)]
mod tests;

use crate::Species;
pub(crate) use distances::is_alone;
pub use distances::{competition_reach_m, conflict_distance, pins_reach_m};
use distances::{pin_distance, tiers_of};
use grid::{Nearness, PointGrid};
use std::cmp::Reverse;
use std::ops::Range;

/// Synchronous rounds inside a tier; who is undecided after them is dropped.
pub const ROUNDS: usize = 4;

/// A switched-on candidate, or a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contender {
    pub x: i64,
    pub y: i64,
    pub id: u64,
    pub species: u16,
    /// Its probability as 16 bits: the larger wins.
    pub viability: u16,
    /// Whether it is a pin, which stands whatever happens.
    pub is_pin: bool,
}

/// What became of a contender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// In play; after the rounds: dropped, for it neither won nor lost.
    Undecided,
    /// It is a plant.
    Standing,
    /// It lost its ground to a plant.
    Beaten,
    /// No plant stands near that it has to stand near.
    Lonely,
}

/// Memory for a competition.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompetitionScratch {
    /// One grid per species.
    grids: Vec<PointGrid>,
    states: Vec<State>,
    beaten: Vec<bool>,
    /// Pairs in conflict, inside the tier at work.
    pairs: Vec<(u32, u32)>,
}

/// Decides which contenders stand; they come grouped by species, in the species' order, in each the pins last.
pub(crate) fn compete(
    species: &[Species],
    contenders: &[Contender],
    scratch: &mut CompetitionScratch,
) {
    let state = |contender: &Contender| match contender.is_pin {
        true => State::Standing,
        false => State::Undecided,
    };
    scratch.states.clear();
    scratch.states.extend(contenders.iter().map(state));
    scratch.beaten.clear();
    scratch.beaten.resize(contenders.len(), false);
    let groups = groups(species.len(), contenders);
    scratch.grids.resize_with(species.len(), PointGrid::default);
    for (grid, group) in scratch.grids.iter_mut().zip(&groups) {
        grid.fill(contenders, group.clone());
    }
    let arena = Arena {
        species,
        contenders,
        groups: &groups,
        name_ranks: &name_ranks(species),
    };
    let tiers = tiers_of(species);
    for (n_above, tier) in tiers.iter().enumerate() {
        scratch.leave_lonely(&arena, tier);
        for above in tiers[..n_above].iter().flatten() {
            scratch.yield_ground(&arena, tier, *above);
        }
        for pinned in tiers[n_above..].iter().flatten() {
            if arena.has_pins(*pinned) {
                scratch.yield_ground(&arena, tier, *pinned);
            }
        }
        scratch.pair(&arena, tier);
        for _ in 0..ROUNDS {
            scratch.round(&arena, tier);
        }
    }
}

/// The contenders of each species.
fn groups(n_species: usize, contenders: &[Contender]) -> Vec<Range<usize>> {
    let first = |species: usize| contenders.partition_point(|c| usize::from(c.species) < species);
    (0..n_species).map(|s| first(s)..first(s + 1)).collect()
}

/// The place of each species' name in the order of names.
fn name_ranks(species: &[Species]) -> Vec<usize> {
    let rank = |s: &Species| species.iter().filter(|other| other.name < s.name).count();
    species.iter().map(rank).collect()
}

/// Who competes.
struct Arena<'a> {
    species: &'a [Species],
    contenders: &'a [Contender],
    groups: &'a [Range<usize>],
    name_ranks: &'a [usize],
}

impl Arena<'_> {
    /// The contenders of a tier.
    fn members(&self, tier: &[usize]) -> impl Iterator<Item = usize> + use<'_> {
        let groups: Vec<_> = tier.iter().map(|&s| self.groups[s].clone()).collect();
        groups.into_iter().flatten()
    }

    /// Whether any contender of a species is a pin.
    fn has_pins(&self, species: usize) -> bool {
        let last = self.contenders[self.groups[species].clone()].last();
        last.is_some_and(|contender| contender.is_pin)
    }

    /// Whether one contender beats another.
    fn beats(&self, a: u32, b: u32) -> bool {
        let key = |i: u32| {
            let contender = &self.contenders[i as usize];
            let name = self.name_ranks[usize::from(contender.species)];
            (Reverse(contender.viability), name, contender.id)
        };
        key(a) < key(b)
    }
}

impl CompetitionScratch {
    /// What became of a contender, by its index, in [`compete`].
    pub fn state(&self, contender: usize) -> State {
        self.states[contender]
    }

    /// The nearest of those that took a contender's ground in [`compete`], if it was beaten; of two as near, the one with
    /// the smaller id.
    pub fn victor(
        &self,
        species: &[Species],
        contenders: &[Contender],
        at: usize,
    ) -> Option<usize> {
        let here = &contenders[at];
        let own = usize::from(here.species);
        let mut nearest = None;
        for other in 0..species.len() {
            let range = Nearness::below(pin_distance(species, other, own));
            let is_rival = other != own && species[other].priority >= species[own].priority;
            self.grids[other].near(here.x, here.y, &range, |index, distance2| {
                let there = &contenders[index];
                let takes_ground = there.is_pin || is_rival;
                if takes_ground && self.states[index] == State::Standing {
                    let this = (distance2, there.id, index);
                    nearest = Some(nearest.map_or(this, |best| this.min(best)));
                }
            });
        }
        nearest.map(|(_, _, index): (i64, u64, usize)| index)
    }

    /// Whether a plant of a species stands near a contender.
    fn has_near(&self, here: &Contender, species: usize, range: &Nearness) -> bool {
        let mut is_near = false;
        if let Some(grid) = self.grids.get(species) {
            grid.near(here.x, here.y, range, |other, _| {
                is_near |= self.states[other] == State::Standing;
            });
        }
        is_near
    }

    /// Drops the tier's contenders that have to stand near a plant and do not.
    ///
    /// None but pins stand yet of its own tier and those below it.
    fn leave_lonely(&mut self, arena: &Arena<'_>, tier: &[usize]) {
        for &species in tier {
            let Some(near) = arena.species[species].near else {
                continue;
            };
            let range = Nearness::within_m(near.within_m);
            for at in arena.groups[species].clone() {
                let here = &arena.contenders[at];
                if !here.is_pin && !self.has_near(here, near.species, &range) {
                    self.states[at] = State::Lonely;
                }
            }
        }
    }

    /// Drops the tier's contenders that stand too close to a plant of another tier's species, or to a pin.
    fn yield_ground(&mut self, arena: &Arena<'_>, tier: &[usize], to: usize) {
        for &species in tier {
            let range = Nearness::below(pin_distance(arena.species, to, species));
            for at in arena.groups[species].clone() {
                let is_undecided = self.states[at] == State::Undecided;
                if is_undecided && self.has_near(&arena.contenders[at], to, &range) {
                    self.states[at] = State::Beaten;
                }
            }
        }
    }

    /// Finds the pairs of undecided contenders in conflict inside a tier.
    fn pair(&mut self, arena: &Arena<'_>, tier: &[usize]) {
        self.pairs.clear();
        for (k, &a) in tier.iter().enumerate() {
            for &b in &tier[k + 1..] {
                let range = Nearness::below(conflict_distance(arena.species, a, b));
                for at in arena.groups[a].clone() {
                    if self.states[at] != State::Undecided {
                        continue;
                    }
                    let here = &arena.contenders[at];
                    self.grids[b].near(here.x, here.y, &range, |other, _| {
                        if self.states[other] == State::Undecided {
                            self.pairs.push((at as u32, other as u32));
                        }
                    });
                }
            }
        }
    }

    /// One synchronous round: who beats all undecided rivals stands, then they are dropped.
    fn round(&mut self, arena: &Arena<'_>, tier: &[usize]) {
        let states = &mut self.states;
        let both_undecided = |states: &[State], &(a, b): &(u32, u32)| {
            [a, b].map(|i| states[i as usize]) == [State::Undecided; 2]
        };
        self.pairs.retain(|pair| both_undecided(states, pair));
        for &(a, b) in &self.pairs {
            let loser = if arena.beats(a, b) { b } else { a };
            self.beaten[loser as usize] = true;
        }
        for at in arena.members(tier) {
            if states[at] == State::Undecided && !self.beaten[at] {
                states[at] = State::Standing;
            }
            self.beaten[at] = false;
        }
        for &(a, b) in &self.pairs {
            for (winner, loser) in [(a as usize, b as usize), (b as usize, a as usize)] {
                if states[winner] == State::Standing {
                    states[loser] = State::Beaten;
                }
            }
        }
    }
}
