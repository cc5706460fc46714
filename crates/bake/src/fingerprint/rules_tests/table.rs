//! Every key, with a change of it, and the stages that it counts for.

#[path = "flora.rs"]
mod flora;

/// No stage, but how inputs are read.
pub(super) const INPUTS: [bool; 4] = [true, false, false, false];
pub(super) const NONE: [bool; 4] = [false; 4];
pub(super) const STRATA: [bool; 4] = [false, true, false, false];
pub(super) const SDF: [bool; 4] = [false, false, true, false];
pub(super) const PLANTS: [bool; 4] = [false, false, false, true];
pub(super) const RASTERS: [bool; 4] = [false, true, true, false];

/// A key, what stands for what, and whether it then counts for inputs, strata, distances and plants.
pub(super) type Row = (&'static str, &'static str, &'static str, [bool; 4]);

/// All rows.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    GROUND.iter().chain(flora::FLORA)
}

/// The ground, and what is written.
const GROUND: &[Row] = &[
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
