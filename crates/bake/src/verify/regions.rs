//! Which parts of a map are baked afresh, which jobs they take, and how the map is cut otherwise.

use std::collections::BTreeSet;

use ecotone_grid::{Rect, TileGrid, mix};
use ecotone_scatter::Area;
use ecotone_store::{JobKey, JobKind, Manifest};

use super::Request;
use crate::config::Loaded;
use crate::plan::{ChunkGrid, Job, Plan, STEPS_PER_M};

/// Side of a sample region in pixels: it holds a seam of any tiling with smaller tiles.
const SIDE_PX: i64 = 256;

/// Regions where nobody says how many.
const HANDFUL: usize = 6;

/// Pixels of all tiles that a handful may take, with what lies around them; tuned for a few seconds on two cores.
const MOST_PX: usize = 20 << 20;

/// The regions of the map that are baked afresh.
pub(super) fn choose(plan: &Plan, request: &Request) -> Vec<Rect> {
    let map = plan.tiles.map();
    let n = request.regions.unwrap_or(HANDFUL).max(1);
    if request.full || map.area() <= n.saturating_mul((SIDE_PX * SIDE_PX) as usize) {
        return vec![map];
    }
    let mut regions: Vec<Rect> = Vec::new();
    for centre in spread(plan.tiles, n, request.seed) {
        let region = around(centre, map);
        if regions.contains(&region) {
            continue;
        }
        regions.push(region);
        let is_enough = request.regions.is_none() && n_pixels(plan, &regions) > MOST_PX;
        if is_enough && regions.len() > 1 {
            regions.pop();
            break;
        }
    }
    regions
}

/// A point in each of `n` cells of the map, in random order; every other one where four tiles meet, if any do.
fn spread(tiles: TileGrid, n: usize, seed: u64) -> Vec<[i64; 2]> {
    let (map, size) = (tiles.map(), i64::from(tiles.size()));
    let columns = (n as f64).sqrt().ceil() as i64;
    let rows = (n as i64).div_euclid(columns) + i64::from(n as i64 % columns > 0);
    let draw = |k: i64, purpose: u64| mix(mix(seed ^ mix(purpose)) ^ k as u64);
    let within = |cell: i64, n_cells: i64, side: i64, draw: u64| {
        let share = (draw >> 11) as f64 / (1_u64 << 53) as f64;
        ((cell as f64 + share) / n_cells as f64 * side as f64) as i64
    };
    let snap = |at: i64, side: i64| {
        let last = (side - 1) / size * size;
        ((at + size / 2) / size * size).clamp(size.min(last), last)
    };
    let mut cells: Vec<i64> = (0..n as i64).collect();
    cells.sort_by_key(|&k| draw(k, 1));
    let point = |(turn, k): (usize, i64)| {
        let x = within(k % columns, columns, map.x1, draw(k, 2));
        let y = within(k / columns, rows, map.y1, draw(k, 3));
        match turn % 2 {
            0 => [snap(x, map.x1), snap(y, map.y1)],
            _ => [x, y],
        }
    };
    cells.into_iter().enumerate().map(point).collect()
}

/// The region around a point, on the map.
fn around([x, y]: [i64; 2], map: Rect) -> Rect {
    let first = |at: i64, side: i64| (at - SIDE_PX / 2).clamp(0, (side - SIDE_PX).max(0));
    let (x0, y0) = (first(x, map.x1), first(y, map.y1));
    Rect::new(x0, y0, x0 + SIDE_PX, y0 + SIDE_PX).intersect(&map)
}

/// Pixels of the tiles that regions take.
fn n_pixels(plan: &Plan, regions: &[Rect]) -> usize {
    let jobs = jobs_over(plan, regions).into_iter();
    let tiles = jobs.filter_map(|job| match job {
        Job::Strata(tile) => Some(plan.tiles.rect(tile).area()),
        _ => None,
    });
    tiles.sum()
}

/// The positions on a region.
pub(super) fn area_of(plan: &Plan, region: Rect) -> Area {
    let bounds = plan.transform.bounds(region);
    let [west, south, east, north] = bounds.map(|metres| (metres * STEPS_PER_M).floor() as i64);
    Area::new(west, south, east, north)
}

/// Whether two areas share a position.
fn meet(a: &Area, b: &Area) -> bool {
    let both = a.intersect(b);
    both.x0 < both.x1 && both.y0 < both.y1
}

/// The jobs of all tiles and chunks over regions, and those of all that they read, in the plan's order.
pub(super) fn jobs_over(plan: &Plan, regions: &[Rect]) -> Vec<Job> {
    let areas: Vec<Area> = regions.iter().map(|r| area_of(plan, *r)).collect();
    let is_over = |job: &Job| match *job {
        Job::Strata(tile) | Job::Sdf(tile) => {
            let core = plan.tiles.rect(tile);
            regions.iter().any(|r| !r.intersect(&core).is_empty())
        }
        Job::Plants(chunk) => {
            let own = plan.chunks.area(chunk);
            areas.iter().any(|area| meet(area, &own))
        }
    };
    let wanted = plan.jobs.iter().filter(|job| is_over(job));
    let mut wanted: BTreeSet<JobKey> = wanted.map(|job| job.key()).collect();
    // Every job comes after all that it reads, so that one pass from the end finds all.
    for job in plan.jobs.iter().rev() {
        let kind = match job {
            _ if !wanted.contains(&job.key()) => continue,
            Job::Strata(_) => continue,
            Job::Sdf(_) => JobKind::Strata,
            Job::Plants(_) => JobKind::Sdf,
        };
        wanted.extend(plan.inputs(*job).map(|tile| JobKey {
            kind,
            x: tile.x.into(),
            y: tile.y.into(),
        }));
    }
    let jobs = plan.jobs.iter().filter(|job| wanted.contains(&job.key()));
    jobs.copied().collect()
}

/// Tiles are not cut smaller for a comparison than that many on a map can be kept track of.
const MOST_TILES: f64 = (1 << 18) as f64;
/// The largest tile of a comparison: small enough that a sample takes little beyond itself.
const LARGEST_TILE_PX: u32 = 385;

/// The same config with tiles and chunks of other sizes.
pub(super) fn otherwise_cut(loaded: &Loaded, manifest: &Manifest) -> Loaded {
    let mut other = loaded.clone();
    other.config.tiles.size = other_tile(manifest.grid.tiles());
    let bounds = manifest
        .grid
        .transform()
        .bounds(manifest.grid.tiles().map());
    let own = manifest.chunk_size as f64 / STEPS_PER_M;
    let smaller = own * 0.7;
    let is_fine = smaller >= 1.0 && ChunkGrid::new(smaller).n_over(bounds) < MOST_TILES as u64;
    other.config.output.chunk = if is_fine { smaller } else { own * 1.3 };
    other
}

/// An odd size that cuts the map elsewhere than its own tiles do.
fn other_tile(tiles: TileGrid) -> u32 {
    let map = tiles.map();
    let own = tiles.size().min(map.width().max(map.height()) as u32);
    let least = (map.area() as f64 / MOST_TILES).sqrt().ceil() as u32;
    let other = (own / 8 * 5 + own % 8 * 5 / 8).min(LARGEST_TILE_PX) | 1;
    match other.max(least) {
        same if same == tiles.size() => same + 1,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_tiles_are_others() {
        for side in [1, 2, 7, 60, 500, 8192, 100_000] {
            for size in [1, 2, 3, 37, 48, 64, 385, 512, 4096, 8192] {
                let other = other_tile(TileGrid::new(side, side, size));
                assert_ne!(other, size, "side {side}");
                let n = u64::from(side.div_ceil(other)).pow(2);
                assert!(n < 1 << 22, "side {side}, tile {size}");
                let is_cut = other < side.min(size);
                assert!(
                    is_cut || side < 4 || size < 3 || side > 8192,
                    "{side} {size} {other}"
                );
            }
        }
    }

    #[test]
    fn regions_lie_on_the_map_and_every_other_on_a_seam() {
        let tiles = TileGrid::new(5000, 3000, 512);
        for seed in 0..50 {
            let points = spread(tiles, 6, seed);
            assert_eq!(points.len(), 6);
            for (k, point) in points.into_iter().enumerate() {
                assert!(tiles.map().contains(point[0], point[1]));
                assert!(k % 2 == 1 || point.iter().all(|at| at % 512 == 0 && *at > 0));
                let region = around(point, tiles.map());
                assert_eq!((region.width(), region.height()), (256, 256));
                assert!(tiles.map().covers(&region));
            }
        }
        assert_ne!(spread(tiles, 6, 1), spread(tiles, 6, 2));
    }
}
