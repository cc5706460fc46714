//! The further fields that species and biomes read: density masks and curvatures, each a band.

use std::collections::BTreeSet;

use ecotone_grid::{Raster, Rect};
use ecotone_scatter as scatter;
use ecotone_terrain::{self as terrain, CurvatureScratch, NormalRules};

use crate::error::BakeError;
use crate::fingerprint::{Look, Reads};
use crate::inputs::{Inputs, Mask, MaskScratch};
use crate::rules::{LayerSource, Rules};

/// What some species ask of the ground, with the biomes that they grow in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Places of the layers in their order.
    layers: BTreeSet<usize>,
    /// Masks among them, by their places in the inputs.
    masks: BTreeSet<usize>,
    /// Whether the ground's normals are read.
    pub(crate) normals: bool,
    /// Whether curvatures are, which are made of them.
    curvatures: bool,
}

impl Asked {
    /// What a list of species asks.
    pub(crate) fn by(
        species: &[scatter::Species],
        biomes: &[scatter::Biome],
        layers: &[LayerSource],
    ) -> Self {
        let mut asked = Self {
            normals: species.iter().any(scatter::Species::reads_normals),
            ..Self::default()
        };
        let up = |&biome: &usize| std::iter::successors(Some(biome), |&biome| biomes[biome].parent);
        for own in species {
            asked.add(&own.conditions, layers);
            for biome in own.biomes.iter().flat_map(up) {
                asked.add(&biomes[biome].conditions, layers);
            }
        }
        asked
    }

    /// All that any species or biome asks, and the normals.
    pub(crate) fn all(rules: &Rules) -> Self {
        let mut asked = Self {
            normals: true,
            ..Self::default()
        };
        for own in rules.species.iter().chain(&rules.grasses) {
            asked.add(&own.conditions, &rules.layers);
        }
        for biome in &rules.biomes {
            asked.add(&biome.conditions, &rules.layers);
        }
        asked
    }

    fn add(&mut self, conditions: &scatter::Conditions, layers: &[LayerSource]) {
        self.normals |= conditions.read_normals();
        for &(layer, _) in &conditions.layers {
            self.layers.insert(layer);
            match layers[layer] {
                LayerSource::Mask(mask) => {
                    self.masks.insert(mask);
                }
                LayerSource::Curvature(_) => {
                    self.normals = true;
                    self.curvatures = true;
                }
            }
        }
    }

    /// The heights that are read for some ground: with those around it where normals are made of them.
    pub(crate) fn heights_under(&self, ground: Rect, normals: &NormalRules) -> Rect {
        if !self.normals {
            return ground;
        }
        let reach = match self.curvatures {
            true => normals.reach().then(terrain::CURVATURE_REACH),
            false => normals.reach(),
        };
        ground.grow(reach)
    }

    /// The masks that are read, each with its place in the inputs.
    pub(crate) fn masks<'a>(
        &'a self,
        inputs: &'a Inputs,
    ) -> impl Iterator<Item = (usize, &'a Mask)> {
        let masks = self.masks.iter();
        masks.map(|&mask| (mask, &inputs.densities[mask]))
    }

    /// Looks at what the masks that are read cover of a rectangle of the map.
    pub(crate) fn look_at(&self, inputs: &Inputs, rect: Rect, look: &mut Look) {
        let rect = rect.intersect(&inputs.map());
        for (_, mask) in self.masks(inputs) {
            let is_seen = mask.look_at(rect, look);
            look.text(if is_seen { "mask" } else { "no mask" });
        }
    }

    /// Bytes of the layers over a window of the map, and of what they are read with.
    pub(crate) fn window_bytes(&self, rules: &Rules, inputs: &Inputs, window: Rect) -> u64 {
        if self.layers.is_empty() {
            return 0;
        }
        let bands = (window.area() * rules.layers.len() * size_of::<f32>()) as u64;
        bands + crate::inputs::mask::scratch_bytes(self.masks(inputs).map(|(_, mask)| mask), window)
    }
}

/// A worker's layers over the window that it works on.
#[derive(Default)]
pub(crate) struct Layers {
    raster: Raster<f32>,
    mask: Raster<f32>,
    scratch: CurvatureScratch,
}

impl Layers {
    /// Reads the masks that are asked for over a rectangle, which may lie off the map, and digests them.
    pub(crate) fn read(
        &mut self,
        asked: &Asked,
        (rules, inputs): (&Rules, &Inputs),
        rect: Rect,
        scratch: &mut MaskScratch,
        reads: &mut Reads,
    ) -> Result<(), BakeError> {
        if asked.layers.is_empty() {
            self.raster = Raster::default();
            return Ok(());
        }
        self.raster.reset(rect, rules.layers.len(), f32::NAN);
        let on_map = rect.intersect(&inputs.map());
        for &layer in &asked.layers {
            let LayerSource::Mask(mask) = rules.layers[layer] else {
                continue;
            };
            self.mask.reset(on_map, 1, 0.0);
            if !on_map.is_empty() {
                inputs.densities[mask].read(scratch, 0, &mut self.mask)?;
            }
            reads.raster(&self.mask);
            self.raster.paste(layer, self.mask.band(0));
        }
        Ok(())
    }

    /// Makes the curvatures that are asked for of normals around the window of the masks.
    pub(crate) fn write_curvatures(&mut self, asked: &Asked, rules: &Rules, normals: &Raster<f32>) {
        for &layer in &asked.layers {
            if let LayerSource::Curvature(kind) = rules.layers[layer] {
                let pixel = rules.normals.pixel;
                let (scratch, out) = (&mut self.scratch, &mut self.raster);
                terrain::curvature(normals, kind, pixel, scratch, layer, out);
            }
        }
    }

    /// The layers; `None` where none is asked for.
    pub(crate) fn raster(&self) -> Option<&Raster<f32>> {
        (!self.raster.rect().is_empty()).then_some(&self.raster)
    }
}
