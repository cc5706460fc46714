//! A config, and the mistakes people make in it.

/// A world that makes use of most keys.
pub const WORLD: &str = r#"seed = 7

[terrain]
heights = ["alps.tif"]

[edges]
max_distance = 64

[[stratum]]
name = "meadow"
slope = [0, 25]
blend = 6

[[stratum]]
name = "scree"
tilt = [0, 65]
altitude = { band = [0, 1800], blend = 100 }
fallback = true

[[stratum]]
name = "road"
mask = "road.tif"

[[species]]
name = "spruce"
strata = { meadow = 1.0, scree = 0.3 }
threshold = 0.4
spacing = 3.0
size = [0.8, 1.3]
edge = { falloff = 25, curve = "smooth", density = 0.2 }
distance = [{ stratum = "road", band = [5, 1000], blend = 2 }]
"#;

/// One line of the world, and the mistake it becomes.
pub const MISTAKES: &[(&str, &str, &str)] = &[
    // Syntax.
    ("syntax_no_value", "seed = 7", "seed ="),
    ("syntax_open_string", "\"alps.tif\"", "\"alps.tif"),
    ("syntax_open_list", "[0, 25]", "[0, 25"),
    ("syntax_twice", "seed = 7", "seed = 7\nseed = 8"),
    ("syntax_header", "[terrain]", "[terrain"),
    // Keys.
    ("unknown_key", "blend = 6", "blnd = 6"),
    (
        "unknown_key_of_elsewhere",
        "heights =",
        "spacing = 2\nheights =",
    ),
    ("unknown_key_like_nothing", "blend = 6", "snowline = 80"),
    ("unknown_key_deep", "curve =", "crve ="),
    (
        "unknown_key_in_list",
        "band = [5, 1000]",
        "bnad = [5, 1000]",
    ),
    ("unknown_table", "[edges]", "[edge]"),
    ("missing_table", "[terrain]\nheights = [\"alps.tif\"]", ""),
    ("missing_key", "spacing = 3.0\n", ""),
    ("missing_key_deep", "band = [0, 1800], ", ""),
    // Types.
    ("type_string_for_number", "blend = 6", "blend = \"6\""),
    ("type_string_for_list", "[\"alps.tif\"]", "\"alps.tif\""),
    ("type_number_for_range", "[0, 25]", "25"),
    ("type_fraction_for_whole", "seed = 7", "seed = 7.5"),
    ("type_boolean", "fallback = true", "fallback = \"yes\""),
    ("type_table_for_tables", "[[species]]", "[species]"),
    ("type_tables_for_table", "[edges]", "[[edges]]"),
    ("type_pixel_size", "heights =", "pixel_size = 30\nheights ="),
    (
        "type_table_for_nested_list",
        "[{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "{ stratum = \"road\" }",
    ),
    ("type_date", "seed = 7", "seed = 2024-01-01"),
    // Values.
    ("value_word", "\"smooth\"", "\"smoth\""),
    (
        "value_pixel_size_word",
        "heights =",
        "pixel_size = \"grund\"\nheights =",
    ),
    ("value_mode", "mask =", "mode = \"under\"\nmask ="),
    ("value_range", "threshold = 0.4", "threshold = 1.4"),
    ("value_range_open", "falloff = 25", "falloff = 0"),
    ("value_not_finite", "spacing = 3.0", "spacing = inf"),
    ("value_negative_blend", "blend = 6", "blend = -6"),
    ("value_slope_past_the_wall", "[0, 25]", "[0, 95]"),
    ("value_three_ends", "[0, 25]", "[0, 25, 90]"),
    ("value_negative_seed", "seed = 7", "seed = -7"),
    ("value_huge", "seed = 7", "seed = 99999999999999999999"),
    ("value_edge_denser", "density = 0.2", "density = 1.2"),
    ("value_no_heights", "[\"alps.tif\"]", "[]"),
    (
        "value_no_strata_of_species",
        "{ meadow = 1.0, scree = 0.3 }",
        "{}",
    ),
    ("value_coefficient", "scree = 0.3", "scree = -0.3"),
    // Names.
    ("name_empty", "name = \"meadow\"", "name = \"\""),
    (
        "name_with_slash",
        "name = \"spruce\"",
        "name = \"trees/spruce\"",
    ),
    ("name_twice", "name = \"scree\"", "name = \"Meadow\""),
    // Sense.
    ("band_reversed", "[0, 25]", "[25, 0]"),
    ("band_empty", "band = [0, 1800]", "band = [1800, 1800]"),
    (
        "slope_and_tilt",
        "tilt = [0, 65]",
        "tilt = [0, 65]\nslope = [25, 90]",
    ),
    ("blend_of_nothing", "slope = [0, 25]\n", ""),
    (
        "mask_and_slope",
        "mask =",
        "slope = [0, 9]\nfallback = true\nmask =",
    ),
    ("two_fallbacks", "blend = 6", "blend = 6\nfallback = true"),
    ("stratum_unknown", "scree = 0.3", "skree = 0.3"),
    (
        "edge_stratum_unknown",
        "falloff = 25",
        "falloff = 25, stratum = \"lake\"",
    ),
    (
        "distance_stratum_unknown",
        "stratum = \"road\"",
        "stratum = \"roads\"",
    ),
    ("grows_nowhere", "meadow = 1.0", "meadow = 0.2"),
    ("spacing_too_small", "spacing = 3.0", "spacing = 0.05"),
    ("size_reversed", "[0.8, 1.3]", "[1.3, 0.8]"),
    ("size_zero", "[0.8, 1.3]", "[0, 0]"),
    ("falloff_too_far", "falloff = 25", "falloff = 65"),
    ("edge_without_falloff", "falloff = 25, ", ""),
    ("distance_ramp_too_far", "[5, 1000]", "[5, 64]"),
    ("distance_begins_too_far", "[5, 1000]", "[100, 1000]"),
    (
        "curve_not_ascending",
        "\"smooth\"",
        "[[0, 0], [0.5, 0.8], [0.5, 0.9], [1, 1]]",
    ),
    ("curve_short", "\"smooth\"", "[[0.1, 0], [1, 1]]"),
    ("scale_zero", "heights =", "scale = 0\nheights ="),
    // Heights of several files and kinds.
    (
        "range_and_scale",
        "heights =",
        "range = [0, 900]\nscale = 2\nheights =",
    ),
    ("range_empty", "heights =", "range = [9, 9]\nheights ="),
    ("overlap_of_nothing", "heights =", "overlap = 1\nheights ="),
    (
        "overlap_too_wide",
        "[\"alps.tif\"]",
        "[\"a_x{x}_y{y}.png\"]\noverlap = 2",
    ),
    (
        "raw_type",
        "heights =",
        "raw = { width = 4, height = 4, type = \"u32\" }\nheights =",
    ),
    (
        "raw_no_height",
        "heights =",
        "raw = { width = 4 }\nheights =",
    ),
    (
        "patch_no_file",
        "[edges]",
        "[[terrain.patch]]\nmode = \"add\"\n[edges]",
    ),
    (
        "patch_alpha",
        "[edges]",
        "[[terrain.patch]]\nfile = \"a.tif\"\nalpha = 1.5\n[edges]",
    ),
    (
        "patch_range_and_offset",
        "[edges]",
        "[[terrain.patch]]\nfile = \"a.tif\"\nrange = [0, 9]\noffset = 1\n[edges]",
    ),
    // Bands and masks of strata.
    (
        "noise_no_amplitude",
        "blend = 6",
        "noise = { wavelength = 80 }",
    ),
    (
        "aspect_out_of_range",
        "blend = 6",
        "aspect = { band = [-45, 45] }",
    ),
    (
        "curvature_reversed",
        "blend = 6",
        "curvature = { band = [1, 0] }",
    ),
    ("mask_key_without_mask", "blend = 6", "invert = true"),
    ("width_of_raster", "mask =", "width = 6\nmask ="),
    (
        "range_of_shapes",
        "\"road.tif\"",
        "\"road.geojson\"\nrange = [0, 1]",
    ),
    ("mask_range_empty", "mask =", "range = [3, 3]\nmask ="),
    ("correction_of_nothing", "mask =", "mode = \"add\"\nmask ="),
    (
        "target_of_no_correction",
        "mask =",
        "target = \"scree\"\nmask =",
    ),
    (
        "target_unknown",
        "mask =",
        "mode = \"subtract\"\ntarget = \"skree\"\nmask =",
    ),
    (
        "target_of_itself",
        "mask =",
        "mode = \"add\"\ntarget = \"road\"\nmask =",
    ),
    (
        "target_listed_after",
        "mask =",
        "mode = \"add\"\ntarget = \"lake\"\nmask = \"wear.tif\"\n\n[[stratum]]\nname = \"lake\"\nmask =",
    ),
    (
        "correction_as_stratum",
        "mask =",
        "mode = \"add\"\ntarget = \"scree\"\nmask =",
    ),
    // Places that are hard to print.
    (
        "place_after_tab_and_umlaut",
        "blend = 6",
        "# schön\n\t\"blénd\" = 6",
    ),
    ("place_in_long_line", "[\"alps.tif\"]", LONG_LINE),
    ("place_over_lines", "[0, 25]", "[\n  25,\n  0,\n]"),
    // Checks.
    (
        "check_kind",
        "blend = 2 }]",
        "blend = 2 }]\n[[check]]\nkind = \"cover\"",
    ),
    (
        "check_key_of_another_kind",
        "blend = 2 }]",
        "blend = 2 }]\n[[check]]\nkind = \"keep_off\"\nstratum = \"road\"\ntolerance = 0.1",
    ),
    (
        "check_without_stratum",
        "blend = 2 }]",
        "blend = 2 }]\n[[check]]\nkind = \"keep_off\"\ndistance = 4.5",
    ),
    (
        "check_without_limit",
        "blend = 2 }]",
        "blend = 2 }]\n[[check]]\nkind = \"coverage\"\nstratum = \"scree\"\n",
    ),
    (
        "check_stratum_unknown",
        "blend = 2 }]",
        "blend = 2 }]\n[[check]]\nkind = \"keep_off\"\nstratum = \"rode\"",
    ),
    (
        "check_species_unknown",
        "blend = 2 }]",
        "blend = 2 }]\n[[check]]\nkind = \"void\"\nspecies = \"spruse\"",
    ),
    (
        "check_distance_too_far",
        "blend = 2 }]",
        "blend = 2 }]\n[[check]]\nkind = \"keep_off\"\nstratum = \"road\"\ndistance = 65",
    ),
    (
        "check_band_reversed",
        "blend = 2 }]",
        "blend = 2 }]\n[[check]]\nkind = \"coverage\"\nstratum = \"scree\"\nband = [0.9, 0.1]",
    ),
    (
        "check_coverage_beyond_all",
        "blend = 2 }]",
        "blend = 2 }]\n[[check]]\nkind = \"coverage\"\nstratum = \"scree\"\nband = [10, 90]",
    ),
    (
        "check_level",
        "blend = 2 }]",
        "blend = 2 }]\n[[check]]\nkind = \"void\"\nlevel = \"eror\"",
    ),
    (
        "check_one_table",
        "blend = 2 }]",
        "blend = 2 }]\n[check]\nkind = \"void\"",
    ),
    (
        "on_commit_empty",
        "[edges]",
        "[output]\non_commit = \"\"\n[edges]",
    ),
    // What species and biomes ask of the ground, and of each other.
    (
        "altitude_says_nothing",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\naltitude = { blend = 5 }",
    ),
    (
        "altitude_band_and_curve",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\naltitude = { band = [0, 9], curve = [[0, 0], [9, 1]] }",
    ),
    (
        "slope_curve_backwards",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\nslope = { curve = [[0, 0], [30, 1], [20, 0]] }",
    ),
    (
        "slope_curve_beyond_wall",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\nslope = { curve = [[0, 1], [100, 0]] }",
    ),
    (
        "altitude_curve_factor",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\naltitude = { curve = [[0, 0], [30, 2]] }",
    ),
    (
        "altitude_curve_of_nothing",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\naltitude = { curve = [[0, 0], [30, 0]] }",
    ),
    (
        "curvature_curve_blend",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\ncurvature = { curve = [[0, 0], [0.1, 1]], blend = 0.1 }",
    ),
    (
        "aspect_empty",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\naspect = { band = [90, 90] }",
    ),
    (
        "distance_curve_beyond",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", curve = [[0, 0], [70, 1]] }]",
    ),
    (
        "species_mask_width",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\nmask = { file = \"a.tif\", width = 3 }",
    ),
    (
        "species_mask_range",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\nmask = { file = \"a.tif\", range = [3, 3] }",
    ),
    (
        "clusters_cover_nothing",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\nclusters = { wavelength = 50, coverage = 0 }",
    ),
    (
        "clusters_cover_everything",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\nclusters = { wavelength = 50, coverage = 1 }",
    ),
    (
        "keep_from_itself",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\nkeep_from = { spruce = 3 }",
    ),
    (
        "keep_from_unknown",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]\n[[species]]\nname = \"moss\"\nstrata = { meadow = 1 }\nspacing = 1\nkeep_from = { spruse = 3 }",
    ),
    (
        "keep_from_density",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]\n[[species]]\nname = \"grass\"\nstrata = { meadow = 1 }\ndensity = 9000\nwrite = \"density\"\n[[species]]\nname = \"moss\"\nstrata = { meadow = 1 }\nspacing = 1\nkeep_from = { grass = 3 }",
    ),
    (
        "keep_from_absurd",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]\n[[species]]\nname = \"moss\"\nstrata = { meadow = 1 }\nspacing = 1\nkeep_from = { spruce = 5000 }",
    ),
    (
        "near_of_same_priority",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]\n[[species]]\nname = \"moss\"\nstrata = { meadow = 1 }\nspacing = 1\nnear = { species = \"spruce\", within = 3 }",
    ),
    (
        "near_unknown",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]\n[[species]]\nname = \"moss\"\nstrata = { meadow = 1 }\nspacing = 1\nnear = { species = \"spruse\", within = 3 }",
    ),
    (
        "density_with_footprint",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]\n[[species]]\nname = \"grass\"\nstrata = { meadow = 1 }\ndensity = 9000\nwrite = \"density\"\nfootprint = 1",
    ),
    (
        "group_unknown",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]\n[[species]]\nname = \"moss\"\nstrata = { meadow = 1 }\nspacing = 1\ngroup = \"flor\"\n[[group]]\nname = \"floor\"",
    ),
    (
        "biome_says_nothing",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]\n[[biome]]\nname = \"north\"\nspecies = [\"spruce\"]",
    ),
    (
        "biome_unknown_species",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]\n[[biome]]\nname = \"north\"\nstrata = { meadow = 1 }\nspecies = [\"spruse\"]",
    ),
    (
        "biome_unknown_parent",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]\n[[biome]]\nname = \"north\"\nwithin = \"wst\"\n[[biome]]\nname = \"west\"\nstrata = { meadow = 1 }",
    ),
    (
        "biome_within_itself",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]",
        "distance = [{ stratum = \"road\", band = [5, 1000], blend = 2 }]\n[[biome]]\nname = \"north\"\nwithin = \"west\"\n[[biome]]\nname = \"west\"\nwithin = \"north\"",
    ),
    (
        "yaw_backwards",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\nyaw = [30, -30]",
    ),
    (
        "variant_without_weight",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\nvariants = { a = { weight = 0 }, b = { weight = 0 } }",
    ),
    (
        "variant_size_backwards",
        "size = [0.8, 1.3]",
        "size = [0.8, 1.3]\nvariants = { a = { size = [2, 1] } }",
    ),
];

const LONG_LINE: &str = r#"["a_long_name_of_a_file_in_the_north.tif", "a_long_name_of_a_file_in_the_east.tif", "a_long_name_of_a_file_in_the_south.tif", 7, "a_long_name_of_a_file_in_the_west.tif", "another.tif"]"#;
