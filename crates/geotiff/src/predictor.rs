//! Undoing the differences that make blocks compress better (TIFF 6.0 section 14; Adobe TIFF technical note 3).

use crate::ByteOrder;

/// How samples were changed before compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predictor {
    /// Not at all (1).
    None,
    /// Each sample less the one to its left (2).
    Horizontal,
    /// Bytes of floats sorted by significance, each less the one to its left (3).
    FloatingPoint,
}

/// Adds to each sample the one `n_samples` before it, wrapping, in this machine's byte order.
macro_rules! add_left {
    ($ty:ty, $n_samples:expr, $row:expr) => {
        for sample in 0..$n_samples {
            let mut left: $ty = 0;
            for pixel in $row.chunks_exact_mut($n_samples * size_of::<$ty>()) {
                let bytes = &mut pixel[sample * size_of::<$ty>()..][..size_of::<$ty>()];
                let own = bytes.try_into().expect("as many bytes as a sample has");
                left = left.wrapping_add(<$ty>::from_ne_bytes(own));
                bytes.copy_from_slice(&left.to_ne_bytes());
            }
        }
    };
}

/// Turns one decoded row into samples in this machine's byte order.
///
/// `row` holds whole pixels of `n_samples` samples of `size` bytes each; `scratch` is as long, and what is in it does not matter.
pub(crate) fn undo(
    predictor: Predictor,
    (size, n_samples): (usize, usize),
    order: ByteOrder,
    row: &mut [u8],
    scratch: &mut [u8],
) {
    match predictor {
        Predictor::None => swap(size, order, row),
        Predictor::Horizontal => {
            swap(size, order, row);
            match size {
                1 => add_left!(u8, n_samples, row),
                2 => add_left!(u16, n_samples, row),
                4 => add_left!(u32, n_samples, row),
                _ => add_left!(u64, n_samples, row),
            }
        }
        Predictor::FloatingPoint => {
            add_left!(u8, n_samples, row);
            gather(size, row, scratch);
        }
    }
}

fn swap(size: usize, order: ByteOrder, row: &mut [u8]) {
    if order != ByteOrder::NATIVE && size > 1 {
        row.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
}

/// Gathers floats of `size` bytes that lie in planes, the most significant first, whatever the file's byte order.
fn gather(size: usize, row: &mut [u8], scratch: &mut [u8]) {
    let n = row.len() / size;
    for (significance, plane) in row.chunks_exact(n).enumerate() {
        let at = if cfg!(target_endian = "big") {
            significance
        } else {
            size - 1 - significance
        };
        for (float, &byte) in scratch.chunks_exact_mut(size).zip(plane) {
            float[at] = byte;
        }
    }
    row.copy_from_slice(scratch);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_two_bands_add_up_and_wrap() {
        let mut row: Vec<u8> = [10_i16, -5, 1, 1, 32_767, -32_768]
            .iter()
            .flat_map(|v| v.to_be_bytes())
            .collect();
        undo(
            Predictor::Horizontal,
            (2, 2),
            ByteOrder::Big,
            &mut row,
            &mut [],
        );
        let samples: Vec<i16> = row
            .chunks_exact(2)
            .map(|b| i16::from_ne_bytes([b[0], b[1]]))
            .collect();
        assert_eq!(samples, [10, -5, 11, -4, -32_758, 32_764]);
    }

    #[test]
    fn planes_of_bytes_become_floats() {
        // 1.0 = 3f800000, -2.5 = c0200000; planes 3f c0, 80 20, 00 00, 00 00, each byte less its left neighbour.
        let mut row = [0x3f, 0x81, 0xc0, 0xa0, 0xe0, 0, 0, 0];
        let mut scratch = [0; 8];
        undo(
            Predictor::FloatingPoint,
            (4, 1),
            ByteOrder::Little,
            &mut row,
            &mut scratch,
        );
        assert_eq!(row[..4], 1.0_f32.to_ne_bytes());
        assert_eq!(row[4..], (-2.5_f32).to_ne_bytes());
    }
}
