//! Normals, slopes and stratum weights from heights.
//!
//! Pure kernels over borrowed windows; the caller owns all memory. Nothing in here knows of files, tiles, threads or
//! configs. A void and the outside of the map arrive alike, as NaN heights, and every value is the same bits from
//! whatever window it is computed in.
//!
//! ```
//! use ecotone_grid::{GeoTransform, PixelSize, Raster, Rect, Trapezoid};
//! use ecotone_terrain::*;
//!
//! let rules = NormalRules {
//!     gradient: Gradient::Horn,
//!     smoothing_m: 4.0,
//!     pixel: PixelSize { x: 2.0, y: 2.0 },
//! };
//! let core = Rect::new(0, 0, 8, 8);
//! let heights = Raster::new(core.grow(rules.reach()), 1, 100.0);
//! let mut normal = Raster::default();
//! normals(heights.band(0), &rules, &mut NormalScratch::default(), &mut normal);
//!
//! let meadow = Preset { slope: Some(Trapezoid::slope(0.0, 25.0, 6.0)), ..Preset::default() };
//! let strata = Strata { bands: vec![Some(meadow)], layers: Vec::new() };
//! let ground = Ground {
//!     normals: &normal,
//!     heights: heights.band(0),
//!     masks: &[],
//!     grid: GeoTransform { x0: 0.0, y0: 0.0, pixel: rules.pixel },
//! };
//! let mut weight = Raster::default();
//! weights(&ground, &strata, &mut WeightScratch::default(), &mut weight);
//! assert_eq!(weight.band(0).at(3, 3), 255);
//! ```

mod curvature;
mod gradient;
mod normals;
mod plateau;
mod presets;
mod quantise;
mod shapes;
mod slope;
mod smooth;
mod strata;
mod stretch;
mod weights;

pub use curvature::{CURVATURE_REACH, CurvatureScratch, curvature};
pub use gradient::Gradient;
pub use normals::{MAX_RADIUS_PX, NormalRules, NormalScratch, normals};
pub use shapes::{
    Canvas, FARTHEST_POINT_M, Point, ShapeScratch, Stroke, fill, pixels_near, stroke,
};
pub use slope::slope;
pub use strata::{Curvature, CurvatureBand, Layer, Preset, Shift, Shifted, Strata};
pub use stretch::Ground;
pub use weights::{WeightScratch, weights};
