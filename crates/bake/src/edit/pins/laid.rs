//! The pins of a log as the jobs read them.

use std::collections::{BTreeMap, HashMap};

use ecotone_grid::{mix, name_key, plant_id};
use ecotone_scatter::{self as scatter, Area, Candidate, Fields, Flora, PinKind};
use ecotone_store::{EditRecord, Lost, LostPin, PinLook, SpeciesRecord, decode_up, pins};

use crate::plan::{ChunkGrid, ChunkId, Plan, STEPS_PER_M};

/// Sets what a pinned plant draws apart from what any candidate does.
const DRAWS: u64 = 0x70c4_91e5_3b0f_a62d;

/// A pin as the kernels take it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Laid {
    pin: scatter::Pin,
    /// Whether it takes away a plant that was set by hand, so that it needs none of the rules' own.
    is_undoing: bool,
    /// Whether it names a variant that its species does not have.
    is_without_variant: bool,
}

/// The pins that count, of species that the config has.
pub(crate) struct Pins {
    chunks: ChunkGrid,
    by_chunk: BTreeMap<ChunkId, Vec<Laid>>,
    /// The largest size of each species that can be stored.
    most: Vec<f64>,
    /// How far beyond a chunk's candidates a pin can matter, in 1/1024 m.
    reach: i64,
}

impl Pins {
    /// Those of a log; `species` are the kernels', and `records` name them and their variants in the same order.
    pub(crate) fn new(
        log: &[EditRecord],
        seed: u64,
        (species, records): (&[scatter::Species], &[SpeciesRecord]),
        chunks: ChunkGrid,
    ) -> Self {
        let mut by_chunk: BTreeMap<ChunkId, Vec<Laid>> = BTreeMap::new();
        for given in pins(log) {
            let (x, y) = (given.record.x, given.record.y);
            let named = |own: &SpeciesRecord| own.name == given.record.species;
            let Some(idx) = records.iter().position(named) else {
                continue;
            };
            let key = name_key(&given.record.species);
            let draws = mix(mix(seed ^ DRAWS) ^ plant_id(key, x, y));
            let look = |own: &PinLook| look(own, &records[idx], draws);
            let stands = given.record.stands.as_ref();
            let kind = stands.map(look);
            let names_variant = stands.is_some_and(|own| own.variant.is_some());
            let has_variant = kind.is_some_and(|look| look.variant.is_some());
            let laid = Laid {
                pin: scatter::Pin {
                    species: idx as u16,
                    x,
                    y,
                    kind: kind.map_or(PinKind::Absent, PinKind::Stands),
                },
                is_undoing: given.is_undoing,
                is_without_variant: names_variant && !has_variant,
            };
            by_chunk.entry(chunks.of(x, y)).or_default().push(laid);
        }
        Self {
            chunks,
            by_chunk,
            most: records.iter().map(largest).collect(),
            reach: (scatter::pins_reach_m(species) * STEPS_PER_M).ceil() as i64,
        }
    }

    /// Those that can matter to a chunk.
    fn near(&self, plan: &Plan, chunk: ChunkId) -> impl Iterator<Item = &Laid> {
        let area = match self.by_chunk.is_empty() {
            true => Area::new(0, 0, 0, 0),
            false => plan.reach_of(chunk).grow(self.reach),
        };
        self.within(area)
    }

    fn within(&self, area: Area) -> impl Iterator<Item = &Laid> {
        let (first, last) = (
            self.chunks.of(area.x0, area.y0),
            self.chunks.of(area.x1, area.y1),
        );
        let columns = first.x..=last.x;
        let found = columns.flat_map(move |x| {
            let [south, north] = [first.y, last.y].map(|y| ChunkId { x, y });
            self.by_chunk.range(south..=north).flat_map(|(_, own)| own)
        });
        found.filter(move |laid| area.contains(laid.pin.x, laid.pin.y))
    }

    /// Shows to `each` what decides what a chunk's pins do: nothing where none can matter.
    pub(crate) fn describe(&self, plan: &Plan, chunk: ChunkId, each: &mut dyn FnMut(&str)) {
        self.near(plan, chunk)
            .for_each(|laid| each(&format!("{laid:?}")));
    }

    /// Fills `out` with the pins that can matter to a chunk.
    pub(crate) fn gather(&self, plan: &Plan, chunk: ChunkId, out: &mut Vec<scatter::Pin>) {
        out.clear();
        out.extend(self.near(plan, chunk).map(|laid| laid.pin));
    }

    /// Fills `out` with the pins that can matter to an area.
    pub(crate) fn gather_around(&self, plan: &Plan, area: &Area, out: &mut Vec<scatter::Pin>) {
        out.clear();
        let area = plan.reach_around(area).grow(self.reach);
        out.extend(self.within(area).map(|laid| laid.pin));
    }

    /// The pins in a chunk that have lost their ground; `flora` has the candidates on it.
    pub(crate) fn lost(
        &self,
        chunk: ChunkId,
        flora: &Flora<'_>,
        fields: &Fields<'_>,
    ) -> Vec<LostPin> {
        let Some(own) = self.by_chunk.get(&chunk) else {
            return Vec::new();
        };
        let ranks = ranks(own, flora.candidates);
        let lost = |laid: &Laid| {
            let scatter::Pin { x, y, .. } = laid.pin;
            let idx = usize::from(laid.pin.species);
            let species = &flora.species[idx];
            let sample = scatter::probability(species, flora.biomes, fields, x, y);
            let probability = sample.map(|sample| sample.probability);
            let why = match laid.pin.kind {
                PinKind::Stands(look) => {
                    let is_too_large = look.size > Some(self.most[idx]);
                    fate(probability, is_too_large, laid.is_without_variant)
                }
                PinKind::Absent if laid.is_undoing => None,
                PinKind::Absent => {
                    let rank = ranks.get(&laid.key()).copied().flatten();
                    let grows = rank.zip(probability).is_some_and(|(rank, p)| rank < p);
                    (!grows).then_some(Lost::NothingToRemove)
                }
            };
            Some(LostPin {
                species: species.name.clone(),
                x,
                y,
                why: why?,
            })
        };
        own.iter().filter_map(lost).collect()
    }
}

impl Laid {
    fn key(&self) -> (u16, i64, i64) {
        (self.pin.species, self.pin.x, self.pin.y)
    }
}

/// The ranks of the candidates that pins take away; `None` where there is no such candidate.
fn ranks(pins: &[Laid], candidates: &[&[Candidate]]) -> HashMap<(u16, i64, i64), Option<f64>> {
    let absent = pins.iter().filter(|laid| laid.pin.kind == PinKind::Absent);
    let mut ranks: HashMap<_, _> = absent.map(|laid| (laid.key(), None)).collect();
    if ranks.is_empty() {
        return ranks;
    }
    for (idx, points) in candidates.iter().enumerate() {
        for point in *points {
            if let Some(rank) = ranks.get_mut(&(idx as u16, point.x, point.y)) {
                *rank = Some(point.rank);
            }
        }
    }
    ranks
}

/// What has become of a plant set by hand.
fn fate(probability: Option<f64>, is_too_large: bool, is_without_variant: bool) -> Option<Lost> {
    match probability {
        None => Some(Lost::Void),
        Some(_) if is_too_large => Some(Lost::TooLarge),
        Some(_) if is_without_variant => Some(Lost::NoVariant),
        Some(probability) => (probability <= 0.0).then_some(Lost::Unfit),
    }
}

/// The largest size of a species that can be stored, and a rounding more.
pub(super) fn largest(species: &SpeciesRecord) -> f64 {
    species.size_step * f64::from(u16::MAX) * (1.0 + 1e-9)
}

/// How a pinned plant looks; a variant that is gone is drawn anew.
fn look(given: &PinLook, species: &SpeciesRecord, draws: u64) -> scatter::Look {
    let variant = given.variant.as_ref();
    let idx = variant.and_then(|name| species.variants.iter().position(|own| own == name));
    scatter::Look {
        size: given.size,
        yaw: given.yaw,
        up: given.up.map(decode_up),
        variant: idx.map(|idx| idx as u8),
        tint: given.tint,
        sink_m: given.sink,
        draws,
    }
}
