//! The species of a config in the kernels' words.

use ecotone_scatter as scatter;

use super::biomes::{Owner, Places};
use super::layers::LayerSource;
use super::{M2_PER_HA, by_name, grasses_by_name};
use crate::config::{self, Config, Curve, CurveWord, Species, Variant};

/// All that grows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Growth {
    /// The species that grow plants, by name.
    pub(crate) species: Vec<scatter::Species>,
    /// The species that are written as densities, by name.
    pub(crate) grasses: Vec<scatter::Species>,
    /// By name.
    pub(crate) biomes: Vec<scatter::Biome>,
    /// The further fields that these read, by band.
    pub(crate) layers: Vec<LayerSource>,
}

impl Growth {
    /// Resolves a config that holds together.
    pub(crate) fn new(config: &Config) -> Self {
        let places = Places::new(config);
        let plants: Vec<&Species> = by_name(config).map(|(_, species)| species).collect();
        let species = plants.iter().map(|own| scatter::Species {
            footprint_m: own.footprint,
            keep_from: keep_from(config, &plants, own),
            near: own.near.as_ref().map(|near| scatter::Near {
                species: place(&plants, &near.species),
                within_m: near.within,
            }),
            ..alone(&places, own)
        });
        Self {
            species: species.collect(),
            grasses: grasses_by_name(config)
                .map(|(_, own)| grass(&places, own))
                .collect(),
            biomes: places.biomes(),
            layers: places.layers,
        }
    }
}

/// A species that is written as a density: where it is given, no spacing bounds it.
fn grass(places: &Places<'_>, own: &Species) -> scatter::Species {
    let spacing_m = match own.density {
        Some(_) => 0.0,
        None => own.spacing,
    };
    scatter::Species {
        spacing_m,
        ..alone(places, own)
    }
}

/// A species, but for what it has to do with others.
fn alone(places: &Places<'_>, own: &Species) -> scatter::Species {
    scatter::Species {
        name: own.name.clone(),
        strata: places.strata(|stratum| own.strata.get(stratum)),
        threshold: own.threshold,
        softness: own.softness,
        density_per_m2: own.density.map(|density| density / M2_PER_HA),
        spacing_m: own.spacing,
        footprint_m: 0.0,
        priority: places.config.priority(own),
        keep_from: Vec::new(),
        near: None,
        size: own.size,
        edge: edge(places.config, own),
        conditions: places.conditions(&own.conditions, Owner::Species(&own.name)),
        biomes: places.biomes_of(own),
        align: own.align,
        tilt: own.tilt,
        yaw: scatter::Yaw {
            facing: match own.facing {
                config::Facing::East => scatter::Facing::East,
                config::Facing::Downhill => scatter::Facing::Downhill,
            },
            range: own.yaw_range(),
        },
        sink_m: own.sink,
        tint: own.tint,
        variants: own.variants.values().map(variant).collect(),
    }
}

fn edge(config: &Config, own: &Species) -> scatter::Edge {
    let keys = own.edge.as_ref();
    scatter::Edge {
        stratum: own
            .edge_stratum(config.bands())
            .expect("a loaded config associates each species with a stratum"),
        falloff_m: keys.and_then(|edge| edge.falloff),
        curve: keys.map_or(scatter::Curve::Smooth, |edge| curve(&edge.curve)),
        density: keys.map_or(1.0, |edge| edge.density),
        size: own.edge_size(),
    }
}

fn curve(curve: &Curve) -> scatter::Curve {
    match curve {
        Curve::Word(CurveWord::Smooth) => scatter::Curve::Smooth,
        Curve::Word(CurveWord::Linear) => scatter::Curve::Linear,
        Curve::Word(CurveWord::Ease) => scatter::Curve::Ease,
        Curve::Points(points) => scatter::Curve::Points(points.clone()),
    }
}

fn variant(variant: &Variant) -> scatter::Variant {
    let keys = variant.keys();
    scatter::Variant {
        weight: keys.weight,
        edge_weight: keys.edge.unwrap_or(keys.weight),
        size: keys.size,
        edge_size: keys.edge_size,
    }
}

/// The distances that a species keeps from others, by their places.
fn keep_from(config: &Config, plants: &[&Species], own: &Species) -> Vec<(usize, f64)> {
    let others = plants.iter().enumerate();
    others
        .filter_map(|(place, other)| Some((place, clearance(config, own, other)?)))
        .collect()
}

/// The distance that two species keep from each other: the largest of what the one, the other and their group say.
pub(crate) fn clearance(config: &Config, a: &Species, b: &Species) -> Option<f64> {
    if a.name == b.name {
        return None;
    }
    let said = [
        a.keep_from.get(&b.name).copied(),
        b.keep_from.get(&a.name).copied(),
        spacing_of_group(config, a, b),
    ];
    let most = said.into_iter().flatten().fold(0.0, f64::max);
    (most > 0.0).then_some(most)
}

/// What their group asks of two species.
fn spacing_of_group(config: &Config, a: &Species, b: &Species) -> Option<f64> {
    let group = config.group(a)?;
    let is_shared = b.group.as_ref() == Some(&group.name);
    group.spacing.filter(|_| is_shared)
}

fn place(plants: &[&Species], name: &str) -> usize {
    plants
        .iter()
        .position(|other| other.name == name)
        .expect("a loaded config names species that grow")
}
