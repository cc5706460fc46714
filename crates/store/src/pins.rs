//! Plants that were set or taken away by hand, as the edit log keeps them, and which of them have lost their ground.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{EditOp, EditRecord, Entry, Manifest, STEPS_PER_METRE};

/// What is said by hand of one species at one place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PinRecord {
    /// The species.
    pub species: String,
    /// World x in 1/1024 m.
    pub x: i64,
    /// World y in 1/1024 m, growing north.
    pub y: i64,
    /// The plant that stands there whatever the rules say; `None`: the rules' own plant of that place does not stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands: Option<PinLook>,
}

impl PinRecord {
    /// World x and y in metres.
    pub fn metres(&self) -> [f64; 2] {
        [self.x, self.y].map(|steps| steps as f64 / STEPS_PER_METRE as f64)
    }
}

/// How a plant looks that was set by hand; what is `None` is drawn as for any plant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PinLook {
    /// Size, as a factor of the mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    /// Turn about its upright, in 1/65536 of a full turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yaw: Option<u16>,
    /// Its upright, as of [`encode_up`](crate::encode_up).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<[u8; 2]>,
    /// Its variant, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Its tint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tint: Option<u8>,
    /// Metres that it stands in the ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sink: Option<f64>,
}

/// A pin that counts: the last that the log says of its species and place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin<'a> {
    /// The edit that it is of.
    pub edit: u64,
    /// What it says.
    pub record: &'a PinRecord,
    /// Whether it takes away a plant that an earlier pin had set.
    pub is_undoing: bool,
}

/// The pins of a log that count, by species, x and y.
pub fn pins(edits: &[EditRecord]) -> Vec<Pin<'_>> {
    let mut last: BTreeMap<(&str, i64, i64), Pin<'_>> = BTreeMap::new();
    for edit in edits {
        let EditOp::Pins { pins } = &edit.op else {
            continue;
        };
        for record in pins {
            let key = (record.species.as_str(), record.x, record.y);
            let before = last.get(&key);
            let had_set = before.is_some_and(|pin| pin.is_undoing || pin.record.stands.is_some());
            let pin = Pin {
                edit: edit.number,
                record,
                is_undoing: record.stands.is_none() && had_set,
            };
            last.insert(key, pin);
        }
    }
    last.into_values().collect()
}

/// Why a pin has lost its ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lost {
    /// The config has no such species any more: nothing stands, and the plant comes back with the species.
    NoSpecies,
    /// The map does not reach so far: nothing stands.
    OffMap,
    /// The ground is void: nothing stands.
    Void,
    /// The species has become smaller than the plant was set: it stands in the largest size that the species now has.
    TooLarge,
    /// The species has no such variant any more: the plant stands, with a variant that is drawn.
    NoVariant,
    /// The rules would let none of the species grow there; the plant stands.
    Unfit,
    /// The plant that was taken away would not grow any more.
    NothingToRemove,
}

impl Lost {
    /// What has become of it, as the end of a sentence.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoSpecies => "the config has no such species with plants; it comes back with it",
            Self::OffMap => "it lies off the map and does not stand",
            Self::Void => "the ground is void there and it does not stand",
            Self::TooLarge => {
                "its species has become smaller; it stands in the largest size that there is now"
            }
            Self::NoVariant => {
                "its species has no such variant any more; it stands with one that is drawn"
            }
            Self::Unfit => "the rules would let none grow there; it stands all the same",
            Self::NothingToRemove => {
                "it takes away a plant that the rules would not let grow any more"
            }
        }
    }
}

/// A pin of a chunk that has lost its ground, as the chunk's job found it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LostPin {
    /// The species.
    pub species: String,
    /// World x in 1/1024 m.
    pub x: i64,
    /// World y in 1/1024 m.
    pub y: i64,
    /// Why.
    pub why: Lost,
}

/// A pin that has lost its ground. It stays in the log, and counts again as soon as its ground is back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Orphan {
    /// The edit that it is of.
    pub edit: u64,
    /// The species.
    pub species: String,
    /// World x in metres.
    pub x: f64,
    /// World y in metres.
    pub y: f64,
    /// Why.
    pub why: Lost,
}

impl std::fmt::Display for Orphan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            edit,
            species,
            x,
            y,
            why,
        } = self;
        let why = why.reason();
        write!(f, "{species} at ({x}, {y}), pinned by edit {edit}: {why}")
    }
}

/// The pins of a world that have lost their ground, by species and place; `ledger` is of the same revision.
pub fn orphans(manifest: &Manifest, ledger: &[Entry]) -> Vec<Orphan> {
    let pins = pins(&manifest.edits);
    if pins.is_empty() {
        return Vec::new();
    }
    let facts = ledger.iter().flat_map(|entry| entry.facts.read().lost_pins);
    let lost: BTreeSet<LostPin> = facts.collect();
    let lost: BTreeMap<_, Lost> = lost
        .iter()
        .map(|pin| ((pin.species.as_str(), pin.x, pin.y), pin.why))
        .collect();
    let orphan = |pin: Pin<'_>| {
        let PinRecord { species, x, y, .. } = pin.record;
        let found = lost.get(&(species.as_str(), *x, *y)).copied();
        let [x, y] = pin.record.metres();
        Some(Orphan {
            edit: pin.edit,
            species: species.clone(),
            x,
            y,
            why: far_from_all(manifest, pin.record).or(found)?,
        })
    };
    pins.into_iter().filter_map(orphan).collect()
}

/// Why no job looks at a pin, where none does.
fn far_from_all(manifest: &Manifest, pin: &PinRecord) -> Option<Lost> {
    let names = || manifest.species.iter().map(|species| species.name.as_str());
    if !names().any(|name| name == pin.species) {
        return Some(Lost::NoSpecies);
    }
    let grid = &manifest.grid;
    let [west, south, east, north] = grid.transform().bounds(grid.tiles().map());
    let [x, y] = pin.metres();
    let is_on = (west..=east).contains(&x) && (south..=north).contains(&y);
    match pin.stands {
        _ if is_on => None,
        Some(_) => Some(Lost::OffMap),
        None => Some(Lost::NothingToRemove),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn record(species: &str, x: i64, stands: bool) -> PinRecord {
        PinRecord {
            species: species.to_owned(),
            x,
            y: -3,
            stands: stands.then(PinLook::default),
        }
    }

    fn edit(number: u64, pins: Vec<PinRecord>) -> EditRecord {
        EditRecord {
            number,
            op: EditOp::Pins { pins },
            text: "pins".to_owned(),
            size: [0, 0],
            raster: None,
            shares: None,
        }
    }

    #[test]
    fn the_last_pin_of_a_species_and_place_counts() {
        let log = [
            edit(1, vec![record("oak", 5, true), record("fir", 5, false)]),
            edit(2, vec![record("oak", 6, true), record("oak", 5, false)]),
            edit(3, vec![record("fir", 5, true)]),
        ];
        let found = pins(&log);
        let brief: Vec<_> = found
            .iter()
            .map(|pin| {
                let PinRecord { species, x, .. } = pin.record;
                let stands = pin.record.stands.is_some();
                (pin.edit, species.as_str(), *x, stands, pin.is_undoing)
            })
            .collect();
        assert_eq!(
            brief,
            [
                (3, "fir", 5, true, false),
                (2, "oak", 5, false, true),
                (2, "oak", 6, true, false)
            ]
        );
    }

    #[test]
    fn a_pin_is_written_briefly_and_read_back() {
        let text = serde_json::to_string(&record("oak", 5, false)).unwrap();
        assert_eq!(text, r#"{"species":"oak","x":5,"y":-3}"#);
        let look = PinLook {
            size: Some(1.25),
            yaw: Some(9),
            up: Some([1, 2]),
            variant: Some("a".to_owned()),
            tint: Some(7),
            sink: Some(0.5),
        };
        let pin = PinRecord {
            stands: Some(look),
            ..record("oak", 5, true)
        };
        let text = serde_json::to_string(&pin).unwrap();
        let expected =
            r#""stands":{"size":1.25,"yaw":9,"up":[1,2],"variant":"a","tint":7,"sink":0.5}}"#;
        assert!(text.ends_with(expected), "{text}");
        assert_eq!(serde_json::from_str::<PinRecord>(&text).unwrap(), pin);
        let text = serde_json::to_string(&edit(4, vec![pin])).unwrap();
        assert!(
            text.starts_with(r#"{"number":4,"op":"pins","pins":[{"#),
            "{text}"
        );
        let read: EditRecord = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}
