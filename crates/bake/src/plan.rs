//! The plan: which jobs there are, what each reads, and the order they run in. Pure; computed before anything runs.

use ecotone_grid::{GeoTransform, Reach, Rect, TileGrid, TileId};
use ecotone_scatter::{Area, UNITS_PER_M};

/// Steps of 1/1024 m in a metre: the unit of plant positions and of the chunk grid.
pub const STEPS_PER_M: f64 = UNITS_PER_M as f64;

/// A chunk's place: `x` grows east and `y` grows north, both may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkId {
    /// floor(world x / chunk size).
    pub x: i64,
    /// floor(world y / chunk size).
    pub y: i64,
}

/// The chunk grid: squares of world metres, independent of pixels and tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkGrid {
    /// Side of a chunk in steps of 1/1024 m.
    pub size: i64,
}

impl ChunkGrid {
    /// The grid of chunks of `metres`, which is rounded to whole steps.
    pub fn new(metres: f64) -> Self {
        Self {
            size: (metres * STEPS_PER_M).round().max(1.0) as i64,
        }
    }

    /// The positions of a chunk: those on its west and south borders belong to it.
    pub fn area(&self, chunk: ChunkId) -> Area {
        let (x, y) = (chunk.x * self.size, chunk.y * self.size);
        Area::new(x, y, x + self.size, y + self.size)
    }

    /// The chunk that a position in 1/1024 m falls into.
    pub fn of(&self, x: i64, y: i64) -> ChunkId {
        ChunkId {
            x: x.div_euclid(self.size),
            y: y.div_euclid(self.size),
        }
    }

    /// How many chunks share ground with world bounds in metres: west, south, east, north.
    pub fn n_over(&self, bounds: [f64; 4]) -> u64 {
        let (first, last) = self.span(bounds);
        first
            .x
            .abs_diff(last.x)
            .saturating_add(1)
            .saturating_mul(first.y.abs_diff(last.y).saturating_add(1))
    }

    /// First and last chunk that share ground with world bounds in metres, west to east and south to north.
    fn span(&self, [west, south, east, north]: [f64; 4]) -> (ChunkId, ChunkId) {
        let at = |metres: f64| ((metres * STEPS_PER_M).floor() as i64).div_euclid(self.size);
        let first = ChunkId {
            x: at(west),
            y: at(south),
        };
        (
            first,
            ChunkId {
                x: at(east).max(first.x),
                y: at(north).max(first.y),
            },
        )
    }
}

/// What a bilinear sample reads beyond the pixel it lies in: the next one, and one for a position that rounds across.
pub(crate) const SAMPLE_REACH: Reach = Reach::square(1);

/// What a job makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// The 8-bit weights of a tile, and its optional fields, from the heights.
    Strata(TileId),
    /// The signed distances of a tile, from the weights of the tiles within reach, and with them its densities, where species
    /// are written as such.
    Sdf(TileId),
    /// The plants of a chunk, from the fields of the tiles within reach.
    Plants(ChunkId),
}

/// How far each stage reads, worked out from the config.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaches {
    /// Heights read around a tile for its weights: the gradient, the smoothing box, and a pixel for curvatures.
    pub strata: Reach,
    /// Weights read around a tile for its distances: the bound, and the edge's own neighbours.
    pub sdf: Reach,
    /// Ground read around a chunk for its plants, in metres: competition.
    pub competition_m: f64,
    /// Fields read around a chunk for its plants, in pixels: competition and the bilinear corners.
    pub plants: Reach,
}

impl Reaches {
    /// How far a change of heights or masks can move a plant.
    pub fn total(&self) -> Reach {
        self.strata.then(self.sdf).then(self.plants)
    }
}

/// A bake, before it runs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The tiling.
    pub tiles: TileGrid,
    /// Where the pixels lie.
    pub transform: GeoTransform,
    /// The chunking.
    pub chunks: ChunkGrid,
    /// How far each stage reads.
    pub reaches: Reaches,
    /// The jobs, each after all that it reads.
    pub jobs: Vec<Job>,
}

/// Columns of tiles are marched down in strips about this wide, so that the neighbours a job reads are still in memory.
/// Tuned for 512-pixel tiles and the default memory budget.
const STRIP_PX: u32 = 4096;

impl Plan {
    /// Plans a bake; `with_plants` where there is any species.
    pub fn new(
        tiles: TileGrid,
        transform: GeoTransform,
        chunks: ChunkGrid,
        reaches: Reaches,
        with_plants: bool,
    ) -> Self {
        let mut plan = Self {
            tiles,
            transform,
            chunks,
            reaches,
            jobs: Vec::new(),
        };
        let mut jobs: Vec<_> = tiles
            .tiles()
            .flat_map(|tile| [Job::Strata(tile), Job::Sdf(tile)])
            .collect();
        if with_plants {
            jobs.extend(plan.chunk_ids().map(Job::Plants));
        }
        jobs.sort_by_cached_key(|job| plan.turn(*job));
        plan.jobs = jobs;
        plan
    }

    /// All chunks that share ground with the map, from the north, row by row.
    pub fn chunk_ids(&self) -> impl Iterator<Item = ChunkId> + use<> {
        let (first, last) = self.chunks.span(self.transform.bounds(self.tiles.map()));
        (first.y..=last.y)
            .rev()
            .flat_map(move |y| (first.x..=last.x).map(move |x| ChunkId { x, y }))
    }

    /// The pixels that a job reads of the stage before it; on the map.
    pub fn reads(&self, job: Job) -> Rect {
        let wanted = match job {
            Job::Strata(tile) => self.tiles.rect(tile).grow(self.reaches.strata),
            Job::Sdf(tile) => self.tiles.rect(tile).grow(self.reaches.sdf),
            Job::Plants(chunk) => self.ground(chunk),
        };
        wanted.intersect(&self.tiles.map())
    }

    /// The tiles whose previous stage a job waits for.
    pub fn inputs(&self, job: Job) -> impl Iterator<Item = TileId> + use<> {
        let rect = match job {
            Job::Strata(_) => Rect::default(),
            Job::Sdf(_) | Job::Plants(_) => self.reads(job),
        };
        self.tiles.over(rect)
    }

    /// A chunk, and the ground around it whose candidates compete with its own; all of it on the map.
    pub fn reach_of(&self, chunk: ChunkId) -> Area {
        self.reach_around(&self.chunks.area(chunk))
    }

    /// An area, and the ground around it whose candidates compete with those in it; all of it on the map.
    pub fn reach_around(&self, area: &Area) -> Area {
        let margin = (self.reaches.competition_m * STEPS_PER_M).ceil() as i64;
        area.grow(margin).intersect(&self.map_area())
    }

    /// The positions on the map.
    pub fn map_area(&self) -> Area {
        let steps = |metres: f64| metres * STEPS_PER_M;
        let [west, south, east, north] = self.transform.bounds(self.tiles.map()).map(steps);
        Area::new(
            west.floor() as i64,
            south.floor() as i64,
            east.ceil() as i64 + 1,
            north.ceil() as i64 + 1,
        )
    }

    /// The pixels around a chunk whose fields its plants read, the bilinear corners included; may lie off the map.
    pub fn ground(&self, chunk: ChunkId) -> Rect {
        self.ground_around(&self.chunks.area(chunk))
    }

    /// The pixels around an area whose fields its plants read, likewise.
    pub fn ground_around(&self, area: &Area) -> Rect {
        let area = self.reach_around(area);
        let metres = |step: i64| step as f64 / STEPS_PER_M;
        let (x0, y0) = self.transform.pixel_at(metres(area.x0), metres(area.y1));
        let (x1, y1) = self.transform.pixel_at(metres(area.x1), metres(area.y0));
        // `floor` and `floor + 1` of every point inside; off the map there is nothing to read but that it is void.
        let near = self.tiles.map().grow(SAMPLE_REACH);
        Rect::new(
            x0.floor() as i64,
            y0.floor() as i64,
            x1.floor() as i64 + 1,
            y1.floor() as i64 + 1,
        )
        .grow(SAMPLE_REACH)
        .intersect(&near)
    }

    /// When a job's turn comes: with the last weight tile that it depends on, strip by strip and row by row.
    fn turn(&self, job: Job) -> (u32, u32, u8, i64, i64) {
        let map = self.tiles.map();
        let (rect, stage, y, x) = match job {
            Job::Strata(tile) => (self.tiles.rect(tile), 0, tile.y.into(), tile.x.into()),
            Job::Sdf(tile) => (self.reads(job), 1, tile.y.into(), tile.x.into()),
            // A chunk reads whole tiles of distances, which read weights; north comes first.
            Job::Plants(chunk) => {
                let tiles = self.whole_tiles(self.reads(job));
                (tiles.grow(self.reaches.sdf), 2, -chunk.y, chunk.x)
            }
        };
        let size = i64::from(self.tiles.size());
        let last = |end: i64, limit: i64| ((end.clamp(1, limit) - 1) / size) as u32;
        let strip = last(rect.x1, map.x1) / self.strip_tiles();
        (strip, last(rect.y1, map.y1), stage, y, x)
    }

    /// Tiles from one side of a strip to the other.
    fn strip_tiles(&self) -> u32 {
        (STRIP_PX / self.tiles.size()).max(1)
    }

    /// The windows of inputs that jobs beside each other read a part each of: a row of tiles, or of chunks, from one
    /// side of a strip to the other, and what is read around it. None where a single job reads all of a row.
    pub fn shared_windows(&self) -> impl Iterator<Item = Rect> + use<> {
        let (map, size) = (self.tiles.map(), i64::from(self.tiles.size()));
        let strip = i64::from(self.strip_tiles()) * size;
        let width = strip.min(map.x1);
        let tiles = (width > size).then_some(size);
        let n_rows = tiles.max(self.chunk_rows(width)).unwrap_or(0).min(map.y1);
        let (height, reach) = (map.y1, self.reaches.strata);
        let tops = (0..height).step_by(size as usize);
        tops.filter(move |_| n_rows > 0).flat_map(move |top| {
            let lefts = (0..map.x1).step_by(strip as usize);
            lefts.map(move |left| {
                Rect::new(left, top, left + strip, top + n_rows)
                    .grow(reach)
                    .intersect(&map)
            })
        })
    }

    /// Rows of pixels that the plants of a chunk read, where there are plants and chunks lie beside each other within
    /// `width` pixels.
    fn chunk_rows(&self, width: i64) -> Option<i64> {
        let has_plants = self.jobs.iter().any(|job| matches!(job, Job::Plants(_)));
        let side_m = self.chunks.size as f64 / STEPS_PER_M;
        let pixel = self.transform.pixel;
        let is_shared = has_plants && side_m / pixel.x < width as f64;
        let around = 2 * i64::from(self.reaches.plants.y);
        is_shared.then(|| ((side_m / pixel.y).ceil() as i64).saturating_add(around))
    }

    /// A rectangle on the map, grown to whole tiles.
    fn whole_tiles(&self, rect: Rect) -> Rect {
        let size = i64::from(self.tiles.size());
        let up = |v: i64| (v + size - 1).div_euclid(size) * size;
        Rect::new(rect.x0, rect.y0, up(rect.x1), up(rect.y1))
    }
}

#[cfg(test)]
mod tests {
    use ecotone_grid::PixelSize;

    use super::*;

    /// Of a map of 10,000 × 1,300 pixels of 1 m under chunks of 512 m.
    fn shared(tile: u32, with_plants: bool) -> Vec<Rect> {
        let tiles = TileGrid::new(10_000, 1_300, tile);
        let pixel = PixelSize { x: 1.0, y: 1.0 };
        let (x0, y0) = (0.0, 0.0);
        let reaches = Reaches {
            strata: Reach::square(5),
            sdf: Reach::square(64),
            competition_m: 2.0,
            plants: Reach::square(3),
        };
        let transform = GeoTransform { x0, y0, pixel };
        let chunks = ChunkGrid::new(512.0);
        let plan = Plan::new(tiles, transform, chunks, reaches, with_plants);
        plan.shared_windows().collect()
    }

    #[test]
    fn jobs_share_the_rows_of_a_strip() {
        let tiles = shared(512, false);
        assert_eq!(tiles.len(), 9);
        assert_eq!(tiles[0], Rect::new(0, 0, 4101, 517));
        assert_eq!(tiles[4], Rect::new(4091, 507, 8197, 1029));
        assert_eq!(tiles[8], Rect::new(8187, 1019, 10_000, 1300));
        // A chunk and the three pixels around it are more than a tile.
        assert_eq!(shared(512, true)[0], Rect::new(0, 0, 4101, 523));
    }

    #[test]
    fn a_tile_as_wide_as_a_strip_shares_nothing_but_its_chunks_do() {
        assert_eq!(shared(4096, false), []);
        let chunks = shared(4096, true);
        assert_eq!(chunks[1], Rect::new(4091, 0, 8197, 523));
    }
}
