//! What a worker does for one job: read a window, run the kernels, encode.

mod around;

use std::fmt;

use ecotone_geotiff::SourceError;
use ecotone_grid::{Raster, Rect, TileId, floor};
use ecotone_scatter::{self as scatter, Candidate, Fields, Flora, Plant};
use ecotone_sdf::{self as sdf, Class};
use ecotone_store::{
    Chunk, ChunkSpecies, Digest, Facts, PlantRecord, Sample, Stage, TiffEncoder, TileHeader,
    encode, encode_up,
};
use ecotone_terrain as terrain;

use crate::config::Field;
use crate::density;
use crate::draw::{DrawScratch, Drawing};
use crate::error::BakeError;
use crate::facts;
use crate::fingerprint::Reads;
use crate::inputs::{Covers, MaskScratch};
use crate::layers::{Asked, Layers};
use crate::plan::{ChunkId, Job, STEPS_PER_M};
use crate::run::Crew;
use crate::scene::{Before, Scene};
pub(crate) use around::Around;

/// A file that a job made, not yet written.
pub(crate) struct Encoded {
    pub(crate) stage: Stage,
    pub(crate) bytes: Vec<u8>,
}

/// All that a job made.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) files: Vec<Encoded>,
    /// Plants of each species, of a chunk.
    pub(crate) n_plants: Vec<u64>,
    /// What it counted.
    pub(crate) facts: Facts,
    /// How the tile differs from what it held before this bake.
    pub(crate) before: Option<Before>,
}

/// A worker's own memory, kept from job to job.
#[derive(Default)]
pub(crate) struct Worker {
    heights: Raster<f64>,
    normals: Raster<f32>,
    /// Normals of a tile alone, where those of its neighbours were read as well.
    core_normals: Raster<f32>,
    masks: Covers,
    mask_scratch: MaskScratch,
    layers: Layers,
    densities: Raster<u8>,
    slope: Raster<f32>,
    /// Windows of finished tiles.
    weights: Raster<u8>,
    distances: Raster<i16>,
    /// The tile that is being made.
    tile_weights: Raster<u8>,
    tile_distances: Raster<i16>,
    tiff: TiffEncoder,
    voids: Raster<bool>,
    classes: Raster<Class>,
    normal_scratch: terrain::NormalScratch,
    weight_scratch: terrain::WeightScratch,
    sdf_scratch: sdf::Scratch,
    draw_scratch: DrawScratch,
    place_scratch: scatter::PlaceScratch,
    candidates: Vec<Vec<Candidate>>,
    pins: Vec<scatter::Pin>,
    plants: Vec<Plant>,
    records: Chunk,
}

impl Worker {
    /// Reads for one job and makes it; an error names it.
    pub(crate) fn run(&mut self, scene: &Scene, job: Job) -> Result<Made, BakeError> {
        self.read(scene, job)?;
        let made = self.make(scene, job, Drawing::Blocks)?;
        self.keep(scene, job);
        Ok(made)
    }

    /// Keeps the tile that was just made at hand, for the jobs that read it.
    pub(crate) fn keep(&mut self, scene: &Scene, job: Job) {
        match job {
            Job::Strata(tile) => scene.weights.keep(tile, &mut self.tile_weights),
            Job::Sdf(tile) => scene.sdf.keep(tile, &mut self.tile_distances),
            Job::Plants(_) => {}
        }
    }

    /// Reads all that decides what a job makes; returns its digest. An error names the job.
    pub(crate) fn read(&mut self, scene: &Scene, job: Job) -> Result<Digest, BakeError> {
        let reads = match job {
            Job::Strata(tile) => self.read_strata(scene, tile),
            Job::Sdf(tile) => self.read_sdf(scene, tile),
            Job::Plants(chunk) => self.read_plants(scene, chunk),
        };
        reads.map_err(|source| source.of(job))
    }

    /// Makes the job that was read for; an error names it.
    pub(crate) fn make(
        &mut self,
        scene: &Scene,
        job: Job,
        drawing: Drawing,
    ) -> Result<Made, BakeError> {
        let made = match job {
            Job::Strata(tile) => self.strata(scene, tile),
            Job::Sdf(tile) => self.sdf(scene, tile),
            Job::Plants(chunk) => self.plants(scene, chunk, drawing),
        };
        made.map_err(|source| source.of(job))
    }

    /// How the tile that was just made differs from what it held before this bake.
    pub(crate) fn differ(&self, crew: Crew<'_>, job: Job) -> Option<Before> {
        let Crew {
            scene, known, dir, ..
        } = crew;
        let old = |stage| known.file(job.key(), &stage);
        match job {
            Job::Strata(_) => {
                let old = old(Stage::Weights)?;
                scene.weights.differ(dir, old, &self.tile_weights)
            }
            Job::Sdf(_) => scene
                .sdf
                .differ(dir, old(Stage::Sdf)?, &self.tile_distances),
            Job::Plants(_) => None,
        }
    }

    fn read_strata(&mut self, scene: &Scene, tile: TileId) -> Result<Digest, BakeError> {
        let core = scene.plan.tiles.rect(tile);
        let window = core.grow(scene.plan.reaches.strata);
        scene.read_heights(window, &mut self.heights)?;
        let scratch = &mut self.mask_scratch;
        self.masks.read(&scene.inputs.masks, core, scratch)?;
        let mut reads = Reads::of_tile(core);
        reads.raster(&self.heights);
        for (layer, cover) in scene.rules.strata.layers.iter().zip(self.masks.windows()) {
            let is_bare = cover.pixels().iter().all(|&share| share == 0.0);
            // A correction that covers nothing changes nothing, and is as good as none.
            if !is_bare || matches!(layer, terrain::Layer::Over { .. }) {
                reads.text(&format!("{layer:?}"));
                reads.window(cover);
            }
        }
        Ok(reads.finish())
    }

    fn strata(&mut self, scene: &Scene, tile: TileId) -> Result<Made, BakeError> {
        let rules = &scene.rules;
        let core = scene.plan.tiles.rect(tile);
        terrain::normals(
            self.heights.band(0),
            &rules.normals,
            &mut self.normal_scratch,
            &mut self.normals,
        );
        let ground = terrain::Ground {
            normals: &self.normals,
            heights: self.heights.band(0),
            masks: &self.masks.windows(),
            grid: scene.plan.transform,
        };
        terrain::weights(
            &ground,
            &rules.strata,
            &mut self.weight_scratch,
            &mut self.tile_weights,
        );
        let tiff = &mut self.tiff;
        let mut files = vec![scene.encode(Stage::Weights, &self.tile_weights, tiff)?];
        if !rules.fields.is_empty() {
            let bands = self.normals.n_bands();
            self.core_normals.cover(core, bands, f32::NAN);
            (0..bands).for_each(|k| self.core_normals.paste(k, self.normals.band(k)));
        }
        for field in &rules.fields {
            files.push(match field {
                Field::Slope => {
                    terrain::slope(&self.core_normals, &mut self.slope);
                    scene.encode(Stage::Field("slope".into()), &self.slope, tiff)?
                }
                Field::Normals => {
                    scene.encode(Stage::Field("normals".into()), &self.core_normals, tiff)?
                }
            });
        }
        let facts = facts::of_tile(&self.tile_weights);
        let weights = (&self.tile_weights, facts.weights.as_slice());
        scene.overview.add(weights, &self.heights);
        Ok(Made {
            files,
            facts,
            ..Made::default()
        })
    }

    fn read_sdf(&mut self, scene: &Scene, tile: TileId) -> Result<Digest, BakeError> {
        let n_strata = scene.rules.strata.n_bands();
        let core = scene.plan.tiles.rect(tile);
        let window = core.grow(scene.plan.reaches.sdf);
        scene.weights.read(window, n_strata, 0, &mut self.weights)?;
        let mut reads = Reads::of_tile(core);
        reads.bytes(&self.weights);
        if !scene.rules.grasses.is_empty() {
            self.read_ground(scene, &scene.grass_asks, core, &mut reads)?;
        }
        Ok(reads.finish())
    }

    /// Reads what some species ask of the ground beside weights and distances, and digests it.
    fn read_ground(
        &mut self,
        scene: &Scene,
        asked: &Asked,
        ground: Rect,
        reads: &mut Reads,
    ) -> Result<(), BakeError> {
        let heights = asked.heights_under(ground, &scene.rules.normals);
        scene.read_heights(heights, &mut self.heights)?;
        reads.raster(&self.heights);
        let inputs = (&scene.rules, &scene.inputs);
        let scratch = &mut self.mask_scratch;
        self.layers.read(asked, inputs, ground, scratch, reads)
    }

    /// Makes the normals and the layers that some species ask for, of what was read for them.
    fn make_ground(&mut self, scene: &Scene, asked: &Asked) {
        if asked.normals {
            let rules = &scene.rules.normals;
            let heights = self.heights.band(0);
            terrain::normals(heights, rules, &mut self.normal_scratch, &mut self.normals);
        }
        self.layers
            .write_curvatures(asked, &scene.rules, &self.normals);
    }

    fn sdf(&mut self, scene: &Scene, tile: TileId) -> Result<Made, BakeError> {
        let rules = &scene.rules;
        let n_strata = rules.strata.n_bands();
        let core = scene.plan.tiles.rect(tile);
        self.tile_distances.reset(core, n_strata, sdf::VOID);
        sdf::write_voids(&self.weights, &mut self.voids);
        for stratum in 0..n_strata {
            sdf::classes(
                self.weights.band(stratum),
                self.voids.band(0),
                rules.threshold,
                &mut self.classes,
            );
            sdf::distance(
                self.classes.band(0),
                &rules.bound,
                &mut self.sdf_scratch,
                self.tile_distances.band_mut(stratum),
            );
        }
        let mut files = vec![scene.encode(Stage::Sdf, &self.tile_distances, &mut self.tiff)?];
        if !rules.grasses.is_empty() {
            files.push(self.densities(scene, core)?);
        }
        Ok(Made {
            files,
            ..Made::default()
        })
    }

    /// The plants expected in each pixel of a tile whose distances were just made.
    fn densities(&mut self, scene: &Scene, core: Rect) -> Result<Encoded, BakeError> {
        let (rules, asked) = (&scene.rules, &scene.grass_asks);
        self.make_ground(scene, asked);
        let fields = Fields {
            transform: scene.plan.transform,
            map: scene.plan.tiles.map(),
            heights: self.heights.band(0),
            normals: asked.normals.then_some(&self.normals),
            weights: &self.weights,
            sdf: &self.tile_distances,
            sdf_scale: rules.bound.scale(),
            layers: self.layers.raster(),
        };
        self.densities.reset(core, rules.grasses.len(), 0);
        density::write(&rules.grasses, &rules.biomes, &fields, &mut self.densities);
        let stage = Stage::Field(density::FIELD.into());
        scene.encode(stage, &self.densities, &mut self.tiff)
    }

    fn read_plants(&mut self, scene: &Scene, chunk: ChunkId) -> Result<Digest, BakeError> {
        let n_strata = scene.rules.strata.n_bands();
        let ground = scene.plan.ground(chunk);
        scene.weights.read(ground, n_strata, 0, &mut self.weights)?;
        scene
            .sdf
            .read(ground, n_strata, sdf::VOID, &mut self.distances)?;
        let mut reads = Reads::of_chunk(&scene.plan.chunks.area(chunk));
        reads.bytes(&self.weights);
        reads.raster(&self.distances);
        self.read_ground(scene, &scene.plant_asks, ground, &mut reads)?;
        scene
            .pins
            .describe(&scene.plan, chunk, &mut |pin| reads.text(pin));
        Ok(reads.finish())
    }

    fn plants(
        &mut self,
        scene: &Scene,
        chunk: ChunkId,
        drawing: Drawing,
    ) -> Result<Made, BakeError> {
        let (rules, asked) = (&scene.rules, &scene.plant_asks);
        self.make_ground(scene, asked);
        let fields = Fields {
            transform: scene.plan.transform,
            map: scene.plan.tiles.map(),
            heights: self.heights.band(0),
            normals: asked.normals.then_some(&self.normals),
            weights: &self.weights,
            sdf: &self.distances,
            sdf_scale: rules.bound.scale(),
            layers: self.layers.raster(),
        };
        gather(
            scene,
            (chunk, drawing),
            &fields,
            &mut self.draw_scratch,
            &mut self.candidates,
        );
        scene.pins.gather(&scene.plan, chunk, &mut self.pins);
        let candidates: Vec<&[Candidate]> = self.candidates.iter().map(Vec::as_slice).collect();
        let flora = Flora {
            species: &rules.species,
            biomes: &rules.biomes,
            candidates: &candidates,
            pins: &self.pins,
        };
        scatter::place(
            &flora,
            &fields,
            &scene.plan.chunks.area(chunk),
            &mut self.place_scratch,
            &mut self.plants,
        );
        let mut facts = facts::of_chunk(
            &flora,
            &rules.scales,
            &fields,
            &scene.plan.chunks.area(chunk),
            &self.plants,
        );
        facts.lost_pins = scene.pins.lost(chunk, &flora, &fields);
        let made = scene.encode_chunk(chunk, &self.plants, &mut self.records)?;
        Ok(Made { facts, ..made })
    }
}

/// Gathers the candidates in a chunk and within competition's reach of it, of the species that may grow there.
fn gather(
    scene: &Scene,
    (chunk, drawing): (ChunkId, Drawing),
    fields: &Fields<'_>,
    scratch: &mut DrawScratch,
    out: &mut Vec<Vec<Candidate>>,
) {
    let rules = &scene.rules;
    let area = scene.plan.reach_of(chunk);
    out.resize_with(rules.species.len(), Vec::new);
    let extremes = scatter::Extremes::new(fields);
    for (idx, candidates) in out.iter_mut().enumerate() {
        candidates.clear();
        if extremes.may_grow(&rules.species[idx], &rules.biomes) {
            let pattern = (idx, &rules.patterns[idx]);
            scene
                .patterns
                .draw(pattern, &area, drawing, scratch, candidates);
        }
    }
}

impl Scene {
    /// The heights that plants on some ground read: with those around it where any plant asks for the normal under it.
    pub(crate) fn heights_under(&self, ground: Rect) -> Rect {
        self.plant_asks.heights_under(ground, &self.rules.normals)
    }

    /// The heights that the densities of a tile read.
    pub(crate) fn heights_of_grass(&self, core: Rect) -> Rect {
        self.grass_asks.heights_under(core, &self.rules.normals)
    }

    pub(crate) fn read_heights(
        &self,
        rect: Rect,
        out: &mut Raster<f64>,
    ) -> Result<(), SourceError> {
        self.inputs.heights.read(rect, out)
    }

    fn encode<T: Sample>(
        &self,
        stage: Stage,
        raster: &Raster<T>,
        tiff: &mut TiffEncoder,
    ) -> Result<Encoded, BakeError> {
        let header: &TileHeader = self.header(&stage);
        let mut bytes = self.buffers.take();
        tiff.encode(raster, header, self.manifest.compression, &mut bytes)?;
        Ok(Encoded { stage, bytes })
    }

    /// Encodes a chunk's plants; `records` is memory that is reused.
    fn encode_chunk(
        &self,
        id: ChunkId,
        plants: &[Plant],
        records: &mut Chunk,
    ) -> Result<Made, BakeError> {
        (records.x, records.y) = (id.x, id.y);
        records.size = self.plan.chunks.size;
        self.empty_species(&mut records.species);
        for plants in plants.chunk_by(|a, b| a.species == b.species) {
            let own = &mut records.species[usize::from(plants[0].species)];
            for plant in plants {
                own.plants.push(record(plant, own.size_step)?);
            }
        }
        let n_plants = records.species.iter().map(|own| own.plants.len() as u64);
        let n_plants = n_plants.collect();
        let mut files = Vec::new();
        if !plants.is_empty() {
            files.push(Encoded {
                stage: Stage::Vegetation,
                bytes: encode(records)?,
            });
        }
        Ok(Made {
            files,
            n_plants,
            ..Made::default()
        })
    }

    /// Makes records hold every species, without plants.
    fn empty_species(&self, records: &mut Vec<ChunkSpecies>) {
        records.resize_with(self.manifest.species.len(), ChunkSpecies::default);
        for (own, species) in records.iter_mut().zip(&self.manifest.species) {
            own.name.clone_from(&species.name);
            own.size_step = species.size_step;
            own.variants.clone_from(&species.variants);
            own.plants.clear();
        }
    }
}

/// A plant as it is stored: whole millimetres, steps of its species' size.
fn record(plant: &Plant, size_step: f64) -> Result<PlantRecord, BakeError> {
    let round = |value: f64| floor(value + 0.5);
    if (plant.z * 1000.0).abs() >= f64::from(i32::MAX) {
        let metres = |steps: i64| steps as f64 / STEPS_PER_M;
        return Err(BakeError::TooHigh {
            x: metres(plant.x),
            y: metres(plant.y),
            height: plant.z,
        });
    }
    Ok(PlantRecord {
        x: plant.x,
        y: plant.y,
        z_mm: round(plant.z * 1000.0) as i32,
        size: round(plant.size / size_step).clamp(0, 65535) as u16,
        yaw: plant.yaw,
        up: encode_up(plant.up),
        variant: plant.variant,
        tint: plant.tint,
    })
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Strata(tile) => write!(f, "strata of tile ({}, {})", tile.x, tile.y),
            Self::Sdf(tile) => write!(f, "distances of tile ({}, {})", tile.x, tile.y),
            Self::Plants(chunk) => write!(f, "plants of chunk ({}, {})", chunk.x, chunk.y),
        }
    }
}
