//! Everything that is written to disk, whole or not at all.
//!
//! Encodes rasters as GeoTIFFs and plants as chunk files, and keeps the world directory: immutable artefacts named by place and
//! content, and revisions that name them. It does not know how a weight or a plant came to be, and starts no thread.
//!
//! ```
//! use ecotone_store::{Chunk, ChunkSpecies, ChunkView, PlantRecord, encode};
//!
//! let oak = PlantRecord { x: -3, y: 2048, z_mm: 120_500, ..PlantRecord::default() };
//! let species = ChunkSpecies { name: "oak".into(), size_step: 0.01, variants: vec![], plants: vec![oak] };
//! let bytes = encode(&Chunk { x: -1, y: 0, size: 256 * 1024, species: vec![species] })?;
//!
//! let chunk = ChunkView::parse(&bytes)?;
//! assert!(chunk.species()[0].plants().eq([oak]));
//! # Ok::<(), ecotone_store::StoreError>(())
//! ```

mod chunk;
mod compare;
mod digest;
mod disk;
mod edits;
mod error;
mod facts;
mod ledger;
mod manifest;
mod pins;
mod tiff;
mod vrt;
mod world;

pub use chunk::{
    CELL_STEPS, Chunk, ChunkSpecies, ChunkView, PlantRecord, STEPS_PER_METRE, SpeciesView,
    chunk_index, decode_up, encode, encode_up,
};
pub use compare::{Plant, PlantDifference, PlantKind, compare_plants, gather};
pub use digest::{PLANTS_PER_PASS, RasterDigest, content_digest};
pub use disk::{Disk, Guard, Hold, Lock, RealDisk, ScratchDisk, Stat};
pub use edits::{EditOp, EditRecord};
pub use error::StoreError;
pub use facts::{Counts, Facts, KeptFacts, SpeciesFacts};
pub use ledger::{Digest, Entry, Fingerprint, JobKey, JobKind};
pub use manifest::{
    AlphaRecord, Artefact, ChunkArtefact, ConfigRecord, EdgesRecord, FORMAT_VERSION, FieldRecord,
    GeoKeysRecord, GridRecord, HeightsRecord, Manifest, PatchRecord, PatchWord, RawRecord, RawWord,
    SDF_VOID, SourceRecord, SpeciesRecord, Stage,
};
pub use pins::{Lost, LostPin, Orphan, Pin, PinLook, PinRecord, orphans, pins};
pub use tiff::{
    BandHeader, Compression, Sample, StreamLayout, StreamWriter, TiffEncoder, TileHeader,
    encode_tiff,
};
pub use vrt::DataType;
pub use world::{
    Changed, ChunkChange, Committed, PlantChanges, Recovered, Revision, World, WorldWriter,
    write_copy,
};
