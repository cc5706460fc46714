//! Law 1: the partition is invisible. Any tiling, chunking, number of threads or storage of the input makes the same world.

#![allow(clippy::unwrap_used)]

mod support;

use ecotone_grid::{Raster, Rect};
use ecotone_interchange::{Digests, Finished};
use proptest::prelude::*;
use support::writer::Tiff;
use support::{NODATA, Place, config_text, hills, is_void, plain, plants};

const SIZE: (usize, usize) = (150, 131);

fn bake(tiff: &Tiff, tile: u32, chunk: f64, threads: usize) -> Digests {
    let place = Place::with_hills(tiff);
    place
        .bake(&config_text(tile, chunk), threads, "out")
        .unwrap();
    place.digests("out")
}

fn whole() -> Digests {
    bake(&plain(SIZE.0, SIZE.1), 4096, 4096.0, 1)
}

#[test]
fn any_tiles_and_threads_make_the_same_world() {
    let whole = whole();
    for tile in [17, 64, 100, 512, 4096] {
        for threads in [1, 2, 7] {
            let cut = bake(&plain(SIZE.0, SIZE.1), tile, 100.0, threads);
            assert_eq!(cut, whole, "tiles of {tile}, {threads} threads");
        }
    }
}

#[test]
fn any_storage_and_chunks_make_the_same_world() {
    let whole = whole();
    let strips = plain(SIZE.0, SIZE.1);
    let tiled = |mut tiff: Tiff| {
        tiff.tile = Some((32, 48));
        tiff
    };
    let packed = |mut tiff: Tiff, compression, predictor| {
        (tiff.compression, tiff.predictor) = (compression, predictor);
        tiff
    };
    let mut rows = strips.clone();
    rows.rows_per_strip = 1;
    let mut big_endian = packed(tiled(strips.clone()), 8, 1);
    big_endian.big_endian = true;
    let mut double = strips.clone();
    double.sample = (3, 64);
    let storages = [
        ("rows", rows),
        ("tiles", tiled(strips.clone())),
        ("LZW", packed(tiled(strips.clone()), 5, 1)),
        ("deflate, predictor 3", packed(strips.clone(), 8, 3)),
        ("big-endian", big_endian),
        ("float64", double),
    ];
    for (name, storage) in storages {
        for (tile, chunk) in [(64, 100.0), (100, 256.0)] {
            assert_eq!(
                bake(&storage, tile, chunk, 2),
                whole,
                "{name}, chunks of {chunk} m"
            );
        }
    }
}

#[test]
fn normals_and_slopes_are_equal_from_every_tile() {
    // As users of other tools report: a border vertex got another normal in each of two tiles.
    let field = |tile: u32| {
        let place = Place::new();
        place.write(
            "heights.tif",
            &Tiff::new(129, 129, (3, 32)).placed((5.0, 5.0), (0.0, 0.0)),
            |x, y| 20.0 * (x as f64 / 7.0).sin() + 15.0 * (y as f64 / 5.0).cos(),
        );
        let text = format!(
            "terrain.heights = ['heights.tif']\ntiles.size = {tile}\nnormals.smoothing = 12.0\n\
             output.fields = ['slope', 'normals']\n[[stratum]]\nname = 'ground'\n"
        );
        place.bake(&text, 2, "out").unwrap();
        let world = Finished::open(&place.path("out")).unwrap();
        let mut pixels = Vec::new();
        for (name, band) in [("slope", 0), ("normals", 0), ("normals", 1), ("normals", 2)] {
            let mut out = Raster::default();
            assert!(
                world
                    .field(name, band, Rect::new(0, 0, 129, 129), &mut out)
                    .unwrap()
            );
            pixels.extend(out.pixels().iter().map(|v| v.to_bits()));
        }
        pixels
    };
    let whole = field(129);
    for tile in [64, 32, 17] {
        assert!(field(tile) == whole, "tiles of {tile}");
    }
}

#[test]
fn a_collar_of_voids_changes_nothing() {
    const COLLAR: usize = 9;
    let bare = Place::with_hills(&plain(SIZE.0, SIZE.1));
    bare.bake(&config_text(64, 100.0), 2, "out").unwrap();

    let (width, height) = (SIZE.0 + 2 * COLLAR, SIZE.1 + 2 * COLLAR);
    let mut padded = plain(width, height);
    padded.tags.retain(|(tag, _)| *tag == 42113);
    let padded = padded.placed((1.0, 1.0), (1000.0 - COLLAR as f64, 2000.0 + COLLAR as f64));
    let place = Place::new();
    let inside = |x: usize, y: usize| {
        let (x, y) = (x.checked_sub(COLLAR)?, y.checked_sub(COLLAR)?);
        (x < SIZE.0 && y < SIZE.1).then_some((x, y))
    };
    place.write("heights.tif", &padded, |x, y| match inside(x, y) {
        Some((x, y)) if !is_void(x, y) => hills(x, y),
        _ => NODATA,
    });
    place.write("mask.tif", &Tiff::new(width, height, (1, 8)), |x, y| {
        inside(x, y).map_or(255.0, |(x, y)| {
            let off = (x as f64 - 0.8 * y as f64 - 20.0).abs();
            (255.0 * (1.0 - (off - 3.0) / 3.0).clamp(0.0, 1.0)).round()
        })
    });
    place.bake(&config_text(64, 100.0), 2, "out").unwrap();

    let [bare_world, padded_world] =
        [&bare, &place].map(|place| Finished::open(&place.path("out")).unwrap());
    let (w, h, c) = (SIZE.0 as i64, SIZE.1 as i64, COLLAR as i64);
    let (mut a, mut b) = (Raster::default(), Raster::default());
    bare_world.weights(Rect::new(0, 0, w, h), &mut a).unwrap();
    padded_world
        .weights(Rect::new(c, c, w + c, h + c), &mut b)
        .unwrap();
    assert!(a.pixels() == b.pixels(), "weights");
    let (mut a, mut b) = (Raster::default(), Raster::default());
    bare_world.sdf(Rect::new(0, 0, w, h), &mut a).unwrap();
    padded_world
        .sdf(Rect::new(c, c, w + c, h + c), &mut b)
        .unwrap();
    assert!(a.pixels() == b.pixels(), "distances");
    let trees = plants(&bare.path("out"));
    assert!(trees.len() > 300);
    assert_eq!(trees, plants(&place.path("out")));
}

#[test]
fn south_up_is_turned() {
    // As users of other tools report: a south-up copy of a terrain was drawn upside down.
    let north = plain(40, 30);
    let mut south = plain(40, 30);
    south.tags.retain(|(tag, _)| *tag == 42113);
    // Rows go north: a transformation with a positive step, from the south-west corner.
    let matrix = vec![
        1.0, 0.0, 0.0, 1000.0, 0.0, 1.0, 0.0, 1970.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ];
    let south = south.tag(34264, support::writer::Value::Doubles(matrix));
    let bake = |tiff: &Tiff, turned: bool| {
        let place = Place::new();
        place.write("heights.tif", tiff, |x, y| {
            hills(x, if turned { 29 - y } else { y })
        });
        let text = "terrain.heights = ['heights.tif']\n[[stratum]]\nname = 'flat'\nslope = [0, 20]\n[[stratum]]\nname = 'steep'\nslope = [20, 90]\n[[species]]\nname = 'fir'\nstrata.flat = 1\nspacing = 3\n";
        place.bake(text, 1, "out").unwrap();
        place.digests("out")
    };
    assert_eq!(bake(&south, true), bake(&north, false));
}

/// A small random world.
#[derive(Clone, Debug)]
struct World {
    size: (usize, usize),
    pixel: (f64, f64),
    heights: u64,
    void_share: u64,
    smoothing: f64,
    max_distance: f64,
}

fn worlds() -> impl Strategy<Value = World> {
    (
        (1_usize..70, 1_usize..70),
        prop_oneof![Just((1.0, 1.0)), Just((2.0, 3.0)), Just((0.7, 0.4))],
        any::<u64>(),
        0_u64..30,
        prop_oneof![Just(0.0), 0.5..9.0],
        prop_oneof![Just(0.0), 0.1..40.0],
    )
        .prop_map(
            |(size, pixel, heights, void_share, smoothing, max_distance)| World {
                size,
                pixel,
                heights,
                void_share,
                smoothing,
                max_distance,
            },
        )
}

fn digest(world: &World, tile: u32, chunk: f64, threads: usize) -> Digests {
    let place = Place::new();
    let tiff = Tiff::new(world.size.0, world.size.1, (3, 32))
        .placed(world.pixel, (-30.0, 12.5))
        .tag(42113, support::writer::Value::Text("-9999"));
    let noise =
        |x: usize, y: usize| ecotone_grid::mix(world.heights ^ ((x as u64) << 32) ^ y as u64);
    place.write("heights.tif", &tiff, |x, y| {
        if noise(x, y) % 100 < world.void_share {
            NODATA
        } else {
            (noise(x / 5, y / 5) % 64) as f64 / 8.0 + (noise(x, y) >> 8) as f64 % 8.0 / 16.0
        }
    });
    let text = format!(
        "terrain.heights = ['heights.tif']\ntiles.size = {tile}\nnormals.smoothing = {}\nedges.max_distance = {}\noutput.chunk = {chunk}\n{}",
        world.smoothing,
        world.max_distance,
        r#"
[[stratum]]
name = "flat"
slope = [0, 30]
blend = 10
[[stratum]]
name = "steep"
slope = [30, 90]
blend = 10
[[species]]
name = "oak"
strata = { flat = 1.0, steep = 0.3 }
threshold = 0.2
spacing = 2.0
footprint = 0.9
align = 0.5
[[species]]
name = "elm"
strata = { steep = 1.0, flat = 0.8 }
threshold = 0.2
spacing = 1.5
footprint = 0.5
"#
    );
    place.bake(&text, threads, "out").unwrap();
    place.digests("out")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_partition_of_a_random_world_makes_the_same_world(
        world in worlds(), tile in 3_u32..80, chunk in 5.0..90.0, threads in 1_usize..5,
    ) {
        prop_assert_eq!(digest(&world, tile, chunk, threads), digest(&world, 4096, 4096.0, 1));
    }
}
