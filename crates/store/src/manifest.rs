//! `world.json`: all that a reader must know to find and read the files of one revision.

mod inputs;
pub(crate) mod layout;

use std::collections::BTreeMap;

use ecotone_grid::{GeoKeys, GeoTransform, PixelSize, TileGrid};
use serde::{Deserialize, Serialize};

pub use inputs::{
    AlphaRecord, HeightsRecord, PatchRecord, PatchWord, RawRecord, RawWord, SourceRecord,
};

use crate::{BandHeader, Compression, DataType, EditRecord, StoreError, TileHeader};

/// The version of the world directory that this program writes and reads.
pub const FORMAT_VERSION: u32 = 1;

/// The stored value of a void in an SDF tile.
pub const SDF_VOID: i16 = i16::MIN;

/// One revision of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT_VERSION`].
    pub format: u32,
    /// The revision's number; the commit sets it.
    pub revision: u64,
    /// The program and its version.
    pub program: String,
    /// The map.
    pub grid: GridRecord,
    /// The source's own place, where `pixel_size` in the config replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceRecord>,
    /// The height files and how they were read, in the order in which they lie over each other.
    pub heights: Vec<HeightsRecord>,
    /// The patches that lie over the heights, the lowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<PatchRecord>,
    /// The world's own edit log, the oldest first: what lies over the config's heights and strata.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<EditRecord>,
    /// The config it was made from.
    pub config: ConfigRecord,
    /// Names of the strata: the bands of weights and SDF.
    pub strata: Vec<String>,
    /// How edges and distances were made.
    pub edges: EdgesRecord,
    /// Species, sorted by name.
    pub species: Vec<SpeciesRecord>,
    /// Side of a chunk in 1/1024 m.
    pub chunk_size: i64,
    /// How the raster tiles are packed.
    pub compression: Compression,
    /// Weight tiles, by row then column.
    pub weights: Vec<Artefact>,
    /// SDF tiles, by row then column.
    pub sdf: Vec<Artefact>,
    /// Optional rasters by name, such as `slope`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, FieldRecord>,
    /// Chunks that hold plants, by row then column.
    pub chunks: Vec<ChunkArtefact>,
}

/// The map and its tiles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridRecord {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Core pixels along one side of a tile.
    pub tile_size: u32,
    /// World x of the west border, metres.
    pub x0: f64,
    /// World y of the north border, metres.
    pub y0: f64,
    /// Pixel size in metres, east–west and north–south.
    pub pixel: [f64; 2],
    /// EPSG code of the coordinate system, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsg: Option<u16>,
    /// The coordinate system as the source's GeoKeys hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geo_keys: Option<GeoKeysRecord>,
}

impl GridRecord {
    /// The record of a map.
    pub fn new(tiles: TileGrid, transform: &GeoTransform, keys: &GeoKeys) -> Self {
        let map = tiles.map();
        Self {
            width: map.width() as u32,
            height: map.height() as u32,
            tile_size: tiles.size(),
            x0: transform.x0,
            y0: transform.y0,
            pixel: [transform.pixel.x, transform.pixel.y],
            epsg: keys.epsg(),
            geo_keys: GeoKeysRecord::new(keys),
        }
    }

    /// Where pixels lie in the world.
    pub fn transform(&self) -> GeoTransform {
        let [x, y] = self.pixel;
        GeoTransform {
            x0: self.x0,
            y0: self.y0,
            pixel: PixelSize { x, y },
        }
    }

    /// The tiling of the map.
    pub fn tiles(&self) -> TileGrid {
        // A manifest that was read has been checked to have no zero here.
        TileGrid::new(self.width.max(1), self.height.max(1), self.tile_size.max(1))
    }

    /// The coordinate system; empty where it has none.
    fn geo_keys(&self) -> GeoKeys {
        self.geo_keys
            .as_ref()
            .map(GeoKeysRecord::keys)
            .unwrap_or_default()
    }
}

/// The three GeoKey tags.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeoKeysRecord {
    /// `GeoKeyDirectoryTag`.
    pub directory: Vec<u16>,
    /// `GeoDoubleParamsTag`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubles: Vec<f64>,
    /// `GeoAsciiParamsTag`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ascii: String,
}

impl GeoKeysRecord {
    /// The record of a coordinate system; `None` for none.
    pub fn new(keys: &GeoKeys) -> Option<Self> {
        (!keys.directory.is_empty()).then(|| Self {
            directory: keys.directory.clone(),
            doubles: keys.doubles.clone(),
            ascii: keys.ascii.clone(),
        })
    }

    /// The coordinate system.
    fn keys(&self) -> GeoKeys {
        GeoKeys {
            directory: self.directory.clone(),
            doubles: self.doubles.clone(),
            ascii: self.ascii.clone(),
        }
    }
}

/// The config a world was made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfigRecord {
    /// Its absolute path.
    pub path: String,
    /// The digest of its text.
    pub digest: String,
}

/// How edges and distances were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgesRecord {
    /// Share of a stratum from which a pixel belongs to it.
    pub threshold: f64,
    /// Bound of the distances, metres.
    pub max_distance: f64,
    /// Metres in one step of a stored distance.
    pub scale: f64,
    /// The stored value of a void.
    pub nodata: i16,
}

/// A species, as far as a reader needs it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeciesRecord {
    /// Its name.
    pub name: String,
    /// What one step of a stored size is worth.
    pub size_step: f64,
    /// Names of its mesh variants.
    pub variants: Vec<String>,
    /// Least distance between two of its plants, metres; 0 where that is not known.
    #[serde(default)]
    pub spacing: f64,
    /// Radius of the ground that a plant keeps to itself, metres.
    #[serde(default)]
    pub footprint: f64,
}

/// An immutable file of a world, named by its place and its content.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Artefact {
    /// Column of the tile, from the west.
    pub x: i64,
    /// Row of the tile, from the north (of a chunk: growing north).
    pub y: i64,
    /// Path under the world directory, with `/`.
    pub file: String,
    /// First 32 hex digits of the BLAKE3 of its bytes.
    pub digest: String,
    /// Its length.
    pub bytes: u64,
}

/// A chunk file and how many plants it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "layout::ChunkLine")]
pub struct ChunkArtefact {
    /// The file.
    #[serde(flatten)]
    pub artefact: Artefact,
    /// Plants of each species, in the order of [`Manifest::species`].
    pub plants: Vec<u64>,
}

/// The tiles of an optional raster: of 32-bit reals whose void is NaN, or of 8-bit steps without a void.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldRecord {
    /// Names of its bands.
    pub bands: Vec<String>,
    /// What one step of each band is worth, of a raster of 8-bit steps; none of one of reals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scales: Vec<f64>,
    /// Tiles, by row then column.
    pub tiles: Vec<Artefact>,
}

impl FieldRecord {
    /// The type, the bands and the void of its tiles.
    fn raster(&self) -> (DataType, Vec<BandHeader>, Option<f64>) {
        let mut bands: Vec<_> = self.bands.iter().map(BandHeader::plain).collect();
        if self.scales.is_empty() {
            return (DataType::F32, bands, Some(f64::NAN));
        }
        for (band, &scale) in bands.iter_mut().zip(&self.scales) {
            band.scale = scale;
        }
        (DataType::U8, bands, None)
    }
}

/// What an artefact is part of; each stage has a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Stage {
    /// 8-bit weights of the strata.
    Weights,
    /// 16-bit signed distances to the strata's edges.
    Sdf,
    /// An optional raster, by name.
    Field(String),
    /// Chunks of plants.
    Vegetation,
    /// Rasters of the edit log.
    Edits,
}

impl From<Stage> for String {
    fn from(stage: Stage) -> Self {
        stage.folder()
    }
}

impl TryFrom<String> for Stage {
    type Error = &'static str;

    fn try_from(folder: String) -> Result<Self, Self::Error> {
        Ok(match folder.as_str() {
            "weights" => Self::Weights,
            "sdf" => Self::Sdf,
            "vegetation" => Self::Vegetation,
            "edits" => Self::Edits,
            folder => {
                let name = folder.strip_prefix("fields/");
                Self::Field(name.ok_or("expected the folder of a stage")?.to_owned())
            }
        })
    }
}

impl Stage {
    /// Its folder under the world directory.
    pub fn folder(&self) -> String {
        match self {
            Self::Weights => "weights".to_owned(),
            Self::Sdf => "sdf".to_owned(),
            Self::Field(name) => format!("fields/{name}"),
            Self::Vegetation => "vegetation".to_owned(),
            Self::Edits => "edits".to_owned(),
        }
    }

    /// How its files end.
    pub(crate) fn extension(&self) -> &'static str {
        match self {
            Self::Vegetation => "eco",
            _ => "tif",
        }
    }
}

impl Manifest {
    /// The text of `world.json`: one line for each artefact.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        layout::to_lines(self)
    }

    /// Reads `world.json`; `file` is what an error calls it.
    ///
    /// # Errors
    /// [`StoreError::WrongVersion`], or [`StoreError::Corrupt`] where it is no manifest.
    pub(crate) fn from_json(bytes: &[u8], file: &str) -> Result<Self, StoreError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let wrong_version = |found| StoreError::WrongVersion {
            file: file.to_owned(),
            found,
            expected: FORMAT_VERSION,
        };
        let manifest: Self = serde_json::from_slice(bytes).map_err(|why| {
            // Another version may lack the fields of this one.
            match serde_json::from_slice::<Version>(bytes) {
                Ok(other) if other.format != FORMAT_VERSION => wrong_version(other.format),
                _ => StoreError::corrupt(file, 0, why.to_string()),
            }
        })?;
        if manifest.format != FORMAT_VERSION {
            return Err(wrong_version(manifest.format));
        }
        let grid = &manifest.grid;
        if [grid.width, grid.height, grid.tile_size].contains(&0) || manifest.chunk_size < 1 {
            return Err(StoreError::corrupt(
                file,
                0,
                "expected a map, tiles and chunks of some size",
            ));
        }
        Ok(manifest)
    }

    /// Every file the revision names.
    pub fn artefacts(&self) -> impl Iterator<Item = &Artefact> {
        let fields = self.fields.values().flat_map(|field| &field.tiles);
        let chunks = self.chunks.iter().map(|chunk| &chunk.artefact);
        let edits = self.edits.iter().flat_map(EditRecord::artefacts);
        self.weights
            .iter()
            .chain(&self.sdf)
            .chain(fields)
            .chain(chunks)
            .chain(edits)
    }

    /// The tiles of a raster stage; `None` where the revision does not have it.
    pub fn tiles(&self, stage: &Stage) -> Option<&[Artefact]> {
        match stage {
            Stage::Weights => Some(&self.weights),
            Stage::Sdf => Some(&self.sdf),
            Stage::Field(name) => self.fields.get(name).map(|field| field.tiles.as_slice()),
            Stage::Vegetation | Stage::Edits => None,
        }
    }

    /// The type and the header of a raster stage's tiles; `None` where the revision does not have it.
    pub fn raster(&self, stage: &Stage) -> Option<(DataType, TileHeader)> {
        let plain = |names: &[String]| names.iter().map(BandHeader::plain).collect();
        let (kind, bands, nodata) = match stage {
            Stage::Weights => (DataType::U8, plain(&self.strata), None),
            Stage::Sdf => {
                let mut bands: Vec<BandHeader> = plain(&self.strata);
                bands
                    .iter_mut()
                    .for_each(|band| band.scale = self.edges.scale);
                (DataType::I16, bands, Some(f64::from(self.edges.nodata)))
            }
            Stage::Field(name) => self.fields.get(name)?.raster(),
            Stage::Vegetation | Stage::Edits => return None,
        };
        let header = TileHeader {
            transform: self.grid.transform(),
            geo_keys: self.grid.geo_keys(),
            bands,
            nodata,
        };
        Some((kind, header))
    }

    /// The raster stages the revision has.
    pub fn raster_stages(&self) -> impl Iterator<Item = Stage> + '_ {
        let fields = self.fields.keys().cloned().map(Stage::Field);
        [Stage::Weights, Stage::Sdf].into_iter().chain(fields)
    }
}
