//! Pixels in memory: an owned raster, and a borrowed window of one band.

use crate::Rect;

/// Pixels over a rectangle, row-major, one band after the other.
///
/// Pixel coordinates are the map's own, so a raster and its neighbour speak of the same pixel with the same numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Raster<T> {
    rect: Rect,
    n_bands: usize,
    pixels: Vec<T>,
}

impl<T: Copy> Raster<T> {
    /// A raster over `rect`, every pixel `fill`.
    pub fn new(rect: Rect, n_bands: usize, fill: T) -> Self {
        Self {
            rect,
            n_bands,
            pixels: vec![fill; rect.area() * n_bands],
        }
    }

    /// A raster from its pixels; `pixels.len()` must be the area times the bands.
    pub fn from_pixels(rect: Rect, n_bands: usize, pixels: Vec<T>) -> Self {
        assert_eq!(pixels.len(), rect.area() * n_bands, "pixels of {rect:?}");
        Self {
            rect,
            n_bands,
            pixels,
        }
    }

    /// Makes it cover another rectangle, every pixel `fill`, keeping its memory.
    pub fn reset(&mut self, rect: Rect, n_bands: usize, fill: T) {
        self.rect = rect;
        self.n_bands = n_bands;
        self.pixels.clear();
        self.pixels.resize(rect.area() * n_bands, fill);
    }

    /// Makes it cover another rectangle for a writer of every pixel: what stands in its memory stays, `fill` comes after it.
    pub fn cover(&mut self, rect: Rect, n_bands: usize, fill: T) {
        self.rect = rect;
        self.n_bands = n_bands;
        self.pixels.resize(rect.area() * n_bands, fill);
    }

    /// The rectangle it covers.
    pub fn rect(&self) -> Rect {
        self.rect
    }

    /// How many bands it has.
    pub fn n_bands(&self) -> usize {
        self.n_bands
    }

    /// All pixels, band after band.
    pub fn pixels(&self) -> &[T] {
        &self.pixels
    }

    /// Its pixels, band after band, as they are.
    pub fn into_pixels(self) -> Vec<T> {
        self.pixels
    }

    /// All pixels, band after band, to write.
    pub fn pixels_mut(&mut self) -> &mut [T] {
        &mut self.pixels
    }

    /// One band.
    #[inline]
    pub fn band(&self, band: usize) -> Window<'_, T> {
        let area = self.rect.area();
        Window::new(self.rect, &self.pixels[band * area..(band + 1) * area])
    }

    /// The pixels of one band, to write.
    pub fn band_mut(&mut self, band: usize) -> &mut [T] {
        let area = self.rect.area();
        &mut self.pixels[band * area..(band + 1) * area]
    }

    /// One row of one band, by its map row.
    pub fn row_mut(&mut self, band: usize, y: i64) -> &mut [T] {
        let width = self.rect.width();
        let row = (y - self.rect.y0) as usize;
        &mut self.band_mut(band)[row * width..(row + 1) * width]
    }

    /// Copies the pixels that `source` shares with band `band` of this raster.
    pub fn paste(&mut self, band: usize, source: Window<'_, T>) {
        let shared = self.rect.intersect(&source.rect());
        if shared.is_empty() {
            return;
        }
        let from = (shared.x0 - source.rect().x0) as usize;
        let to = (shared.x0 - self.rect.x0) as usize;
        let width = shared.width();
        for y in shared.y0..shared.y1 {
            self.row_mut(band, y)[to..to + width]
                .copy_from_slice(&source.row(y)[from..from + width]);
        }
    }
}

/// One band of a raster, borrowed: what a kernel reads.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a, T> {
    rect: Rect,
    pixels: &'a [T],
}

impl<'a, T: Copy> Window<'a, T> {
    /// A window over `rect`; `pixels.len()` must be its area.
    pub fn new(rect: Rect, pixels: &'a [T]) -> Self {
        assert_eq!(pixels.len(), rect.area(), "pixels of {rect:?}");
        Self { rect, pixels }
    }

    /// The rectangle it covers.
    pub fn rect(&self) -> Rect {
        self.rect
    }

    /// All pixels, row-major.
    pub fn pixels(&self) -> &'a [T] {
        self.pixels
    }

    /// One row, by its map row.
    pub fn row(&self, y: i64) -> &'a [T] {
        let width = self.rect.width();
        let row = (y - self.rect.y0) as usize;
        &self.pixels[row * width..(row + 1) * width]
    }

    /// One pixel, by its map column and row.
    pub fn at(&self, x: i64, y: i64) -> T {
        self.row(y)[(x - self.rect.x0) as usize]
    }
}
