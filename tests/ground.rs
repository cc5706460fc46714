//! Metres are metres on the ground, whatever a file's tags are in.

#![allow(clippy::unwrap_used)]

#[path = "ground/grid.rs"]
mod grid;
#[path = "ground/heights.rs"]
mod heights;
mod support;

use std::sync::atomic::AtomicBool;

use ecotone_bake::{Bake, Options, config};
use ecotone_grid::{Raster, Rect};
use ecotone_interchange::Finished;
use support::writer::{Tiff, Value};
use support::{Place, hills, is_void, plants};

/// A map that was baked: its folder, and what was said before.
struct Baked {
    place: Place,
    warnings: Vec<String>,
}

impl Baked {
    fn world(&self) -> Finished {
        Finished::open(&self.place.path("out")).unwrap()
    }

    /// World x0 and y0, and the size of a pixel.
    fn grid(&self) -> [f64; 4] {
        let grid = self.world().manifest().grid.clone();
        [grid.x0, grid.y0, grid.pixel[0], grid.pixel[1]]
    }

    /// x, y and z of every plant.
    fn positions(&self) -> Vec<[f64; 3]> {
        let rows = plants(&self.place.path("out"));
        let position = |row: &String| {
            let fields: Vec<&str> = row.split(',').collect();
            [2, 3, 4].map(|k| fields[k].parse().unwrap())
        };
        rows.iter().map(position).collect()
    }

    fn field(&self, name: &str, band: usize) -> Vec<f64> {
        let world = self.world();
        let mut out = Raster::default();
        world.field(name, band, world.map(), &mut out).unwrap();
        out.pixels().iter().map(|&v| f64::from(v)).collect()
    }

    #[track_caller]
    fn check_warning(&self, words: &[&str]) {
        let said = |warning: &&String| words.iter().all(|word| warning.contains(word));
        assert_eq!(
            self.warnings.iter().filter(said).count(),
            1,
            "{words:?} in {:#?}",
            self.warnings
        );
    }
}

/// One stratum and a species that grows all over it.
const GROUND: &str = "
output.fields = ['slope', 'normals']
[[stratum]]
name = 'ground'
[[species]]
name = 'reed'
strata.ground = 1
spacing = 2
";

/// Bakes a map with keys of `[terrain]`; an error as its words.
fn try_bake(
    tiff: &Tiff,
    terrain: &str,
    rules: &str,
    pixel: impl Fn(usize, usize) -> f64,
) -> Result<Baked, String> {
    let place = Place::new();
    place.write("heights.tif", tiff, pixel);
    let text = format!("terrain.heights = ['heights.tif']\n{terrain}\n{rules}");
    let loaded = config::parse(&text, &place.path("world.toml")).map_err(|e| e.to_string())?;
    let options = Options {
        out: Some(place.path("out")),
        memory_bytes: 8 << 20,
        ..Options::default()
    };
    let bake = Bake::open(&loaded, &options).map_err(|e| e.to_string())?;
    let warnings = bake.warnings().to_vec();
    bake.run(2, &AtomicBool::new(false), &mut |_| {})
        .map_err(|e| e.to_string())?;
    Ok(Baked { place, warnings })
}

#[track_caller]
fn bake(tiff: &Tiff, terrain: &str, pixel: impl Fn(usize, usize) -> f64) -> Baked {
    try_bake(tiff, terrain, GROUND, pixel).unwrap_or_else(|e| panic!("{e}"))
}

#[track_caller]
fn check_refused(tiff: &Tiff, terrain: &str, words: &[&str]) {
    let error = try_bake(tiff, terrain, GROUND, hills)
        .err()
        .expect("an error");
    for word in words {
        assert!(error.contains(word), "{word} in: {error}");
    }
}

/// A float32 file of 64² pixels, with GeoKeys stored in the directory.
fn tiff(size: (f64, f64), corner: (f64, f64), keys: &[(u16, u16)]) -> Tiff {
    let mut directory = vec![1, 1, 0, keys.len() as u16];
    for &(key, value) in keys {
        directory.extend([key, 0, 1, value]);
    }
    let tiff = Tiff::new(64, 64, (3, 32)).placed(size, corner);
    match keys {
        [] => tiff,
        _ => tiff.tag(34735, Value::Shorts(directory)),
    }
}

/// A metric map, with further keys.
fn metric(keys: &[(u16, u16)]) -> Tiff {
    let utm = [(1024, 1), (1025, 1), (3072, 32633)];
    tiff((1.0, 1.0), (500_000.0, 4_000_000.0), &[&utm, keys].concat())
}

const WGS_84: [(u16, u16); 3] = [(1024, 2), (1025, 1), (2048, 4326)];
const ARC_SECOND: f64 = 1.0 / 3600.0;

/// One arc second at 60° north, heights rising by 10 m a column.
fn degrees(keys: &[(u16, u16)]) -> Tiff {
    let keys = [&WGS_84, keys].concat();
    tiff((ARC_SECOND, ARC_SECOND), (10.0, 60.009), &keys)
}

#[track_caller]
fn check_slope(baked: &Baked, degrees: f64, tolerance: f64) {
    for slope in baked.field("slope", 0) {
        assert!((slope - degrees).abs() <= tolerance, "{slope}");
    }
}

#[test]
fn a_map_in_degrees_has_the_slopes_of_the_ground() {
    // 1/3600° at 60° N is 15.5 m: atan(10 / 15.5).
    let baked = bake(&degrees(&[]), "terrain.pixel_size = 'ground'", |x, _| {
        10.0 * x as f64
    });
    check_slope(&baked, 32.9, 0.2);
    let [x0, y0, x, y] = baked.grid();
    assert_eq!((x0, y0), (0.0, 0.0));
    // One arc second at 60.0001° on WGS 84, from the table of NGA: 15.50 m of longitude, 30.95 m of latitude.
    assert!(
        (x - 15.500).abs() < 0.001 && (y - 30.948).abs() < 0.001,
        "{x} × {y}"
    );
    let world = baked.world();
    let source = world.manifest().source.as_ref().unwrap();
    assert_eq!(source.epsg, Some(4326));
    assert_eq!(source.transform[..2], [10.0, ARC_SECOND]);
    assert!(baked.warnings.is_empty(), "{:?}", baked.warnings);
}

#[test]
fn a_map_in_degrees_is_refused_with_its_true_size() {
    check_refused(
        &degrees(&[]),
        "",
        &[
            "degrees",
            "15.499",
            "30.947",
            "pixel_size = \"ground\"",
            "[x, y]",
        ],
    );
    // 0.9 of a degree to the grad.
    let grads = tiff((0.001, 0.001), (10.0, 60.0), &[(1024, 2), (2048, 4807)]);
    check_refused(&grads, "", &["\"grad\"", "m"]);
    let packed = tiff((0.001, 0.001), (10.0, 60.0), &[(1024, 2), (2054, 9110)]);
    check_refused(&packed, "", &["EPSG:9110", "not known", "[x, y]"]);
    check_refused(
        &packed,
        "terrain.pixel_size = 'ground'",
        &["EPSG:9110", "no known size"],
    );
}

#[test]
fn a_map_beyond_the_pole_has_no_size() {
    let beyond = tiff((0.001, 0.001), (10.0, 300.0), &WGS_84);
    check_refused(&beyond, "", &["degrees", "no place on earth", "[x, y]"]);
    let ground = "terrain.pixel_size = 'ground'";
    check_refused(&beyond, ground, &["no place on earth", "[x, y]"]);
    bake(&beyond, "terrain.pixel_size = [1, 1]", hills).check_warning(&["0.001 × 0.001"]);
}

#[test]
fn a_size_far_from_the_true_one_is_said_with_both() {
    let rules = "terrain.pixel_size = [30, 30]";
    bake(&degrees(&[]), rules, hills).check_warning(&["30 × 30 m", "15.499", "30.947"]);
    let near = bake(&degrees(&[]), "terrain.pixel_size = [15.5, 31]", hills);
    assert!(near.warnings.is_empty(), "{:?}", near.warnings);
    // A tenth of a pixel off in a metric file is no rounding.
    let twice = bake(&metric(&[]), "terrain.pixel_size = [2, 2]", hills);
    twice.check_warning(&["is 2 × 2 m", "says 1 × 1 m"]);
    assert_eq!(twice.grid(), [0.0, 0.0, 2.0, 2.0]);
    let same = bake(&metric(&[]), "terrain.pixel_size = [1, 1]", hills);
    assert!(same.warnings.is_empty(), "{:?}", same.warnings);
}

#[test]
fn a_rotated_grid_that_is_taken_as_upright_is_said() {
    let matrix = [
        [2.0, 1.0, 0.0, 5e5],
        [1.0, -2.0, 0.0, 4e6],
        [0.0; 4],
        [0.0, 0.0, 0.0, 1.0],
    ];
    let rotated = Tiff::new(64, 64, (3, 32)).tag(34264, Value::Doubles(matrix.concat()));
    check_refused(&rotated, "", &["rotated", "gdalwarp"]);
    let taken = bake(&rotated, "terrain.pixel_size = [2, 2]", hills);
    taken.check_warning(&["rotated", "terrain.pixel_size is used"]);
}

#[test]
fn a_map_in_feet_is_refused_or_taken_by_its_true_size() {
    let island = |keys: &[(u16, u16)]| {
        let system = [(1024, 1), (1025, 1), (3072, 2263)];
        tiff(
            (10.0, 20.0),
            (980_000.0, 190_000.0),
            &[&system, keys].concat(),
        )
    };
    // 10 and 20 survey feet.
    let words = ["US survey foot", "3.048006 × 6.096012 m", "\"ground\""];
    check_refused(&island(&[]), "", &words);
    let ground = bake(&island(&[]), "terrain.pixel_size = 'ground'", hills);
    let foot = 1200.0 / 3937.0;
    let [x0, y0, x, y] = ground.grid();
    assert_eq!((x0, y0), (0.0, 0.0));
    assert!((x - 10.0 * foot).abs() < 1e-12 && (y - 20.0 * foot).abs() < 1e-12);
    ground.check_warning(&["does not say whether its heights are"]);
    let source = ground.world().manifest().source.clone().unwrap();
    assert_eq!(source.epsg, Some(2263));
    assert_eq!(source.transform[..2], [980_000.0, 10.0]);
    // A unit of its own comes before the system's.
    check_refused(&island(&[(3076, 9002)]), "", &["foot", "3.048 × 6.096 m"]);
    let metres = bake(&island(&[(3076, 9001)]), "", hills);
    assert_eq!(metres.grid(), [980_000.0, 190_000.0, 10.0, 20.0]);
}

#[test]
fn a_unit_of_its_own_has_the_size_it_says() {
    let size = |size: Option<f64>| {
        let mut directory = vec![1, 1, 0, 2, 1024, 0, 1, 1, 3076, 0, 1, 32767];
        let tiff = Tiff::new(64, 64, (3, 32)).placed((4.0, 4.0), (0.0, 0.0));
        match size {
            None => tiff.tag(34735, Value::Shorts(directory)),
            Some(size) => {
                directory[3] = 3;
                directory.extend([3077, 34736, 1, 0]);
                tiff.tag(34735, Value::Shorts(directory))
                    .tag(34736, Value::Doubles(vec![size]))
            }
        }
    };
    check_refused(&size(Some(0.25)), "", &["user-defined", "1 × 1 m"]);
    let ground = bake(&size(Some(0.25)), "terrain.pixel_size = 'ground'", hills);
    assert_eq!(ground.grid()[2..], [1.0, 1.0]);
    for size in [size(None), size(Some(-1.0)), size(Some(f64::NAN))] {
        check_refused(&size, "", &["user-defined", "not known", "[x, y]"]);
        check_refused(&size, "terrain.pixel_size = 'ground'", &["no known size"]);
        bake(&size, "terrain.pixel_size = [1, 1]", hills);
    }
}

#[test]
fn web_mercator_is_metres_near_the_equator_only() {
    let at = |y: f64| {
        tiff(
            (10.0, 10.0),
            (0.0, y),
            &[(1024, 1), (1025, 1), (3072, 3857)],
        )
    };
    let equator = bake(&at(320.0), "", hills);
    assert_eq!(equator.grid(), [0.0, 320.0, 10.0, 10.0]);
    // The ellipsoid's meridian is 1 − e² as curved as the sphere there.
    equator.check_warning(&["Web Mercator", "10 × 9.933056 m"]);
    // 60° north: half of it, by the ellipsoid's radii there, 6 394 209 m and 6 383 454 m, over the sphere's 6 378 137 m.
    check_refused(
        &at(8_399_737.89 + 320.0),
        "",
        &["Web Mercator", "5.0125", "5.0041", "\"ground\""],
    );
    let ground = bake(
        &at(8_399_737.89 + 320.0),
        "terrain.pixel_size = 'ground'",
        hills,
    );
    let [_, _, x, y] = ground.grid();
    assert!(
        (x - 5.012_6).abs() < 1e-4 && (y - 5.004_17).abs() < 1e-4,
        "{x} {y}"
    );
}

#[test]
fn a_size_that_cannot_be_known_is_refused() {
    let bare = Tiff::new(64, 64, (3, 32));
    check_refused(&bare, "", &["does not say how large", "[x, y]"]);
    let ground = "terrain.pixel_size = 'ground'";
    check_refused(&bare, ground, &["does not say where", "[x, y]"]);
    let nameless = tiff((1.0, 1.0), (0.0, 0.0), &[]);
    check_refused(&nameless, ground, &["names no coordinate system"]);
    let tilted = Tiff::new(64, 64, (3, 32)).tag(
        34264,
        Value::Doubles(vec![
            4.0, 3.0, 0.0, 500.0, 3.0, -4.0, 0.0, 1000.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ]),
    );
    check_refused(&tilted, "", &["rotated or sheared", "gdalwarp"]);
    bake(&tilted, "terrain.pixel_size = [5, 5]", hills);
}

#[test]
fn a_size_out_of_all_proportion_is_refused_or_said() {
    for size in ["[0, 1]", "[1, -1]", "[nan, 1]", "[1, inf]"] {
        let given = format!("terrain.pixel_size = {size}");
        check_refused(&metric(&[]), &given, &["pixel_size"]);
    }
    let wide = bake(
        &tiff((90.0, 101.0), (0.0, 0.0), &[]),
        "output.chunk = 8192.0",
        |_, _| f64::NAN,
    );
    wide.check_warning(&["90 × 101 m", "more than 100 m"]);
    let tiny = tiff((ARC_SECOND, ARC_SECOND), (10.0, 60.0), &[]);
    let rules = "edges.max_distance = 0.0\n[[stratum]]\nname = 'ground'";
    let tiny = try_bake(&tiny, "", rules, |_, _| f64::NAN).unwrap();
    tiny.check_warning(&["names no coordinate system", "degrees"]);
}
