//! The words every other crate uses: pixels, rectangles, windows, tiles, transforms.
//!
//! Nothing in here can fail, reads a file or knows what a pixel means.
//!
//! ```
//! use ecotone_grid::{Raster, Rect};
//!
//! let mut heights = Raster::<f64>::new(Rect::new(-1, -1, 4, 3), 1, f64::NAN);
//! heights.row_mut(0, 2)[0] = 7.0;
//! assert_eq!(heights.band(0).at(-1, 2), 7.0);
//! ```

mod angle;
mod hash;
mod noise;
mod profile;
mod raster;
mod rect;
mod sector;
mod simd;
mod tiles;
mod transform;
mod trapezoid;
mod whole;

pub use angle::{aspect_degrees, atan, sin_cos_degrees, slope_degrees};
pub use hash::{mix, name_key, plant_id};
pub use noise::Noise;
pub use profile::{Profile, between};
pub use raster::{Raster, Window};
pub use rect::{Reach, Rect};
pub use sector::Sector;
pub use simd::Simd;
pub use tiles::{TileGrid, TileId};
pub use transform::{GeoKeys, GeoTransform, PixelSize};
pub use trapezoid::Trapezoid;
pub use whole::floor;
