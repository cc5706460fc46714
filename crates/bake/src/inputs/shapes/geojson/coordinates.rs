//! Nested lists of positions, flattened while they are read.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::MOST_POSITIONS;

/// The structure of a `coordinates` member, whose positions are at the end of the list of all.
#[derive(Debug, Default)]
pub(super) struct Coordinates {
    /// How deep positions lie in lists: 0 is one position; `None` where there is none.
    pub(super) depth: Option<u8>,
    /// The first position.
    pub(super) start: usize,
    /// The position after each innermost list of positions.
    pub(super) list_ends: Vec<u32>,
    /// The list after each list of lists.
    pub(super) group_ends: Vec<u32>,
}

/// The deepest nesting of any geometry, that of a MultiPolygon.
const DEEPEST: u8 = 3;

/// Reads one entry: a number or a list.
struct Nest<'a> {
    positions: &'a mut Vec<[f64; 2]>,
    found: &'a mut Coordinates,
    feature: u32,
}

/// What an entry was.
enum Entry {
    Number(f64),
    /// A list of positions as deep as this; 0 is a position.
    Depth(u8),
    /// A list of nothing.
    Empty,
}

/// Reads the value of a `coordinates` member.
pub(super) fn read<'de, A: MapAccess<'de>>(
    map: &mut A,
    positions: &mut Vec<[f64; 2]>,
    feature: u32,
) -> Result<Coordinates, A::Error> {
    let mut found = Coordinates {
        start: positions.len(),
        ..Coordinates::default()
    };
    let nest = Nest {
        positions,
        found: &mut found,
        feature,
    };
    match map.next_value_seed(nest)? {
        Entry::Depth(depth) => found.depth = Some(depth),
        Entry::Empty => {}
        Entry::Number(_) => {
            let message = format!("feature {feature} has coordinates that are no list");
            return Err(de::Error::custom(message));
        }
    }
    Ok(found)
}

impl Nest<'_> {
    fn refuse(&self, what: &str) -> String {
        format!("feature {} has {what}", self.feature)
    }

    /// Notes that a list has ended, and says how deep it is.
    fn end(
        &mut self,
        n_numbers: usize,
        position: [f64; 2],
        inner: Option<u8>,
    ) -> Result<Entry, String> {
        match (n_numbers, inner) {
            (0, None) => return Ok(Entry::Empty),
            (1, None) => return Err(self.refuse("a position of one number, expected two or more")),
            (_, None) if self.positions.len() >= MOST_POSITIONS => {
                return Err(format!(
                    "there are more than {MOST_POSITIONS} positions, the most that are read; split or simplify the file"
                ));
            }
            (_, None) => {
                self.positions.push(position);
                return Ok(Entry::Depth(0));
            }
            (_, Some(0)) => self.found.list_ends.push(self.positions.len() as u32),
            (_, Some(1)) => self
                .found
                .group_ends
                .push(self.found.list_ends.len() as u32),
            (_, Some(DEEPEST..)) => return Err(self.refuse("coordinates in too many brackets")),
            _ => {}
        }
        Ok(Entry::Depth(inner.map_or(0, |inner| inner + 1)))
    }
}

impl<'de> DeserializeSeed<'de> for Nest<'_> {
    type Value = Entry;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Nest<'_> {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a list of coordinates")
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Entry, E> {
        Ok(Entry::Number(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Entry, E> {
        Ok(Entry::Number(number as f64))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Entry, E> {
        Ok(Entry::Number(number as f64))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Entry, A::Error> {
        let (mut n_numbers, mut position, mut inner) = (0, [0.0; 2], None);
        while let Some(entry) = seq.next_element_seed(Nest {
            positions: self.positions,
            found: self.found,
            feature: self.feature,
        })? {
            let fits = match entry {
                Entry::Number(number) => {
                    // A third number is an altitude.
                    if let Some(axis) = position.get_mut(n_numbers) {
                        *axis = number;
                    }
                    n_numbers += 1;
                    inner.is_none()
                }
                Entry::Depth(depth) => {
                    inner.replace(depth).is_none_or(|other| other == depth) && n_numbers == 0
                }
                Entry::Empty => {
                    return Err(de::Error::custom(
                        self.refuse("an empty list in its coordinates"),
                    ));
                }
            };
            if !fits {
                return Err(de::Error::custom(
                    self.refuse("coordinates in uneven brackets"),
                ));
            }
        }
        self.end(n_numbers, position, inner)
            .map_err(de::Error::custom)
    }
}
