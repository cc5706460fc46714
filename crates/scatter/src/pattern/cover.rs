//! Which parts of a lattice cell no point can stand in any more: one bit for each of 8 × 8 squares.
//!
//! A square is covered when the disk of one point holds all of it. Which squares a point covers is looked up by
//! where it stands in its cell, to 1/16 of the side: on the safe side, so a covered square has no room left, while a
//! square that is not covered may have none either.

use std::sync::LazyLock;

use super::lattice::{Lattice, ROWS};

/// A cell with no room left.
pub(super) const COVERED: u64 = !0;

/// Steps of a point's place in its cell along each axis.
const STEPS: i64 = 32;

/// Steps along the side of one of the 8 × 8 squares.
const SQUARE: i64 = STEPS / 8;

/// Cells in a neighbourhood.
const CELLS: usize = 21;

/// The squares that a point covers in the cells around it, for every place it may have in its own.
#[derive(Clone, Debug)]
pub(super) struct Disks(&'static [Disk]);

/// Worked out once in a process: it takes as long as a hundred thousand points.
static DISKS: LazyLock<Vec<Disk>> = LazyLock::new(|| {
    let places = (0..STEPS).flat_map(|v| (0..STEPS).map(move |u| (u, v)));
    places.map(|(u, v)| Disk(disk(u, v))).collect()
});

/// The squares covered in each cell of a neighbourhood, row by row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disk(pub [u64; CELLS]);

impl Default for Disks {
    fn default() -> Self {
        Self(&DISKS)
    }
}

impl Disks {
    /// The squares around a cell that a point at (`u`, `v`) in it covers, in units of the lattice.
    #[inline]
    pub fn around(&self, u: u32, v: u32, lattice: &Lattice) -> &Disk {
        let step = |along: u32| lattice.per_cell(along * STEPS as u32) as usize;
        &self.0[step(v) * STEPS as usize + step(u)]
    }
}

impl Disk {
    /// Adds the squares that a point in cell `at` covers to a frame's cells, `width` of them in a row.
    #[inline(always)]
    pub fn stamp(&self, cover: &mut [u64], width: usize, at: usize) {
        let [south2, south, here, north, north2] =
            ROWS.map(|(row, half)| (at as isize + row * width as isize) as usize - half);
        add::<3>(cover, south2, &self.0, 0);
        add::<5>(cover, south, &self.0, 3);
        add::<5>(cover, here, &self.0, 8);
        add::<5>(cover, north, &self.0, 13);
        add::<3>(cover, north2, &self.0, 18);
    }
}

/// Adds `N` cells' squares from place `from` of a disk to the cells from `first`.
#[inline(always)]
fn add<const N: usize>(cover: &mut [u64], first: usize, disk: &[u64; CELLS], from: usize) {
    for (cover, covered) in cover[first..first + N]
        .iter_mut()
        .zip(&disk[from..from + N])
    {
        *cover |= covered;
    }
}

/// The squares that a point in step (`u`, `v`) of its cell covers in each cell of the neighbourhood.
fn disk(u: i64, v: i64) -> [u64; CELLS] {
    let cells = ROWS.into_iter().flat_map(|(row, half)| {
        let half = half as i64;
        (-half..=half).map(move |column| (column, row as i64))
    });
    let [across, along] = [u, v].map(squared);
    let mut disk = [0; CELLS];
    for (covered, (column, row)) in disk.iter_mut().zip(cells) {
        *covered = if (column, row) == (0, 0) {
            COVERED
        } else {
            let (dx2, dy2) = (across[(column + 2) as usize], along[(row + 2) as usize]);
            (0..64)
                // The radius is at least √2 cells.
                .filter(|square| dx2[square % 8] + dy2[square / 8] <= 2 * STEPS * STEPS)
                .fold(0, |bits, square| bits | 1 << square)
        };
    }
    disk
}

/// The squares of the largest distances along an axis from within a step to within each of the 8 squares of the cells from two
/// before to two after.
fn squared(from: i64) -> [[i64; 8]; 5] {
    std::array::from_fn(|cell| {
        let start = (cell as i64 - 2) * STEPS;
        std::array::from_fn(|square| farthest(from, start + square as i64 * SQUARE).pow(2))
    })
}

/// The largest distance along an axis from within step `from` to within the square that starts at step `square`.
fn farthest(from: i64, square: i64) -> i64 {
    (square + SQUARE - from).max(from + 1 - square)
}

/// The open squares of a cell, counted, to draw one from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    bits: u64,
    /// Byte k holds how many bits are set in bytes 0 to k.
    sums: u64,
}

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// The place of the k-th set bit of a byte, at 8·byte + k.
const NTH_BIT: [u8; 2048] = {
    let mut table = [0; 2048];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte * 8 + n] = bit as u8;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

impl Open {
    /// The squares left open by `cover`.
    #[inline]
    pub fn new(cover: u64) -> Self {
        let bits = !cover;
        let pairs = bits - ((bits >> 1) & 0x5555_5555_5555_5555);
        let nibbles = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
        let bytes = (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
        Self {
            bits,
            sums: bytes.wrapping_mul(EACH_BYTE),
        }
    }

    /// How many there are.
    #[inline]
    pub fn n(&self) -> u64 {
        self.sums >> 56
    }

    /// The k-th of them, from 0; any square where there is none.
    ///
    /// Without a branch: which square it is, no processor could guess.
    #[inline]
    pub fn nth(&self, k: u64) -> u64 {
        let top_bits = EACH_BYTE << 7;
        let beyond = ((self.sums | top_bits) - (k + 1) * EACH_BYTE) & top_bits;
        let byte = u64::from(beyond.trailing_zeros() & 56);
        let before = ((self.sums << 8) >> byte) & 0xff;
        let k = k.wrapping_sub(before) & 7;
        byte + u64::from(NTH_BIT[(((self.bits >> byte) & 0xff) * 8 + k) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_open_square_is_the_nth_bit_set() {
        let mut bits = 1_u64;
        for _ in 0..2000 {
            bits = ecotone_grid::mix(bits);
            let sparse = bits & ecotone_grid::mix(bits ^ 1) & ecotone_grid::mix(bits ^ 2);
            for bits in [bits, sparse, !sparse, !0] {
                let open = Open::new(!bits);
                let set: Vec<u64> = (0..64).filter(|k| bits >> k & 1 == 1).collect();
                assert_eq!(open.n(), set.len() as u64);
                for (k, &square) in set.iter().enumerate() {
                    assert_eq!(open.nth(k as u64), square, "{bits:#x}");
                }
            }
        }
    }

    #[test]
    fn a_covered_square_has_no_room_left() {
        let disks = Disks::default();
        for radius in [16_i64, 23, 100, 3072] {
            let lattice = Lattice::new(7, radius * radius);
            let cell = lattice.cell;
            for k in 0..400_u64 {
                let place = |h: u64| (ecotone_grid::mix(k * 2 + h) % cell as u64) as i64;
                let (u, v) = (place(0), place(1));
                let mut n = 0;
                for (row, half) in ROWS {
                    for column in -(half as i64)..=half as i64 {
                        let covered = disks.around(u as u32, v as u32, &lattice).0[n];
                        n += 1;
                        for square in (0..64).filter(|s| covered >> s & 1 == 1) {
                            let corner = |square: i64, cells: i64, from: i64| {
                                let low = cells * cell + (square * cell + 7) / 8;
                                let high = cells * cell + ((square + 1) * cell - 1) / 8;
                                (low - from).abs().max((high - from).abs())
                            };
                            let dx = corner(square % 8, column, u);
                            let dy = corner(square / 8, row as i64, v);
                            assert!(dx * dx + dy * dy < radius * radius);
                        }
                    }
                }
            }
        }
    }
}
