//! `ecotone inspect`: what a raster, a chunk file or a world directory holds.

mod raster;
mod world;

use std::path::Path;
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Mosaic, Options, Source, SourceError};
use ecotone_interchange::Finished;
use ecotone_store::{ChunkView, STEPS_PER_METRE};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::args::InspectArgs;
use crate::error::CliError;
use crate::say::{Voice, bytes, print, thousands};

pub(crate) fn inspect(args: &InspectArgs, voice: Voice) -> Result<(), CliError> {
    let path = args.path.as_path();
    if path.is_dir() {
        return if args.digest {
            world_digest(path)
        } else {
            world::world(path, voice)
        };
    }
    let is_chunk = path.extension().is_some_and(|extension| extension == "eco");
    match (is_chunk, args.digest) {
        _ if !path.exists() => Err(CliError::NothingThere { path: path.into() }),
        _ if Mosaic::is_vrt(path) => Err(CliError::IsVrt { path: path.into() }),
        (true, false) => chunk(path, voice),
        (true, true) => Err(CliError::NoDigest { path: path.into() }),
        (false, true) => raster_digest(path),
        (false, false) => raster::raster(&open(path)?, path, voice),
    }
}

fn open(path: &Path) -> Result<Source, SourceError> {
    const BLOCK_BYTES: usize = 64 << 20;
    let mut options = Options::default();
    // A 32768² map of singles; a small file can claim to hold far more, and would be read for hours.
    options.limits.stream_bytes = 1 << 32;
    Source::open(path, &options, Arc::new(BlockCache::new(BLOCK_BYTES)))
}

/// One JSON line, also where the file is refused: scripts read it.
fn raster_digest(path: &Path) -> Result<(), CliError> {
    match sha256(path) {
        Ok((width, height, digest)) => {
            print(json!({ "width": width, "height": height, "sha256_f32": digest }));
            Ok(())
        }
        Err(error) => {
            print(json!({ "error": error.kind(), "message": error.to_string() }));
            Err(error.into())
        }
    }
}

fn sha256(path: &Path) -> Result<(u32, u32, String), SourceError> {
    let source = open(path)?;
    let mut hasher = Sha256::new();
    let mut little_endian = Vec::new();
    source.rows_as_f32(|pixels| {
        little_endian.clear();
        little_endian.extend(pixels.iter().flat_map(|pixel| pixel.to_le_bytes()));
        hasher.update(&little_endian);
    })?;
    let digest = hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok((source.header().width, source.header().height, digest))
}

fn chunk(path: &Path, voice: Voice) -> Result<(), CliError> {
    let content = std::fs::read(path).map_err(|source| CliError::Unreadable {
        path: path.into(),
        source,
    })?;
    let chunk = ChunkView::parse(&content)?;
    let (x, y) = chunk.index();
    let metres = chunk.size() as f64 / STEPS_PER_METRE as f64;
    voice.line(format_args!("{}", path.display()));
    voice.line(format_args!(
        "chunk       ({x}, {y}), {metres} m from ({}, {})",
        x as f64 * metres,
        y as f64 * metres
    ));
    let mut species = Vec::new();
    for kind in chunk.species() {
        let heights = kind.plants().map(|plant| plant.z_mm);
        let (low, high) = heights.fold((i32::MAX, i32::MIN), |(low, high), z| {
            (low.min(z), high.max(z))
        });
        voice.line(format_args!(
            "{:>10}  {}, heights {:.3} … {:.3} m{}",
            thousands(kind.n_plants() as u64),
            kind.name(),
            f64::from(low) / 1000.0,
            f64::from(high) / 1000.0,
            match kind.variants() {
                [] => String::new(),
                variants => format!(", variants {}", variants.join(", ")),
            }
        ));
        species.push(json!({ "name": kind.name(), "plants": kind.n_plants() }));
    }
    voice.line(format_args!("size        {}", bytes(content.len() as u64)));
    voice.json(&json!({ "event": "chunk", "index": [x, y], "size_m": metres, "species": species }));
    Ok(())
}

fn world_digest(path: &Path) -> Result<(), CliError> {
    let digests = ecotone_interchange::digests(&Finished::open(path)?)?;
    // In the order of the definition, which a map of JSON does not keep.
    let density = digests
        .density
        .map(|digest| format!(r#","density":"{digest}""#));
    print(format_args!(
        r#"{{"weights":"{}","sdf":"{}","plants":"{}"{}}}"#,
        digests.weights,
        digests.sdf,
        digests.plants,
        density.unwrap_or_default()
    ));
    Ok(())
}
