//! Which points and darts of a neighbourhood are closer than the radius.
//!
//! A place is kept as whole units from the south-west corner of its own cell: two numbers of 16 bits, so that one vector
//! holds a whole row of a neighbourhood, and one instruction squares and adds what lies between. Where the processor has
//! AVX2, that is what runs; elsewhere the same numbers come from plain loops.

use super::cover::Open;
use super::lattice::{Lattice, NEIGHBOURS, ROWS};

/// A place in a cell, in units east and north of its corner.
pub(super) type Place = [i16; 2];

/// Where no point stands: farther off than any radius, for a cell is less than 2900 units wide.
pub(super) const EMPTY: Place = [-16384; 2];

/// Below any priority.
pub(super) const NO_DART: i32 = -1;

/// Cells of a row that are read together: a neighbourhood's five, and three beyond them that are too far off to matter.
const LANES: usize = 8;

/// The middle one's place among them.
const MIDDLE: usize = NEIGHBOURS;

/// Values that are read, and never matter, beyond the last cell of a frame.
pub(super) const PLACES_BEYOND: usize = LANES;

/// The rows of a frame that hold the neighbourhoods of one of them, the southernmost first.
pub(super) struct Rows<'a, T> {
    values: &'a [T],
    width: usize,
}

impl<'a, T: Copy> Rows<'a, T> {
    /// The rows around `row` of a frame with `width` columns.
    #[inline(always)]
    pub fn around(values: &'a [T], width: usize, row: usize) -> Self {
        let first = (row - NEIGHBOURS) * width;
        let values = &values[first..first + ROWS.len() * width + PLACES_BEYOND];
        Self { values, width }
    }

    /// The value of the middle row in a column.
    #[inline(always)]
    fn own(&self, column: usize) -> T {
        self.values[NEIGHBOURS * self.width + column]
    }

    /// The [`LANES`] values of each row with the neighbourhood of a column.
    #[inline(always)]
    fn lanes(&self, column: usize) -> [&'a [T; LANES]; ROWS.len()] {
        let beyond = (ROWS.len() - 1) * self.width;
        let values = &self.values[column - MIDDLE..][..beyond + LANES];
        std::array::from_fn(|row| {
            // SAFETY: the last row starts at `beyond`, and the slice goes on for as long as an array from there. A test
            // for each row would take a sixth of a pattern's time.
            unsafe { &*values.as_ptr().add(row * self.width).cast() }
        })
    }
}

/// What decides whether places are too close.
pub(super) struct Near {
    /// The square of the radius, in units squared.
    radius2: i32,
    /// How far the cells of each row are from the middle one, in units east and north.
    offsets: [[Place; LANES]; ROWS.len()],
}

impl Near {
    pub fn new(lattice: &Lattice) -> Self {
        let units = |cells: usize| (cells as i16 - NEIGHBOURS as i16) * lattice.cell as i16;
        let offsets = |row| std::array::from_fn(|column| [units(column), units(row)]);
        Self {
            radius2: lattice.radius2 as i32,
            offsets: std::array::from_fn(offsets),
        }
    }
}

/// The instructions that a processor has for the questions asked most.
pub(super) trait Instructions: Copy {
    /// Whether a point is nearer to `from`, in the middle row's cell `column`, than the radius.
    fn is_lost(self, near: &Near, points: &Rows<'_, Place>, column: usize, from: Place) -> bool;

    /// Whether a dart in conflict with that in the middle row's cell `column` has no lower priority; in a tie, both are
    /// beaten.
    fn is_beaten(
        self,
        near: &Near,
        darts: &Rows<'_, Place>,
        priorities: &Rows<'_, i32>,
        column: usize,
    ) -> bool;

    /// The square that a dart with some `draw` of 16 bits is aimed at, of those that `cover` leaves open; any where there
    /// is none.
    fn aim(self, cover: u64, draw: u64) -> u64;
}

/// Those of any processor.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Plain {
    /// Which of four places are closer to `from` than the radius: 1 or 0 for each.
    #[inline(always)]
    fn closer(near: &Near, places: &[Place], offsets: &[Place], from: Place) -> [i32; 4] {
        let mut closer = [0; 4];
        for k in 0..4 {
            let apart = |axis: usize| {
                i32::from(places[k][axis]) + i32::from(offsets[k][axis]) - i32::from(from[axis])
            };
            let (dx, dy) = (apart(0), apart(1));
            closer[k] = i32::from(dx * dx + dy * dy < near.radius2);
        }
        closer
    }
}

impl Instructions for Plain {
    #[inline(always)]
    fn is_lost(self, near: &Near, points: &Rows<'_, Place>, column: usize, from: Place) -> bool {
        let mut lost = [0; 4];
        for (offsets, places) in near.offsets.iter().zip(points.lanes(column)) {
            for half in [0, 4] {
                let closer = Self::closer(
                    near,
                    &places[half..half + 4],
                    &offsets[half..half + 4],
                    from,
                );
                for k in 0..4 {
                    lost[k] |= closer[k];
                }
            }
        }
        lost != [0; 4]
    }

    #[inline(always)]
    fn is_beaten(
        self,
        near: &Near,
        darts: &Rows<'_, Place>,
        priorities: &Rows<'_, i32>,
        column: usize,
    ) -> bool {
        let from = darts.own(column);
        let priority = priorities.own(column);
        let mut rivals = [0; 4];
        let rows = darts
            .lanes(column)
            .into_iter()
            .zip(priorities.lanes(column));
        for (offsets, (places, others)) in near.offsets.iter().zip(rows) {
            for half in [0, 4] {
                let closer = Self::closer(
                    near,
                    &places[half..half + 4],
                    &offsets[half..half + 4],
                    from,
                );
                for k in 0..4 {
                    rivals[k] += closer[k] & i32::from(others[half + k] >= priority);
                }
            }
        }
        // The dart itself is one of them.
        rivals.iter().sum::<i32>() > 1
    }

    #[inline(always)]
    fn aim(self, cover: u64, draw: u64) -> u64 {
        let open = Open::new(cover);
        open.nth((draw * open.n()) >> 16)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Instructions, LANES, MIDDLE, Near, Place, Rows};
    use std::arch::x86_64::*;

    /// AVX2 and what came with it: whoever holds this runs on a processor that has them.
    #[derive(Clone, Copy)]
    pub struct Avx2(());

    impl Avx2 {
        /// Whether this processor has them.
        pub fn detect() -> Option<Self> {
            let has_all = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            has_all.then_some(Self(()))
        }
    }

    impl Instructions for Avx2 {
        #[inline(always)]
        fn is_lost(
            self,
            near: &Near,
            points: &Rows<'_, Place>,
            column: usize,
            from: Place,
        ) -> bool {
            // SAFETY: `self` is proof of the instructions.
            unsafe { is_lost(near, points, column, from) }
        }

        #[inline(always)]
        fn is_beaten(
            self,
            near: &Near,
            darts: &Rows<'_, Place>,
            priorities: &Rows<'_, i32>,
            column: usize,
        ) -> bool {
            // SAFETY: `self` is proof of the instructions.
            unsafe { is_beaten(near, darts, priorities, column) }
        }

        #[inline(always)]
        fn aim(self, cover: u64, draw: u64) -> u64 {
            // SAFETY: `self` is proof of the instructions.
            unsafe { aim(cover, draw) }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn is_lost(near: &Near, points: &Rows<'_, Place>, column: usize, from: Place) -> bool {
        let from = _mm256_set1_epi32(both(from));
        let mut lost = _mm256_setzero_si256();
        for (offsets, places) in near.offsets.iter().zip(points.lanes(column)) {
            let closer = closer(near, places, offsets, from);
            lost = _mm256_or_si256(lost, closer);
        }
        _mm256_testz_si256(lost, lost) == 0
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn is_beaten(
        near: &Near,
        darts: &Rows<'_, Place>,
        priorities: &Rows<'_, i32>,
        column: usize,
    ) -> bool {
        let from = _mm256_set1_epi32(both(darts.own(column)));
        let below = _mm256_set1_epi32(priorities.own(column) - 1);
        // The dart itself is one of its rivals.
        let own = std::array::from_fn(|k| -i32::from(k == MIDDLE));
        let mut rivals = numbers(&own);
        let rows = darts
            .lanes(column)
            .into_iter()
            .zip(priorities.lanes(column));
        for (offsets, (places, priorities)) in near.offsets.iter().zip(rows) {
            let closer = closer(near, places, offsets, from);
            let is_strong = _mm256_cmpgt_epi32(numbers(priorities), below);
            rivals = _mm256_sub_epi32(rivals, _mm256_and_si256(closer, is_strong));
        }
        _mm256_testz_si256(rivals, rivals) == 0
    }

    /// Which places are closer to `from` than the radius: all bits set, or none.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn closer(
        near: &Near,
        places: &[Place; LANES],
        offsets: &[Place; LANES],
        from: __m256i,
    ) -> __m256i {
        let offsets = _mm256_sub_epi16(numbers(&offsets.map(both)), from);
        let apart = _mm256_add_epi16(numbers(&places.map(both)), offsets);
        let apart2 = _mm256_madd_epi16(apart, apart);
        _mm256_cmpgt_epi32(_mm256_set1_epi32(near.radius2), apart2)
    }

    /// Both numbers of a place as one.
    #[inline]
    fn both([east, north]: Place) -> i32 {
        i32::from(east) & 0xffff | i32::from(north) << 16
    }

    /// A vector of numbers.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn numbers(of: &[i32; LANES]) -> __m256i {
        // SAFETY: 32 bytes are read from as many, wherever they lie.
        unsafe { _mm256_loadu_si256(of.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn aim(cover: u64, draw: u64) -> u64 {
        let open = !cover;
        let k = (draw * u64::from(open.count_ones())) >> 16;
        u64::from(_pdep_u64(1 << k, open).trailing_zeros()) & 63
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ecotone_grid::mix;

    const WIDTH: usize = 24;

    /// Places, some of them empty, and priorities for seven rows of cells.
    fn cells(seed: u64, cell: i64) -> (Vec<Place>, Vec<i32>) {
        let n = 7 * WIDTH as u64 + PLACES_BEYOND as u64;
        let drawn = |k: u64| mix(mix(seed) ^ k);
        let place = |k: u64| {
            let within = |bits: u64| (((bits & 0xffff) as i64 * cell) >> 16) as i16;
            match drawn(k) >> 62 {
                0 => EMPTY,
                _ => [within(drawn(k)), within(drawn(k) >> 16)],
            }
        };
        // Few values, so that many are equal.
        let priority = |k: u64| (drawn(k) >> 32 & 7) as i32 - 1;
        (0..n).map(|k| (place(k), priority(k))).unzip()
    }

    /// All that instructions answer about some cells, and the squares that some draws aim at.
    fn answers(by: impl Instructions, seed: u64, lattice: &Lattice) -> Vec<(bool, bool, u64)> {
        let near = Near::new(lattice);
        let (places, priorities) = cells(seed, lattice.cell);
        let at = |k: usize| (2 + k / (WIDTH - 4), 2 + k % (WIDTH - 4));
        let answer = |k: usize| {
            let (row, column) = at(k);
            let points = Rows::around(&places, WIDTH, row);
            let strengths = Rows::around(&priorities, WIDTH, row);
            let from = points.own(column + 1);
            let is_lost = from != EMPTY && by.is_lost(&near, &points, column, from);
            let is_contender = points.own(column) != EMPTY && strengths.own(column) != NO_DART;
            let is_beaten = is_contender && by.is_beaten(&near, &points, &strengths, column);
            let bits = mix(seed ^ k as u64);
            let cover = bits | mix(bits) | 1 << (k % 64);
            (is_lost, is_beaten, by.aim(cover & !(1 << 9), bits & 0xffff))
        };
        (0..3 * (WIDTH - 4)).map(answer).collect()
    }

    /// Whether a place east by `columns` and north by `rows` is closer than the radius, without tricks.
    fn is_closer(lattice: &Lattice, from: Place, to: Place, (columns, rows): (i64, i64)) -> bool {
        let apart = |axis: usize, cells: i64| {
            i64::from(to[axis]) + cells * lattice.cell - i64::from(from[axis])
        };
        let (dx, dy) = (apart(0, columns), apart(1, rows));
        to != EMPTY && dx * dx + dy * dy < lattice.radius2
    }

    #[test]
    fn all_instructions_answer_as_the_definition_does() {
        let mut n = [0; 4];
        for seed in 0..200 {
            let radius = [16, 91, 4095, 1_000_000][seed as usize % 4];
            let lattice = Lattice::new(seed, radius * radius);
            let plain = answers(Plain, seed, &lattice);
            #[cfg(target_arch = "x86_64")]
            if let Some(avx2) = Avx2::detect() {
                assert_eq!(answers(avx2, seed, &lattice), plain, "seed {seed}");
            }
            let (places, priorities) = cells(seed, lattice.cell);
            for (k, &(is_lost, is_beaten, _)) in plain.iter().enumerate() {
                let (row, column) = (2 + k / (WIDTH - 4), 2 + k % (WIDTH - 4));
                let at = |dc: i64, dr: i64| {
                    (row as i64 + dr) as usize * WIDTH + (column as i64 + dc) as usize
                };
                let around = || (-2..=2).flat_map(|dr| (-2..=2).map(move |dc| (dc, dr)));
                let from = places[at(1, 0)];
                let near = |(dc, dr)| is_closer(&lattice, from, places[at(dc, dr)], (dc, dr));
                assert_eq!(
                    is_lost,
                    from != EMPTY && around().any(near),
                    "seed {seed}, {k}"
                );
                let (own, strength) = (places[at(0, 0)], priorities[at(0, 0)]);
                let beats = |(dc, dr): (i64, i64)| {
                    (dc, dr) != (0, 0)
                        && is_closer(&lattice, own, places[at(dc, dr)], (dc, dr))
                        && priorities[at(dc, dr)] >= strength
                };
                let right = own != EMPTY && strength != NO_DART && around().any(beats);
                assert_eq!(is_beaten, right, "seed {seed}, {k}");
                n[usize::from(is_lost)] += 1;
                n[2 + usize::from(is_beaten)] += 1;
            }
        }
        assert!(n.iter().all(|&n| n > 100), "{n:?}");
    }
}
