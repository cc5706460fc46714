//! Random draws, each a hash of what it is for.

use ecotone_grid::mix;

/// What a draw is for; its number is part of the hash, so it never changes.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum Purpose {
    /// West–east shift of a level's lattice.
    ShiftX = 0x9a3c_11f2_0c4e_7701,
    /// South–north shift of a level's lattice.
    ShiftY = 0x4f1b_6a90_d2e8_3302,
    /// A candidate's place within its level's share of the ranks.
    Rank = 0x71e6_0d3a_f59c_2804,
    /// The key that all attributes of a candidate are drawn from.
    Attributes = 0x2b58_97c4_6e01_d405,
    /// Original size.
    Size = 0xe80f_3579_1bd6_4c06,
    /// Yaw.
    Yaw = 0x16c9_a2f8_734d_0e07,
    /// Mesh variant.
    Variant = 0xb3d4_5e61_c0a7_f908,
    /// Tint.
    Tint = 0x5d02_c81e_9f36_b109,
    /// Depth below the ground.
    Sink = 0xc417_e5a3_82fd_690a,
    /// Angle off the aligned upright.
    Tilt = 0x38ea_06d9_b15c_f40b,
    /// Direction of that.
    TiltDirection = 0x8f75_b24c_3e01_da0c,
}

/// The 64 bits drawn from `key` for a purpose.
#[inline]
pub(crate) const fn draw(key: u64, purpose: Purpose) -> u64 {
    mix(key ^ purpose as u64)
}

/// Bits as a number in [0, 1), a multiple of 2⁻³², so that no scaling of it rounds up to the end.
#[inline]
pub(crate) fn unit(bits: u64) -> f64 {
    (bits >> 32) as f64 / 4_294_967_296.0
}
