#![allow(clippy::unwrap_used)]
use super::*;
use crate::place::tests::{
    candidates, check_changes, everywhere, in_pieces, plants, plants_with, thick,
};
use crate::{Area, Ground, Plant, competition_reach_m, conflict_distance, pins_reach_m};
use ecotone_grid::{mix, name_key, plant_id};

/// Every few plants as pins, most of them moved a little, and as many removed.
pub(crate) fn some_pins(plants: &[Plant]) -> Vec<Pin> {
    let pin = |(k, plant): (usize, &Plant)| Pin {
        species: plant.species,
        x: plant.x + (k as i64 % 2) * (k as i64 % 3) * 700,
        y: plant.y - (k as i64 % 2) * (k as i64 % 5) * 300,
        kind: match k % 2 {
            0 => PinKind::Absent,
            _ => PinKind::Stands(Look {
                draws: k as u64,
                ..Look::default()
            }),
        },
    };
    let chosen = plants
        .iter()
        .enumerate()
        .filter(|(k, _)| mix(*k as u64).is_multiple_of(13));
    chosen.map(pin).collect()
}

#[test]
fn pins_stand_in_every_core_and_keep_their_ground() {
    let (world, species) = thick();
    let fields = world.fields();
    let area = everywhere(&world);
    let mut pins = some_pins(&plants(&species, &fields, &area));
    pins.retain(|pin| Ground::at(&fields, pin.x, pin.y).is_some_and(|g| g.height().is_some()));
    let whole = plants_with(&species, &pins, &fields, &area);
    let pieces = in_pieces(&species, &pins, &fields, &area);
    assert!(pieces == whole, "{} and {}", pieces.len(), whole.len());
    let (mut n_standing, mut n_absent) = (0, 0);
    for pin in &pins {
        let own = &species[usize::from(pin.species)];
        let id = plant_id(name_key(&own.name), pin.x, pin.y);
        let n_there = whole.iter().filter(|p| p.id == id).count();
        if pin.kind == PinKind::Absent {
            n_absent += 1;
            assert_eq!(n_there, 0);
            continue;
        }
        n_standing += 1;
        assert_eq!(n_there, 1);
        for plant in whole
            .iter()
            .filter(|p| pins.iter().all(|pin| (p.x, p.y) != (pin.x, pin.y)))
        {
            let other = usize::from(plant.species);
            let least = if plant.species == pin.species {
                (own.effective_spacing_m() * 1024.0).ceil() as i64
            } else {
                conflict_distance(&species, other, usize::from(pin.species))
            };
            let distance2 = (plant.x - pin.x).pow(2) + (plant.y - pin.y).pow(2);
            assert!(distance2 >= least * least, "{plant:?} {pin:?}");
        }
    }
    assert!(n_standing > 50 && n_absent > 50, "{n_standing}, {n_absent}");
}

#[test]
fn a_pin_changes_no_plant_beyond_its_reach_and_that_of_competition() {
    let (world, species) = thick();
    let fields = world.fields();
    let area = everywhere(&world);
    let before = plants(&species, &fields, &area);
    let (x, y) = world.position(90.0, 75.3);
    for kind in [PinKind::Stands(Look::default()), PinKind::Absent] {
        let removed = before.iter().filter(|p| p.species == 4);
        let removed = removed
            .min_by_key(|p| (p.x - x).pow(2) + (p.y - y).pow(2))
            .unwrap();
        let (x, y) = if kind == PinKind::Absent {
            (removed.x, removed.y)
        } else {
            (x, y)
        };
        let after = plants_with(
            &species,
            &[Pin {
                species: 4,
                x,
                y,
                kind,
            }],
            &fields,
            &area,
        );
        let reach = (pins_reach_m(&species) + competition_reach_m(&species)) * 1024.0;
        check_changes(
            &before,
            &after,
            &Area::new(x, y, x + 1, y + 1).grow(reach as i64),
        );
    }
}

#[test]
fn a_plant_locked_where_it_stands_changes_nothing_but_the_right_to_stand() {
    let (world, species) = thick();
    let fields = world.fields();
    let area = everywhere(&world);
    let before = plants(&species, &fields, &area);
    for (s, own) in species.iter().enumerate() {
        let mine: Vec<_> = before
            .iter()
            .filter(|p| usize::from(p.species) == s)
            .collect();
        let plant = mine[mine.len() / 2];
        let all = candidates(own, &area);
        let candidate = all
            .iter()
            .find(|c| (c.x, c.y) == (plant.x, plant.y))
            .unwrap();
        let look = Look {
            draws: candidate.draws,
            ..Look::default()
        };
        let kind = PinKind::Stands(look);
        let pin = Pin {
            species: plant.species,
            x: plant.x,
            y: plant.y,
            kind,
        };
        let after = plants_with(&species, &[pin], &fields, &area);
        assert!(after.contains(plant), "with all its attributes");
        let elsewhere = |p: &&Plant| (p.x - pin.x).abs().max((p.y - pin.y).abs()) > 1024 * 200;
        assert!(
            before
                .iter()
                .filter(elsewhere)
                .eq(after.iter().filter(elsewhere))
        );
        // A plant that won keeps all that it dropped dropped, and drops nothing else.
        assert!(after == before, "{}", own.name);
    }
}

#[test]
fn a_pin_stands_where_no_rule_lets_it_but_not_on_a_void() {
    let (mut world, species) = thick();
    world.weights.band_mut(0).fill(0);
    world.weights.band_mut(1).fill(0);
    let fields = world.fields();
    let look = Look {
        size: Some(7.5),
        yaw: Some(99),
        up: Some([0.6, 0.0, 0.8]),
        variant: Some(1),
        tint: Some(200),
        sink_m: Some(0.25),
        draws: 5,
    };
    let pin = |species, (x, y): (i64, i64), kind| Pin {
        species,
        x,
        y,
        kind,
    };
    let (dry, void, off) = (
        world.position(20.4, 30.6),
        world.position(65.0, 70.2),
        (0, 0),
    );
    let stands = PinKind::Stands(look);
    let pins = [
        pin(0, dry, stands),
        pin(0, dry, PinKind::Absent),
        pin(
            1,
            dry,
            PinKind::Stands(Look {
                draws: 5,
                ..Look::default()
            }),
        ),
        pin(1, void, stands),
        pin(1, off, stands),
        pin(5, dry, stands),
        pin(u16::MAX, dry, stands),
    ];
    let found = plants_with(&species, &pins, &fields, &everywhere(&world));
    assert_eq!(
        found.len(),
        2,
        "the first pin of a place counts, and none of an unknown species"
    );
    let plant = found[0];
    let height = Ground::at(&fields, dry.0, dry.1).unwrap().height().unwrap();
    assert_eq!((plant.x, plant.y, plant.z), (dry.0, dry.1, height - 0.25));
    assert_eq!(
        (plant.size, plant.yaw, plant.up),
        (7.5, 99, [0.6, 0.0, 0.8])
    );
    assert_eq!((plant.variant, plant.tint), (1, 200));
    assert_eq!(found[1].z, height);
    assert!(found[1].size < 7.5 && found[1].yaw != 99);
}
