//! One terrain in one file or in many makes one world, and edits over it are seen wherever heights are.

#![allow(clippy::unwrap_used)]

mod support;

use ecotone_bake::{Bake, Options, config};
use ecotone_grid::{Raster, Rect};
use ecotone_interchange::{Digests, Finished};
use support::writer::{Tiff, Value};
use support::{NODATA, Place, RULES, hills, is_void};

const SIZE: (usize, usize) = (121, 97);
const CORNER: (f64, f64) = (1000.0, 2000.0);

fn height(x: usize, y: usize) -> f64 {
    if is_void(x, y) { NODATA } else { hills(x, y) }
}

fn tiff(width: usize, height: usize) -> Tiff {
    Tiff::new(width, height, (3, 32)).tag(42113, Value::Text("-9999"))
}

/// The terrain in one file, `heights.tif`, and a mask; where `corner` is given, both say where they lie.
fn place(corner: Option<(f64, f64)>) -> Place {
    let place = Place::new();
    part(
        &place,
        "heights.tif",
        Rect::new(0, 0, SIZE.0 as i64, SIZE.1 as i64),
        corner,
    );
    place.write("mask.tif", &Tiff::new(SIZE.0, SIZE.1, (1, 8)), |x, y| {
        if (20..26).contains(&(x + y / 3)) {
            255.0
        } else {
            0.0
        }
    });
    place
}

/// A part of the terrain in a file of its own.
fn part(place: &Place, name: &str, rect: Rect, corner: Option<(f64, f64)>) {
    let mut file = tiff(rect.width(), rect.height());
    if let Some((x0, y0)) = corner {
        file = file.placed((1.0, 1.0), (x0 + rect.x0 as f64, y0 - rect.y0 as f64));
    }
    let (x0, y0) = (rect.x0 as usize, rect.y0 as usize);
    place.write(name, &file, |x, y| height(x0 + x, y0 + y));
}

fn text(terrain: &str) -> String {
    format!("seed = 5\n[terrain]\n{terrain}\n[tiles]\nsize = 40\n[output]\nchunk = 50\n{RULES}")
}

fn bake(place: &Place, terrain: &str) -> Digests {
    let out = format!("out{}", terrain.len());
    place.bake(&text(terrain), 2, &out).unwrap();
    place.digests(&out)
}

fn warnings(place: &Place, terrain: &str) -> Vec<String> {
    let loaded = config::parse(&text(terrain), &place.path("world.toml")).unwrap();
    let bake = Bake::open(&loaded, &Options::default()).unwrap();
    bake.warnings().to_vec()
}

#[test]
fn one_file_or_four_or_a_vrt_make_one_world() {
    let place = place(Some(CORNER));
    let whole = bake(&place, "heights = ['heights.tif']");
    std::fs::create_dir(place.path("four")).unwrap();
    let (w, h) = (SIZE.0 as i64, SIZE.1 as i64);
    let mut vrt = format!(
        "<VRTDataset rasterXSize=\"{w}\" rasterYSize=\"{h}\"><GeoTransform>1000, 1, 0, 2000, 0, -1</GeoTransform>\
         <VRTRasterBand dataType=\"Float32\" band=\"1\"><NoDataValue>-9999</NoDataValue>"
    );
    for (name, rect) in [
        ("four/a.tif", Rect::new(0, 0, 50, 33)),
        ("four/b.tif", Rect::new(50, 0, w, 33)),
        ("four/c.tif", Rect::new(0, 33, 50, h)),
        ("four/d.tif", Rect::new(50, 33, w, h)),
    ] {
        part(&place, name, rect, Some(CORNER));
        let (x, y, width, height) = (rect.x0, rect.y0, rect.width(), rect.height());
        vrt += &format!(
            "<ComplexSource><SourceFilename relativeToVRT=\"1\">{name}</SourceFilename><SourceBand>1</SourceBand>\
             <SrcRect xOff=\"0\" yOff=\"0\" xSize=\"{width}\" ySize=\"{height}\"/>\
             <DstRect xOff=\"{x}\" yOff=\"{y}\" xSize=\"{width}\" ySize=\"{height}\"/><NODATA>-9999</NODATA></ComplexSource>"
        );
    }
    vrt += "</VRTRasterBand></VRTDataset>";
    std::fs::write(place.path("map.vrt"), vrt).unwrap();
    for terrain in [
        "heights = ['four/a.tif', 'four/b.tif', 'four/c.tif', 'four/d.tif']",
        "heights = ['four/d.tif', 'four/b.tif', 'four/c.tif', 'four/a.tif'] # back",
        "heights = ['map.vrt']",
        "heights = ['four']",
        "heights = ['four/*.tif']",
        "heights = ['four/[ab].tif', 'four/[cd].tif']",
    ] {
        assert_eq!(bake(&place, terrain), whole, "{terrain}");
        assert_eq!(warnings(&place, terrain), [""; 0], "{terrain}");
    }
}

/// The terrain in 3 × 3 tiles of `side` pixels that share `overlap`, named by `name(x, y)`.
fn nine(place: &Place, overlap: i64, name: impl Fn(i64, i64) -> String) {
    let (w, h) = (
        (SIZE.0 as i64 - overlap) / 3 + overlap,
        (SIZE.1 as i64 - overlap) / 3 + overlap,
    );
    for y in 0..3 {
        for x in 0..3 {
            let (x0, y0) = (x * (w - overlap), y * (h - overlap));
            part(place, &name(x, y), Rect::new(x0, y0, x0 + w, y0 + h), None);
        }
    }
}

#[test]
fn nine_numbered_tiles_make_the_world_of_one_file() {
    // 121 × 97 is 3 · 40 + 1 by 3 · 32 + 1: with a shared border the tiles cover all of it.
    let place = place(None);
    let whole = bake(&place, "heights = ['heights.tif']\npixel_size = [1, 1]");
    let size = "pixel_size = [1, 1]";
    nine(&place, 1, |x, y| format!("alps_x{x}_y{y}.tif"));
    nine(&place, 1, |x, y| {
        format!("Alps_y{:03}_x{:02}.tif", 12 - y, 7 + x)
    });
    nine(&place, 1, |x, y| {
        format!("mid_{}_{:+}.tif", x - 1, 5_000_000_000 + y)
    });
    for terrain in [
        format!("heights = ['alps_x{{x}}_y{{y}}.tif']\noverlap = 1\n{size}"),
        format!("heights = ['alps_x{{x}}_y{{y}}.tif']\noverlap = 1\nrows = 'south'\n{size}"),
        format!("heights = ['Alps_y{{y}}_x{{x}}.tif']\noverlap = 1\nrows = 'north'\n{size}"),
        format!("heights = ['mid_{{x}}_{{y}}.tif']\noverlap = 1\n{size}"),
    ] {
        assert_eq!(bake(&place, &terrain), whole, "{terrain}");
        assert_eq!(warnings(&place, &terrain), [""; 0], "{terrain}");
    }
}

#[test]
fn tiles_that_do_not_meet_as_stated_are_noted() {
    let place = Place::new();
    let check = |terrain: &str, expected: &str| {
        let text =
            format!("[terrain]\npixel_size = [1, 1]\n{terrain}\n[[stratum]]\nname = 'ground'\n");
        let loaded = config::parse(&text, &place.path("world.toml")).unwrap();
        let bake = Bake::open(&loaded, &Options::default()).unwrap();
        let folder = place.path("").display().to_string();
        let found: Vec<_> = bake
            .warnings()
            .iter()
            .map(|w| w.replace(&folder, ""))
            .collect();
        assert_eq!(found, [expected; 1][..usize::from(!expected.is_empty())]);
    };
    nine(&place, 1, |x, y| format!("s_{x}_{y}.tif"));
    check(
        "heights = ['s_{x}_{y}.tif']",
        "s_0_0.tif and s_1_0.tif have the same heights where they meet; if each tile repeats the border of the next, \
         give `overlap = 1`",
    );
    check("heights = ['s_{x}_{y}.tif']\noverlap = 1", "");
    check(
        "heights = ['s_{x}_{y}.tif']\noverlap = 1\nrows = 'north'",
        "s_0_0.tif and s_0_1.tif differ along the border that they share by `overlap = 1`: is `overlap` 0, or do \
         `rows` grow the other way?",
    );
    nine(&place, 0, |x, y| format!("n_{x}_{y}.tif"));
    check("heights = ['n_{x}_{y}.tif']", "");
    check(
        "heights = ['n_{x}_{y}.tif']\noverlap = 1",
        "n_0_0.tif and n_1_0.tif differ along the border that they share by `overlap = 1`: is `overlap` 0?",
    );
    // A flat sea says nothing.
    for x in 0..3 {
        place.write(&format!("sea_{x}_0.tif"), &tiff(9, 9), |_, _| 0.0);
    }
    check("heights = ['sea_{x}_{y}.tif']", "");
}

#[test]
fn heights_that_make_no_map_are_refused_at_their_key() {
    let place = Place::new();
    let check = |terrain: &str, expected: &[&str]| {
        let text =
            format!("[terrain]\npixel_size = [1, 1]\n{terrain}\n[[stratum]]\nname = 'ground'\n");
        let loaded = config::parse(&text, &place.path("world.toml")).unwrap();
        let error = Bake::open(&loaded, &Options::default()).err().unwrap();
        let shown = error
            .to_string()
            .replace(&place.path("").display().to_string(), "");
        for part in expected {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
    };
    nine(&place, 0, |x, y| format!("alps_y{y}_x{x}.tif"));
    check(
        "heights = ['alps_*.tif']",
        &[
            "alps_y0_x0.tif does not say where it lies, so it cannot be laid beside alps_y0_x1.tif",
            "world.toml:3",
            "help: write `heights = [\"alps_y{y}_x{x}.tif\"]`",
        ],
    );
    check(
        "heights = ['alps_y{y}_x{x}.tif', 'b.tif']",
        &[
            "numbered tiles lie where their numbers say",
            "[[terrain.patch]]",
        ],
    );
    check("heights = ['alps_{x}.tif']", &["{x} once and {y} once"]);
    check(
        "heights = ['{y}/{x}.tif']",
        &["must stand in the name of the file"],
    );
    check("heights = ['a{x}{y}.tif']", &["their digits run together"]);
    check(
        "heights = ['alps_y{y}_z{x}.tif']",
        &["fits the pattern", "whole numbers"],
    );
    check("heights = ['none']", &["there is no file none"]);
    check(
        "heights = ['alps_y0_x0.tif']\nband = 3",
        &["alps_y0_x0.tif has no band 3: it has 1"],
    );
    part(&place, "alps_y1_x1.tif", Rect::new(0, 0, 7, 8), None);
    check(
        "heights = ['alps_y{y}_x{x}.tif']",
        &[
            "alps_y0_x0.tif is 40 × 32 pixels and alps_y1_x1.tif is 7 × 8; numbered tiles are all of one size",
        ],
    );
    std::fs::copy(place.path("alps_y0_x0.tif"), place.path("alps_y00_x0.tif")).unwrap();
    check(
        "heights = ['alps_y{y}_x{x}.tif']",
        &["alps_y00_x0.tif and alps_y0_x0.tif have the same numbers"],
    );
    std::fs::write(place.path("big_0_99999999999999999999.tif"), "").unwrap();
    check(
        "heights = ['big_{x}_{y}.tif']",
        &["the numbers of big_0_99999999999999999999.tif are too large"],
    );
    std::fs::copy(place.path("alps_y0_x0.tif"), place.path("ends_0_-9.tif")).unwrap();
    std::fs::copy(
        place.path("alps_y0_x0.tif"),
        place.path("ends_0_9223372036854775807.tif"),
    )
    .unwrap();
    check(
        "heights = ['ends_{x}_{y}.tif']",
        &["the map from ends_0_-9.tif to ends_0_9223372036854775807.tif would be"],
    );
    part(&place, "west.tif", Rect::new(0, 0, 9, 9), Some((0.0, 0.0)));
    part(&place, "east.tif", Rect::new(0, 0, 9, 9), Some((9.5, 0.0)));
    check(
        "heights = ['west.tif', 'east.tif']",
        &[
            "east.tif lies 9.50 pixels east and 0.00 south of west.tif's",
            "world.toml:3",
        ],
    );
    check(
        "heights = ['west.tif']\n[[terrain.patch]]\nfile = 'east.tif'",
        &["east.tif lies 9.50 pixels east", "world.toml:5"],
    );
    check(
        "heights = ['west.tif']\n[[terrain.patch]]\nfile = 'west.tif'\nalpha = 'east.tif'",
        &[
            "east.tif does not lie exactly on its patch west.tif, pixel for pixel\n",
            "world.toml:6",
            "help: lay it there with `gdalwarp -te 0 -9 9 0 -ts 9 9 IN.tif OUT.tif`",
        ],
    );
    check(
        "heights = ['west.tif']\n[[terrain.patch]]\nfile = 'gone.tif'",
        &["there is no file gone.tif", "world.toml:5"],
    );
}

#[test]
fn patches_make_the_world_of_the_edited_file_and_are_read_again() {
    let place = place(Some(CORNER));
    // A mound that reaches over the border, and a pit; quarters of a metre are exact in every step.
    let mound = |x: i64, y: i64| {
        if x * x + y * y < 400 {
            Some(60.25)
        } else {
            None
        }
    };
    let mut file = tiff(60, 50).placed((1.0, 1.0), (CORNER.0 - 30.0, CORNER.1 - 20.0));
    file.sample = (3, 64);
    place.write("mound.tif", &file, |x, y| {
        mound(x as i64 - 30, y as i64 - 20).unwrap_or(NODATA)
    });
    let pit = tiff(10, 12).placed((1.0, 1.0), (CORNER.0 + 70.0, CORNER.1 - 40.0));
    place.write("pit.tif", &pit, |x, y| -((x + y) as f64) / 2.0);
    let edited = |x: usize, y: usize| {
        let mut h = height(x, y);
        if let Some(p) = mound(x as i64, y as i64 - 40) {
            h = p;
        }
        if (70..80).contains(&x) && (40..52).contains(&y) && h != NODATA {
            h -= (x - 70 + y - 40) as f64 / 4.0;
        }
        h
    };
    let whole = tiff(SIZE.0, SIZE.1).placed((1.0, 1.0), CORNER);
    place.write("edited.tif", &whole, edited);
    let patched = "heights = ['heights.tif']\n[[terrain.patch]]\nfile = 'mound.tif'\n[[terrain.patch]]\n\
                   file = 'pit.tif'\nmode = 'add'\nalpha = 0.5";
    let expected = bake(&place, "heights = ['edited.tif']");
    assert_eq!(bake(&place, patched), expected);
    assert_ne!(bake(&place, "heights = ['heights.tif']"), expected);

    let world = Finished::open(&place.path(&format!("out{}", patched.len()))).unwrap();
    let mut found = Raster::default();
    world
        .heights(Rect::new(0, 0, SIZE.0 as i64, SIZE.1 as i64), &mut found)
        .unwrap();
    for y in 0..SIZE.1 {
        for x in 0..SIZE.0 {
            let (h, p) = (edited(x, y), found.band(0).at(x as i64, y as i64));
            assert!(h == p || (h == NODATA && p.is_nan()), "{x} {y}: {h} {p}");
        }
    }
}

#[test]
fn a_world_of_many_files_finds_its_heights_again() {
    let place = place(None);
    nine(&place, 1, |x, y| format!("alps_x{x}_y{y}.tif"));
    let terrain = "heights = ['alps_x{x}_y{y}.tif']\noverlap = 1\npixel_size = [1, 1]";
    bake(&place, terrain);
    let world = Finished::open(&place.path(&format!("out{}", terrain.len()))).unwrap();
    assert_eq!(world.manifest().heights.len(), 9);
    let rect = Rect::new(0, 0, SIZE.0 as i64, SIZE.1 as i64);
    let mut found = Raster::default();
    world.heights(rect, &mut found).unwrap();
    let is_right = |x: i64, y: i64| {
        let (h, p) = (height(x as usize, y as usize), found.band(0).at(x, y));
        h == p || (h == NODATA && p.is_nan())
    };
    assert!((0..rect.y1).all(|y| (0..rect.x1).all(|x| is_right(x, y))));
    std::fs::remove_file(place.path("alps_x1_y1.tif")).unwrap();
    let gone = Finished::open(&place.path(&format!("out{}", terrain.len()))).unwrap();
    let error = gone.heights(rect, &mut found).unwrap_err().to_string();
    assert!(error.contains("alps_x1_y1.tif is gone"), "{error}");
}

#[test]
fn numbered_tiles_without_overlap_meet_and_may_be_missing() {
    let place = Place::new();
    let mask = Tiff::new(120, 96, (1, 8));
    place.write("mask.tif", &mask, |x, _| if x > 110 { 255.0 } else { 0.0 });
    nine(&place, 0, |x, y| format!("t_{}_{}.tif", x + 4, y));
    part(&place, "heights.tif", Rect::new(0, 0, 120, 96), None);
    let size = "pixel_size = [1, 1]";
    let tiles = format!("heights = ['t_{{x}}_{{y}}.tif']\noverlap = 0\n{size}");
    let whole = bake(&place, &format!("heights = ['heights.tif']\n{size}"));
    assert_eq!(bake(&place, &tiles), whole);
    std::fs::remove_file(place.path("t_5_1.tif")).unwrap();
    assert_eq!(
        warnings(&place, &tiles),
        ["1 of 9 numbered tiles is not there; the ground under it is void"]
    );
    place.write("gap.tif", &tiff(120, 96), |x, y| {
        if (40..80).contains(&x) && (32..64).contains(&y) {
            NODATA
        } else {
            height(x, y)
        }
    });
    let gap = bake(&place, &format!("heights = ['gap.tif']\n{size}"));
    assert_eq!(bake(&place, &format!("{tiles} # with a gap")), gap);
    assert_ne!(gap, whole);
}

#[test]
fn tiles_have_one_range_of_heights() {
    // As users of other tools report: each tile was stretched to its own range, and neighbours no longer met.
    let place = Place::new();
    let (left, right) = (
        |x: usize| x as f64 * 100.0 / 32.0,
        |x: usize| 100.0 + x as f64 * 800.0 / 32.0,
    );
    // Whole numbers of 1/64 m, so that the range below is exact.
    let steps = |height: f64| height * 64.0;
    let tile = Tiff::new(33, 33, (1, 16));
    place.write("hills_x0_y0.tif", &tile, |x, _| steps(left(x)));
    place.write("hills_x1_y0.tif", &tile, |x, _| steps(right(x)));
    let whole = Tiff::new(65, 33, (3, 32));
    place.write("whole.tif", &whole, |x, _| {
        if x <= 32 { left(x) } else { right(x - 32) }
    });
    let slopes = |terrain: &str| {
        let text = format!(
            "[terrain]\npixel_size = [1, 1]\n{terrain}\n[output]\nfields = ['slope']\n[[stratum]]\nname = 'ground'\n"
        );
        place.bake(&text, 1, "out").unwrap();
        let world = Finished::open(&place.path("out")).unwrap();
        let mut slopes = Raster::default();
        let map = Rect::new(0, 0, 65, 33);
        assert!(world.field("slope", 0, map, &mut slopes).unwrap());
        slopes.into_pixels()
    };
    // 65535 is 1023.984375 m.
    let tiles = "heights = ['hills_x{x}_y{y}.tif']\noverlap = 1\nrange = [0, 1023.984375]";
    let slopes_of_tiles = slopes(tiles);
    assert_eq!(slopes_of_tiles, slopes("heights = ['whole.tif']"));
    // Rise over run is 100/32 and 800/32, and between them their mean.
    for (x, rise) in [(16, 100.0 / 32.0), (48, 800.0 / 32.0), (32, 450.0 / 32.0)] {
        let slope = f64::from(slopes_of_tiles[65 * 16 + x]);
        let right: f64 = f64::atan(rise).to_degrees();
        assert!((slope - right).abs() < 1e-4, "{x}: {slope} {right}");
    }
}

#[test]
fn a_glob_is_read_in_a_folder_with_brackets_in_its_name() {
    let place = Place::new();
    std::fs::create_dir(place.path("alps [old]")).unwrap();
    part(
        &place,
        "alps [old]/a.tif",
        Rect::new(0, 0, 9, 9),
        Some(CORNER),
    );
    let text = "terrain.heights = ['*.tif']\n[[stratum]]\nname = 'ground'\n";
    let loaded = config::parse(text, &place.path("alps [old]/world.toml")).unwrap();
    let bake = Bake::open(&loaded, &Options::default()).unwrap();
    assert_eq!(bake.plan().tiles.map(), Rect::new(0, 0, 9, 9));
}

#[cfg(unix)]
#[test]
fn a_link_to_a_tile_that_is_gone_is_refused_by_name() {
    let place = Place::new();
    std::fs::create_dir(place.path("tiles")).unwrap();
    part(&place, "tiles/a.tif", Rect::new(0, 0, 9, 9), Some(CORNER));
    std::os::unix::fs::symlink("gone.tif", place.path("tiles/b.tif")).unwrap();
    for entry in ["tiles/*.tif", "tiles"] {
        let text = format!("terrain.heights = ['{entry}']\n[[stratum]]\nname = 'ground'\n");
        let loaded = config::parse(&text, &place.path("world.toml")).unwrap();
        let error = Bake::open(&loaded, &Options::default()).err().unwrap();
        assert!(error.to_string().contains("tiles/b.tif: "), "{error}");
    }
}

#[test]
fn heights_in_two_units_are_noted_once() {
    let place = Place::new();
    for (name, x, unit) in [
        ("a.tif", 0.0, 9001),
        ("b.tif", 9.0, 9002),
        ("c.tif", 18.0, 9001),
        ("d.tif", 27.0, 9003),
        ("edit.tif", 0.0, 9002),
    ] {
        let keys = vec![
            1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 25832, 4099, 0, 1, unit,
        ];
        let file = tiff(9, 9)
            .placed((1.0, 1.0), (x, 0.0))
            .tag(34735, Value::Shorts(keys));
        place.write(name, &file, |_, _| 1.0);
    }
    let found = |terrain: &str| -> Vec<String> {
        let text = format!("[terrain]\n{terrain}\n[[stratum]]\nname = 'ground'\n");
        let loaded = config::parse(&text, &place.path("world.toml")).unwrap();
        let bake = Bake::open(&loaded, &Options::default()).unwrap();
        let of_units = bake.warnings().iter().filter(|said| said.contains("unit"));
        of_units.cloned().collect()
    };
    let patch = "\n[[terrain.patch]]\nfile = 'edit.tif'";
    assert_eq!(found("heights = ['a.tif', 'c.tif']"), [""; 0]);
    let of_three = found(&format!("heights = ['?.tif']{patch}"));
    assert_eq!(of_three.len(), 1, "{of_three:?}");
    assert!(of_three[0].contains("b.tif, and 2 more files, have heights in another unit"));
    // The scale is for the map alone.
    let of_patch = found(&format!("heights = ['?.tif']\nscale = 1{patch}"));
    assert_eq!(of_patch.len(), 1, "{of_patch:?}");
    assert!(of_patch[0].contains("edit.tif has heights in another unit"));
}
