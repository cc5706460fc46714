//! The config: every mistake is shown at its place, and what the files in `configs/` say is true.
//!
//! `UPDATE_GOLDEN=1` rewrites the goldens, the schema and the reference.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use ecotone_bake::config::{
    self, Compression, Config, ConfigError, Curve, CurveWord, Gradient, Loaded, MaskMode,
    PixelSizeChoice, PixelSizeWord,
};
use ecotone_grid::Trapezoid;

const WORLD: &str = r#"seed = 7

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
const MISTAKES: &[(&str, &str, &str)] = &[
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
    (
        "unknown_key_like_nothing",
        "blend = 6",
        "noise = { wavelength = 80 }",
    ),
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
    ("value_mode", "mask =", "mode = \"subtract\"\nmask ="),
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
    // Places that are hard to print.
    (
        "place_after_tab_and_umlaut",
        "blend = 6",
        "# schön\n\t\"blénd\" = 6",
    ),
    ("place_in_long_line", "[\"alps.tif\"]", LONG_LINE),
    ("place_over_lines", "[0, 25]", "[\n  25,\n  0,\n]"),
];

const LONG_LINE: &str = r#"["a_long_name_of_a_file_in_the_north.tif", "a_long_name_of_a_file_in_the_east.tif", "a_long_name_of_a_file_in_the_south.tif", 7, "a_long_name_of_a_file_in_the_west.tif", "another.tif"]"#;

fn parse(text: &str) -> Result<Loaded, ConfigError> {
    config::parse(text, Path::new("configs/world.toml"))
}

#[track_caller]
fn check_golden(path: &Path, text: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, text).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(text, golden, "{} is stale: UPDATE_GOLDEN=1", path.display());
}

fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs")
}

fn golden(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/config");
    folder.join(format!("{name}.txt"))
}

#[test]
fn every_mistake_is_shown_at_its_place() {
    parse(WORLD).unwrap();
    for (name, from, to) in MISTAKES {
        assert_eq!(WORLD.matches(from).count(), 1, "{name}: {from}");
        let error = parse(&WORLD.replace(from, to)).expect_err(name);
        check_golden(&golden(name), &format!("{error}\n"));
    }
}

#[test]
fn all_mistakes_are_reported_at_once_in_the_order_of_the_text() {
    let text = WORLD
        .replace("[0, 25]", "[25, 0]")
        .replace("falloff = 25", "falloff = 99")
        .replace("[0.8, 1.3]", "[2, 1]");
    let ConfigError::Invalid { mistakes } = parse(&text).unwrap_err() else {
        panic!("a mistake in the text");
    };
    let lines: Vec<usize> = mistakes
        .iter()
        .map(|mistake| mistake.place.as_ref().unwrap().line)
        .collect();
    assert_eq!(lines, [11, 29, 30]);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = config::load(Path::new("no/such/world.toml")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("error: cannot read the config `no/such/world.toml`: ")
    );
}

#[test]
fn no_text_makes_it_panic() {
    let cases = [
        "",
        "\u{feff}",
        "=",
        "[",
        "[[",
        "a.b.c.d = 1",
        "seed = 1e999",
        "'",
        "\"\"\"",
        "x\r\ny",
    ];
    for text in cases {
        let _ = parse(text).unwrap_err().to_string();
    }
    for at in 0..WORLD.len() {
        let (before, after) = WORLD.split_at(at);
        for inserted in ["\"", "[", "=", "\n", "9", "ß", "\0"] {
            let wanted = if at % 7 == inserted.len() {
                after
            } else {
                &after[1..]
            };
            if let Err(error) = parse(&format!("{before}{inserted}{wanted}")) {
                assert!(
                    error.to_string().starts_with("error: "),
                    "{inserted:?} at {at}"
                );
            }
        }
    }
    let deep = [
        "[".repeat(50_000),
        format!("x{} = 1", ".x".repeat(50_000)),
        format!("[x{}]", ".x".repeat(50_000)),
        format!("seed = {}", "{x=".repeat(50_000)),
    ];
    for text in deep {
        assert!(parse(&text).unwrap_err().to_string().starts_with("error: "));
    }
}

#[test]
fn what_is_left_out_has_its_default() {
    let text = "terrain.heights = ['a.tif']\n[[stratum]]\nname = 'all'\n[[species]]\nname = 'oak'\nspacing = 2\nstrata.all = 1";
    let config = parse(text).unwrap().config;
    assert_eq!(config.seed, 0);
    assert_eq!(config.terrain.pixel_size, None);
    assert_eq!(config.tiles.size, 512);
    assert_eq!(config.normals.gradient, Gradient::Horn);
    assert_eq!(config.normals.smoothing, 0.0);
    assert_eq!(
        (config.edges.threshold, config.edges.max_distance),
        (0.5, 64.0)
    );
    assert_eq!(config.output.directory, "out");
    assert_eq!(config.output.chunk, 256.0);
    assert_eq!(config.output.compression, Compression::Zstd);
    assert!(config.output.fields.is_empty());
    let stratum = &config.strata[0];
    assert_eq!((stratum.blend, stratum.mode), (0.0, MaskMode::Over));
    assert_eq!(
        stratum.slope_band(),
        Trapezoid {
            lo: None,
            hi: None,
            blend: 0.0
        }
    );
    let oak = &config.species[0];
    assert_eq!(
        (oak.threshold, oak.density, oak.footprint),
        (0.5, None, 0.0)
    );
    assert_eq!((oak.priority, oak.size, oak.align), (0, [1.0, 1.0], 0.0));
    assert_eq!((&oak.edge, oak.edge_size()), (&None, [1.0, 1.0]));
    assert!(oak.variants.is_empty() && oak.distance.is_empty());
}

#[test]
fn an_edge_has_its_defaults() {
    let text = WORLD.replace("curve = \"smooth\", density = 0.2", "size = [0.1, 0.2]");
    let config = parse(&text).unwrap().config;
    let edge = config.species[0].edge.as_ref().unwrap();
    assert_eq!(edge.curve, Curve::Word(CurveWord::Smooth));
    assert_eq!((edge.density, &edge.stratum), (1.0, &None));
    assert_eq!(config.species[0].edge_size(), [0.1, 0.2]);
}

#[test]
fn tilt_is_slope_from_the_other_side() {
    let config = parse(WORLD).unwrap().config;
    let by_slope = parse(&WORLD.replace("tilt = [0, 65]", "slope = [25, 90]"))
        .unwrap()
        .config;
    let expected = Trapezoid {
        lo: Some(25.0),
        hi: None,
        blend: 0.0,
    };
    assert_eq!(config.strata[1].slope_band(), expected);
    assert_eq!(by_slope.strata[1].slope_band(), expected);
    let flat = Trapezoid {
        lo: None,
        hi: Some(25.0),
        blend: 6.0,
    };
    assert_eq!(config.strata[0].slope_band(), flat);
}

#[test]
fn a_distance_beyond_the_greatest_is_open() {
    let config = parse(WORLD).unwrap().config;
    let road = config.species[0].distance[0].trapezoid(64.0);
    assert_eq!(
        road,
        Trapezoid {
            lo: Some(5.0),
            hi: None,
            blend: 2.0
        }
    );
}

#[test]
fn the_edge_is_that_of_the_largest_coefficient() {
    let species = |text: &str| {
        let config = parse(&WORLD.replace("{ meadow = 1.0, scree = 0.3 }", text))
            .unwrap()
            .config;
        config.species[0].edge_stratum(&config.strata)
    };
    assert_eq!(species("{ meadow = 1.0, scree = 0.3 }"), Some(0));
    assert_eq!(species("{ meadow = 0.3, road = 1.0 }"), Some(2));
    // A tie goes to the stratum listed first, not to the first name.
    let reordered = WORLD
        .replace("\"meadow\"", "\"zone\"")
        .replace("meadow = 1.0, scree = 0.3", "zone = 1, scree = 1");
    let config = parse(&reordered).unwrap().config;
    assert_eq!(config.species[0].edge_stratum(&config.strata), Some(0));
}

#[test]
fn a_pixel_size_is_metres_or_ground() {
    let with = |text: &str| {
        let text = WORLD.replace("heights =", &format!("pixel_size = {text}\nheights ="));
        parse(&text).unwrap().config.terrain.pixel_size
    };
    assert_eq!(with("[2, 3.5]"), Some(PixelSizeChoice::Metres([2.0, 3.5])));
    assert_eq!(
        with("\"ground\""),
        Some(PixelSizeChoice::Word(PixelSizeWord::Ground))
    );
}

#[test]
fn a_config_survives_being_written_and_read() {
    let config = parse(WORLD).unwrap().config;
    let text = toml::to_string(&config).unwrap();
    assert_eq!(parse(&text).unwrap().config, config);
}

#[test]
fn a_bake_can_point_at_any_key() {
    let loaded = parse(WORLD).unwrap();
    let place = |key: &str| {
        let error = loaded.error_at(key, "too dense", Some("at most 900".into()));
        let ConfigError::Invalid { mistakes } = error else {
            panic!("a mistake in the text");
        };
        mistakes[0]
            .place
            .as_ref()
            .map(|place| (place.line, place.column, place.width))
    };
    assert_eq!(place("terrain.heights"), Some((4, 11, 12)));
    assert_eq!(place("terrain.heights[0]"), Some((4, 12, 10)));
    assert_eq!(place("species[0].spacing"), Some((28, 11, 3)));
    // Not in the file: its table.
    assert_eq!(place("species[0].density"), Some((24, 1, 11)));
    assert_eq!(place("species[0].strata.scree"), Some((26, 34, 3)));
    assert_eq!(place("output.directory"), None);
}

#[test]
fn the_schema_is_fresh() {
    check_golden(&configs().join("world.schema.json"), &config::schema());
}

#[test]
fn the_reference_is_fresh_and_loads() {
    let text = config::reference();
    check_golden(&configs().join("reference.toml"), &text);
    assert!(text.starts_with("#:schema ./world.schema.json\n"));
    parse(&text).unwrap();
}

#[test]
fn the_reference_explains_every_key_and_knows_no_other() {
    let schema: serde_json::Value = serde_json::from_str(&config::schema()).unwrap();
    let text = config::reference();
    for key in keys(&schema) {
        let is_there = text.lines().any(|line| {
            let bare = line.trim_start_matches(['#', ' ', '-']);
            bare.starts_with(&format!("{key} = "))
                || bare.starts_with(&format!("{key}: "))
                || bare == format!("[{key}]")
                || bare == format!("[[{key}]]")
        });
        assert!(is_there, "the reference lacks `{key}`");
    }
    // Every key that is commented out, put back alone, is known and of the right type.
    let lines: Vec<&str> = text.lines().collect();
    let is_key = |line: &str| {
        line.strip_prefix("# ").is_some_and(|rest| {
            toml::from_str::<Config>(rest).is_err()
                && toml::from_str::<toml::Table>(rest).is_ok_and(|table| !table.is_empty())
        })
    };
    let mut n_keys = 0;
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| is_key(line)) {
        n_keys += 1;
        let mut edited = lines.clone();
        edited[i] = line.trim_start_matches("# ");
        if let Err(error) = parse(&edited.join("\n")) {
            let error = error.to_string();
            for complaint in ["unknown", "wrong type", "missing", "out of range"] {
                assert!(!error.contains(complaint), "{line}\n{error}");
            }
        }
    }
    assert!(n_keys > 25, "only {n_keys} keys are commented out");
}

fn keys(schema: &serde_json::Value) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(properties) = schema["properties"].as_object() {
        for (key, inner) in properties {
            found.push(key.clone());
            found.extend(keys(inner));
        }
    }
    if schema["items"].is_object() {
        found.extend(keys(&schema["items"]));
    }
    found
}

#[test]
fn every_config_that_ships_loads() {
    let mut n_configs = 0;
    for entry in std::fs::read_dir(configs()).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            config::load(&path).unwrap_or_else(|error| panic!("{error}"));
            n_configs += 1;
        }
    }
    assert!(n_configs >= 2);
}
