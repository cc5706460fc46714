//! An edited world is the world that its config would make if the edits were written into its inputs.

#![allow(clippy::unwrap_used)]

#[path = "edits/refused.rs"]
mod refused;
mod support;
#[path = "edits/weights.rs"]
mod weights;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ecotone_bake::edit::{Alpha, Brush, Change, Editing};
use ecotone_bake::{Bake, BakeError, EditLog, Options, Outcome, config};
use ecotone_grid::{GeoTransform, PixelSize, Raster};
use ecotone_interchange::Finished;
use ecotone_store::{Manifest, PatchWord, World};
use support::writer::{Tiff, Value};
use support::{NODATA, Place, config_text, hills, is_void, plain, plants};

fn brush(x: f64, y: f64, radius: f64, falloff: f64) -> Brush {
    Brush {
        x,
        y,
        radius,
        falloff,
    }
}

fn raise(brush: Brush, height: f64) -> Change {
    Change::Raise { brush, height }
}

fn paint(stratum: &str, brush: Brush, strength: f64) -> Change {
    Change::Paint {
        stratum: stratum.to_owned(),
        brush,
        strength,
    }
}

fn erase(stratum: &str, brush: Brush, strength: f64) -> Change {
    Change::Erase {
        stratum: stratum.to_owned(),
        brush,
        strength,
    }
}

fn patch_of(file: PathBuf, mode: PatchWord, alpha: Alpha) -> Change {
    Change::Patch { file, mode, alpha }
}

/// The share of a brush at a world point, by definition.
fn share(brush: &Brush, x: f64, y: f64) -> f64 {
    let off = ((x - brush.x).powi(2) + (y - brush.y).powi(2)).sqrt() / brush.radius;
    let t = (1.0 - off) / brush.falloff;
    match () {
        () if off > 1.0 => 0.0,
        () if off <= 1.0 - brush.falloff => 1.0,
        () => 3.0 * t * t - 2.0 * t * t * t,
    }
}

fn edit(world: &Path, changes: &[Change]) -> Result<Outcome, BakeError> {
    let mut editing = Editing::open(world)?;
    changes.iter().try_for_each(|change| editing.add(change))?;
    editing.bake(8 << 20, 2, &AtomicBool::new(false), &mut |_| {})
}

fn undo(world: &Path, n: usize) -> Result<Outcome, BakeError> {
    let mut editing = Editing::open(world)?;
    editing.undo(n)?;
    editing.bake(8 << 20, 2, &AtomicBool::new(false), &mut |_| {})
}

fn manifest(world: &Path) -> Manifest {
    World::open(world).unwrap().manifest().clone()
}

/// Every file that a world names, but for its config's own record and its log.
fn files(world: &Path) -> Vec<String> {
    let manifest = manifest(world);
    let files = manifest.artefacts().map(|artefact| artefact.file.clone());
    files.filter(|file| !file.starts_with("edits/")).collect()
}

/// A small world of hills with its config's text on disk, baked into `out`.
fn world() -> Place {
    let place = Place::with_hills(&plain(150, 131));
    std::fs::write(place.path("world.toml"), config_text(64, 60.0)).unwrap();
    place.bake(&config_text(64, 60.0), 2, "out").unwrap();
    place
}

/// The grid of [`plain`].
const GRID: GeoTransform = GeoTransform {
    x0: 1000.0,
    y0: 2000.0,
    pixel: PixelSize { x: 1.0, y: 1.0 },
};

/// World x and y of a pixel's centre.
fn centre(grid: &GeoTransform, x: usize, y: usize) -> (f64, f64) {
    let east = (x as f64 + 0.5) * grid.pixel.x;
    let south = (y as f64 + 0.5) * grid.pixel.y;
    (grid.x0 + east, grid.y0 - south)
}

/// Compares a world that is edited by brushes to one that is baked from heights and masks with the strokes in them.
#[track_caller]
fn check_brushes(tiff: &Tiff, wide: &Tiff, grid: &GeoTransform, flip: bool, changes: &[Change]) {
    let place = Place::with_hills(tiff);
    let text = config_text(64, 60.0);
    place.bake(&text, 2, "out").unwrap();
    edit(&place.path("out"), changes).unwrap();

    let (width, height) = (tiff.width, tiff.height);
    let row = |y: usize| if flip { height - 1 - y } else { y };
    let mut masks = String::new();
    for (k, change) in changes.iter().enumerate() {
        let (stratum, brush, strength, mode) = match change {
            Change::Paint {
                stratum,
                brush,
                strength,
            } => (stratum, brush, strength, "add"),
            Change::Erase {
                stratum,
                brush,
                strength,
            } => (stratum, brush, strength, "subtract"),
            _ => continue,
        };
        masks += &format!(
            "[[stratum]]\nname = 'stroke {k}'\nmask = 'stroke{k}.tif'\nmode = '{mode}'\ntarget = '{stratum}'\n"
        );
        let mask = Tiff::new(width, height, (3, 32));
        // A mask without a place lies on the map row by row from the north.
        place.write(&format!("stroke{k}.tif"), &mask, |x, y| {
            let (x, y) = centre(grid, x, y);
            strength * share(brush, x, y)
        });
    }
    place.write("heights.tif", wide, |x, y| {
        let (at_x, at_y) = centre(grid, x, row(y));
        let raised = changes.iter().fold(hills(x, y), |h, change| match change {
            Change::Raise { brush, height } => {
                h + f64::from((height * share(brush, at_x, at_y)) as f32)
            }
            _ => h,
        });
        if is_void(x, y) { NODATA } else { raised }
    });
    let text = text.replace(
        "[[species]]\nname = \"oak\"",
        &format!("{masks}[[species]]\nname = \"oak\""),
    );
    place.bake(&text, 2, "twin").unwrap();
    assert_eq!(place.digests("out"), place.digests("twin"));
}

/// 64-bit heights where `plain` has 32-bit ones: sums of both are exact there.
fn wide(width: usize, height: usize) -> Tiff {
    Tiff::new(width, height, (3, 64))
        .placed((1.0, 1.0), (1000.0, 2000.0))
        .tag(42113, Value::Text("-9999"))
}

#[test]
fn brushes_are_what_the_inputs_would_be_with_the_strokes_in_them() {
    let changes = [
        raise(brush(1070.3, 1940.1, 20.0, 0.5), 10.0),
        paint("meadow", brush(1063.0, 1936.0, 17.0, 1.0), 0.7),
        raise(brush(1075.0, 1930.0, 9.0, 1.0), -4.0),
        erase("road", brush(1060.0, 1955.0, 12.0, 0.3), 1.0),
        paint("road", brush(1100.0, 1900.0, 8.0, 0.0), 0.9),
    ];
    check_brushes(&plain(150, 131), &wide(150, 131), &GRID, false, &changes);
}

#[test]
fn a_stroke_over_the_border_or_a_void_is_cut_off_there() {
    // Voids stand at (1040, 1967) and (1090, 1920).
    let changes = [
        raise(brush(1000.0, 2000.0, 15.0, 0.5), 6.0),
        paint("rock", brush(1151.0, 1868.0, 9.0, 0.5), 1.0),
        raise(brush(1040.0, 1967.0, 9.0, 0.5), 3.0),
        paint("meadow", brush(1090.0, 1920.0, 13.0, 0.2), 0.5),
    ];
    check_brushes(&plain(150, 131), &wide(150, 131), &GRID, false, &changes);
}

#[test]
fn pixels_that_are_not_square_and_rows_that_go_north_far_from_the_origin_are_painted_where_they_lie()
 {
    let (x0, y0, pixel) = (7_000_000.0, 9_000_000.0, PixelSize { x: 1.0, y: 0.5 });
    let grid = GeoTransform { x0, y0, pixel };
    // The last row of the file is the northmost.
    let south = y0 - 131.0 * pixel.y;
    let matrix = [
        [pixel.x, 0.0, 0.0, x0],
        [0.0, pixel.y, 0.0, south],
        [0.0; 4],
        [0.0, 0.0, 0.0, 1.0],
    ];
    let placed = |tiff: Tiff| {
        tiff.tag(34264, Value::Doubles(matrix.concat()))
            .tag(42113, Value::Text("-9999"))
    };
    let (tiff, wide) = [(3, 32), (3, 64)]
        .map(|kind| placed(Tiff::new(150, 131, kind)))
        .into();
    let changes = [
        raise(brush(x0 + 70.2, y0 - 30.3, 14.0, 0.5), 5.0),
        paint("meadow", brush(x0 + 63.0, y0 - 34.0, 11.0, 1.0), 0.7),
    ];
    check_brushes(&tiff, &wide, &grid, true, &changes);
}

#[test]
fn plants_stand_on_raised_ground_and_those_whose_rule_no_longer_holds_are_gone() {
    let place = world();
    let before = plants(&place.path("out"));
    // Ferns grow up to 85 m, and no ground was below 0.
    let outcome = edit(
        &place.path("out"),
        &[raise(brush(1070.0, 1935.0, 20.0, 0.0), 100.0)],
    )
    .unwrap();
    let after = plants(&place.path("out"));
    let world = Finished::open(&place.path("out")).unwrap();
    let mut heights = Raster::default();
    world.heights(world.map(), &mut heights).unwrap();
    let ground = heights.band(0);
    for row in &after {
        let field = |k: usize| row.split(',').nth(k).unwrap().parse::<f64>().unwrap();
        let (u, v) = GRID.pixel_at(field(2), field(3));
        let (i, j) = (u.floor(), v.floor());
        let at = |di: i64, dj: i64| ground.at(i as i64 + di, j as i64 + dj);
        let north = at(0, 0) + (u - i) * (at(1, 0) - at(0, 0));
        let south = at(0, 1) + (u - i) * (at(1, 1) - at(0, 1));
        let right = north + (v - j) * (south - north);
        assert!(
            (field(4) - right).abs() <= 1e-3,
            "{row}: the ground is at {right}"
        );
    }
    let ferns_on_top = |rows: &[String]| {
        let is_on_top = |row: &&String| {
            let field = |k: usize| row.split(',').nth(k).unwrap().parse::<f64>().unwrap();
            let off = ((field(2) - 1070.0).powi(2) + (field(3) - 1935.0).powi(2)).sqrt();
            row.contains(",fern,") && off < 18.0
        };
        rows.iter().filter(is_on_top).count()
    };
    assert!(ferns_on_top(&before) > 0);
    assert_eq!(ferns_on_top(&after), 0);
    let changed = outcome.committed.changed.plants.unwrap();
    assert!(changed.gone > 0 && changed.changed > 0, "{changed:?}");
}

#[test]
fn an_undone_edit_leaves_the_world_as_it_was_file_for_file() {
    let place = world();
    let out = place.path("out");
    let (digests, named) = (place.digests("out"), files(&out));
    let first = raise(brush(1070.0, 1935.0, 20.0, 0.5), 10.0);
    edit(&out, std::slice::from_ref(&first)).unwrap();
    let (one, one_named) = (place.digests("out"), files(&out));
    assert_ne!(one, digests);
    edit(
        &out,
        &[paint("rock", brush(1020.0, 1900.0, 9.0, 0.5), 1.0), first],
    )
    .unwrap();
    assert_eq!(manifest(&out).edits.len(), 3);
    undo(&out, 2).unwrap();
    assert_eq!((place.digests("out"), files(&out)), (one, one_named));
    undo(&out, 1).unwrap();
    assert_eq!((place.digests("out"), files(&out)), (digests, named));
    assert_eq!(manifest(&out).edits, []);
    let error = undo(&out, 1).map(drop).unwrap_err().to_string();
    assert!(
        error.contains("take back 1 of the world's 0 edits"),
        "{error}"
    );
}

#[test]
fn an_edit_makes_what_it_reaches_and_an_undone_one_makes_nothing() {
    let place = world();
    let out = place.path("out");
    let made = |outcome: Outcome| {
        outcome
            .stages
            .iter()
            .map(|stage| stage.made)
            .collect::<Vec<_>>()
    };
    // Inside the first tile of nine, 4 m across: a meadow's edge moves within reach of that tile and its neighbours.
    let stroke = brush(1020.0, 1980.0, 4.0, 0.5);
    let strata = made(edit(&out, &[paint("road", stroke, 0.9)]).unwrap())[0];
    assert_eq!(strata, 1);
    assert_eq!(made(undo(&out, 1).unwrap()), [0, 0, 0]);
    // On a void an edit reaches nothing, but its tile is looked at again.
    let on_void = made(edit(&out, &[paint("road", brush(1090.5, 1919.5, 5.0, 0.5), 1.0)]).unwrap());
    assert_eq!(on_void, [1, 0, 0]);
}

#[test]
fn a_patch_is_what_the_config_would_make_of_it() {
    let place = world();
    let out = place.path("out");
    let before = place.digests("out");
    // Reaches over the border, and is void at its rim.
    let patch = Tiff::new(60, 50, (3, 32))
        .placed((1.0, 1.0), (980.0, 1950.0))
        .tag(42113, Value::Text("-9999"));
    place.write("patch.tif", &patch, |x, y| match x + y {
        0..20 => NODATA,
        sum => sum as f64 * 0.37,
    });
    let modes = [
        (PatchWord::Replace, "replace", 1.0),
        (PatchWord::Add, "add", 0.3),
        (PatchWord::Max, "max", 1.0),
        (PatchWord::Min, "min", 0.6),
    ];
    for (mode, word, alpha) in modes {
        let file = place.path("patch.tif");
        let share = Alpha::Everywhere(alpha);
        edit(&out, &[patch_of(file, mode, share)]).unwrap();
        let patched = format!(
            "{}\n[[terrain.patch]]\nfile = 'patch.tif'\nmode = '{word}'\nalpha = {alpha}\n",
            config_text(64, 60.0)
        );
        place.bake(&patched, 2, "twin").unwrap();
        assert_eq!(place.digests("out"), place.digests("twin"), "{word}");
        assert!(manifest(&out).patches.is_empty());
        undo(&out, 1).unwrap();
        assert_eq!(place.digests("out"), before, "{word}");
    }
}

#[test]
fn a_file_says_how_much_of_a_patch_takes_hold() {
    let place = world();
    let out = place.path("out");
    let patch = Tiff::new(60, 50, (3, 32)).placed((1.0, 1.0), (1040.0, 1950.0));
    place.write("patch.tif", &patch, |x, y| (x + y) as f64 * 0.5);
    // Shares that a 32-bit real holds; none in the west.
    let alpha = Tiff::new(60, 50, (3, 32));
    place.write("alpha.tif", &alpha, |x, _| (x / 8) as f64 / 8.0);
    let share = Alpha::File(place.path("alpha.tif"));
    let change = patch_of(place.path("patch.tif"), PatchWord::Max, share);
    edit(&out, &[change]).unwrap();
    assert_eq!(manifest(&out).edits[0].size, [52, 50]);
    let patched = format!(
        "{}\n[[terrain.patch]]\nfile = 'patch.tif'\nmode = 'max'\nalpha = 'alpha.tif'\n",
        config_text(64, 60.0)
    );
    place.bake(&patched, 2, "twin").unwrap();
    assert_eq!(place.digests("out"), place.digests("twin"));
    let heights = |out: &str| {
        let world = Finished::open(&place.path(out)).unwrap();
        let mut heights = Raster::default();
        world.heights(world.map(), &mut heights).unwrap();
        heights
            .pixels()
            .iter()
            .map(|h| h.to_bits())
            .collect::<Vec<_>>()
    };
    assert_eq!(heights("out"), heights("twin"));
}

#[test]
fn later_bakes_keep_the_edits_and_another_folder_makes_the_same_of_them() {
    let place = world();
    let out = place.path("out");
    let changes = [
        raise(brush(1070.0, 1935.0, 20.0, 0.5), 10.0),
        erase("meadow", brush(1050.0, 1935.0, 12.0, 0.5), 0.8),
    ];
    edit(&out, &changes).unwrap();
    let (edited, log) = (place.digests("out"), manifest(&out).edits);
    let again = place.bake(&config_text(64, 60.0), 1, "out").unwrap();
    assert!(!again.committed.is_new);
    // Another tiling is another config, under the same edits.
    place.bake(&config_text(37, 60.0), 2, "out").unwrap();
    assert_eq!(
        (place.digests("out"), manifest(&out).edits),
        (edited, log.clone())
    );

    let loaded = config::parse(&config_text(64, 60.0), &place.path("world.toml")).unwrap();
    let options = Options {
        out: Some(place.path("other")),
        edits: Some(EditLog {
            records: log,
            dir: out,
        }),
        ..Options::default()
    };
    let bake = Bake::open(&loaded, &options).unwrap();
    bake.run(2, &AtomicBool::new(false), &mut |_| {}).unwrap();
    assert_eq!(place.digests("other"), place.digests("out"));
}

#[test]
fn edits_stay_in_their_place_when_the_map_grows() {
    let place = Place::new();
    let rules =
        "[[stratum]]\nname = 'low'\naltitude = { band = [-100, 40] }\n[[stratum]]\nname = 'high'\n";
    let text = |files: &str| format!("[terrain]\nheights = [{files}]\n{rules}");
    let tile = |x0: f64| Tiff::new(40, 60, (3, 32)).placed((1.0, 1.0), (x0, 2000.0));
    place.write("east.tif", &tile(1040.0), |x, y| hills(x + 40, y));
    place.write("west.tif", &tile(1000.0), hills);
    place.bake(&text("'east.tif'"), 1, "out").unwrap();
    let changes = [
        raise(brush(1055.0, 1970.0, 10.0, 0.5), 30.0),
        paint("low", brush(1062.0, 1980.0, 9.0, 0.5), 1.0),
    ];
    edit(&place.path("out"), &changes).unwrap();
    let both = text("'west.tif', 'east.tif'");
    place.bake(&both, 1, "out").unwrap();
    place.bake(&both, 1, "twin").unwrap();
    edit(&place.path("twin"), &changes).unwrap();
    assert_eq!(place.digests("out"), place.digests("twin"));

    // On pixels of another size they have no place.
    let other = both.replace("[terrain]\n", "[terrain]\npixel_size = [2, 2]\n");
    let error = place.bake(&other, 1, "out").map(drop).unwrap_err();
    assert!(error.to_string().contains("--undo 2"), "{error}");
    assert_eq!(place.digests("out"), place.digests("twin"));
}

#[test]
fn a_world_that_lost_the_file_which_names_its_revision_keeps_its_edits() {
    let place = world();
    let out = place.path("out");
    edit(&out, &[raise(brush(1070.0, 1935.0, 20.0, 0.5), 10.0)]).unwrap();
    let (digests, log) = (place.digests("out"), manifest(&out).edits);
    std::fs::remove_file(out.join("current")).unwrap();
    place.bake(&config_text(64, 60.0), 1, "out").unwrap();
    assert_eq!((place.digests("out"), manifest(&out).edits), (digests, log));

    // Where no revision is left there is nothing to keep, and a bake begins anew.
    std::fs::remove_dir_all(out.join("rev")).unwrap();
    place.bake(&config_text(64, 60.0), 1, "out").unwrap();
    assert_eq!(manifest(&out).edits, []);
}
