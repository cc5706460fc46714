//! The plants of a region, read from no more chunks and cells than it touches.

use std::ops::RangeInclusive;

use ecotone_store::{CELL_STEPS, ChunkArtefact, ChunkView, PlantRecord, STEPS_PER_METRE};

use crate::{Finished, InterchangeError};

impl Finished {
    /// Shows the plants with west ≤ x < east and south ≤ y < north to `visit`, each with the index of its species in the manifest.
    ///
    /// `bounds` are west, south, east and north in world metres. One chunk is in
    /// memory at a time, in the manifest's order.
    ///
    /// # Errors
    /// Those of the chunk files; [`InterchangeError::Foreign`] for a species the manifest does not have.
    pub fn plants_in(
        &self,
        bounds: [f64; 4],
        visit: &mut dyn FnMut(usize, &PlantRecord),
    ) -> Result<(), InterchangeError> {
        let bounds = Bounds::new(bounds);
        let size = self.manifest().chunk_size;
        for chunk in &self.manifest().chunks {
            if bounds.touch_chunk(chunk, size) {
                self.chunk(chunk, |view| self.visit_chunk(chunk, view, &bounds, visit))??;
            }
        }
        Ok(())
    }

    fn visit_chunk(
        &self,
        chunk: &ChunkArtefact,
        view: &ChunkView<'_>,
        bounds: &Bounds,
        visit: &mut dyn FnMut(usize, &PlantRecord),
    ) -> Result<(), InterchangeError> {
        let (x, y) = view.index();
        let (columns, rows) = bounds.cells([x, y], view.size());
        for species in view.species() {
            let idx = self.species_idx(chunk, species.name())?;
            for row in rows.clone() {
                let plants = columns
                    .clone()
                    .flat_map(|column| species.plants_in_cell(column, row));
                plants
                    .filter(|plant| bounds.contain(plant))
                    .for_each(|plant| visit(idx, &plant));
            }
        }
        Ok(())
    }

    /// The index of a chunk's species in the manifest.
    pub(crate) fn species_idx(
        &self,
        chunk: &ChunkArtefact,
        name: &str,
    ) -> Result<usize, InterchangeError> {
        let species = &self.manifest().species;
        if let Some(idx) = species.iter().position(|species| species.name == name) {
            return Ok(idx);
        }
        let known: Vec<&str> = species
            .iter()
            .map(|species| species.name.as_str())
            .collect();
        Err(InterchangeError::Foreign {
            path: self.world().path(&chunk.artefact)?,
            expected: format!("species among {}", known.join(", ")),
            found: name.to_owned(),
        })
    }
}

/// A half-open region in plant steps.
struct Bounds {
    west: i64,
    south: i64,
    east: i64,
    north: i64,
}

impl Bounds {
    fn new(metres: [f64; 4]) -> Self {
        // A whole step lies at or beyond a border exactly where it lies at or beyond the next whole step.
        let [west, south, east, north] = metres.map(|m| (m * STEPS_PER_METRE as f64).ceil() as i64);
        Self {
            west,
            south,
            east,
            north,
        }
    }

    fn contain(&self, plant: &PlantRecord) -> bool {
        (self.west..self.east).contains(&plant.x) && (self.south..self.north).contains(&plant.y)
    }

    fn touch_chunk(&self, chunk: &ChunkArtefact, size: i64) -> bool {
        let touch = |index: i64, lo: i64, hi: i64| {
            lo < hi
                && lo < index.saturating_add(1).saturating_mul(size)
                && hi > index.saturating_mul(size)
        };
        touch(chunk.artefact.x, self.west, self.east)
            && touch(chunk.artefact.y, self.south, self.north)
    }

    /// Columns and rows of the cells of a chunk that the region touches.
    fn cells(&self, index: [i64; 2], size: i64) -> (RangeInclusive<usize>, RangeInclusive<usize>) {
        let last = (size - 1) / CELL_STEPS;
        let span = |index: i64, lo: i64, hi: i64| {
            let origin = index.saturating_mul(size);
            let cell = |at: i64| (at.saturating_sub(origin) / CELL_STEPS).clamp(0, last) as usize;
            cell(lo)..=cell(hi - 1)
        };
        (
            span(index[0], self.west, self.east),
            span(index[1], self.south, self.north),
        )
    }
}
