//! Files of species that a config includes, and species that extend another: one text, and every mistake in the file that
//! it is in.
#![allow(clippy::unwrap_used)]

#[path = "include/mistakes.rs"]
mod mistakes;

use std::path::{Path, PathBuf};

use ecotone_bake::config::{self, ConfigError, Loaded};
use tempfile::TempDir;

const MAIN: &str = "\
seed = 7
include = [ # what grows
  \"species/*.toml\",
  \"ferns.toml\",
] # all of it
[terrain]
heights = [\"alps.tif\"]
[[stratum]]
name = \"meadow\"
[[species]]
name = \"beech\"
extend = \"tree\"
strata = { meadow = 0.9 }
";

const TREES: &str = "\
[[species]]
name = \"tree\"
template = true
spacing = 4.0
size = [0.8, 1.3]
edge = { falloff = 25, density = 0.2 }
";

const OAK: &str = "\
[[species]]
name = \"oak\"
extend = \"tree\"
strata.meadow = 1
spacing = 6
";

const FERNS: &str = "\
[[species]]
name = \"fern\"
strata = { meadow = 1.0 }
spacing = 0.5
[species.edge]
falloff = 5";

/// A config and what it includes, in a folder of its own.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("species")).unwrap();
        let place = Self { dir };
        for (name, text) in [
            ("world.toml", MAIN),
            ("species/a_tree.toml", TREES),
            ("species/oak.toml", OAK),
            ("ferns.toml", FERNS),
        ] {
            place.write(name, text);
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn load(&self) -> Result<Loaded, ConfigError> {
        config::load(&self.path("world.toml"))
    }

    #[track_caller]
    fn loaded(&self) -> Loaded {
        self.load().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The error of the config, with the folder's name left out.
    #[track_caller]
    fn error(&self) -> String {
        let error = self.load().unwrap_err().to_string();
        error.replace(&format!("{}/", self.dir.path().display()), "")
    }

    /// The error after one file is another.
    #[track_caller]
    fn error_with(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let old = std::fs::read(self.path(name)).unwrap();
        self.write(name, text);
        let error = self.error();
        self.write(name, old);
        error
    }

    /// The error of another `include`.
    #[track_caller]
    fn error_of(&self, include: &str) -> String {
        let (head, rest) = MAIN.split_once("include").unwrap();
        let (_, tail) = rest.split_once("] # all of it").unwrap();
        self.error_with("world.toml", format!("{head}include = {include}{tail}"))
    }
}

#[track_caller]
fn check_starts(error: &str, expected: &str) {
    assert!(
        error.starts_with(expected),
        "{error}\n-- and not --\n{expected}"
    );
}

fn names(loaded: &Loaded) -> Vec<&str> {
    let species = loaded.config.species.iter();
    species.map(|species| species.name.as_str()).collect()
}

#[test]
fn the_text_is_the_configs_own_with_the_included_ones_behind() {
    let loaded = Place::new().loaded();
    let blanked = MAIN
        .replace("include = [ # what grows", &" ".repeat(24))
        .replace("  \"species/*.toml\",", &" ".repeat(19))
        .replace("  \"ferns.toml\",", &" ".repeat(15))
        .replace("] # all", "  # all");
    let expected = format!(
        "{blanked}\n# included from species/a_tree.toml\n{TREES}\n# included from species/oak.toml\n{OAK}\
         \n# included from ferns.toml\n{FERNS}"
    );
    assert_eq!(loaded.text, expected);
    assert_eq!(names(&loaded), ["beech", "oak", "fern"]);
}

#[test]
fn the_text_says_the_same_where_the_files_are_not() {
    let loaded = Place::new().loaded();
    let alone = config::parse(&loaded.text, Path::new("/no/such/world.toml")).unwrap();
    assert_eq!(alone.config, loaded.config);
    assert_eq!(alone.text, loaded.text);
    assert_eq!((alone.included().len(), loaded.included().len()), (0, 3));
}

#[test]
fn a_config_without_includes_keeps_every_byte() {
    let text = "\u{feff}terrain.heights = ['a.tif'] # café\r\n[[stratum]]\r\nname = 'all'";
    let loaded = config::parse(text, Path::new("world.toml")).unwrap();
    assert_eq!(loaded.text, text);
    assert_eq!(loaded.config.include, None);
}

#[test]
fn a_species_has_what_it_extends_but_for_what_it_gives_itself() {
    let loaded = Place::new().loaded();
    let [beech, oak, _] = &loaded.config.species[..] else {
        panic!("three species");
    };
    assert_eq!((beech.spacing, oak.spacing), (4.0, 6.0));
    assert_eq!((beech.size, oak.size), ([0.8, 1.3], [0.8, 1.3]));
    assert_eq!(beech.edge, oak.edge);
    assert_eq!(oak.edge.as_ref().unwrap().falloff, Some(25.0));
    assert_eq!((beech.strata["meadow"], oak.strata["meadow"]), (0.9, 1.0));
}

#[test]
fn a_chain_of_species_may_be_written_in_any_order() {
    let place = Place::new();
    let chain = [
        "[[species]]\nname = 'd'\nextend = 'c'\nsize = [1, 2]\n",
        "[[species]]\nname = 'c'\nextend = 'b'\nthreshold = 0.3\n",
        "[[species]]\nname = 'b'\nextend = 'a'\ntemplate = true\nthreshold = 0.2\nsize = [3, 4]\n",
        "[[species]]\nname = 'a'\nspacing = 9\nstrata = { meadow = 1 }\nthreshold = 0.1\n",
    ];
    for turn in 0..4 {
        let mut turned = chain;
        turned.rotate_left(turn);
        place.write("ferns.toml", turned.concat());
        let loaded = place.loaded();
        let of = |name: &str| {
            let found = loaded.config.species.iter().find(|own| own.name == name);
            found.map(|own| (own.spacing, own.threshold, own.size))
        };
        assert_eq!(of("a"), Some((9.0, 0.1, [1.0, 1.0])));
        assert_eq!(of("b"), None, "a template does not grow");
        assert_eq!(of("c"), Some((9.0, 0.3, [3.0, 4.0])));
        assert_eq!(of("d"), Some((9.0, 0.3, [1.0, 2.0])));
    }
}

#[test]
fn a_file_is_included_once_and_the_config_itself_never() {
    let place = Place::new();
    let text = MAIN.replace(
        "\"ferns.toml\"",
        "\"*.toml\", \"ferns.toml\", \"species/../ferns.toml\", \"species/oak.toml\"",
    );
    place.write("world.toml", &text);
    let loaded = place.loaded();
    assert_eq!(names(&loaded), ["beech", "oak", "fern"]);
    let check = |name: &str| {
        let error = place.error_of(name);
        let message = "error: the config includes itself\n --> world.toml:2:11\n";
        check_starts(&error, message);
    };
    check("\"world.toml\"");
}

#[test]
fn an_include_may_be_one_name_or_none() {
    let place = Place::new();
    let (head, rest) = MAIN.split_once("include").unwrap();
    let (_, tail) = rest.split_once("] # all of it").unwrap();
    let tail = tail.replace("extend = \"tree\"", "spacing = 4");
    for (include, expected) in [
        ("'ferns.toml'", &["beech", "fern"][..]),
        ("[]", &["beech"]),
        ("'f?r*.toml'", &["beech", "fern"]),
    ] {
        for key in ["include", "\"include\"", "'incl\u{75}de'"] {
            place.write("world.toml", format!("{head}{key} = {include}{tail}"));
            assert_eq!(names(&place.loaded()), expected, "{key} = {include}");
        }
    }
}
