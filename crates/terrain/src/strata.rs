//! What strata are made of: bands of the ground, and layers over it.

use ecotone_grid::{Noise, Reach, Sector, Trapezoid};

/// The strata of a world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strata {
    /// What has a weight of its own, in listed order; `None` where only a layer gives it one.
    pub bands: Vec<Option<Preset>>,
    /// What goes over the presets, in this order, each with the mask of its number.
    pub layers: Vec<Layer>,
}

/// A stratum by the shape of the ground: the product of its bands, shared out among all presets in proportion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Preset {
    /// Band of slopes in degrees.
    pub slope: Option<Trapezoid>,
    /// Band of altitudes in metres.
    pub altitude: Option<Trapezoid>,
    /// Band of the directions that the slope faces; ground without any slope is in every one.
    pub aspect: Option<Sector>,
    /// Band of curvatures.
    pub curvature: Option<CurvatureBand>,
    /// What moves the slope or the altitude that the bands see.
    pub shift: Option<Shift>,
    /// Whether it takes a pixel where there is no weight; else the first preset does.
    pub fallback: bool,
}

/// What a mask does with the weights under it. A band is named by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// A stratum that takes the mask's share; everything else keeps the rest of what it had.
    Over {
        /// Its band, which has no preset and no layer before this one.
        band: usize,
    },
    /// Raises the weight of a stratum by the mask, to 1 at most; then all are scaled to sum to 1.
    Add {
        /// Its band: a preset, or one that a layer before this one has laid.
        target: usize,
    },
    /// Lowers the weight of a stratum by the mask, to 0 at least; then all are scaled to sum to 1.
    Subtract {
        /// Its band, as for `Add`.
        target: usize,
    },
}

/// A band of curvatures in 1/m, above 0 on convex ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvatureBand {
    /// Which curvature.
    pub kind: Curvature,
    /// The band.
    pub band: Trapezoid,
}

/// A curvature of the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// The mean of the other two.
    Mean,
    /// Of the section along the line of fall (vertical curvature).
    Profile,
    /// Of the normal section across the line of fall (horizontal, or tangential, curvature).
    Plan,
}

/// Noise that moves what the bands of a preset see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// What it moves.
    pub of: Shifted,
    /// How far at the most, at least 0: degrees of slope or metres of altitude.
    pub amplitude: f64,
    /// Where it moves it up and where down.
    pub noise: Noise,
}

/// What noise moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shifted {
    /// The slope.
    Slope,
    /// The altitude.
    Altitude,
}

impl Strata {
    /// How many bands their weights have.
    pub fn n_bands(&self) -> usize {
        self.bands.len()
    }

    /// How far beyond its own pixel a weight reads normals: a curvature those beside it, all else none.
    pub fn reach(&self) -> Reach {
        let mut presets = self.bands.iter().flatten();
        Reach::square(u32::from(presets.any(|preset| preset.curvature.is_some())))
    }
}

impl Preset {
    /// Its noise, if that moves slopes.
    pub(crate) fn slope_shift(&self) -> Option<Shift> {
        self.shift.filter(|shift| shift.of == Shifted::Slope)
    }

    /// Its noise, if that moves altitudes.
    pub(crate) fn altitude_shift(&self) -> Option<Shift> {
        self.shift.filter(|shift| shift.of == Shifted::Altitude)
    }
}
