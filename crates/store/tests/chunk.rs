//! Chunk files: what goes in comes out, and bad bytes are refused.

#![allow(clippy::unwrap_used)]

use ecotone_grid::name_key;
use ecotone_store::{Chunk, ChunkSpecies, ChunkView, PlantRecord, StoreError, chunk_index, encode};
use proptest::prelude::*;

fn plant(chunk: [i64; 2], size: i64) -> impl Strategy<Value = PlantRecord> {
    let [west, south] = chunk.map(|index| index * size);
    let place = (0..size, 0..size, any::<i32>());
    let looks = (
        any::<u16>(),
        any::<u16>(),
        any::<[u8; 2]>(),
        0..3_u8,
        any::<u8>(),
    );
    (place, looks).prop_map(
        move |((x, y, z_mm), (size, yaw, up, variant, tint))| PlantRecord {
            x: west + x,
            y: south + y,
            z_mm,
            size,
            yaw,
            up,
            variant,
            tint,
        },
    )
}

fn species(name: &str, chunk: [i64; 2], size: i64) -> impl Strategy<Value = ChunkSpecies> + use<> {
    let name = name.to_owned();
    prop::collection::vec(plant(chunk, size), 0..40).prop_map(move |plants| ChunkSpecies {
        name: name.clone(),
        size_step: 0.25,
        variants: ["a", "é", ""].map(str::to_owned).into(),
        plants,
    })
}

fn chunks() -> impl Strategy<Value = Chunk> {
    let sizes = prop_oneof![Just(1), Just(65_536), Just(262_144), 2..300_000_i64];
    (-1_000_000..1_000_000_i64, -3..3_i64, sizes).prop_flat_map(|(x, y, size)| {
        let two = (
            species("zeder", [x, y], size),
            species("ähre", [x, y], size),
        );
        two.prop_map(move |(a, b)| Chunk {
            x,
            y,
            size,
            species: vec![b, a],
        })
    })
}

/// The plants of a species in the order of the file.
fn sorted(species: &ChunkSpecies, chunk: &Chunk) -> Vec<PlantRecord> {
    let side = (chunk.size + 65_535) / 65_536;
    let cell = |p: &PlantRecord| {
        (p.y - chunk.y * chunk.size) / 65_536 * side + (p.x - chunk.x * chunk.size) / 65_536
    };
    let mut plants = species.plants.clone();
    plants.sort_by_key(|p| (cell(p), p.id(name_key(&species.name)), *p));
    plants
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_chunk_comes_back_as_it_was(mut chunk in chunks()) {
        let bytes = encode(&chunk).unwrap();
        let view = ChunkView::parse(&bytes).unwrap();
        prop_assert_eq!((view.index(), view.size()), ((chunk.x, chunk.y), chunk.size));
        chunk.species.retain(|species| !species.plants.is_empty());
        chunk.species.sort_by(|a, b| a.name.cmp(&b.name));
        prop_assert_eq!(view.species().len(), chunk.species.len());
        for (found, wanted) in view.species().iter().zip(&chunk.species) {
            prop_assert_eq!(found.name(), &wanted.name);
            prop_assert_eq!(found.variants(), &wanted.variants);
            prop_assert_eq!(found.plants().collect::<Vec<_>>(), sorted(wanted, &chunk));
        }
        for species in &mut chunk.species {
            species.plants.reverse();
        }
        chunk.species.reverse();
        prop_assert_eq!(encode(&chunk).unwrap(), bytes, "the order of arrival shows");
    }

    #[test]
    fn a_flipped_bit_is_noticed(chunk in chunks(), at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let mut bytes = encode(&chunk).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        prop_assert!(ChunkView::parse(&bytes).is_err());
    }

    #[test]
    fn hostile_bytes_under_a_right_checksum_never_panic(
        chunk in chunks(),
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = encode(&chunk).unwrap();
        let body = bytes.len() - 32;
        for (at, value) in hits {
            // The header and the species table are where a lie does most.
            bytes[8 + at.index(248.min(body - 8))] = value;
        }
        let length = bytes.len() as u64;
        bytes[16..24].copy_from_slice(&length.to_le_bytes());
        let checksum = blake3::hash(&bytes[..body]);
        bytes[body..].copy_from_slice(checksum.as_bytes());
        if let Ok(view) = ChunkView::parse(&bytes) {
            let n: usize = view.species().iter().map(|species| species.plants().count()).sum();
            prop_assert_eq!(n, view.species().iter().map(|s| s.n_plants()).sum::<usize>());
        }
    }
}

fn one_oak(x: i64, y: i64) -> Chunk {
    let plants = vec![PlantRecord {
        x,
        y,
        ..PlantRecord::default()
    }];
    let species = vec![ChunkSpecies {
        name: "oak".into(),
        size_step: 1.0,
        variants: vec![],
        plants,
    }];
    Chunk {
        x: 0,
        y: -1,
        size: 100 * 1024,
        species,
    }
}

#[test]
fn a_cut_file_is_refused_at_every_length() {
    let bytes = encode(&one_oak(70_000, -1)).unwrap();
    for length in 0..bytes.len() {
        assert!(
            ChunkView::parse(&bytes[..length]).is_err(),
            "{length} bytes"
        );
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(
        ChunkView::parse(&longer),
        Err(StoreError::Corrupt { .. })
    ));
}

#[test]
fn another_version_says_so() {
    let mut bytes = encode(&one_oak(1, -1)).unwrap();
    bytes[8] = 2;
    let refused = ChunkView::parse(&bytes);
    assert!(matches!(
        refused,
        Err(StoreError::WrongVersion {
            found: 2,
            expected: 1,
            ..
        })
    ));
}

#[test]
fn a_cell_holds_the_plants_on_its_64_metres() {
    let bytes = encode(&one_oak(70_000, -1)).unwrap();
    let view = ChunkView::parse(&bytes).unwrap();
    let n = |column, row| view.species()[0].plants_in_cell(column, row).count();
    // From the chunk's south-west corner (0, -102400): x 70000 is in column 1, y 102399 in row 1.
    assert_eq!(
        [n(0, 0), n(1, 0), n(0, 1), n(1, 1), n(2, 0)],
        [0, 0, 0, 1, 0]
    );
}

#[test]
fn a_plant_takes_sixteen_bytes() {
    let mut chunk = one_oak(0, -1);
    let length = |chunk: &Chunk| encode(chunk).unwrap().len();
    let one = length(&chunk);
    chunk.species[0].plants = (0..8 * 1000 + 1)
        .map(|x| PlantRecord {
            x,
            y: -1,
            ..PlantRecord::default()
        })
        .collect();
    assert_eq!(length(&chunk) - one, 8 * 1000 * 16);
}

#[test]
fn what_does_not_fit_is_refused() {
    let check = |chunk: &Chunk| {
        assert!(
            matches!(encode(chunk), Err(StoreError::Unfit { .. })),
            "{chunk:?}"
        );
    };
    check(&one_oak(0, 0));
    check(&one_oak(102_400, -1));
    check(&one_oak(i64::MIN, i64::MAX));
    check(&Chunk {
        size: 0,
        ..one_oak(0, -1)
    });
    check(&Chunk {
        size: 65_536 * 1024 + 1,
        ..one_oak(0, -1)
    });
    check(&Chunk {
        x: i64::MAX,
        ..one_oak(0, -1)
    });
    let mut variant = one_oak(0, -1);
    variant.species[0].plants[0].variant = 1;
    check(&variant);
    let mut twice = one_oak(0, -1);
    twice.species.push(twice.species[0].clone());
    check(&twice);
}

#[test]
fn the_chunk_of_a_plant_is_the_floor() {
    assert_eq!(chunk_index(-1, 1024), -1);
    assert_eq!(chunk_index(-1024, 1024), -1);
    assert_eq!(chunk_index(-1025, 1024), -2);
    assert_eq!(chunk_index(1023, 1024), 0);
    assert_eq!(chunk_index(1024, 1024), 1);
}
