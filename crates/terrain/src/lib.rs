//! Normals, slopes and stratum weights from heights.
//!
//! Pure kernels over borrowed windows; the caller owns all memory. Nothing in here knows of files, tiles, threads or
//! configs. A void and the outside of the map arrive alike, as NaN heights, and every value is the same bits from
//! whatever window it is computed in.
//!
//! ```
//! use ecotone_grid::{PixelSize, Raster, Rect, Trapezoid};
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
//! let meadow = Stratum {
//!     kind: Ground::Preset { slope: Some(Trapezoid::slope(0.0, 25.0, 6.0)), altitude: None, fallback: false },
//! };
//! let mut weight = Raster::default();
//! weights(&normal, heights.band(0), &[], &[meadow], &mut WeightScratch::default(), &mut weight);
//! assert_eq!(weight.band(0).at(3, 3), 255);
//! ```

mod gradient;
mod normals;
mod plateau;
mod quantise;
mod shapes;
mod slope;
mod smooth;
mod weights;

pub use gradient::Gradient;
pub use normals::{MAX_RADIUS_PX, NormalRules, NormalScratch, normals};
pub use shapes::{
    Canvas, FARTHEST_POINT_M, Point, ShapeScratch, Stroke, fill, pixels_near, stroke,
};
pub use slope::slope;
pub use weights::{Ground, Stratum, WeightScratch, weights};
