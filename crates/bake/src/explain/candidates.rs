//! What stands or could stand around a point, and what became of it.

use ecotone_grid::{name_key, plant_id};
use ecotone_scatter::{self as scatter, Fate, PinKind, Sample, Species, Verdict};

use super::answer::{CandidateAnswer, FateWord, Victor};
use super::gather::{Point, apart, hex, metres};
use super::words::short;
use crate::jobs::Around;

impl Point<'_> {
    /// What stands or could stand around the point, the nearest first.
    pub(super) fn candidates(
        &self,
        own: &Species,
        idx: usize,
        around: &Around<'_>,
    ) -> Vec<CandidateAnswer> {
        let is_own = |verdict: &&Verdict| usize::from(verdict.species) == idx;
        let verdicts = around.verdicts.iter().filter(is_own);
        let mut found: Vec<_> = verdicts.map(|own| self.candidate(own, around)).collect();
        for ((name, id), stored) in &self.stored {
            let id_text = hex(*id);
            if *name != own.name || found.iter().any(|c| c.id == id_text && c.plant.is_some()) {
                continue;
            }
            found.retain(|c| c.id != id_text);
            let place = (stored.x, stored.y);
            let biomes = &self.explainer.scene.rules.biomes;
            let fields = &around.fields;
            let sample = scatter::probability(own, biomes, fields, stored.x, stored.y);
            let (fate, says) = match self.is_set_by_hand(idx, *id, around) {
                true => (FateWord::Pinned, "set by hand"),
                false => (
                    FateWord::Stale,
                    "a plant of the world that would not grow any more: the inputs have changed",
                ),
            };
            let mut answer = self.at_place(place, sample, (fate, says.to_owned()));
            answer.id = id_text;
            answer.plant = Some(stored.plant.clone());
            found.push(answer);
        }
        found.retain(|c| c.distance <= self.radius);
        found.sort_by(|a, b| {
            a.distance
                .total_cmp(&b.distance)
                .then_with(|| a.id.cmp(&b.id))
        });
        found
    }

    /// Whether a plant of a species, by its place in the list, was set by hand.
    fn is_set_by_hand(&self, species: usize, id: u64, around: &Around<'_>) -> bool {
        let key = name_key(&self.explainer.scene.rules.species[species].name);
        around.pins.iter().any(|pin| {
            let stands = matches!(pin.kind, PinKind::Stands(_));
            usize::from(pin.species) == species && stands && plant_id(key, pin.x, pin.y) == id
        })
    }

    fn at_place(
        &self,
        (x, y): (i64, i64),
        sample: Option<Sample>,
        (fate, says): (FateWord, String),
    ) -> CandidateAnswer {
        CandidateAnswer {
            id: String::new(),
            x: metres(x),
            y: metres(y),
            distance: apart((x, y), self.at),
            rank: None,
            probability: sample.map(|sample| sample.probability),
            fate,
            says,
            beaten_by: None,
            plant: None,
        }
    }

    fn candidate(&self, verdict: &Verdict, around: &Around<'_>) -> CandidateAnswer {
        let species = &self.explainer.scene.rules.species;
        let own = &species[usize::from(verdict.species)];
        let place = (verdict.candidate.x, verdict.candidate.y);
        let beaten_by = self.victor(verdict);
        let told = self.fate(own, verdict, beaten_by.as_ref(), around);
        let stored = self.stored.get(&(own.name.clone(), verdict.id));
        let stored = stored.filter(|_| verdict.fate == Fate::Stands);
        CandidateAnswer {
            id: hex(verdict.id),
            rank: Some(verdict.candidate.rank),
            beaten_by,
            plant: stored.map(|stored| stored.plant.clone()),
            ..self.at_place(place, verdict.sample, told)
        }
    }

    fn victor(&self, verdict: &Verdict) -> Option<Victor> {
        let Fate::Beaten { by, species, x, y } = verdict.fate else {
            return None;
        };
        let all = &self.explainer.scene.rules.species;
        let (victor, loser) = (usize::from(species), usize::from(verdict.species));
        let needed = match victor == loser {
            true => all[loser].effective_spacing_m(),
            false => metres(scatter::conflict_distance(all, victor, loser)),
        };
        Some(Victor {
            species: all[victor].name.clone(),
            id: hex(by),
            x: metres(x),
            y: metres(y),
            distance: apart((x, y), (verdict.candidate.x, verdict.candidate.y)),
            needed,
        })
    }

    fn fate(
        &self,
        own: &Species,
        verdict: &Verdict,
        beaten_by: Option<&Victor>,
        around: &Around<'_>,
    ) -> (FateWord, String) {
        let probability = verdict.sample.map_or(0.0, |sample| sample.probability);
        let (rank, probability) = (short(verdict.candidate.rank), short(probability));
        match verdict.fate {
            Fate::Void => (FateWord::Void, "the ground is void".to_owned()),
            Fate::Improbable => {
                let place = (verdict.candidate.x, verdict.candidate.y);
                let why = self.blame(own, &self.factors(own, around, place));
                let odds = format!("its rank {rank} is not below its probability {probability}");
                (FateWord::Improbable, why.unwrap_or(odds))
            }
            Fate::Removed => (FateWord::Removed, "it was taken away by hand".to_owned()),
            Fate::Replaced => {
                let says = "a plant of its species was set at its place by hand";
                (FateWord::Replaced, says.to_owned())
            }
            Fate::Lonely => (FateWord::Lonely, self.lonely(own)),
            Fate::Undecided => {
                let says = "competition ended before it was decided";
                (FateWord::Undecided, says.to_owned())
            }
            Fate::Stands => {
                let says =
                    format!("it stands: its rank {rank} is below its probability {probability}");
                (FateWord::Stands, says)
            }
            Fate::Beaten { by, species, .. } => {
                let is_pin = self.is_set_by_hand(usize::from(species), by, around);
                let by = beaten_by.map_or_else(String::new, |by| {
                    let (name, id) = (&by.species, &by.id);
                    let (at, needed) = (short(by.distance), short(by.needed));
                    // A pin keeps others off even where a void leaves it no ground.
                    let is = if is_pin { "was set by hand" } else { "stands" };
                    format!("{name} {id} {is} {at} m away from it, and {needed} m are needed")
                });
                (FateWord::Beaten, by)
            }
        }
    }

    fn lonely(&self, own: &Species) -> String {
        let species = &self.explainer.scene.rules.species;
        let near = own
            .near
            .and_then(|near| Some((species.get(near.species)?, near.within_m)));
        near.map_or_else(String::new, |(other, within)| {
            format!("no {} stands within {} m of it", other.name, short(within))
        })
    }
}
