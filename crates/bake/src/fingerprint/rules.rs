//! The config as each stage reads it, as JSON: where two are equal, so is what the stage makes of equal inputs.
//!
//! Keys are sorted, defaults are filled in, and what stands for the same is written the same: a tilt as its slope, a noise with
//! the seed that it has in the end, species by name. Names of files, and how they are decoded, count for no stage, since their
//! content does. They stand under `inputs`, so that a difference of content can be told from one of the config. Nor do
//! corrections count, which are content too: where they cover nothing they change nothing.

use ecotone_store::{FORMAT_VERSION, GridRecord, Manifest};
use serde::Serialize;
use serde_json::{Map, Value, json};

use self::growth::{densities, plants};
use crate::config::{Conditions, Config, Loaded, Stratum};
use crate::rules::noise_seed;

#[path = "growth.rs"]
mod growth;

/// Keys of a stratum that say where its mask is and how it is read: its coverage counts in their place.
const OF_MASKS: [&str; 9] = [
    "mask",
    "mask_band",
    "range",
    "invert",
    "width",
    "radius",
    "feather",
    "mode",
    "target",
];

/// What each stage reads of the config, under `strata`, `sdf` and `plants`; and under `inputs`, how files are read.
pub(crate) fn stage_rules(loaded: &Loaded, manifest: &Manifest) -> Value {
    of(&loaded.config, &manifest.grid)
}

fn of(config: &Config, grid: &GridRecord) -> Value {
    json!({
        "inputs": inputs(config),
        "strata": strata(config, grid),
        "sdf": sdf(config, grid),
        "plants": plants(config, grid),
    })
}

fn inputs(config: &Config) -> Value {
    let mut terrain = table(&config.terrain);
    // Where files lie is no difference while they hold the same.
    let patches = terrain.remove("patch").unwrap_or_default();
    terrain.remove("heights");
    let masks: Map<_, _> = config
        .strata
        .iter()
        .filter(|stratum| stratum.mask.is_some())
        .map(|stratum| (stratum.name.clone(), mask(stratum)))
        .collect();
    let species = config.species.iter();
    let species = density_masks(species.map(|own| (&own.name, &own.conditions)));
    let biomes = config.biomes.iter();
    let biomes = density_masks(biomes.map(|own| (&own.name, &own.conditions)));
    json!({
        "terrain": terrain,
        "patch": patches,
        "stratum": masks,
        "species": species,
        "biome": biomes,
    })
}

/// The density masks of what has one, by its name.
fn density_masks<'a>(owners: impl Iterator<Item = (&'a String, &'a Conditions)>) -> Value {
    owners
        .filter_map(|(name, own)| Some((name.clone(), json!({ "mask": own.mask.as_ref()? }))))
        .collect::<Map<_, _>>()
        .into()
}

fn mask(stratum: &Stratum) -> Value {
    let mut keys = table(stratum);
    keys.retain(|key, _| OF_MASKS.contains(&key.as_str()));
    Value::Object(keys)
}

fn strata(config: &Config, grid: &GridRecord) -> Value {
    let mut fields = config.output.fields.clone();
    fields.sort();
    let strata: Vec<_> = config.bands().map(|own| band(config, own)).collect();
    json!({
        "format": FORMAT_VERSION,
        "map": map(grid, true),
        "tiles": { "size": grid.tile_size },
        "normals": config.normals,
        "output": { "compression": config.output.compression, "fields": fields },
        "stratum": strata,
    })
}

/// A stratum with weights of its own, but for where its mask is.
fn band(config: &Config, stratum: &Stratum) -> Value {
    let mut keys = table(stratum);
    let noise = stratum.noise.map(|noise| {
        let mut own = table(&noise);
        own.insert(
            "seed".into(),
            noise_seed(config.seed, stratum, &noise).into(),
        );
        own
    });
    keys.retain(|key, _| !OF_MASKS.contains(&key.as_str()));
    keys.remove("tilt");
    let bands = stratum.slope_band();
    let is_bounded = bands.lo.is_some() || bands.hi.is_some();
    let slope = is_bounded.then(|| [bands.lo.unwrap_or(0.0), bands.hi.unwrap_or(90.0)]);
    keys.insert("slope".into(), json!(slope));
    if !is_bounded {
        keys.remove("blend");
    }
    keys.insert("noise".into(), json!(noise));
    keys.insert("mask".into(), stratum.mask.is_some().into());
    Value::Object(keys)
}

fn sdf(config: &Config, grid: &GridRecord) -> Value {
    // Weights are compared as they are stored.
    let threshold = ecotone_sdf::threshold_u8(config.edges.threshold);
    let mut rules = json!({
        "format": FORMAT_VERSION,
        "map": map(grid, true),
        "tiles": { "size": grid.tile_size },
        "edges": {
            "threshold": format!("{threshold}/255"),
            "max_distance": config.edges.max_distance,
        },
        "output": { "compression": config.output.compression },
        "stratum": names(config),
    });
    // The same jobs make the densities.
    if let (Value::Object(rules), Some(densities)) = (&mut rules, densities(config)) {
        rules.extend(densities);
    }
    rules
}

fn names(config: &Config) -> Value {
    config
        .bands()
        .map(|own| json!({ "name": own.name }))
        .collect()
}

/// The map; plants are in no system of coordinates but its metres.
fn map(grid: &GridRecord, with_system: bool) -> Value {
    let system = with_system.then_some(&grid.geo_keys);
    json!({
        "size": [grid.width, grid.height],
        "corner": [grid.x0, grid.y0],
        "pixel": grid.pixel,
        "system": system,
    })
}

/// A table of the config, whole: a key that is new in it counts before anybody thinks of it here.
fn table(keys: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(keys) {
        Ok(Value::Object(table)) => table,
        _ => unreachable!("a table of a config is a JSON object"),
    }
}

/// A key that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The key, such as `stratum[1].slope` or `species.oak.density`.
    pub(crate) key: String,
    /// What it was; `none` where it was not there.
    pub(crate) old: String,
    /// What it is.
    pub(crate) new: String,
}

/// The first key in which two values differ, by name.
pub(crate) fn first_difference(old: &Value, new: &Value) -> Option<Difference> {
    differing(String::new(), old, new)
}

fn differing(key: String, old: &Value, new: &Value) -> Option<Difference> {
    match (old, new) {
        _ if old == new => None,
        (Value::Object(a), Value::Object(b)) => {
            let mut names: Vec<_> = a.keys().chain(b.keys()).collect();
            names.sort();
            names.into_iter().find_map(|name| {
                differing(under(&key, name), &old[name.as_str()], &new[name.as_str()])
            })
        }
        (Value::Array(a), Value::Array(b)) if is_of_tables(a) && is_of_tables(b) => {
            (0..a.len().max(b.len())).find_map(|idx| {
                let entry = |list: &[Value]| list.get(idx).cloned().unwrap_or_default();
                differing(format!("{key}[{idx}]"), &entry(a), &entry(b))
            })
        }
        _ => Some(Difference {
            key,
            old: shown(old),
            new: shown(new),
        }),
    }
}

fn is_of_tables(list: &[Value]) -> bool {
    list.iter().all(Value::is_object)
}

fn under(table: &str, key: &str) -> String {
    let quote = if key.contains(['.', '[', ']', ' ']) {
        "\""
    } else {
        ""
    };
    let point = if table.is_empty() { "" } else { "." };
    format!("{table}{point}{quote}{key}{quote}")
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::Object(table) => table
            .get("name")
            .map_or_else(|| "given".into(), Value::to_string),
        value => value.to_string(),
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
