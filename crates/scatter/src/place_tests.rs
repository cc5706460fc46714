#![allow(clippy::unwrap_used)]
use super::*;
use crate::sample::normalised;
use crate::testing::{World, spruce};
use crate::{
    Conditions, Edge, Pattern, PatternScratch, competition_reach_m, pins_reach_m, probability,
};
use crate::{Near, Variant};
use ecotone_grid::{Profile, Raster, Rect, Trapezoid};
use std::collections::{BTreeMap, BTreeSet};

/// All candidates of a species in an area.
pub(crate) fn candidates(species: &Species, area: &Area) -> Vec<Candidate> {
    let pattern = Pattern::new(11, &species.name, species.effective_spacing_m());
    let (mut scratch, mut block, mut all) = (PatternScratch::default(), Vec::new(), Vec::new());
    for id in pattern.blocks_over(area) {
        pattern.block(id, &mut scratch, &mut block);
        all.extend(block.iter().filter(|c| area.contains(c.x, c.y)));
    }
    all
}

/// Calls `work` with what a window around a core sees: the candidates within competition's reach, and the pins beyond.
pub(crate) fn with_flora<T>(
    (species, pins): (&[Species], &[Pin]),
    core: &Area,
    work: impl FnOnce(&Flora<'_>) -> T,
) -> T {
    let units = |m: f64| (m * 1024.0).ceil() as i64;
    let window = core.grow(units(competition_reach_m(species)));
    let with_pins = window.grow(units(pins_reach_m(species)));
    let lists: Vec<_> = species.iter().map(|s| candidates(s, &window)).collect();
    let lists: Vec<&[Candidate]> = lists.iter().map(Vec::as_slice).collect();
    let is_seen = |pin: &&Pin| with_pins.contains(pin.x, pin.y);
    let pins: Vec<Pin> = pins.iter().filter(is_seen).copied().collect();
    work(&Flora {
        species,
        biomes: &[],
        candidates: &lists,
        pins: &pins,
    })
}

/// The plants of a core, sorted by species and id.
pub(crate) fn plants_with(
    species: &[Species],
    pins: &[Pin],
    fields: &Fields<'_>,
    core: &Area,
) -> Vec<Plant> {
    let mut out = Vec::new();
    with_flora((species, pins), core, |flora| {
        place(flora, fields, core, &mut PlaceScratch::default(), &mut out);
    });
    out.sort_by_key(|plant| (plant.species, plant.id));
    out
}

pub(crate) fn plants(species: &[Species], fields: &Fields<'_>, core: &Area) -> Vec<Plant> {
    plants_with(species, &[], fields, core)
}

/// The area of a world's map and 5 m around it.
pub(crate) fn everywhere(world: &World) -> Area {
    let [west, south, east, north] = world.transform.bounds(world.heights.rect());
    let units = |m: f64| (m * 1024.0) as i64;
    Area::new(units(west), units(south), units(east), units(north)).grow(5 * 1024)
}

/// A hilly world of 200 × 160 pixels with a void, weights and distances that vary, and three species that compete.
pub(crate) fn wild() -> (World, Vec<Species>) {
    let mut world = World::new(200, 160, |x, y| 300.0 + (x * 0.05).sin() * 20.0 + y * 0.1);
    for row in 0..160 {
        for column in 0..200 {
            let i = row * 200 + column;
            let weight = 128.0 + 127.0 * (column as f64 * 0.07).sin() * (row as f64 * 0.05).cos();
            world.weights.band_mut(0)[i] = weight as u8;
            world.weights.band_mut(1)[i] = 255 - weight as u8;
            world.sdf.band_mut(0)[i] = (127 - weight as i16) * 2;
            world.sdf.band_mut(1)[i] = (weight as i16 - 127) * 2;
            world.normals.band_mut(0)[i] = (column as f32 * 0.1).sin() * 0.4;
        }
    }
    world.heights.row_mut(0, 70)[60..75].fill(f64::NAN);
    let base = Species {
        footprint_m: 1.0,
        size: [0.8, 1.6],
        edge: Edge {
            falloff_m: Some(12.0),
            density: 0.3,
            size: [0.2, 0.5],
            ..spruce().edge
        },
        conditions: Conditions {
            slope: Some(Profile::Band(Trapezoid::slope(0.0, 25.0, 8.0))),
            ..Conditions::default()
        },
        align: 0.5,
        variants: [1.0, 3.0].map(Variant::of).to_vec(),
        ..spruce()
    };
    let pine = Species {
        name: "pine".into(),
        spacing_m: 2.0,
        ..base.clone()
    };
    let heather = Species {
        name: "heather".into(),
        strata: vec![(0, 0.5), (1, 1.0)],
        spacing_m: 0.8,
        footprint_m: 0.3,
        priority: -1,
        density_per_m2: Some(0.4),
        ..base.clone()
    };
    (world, vec![base, pine, heather])
}

/// The same world, and five species of radii of 0.3 to 6 m in three tiers, that keep from and stand near each other.
pub(crate) fn thick() -> (World, Vec<Species>) {
    let (world, wild) = wild();
    let one = |name: &str, footprint_m: f64, priority| Species {
        name: name.into(),
        strata: vec![(0, 0.8), (1, 0.6)],
        footprint_m,
        spacing_m: (2.2 * footprint_m).max(2.0),
        priority,
        ..wild[0].clone()
    };
    let near = |species, within_m| Some(Near { species, within_m });
    let mut species = vec![
        one("ash", 3.0, 5),
        one("fern", 0.3, 0),
        one("hazel", 1.5, 2),
        one("moss", 0.8, 0),
        one("oak", 6.0, 5),
    ];
    species[0].keep_from = vec![(2, 5.25)];
    species[1].near = near(4, 11.0);
    species[2].keep_from = vec![(4, 8.5)];
    species[3].keep_from = vec![(1, 1.5)];
    species[3].near = near(2, 3.0);
    (world, species)
}

/// The plants of an area, core by core.
pub(crate) fn in_pieces(
    species: &[Species],
    pins: &[Pin],
    fields: &Fields<'_>,
    area: &Area,
) -> Vec<Plant> {
    let mut pieces = Vec::new();
    for x in (area.x0..area.x1).step_by(91_000) {
        for y in (area.y0..area.y1).step_by(83_001) {
            let core = Area::new(x, y, (x + 91_000).min(area.x1), (y + 83_001).min(area.y1));
            pieces.extend(plants_with(species, pins, fields, &core));
        }
    }
    pieces.sort_by_key(|p| (p.species, p.id));
    pieces
}

#[test]
fn a_core_has_the_plants_of_the_whole_map() {
    let (world, species) = wild();
    let fields = world.fields();
    let area = everywhere(&world);
    let whole = plants(&species, &fields, &area);
    assert!(whole.len() > 5000, "{}", whole.len());
    assert!((0..3).all(|s| whole.iter().filter(|p| p.species == s).count() > 300));
    let pieces = in_pieces(&species, &[], &fields, &area);
    assert!(pieces == whole, "{} and {}", pieces.len(), whole.len());
}

#[test]
fn no_two_plants_of_any_cores_are_closer_than_the_rules_allow() {
    let (world, species) = thick();
    let fields = world.fields();
    let area = everywhere(&world);
    let whole = plants(&species, &fields, &area);
    let count = |s| whole.iter().filter(|p| p.species == s).count();
    assert!(
        (0..5).all(|s| count(s) > 25),
        "{:?}",
        [0, 1, 2, 3, 4].map(count)
    );
    let mut pieces = in_pieces(&species, &[], &fields, &area);
    assert!(pieces == whole, "{} and {}", pieces.len(), whole.len());

    let distance2 =
        |a: &Plant, b: &Plant| ((a.x - b.x).pow(2) + (a.y - b.y).pow(2)) as f64 / 1048576.0;
    let least = |a: u16, b: u16| match (a.min(b), a.max(b)) {
        (0, 2) => 5.25,
        (2, 4) => 8.5,
        (1, 3) => 1.5,
        (a, b) if a == b => species[usize::from(a)].spacing_m,
        (a, b) => species[usize::from(a)].footprint_m + species[usize::from(b)].footprint_m,
    };
    pieces.sort_by_key(|p| p.x);
    for (k, a) in pieces.iter().enumerate() {
        for b in pieces[k + 1..].iter().take_while(|b| b.x - a.x < 14 * 1024) {
            let least = least(a.species, b.species);
            assert!(distance2(a, b) >= least * least, "{a:?} {b:?}");
        }
    }
    for (child, parent, within) in [(1, 4, 11.0), (3, 2, 3.0)] {
        let parents: Vec<_> = pieces.iter().filter(|p| p.species == parent).collect();
        for plant in pieces.iter().filter(|p| p.species == child) {
            assert!(
                parents
                    .iter()
                    .any(|p| distance2(p, plant) <= within * within)
            );
        }
    }
}

#[test]
fn an_edit_of_the_ground_changes_no_plant_beyond_the_reach() {
    let (mut world, species) = thick();
    let area = everywhere(&world);
    let before = plants(&species, &world.fields(), &area);
    for pixel in (72..=80).flat_map(|row| (96..=104).map(move |column| row * 200 + column)) {
        let weight = world.weights.band(0).pixels()[pixel];
        world.weights.band_mut(0)[pixel] = 255 - weight / 2;
        world.weights.band_mut(1)[pixel] = 0;
    }
    let after = plants(&species, &world.fields(), &area);
    // The pixels, and one around them.
    let ((x0, y0), (x1, y1)) = (world.position(95.0, 81.0), world.position(105.0, 71.0));
    let reach = (competition_reach_m(&species) * 1024.0).ceil() as i64;
    check_changes(
        &before,
        &after,
        &Area::new(x0, y0, x1 + 1, y1 + 1).grow(reach),
    );
}

/// Checks that some plants differ, and all that do lie in an area.
#[track_caller]
pub(crate) fn check_changes(before: &[Plant], after: &[Plant], area: &Area) {
    let outside = |plants: &[Plant]| -> Vec<Plant> {
        let is_outside = |p: &&Plant| !area.contains(p.x, p.y);
        plants.iter().filter(is_outside).copied().collect()
    };
    assert!(before != after);
    assert!(!outside(before).is_empty());
    assert!(outside(before) == outside(after));
}

#[test]
fn a_plants_attributes_follow_from_its_place() {
    let (world, species) = wild();
    let fields = world.fields();
    for plant in plants(&species, &fields, &everywhere(&world)) {
        let of = &species[usize::from(plant.species)];
        let ground = Ground::at(&fields, plant.x, plant.y).unwrap();
        let sample = probability(of, &[], &fields, plant.x, plant.y).unwrap();
        assert!(sample.probability > 0.0);
        assert_eq!(Some(plant.z), ground.height());
        assert_eq!(plant.id, plant_id(name_key(&of.name), plant.x, plant.y));
        let [lo, hi] =
            [0, 1].map(|k| of.edge.size[k] + (of.size[k] - of.edge.size[k]) * sample.attenuation);
        assert!(plant.size >= lo && plant.size < hi);
        let [x, y, z] = ground.normal();
        let up = normalised([0.5 * x, 0.5 * y, 0.5 + 0.5 * z]);
        assert!((0..3).all(|k| (up[k] - plant.up[k]).abs() < 1e-12));
        assert!(plant.variant < 2);
    }
}

#[test]
fn padding_the_map_with_voids_changes_no_plant() {
    let (world, species) = wild();
    let plain = plants(&species, &world.fields(), &everywhere(&world));
    let rect = Rect::new(-7, -3, 211, 169);
    let mut heights = Raster::new(rect, 1, f64::NAN);
    heights.paste(0, world.heights.band(0));
    let (mut weights, mut sdf) = (Raster::new(rect, 2, 0), Raster::new(rect, 2, i16::MIN));
    for band in 0..2 {
        weights.paste(band, world.weights.band(band));
        sdf.paste(band, world.sdf.band(band));
    }
    let fields = Fields {
        map: rect,
        heights: heights.band(0),
        weights: &weights,
        sdf: &sdf,
        ..world.fields()
    };
    assert!(plants(&species, &fields, &everywhere(&world)) == plain);
}

#[test]
fn inserting_and_reordering_species_changes_no_draw() {
    let (world, mut species) = wild();
    for one in &mut species {
        one.footprint_m = 0.0;
    }
    let fields = world.fields();
    let by_name = |species: &[Species]| -> BTreeSet<(String, u64, u64, u16, u8, u8)> {
        let all = plants(species, &fields, &everywhere(&world));
        let key = |p: &Plant| {
            let name = species[usize::from(p.species)].name.clone();
            (name, p.id, p.size.to_bits(), p.yaw, p.variant, p.tint)
        };
        all.iter().map(key).collect()
    };
    let before = by_name(&species);
    species.reverse();
    assert!(by_name(&species) == before);
    let aspen = Species {
        name: "aspen".into(),
        ..spruce()
    };
    species.insert(1, aspen);
    assert!(by_name(&species).is_superset(&before));
}

#[test]
fn a_species_more_or_another_density_changes_no_plant_of_a_higher_priority_and_no_draw() {
    let (world, species) = thick();
    let fields = world.fields();
    let area = everywhere(&world);
    let named = |species: &[Species]| -> BTreeMap<(String, u64), Plant> {
        let key = |p: Plant| {
            let name = species[usize::from(p.species)].name.clone();
            ((name, p.id), Plant { species: 0, ..p })
        };
        plants(species, &fields, &area)
            .into_iter()
            .map(key)
            .collect()
    };
    let before = named(&species);
    let check = |changed: &[Species], priority: i32, own: &str| {
        let after = named(changed);
        for of in &species {
            let of_it = |plants: &BTreeMap<(String, u64), Plant>| -> Vec<Plant> {
                let own = plants.iter().filter(|((name, _), _)| *name == of.name);
                own.map(|(_, plant)| *plant).collect()
            };
            let is_higher = of.priority > priority;
            assert!(!is_higher || of_it(&before) == of_it(&after), "{}", of.name);
        }
        let in_both = before
            .iter()
            .filter_map(|(key, plant)| Some((plant, after.get(key)?)));
        assert!(in_both.clone().count() > 300);
        assert!(in_both.clone().all(|(old, new)| old == new));
        assert!(before != after, "{own}");
    };
    for at in [0, 2, species.len()] {
        let mut more = species.clone();
        let shifted = |k: usize| k + usize::from(k >= at);
        for one in &mut more {
            one.keep_from.iter_mut().for_each(|(k, _)| *k = shifted(*k));
            one.near = one.near.map(|near| Near {
                species: shifted(near.species),
                ..near
            });
        }
        let footprint_m = 1.0;
        let yew = Species {
            name: "yew".into(),
            priority: 2,
            near: None,
            footprint_m,
            ..species[3].clone()
        };
        more.insert(
            at,
            Species {
                keep_from: Vec::new(),
                ..yew
            },
        );
        check(&more, 2, "yew");
    }
    for k in [0, 2, 3] {
        let mut denser = species.clone();
        denser[k].density_per_m2 = Some(denser[k].max_density_per_m2() * 0.5);
        check(&denser, denser[k].priority, &denser[k].name);
    }
}

#[test]
fn density_and_attributes_are_as_expected_on_a_hundred_thousand_plants() {
    let world = World::new(450, 600, |_, _| 100.0);
    let mut species = spruce();
    (species.spacing_m, species.density_per_m2) = (1.5, Some(0.15));
    species.size = [2.0, 3.0];
    species.variants = [3.0, 0.0, 1.0].map(Variant::of).to_vec();
    let out = plants(
        std::slice::from_ref(&species),
        &world.fields(),
        &everywhere(&world),
    );
    // Half a pixel at the rim has no ground.
    let expected = 0.15 * (449.0 * 2.0) * (599.0 * 1.5);
    assert!(expected > 1e5);
    let share = out.len() as f64 / expected;
    assert!((share - 1.0).abs() < 0.01, "{share}");

    let chi2 = |value: &dyn Fn(&Plant) -> f64| {
        let mut bins = [0.0; 32];
        out.iter()
            .for_each(|p| bins[(value(p) * 32.0) as usize] += 1.0);
        let mean = out.len() as f64 / 32.0;
        bins.iter()
            .map(|n: &f64| (n - mean).powi(2) / mean)
            .sum::<f64>()
    };
    // One in ten thousand with 31 degrees of freedom.
    assert!(chi2(&|p| p.size - 2.0) < 70.0);
    assert!(chi2(&|p| f64::from(p.yaw) / 65536.0) < 70.0);
    assert!(chi2(&|p| f64::from(p.tint) / 256.0) < 70.0);
    let count = |variant| out.iter().filter(|p| p.variant == variant).count() as f64;
    assert_eq!(count(1), 0.0);
    assert!((count(0) / out.len() as f64 - 0.75).abs() < 0.01);
}
