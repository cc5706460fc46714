//! How far distances are followed, and the integer metric they are measured in.

use ecotone_grid::{PixelSize, Reach};

/// The largest bound, in pixels of the shorter side.
pub const MAX_DISTANCE_PX: f64 = 32768.0;

/// A shorter side squared, where pixels are not square: the longer one is then within 2⁻²¹ of its true ratio.
const UNIT: f64 = 1_048_576.0;
/// The dearest a step along the longer side gets: 2¹⁶ shorter sides, beyond every bound.
const DEAREST: f64 = UNIT * UNIT * 4096.0;

/// The bound of a distance field and its integer metric.
///
/// A squared distance is `cost_x`·dx² + `cost_y`·dy² for whole numbers of pixels. All of them within the bound are
/// integers of at most 2⁵¹, which an f64 holds and subtracts exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    pub(crate) cost_x: f64,
    pub(crate) cost_y: f64,
    /// Stored units per square root of a cost.
    pub(crate) stored_per_root: f64,
    /// The stored value at the bound and beyond.
    pub(crate) farthest: f64,
    /// Pixels within the bound on each axis, rounded up.
    pub(crate) pixels: Reach,
    scale_m: f64,
}

impl Bound {
    /// Distances up to `max_distance_m` metres, at most [`MAX_DISTANCE_PX`] of the shorter pixel side: more is cut to
    /// that, and what is not a positive number counts as 0.
    pub fn new(pixel: PixelSize, max_distance_m: f64) -> Self {
        let side_m = pixel.x.min(pixel.y);
        let max_m = max_distance_m.max(0.0).min(MAX_DISTANCE_PX * side_m);
        let unit = if pixel.x == pixel.y { 1.0 } else { UNIT };
        let cost = |size_m: f64| {
            let ratio = size_m / side_m;
            (ratio * ratio * unit + 0.5).floor().min(DEAREST)
        };
        let scale_m = if max_m > 0.0 { max_m / 32767.0 } else { 0.001 };
        Self {
            cost_x: cost(pixel.x),
            cost_y: cost(pixel.y),
            stored_per_root: side_m / unit.sqrt() / scale_m,
            farthest: if max_m > 0.0 { 32767.0 } else { 0.0 },
            pixels: pixel.reach(max_m),
            scale_m,
        }
    }

    /// How far beyond its own pixel a distance reads classes: the bound, and the neighbours that make an edge.
    pub fn reach(&self) -> Reach {
        self.pixels.then(Reach::square(1))
    }

    /// Metres per stored unit: the bound over 32767, or 0.001 for a bound of 0.
    pub fn scale(&self) -> f64 {
        self.scale_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_pixels_cost_one() {
        let bound = Bound::new(PixelSize { x: 2.0, y: 2.0 }, 64.0);
        assert_eq!((bound.cost_x, bound.cost_y), (1.0, 1.0));
        assert_eq!(bound.reach(), Reach::square(33));
        assert_eq!(bound.scale(), 64.0 / 32767.0);
    }

    #[test]
    fn other_pixels_keep_their_ratio() {
        for (x, y) in [(5.0, 3.0), (0.3, 0.29), (1.0, 1000.0), (30.9, 15.4)] {
            let bound = Bound::new(PixelSize { x, y }, 64.0);
            let ratio = (bound.cost_x / bound.cost_y).sqrt() / (x / y);
            assert!((ratio - 1.0).abs() < 1.0 / 1_048_576.0, "{x} {y}: {ratio}");
        }
    }

    #[test]
    fn costs_within_the_largest_bound_are_exact() {
        for ratio in [1.0, 1.7, 100.0, 1e4, 1e6, 1e12] {
            let bound = Bound::new(PixelSize { x: ratio, y: 1.0 }, f64::INFINITY);
            let most = bound.cost_y * f64::from(bound.pixels.y).powi(2);
            assert!(bound.pixels.y == 32768 && most <= 2_f64.powi(50), "{ratio}");
        }
    }

    #[test]
    fn no_bound_at_all_is_harmless() {
        for max_m in [0.0, -1.0, f64::NAN] {
            let bound = Bound::new(PixelSize { x: 1.0, y: 2.0 }, max_m);
            assert_eq!((bound.reach(), bound.scale()), (Reach::square(1), 0.001));
        }
    }
}
