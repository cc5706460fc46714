//! Samples stored in a size that no type here has, and made wider when their block is decoded.

use half::f16;

use crate::{ByteOrder, SampleType};

/// How the samples of a block are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// As their type has them.
    Whole,
    /// So many bits each, the highest first; every row starts on a byte.
    Bits(u32),
    /// IEEE halves; every one of them is a single as well.
    Half,
}

impl Packing {
    /// The type and packing of unsigned integers of `bits` bits; `None` where they are not read.
    pub fn of_integers(bits: u64) -> Option<(SampleType, Self)> {
        Some(match bits {
            8 => (SampleType::U8, Self::Whole),
            16 => (SampleType::U16, Self::Whole),
            32 => (SampleType::U32, Self::Whole),
            64 => (SampleType::U64, Self::Whole),
            1..8 => (SampleType::U8, Self::Bits(bits as u32)),
            9..16 => (SampleType::U16, Self::Bits(bits as u32)),
            17..32 => (SampleType::U32, Self::Bits(bits as u32)),
            _ => return None,
        })
    }

    /// Bits of one stored sample.
    pub fn bits(self, sample: SampleType) -> u64 {
        match self {
            Self::Whole => 8 * sample.size() as u64,
            Self::Bits(bits) => u64::from(bits),
            Self::Half => 16,
        }
    }

    /// Bytes of the numbers that a predictor works on; `None` where there are none it could.
    pub fn predicted_bytes(self, sample: SampleType) -> Option<usize> {
        match self {
            Self::Whole => Some(sample.size()),
            Self::Half => Some(2),
            Self::Bits(_) => None,
        }
    }

    /// A nodata value as samples would hold it: GDAL writes −9999 next to halves that are −10000.
    pub fn rounded(self, nodata: f64) -> f64 {
        match self {
            Self::Half => f16::from_f64(nodata).to_f64(),
            _ => nodata,
        }
    }

    /// Appends one row of samples to `out` as numbers of `sample`, in this machine's byte order.
    ///
    /// Halves are in this machine's order already; bits have the same order in every file.
    pub fn widen(self, sample: SampleType, row: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Whole => out.extend_from_slice(row),
            Self::Half => out.extend(row.chunks_exact(2).flat_map(|half| {
                f16::from_bits(ByteOrder::NATIVE.number(half) as u16)
                    .to_f32()
                    .to_ne_bytes()
            })),
            Self::Bits(bits) => match sample.size() {
                1 => out.extend(bit_fields(row, bits).map(|n| n as u8)),
                2 => out.extend(bit_fields(row, bits).flat_map(|n| (n as u16).to_ne_bytes())),
                _ => out.extend(bit_fields(row, bits).flat_map(|n| (n as u32).to_ne_bytes())),
            },
        }
    }
}

/// The numbers of `bits` ≤ 32 bits in a row; what is left of its last byte is no number.
fn bit_fields(row: &[u8], bits: u32) -> impl Iterator<Item = u64> {
    let n = row.len() as u64 * 8 / u64::from(bits);
    let (mut bytes, mut held, mut n_held) = (row.iter(), 0_u64, 0);
    (0..n).map(move |_| {
        while n_held < bits {
            held = held << 8 | u64::from(*bytes.next().expect("as many bits as numbers need"));
            n_held += 8;
        }
        n_held -= bits;
        held >> n_held & ((1 << bits) - 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widened(packing: Packing, sample: SampleType, row: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        packing.widen(sample, row, &mut out);
        out
    }

    #[test]
    fn bits_are_taken_from_the_highest_down() {
        let row = [0b1011_0010, 0b0100_0001];
        let fields = |bits| bit_fields(&row, bits).collect::<Vec<_>>();
        assert_eq!(fields(1)[..9], [1, 0, 1, 1, 0, 0, 1, 0, 0]);
        assert_eq!(fields(3), [0b101, 0b100, 0b100, 0b100, 0b000]);
        assert_eq!(fields(12), [0b1011_0010_0100]);
        assert_eq!(
            bit_fields(&[0xff; 9], 31).collect::<Vec<_>>(),
            [0x7fff_ffff; 2]
        );
        assert_eq!(bit_fields(&[1, 2, 3], 24).collect::<Vec<_>>(), [0x01_0203]);
    }

    #[test]
    fn every_half_is_widened_as_its_bits_say() {
        for bits in 0..=u16::MAX {
            let row = bits.to_ne_bytes();
            let found = widened(Packing::Half, SampleType::F32, &row);
            let found = f32::from_ne_bytes([found[0], found[1], found[2], found[3]]);
            let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
            let size = match exponent {
                0 => fraction * (-24_f64).exp2(),
                31 if fraction > 0.0 => f64::NAN,
                31 => f64::INFINITY,
                _ => (1024.0 + fraction) * f64::from(exponent - 25).exp2(),
            };
            let expected = if bits >> 15 == 1 { -size } else { size };
            let found = f64::from(found);
            assert!(
                found == expected || found.is_nan() && expected.is_nan(),
                "{bits:04x}"
            );
        }
    }
}
