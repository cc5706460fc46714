//! Which candidates become plants.

use crate::attributes::{Stand, attributes};
use crate::competition::{CompetitionScratch, Contender, State, compete, is_alone};
use crate::pins::{PinIndex, pin_at};
use crate::rules::Odds;
use crate::sample::Ground;
use crate::{Area, Biome, Candidate, Fields, Look, Pin, PinKind, Sample, Species};
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
    /// Height of its foot in metres: the ground's, less how deep it is sunk.
    pub z: f64,
    /// Size, as a factor of the mesh.
    pub size: f64,
    /// Distance in metres to the edge of its species' stratum, positive inside.
    pub edge_distance: f64,
    /// Its upright, of length 1: east, north, up.
    pub up: [f64; 3],
    /// Its species' place in the list of species.
    pub species: u16,
    /// Turn about its upright, in 1/65536 of a full turn, counter-clockwise seen from above.
    pub yaw: u16,
    /// Place in its species' list of mesh variants.
    pub variant: u8,
    /// A number for the shader from 0 to 1, in 1/255.
    pub tint: u8,
}

/// All species that grow in a world, and the candidates and pins of each in the window at work.
#[derive(Clone, Copy, Debug)]
pub struct Flora<'a> {
    /// The species; at most 65536.
    pub species: &'a [Species],
    /// The biomes that species name.
    pub biomes: &'a [Biome],
    /// One list per species: its pattern's points in the window, each once.
    pub candidates: &'a [&'a [Candidate]],
    /// What is set and removed by hand in the window.
    pub pins: &'a [Pin],
}

/// Memory for placing plants; it grows to what a window needs and is reused.
#[derive(Clone, Debug, Default)]
pub struct PlaceScratch {
    pub(crate) contenders: Vec<Contender>,
    pub(crate) competition: CompetitionScratch,
    pub(crate) pins: PinIndex,
    growths: Vec<Growth>,
}

/// A species whose candidates are looked at.
pub(crate) struct Sown<'a> {
    index: u16,
    /// Hash key of its name.
    key: u64,
    pub odds: Odds<'a>,
}

impl<'a> Sown<'a> {
    /// A species of a flora by its place.
    pub fn new(flora: &Flora<'a>, index: usize) -> Self {
        let species = &flora.species[index];
        Self {
            index: index as u16,
            key: name_key(&species.name),
            odds: Odds::new(species, flora.biomes),
        }
    }

    /// The id of its plant at a place.
    pub fn id(&self, x: i64, y: i64) -> u64 {
        plant_id(self.key, x, y)
    }

    /// All about a place, however unlikely a plant is there; `None` where the ground is void.
    pub fn sample(&self, fields: &Fields<'_>, x: i64, y: i64) -> Option<Sample> {
        self.odds.sample(&Ground::at(fields, x, y)?, -1.0)
    }
}

/// What a contender needs to become a plant.
#[derive(Clone, Copy, Debug)]
enum Growth {
    /// A candidate, with what was sampled there.
    Sampled {
        draws: u64,
        height: f64,
        edge_distance: f64,
        attenuation: f64,
    },
    /// A pin, where nothing has been sampled yet.
    Pinned(Look),
}

/// Writes the plants of `core`, species by species in the order of their list, and in no order inside one.
///
/// They are those of the whole map if the candidates are all of those within
/// [`competition_reach_m`](crate::competition_reach_m) of the core, the pins all of those within
/// [`pins_reach_m`](crate::pins_reach_m) beyond, and the fields reach one pixel beyond the candidates.
pub fn place(
    flora: &Flora<'_>,
    fields: &Fields<'_>,
    core: &Area,
    scratch: &mut PlaceScratch,
    out: &mut Vec<Plant>,
) {
    out.clear();
    scratch.decide(flora, fields, core);
    let grown = scratch.contenders.iter().zip(&scratch.growths).enumerate();
    for (index, (contender, growth)) in grown {
        let stands = scratch.competition.state(index) == State::Standing;
        if stands && core.contains(contender.x, contender.y) {
            out.extend(plant(flora, fields, contender, growth));
        }
    }
}

impl PlaceScratch {
    /// Finds all contenders that may matter in `core`, and decides which of them stand.
    pub(crate) fn decide(&mut self, flora: &Flora<'_>, fields: &Fields<'_>, core: &Area) {
        self.contenders.clear();
        self.growths.clear();
        self.pins.fill(flora.pins);
        for index in 0..flora.species.len() {
            let candidates = flora.candidates.get(index).copied().unwrap_or_default();
            let alone = is_alone(flora.species, index);
            let sown = Sown::new(flora, index);
            let most = sown.odds.most();
            for candidate in candidates {
                let may_matter = !alone || core.contains(candidate.x, candidate.y);
                if candidate.rank < most && may_matter {
                    self.switch_on(&sown, fields, candidate);
                }
            }
            self.set_pins(&sown);
        }
        compete(flora.species, &self.contenders, &mut self.competition);
    }

    /// Adds a candidate to the contenders if its rank is below its probability and no pin is at its place.
    fn switch_on(&mut self, sown: &Sown<'_>, fields: &Fields<'_>, candidate: &Candidate) {
        let Some(ground) = Ground::at(fields, candidate.x, candidate.y) else {
            return;
        };
        let Some(sample) = sown.odds.sample(&ground, candidate.rank) else {
            return;
        };
        if pin_at(self.pins.of(sown.index), candidate).is_some() {
            return;
        }
        self.contenders.push(Contender {
            x: candidate.x,
            y: candidate.y,
            id: sown.id(candidate.x, candidate.y),
            species: sown.index,
            viability: (sample.probability * 65535.0 + 0.5) as u16,
            is_pin: false,
        });
        self.growths.push(Growth::Sampled {
            draws: candidate.draws,
            height: sample.height,
            edge_distance: sample.edge_distance,
            attenuation: sample.attenuation,
        });
    }

    /// Adds the plants set by hand to the contenders.
    fn set_pins(&mut self, sown: &Sown<'_>) {
        for pin in self.pins.of(sown.index) {
            let PinKind::Stands(look) = pin.kind else {
                continue;
            };
            self.contenders.push(Contender {
                x: pin.x,
                y: pin.y,
                id: sown.id(pin.x, pin.y),
                species: sown.index,
                viability: u16::MAX,
                is_pin: true,
            });
            self.growths.push(Growth::Pinned(look));
        }
    }
}

/// A contender that stands, with its attributes; `None` for a pin on void ground.
fn plant(
    flora: &Flora<'_>,
    fields: &Fields<'_>,
    contender: &Contender,
    growth: &Growth,
) -> Option<Plant> {
    let &Contender { x, y, species, .. } = contender;
    let (look, height, edge_distance, attenuation) = match *growth {
        Growth::Sampled {
            draws,
            height,
            edge_distance,
            attenuation,
        } => {
            let look = Look {
                draws,
                ..Look::default()
            };
            (look, height, edge_distance, attenuation)
        }
        Growth::Pinned(look) => {
            let sample = Sown::new(flora, usize::from(species)).sample(fields, x, y)?;
            (
                look,
                sample.height,
                sample.edge_distance,
                sample.attenuation,
            )
        }
    };
    let stand = Stand {
        fields,
        x,
        y,
        attenuation,
    };
    let drawn = attributes(&flora.species[usize::from(species)], &stand, &look);
    Some(Plant {
        id: contender.id,
        x,
        y,
        z: height - drawn.sink_m,
        size: drawn.size,
        edge_distance,
        up: drawn.up,
        species,
        yaw: drawn.yaw,
        variant: drawn.variant,
        tint: drawn.tint,
    })
}

#[cfg(test)]
#[path = "place_tests.rs"]
pub(crate) mod tests;
