//! What a bake commits: the manifest, first without files, then with them.

use std::path::Path;

use ecotone_geotiff::{Mosaic, Part, Patch, Patched};
use ecotone_store::{
    AlphaRecord, ChunkArtefact, Compression, ConfigRecord, EdgesRecord, Entry, FORMAT_VERSION,
    FieldRecord, GeoKeysRecord, GridRecord, HeightsRecord, Manifest, PatchRecord, PatchWord,
    RawRecord, RawWord, SDF_VOID, SourceRecord, SpeciesRecord, Stage, content_digest,
};

use crate::config::{
    self, Alpha, Compression as CompressionWord, Field, Loaded, PatchMode, RawType, Species,
    Terrain,
};
use crate::density;
use crate::inputs::Inputs;
use crate::plan::Plan;
use crate::rules::{Rules, by_name};

/// Steps of a stored size, from 0 to the largest size of the species.
const SIZE_STEPS: f64 = 65535.0;

/// The manifest of a bake that has written nothing yet.
pub(crate) fn blank(loaded: &Loaded, plan: &Plan, inputs: &Inputs, rules: &Rules) -> Manifest {
    let config = &loaded.config;
    Manifest {
        format: FORMAT_VERSION,
        revision: 0,
        program: concat!("ecotone ", env!("CARGO_PKG_VERSION")).to_owned(),
        grid: GridRecord::new(plan.tiles, &plan.transform, &inputs.keys),
        source: source_record(inputs),
        heights: height_records(&config.terrain, inputs.heights.layers().base()),
        patches: patch_records(&config.terrain, inputs.heights.layers()),
        edits: inputs.edits.clone(),
        config: ConfigRecord {
            path: absolute(&loaded.path),
            digest: content_digest(loaded.text.as_bytes()),
        },
        strata: config.bands().map(|s| s.name.clone()).collect(),
        edges: EdgesRecord {
            threshold: config.edges.threshold,
            max_distance: config.edges.max_distance,
            scale: rules.bound.scale(),
            nodata: SDF_VOID,
        },
        species: by_name(config)
            .map(|(_, species)| species_record(species))
            .collect(),
        chunk_size: plan.chunks.size,
        compression: match config.output.compression {
            CompressionWord::Zstd => Compression::Zstd,
            CompressionWord::Deflate => Compression::Deflate,
            CompressionWord::None => Compression::None,
        },
        weights: Vec::new(),
        sdf: Vec::new(),
        fields: rules
            .fields
            .iter()
            .map(|field| {
                let (name, bands): (_, &[&str]) = match field {
                    Field::Slope => ("slope", &["slope"]),
                    Field::Normals => ("normals", &["x", "y", "z"]),
                };
                let record = FieldRecord {
                    bands: bands.iter().map(|&band| band.to_owned()).collect(),
                    scales: Vec::new(),
                    tiles: Vec::new(),
                };
                (name.to_owned(), record)
            })
            .chain(densities(rules))
            .collect(),
        chunks: Vec::new(),
    }
}

/// The raster of the species that are written as a density, if any are.
fn densities(rules: &Rules) -> Option<(String, FieldRecord)> {
    let grasses = &rules.grasses;
    let record = FieldRecord {
        bands: grasses.iter().map(|own| own.name.clone()).collect(),
        scales: grasses
            .iter()
            .map(|own| density::step(own, rules.normals.pixel))
            .collect(),
        tiles: Vec::new(),
    };
    (!grasses.is_empty()).then(|| (density::FIELD.to_owned(), record))
}

/// The same file by whatever name: a world does not depend on how its config was called.
fn absolute(path: &Path) -> String {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    path.display().to_string()
}

fn height_records(terrain: &Terrain, map: &Mosaic) -> Vec<HeightsRecord> {
    let is_mosaic = map.parts().len() > 1;
    let record = |part: &Part| HeightsRecord {
        path: absolute(part.path()),
        at: is_mosaic.then(|| [part.rect().x0, part.rect().y0]),
        band: Some(terrain.band).filter(|&band| band > 1),
        scale: terrain.scale,
        offset: terrain.offset,
        range: terrain.range,
        nodata: terrain.nodata,
        raw: terrain.raw.map(raw_record),
    };
    map.parts().iter().map(record).collect()
}

fn raw_record(raw: config::Raw) -> RawRecord {
    RawRecord {
        width: raw.width,
        height: raw.height,
        sample: match raw.sample {
            RawType::U8 => RawWord::U8,
            RawType::U16 => RawWord::U16,
            RawType::I16 => RawWord::I16,
            RawType::F32 => RawWord::F32,
        },
        big_endian: raw.byte_order == config::ByteOrder::Big,
    }
}

fn patch_records(terrain: &Terrain, map: &Patched) -> Vec<PatchRecord> {
    let record = |(patch, given): (&Patch, &config::Patch)| PatchRecord {
        file: HeightsRecord {
            path: absolute(patch.heights().path()),
            at: Some([patch.rect().x0, patch.rect().y0]),
            scale: given.scale,
            offset: given.offset,
            range: given.range,
            nodata: given.nodata,
            ..HeightsRecord::default()
        },
        mode: match given.mode {
            PatchMode::Replace => PatchWord::Replace,
            PatchMode::Add => PatchWord::Add,
            PatchMode::Max => PatchWord::Max,
            PatchMode::Min => PatchWord::Min,
        },
        alpha: match (patch.alpha(), &given.alpha) {
            (Some(shares), _) => AlphaRecord::File(absolute(shares.parts()[0].path())),
            (None, Some(Alpha::Everywhere(share))) => AlphaRecord::Everywhere(*share),
            (None, _) => AlphaRecord::Everywhere(1.0),
        },
    };
    map.patches()
        .iter()
        .zip(&terrain.patches)
        .map(record)
        .collect()
}

fn species_record(species: &Species) -> SpeciesRecord {
    let [_, largest] = species.size_bounds();
    SpeciesRecord {
        name: species.name.clone(),
        size_step: largest / SIZE_STEPS,
        variants: species.variants.keys().cloned().collect(),
        spacing: species.effective_spacing(),
        footprint: species.footprint,
    }
}

fn source_record(inputs: &Inputs) -> Option<SourceRecord> {
    let (grid, keys) = inputs.overruled.as_ref()?;
    Some(SourceRecord {
        transform: [grid.x0, grid.pixel.x, 0.0, grid.y0, 0.0, -grid.pixel.y],
        epsg: keys.epsg(),
        geo_keys: GeoKeysRecord::new(keys),
    })
}

/// The manifest with all that was written, each list by row then column.
pub(crate) fn filled(mut manifest: Manifest, entries: &[Entry]) -> Manifest {
    for entry in entries {
        for (stage, artefact) in entry.files.iter().cloned() {
            match stage {
                Stage::Weights => manifest.weights.push(artefact),
                Stage::Sdf => manifest.sdf.push(artefact),
                Stage::Field(name) => {
                    if let Some(field) = manifest.fields.get_mut(&name) {
                        field.tiles.push(artefact);
                    }
                }
                Stage::Edits => {}
                Stage::Vegetation => manifest.chunks.push(ChunkArtefact {
                    artefact,
                    plants: entry.plants.clone(),
                }),
            }
        }
    }
    let fields = manifest.fields.values_mut().map(|field| &mut field.tiles);
    for tiles in [&mut manifest.weights, &mut manifest.sdf]
        .into_iter()
        .chain(fields)
    {
        tiles.sort_by_key(|tile| (tile.y, tile.x));
    }
    manifest
        .chunks
        .sort_by_key(|chunk| (chunk.artefact.y, chunk.artefact.x));
    manifest
}

/// What the height map and its patches are, in lines for people.
pub(crate) fn describe_heights(map: &Patched) -> Vec<String> {
    let patches = map.patches().iter().map(|patch| describe(patch.heights()));
    std::iter::once(describe(map.base()))
        .chain(patches)
        .collect()
}

/// What a map is, in a line for people; of many files, the first and the last.
pub(crate) fn describe(map: &Mosaic) -> String {
    let parts = map.parts();
    let (first, last) = (&parts[0], &parts[parts.len() - 1]);
    let files = match parts.len() {
        1 => first.path().display().to_string(),
        n => format!(
            "{} … {}, {n} files",
            first.path().display(),
            last.path().display()
        ),
    };
    let (rect, sample) = (map.rect(), first.sample().name());
    format!("{files} ({} × {}, {sample})", rect.width(), rect.height())
}
