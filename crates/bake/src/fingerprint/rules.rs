//! The part of the config that each stage reads, as canonical JSON: keys sorted, defaults filled in.

use ecotone_store::Manifest;
use serde_json::{Value, json};

use crate::config::Loaded;
use crate::rules::by_name;

/// What each stage reads of the config, by the stage's name; files are not in it, since their content is read.
pub(crate) fn stage_rules(loaded: &Loaded, manifest: &Manifest) -> Value {
    let config = &loaded.config;
    let grid = json!(manifest.grid);
    let mut place = grid.clone();
    if let Some(place) = place.as_object_mut() {
        place.remove("tile_size");
    }
    let species: Vec<_> = by_name(config).map(|(_, species)| species).collect();
    json!({
        "strata": {
            "format": manifest.format,
            "grid": grid,
            "compression": manifest.compression,
            "seed": config.seed,
            "normals": config.normals,
            "stratum": config.strata,
            "fields": config.output.fields,
        },
        "sdf": {
            "format": manifest.format,
            "grid": grid,
            "compression": manifest.compression,
            "strata": manifest.strata,
            "edges": config.edges,
        },
        "plants": {
            "format": manifest.format,
            "grid": place,
            "seed": config.seed,
            "normals": config.normals,
            "strata": manifest.strata,
            "max_distance": config.edges.max_distance,
            "species": species,
            "chunk": manifest.chunk_size,
        },
    })
}
