//! Which candidates become plants, and how the plants stand.

use crate::competition::{CompetitionScratch, Contender, compete, conflict_distance};
use crate::draws::{Purpose, draw, unit};
use crate::rules::Odds;
use crate::sample::{Ground, lerp, normalised};
use crate::{Area, Biome, Candidate, Fields, Species, Variant};
use ecotone_grid::{name_key, plant_id};

/// A plant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// A hash of its species' name and its place: the same in every bake.
    pub id: u64,
    /// World x in 1/1024 m.
    pub x: i64,
    /// World y in 1/1024 m, growing north.
    pub y: i64,
    /// Height of the ground in metres.
    pub z: f64,
    /// Size, as a factor of the mesh.
    pub size: f64,
    /// Distance in metres to the edge of its species' stratum, positive inside.
    pub edge_distance: f64,
    /// Its upright, of length 1: east, north, up.
    pub up: [f64; 3],
    /// Its species' place in the list of species.
    pub species: u16,
    /// Turn about its upright, in 1/65536 of a full turn.
    pub yaw: u16,
    /// Place in its species' list of mesh variants.
    pub variant: u8,
    /// A random number for the shader.
    pub tint: u8,
}

/// All species that grow in a world, and the candidates of each in the window at work.
#[derive(Clone, Copy, Debug)]
pub struct Flora<'a> {
    /// The species; at most 65536.
    pub species: &'a [Species],
    /// The biomes that species name.
    pub biomes: &'a [Biome],
    /// One list per species: its pattern's points in the window, each once.
    pub candidates: &'a [&'a [Candidate]],
}

/// Memory for placing plants; it grows to what a window needs and is reused.
#[derive(Clone, Debug, Default)]
pub struct PlaceScratch {
    contenders: Vec<Contender>,
    growths: Vec<Growth>,
    competition: CompetitionScratch,
}

/// A species whose candidates are looked at.
struct Sown<'a> {
    index: u16,
    /// Hash key of its name.
    key: u64,
    odds: Odds<'a>,
}

/// What a contender needs to become a plant.
#[derive(Clone, Copy, Debug)]
struct Growth {
    draws: u64,
    height: f64,
    edge_distance: f64,
    attenuation: f64,
}

/// Writes the plants of `core`, sorted by species and id.
///
/// They are those of the whole map if the candidates are all of those within
/// [`competition_reach_m`](crate::competition_reach_m) of the core, and the fields reach one pixel beyond.
pub fn place(
    flora: &Flora<'_>,
    fields: &Fields<'_>,
    core: &Area,
    scratch: &mut PlaceScratch,
    out: &mut Vec<Plant>,
) {
    out.clear();
    scratch.contenders.clear();
    scratch.growths.clear();
    for (index, species) in flora.species.iter().enumerate() {
        let candidates = flora.candidates.get(index).copied().unwrap_or_default();
        let alone = is_alone(index, flora.species);
        let sown = Sown {
            index: index as u16,
            key: name_key(&species.name),
            odds: Odds::new(species),
        };
        let most = sown.odds.most();
        for candidate in candidates {
            let may_matter = !alone || core.contains(candidate.x, candidate.y);
            if candidate.rank < most && may_matter {
                scratch.switch_on(&sown, fields, candidate);
            }
        }
    }
    compete(flora.species, &scratch.contenders, &mut scratch.competition);
    let grown = scratch.contenders.iter().zip(&scratch.growths).enumerate();
    for (index, (contender, growth)) in grown {
        if scratch.competition.stands(index) && core.contains(contender.x, contender.y) {
            let species = &flora.species[usize::from(contender.species)];
            out.push(plant(species, fields, contender, growth));
        }
    }
    // By keys of their own: a plant is large, and would be moved at every step.
    out.sort_by_cached_key(|plant| (plant.species, plant.id));
}

/// Whether no plant of another species can be in conflict with one of this.
fn is_alone(index: usize, species: &[Species]) -> bool {
    let conflict = |other: &Species| conflict_distance(&species[index], other) > 0;
    !(0..species.len()).any(|other| other != index && conflict(&species[other]))
}

impl PlaceScratch {
    /// Adds a candidate to the contenders if its rank is below its probability.
    fn switch_on(&mut self, sown: &Sown<'_>, fields: &Fields<'_>, candidate: &Candidate) {
        let Some(ground) = Ground::at(fields, candidate.x, candidate.y) else {
            return;
        };
        let Some(sample) = sown.odds.sample(&ground, candidate.rank) else {
            return;
        };
        self.contenders.push(Contender {
            x: candidate.x,
            y: candidate.y,
            id: plant_id(sown.key, candidate.x, candidate.y),
            species: sown.index,
            viability: (sample.probability * 65535.0 + 0.5) as u16,
        });
        self.growths.push(Growth {
            draws: candidate.draws,
            height: sample.height,
            edge_distance: sample.edge_distance,
            attenuation: sample.attenuation,
        });
    }
}

/// A contender that stands, with its attributes.
fn plant(species: &Species, fields: &Fields<'_>, contender: &Contender, growth: &Growth) -> Plant {
    let drawn = |purpose| draw(growth.draws, purpose);
    let [lo, hi] = [0, 1].map(|end| {
        lerp(
            species.edge.size[end],
            species.size[end],
            growth.attenuation,
        )
    });
    Plant {
        id: contender.id,
        x: contender.x,
        y: contender.y,
        z: growth.height,
        size: lerp(lo, hi, unit(drawn(Purpose::Size))),
        edge_distance: growth.edge_distance,
        up: upright(species.align, fields, contender),
        species: contender.species,
        yaw: (drawn(Purpose::Yaw) >> 48) as u16,
        variant: variant(&species.variants, unit(drawn(Purpose::Variant))),
        tint: (drawn(Purpose::Tint) >> 56) as u8,
    }
}

/// The upright of a plant that leans by `align` from the vertical to the ground's normal.
fn upright(align: f64, fields: &Fields<'_>, contender: &Contender) -> [f64; 3] {
    const VERTICAL: [f64; 3] = [0.0, 0.0, 1.0];
    let ground = (align > 0.0).then(|| Ground::at(fields, contender.x, contender.y));
    ground.flatten().map_or(VERTICAL, |ground| {
        let normal = ground.normal();
        normalised([0, 1, 2].map(|k| lerp(VERTICAL[k], normal[k], align)))
    })
}

/// The variant that a draw in [0, 1) falls on; 0 where there are none.
fn variant(variants: &[Variant], draw: f64) -> u8 {
    let weights: Vec<f64> = variants.iter().map(|own| own.weight).collect();
    let mut left = draw * weights.iter().sum::<f64>();
    let falls_on = |weight: &f64| {
        left -= weight;
        left < 0.0
    };
    let last = || weights.iter().rposition(|&weight| weight > 0.0);
    weights.iter().position(falls_on).or_else(last).unwrap_or(0) as u8
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
