//! Gullies and spurs that branch down a slope, as a pure function of the place: no water is run.
//!
//! After R. Skovbo Johansen's erosion filter on phacelle noise, which grew from C. John's *Eroded Terrain Noise*: stripes
//! along the fall line, phased from random points, each octave following the slope that the one before left.

use ecotone_grid::floor;

use super::noise::{Lattice, Vector, cosine, smooth_step};

/// Octaves of gullies; the last is as fine as the 8 m lattice of nodes can carry.
const OCTAVES: usize = 5;

/// Width of the broadest gullies from spur to spur, metres.
const BROADEST_M: f64 = 640.0;

/// From one octave to the next: narrower by this much.
const NARROWING: f64 = 0.5;

/// And lower by this much.
const GAIN: f64 = 0.52;

/// Depth of the broadest gullies over their width.
const DEPTH: f64 = 0.052;

/// The slope of a gully's flank, over depth by width.
const GULLY_SLOPE: f64 = 5.0;

/// Cells of the phase lattice per gully width: more make longer gullies.
const CELL: f64 = 1.45;

/// How far a cell's stripes start from its middle, in cells.
const JITTER: f64 = 0.28;

/// How far they are felt, in cells: from the nine cells around a place, all that are felt are seen.
const REACH: f64 = 1.5 - JITTER;

/// How much of their full contrast stripes must keep, where they meet others, to be drawn at full depth.
const FAINTEST: f64 = 0.5;

/// The octaves of gullies of one terrain.
#[derive(Clone, Debug)]
pub(super) struct Erosion {
    octaves: [(Lattice, f64); OCTAVES],
}

impl Erosion {
    pub fn new(seed: u64) -> Self {
        let mut width_m = BROADEST_M;
        let octaves = std::array::from_fn(|k| {
            let octave = (Lattice::new(seed, 100 + k as u64, width_m * CELL), width_m);
            width_m *= NARROWING;
            octave
        });
        Self { octaves }
    }

    /// What erosion adds to the height at a place, in metres, and how steep it leaves it (rise over run),
    /// given the slope before (rise over run, uphill).
    ///
    /// `crest` in [−1, 1] says where on the slope it is: spurs rise towards 1 on the ridge, gullies sink towards −1 in the valley.
    pub fn carve(&self, at: Vector, slope: Vector, crest: f64) -> (f64, f64) {
        let steepness = slope.length();
        let mut uphill = slope;
        let mut mask = smooth_step(0.02, 0.30, steepness);
        let mut target = crest;
        let mut height = 0.0;
        let mut depth = DEPTH * BROADEST_M;
        for (lattice, width_m) in &self.octaves {
            let length = uphill.length();
            if length < 1e-9 {
                break;
            }
            let across = Vector::new(-uphill.y, uphill.x).times(1.0 / length);
            let (rise, lean) = stripes(*lattice, *width_m, at, across);
            // Between crest and gully floor the flank's own slope steers the next octave: that is what makes it branch.
            let flank = across.times(-lean.signum() * depth * GULLY_SLOPE / width_m);
            uphill = uphill.plus(flank);
            let faded = target + mask * (rise - target);
            height += faded * depth;
            target = faded;
            // Crests and gully floors stay whole: only flanks are cut further.
            let whole = 1.0 - lean.abs();
            mask *= 1.0 - whole * whole;
            depth *= GAIN;
        }
        (height, uphill.length())
    }
}

/// Cosine and sine of the stripes' phase: 1 and 0 on a spur, −1 and 0 in a gully.
fn stripes(lattice: Lattice, width_m: f64, at: Vector, across: Vector) -> (f64, f64) {
    let p = lattice.to_cells(at);
    let across = lattice.to_cells(across);
    let across = across.times(1.0 / (across.dot(across) * width_m));
    let (x, y) = (floor(p.x + 0.5), floor(p.y + 0.5));
    let (mut cos, mut sin, mut total) = (0.0, 0.0, 0.0);
    for dy in -1..=1 {
        for dx in -1..=1 {
            let draw = lattice.draw(x + dx, y + dy);
            let jitter = |bits: u64| ((bits & 0xffff) as f64 / 65536.0 - 0.5) * 2.0 * JITTER;
            let origin = Vector::new(
                (x + dx) as f64 + jitter(draw),
                (y + dy) as f64 + jitter(draw >> 16),
            );
            let offset = p.minus(origin);
            let near = (1.0 - offset.dot(offset) / (REACH * REACH)).max(0.0);
            let weight = near * near * near;
            let phase = offset.dot(across);
            total += weight;
            cos += cosine(phase) * weight;
            sin += cosine(phase - 0.25) * weight;
        }
    }
    // Where stripes from different cells cancel out there is no gully, rather than a crack.
    let length = (cos * cos + sin * sin).sqrt().max(FAINTEST * total);
    (cos / length, sin / length)
}
