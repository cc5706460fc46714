//! Biomes and conditions of a config in the kernels' words.

use ecotone_grid::{Sector, mix, name_key};
use ecotone_scatter as scatter;

use super::layers::{Asking, LayerSource, curvature, density_masks};
use crate::config::{Biome, Clusters, Conditions, Config, DensityMask, Species};

/// Whose conditions they are: clusters without a seed of their own start from it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owner<'a> {
    /// A species, by name.
    Species(&'a str),
    /// A biome, by name.
    Biome(&'a str),
}

impl Owner<'_> {
    /// The seed of its clusters: their own, else one that no other owner and no other world has.
    pub(crate) fn seed(self, world: u64, clusters: &Clusters) -> u64 {
        const SPECIES: u64 = name_key("clusters of a species");
        const BIOME: u64 = name_key("clusters of a biome");
        let own = || match self {
            Self::Species(name) => mix(mix(world ^ SPECIES) ^ name_key(name)),
            Self::Biome(name) => mix(mix(world ^ BIOME) ^ name_key(name)),
        };
        clusters.seed.unwrap_or_else(own)
    }
}

/// Where names stand in the kernels' lists.
pub(super) struct Places<'a> {
    pub(super) config: &'a Config,
    /// By name.
    biomes: Vec<&'a Biome>,
    masks: Vec<(Asking<'a>, &'a DensityMask)>,
    pub(super) layers: Vec<LayerSource>,
}

impl<'a> Places<'a> {
    pub(super) fn new(config: &'a Config) -> Self {
        let mut biomes: Vec<_> = config.biomes.iter().collect();
        biomes.sort_by(|a, b| a.name.cmp(&b.name));
        Self {
            config,
            biomes,
            masks: density_masks(config),
            layers: super::layers::of(config),
        }
    }

    /// The biomes in the kernels' words.
    pub(super) fn biomes(&self) -> Vec<scatter::Biome> {
        let resolve = |own: &&Biome| scatter::Biome {
            name: own.name.clone(),
            parent: own.within.as_ref().map(|name| self.biome(name)),
            strata: self.strata(|stratum| own.strata.get(stratum)),
            conditions: self.conditions(&own.conditions, Owner::Biome(&own.name)),
        };
        self.biomes.iter().map(resolve).collect()
    }

    /// The biomes that list a species, by their places.
    pub(super) fn biomes_of(&self, species: &Species) -> Vec<usize> {
        let biomes = self.biomes.iter().enumerate();
        biomes
            .filter(|(_, biome)| biome.species.contains(&species.name))
            .map(|(place, _)| place)
            .collect()
    }

    /// The strata that have a coefficient, by their places.
    pub(super) fn strata<'c>(
        &self,
        coefficient: impl Fn(&str) -> Option<&'c f64>,
    ) -> Vec<(usize, f64)> {
        let bands = self.config.bands().enumerate();
        bands
            .filter_map(|(place, stratum)| Some((place, *coefficient(&stratum.name)?)))
            .collect()
    }

    /// Conditions in the kernels' words.
    pub(super) fn conditions(&self, own: &Conditions, owner: Owner<'_>) -> scatter::Conditions {
        let most = self.config.edges.max_distance;
        let distance = own.distance.iter();
        let sector =
            |keys: &crate::config::AspectBand| Sector::new(keys.band[0], keys.band[1], keys.blend);
        let clusters = |keys: &Clusters| scatter::Clusters {
            wavelength_m: keys.wavelength,
            seed: owner.seed(self.config.seed, keys),
            coverage: keys.coverage,
            softness: keys.softness,
        };
        scatter::Conditions {
            altitude: own.altitude.as_ref().map(|rule| rule.profile()),
            slope: own.slope.as_ref().map(|rule| rule.profile()),
            aspect: own.aspect.as_ref().and_then(sector),
            distance: distance
                .map(|rule| (self.stratum(&rule.stratum), rule.profile(most)))
                .collect(),
            layers: self.layers_of(own),
            clusters: own.clusters.as_ref().map(clusters),
        }
    }

    /// The further fields that conditions read, with what their values are worth.
    fn layers_of(&self, own: &Conditions) -> Vec<(usize, ecotone_grid::Profile)> {
        let curvature = own.curvature.as_ref().map(|rule| {
            let source = LayerSource::Curvature(curvature(rule.kind));
            (self.layer(source), rule.profile())
        });
        let mask = own.mask.as_ref().map(|mask| {
            let place = self.masks.iter().position(|(_, known)| *known == mask);
            let place = place.expect("every mask of the config is listed");
            let share = ecotone_grid::Profile::Points(vec![[0.0, 0.0], [1.0, 1.0]]);
            (self.layer(LayerSource::Mask(place)), share)
        });
        curvature.into_iter().chain(mask).collect()
    }

    fn layer(&self, source: LayerSource) -> usize {
        let band = self.layers.iter().position(|known| *known == source);
        band.expect("every field that conditions read is listed")
    }

    fn stratum(&self, name: &str) -> usize {
        self.config
            .bands()
            .position(|stratum| stratum.name == name)
            .expect("a loaded config names strata that exist")
    }

    fn biome(&self, name: &str) -> usize {
        self.biomes
            .iter()
            .position(|biome| biome.name == name)
            .expect("a loaded config names biomes that exist")
    }
}
