//! Compares rasters, value by value.

use ecotone_geotiff::Sample;
use ecotone_grid::{Raster, Rect};
use ecotone_store::{DataType, Manifest, Stage};

use super::difference::{Difference, Place, Unlike};
use super::tiles::Tiles;

/// Whether two values are one: a void is as good as another.
pub(super) trait Value: Sample {
    /// Whether they are the same to the bit, voids aside.
    fn is_same(self, other: Self) -> bool;
    /// It, for people.
    fn number(self) -> f64;
}

macro_rules! whole_numbers {
    ($($number:ty),*) => {$(
        impl Value for $number {
            fn is_same(self, other: Self) -> bool {
                self == other
            }

            fn number(self) -> f64 {
                self.into()
            }
        }
    )*};
}

whole_numbers!(u8, i16);

impl Value for f32 {
    fn is_same(self, other: Self) -> bool {
        self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
    }

    fn number(self) -> f64 {
        self.into()
    }
}

/// One raster in the world and in a fresh bake.
pub(super) struct Pair<'a> {
    /// What it is.
    pub(super) stage: Stage,
    /// The world's tiles.
    pub(super) stored: Tiles,
    /// The fresh ones.
    pub(super) fresh: Tiles,
    /// The world.
    pub(super) manifest: &'a Manifest,
}

impl Pair<'_> {
    /// How many values a rectangle of pixels has.
    pub(super) fn n_values(&self, rect: Rect) -> u64 {
        let bands = self.manifest.raster(&self.stage);
        let n_bands = bands.map_or(0, |(_, header)| header.bands.len());
        (rect.area() * n_bands) as u64
    }

    /// Compares a window, which lies in a tile; says how many values there were, and the first difference.
    pub(super) fn compare(&self, window: Rect, tile: [i64; 2]) -> (u64, Option<Difference>) {
        let Some((kind, header)) = self.manifest.raster(&self.stage) else {
            return (0, None);
        };
        let bands: Vec<String> = header
            .bands
            .iter()
            .map(|band| band.description.clone())
            .collect();
        let unlike = match kind {
            DataType::U8 => self.first::<u8>(window, &bands),
            DataType::I16 => self.first::<i16>(window, &bands),
            DataType::F32 => self.first::<f32>(window, &bands),
        };
        let difference = unlike.map(|unlike| Difference {
            stage: self.stage.clone(),
            place: Place::Tile(tile[0], tile[1]),
            unlike,
        });
        (self.n_values(window), difference)
    }

    fn first<T: Value>(&self, window: Rect, bands: &[String]) -> Option<Unlike> {
        let mut stored = Raster::new(Rect::default(), 1, T::from_f64(0.0));
        let mut fresh = stored.clone();
        let read = self.stored.read::<T>(window, bands.len(), &mut stored);
        let read = read.and_then(|()| self.fresh.read::<T>(window, bands.len(), &mut fresh));
        if let Err(reason) = read {
            return Some(Unlike::File { reason });
        }
        let (column, row, band) = first_difference(&stored, &fresh)?;
        let grid = self.manifest.grid.transform();
        Some(Unlike::Pixel {
            column,
            row,
            x: grid.x0 + (column as f64 + 0.5) * grid.pixel.x,
            y: grid.y0 - (row as f64 + 0.5) * grid.pixel.y,
            band: bands[band].clone(),
            stored: stored.band(band).at(column, row).number(),
            fresh: fresh.band(band).at(column, row).number(),
        })
    }
}

/// Column, row and band of the first pixel that differs, row by row; both rasters cover the same.
fn first_difference<T: Value>(a: &Raster<T>, b: &Raster<T>) -> Option<(i64, i64, usize)> {
    let mut pairs = a.pixels().iter().zip(b.pixels());
    if pairs.all(|(&a, &b)| a.is_same(b)) {
        return None;
    }
    let rect = a.rect();
    (rect.y0..rect.y1).find_map(|row| {
        let columns = (0..a.n_bands()).filter_map(|band| {
            let (a, b) = (a.band(band).row(row), b.band(band).row(row));
            let column = a.iter().zip(b).position(|(&a, &b)| !a.is_same(b))?;
            Some((column, band))
        });
        let (column, band) = columns.min()?;
        Some((rect.x0 + column as i64, row, band))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pixel_is_told_of_several() {
        let rect = Rect::new(10, 20, 13, 22);
        let a = Raster::new(rect, 2, 7_u8);
        assert_eq!(first_difference(&a, &a), None);
        let mut b = a.clone();
        b.row_mut(0, 21)[0] = 8;
        b.row_mut(1, 20)[2] = 8;
        assert_eq!(first_difference(&a, &b), Some((12, 20, 1)));
        b.row_mut(1, 20)[1] = 8;
        assert_eq!(first_difference(&a, &b), Some((11, 20, 1)));
    }

    #[test]
    fn a_void_is_a_void() {
        let rect = Rect::new(0, 0, 1, 1);
        let of = |bits| Raster::new(rect, 1, f32::from_bits(bits));
        assert_eq!(first_difference(&of(0x7fc0_0000), &of(0xffc0_0001)), None);
        // 0 and -0 are equal, and not the same.
        assert_eq!(first_difference(&of(0), &of(1 << 31)), Some((0, 0, 0)));
    }
}
