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

/// The coordinate system of a GeoTIFF, as its three GeoKey tags hold it (OGC 19-008r4); passed through as it is.
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
    /// `GTModelTypeGeoKey`: 1 projected, 2 geographic, 3 geocentric.
    pub const MODEL_TYPE: u16 = 1024;
    /// `GeodeticCRSGeoKey`: the EPSG code of a geographic system, also of the one under a projected system.
    pub const GEOGRAPHIC_SYSTEM: u16 = 2048;
    /// `ProjectedCRSGeoKey`: the EPSG code of a projected system.
    pub const PROJECTED_SYSTEM: u16 = 3072;
    /// What stands for a code where the file itself defines a system or a unit.
    pub const USER_DEFINED: u16 = 32767;

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

    /// Whether coordinates are longitudes and latitudes.
    pub fn is_geographic(&self) -> bool {
        self.short(Self::MODEL_TYPE) == Some(2)
    }

    /// Whether coordinates are lengths in a plane; false too where nothing is said.
    pub fn is_projected(&self) -> bool {
        match self.short(Self::MODEL_TYPE) {
            Some(model) => model == 1,
            None => self.short(Self::PROJECTED_SYSTEM).is_some(),
        }
    }

    /// The EPSG code in a key that names a system or a unit; `None` where there is none, or one of the user's own.
    pub fn code(&self, key: u16) -> Option<u16> {
        self.short(key)
            .filter(|&code| code != 0 && code != Self::USER_DEFINED)
    }

    /// The EPSG code of the system, where it has one; that of the geographic system under a projected one is not it.
    pub fn epsg(&self) -> Option<u16> {
        self.code(if self.is_projected() {
            Self::PROJECTED_SYSTEM
        } else {
            Self::GEOGRAPHIC_SYSTEM
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_epsg(keys: &[(u16, u16)], right: Option<u16>) {
        let entries = keys.iter().flat_map(|&(key, value)| [key, 0, 1, value]);
        let directory = [1, 1, 0, keys.len() as u16].into_iter().chain(entries);
        let keys = GeoKeys {
            directory: directory.collect(),
            ..GeoKeys::default()
        };
        assert_eq!(keys.epsg(), right, "{keys:?}");
    }

    #[test]
    fn the_code_of_a_system_is_that_of_the_whole_of_it() {
        check_epsg(&[], None);
        check_epsg(&[(1024, 2), (2048, 4326)], Some(4326));
        check_epsg(&[(1024, 1), (2048, 4326), (3072, 32633)], Some(32633));
        check_epsg(&[(2048, 4326), (3072, 32633)], Some(32633));
        check_epsg(&[(2048, 4326)], Some(4326));
        // A projection of the user's own, and one that is not named, over WGS 84.
        check_epsg(&[(1024, 1), (2048, 4326), (3072, 32767)], None);
        check_epsg(&[(1024, 1), (2048, 4326)], None);
    }
}
