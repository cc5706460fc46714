//! Which keys of a config count for which stage: all of them, so that a new one is not forgotten.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use ecotone_grid::{GeoKeys, GeoTransform, PixelSize, TileGrid};

use super::*;
use crate::config::{self, PixelSizeChoice};

/// Every key is given, but for those that another one excludes.
const BASE: &str = r#"
seed = 3
[terrain]
heights = ["a.raw"]
band = 1
pixel_size = [1.0, 1.0]
scale = 2.0
offset = 1.0
nodata = -5.0
raw = { width = 64, height = 64, type = "u16", byte_order = "little" }
[[terrain.patch]]
file = "p.tif"
mode = "add"
alpha = 0.5
scale = 1.5
offset = 0.5
nodata = -1.0
[tiles]
size = 16
[normals]
gradient = "horn"
smoothing = 3.0
[edges]
threshold = 0.5
max_distance = 20.0
[output]
directory = "out"
on_commit = "tell"
chunk = 32.0
compression = "zstd"
fields = ["slope"]
[[stratum]]
name = "meadow"
slope = [0, 30]
blend = 4.0
altitude = { band = [0, 100], blend = 5.0 }
aspect = { band = [10, 200], blend = 6.0 }
curvature = { band = [0.1, 1.0], blend = 0.05, kind = "mean" }
noise = { wavelength = 50.0, amplitude = 2.0, shifts = "slope" }
fallback = true
[[stratum]]
name = "rock"
tilt = [0, 60]
blend = 7.0
noise = { wavelength = 70.0, amplitude = 2.0, seed = 11 }
[[stratum]]
name = "lake"
mask = "lake.tif"
mask_band = 1
range = [0, 200]
invert = false
[[stratum]]
name = "road"
mask = "road.geojson"
width = 6.0
radius = 3.0
feather = 2.0
[[stratum]]
name = "paint"
mask = "paint.tif"
mode = "add"
target = "meadow"
[[species]]
name = "oak"
strata = { meadow = 1.0, rock = 0.5 }
threshold = 0.4
density = 50.0
spacing = 4.0
footprint = 1.0
priority = 1
size = [0.5, 1.5]
edge = { stratum = "meadow", falloff = 15.0, curve = "smooth", density = 0.25, size = [0.1, 0.2] }
altitude = { band = [1, 90], blend = 2.0 }
slope = { band = [0, 40], blend = 3.0 }
distance = [{ stratum = "road", band = [3, 15], blend = 1.0 }]
align = 0.5
variants = { a = 1.0, b = 2.0 }
[[species]]
name = "fern"
strata = { meadow = 1.0 }
spacing = 2.0
[[species]]
name = "ivy"
strata = { meadow = 1.0 }
spacing = 2.0625
softness = 0.125
group = "floor"
keep_from = { oak = 6.0 }
near = { within = 8.0, species = "moss" }
tilt = [0, 3.5]
facing = "downhill"
yaw = [-30, 31]
sink = [0, 0.375]
tint = [0.1875, 0.75]
aspect = { band = [20, 210], blend = 6.25 }
curvature = { band = [0.3, 1.0], blend = 0.0875, kind = "profile" }
mask = { file = "orchard.tif", band = 2, range = [0, 210], invert = false }
clusters = { wavelength = 61.0, coverage = 0.4375, softness = 0.3125, seed = 13 }
[[species]]
name = "moss"
strata = { meadow = 1.0 }
spacing = 3.0
group = "floor" # too
priority = 4
altitude = { curve = [[2, 0.0], [3, 1.0]] }
slope = { curve = [[4, 0.0], [5, 1.0]] }
distance = [{ stratum = "rock", curve = [[6, 0.0], [7, 1.0]] }]
curvature = { curve = [[8, 0.0], [9, 1.0]] }
mask = { file = "lines.geojson", width = 6.5, radius = 3.5, feather = 2.5 }
[[species]]
name = "grass"
strata = { meadow = 1.0 }
density = 9000.0
write = "density"
[[group]]
name = "floor"
spacing = 1.75
priority = -3
[[biome]]
name = "north"
strata = { meadow = 0.875 }
altitude = { band = [11, 80], blend = 2.125 }
[[biome]]
name = "bog"
within = "north"
species = ["ivy"]
slope = { band = [1, 50], blend = 3.125 }
aspect = { band = [30, 220], blend = 6.75 }
curvature = { band = [0.4, 1.0], blend = 0.07, kind = "plan" }
distance = [{ stratum = "rock", band = [2, 16], blend = 1.125 }]
mask = { file = "bog.tif", band = 4, range = [0, 220], invert = false }
clusters = { wavelength = 62.0, coverage = 0.45, softness = 0.35, seed = 14 }
[[biome]]
name = "fen"
species = ["moss"]
altitude = { curve = [[12, 0.0], [13, 1.0]] }
slope = { curve = [[14, 0.0], [15, 1.0]] }
distance = [{ stratum = "rock", curve = [[16, 0.0], [17, 1.0]] }]
curvature = { curve = [[18, 0.0], [19, 1.0]] }
mask = { file = "fen.geojson", width = 6.75, radius = 3.75, feather = 2.75 }
[[check]]
kind = "keep_off"
name = "verge"
species = "oak"
stratum = "road" # to keep off
distance = 2.25
most = 77
level = "warn"
[[check]]
kind = "roots"
tolerance = 0.0625
[[check]]
kind = "count"
band = [0, 987654]
drift = 0.75
"#;

/// No stage, but how inputs are read.
const INPUTS: [bool; 4] = [true, false, false, false];
const NONE: [bool; 4] = [false; 4];
const STRATA: [bool; 4] = [false, true, false, false];
const SDF: [bool; 4] = [false, false, true, false];
const PLANTS: [bool; 4] = [false, false, false, true];
const RASTERS: [bool; 4] = [false, true, true, false];

/// A key, what stands for what, and whether it then counts for inputs, strata, distances and plants.
type Row = (&'static str, &'static str, &'static str, [bool; 4]);

const TABLE: &[Row] = &[
    // A noise without a seed of its own, and every draw of plants.
    ("seed", "seed = 3", "seed = 4", [false, true, false, true]),
    ("terrain.heights", "a.raw", "b.raw", NONE),
    ("terrain.band", "\nband = 1", "\nband = 2", INPUTS),
    ("terrain.pixel_size", "[1.0, 1.0]", "[2.0, 1.0]", [true; 4]),
    ("terrain.scale", "\nscale = 2.0", "\nscale = 3.0", INPUTS),
    ("terrain.offset", "\noffset = 1.0", "\noffset = 2.0", INPUTS),
    (
        "terrain.range",
        "\nscale = 2.0\noffset = 1.0",
        "\nrange = [0, 9]",
        INPUTS,
    ),
    ("terrain.nodata", "nodata = -5.0", "nodata = -6.0", INPUTS),
    ("terrain.raw.width", "width = 64", "width = 32", INPUTS),
    ("terrain.raw.height", "height = 64", "height = 32", INPUTS),
    (
        "terrain.raw.type",
        "type = \"u16\"",
        "type = \"i16\"",
        INPUTS,
    ),
    ("terrain.raw.byte_order", "little", "big", INPUTS),
    (
        "terrain.overlap",
        "\nheights = [\"a.raw\"]",
        "\nheights = [\"a{x}_{y}.raw\"]\noverlap = 1",
        INPUTS,
    ),
    (
        "terrain.rows",
        "\nheights = [\"a.raw\"]",
        "\nheights = [\"a{x}_{y}.raw\"]\nrows = \"north\"",
        INPUTS,
    ),
    ("terrain.patch.file", "p.tif", "q.tif", INPUTS),
    (
        "terrain.patch.mode",
        "mode = \"add\"\nalpha",
        "mode = \"max\"\nalpha",
        INPUTS,
    ),
    ("terrain.patch.alpha", "alpha = 0.5", "alpha = 0.25", INPUTS),
    ("terrain.patch.scale", "scale = 1.5", "scale = 1.25", INPUTS),
    (
        "terrain.patch.offset",
        "offset = 0.5",
        "offset = 0.25",
        INPUTS,
    ),
    (
        "terrain.patch.range",
        "scale = 1.5\noffset = 0.5",
        "range = [0, 5]",
        INPUTS,
    ),
    (
        "terrain.patch.nodata",
        "nodata = -1.0",
        "nodata = -2.0",
        INPUTS,
    ),
    ("tiles.size", "size = 16", "size = 32", RASTERS),
    (
        "normals.gradient",
        "horn",
        "central",
        [false, true, false, true],
    ),
    (
        "normals.smoothing",
        "smoothing = 3.0",
        "smoothing = 4.0",
        [false, true, false, true],
    ),
    (
        "stratum.name",
        "name = \"lake\"",
        "name = \"pond\"",
        [true; 4],
    ),
    (
        "stratum.slope",
        "slope = [0, 30]",
        "slope = [0, 31]",
        STRATA,
    ),
    ("stratum.tilt", "tilt = [0, 60]", "tilt = [0, 61]", STRATA),
    ("stratum.blend", "blend = 4.0", "blend = 4.5", STRATA),
    ("stratum.altitude.band", "[0, 100]", "[0, 101]", STRATA),
    (
        "stratum.altitude.blend",
        "blend = 5.0",
        "blend = 5.5",
        STRATA,
    ),
    ("stratum.aspect.band", "[10, 200]", "[10, 201]", STRATA),
    ("stratum.aspect.blend", "blend = 6.0", "blend = 6.5", STRATA),
    ("stratum.curvature.band", "[0.1, 1.0]", "[0.2, 1.0]", STRATA),
    (
        "stratum.curvature.blend",
        "blend = 0.05",
        "blend = 0.06",
        STRATA,
    ),
    ("stratum.curvature.kind", "mean", "plan", STRATA),
    (
        "stratum.noise.wavelength",
        "wavelength = 50.0",
        "wavelength = 51.0",
        STRATA,
    ),
    (
        "stratum.noise.amplitude",
        "amplitude = 2.0, shifts",
        "amplitude = 2.5, shifts",
        STRATA,
    ),
    (
        "stratum.noise.shifts",
        "shifts = \"slope\"",
        "shifts = \"altitude\"",
        STRATA,
    ),
    ("stratum.noise.seed", "seed = 11", "seed = 12", STRATA),
    ("stratum.fallback", "\nfallback = true", "", STRATA),
    ("stratum.mask", "lake.tif", "pond.tif", INPUTS),
    (
        "stratum.mask_band",
        "mask_band = 1",
        "mask_band = 2",
        INPUTS,
    ),
    (
        "stratum.range",
        "range = [0, 200]",
        "range = [0, 100]",
        INPUTS,
    ),
    (
        "stratum.invert",
        "range = [0, 200]\ninvert = false",
        "range = [0, 200]\ninvert = true",
        INPUTS,
    ),
    ("stratum.width", "width = 6.0", "width = 7.0", INPUTS),
    ("stratum.radius", "radius = 3.0", "radius = 4.0", INPUTS),
    ("stratum.feather", "feather = 2.0", "feather = 1.0", INPUTS),
    (
        "stratum.mode",
        "mode = \"add\"\ntarget",
        "mode = \"subtract\"\ntarget",
        INPUTS,
    ),
    (
        "stratum.target",
        "target = \"meadow\"",
        "target = \"rock\"",
        INPUTS,
    ),
    ("edges.threshold", "threshold = 0.5", "threshold = 0.6", SDF),
    (
        "edges.max_distance",
        "max_distance = 20.0",
        "max_distance = 21.0",
        [false, false, true, true],
    ),
    ("species.name", "name = \"fern\"", "name = \"elm\"", PLANTS),
    ("species.strata", "rock = 0.5", "rock = 0.6", PLANTS),
    (
        "species.threshold",
        "threshold = 0.4",
        "threshold = 0.3",
        PLANTS,
    ),
    (
        "species.density",
        "density = 50.0",
        "density = 60.0",
        PLANTS,
    ),
    ("species.spacing", "spacing = 4.0", "spacing = 5.0", PLANTS),
    (
        "species.footprint",
        "footprint = 1.0",
        "footprint = 1.25",
        PLANTS,
    ),
    ("species.priority", "priority = 1", "priority = 2", PLANTS),
    (
        "species.size",
        "size = [0.5, 1.5]",
        "size = [0.5, 1.6]",
        PLANTS,
    ),
    (
        "species.edge.stratum",
        "edge = { stratum = \"meadow\"",
        "edge = { stratum = \"rock\"",
        PLANTS,
    ),
    (
        "species.edge.falloff",
        "falloff = 15.0",
        "falloff = 16.0",
        PLANTS,
    ),
    ("species.edge.curve", "smooth\"", "linear\"", PLANTS),
    (
        "species.edge.density",
        "density = 0.25",
        "density = 0.3",
        PLANTS,
    ),
    ("species.edge.size", "[0.1, 0.2]", "[0.1, 0.3]", PLANTS),
    ("species.altitude.band", "[1, 90]", "[1, 91]", PLANTS),
    (
        "species.altitude.blend",
        "blend = 2.0",
        "blend = 2.5",
        PLANTS,
    ),
    ("species.slope.band", "[0, 40]", "[0, 41]", PLANTS),
    ("species.slope.blend", "blend = 3.0", "blend = 3.5", PLANTS),
    (
        "species.distance.stratum",
        "distance = [{ stratum = \"road\"",
        "distance = [{ stratum = \"lake\"",
        PLANTS,
    ),
    ("species.distance.band", "[3, 15]", "[4, 15]", PLANTS),
    (
        "species.distance.blend",
        "blend = 1.0",
        "blend = 1.5",
        PLANTS,
    ),
    ("species.align", "align = 0.5", "align = 0.6", PLANTS),
    ("species.variants", "b = 2.0", "b = 2.5", PLANTS),
    (
        "species.softness",
        "softness = 0.125",
        "softness = 0.25",
        PLANTS,
    ),
    (
        "species.group",
        "group = \"floor\"\n",
        "priority = -3\n",
        PLANTS,
    ),
    (
        "species.keep_from",
        "keep_from = { oak = 6.0 }",
        "keep_from = { oak = 7.0 }",
        PLANTS,
    ),
    (
        "species.near.species",
        "within = 8.0, species = \"moss\"",
        "within = 8.0, species = \"oak\"",
        PLANTS,
    ),
    (
        "species.near.within",
        "within = 8.0",
        "within = 9.0",
        PLANTS,
    ),
    ("species.tilt", "[0, 3.5]", "[0, 3.25]", PLANTS),
    (
        "species.facing",
        "facing = \"downhill\"",
        "facing = \"east\"",
        PLANTS,
    ),
    ("species.yaw", "[-30, 31]", "[-30, 32]", PLANTS),
    ("species.sink", "[0, 0.375]", "[0, 0.5]", PLANTS),
    ("species.tint", "[0.1875, 0.75]", "[0.1875, 0.5]", PLANTS),
    (
        "species.write",
        "density = 9000.0\nwrite = \"density\"",
        "density = 9000.0\nspacing = 0.5",
        PLANTS,
    ),
    ("species.aspect.band", "[20, 210]", "[20, 211]", PLANTS),
    (
        "species.aspect.blend",
        "blend = 6.25",
        "blend = 7.0",
        PLANTS,
    ),
    (
        "species.curvature.band",
        "[0.3, 1.0]",
        "[0.35, 1.0]",
        PLANTS,
    ),
    (
        "species.curvature.blend",
        "blend = 0.0875",
        "blend = 0.08",
        PLANTS,
    ),
    (
        "species.curvature.kind",
        "kind = \"profile\"",
        "kind = \"mean\"",
        PLANTS,
    ),
    ("species.mask.file", "orchard.tif", "other.tif", INPUTS),
    ("species.mask.band", "band = 2,", "band = 5,", INPUTS),
    ("species.mask.range", "[0, 210]", "[0, 240]", INPUTS),
    (
        "species.mask.invert",
        "[0, 210], invert = false",
        "[0, 210], invert = true",
        INPUTS,
    ),
    ("species.mask.width", "width = 6.5", "width = 9.0", INPUTS),
    (
        "species.mask.radius",
        "radius = 3.5",
        "radius = 9.0",
        INPUTS,
    ),
    (
        "species.mask.feather",
        "feather = 2.5",
        "feather = 9.0",
        INPUTS,
    ),
    (
        "species.clusters.wavelength",
        "wavelength = 61.0",
        "wavelength = 63.0",
        PLANTS,
    ),
    (
        "species.clusters.coverage",
        "coverage = 0.4375",
        "coverage = 0.5",
        PLANTS,
    ),
    (
        "species.clusters.softness",
        "softness = 0.3125",
        "softness = 0.4",
        PLANTS,
    ),
    ("species.clusters.seed", "seed = 13", "seed = 15", PLANTS),
    (
        "species.altitude.curve",
        "[[2, 0.0], [3, 1.0]]",
        "[[2, 0.0], [3, 0.5]]",
        PLANTS,
    ),
    (
        "species.slope.curve",
        "[[4, 0.0], [5, 1.0]]",
        "[[4, 0.0], [5, 0.5]]",
        PLANTS,
    ),
    (
        "species.distance.curve",
        "[[6, 0.0], [7, 1.0]]",
        "[[6, 0.0], [7, 0.5]]",
        PLANTS,
    ),
    (
        "species.curvature.curve",
        "[[8, 0.0], [9, 1.0]]",
        "[[8, 0.0], [9, 0.5]]",
        PLANTS,
    ),
    ("biome.aspect.band", "[30, 220]", "[30, 221]", PLANTS),
    ("biome.aspect.blend", "blend = 6.75", "blend = 7.0", PLANTS),
    ("biome.curvature.band", "[0.4, 1.0]", "[0.45, 1.0]", PLANTS),
    (
        "biome.curvature.blend",
        "blend = 0.07",
        "blend = 0.08",
        PLANTS,
    ),
    (
        "biome.curvature.kind",
        "kind = \"plan\"",
        "kind = \"profile\"",
        PLANTS,
    ),
    ("biome.mask.file", "bog.tif", "other.tif", INPUTS),
    ("biome.mask.band", "band = 4,", "band = 5,", INPUTS),
    ("biome.mask.range", "[0, 220]", "[0, 240]", INPUTS),
    (
        "biome.mask.invert",
        "[0, 220], invert = false",
        "[0, 220], invert = true",
        INPUTS,
    ),
    ("biome.mask.width", "width = 6.75", "width = 9.0", INPUTS),
    ("biome.mask.radius", "radius = 3.75", "radius = 9.0", INPUTS),
    (
        "biome.mask.feather",
        "feather = 2.75",
        "feather = 9.0",
        INPUTS,
    ),
    (
        "biome.clusters.wavelength",
        "wavelength = 62.0",
        "wavelength = 63.0",
        PLANTS,
    ),
    (
        "biome.clusters.coverage",
        "coverage = 0.45,",
        "coverage = 0.5,",
        PLANTS,
    ),
    (
        "biome.clusters.softness",
        "softness = 0.35",
        "softness = 0.4",
        PLANTS,
    ),
    ("biome.clusters.seed", "seed = 14", "seed = 15", PLANTS),
    (
        "biome.altitude.curve",
        "[[12, 0.0], [13, 1.0]]",
        "[[12, 0.0], [13, 0.5]]",
        PLANTS,
    ),
    (
        "biome.slope.curve",
        "[[14, 0.0], [15, 1.0]]",
        "[[14, 0.0], [15, 0.5]]",
        PLANTS,
    ),
    (
        "biome.distance.curve",
        "[[16, 0.0], [17, 1.0]]",
        "[[16, 0.0], [17, 0.5]]",
        PLANTS,
    ),
    (
        "biome.curvature.curve",
        "[[18, 0.0], [19, 1.0]]",
        "[[18, 0.0], [19, 0.5]]",
        PLANTS,
    ),
    (
        "biome.name",
        "name = \"fen\"",
        "name = \"mire\"",
        [true, false, false, true],
    ),
    ("biome.within", "within = \"north\"\n", "", PLANTS),
    ("biome.strata", "meadow = 0.875", "meadow = 0.75", PLANTS),
    (
        "biome.species",
        "species = [\"moss\"]",
        "species = [\"moss\", \"oak\"]",
        PLANTS,
    ),
    ("biome.altitude.band", "[11, 80]", "[11, 81]", PLANTS),
    (
        "biome.altitude.blend",
        "blend = 2.125",
        "blend = 2.25",
        PLANTS,
    ),
    ("biome.slope.band", "[1, 50]", "[1, 51]", PLANTS),
    ("biome.slope.blend", "blend = 3.125", "blend = 3.25", PLANTS),
    (
        "biome.distance.stratum",
        "stratum = \"rock\", band",
        "stratum = \"lake\", band",
        PLANTS,
    ),
    ("biome.distance.band", "[2, 16]", "[2, 15]", PLANTS),
    (
        "biome.distance.blend",
        "blend = 1.125",
        "blend = 1.25",
        PLANTS,
    ),
    (
        "group.name",
        "[[group]]\n",
        "[[group]]\nname = \"loft\"\n[[group]]\n",
        NONE,
    ),
    ("group.spacing", "spacing = 1.75", "spacing = 1.5", PLANTS),
    ("group.priority", "priority = -3", "priority = -4", PLANTS),
    (
        "species.variants.weight",
        "b = 2.0",
        "b = { weight = 3.0 }",
        PLANTS,
    ),
    (
        "species.variants.edge",
        "b = 2.0",
        "b = { weight = 2.0, edge = 3.0 }",
        PLANTS,
    ),
    (
        "species.variants.size",
        "b = 2.0",
        "b = { weight = 2.0, size = [1, 2] }",
        PLANTS,
    ),
    (
        "species.variants.edge_size",
        "b = 2.0",
        "b = { weight = 2.0, edge_size = [1, 2] }",
        PLANTS,
    ),
    (
        "species.template",
        "name = \"fern\"",
        "name = \"fern\"\ntemplate = false",
        NONE,
    ),
    // What is extended counts key by key.
    (
        "species.extend",
        "name = \"fern\"",
        "name = \"fern\"\nextend = \"oak\"",
        PLANTS,
    ),
    ("include", "seed = 3\n[", "seed = 3\ninclude = []\n[", NONE),
    (
        "output.directory",
        "directory = \"out\"",
        "directory = \"there\"",
        NONE,
    ),
    ("output.on_commit", "\"tell\"", "\"ask\"", NONE),
    (
        "check.kind",
        "kind = \"count\"",
        "kind = \"count\" # all",
        NONE,
    ),
    ("check.name", "verge", "rim", NONE),
    (
        "check.species",
        "species = \"oak\"",
        "species = \"fern\"",
        NONE,
    ),
    (
        "check.stratum",
        "stratum = \"road\" # to keep off",
        "stratum = \"lake\"",
        NONE,
    ),
    ("check.distance", "2.25", "2.5", NONE),
    ("check.most", "77", "78", NONE),
    ("check.level", "warn", "error", NONE),
    ("check.tolerance", "0.0625", "0.125", NONE),
    ("check.band", "987654", "987655", NONE),
    ("check.drift", "drift = 0.75", "drift = 0.5", NONE),
    ("output.chunk", "chunk = 32.0", "chunk = 33.0", PLANTS),
    ("output.compression", "zstd", "deflate", RASTERS),
    ("output.fields", "[\"slope\"]", "[\"normals\"]", STRATA),
];

fn rules(text: &str) -> Value {
    let loaded = config::parse(text, "world.toml".as_ref()).unwrap_or_else(|e| panic!("{e}"));
    let config = &loaded.config;
    let (x, y) = match config.terrain.pixel_size {
        Some(PixelSizeChoice::Metres([x, y])) => (x, y),
        _ => (1.0, 1.0),
    };
    let transform = GeoTransform {
        x0: 0.0,
        y0: 0.0,
        pixel: PixelSize { x, y },
    };
    let tiles = TileGrid::new(64, 64, config.tiles.size);
    of(
        config,
        &GridRecord::new(tiles, &transform, &GeoKeys::default()),
    )
}

fn counts(old: &Value, new: &Value) -> [bool; 4] {
    ["inputs", "strata", "sdf", "plants"].map(|part| old[part] != new[part])
}

#[test]
fn every_key_counts_for_the_stages_that_read_it() {
    let base = rules(BASE);
    for &(key, old, new, expected) in TABLE {
        assert_eq!(BASE.matches(old).count(), 1, "{key}: {old:?} in the config");
        let changed = rules(&BASE.replace(old, new));
        assert_eq!(counts(&base, &changed), expected, "{key}");
    }
}

#[test]
fn every_key_of_the_schema_is_in_the_table() {
    let schema: Value = serde_json::from_str(&config::schema()).unwrap();
    let mut keys = BTreeSet::new();
    gather(&schema, "", &mut keys);
    assert!(keys.len() > 60, "{keys:?}");
    let known: BTreeSet<_> = TABLE.iter().map(|row| row.0.to_owned()).collect();
    let missing: Vec<_> = keys.difference(&known).collect();
    assert!(missing.is_empty(), "which stages read {missing:?}?");
}

/// The keys of a table that hold no further table, by their paths.
fn gather(schema: &Value, path: &str, out: &mut BTreeSet<String>) {
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = under(path, key);
        let mut tables = vec![inner, &inner["items"]];
        tables.extend(
            inner["additionalProperties"]["anyOf"]
                .as_array()
                .into_iter()
                .flatten(),
        );
        match tables.iter().find(|table| table["properties"].is_object()) {
            Some(table) => gather(table, &path, out),
            None => drop(out.insert(path)),
        }
    }
}

#[test]
fn what_stands_for_the_same_is_the_same() {
    let base = rules(BASE);
    for (old, new) in [
        ("\nsize = 16", "\nsize = 16 # pixels"),
        ("tilt = [0, 60]", "slope = [30, 90]"),
        ("edge = { stratum = \"meadow\", ", "edge = { "),
        ("threshold = 0.5\n", "threshold = 0.501\n"),
        ("gradient = \"horn\"\n", ""),
    ] {
        assert_eq!(rules(&BASE.replace(old, new)), base, "{new}");
    }
}

#[test]
fn the_order_of_species_says_nothing() {
    let at = BASE.find("[[species]]").unwrap();
    let (head, species) = BASE.split_at(at);
    let second = species.rfind("[[species]]").unwrap();
    let turned = format!("{head}{}{}", &species[second..], &species[..second]);
    assert_ne!(turned, BASE);
    assert_eq!(rules(&turned), rules(BASE));
}

#[test]
fn a_correction_more_counts_for_no_stage() {
    let more = "[[stratum]]\nname = \"more\"\nmask = \"more.tif\"\nmode = \"subtract\"\ntarget = \"rock\"\n";
    let with = BASE.replacen("[[species]]", &format!("{more}[[species]]"), 1);
    assert_eq!(counts(&rules(BASE), &rules(&with)), INPUTS);
}

#[test]
fn normals_count_for_plants_that_read_them() {
    let from = BASE.find("[[species]]\nname = \"ivy\"").unwrap();
    let to = BASE.find("[[check]]").unwrap();
    let level = format!("{}{}", &BASE[..from], &BASE[to..])
        .replace("slope = { band = [0, 40], blend = 3.0 }\n", "")
        .replace("align = 0.5\n", "");
    let smoother = level.replace("smoothing = 3.0", "smoothing = 4.0");
    assert_eq!(counts(&rules(&level), &rules(&smoother)), STRATA);
}

#[test]
fn keys_come_sorted() {
    // A digest of the text is one of the value: no feature of a dependency may keep the order of insertion.
    let text = json!({ "b": 1, "a": { "d": 1, "c": 2 } }).to_string();
    assert_eq!(text, r#"{"a":{"c":2,"d":1},"b":1}"#);
}

#[test]
fn the_first_difference_is_a_key_of_the_config() {
    let base = rules(BASE);
    for (stage, old, new, expected) in [
        (
            "strata",
            "slope = [0, 30]",
            "slope = [0, 31]",
            ["stratum[0].slope", "[0.0,30.0]", "[0.0,31.0]"],
        ),
        (
            "plants",
            "density = 50.0",
            "density = 60.0",
            ["species.oak.density", "50.0", "60.0"],
        ),
        (
            "plants",
            "name = \"fern\"",
            "name = \"old.fern\"",
            ["species.fern", "given", "none"],
        ),
        (
            "sdf",
            "threshold = 0.5",
            "threshold = 0.6",
            ["edges.threshold", "\"128/255\"", "\"153/255\""],
        ),
        (
            "sdf",
            "name = \"lake\"",
            "name = \"pond\"",
            ["stratum[2].name", "\"lake\"", "\"pond\""],
        ),
    ] {
        let changed = rules(&BASE.replace(old, new));
        let found = first_difference(&base[stage], &changed[stage]).unwrap();
        assert_eq!([&*found.key, &*found.old, &*found.new], expected);
    }
    assert_eq!(first_difference(&base, &base), None);
}
