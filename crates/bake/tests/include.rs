//! Files of species that a config includes, and species that extend another: one text, and every mistake in the file that
//! it is in.
#![allow(clippy::unwrap_used)]

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

#[test]
fn a_mistake_is_shown_in_the_file_that_it_is_in() {
    let place = Place::new();
    let error = place.error_with("ferns.toml", FERNS.replace("falloff = 5", "fallof = 5"));
    check_starts(
        &error,
        "error: unknown key `fallof` in `edge` of [[species]]\n --> ferns.toml:6:1\n  |\n6 | fallof = 5\n  | ^^^^^^ expected",
    );
    let error = place.error_with("species/oak.toml", OAK.replace("meadow", "medow"));
    check_starts(
        &error,
        "error: there is no stratum \"medow\"\n --> species/oak.toml:4:8\n  |\n4 | strata.medow = 1\n",
    );
    let error = place.error_with("world.toml", MAIN.replace("0.9", "-9"));
    check_starts(
        &error,
        "error: `meadow` in `strata` of [[species]] is out of range\n  --> world.toml:13:21\n",
    );
    let error = place.error_with("ferns.toml", FERNS.replace("name = \"fern\"\n", ""));
    check_starts(
        &error,
        "error: missing key `name` in [[species]]\n --> ferns.toml:1:1\n  |\n1 | [[species]]\n",
    );
}

#[test]
fn a_mistake_in_a_template_is_shown_once_where_it_was_written() {
    let place = Place::new();
    for (old, new, expected) in [
        (
            "spacing = 4.0",
            "spacing = \"far\"",
            "error: wrong type for `spacing` in [[species]]\n --> species/a_tree.toml:4:11\n",
        ),
        (
            "size =",
            "sise =",
            "error: unknown key `sise` in [[species]]\n --> species/a_tree.toml:5:1\n",
        ),
        (
            "[0.8, 1.3]",
            "[1.3, 0.8]",
            "error: `size` in [[species]] is the wrong way round\n --> species/a_tree.toml:5:8\n",
        ),
        (
            "name = \"tree\"",
            "nam = \"tree\"",
            "error: there is no species \"tree\" to extend\n",
        ),
    ] {
        let error = place.error_with("species/a_tree.toml", TREES.replace(old, new));
        check_starts(&error, expected);
        let n_expected = if old.starts_with("name") { 2 } else { 1 };
        assert_eq!(error.matches("error: ").count(), n_expected, "{error}");
    }
}

#[test]
fn a_template_needs_a_name_and_nothing_else() {
    let place = Place::new();
    place.write("ferns.toml", "[[species]]\ntemplate = true\nname = 'x'");
    place.loaded();
    let error = place.error_with("ferns.toml", "[[species]]\ntemplate = true");
    check_starts(
        &error,
        "error: missing key `name` in [[species]]\n --> ferns.toml:1:1\n",
    );
    let error = place.error_with("ferns.toml", "[[species]]\ntemplate = 1\nname = 'x'");
    check_starts(
        &error,
        "error: wrong type for `template` in [[species]]\n --> ferns.toml:2:12\n",
    );
}

#[test]
fn a_bake_can_point_into_an_included_file() {
    let loaded = Place::new().loaded();
    let place = |key: &str| {
        let ConfigError::Invalid { mistakes } = loaded.error_at(key, "too dense", None) else {
            panic!("a mistake in the text");
        };
        let place = mistakes[0].place.as_ref().unwrap();
        let file = mistakes[0].path.file_name().unwrap().to_owned();
        (file.into_string().unwrap(), place.line, place.column)
    };
    let at = |file: &str, line, column| (file.to_owned(), line, column);
    assert_eq!(place("terrain.heights[0]"), at("world.toml", 7, 12));
    assert_eq!(place("species[0].strata.meadow"), at("world.toml", 13, 21));
    // The templates are gone from the count, and what a species took over is where it was written.
    assert_eq!(place("species[0].spacing"), at("a_tree.toml", 4, 11));
    assert_eq!(place("species[1].spacing"), at("oak.toml", 5, 11));
    assert_eq!(place("species[1].edge.falloff"), at("a_tree.toml", 6, 20));
    assert_eq!(place("species[2].density"), at("ferns.toml", 1, 1));
}

#[test]
fn a_name_that_is_taken_is_named_with_its_file() {
    let place = Place::new();
    let error = place.error_with("ferns.toml", FERNS.replace("fern", "Oak"));
    check_starts(
        &error,
        "error: two [[species]] have the name \"Oak\"\n --> ferns.toml:2:8\n",
    );
    assert!(
        error.contains("it is taken on line 2 of species/oak.toml, and"),
        "{error}"
    );
    let error = place.error_with("ferns.toml", FERNS.replace("fern", "tree"));
    check_starts(
        &error,
        "error: two [[species]] have the name \"tree\"\n --> ferns.toml:2:8\n",
    );
}

#[test]
fn what_is_not_there_is_an_error_at_its_entry() {
    let place = Place::new();
    let error = place.error_of("[\"species/*.toml\", \"fern.toml\"]");
    let expected = "\
error: there is no file fern.toml
 --> world.toml:2:30
  |
2 | include = [\"species/*.toml\", \"fern.toml\"]
  |                              ^^^^^^^^^^^
  = help: did you mean `ferns.toml`?";
    assert_eq!(error, expected);
    let error = place.error_of("\"species/*.tml\"");
    check_starts(
        &error,
        "error: no file matches species/*.tml\n --> world.toml:2:11\n",
    );
    let error = place.error_of("\"species\"");
    check_starts(
        &error,
        "error: species is a folder, and a file is expected\n --> world.toml:2:11\n",
    );
    assert!(error.ends_with("write \"species/*.toml\" for all that are in it"));
    let error = place.error_of("\"species/[.toml\"");
    check_starts(&error, "error: `species/[.toml` is no pattern: ");
    for wrong in ["7", "[1]", "{}", "true"] {
        let error = place.error_of(wrong);
        check_starts(&error, "error: wrong type for `include");
    }
    check_starts(
        &place.error_of("[\"\"]"),
        "error: `include[0]` at the top level is empty\n --> world.toml:2:12\n",
    );
}

#[test]
fn an_included_file_holds_only_tables_of_what_grows() {
    let place = Place::new();
    for (text, expected) in [
        (
            "include = 'more.toml'",
            "error: `include` in an included file\n --> ferns.toml:1:1\n",
        ),
        (
            "# no\n[[stratum]]\nname = 'x'",
            "error: `stratum` in an included file\n --> ferns.toml:2:3\n",
        ),
        (
            "[terrain]\nheights = ['x']",
            "error: `terrain` in an included file\n --> ferns.toml:1:2\n",
        ),
        (
            "name = 'fern'",
            "error: `name` in an included file\n --> ferns.toml:1:1\n",
        ),
        (
            "[species]\nname = 'fern'",
            "error: `species` is not under a header of its own, and several files hold it\n --> ferns.toml:1:2\n",
        ),
        (
            "species = [{ name = 'fern' }]",
            "error: `species` is not under a header of its own, and several files hold it\n --> ferns.toml:1:1\n",
        ),
        (
            "[species.edge]\nfalloff = 1",
            "error: `species` is not under a header of its own, and several files hold it\n --> ferns.toml:1:2\n",
        ),
        (
            "[[species]]\nname = ",
            "error: there is no value\n --> ferns.toml:2:",
        ),
    ] {
        let error = place.error_with("ferns.toml", text);
        check_starts(&error, expected);
    }
    let error = place.error_with("ferns.toml", "[[specis]]");
    assert!(
        error.ends_with("= help: did you mean `[[species]]`?"),
        "{error}"
    );
    let error = place.error_with("ferns.toml", b"[[species]]\nname = '\xff'");
    check_starts(
        &error,
        "error: the config is not UTF-8\n --> ferns.toml:2:9\n",
    );
}

#[test]
fn a_list_in_brackets_does_not_go_on_in_an_included_file() {
    let place = Place::new();
    let (text, _) = MAIN.split_once("[[species]]").unwrap();
    let error = place.error_with("world.toml", format!("species = []\n{text}"));
    check_starts(
        &error,
        "error: `species` is not under a header of its own, and several files hold it\n --> world.toml:1:1\n",
    );
}

#[test]
fn mistakes_of_several_files_are_told_at_once() {
    let place = Place::new();
    place.write("ferns.toml", "[[species]\n");
    place.write("species/oak.toml", "x = 1");
    let error = place.error_of("[\"gone.toml\", \"ferns.toml\", \"species/*.toml\"]");
    assert_eq!(error.matches("error: ").count(), 3, "{error}");
}

#[test]
fn a_byte_order_mark_in_an_included_file_is_no_mistake() {
    let place = Place::new();
    place.write(
        "ferns.toml",
        format!("\u{feff}{}", FERNS.replace('\n', "\r\n")),
    );
    assert_eq!(names(&place.loaded()), ["beech", "oak", "fern"]);
}

#[test]
fn who_extends_what_is_not_there_is_told_so() {
    let place = Place::new();
    let check = |extend: &str, expected: &str| {
        let text = OAK.replace("extend = \"tree\"", extend);
        let error = place.error_with("species/oak.toml", text);
        check_starts(&error, expected);
        error
    };
    let error = check(
        "extend = \"tre\"",
        "error: there is no species \"tre\" to extend\n --> species/oak.toml:3:10\n",
    );
    assert!(error.ends_with("= help: did you mean `tree`?"), "{error}");
    check(
        "extend = \"oak\"",
        "error: the species \"oak\" extends itself\n --> species/oak.toml:3:10\n",
    );
    check(
        "extend = [\"tree\"]",
        "error: wrong type for `extend` in [[species]]\n --> species/oak.toml:3:10\n",
    );
}

#[test]
fn species_that_extend_each_other_are_told_once() {
    let place = Place::new();
    place.write(
        "ferns.toml",
        "[[species]]\nname = 'a'\nextend = 'b'\n[[species]]\nname = 'b'\nextend = 'c'\n\
         [[species]]\nname = 'c'\nextend = 'b'\n",
    );
    let expected = "\
error: species extend each other in a circle
 --> ferns.toml:6:10
  |
6 | extend = 'c'
  |          ^^^ it goes b → c → b
  = help: take `extend` from one of them, or let them all extend a template";
    assert_eq!(place.error(), expected);
}
