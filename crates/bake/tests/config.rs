//! The config: every mistake is shown at its place, and what the files in `configs/` say is true.
//!
//! `UPDATE_GOLDEN=1` rewrites the goldens, the schema and the reference.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use ecotone_bake::config::{
    self, Compression, Config, ConfigError, Curve, CurveWord, Gradient, Loaded, MaskMode,
    PixelSizeChoice, PixelSizeWord,
};
use ecotone_grid::{Profile, Trapezoid};

mod mistakes;

use mistakes::{MISTAKES, WORLD};

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
    assert_eq!(
        (config.priority(oak), oak.size, oak.align),
        (0, [1.0, 1.0], 0.0)
    );
    assert_eq!((&oak.edge, oak.edge_size()), (&None, [1.0, 1.0]));
    assert!(oak.variants.is_empty() && oak.conditions.distance.is_empty());
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
    let road = config.species[0].conditions.distance[0].profile(64.0);
    assert_eq!(
        road,
        Profile::Band(Trapezoid {
            lo: Some(5.0),
            hi: None,
            blend: 2.0
        })
    );
}

#[test]
fn the_edge_is_that_of_the_largest_coefficient() {
    let species = |text: &str| {
        let config = parse(&WORLD.replace("{ meadow = 1.0, scree = 0.3 }", text))
            .unwrap()
            .config;
        config.species[0].edge_stratum(config.bands())
    };
    assert_eq!(species("{ meadow = 1.0, scree = 0.3 }"), Some(0));
    assert_eq!(species("{ meadow = 0.3, road = 1.0 }"), Some(2));
    // A tie goes to the stratum listed first, not to the first name.
    let reordered = WORLD
        .replace("\"meadow\"", "\"zone\"")
        .replace("meadow = 1.0, scree = 0.3", "zone = 1, scree = 1");
    let config = parse(&reordered).unwrap().config;
    assert_eq!(config.species[0].edge_stratum(config.bands()), Some(0));
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

#[test]
fn every_example_of_the_docs_on_inputs_loads() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/inputs.md");
    let text = std::fs::read_to_string(docs).unwrap();
    let examples = text
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap());
    let mut n_examples = 0;
    for example in examples {
        // An example shows the one table it is about.
        let heights = match example.contains("[terrain]") {
            true => "",
            false => "terrain.heights = ['alps.tif']\n",
        };
        let ground = "\n[[stratum]]\nname = 'ground'\n";
        if let Err(error) = parse(&format!("{heights}{example}{ground}")) {
            panic!("{error}\n\n{example}");
        }
        n_examples += 1;
    }
    assert!(n_examples >= 7, "{n_examples}");
}
