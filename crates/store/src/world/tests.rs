//! Worlds of a few tiles on the machine's own disk.

#![allow(clippy::unwrap_used)]

mod changes;

use std::path::Path;

use ecotone_grid::{GeoKeys, GeoTransform, PixelSize, Raster, TileGrid};

use super::folder::place_name;
use super::*;
use crate::*;

fn manifest() -> Manifest {
    let transform = GeoTransform {
        x0: 500.0,
        y0: 900.0,
        pixel: PixelSize { x: 2.0, y: 2.0 },
    };
    Manifest {
        format: 0,
        revision: 0,
        program: "ecotone test".into(),
        grid: GridRecord::new(TileGrid::new(5, 4, 4), &transform, &GeoKeys::default()),
        source: None,
        heights: vec![HeightsRecord {
            path: "/maps/heights.tif".into(),
            scale: Some(0.1),
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
        strata: vec!["meadow".into(), "scree".into()],
        edges: EdgesRecord {
            threshold: 0.5,
            max_distance: 64.0,
            scale: 64.0 / 32767.0,
            nodata: SDF_VOID,
        },
        species: vec![SpeciesRecord {
            name: "oak".into(),
            size_step: 0.01,
            variants: vec![],
            spacing: 4.0,
            footprint: 1.0,
        }],
        chunk_size: 64 * 1024,
        compression: Compression::Zstd,
        weights: vec![],
        sdf: vec![],
        fields: Default::default(),
        chunks: vec![],
    }
}

fn oak(x: i64, size: u16) -> PlantRecord {
    PlantRecord {
        x,
        y: 10,
        size,
        ..PlantRecord::default()
    }
}

fn chunk(plants: &[PlantRecord]) -> Vec<u8> {
    let species = ChunkSpecies {
        name: "oak".into(),
        size_step: 0.01,
        variants: vec![],
        plants: plants.to_vec(),
    };
    encode(&Chunk {
        x: 0,
        y: 0,
        size: 64 * 1024,
        species: vec![species],
    })
    .unwrap()
}

/// Two tiles of each stage and one chunk, of which `weight` and `plants` are the content.
fn fill(
    writer: &mut WorldWriter,
    weight: u8,
    plants: &[PlantRecord],
) -> Result<Manifest, StoreError> {
    let mut manifest = manifest();
    manifest.fields.insert(
        "slope".into(),
        FieldRecord {
            bands: vec!["slope".into()],
            scales: vec![],
            tiles: vec![],
        },
    );
    let grid = manifest.grid.tiles();
    let header = |stage: &Stage, manifest: &Manifest| manifest.raster(stage).unwrap().1;
    for tile in grid.tiles() {
        let (x, y, rect) = (i64::from(tile.x), i64::from(tile.y), grid.rect(tile));
        let weights = Raster::new(rect, 2, if x == 0 { weight } else { 1 });
        let bytes = encode_tiff(
            &weights,
            &header(&Stage::Weights, &manifest),
            Compression::Zstd,
        )?;
        manifest
            .weights
            .push(writer.put(&Stage::Weights, x, y, &bytes)?);
        let sdf = Raster::new(rect, 2, SDF_VOID);
        let bytes = encode_tiff(&sdf, &header(&Stage::Sdf, &manifest), Compression::Zstd)?;
        manifest.sdf.push(writer.put(&Stage::Sdf, x, y, &bytes)?);
        let stage = Stage::Field("slope".into());
        let bytes = encode_tiff(
            &Raster::new(rect, 1, 0.5_f32),
            &header(&stage, &manifest),
            Compression::None,
        )?;
        let artefact = writer.put(&stage, x, y, &bytes)?;
        manifest
            .fields
            .get_mut("slope")
            .unwrap()
            .tiles
            .push(artefact);
    }
    let artefact = writer.put(&Stage::Vegetation, 0, 0, &chunk(plants))?;
    manifest.chunks.push(ChunkArtefact {
        artefact,
        plants: vec![plants.len() as u64],
    });
    Ok(manifest)
}

fn bake(dir: &Path, weight: u8, plants: &[PlantRecord]) -> Result<Committed, StoreError> {
    let mut writer = WorldWriter::open(dir)?;
    let manifest = fill(&mut writer, weight, plants)?;
    writer.commit(manifest)
}

/// Reads every artefact of the current revision, and returns its number.
#[track_caller]
fn check_whole(dir: &Path) -> u64 {
    let world = World::open(dir).unwrap();
    for artefact in world.manifest().artefacts() {
        world.read_verified(artefact).unwrap();
    }
    world.check_books().unwrap();
    for name in ["weights.vrt", "sdf.vrt", "slope.vrt", "changed.json"] {
        let folder = world.world.revision(world.manifest().revision);
        assert!(folder.join(name).is_file(), "{name}");
    }
    world.manifest().revision
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_place_has_a_name_on_either_side_of_the_origin() {
    assert_eq!(place_name(3, -12), "x0003_ym0012");
    assert_eq!(place_name(-12_345, 0), "xm12345_y0000");
}

#[test]
fn a_commit_can_be_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let committed = bake(dir.path(), 7, &[oak(1, 3)]).unwrap();
    assert!(
        committed.is_new && committed.warnings.is_empty(),
        "{committed:?}"
    );
    assert_eq!(check_whole(dir.path()), 1);
    let world = World::open(dir.path()).unwrap();
    let mut n_plants = 0;
    world
        .each_chunk(&mut |chunk| n_plants += chunk.species()[0].n_plants())
        .unwrap();
    assert_eq!(n_plants, 1);
    assert_eq!(
        std::fs::read(dir.path().join("world.json")).unwrap(),
        std::fs::read(dir.path().join("rev/1/world.json")).unwrap()
    );
}

#[test]
fn the_same_world_stays_the_same_revision() {
    let dir = tempfile::tempdir().unwrap();
    bake(dir.path(), 7, &[oak(1, 3)]).unwrap();
    std::fs::write(dir.path().join("weights.vrt"), "stale").unwrap();
    let again = bake(dir.path(), 7, &[oak(1, 3)]).unwrap();
    assert_eq!((again.revision, again.is_new), (1, false));
    assert_eq!(files(&dir.path().join("rev")), ["1"]);
    let copy = std::fs::read_to_string(dir.path().join("weights.vrt")).unwrap();
    assert!(copy.contains(">weights/x0000_y0000."), "{copy}");
    let kept = std::fs::read_to_string(dir.path().join("rev/1/weights.vrt")).unwrap();
    assert!(kept.contains(">../../weights/x0000_y0000."), "{kept}");
}

#[test]
fn two_revisions_are_kept_and_their_files_only() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("weights")).unwrap();
    std::fs::write(dir.path().join("weights/notes.txt"), "mine").unwrap();
    for weight in 1..=4 {
        bake(dir.path(), weight, &[oak(1, 3)]).unwrap();
    }
    assert_eq!(files(&dir.path().join("rev")), ["3", "4"]);
    // Two contents of the western tile, one of the eastern, and the stranger.
    assert_eq!(files(&dir.path().join("weights")).len(), 4);
    assert_eq!(files(&dir.path().join("vegetation")).len(), 1);
    assert_eq!(check_whole(dir.path()), 4);
    assert!(World::open_revision(dir.path(), 3).unwrap().is_some());
    assert!(World::open_revision(dir.path(), 2).unwrap().is_none());
}

#[test]
fn a_reader_keeps_its_revision() {
    let dir = tempfile::tempdir().unwrap();
    bake(dir.path(), 1, &[oak(1, 3)]).unwrap();
    let reader = World::open(dir.path()).unwrap();
    for weight in 2..=4 {
        bake(dir.path(), weight, &[oak(1, 3)]).unwrap();
    }
    for artefact in reader.manifest().artefacts() {
        reader.read_verified(artefact).unwrap();
    }
    drop(reader);
    bake(dir.path(), 5, &[oak(1, 3)]).unwrap();
    assert_eq!(files(&dir.path().join("rev")), ["4", "5"]);
}

#[test]
fn a_second_writer_is_told_who_holds_the_world() {
    let dir = tempfile::tempdir().unwrap();
    let _first = WorldWriter::open(dir.path()).unwrap();
    let message = WorldWriter::open(dir.path()).unwrap_err().to_string();
    assert!(
        message.contains(&format!("process {} on ", std::process::id())),
        "{message}"
    );
    assert!(
        message.contains(" since ") && message.contains(" UTC"),
        "{message}"
    );
}

#[test]
fn nothing_is_a_world_before_its_first_commit() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = WorldWriter::open(dir.path()).unwrap();
    fill(&mut writer, 1, &[]).unwrap();
    drop(writer);
    assert!(matches!(
        World::open(dir.path()),
        Err(StoreError::NotAWorld { .. })
    ));
}

#[test]
fn a_writer_dropped_before_its_commit_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    bake(dir.path(), 1, &[oak(1, 3)]).unwrap();
    let mut writer = WorldWriter::open(dir.path()).unwrap();
    let artefacts = fill(&mut writer, 2, &[]).unwrap().weights;
    drop(writer);
    std::fs::write(dir.path().join("weights/.x0000_y0000.tif.tmp"), "torn").unwrap();
    assert_eq!(check_whole(dir.path()), 1);

    let next = WorldWriter::open(dir.path()).unwrap();
    // One weight tile, one chunk, and the unfinished one: no job was noted that names them.
    assert_eq!(next.recovered().n_strays, 3);
    assert!(!next.path(&artefacts[0]).unwrap().exists());
    assert_eq!(files(&dir.path().join("weights")).len(), 2);
}

#[test]
fn an_artefact_that_rotted_is_written_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = WorldWriter::open(dir.path()).unwrap();
    let artefact = writer.put(&Stage::Weights, 0, 0, b"content").unwrap();
    std::fs::write(writer.path(&artefact).unwrap(), b"c0ntent").unwrap();
    assert!(matches!(
        writer.read_verified(&artefact),
        Err(StoreError::WrongDigest { .. })
    ));
    assert_eq!(
        writer.put(&Stage::Weights, 0, 0, b"content").unwrap(),
        artefact
    );
    assert_eq!(writer.read_verified(&artefact).unwrap(), b"content");
}

#[test]
fn a_put_into_what_is_no_folder_fails_and_harms_nothing() {
    let dir = tempfile::tempdir().unwrap();
    bake(dir.path(), 1, &[oak(1, 3)]).unwrap();
    let mut writer = WorldWriter::open(dir.path()).unwrap();
    let (folder, aside) = (dir.path().join("sdf"), dir.path().join("aside"));
    std::fs::rename(&folder, &aside).unwrap();
    std::fs::write(&folder, "a file").unwrap();
    assert!(matches!(
        fill(&mut writer, 2, &[]),
        Err(StoreError::FolderGone { .. })
    ));
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(&aside, &folder).unwrap();
    assert_eq!(check_whole(dir.path()), 1);
}

#[test]
fn a_commit_of_a_file_that_is_not_there_fails() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = WorldWriter::open(dir.path()).unwrap();
    let manifest = fill(&mut writer, 2, &[]).unwrap();
    std::fs::remove_file(writer.path(&manifest.sdf[0]).unwrap()).unwrap();
    assert!(matches!(
        writer.commit(manifest),
        Err(StoreError::MissingArtefact { .. })
    ));
    assert!(!dir.path().join("current").exists());
}

#[test]
fn names_that_leave_the_world_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = WorldWriter::open(dir.path()).unwrap();
    for name in ["..", "a/b", "", "weights", "é", ".hidden"] {
        assert!(
            writer.put(&Stage::Field(name.into()), 0, 0, b"").is_err(),
            "{name}"
        );
    }
    let stray = Artefact {
        x: 0,
        y: 0,
        file: "../x".into(),
        digest: String::new(),
        bytes: 0,
    };
    assert!(matches!(writer.path(&stray), Err(StoreError::Unfit { .. })));
}

#[test]
fn a_manifest_of_another_version_or_none_is_refused() {
    let mut manifest = manifest();
    manifest.format = FORMAT_VERSION + 1;
    let newer = Manifest::from_json(&manifest.to_json(), "world.json");
    assert!(matches!(newer, Err(StoreError::WrongVersion { .. })));
    for text in ["", "{}", "{\"format\":1}", "[1", "{\"format\":1e9}"] {
        let refused = Manifest::from_json(text.as_bytes(), "world.json");
        assert!(matches!(refused, Err(StoreError::Corrupt { .. })), "{text}");
    }
}

#[test]
fn a_manifest_keeps_every_bit_and_a_line_for_each_tile() {
    let mut manifest = manifest();
    manifest.format = FORMAT_VERSION;
    manifest.grid.x0 = 0.1 + 0.2;
    manifest.edges.scale = 1.0 / 3.0;
    let tile = |x| Artefact {
        x,
        y: 0,
        file: format!("weights/{x}"),
        digest: "d".into(),
        bytes: 9,
    };
    manifest.weights = (0..3).map(tile).collect();
    let text = manifest.to_json();
    assert_eq!(Manifest::from_json(&text, "world.json").unwrap(), manifest);
    let text = String::from_utf8(text).unwrap();
    assert_eq!(
        text.lines()
            .filter(|line| line.contains("\"digest\":\"d\""))
            .count(),
        3,
        "{text}"
    );
    assert!(
        text.contains("{\"path\":\"/maps/heights.tif\",\"scale\":0.1}"),
        "{text}"
    );
}

#[test]
fn a_current_that_names_no_revision_stops_readers_and_no_writer() {
    let dir = tempfile::tempdir().unwrap();
    bake(dir.path(), 1, &[oak(1, 3)]).unwrap();
    let whole = std::fs::read_to_string(dir.path().join("current")).unwrap();
    let seven = whole.replacen('1', "7", 1);
    for text in [&seven, "1\n", "one", "", "-1"] {
        std::fs::write(dir.path().join("current"), text).unwrap();
        let message = World::open(dir.path()).unwrap_err().to_string();
        assert!(message.contains("current is damaged"), "{message}");
        assert!(message.contains("`ecotone bake`"), "{message}");
        let writer = WorldWriter::open(dir.path()).unwrap();
        assert_eq!(writer.current().unwrap().revision, 1, "{text:?}");
        assert_eq!(writer.recovered().damaged.len(), 1, "{text:?}");
    }
    let mended = bake(dir.path(), 1, &[oak(1, 3)]).unwrap();
    assert_eq!((mended.revision, mended.is_new), (2, true));
    assert_eq!(check_whole(dir.path()), 2);
}
