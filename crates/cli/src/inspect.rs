//! `ecotone inspect`: what a raster, a chunk file or a world directory holds.

use std::path::Path;
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Layout, Mosaic, Options, Source, SourceError};
use ecotone_grid::{Raster, Rect};
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
            world(path, voice)
        };
    }
    let is_chunk = path.extension().is_some_and(|extension| extension == "eco");
    match (is_chunk, args.digest) {
        _ if !path.exists() => Err(CliError::NothingThere { path: path.into() }),
        _ if Mosaic::is_vrt(path) => Err(CliError::IsVrt { path: path.into() }),
        (true, false) => chunk(path, voice),
        (true, true) => Err(CliError::NoDigest { path: path.into() }),
        (false, true) => raster_digest(path),
        (false, false) => raster(path, voice),
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

/// Heights of a whole map, in short.
#[derive(Default)]
struct Summary {
    n_pixels: u64,
    n_void: u64,
    lowest: f64,
    highest: f64,
    sum: f64,
}

impl Summary {
    fn of(source: &Source) -> Result<Self, SourceError> {
        const ROWS: usize = 64;
        let map = source.rect();
        let mut summary = Self {
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            ..Self::default()
        };
        let mut rows = Raster::default();
        for y in (map.y0..map.y1).step_by(ROWS) {
            let rect = Rect::new(map.x0, y, map.x1, y + ROWS as i64).intersect(&map);
            source.read(rect, 0, &mut rows)?;
            summary.add(rows.pixels());
        }
        Ok(summary)
    }

    fn add(&mut self, heights: &[f64]) {
        self.n_pixels += heights.len() as u64;
        for &height in heights {
            if height.is_nan() {
                self.n_void += 1;
            } else {
                self.lowest = self.lowest.min(height);
                self.highest = self.highest.max(height);
                self.sum += height;
            }
        }
    }

    fn mean(&self) -> f64 {
        self.sum / (self.n_pixels - self.n_void) as f64
    }
}

/// Rasters up to this many pixels are read whole for their range.
const MOST_PIXELS: u64 = 1 << 33;

fn raster(path: &Path, voice: Voice) -> Result<(), CliError> {
    let source = open(path)?;
    let header = source.header();
    let layout = match header.layout {
        Layout::Strips { rows } => format!("strips of {rows} rows"),
        Layout::Tiles { width, height } => format!("tiles of {width} × {height}"),
    };
    voice.line(format_args!("{}", path.display()));
    voice.line(format_args!(
        "size        {} × {} pixels, {} band(s)",
        header.width, header.height, header.n_bands
    ));
    voice.line(format_args!(
        "stored as   {}, {layout}, {}, predictor {:?}{}",
        header.sample.name(),
        header.compression.name(),
        header.predictor,
        if header.big_tiff { ", BigTIFF" } else { "" }
    ));
    match source.georeference() {
        Ok(Some(place)) => {
            let grid = place.transform;
            voice.line(format_args!(
                "place       north-west corner ({}, {}), pixels of {} × {}{}",
                grid.x0,
                grid.y0,
                grid.pixel.x,
                grid.pixel.y,
                if place.south_up {
                    ", rows go north"
                } else {
                    ""
                }
            ));
        }
        Ok(None) => voice.line("place       not given"),
        Err(error) => voice.line(format_args!("place       {error}")),
    }
    match header.keys.epsg() {
        Some(epsg) => voice.line(format_args!("system      EPSG:{epsg}")),
        None => voice.line("system      not given by an EPSG code"),
    }
    match header.nodata {
        Some(nodata) => voice.line(format_args!("nodata      {nodata}")),
        None => voice.line("nodata      none"),
    }
    let (scale, offset) = (header.scale(0), header.offset(0));
    if (scale, offset) != (1.0, 0.0) {
        voice.line(format_args!("heights     raw · {scale} + {offset}"));
    }
    let mut value = json!({
        "event": "raster",
        "width": header.width,
        "height": header.height,
        "bands": header.n_bands,
        "sample": header.sample.name(),
        "compression": header.compression.name(),
        "epsg": header.keys.epsg(),
        "nodata": header.nodata,
        "scale": scale,
        "offset": offset,
    });
    if u64::from(header.width) * u64::from(header.height) > MOST_PIXELS {
        voice.line("range       not read: the file is too large to read whole");
    } else {
        let summary = Summary::of(&source)?;
        let share = summary.n_void as f64 / summary.n_pixels as f64;
        if summary.n_void == summary.n_pixels {
            voice.line("range       all of it is void");
        } else {
            voice.line(format_args!(
                "range       {} … {}, mean {:.4}; {:.3} % void",
                summary.lowest,
                summary.highest,
                summary.mean(),
                share * 100.0
            ));
            value["range"] = json!([summary.lowest, summary.highest]);
            value["mean"] = json!(summary.mean());
        }
        value["void_share"] = json!(share);
    }
    voice.json(&value);
    Ok(())
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

fn world(path: &Path, voice: Voice) -> Result<(), CliError> {
    let world = Finished::open(path)?;
    let manifest = world.manifest();
    let grid = &manifest.grid;
    voice.line(format_args!(
        "{}, revision {}",
        path.display(),
        manifest.revision
    ));
    voice.line(format_args!(
        "map         {} × {} pixels of {} × {} m from ({}, {})",
        grid.width, grid.height, grid.pixel[0], grid.pixel[1], grid.x0, grid.y0
    ));
    voice.line(format_args!("strata      {}", manifest.strata.join(", ")));
    if !manifest.edits.is_empty() {
        voice.line(format_args!("edits       {}", manifest.edits.len()));
    }
    voice.line(format_args!(
        "tiles       {} of {} pixels; distances up to {} m",
        manifest.weights.len(),
        grid.tile_size,
        manifest.edges.max_distance
    ));
    let total: u64 = manifest.artefacts().map(|artefact| artefact.bytes).sum();
    let mut plants = serde_json::Map::new();
    for (idx, species) in manifest.species.iter().enumerate() {
        let n: u64 = manifest.chunks.iter().map(|chunk| chunk.plants[idx]).sum();
        voice.line(format_args!("{:>10}  {}", thousands(n), species.name));
        plants.insert(species.name.clone(), n.into());
    }
    voice.line(format_args!(
        "chunks      {} with plants",
        manifest.chunks.len()
    ));
    voice.line(format_args!("on disk     {}", bytes(total)));
    voice.json(&json!({
        "event": "world",
        "revision": manifest.revision,
        "map": [grid.width, grid.height],
        "strata": manifest.strata,
        "plants": plants,
        "bytes": total,
    }));
    Ok(())
}

fn world_digest(path: &Path) -> Result<(), CliError> {
    let digests = ecotone_interchange::digests(&Finished::open(path)?)?;
    // In the order of the definition, which a map of JSON does not keep.
    print(format_args!(
        r#"{{"weights":"{}","sdf":"{}","plants":"{}"}}"#,
        digests.weights, digests.sdf, digests.plants
    ));
    Ok(())
}
