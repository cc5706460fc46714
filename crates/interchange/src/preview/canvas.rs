//! A sheet of pixels to draw on.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use super::palette::{Rgb, mix};
use super::picture::Picture;

/// Colours of 8 bits a channel in the making.
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) pixels: Vec<Rgb>,
}

/// A kind of text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    size: RasterHeight,
    weight: FontWeight,
    pub(super) colour: Rgb,
}

impl Face {
    /// Text for a picture whose longer side has so many pixels; `steps` sizes larger than the body.
    pub(super) fn new(picture_px: usize, steps: usize, bold: bool, colour: Rgb) -> Self {
        let body = [900, 1800, 3200]
            .iter()
            .filter(|&&most| picture_px > most)
            .count();
        let sizes = [
            RasterHeight::Size16,
            RasterHeight::Size20,
            RasterHeight::Size24,
            RasterHeight::Size32,
        ];
        Self {
            size: sizes[(body + steps).min(sizes.len() - 1)],
            weight: if bold {
                FontWeight::Bold
            } else {
                FontWeight::Regular
            },
            colour,
        }
    }

    /// Pixels from the top of a line to its bottom.
    pub(super) fn height(&self) -> usize {
        self.size.val()
    }

    /// Pixels that a text is wide.
    pub(super) fn width(&self, text: &str) -> usize {
        text.chars().count() * get_raster_width(self.weight, self.size)
    }
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize, colour: Rgb) -> Self {
        Self {
            width,
            height,
            pixels: vec![colour; width * height],
        }
    }

    /// Lays a colour over a pixel, of which it covers `alpha`; nothing off the sheet.
    pub(super) fn blend(&mut self, x: usize, y: usize, colour: Rgb, alpha: f32) {
        if x < self.width && y < self.height {
            let pixel = &mut self.pixels[y * self.width + x];
            *pixel = mix(*pixel, colour, alpha);
        }
    }

    /// Fills a rectangle.
    pub(super) fn fill(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], colour: Rgb) {
        for row in y..(y + height).min(self.height) {
            for column in x..(x + width).min(self.width) {
                self.pixels[row * self.width + column] = colour;
            }
        }
    }

    /// A line one pixel wide around a rectangle, outside it.
    pub(super) fn outline(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], colour: Rgb) {
        let (left, top) = (x.saturating_sub(1), y.saturating_sub(1));
        for row in [top, y + height] {
            self.fill([left, row], [width + 2, 1], colour);
        }
        for column in [left, x + width] {
            self.fill([column, top], [1, height + 2], colour);
        }
    }

    /// Puts another sheet onto this one.
    pub(super) fn paste(&mut self, [x, y]: [usize; 2], sheet: &Canvas) {
        for (row, line) in sheet.pixels.chunks_exact(sheet.width.max(1)).enumerate() {
            for (column, &colour) in line.iter().enumerate() {
                self.blend(x + column, y + row, colour, 1.0);
            }
        }
    }

    /// Writes a text from its upper left corner on; letters the font does not have become question marks.
    pub(super) fn text(&mut self, [x, y]: [usize; 2], text: &str, face: &Face) {
        let step = get_raster_width(face.weight, face.size);
        for (idx, letter) in text.chars().enumerate() {
            let found = get_raster(letter, face.weight, face.size);
            let Some(glyph) = found.or_else(|| get_raster('?', face.weight, face.size)) else {
                continue;
            };
            for (row, line) in glyph.rows().enumerate() {
                for (column, &ink) in line.iter().enumerate() {
                    let alpha = f32::from(ink) / 255.0;
                    self.blend(x + idx * step + column, y + row, face.colour, alpha);
                }
            }
        }
    }

    pub(super) fn picture(&self) -> Picture {
        let byte = |v: f32| v.round().clamp(0.0, 255.0) as u8;
        Picture {
            width: self.width as u32,
            height: self.height as u32,
            rgb: self.pixels.iter().flat_map(|rgb| rgb.map(byte)).collect(),
        }
    }
}
