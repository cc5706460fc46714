//! Digests of content: of one file, and the canonical ones of a world, which know no tiles and no chunks.

use ecotone_grid::name_key;

use crate::{ChunkView, PlantRecord, StoreError};

/// The digest that names an artefact: the first 32 hex digits of its BLAKE3.
pub fn content_digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

/// The canonical digest of a raster: BLAKE3 of its stored values, little-endian, band after band, row-major over the whole map.
///
/// ```
/// let mut digest = ecotone_store::RasterDigest::default();
/// digest.feed(&[1_i16, -1]);
/// assert_eq!(digest.finish().len(), 64);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RasterDigest {
    hasher: blake3::Hasher,
}

impl RasterDigest {
    /// The next pixels in the order of the digest.
    pub fn feed<T: crate::Sample>(&mut self, pixels: &[T]) {
        for part in pixels.chunks(1 << 16) {
            self.hasher.update(&T::bytes(part));
        }
    }

    /// The digest in hex.
    pub fn finish(self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }
}

/// Plants that [`World::plant_digest`](crate::World::plant_digest) holds at once by default: 64 bytes each.
pub const PLANTS_PER_PASS: usize = 1 << 22;

/// How finely the ids of a species are counted to split a world into passes: by their top 12 bits.
const ID_BINS: usize = 1 << 12;

/// The canonical digest of a world's plants (drawn in `docs/format.md`): BLAKE3 over the records sorted by species name and id.
///
/// `each_chunk` shows every chunk to what it is given, in any order, once for each call: once to count, then once for every
/// `plants_per_pass` plants of the world.
///
/// # Errors
/// Those of `each_chunk`.
pub(crate) fn plant_digest<F>(
    plants_per_pass: usize,
    mut each_chunk: F,
) -> Result<String, StoreError>
where
    F: FnMut(&mut dyn FnMut(&ChunkView<'_>)) -> Result<(), StoreError>,
{
    let mut counts = Vec::<Counts>::new();
    each_chunk(&mut |chunk| count(chunk, &mut counts))?;
    let segments = segments(&counts, plants_per_pass as u64);

    let mut hasher = blake3::Hasher::new();
    let mut rest = &segments[..];
    while !rest.is_empty() {
        let n = pass_length(rest, plants_per_pass as u64);
        let (pass, later) = rest.split_at(n);
        let mut plants = Vec::new();
        each_chunk(&mut |chunk| collect(chunk, &counts, pass, &mut plants))?;
        plants.sort_unstable();
        hash_pass(pass, &counts, &plants, &mut hasher);
        rest = later;
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// How many plants of a species there are, in all and by the top bits of their ids.
struct Counts {
    name: String,
    n_plants: u64,
    bins: Vec<u64>,
}

/// The plants of one species whose ids fall into a range of bins; never so many that a pass cannot hold them, but for a full bin.
struct Segment {
    species: usize,
    first_bin: usize,
    last_bin: usize,
    n_plants: u64,
}

fn bin(id: u64) -> usize {
    (id >> (64 - ID_BINS.trailing_zeros())) as usize
}

fn count(chunk: &ChunkView<'_>, counts: &mut Vec<Counts>) {
    for species in chunk.species().iter().filter(|s| s.n_plants() > 0) {
        let found = counts.binary_search_by(|c| c.name.as_str().cmp(species.name()));
        let idx = found.unwrap_or_else(|idx| {
            let name = species.name().to_owned();
            let bins = vec![0; ID_BINS];
            counts.insert(
                idx,
                Counts {
                    name,
                    n_plants: 0,
                    bins,
                },
            );
            idx
        });
        let key = name_key(species.name());
        for plant in species.plants() {
            counts[idx].bins[bin(plant.id(key))] += 1;
        }
        counts[idx].n_plants += species.n_plants() as u64;
    }
}

fn segments(counts: &[Counts], limit: u64) -> Vec<Segment> {
    let mut segments = Vec::new();
    for (species, counts) in counts.iter().enumerate() {
        let mut open = Segment {
            species,
            first_bin: 0,
            last_bin: 0,
            n_plants: 0,
        };
        for (bin, &n) in counts.bins.iter().enumerate() {
            if open.n_plants > 0 && open.n_plants + n > limit {
                segments.push(open);
                open = Segment {
                    species,
                    first_bin: bin,
                    last_bin: bin,
                    n_plants: 0,
                };
            }
            open.last_bin = bin;
            open.n_plants += n;
        }
        segments.push(open);
    }
    segments
}

/// How many of the first segments one pass takes: as many as it holds, at least one.
fn pass_length(segments: &[Segment], limit: u64) -> usize {
    let mut sum = 0;
    let fits = segments.iter().take_while(|segment| {
        sum += segment.n_plants;
        sum <= limit
    });
    fits.count().max(1)
}

/// A plant in the order of the digest; two plants of one id (a collision) go by place.
type Ordered = (usize, u64, PlantRecord);

fn collect(chunk: &ChunkView<'_>, counts: &[Counts], pass: &[Segment], out: &mut Vec<Ordered>) {
    for species in chunk.species() {
        let key = name_key(species.name());
        let mine = |segment: &&Segment| counts[segment.species].name == species.name();
        for segment in pass.iter().filter(mine) {
            let bins = segment.first_bin..=segment.last_bin;
            let plants = species.plants().map(|plant| (plant.id(key), plant));
            let taken = plants.filter(|(id, _)| bins.contains(&bin(*id)));
            out.extend(taken.map(|(id, plant)| (segment.species, id, plant)));
        }
    }
}

fn hash_pass(pass: &[Segment], counts: &[Counts], plants: &[Ordered], hasher: &mut blake3::Hasher) {
    let mut rest = plants;
    let mut bytes = Vec::new();
    for segment in pass {
        if segment.first_bin == 0 {
            let species = &counts[segment.species];
            hasher.update(&(species.name.len() as u32).to_le_bytes());
            hasher.update(species.name.as_bytes());
            hasher.update(&species.n_plants.to_le_bytes());
        }
        let (mine, later) = rest.split_at(segment.n_plants as usize);
        for part in mine.chunks(1 << 12) {
            bytes.clear();
            for (_, id, plant) in part {
                put_plant(*id, plant, &mut bytes);
            }
            hasher.update(&bytes);
        }
        rest = later;
    }
}

fn put_plant(id: u64, plant: &PlantRecord, out: &mut Vec<u8>) {
    out.extend(id.to_le_bytes());
    out.extend(plant.x.to_le_bytes());
    out.extend(plant.y.to_le_bytes());
    out.extend(plant.z_mm.to_le_bytes());
    out.extend(plant.size.to_le_bytes());
    out.extend(plant.yaw.to_le_bytes());
    out.extend(plant.up);
    out.extend([plant.variant, plant.tint]);
}
