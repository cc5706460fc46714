//! What a world directory holds.

use std::path::Path;

use ecotone_interchange::Finished;
use ecotone_store::{Manifest, World};
use serde_json::{Value, json};

use crate::error::CliError;
use crate::say::{Voice, bytes, thousands};

pub(super) fn world(path: &Path, voice: Voice) -> Result<(), CliError> {
    let world = Finished::open(path)?;
    let manifest = world.manifest();
    let kept = World::kept(path)?;
    people(path, manifest, &kept, voice);
    voice.json(&machine(manifest, &kept));
    Ok(())
}

/// Plants of each species, by the order of the manifest.
fn plants(manifest: &Manifest) -> impl Iterator<Item = (&str, u64)> {
    let species = manifest.species.iter().enumerate();
    species.map(|(idx, species)| {
        let counts = manifest.chunks.iter().filter_map(|c| c.plants.get(idx));
        (species.name.as_str(), counts.sum())
    })
}

fn total_bytes(manifest: &Manifest) -> u64 {
    manifest.artefacts().map(|artefact| artefact.bytes).sum()
}

fn people(path: &Path, manifest: &Manifest, kept: &[u64], voice: Voice) {
    let (grid, revision) = (&manifest.grid, manifest.revision);
    voice.line(format_args!("{}, revision {revision}", path.display()));
    let kept: Vec<String> = kept.iter().map(u64::to_string).collect();
    voice.line(format_args!("kept        revisions {}", kept.join(", ")));
    voice.line(format_args!(
        "map         {} × {} pixels of {} × {} m from ({}, {})",
        grid.width, grid.height, grid.pixel[0], grid.pixel[1], grid.x0, grid.y0
    ));
    voice.line(format_args!("strata      {}", manifest.strata.join(", ")));
    voice.line(format_args!("edits       {}", manifest.edits.len()));
    voice.line(format_args!(
        "tiles       {} of {} pixels; distances up to {} m",
        manifest.weights.len(),
        grid.tile_size,
        manifest.edges.max_distance
    ));
    for name in manifest.fields.keys() {
        voice.line(format_args!("field       {name}"));
    }
    for (name, n) in plants(manifest) {
        voice.line(format_args!("{:>10}  {name}", thousands(n)));
    }
    voice.line(format_args!(
        "chunks      {} with plants",
        manifest.chunks.len()
    ));
    let total = bytes(total_bytes(manifest));
    voice.line(format_args!("on disk     {total}"));
}

fn machine(manifest: &Manifest, kept: &[u64]) -> Value {
    let plants = plants(manifest).map(|(name, n)| (name.to_owned(), n.into()));
    json!({
        "event": "world",
        "revision": manifest.revision,
        "kept": kept,
        "map": [manifest.grid.width, manifest.grid.height],
        "strata": manifest.strata,
        "edits": manifest.edits.len(),
        "tiles": manifest.weights.len(),
        "fields": manifest.fields.keys().collect::<Vec<_>>(),
        "chunks": manifest.chunks.len(),
        "plants": serde_json::Map::from_iter(plants),
        "bytes": total_bytes(manifest),
    })
}
