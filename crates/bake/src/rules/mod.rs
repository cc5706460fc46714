//! The config in the kernels' words: what each stage needs, with names resolved and units converted.

mod biomes;
mod layers;
mod species;
mod strata;

use ecotone_grid::{PixelSize, Reach};
use ecotone_scatter as scatter;
use ecotone_scatter::Pattern;
use ecotone_sdf::Bound;
use ecotone_terrain::{NormalRules, Strata};

use crate::config::{Config, Field, Gradient, Loaded, Species};
use crate::error::BakeError;
use crate::facts::SpeciesScale;
use crate::layers::Asked;
use crate::plan::Reaches;
pub(crate) use biomes::Owner;
pub(crate) use layers::{Asking, LayerSource, density_masks};
pub(crate) use species::{Growth, clearance};
pub(crate) use strata::noise_seed;

/// Square metres in a hectare.
const M2_PER_HA: f64 = 10_000.0;

/// What the kernels are told.
pub(crate) struct Rules {
    pub(crate) normals: NormalRules,
    pub(crate) strata: Strata,
    /// The smallest stored weight that is inside a stratum.
    pub(crate) threshold: u8,
    pub(crate) bound: Bound,
    /// Those that grow plants, by name.
    pub(crate) species: Vec<scatter::Species>,
    /// Those that are written as densities, by name.
    pub(crate) grasses: Vec<scatter::Species>,
    /// By name.
    pub(crate) biomes: Vec<scatter::Biome>,
    /// The further fields that species and biomes read, by band.
    pub(crate) layers: Vec<LayerSource>,
    /// Where plants could stand, by species.
    pub(crate) patterns: Vec<Pattern>,
    /// How plants are counted, by species.
    pub(crate) scales: Vec<SpeciesScale>,
    pub(crate) fields: Vec<Field>,
}

impl Rules {
    /// Resolves a config for pixels of a size; errors point at the key that cannot hold there.
    pub(crate) fn new(loaded: &Loaded, pixel: PixelSize) -> Result<Self, BakeError> {
        let config = &loaded.config;
        let Growth {
            species,
            grasses,
            biomes,
            layers,
        } = Growth::new(config);
        let rules = Self {
            normals: normals(loaded, pixel)?,
            strata: strata::resolve(loaded)?,
            threshold: ecotone_sdf::threshold_u8(config.edges.threshold),
            bound: bound(loaded, pixel)?,
            patterns: species
                .iter()
                .map(|species| pattern(config.seed, species))
                .collect(),
            scales: species
                .iter()
                .zip(by_name(config))
                .map(|(species, (_, keys))| {
                    SpeciesScale::new(species, keys.size_bounds(), config.edges.max_distance)
                })
                .collect(),
            species,
            grasses,
            biomes,
            layers,
            fields: fields(config),
        };
        rules.check_densities(loaded)?;
        check_grasses(loaded)?;
        Ok(rules)
    }

    /// What some of its species ask of the ground.
    pub(crate) fn asked_by(&self, species: &[scatter::Species]) -> Asked {
        Asked::by(species, &self.biomes, &self.layers)
    }

    /// How far each stage reads.
    pub(crate) fn reaches(&self) -> Reaches {
        let competition_m = scatter::competition_reach_m(&self.species);
        let pixel = self.normals.pixel;
        Reaches {
            strata: self.normals.reach().then(self.strata.reach()),
            sdf: self.bound.reach(),
            competition_m,
            plants: pixel.reach(competition_m).then(crate::plan::SAMPLE_REACH),
        }
    }

    fn check_densities(&self, loaded: &Loaded) -> Result<(), BakeError> {
        for ((idx, species), pattern) in by_name(&loaded.config).zip(&self.patterns) {
            let most = pattern.density_per_m2() * M2_PER_HA;
            if let Some(density) = species.density.filter(|&density| density > most) {
                let spacing = species.effective_spacing();
                return Err(loaded
                    .error_at(
                        &format!("species[{idx}].density"),
                        format!("plants {spacing} m apart cannot stand this dense: {density} a hectare"),
                        Some(format!(
                            "the most that fits is {:.1} a hectare; lower the density, or the spacing and footprint",
                            (most * 10.0).floor() / 10.0
                        )),
                    )
                    .into());
            }
        }
        Ok(())
    }
}

/// A density must be one that a pattern could hold at all.
fn check_grasses(loaded: &Loaded) -> Result<(), BakeError> {
    let most = (scatter::max_density_per_m2(0.0) * M2_PER_HA).floor();
    for (idx, species) in grasses_by_name(&loaded.config) {
        if let Some(density) = species.density.filter(|&density| density > most) {
            let message = format!("{density} plants a hectare are more than a density can say");
            let help = format!("use at most {most}");
            let key = format!("species[{idx}].density");
            return Err(loaded.error_at(&key, message, Some(help)).into());
        }
    }
    Ok(())
}

/// The species of a config that grow plants, in the order of their names, with their numbers in it: their order in the
/// config says nothing.
pub(crate) fn by_name(config: &Config) -> impl Iterator<Item = (usize, &Species)> {
    sorted(config).filter(|(_, species)| !species.is_density())
}

/// The species of a config that are written as densities, likewise.
pub(crate) fn grasses_by_name(config: &Config) -> impl Iterator<Item = (usize, &Species)> {
    sorted(config).filter(|(_, species)| species.is_density())
}

fn sorted(config: &Config) -> impl Iterator<Item = (usize, &Species)> {
    let mut species: Vec<_> = config.species.iter().enumerate().collect();
    species.sort_by(|(_, a), (_, b)| a.name.cmp(&b.name));
    species.into_iter()
}

/// The optional rasters in an order of their own: that of the config says nothing.
fn fields(config: &Config) -> Vec<Field> {
    let mut fields = config.output.fields.clone();
    fields.sort();
    fields
}

/// Where a species could stand, but for points that its density leaves out everywhere.
fn pattern(seed: u64, species: &scatter::Species) -> Pattern {
    Pattern::new(seed, &species.name, species.effective_spacing_m()).up_to(species.fill())
}

fn normals(loaded: &Loaded, pixel: PixelSize) -> Result<NormalRules, BakeError> {
    let keys = &loaded.config.normals;
    let rules = NormalRules {
        gradient: match keys.gradient {
            Gradient::Horn => ecotone_terrain::Gradient::Horn,
            Gradient::Central => ecotone_terrain::Gradient::Central,
        },
        smoothing_m: keys.smoothing,
        pixel,
    };
    within_pixels(
        loaded,
        "normals.smoothing",
        rules.radius(),
        ecotone_terrain::MAX_RADIUS_PX,
        keys.smoothing,
        pixel,
    )?;
    Ok(rules)
}

fn bound(loaded: &Loaded, pixel: PixelSize) -> Result<Bound, BakeError> {
    let metres = loaded.config.edges.max_distance;
    within_pixels(
        loaded,
        "edges.max_distance",
        pixel.reach(metres),
        ecotone_sdf::MAX_DISTANCE_PX as u32,
        metres,
        pixel,
    )?;
    Ok(Bound::new(pixel, metres))
}

/// A distance in metres must be so many pixels at the most.
fn within_pixels(
    loaded: &Loaded,
    key: &str,
    reach: Reach,
    most: u32,
    metres: f64,
    pixel: PixelSize,
) -> Result<(), BakeError> {
    if reach.x.max(reach.y) <= most {
        return Ok(());
    }
    let limit = f64::from(most) * pixel.x.min(pixel.y);
    Err(loaded
        .error_at(
            key,
            format!(
                "{metres} m are {} pixels of {} × {} m, more than the {most} that can be read",
                reach.x.max(reach.y),
                pixel.x,
                pixel.y
            ),
            Some(format!("use at most {limit} m")),
        )
        .into())
}
