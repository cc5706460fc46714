//! Strata by every kind of band, and masks on grids of their own: the same weights from any tiles, and the right ones.

#![allow(clippy::unwrap_used)]

mod support;

use std::sync::atomic::AtomicBool;

use ecotone_bake::{Bake, Options, config};
use ecotone_grid::{Raster, Rect};
use ecotone_interchange::Finished;
use support::writer::{Tiff, Value};
use support::{NODATA, Place, hills, is_void, plain};

const SIZE: (usize, usize) = (150, 131);

/// Bands of every kind, masks of every kind, and a plant that stands on them.
const EVERYTHING: &str = r#"
[normals]
smoothing = 3.0
[edges]
max_distance = 12.0
[[stratum]]
name = "sunny"
slope = [0, 25]
blend = 8
aspect = { band = [120, 240], blend = 40 }
noise = { wavelength = 17, amplitude = 6 }
[[stratum]]
name = "north"
aspect = { band = [300, 60], blend = 0 }
altitude = { band = [-100, 40], blend = 10 }
noise = { wavelength = 31, amplitude = 9, shifts = "altitude", seed = 4 }
[[stratum]]
name = "ridge"
curvature = { band = [0.01, 10], blend = 0.02 }
[[stratum]]
name = "gully"
curvature = { band = [-10, -0.004], blend = 0.004, kind = "plan" }
fallback = true
[[stratum]]
name = "brow"
curvature = { band = [0.002, 10], blend = 0.01, kind = "profile" }
[[stratum]]
name = "road"
mask = "mask.tif"
[[stratum]]
name = "lake"
mask = "coarse.tif"
mask_band = 2
range = [20, 180]
[[stratum]]
name = "more lake"
mask = "fine.tif"
invert = true
mode = "add"
target = "lake"
[[stratum]]
name = "less sun"
mask = "stretched.tif"
mode = "subtract"
target = "sunny"
[[species]]
name = "fir"
strata = { sunny = 1.0, north = 0.6, ridge = 0.4 }
threshold = 0.2
spacing = 3.0
align = 0.5
"#;

fn place() -> Place {
    let place = Place::with_hills(&plain(SIZE.0, SIZE.1));
    let noise = |x: usize, y: usize| (ecotone_grid::mix((x * 1000 + y) as u64) % 256) as f64;
    // Sticks out to the west and north; ends within the map.
    let mut coarse = Tiff::new(23, 17, (1, 8)).placed((7.3, 6.1), (981.0, 2031.5));
    coarse.n_bands = 2;
    place.write(
        "coarse.tif",
        &coarse.tag(42113, Value::Text("7")),
        |x, y| noise(x / 3, y / 3),
    );
    let fine = Tiff::new(190, 140, (1, 16)).placed((0.31, 0.29), (1060.0, 1960.0));
    place.write("fine.tif", &fine, |x, y| 257.0 * noise(x / 9, y / 9));
    place.write("stretched.tif", &Tiff::new(75, 66, (3, 32)), |x, y| {
        (noise(x / 5, y / 5) / 128.0 - 0.5).clamp(0.0, 1.0)
    });
    place
}

fn text(tile: u32) -> String {
    format!(
        "seed = 5\nterrain.heights = ['heights.tif']\ntiles.size = {tile}\noutput.fields = ['slope', 'normals']\noutput.chunk = 64\n{EVERYTHING}"
    )
}

/// A field of a world, bit by bit.
fn field(place: &Place, out: &str, name: &str, band: usize) -> Vec<u32> {
    let world = Finished::open(&place.path(out)).unwrap();
    let map = Rect::new(0, 0, SIZE.0 as i64, SIZE.1 as i64);
    let mut raster = Raster::default();
    assert!(world.field(name, band, map, &mut raster).unwrap());
    raster.pixels().iter().map(|v| v.to_bits()).collect()
}

#[test]
fn every_kind_of_band_and_mask_is_equal_from_any_tiles() {
    let place = place();
    place.bake(&text(4096), 1, "whole").unwrap();
    let whole = place.digests("whole");
    for (tile, threads) in [(17, 2), (64, 3)] {
        let out = format!("tiles{tile}");
        place.bake(&text(tile), threads, &out).unwrap();
        assert_eq!(place.digests(&out), whole, "tiles of {tile}");
        for (name, band) in [("slope", 0), ("normals", 1)] {
            let same = field(&place, &out, name, band) == field(&place, "whole", name, band);
            assert!(same, "{name} of tiles of {tile}");
        }
    }
    // Each stratum has some ground, or the test says little; a correction has no band.
    let weights = weights(&place, "whole");
    assert_eq!(weights.n_bands(), 7);
    for band in 0..7 {
        let sum: u64 = weights
            .band(band)
            .pixels()
            .iter()
            .map(|&w| u64::from(w))
            .sum();
        assert!(sum > 10_000, "band {band}: {sum}");
    }
    for (i, (x, y)) in (0..SIZE.1)
        .flat_map(|y| (0..SIZE.0).map(move |x| (x, y)))
        .enumerate()
    {
        let sum: u32 = (0..7)
            .map(|band| u32::from(weights.band(band).pixels()[i]))
            .sum();
        assert_eq!(sum, if is_void(x, y) { 0 } else { 255 }, "pixel {x} {y}");
    }
}

fn weights(place: &Place, out: &str) -> Raster<u8> {
    let mut raster = Raster::default();
    let map = Rect::new(0, 0, SIZE.0 as i64, SIZE.1 as i64);
    let world = Finished::open(&place.path(out)).unwrap();
    world.weights(map, &mut raster).unwrap();
    raster
}

#[test]
fn noise_follows_the_seed_of_the_world_and_its_own() {
    let place = Place::new();
    place.write("heights.tif", &plain(SIZE.0, SIZE.1), hills);
    let digest = |seed: u32, noise: &str, name: &str| {
        let text = format!(
            "seed = {seed}\nterrain.heights = ['heights.tif']\n[[stratum]]\nname = 'a'\nslope = [0, 20]\nblend = 6\n\
             noise = {{ wavelength = 20, amplitude = 5{noise} }}\n[[stratum]]\nname = 'b'\nslope = [20, 90]\nblend = 6\n"
        );
        place.bake(&text, 2, name).unwrap();
        weights(&place, name).into_pixels()
    };
    let first = digest(1, "", "w1");
    assert!(first != digest(2, "", "w2"));
    let own = digest(1, ", seed = 9", "w3");
    assert!(own != first);
    assert!(own == digest(2, ", seed = 9", "w4"));
}

/// What a bake says before it runs: its warnings, or why it does not.
fn opened(place: &Place, mask: &str) -> Result<Vec<String>, String> {
    let text = format!(
        "terrain.heights = ['heights.tif']\n[[stratum]]\nname = 'ground'\n[[stratum]]\nname = 'road'\n{mask}\n"
    );
    let loaded = config::parse(&text, &place.path("world.toml")).unwrap_or_else(|e| panic!("{e}"));
    let folder = place.path("").display().to_string();
    let clean = |text: String| text.replace(&folder, "");
    match Bake::open(&loaded, &Options::default()) {
        Ok(bake) => {
            let warnings = bake.warnings().iter().map(|w| clean(w.clone())).collect();
            bake.run(2, &AtomicBool::new(false), &mut |_| {})
                .map_err(|e| e.to_string())?;
            Ok(warnings)
        }
        Err(error) => Err(clean(error.to_string())),
    }
}

#[track_caller]
fn refused(place: &Place, mask: &str, wanted: &[&str]) {
    let error = opened(place, mask).unwrap_err();
    for part in wanted.iter().chain(&["world.toml:6:"]) {
        assert!(error.contains(part), "`{part}` is not in:\n{error}");
    }
}

#[track_caller]
fn warned(place: &Place, mask: &str, wanted: &[&str]) {
    let warnings = opened(place, mask).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(warnings.len(), wanted.len(), "{warnings:#?}");
    for (warning, part) in warnings.iter().zip(wanted) {
        assert!(warning.contains(part), "`{part}` is not in:\n{warning}");
    }
}

/// GeoKeys of a projected system in metres.
fn projected(epsg: u16) -> Value {
    Value::Shorts(vec![1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, epsg])
}

#[test]
fn a_mask_that_cannot_be_meant_is_refused_at_its_key() {
    let place = Place::new();
    let map = Tiff::new(40, 30, (3, 32)).placed((2.0, 2.0), (1000.0, 2000.0));
    place.write(
        "heights.tif",
        &map.clone().tag(34735, projected(32632)),
        hills,
    );
    let write = |name: &str, tiff: Tiff| place.write(name, &tiff, |x, _| (x % 2) as f64);
    let byte = |w, h| Tiff::new(w, h, (1, 8));

    write(
        "far.tif",
        byte(10, 10).placed((2.0, 2.0), (13_400.0, 14_030.0)),
    );
    let away = [
        "far.tif lies 17.2 km north-east of the map",
        "gdalwarp -t_srs EPSG:32632",
    ];
    refused(&place, "mask = 'far.tif'", &away);
    write("west.tif", byte(10, 10).placed((2.0, 2.0), (960.0, 1990.0)));
    refused(
        &place,
        "mask = 'west.tif'",
        &["lies 20.0 m west of the map"],
    );
    let other = byte(40, 30)
        .placed((2.0, 2.0), (1000.0, 2000.0))
        .tag(34735, projected(25832));
    write("other.tif", other);
    let systems = [
        "is in EPSG:25832, the map in EPSG:32632",
        "gdalwarp -t_srs EPSG:32632",
    ];
    refused(&place, "mask = 'other.tif'", &systems);
    write("wide.tif", byte(40, 20));
    refused(
        &place,
        "mask = 'wide.tif'",
        &["40 × 20 pixels, the map 40 × 30", "gdal_translate -a_ullr"],
    );
    write("long.tif", Tiff::new(40, 30, (1, 32)));
    refused(
        &place,
        "mask = 'long.tif'",
        &["integers of 32 bits", "range = [0, 255]"],
    );
    write("own.tif", byte(40, 30));
    let error = opened(&place, "mask = 'own.tif'\nmask_band = 2").unwrap_err();
    let band = "own.tif has 1 band, and none with the number 2";
    assert!(
        error.contains(band) && error.contains("world.toml:7:"),
        "{error}"
    );
}

#[test]
fn what_a_person_should_know_of_a_mask_is_said() {
    let place = Place::new();
    let map = Tiff::new(40, 30, (3, 32)).placed((2.0, 2.0), (1000.0, 2000.0));
    place.write("heights.tif", &map, hills);
    let write = |name: &str, tiff: Tiff, most: f64| {
        place.write(name, &tiff, |x, y| ((x + y) % 2) as f64 * most);
    };
    let byte = |w, h| Tiff::new(w, h, (1, 8));

    write("own.tif", byte(40, 30), 255.0);
    warned(&place, "mask = 'own.tif'", &[]);
    write("flags.tif", byte(40, 30), 1.0);
    warned(
        &place,
        "mask = 'flags.tif'",
        &["flags.tif holds only 0 and 1"],
    );
    warned(&place, "mask = 'flags.tif'\nrange = [0, 2]", &[]);
    write(
        "half.tif",
        byte(10, 15).placed((4.0, 4.0), (1000.0, 2000.0)),
        255.0,
    );
    warned(
        &place,
        "mask = 'half.tif'",
        &["half.tif covers 50 % of the map"],
    );
    write(
        "fine.tif",
        byte(400, 300).placed((0.2, 0.2), (1000.0, 2000.0)),
        255.0,
    );
    warned(&place, "mask = 'fine.tif'", &["10.0 times as fine"]);
    write("small.tif", byte(20, 15), 255.0);
    warned(
        &place,
        "mask = 'small.tif'",
        &["stretched over the whole map: it is 20 × 15 pixels, the map 40 × 30"],
    );
    let mut bands = byte(40, 30);
    bands.n_bands = 3;
    write("bands.tif", bands, 255.0);
    warned(&place, "mask = 'bands.tif'", &["has 3 bands"]);
    warned(&place, "mask = 'bands.tif'\nmask_band = 3", &[]);
    write("long.tif", Tiff::new(40, 30, (1, 32)), 255.0);
    warned(&place, "mask = 'long.tif'\nrange = [0, 255]", &[]);
    write(
        "burned.tif",
        byte(40, 30).tag(42113, Value::Text("0")),
        255.0,
    );
    warned(&place, "mask = 'burned.tif'", &[]);
    for keys in ["invert = true", "range = [255, 0]"] {
        let mask = format!("mask = 'burned.tif'\n{keys}");
        warned(&place, &mask, &["burned.tif says that 0 is no data"]);
    }
}

#[test]
fn a_mask_on_its_own_grid_covers_what_it_should() {
    let place = Place::new();
    let map = Tiff::new(4, 3, (3, 32)).placed((1.0, 1.0), (0.0, 3.0));
    place.write("heights.tif", &map, |_, _| 10.0);
    // Pixels of 2 m from x = 1: centres at 2 and 4, so columns at 1.5 … 3.5 read 0, ¼, ¾ of the way to full.
    let mask = Tiff::new(2, 2, (1, 8)).placed((2.0, 2.0), (1.0, 4.0));
    place.write("mask.tif", &mask, |x, _| 200.0 * x as f64);
    let row = |keys: &str| {
        let text = format!(
            "terrain.heights = ['heights.tif']\n[[stratum]]\nname = 'ground'\n[[stratum]]\nname = 'road'\nmask = 'mask.tif'\n{keys}\n"
        );
        place.bake(&text, 1, "out").unwrap();
        let mut raster = Raster::default();
        let world = Finished::open(&place.path("out")).unwrap();
        world.weights(Rect::new(0, 0, 4, 3), &mut raster).unwrap();
        raster.band(1).row(1).to_vec()
    };
    // Of 255 · 200/255: a quarter is 50 and three quarters 150.
    assert_eq!(row(""), [0, 0, 50, 150]);
    assert_eq!(row("range = [0, 200]"), [0, 0, 64, 191]);
    assert_eq!(row("range = [0, 200]\ninvert = true"), [0, 255, 191, 64]);
    assert_eq!(row("range = [200, 0]"), [0, 255, 191, 64]);
}

#[test]
fn bands_that_can_do_nothing_are_refused_at_their_key() {
    let place = Place::new();
    place.write("heights.tif", &plain(20, 20), |x, y| {
        if x == 0 { NODATA } else { hills(x, y) }
    });
    for (keys, wanted) in [
        (
            "aspect = { band = [90, 90] }",
            "the band of aspects from 90° to 90° is empty",
        ),
        ("aspect = { band = [360, 0] }", "is empty"),
        (
            "noise = { wavelength = 9, amplitude = 2 }",
            "noise shifts the slope, of which this stratum has no band",
        ),
        (
            "noise = { wavelength = 9, amplitude = 2, shifts = 'altitude' }",
            "has no band",
        ),
    ] {
        let text = format!("terrain.heights = ['heights.tif']\n[[stratum]]\nname = 'a'\n{keys}\n");
        let error = place.bake(&text, 1, "out").unwrap_err().to_string();
        assert!(
            error.contains(wanted) && error.contains("world.toml:4:"),
            "{error}"
        );
    }
}
