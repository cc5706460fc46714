//! What must hold of plants beside their density: sizes, variants, distances to others, and the blue noise of their places.

use std::collections::BTreeMap;

use ecotone_grid::mix;
use ecotone_scatter::{Area, Candidate, UNITS_PER_M};

use crate::cases::{FALLOFF, smooth};
use crate::factors::{Case, WOOD, full_density};
use crate::power::{power, ring, tapered};
use crate::statistics::{BINS, Bin, Fit};
use crate::worlds::{Plant, World};

/// Metres inside the edge, of every plant.
fn depths(world: &World) -> Vec<f64> {
    let depth = |plant: &Plant| -world.at(plant.at).metres(WOOD);
    world.plants.iter().map(depth).collect()
}

fn lerp(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

/// The sizes of a species against the range of each plant's distance.
pub struct Sizes {
    /// Draws, one for each plant, in bins of equal parts of the range.
    pub draws: Fit,
    /// The least and the largest part of its range that a plant draws.
    pub ends: [f64; 2],
    /// Sizes outside of their range by more than the half step by which what is stored is rounded.
    pub n_outside: usize,
    /// How far the size farthest off lies outside of its range, in steps of a stored size.
    pub most_off_steps: f64,
}

/// The ranges of the cases with edges, at the edge and inside.
pub const SIZES: [[f64; 2]; 2] = [[0.2, 0.5], [0.8, 1.4]];

/// The smallest and the largest size where a part of the way from the edge is gone.
pub fn size_range([edge, interior]: [[f64; 2]; 2], way: f64) -> [f64; 2] {
    [0, 1].map(|end| lerp(edge[end], interior[end], way))
}

/// Holds plants against the ranges at the edge and inside; of each is given how far the way is gone, and its size.
pub fn sizes(ranges: [[f64; 2]; 2], step: f64, plants: impl Iterator<Item = (f64, f64)>) -> Sizes {
    let mut bins = [Bin::default(); BINS];
    let (mut ends, mut n_outside, mut most_off_steps) = ([1.0_f64, 0.0_f64], 0, 0.0_f64);
    for (way, size) in plants {
        let [lo, hi] = size_range(ranges, way);
        let off_steps = (lo - size).max(size - hi) / step;
        n_outside += usize::from(off_steps > 0.5 + 1e-6);
        most_off_steps = most_off_steps.max(off_steps);
        let draw = ((size - lo) / (hi - lo)).clamp(0.0, 1.0);
        ends = [ends[0].min(draw), ends[1].max(draw)];
        bins[((draw * BINS as f64) as usize).min(BINS - 1)].found += 1.0;
    }
    let n: f64 = bins.iter().map(|bin| bin.found).sum();
    bins.iter_mut()
        .for_each(|bin| bin.expected = n / BINS as f64);
    Sizes {
        draws: Fit::of(&bins),
        ends,
        n_outside,
        most_off_steps,
    }
}

/// The sizes of a case with an edge.
pub fn sizes_of(world: &World, way: fn(f64) -> f64) -> Sizes {
    let ways = depths(world).into_iter().map(way);
    let all = world.plants.iter().map(|plant| plant.size);
    sizes(SIZES, world.size_steps[0], ways.zip(all))
}

/// How often a variant is drawn.
pub struct Variants {
    /// Plants of the variant, by metres inside the edge.
    pub fit: Fit,
    /// Its share outside, where it is as at the edge, and in the interior: asked and found.
    pub outside: [f64; 2],
    pub interior: [f64; 2],
}

/// The lines that say how often variants are drawn.
pub const VARIANTS: &str = r#"edge = { stratum = "wood", falloff = 16 }
variants = { young = { weight = 1, edge = 4 }, old = { weight = 3, edge = 1 } }"#;

pub fn variants() -> Variants {
    let world = Case::flat(VARIANTS).world();
    // Variants are numbered by name: old, young.
    let is_young: Vec<bool> = world.plants.iter().map(|own| own.variant == 1).collect();
    let asked = |depth: f64| {
        let (young, old) = (lerp(4.0, 1.0, smooth(depth)), lerp(1.0, 3.0, smooth(depth)));
        young / (young + old)
    };
    let depths = depths(&world);
    let young = depths.iter().zip(&is_young).filter(|(_, young)| **young);
    let young: Vec<f64> = young.map(|(depth, _)| *depth).collect();
    let share = |within: &dyn Fn(f64) -> bool| {
        let of = |depths: &[f64]| depths.iter().filter(|depth| within(**depth)).count() as f64;
        of(&young) / of(&depths)
    };
    Variants {
        outside: [asked(0.0), share(&|depth| depth <= 0.0)],
        interior: [asked(FALLOFF), share(&|depth| depth >= FALLOFF)],
        fit: Fit::new(depths.iter().map(|&d| [d, asked(d)]).collect(), &young),
    }
}

/// How close plants of two species come, and how close they may.
pub struct Pair {
    pub species: [&'static str; 2],
    pub why: &'static str,
    pub least: f64,
    pub found: f64,
}

/// Who competes, in three tiers.
pub const RIVALS: &str = r#"
[[group]]
name = "shrubs"
spacing = 1.1
[[species]]
name = "oak"
strata = { field = 1, wood = 1 }
spacing = 4.5
footprint = 0.9
priority = 2
[[species]]
name = "pine"
density = 1200
strata = { field = 1, wood = 1 }
spacing = 1.5
footprint = 0.6
priority = 1
[[species]]
name = "hazel"
density = 2500
group = "shrubs"
strata = { field = 1, wood = 1 }
spacing = 0.9
footprint = 0.3
priority = 1
[[species]]
name = "rose"
group = "shrubs"
strata = { field = 1, wood = 1 }
spacing = 0.8
footprint = 0.2
keep_from = { oak = 1.6 }
"#;

pub fn rivals() -> (usize, Vec<Pair>) {
    let world = Case::flat("").world_of(RIVALS);
    let closest = closest(&world, 5.0);
    let pair = |species: [&'static str; 2], why, least| Pair {
        species,
        why,
        least,
        found: closest[&species.map(str::to_owned)],
    };
    let pairs = vec![
        pair(["oak", "oak"], "spacing", 4.5),
        pair(["oak", "pine"], "footprints, two tiers", 1.5),
        pair(["hazel", "oak"], "footprints, two tiers", 1.2),
        pair(["hazel", "pine"], "footprints, one tier", 0.9),
        pair(["hazel", "rose"], "the group's spacing", 1.1),
        pair(["pine", "rose"], "footprints, two tiers", 0.8),
        pair(["oak", "rose"], "`keep_from`", 1.6),
    ];
    (world.plants.len(), pairs)
}

/// The smallest distance of any two plants, of each pair of species, where it is below `within` metres.
fn closest(world: &World, within: f64) -> BTreeMap<[String; 2], f64> {
    let cell = |at: [f64; 2]| at.map(|v| (v / within) as i64);
    let mut cells = BTreeMap::<[i64; 2], Vec<&Plant>>::new();
    for plant in &world.plants {
        cells.entry(cell(plant.at)).or_default().push(plant);
    }
    let mut closest = BTreeMap::new();
    for plant in &world.plants {
        let [i, j] = cell(plant.at);
        let around = (i - 1..=i + 1).flat_map(|i| (j - 1..=j + 1).map(move |j| [i, j]));
        for other in around.filter_map(|at| cells.get(&at)).flatten() {
            let pair = [plant, *other].map(|own| world.species[own.species].as_str());
            if plant.at == other.at && pair[0] == pair[1] || pair[0] > pair[1] {
                continue;
            }
            let gap = (plant.at[0] - other.at[0]).hypot(plant.at[1] - other.at[1]);
            let least = closest.entry(pair).or_insert(f64::INFINITY);
            *least = gap.min(*least);
        }
    }
    let owned = |(pair, gap): ([&str; 2], f64)| (pair.map(str::to_owned), gap);
    closest.into_iter().map(owned).collect()
}

/// Spacings along the side of the square whose spectrum is taken, and metres between its plants.
const SQUARE: i64 = 256;
const SPACING: f64 = 0.5;

/// Plants in a square, as parts of its side with their tapers.
pub type Points = Vec<(f64, f64, f64)>;

/// Plants whose spectrum is taken.
pub struct Spectrum {
    pub name: &'static str,
    pub points: Points,
}

/// Plants of one spacing at full, half and a quarter of the density, and half of the full ones picked by lot.
pub struct Spectra(pub Vec<Spectrum>);

pub fn spectra() -> Spectra {
    let names = ["full density", "half of it", "a quarter of it"];
    let full = full_density(SPACING) * 1e4;
    let species = names.iter().zip([1.0, 0.5, 0.25]).map(|(name, share)| {
        format!(
            "[[species]]\nname = \"{name}\"\nstrata = {{ field = 1, wood = 1 }}\nspacing = {SPACING}\ndensity = {}\n",
            full * share
        )
    });
    let world = Case::flat("").world_of(&species.collect::<String>());
    let ranked = names.map(|name| Spectrum {
        name,
        points: square(&world, name, &|_| true),
    });
    let by_lot = |own: &Candidate| mix(own.x as u64 ^ mix(own.y as u64)) >> 63 == 0;
    let lots = Spectrum {
        name: "half of it, by lot",
        points: square(&world, names[0], &by_lot),
    };
    Spectra(ranked.into_iter().chain([lots]).collect())
}

/// The plants of a species in the square, those that are kept.
fn square(world: &World, name: &str, keeps: &dyn Fn(&Candidate) -> bool) -> Points {
    let side = SQUARE * (SPACING * UNITS_PER_M as f64) as i64;
    let from = 20 * UNITS_PER_M;
    let area = Area::new(from, from, from + side, from + side);
    let units = |metres: f64| (metres * UNITS_PER_M as f64) as i64;
    let named = |plant: &&Plant| world.species[plant.species] == name;
    let all = world.plants.iter().filter(named).map(|plant| Candidate {
        x: units(plant.at[0]),
        y: units(plant.at[1]),
        rank: 0.0,
        draws: 0,
    });
    let kept: Vec<Candidate> = all
        .filter(|own| area.contains(own.x, own.y) && keeps(own))
        .collect();
    tapered(kept.iter(), &area)
}

/// The mean power over wave vectors of a length in waves per side; white noise has 1.
pub fn mean_power(points: &Points, [from, to]: [i64; 2], n: usize) -> f64 {
    let waves = ring(from, to);
    let every = (waves.len() / n).max(1);
    let some: Vec<_> = waves.into_iter().step_by(every).collect();
    some.iter().map(|&wave| power(points, wave)).sum::<f64>() / some.len() as f64
}

/// The power of waves 13 to 85 spacings long.
pub fn low_power(points: &Points) -> f64 {
    mean_power(points, [3, 20], 200)
}
