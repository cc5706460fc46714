//! Roads that wind through the valleys of a terrain: planned on a coarse grid, drawn pixel by pixel.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::noise::Vector;
use super::terrain::Terrain;

/// Width of a road in metres.
const WIDTH_M: f64 = 6.0;

/// The metre over which its border fades.
const FEATHER_M: f64 = 1.0;

/// Planning grids have a cell for this many metres of the map's side,
const CELL_M: u32 = 16;

/// but never fewer cells, nor more, along it: memory keeps within bounds.
const CELLS: (u32, u32) = (6, 1023);

/// The gradient along a road that costs as much as its length.
const EASY_GRADE: f64 = 0.07;

/// The slope of the ground that costs as much as a road's length.
const EASY_GROUND: f64 = 0.2;

/// What following a road that is already there costs, in percent.
const SHARED_PERCENT: u64 = 30;

/// Moves between nodes, knight's moves too, so that a road is not bound to eight directions.
const MOVES: [(i64, i64); 16] = [
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
    (1, 1),
    (1, -1),
    (-1, 1),
    (-1, -1),
    (2, 1),
    (2, -1),
    (-2, 1),
    (-2, -1),
    (1, 2),
    (1, -2),
    (-1, 2),
    (-1, -2),
];

/// The roads of a map, as straight pieces in metres from its north-west corner.
#[derive(Clone, Debug)]
pub(super) struct Roads {
    pieces: Vec<(Vector, Vector)>,
}

impl Roads {
    /// Plans a road from west to east and one from north to south over a square map of `size` metres.
    pub fn plan(terrain: &Terrain, size: u32) -> Self {
        let mut grid = Grid::survey(terrain, size);
        let mut pieces = Vec::new();
        for heading in [Heading::East, Heading::South] {
            let path = grid.cheapest_path(heading);
            for &node in &path {
                grid.built[node] = true;
            }
            let line = smooth(grid.polyline(&path, heading));
            pieces.extend(line.windows(2).map(|ends| (ends[0], ends[1])));
        }
        Self { pieces }
    }

    /// Writes how much of each pixel is road, 0 to 255, for the rows from `first_row` on.
    pub fn write_rows(&self, first_row: u32, width: usize, out: &mut [u8]) {
        out.fill(0);
        let n_rows = out.len() / width;
        let reach = (WIDTH_M + FEATHER_M) / 2.0;
        for &(a, b) in &self.pieces {
            let columns = pixels_between(a.x.min(b.x) - reach, a.x.max(b.x) + reach, 0, width);
            let first = first_row as usize;
            let rows = pixels_between(
                a.y.min(b.y) - reach,
                a.y.max(b.y) + reach,
                first,
                first + n_rows,
            );
            for row in rows {
                let line = &mut out[(row - first) * width..][..width];
                for column in columns.clone() {
                    let pixel = Vector::new(column as f64 + 0.5, row as f64 + 0.5);
                    let share = (reach - distance(pixel, a, b)) / FEATHER_M;
                    // Rounded: the cast cuts off.
                    let covered = (share.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
                    line[column] = line[column].max(covered);
                }
            }
        }
    }
}

/// Where a road begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heading {
    /// From the west border to the east border.
    East,
    /// From the north border to the south border.
    South,
}

/// The terrain as a road planner sees it.
struct Grid {
    step_m: f64,
    side: usize,
    heights: Vec<f64>,
    slopes: Vec<f64>,
    built: Vec<bool>,
}

impl Grid {
    fn survey(terrain: &Terrain, size: u32) -> Self {
        let cells = (size / CELL_M).clamp(CELLS.0, CELLS.1);
        let side = cells as usize + 1;
        let step_m = f64::from(size) / f64::from(cells);
        let heights = terrain.survey(side, step_m);
        let slopes = (0..side * side)
            .map(|node| {
                let (x, y) = (node % side, node / side);
                let at = |x: usize, y: usize| heights[y.min(side - 1) * side + x.min(side - 1)];
                let fall = Vector::new(
                    at(x + 1, y) - at(x.saturating_sub(1), y),
                    at(x, y + 1) - at(x, y.saturating_sub(1)),
                );
                fall.length() / (2.0 * step_m)
            })
            .collect();
        Self {
            step_m,
            side,
            heights,
            slopes,
            built: vec![false; side * side],
        }
    }

    /// The nodes of the cheapest road, from border to border (E. W. Dijkstra, 1959); costs are whole, so that no sum rounds.
    fn cheapest_path(&self, heading: Heading) -> Vec<usize> {
        let mut cost = vec![u64::MAX; self.heights.len()];
        let mut from = vec![usize::MAX; self.heights.len()];
        let mut open = BinaryHeap::new();
        for node in self.border(heading, 0) {
            cost[node] = 0;
            open.push(Reverse((0, node)));
        }
        while let Some(Reverse((reached, node))) = open.pop() {
            if reached > cost[node] {
                continue;
            }
            for (next, price) in self.moves(node) {
                let total = reached + price;
                if total < cost[next] {
                    cost[next] = total;
                    from[next] = node;
                    open.push(Reverse((total, next)));
                }
            }
        }
        let end = self
            .border(heading, self.side - 1)
            .min_by_key(|&node| (cost[node], node));
        let mut path: Vec<usize> =
            std::iter::successors(end, |&node| Some(from[node]).filter(|&n| n != usize::MAX))
                .collect();
        path.reverse();
        path
    }

    /// Nodes of the column (heading east) or row (heading south) `rank`, away from the corners.
    fn border(&self, heading: Heading, rank: usize) -> impl Iterator<Item = usize> + use<> {
        let side = self.side;
        let margin = side / 6;
        (margin..side - margin).map(move |k| match heading {
            Heading::East => k * side + rank,
            Heading::South => rank * side + k,
        })
    }

    /// The nodes in reach of one move, and what a road to each costs, in hundredths of a metre of flat road.
    fn moves(&self, node: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let side = self.side as i64;
        let (x, y) = (node as i64 % side, node as i64 / side);
        MOVES.iter().filter_map(move |&(dx, dy)| {
            let (to_x, to_y) = (x + dx, y + dy);
            if to_x < 0 || to_y < 0 || to_x >= side || to_y >= side {
                return None;
            }
            let next = (to_y * side + to_x) as usize;
            let length = Vector::new(dx as f64, dy as f64).length() * self.step_m;
            let grade = (self.heights[next] - self.heights[node]) / length / EASY_GRADE;
            let ground = (self.slopes[next] + self.slopes[node]) / 2.0 / EASY_GROUND;
            let price = (100.0 * length * (1.0 + grade * grade + ground * ground)) as u64;
            let shared = self.built[node] && self.built[next];
            Some((
                next,
                if shared {
                    price * SHARED_PERCENT / 100
                } else {
                    price
                },
            ))
        })
    }

    /// A path's places in metres, drawn out beyond the border at both ends.
    fn polyline(&self, path: &[usize], heading: Heading) -> Vec<Vector> {
        let place = |node: usize| {
            let [x, y] = [node % self.side, node / self.side].map(|k| k as f64 * self.step_m);
            Vector::new(x, y)
        };
        let out = match heading {
            Heading::East => Vector::new(self.step_m, 0.0),
            Heading::South => Vector::new(0.0, self.step_m),
        };
        let mut line: Vec<Vector> = path.iter().map(|&node| place(node)).collect();
        if let (Some(&first), Some(&last)) = (line.first(), line.last()) {
            line.insert(0, first.minus(out));
            line.push(last.plus(out));
        }
        line
    }
}

/// Rounds the corners of a line: three passes of 1-2-1 weights, then G. Chaikin's corner cutting (1974), twice.
fn smooth(mut line: Vec<Vector>) -> Vec<Vector> {
    for _ in 0..3 {
        let middles: Vec<Vector> = line
            .windows(3)
            .map(|p| p[0].plus(p[2]).times(0.25).plus(p[1].times(0.5)))
            .collect();
        let n = line.len();
        line[1..n - 1].copy_from_slice(&middles);
    }
    for _ in 0..2 {
        let mut cut = vec![line[0]];
        for ends in line.windows(2) {
            let along = ends[1].minus(ends[0]);
            cut.push(ends[0].plus(along.times(0.25)));
            cut.push(ends[0].plus(along.times(0.75)));
        }
        cut.push(line[line.len() - 1]);
        line = cut;
    }
    line
}

/// The pixels, within `first..end`, that may have their centre between two coordinates.
fn pixels_between(lo: f64, hi: f64, first: usize, end: usize) -> std::ops::Range<usize> {
    // The casts saturate at 0, which is where the map begins.
    let from = (lo.max(0.0) as usize).max(first);
    let to = ((hi.max(0.0) as usize).saturating_add(1)).min(end);
    from..to.max(from)
}

/// From a place to the straight piece between `a` and `b`.
fn distance(at: Vector, a: Vector, b: Vector) -> f64 {
    let (along, aside) = (b.minus(a), at.minus(a));
    let length = along.dot(along);
    let t = if length > 0.0 {
        (aside.dot(along) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    aside.minus(along.times(t)).length()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(size: u32, band: u32) -> Vec<u8> {
        let roads = Roads::plan(&Terrain::new(7), size);
        let width = size as usize;
        let mut mask = vec![9; width * width];
        for (k, rows) in mask.chunks_mut(width * band as usize).enumerate() {
            roads.write_rows(k as u32 * band, width, rows);
        }
        mask
    }

    #[test]
    fn a_distance_is_to_the_nearest_point_of_the_piece() {
        let [a, b] = [Vector::new(0.0, 0.0), Vector::new(10.0, 0.0)];
        assert_eq!(distance(Vector::new(5.0, -2.0), a, b), 2.0);
        assert_eq!(distance(Vector::new(13.0, 4.0), a, b), 5.0);
        assert_eq!(distance(Vector::new(-3.0, 4.0), a, b), 5.0);
        assert_eq!(distance(Vector::new(3.0, 4.0), a, a), 5.0);
    }

    #[test]
    fn a_straight_piece_has_its_width_and_its_feather() {
        let roads = Roads {
            pieces: vec![(Vector::new(-9.0, 10.0), Vector::new(30.0, 10.0))],
        };
        let mut mask = vec![0; 20 * 20];
        roads.write_rows(0, 20, &mut mask);
        let column: Vec<u8> = (0..20).map(|y| mask[y * 20 + 7]).collect();
        let mut right = [0; 20];
        right[7..13].fill(255);
        assert_eq!(column, right);
    }

    #[test]
    fn the_pixels_do_not_depend_on_the_bands() {
        assert!(drawn(300, 300) == drawn(300, 7));
    }

    /// Which pixels a flood over road pixels, from those of the west column on, reaches.
    fn flood(mask: &[u8], width: usize) -> Vec<bool> {
        let mut reached = vec![false; mask.len()];
        let mut open: Vec<usize> = (0..width).map(|y| y * width).collect();
        while let Some(pixel) = open.pop() {
            if mask[pixel] < 128 || std::mem::replace(&mut reached[pixel], true) {
                continue;
            }
            let (x, y) = (pixel % width, pixel / width);
            for (nx, ny) in [
                (x + 1, y),
                (x.wrapping_sub(1), y),
                (x, y + 1),
                (x, y.wrapping_sub(1)),
            ] {
                if nx < width && ny < width {
                    open.push(ny * width + nx);
                }
            }
        }
        reached
    }

    #[test]
    fn a_road_runs_unbroken_to_every_border() {
        for size in [1, 37, 700, 2048] {
            let width = size as usize;
            let mask = drawn(size, 512);
            let reached = flood(&mask, width);
            assert!(
                (0..width).any(|y| reached[y * width + width - 1]),
                "east of {size}"
            );
            assert!((0..width).any(|x| reached[x]), "north of {size}");
            assert!(
                (0..width).any(|x| reached[(width - 1) * width + x]),
                "south of {size}"
            );
        }
    }

    #[test]
    fn a_road_is_gentler_than_the_land() {
        let terrain = Terrain::new(7);
        let grid = Grid::survey(&terrain, 2048);
        let path = grid.cheapest_path(Heading::East);
        let mean = |slopes: &mut dyn Iterator<Item = f64>| {
            let (mut sum, mut n) = (0.0, 0.0);
            for slope in slopes {
                sum += slope;
                n += 1.0;
            }
            sum / n
        };
        let road = mean(&mut path.iter().map(|&node| grid.slopes[node]));
        let land = mean(&mut grid.slopes.iter().copied());
        assert!(road < 0.6 * land, "road {road}, land {land}");
    }
}
