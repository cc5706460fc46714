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
    /// How many empty lists were left out.
    pub(super) n_empty: u32,
    /// Whether one of them stood for a position.
    pub(super) has_empty_position: bool,
    /// Whether one of them stood in front of a list of positions: in a polygon, for its outer ring.
    pub(super) has_empty_front: bool,
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
    Null,
    /// A list of positions as deep as this; 0 is a position.
    Depth(u8),
    /// A list of nothing.
    Empty,
}

/// What a list has held so far.
#[derive(Default)]
struct List {
    n_numbers: usize,
    position: [f64; 2],
    /// How deep the lists in it are.
    inner: Option<u8>,
    has_empty: bool,
    has_empty_front: bool,
}

impl List {
    /// Takes the next entry in, or says what is wrong with it.
    fn take(&mut self, entry: &Entry) -> Result<(), &'static str> {
        match *entry {
            Entry::Number(number) => {
                // A third number is an altitude.
                if let Some(axis) = self.position.get_mut(self.n_numbers) {
                    *axis = number;
                }
                self.n_numbers += 1;
            }
            Entry::Null if self.n_numbers < 2 => {
                return Err("null in its coordinates, expected a number or a list");
            }
            Entry::Null => self.n_numbers += 1,
            Entry::Empty => {
                self.has_empty_front |= self.inner.is_none();
                self.has_empty = true;
            }
            Entry::Depth(depth) => {
                if self
                    .inner
                    .replace(depth)
                    .is_some_and(|other| other != depth)
                {
                    return Err(UNEVEN);
                }
            }
        }
        let has_lists = self.has_empty || self.inner.is_some();
        if self.n_numbers > 0 && has_lists {
            return Err(UNEVEN);
        }
        Ok(())
    }
}

const UNEVEN: &str = "coordinates in uneven brackets";

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
        Entry::Number(_) | Entry::Null => {
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
    fn end(&mut self, list: &List) -> Result<Entry, String> {
        let List {
            n_numbers,
            position,
            inner,
            ..
        } = *list;
        self.found.has_empty_position |= list.has_empty && inner == Some(0);
        self.found.has_empty_front |= list.has_empty_front && inner == Some(1);
        match (n_numbers, inner) {
            (0, None) => {
                self.found.n_empty += u32::from(!list.has_empty);
                return Ok(Entry::Empty);
            }
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

    fn visit_unit<E: de::Error>(self) -> Result<Entry, E> {
        Ok(Entry::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Entry, A::Error> {
        let mut list = List::default();
        while let Some(entry) = seq.next_element_seed(Nest {
            positions: self.positions,
            found: self.found,
            feature: self.feature,
        })? {
            list.take(&entry)
                .map_err(|what| de::Error::custom(self.refuse(what)))?;
        }
        self.end(&list).map_err(de::Error::custom)
    }
}
