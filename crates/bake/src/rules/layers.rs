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
        all_asking(config).any(|own| kind_of(own.conditions) == Some(kind))
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

/// A species or a biome that asks something of the ground.
#[derive(Clone, Debug)]
pub(crate) struct Asking<'a> {
    /// The path of its table.
    pub(crate) key: String,
    /// What it is, for a sentence.
    pub(crate) what: &'static str,
    /// Its name.
    pub(crate) name: &'a str,
    conditions: &'a Conditions,
}

/// The different density masks of a config, by what their keys say, each with the first that asks for it.
pub(crate) fn density_masks(config: &Config) -> Vec<(Asking<'_>, &DensityMask)> {
    let mut masks: Vec<(Asking<'_>, &DensityMask)> = Vec::new();
    for own in all_asking(config) {
        if let Some(mask) = &own.conditions.mask
            && masks.iter().all(|(_, other)| *other != mask)
        {
            masks.push((own, mask));
        }
    }
    masks.sort_by_cached_key(|(_, mask)| serde_json::json!(mask).to_string());
    masks
}

/// All species and biomes of a config.
fn all_asking(config: &Config) -> impl Iterator<Item = Asking<'_>> {
    let species = config.species.iter().enumerate().map(|(idx, own)| Asking {
        key: format!("species[{idx}]"),
        what: "species",
        name: &own.name,
        conditions: &own.conditions,
    });
    let biomes = config.biomes.iter().enumerate().map(|(idx, own)| Asking {
        key: format!("biome[{idx}]"),
        what: "biome",
        name: &own.name,
        conditions: &own.conditions,
    });
    species.chain(biomes)
}

pub(super) fn curvature(kind: CurvatureKind) -> Curvature {
    match kind {
        CurvatureKind::Mean => Curvature::Mean,
        CurvatureKind::Profile => Curvature::Profile,
        CurvatureKind::Plan => Curvature::Plan,
    }
}
