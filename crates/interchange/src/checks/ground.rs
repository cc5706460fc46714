//! The rasters under a block of plants, read from the world's files.

use std::collections::BTreeMap;

use ecotone_grid::{GeoTransform, Raster, Rect, Window};
use ecotone_store::{PlantRecord, STEPS_PER_METRE};

use crate::{Finished, InterchangeError};

/// What a pass over the plants reads of the ground.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    pub(super) weights: bool,
    pub(super) heights: bool,
    /// Bands of distances.
    pub(super) sdf: Vec<usize>,
}

/// The ground of a block.
#[derive(Debug)]
pub(super) struct Ground {
    transform: GeoTransform,
    weights: Raster<u8>,
    heights: Raster<f64>,
    sdf: BTreeMap<usize, Raster<i16>>,
    sdf_scale: f64,
    sdf_void: i16,
}

/// The four pixels around a point, and how far it is between them.
struct Corners {
    column: i64,
    row: i64,
    east: f64,
    south: f64,
}

/// Metres of a plant's place.
pub(super) fn place(plant: &PlantRecord) -> [f64; 2] {
    [plant.x, plant.y].map(|steps| steps as f64 / STEPS_PER_METRE as f64)
}

impl Ground {
    pub(super) fn new(world: &Finished) -> Self {
        let edges = &world.manifest().edges;
        Self {
            transform: world.transform(),
            weights: Raster::default(),
            heights: Raster::default(),
            sdf: BTreeMap::new(),
            sdf_scale: edges.scale,
            sdf_void: edges.nodata,
        }
    }

    /// Reads what is wanted under west, south, east and north in metres.
    pub(super) fn read(
        &mut self,
        world: &Finished,
        [west, south, east, north]: [f64; 4],
        wanted: &Wanted,
    ) -> Result<(), InterchangeError> {
        let (x0, y0) = self.transform.pixel_at(west, north);
        let (x1, y1) = self.transform.pixel_at(east, south);
        let rect = Rect::new(
            x0.floor() as i64,
            y0.floor() as i64,
            x1.floor() as i64 + 2,
            y1.floor() as i64 + 2,
        );
        if wanted.weights {
            world.weights(rect, &mut self.weights)?;
        }
        if wanted.heights {
            world.heights(rect, &mut self.heights)?;
        }
        for &band in &wanted.sdf {
            let raster = self.sdf.entry(band).or_default();
            world.sdf_bands(rect, band..band + 1, raster)?;
        }
        Ok(())
    }

    fn corners(&self, plant: &PlantRecord) -> Corners {
        let [x, y] = place(plant);
        let (column, row) = self.transform.pixel_at(x, y);
        Corners {
            column: column.floor() as i64,
            row: row.floor() as i64,
            east: column - column.floor(),
            south: row - row.floor(),
        }
    }

    /// Whether any of the four pixels around a plant's foot is void.
    pub(super) fn is_void(&self, plant: &PlantRecord) -> bool {
        let corners = self.corners(plant);
        let bands = (0..self.weights.n_bands()).map(|band| corners.of(self.weights.band(band)));
        let total = bands.fold([0_u32; 4], |sum, four| {
            std::array::from_fn(|k| sum[k] + u32::from(four[k]))
        });
        total.contains(&0)
    }

    /// Height of the ground under a plant in metres; NaN on a void.
    pub(super) fn height(&self, plant: &PlantRecord) -> f64 {
        let corners = self.corners(plant);
        corners.mean(corners.of(self.heights.band(0)))
    }

    /// Signed distance in metres from a plant to a stratum's edge; `None` on a void.
    pub(super) fn distance(&self, band: usize, plant: &PlantRecord) -> Option<f64> {
        let corners = self.corners(plant);
        let four = corners.of(self.sdf.get(&band)?.band(0));
        let is_void = four.contains(&self.sdf_void);
        (!is_void).then(|| corners.mean(four.map(f64::from)) * self.sdf_scale)
    }
}

impl Corners {
    /// The four pixels, from the north-west, row by row.
    fn of<T: Copy>(&self, window: Window<'_, T>) -> [T; 4] {
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| window.at(self.column + x, self.row + y))
    }

    fn mean(&self, [nw, ne, sw, se]: [f64; 4]) -> f64 {
        let lerp = |a: f64, b: f64, t: f64| a + (b - a) * t;
        lerp(lerp(nw, ne, self.east), lerp(sw, se, self.east), self.south)
    }
}
