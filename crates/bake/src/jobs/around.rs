//! The fields and the candidates around a point, and what becomes of these: what an answer about the point is made of.

use ecotone_scatter::{self as scatter, Area, Candidate, Fields, Flora, Pin, Verdict};
use ecotone_sdf as sdf;

use super::Worker;
use crate::draw::Drawing;
use crate::error::BakeError;
use crate::fingerprint::Reads;
use crate::layers::Asked;
use crate::scene::Scene;

/// What a bake sees around a point.
pub(crate) struct Around<'a> {
    /// All fields, normals among them.
    pub(crate) fields: Fields<'a>,
    /// What becomes of every candidate around the point, by species and id.
    pub(crate) verdicts: Vec<Verdict>,
    /// The pins that can matter there.
    pub(crate) pins: &'a [Pin],
}

impl Worker {
    /// Reads all that decides about the candidates in an area, decides about them as a bake does, and shows it to `tell`.
    ///
    /// The tiles of weights and distances around the area must have been noted.
    pub(crate) fn around<T>(
        &mut self,
        scene: &Scene,
        area: &Area,
        tell: impl FnOnce(&Around<'_>) -> T,
    ) -> Result<T, BakeError> {
        let rules = &scene.rules;
        let n_strata = rules.strata.n_bands();
        let ground = scene.plan.ground_around(area);
        let asked = Asked::all(rules);
        scene.weights.read(ground, n_strata, 0, &mut self.weights)?;
        scene
            .sdf
            .read(ground, n_strata, sdf::VOID, &mut self.distances)?;
        self.read_ground(scene, &asked, ground, &mut Reads::of_chunk(area))?;
        self.make_ground(scene, &asked);
        let fields = Fields {
            transform: scene.plan.transform,
            map: scene.plan.tiles.map(),
            heights: self.heights.band(0),
            normals: Some(&self.normals),
            weights: &self.weights,
            sdf: &self.distances,
            sdf_scale: rules.bound.scale(),
            layers: self.layers.raster(),
        };
        let within = scene.plan.reach_around(area);
        self.candidates.resize_with(rules.species.len(), Vec::new);
        let extremes = scatter::Extremes::new(&fields);
        for (idx, candidates) in self.candidates.iter_mut().enumerate() {
            candidates.clear();
            // What cannot grow takes no ground: of such a species only the area's own candidates are told of.
            let may_grow = extremes.may_grow(&rules.species[idx], &rules.biomes);
            let wanted = if may_grow { &within } else { area };
            let pattern = (idx, &rules.patterns[idx]);
            let scratch = &mut self.draw_scratch;
            scene
                .patterns
                .draw(pattern, wanted, Drawing::Alone, scratch, candidates);
        }
        scene.pins.gather_around(&scene.plan, area, &mut self.pins);
        let candidates: Vec<&[Candidate]> = self.candidates.iter().map(Vec::as_slice).collect();
        let flora = Flora {
            species: &rules.species,
            biomes: &rules.biomes,
            candidates: &candidates,
            pins: &self.pins,
        };
        let mut verdicts = Vec::new();
        scatter::explain(
            &flora,
            &fields,
            area,
            &mut self.place_scratch,
            &mut verdicts,
        );
        Ok(tell(&Around {
            fields,
            verdicts,
            pins: &self.pins,
        }))
    }
}
