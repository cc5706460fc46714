//! The digest of what a job read: 128 bits of XXH3 over the windows in memory.
//!
//! It covers every pixel that a job reads, some 40 bytes for each pixel of a world, so that it must be fast; nobody gains by
//! forging it, since whoever can write the inputs can write the world.

use ecotone_grid::{Raster, Rect, Window};
use ecotone_scatter::Area;
use ecotone_store::Digest;
use xxhash_rust::xxh3::Xxh3;

/// Digests what a job reads.
pub(crate) struct Reads(Xxh3);

/// A number of a raster, as bytes of a fixed order.
pub(crate) trait Number: Copy {
    /// So many bytes.
    const BYTES: usize;

    /// Writes them; `out` has as many.
    fn put(self, out: &mut [u8]);
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            const BYTES: usize = size_of::<$number>();

            #[inline]
            fn put(self, out: &mut [u8]) {
                out.copy_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

numbers!(i16, i64, f32, f64);

/// Bytes that are fed at a time: in the first-level cache, and far more than the hash gathers by itself.
const PIECE: usize = 4096;

impl Reads {
    /// Of a job that makes the pixels of a rectangle.
    pub(crate) fn of_tile(core: Rect) -> Self {
        let mut reads = Self(Xxh3::new());
        reads.rect(core);
        reads
    }

    /// Of a job that makes the plants of an area.
    pub(crate) fn of_chunk(area: &Area) -> Self {
        let mut reads = Self(Xxh3::new());
        reads.numbers(&[area.x0, area.y0, area.x1, area.y1]);
        reads
    }

    fn rect(&mut self, rect: Rect) {
        self.numbers(&[rect.x0, rect.y0, rect.x1, rect.y1]);
    }

    /// A word of rules that belongs to what follows.
    pub(crate) fn text(&mut self, text: &str) {
        self.numbers(&[text.len() as i64]);
        self.0.update(text.as_bytes());
    }

    /// The pixels of a window, and where they lie. Every void is one and the same NaN, as the readers make it.
    pub(crate) fn window<T: Number>(&mut self, window: Window<'_, T>) {
        self.rect(window.rect());
        self.numbers(window.pixels());
    }

    /// All bands of a raster of bytes, and where they lie.
    pub(crate) fn bytes(&mut self, raster: &Raster<u8>) {
        self.rect(raster.rect());
        self.0.update(raster.pixels());
    }

    /// All bands of a raster, and where they lie.
    pub(crate) fn raster<T: Number>(&mut self, raster: &Raster<T>) {
        self.rect(raster.rect());
        self.numbers(raster.pixels());
    }

    fn numbers<T: Number>(&mut self, numbers: &[T]) {
        let mut piece = [0; PIECE];
        for some in numbers.chunks(PIECE / T::BYTES) {
            let bytes = &mut piece[..some.len() * T::BYTES];
            for (out, number) in bytes.chunks_exact_mut(T::BYTES).zip(some) {
                number.put(out);
            }
            self.0.update(bytes);
        }
    }

    /// The digest.
    pub(crate) fn finish(self) -> Digest {
        Digest::of(&self.0.digest128().to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rect: Rect, pixels: &[f64]) -> Digest {
        let mut reads = Reads::of_tile(Rect::new(0, 0, 1, 1));
        reads.raster(&Raster::from_pixels(rect, 1, pixels.to_vec()));
        reads.finish()
    }

    #[test]
    fn place_shape_and_every_pixel_count() {
        let pixels: Vec<f64> = (0..2000).map(f64::from).collect();
        let wide = Rect::new(0, 0, 50, 40);
        let right = of(wide, &pixels);
        assert_eq!(of(wide, &pixels), right);
        assert_ne!(of(Rect::new(0, 0, 40, 50), &pixels), right);
        assert_ne!(of(Rect::new(1, 0, 51, 40), &pixels), right);
        for k in [0, 511, 512, 1999] {
            let mut other = pixels.clone();
            other[k] += 1e-9;
            assert_ne!(of(wide, &other), right, "pixel {k}");
        }
    }
}
