//! Small worlds made without a bake: slow and obvious, through the store's own writer.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use ecotone_grid::{GeoKeys, GeoTransform, PixelSize, Raster, Rect, TileGrid, slope_degrees};
use ecotone_store::*;

pub const STRATA: [&str; 4] = ["meadow", "scree", "rock", "road"];
pub const MAX_DISTANCE: f64 = 32.0;

/// A world's size and how it is cut.
#[derive(Clone, Copy)]
pub struct Shape {
    pub width: u32,
    pub height: u32,
    pub tile: u32,
    pub chunk_m: i64,
    pub pixel: f64,
    pub plants: bool,
}

pub const SMALL: Shape = Shape {
    width: 70,
    height: 50,
    tile: 32,
    chunk_m: 64,
    pixel: 2.0,
    plants: true,
};

/// What a world is made of, whole.
pub struct Whole {
    pub weights: Raster<u8>,
    pub sdf: Raster<i16>,
    /// Each species' plants.
    pub plants: [Vec<PlantRecord>; 2],
}

pub fn transform(shape: Shape) -> GeoTransform {
    GeoTransform {
        x0: -100.0,
        y0: 2000.0,
        pixel: PixelSize {
            x: shape.pixel,
            y: shape.pixel,
        },
    }
}

pub fn species() -> Vec<SpeciesRecord> {
    let record = |name: &str, variants: &[&str]| SpeciesRecord {
        name: name.into(),
        size_step: 2.0 / 65535.0,
        variants: variants.iter().map(|v| (*v).to_owned()).collect(),
        spacing: 0.0,
        footprint: 0.0,
    };
    vec![
        record("spruce", &["spruce_a", "spruce_b"]),
        record("birch", &[]),
    ]
}

fn draw(x: i64, y: i64, purpose: u64) -> f64 {
    let hash = ecotone_grid::mix(ecotone_grid::mix(x as u64 ^ (purpose << 40)) ^ y as u64);
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

fn noise(x: f64, y: f64) -> f64 {
    let (i, j) = (x.floor(), y.floor());
    let smooth = |t: f64| t * t * t * (t * (6.0 * t - 15.0) + 10.0);
    let (u, v) = (smooth(x - i), smooth(y - j));
    let at = |a: f64, b: f64| draw((i + a) as i64, (j + b) as i64, 1);
    (at(0.0, 0.0) * (1.0 - u) + at(1.0, 0.0) * u) * (1.0 - v)
        + (at(0.0, 1.0) * (1.0 - u) + at(1.0, 1.0) * u) * v
}

pub fn height(x: f64, y: f64) -> f64 {
    (0..7)
        .map(|k| {
            noise(
                x / 220.0 * f64::from(1 << k) + 7.0,
                y / 220.0 * f64::from(1 << k),
            ) * 130.0
                / 2.1_f64.powi(k)
        })
        .sum()
}

fn is_void(x: i64, y: i64, shape: Shape) -> bool {
    let (dx, dy) = (
        x as f64 - 0.8 * f64::from(shape.width),
        y as f64 - 0.7 * f64::from(shape.height),
    );
    (dx * dx + dy * dy).sqrt() < 0.06 * f64::from(shape.width) && shape.width > 3
}

pub fn heights(shape: Shape) -> Raster<f64> {
    let rect = Rect::new(0, 0, i64::from(shape.width), i64::from(shape.height));
    let mut out = Raster::new(rect, 1, f64::NAN);
    for y in 0..rect.y1 {
        for x in 0..rect.x1 {
            if !is_void(x, y, shape) {
                out.row_mut(0, y)[x as usize] =
                    height(x as f64 * shape.pixel, y as f64 * shape.pixel);
            }
        }
    }
    out
}

fn stratum_weights(shape: Shape, x: i64, y: i64) -> [u8; 4] {
    let at =
        |dx: i64, dy: i64| height((x + dx) as f64 * shape.pixel, (y + dy) as f64 * shape.pixel);
    let step = 2.0 * shape.pixel;
    let slope = slope_degrees(
        (at(1, 0) - at(-1, 0)) / step,
        (at(0, 1) - at(0, -1)) / step,
        1.0,
    );
    let ramp = |v: f64, at: f64, wide: f64| ((v - at) / wide + 0.5).clamp(0.0, 1.0);
    let bend =
        f64::from(shape.height) * (0.5 + 0.25 * (x as f64 / f64::from(shape.width) * 7.0).sin());
    let road = 1.0 - ramp((y as f64 - bend).abs() * shape.pixel, 4.0, 2.0);
    let rock = ramp(slope, 46.0, 8.0);
    let scree = ramp(slope, 36.0, 8.0) - rock;
    let byte = |w: f64| ((1.0 - road) * w * 255.0).floor() as u8;
    let (scree, rock, road) = (byte(scree), byte(rock), (road * 255.0).floor() as u8);
    [255 - scree - rock - road, scree, rock, road]
}

pub fn whole(shape: Shape) -> Whole {
    let rect = Rect::new(0, 0, i64::from(shape.width), i64::from(shape.height));
    let mut weights = Raster::new(rect, 4, 0);
    for y in 0..rect.y1 {
        for x in 0..rect.x1 {
            if !is_void(x, y, shape) {
                let found = stratum_weights(shape, x, y);
                (0..4).for_each(|band| weights.row_mut(band, y)[x as usize] = found[band]);
            }
        }
    }
    let mut sdf = Raster::new(rect, 4, SDF_VOID);
    for band in 0..4 {
        distances(shape, &weights, band, &mut sdf);
    }
    let plants = plants(shape, &weights);
    Whole {
        weights,
        sdf,
        plants,
    }
}

fn distances(shape: Shape, weights: &Raster<u8>, band: usize, out: &mut Raster<i16>) {
    let rect = weights.rect();
    let window = weights.band(band);
    let inside = |x: i64, y: i64| window.at(x, y) >= 128;
    let mut edges = Vec::new();
    for y in 0..rect.y1 {
        for x in 0..rect.x1 {
            let around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)];
            let outer = |&(x, y): &(i64, i64)| {
                rect.contains(x, y) && !is_void(x, y, shape) && !inside(x, y)
            };
            if inside(x, y) && around.iter().any(outer) {
                edges.push((x, y));
            }
        }
    }
    let reach = (MAX_DISTANCE / shape.pixel).ceil() as i64 + 1;
    let mut squared = vec![i64::MAX; rect.area()];
    for (ex, ey) in edges {
        for y in (ey - reach).max(0)..(ey + reach + 1).min(rect.y1) {
            for x in (ex - reach).max(0)..(ex + reach + 1).min(rect.x1) {
                let at = &mut squared[y as usize * rect.width() + x as usize];
                *at = (*at).min((x - ex).pow(2) + (y - ey).pow(2));
            }
        }
    }
    for y in 0..rect.y1 {
        for x in (0..rect.x1).filter(|&x| !is_void(x, y, shape)) {
            let d = (squared[y as usize * rect.width() + x as usize] as f64).sqrt() * shape.pixel;
            let steps = (d.min(MAX_DISTANCE) / MAX_DISTANCE * 32767.0).round() as i16;
            out.row_mut(band, y)[x as usize] = if inside(x, y) { -steps } else { steps };
        }
    }
}

fn plants(shape: Shape, weights: &Raster<u8>) -> [Vec<PlantRecord>; 2] {
    let mut out = [Vec::new(), Vec::new()];
    if !shape.plants {
        return out;
    }
    let place = transform(shape);
    for (idx, spacing) in [3.4, 5.2].into_iter().enumerate() {
        let (nx, ny) = (
            (f64::from(shape.width) * shape.pixel / spacing) as i64,
            (f64::from(shape.height) * shape.pixel / spacing) as i64,
        );
        for (i, j) in (0..ny).flat_map(|j| (0..nx).map(move |i| (i, j))) {
            let at =
                |k: i64, purpose: u64| (k as f64 + draw(i, j, purpose + 10 * idx as u64)) * spacing;
            let (mx, my) = (at(i, 3), at(j, 4));
            let (x, y) = ((mx / shape.pixel) as i64, (my / shape.pixel) as i64);
            let here = if weights.rect().contains(x, y) {
                weights.band(0).at(x, y)
            } else {
                0
            };
            let clump = noise(mx / 60.0 + 90.0 * idx as f64, my / 60.0);
            if here < 140 || clump < 0.45 {
                continue;
            }
            let steps = |m: f64| (m * 1024.0).floor() as i64;
            out[idx].push(PlantRecord {
                x: steps(place.x0 + mx),
                y: steps(place.y0 - my),
                z_mm: (height(mx, my) * 1000.0) as i32,
                size: (20000.0 + 22000.0 * draw(i, j, 5)) as u16,
                yaw: (draw(i, j, 6) * 65536.0) as u16,
                up: encode_up([0.1, 0.0, 1.0]),
                variant: if idx == 0 {
                    (draw(i, j, 7) * 2.0) as u8
                } else {
                    0
                },
                tint: (draw(i, j, 8) * 256.0) as u8,
            });
        }
    }
    out
}

pub fn manifest(shape: Shape, heights: &Path) -> Manifest {
    Manifest {
        format: FORMAT_VERSION,
        revision: 0,
        program: "a test".into(),
        grid: GridRecord::new(
            TileGrid::new(shape.width, shape.height, shape.tile),
            &transform(shape),
            &GeoKeys::default(),
        ),
        source: None,
        heights: vec![HeightsRecord {
            path: heights.display().to_string(),
            scale: None,
            offset: None,
            nodata: None,
            ..HeightsRecord::default()
        }],
        patches: Vec::new(),
        edits: Vec::new(),
        config: ConfigRecord {
            path: "world.toml".into(),
            digest: "0".into(),
        },
        strata: STRATA.map(str::to_owned).to_vec(),
        edges: EdgesRecord {
            threshold: 0.5,
            max_distance: MAX_DISTANCE,
            scale: MAX_DISTANCE / 32767.0,
            nodata: SDF_VOID,
        },
        species: species(),
        chunk_size: shape.chunk_m * STEPS_PER_METRE,
        compression: Compression::Zstd,
        weights: vec![],
        sdf: vec![],
        fields: BTreeMap::new(),
        chunks: vec![],
    }
}

/// Writes a world and the heights beside it.
pub fn write(dir: &Path, shape: Shape, whole: &Whole) {
    let heights_path = dir.with_extension("heights.tif");
    let header = TileHeader {
        transform: transform(shape),
        geo_keys: GeoKeys::default(),
        bands: vec![BandHeader::plain("height")],
        nodata: Some(f64::NAN),
    };
    std::fs::write(
        &heights_path,
        encode_tiff(&heights(shape), &header, Compression::Zstd).unwrap(),
    )
    .unwrap();

    let mut manifest = manifest(shape, &heights_path);
    let mut writer = WorldWriter::open(dir).unwrap();
    manifest.weights = raster(&mut writer, &manifest, &Stage::Weights, &whole.weights);
    manifest.sdf = raster(&mut writer, &manifest, &Stage::Sdf, &whole.sdf);
    manifest.chunks = chunks(&mut writer, &manifest, whole);
    writer.commit(manifest).unwrap();
}

fn raster<T: Sample + Default>(
    writer: &mut WorldWriter,
    manifest: &Manifest,
    stage: &Stage,
    whole: &Raster<T>,
) -> Vec<Artefact> {
    let grid = manifest.grid.tiles();
    let header = manifest.raster(stage).unwrap().1;
    let mut artefacts = Vec::new();
    for tile in grid.tiles() {
        let mut part = Raster::new(grid.rect(tile), whole.n_bands(), T::default());
        (0..whole.n_bands()).for_each(|band| part.paste(band, whole.band(band)));
        let bytes = encode_tiff(&part, &header, Compression::Zstd).unwrap();
        artefacts.push(
            writer
                .put(stage, i64::from(tile.x), i64::from(tile.y), &bytes)
                .unwrap(),
        );
    }
    artefacts
}

fn chunks(writer: &mut WorldWriter, manifest: &Manifest, whole: &Whole) -> Vec<ChunkArtefact> {
    let size = manifest.chunk_size;
    let mut by_chunk = BTreeMap::<(i64, i64), [Vec<PlantRecord>; 2]>::new();
    for (idx, plants) in whole.plants.iter().enumerate() {
        for plant in plants {
            let place = (chunk_index(plant.y, size), chunk_index(plant.x, size));
            by_chunk.entry(place).or_default()[idx].push(*plant);
        }
    }
    let mut artefacts = Vec::new();
    for ((y, x), plants) in by_chunk {
        let counts = plants.iter().map(|plants| plants.len() as u64).collect();
        let species = species().into_iter().zip(plants);
        let species = species.map(|(s, plants)| ChunkSpecies {
            name: s.name,
            size_step: s.size_step,
            variants: s.variants,
            plants,
        });
        let bytes = encode(&Chunk {
            x,
            y,
            size,
            species: species.collect(),
        })
        .unwrap();
        let artefact = writer.put(&Stage::Vegetation, x, y, &bytes).unwrap();
        artefacts.push(ChunkArtefact {
            artefact,
            plants: counts,
        });
    }
    artefacts
}
