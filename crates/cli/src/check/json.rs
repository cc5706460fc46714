//! What a check found, for machines.

use std::collections::BTreeMap;

use ecotone_bake::STEPS_PER_M;
use ecotone_bake::survey::{Estimate, Input, Layer, Role, Unit};
use serde_json::{Value, json};

use super::Found;
use crate::say::reach_px;

/// One object with all of it; `ecotone check --help` names its keys.
pub(super) fn of(found: &Found<'_>) -> Value {
    let survey = found.survey;
    json!({
        "event": "checked",
        "inputs": survey.inputs.iter().map(input).collect::<Vec<_>>(),
        "layers": survey.layers.iter().map(layer).collect::<Vec<_>>(),
        "world": world(found),
        "warnings": found.warnings,
        "unreadable": survey.unreadable,
        "estimate": found.estimate.map(estimate),
    })
}

/// What a file is for, the stratum that it is the mask of, and the biome or species that it is the density mask of.
fn role(role: &Role) -> (&'static str, Option<&str>, Option<&str>) {
    match role {
        Role::Heights => ("heights", None, None),
        Role::Patch => ("patch", None, None),
        Role::Mask(stratum) => ("mask", Some(stratum), None),
        Role::Density(owner) => ("density", None, Some(owner)),
    }
}

fn input(input: &Input) -> Value {
    let (role, stratum, density_of) = role(&input.role);
    let mut value = json!({
        "role": role,
        "stratum": stratum,
        "path": input.path,
        "kind": input.kind,
        "bytes": input.file_bytes,
    });
    if density_of.is_some() {
        value["density_of"] = json!(density_of);
    }
    if let Some(raster) = &input.raster {
        value["width"] = raster.width.into();
        value["height"] = raster.height.into();
        value["bands"] = raster.n_bands.into();
        value["type"] = raster.sample.into();
        value["compression"] = json!(raster.compression);
        value["layout"] = json!(raster.layout);
        value["nodata"] = json!(raster.nodata);
        value["epsg"] = json!(raster.epsg);
        value["unit"] = json!(raster.place.map(|_| unit(raster.unit)));
        value["corner"] = json!(raster.place.map(|place| [place.x0, place.y0]));
        value["pixel"] = json!(raster.place.map(|place| [place.pixel.x, place.pixel.y]));
        value["type_range"] = json!(raster.holds);
        value["stated_range"] = json!(raster.stated);
    }
    value
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Metre => "metre",
        Unit::Degree => "degree",
        Unit::Other => "other",
    }
}

fn layer(layer: &Layer) -> Value {
    let role = match (&layer.stratum, &layer.density_of) {
        (Some(_), _) => "mask",
        (None, Some(_)) => "density",
        (None, None) => "heights",
    };
    let mut value = json!({ "role": role, "stratum": layer.stratum });
    if layer.density_of.is_some() {
        value["density_of"] = json!(layer.density_of);
    }
    let Some(values) = &layer.values else {
        return value;
    };
    value["void_share"] = values.void_share().into();
    if let Some(mean) = values.mean() {
        value["min"] = values.lowest.into();
        value["max"] = values.highest.into();
        value["mean"] = mean.into();
        value["min_at"] = json!(values.lowest_at);
        value["max_at"] = json!(values.highest_at);
    }
    value
}

fn world(found: &Found<'_>) -> Value {
    let plan = found.bake.plan();
    let map = plan.tiles.map();
    let reaches = &plan.reaches;
    json!({
        "size": [map.width(), map.height()],
        "pixel": [plan.transform.pixel.x, plan.transform.pixel.y],
        "bounds": plan.transform.bounds(map),
        "epsg": found.survey.epsg,
        "tile_size": plan.tiles.size(),
        "tiles": plan.tiles.n_tiles(),
        "chunk_m": plan.chunks.size as f64 / STEPS_PER_M,
        "chunks": plan.chunks.n_over(plan.transform.bounds(map)),
        "reach_px": reach_px(reaches),
        "competition_m": reaches.competition_m,
        "strata": found.survey.strata,
        "species": found.survey.species,
    })
}

fn estimate(estimate: &Estimate) -> Value {
    let stages = estimate.stages.iter();
    json!({
        "tiles": estimate.tiles.iter().map(|tile| [tile.x, tile.y]).collect::<Vec<_>>(),
        "tile_size": estimate.tile_size,
        "sample_seconds": estimate.sample_seconds,
        "void_share": estimate.void_share,
        "threads": estimate.threads,
        "cpu_seconds": estimate.cpu_seconds,
        "wall_seconds": estimate.wall_seconds,
        "plants": estimate.plants.iter().cloned().collect::<BTreeMap<_, _>>(),
        "bytes": stages.map(|stage| (&stage.folder, stage.bytes)).collect::<BTreeMap<_, _>>(),
        "disk_bytes": estimate.disk_bytes,
        "free_bytes": estimate.free_bytes,
        "memory_bytes": estimate.memory_bytes,
    })
}
