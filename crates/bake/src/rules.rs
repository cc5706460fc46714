//! The config in the kernels' words: what each stage needs, with names resolved and units converted.

mod strata;

use ecotone_grid::{PixelSize, Profile, Reach};
use ecotone_scatter as scatter;
use ecotone_scatter::Pattern;
use ecotone_sdf::Bound;
use ecotone_terrain::{NormalRules, Strata};

use crate::config::{Config, Curve, CurveWord, Field, Gradient, Loaded, Species};
use crate::error::BakeError;
use crate::facts::SpeciesScale;
use crate::plan::Reaches;
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
    /// By name.
    pub(crate) species: Vec<scatter::Species>,
    pub(crate) patterns: Vec<Pattern>,
    /// How plants are counted, by species.
    pub(crate) scales: Vec<SpeciesScale>,
    pub(crate) fields: Vec<Field>,
    /// The species that are written as a density, by name.
    pub(crate) grasses: Vec<scatter::Species>,
    /// By name.
    pub(crate) biomes: Vec<scatter::Biome>,
    /// The further fields that conditions read.
    pub(crate) layers: Vec<LayerSource>,
}

/// What a further field is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayerSource {
    /// A density mask, by its place in the inputs.
    Mask(usize),
    /// A curvature of the ground.
    Curvature(ecotone_terrain::Curvature),
}

impl Rules {
    /// Resolves a config for pixels of a size; errors point at the key that cannot hold there.
    pub(crate) fn new(loaded: &Loaded, pixel: PixelSize) -> Result<Self, BakeError> {
        let config = &loaded.config;
        let species: Vec<_> = by_name(config).map(|(_, s)| resolve(s, config)).collect();
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
                .map(|species| SpeciesScale::new(species, config.edges.max_distance))
                .collect(),
            species,
            fields: fields(config),
            grasses: Vec::new(),
            biomes: Vec::new(),
            layers: Vec::new(),
        };
        rules.check_densities(loaded)?;
        Ok(rules)
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

    /// Whether any plant asks for the normal it stands on.
    pub(crate) fn plants_read_normals(&self) -> bool {
        self.species.iter().any(scatter::Species::reads_normals)
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

/// The species of a config in the order of their names, with their numbers in it: their order in the config says nothing.
pub(crate) fn by_name(config: &Config) -> impl Iterator<Item = (usize, &Species)> {
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

fn resolve(species: &Species, config: &Config) -> scatter::Species {
    let index = |name: &str| {
        config
            .bands()
            .position(|stratum| stratum.name == name)
            .expect("a loaded config names strata that exist")
    };
    let edge = species.edge.as_ref();
    scatter::Species {
        name: species.name.clone(),
        strata: config
            .bands()
            .enumerate()
            .filter_map(|(idx, stratum)| Some((idx, *species.strata.get(&stratum.name)?)))
            .collect(),
        threshold: species.threshold,
        softness: 0.0,
        density_per_m2: species.density.map(|density| density / M2_PER_HA),
        spacing_m: species.spacing,
        footprint_m: species.footprint,
        priority: species.priority,
        size: species.size,
        edge: scatter::Edge {
            stratum: species
                .edge_stratum(config.bands())
                .expect("a loaded config associates each species with a stratum"),
            falloff_m: edge.and_then(|edge| edge.falloff),
            curve: edge.map_or(scatter::Curve::Smooth, |edge| curve(&edge.curve)),
            density: edge.map_or(1.0, |edge| edge.density),
            size: species.edge_size(),
        },
        keep_from: Vec::new(),
        near: None,
        conditions: scatter::Conditions {
            altitude: species.altitude.map(|band| Profile::Band(band.trapezoid())),
            slope: species.slope.map(|band| Profile::Band(band.trapezoid())),
            distance: species
                .distance
                .iter()
                .map(|band| {
                    let trapezoid = band.trapezoid(config.edges.max_distance);
                    (index(&band.stratum), Profile::Band(trapezoid))
                })
                .collect(),
            ..scatter::Conditions::default()
        },
        biomes: Vec::new(),
        align: species.align,
        tilt: [0.0; 2],
        yaw: scatter::Yaw::default(),
        sink_m: [0.0; 2],
        tint: [0.0, 1.0],
        variants: species
            .variants
            .values()
            .map(|&weight| scatter::Variant::of(weight))
            .collect(),
    }
}

fn curve(curve: &Curve) -> scatter::Curve {
    match curve {
        Curve::Word(CurveWord::Smooth) => scatter::Curve::Smooth,
        Curve::Word(CurveWord::Linear) => scatter::Curve::Linear,
        Curve::Points(points) => scatter::Curve::Points(points.clone()),
    }
}
