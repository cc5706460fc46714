//! What grows, as the stages read it that make it: plants, and densities.

use std::collections::BTreeSet;

use ecotone_scatter as scatter;
use ecotone_store::{FORMAT_VERSION, GridRecord};
use serde_json::{Map, Value, json};

use super::{map, names, table};
use crate::config::{Biome, Conditions, Config, Species};
use crate::layers::Asked;
use crate::rules::{Growth, Owner, clearance};

/// Keys of a species that say how its plants look or compete: nothing to its density.
const OF_PLANTS: [&str; 11] = [
    "footprint",
    "keep_from",
    "near",
    "priority",
    "size",
    "align",
    "tilt",
    "facing",
    "yaw",
    "sink",
    "tint",
];

/// What plants are decided by.
pub(super) fn plants(config: &Config, grid: &GridRecord) -> Value {
    let grown = Growth::new(config);
    let own: Vec<_> = config.species.iter().filter(|s| !s.is_density()).collect();
    let species: Map<_, _> = own
        .iter()
        .map(|own| (own.name.clone(), Value::Object(plant(config, own))))
        .collect();
    json!({
        "format": FORMAT_VERSION,
        "map": map(grid, false),
        "output": { "chunk": crate::ChunkGrid::new(config.output.chunk).size as f64 / crate::STEPS_PER_M },
        "seed": config.seed,
        "normals": normals(config, &grown, &grown.species),
        "edges": { "max_distance": config.edges.max_distance },
        "stratum": names(config),
        "biome": biomes(config, &own),
        "species": species,
    })
}

/// What densities are decided by, beside what distances are; `None` where no species is written as one.
pub(super) fn densities(config: &Config) -> Option<Map<String, Value>> {
    let own: Vec<_> = config.species.iter().filter(|s| s.is_density()).collect();
    if own.is_empty() {
        return None;
    }
    let grown = Growth::new(config);
    let species = own.iter().map(|own| (own.name.clone(), grass(config, own)));
    let species: Map<_, _> = species.map(|(name, keys)| (name, keys.into())).collect();
    Some(Map::from_iter([
        ("normals".into(), normals(config, &grown, &grown.grasses)),
        ("biome".into(), biomes(config, &own)),
        ("species".into(), species.into()),
    ]))
}

/// How normals are made, where any of some species looks at them.
fn normals(config: &Config, grown: &Growth, species: &[scatter::Species]) -> Value {
    let asked = Asked::by(species, &grown.biomes, &grown.layers);
    json!(asked.normals.then_some(&config.normals))
}

/// A species, but for its name.
fn plant(config: &Config, own: &Species) -> Map<String, Value> {
    let mut keys = table(own);
    keys.remove("name");
    keys.remove("group");
    settle(
        &mut keys,
        config,
        &own.conditions,
        Owner::Species(&own.name),
    );
    if let Some(Value::Object(edge)) = keys.get_mut("edge") {
        let stratum = own.edge_stratum(config.bands());
        let stratum = stratum.and_then(|idx| config.bands().nth(idx));
        edge.insert("stratum".into(), json!(stratum.map(|own| &own.name)));
        edge.insert("size".into(), json!(own.edge_size()));
    }
    let others = config.species.iter();
    let clearances: Map<_, _> = others
        .filter_map(|other| Some((other.name.clone(), clearance(config, own, other)?.into())))
        .collect();
    let variants = own.variants.iter();
    let variants: Map<_, _> = variants
        .map(|(name, variant)| {
            let mut keys = variant.keys();
            keys.edge = keys.edge.or(Some(keys.weight));
            (name.clone(), json!(keys))
        })
        .collect();
    keys.insert("keep_from".into(), clearances.into());
    keys.insert("priority".into(), config.priority(own).into());
    keys.insert("yaw".into(), json!(own.yaw_range()));
    keys.insert("variants".into(), variants.into());
    keys.insert("biomes".into(), json!(lists(config, own)));
    keys
}

/// A species as far as its density goes.
fn grass(config: &Config, own: &Species) -> Map<String, Value> {
    let mut keys = plant(config, own);
    keys.retain(|key, _| !OF_PLANTS.contains(&key.as_str()));
    keys.remove("variants");
    if own.density.is_some() {
        keys.remove("spacing");
    }
    if let Some(Value::Object(edge)) = keys.get_mut("edge") {
        edge.remove("size");
    }
    keys
}

/// Writes conditions as what they stand for: where a mask is counts for nothing, and clusters have the seed that they have in
/// the end.
fn settle(keys: &mut Map<String, Value>, config: &Config, own: &Conditions, owner: Owner<'_>) {
    keys.insert("mask".into(), own.mask.is_some().into());
    let clusters = own.clusters.map(|clusters| {
        let mut keys = table(&clusters);
        keys.insert("seed".into(), owner.seed(config.seed, &clusters).into());
        keys
    });
    keys.insert("clusters".into(), json!(clusters));
}

/// The names of the biomes that list a species.
fn lists<'a>(config: &'a Config, own: &Species) -> BTreeSet<&'a str> {
    let biomes = config.biomes.iter();
    let biomes = biomes.filter(|biome| biome.species.contains(&own.name));
    biomes.map(|biome| biome.name.as_str()).collect()
}

/// The biomes that list any of some species and those around them, but for their names and for the species.
fn biomes(config: &Config, species: &[&Species]) -> Value {
    let around = |biome: &&Biome| {
        let name = biome.within.as_ref()?;
        config.biomes.iter().find(|other| other.name == *name)
    };
    let listing = config.biomes.iter().filter(|biome| {
        let mut species = species.iter();
        species.any(|own| biome.species.contains(&own.name))
    });
    listing
        .flat_map(|biome| std::iter::successors(Some(biome), around))
        .map(|biome| {
            let mut keys = table(biome);
            keys.remove("name");
            keys.remove("species");
            settle(
                &mut keys,
                config,
                &biome.conditions,
                Owner::Biome(&biome.name),
            );
            (biome.name.clone(), Value::Object(keys))
        })
        .collect::<Map<_, _>>()
        .into()
}
