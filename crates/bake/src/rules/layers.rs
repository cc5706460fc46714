//! The further fields that species and biomes read, each of which is made once however many read it.

use ecotone_terrain::Curvature;

use crate::config::{Conditions, Config, CurvatureKind, DensityMask};

/// What a further field is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayerSource {
    /// A density mask, by its place in [`density_masks`].
    Mask(usize),
    /// A curvature of the ground.
    Curvature(Curvature),
}

/// The further fields of a config, by band: curvatures, then masks. Their order in the config says nothing.
pub(super) fn of(config: &Config) -> Vec<LayerSource> {
    let is_read = |&kind: &CurvatureKind| {
        let kind_of = |own: &Conditions| own.curvature.as_ref().map(|curvature| curvature.kind);
        conditions(config).any(|(_, own)| kind_of(own) == Some(kind))
    };
    let kinds = [
        CurvatureKind::Mean,
        CurvatureKind::Profile,
        CurvatureKind::Plan,
    ];
    let curvatures = kinds.into_iter().filter(is_read);
    let masks = 0..density_masks(config).len();
    curvatures
        .map(|kind| LayerSource::Curvature(curvature(kind)))
        .chain(masks.map(LayerSource::Mask))
        .collect()
}

/// The different density masks of a config, by what their keys say, each with the path of the first key that names it.
pub(crate) fn density_masks(config: &Config) -> Vec<(String, &DensityMask)> {
    let mut masks: Vec<(String, &DensityMask)> = Vec::new();
    for (key, own) in conditions(config) {
        if let Some(mask) = &own.mask
            && masks.iter().all(|(_, other)| *other != mask)
        {
            masks.push((format!("{key}.mask"), mask));
        }
    }
    masks.sort_by_cached_key(|(_, mask)| serde_json::json!(mask).to_string());
    masks
}

/// All conditions of a config, with the paths of their tables.
fn conditions(config: &Config) -> impl Iterator<Item = (String, &Conditions)> {
    let species = config.species.iter().enumerate();
    let biomes = config.biomes.iter().enumerate();
    let species = species.map(|(idx, own)| (format!("species[{idx}]"), &own.conditions));
    let biomes = biomes.map(|(idx, own)| (format!("biome[{idx}]"), &own.conditions));
    species.chain(biomes)
}

pub(super) fn curvature(kind: CurvatureKind) -> Curvature {
    match kind {
        CurvatureKind::Mean => Curvature::Mean,
        CurvatureKind::Profile => Curvature::Profile,
        CurvatureKind::Plan => Curvature::Plan,
    }
}
