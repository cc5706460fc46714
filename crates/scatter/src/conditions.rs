//! What species and biomes ask of the ground, beside their strata.

use ecotone_grid::{Profile, Sector};

/// Conditions on the ground at a point; their factors multiply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// By altitude in metres.
    pub altitude: Option<Profile>,
    /// By slope in degrees.
    pub slope: Option<Profile>,
    /// By the direction that the slope faces.
    pub aspect: Option<Sector>,
    /// By signed distance in metres to strata's edges, positive outside, by the strata's places.
    pub distance: Vec<(usize, Profile)>,
    /// By further fields, such as curvatures and density masks, by their bands in [`Fields::layers`](crate::Fields::layers).
    pub layers: Vec<(usize, Profile)>,
    /// By patches of a noise of its own.
    pub clusters: Option<Clusters>,
}

impl Conditions {
    /// Whether they look at the ground's normal.
    pub fn read_normals(&self) -> bool {
        self.slope.is_some() || self.aspect.is_some()
    }
}

/// Patches of noise over world metres, inside which something grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clusters {
    /// Metres from a patch to the next, about; above 0.
    pub wavelength_m: f64,
    /// What its randomness starts from: equal seeds are equal patches.
    pub seed: u64,
    /// The part of the ground that patches cover, 0 to 1.
    pub coverage: f64,
    /// The part of the ground over which a patch fades, half of it inside and half outside of its outline; 0: a hard outline.
    pub softness: f64,
}

/// A named part of the world, inside which its species grow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Biome {
    /// Its name.
    pub name: String,
    /// The biome it is a part of, by its place in the list; its presence multiplies into this one's.
    pub parent: Option<usize>,
    /// The strata it lies on, each with its coefficient: their mixed weight is a factor. None: any ground.
    pub strata: Vec<(usize, f64)>,
    /// What else it asks of the ground.
    pub conditions: Conditions,
}
