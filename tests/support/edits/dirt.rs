//! What differs between two states of a world, and how many jobs that can reach.

use ecotone_bake::{Job, Plan};
use ecotone_grid::{Reach, Rect};

use super::species::Species;
use super::{Patch, Rules, State};

/// What differs between states: content in rectangles of the map, and rules of stages.
#[derive(Clone, Debug, Default)]
pub struct Dirt {
    heights: Vec<Rect>,
    masks: Vec<Rect>,
    strata: bool,
    sdf: bool,
    plants: bool,
    /// Whether species read curvatures, for which they see a pixel farther.
    curvature: bool,
}

impl Dirt {
    pub fn between(old: &State, new: &State) -> Self {
        let mut dirt = Self::default();
        dirt.heights.extend(bounds(new.size, |i| {
            old.heights[i].to_bits() != new.heights[i].to_bits()
        }));
        dirt.masks
            .extend(bounds(new.size, |i| old.mask[i] != new.mask[i]));
        dirt.masks
            .extend(bounds(new.size, |i| old.paint[i] != new.paint[i]));
        if old.patches != new.patches {
            let all = old.patches.iter().chain(&new.patches);
            let is_in_order = old
                .patches
                .iter()
                .filter(|p| new.patches.contains(p))
                .eq(new.patches.iter().filter(|p| old.patches.contains(p)));
            let both =
                |p: &&Patch| !(is_in_order && old.patches.contains(p) && new.patches.contains(p));
            dirt.heights.extend(all.filter(both).map(|p| p.at));
        }
        if old.road != new.road {
            dirt.masks.extend([old.road_bounds(), new.road_bounds()]);
        }
        let (a, b) = (&old.rules, &new.rules);
        dirt.strata = strata_rules(a) != strata_rules(b);
        dirt.sdf = sdf_rules(a) != sdf_rules(b);
        dirt.plants = plants_rules(a) != plants_rules(b);
        dirt.curvature = b.species.iter().any(|own| own.curvature);
        dirt
    }

    /// Adds what differed before.
    pub fn add(&mut self, other: &Self) {
        self.heights.extend(&other.heights);
        self.masks.extend(&other.masks);
        self.strata |= other.strata;
        self.sdf |= other.sdf;
        self.plants |= other.plants;
        self.curvature |= other.curvature;
    }

    /// How many jobs of strata, distances and plants may be made again: each stage reads only so far.
    pub fn most(&self, plan: &Plan) -> [usize; 3] {
        let map = plan.tiles.map();
        let reaches = &plan.reaches;
        let whole = |is_dirty: bool| is_dirty.then_some(map);
        let grown =
            |rects: &[Rect], reach: Reach| rects.iter().map(|r| r.grow(reach)).collect::<Vec<_>>();
        let mut weights = grown(&self.heights, reaches.strata);
        weights.extend(&self.masks);
        weights.extend(whole(self.strata));
        let around = u32::from(self.curvature);
        let seen = grown(
            &weights,
            Reach {
                x: around,
                y: around,
            },
        );
        let mut ground = grown(&seen, reaches.sdf);
        ground.extend(whole(self.sdf));
        let mut most = [0; 3];
        for &job in &plan.jobs {
            let touches =
                |rects: &[Rect], own: Rect| rects.iter().any(|r| !r.intersect(&own).is_empty());
            let reads = plan.reads(job);
            let (stage, is_dirty) = match job {
                Job::Strata(tile) => {
                    let core = plan.tiles.rect(tile);
                    (
                        0,
                        self.strata || touches(&self.heights, reads) || touches(&self.masks, core),
                    )
                }
                Job::Sdf(_) => (1, self.sdf || touches(&seen, reads)),
                Job::Plants(_) => (2, self.plants || touches(&ground, reads)),
            };
            most[stage] += usize::from(is_dirty);
        }
        most
    }
}

impl State {
    /// Where the road may cover the map.
    fn road_bounds(&self) -> Rect {
        let (corners, width) = &self.road;
        let reach = |pixel: f64| ((0.5 * width + 0.5 * self.pixel.0) / pixel).ceil() as i64 + 1;
        let (rx, ry) = (reach(self.pixel.0), reach(self.pixel.1));
        let xs = || corners.iter().map(|c| c.0);
        let ys = || corners.iter().map(|c| c.1);
        let (lo, hi) = (xs().min().unwrap(), xs().max().unwrap());
        let (north, south) = (ys().min().unwrap(), ys().max().unwrap());
        Rect::new(lo - rx, north - ry, hi + rx + 1, south + ry + 1)
    }
}

/// What the strata of the test read of its rules.
fn strata_rules(r: &Rules) -> impl PartialEq + use<> {
    let mut fields: Vec<_> = r.fields.split(", ").map(str::to_owned).collect();
    fields.sort();
    (
        (r.tile, r.gradient, r.smoothing, r.compression, fields),
        (r.split, r.blend, r.altitude, r.curvature),
        r.noise.map(|noise| (noise, r.seed)),
    )
}

/// What the distances read of the rules, and the densities that are made with them.
fn sdf_rules(r: &Rules) -> impl PartialEq + use<> {
    (
        r.tile,
        (r.threshold * 255.0).ceil() as u8,
        r.max_distance,
        r.compression,
        species_rules(r, true),
    )
}

fn plants_rules(r: &Rules) -> impl PartialEq + use<> {
    (r.chunk, r.max_distance, species_rules(r, false))
}

/// What all species that are written as densities, or all others, read.
fn species_rules(r: &Rules, are_grasses: bool) -> impl PartialEq + use<> {
    let own = r.species.iter().filter(|own| own.is_grass == are_grasses);
    let mut own: Vec<Species> = own.copied().collect();
    own.sort_by_key(|own| own.name);
    let normals = own.iter().any(Species::reads_normals);
    (
        normals.then_some((r.gradient, r.smoothing)),
        own.iter()
            .any(|own| own.in_biome)
            .then_some((r.biome, r.biome_has_mask)),
        (!own.is_empty()).then_some(r.seed),
        own,
    )
}

/// The smallest rectangle around the pixels that differ.
fn bounds((width, height): (i64, i64), differs: impl Fn(usize) -> bool) -> Option<Rect> {
    let mut bounds: Option<Rect> = None;
    for i in (0..width * height).filter(|&i| differs(i as usize)) {
        let (x, y) = (i % width, i / width);
        let b = bounds.get_or_insert(Rect::new(x, y, x + 1, y + 1));
        *b = Rect::new(b.x0.min(x), b.y0.min(y), b.x1.max(x + 1), b.y1.max(y + 1));
    }
    bounds
}
