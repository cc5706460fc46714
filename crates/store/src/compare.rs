//! Two sets of plants side by side: who came, who went, who stayed and is another now.

use std::cmp::Ordering;
use std::sync::Arc;

use ecotone_grid::name_key;

use crate::{ChunkView, PlantRecord};

/// What the numbers of a species' plants mean, as a chunk file says it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlantKind {
    /// The species' name.
    pub species: String,
    /// What one step of a stored size is worth.
    pub size_step: f64,
    /// Names of the mesh variants.
    pub variants: Vec<String>,
}

/// A plant with what its numbers mean.
#[derive(Clone, Debug)]
pub struct Plant {
    /// Its species.
    pub kind: Arc<PlantKind>,
    /// Its id: a hash of species and place.
    pub id: u64,
    /// Where and how it stands.
    pub record: PlantRecord,
}

impl Plant {
    /// Its size.
    pub fn size(&self) -> f64 {
        f64::from(self.record.size) * self.kind.size_step
    }

    /// Its mesh variant by name; `None` for a species without variants.
    pub fn variant(&self) -> Option<&str> {
        let name = self.kind.variants.get(usize::from(self.record.variant));
        name.map(String::as_str)
    }

    /// Metres from another plant's foot up to its own.
    pub fn metres_above(&self, other: &Self) -> f64 {
        (i64::from(self.record.z_mm) - i64::from(other.record.z_mm)) as f64 / 1000.0
    }

    /// What makes it the same plant. Its place decides between two of one id, which a hash may have.
    fn identity(&self) -> (&str, u64, i64, i64) {
        (&self.kind.species, self.id, self.record.x, self.record.y)
    }

    fn looks_like(&self, other: &Self) -> bool {
        // An index says nothing where the lists of names differ.
        let index_aside = PlantRecord {
            variant: other.record.variant,
            ..self.record
        };
        index_aside == other.record
            && self.variant() == other.variant()
            && self.kind.size_step == other.kind.size_step
    }
}

/// Takes in the plants of a chunk that `wanted` picks by id and record, in no order.
pub fn gather(
    chunk: &ChunkView<'_>,
    wanted: impl Fn(u64, &PlantRecord) -> bool,
    plants: &mut Vec<Plant>,
) {
    for species in chunk.species() {
        let variants = species.variants().iter();
        let kind = Arc::new(PlantKind {
            species: species.name().to_owned(),
            size_step: species.size_step(),
            variants: variants.map(|&name| name.to_owned()).collect(),
        });
        let key = name_key(species.name());
        let known = species.plants().map(|record| (record.id(key), record));
        let picked = known.filter(|(id, record)| wanted(*id, record));
        plants.extend(picked.map(|(id, record)| Plant {
            kind: Arc::clone(&kind),
            id,
            record,
        }));
    }
}

/// A plant of which the two sets do not say the same; a plant is the same while its species and its id are.
#[derive(Clone, Copy, Debug)]
pub enum PlantDifference<'a> {
    /// It stands in the newer one only.
    Added(&'a Plant),
    /// It stands in the older one only.
    Gone(&'a Plant),
    /// It stands in both, the older one first, with another height, size, turn, up vector, variant or tint.
    Changed(&'a Plant, &'a Plant),
}

/// Shows `each` what differs, by species and id; sorts both sets.
///
/// ```
/// use ecotone_store::{PlantDifference, compare_plants};
///
/// let mut n = 0;
/// compare_plants(&mut [], &mut [], &mut |_: PlantDifference<'_>| n += 1);
/// assert_eq!(n, 0);
/// ```
pub fn compare_plants(
    old: &mut [Plant],
    new: &mut [Plant],
    each: &mut dyn FnMut(PlantDifference<'_>),
) {
    for plants in [&mut *old, &mut *new] {
        plants.sort_unstable_by(|a, b| a.identity().cmp(&b.identity()));
    }
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.identity().cmp(&b.identity()),
        };
        let a = old.next_if(|_| order.is_le());
        let b = new.next_if(|_| order.is_ge());
        match (a, b) {
            (Some(a), Some(b)) if a.looks_like(b) => {}
            (Some(a), Some(b)) => each(PlantDifference::Changed(a, b)),
            (Some(a), None) => each(PlantDifference::Gone(a)),
            (None, Some(b)) => each(PlantDifference::Added(b)),
            (None, None) => return,
        }
    }
}
