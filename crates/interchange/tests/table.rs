//! The table of plants, value for value.

#![allow(clippy::unwrap_used)]

mod fake;

use ecotone_interchange::{Finished, write_csv};
use ecotone_store::PlantRecord;
use fake::SMALL;

#[test]
fn every_value_can_be_read_back_exactly() {
    let temp = tempfile::tempdir().unwrap();
    let mut whole = fake::whole(fake::Shape {
        plants: false,
        ..SMALL
    });
    let spruce = PlantRecord {
        x: -1,
        y: 1024 * 10_000_000 + 513,
        z_mm: -1_005,
        size: 65535,
        yaw: 16384,
        up: [127, 127],
        variant: 1,
        tint: 3,
    };
    let birch = PlantRecord {
        x: 2048,
        y: -1536,
        z_mm: 120_500,
        size: 0,
        yaw: 1,
        up: [254, 127],
        variant: 0,
        tint: 0,
    };
    whole.plants = [vec![spruce], vec![birch]];
    let dir = temp.path().join("world");
    fake::write(&dir, SMALL, &whole);
    let to = temp.path().join("plants.csv");
    assert_eq!(write_csv(&Finished::open(&dir).unwrap(), &to).unwrap(), 2);

    let id = |name: &str, p: &PlantRecord| p.id(ecotone_grid::name_key(name));
    let expected = format!(
        "id,species,x,y,z,yaw,size,nx,ny,nz,variant\n\
         {},birch,2,-1.5,120.500,0.0054931640625,0,0.707107,0.707107,0.000000,0\n\
         {},spruce,-0.0009765625,10000000.5009765625,-1.005,90,2,0.000000,0.000000,1.000000,spruce_b\n",
        id("birch", &birch),
        id("spruce", &spruce),
    );
    assert_eq!(std::fs::read_to_string(&to).unwrap(), expected);
}

#[test]
fn a_table_that_cannot_be_finished_leaves_the_older_one() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("world");
    fake::write(&dir, SMALL, &fake::whole(SMALL));
    let world = Finished::open(&dir).unwrap();
    let to = temp.path().join("plants.csv");
    let rows = write_csv(&world, &to).unwrap();
    let before = std::fs::read(&to).unwrap();
    assert_eq!(
        before.iter().filter(|&&b| b == b'\n').count() as u64,
        rows + 1
    );

    let chunk = world
        .world()
        .path(&world.manifest().chunks[3].artefact)
        .unwrap();
    std::fs::write(chunk, "torn").unwrap();
    write_csv(&world, &to).unwrap_err();
    assert_eq!(std::fs::read(&to).unwrap(), before);
    let names = std::fs::read_dir(temp.path()).unwrap().count();
    assert_eq!(names, 3, "world, heights and table, and no temporary file");
}
