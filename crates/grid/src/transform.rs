//! Where pixels lie in the world.

use crate::{Reach, Rect};

/// The size of a pixel in metres, both positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PixelSize {
    /// East–west.
    pub x: f64,
    /// North–south.
    pub y: f64,
}

impl PixelSize {
    /// The pixels that a distance in metres reaches, rounded up.
    pub fn reach(&self, metres: f64) -> Reach {
        Reach {
            x: (metres / self.x).ceil() as u32,
            y: (metres / self.y).ceil() as u32,
        }
    }
}

/// A north-up transform from pixels to world metres.
///
/// Column i and row j lie at x = `x0` + (i + ½)·`pixel.x`, y = `y0` − (j + ½)·`pixel.y`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoTransform {
    /// World x of the map's west border.
    pub x0: f64,
    /// World y of the map's north border.
    pub y0: f64,
    /// Pixel size.
    pub pixel: PixelSize,
}

impl GeoTransform {
    /// The same grid in another unit, of which one of this is `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            x0: self.x0 * factor,
            y0: self.y0 * factor,
            pixel: PixelSize {
                x: self.pixel.x * factor,
                y: self.pixel.y * factor,
            },
        }
    }

    /// Fractional column and row of a world point; pixel centres lie at whole numbers.
    pub fn pixel_at(&self, x: f64, y: f64) -> (f64, f64) {
        (
            (x - self.x0) / self.pixel.x - 0.5,
            (self.y0 - y) / self.pixel.y - 0.5,
        )
    }

    /// World west, south, east and north borders of a rectangle of pixels.
    pub fn bounds(&self, rect: Rect) -> [f64; 4] {
        [
            self.x0 + rect.x0 as f64 * self.pixel.x,
            self.y0 - rect.y1 as f64 * self.pixel.y,
            self.x0 + rect.x1 as f64 * self.pixel.x,
            self.y0 - rect.y0 as f64 * self.pixel.y,
        ]
    }
}

/// The coordinate system of a GeoTIFF, as its three GeoKey tags hold it (OGC 19-008r4); passed through, never interpreted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeoKeys {
    /// `GeoKeyDirectoryTag` (34735); empty where there is no coordinate system.
    pub directory: Vec<u16>,
    /// `GeoDoubleParamsTag` (34736).
    pub doubles: Vec<f64>,
    /// `GeoAsciiParamsTag` (34737).
    pub ascii: String,
}

impl GeoKeys {
    /// A key stored directly in the directory, such as `GTModelTypeGeoKey` (1024); `None` where it is absent or refers elsewhere.
    pub fn short(&self, key: u16) -> Option<u16> {
        self.directory
            .chunks_exact(4)
            .skip(1)
            .find(|entry| entry[0] == key && entry[1] == 0)
            .map(|entry| entry[3])
    }

    /// A number stored among the doubles, such as `ProjLinearUnitSizeGeoKey` (3077); `None` where it is absent or
    /// refers elsewhere.
    pub fn double(&self, key: u16) -> Option<f64> {
        let mut entries = self.directory.chunks_exact(4).skip(1);
        let entry = entries.find(|entry| entry[0] == key && entry[1] == 34736)?;
        self.doubles.get(usize::from(entry[3])).copied()
    }

    /// The EPSG code of the projected (3072) or geographic (2048) system, where it has one.
    pub fn epsg(&self) -> Option<u16> {
        [3072, 2048]
            .into_iter()
            .filter_map(|key| self.short(key))
            .find(|&code| code != 0 && code != 32767)
    }
}
