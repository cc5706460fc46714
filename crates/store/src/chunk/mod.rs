//! The vegetation chunk file `.eco`: plants in columns, read in place.
//!
//! All numbers are little-endian; every block starts at a multiple of 8 and is padded with zeros.
//!
//! ```text
//! offset  bytes  header
//!      0      8  magic 89 45 43 4F 0D 0A 1A 0A
//!      8      4  version (u32) = 1
//!     12      4  n_species (u32)
//!     16      8  length of the file (u64)
//!     24     16  chunk index x, y (i64): floor(position / size)
//!     40      8  chunk size (i64), in 1/1024 m
//!     48      4  cells along one side (u32) = ceil(size / 65536)
//!     52      4  0
//!     56      8  plants of all species (u64)
//!     64   96·n  species table, by name
//!      …      …  names, cell tables and columns
//!  len-32    32  BLAKE3 of everything before it
//! ```
//! An entry of the species table, and the rest, are drawn in `docs/format.md`.

mod encode;
mod up;
mod view;

pub use encode::{Chunk, ChunkSpecies, encode};
pub use up::{decode_up, encode_up};
pub use view::{ChunkView, SpeciesView};

/// Steps of a plant's position in one metre.
pub const STEPS_PER_METRE: i64 = 1024;

/// Steps along one side of a cell: 64 m, all that a `u16` holds.
pub const CELL_STEPS: i64 = 65536;

/// The version of the chunk format.
const CHUNK_VERSION: u32 = 1;

/// Cells along one side of the largest chunk: 64 km, whose cell table takes 4 MiB a species.
const MAX_CELLS: u64 = 1024;

const MAGIC: [u8; 8] = *b"\x89ECO\r\n\x1a\n";
const HEADER_BYTES: usize = 64;
const SPECIES_BYTES: usize = 96;
const CHECKSUM_BYTES: usize = 32;

/// One plant, all of it as stored but its place, which is absolute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlantRecord {
    /// World x in 1/1024 m.
    pub x: i64,
    /// World y in 1/1024 m, growing north.
    pub y: i64,
    /// Height of its foot in millimetres.
    pub z_mm: i32,
    /// Size, in the `size_step` of its species.
    pub size: u16,
    /// Turn about the vertical in 1/65536 of a full circle.
    pub yaw: u16,
    /// The up vector, see [`encode_up`].
    pub up: [u8; 2],
    /// Mesh variant, an index into its species' list.
    pub variant: u8,
    /// Tint, 0 … 255.
    pub tint: u8,
}

impl PlantRecord {
    /// Its id: a hash of species and place, from [`ecotone_grid::name_key`] of its species.
    pub fn id(&self, species_key: u64) -> u64 {
        ecotone_grid::plant_id(species_key, self.x, self.y)
    }
}

/// The index of the chunk that a position in steps falls into; `size` in steps too, at least 1.
pub fn chunk_index(position: i64, size: i64) -> i64 {
    position.div_euclid(size)
}
