//! The Python readers see what the store wrote.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::Command;

use ecotone_grid::{GeoKeys, GeoTransform, PixelSize, Raster, Rect, TileGrid, name_key};
use ecotone_store::*;

/// The interpreter: `ECOTONE_PYTHON`, or the system's.
fn python() -> String {
    std::env::var("ECOTONE_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../integrations/python")
        .join(name)
}

#[track_caller]
fn run(script: &Path, argument: &Path) -> String {
    let out = Command::new(python())
        .arg("-B")
        .arg(script)
        .arg(argument)
        .env("PYTHONIOENCODING", "utf-8")
        .output()
        .expect("python3 is needed by this test");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).unwrap()
}

/// `n` plants of no pattern over a square of `size` steps.
fn plants(n: u64, [west, south]: [i64; 2], size: i64) -> Vec<PlantRecord> {
    let draw = |k: u64, purpose: u64| ecotone_grid::mix(k * 64 + purpose);
    let one = |k| PlantRecord {
        x: west + (draw(k, 0) % size as u64) as i64,
        y: south + (draw(k, 1) % size as u64) as i64,
        z_mm: draw(k, 2) as i32 / 100,
        size: draw(k, 3) as u16,
        yaw: draw(k, 4) as u16,
        up: encode_up([
            draw(k, 5) as i16 as f64,
            draw(k, 6) as i16 as f64,
            draw(k, 7) as u16 as f64,
        ]),
        variant: (draw(k, 8) % 2) as u8,
        tint: draw(k, 9) as u8,
    };
    (0..n).map(one).collect()
}

fn species(name: &str, plants: Vec<PlantRecord>) -> ChunkSpecies {
    ChunkSpecies {
        name: name.into(),
        size_step: 0.001,
        variants: vec!["a".into(), "b".into()],
        plants,
    }
}

#[test]
fn the_reader_gives_every_value() {
    let size = 200 * 1024;
    let corner = [-3 * size, 40_000_000 * size];
    let species = vec![
        species("Föhre", plants(300, corner, size)),
        species("oak", plants(50, corner, size)),
    ];
    let bytes = encode(&Chunk {
        x: -3,
        y: 40_000_000,
        size,
        species,
    })
    .unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("chunk.eco");
    std::fs::write(&path, &bytes).unwrap();

    let text = run(&script("ecotone_chunk.py"), &path);
    let mut lines = text.lines();
    let view = ChunkView::parse(&bytes).unwrap();
    for species in view.species() {
        for plant in species.plants() {
            let line: serde_json::Value = serde_json::from_str(lines.next().unwrap()).unwrap();
            let wanted = serde_json::json!({
                "species": species.name(),
                "id": format!("{:016x}", plant.id(name_key(species.name()))),
                "x": plant.x as f64 / 1024.0,
                "y": plant.y as f64 / 1024.0,
                "z": f64::from(plant.z_mm) / 1000.0,
                "size": f64::from(plant.size) * species.size_step(),
                "yaw": f64::from(plant.yaw) * 360.0 / 65536.0,
                "up": decode_up(plant.up),
                "variant": species.variants()[usize::from(plant.variant)],
                "tint": f64::from(plant.tint) / 255.0,
            });
            assert_eq!(line, wanted);
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn the_reader_is_short() {
    let text = std::fs::read_to_string(script("ecotone_chunk.py")).unwrap();
    assert!(text.lines().count() <= 60);
}

const WIDTH: u32 = 70;
const HEIGHT: u32 = 45;

/// A projected system: GTModelType projected, GTRasterType point, EPSG 25832, metres.
fn keys() -> GeoKeys {
    GeoKeys {
        directory: vec![
            1, 1, 0, 4, 1024, 0, 1, 1, 1025, 0, 1, 2, 3072, 0, 1, 25832, 3076, 0, 1, 9001,
        ],
        doubles: vec![],
        ascii: String::new(),
    }
}

fn weight(band: usize, x: i64, y: i64) -> u8 {
    ecotone_grid::mix((band as u64) << 40 | (y as u64) << 20 | x as u64) as u8
}

fn distance(band: usize, x: i64, y: i64) -> i16 {
    ecotone_grid::mix((band as u64) << 41 | (y as u64) << 20 | x as u64) as i16
}

fn raster<T: Copy>(rect: Rect, at: impl Fn(usize, i64, i64) -> T) -> Raster<T> {
    let pixel = |band| {
        let at = &at;
        (rect.y0..rect.y1).flat_map(move |y| (rect.x0..rect.x1).map(move |x| at(band, x, y)))
    };
    Raster::from_pixels(rect, 2, (0..2).flat_map(pixel).collect())
}

fn empty_manifest(tile_size: u32, chunk_size: i64, compression: Compression) -> Manifest {
    let transform = GeoTransform {
        x0: 500_000.5,
        y0: 5_200_000.25,
        pixel: PixelSize { x: 2.0, y: 1.5 },
    };
    Manifest {
        format: FORMAT_VERSION,
        revision: 0,
        program: "ecotone test".into(),
        grid: GridRecord::new(TileGrid::new(WIDTH, HEIGHT, tile_size), &transform, &keys()),
        source: None,
        heights: vec![],
        patches: Vec::new(),
        edits: Vec::new(),
        config: ConfigRecord {
            path: "world.toml".into(),
            digest: "0".into(),
        },
        strata: vec!["meadow & <scree>".into(), "Föhn".into()],
        edges: EdgesRecord {
            threshold: 0.5,
            max_distance: 64.0,
            scale: 64.0 / 32767.0,
            nodata: SDF_VOID,
        },
        species: vec![],
        chunk_size,
        compression,
        weights: vec![],
        sdf: vec![],
        fields: Default::default(),
        chunks: vec![],
    }
}

fn write_world(dir: &Path, tile_size: u32, chunk_size: i64, compression: Compression) {
    let mut writer = WorldWriter::open(dir).unwrap();
    let mut manifest = empty_manifest(tile_size, chunk_size, compression);
    let (weights, sdf) = (Stage::Weights, Stage::Sdf);
    let header = |stage: &Stage| manifest.raster(stage).unwrap().1;
    let headers = [header(&weights), header(&sdf)];
    let grid = manifest.grid.tiles();
    for tile in grid.tiles() {
        let (x, y, rect) = (i64::from(tile.x), i64::from(tile.y), grid.rect(tile));
        let bytes = encode_tiff(&raster(rect, weight), &headers[0], compression).unwrap();
        manifest
            .weights
            .push(writer.put(&weights, x, y, &bytes).unwrap());
        let bytes = encode_tiff(&raster(rect, distance), &headers[1], compression).unwrap();
        manifest.sdf.push(writer.put(&sdf, x, y, &bytes).unwrap());
    }
    let mut by_chunk = std::collections::BTreeMap::<(i64, i64), [Vec<PlantRecord>; 2]>::new();
    let all = [
        plants(5000, [-300_000; 2], 600_000),
        plants(900, [-200_000; 2], 500_000),
    ];
    for (idx, plants) in all.iter().enumerate() {
        for plant in plants {
            let at = (
                chunk_index(plant.y, chunk_size),
                chunk_index(plant.x, chunk_size),
            );
            by_chunk.entry(at).or_default()[idx].push(*plant);
        }
    }
    for ((y, x), [a, b]) in by_chunk {
        let plants = vec![a.len() as u64, b.len() as u64];
        let species = vec![species("zirbe", a), species("Ahorn", b)];
        let bytes = encode(&Chunk {
            x,
            y,
            size: chunk_size,
            species,
        })
        .unwrap();
        let artefact = writer.put(&Stage::Vegetation, x, y, &bytes).unwrap();
        manifest.chunks.push(ChunkArtefact { artefact, plants });
    }
    writer.commit(manifest).unwrap();
}

/// The canonical plant digest from its definition alone, all in memory.
fn plain_plant_digest() -> String {
    let mut hasher = blake3::Hasher::new();
    let all = [
        ("Ahorn", plants(900, [-200_000; 2], 500_000)),
        ("zirbe", plants(5000, [-300_000; 2], 600_000)),
    ];
    for (name, mut plants) in all {
        plants.sort_by_key(|plant| plant.id(name_key(name)));
        hasher.update(&(name.len() as u32).to_le_bytes());
        hasher.update(name.as_bytes());
        hasher.update(&(plants.len() as u64).to_le_bytes());
        for p in plants {
            hasher.update(&p.id(name_key(name)).to_le_bytes());
            hasher.update(&p.x.to_le_bytes());
            hasher.update(&p.y.to_le_bytes());
            hasher.update(&p.z_mm.to_le_bytes());
            hasher.update(&p.size.to_le_bytes());
            hasher.update(&p.yaw.to_le_bytes());
            hasher.update(&[p.up[0], p.up[1], p.variant, p.tint]);
        }
    }
    hasher.finalize().to_hex().to_string()
}

#[test]
fn the_plant_digest_knows_no_chunks_and_no_passes() {
    for chunk_size in [64 * 1024, 100_000, 1_000_000] {
        let dir = tempfile::tempdir().unwrap();
        write_world(dir.path(), 32, chunk_size, Compression::None);
        let world = World::open(dir.path()).unwrap();
        for plants_per_pass in [1, 700, 1000, 5500, PLANTS_PER_PASS] {
            // One plant a pass visits every chunk thousands of times: once is enough.
            if plants_per_pass > 1 || chunk_size == 1_000_000 {
                let digest = world.plant_digest(plants_per_pass).unwrap();
                assert_eq!(
                    digest,
                    plain_plant_digest(),
                    "{chunk_size} {plants_per_pass}"
                );
            }
        }
    }
}

/// Whether the packages that read rasters are there; says so where they are not.
fn reads_rasters() -> bool {
    let can = Command::new(python())
        .args(["-c", "import numpy, rasterio, blake3"])
        .output();
    let can = can.is_ok_and(|out| out.status.success());
    if !can {
        eprintln!("skipped: needs numpy, rasterio and blake3 (set ECOTONE_PYTHON)");
    }
    can
}

const DESCRIBE: &str = "
import json, rasterio, sys
with rasterio.open(sys.argv[1]) as r:
    print(json.dumps([r.width, r.height, r.descriptions, r.scales, r.nodata, r.crs.to_epsg(), list(r.transform)[:6], r.dtypes[0]]))
";

#[test]
fn rasters_open_with_names_scales_and_place() {
    if !reads_rasters() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    write_world(dir.path(), 32, 65_536, Compression::Zstd);
    let describe = dir.path().join("describe.py");
    std::fs::write(&describe, DESCRIBE).unwrap();
    let check = |file: &str, wanted: serde_json::Value| {
        let found = run(&describe, &dir.path().join(file));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&found).unwrap(),
            wanted,
            "{file}"
        );
    };
    let names = ["meadow & <scree>", "Föhn"];
    let (one, scale) = ([1.0; 2], [64.0 / 32767.0; 2]);
    let map = [2.0, 0.0, 500_000.5, 0.0, -1.5, 5_200_000.25];
    for file in ["weights.vrt", "rev/1/weights.vrt"] {
        check(
            file,
            serde_json::json!([70, 45, names, one, null, 25832, map, "uint8"]),
        );
    }
    for file in ["sdf.vrt", "rev/1/sdf.vrt"] {
        check(
            file,
            serde_json::json!([70, 45, names, scale, -32768.0, 25832, map, "int16"]),
        );
    }
    let world = World::open(dir.path()).unwrap();
    let south_east = world.manifest().sdf.last().unwrap();
    let place = [2.0, 0.0, 500_128.5, 0.0, -1.5, 5_199_952.25];
    check(
        &south_east.file,
        serde_json::json!([6, 13, names, scale, -32768.0, 25832, place, "int16"]),
    );
}

#[test]
fn the_digests_of_a_world_can_be_recomputed_in_python() {
    if !reads_rasters() {
        return;
    }
    let map = Rect::new(0, 0, i64::from(WIDTH), i64::from(HEIGHT));
    let (mut weights, mut sdf) = (RasterDigest::default(), RasterDigest::default());
    weights.feed(raster(map, weight).pixels());
    sdf.feed(raster(map, distance).pixels());
    let wanted = serde_json::json!({
        "weights": weights.finish(), "sdf": sdf.finish(), "plants": plain_plant_digest(),
    });
    for (tile_size, chunk_size, compression) in [
        (32, 65_536, Compression::Zstd),
        (19, 100_000, Compression::Deflate),
        (512, 1_000_000, Compression::None),
    ] {
        let dir = tempfile::tempdir().unwrap();
        write_world(dir.path(), tile_size, chunk_size, compression);
        let text = run(&script("world_digest.py"), dir.path());
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            wanted
        );
    }
}
