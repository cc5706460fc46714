//! What becomes of every candidate, and why.

use crate::competition::{Contender, State};
use crate::pins::pin_at;
use crate::place::Sown;
use crate::{Area, Candidate, Fields, Flora, PinKind, PlaceScratch, Sample};

/// What becomes of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Its species' place in the list of species.
    pub species: u16,
    /// The candidate.
    pub candidate: Candidate,
    /// The id of its plant, if it is one.
    pub id: u64,
    /// All parts of its probability; `None` where the ground is void.
    pub sample: Option<Sample>,
    /// Whether it is a plant, and if not, why.
    pub fate: Fate,
}

/// Why a candidate is a plant or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The ground is void.
    Void,
    /// Its rank is not below its probability.
    Improbable,
    /// A pin says that it is none.
    Removed,
    /// A pin of its species stands at its very place.
    Replaced,
    /// No plant stands near that its species stands near.
    Lonely,
    /// A plant took its ground.
    Beaten {
        /// The id of the nearest plant that did.
        by: u64,
        /// That plant's species.
        species: u16,
        /// World x of that plant in 1/1024 m.
        x: i64,
        /// World y of that plant in 1/1024 m.
        y: i64,
    },
    /// After the last round of its tier it was neither a plant nor beaten by one.
    Undecided,
    /// It is a plant.
    Stands,
}

/// Writes what becomes of every candidate in `core`, sorted by species and id, as [`place`](crate::place) decides it.
///
/// It asks for the same window as [`place`](crate::place). Plants set by hand are no candidates.
pub fn explain(
    flora: &Flora<'_>,
    fields: &Fields<'_>,
    core: &Area,
    scratch: &mut PlaceScratch,
    out: &mut Vec<Verdict>,
) {
    out.clear();
    scratch.decide(flora, fields, core);
    let mut contenders = 0..scratch.contenders.len();
    for (index, candidates) in flora
        .candidates
        .iter()
        .enumerate()
        .take(flora.species.len())
    {
        let sown = Sown::new(flora, index);
        let species = index as u16;
        contenders.start = first_of(&scratch.contenders, species);
        for candidate in *candidates {
            // The contenders stand in the candidates' order.
            let contender = contenders.start;
            let is_on = is_same(scratch.contenders.get(contender), species, candidate);
            contenders.start += usize::from(is_on);
            if !core.contains(candidate.x, candidate.y) {
                continue;
            }
            let sample = sown.sample(fields, candidate.x, candidate.y);
            let fate = match is_on {
                true => scratch.fate(flora, contender),
                false => scratch.fate_off(species, candidate, sample.as_ref()),
            };
            out.push(Verdict {
                species,
                candidate: *candidate,
                id: sown.id(candidate.x, candidate.y),
                sample,
                fate,
            });
        }
    }
    out.sort_unstable_by_key(|verdict| (verdict.species, verdict.id));
}

/// The first contender of a species.
fn first_of(contenders: &[Contender], species: u16) -> usize {
    contenders.partition_point(|contender| contender.species < species)
}

/// Whether a contender is a candidate of a species.
fn is_same(contender: Option<&Contender>, species: u16, candidate: &Candidate) -> bool {
    contender.is_some_and(|contender| {
        let place = (contender.species, contender.x, contender.y);
        !contender.is_pin && place == (species, candidate.x, candidate.y)
    })
}

impl PlaceScratch {
    /// What became of a contender in competition.
    fn fate(&self, flora: &Flora<'_>, contender: usize) -> Fate {
        match self.competition.state(contender) {
            State::Standing => Fate::Stands,
            State::Undecided => Fate::Undecided,
            State::Lonely => Fate::Lonely,
            State::Beaten => {
                let victor = self
                    .competition
                    .victor(flora.species, &self.contenders, contender);
                let victor = &self.contenders[victor.expect("somebody standing took its ground")];
                Fate::Beaten {
                    by: victor.id,
                    species: victor.species,
                    x: victor.x,
                    y: victor.y,
                }
            }
        }
    }

    /// Why a candidate is no contender.
    fn fate_off(&self, species: u16, candidate: &Candidate, sample: Option<&Sample>) -> Fate {
        match (sample, pin_at(self.pins.of(species), candidate)) {
            (None, _) => Fate::Void,
            (Some(sample), _) if candidate.rank >= sample.probability => Fate::Improbable,
            (Some(_), Some(pin)) if pin.kind != PinKind::Absent => Fate::Replaced,
            (Some(_), _) => Fate::Removed,
        }
    }
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
