//! What a world and its ledger say of themselves, without a look at a raster or a plant.

use ecotone_store::{Changed, Counts, Facts, STEPS_PER_METRE, SpeciesFacts};

use super::{
    Asked, Changes, Checks, EdgeBin, EdgeProfile, Histogram, MapSize, Report, Run, Scale,
    SpeciesGrowth, StratumCover,
};
use crate::{Finished, InterchangeError};

/// Square metres in a hectare.
const M2_PER_HA: f64 = 10_000.0;

/// What the jobs of a revision counted, all together.
fn facts(world: &Finished) -> Result<Facts, InterchangeError> {
    let mut facts = Facts::default();
    for entry in world.world().ledger()? {
        facts.merge(&entry.facts.read());
    }
    Ok(facts)
}

impl Report {
    /// The report of a revision; `before` is the one before it, where it is still there, and `changed` what differs.
    ///
    /// # Errors
    /// Those of the worlds' ledgers.
    pub fn new(
        world: &Finished,
        before: Option<&Finished>,
        changed: &Changed,
        scales: &[Scale],
    ) -> Result<Self, InterchangeError> {
        let found = facts(world)?;
        let map = map_size(world, &found);
        let before = before
            .map(|before| Ok::<_, InterchangeError>((before, facts(before)?)))
            .transpose()?;
        let was = before.as_ref().map(|(world, facts)| (*world, facts));
        let manifest = world.manifest();
        let edits = manifest.edits.iter();
        Ok(Self {
            checks: Checks::default(),
            revision: manifest.revision,
            program: manifest.program.clone(),
            asked: Asked {
                config: manifest.config.path.clone(),
                text: world.world().config()?,
                edits: edits
                    .map(|edit| format!("{} {}", edit.number, edit.text))
                    .collect(),
                ..Asked::default()
            },
            run: Run::default(),
            strata: strata(world, &found, was, &map),
            species: species(world, &found, was, &map, scales),
            changed: Changes::from(changed),
            map,
        })
    }
}

fn map_size(world: &Finished, facts: &Facts) -> MapSize {
    let grid = &world.manifest().grid;
    let pixel_m2 = grid.pixel[0] * grid.pixel[1];
    MapSize {
        pixels: [grid.width, grid.height],
        pixel_m: grid.pixel,
        bounds: world.extent(),
        epsg: grid.epsg,
        tile_px: grid.tile_size,
        chunk_m: world.manifest().chunk_size as f64 / STEPS_PER_METRE as f64,
        valid_px: facts.valid,
        valid_ha: facts.valid as f64 * pixel_m2 / M2_PER_HA,
    }
}

/// A stratum's share of the ground by the facts of a revision.
fn share(world: &Finished, facts: &Facts, stratum: &str) -> Option<f64> {
    let band = world.manifest().strata.iter().position(|s| s == stratum)?;
    let all = facts.weights.iter().sum::<u64>();
    let own = *facts.weights.get(band)?;
    Some(own as f64 / all.max(1) as f64)
}

fn strata(
    world: &Finished,
    facts: &Facts,
    was: Option<(&Finished, &Facts)>,
    map: &MapSize,
) -> Vec<StratumCover> {
    let cover = |name: &String| {
        let own = share(world, facts, name).unwrap_or(0.0);
        StratumCover {
            name: name.clone(),
            share: own,
            hectares: own * map.valid_ha,
            share_before: was.and_then(|(before, facts)| share(before, facts, name)),
        }
    };
    world.manifest().strata.iter().map(cover).collect()
}

/// Plants of a species in a revision; `None` where it does not have it.
fn n_plants(world: &Finished, name: &str) -> Option<u64> {
    let manifest = world.manifest();
    let idx = manifest.species.iter().position(|s| s.name == name)?;
    let chunks = manifest.chunks.iter();
    Some(chunks.filter_map(|chunk| chunk.plants.get(idx)).sum())
}

fn species(
    world: &Finished,
    facts: &Facts,
    was: Option<(&Finished, &Facts)>,
    map: &MapSize,
    scales: &[Scale],
) -> Vec<SpeciesGrowth> {
    let none = SpeciesFacts::default();
    let manifest = world.manifest();
    let growth = |scale: &Scale| {
        let name = &scale.name;
        let idx = manifest.species.iter().position(|s| s.name == *name)?;
        let own = facts.species.get(idx).unwrap_or(&none);
        let plants = n_plants(world, name).unwrap_or(0);
        Some(SpeciesGrowth {
            name: name.clone(),
            plants,
            plants_before: was.and_then(|(before, _)| n_plants(before, name)),
            per_ha: plants as f64 / map.valid_ha.max(f64::MIN_POSITIVE),
            sizes: sizes(&own.sizes, scale),
            edge: EdgeProfile {
                stratum: scale.edge_stratum.clone(),
                falloff_m: scale.falloff_m,
                bins: edge_bins(own, scale),
            },
        })
    };
    scales.iter().filter_map(growth).collect()
}

fn sizes(counts: &Counts, scale: &Scale) -> Histogram {
    Histogram {
        from: scale.sizes[0],
        to: scale.sizes[1],
        counts: (0..scale.size_bins).map(|bin| counts.at(bin)).collect(),
    }
}

fn edge_bins(facts: &SpeciesFacts, scale: &Scale) -> Vec<EdgeBin> {
    let border = |bin: usize| bin as f64 * scale.edge_span_m / scale.edge_bins as f64;
    let last = scale.edge_bins + 1;
    let bin = |bin: usize| EdgeBin {
        from_m: (bin > 0).then(|| border(bin - 1)),
        to_m: (bin < last).then(|| border(bin)),
        hectares: facts.points.at(bin) as f64 * scale.point_m2 / M2_PER_HA,
        found: facts.found.at(bin),
        expected: facts.expected_tenths.at(bin) as f64 / 10.0,
    };
    (0..=last).map(bin).collect()
}
