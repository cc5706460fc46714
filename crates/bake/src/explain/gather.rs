//! Gathers an answer from the world, its inputs and the kernels.

use std::collections::HashMap;

use ecotone_grid::{TileId, aspect_degrees, slope_degrees};
use ecotone_scatter::{self as scatter, Area, Factor, Species};
use ecotone_store::{Entry, GridRecord, JobKey, Stage, StoreError, World};

use super::answer::{
    BiomeAnswer, CandidateAnswer, Explanation, Ground, GroundFields, LayerAnswer, SpeciesAnswer,
    StratumAnswer,
};
use super::plants::{self, Plants};
use super::words::{Names, short};
use super::{ExplainError, MOST_RADIUS_M, Place, Request, no_species};
use crate::error::BakeError;
use crate::jobs::{Around, Worker};
use crate::plan::{Job, STEPS_PER_M};
use crate::rules::density_masks;
use crate::scene::Scene;
use crate::verify;

/// An open revision of a world that answers about its points, with its inputs open.
pub struct Explainer<'a> {
    world: &'a World,
    pub(super) scene: Scene,
    strata: Vec<String>,
    /// The files of the density masks.
    masks: Vec<String>,
    /// What each job read when the world was baked.
    then: HashMap<JobKey, Entry>,
}

/// An id as it is written.
pub(super) fn hex(id: u64) -> String {
    format!("{id:#018x}")
}

pub(super) fn metres(steps: i64) -> f64 {
    steps as f64 / STEPS_PER_M
}

/// A map in words.
fn described(grid: &GridRecord) -> String {
    let transform = grid.transform();
    format!(
        "{} × {} pixels of {} × {} m from ({}, {})",
        grid.width, grid.height, transform.pixel.x, transform.pixel.y, transform.x0, transform.y0
    )
}

/// Metres between two positions.
pub(super) fn apart(a: (i64, i64), b: (i64, i64)) -> f64 {
    let (dx, dy) = (metres(a.0 - b.0), metres(a.1 - b.1));
    (dx * dx + dy * dy).sqrt()
}

impl<'a> Explainer<'a> {
    /// Opens the inputs of a world, and notes where its tiles lie; `memory_bytes` is as of
    /// [`crate::Options::memory_bytes`].
    ///
    /// # Errors
    /// [`ExplainError::OtherMap`] where the inputs' map has another size or place than the world's; [`ExplainError::Bake`] where
    /// the world, its config or its inputs cannot be read.
    pub fn open(world: &'a World, memory_bytes: u64) -> Result<Self, ExplainError> {
        let loaded = verify::loaded(world)?;
        let scene = Scene::open(&loaded, memory_bytes)?;
        let (expected, found) = (&world.manifest().grid, &scene.manifest.grid);
        if expected != found {
            let [expected, found] = [expected, found].map(described);
            return Err(ExplainError::OtherMap { expected, found });
        }
        for stage in [Stage::Weights, Stage::Sdf] {
            for file in world.manifest().tiles(&stage).unwrap_or_default() {
                let tile = TileId {
                    x: file.x as u32,
                    y: file.y as u32,
                };
                let job = match stage {
                    Stage::Weights => Job::Strata(tile),
                    _ => Job::Sdf(tile),
                };
                scene.note_all(job, &[(stage.clone(), file.clone())], world.dir());
            }
        }
        let strata = loaded.config.bands().map(|own| own.name.clone()).collect();
        let masks = density_masks(&loaded.config).into_iter();
        let ledger = world.ledger()?.into_iter();
        Ok(Self {
            world,
            scene,
            strata,
            masks: masks.map(|(_, mask)| mask.file.clone()).collect(),
            then: ledger.map(|entry| (entry.job, entry)).collect(),
        })
    }

    /// Why there is what there is at a place.
    ///
    /// # Errors
    /// [`ExplainError::NoSpecies`], [`ExplainError::NoPlant`] and [`ExplainError::NoPoint`] for what is asked;
    /// [`ExplainError::Bake`] where a tile, a chunk or an input cannot be read.
    pub fn explain(&self, request: &Request) -> Result<Explanation, ExplainError> {
        let (at, only) = match request.at {
            Place::Point(x, y) => ([x, y], request.species.clone()),
            Place::Plant(id) => {
                let found = plants::find(self.world, id)?.ok_or(ExplainError::NoPlant { id })?;
                // Whoever asks about a plant asks about its species, unless another is named.
                (found.1, request.species.clone().or(Some(found.0)))
            }
        };
        let [x, y] = at;
        let radius = request.radius;
        let is_near = |v: f64| v.abs() <= crate::scene::FARTHEST_M;
        if !is_near(x) || !is_near(y) || !(0.0..=MOST_RADIUS_M).contains(&radius) {
            return Err(ExplainError::NoPoint { x, y, radius });
        }
        let species = self.scene.rules.species.iter();
        let species = species.chain(&self.scene.rules.grasses);
        let names = species.map(|own| own.name.as_str());
        if let Some(name) = &only
            && !names.clone().any(|own| own == name)
        {
            return Err(no_species(name, names));
        }
        self.answer(at, radius, only)
    }

    /// Everything about a point.
    fn answer(
        &self,
        [x, y]: [f64; 2],
        radius: f64,
        only: Option<String>,
    ) -> Result<Explanation, ExplainError> {
        let [x, y] = [x, y].map(|metres| (metres * STEPS_PER_M).round() as i64);
        let manifest = self.world.manifest();
        let mut answer = Explanation {
            revision: manifest.revision,
            x: metres(x),
            y: metres(y),
            radius,
            ground: Ground::OffMap,
            changed: Vec::new(),
            unknown: Vec::new(),
            fields: None,
            strata: Vec::new(),
            layers: Vec::new(),
            biomes: Vec::new(),
            species: Vec::new(),
        };
        let (column, row) = self.scene.plan.transform.pixel_at(metres(x), metres(y));
        let pixel = [column, row].map(|px| (px + 0.5).floor() as i64);
        if !self.scene.plan.tiles.map().contains(pixel[0], pixel[1]) {
            return Ok(answer);
        }
        let margin = (radius * STEPS_PER_M).ceil() as i64;
        let area = Area::new(x, y, x + 1, y + 1).grow(margin);
        let stored = plants::within(self.world, self.scene.plan.chunks, &area)?;
        let mut worker = Worker::default();
        self.compare(&mut worker, pixel, (x, y), &mut answer)?;
        let point = Point {
            explainer: self,
            at: (x, y),
            radius,
            only,
            stored,
        };
        worker.around(&self.scene, &area, |around| point.fill(around, &mut answer))?;
        Ok(answer)
    }

    /// Tells of the jobs at a point that would read something else than when the world was baked.
    fn compare(
        &self,
        worker: &mut Worker,
        pixel: [i64; 2],
        (x, y): (i64, i64),
        answer: &mut Explanation,
    ) -> Result<(), ExplainError> {
        let size = i64::from(self.scene.plan.tiles.size());
        let tile = TileId {
            x: (pixel[0] / size) as u32,
            y: (pixel[1] / size) as u32,
        };
        let mut jobs = vec![Job::Strata(tile)];
        if !self.scene.rules.grasses.is_empty() {
            jobs.push(Job::Sdf(tile));
        }
        if !self.scene.rules.species.is_empty() {
            jobs.push(Job::Plants(self.scene.plan.chunks.of(x, y)));
        }
        for job in jobs {
            let Some(entry) = self.then.get(&job.key()) else {
                answer.unknown.push(job.to_string());
                continue;
            };
            let is_seen = self.scene.sight(job).is_some_and(|s| s.now == entry.sight);
            if !is_seen && worker.read(&self.scene, job)? != entry.fingerprint.reads {
                answer.changed.push(job.to_string());
            }
        }
        Ok(())
    }
}

/// A point, and the plants that are stored around it.
pub(super) struct Point<'a> {
    pub(super) explainer: &'a Explainer<'a>,
    pub(super) at: (i64, i64),
    pub(super) radius: f64,
    /// The one species that is asked about.
    only: Option<String>,
    pub(super) stored: Plants,
}

impl Point<'_> {
    fn names(&self) -> Names<'_> {
        Names {
            rules: &self.explainer.scene.rules,
            strata: &self.explainer.strata,
            masks: &self.explainer.masks,
        }
    }

    pub(super) fn factors(
        &self,
        species: &Species,
        around: &Around<'_>,
        at: (i64, i64),
    ) -> Vec<Factor> {
        let mut factors = Vec::new();
        let biomes = &self.explainer.scene.rules.biomes;
        scatter::factors(species, biomes, &around.fields, at.0, at.1, &mut factors);
        factors
    }

    fn fill(&self, around: &Around<'_>, answer: &mut Explanation) {
        self.fill_ground(around, answer);
        let rules = &self.explainer.scene.rules;
        let only = self.only.as_ref();
        let is_asked = |own: &&Species| only.is_none_or(|only| *only == own.name);
        let plants = rules.species.iter().enumerate();
        let plants = plants.filter(|(_, own)| is_asked(own));
        let plants = plants.map(|(idx, own)| self.species(own, Some(idx), around));
        answer.species = plants.collect();
        let grasses = rules.grasses.iter().filter(is_asked);
        let grasses = grasses.map(|own| self.species(own, None, around));
        answer.species.extend(grasses);
        answer.species.sort_by(|a, b| a.name.cmp(&b.name));
    }

    fn fill_ground(&self, around: &Around<'_>, answer: &mut Explanation) {
        let rules = &self.explainer.scene.rules;
        answer.ground = Ground::Void;
        let Some(ground) = scatter::Ground::at(&around.fields, self.at.0, self.at.1) else {
            return;
        };
        if let Some(height) = ground.height() {
            let normal = ground.normal();
            let [east, north, up] = normal;
            let aspect = aspect_degrees(east, north);
            answer.ground = Ground::Solid;
            answer.fields = Some(GroundFields {
                height,
                normal,
                slope: slope_degrees(east, north, up),
                aspect: aspect.is_finite().then_some(aspect),
            });
        }
        let strata = self.explainer.strata.iter().enumerate();
        answer.strata = strata
            .map(|(idx, name)| StratumAnswer {
                name: name.clone(),
                weight: ground.weight(idx) / 255.0,
                distance: ground.distance(idx),
            })
            .collect();
        answer.layers = (0..rules.layers.len())
            .map(|band| LayerAnswer {
                name: self.names().layer(band),
                // Beside a void, as on one, nothing is known.
                value: Some(ground.layer(band))
                    .filter(|value| answer.ground == Ground::Solid && value.is_finite()),
            })
            .collect();
        answer.biomes = self.biomes(around);
    }

    /// How much of each biome there is.
    fn biomes(&self, around: &Around<'_>) -> Vec<BiomeAnswer> {
        let rules = &self.explainer.scene.rules;
        let Some(any) = rules.species.iter().chain(&rules.grasses).next() else {
            return Vec::new();
        };
        // A species that grows in all of them has the presence of each among its factors.
        let everywhere = Species {
            biomes: (0..rules.biomes.len()).collect(),
            conditions: scatter::Conditions::default(),
            ..any.clone()
        };
        let factors = self.factors(&everywhere, around, self.at);
        let presence = |factor: &Factor| match factor.rule {
            scatter::Rule::Biome(idx) => Some(BiomeAnswer {
                name: self.names().biome(idx),
                presence: factor.factor,
            }),
            _ => None,
        };
        factors.iter().filter_map(presence).collect()
    }

    /// A species; `idx` is its place among those that have plants.
    fn species(&self, own: &Species, idx: Option<usize>, around: &Around<'_>) -> SpeciesAnswer {
        let biomes = &self.explainer.scene.rules.biomes;
        let (x, y) = self.at;
        let sample = scatter::probability(own, biomes, &around.fields, x, y);
        let factors = self.factors(own, around, self.at);
        let candidates = idx.map_or_else(Vec::new, |idx| self.candidates(own, idx, around));
        let rules = factors.iter().map(|f| self.names().rule(own, f)).collect();
        let mut answer = SpeciesAnswer {
            name: own.name.clone(),
            is_density: idx.is_none(),
            says: String::new(),
            fill: own.fill(),
            probability: sample.map(|sample| sample.probability),
            rules,
            candidates,
        };
        answer.says = self.summary(own, &factors, &answer);
        answer
    }

    /// The answer about a species in a sentence.
    fn summary(&self, own: &Species, factors: &[Factor], answer: &SpeciesAnswer) -> String {
        let name = &own.name;
        let stands = |near: &&CandidateAnswer| near.plant.is_some();
        if let Some(near) = answer.candidates.iter().find(stands) {
            let (at, id) = (short(near.distance), &near.id);
            return format!("{name} stands {at} m from here ({id})");
        }
        let Some(probability) = answer.probability else {
            return format!("no {name} here: the ground is void");
        };
        if let Some(blame) = self.blame(own, factors) {
            return format!("no {name} here: {blame}");
        }
        let odds = short(probability);
        if answer.is_density {
            let density = short(probability * own.max_density_per_m2());
            return format!("{name} grows here, {density} to a square metre");
        }
        match answer.candidates.first() {
            Some(near) => {
                let (at, says) = (short(near.distance), &near.says);
                format!("no {name} here: {says}, {at} m from here")
            }
            None => format!(
                "no {name} here: its pattern has no point within {} m (the probability at one would be {odds})",
                short(self.radius)
            ),
        }
    }

    /// The first rule that leaves a species no chance. Of its biomes one is enough.
    pub(super) fn blame(&self, own: &Species, factors: &[Factor]) -> Option<String> {
        let is_biome = |factor: &&Factor| matches!(factor.rule, scatter::Rule::Biome(_));
        let is_somewhere = factors.iter().filter(is_biome).any(|f| f.factor > 0.0);
        let mut naught = factors.iter().filter(|factor| factor.factor <= 0.0);
        let first = naught.find(|factor| !(is_biome(factor) && is_somewhere))?;
        Some(match first.rule {
            scatter::Rule::Biome(_) if own.biomes.len() > 1 => {
                "there is none of its biomes".to_owned()
            }
            _ => self.names().blame(own, first),
        })
    }
}

impl From<StoreError> for ExplainError {
    fn from(error: StoreError) -> Self {
        Self::Bake(BakeError::from(error))
    }
}

impl From<ecotone_geotiff::SourceError> for ExplainError {
    fn from(error: ecotone_geotiff::SourceError) -> Self {
        Self::Bake(BakeError::from(error))
    }
}
