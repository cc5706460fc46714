//! One pass over all plants, block by block, for the checks that look at each of them.

use ecotone_store::{CELL_STEPS, ChunkArtefact, PlantRecord, STEPS_PER_METRE};

use super::ground::{Ground, Wanted, place};
use super::overlap::Footprints;
use super::roots::Roots;
use super::verdict::{Faults, Offender};
use super::{Check, CheckKind};
use crate::preview::ticks;
use crate::{Finished, InterchangeError};

/// Pixels along the side of a block at the most, whatever the chunks are.
const BLOCK_PX: f64 = 1024.0;

/// A plant with the index of its species.
pub(super) type Plant = (usize, PlantRecord);

/// A check of plants, with names resolved.
struct Test<'a> {
    look: Look<'a>,
    /// `None` for all.
    species: Option<usize>,
    faults: Faults,
}

enum Look<'a> {
    Void,
    Roots(Roots),
    KeepOff {
        /// `None` for a stratum that is not there: it has no distance that could be too small.
        band: Option<usize>,
        stratum: &'a str,
        distance_m: f64,
    },
    Count,
    Overlap(Footprints),
}

/// Makes the checks that are about plants, in their order.
pub(super) fn survey(world: &Finished, checks: &[Check]) -> Result<Vec<Faults>, InterchangeError> {
    let mut tests: Vec<Test<'_>> = checks
        .iter()
        .filter_map(|check| Test::new(world, check))
        .collect();
    if tests.is_empty() {
        return Ok(Vec::new());
    }
    let (wanted, margin_m) = (wanted(&tests), margin_m(&tests));
    let mut ground = Ground::new(world);
    let mut plants = Vec::new();
    for chunk in &world.manifest().chunks {
        for bounds in blocks(world, chunk) {
            plants.clear();
            let [west, south, east, north] = bounds;
            let around = [
                west - margin_m,
                south - margin_m,
                east + margin_m,
                north + margin_m,
            ];
            world.plants_in(around, &mut |species, plant| plants.push((species, *plant)))?;
            ground.read(world, bounds, &wanted)?;
            for test in &mut tests {
                test.block(world, &plants, bounds, &ground);
            }
        }
    }
    Ok(tests.into_iter().map(|test| test.faults).collect())
}

fn wanted(tests: &[Test<'_>]) -> Wanted {
    let mut wanted = Wanted::default();
    for test in tests {
        match test.look {
            Look::Void => wanted.weights = true,
            Look::Roots(_) => wanted.heights = true,
            Look::KeepOff { band, .. } => wanted.sdf.extend(band),
            Look::Count | Look::Overlap(_) => {}
        }
    }
    wanted.sdf.sort_unstable();
    wanted.sdf.dedup();
    wanted
}

/// How far beyond a block plants matter.
fn margin_m(tests: &[Test<'_>]) -> f64 {
    let reach = |test: &Test<'_>| match &test.look {
        Look::Overlap(footprints) => footprints.reach_m(),
        _ => 0.0,
    };
    tests.iter().map(reach).fold(0.0, f64::max)
}

/// West, south, east and north in metres of the blocks of a chunk.
fn blocks(world: &Finished, chunk: &ChunkArtefact) -> impl Iterator<Item = [f64; 4]> + use<> {
    let pixel = world.transform().pixel;
    let size = world.manifest().chunk_size;
    let fitting = (BLOCK_PX * pixel.x.min(pixel.y) * STEPS_PER_METRE as f64) as i64;
    // Whole cells of the chunk file, so that no cell is decoded for two blocks.
    let side = (fitting / CELL_STEPS * CELL_STEPS).clamp(CELL_STEPS.min(size), size);
    let (west, south) = (chunk.artefact.x * size, chunk.artefact.y * size);
    let starts = move |from: i64| (from..from + size).step_by(side as usize);
    let metres = |steps: i64| steps as f64 / STEPS_PER_METRE as f64;
    starts(south).flat_map(move |y| {
        starts(west).map(move |x| {
            let (east, north) = ((x + side).min(west + size), (y + side).min(south + size));
            [x, y, east, north].map(metres)
        })
    })
}

impl<'a> Test<'a> {
    /// `None` for a check that is not about plants.
    fn new(world: &Finished, check: &'a Check) -> Option<Self> {
        let manifest = world.manifest();
        let (look, species) = match &check.kind {
            CheckKind::Void { species } => (Look::Void, species.as_deref()),
            CheckKind::Roots {
                species,
                tolerance_m,
                sinks_m,
            } => {
                let roots = Roots::new(manifest, sinks_m, *tolerance_m);
                (Look::Roots(roots), species.as_deref())
            }
            CheckKind::KeepOff {
                stratum,
                distance_m,
                species,
            } => {
                let look = Look::KeepOff {
                    band: manifest.strata.iter().position(|name| name == stratum),
                    stratum,
                    distance_m: *distance_m,
                };
                (look, species.as_deref())
            }
            CheckKind::Count { species, .. } => (Look::Count, species.as_deref()),
            CheckKind::Overlap { footprints_m } => {
                (Look::Overlap(Footprints::new(manifest, footprints_m)), None)
            }
            CheckKind::Coverage { .. } | CheckKind::Seams => return None,
        };
        // A species that is not there has no plants.
        let idx = |name| {
            manifest
                .species
                .iter()
                .position(|species| species.name == name)
        };
        Some(Self {
            look,
            species: species.map(|name| idx(name).unwrap_or(usize::MAX)),
            faults: Faults::default(),
        })
    }

    fn block(&mut self, world: &Finished, plants: &[Plant], bounds: [f64; 4], ground: &Ground) {
        let names = &world.manifest().species;
        if let Look::Overlap(footprints) = &self.look {
            return footprints.block(names, plants, bounds, &mut self.faults);
        }
        for own in plants.iter().filter(|(_, plant)| is_in(bounds, plant)) {
            let (species, plant) = own;
            if self.species.is_some_and(|wanted| wanted != *species) {
                continue;
            }
            self.faults.n_seen += 1;
            if let Some(what) = self.look.fault(own, ground) {
                let [x, y] = place(plant);
                self.faults.note(|| Offender {
                    species: Some(names[*species].name.clone()),
                    x,
                    y,
                    what: what.to_string(),
                });
            }
        }
    }
}

/// Whether a plant stands in a block.
pub(super) fn is_in([west, south, east, north]: [f64; 4], plant: &PlantRecord) -> bool {
    let [x, y] = place(plant);
    (west..east).contains(&x) && (south..north).contains(&y)
}

/// What is wrong with a plant.
enum Fault<'a> {
    OnVoid,
    /// Metres above the ground.
    Off(f64),
    /// Metres outside a stratum's edge.
    Near(f64, &'a str),
}

impl std::fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OnVoid => f.write_str("there is no ground"),
            Self::Off(m) if *m > 0.0 => write!(f, "{m:.3} m above the ground"),
            Self::Off(m) => write!(f, "{:.3} m below the ground", -m),
            Self::Near(m, stratum) if *m > 0.0 => write!(f, "{} from {stratum}", ticks::metres(*m)),
            Self::Near(m, stratum) => write!(f, "{} inside {stratum}", ticks::metres(-m)),
        }
    }
}

impl Look<'_> {
    fn fault(&self, own: &Plant, ground: &Ground) -> Option<Fault<'_>> {
        let (_, plant) = own;
        match *self {
            Self::Void => ground.is_void(plant).then_some(Fault::OnVoid),
            Self::Roots(ref roots) => {
                let off = f64::from(plant.z_mm) / 1000.0 - ground.height(plant);
                if off.is_nan() {
                    return Some(Fault::OnVoid);
                }
                (!roots.allow(own, off)).then_some(Fault::Off(off))
            }
            Self::KeepOff {
                band,
                stratum,
                distance_m,
            } => {
                let off = ground.distance(band?, plant)?;
                // On the edge itself a plant is inside.
                let too_near = off < distance_m || off <= 0.0;
                too_near.then_some(Fault::Near(off, stratum))
            }
            Self::Count | Self::Overlap(_) => None,
        }
    }
}
