#![allow(clippy::unwrap_used)]
use super::*;
use crate::Variant;
use crate::sample::normalised;
use crate::testing::{World, spruce};
use crate::{Conditions, Edge, Pattern, PatternScratch, competition_reach_m, probability};
use ecotone_grid::{Profile, Raster, Rect, Trapezoid};
use std::collections::BTreeSet;

/// All candidates of a species in an area.
fn candidates(species: &Species, area: &Area) -> Vec<Candidate> {
    let pattern = Pattern::new(11, &species.name, species.effective_spacing_m());
    let (mut scratch, mut block, mut all) = (PatternScratch::default(), Vec::new(), Vec::new());
    for id in pattern.blocks_over(area) {
        pattern.block(id, &mut scratch, &mut block);
        all.extend(block.iter().filter(|c| area.contains(c.x, c.y)));
    }
    all
}

/// The plants of a core, from the candidates within the reach of it.
fn plants(species: &[Species], fields: &Fields<'_>, core: &Area) -> Vec<Plant> {
    let reach = (competition_reach_m(species) * 1024.0).ceil() as i64;
    let lists: Vec<_> = species
        .iter()
        .map(|s| candidates(s, &core.grow(reach)))
        .collect();
    let lists: Vec<&[Candidate]> = lists.iter().map(Vec::as_slice).collect();
    let flora = Flora {
        species,
        biomes: &[],
        candidates: &lists,
        pins: &[],
    };
    let mut out = Vec::new();
    place(&flora, fields, core, &mut PlaceScratch::default(), &mut out);
    out
}

/// The area of a world's map and 5 m around it.
fn everywhere(world: &World) -> Area {
    let [west, south, east, north] = world.transform.bounds(world.heights.rect());
    let units = |m: f64| (m * 1024.0) as i64;
    Area::new(units(west), units(south), units(east), units(north)).grow(5 * 1024)
}

/// A hilly world of 200 × 160 pixels with a void, weights and distances that vary, and three species that compete.
fn wild() -> (World, Vec<Species>) {
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

#[test]
fn a_core_has_the_plants_of_the_whole_map() {
    let (world, species) = wild();
    let fields = world.fields();
    let whole = plants(&species, &fields, &everywhere(&world));
    assert!(whole.len() > 5000, "{}", whole.len());
    assert!((0..3).all(|s| whole.iter().filter(|p| p.species == s).count() > 300));
    let area = everywhere(&world);
    let mut pieces = Vec::new();
    for x in (area.x0..area.x1).step_by(61_000) {
        for y in (area.y0..area.y1).step_by(47_001) {
            let core = Area::new(x, y, (x + 61_000).min(area.x1), (y + 47_001).min(area.y1));
            pieces.extend(plants(&species, &fields, &core));
        }
    }
    pieces.sort_by_key(|p| (p.species, p.id));
    assert!(pieces == whole, "{} and {}", pieces.len(), whole.len());
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
