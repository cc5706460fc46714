//! From plants to the bytes of a chunk file.

use ecotone_grid::name_key;

use super::{
    CELL_STEPS, CHECKSUM_BYTES, CHUNK_VERSION, HEADER_BYTES, MAGIC, MAX_CELLS, PlantRecord,
    SPECIES_BYTES,
};
use crate::StoreError;

/// The plants of one chunk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chunk {
    /// Chunk column: floor(x / size).
    pub x: i64,
    /// Chunk row: floor(y / size), growing north.
    pub y: i64,
    /// Side of a chunk in 1/1024 m.
    pub size: i64,
    /// Species, in any order; those without plants leave no trace in the file.
    pub species: Vec<ChunkSpecies>,
}

/// The plants of one species in a chunk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkSpecies {
    /// Its name, unique in the chunk.
    pub name: String,
    /// What one step of [`PlantRecord::size`] is worth.
    pub size_step: f64,
    /// Names of its mesh variants, at most 256.
    pub variants: Vec<String>,
    /// Its plants, in any order.
    pub plants: Vec<PlantRecord>,
}

/// The bytes of a chunk file: the same for the same plants, whatever their order.
///
/// # Errors
/// [`StoreError::Unfit`] where a plant lies outside the chunk or has an unknown variant, a species comes twice, or the chunk is
/// larger than 64 km.
pub fn encode(chunk: &Chunk) -> Result<Vec<u8>, StoreError> {
    let frame = Frame::new(chunk)?;
    let mut species: Vec<&ChunkSpecies> = chunk
        .species
        .iter()
        .filter(|species| !species.plants.is_empty())
        .collect();
    species.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(twin) = species.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(frame.unfit(format!("the species {} comes twice", twin[0].name)));
    }

    let n_plants: u64 = species.iter().map(|s| s.plants.len() as u64).sum();
    let mut out = Vec::with_capacity(n_plants as usize * 17 + 4096);
    out.extend(MAGIC);
    out.extend(CHUNK_VERSION.to_le_bytes());
    out.extend((species.len() as u32).to_le_bytes());
    out.extend(0_u64.to_le_bytes());
    for value in [chunk.x, chunk.y, chunk.size] {
        out.extend(value.to_le_bytes());
    }
    out.extend(frame.side.to_le_bytes());
    out.extend(0_u32.to_le_bytes());
    out.extend(n_plants.to_le_bytes());
    out.resize(HEADER_BYTES + SPECIES_BYTES * species.len(), 0);
    for (idx, species) in species.iter().enumerate() {
        let entry = frame.encode_species(species, &mut out)?;
        let at = HEADER_BYTES + SPECIES_BYTES * idx;
        out[at..at + SPECIES_BYTES].copy_from_slice(&entry);
    }
    let length = (out.len() + CHECKSUM_BYTES) as u64;
    out[16..24].copy_from_slice(&length.to_le_bytes());
    let checksum = blake3::hash(&out);
    out.extend(checksum.as_bytes());
    Ok(out)
}

/// Where a chunk lies, checked.
struct Frame<'a> {
    chunk: &'a Chunk,
    west: i64,
    south: i64,
    side: u32,
}

impl<'a> Frame<'a> {
    fn new(chunk: &'a Chunk) -> Result<Self, StoreError> {
        let (west, south, side) = place(chunk.x, chunk.y, chunk.size).ok_or_else(|| {
            let reason = "its side must be 1/1024 m to 65536 m, and it must lie within 2^62 steps";
            StoreError::unfit(
                format!("chunk ({}, {}) of {}/1024 m", chunk.x, chunk.y, chunk.size),
                reason,
            )
        })?;
        Ok(Self {
            chunk,
            west,
            south,
            side,
        })
    }

    fn unfit(&self, reason: String) -> StoreError {
        StoreError::unfit(
            format!("chunk ({}, {})", self.chunk.x, self.chunk.y),
            reason,
        )
    }

    /// The cell of a plant, row-major from the south-west corner.
    fn cell(&self, plant: &PlantRecord) -> Option<u32> {
        let inside = 0..self.chunk.size;
        let x = plant.x.checked_sub(self.west)?;
        let y = plant.y.checked_sub(self.south)?;
        (inside.contains(&x) && inside.contains(&y))
            .then(|| (y / CELL_STEPS) as u32 * self.side + (x / CELL_STEPS) as u32)
    }

    /// The places of a species' plants in the order of the file, and the first plant of every cell, with the number of
    /// plants at the end.
    fn order(&self, species: &ChunkSpecies) -> Result<(Vec<u32>, Vec<u32>), StoreError> {
        let plants = &species.plants;
        let cells = self.cells(species)?;
        let mut first = vec![0_u32; self.side as usize * self.side as usize + 1];
        for &cell in &cells {
            first[cell as usize] += 1;
        }
        let mut n = 0;
        for first in &mut first {
            n += *first;
            *first = n;
        }
        let key = name_key(&species.name);
        let mut order = vec![(0, 0); plants.len()];
        // From each cell's end to its start, after which `first` holds starts.
        for (idx, (plant, &cell)) in plants.iter().zip(&cells).enumerate() {
            let at = &mut first[cell as usize];
            *at -= 1;
            order[*at as usize] = (plant.id(key), idx as u32);
        }
        for ends in first.windows(2) {
            order[ends[0] as usize..ends[1] as usize]
                .sort_unstable_by_key(|&(id, idx)| (id, plants[idx as usize]));
        }
        Ok((order.into_iter().map(|(_, idx)| idx).collect(), first))
    }

    /// The cell of each plant of a species, each of them checked.
    fn cells(&self, species: &ChunkSpecies) -> Result<Vec<u32>, StoreError> {
        if u32::try_from(species.plants.len()).is_err() {
            let n = species.plants.len();
            return Err(self.unfit(format!("{n} plants of one species")));
        }
        let n_variants = species.variants.len().max(1);
        let checked = species.plants.iter().map(|plant| {
            if usize::from(plant.variant) >= n_variants {
                return Err(self.unfit(format!(
                    "a {} has variant {} of {n_variants}",
                    species.name, plant.variant
                )));
            }
            self.cell(plant)
                .ok_or_else(|| self.unfit(format!("a {} lies outside: {plant:?}", species.name)))
        });
        checked.collect()
    }

    /// Appends the blocks of a species and returns its entry in the species table.
    fn encode_species(
        &self,
        species: &ChunkSpecies,
        out: &mut Vec<u8>,
    ) -> Result<[u8; SPECIES_BYTES], StoreError> {
        let (order, cells) = self.order(species)?;
        if species.variants.len() > 256 {
            let n = species.variants.len();
            return Err(self.unfit(format!("{} has {n} variants, at most 256", species.name)));
        }
        let mut entry = Vec::with_capacity(SPECIES_BYTES);
        let names = [&species.name].into_iter().chain(&species.variants);
        let names = names.flat_map(|name| {
            let length = (name.len() as u32).to_le_bytes();
            length.into_iter().chain(name.bytes())
        });
        entry.extend(block(out, names).to_le_bytes());
        entry.extend((species.variants.len() as u32).to_le_bytes());
        entry.extend((order.len() as u32).to_le_bytes());
        entry.extend(species.size_step.to_le_bytes());

        let plants = || order.iter().map(|&idx| &species.plants[idx as usize]);
        let x = |p: &PlantRecord| ((p.x - self.west) % CELL_STEPS) as u16;
        let y = |p: &PlantRecord| ((p.y - self.south) % CELL_STEPS) as u16;
        let offsets = [
            block(out, cells.iter().flat_map(|first| first.to_le_bytes())),
            block(out, plants().flat_map(|p| x(p).to_le_bytes())),
            block(out, plants().flat_map(|p| y(p).to_le_bytes())),
            block(out, plants().flat_map(|p| p.z_mm.to_le_bytes())),
            block(out, plants().flat_map(|p| p.size.to_le_bytes())),
            block(out, plants().flat_map(|p| p.yaw.to_le_bytes())),
            block(out, plants().flat_map(|p| p.up)),
            block(out, plants().map(|p| p.variant)),
            block(out, plants().map(|p| p.tint)),
        ];
        entry.extend(offsets.iter().flat_map(|at| at.to_le_bytes()));
        Ok(entry
            .try_into()
            .expect("an entry is 8 + 4 + 4 + 8 + 9 · 8 bytes"))
    }
}

/// Appends a block, padded to a multiple of 8, and returns where it starts.
fn block(out: &mut Vec<u8>, bytes: impl Iterator<Item = u8>) -> u64 {
    let at = out.len() as u64;
    out.extend(bytes);
    out.resize(out.len().next_multiple_of(8), 0);
    at
}

/// South-west corner in steps, and cells along a side; `None` where the numbers cannot be those of a chunk.
pub(super) fn place(x: i64, y: i64, size: i64) -> Option<(i64, i64, u32)> {
    let side = u64::try_from(size).ok()?.div_ceil(CELL_STEPS as u64);
    let corner = |index: i64| {
        let corner = index.checked_mul(size)?;
        (corner.unsigned_abs() < 1 << 62).then_some(corner)
    };
    let fits = (1..=MAX_CELLS).contains(&side);
    fits.then_some((corner(x)?, corner(y)?, side as u32))
}
