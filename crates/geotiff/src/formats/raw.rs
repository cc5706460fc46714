//! Files of bare numbers, as engines and terrain editors exchange them: no header, rows from north to south.

use ecotone_grid::GeoKeys;

use crate::header::{Interleaving, Plain};
use crate::image::Image;
use crate::map::Map;
use crate::{ByteOrder, Options, SampleType, SourceError};

use super::{Opened, name, strips};

/// What a file of bare numbers holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawLayout {
    /// Pixels from west to east.
    pub width: u32,
    /// Pixels from north to south.
    pub height: u32,
    /// The type of its numbers.
    pub sample: SampleType,
    /// Which byte of a number comes first.
    pub byte_order: ByteOrder,
}

impl RawLayout {
    /// Bytes of a file that holds this.
    fn n_bytes(&self) -> u64 {
        // Below 2⁶⁴ · 8: saturated, it fits no file.
        (u64::from(self.width) * u64::from(self.height)).saturating_mul(self.sample.size() as u64)
    }
}

/// Opens a file whose extension says `sample`.
pub(super) fn open(
    map: &Map,
    sample: SampleType,
    options: &Options,
) -> Result<Opened, SourceError> {
    let mut notes = Vec::new();
    let layout = match options.raw {
        Some(layout) => given(map, layout)?,
        None => guessed(map, sample, &mut notes)?,
    };
    notes.extend(swapped(map, layout));
    let image = image(map, layout, (None, GeoKeys::default()), options)?;
    Ok(Opened {
        notes,
        ..Opened::new(image)
    })
}

/// The image of a file of bare numbers, with its nodata value and coordinate system.
pub(super) fn image(
    map: &Map,
    layout: RawLayout,
    (nodata, keys): (Option<f64>, GeoKeys),
    options: &Options,
) -> Result<Image, SourceError> {
    let plain = Plain {
        width: layout.width,
        height: layout.height,
        n_bands: 1,
        sample: layout.sample,
        byte_order: layout.byte_order,
        layout: strips(
            layout.n_bytes() / u64::from(layout.height.max(1)),
            layout.height,
        ),
        interleaving: Interleaving::Pixel,
        nodata,
        keys,
    };
    Image::plain(map, plain, options)
}

fn given(map: &Map, layout: RawLayout) -> Result<RawLayout, SourceError> {
    let len = map.bytes().len() as u64;
    if layout.n_bytes() == len && len > 0 {
        return Ok(layout);
    }
    let expected = format!(
        "the {} × {} {} of terrain.raw take {}",
        layout.width,
        layout.height,
        numbers(layout.sample),
        layout.n_bytes(),
    );
    Err(wrong_length(map, expected, layout.sample))
}

fn guessed(
    map: &Map,
    sample: SampleType,
    notes: &mut Vec<String>,
) -> Result<RawLayout, SourceError> {
    let len = map.bytes().len() as u64;
    let Some(side) = square(len, sample) else {
        let expected = format!("no square of {} has that length", numbers(sample));
        return Err(wrong_length(map, expected, sample));
    };
    let order = if sample.size() > 1 {
        "little-endian "
    } else {
        ""
    };
    notes.push(format!(
        "{} does not say its size: its {len} bytes are read as {side} × {side} {order}{}; give terrain.raw if that is \
         wrong",
        name(map.path()),
        numbers(sample),
    ));
    Ok(RawLayout {
        width: side,
        height: side,
        sample,
        byte_order: ByteOrder::Little,
    })
}

/// The side of the square that `len` bytes make.
pub(super) fn square(len: u64, sample: SampleType) -> Option<u32> {
    let size = sample.size() as u64;
    let n_pixels = len / size;
    let side = n_pixels.isqrt();
    (len > 0 && len.is_multiple_of(size) && side * side == n_pixels)
        .then(|| u32::try_from(side).ok())
        .flatten()
}

/// A type in words, such as "16-bit numbers".
fn numbers(sample: SampleType) -> String {
    let bits = sample.size() * 8;
    match sample {
        _ if sample.is_float() => format!("{bits}-bit fractions"),
        _ if sample.min() < Some(0.0) => format!("signed {bits}-bit numbers"),
        _ => format!("{bits}-bit numbers"),
    }
}

fn wrong_length(map: &Map, expected: String, sample: SampleType) -> SourceError {
    let len = map.bytes().len() as u64;
    let mut fits = Vec::new();
    let kinds = [SampleType::U8, SampleType::U16, SampleType::F32];
    let others = kinds.into_iter().filter(|kind| *kind != sample);
    for kind in [sample].into_iter().chain(others) {
        let found: Vec<String> = shapes(len, kind)
            .iter()
            .map(|(width, height)| format!("{width} × {height}"))
            .collect();
        if !found.is_empty() {
            fits.push(format!("{} as {}", found.join(", "), numbers(kind)));
        }
    }
    let hint = if fits.is_empty() {
        "; no usual shape fits, so it may be cut short or begin with a header".to_owned()
    } else {
        format!("; {} would fit", fits.join("; "))
    };
    SourceError::RawLength {
        path: map.path().to_path_buf(),
        len,
        expected,
        advice: format!(
            "say the true width, height, type and byte order with the key terrain.raw{hint}"
        ),
    }
}

/// Up to three shapes that `len` bytes can have, the nearest to a square first, none longer than four times its width.
fn shapes(len: u64, sample: SampleType) -> Vec<(u64, u64)> {
    /// Enough for maps of a million rows.
    const MAX_TRIED: usize = 1 << 20;
    let size = sample.size() as u64;
    let n_pixels = len / size;
    if len == 0 || !len.is_multiple_of(size) {
        return Vec::new();
    }
    (1..=n_pixels.isqrt())
        .rev()
        .take_while(|height| height * height * 4 >= n_pixels)
        .take(MAX_TRIED)
        .filter(|&height| n_pixels.is_multiple_of(height))
        .map(|height| (n_pixels / height, height))
        .take(3)
        .collect()
}

/// A sentence where 16-bit numbers would make a far smoother ground with their bytes swapped.
fn swapped(map: &Map, layout: RawLayout) -> Option<String> {
    /// Noise has a ratio of 1, real ground one of 30 and more.
    const ROUGHER: u64 = 8;
    const N_ROWS: u32 = 16;
    if layout.sample.size() != 2 {
        return None;
    }
    let other = match layout.byte_order {
        ByteOrder::Little => ByteOrder::Big,
        ByteOrder::Big => ByteOrder::Little,
    };
    let (mut read, mut turned) = (0, 0);
    let row_bytes = layout.width as usize * 2;
    for y in (0..layout.height).step_by(layout.height.div_ceil(N_ROWS) as usize) {
        let row = &map.bytes()[y as usize * row_bytes..][..row_bytes];
        read += roughness(row, layout, layout.byte_order);
        turned += roughness(row, layout, other);
    }
    (read > turned.saturating_mul(ROUGHER)).then(|| {
        let [read, other] = [layout.byte_order, other].map(|order| match order {
            ByteOrder::Little => "little-endian",
            ByteOrder::Big => "big-endian",
        });
        format!(
            "{} looks {other} and is read as {read}: its ground would be far smoother the other way; give its \
             byte_order in terrain.raw",
            name(map.path()),
        )
    })
}

/// The sum of the differences between neighbours.
fn roughness(row: &[u8], layout: RawLayout, order: ByteOrder) -> u64 {
    let height = |bytes: &[u8]| {
        let bits = order.number(bytes) as u16;
        match layout.sample {
            SampleType::I16 => i32::from(bits as i16),
            _ => i32::from(bits),
        }
    };
    let neighbours = row.chunks_exact(2).zip(row.chunks_exact(2).skip(1));
    neighbours
        .map(|(west, east)| u64::from(height(west).abs_diff(height(east))))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_those_near_a_square() {
        assert_eq!(
            shapes(2 * 1000, SampleType::U16),
            [(40, 25), (50, 20)],
            "all with at most four times as many columns as rows"
        );
        assert_eq!(shapes(2 * 1009, SampleType::U16), [], "a prime");
        assert_eq!(shapes(7, SampleType::U16), [], "half a number");
        assert_eq!(shapes(0, SampleType::U8), []);
    }

    #[test]
    fn a_square_is_found_exactly() {
        assert_eq!(square(33_554_432, SampleType::U16), Some(4096));
        assert_eq!(square(33_554_430, SampleType::U16), None);
        assert_eq!(square(3, SampleType::U16), None);
        assert_eq!(square(0, SampleType::U8), None);
        assert_eq!(square(2, SampleType::U16), Some(1));
    }
}
