//! A plant that is kept looks as it did, however its species is changed: size, turn, upright, variant, tint and depth.

use std::collections::HashMap;

use ecotone_store::PlantRecord;

use super::support::{bilinear, hills, stored};
use super::*;

/// What ferns draw from.
const DRAWN: &str = "size = [0.5, 1.5]\nsink = [0.05, 0.4]\ntilt = [2, 20]\ntint = [0.2, 0.7]\nvariants = { old = 3, young = 1 }\n";

/// The config with ferns that have these keys more.
fn with(ferns: &str) -> String {
    config_text(64, 60.0).replace("footprint = 0.6\n", &format!("footprint = 0.6\n{ferns}"))
}

/// Ferns by their ids.
fn ferns(place: &Place) -> HashMap<u64, PlantRecord> {
    let all = stored(&place.path("out")).into_iter();
    let ferns = all.filter(|(_, (name, ..))| name == "fern");
    ferns.map(|(id, (_, _, plant))| (id, plant)).collect()
}

/// A world of ferns under some keys, and some of them, off the map's rim and its voids.
fn world_of(keys: &str) -> (Place, Vec<(u64, PlantRecord)>) {
    let place = Place::with_hills(&plain(150, 131));
    place.bake(&with(keys), 2, "out").unwrap();
    let inside = |plant: &PlantRecord| {
        let [x, y] = [plant.x, plant.y].map(metres);
        (1100.0..1140.0).contains(&x) && (1950.0..1990.0).contains(&y)
    };
    let mut some: Vec<_> = ferns(&place).into_iter().collect();
    some.retain(|(_, plant)| inside(plant));
    some.sort_by_key(|(id, _)| *id);
    assert!(some.len() >= 30, "{}", some.len());
    some.truncate(30);
    (place, some)
}

fn metres(steps: i64) -> f64 {
    steps as f64 / 1024.0
}

/// How deep a plant stands, in metres, where the ground is the hills and so much more.
fn depth(plant: &PlantRecord, raised: f64) -> f64 {
    let [x, y] = [plant.x, plant.y].map(metres);
    let ground = bilinear(&hills, x - 1000.5, 1999.5 - y) + raised;
    ground - f64::from(plant.z_mm) / 1000.0
}

fn ids_of(op: PinOp, some: &[(u64, PlantRecord)]) -> Vec<PinRequest> {
    some.iter().map(|(id, _)| by_id(op, *id)).collect()
}

/// Rules under which no fern looks as under [`DRAWN`], and others that say nothing of its looks.
fn others() -> [String; 2] {
    [
        "size = [0.5, 1.5]\nsink = [0.6, 0.9]\ntilt = [30, 40]\ntint = [0.9, 1.0]\nalign = 1.0\nyaw = [0, 1]\nvariants = { old = 3, young = 1 }\n",
        "size = [0.5, 1.5]\nvariants = { young = 1, old = 3, aged = 2 }\n",
    ]
    .map(|keys| with(keys).replace("seed = 5", "seed = 6"))
}

#[test]
fn locked_plants_stand_exactly_as_they_did_under_any_rules() {
    let (place, some) = world_of(DRAWN);
    let out = place.path("out");
    let is_tilted = |(_, plant): &(u64, PlantRecord)| plant.up != [127, 127];
    assert!(some.iter().all(is_tilted));
    pin(&out, &ids_of(PinOp::Lock, &some)).unwrap();
    let check = |lift_mm: i32, are_variants_renumbered: bool| {
        let now = ferns(&place);
        for (id, was) in &some {
            let right = PlantRecord {
                z_mm: was.z_mm + lift_mm,
                // Variants are numbered by name, and one was added before them.
                variant: was.variant + u8::from(are_variants_renumbered),
                ..*was
            };
            assert_eq!(now.get(id), Some(&right));
        }
    };
    check(0, false);
    let [deep, plainly] = others();
    place.bake(&deep, 2, "out").unwrap();
    check(0, false);
    let locked: HashMap<_, _> = some.iter().copied().collect();
    let mut free = ferns(&place).into_iter();
    assert!(free.any(|(id, fern)| !locked.contains_key(&id) && fern.tint >= 229));
    // All of the map by five metres.
    raise(&out, 1075.0, 1935.0, 500.0, 5.0).unwrap();
    check(5000, false);
    // Locked again under rules that say otherwise.
    pin(&out, &ids_of(PinOp::Lock, &some)).unwrap();
    check(5000, false);
    check_fresh(&place, &deep);
    place.bake(&plainly, 2, "out").unwrap();
    check(5000, true);
    pin(&out, &ids_of(PinOp::Lock, &some)).unwrap();
    check(5000, true);
    check_fresh(&place, &plainly);
}

#[test]
fn moved_plants_keep_size_turn_variant_tint_and_depth_however_often_they_move() {
    let (place, mut some) = world_of(DRAWN);
    let out = place.path("out");
    let deep = others()[0].clone();
    for step in 0..3 {
        let shift = [0.5, -0.75, 0.375][step];
        let moves = some.iter().map(|(id, plant)| PinRequest {
            to: Some([metres(plant.x) + shift, metres(plant.y) - 0.25]),
            ..by_id(PinOp::Move, *id)
        });
        pin(&out, &moves.collect::<Vec<_>>()).unwrap();
        let now = ferns(&place);
        for (id, plant) in &mut some {
            assert!(!now.contains_key(id));
            let place = (plant.x + (1024.0 * shift) as i64, plant.y - 256);
            let mut at_place = now.iter().filter(|(_, own)| (own.x, own.y) == place);
            let (new_id, own) = at_place.next().unwrap();
            let look = |own: &PlantRecord| (own.size, own.yaw, own.variant, own.tint);
            assert_eq!(look(own), look(plant));
            // Both feet are stored in whole millimetres.
            let off = depth(own, 0.0) - depth(plant, 0.0);
            assert!(off.abs() <= 1e-3 + 1e-9, "{off} at step {step}");
            (*id, *plant) = (*new_id, *own);
        }
        // The next moves are under rules that would have them look otherwise.
        place.bake(&deep, 2, "out").unwrap();
    }
    check_fresh(&place, &deep);
}

#[test]
fn an_added_plant_has_the_tint_that_was_asked_for_and_its_species_depth() {
    let (place, _) = world_of("sink = [0.25, 0.25]\ntint = [0.2, 0.7]\n");
    let out = place.path("out");
    let at = |tint: u8| {
        let (column, row) = (tint % 16, tint / 16);
        [
            1100.0 + 2.5 * f64::from(column),
            1950.0 + 2.5 * f64::from(row),
        ]
    };
    let asked = (0..=255_u8).map(|tint| PinRequest {
        tint: Some(f64::from(tint) / 255.0),
        ..add("fern", at(tint))
    });
    pin(&out, &asked.collect::<Vec<_>>()).unwrap();
    for text in [
        with("sink = [0.25, 0.25]\ntint = [0.5, 0.5]\n"),
        with("sink = [0.25, 0.25]\ntint = [0.0, 0.1]\n"),
    ] {
        place.bake(&text, 2, "out").unwrap();
        let now = ferns(&place);
        for tint in 0..=255 {
            let place = at(tint).map(|metres| (metres * 1024.0) as i64);
            let fern = now.values().find(|own| [own.x, own.y] == place).unwrap();
            assert_eq!(fern.tint, tint);
            assert!((depth(fern, 0.0) - 0.25).abs() <= 0.5e-3 + 1e-9);
        }
    }
}
