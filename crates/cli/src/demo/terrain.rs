//! Mountains as a pure function of seed and place, computed band by band.

use super::erosion::Erosion;
use ecotone_grid::floor;

use super::noise::{Corners, Lattice, Vector, smooth_step};

/// Pixels, and metres, between the nodes that carry everything broader than [`DETAIL`].
const NODE: usize = 8;

/// Fine relief added pixel by pixel: wavelength and amplitude on bare rock, metres.
const DETAIL: [(f64, f32); 3] = [(37.0, 6.0), (15.7, 2.3), (6.9, 0.8)];

/// How far apart the course of a river is compared, metres.
const BED_PROBE_M: f64 = 12.0;

/// A terrain of 1 m pixels that reaches east and south without end.
#[derive(Clone, Debug)]
pub struct Terrain {
    warp: [Lattice; 4],
    ranges: [Lattice; 4],
    swell: Lattice,
    floor: Lattice,
    river: Lattice,
    loops: Lattice,
    erosion: Erosion,
    detail: [Lattice; 3],
}

/// What a node of the lattice carries.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    height: f32,
    /// How bare and broken the ground is, 0 on a meadow to 1 on a face.
    rock: f32,
}

impl Terrain {
    /// The terrain of a seed.
    pub fn new(seed: u64) -> Self {
        let lattice = |purpose, wavelength_m| Lattice::new(seed, purpose, wavelength_m);
        Self {
            warp: [
                lattice(1, 3100.0),
                lattice(2, 3100.0),
                lattice(3, 1130.0),
                lattice(4, 1130.0),
            ],
            ranges: [
                lattice(5, 3600.0),
                lattice(6, 1650.0),
                lattice(7, 610.0),
                lattice(8, 5300.0),
            ],
            swell: lattice(9, 11000.0),
            floor: lattice(10, 1500.0),
            river: lattice(11, 2300.0),
            loops: lattice(12, 370.0),
            erosion: Erosion::new(seed),
            detail: std::array::from_fn(|k| lattice(20 + k as u64, DETAIL[k].0)),
        }
    }

    /// Writes the heights in metres of the rows from `first_row` on, each `width` pixels (at least 1) from the west border.
    ///
    /// The height at a place depends on neither `width` nor the band it is written with.
    pub fn write_rows(&self, first_row: u32, width: usize, out: &mut [f32]) {
        let n_rows = out.len() / width;
        let first_node = i64::from(first_row) / NODE as i64 - 1;
        let last_node = (i64::from(first_row) + n_rows as i64 - 1) / NODE as i64 + 2;
        let n_columns = width.div_ceil(NODE) + 3;
        let nodes = self.nodes(
            [-1, first_node],
            n_columns,
            last_node - first_node + 1,
            NODE as f64,
        );
        let mut column = vec![Node::default(); n_columns];
        let mut rock = vec![0.0; width];
        for (j, line) in out.chunks_exact_mut(width).enumerate() {
            let y = first_row as usize + j;
            let top = (y / NODE) as i64 - 1 - first_node;
            blend_rows(&nodes[top as usize * n_columns..], y % NODE, &mut column);
            blend_columns(&column, line, &mut rock);
            for (lattice, (_, amplitude)) in self.detail.iter().zip(DETAIL) {
                add_detail(*lattice, amplitude, y, &rock, line);
            }
        }
    }

    /// Heights in metres without fine relief, every `step_m` metres from the north-west corner, `side` by `side`.
    pub(super) fn survey(&self, side: usize, step_m: f64) -> Vec<f64> {
        let nodes = self.nodes([0, 0], side, side as i64, step_m);
        nodes.iter().map(|node| f64::from(node.height)).collect()
    }

    /// `n_rows` rows of `n_columns` nodes, `step_m` metres apart, from node `first` on.
    fn nodes(&self, first: [i64; 2], n_columns: usize, n_rows: i64, step_m: f64) -> Vec<Node> {
        let stride = n_columns + 2;
        let at = |x: i64, y: i64| {
            Vector::new(
                (first[0] + x) as f64 * step_m,
                (first[1] + y) as f64 * step_m,
            )
        };
        let relief: Vec<(f64, f64)> = (-1..=n_rows)
            .flat_map(|y| (-1..=n_columns as i64).map(move |x| (x, y)))
            .map(|(x, y)| self.relief(at(x, y)))
            .collect();
        let mut nodes = Vec::with_capacity(n_columns * n_rows as usize);
        for y in 0..n_rows {
            for x in 0..n_columns {
                let i = (y + 1) as usize * stride + x + 1;
                let slope = Vector::new(
                    relief[i + 1].0 - relief[i - 1].0,
                    relief[i + stride].0 - relief[i - stride].0,
                )
                .times(0.5 / step_m);
                nodes.push(self.node(at(x as i64, y), relief[i], slope));
            }
        }
        nodes
    }

    fn node(&self, at: Vector, (height, crest): (f64, f64), slope: Vector) -> Node {
        let (carved, steepness) = self.erosion.carve(at, slope, crest);
        let steep = smooth_step(0.3, 1.1, steepness);
        let level = 1.0 - smooth_step(0.04, 0.16, slope.length());
        let bed = if level > 0.0 {
            level * self.bed(at)
        } else {
            0.0
        };
        Node {
            height: (height + carved - bed) as f32,
            rock: (0.015 + 0.985 * steep) as f32,
        }
    }

    /// Bends the ranges, kilometres at a time.
    fn bend(&self, at: Vector) -> Vector {
        Vector::new(self.warp[0].gradient(at), self.warp[1].gradient(at)).times(700.0)
    }

    /// Bends every ridge and bed, hundreds of metres at a time.
    fn meander(&self, at: Vector) -> Vector {
        Vector::new(self.warp[2].gradient(at), self.warp[3].gradient(at)).times(190.0)
    }

    /// The depth of a winding river bed in level ground, metres.
    fn bed(&self, at: Vector) -> f64 {
        let course = |at: Vector| {
            let bent = at.plus(self.meander(at));
            self.river.gradient(bent) + 0.1 * self.loops.gradient(bent)
        };
        let here = course(at);
        let across = Vector::new(
            course(at.plus(Vector::new(BED_PROBE_M, 0.0))) - here,
            course(at.plus(Vector::new(0.0, BED_PROBE_M))) - here,
        );
        // The noise over its own slope: metres from the river's middle, so that its width keeps.
        let aside_m = here.abs() * BED_PROBE_M / (across.length() + 1e-4);
        5.0 * (1.0 - smooth_step(7.0, 34.0, aside_m))
    }

    /// The broad shape, before erosion: its height in metres, and its place between valley (−1) and crest (1).
    ///
    /// Tuned, with the erosion, for ranges 400 to 600 m above their valleys: half the ground below 15 to 20 degrees, a tenth
    /// above 36 to 40, a hundredth above 50, and level valley floors.
    fn relief(&self, at: Vector) -> (f64, f64) {
        let at = at.plus(self.bend(at)).plus(self.meander(at));
        let swell = self.swell.gradient(at) * 260.0;
        let chain = ridge(self.ranges[0].gradient(at), 0.06);
        let spur = ridge(self.ranges[1].gradient(at), 0.06);
        let knoll = self.ranges[2].gradient(at);
        let region = smooth_step(-0.35, 0.4, self.ranges[3].gradient(at));
        let height = 385.0 * chain * (0.55 + 0.45 * region)
            + 140.0 * spur * (0.25 + 0.75 * chain)
            + 34.0 * knoll
            - 70.0;
        let floor = 42.0 + 34.0 * self.floor.gradient(at);
        let lifted = soft_max(height, floor, 80.0);
        let crest = ((lifted - 170.0) / 220.0).clamp(-1.0, 1.0);
        (760.0 + swell + lifted, crest)
    }
}

/// 1 on the zero line of a noise, falling to about −0.2 where it is far from it; `rounding` blunts the crest.
fn ridge(noise: f64, rounding: f64) -> f64 {
    1.0 - 2.0 * (noise * noise + rounding * rounding).sqrt()
}

/// The larger of two, rounded where they are within `width` of each other.
fn soft_max(a: f64, b: f64, width: f64) -> f64 {
    let h = (width - (a - b).abs()).max(0.0) / width;
    a.max(b) + h * h * width * 0.25
}

/// Weights of four neighbouring nodes at a pixel of a node's cell: the uniform cubic B-spline, so that slopes have no seam.
fn spline(pixel: usize) -> [f32; 4] {
    let t = (pixel as f32 + 0.5) / NODE as f32;
    let s = 1.0 - t;
    [
        s * s * s / 6.0,
        (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
        (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0,
        t * t * t / 6.0,
    ]
}

/// One pixel row of the spline over the four node rows that start at `nodes`.
fn blend_rows(nodes: &[Node], pixel: usize, out: &mut [Node]) {
    let n = out.len();
    let [a, b, c, d] = spline(pixel);
    let rows = (
        &nodes[..n],
        &nodes[n..2 * n],
        &nodes[2 * n..3 * n],
        &nodes[3 * n..4 * n],
    );
    for (x, node) in out.iter_mut().enumerate() {
        let mix = |of: fn(&Node) -> f32| {
            a * of(&rows.0[x]) + b * of(&rows.1[x]) + c * of(&rows.2[x]) + d * of(&rows.3[x])
        };
        node.height = mix(|n| n.height);
        node.rock = mix(|n| n.rock);
    }
}

/// The spline along a row of nodes, at every pixel.
fn blend_columns(nodes: &[Node], height: &mut [f32], rock: &mut [f32]) {
    let weights: [[f32; 4]; NODE] = std::array::from_fn(spline);
    let cells = height.chunks_mut(NODE).zip(rock.chunks_mut(NODE));
    for ((height, rock), near) in cells.zip(nodes.windows(4)) {
        for ((height, rock), [a, b, c, d]) in height.iter_mut().zip(rock).zip(weights) {
            *height =
                a * near[0].height + b * near[1].height + c * near[2].height + d * near[3].height;
            *rock = a * near[0].rock + b * near[1].rock + c * near[2].rock + d * near[3].rock;
        }
    }
}

/// Adds one octave of fine relief to a row, as strong as the ground is rocky.
fn add_detail(lattice: Lattice, amplitude: f32, row: usize, rock: &[f32], line: &mut [f32]) {
    let start = lattice.to_cells(Vector::new(0.5, row as f64 + 0.5));
    let step = lattice.to_cells(Vector::new(1.0, 0.0));
    let mut first = 0;
    while first < line.len() {
        let p = start.plus(step.times(first as f64));
        let (x, y) = (floor(p.x), floor(p.y));
        let corners = Corners::of(lattice, x, y);
        let (in_x, in_y) = (p.x - x as f64, p.y - y as f64);
        let run = run_within(in_x, step.x).min(run_within(in_y, step.y));
        let end = line.len().min(first + run);
        let (in_x, in_y, step_x, step_y) = (in_x as f32, in_y as f32, step.x as f32, step.y as f32);
        let pixels = line[first..end].iter_mut().zip(&rock[first..end]);
        for (k, (height, rock)) in pixels.enumerate() {
            let k = k as f32;
            // Folded, so that bare rock breaks into ribs rather than bumps.
            let fold = corners.at(in_x + k * step_x, in_y + k * step_y).abs();
            *height += amplitude * rock * (0.25 - fold);
        }
        first = end;
    }
}

/// How many steps from `at` in a unit cell start inside it; at least one.
fn run_within(at: f64, step: f64) -> usize {
    let room = if step > 0.0 { 1.0 - at } else { -at };
    (room / step) as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(seed: u64, first_row: u32, width: usize, n_rows: usize) -> Vec<f32> {
        let mut out = vec![f32::NAN; width * n_rows];
        Terrain::new(seed).write_rows(first_row, width, &mut out);
        out
    }

    #[track_caller]
    fn check_crop(first_row: u32, width: usize, n_rows: usize) {
        let whole = rows(11, 0, 600, 610);
        let part = rows(11, first_row, width, n_rows);
        for (j, line) in part.chunks_exact(width).enumerate() {
            let row = (first_row as usize + j) * 600;
            assert_eq!(
                line,
                &whole[row..row + width],
                "row {j} of {first_row}+{n_rows}"
            );
        }
    }

    #[test]
    fn heights_depend_on_neither_size_nor_band() {
        check_crop(0, 1, 1);
        check_crop(0, 37, 37);
        check_crop(512, 600, 98);
        check_crop(3, 511, 1);
        check_crop(255, 129, 300);
    }

    #[test]
    fn another_seed_is_another_terrain() {
        assert_ne!(rows(1, 0, 64, 64), rows(2, 0, 64, 64));
    }

    #[test]
    fn the_bits_are_the_same_on_every_machine() {
        // Taken on x86-64; any other machine must agree, since only exactly rounded operations are used.
        let digest = rows(7, 100, 256, 16).iter().fold(0, |sum, height| {
            ecotone_grid::mix(sum ^ u64::from(height.to_bits()))
        });
        assert_eq!(digest, 7_699_947_453_927_104_681);
    }

    /// Slopes in degrees of the inner pixels of a square map, in order.
    fn slopes(seed: u64, side: usize) -> Vec<f64> {
        let heights = rows(seed, 0, side, side);
        let mut slopes = Vec::with_capacity(side * side);
        for y in 1..side - 1 {
            for x in 1..side - 1 {
                let at = |x: usize, y: usize| f64::from(heights[y * side + x]);
                let fall = Vector::new(at(x + 1, y) - at(x - 1, y), at(x, y + 1) - at(x, y - 1));
                slopes.push((fall.length() / 2.0).atan().to_degrees());
            }
        }
        slopes.sort_by(f64::total_cmp);
        slopes
    }

    #[test]
    fn slopes_are_those_of_mountains() {
        let slopes = slopes(7, 2048);
        let percentile = |p: usize| slopes[slopes.len() * p / 100];
        assert!(percentile(5) < 5.0, "flats: {}", percentile(5));
        assert!(
            (12.0..20.0).contains(&percentile(50)),
            "half: {}",
            percentile(50)
        );
        assert!(
            (34.0..41.0).contains(&percentile(90)),
            "flanks: {}",
            percentile(90)
        );
        assert!(
            (47.0..56.0).contains(&percentile(99)),
            "faces: {}",
            percentile(99)
        );
    }

    #[test]
    fn the_node_lattice_leaves_no_mark() {
        // Second differences across node cells and inside them must be alike, or slopes would show a grid.
        let (side, first) = (1024, 64);
        let heights = rows(7, first, side, side);
        let (mut sums, mut n) = ([0.0; NODE], 0.0);
        for y in 0..side {
            for x in (NODE..side - NODE).step_by(NODE) {
                for (k, sum) in sums.iter_mut().enumerate() {
                    let at = |d: usize| f64::from(heights[y * side + x + k + d - 1]);
                    *sum += (at(0) - 2.0 * at(1) + at(2)).abs();
                }
                n += 1.0;
            }
        }
        let mean = sums.iter().sum::<f64>() / NODE as f64 / n;
        for (k, sum) in sums.iter().enumerate() {
            assert!(
                (sum / n / mean - 1.0).abs() < 0.05,
                "{} at {k}, {mean} mean",
                sum / n
            );
        }
    }
}
