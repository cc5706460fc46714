//! Where a world and a fresh bake of it part.

use std::fmt;

use ecotone_store::Stage;

/// The tile or chunk of the fresh bake in which a difference was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Column and row of a tile.
    Tile(i64, i64),
    /// Column and row of a chunk.
    Chunk(i64, i64),
}

/// The first difference in a tile or a chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What differs.
    pub stage: Stage,
    /// Where.
    pub place: Place,
    /// How.
    pub unlike: Unlike,
}

/// How a world and a fresh bake of it differ.
#[derive(Clone, Debug, PartialEq)]
pub enum Unlike {
    /// A pixel has another value.
    Pixel {
        /// Column of the map.
        column: i64,
        /// Row of the map.
        row: i64,
        /// World x of its centre, metres.
        x: f64,
        /// World y of its centre, metres.
        y: f64,
        /// The stratum, or the band of a field.
        band: String,
        /// The value as the world's file has it.
        stored: f64,
        /// The value that was baked afresh.
        fresh: f64,
    },
    /// A plant has another attribute.
    Plant {
        /// Its species.
        species: String,
        /// Its id.
        id: u64,
        /// World x, metres.
        x: f64,
        /// World y, metres.
        y: f64,
        /// Which attribute.
        attribute: &'static str,
        /// As the world has it.
        stored: f64,
        /// As it was baked afresh.
        fresh: f64,
    },
    /// A plant stands in one and not in the other.
    Lone {
        /// Its species.
        species: String,
        /// Its id.
        id: u64,
        /// World x, metres.
        x: f64,
        /// World y, metres.
        y: f64,
        /// Whether it is the world that has it.
        is_stored: bool,
    },
    /// The values are the same, the bytes of the file are not, or a file cannot be read.
    File {
        /// What was found.
        reason: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tile(x, y) => write!(f, "tile ({x}, {y})"),
            Self::Chunk(x, y) => write!(f, "chunk ({x}, {y})"),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            stage,
            place,
            unlike,
        } = self;
        write!(f, "{} of {place}: {unlike}", stage.folder())
    }
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pixel {
                column,
                row,
                x,
                y,
                band,
                stored,
                fresh,
            } => write!(
                f,
                "pixel of column {column} and row {row} at ({x}, {y}), {band}: {stored} in the world, {fresh} baked afresh"
            ),
            Self::Plant {
                species,
                id,
                x,
                y,
                attribute,
                stored,
                fresh,
            } => write!(
                f,
                "{species} {id:016x} at ({x}, {y}), {attribute}: {stored} in the world, {fresh} baked afresh"
            ),
            Self::Lone {
                species,
                id,
                x,
                y,
                is_stored,
            } => {
                let where_it_is = match is_stored {
                    true => "stands in the world, and a fresh bake does not place it",
                    false => "is placed by a fresh bake, and the world does not have it",
                };
                write!(f, "{species} {id:016x} at ({x}, {y}) {where_it_is}")
            }
            Self::File { reason } => write!(f, "{reason}"),
        }
    }
}
