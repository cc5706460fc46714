//! Real ground: the white oaks of `configs/jacksboro.toml`, before which no other species takes any.

use std::path::Path;

use crate::cases::{Axis, band, ramp, smooth_step};
use crate::laws::{Sizes, sizes};
use crate::statistics::Fit;
use crate::worlds::{At, Place, Plant, World};

/// What the config says of them.
pub const RULES: &str = r#"strata = { hillside = 1.0, cove = 0.6 }
threshold = 0.4
density = 6
size = [0.8, 1.3]
edge = { falloff = 150, curve = "smooth", density = 0.5, size = [0.5, 0.8] }
altitude = { band = [0, 750], blend = 100 }"#;

const COVE: usize = 0;
const HILLSIDE: usize = 1;
pub const SIZES: [[f64; 2]; 2] = [[0.5, 0.8], [0.8, 1.3]];
pub const FALLOFF: f64 = 150.0;

/// The oaks, held against their rules.
pub struct Oaks {
    pub world: World,
    /// Over each of what the rules look at.
    pub fits: Vec<(&'static str, Fit)>,
    pub sizes: Sizes,
}

/// What the rules look at, one by one.
pub const VALUES: [Axis; 3] = [
    ("metres inside the edge of the hillsides", inside),
    ("metres of altitude", |at| at.height()),
    ("mixed weight", mixed_weight),
];

pub fn oaks() -> Oaks {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let text = std::fs::read_to_string(configs.join("jacksboro.toml")).unwrap();
    for rule in RULES.lines() {
        assert!(text.contains(rule), "another rule than {rule}");
    }
    let place = Place::new();
    let mut world = World::of(&place.bake(&text, &configs, "out"));
    let oak = world.species.iter().position(|name| name == "white oak");
    let oak = oak.unwrap();
    world.plants.retain(|plant| plant.species == oak);
    let fit = |value| world.fit(world.plants.iter(), density, value);
    let fits = VALUES.map(|(name, value)| (name, fit(value)));
    let size = |plant: &Plant| (way(inside(&world.at(plant.at))), plant.size);
    let all = world.plants.iter().map(size);
    Oaks {
        sizes: sizes(SIZES, world.size_steps[oak], all),
        fits: fits.to_vec(),
        world,
    }
}

pub fn inside(at: &At<'_>) -> f64 {
    -at.metres(HILLSIDE)
}

/// How far the way from the edge is gone at metres inside it.
pub fn way(inside: f64) -> f64 {
    smooth_step(ramp(inside, 0.0, FALLOFF))
}

fn mixed_weight(at: &At<'_>) -> f64 {
    // What is rounded in a sum of bytes is no other weight.
    let mixed = at.share(HILLSIDE) + 0.6 * at.share(COVE);
    (mixed * 1e9).round() / 1e9
}

/// Oaks per square metre that the rules ask for.
pub fn density(at: &At<'_>) -> f64 {
    let mixed = mixed_weight(at);
    if mixed < 0.4 {
        return 0.0;
    }
    let edge = 0.5 + 0.5 * way(inside(at));
    6e-4 * mixed * edge * band(at.height(), [0.0, 750.0], 100.0)
}
