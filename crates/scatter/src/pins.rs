//! Plants set and removed by hand.

use crate::Candidate;

/// A plant set by hand, or one removed by hand.
///
/// Of several pins of one species at one place the first counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// Its species' place in the list of species; one that is not in it is left out.
    pub species: u16,
    /// World x in 1/1024 m.
    pub x: i64,
    /// World y in 1/1024 m, growing north.
    pub y: i64,
    /// What is pinned there.
    pub kind: PinKind,
}

/// What a pin says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PinKind {
    /// A plant stands here, whatever the rules say: none gives way to any other, and others keep their distance from it.
    ///
    /// On void ground it has no height, so it is no plant, but it keeps its ground.
    Stands(Look),
    /// The pattern's point of the species at this very place is no plant.
    Absent,
}

/// How a pinned plant looks; what is `None` is drawn like that of any plant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// Size, as a factor of the mesh.
    pub size: Option<f64>,
    /// Turn about its upright, in 1/65536 of a full turn.
    pub yaw: Option<u16>,
    /// Its upright, of length 1: east, north, up.
    pub up: Option<[f64; 3]>,
    /// Place in its species' list of mesh variants.
    pub variant: Option<u8>,
    /// Tint, 0 to 255.
    pub tint: Option<u8>,
    /// Depth in metres below the ground.
    pub sink_m: Option<f64>,
    /// The key that attributes are drawn from: with that of a candidate, its plant looks as it did.
    pub draws: u64,
}

/// The pins of a window in the order of species and places, one for each place.
#[derive(Clone, Debug, Default)]
pub(crate) struct PinIndex {
    pins: Vec<Pin>,
}

impl PinIndex {
    /// Takes in the pins of a window.
    pub fn fill(&mut self, pins: &[Pin]) {
        self.pins.clear();
        self.pins.extend_from_slice(pins);
        // Stable, so that the first of equal ones stays the first.
        self.pins.sort_by_key(Pin::key);
        self.pins.dedup_by_key(|pin| pin.key());
    }

    /// The pins of a species.
    pub fn of(&self, species: u16) -> &[Pin] {
        let first = self.pins.partition_point(|pin| pin.species < species);
        let after = self.pins.partition_point(|pin| pin.species <= species);
        &self.pins[first..after]
    }
}

impl Pin {
    fn key(&self) -> (u16, i64, i64) {
        (self.species, self.x, self.y)
    }
}

/// The pin at a candidate's very place among those of its species.
pub(crate) fn pin_at<'a>(pins: &'a [Pin], candidate: &Candidate) -> Option<&'a Pin> {
    let place = (candidate.x, candidate.y);
    let found = pins.binary_search_by_key(&place, |pin| (pin.x, pin.y));
    found.ok().map(|at| &pins[at])
}

#[cfg(test)]
#[path = "pins_tests.rs"]
pub(crate) mod tests;
