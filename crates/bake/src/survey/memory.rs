//! The memory of a bake, by the same arithmetic that its limits use.

use ecotone_grid::Rect;
use ecotone_scatter::Candidate;

use crate::plan::STEPS_PER_M;
use crate::scene::{PATTERN_BYTES, Scene, window_bytes};

/// The program itself, its threads' stacks and what the allocator keeps.
const PROCESS_BYTES: u64 = 12 << 20;

/// The most that a bake takes at once: what it keeps at hand within its budget, and the windows of each worker.
///
/// Files that wait for the writer come on top; pages of mapped inputs are the system's and do not count.
pub(super) fn peak_bytes(scene: &Scene, budget_bytes: u64, threads: usize) -> u64 {
    let rules = &scene.rules;
    let n_strata = rules.strata.n_bands() as u64;
    let area = scene.plan.tiles.map().area() as u64;
    let least_patterns = (rules.species.len() * PATTERN_BYTES) as u64;
    // A small map does not fill the caches: blocks of inputs, weights and distances, and patterns.
    let n_masks = (scene.inputs.masks.len() + scene.inputs.densities.len()) as u64;
    let rasters = area * ((n_masks + 1) * 4 + n_strata * 3);
    let kept = budget_bytes.min(rasters + least_patterns);
    let [strata, sdf] = window_bytes(&scene.inputs, rules, &scene.grass_asks, scene.plan.tiles);
    let worker = strata + sdf + plants_bytes(scene);
    PROCESS_BYTES + kept + threads.min(scene.plan.jobs.len()) as u64 * worker
}

/// What a worker takes for the fields under a chunk and the candidates on it.
fn plants_bytes(scene: &Scene) -> u64 {
    let rules = &scene.rules;
    if rules.species.is_empty() {
        return 0;
    }
    let plan = &scene.plan;
    let n_strata = rules.strata.n_bands() as u64;
    let side_m = plan.chunks.size as f64 / STEPS_PER_M + 2.0 * plan.reaches.competition_m;
    let [west, south, east, north] = plan.transform.bounds(plan.tiles.map());
    let (width_m, height_m) = (side_m.min(east - west), side_m.min(north - south));
    let pixel = plan.transform.pixel;
    let columns = width_m / pixel.x + 3.0;
    let rows = height_m / pixel.y + 3.0;
    let (n_pixels, window) = (columns * rows, Rect::new(0, 0, columns as i64, rows as i64));
    // Heights, normals, weights and distances.
    let fields = n_pixels * (8 + 12 + n_strata * 3) as f64;
    let per_m2: f64 = rules.patterns.iter().map(|p| p.density_per_m2()).sum();
    // A candidate, what competition keeps of it, and a plant.
    let candidates = per_m2 * width_m * height_m * (3 * size_of::<Candidate>()) as f64;
    let layers = scene.plant_asks.window_bytes(rules, &scene.inputs, window);
    (fields + candidates) as u64 + layers
}
