//! The canonical digests against one array in memory, whatever the tiles and chunks.

#![allow(clippy::unwrap_used)]

mod fake;

use ecotone_grid::{Raster, Rect, name_key};
use ecotone_interchange::{Digests, Finished, digests};
use ecotone_store::PlantRecord;
use fake::{SMALL, Shape, Whole};

fn brute_force(whole: &Whole) -> Digests {
    let hex = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
    let sdf: Vec<u8> = whole
        .sdf
        .pixels()
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let mut plants = Vec::new();
    // By name: birch before spruce.
    for (name, records) in [("birch", &whole.plants[1]), ("spruce", &whole.plants[0])] {
        plants.extend((name.len() as u32).to_le_bytes());
        plants.extend(name.as_bytes());
        plants.extend((records.len() as u64).to_le_bytes());
        let mut sorted: Vec<(u64, &PlantRecord)> =
            records.iter().map(|p| (p.id(name_key(name)), p)).collect();
        sorted.sort();
        for (id, p) in sorted {
            plants.extend(id.to_le_bytes());
            plants.extend(p.x.to_le_bytes());
            plants.extend(p.y.to_le_bytes());
            plants.extend(p.z_mm.to_le_bytes());
            plants.extend(p.size.to_le_bytes());
            plants.extend(p.yaw.to_le_bytes());
            plants.extend(p.up);
            plants.extend([p.variant, p.tint]);
        }
    }
    Digests {
        weights: hex(whole.weights.pixels()),
        sdf: hex(&sdf),
        plants: hex(&plants),
        density: None,
    }
}

#[test]
fn digests_are_those_of_the_whole_map_however_it_is_cut() {
    let whole = fake::whole(SMALL);
    assert!(
        whole.plants.iter().all(|plants| plants.len() > 50),
        "a world with plants"
    );
    let expected = brute_force(&whole);
    for (tile, chunk_m) in [(32, 64), (7, 30), (1000, 1000), (11, 129)] {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("world");
        fake::write(
            &dir,
            Shape {
                tile,
                chunk_m,
                ..SMALL
            },
            &whole,
        );
        let found = digests(&Finished::open(&dir).unwrap()).unwrap();
        assert_eq!(found, expected, "tiles of {tile}, chunks of {chunk_m} m");
    }
}

#[test]
fn windows_hold_what_the_whole_holds_and_void_off_the_map() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("world");
    let whole = fake::whole(SMALL);
    fake::write(&dir, SMALL, &whole);
    let world = Finished::open(&dir).unwrap();
    let rect = Rect::new(-3, 20, 40, 55);
    let (mut weights, mut sdf, mut heights) =
        (Raster::default(), Raster::default(), Raster::default());
    world.weights(rect, &mut weights).unwrap();
    world.sdf(rect, &mut sdf).unwrap();
    world.heights(rect, &mut heights).unwrap();
    let mut expected = Raster::new(rect, 4, 0);
    (0..4).for_each(|band| expected.paste(band, whole.weights.band(band)));
    assert!(weights == expected);
    let mut expected = Raster::new(rect, 4, ecotone_store::SDF_VOID);
    (0..4).for_each(|band| expected.paste(band, whole.sdf.band(band)));
    assert!(sdf == expected);
    assert_eq!(heights.band(0).at(5, 30), fake::height(10.0, 60.0));
    assert!(heights.band(0).at(-1, 30).is_nan() && heights.band(0).at(5, 51).is_nan());
}

#[test]
fn heights_are_read_as_the_bake_read_them() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("world");
    fake::write(&dir, SMALL, &fake::whole(SMALL));
    let mut manifest = Finished::open(&dir).unwrap().manifest().clone();
    manifest.heights[0].scale = Some(2.0);
    manifest.heights[0].offset = Some(-1.0);
    manifest.heights[0].nodata = Some(fake::height(10.0, 60.0));
    let mut writer = ecotone_store::WorldWriter::open(&dir).unwrap();
    writer.commit(manifest).unwrap();

    let mut heights = Raster::default();
    let world = Finished::open(&dir).unwrap();
    world
        .heights(Rect::new(0, 25, 10, 35), &mut heights)
        .unwrap();
    assert!(heights.band(0).at(5, 30).is_nan());
    let expected = fake::height(12.0, 62.0) * 2.0 - 1.0;
    assert_eq!(heights.band(0).at(6, 31), expected);
}

#[test]
fn a_region_holds_its_plants_and_no_other() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("world");
    let whole = fake::whole(SMALL);
    fake::write(
        &dir,
        Shape {
            chunk_m: 50,
            ..SMALL
        },
        &whole,
    );
    let world = Finished::open(&dir).unwrap();
    let some = whole.plants[0][7];
    // Borders on a plant's own place: it lies in the region to the east of it, not in the one to the west.
    let at = [some.x, some.y].map(|steps| steps as f64 / 1024.0);
    let regions = [
        [at[0], at[1], at[0] + 30.0, at[1] + 20.0],
        [at[0] - 30.0, at[1], at[0], at[1] + 20.0],
        [-1e9, -1e9, 1e9, 1e9],
        [-60.0, 1930.0, -59.5, 1990.0],
        [5.0, 5.0, 4.0, 6.0],
    ];
    for bounds in regions {
        let mut found = [Vec::new(), Vec::new()];
        world
            .plants_in(bounds, &mut |species, plant| found[species].push(*plant))
            .unwrap();
        for (found, all) in found.iter_mut().zip(&whole.plants) {
            let m = |steps: i64| steps as f64 / 1024.0;
            let inside = |p: &&PlantRecord| {
                m(p.x) >= bounds[0]
                    && m(p.x) < bounds[2]
                    && m(p.y) >= bounds[1]
                    && m(p.y) < bounds[3]
            };
            let mut expected: Vec<PlantRecord> = all.iter().filter(inside).copied().collect();
            expected.sort();
            found.sort();
            assert_eq!(*found, expected, "{bounds:?}");
        }
    }
}
