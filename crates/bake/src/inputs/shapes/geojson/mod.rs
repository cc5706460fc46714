//! GeoJSON (RFC 7946) read in one pass into flat lists of positions: no tree of values is built.
//!
//! Members that draw nothing (properties, ids, boxes, foreign members) are skipped without being looked at. The nesting
//! of what is looked at is limited by the JSON reader, so no file can exhaust the stack.

mod coordinates;
mod crs;
mod geometry;
mod mistakes;

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use coordinates::Coordinates;
pub use crs::{Crs, MOST_SHOWN};

/// The most positions that a file may hold: a gigabyte of them.
pub const MOST_POSITIONS: usize = 64 << 20;

/// Why a GeoJSON file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GeoJsonError {
    /// The bytes could not be had.
    #[error("cannot be read: {source}")]
    Io {
        /// The system's reason.
        source: io::Error,
    },
    /// The bytes are no JSON, or no GeoJSON.
    #[error("line {line}, column {column}: {reason}")]
    Malformed {
        /// Line, from 1.
        line: usize,
        /// Byte of the line, from 1; the mistake ends here.
        column: usize,
        /// What was found, and what was expected.
        reason: String,
    },
}

/// What a shape is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeKind {
    /// Positions by themselves, one or more.
    Point,
    /// Two positions or more.
    Line,
    /// Rings, each closed: its last position is its first.
    Polygon,
}

/// A line, a polygon or all points in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Which of them.
    pub kind: ShapeKind,
    /// The feature it belongs to, counted from 1 in the order of the file; of points, that of the first.
    pub feature: u32,
    /// Its first path.
    pub first_path: u32,
    /// How many paths it has; only a polygon has more than one.
    pub n_paths: u32,
}

/// All that a GeoJSON file draws, in its own coordinates. Geometries of several parts are taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collection {
    /// The positions of all paths, one path after the other; all finite. Altitudes are left out.
    pub positions: Vec<[f64; 2]>,
    /// The position after the last of each path.
    pub path_ends: Vec<u32>,
    /// The shapes, in the order of the file, and of their paths.
    pub shapes: Vec<Shape>,
    /// The number of points, lines and polygons.
    pub n_shapes: usize,
    /// Its coordinate system, where it has the `crs` member of the format's version of 2008.
    pub crs: Option<Crs>,
    /// The number of features.
    pub n_features: u32,
    /// The first feature with a ring that was not closed and has been, and the number of such rings.
    pub unclosed: Option<(u32, u32)>,
    /// The first feature with an empty list in its coordinates, and the number of such lists; they draw nothing.
    pub empty: Option<(u32, u32)>,
}

impl Collection {
    /// The positions of a path.
    pub fn path(&self, path: u32) -> std::ops::Range<usize> {
        let path = path as usize;
        let start = if path == 0 {
            0
        } else {
            self.path_ends[path - 1]
        };
        start as usize..self.path_ends[path] as usize
    }

    /// The first shape of a kind.
    pub fn first(&self, kind: ShapeKind) -> Option<&Shape> {
        self.shapes.iter().find(|shape| shape.kind == kind)
    }

    /// The number of the feature that is being read; a geometry by itself is the first.
    fn feature(&self) -> u32 {
        self.n_features.max(1)
    }

    fn count_empty(&mut self, n_lists: u32) {
        let (first, before) = self.empty.unwrap_or((self.feature(), 0));
        if n_lists > 0 {
            self.empty = Some((first, before + n_lists));
        }
    }
}

/// Reads a GeoJSON text: a collection of features, a feature or a geometry.
///
/// A byte order mark is skipped. Rings that are not closed are closed, and counted in [`Collection::unclosed`]; empty lists
/// of coordinates are left out, and counted in [`Collection::empty`].
///
/// # Errors
/// [`GeoJsonError::Malformed`] where it is no JSON or no GeoJSON, where a ring has fewer than four positions or a line
/// fewer than two, and where it has more than [`MOST_POSITIONS`] positions; [`GeoJsonError::Io`] where the reader fails.
pub fn parse(reader: impl Read) -> Result<Collection, GeoJsonError> {
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    let start = reader
        .fill_buf()
        .map_err(|source| GeoJsonError::Io { source })?;
    if let Some(reason) = mistakes::at_start(start) {
        return Err(GeoJsonError::Malformed {
            line: 1,
            column: 1,
            reason: reason.into(),
        });
    }
    if start.starts_with(b"\xef\xbb\xbf") {
        reader.consume(3);
    }
    let mut collection = Collection::default();
    let mut json = serde_json::Deserializer::from_reader(&mut reader);
    let root = Object {
        into: &mut collection,
        role: Role::Root,
    };
    let read = root.deserialize(&mut json).and_then(|()| json.end());
    read.map_err(|error| malformed(error, reader.buffer()))?;
    collection.n_features = collection.feature();
    Ok(collection)
}

fn malformed(error: serde_json::Error, rest: &[u8]) -> GeoJsonError {
    if error.is_io() {
        return GeoJsonError::Io {
            source: error.into(),
        };
    }
    let (line, column) = (error.line(), error.column());
    let whole = error.to_string();
    let place = format!(" at line {line} column {column}");
    let reason = whole.strip_suffix(&place).unwrap_or(&whole);
    let remedy = mistakes::remedy(reason, rest).unwrap_or_default();
    GeoJsonError::Malformed {
        line: line.max(1),
        column: column.max(1),
        // The JSON reader quotes whole texts.
        reason: format!("{reason:.300}{remedy}"),
    }
}

/// Where an object stands, which says what it may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The whole text: anything.
    Root,
    /// In a list of features.
    Feature,
    /// Where a geometry is expected.
    Geometry,
}

/// The members that are looked at.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Type,
    Features,
    Geometry,
    Geometries,
    Coordinates,
    Crs,
    #[serde(other)]
    Other,
}

/// Reads an object, or null in its place.
struct Object<'c> {
    into: &'c mut Collection,
    role: Role,
}

/// What an object has shown of itself.
#[derive(Default)]
struct Seen {
    kind: Option<String>,
    content: Option<Content>,
}

/// The member that an object draws by.
enum Content {
    Features,
    Geometry,
    Geometries,
    Coordinates(Coordinates),
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.role {
            Role::Root => "a GeoJSON object, such as a FeatureCollection",
            Role::Feature => "a Feature",
            Role::Geometry => "a geometry or null",
        })
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        match self.role {
            Role::Geometry => Ok(()),
            _ => Err(E::invalid_type(de::Unexpected::Unit, &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        if self.role == Role::Feature {
            self.into.n_features += 1;
        }
        let mut seen = Seen::default();
        while let Some(member) = map.next_key()? {
            self.member(member, &mut map, &mut seen)?;
        }
        self.finish(seen).map_err(de::Error::custom)
    }
}

impl Object<'_> {
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        member: Member,
        map: &mut A,
        seen: &mut Seen,
    ) -> Result<(), A::Error> {
        let into = &mut *self.into;
        match (member, self.role) {
            // Positions of a content lie together, so there is none within another.
            (Member::Features, Role::Root)
            | (Member::Geometry, Role::Root | Role::Feature)
            | (Member::Geometries | Member::Coordinates, Role::Root | Role::Geometry)
                if seen.content.is_some() =>
            {
                let feature = into.feature();
                let message = format!("feature {feature} has an object with two contents");
                return Err(de::Error::custom(message));
            }
            (Member::Type, _) => seen.kind = Some(map.next_value()?),
            (Member::Crs, Role::Root) => into.crs = map.next_value()?,
            (Member::Features, Role::Root) => {
                seen.content = Some(Content::Features);
                let role = Role::Feature;
                map.next_value_seed(List(Object { into, role }))?;
            }
            (Member::Geometry, Role::Root | Role::Feature) => {
                seen.content = Some(Content::Geometry);
                let role = Role::Geometry;
                map.next_value_seed(Object { into, role })?;
            }
            (Member::Geometries, Role::Root | Role::Geometry) => {
                seen.content = Some(Content::Geometries);
                let role = Role::Geometry;
                map.next_value_seed(List(Object { into, role }))?;
            }
            (Member::Coordinates, Role::Root | Role::Geometry) => {
                let feature = into.feature();
                let found = coordinates::read(map, &mut into.positions, feature)?;
                seen.content = Some(Content::Coordinates(found));
            }
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }

    /// Takes in what the object turned out to be.
    fn finish(self, seen: Seen) -> Result<(), String> {
        let feature = self.into.feature();
        let Some(kind) = seen.kind.as_deref() else {
            return Err(format!("feature {feature} has {}", mistakes::NO_TYPE));
        };
        match (kind, self.role, seen.content) {
            ("FeatureCollection", Role::Root, Some(Content::Features)) => Ok(()),
            ("FeatureCollection", Role::Root, _) => {
                Err("a FeatureCollection without `features`".into())
            }
            ("Feature", Role::Root | Role::Feature, None | Some(Content::Geometry)) => Ok(()),
            ("Feature", Role::Root, _) => {
                Err("a Feature with a content that is no `geometry`".into())
            }
            ("GeometryCollection", Role::Root | Role::Geometry, Some(Content::Geometries)) => {
                Ok(())
            }
            (_, Role::Feature, _) => Err(format!(
                "entry {feature} of `features` has the type \"{kind:.40}\", expected \"Feature\""
            )),
            (_, _, content) => match (content, geometry::Kind::named(kind)) {
                (Some(Content::Coordinates(coordinates)), Some(kind)) => {
                    geometry::take(self.into, kind, &coordinates)
                }
                (_, Some(_)) => Err(format!(
                    "the {kind} of feature {feature} has no `coordinates`"
                )),
                (_, None) => Err(unknown_type(kind, feature)),
            },
        }
    }
}

fn unknown_type(kind: &str, feature: u32) -> String {
    if kind == "Topology" {
        return mistakes::TOPOJSON.into();
    }
    let shown: String = kind.chars().take(40).collect();
    let found = if shown.is_empty() {
        "without a `type`".to_owned()
    } else {
        format!("of type \"{shown}\"")
    };
    format!(
        "feature {feature} has an object {found}, expected a Point, LineString, Polygon, the Multi of one of \
         them or a GeometryCollection"
    )
}

/// Reads a list of objects that all stand in the same place.
struct List<'c>(Object<'c>);

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of features or geometries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Object { into, role } = self.0;
        while seq.next_element_seed(Object { into, role })?.is_some() {}
        Ok(())
    }
}
