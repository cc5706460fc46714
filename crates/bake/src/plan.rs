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
    /// The signed distances of a tile, from the weights of the tiles within reach.
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
        let margin = (self.reaches.competition_m * STEPS_PER_M).ceil() as i64;
        self.chunks
            .area(chunk)
            .grow(margin)
            .intersect(&self.map_area())
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
        let area = self.reach_of(chunk);
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
        let strip_tiles = (STRIP_PX / self.tiles.size()).max(1);
        let strip = last(rect.x1, map.x1) / strip_tiles;
        (strip, last(rect.y1, map.y1), stage, y, x)
    }

    /// A rectangle on the map, grown to whole tiles.
    fn whole_tiles(&self, rect: Rect) -> Rect {
        let size = i64::from(self.tiles.size());
        let up = |v: i64| (v + size - 1).div_euclid(size) * size;
        Rect::new(rect.x0, rect.y0, up(rect.x1), up(rect.y1))
    }
}
