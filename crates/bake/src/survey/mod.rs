//! What a check finds before any bake: what each input is, what its pixels hold, and what a person should know of it.

mod estimate;
mod inputs;
mod memory;
mod timing;
mod values;
mod warn;

use std::sync::atomic::{AtomicBool, Ordering};

pub use estimate::{Estimate, StageEstimate, estimate};
pub use inputs::{Input, RasterFacts, Role, Unit};
pub use values::Values;

use crate::config::Loaded;
use crate::{Bake, BakeError};

/// What the bake reads at each pixel of the map: the heights, the mask of a stratum, or a density mask.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The stratum whose mask it is; `None` for others.
    pub stratum: Option<String>,
    /// The biome or the species whose density mask it is; `None` for others.
    pub density_of: Option<String>,
    /// What its pixels hold; `None` until they are read.
    pub values: Option<Values>,
}

impl Layer {
    /// The stratum, biome or species whose mask it is; `None` for the heights.
    pub fn owner(&self) -> Option<&str> {
        self.stratum.as_deref().or(self.density_of.as_deref())
    }
}

/// What a check finds; a value, for people and machines to be told.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The files, heights first.
    pub inputs: Vec<Input>,
    /// The heights of the map in metres, then each mask of a stratum and each density mask in shares of 1.
    pub layers: Vec<Layer>,
    /// EPSG code of the world's coordinate system, where it has one.
    pub epsg: Option<u16>,
    /// Names of the strata that the world has, in their order.
    pub strata: Vec<String>,
    /// Names of the species.
    pub species: Vec<String>,
    /// Why pixels could not be read, a sentence for each failure; no more than [`Survey::MOST_FAILURES`].
    pub unreadable: Vec<String>,
    /// What was said when the inputs were opened.
    opening: Vec<String>,
}

impl Survey {
    /// So many places that cannot be read are told; a file with more is broken all over.
    pub const MOST_FAILURES: usize = 10;

    /// What is known without reading a pixel.
    pub fn new(loaded: &Loaded, bake: &Bake) -> Self {
        let masked = loaded.config.strata.iter().filter(|s| s.mask.is_some());
        let masks = masked.map(|stratum| (Some(stratum.name.clone()), None));
        let scene = &bake.scene;
        let owners = scene.inputs.density_owners.iter().cloned();
        let densities = owners.map(|owner| (None, Some(owner)));
        Self {
            inputs: inputs::all(loaded, &scene.inputs),
            layers: std::iter::once((None, None))
                .chain(masks)
                .chain(densities)
                .map(|(stratum, density_of)| Layer {
                    stratum,
                    density_of,
                    values: None,
                })
                .collect(),
            epsg: scene.inputs.keys.epsg(),
            strata: scene.manifest.strata.clone(),
            species: scene
                .manifest
                .species
                .iter()
                .map(|s| s.name.clone())
                .collect(),
            unreadable: Vec::new(),
            opening: scene.inputs.warnings.clone(),
        }
    }

    /// Reads every pixel of every layer in bands of rows; the memory it takes does not grow with the map.
    ///
    /// Blocks that cannot be read are noted in [`Survey::unreadable`], and the rest is read all the same. `progress` gets
    /// the share that is done.
    ///
    /// # Errors
    /// [`BakeError::Stopped`] after `cancel`.
    pub fn read_pixels(
        &mut self,
        bake: &Bake,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(), BakeError> {
        values::read(self, &bake.scene, cancel, progress)
    }

    /// What a person should know, though a bake could go on.
    pub fn warnings(&self, bake: &Bake) -> Vec<String> {
        let mut warnings = self.opening.clone();
        warnings.extend(warn::of_stated_heights(self));
        if let Some(values) = self.heights() {
            warnings.extend(warn::of_heights(self, values, bake.plan()));
        }
        warnings
    }

    /// What the heights are, once they are read.
    pub fn heights(&self) -> Option<&Values> {
        self.layers.first()?.values.as_ref()
    }

    fn note_failure(&mut self, error: &BakeError) {
        let sentence = error.to_string();
        if self.unreadable.len() < Self::MOST_FAILURES && !self.unreadable.contains(&sentence) {
            self.unreadable.push(sentence);
        }
    }
}

fn stop_on(cancel: &AtomicBool) -> Result<(), BakeError> {
    if cancel.load(Ordering::Relaxed) {
        return Err(BakeError::Stopped);
    }
    Ok(())
}
