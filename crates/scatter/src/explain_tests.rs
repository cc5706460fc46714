#![allow(clippy::unwrap_used)]
use super::*;
use crate::Ground;
use crate::pins::tests::some_pins;
use crate::place::tests::{everywhere, plants_with, thick, with_flora};
use crate::{Pin, Plant, Species, conflict_distance, place};
use std::collections::{BTreeMap, BTreeSet};

/// The verdicts of a core.
fn verdicts(species: &[Species], pins: &[Pin], fields: &Fields<'_>, core: &Area) -> Vec<Verdict> {
    let mut out = Vec::new();
    with_flora((species, pins), core, |flora| {
        explain(flora, fields, core, &mut PlaceScratch::default(), &mut out);
    });
    out
}

fn distance2(a: (i64, i64), b: (i64, i64)) -> i64 {
    (a.0 - b.0).pow(2) + (a.1 - b.1).pow(2)
}

/// Where a plant's pins are, and the plants of a whole map.
struct Whole<'a> {
    species: &'a [Species],
    pins: &'a [Pin],
    plants: &'a [Plant],
}

impl Whole<'_> {
    fn is_pinned(&self, species: u16, place: (i64, i64)) -> Option<bool> {
        let mut own = self.pins.iter().filter(|pin| pin.species == species);
        let pin = own.find(|pin| (pin.x, pin.y) == place)?;
        Some(pin.kind != PinKind::Absent)
    }

    /// The nearest plant that leaves no room for one of a species at a place.
    fn nearest_victor(&self, species: u16, place: (i64, i64)) -> Option<u64> {
        let own = usize::from(species);
        let takes = |p: &&Plant| {
            let other = usize::from(p.species);
            let least = if own == other {
                (self.species[own].effective_spacing_m() * 1024.0).ceil() as i64
            } else {
                conflict_distance(self.species, own, other)
            };
            let is_higher = self.species[other].priority >= self.species[own].priority;
            let is_pin = || self.is_pinned(p.species, (p.x, p.y)) == Some(true);
            let is_close = distance2((p.x, p.y), place) < least * least;
            is_close && ((is_higher && own != other) || is_pin())
        };
        let near = self.plants.iter().filter(takes);
        near.min_by_key(|p| (distance2((p.x, p.y), place), p.id))
            .map(|p| p.id)
    }

    fn is_lonely(&self, species: u16, place: (i64, i64)) -> bool {
        self.species[usize::from(species)].near.is_some_and(|near| {
            let within = near.within_m * 1024.0;
            let [own, other] =
                [usize::from(species), near.species].map(|s| self.species[s].priority);
            // Only pins stand already where the other species is not of a higher priority.
            let counts = |p: &&Plant| {
                usize::from(p.species) == near.species
                    && (other > own || self.is_pinned(p.species, (p.x, p.y)) == Some(true))
            };
            let mut sought = self.plants.iter().filter(counts);
            !sought.any(|p| distance2((p.x, p.y), place) as f64 <= within * within)
        })
    }

    /// What has to become of a candidate, but for who is undecided.
    fn check(&self, verdict: &Verdict) {
        let place = (verdict.candidate.x, verdict.candidate.y);
        let victor = self.nearest_victor(verdict.species, place);
        let is_lonely = self.is_lonely(verdict.species, place);
        let pinned = self.is_pinned(verdict.species, place);
        let probability = verdict.sample.map(|sample| sample.probability);
        let is_on = probability.is_some_and(|p| verdict.candidate.rank < p);
        match verdict.fate {
            Fate::Void => assert!(probability.is_none()),
            Fate::Improbable => assert!(probability.is_some() && !is_on),
            Fate::Removed => assert!(is_on && pinned == Some(false)),
            Fate::Replaced => assert!(is_on && pinned == Some(true)),
            Fate::Lonely => assert!(is_on && pinned.is_none() && is_lonely),
            Fate::Beaten { by, species, x, y } => {
                assert!(is_on && pinned.is_none() && !is_lonely);
                assert_eq!(Some(by), victor);
                let plant = self.plants.iter().find(|p| p.id == by).unwrap();
                assert_eq!((species, x, y), (plant.species, plant.x, plant.y));
            }
            Fate::Undecided | Fate::Stands => {
                assert!(is_on && pinned.is_none() && !is_lonely);
                assert_eq!(victor, None);
            }
        }
    }
}

#[test]
fn every_candidates_fate_is_what_place_makes_of_it() {
    let (mut world, mut species) = thick();
    let area = everywhere(&world);
    let mut seen = BTreeMap::new();
    for round in 0..3_u64 {
        for (k, weight) in world.weights.band_mut(1).iter_mut().enumerate() {
            *weight = weight.wrapping_add((ecotone_grid::mix(k as u64 ^ round << 32) % 9) as u8);
        }
        species[0].name = format!("ash {round}");
        species[2].priority = [2, 5, 0][round as usize];
        let fields = world.fields();
        let before = plants_with(&species, &[], &fields, &area);
        let mut pins = some_pins(&before);
        pins.retain(|pin| Ground::at(&fields, pin.x, pin.y).is_some_and(|g| g.height().is_some()));
        let plants = plants_with(&species, &pins, &fields, &area);
        let whole = Whole {
            species: &species,
            pins: &pins,
            plants: &plants,
        };
        let (x, y) = world.position(30.0 + 20.0 * round as f64, 110.0);
        let core = Area::new(x, y, x + 150 * 1024, y + 90 * 1024);
        let all = verdicts(&species, &pins, &fields, &core);
        for verdict in &all {
            whole.check(verdict);
            *seen.entry(name(&verdict.fate)).or_insert(0) += 1;
        }
        let standing = all.iter().filter(|v| v.fate == Fate::Stands).map(|v| v.id);
        let drawn = plants.iter().filter(|p| {
            core.contains(p.x, p.y) && whole.is_pinned(p.species, (p.x, p.y)).is_none()
        });
        let drawn: BTreeSet<u64> = drawn.map(|p| p.id).collect();
        assert_eq!(standing.collect::<BTreeSet<u64>>(), drawn);
        let key = |v: &Verdict| (v.species, v.id);
        assert!(all.is_sorted_by_key(key));
    }
    // Four rounds leave hardly anybody undecided.
    seen.remove("Undecided");
    assert_eq!(seen.len(), 7, "all others occur: {seen:?}");
}

/// The name of a fate.
fn name(fate: &Fate) -> String {
    let text = format!("{fate:?}");
    text.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_verdict_and_a_plant_share_their_scratch() {
    let (world, species) = thick();
    let fields = world.fields();
    let (x, y) = world.position(100.0, 75.0);
    let core = Area::new(x, y, x + 9_000, y + 5_000);
    let (mut scratch, mut plants, mut verdicts) = (PlaceScratch::default(), Vec::new(), Vec::new());
    with_flora((&species, &[]), &core, |flora| {
        explain(flora, &fields, &core, &mut scratch, &mut verdicts);
        place(flora, &fields, &core, &mut scratch, &mut plants);
    });
    plants.sort_by_key(|plant| (plant.species, plant.id));
    assert!(plants == plants_with(&species, &[], &fields, &core));
    assert!(
        verdicts
            .iter()
            .all(|v| core.contains(v.candidate.x, v.candidate.y))
    );
}
