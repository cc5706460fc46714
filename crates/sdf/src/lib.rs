//! Exact bounded signed distance to the edges of a stratum.
//!
//! Pure kernels over borrowed windows; the caller owns all memory. Nothing in here knows of files, tiles, threads or
//! configs. Distances are integers until the very end, so every value is the same bits from whatever window reaches
//! far enough.
//!
//! ```
//! use ecotone_grid::{PixelSize, Raster, Rect};
//! use ecotone_sdf::*;
//!
//! let bound = Bound::new(PixelSize { x: 1.0, y: 1.0 }, 8.0);
//! let core = Rect::new(0, 0, 6, 1);
//! let mut class = Raster::new(core.grow(bound.reach()), 1, Class::Void);
//! class.row_mut(0, 0)[9..15].copy_from_slice(&[Class::In, Class::In, Class::Out, Class::Out, Class::Out, Class::Void]);
//! let mut stored = [0_i16; 6];
//! distance(class.band(0), &bound, &mut Scratch::default(), &mut stored);
//! let metres = stored.map(|d| if d == VOID { f64::NAN } else { (f64::from(d) * bound.scale()).round() });
//! assert_eq!(metres[..5], [-1.0, 0.0, 1.0, 2.0, 3.0]);
//! assert!(metres[5].is_nan());
//! ```

mod bound;
mod class;
mod columns;
mod distance;
mod envelope;
mod scan;

pub use bound::{Bound, MAX_DISTANCE_PX};
pub use class::{Class, classes, threshold_u8, write_voids};
pub use distance::{Scratch, VOID, distance};
