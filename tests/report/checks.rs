//! The checks find what was tampered with, and nothing in a sound world.

use super::*;

fn void() -> CheckKind {
    CheckKind::Void { species: None }
}

fn roots() -> CheckKind {
    CheckKind::Roots {
        species: None,
        tolerance_m: 0.01,
        sinks_m: Default::default(),
    }
}

fn overlap() -> CheckKind {
    let footprints = [("oak", 1.5), ("pine", 1.2), ("fern", 0.6)];
    CheckKind::Overlap {
        footprints_m: footprints.map(|(name, m)| (name.to_owned(), m)).into(),
    }
}

/// Oaks keep 3 m from roads, over a ramp of 2 m: none stands nearer than 2.
fn keep_off() -> CheckKind {
    CheckKind::KeepOff {
        stratum: "road".into(),
        distance_m: 2.0,
        species: Some("oak".into()),
    }
}

/// All plants of a chunk.
fn chunk(world: &World, artefact: &ChunkArtefact) -> Chunk {
    let read = world.chunk(artefact, |view| Chunk {
        x: view.index().0,
        y: view.index().1,
        size: view.size(),
        species: view
            .species()
            .iter()
            .map(|species| ChunkSpecies {
                name: species.name().to_owned(),
                size_step: species.size_step(),
                variants: species
                    .variants()
                    .iter()
                    .map(|&name| name.to_owned())
                    .collect(),
                plants: species.plants().collect(),
            })
            .collect(),
    });
    read.unwrap()
}

/// Commits the world again with something changed in it.
fn tamper(place: &Place, change: impl FnOnce(&mut WorldWriter, &World, &mut Manifest)) {
    let mut writer = WorldWriter::open(&place.path(OUT)).unwrap();
    let world = World::open(&place.path(OUT)).unwrap();
    let mut manifest = world.manifest().clone();
    change(&mut writer, &world, &mut manifest);
    assert!(writer.commit(manifest).unwrap().is_new);
}

/// Changes a plant of a species in the chunk that holds a place; returns where it stands now.
fn move_plant(
    place: &Place,
    species: &str,
    near: [f64; 2],
    change: impl Fn(&mut PlantRecord, &Chunk),
) -> [f64; 2] {
    let mut at = [0.0; 2];
    tamper(place, |writer, world, manifest| {
        let of =
            |metres: f64| ecotone_store::chunk_index((metres * 1024.0) as i64, manifest.chunk_size);
        let key = near.map(of);
        let found = manifest
            .chunks
            .iter_mut()
            .find(|c| [c.artefact.x, c.artefact.y] == key);
        let found = found.unwrap();
        let mut plants = chunk(world, found);
        let whole = plants.clone();
        let own = plants
            .species
            .iter_mut()
            .find(|s| s.name == species)
            .unwrap();
        let plant = own.plants.first_mut().unwrap();
        change(plant, &whole);
        at = [plant.x, plant.y].map(|steps| steps as f64 / 1024.0);
        let bytes = encode(&plants).unwrap();
        found.artefact = writer
            .put(&Stage::Vegetation, key[0], key[1], &bytes)
            .unwrap();
    });
    at
}

#[track_caller]
fn check_offender(verdict: &Verdict, species: &str, [x, y]: [f64; 2]) {
    assert!(!verdict.passed && verdict.is_failure(), "{verdict:?}");
    assert_eq!(verdict.faults, 1, "{verdict:?}");
    let offender = &verdict.offenders[0];
    let found = (offender.species.as_deref(), offender.x, offender.y);
    assert_eq!(found, (Some(species), x, y), "{}", offender.what);
}

#[test]
fn a_sound_world_passes_every_check() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    for kind in [void(), roots(), overlap(), keep_off(), CheckKind::Seams] {
        let verdict = verdict(&place, kind);
        assert!(verdict.passed && verdict.faults == 0, "{verdict:?}");
        assert!(verdict.examined > 0, "{verdict:?}");
    }
}

#[test]
fn a_plant_on_a_void_is_named() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    // The disc of void around pixel (40, 33).
    let hole = [1040.5, 1966.5];
    let at = move_plant(&place, "pine", hole, |plant, _| {
        [plant.x, plant.y] = hole.map(|m| (m * 1024.0) as i64);
    });
    assert_eq!(at, hole);
    check_offender(&verdict(&place, void()), "pine", hole);
}

#[test]
fn a_floating_root_is_named() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    let at = move_plant(&place, "fern", [1090.0, 1960.0], |plant, _| {
        plant.z_mm += 12
    });
    let found = verdict(&place, roots());
    check_offender(&found, "fern", at);
    assert!(
        found.offenders[0].what.contains("0.012 m above"),
        "{found:?}"
    );
}

#[test]
fn a_plant_may_stand_as_deep_as_its_species_is_sunk() {
    let place = hills();
    let sunk = config_text(64, 60.0).replace("align = 0.4", "align = 0.4\nsink = [0.2, 0.3]");
    place.bake(&sunk, 2, OUT).unwrap();
    let with = |sinks: &[[f64; 2]]| CheckKind::Roots {
        species: Some("oak".into()),
        tolerance_m: 0.0,
        sinks_m: sinks.iter().map(|&sink| ("oak".into(), sink)).collect(),
    };
    assert!(verdict(&place, with(&[[0.2, 0.3]])).passed);
    for other in [&[][..], &[[0.2, 0.25]], &[[0.25, 0.3]]] {
        assert!(!verdict(&place, with(other)).passed, "{other:?}");
    }
    // The config's own numbers are those that a check goes by.
    let check = "[[check]]\nkind = \"roots\"\ntolerance = 0\n";
    let found = bake(&place, &format!("{sunk}{check}"), &[]);
    assert_eq!(found.status.code(), Some(0), "{}", stderr(&found));
}

#[test]
fn footprints_that_overlap_are_named_once() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    let pines = |chunk: &Chunk| {
        chunk
            .species
            .iter()
            .find(|s| s.name == "pine")
            .unwrap()
            .plants[0]
    };
    move_plant(&place, "fern", [1090.0, 1960.0], |plant, chunk| {
        // Between the two it stands nearest to the pine, and nothing else may be as near as 0.1 m.
        let pine = pines(chunk);
        (plant.x, plant.y) = (pine.x + 100, pine.y);
    });
    let found = verdict(&place, overlap());
    assert!(!found.passed, "{found:?}");
    let whats: Vec<&str> = found.offenders.iter().map(|o| o.what.as_str()).collect();
    let near = whats
        .iter()
        .filter(|what| what.starts_with("0.098 m from a fern"));
    assert_eq!(near.count(), 1, "{whats:?}");
}

#[test]
fn a_plant_on_the_road_is_named() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    // The road's middle line is x = 0.8 y + 20 in pixels.
    let road = [1060.5, 1949.5];
    move_plant(&place, "oak", road, |plant, _| {
        [plant.x, plant.y] = road.map(|m| (m * 1024.0) as i64);
    });
    let found = verdict(&place, keep_off());
    check_offender(&found, "oak", road);
    assert!(
        found.offenders[0].what.ends_with("inside road"),
        "{found:?}"
    );
}

/// Writes a tile of a raster stage anew.
fn tamper_tile<T: ecotone_store::Sample + ecotone_geotiff::Sample>(
    place: &Place,
    stage: Stage,
    change: impl Fn(&mut Raster<T>),
) {
    tamper(place, |writer, world, manifest| {
        let (_, header) = manifest.raster(&stage).unwrap();
        let tiles = match stage {
            Stage::Weights => &mut manifest.weights,
            _ => &mut manifest.sdf,
        };
        let tile = tiles
            .iter_mut()
            .find(|tile| (tile.x, tile.y) == (1, 0))
            .unwrap();
        let path = world.path(tile).unwrap();
        let blocks = std::sync::Arc::new(ecotone_geotiff::BlockCache::new(0));
        let source = ecotone_geotiff::Source::open(&path, &Default::default(), blocks).unwrap();
        let stored: Raster<T> = source.read_all().unwrap();
        let grid = manifest.grid.tiles();
        let rect = grid.rect(ecotone_grid::TileId { x: 1, y: 0 });
        let mut raster = Raster::from_pixels(rect, stored.n_bands(), stored.into_pixels());
        change(&mut raster);
        let bytes = encode_tiff(&raster, &header, manifest.compression).unwrap();
        *tile = writer.put(&stage, 1, 0, &bytes).unwrap();
    });
}

#[test]
fn a_tile_that_does_not_fit_its_neighbours_shows() {
    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    // Every pixel changes hands between meadow and rock.
    tamper_tile::<u8>(&place, Stage::Weights, |raster| {
        let (meadow, rock) = (
            raster.band(0).pixels().to_vec(),
            raster.band(1).pixels().to_vec(),
        );
        raster.band_mut(0).copy_from_slice(&rock);
        raster.band_mut(1).copy_from_slice(&meadow);
    });
    let found = verdict(&place, CheckKind::Seams);
    assert!(
        !found.passed && (1..=3).contains(&found.faults),
        "{found:?}"
    );

    let place = hills();
    place.bake(&config_text(64, 60.0), 2, OUT).unwrap();
    // One distance beside the border to the west is 3 m off.
    let scale = finished(&place).manifest().edges.scale;
    tamper_tile::<i16>(&place, Stage::Sdf, |raster| {
        let row = raster.row_mut(0, 20);
        row[0] += (3.0 / scale) as i16 * if row[0] > 0 { -1 } else { 1 };
    });
    let found = verdict(&place, CheckKind::Seams);
    assert_eq!(found.faults, 1, "{found:?}");
    // Beside pixel (64, 20).
    let offender = &found.offenders[0];
    assert_eq!((offender.x, offender.y), (1064.0, 1979.5), "{offender:?}");
}
