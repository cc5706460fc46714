//! Mistakes that only show when the files are opened: each is shown at its key, with the file, what was found and what
//! to do.
//!
//! `UPDATE_GOLDEN=1` rewrites the goldens.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ecotone_bake::{Bake, Options, config};
use support::writer::{Tiff, Value};
use support::{Place, hills};

/// A name, and the keys of `[terrain]`.
const HEIGHTS: &[(&str, &str)] = &[
    ("heights_missing", "heights = ['alsp.tif']"),
    (
        "heights_missing_of_two",
        "heights = [\n  'alps.tif',\n  'alsp.tif',\n]",
    ),
    ("glob_of_nothing", "heights = ['tiles/alps_*.tif']"),
    ("glob_broken", "heights = ['alps[.tif']"),
    ("folder_empty", "heights = ['empty']"),
    ("half_a_pixel_off", "heights = ['alps.tif', 'half.tif']"),
    (
        "pixels_of_two_sizes",
        "heights = ['alps.tif', 'coarse.tif']",
    ),
    ("two_systems", "heights = ['alps.tif', 'zone33.tif']"),
    ("one_of_two_unplaced", "heights = ['alps.tif', 'bare.tif']"),
    ("tiles_without_pattern", "heights = ['tile_*.tif']"),
    (
        "tiles_of_two_sizes",
        "heights = ['tile_{x}_{y}.tif']\npixel_size = [1, 1]",
    ),
    ("pattern_of_nothing", "heights = ['alps_x{x}_y{y}.tif']"),
    ("pattern_without_y", "heights = ['alps_{x}.tif']"),
    ("pattern_in_folder", "heights = ['{y}/alps_{x}.tif']"),
    ("pattern_runs_together", "heights = ['alps{x}{y}.tif']"),
    (
        "pattern_among_files",
        "heights = ['tile_{x}_{y}.tif', 'alps.tif']",
    ),
    ("tiles_with_one_number", "heights = ['twin_{x}_{y}.tif']"),
    (
        "tiles_of_one_pixel",
        "heights = ['dot_{x}_{y}.tif']\noverlap = 1",
    ),
    ("tiles_misnumbered", "heights = ['turned_{x}_{y}.tif']"),
    ("band_not_there", "heights = ['alps.tif']\nband = 3"),
    (
        "raw_no_square",
        "heights = ['long.r16']\npixel_size = [1, 1]",
    ),
    (
        "raw_of_another_size",
        "heights = ['long.r16']\npixel_size = [1, 1]\nraw = { width = 9, height = 8 }",
    ),
    ("size_unknown", "heights = ['bare.tif']"),
    ("size_in_degrees", "heights = ['degrees.tif']"),
    ("size_in_feet", "heights = ['feet.tif']"),
    ("size_in_no_known_unit", "heights = ['cubits.tif']"),
    (
        "ground_of_bare_file",
        "heights = ['bare.tif']\npixel_size = 'ground'",
    ),
    (
        "ground_of_no_system",
        "heights = ['unnamed.tif']\npixel_size = 'ground'",
    ),
    ("place_beyond_the_pole", "heights = ['pole.tif']"),
    ("rotated", "heights = ['rotated.tif']"),
    ("far_from_the_origin", "heights = ['distant.tif']"),
    (
        "tiles_too_many",
        "heights = ['plateau.tif']\n[tiles]\nsize = 1",
    ),
    (
        "chunks_too_many",
        "heights = ['alps.tif']\npixel_size = [1000, 1000]\n[output]\nchunk = 1\n\
         [[species]]\nname = 'reed'\nstrata.ground = 1\nspacing = 3",
    ),
    ("text_for_heights", "heights = ['notes.tif']"),
    ("document_for_heights", "heights = ['report.tif']"),
    ("no_bytes", "heights = ['nothing.tif']"),
    ("jpeg_in_tiff", "heights = ['photo.tif']"),
    ("cut_short", "heights = ['cut.tif']"),
    (
        "cut_short_of_two",
        "heights = [\n  'alps.tif',\n  'cut.tif',\n]",
    ),
    ("vrt_no_xml", "heights = ['notes.vrt']"),
    ("vrt_that_warps", "heights = ['warped.vrt']"),
    ("vrt_of_missing_file", "heights = ['gone.vrt']"),
    (
        "patch_missing",
        "heights = ['alps.tif']\n[[terrain.patch]]\nfile = 'crater.tif'",
    ),
    (
        "patch_off_the_grid",
        "heights = ['alps.tif']\n[[terrain.patch]]\nfile = 'half.tif'",
    ),
    (
        "patch_unplaced",
        "heights = ['alps.tif']\n[[terrain.patch]]\nfile = 'small.tif'",
    ),
    (
        "patch_damaged",
        "heights = ['alps.tif']\n[[terrain.patch]]\nfile = 'cut.tif'",
    ),
    (
        "patch_on_unplaced_map",
        "heights = ['bare.tif']\npixel_size = [1, 1]\n[[terrain.patch]]\nfile = 'alps.tif'",
    ),
    (
        "patch_alpha_of_another_size",
        "heights = ['alps.tif']\n[[terrain.patch]]\nfile = 'alps.tif'\nalpha = 'small.tif'",
    ),
    (
        "patch_alpha_missing",
        "heights = ['alps.tif']\n[[terrain.patch]]\nfile = 'alps.tif'\nalpha = 'share.tif'",
    ),
    (
        "patch_alpha_damaged",
        "heights = ['alps.tif']\n[[terrain.patch]]\nfile = 'alps.tif'\nalpha = 'cut.tif'",
    ),
];

/// A name, and the keys of a stratum.
const MASKS: &[(&str, &str)] = &[
    ("mask_missing", "mask = 'raod.tif'"),
    ("mask_is_a_folder", "mask = 'tiles'"),
    ("mask_on_another_continent", "mask = 'andes.tif'"),
    ("mask_beside_the_map", "mask = 'beside.tif'"),
    ("mask_in_another_system", "mask = 'zone33.tif'"),
    ("mask_of_another_shape", "mask = 'wide.tif'"),
    ("mask_rotated", "mask = 'rotated.tif'"),
    ("mask_of_long_integers", "mask = 'long.tif'"),
    ("mask_band_not_there", "mask = 'alps.tif'\nmask_band = 2"),
    ("mask_damaged", "mask = 'cut.tif'"),
    ("mask_is_text", "mask = 'notes.tif'"),
    ("shapes_missing", "mask = 'raods.geojson'\nwidth = 6"),
    ("shapes_no_width", "mask = 'line.geojson'"),
    ("shapes_no_radius", "mask = 'point.geojson'"),
    (
        "shapes_in_another_system",
        "mask = 'zone33.geojson'\nwidth = 6",
    ),
    ("shapes_in_degrees", "mask = 'degrees.geojson'\nwidth = 6"),
    ("shapes_off_the_map", "mask = 'off.geojson'\nwidth = 6"),
    ("shapes_ring_too_short", "mask = 'ring.geojson'"),
    ("shapes_broken_text", "mask = 'broken.geojson'\nwidth = 6"),
    ("shapes_of_other_json", "mask = 'other.geojson'\nwidth = 6"),
];

/// A name, and what follows the terrain.
const RULES: &[(&str, &str)] = &[
    (
        "denser_than_the_spacing",
        "[[species]]\nname = 'spruce'\nstrata.ground = 1\nspacing = 3\ndensity = 4000",
    ),
    ("distance_of_many_pixels", "[edges]\nmax_distance = 90_000"),
    ("smoothing_of_many_pixels", "[normals]\nsmoothing = 10_000"),
    (
        "tiles_too_large",
        "[tiles]\nsize = 32_768\n[edges]\nmax_distance = 30_000",
    ),
    (
        "noise_of_no_band",
        "[[stratum]]\nname = 'wood'\nnoise = { wavelength = 80, amplitude = 4 }",
    ),
    (
        "aspect_empty",
        "[[stratum]]\nname = 'shade'\naspect = { band = [90, 90] }",
    ),
];

/// GeoKeys that are stored in the directory.
fn keys(keys: &[(u16, u16)]) -> Value {
    let mut directory = vec![1, 1, 0, keys.len() as u16];
    for &(key, value) in keys {
        directory.extend([key, 0, 1, value]);
    }
    Value::Shorts(directory)
}

/// A projected system in metres.
fn projected(epsg: u16) -> Value {
    keys(&[(1024, 1), (3072, epsg)])
}

/// WGS 84 in degrees.
fn geographic() -> Value {
    keys(&[(1024, 2), (2048, 4326), (2054, 9102)])
}

fn float(width: usize, height: usize) -> Tiff {
    Tiff::new(width, height, (3, 32))
}

/// 40 × 30 pixels of 2 m in zone 32.
fn alps() -> Tiff {
    at(600_000.0, 5_200_000.0)
}

fn at(west: f64, north: f64) -> Tiff {
    float(40, 30)
        .placed((2.0, 2.0), (west, north))
        .tag(34735, projected(32632))
}

fn write_heights(place: &Place) {
    let write = |name: &str, tiff: Tiff| place.write(name, &tiff, hills);
    write("alps.tif", alps());
    write("half.tif", at(600_081.0, 5_200_000.0));
    let coarse = float(9, 9).placed((2.5, 2.5), (600_080.0, 5_200_000.0));
    write("coarse.tif", coarse.tag(34735, projected(32632)));
    let other = float(40, 30).placed((2.0, 2.0), (600_000.0, 5_200_000.0));
    write("zone33.tif", other.tag(34735, projected(32633)));
    write("bare.tif", float(40, 30));
    write("small.tif", float(20, 20));
    write("tile_0_0.tif", float(9, 9));
    write("tile_0_1.tif", float(9, 9));
    write("tile_1_0.tif", float(8, 9));
    let plateau = Tiff::new(2100, 2100, (1, 8)).placed((1.0, 1.0), (0.0, 0.0));
    place.write("plateau.tif", &plateau, |_, _| 200.0);
    write("twin_0_0.tif", float(9, 9));
    write("twin_00_0.tif", float(9, 9));
    write("dot_0_0.tif", float(1, 1));
    write(
        "turned_0_0.tif",
        float(9, 9).placed((1.0, 1.0), (0.0, 18.0)),
    );
    write(
        "turned_0_1.tif",
        float(9, 9).placed((1.0, 1.0), (0.0, 27.0)),
    );
    let size = 1.0 / 3600.0;
    let degrees = |north| float(40, 30).placed((size, size), (7.0, north));
    write("degrees.tif", degrees(46.0).tag(34735, geographic()));
    write("pole.tif", degrees(146.0).tag(34735, geographic()));
    let feet = float(40, 30).placed((6.0, 6.0), (600_000.0, 5_200_000.0));
    write(
        "feet.tif",
        feet.tag(34735, keys(&[(1024, 1), (3072, 2229), (3076, 9003)])),
    );
    let cubits = float(40, 30).placed((6.0, 6.0), (0.0, 0.0));
    write(
        "cubits.tif",
        cubits.tag(34735, keys(&[(1024, 1), (3072, 32767), (3076, 32767)])),
    );
    write("unnamed.tif", float(40, 30).placed((2.0, 2.0), (0.0, 0.0)));
    write("distant.tif", float(40, 30).placed((2.0, 2.0), (2e9, 0.0)));
    let turned = vec![
        1.4,
        1.4,
        0.0,
        600_000.0,
        1.4,
        -1.4,
        0.0,
        5_200_000.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        1.0,
    ];
    let rotated = float(40, 30).tag(34264, Value::Doubles(turned));
    write("rotated.tif", rotated.tag(34735, projected(32632)));
}

fn write_masks(place: &Place) {
    let write = |name: &str, tiff: Tiff| place.write(name, &tiff, |x, _| (x % 3) as f64);
    let byte = |width, height| Tiff::new(width, height, (1, 8));
    let placed = |west: f64, north: f64| {
        let tiff = byte(40, 30).placed((2.0, 2.0), (west, north));
        tiff.tag(34735, projected(32632))
    };
    write("andes.tif", placed(-9_000_000.0, -3_700_000.0));
    write("beside.tif", placed(599_900.0, 5_200_000.0));
    write("wide.tif", byte(40, 20));
    write("long.tif", Tiff::new(40, 30, (1, 32)));
}

/// Files that hold no image, or not all of one.
fn write_others(place: &Place) {
    let write = |name: &str, bytes: &[u8]| std::fs::write(place.path(name), bytes).unwrap();
    write("notes.tif", b"The heights are on the other disk.\n");
    write("notes.vrt", b"The heights are on the other disk.\n");
    write("report.tif", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on");
    write("nothing.tif", b"");
    write("long.r16", &[0; 2 * 9 * 7]);
    let mut photo = alps();
    photo.compression = 7;
    place.write("photo.tif", &photo, hills);
    let whole = alps().bytes(|_, x, y| hills(x, y));
    write("cut.tif", &whole[..whole.len() / 2]);
    let vrt = |attribute: &str, band: &str| {
        format!(
            "<VRTDataset rasterXSize=\"40\" rasterYSize=\"30\"{attribute}>\n\
             <VRTRasterBand dataType=\"Float32\" band=\"1\">\n{band}\n</VRTRasterBand>\n</VRTDataset>\n"
        )
    };
    let warped = vrt(" subClass=\"VRTWarpedDataset\"", "");
    write("warped.vrt", warped.as_bytes());
    let gone = "<SimpleSource><SourceFilename relativeToVRT=\"1\">gone.tif</SourceFilename></SimpleSource>";
    write("gone.vrt", vrt("", gone).as_bytes());
    std::fs::create_dir(place.path("empty")).unwrap();
    std::fs::create_dir(place.path("tiles")).unwrap();
}

fn write_shapes(place: &Place) {
    let write = |name: &str, text: &str| std::fs::write(place.path(name), text).unwrap();
    let line = |more: &str, a: [f64; 2], b: [f64; 2]| {
        format!(r#"{{{more}"type": "LineString", "coordinates": [{a:?}, {b:?}]}}"#)
    };
    let (west, east) = ([600_000.0, 5_199_990.0], [600_050.0, 5_199_990.0]);
    let crs = r#""crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}, "#;
    write("line.geojson", &line("", west, east));
    write("zone33.geojson", &line(crs, west, east));
    write("degrees.geojson", &line("", [10.31, 46.94], [10.32, 46.94]));
    write(
        "off.geojson",
        &line("", [612_000.0, 5_199_990.0], [612_050.0, 5_199_990.0]),
    );
    write(
        "point.geojson",
        r#"{"type": "Point", "coordinates": [600010, 5199990]}"#,
    );
    write(
        "ring.geojson",
        r#"{"type": "Polygon", "coordinates": [[[600000, 5199990], [600050, 5199990], [600000, 5199990]]]}"#,
    );
    write(
        "broken.geojson",
        "{\"type\": \"LineString\",\n \"coordinates\": [[600000, 5199990], [600050 5199990]]}",
    );
    write("other.geojson", r#"{"roads": [1, 2, 3]}"#);
}

/// A folder with every file that a mistake needs.
fn maps() -> Place {
    let place = Place::new();
    write_heights(&place);
    write_masks(&place);
    write_others(&place);
    write_shapes(&place);
    place
}

fn golden(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/inputs");
    folder.join(format!("{name}.txt"))
}

/// What is said of a config over the files; the folder they are in is called `maps`.
fn said(place: &Place, name: &str, text: &str) -> String {
    let file = place.path("world.toml");
    std::fs::write(&file, text.replace('\'', "\"")).unwrap();
    let loaded = config::load(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
    let error = Bake::open(&loaded, &Options::default()).err().expect(name);
    assert!(error.is_refusal(), "{name}: {error}");
    let folder = file.parent().unwrap().display().to_string();
    format!("{error}\n").replace(&folder, "maps")
}

#[track_caller]
fn check(place: &Place, name: &str, text: &str) {
    let said = said(place, name, text);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden(name), &said).unwrap();
    }
    let golden = std::fs::read_to_string(golden(name)).unwrap_or_default();
    assert_eq!(said, golden, "{name} is stale: UPDATE_GOLDEN=1");
    for part in ["error: ", "> maps/world.toml:", "^", "= help: "] {
        assert!(said.contains(part), "{name} has no `{part}`:\n{said}");
    }
}

#[test]
fn every_mistake_in_the_heights_is_shown_at_its_key_with_a_remedy() {
    let place = maps();
    for (name, terrain) in HEIGHTS {
        check(
            &place,
            name,
            &format!("[terrain]\n{terrain}\n[[stratum]]\nname = 'ground'\n"),
        );
    }
}

#[test]
fn every_mistake_in_a_mask_is_shown_at_its_key_with_a_remedy() {
    let place = maps();
    for (name, keys) in MASKS {
        let text = format!(
            "terrain.heights = ['alps.tif']\n[[stratum]]\nname = 'ground'\n[[stratum]]\nname = 'road'\n{keys}\n"
        );
        check(&place, name, &text);
    }
}

#[test]
fn every_rule_that_the_map_cannot_bear_is_shown_at_its_key_with_a_remedy() {
    let place = maps();
    for (name, rules) in RULES {
        let text =
            format!("terrain.heights = ['alps.tif']\n[[stratum]]\nname = 'ground'\n{rules}\n");
        check(&place, name, &text);
    }
}

#[test]
fn no_golden_is_left_over() {
    let names = |tables: &[&[(&str, &str)]]| -> BTreeSet<PathBuf> {
        let entries = tables.iter().copied().flatten();
        entries.map(|(name, _)| golden(name)).collect()
    };
    let folder = golden("any").parent().unwrap().to_owned();
    let files = std::fs::read_dir(folder).unwrap();
    let found: BTreeSet<_> = files.map(|file| file.unwrap().path()).collect();
    assert_eq!(found, names(&[HEIGHTS, MASKS, RULES]));
}
