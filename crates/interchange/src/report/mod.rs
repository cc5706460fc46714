//! The report of a bake: one page for people, and the same numbers for machines.
//!
//! A [`Report`] is a value. [`Report::new`] gathers what the world and its ledger say, without reading a raster or a plant; the
//! caller adds what only the bake knows. [`Report::to_json`] and [`Report::to_html`] write it.

mod changes;
mod gather;
mod ground;
mod page;
pub mod plot;
mod run;
mod species;
mod text;

use ecotone_store::Changed;
use serde::{Deserialize, Serialize};

use crate::Verdict;

/// The report of a bake.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What came of the checks; first, because it may end the command with a failure.
    pub checks: Checks,
    /// The revision it is about.
    pub revision: u64,
    /// The program and its version.
    pub program: String,
    /// What was asked.
    pub asked: Asked,
    /// What the bake did.
    pub run: Run,
    /// The map.
    pub map: MapSize,
    /// Its strata, in the order of the bands.
    pub strata: Vec<StratumCover>,
    /// What grows on it, in the order of the scales.
    pub species: Vec<SpeciesGrowth>,
    /// What differs from the revision before.
    pub changed: Changes,
}

/// The checks and what came of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checks {
    /// A digest of what they ask.
    pub digest: String,
    /// How many failed so that the command failed.
    pub failed: u64,
    /// What came of each, in the order of the config.
    pub verdicts: Vec<Verdict>,
}

impl Checks {
    /// Verdicts on checks of a digest.
    pub fn new(digest: String, verdicts: Vec<Verdict>) -> Self {
        let failed = verdicts.iter().filter(|verdict| verdict.is_failure());
        Self {
            digest,
            failed: failed.count() as u64,
            verdicts,
        }
    }
}

/// What a report keeps for the next bake: whose revision its verdict is.
#[derive(Clone, Debug, Deserialize)]
pub struct Standing {
    /// The revision.
    pub revision: u64,
    /// The verdicts on it.
    pub checks: Checks,
}

impl Standing {
    /// Reads what a `report.json` says; `None` where it is no report.
    pub fn from_json(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// What was asked.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Asked {
    /// Path of the config.
    pub config: String,
    /// Its text.
    pub text: String,
    /// The seed of all draws.
    pub seed: u64,
    /// The inputs, a line for each.
    pub inputs: Vec<String>,
    /// The edits of the world, the oldest first, a line for each.
    pub edits: Vec<String>,
}

/// What the bake did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Run {
    /// When it ended, such as `2026-03-01 05:12 UTC`.
    pub ended: String,
    /// Wall time.
    pub seconds: f64,
    /// Worker threads.
    pub threads: usize,
    /// The most memory at any look at it, in bytes, mapped files aside; `None` where the system does not tell.
    pub peak_bytes: Option<u64>,
    /// Each stage, in their order.
    pub stages: Vec<Stage>,
    /// How far it had come, as time went by.
    pub progress: Vec<Moment>,
    /// What it warned of.
    pub warnings: Vec<String>,
}

/// What a stage did.
#[derive(Clone, Debug, Serialize)]
pub struct Stage {
    /// The stage: "strata", "sdf" or "plants".
    pub name: String,
    /// Its jobs.
    pub total: usize,
    /// Those whose inputs were as before at a glance.
    pub kept: usize,
    /// Those whose inputs were read, and held what they held before.
    pub same: usize,
    /// Those that were made.
    pub made: usize,
    /// Processor time of this bake.
    pub cpu_seconds: f64,
}

/// A look at a bake under way.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Moment {
    /// Since its start.
    pub seconds: f64,
    /// The share of its jobs that was done.
    pub share: f64,
    /// Memory in bytes, where the system tells.
    pub bytes: Option<u64>,
}

/// The map.
#[derive(Clone, Debug, Serialize)]
pub struct MapSize {
    /// Columns and rows.
    pub pixels: [u32; 2],
    /// Size of a pixel in metres, east–west and north–south.
    pub pixel_m: [f64; 2],
    /// West, south, east and north in metres.
    pub bounds: [f64; 4],
    /// EPSG code, where it has one.
    pub epsg: Option<u16>,
    /// Core pixels of a tile.
    pub tile_px: u32,
    /// Side of a chunk in metres.
    pub chunk_m: f64,
    /// Pixels that are no void.
    pub valid_px: u64,
    /// Hectares that are no void.
    pub valid_ha: f64,
}

/// How much of the ground a stratum takes.
#[derive(Clone, Debug, Serialize)]
pub struct StratumCover {
    /// Its name.
    pub name: String,
    /// Share of the ground that is no void.
    pub share: f64,
    /// Hectares.
    pub hectares: f64,
    /// Its share in the revision before, where that is known.
    pub share_before: Option<f64>,
}

/// How a species is counted, which the caller knows from the config.
#[derive(Clone, Debug)]
pub struct Scale {
    /// The species.
    pub name: String,
    /// The stratum to whose edge distances are measured.
    pub edge_stratum: String,
    /// Smallest and largest size.
    pub sizes: [f64; 2],
    /// Bins of sizes between them.
    pub size_bins: usize,
    /// Metres inside the edge that have bins of their own.
    pub edge_span_m: f64,
    /// Bins of edge distances in them.
    pub edge_bins: usize,
    /// Metres inside the edge at which the interior begins.
    pub falloff_m: Option<f64>,
    /// Square metres of the ground for each point that the expectation was worked out at.
    pub point_m2: f64,
}

/// What grows of a species.
#[derive(Clone, Debug, Serialize)]
pub struct SpeciesGrowth {
    /// Its name.
    pub name: String,
    /// Plants.
    pub plants: u64,
    /// Plants in the revision before, where that is known.
    pub plants_before: Option<u64>,
    /// Plants a hectare of all ground.
    pub per_ha: f64,
    /// Plants by size.
    pub sizes: Histogram,
    /// Plants by distance to the edge.
    pub edge: EdgeProfile,
}

/// Counts in bins of equal width.
#[derive(Clone, Debug, Serialize)]
pub struct Histogram {
    /// Where the first bin begins.
    pub from: f64,
    /// Where the last bin ends.
    pub to: f64,
    /// The counts.
    pub counts: Vec<u64>,
}

/// Plants and the ground by distance to the edge of a stratum.
#[derive(Clone, Debug, Serialize)]
pub struct EdgeProfile {
    /// The stratum.
    pub stratum: String,
    /// Metres inside the edge at which the interior begins.
    pub falloff_m: Option<f64>,
    /// From the outside to the interior.
    pub bins: Vec<EdgeBin>,
}

/// The ground between two distances.
#[derive(Clone, Debug, Serialize)]
pub struct EdgeBin {
    /// Metres inside the edge where it begins; `None` for all that lies outside.
    pub from_m: Option<f64>,
    /// Metres inside the edge where it ends; `None` for the interior.
    pub to_m: Option<f64>,
    /// Hectares, sampled.
    pub hectares: f64,
    /// Plants found.
    pub found: u64,
    /// Plants expected before species compete for ground, sampled.
    pub expected: f64,
}

/// What differs from the revision before.
#[derive(Clone, Debug, Serialize)]
pub struct Changes {
    /// The revision before, where there was one.
    pub from: Option<u64>,
    /// Tiles that differ, by stage.
    pub tiles: Vec<(String, usize)>,
    /// Chunks that differ.
    pub chunks: usize,
    /// Plants that are new, gone and changed, where that is known.
    pub plants: Option<[u64; 3]>,
}

impl From<&Changed> for Changes {
    fn from(changed: &Changed) -> Self {
        let tiles = changed.tiles.iter();
        Self {
            from: changed.from,
            tiles: tiles
                .map(|(stage, places)| (stage.clone(), places.len()))
                .collect(),
            chunks: changed.chunks.len(),
            plants: changed
                .plants
                .map(|plants| [plants.added, plants.gone, plants.changed]),
        }
    }
}

impl Report {
    /// The text of `report.json`.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self)
            .expect("records of numbers, texts and lists have a JSON form");
        text.push('\n');
        text
    }

    /// The text of `report.html`: one page that needs nothing else; `picture` is a PNG of the world.
    pub fn to_html(&self, picture: Option<&[u8]>) -> String {
        page::page(self, picture)
    }
}
