#![allow(clippy::unwrap_used)]
use super::cover::Disks;
use super::level::rounds;
use super::*;
use std::collections::{BTreeMap, BTreeSet};

/// The points of an area.
fn points(pattern: &Pattern, area: &Area) -> BTreeSet<(i64, i64, u64)> {
    let mut scratch = PatternScratch::default();
    pattern.points(area, &mut scratch);
    let key = |p: &Point| (p.x, p.y, p.key);
    scratch.points.iter().map(key).collect()
}

/// A level as its definition says, without windows that shrink or memory that is kept up to date.
struct Twin<'a> {
    lattice: Lattice,
    frame: Frame,
    level: u8,
    points: &'a mut Vec<Point>,
    closed: BTreeMap<(i64, i64), u64>,
    disks: Disks,
}

impl Twin<'_> {
    fn cell_of(&self, x: i64, y: i64) -> (i64, i64) {
        (
            (x - self.frame.x0).div_euclid(self.lattice.side()),
            (y - self.frame.y0).div_euclid(self.lattice.side()),
        )
    }

    /// Squares of a cell that are closed.
    fn cover(&self, (column, row): (i64, i64)) -> u64 {
        let mut covered = self.closed.get(&(column, row)).copied().unwrap_or(0);
        for p in self.points.iter() {
            let (c, r) = self.cell_of(p.x, p.y);
            if (c - column).abs() > 2 || (r - row).abs() > 2 {
                continue;
            }
            let mut n = 0;
            let within = |from: i64| from.rem_euclid(self.lattice.side()) >> self.lattice.unit_bits;
            let (u, v) = (within(p.x - self.frame.x0), within(p.y - self.frame.y0));
            for (dr, half) in lattice::ROWS {
                for dc in -(half as i64)..=half as i64 {
                    if (c + dc, r + dr as i64) == (column, row) {
                        covered |= self.disks.around(u as u32, v as u32, &self.lattice).0[n];
                    }
                    n += 1;
                }
            }
        }
        covered
    }

    /// Whether two places are closer than the radius.
    fn conflict(&self, a: (i64, i64), b: (i64, i64)) -> bool {
        let units = |apart: i64| apart >> self.lattice.unit_bits;
        let (dx, dy) = (units(a.0 - b.0), units(a.1 - b.1));
        dx * dx + dy * dy < self.lattice.radius2
    }

    /// The first dart of a cell in a round that is not lost: position and key.
    fn dart(&mut self, round: usize, column: i64, row: i64) -> Option<((i64, i64), u64)> {
        let Lattice {
            cell, unit_bits, ..
        } = self.lattice;
        let row_key = self.lattice.row_key(round, self.frame.row0 + row);
        let draw = level::cell_draw(row_key, self.frame.column0 + column);
        let zeal = level::zeal(usize::from(self.level), round);
        for k in 0..level::n_darts(zeal, self.cover((column, row)), draw) {
            let key = level::dart_key(row_key, self.frame.column0 + column, k);
            let cover = self.cover((column, row));
            let open: Vec<i64> = (0..64).filter(|s| cover >> s & 1 == 0).collect();
            if open.is_empty() {
                return None;
            }
            let square = open[(((key & 0xffff) * open.len() as u64) >> 16) as usize];
            let along = |eighth: i64, bits: u64| {
                let fraction = (bits & 0xfff) as i64;
                (eighth * (1 << 12) + fraction) * cell / (1 << 15)
            };
            let u = column * cell + along(square % 8, key >> 16);
            let v = row * cell + along(square / 8, key >> 28);
            let at = (
                self.frame.x0 + (u << unit_bits),
                self.frame.y0 + (v << unit_bits),
            );
            if !self.points.iter().any(|p| self.conflict((p.x, p.y), at)) {
                return Some((at, key));
            }
            *self.closed.entry((column, row)).or_insert(0) |= 1 << square;
        }
        None
    }

    fn round(&mut self, round: usize) {
        let mut darts = Vec::new();
        for row in 0..self.frame.height as i64 {
            for column in 0..self.frame.width as i64 {
                darts.extend(self.dart(round, column, row));
            }
        }
        let loses =
            |a: u64, b: u64| a != b && level::priority(b, false) >= level::priority(a, false);
        let winners = darts.iter().filter(|&&(at, key)| {
            !darts
                .iter()
                .any(|&(other, rival)| self.conflict(at, other) && loses(key, rival))
        });
        let level = self.level;
        let winners: Vec<Point> = winners
            .map(|&((x, y), key)| Point { x, y, key, level })
            .collect();
        self.points.extend(winners);
    }
}

#[test]
fn levels_are_what_their_definition_says() {
    let mut n = 0;
    for seed in 0..3 {
        let pattern = Pattern::new(seed, "twin", [0.05, 3.0, 700.0][seed as usize]);
        let (s, far) = (
            pattern.spacing,
            [0, -1_000_000_007, 40_000_000_000][seed as usize],
        );
        let area = Area::new(far, 5 - far, far + 9 * s, 5 - far + 7 * s);
        let mut slow = Vec::new();
        for (level, frame) in pattern.frames(&area).into_iter().enumerate() {
            let mut twin = Twin {
                lattice: pattern.levels[level],
                frame,
                level: level as u8,
                points: &mut slow,
                closed: BTreeMap::new(),
                disks: Disks::default(),
            };
            (0..rounds(level)).for_each(|round| twin.round(round));
        }
        slow.retain(|p| area.contains(p.x, p.y));
        n += slow.len();
        let slow: BTreeSet<_> = slow.iter().map(|p| (p.x, p.y, p.key)).collect();
        assert_eq!(points(&pattern, &area), slow, "seed {seed}");
    }
    assert!(n > 90, "only {n} points");
}

#[test]
fn a_block_is_a_part_of_any_larger_window() {
    for (seed, x, y, spacing) in [
        (1, 0, 0, 3.0),
        (2, -1, -3, 0.7),
        (3, 26_000_000, -26_000_001, 4.0),
        (4, -2_000_000_000, 3, 0.1),
    ] {
        let pattern = Pattern::new(seed, "seam", spacing);
        let mut block = Vec::new();
        pattern.block(BlockId { x, y }, &mut PatternScratch::default(), &mut block);
        let area = pattern.block_area(BlockId { x, y });
        let block: BTreeSet<_> = block.iter().map(|c| (c.x, c.y)).collect();
        assert!(block.len() > 9000, "{}", block.len());
        let margin = (seed as i64 * 7919) % (60 * pattern.spacing);
        let larger = points(&pattern, &area.grow(margin));
        let inside: BTreeSet<_> = larger.iter().map(|&(x, y, _)| (x, y)).collect();
        let inside: BTreeSet<_> = inside
            .into_iter()
            .filter(|p| area.contains(p.0, p.1))
            .collect();
        assert!(block == inside, "seed {seed}");
    }
}

/// The points of 5 × 2 blocks, a hundred thousand, from a block, 3.5 m apart.
fn many(seed: u64, from: (i64, i64)) -> (Pattern, Vec<Candidate>) {
    spaced(seed, from, 3.5)
}

/// The points of 5 × 2 blocks of any spacing.
fn spaced(seed: u64, from: (i64, i64), spacing_m: f64) -> (Pattern, Vec<Candidate>) {
    let pattern = Pattern::new(seed, "beech", spacing_m);
    let (mut scratch, mut block, mut all) = (PatternScratch::default(), Vec::new(), Vec::new());
    for k in 0..10 {
        let id = BlockId {
            x: from.0 + k % 5,
            y: from.1 + k / 5,
        };
        pattern.block(id, &mut scratch, &mut block);
        all.extend_from_slice(&block);
    }
    (pattern, all)
}

#[test]
fn density_is_as_stated_wherever_it_is() {
    // 0, and 10 000 km and 10⁸ km away.
    for (seed, from) in [
        (1, (-2, -1)),
        (2, (22_321, -22_321)),
        (3, (-223_000_000, 223_000_000)),
    ] {
        let (pattern, points) = many(seed, from);
        let side_m = pattern.block_side() as f64 / 1024.0;
        let expected = pattern.density_per_m2() * 10.0 * side_m * side_m;
        let share = points.len() as f64 / expected;
        assert!((share - 1.0).abs() < 0.004, "{share} from {from:?}");
        assert!(pattern.density_per_m2() * 3.5 * 3.5 > 0.6);
    }
}

#[test]
fn density_and_ranks_do_not_depend_on_the_spacing() {
    for spacing_m in [0.1, 0.3, 50.0, 1000.0] {
        let (pattern, points) = spaced(8, (-1, 3), spacing_m);
        let side_m = pattern.block_side() as f64 / 1024.0;
        let share = points.len() as f64 / (pattern.density_per_m2() * 10.0 * side_m * side_m);
        assert!((share - 1.0).abs() < 0.006, "{share} at {spacing_m} m");
        for rank in [0.1, 0.25, 0.5, 0.75] {
            let below = points.iter().filter(|c| c.rank < rank).count() as f64;
            let below = below / points.len() as f64;
            assert!(
                (below - rank).abs() < 0.006,
                "{below} below {rank} at {spacing_m} m"
            );
        }
    }
}

#[test]
fn no_two_points_are_closer_than_the_spacing() {
    for (seed, from) in [(4, (-2, -1)), (5, (22_321, -22_321))] {
        let (pattern, mut points) = many(seed, from);
        let s = pattern.spacing();
        points.sort_unstable_by_key(|c| c.x);
        let mut nearest = i64::MAX;
        for (k, a) in points.iter().enumerate() {
            for b in points[k + 1..].iter().take_while(|b| b.x - a.x < s) {
                nearest = nearest.min((b.x - a.x).pow(2) + (b.y - a.y).pow(2));
            }
        }
        assert!(nearest >= s * s);
        // Not by far, or a better pattern would hold more.
        assert!(nearest < s * s + s * s / 50);
    }
}

#[test]
fn every_prefix_of_levels_has_its_own_spacing() {
    let (pattern, points) = many(6, (0, 0));
    let s = pattern.spacing();
    for (level, rank) in Pattern::LEVEL_RANKS.into_iter().enumerate() {
        let mut points: Vec<_> = points.iter().filter(|c| c.rank < rank).collect();
        let radius2 = (s * s) << (LEVELS - 1 - level);
        points.sort_unstable_by_key(|c| c.x);
        for (k, a) in points.iter().enumerate() {
            let near = points[k + 1..]
                .iter()
                .take_while(|b| (b.x - a.x).pow(2) < radius2);
            for b in near {
                assert!((b.x - a.x).pow(2) + (b.y - a.y).pow(2) >= radius2);
            }
        }
    }
}

#[test]
fn ranks_and_draws_are_uniform() {
    let (_, points) = many(7, (10, 10));
    type Value = fn(&Candidate) -> f64;
    let values: [(&str, Value); 3] = [
        ("rank", |c| c.rank),
        ("size", |c| unit(draw(c.draws, Purpose::Size))),
        ("yaw", |c| unit(draw(c.draws, Purpose::Yaw))),
    ];
    for (name, value) in values {
        let mut bins = [0.0; 64];
        for c in &points {
            bins[(value(c) * 64.0) as usize] += 1.0;
        }
        let expected = points.len() as f64 / 64.0;
        let chi2: f64 = bins.iter().map(|n| (n - expected).powi(2) / expected).sum();
        // One in ten thousand with 63 degrees of freedom.
        assert!(chi2 < 112.0, "{name}: {chi2}");
    }
    let draws: BTreeSet<_> = points.iter().map(|c| c.draws).collect();
    assert_eq!(draws.len(), points.len());
}

#[test]
fn seed_and_name_make_another_pattern() {
    let area = Area::new(0, 0, 100_000, 100_000);
    let at = |seed, name| points(&Pattern::new(seed, name, 3.0), &area);
    assert!(at(1, "oak").is_disjoint(&at(2, "oak")));
    assert!(at(1, "oak").is_disjoint(&at(1, "elm")));
    assert_eq!(at(1, "oak"), at(1, "oak"));
}

#[test]
fn blocks_over_an_area_are_those_that_touch_it() {
    let pattern = Pattern::new(0, "oak", 1.0);
    let side = pattern.block_side();
    let blocks = |x0, y0, x1, y1| -> Vec<_> {
        let area = Area::new(x0, y0, x1, y1);
        pattern.blocks_over(&area).map(|b| (b.x, b.y)).collect()
    };
    assert_eq!(blocks(-1, 0, 1, side), [(-1, 0), (0, 0)]);
    assert_eq!(blocks(0, -side, side, side + 1), [(0, -1), (0, 0), (0, 1)]);
    assert_eq!(blocks(5, 5, 5, 9), []);
}

#[test]
fn absurd_spacings_and_blocks_do_no_harm() {
    let mut scratch = PatternScratch::default();
    let mut out = Vec::new();
    for spacing in [f64::NAN, -1.0, 0.0, 1e-9, f64::INFINITY, 1e12] {
        let pattern = Pattern::new(0, "odd", spacing);
        for i in [0, LAST_BLOCK, -LAST_BLOCK] {
            pattern.block(BlockId { x: i, y: 1 }, &mut scratch, &mut out);
            assert!(out.len() > 9000, "{spacing} {i}: {}", out.len());
        }
        for i in [i64::MAX, i64::MIN, LAST_BLOCK + 1] {
            pattern.block(BlockId { x: i, y: 0 }, &mut scratch, &mut out);
            assert_eq!(out, []);
        }
    }
}

#[test]
fn leaving_out_dense_levels_leaves_sparse_points_as_they_are() {
    let area = Area::new(-300_000, 40_000, 300_000, 700_000);
    let below = |pattern: &Pattern, rank: f64| {
        let (mut points, mut block) = (Vec::new(), Vec::new());
        for id in pattern.blocks_over(&area) {
            pattern.block(id, &mut PatternScratch::default(), &mut block);
            let wanted = |c: &&Candidate| c.rank < rank && area.contains(c.x, c.y);
            points.extend(block.iter().filter(wanted).map(|c| (c.x, c.y, c.draws)));
        }
        points.sort_unstable();
        points
    };
    let all = Pattern::new(1, "oak", 3.0);
    for rank in [0.0, 0.01, SHARES[1], 0.3, SHARES[4], 0.9, 1.0, 2.0] {
        let some = all.clone().up_to(rank);
        assert_eq!(below(&some, rank), below(&all, rank), "up to {rank}");
    }
}

#[test]
fn a_part_of_a_block_has_the_points_of_the_whole() {
    let pattern = Pattern::new(3, "elm", 1.5);
    let id = BlockId { y: -1, x: 2 };
    let whole = pattern.block_area(id);
    let part = Area::new(
        whole.x0 - 9,
        whole.y0 + 70_001,
        whole.x0 + 50_003,
        whole.y1 + 1,
    );
    let (mut all, mut some) = (Vec::new(), Vec::new());
    pattern.block(id, &mut PatternScratch::default(), &mut all);
    pattern.block_within(id, &part, &mut PatternScratch::default(), &mut some);
    all.retain(|c| part.contains(c.x, c.y));
    let key = |c: &Candidate| (c.x, c.y, c.draws);
    all.sort_by_key(key);
    some.sort_by_key(key);
    assert!(all.len() > 500);
    assert_eq!(all, some);
}
