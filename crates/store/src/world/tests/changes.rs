//! What a commit says it changed.

use std::collections::BTreeMap;

use super::*;

#[test]
fn a_commit_says_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    bake(dir.path(), 7, &[oak(1, 3), oak(2, 3), oak(3, 3)]).unwrap();
    let second = bake(dir.path(), 8, &[oak(1, 4), oak(2, 3), oak(4, 3), oak(5, 3)])
        .unwrap()
        .changed;
    let oaks = PlantChanges {
        added: 2,
        gone: 1,
        changed: 1,
    };
    let plants = Some(oaks);
    assert_eq!(
        (second.from, second.to, second.plants),
        (Some(1), 2, plants)
    );
    let species = BTreeMap::from([("oak".to_owned(), oaks)]);
    assert_eq!(second.species, species);
    let chunk = ChunkChange {
        x: 0,
        y: 0,
        plants,
        species,
    };
    assert_eq!(second.chunks, [chunk]);
    // The tile: four pixels of 2 m from (500, 900); the chunk: 64 m from (0, 0).
    assert_eq!(second.bounds, Some([0.0, 0.0, 508.0, 900.0]));
    let tiles: Vec<_> = second.tiles.iter().collect();
    assert_eq!(tiles, [(&"weights".to_owned(), &vec![[0, 0]])]);
    let stored = std::fs::read(dir.path().join("rev/2/changed.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Changed>(&stored).unwrap(), second);
}

#[test]
fn chunks_cut_anew_do_not_pretend_to_know_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    bake(dir.path(), 1, &[oak(1, 3)]).unwrap();
    let mut writer = WorldWriter::open(dir.path()).unwrap();
    let mut manifest = fill(&mut writer, 1, &[oak(1, 3)]).unwrap();
    manifest.chunk_size *= 2;
    let mut whole = chunk(&[oak(1, 3)]);
    whole.push(0);
    manifest.chunks[0].artefact = writer.put(&Stage::Vegetation, 0, 0, &whole).unwrap();
    let changed = writer.commit(manifest).unwrap().changed;
    assert_eq!((changed.plants, changed.chunks.len()), (None, 1));
    assert_eq!(changed.bounds, Some([0.0, 0.0, 128.0, 128.0]));

    // The byte too many is what a reader trips over, and it says in which file.
    let world = World::open(dir.path()).unwrap();
    let refused = world
        .chunk(&world.manifest().chunks[0], |_| ())
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains(&world.manifest().chunks[0].artefact.file),
        "{refused}"
    );
}

#[test]
fn a_commit_does_not_need_the_chunk_it_replaces() {
    let dir = tempfile::tempdir().unwrap();
    bake(dir.path(), 1, &[oak(1, 3)]).unwrap();
    let world = World::open(dir.path()).unwrap();
    let path = world.path(&world.manifest().chunks[0].artefact).unwrap();
    std::fs::remove_file(path).unwrap();
    let changed = bake(dir.path(), 1, &[oak(2, 3)]).unwrap().changed;
    assert_eq!(
        changed.chunks,
        [ChunkChange {
            x: 0,
            y: 0,
            plants: None,
            species: BTreeMap::new(),
        }]
    );
    assert_eq!(check_whole(dir.path()), 2);
}
