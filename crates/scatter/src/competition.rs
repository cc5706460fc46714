//! Competition: no two plants of different species stand closer than the sum of their footprints.
//!
//! Species of one priority form a tier, and the tiers take the ground from the highest to the lowest. Inside a tier,
//! synchronous rounds: who beats all undecided rivals stands and drops them. Conflicts are found once, as
//! pairs, and the rounds run over the pairs; what comes out depends on no order.

use crate::{Species, UNITS_PER_M};
use std::cmp::Reverse;
use std::ops::Range;

/// Synchronous rounds inside a tier; who is undecided after them is dropped.
pub const ROUNDS: usize = 4;

/// Beyond this no footprints are told apart, so that squares of distances fit their type.
const FARTHEST: i64 = 1 << 30;

/// The distance in 1/1024 m below which plants of two different species conflict, rounded up; at most 2³⁰, a million metres.
pub fn conflict_distance(a: &Species, b: &Species) -> i64 {
    let sum = (a.footprint_m + b.footprint_m) * UNITS_PER_M as f64;
    (sum.ceil() as i64).clamp(0, FARTHEST)
}

/// How far in metres from a plant a candidate can decide whether it stands.
///
/// A tier's rounds reach (2·[`ROUNDS`] − 1) times its largest conflict distance, and start from what the higher tiers
/// left within the conflict distance to them.
pub fn competition_reach_m(species: &[Species]) -> f64 {
    let mut tiers: Vec<(Vec<usize>, i64)> = Vec::new();
    for members in tiers_of(species) {
        let largest = |a: &[usize], b: &[usize]| {
            let pairs = a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j)));
            pairs
                .filter(|(i, j)| i != j)
                .map(|(i, j)| conflict_distance(&species[i], &species[j]))
                .max()
                .unwrap_or(0)
        };
        let within = (2 * ROUNDS as i64 - 1) * largest(&members, &members);
        let through = |(above, reach): &(Vec<usize>, i64)| match largest(&members, above) {
            0 => 0,
            distance => distance + reach,
        };
        let above = tiers.iter().map(through).max().unwrap_or(0);
        tiers.push((members, within + above));
    }
    let reach = tiers.iter().map(|&(_, reach)| reach).max().unwrap_or(0);
    reach as f64 / UNITS_PER_M as f64
}

/// The species of each tier, the highest tier first.
fn tiers_of(species: &[Species]) -> Vec<Vec<usize>> {
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

/// A switched-on candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contender {
    pub x: i64,
    pub y: i64,
    pub id: u64,
    pub species: u16,
    /// Its probability as 16 bits: the larger wins.
    pub viability: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In play.
    Undecided,
    /// It is a plant.
    Standing,
    /// It lost its ground.
    Dropped,
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

impl CompetitionScratch {
    /// Whether a contender stands, by its index, after [`compete`].
    pub fn stands(&self, contender: usize) -> bool {
        self.states[contender] == State::Standing
    }
}

/// Decides which contenders stand; they come grouped by species, in the species' order.
pub(crate) fn compete(
    species: &[Species],
    contenders: &[Contender],
    scratch: &mut CompetitionScratch,
) {
    scratch.states.clear();
    scratch.states.resize(contenders.len(), State::Undecided);
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
        for above in tiers[..n_above].iter().flatten() {
            scratch.yield_ground(&arena, tier, *above);
        }
        scratch.pair(&arena, tier);
        for _ in 0..ROUNDS {
            scratch.round(&arena, tier);
        }
        for contender in arena.members(tier) {
            if scratch.states[contender] == State::Undecided {
                scratch.states[contender] = State::Dropped;
            }
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
    /// Drops the tier's contenders that stand too close to a plant of species `above`.
    fn yield_ground(&mut self, arena: &Arena<'_>, tier: &[usize], above: usize) {
        for &species in tier {
            let distance = conflict_distance(&arena.species[species], &arena.species[above]);
            for at in arena.groups[species].clone() {
                if self.states[at] != State::Undecided {
                    continue;
                }
                let (here, states) = (&arena.contenders[at], &self.states);
                let mut taken = false;
                self.grids[above].near(here.x, here.y, distance, |other| {
                    taken |= states[other as usize] == State::Standing;
                });
                if taken {
                    self.states[at] = State::Dropped;
                }
            }
        }
    }

    /// Finds the pairs of undecided contenders in conflict inside a tier.
    fn pair(&mut self, arena: &Arena<'_>, tier: &[usize]) {
        self.pairs.clear();
        for (k, &a) in tier.iter().enumerate() {
            for &b in &tier[k + 1..] {
                let distance = conflict_distance(&arena.species[a], &arena.species[b]);
                for at in arena.groups[a].clone() {
                    if self.states[at] != State::Undecided {
                        continue;
                    }
                    let here = &arena.contenders[at];
                    self.grids[b].near(here.x, here.y, distance, |other| {
                        if self.states[other as usize] == State::Undecided {
                            self.pairs.push((at as u32, other));
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
                    states[loser] = State::Dropped;
                }
            }
        }
    }
}

/// Contenders of one species, sorted into square cells with about one each.
#[derive(Clone, Debug, Default)]
struct PointGrid {
    x0: i64,
    y0: i64,
    cell: i64,
    columns: i64,
    rows: i64,
    /// Where each cell's points start; one more than there are cells.
    starts: Vec<u32>,
    /// Position and index of each point, cell by cell.
    points: Vec<(i64, i64, u32)>,
}

impl PointGrid {
    /// Sorts contenders into cells.
    fn fill(&mut self, contenders: &[Contender], group: Range<usize>) {
        let members = &contenders[group.clone()];
        self.lay_out(members);
        self.starts.clear();
        self.starts
            .resize((self.columns * self.rows) as usize + 1, 0);
        for member in members {
            let cell = self.cell_of(member);
            self.starts[cell] += 1;
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        self.points.clear();
        self.points.resize(members.len(), (0, 0, 0));
        // From each cell's end to its start, after which `starts` holds starts.
        for (index, member) in group.zip(members).rev() {
            let cell = self.cell_of(member);
            self.starts[cell] -= 1;
            self.points[self.starts[cell] as usize] = (member.x, member.y, index as u32);
        }
    }

    /// Chooses cells that cover all members.
    fn lay_out(&mut self, members: &[Contender]) {
        let span = |values: &mut dyn Iterator<Item = i64>| {
            values.fold((i64::MAX, i64::MIN), |(lo, hi), v| (lo.min(v), hi.max(v)))
        };
        let (x0, x1) = span(&mut members.iter().map(|m| m.x));
        let (y0, y1) = span(&mut members.iter().map(|m| m.y));
        if members.is_empty() {
            (self.columns, self.rows, self.cell) = (0, 0, 1);
            return;
        }
        let n = members.len() as f64;
        let (width, height) = ((x1 - x0) as f64, (y1 - y0) as f64);
        // No more cells than members along either axis, however thin the area.
        let side = (width * height / n).sqrt().max(width.max(height) / n);
        self.cell = side as i64 + 1;
        (self.x0, self.y0) = (x0, y0);
        self.columns = (x1 - x0) / self.cell + 1;
        self.rows = (y1 - y0) / self.cell + 1;
    }

    /// The cell that holds a member.
    fn cell_of(&self, member: &Contender) -> usize {
        let (column, row) = (
            (member.x - self.x0) / self.cell,
            (member.y - self.y0) / self.cell,
        );
        (row * self.columns + column) as usize
    }

    /// Calls `visit` with each member closer to (`x`, `y`) than `distance`.
    fn near(&self, x: i64, y: i64, distance: i64, mut visit: impl FnMut(u32)) {
        let first = |v: i64| (v - distance).div_euclid(self.cell).max(0);
        let last = |v: i64, n: i64| (v + distance).div_euclid(self.cell).min(n - 1);
        let (column0, column1) = (first(x - self.x0), last(x - self.x0, self.columns));
        if distance <= 0 || column0 > column1 {
            return;
        }
        for row in first(y - self.y0)..=last(y - self.y0, self.rows) {
            let cells = (row * self.columns) as usize;
            let from = self.starts[cells + column0 as usize] as usize;
            let to = self.starts[cells + column1 as usize + 1] as usize;
            for &(px, py, index) in &self.points[from..to] {
                let (dx, dy) = (px - x, py - y);
                if dx * dx + dy * dy < distance * distance {
                    visit(index);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "competition_tests.rs"]
mod tests;
