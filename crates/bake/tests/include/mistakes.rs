//! Mistakes in included files are told with their places.

use super::*;

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
