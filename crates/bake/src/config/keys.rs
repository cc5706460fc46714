//! The keys of a world's config. The doc comment of each key is its reference text, its schema description and its help.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Biome, Group, Limit, Species, Stratum};

/// A world: its heights, the strata that cover it, the species that grow on them, and where it all goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The number every random draw starts from: another seed grows another forest on the same ground.
    #[serde(default)]
    #[schemars(range(max = 9_223_372_036_854_775_807_u64))]
    pub seed: u64,
    /// Further files of species, biomes and groups, relative to this file's folder: names or globs. What they hold counts
    /// as if it stood at the end of this file.
    #[serde(skip_serializing)]
    #[schemars(extend("examples" = ["species/*.toml"]))]
    pub include: Option<Include>,
    /// Where the heights come from.
    pub terrain: Terrain,
    /// How the map is cut for work. The result does not depend on it.
    #[serde(default)]
    pub tiles: Tiles,
    /// How slopes are measured.
    #[serde(default)]
    pub normals: Normals,
    /// The strata, 1 to 64 of them: what the ground is made of. Those without a mask share the ground by slope and
    /// altitude; those with a mask lie over it in the order listed.
    #[serde(rename = "stratum")]
    #[schemars(length(min = 1, max = 64))]
    pub strata: Vec<Stratum>,
    /// Where a stratum begins and ends, and how far around that distances are kept.
    #[serde(default)]
    pub edges: Edges,
    /// Groups of species that keep a distance from each other, such as the layers of a forest.
    #[serde(default, rename = "group")]
    pub groups: Vec<Group>,
    /// Biomes: parts of the world, each with species that grow only there.
    #[serde(default, rename = "biome")]
    pub biomes: Vec<Biome>,
    /// The species that grow on the strata. None listed: strata and distances only.
    #[serde(default)]
    pub species: Vec<Species>,
    /// What must hold in the finished world. A check that fails makes `bake` end with exit code 1 and stands first in the
    /// report; the world stands all the same.
    #[serde(default, rename = "check")]
    pub checks: Vec<Limit>,
    /// What is written, and where.
    #[serde(default)]
    pub output: Output,
}

impl Config {
    /// The strata that have weights of their own, in the order listed: a band of the rasters each.
    pub fn bands(&self) -> impl Iterator<Item = &Stratum> + Clone {
        self.strata
            .iter()
            .filter(|stratum| !stratum.is_correction())
    }

    /// The group of a species.
    pub fn group(&self, species: &Species) -> Option<&Group> {
        let name = species.group.as_ref()?;
        self.groups.iter().find(|group| group.name == *name)
    }

    /// The priority of a species: its own, else its group's, else 0.
    pub fn priority(&self, species: &Species) -> i32 {
        let groups = || self.group(species)?.priority;
        species.priority.or_else(groups).unwrap_or(0)
    }
}

/// Names of further files: one, or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Include {
    /// One name or glob.
    One(#[schemars(length(min = 1))] String),
    /// Several, in this order.
    Several(#[schemars(inner(length(min = 1)))] Vec<String>),
}

/// Where the heights come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Terrain {
    /// The files of heights, relative to this file's folder: names, globs, folders, or a pattern with `{x}` and `{y}`
    /// for tiles that are numbered, such as "alps_x{x}_y{y}.r16". GeoTIFF, VRT, PNG, OpenEXR, HGT and raw. Together they
    /// make one map, on one grid; where they overlap, the later one wins.
    #[schemars(
        length(min = 1),
        inner(length(min = 1)),
        extend("examples" = [["alps.tif"]])
    )]
    pub heights: Vec<String>,
    /// The band of the files that holds the heights, from 1.
    #[serde(default = "first_band")]
    #[schemars(range(min = 1, max = 65535), extend("examples" = [1]))]
    pub band: u32,
    /// The size of a pixel in metres, east-west and north-south, instead of the file's own; or "ground", the true
    /// size at the map's centre, for a file in degrees, feet or Web Mercator. With it, the world's origin is the map's
    /// north-west corner.
    #[schemars(extend("examples" = [[1.0, 1.0]]))]
    pub pixel_size: Option<PixelSizeChoice>,
    /// Metres per raw unit of the file, instead of the file's own. Not 0.
    #[schemars(extend("examples" = [0.1]))]
    pub scale: Option<f64>,
    /// Metres added to each scaled height, instead of the file's own.
    #[schemars(extend("examples" = [-100.0]))]
    pub offset: Option<f64>,
    /// The heights in metres of the smallest and the largest number that the file's type can hold, or of 0 and 1 where
    /// it holds fractions: give this or `scale` and `offset`.
    #[schemars(extend("examples" = [[-50.0, 1200.0]]))]
    pub range: Option<[f64; 2]>,
    /// The raw value that means "no height here", instead of the file's own.
    #[schemars(extend("examples" = [-32768.0]))]
    pub nodata: Option<f64>,
    /// What raw files hold, which do not say it themselves. Left out: the type is guessed from the name, and a square
    /// from the length.
    #[schemars(extend("examples" = [{ "width": 4033, "height": 4033 }]))]
    pub raw: Option<Raw>,
    /// The pixels that neighbours share where `heights` has a pattern with `{x}` and `{y}`: 0, or 1 where each tile
    /// repeats the border of the next.
    #[schemars(range(max = 1), extend("examples" = [1]))]
    pub overlap: Option<u32>,
    /// The direction in which the numbers `{y}` of a pattern grow. Left out: "south".
    #[schemars(extend("examples" = ["north"]))]
    pub rows: Option<RowOrder>,
    /// Edits of the heights, laid over the map in the order listed.
    #[serde(default, rename = "patch")]
    pub patches: Vec<Patch>,
}

fn first_band() -> u32 {
    1
}

/// What a raw file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Raw {
    /// Pixels from west to east.
    #[schemars(range(min = 1, max = 1_000_000), extend("examples" = [4033]))]
    pub width: u32,
    /// Pixels from north to south.
    #[schemars(range(min = 1, max = 1_000_000), extend("examples" = [4033]))]
    pub height: u32,
    /// The type of its numbers.
    #[serde(default, rename = "type")]
    pub sample: RawType,
    /// Which byte of a number comes first.
    #[serde(default)]
    pub byte_order: ByteOrder,
}

/// The type of a raw file's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RawType {
    /// Whole numbers from 0 to 255.
    U8,
    /// Whole numbers from 0 to 65535.
    #[default]
    U16,
    /// Whole numbers from −32768 to 32767.
    I16,
    /// Fractions of 32 bits.
    F32,
}

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ByteOrder {
    /// The last byte first, as PCs write it.
    #[default]
    Little,
    /// The first byte first, as old Macs did.
    Big,
}

/// Where to the rows of a set of numbered tiles grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RowOrder {
    /// Row 1 lies south of row 0.
    #[default]
    South,
    /// Row 1 lies north of row 0.
    North,
}

/// An edit of the heights: a raster that lies over a part of the map, on the map's grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// The file, relative to this file's folder, of any kind that `heights` may be; what it leaves void stays as it was.
    #[schemars(length(min = 1), extend("examples" = ["crater.tif"]))]
    pub file: String,
    /// What becomes of a height under it.
    #[serde(default)]
    pub mode: PatchMode,
    /// How much of it takes hold, from 0 to 1: a number, or the name of a file on the patch's own grid.
    #[schemars(extend("examples" = [0.5]))]
    pub alpha: Option<Alpha>,
    /// Metres per raw unit of the file, instead of the file's own; what the terrain table says does not hold here. Not 0.
    #[schemars(extend("examples" = [0.1]))]
    pub scale: Option<f64>,
    /// Metres added to each scaled height, instead of the file's own.
    #[schemars(extend("examples" = [0.0]))]
    pub offset: Option<f64>,
    /// The heights in metres of the smallest and the largest number that the file's type can hold, or of 0 and 1 where
    /// it holds fractions: give this or `scale` and `offset`.
    #[schemars(extend("examples" = [[0.0, 100.0]]))]
    pub range: Option<[f64; 2]>,
    /// The raw value that leaves the map as it was, instead of the file's own.
    #[schemars(extend("examples" = [0.0]))]
    pub nodata: Option<f64>,
}

/// What becomes of a height under a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PatchMode {
    /// The patch's height.
    #[default]
    Replace,
    /// The sum of both.
    Add,
    /// The higher of the two.
    Max,
    /// The lower of the two.
    Min,
}

/// How much of a patch takes hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Alpha {
    /// As much everywhere.
    Everywhere(#[schemars(range(min = 0, max = 1))] f64),
    /// As much as a file says: fractions, or integers that are divided by their type's largest value.
    File(#[schemars(length(min = 1))] String),
}

/// A pixel's size: given, or to be worked out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PixelSizeChoice {
    /// Metres, east-west and north-south.
    Metres(#[schemars(extend("items" = { "type": "number", "exclusiveMinimum": 0 }))] [f64; 2]),
    /// To be worked out.
    Word(PixelSizeWord),
}

/// A pixel's size in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PixelSizeWord {
    /// The size on the WGS 84 ellipsoid at the map's centre.
    Ground,
}

/// How the map is cut for work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tiles {
    /// Pixels along one side of a tile, without its halo. Larger tiles are faster and take more memory.
    #[schemars(range(min = 1, max = 32768))]
    pub size: u32,
}

impl Default for Tiles {
    fn default() -> Self {
        Self { size: 512 }
    }
}

/// How slopes are measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Normals {
    /// The gradient's formula: "horn" takes the mean over the three rows or columns with weights 1-2-1, "central" the
    /// middle one only.
    pub gradient: Gradient,
    /// The radius in metres over which normals are averaged before strata read slopes. 0: not at all.
    #[schemars(range(min = 0, max = 10000))]
    pub smoothing: f64,
}

/// A gradient's formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Gradient {
    /// Horn's: the mean over three rows or columns with weights 1-2-1, as in GDAL.
    #[default]
    Horn,
    /// The middle row or column only.
    Central,
}

/// Where a stratum begins and ends, and how far around that distances are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Edges {
    /// The weight from which a pixel belongs to a stratum.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub threshold: f64,
    /// The farthest distance from an edge that is told apart, in metres; beyond it all is as far.
    #[schemars(range(min = 0, max = 100000))]
    pub max_distance: f64,
}

impl Default for Edges {
    fn default() -> Self {
        Self {
            threshold: 0.5,
            max_distance: 64.0,
        }
    }
}

/// What is written, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// The world's directory, relative to this file's folder. It is made where it is missing.
    #[schemars(length(min = 1))]
    pub directory: String,
    /// The side of a vegetation chunk in metres. The plants do not depend on it.
    #[schemars(range(min = 1, max = 65536))]
    pub chunk: f64,
    /// How the rasters are compressed.
    pub compression: Compression,
    /// Further rasters to write beside weights and distances: "slope" in degrees, "normals" as x, y, z.
    #[schemars(extend("uniqueItems" = true), extend("examples" = [["slope", "normals"]]))]
    pub fields: Vec<Field>,
    /// A command for the shell, run after each commit of a new revision in the folder where ecotone was started. Its last
    /// argument is the path of the revision's changed.json; ECOTONE_WORLD, ECOTONE_REVISION and ECOTONE_CHANGED hold the
    /// world's directory, the revision's number and that path.
    #[schemars(length(min = 1), extend("examples" = ["python3 reload.py"]))]
    pub on_commit: Option<String>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            directory: "out".into(),
            chunk: 256.0,
            compression: Compression::default(),
            fields: Vec::new(),
            on_commit: None,
        }
    }
}

/// A compression of rasters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Small and fast; read by GDAL 2.3 or later.
    #[default]
    Zstd,
    /// Read by everything.
    Deflate,
    /// As large as they come.
    None,
}

/// A raster written on request.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Field {
    /// The slope of the smoothed normal, degrees from flat.
    Slope,
    /// The smoothed normal: x east, y north, z up.
    Normals,
}
