//! A small world for tests: pixels of 2 × 1.5 m, far from the origin, one step of distance 1/8 m.

use crate::{Conditions, Curve, Edge, Fields, Species, Yaw};
use ecotone_grid::{GeoTransform, PixelSize, Raster, Rect};

pub(crate) struct World {
    pub transform: GeoTransform,
    pub heights: Raster<f64>,
    pub normals: Raster<f32>,
    pub weights: Raster<u8>,
    pub sdf: Raster<i16>,
}

impl World {
    /// A map with heights by world position, two strata, the first of full weight everywhere and 100 m deep.
    pub fn new(width: i64, height: i64, f: impl Fn(f64, f64) -> f64) -> Self {
        let rect = Rect::new(0, 0, width, height);
        let transform = GeoTransform {
            x0: 1000.0,
            y0: -500.0,
            pixel: PixelSize { x: 2.0, y: 1.5 },
        };
        let mut heights = Raster::new(rect, 1, 0.0);
        for row in 0..height {
            for (column, pixel) in heights.row_mut(0, row).iter_mut().enumerate() {
                let x = transform.x0 + (column as f64 + 0.5) * 2.0;
                let y = transform.y0 - (row as f64 + 0.5) * 1.5;
                *pixel = f(x, y);
            }
        }
        let mut weights = Raster::new(rect, 2, 0);
        weights.band_mut(0).fill(255);
        let mut normals = Raster::new(rect, 3, 0.0);
        normals.band_mut(2).fill(1.0);
        Self {
            transform,
            heights,
            normals,
            weights,
            sdf: Raster::new(rect, 2, -800),
        }
    }

    pub fn fields(&self) -> Fields<'_> {
        Fields {
            transform: self.transform,
            map: self.heights.rect(),
            heights: self.heights.band(0),
            normals: Some(&self.normals),
            weights: &self.weights,
            sdf: &self.sdf,
            sdf_scale: 0.125,
            layers: None,
        }
    }

    /// The world position in 1/1024 m of a fractional column and row, pixel centres being whole.
    pub fn position(&self, column: f64, row: f64) -> (i64, i64) {
        let x = self.transform.x0 + (column + 0.5) * self.transform.pixel.x;
        let y = self.transform.y0 - (row + 0.5) * self.transform.pixel.y;
        ((x * 1024.0) as i64, (y * 1024.0) as i64)
    }
}

/// A species of the first stratum, as dense as a spacing of 3 m holds.
pub(crate) fn spruce() -> Species {
    Species {
        name: "spruce".into(),
        strata: vec![(0, 1.0)],
        threshold: 0.5,
        density_per_m2: None,
        spacing_m: 3.0,
        footprint_m: 0.0,
        priority: 0,
        size: [1.0, 1.0],
        edge: Edge {
            stratum: 0,
            falloff_m: None,
            curve: Curve::Smooth,
            density: 1.0,
            size: [1.0, 1.0],
        },
        softness: 0.0,
        keep_from: Vec::new(),
        near: None,
        conditions: Conditions::default(),
        biomes: Vec::new(),
        align: 0.0,
        tilt: [0.0; 2],
        yaw: Yaw::default(),
        sink_m: [0.0; 2],
        tint: [0.0, 1.0],
        variants: Vec::new(),
    }
}
