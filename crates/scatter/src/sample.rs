//! The ground at a point: rasters read bilinearly between pixel centres.

use crate::UNITS_PER_M;
use ecotone_grid::{GeoTransform, Raster, Rect, Window, floor};

/// The rasters that plants are placed by, each over a window of the map; they may cover different windows.
///
/// What lies outside of a window is taken for void, so a window has to reach one pixel beyond every point looked at.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    /// Where pixels lie in the world.
    pub transform: GeoTransform,
    /// The whole map.
    pub map: Rect,
    /// Heights in metres; NaN where the map is void.
    pub heights: Window<'a, f64>,
    /// Smoothed normals in three bands, x (east), y (north) and z (up); needed where a species reads them.
    pub normals: Option<&'a Raster<f32>>,
    /// Stored weights, one band per stratum.
    pub weights: &'a Raster<u8>,
    /// Stored signed distances, one band per stratum; `i16::MIN` where the map is void.
    pub sdf: &'a Raster<i16>,
    /// Metres in one step of a stored distance.
    pub sdf_scale: f64,
    /// Further fields that conditions read, such as curvatures and density masks; NaN where there is none.
    pub layers: Option<&'a Raster<f32>>,
}

/// A point on the ground: where the four pixels around it are, and how far it is between them.
///
/// They are those at its rounded-down column and row and at the next ones. A point is void where any of them is void or off
/// the map; so a void and the outside of the map are the same thing. Nothing is read before it is asked for. At a pixel's
/// own centre the four may be that one ([`Ground::at_pixel`]).
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    fields: &'a Fields<'a>,
    /// World x and y in metres.
    metres: (f64, f64),
    square: Square,
    /// Where the four pixels lie in the heights.
    heights: Corners,
    /// Where they lie in each band of the weights, and of every raster of the same rectangle.
    weights: Option<Corners>,
    /// Fraction of a pixel east and south of the first of the four.
    fraction: (f64, f64),
}

/// The pixels at a column and row and those `side` further east and south: four at 1, and one pixel at 0.
#[derive(Clone, Copy, Debug)]
struct Square {
    column: i64,
    row: i64,
    side: i64,
}

impl Square {
    /// Whether all of its pixels lie in a rectangle.
    #[inline]
    fn is_within(&self, rect: &Rect) -> bool {
        rect.contains(self.column, self.row)
            && rect.contains(self.column + self.side, self.row + self.side)
    }

    /// Where its pixels lie in a band over a rectangle; `None` where one of them does not.
    #[inline]
    fn corners(&self, rect: &Rect) -> Option<Corners> {
        if !self.is_within(rect) {
            return None;
        }
        let (column, row) = (self.column - rect.x0, self.row - rect.y0);
        let north = row as usize * rect.width() + column as usize;
        let side = self.side as usize;
        Some(Corners {
            north,
            south: north + side * rect.width(),
            side,
        })
    }
}

/// Where the western two of four pixels lie in a band, and how far the eastern two are from them.
#[derive(Clone, Copy, Debug)]
struct Corners {
    north: usize,
    south: usize,
    side: usize,
}

impl Corners {
    /// The four pixels of a band that starts at a place among all pixels, from the north-west, row by row.
    #[inline]
    fn read<T: Copy>(&self, pixels: &[T], band_start: usize) -> [T; 4] {
        let (north, south) = (band_start + self.north, band_start + self.south);
        [north, north + self.side, south, south + self.side].map(|at| pixels[at])
    }
}

/// A number's whole part, rounded down, and the fraction.
#[inline]
fn split(value: f64) -> (i64, f64) {
    let whole = floor(value);
    (whole, value - whole as f64)
}

impl<'a> Ground<'a> {
    /// The ground at a world position in 1/1024 m; `None` off the map and off the window of the heights.
    #[inline]
    pub fn at(fields: &'a Fields<'a>, x: i64, y: i64) -> Option<Self> {
        let [x, y] = [x, y].map(|units| units as f64 / UNITS_PER_M as f64);
        let (column, row) = fields.transform.pixel_at(x, y);
        let ((column, east), (row, south)) = (split(column), split(row));
        let square = Square {
            column,
            row,
            side: 1,
        };
        Self::of(fields, (x, y), square, (east, south))
    }

    /// The ground at the very centre of a pixel, of which that pixel alone is read: voids around it do not matter, and the
    /// last column and row have their ground too. `None` off the map and off the window of the heights.
    pub fn at_pixel(fields: &'a Fields<'a>, column: i64, row: i64) -> Option<Self> {
        let square = Square {
            column,
            row,
            side: 0,
        };
        let GeoTransform { x0, y0, pixel } = fields.transform;
        let x = x0 + (column as f64 + 0.5) * pixel.x;
        let y = y0 - (row as f64 + 0.5) * pixel.y;
        Self::of(fields, (x, y), square, (0.0, 0.0))
    }

    #[inline]
    fn of(
        fields: &'a Fields<'a>,
        metres: (f64, f64),
        square: Square,
        fraction: (f64, f64),
    ) -> Option<Self> {
        if !square.is_within(&fields.map) {
            return None;
        }
        Some(Self {
            fields,
            metres,
            square,
            heights: square.corners(&fields.heights.rect())?,
            weights: square.corners(&fields.weights.rect()),
            fraction,
        })
    }

    /// World x and y in metres.
    #[inline]
    pub fn metres(&self) -> (f64, f64) {
        self.metres
    }

    /// Height in metres; `None` where it is void.
    #[inline]
    pub fn height(&self) -> Option<f64> {
        let height = self.between(self.heights.read(self.fields.heights.pixels(), 0));
        // A mean is finite where all of its parts are.
        height.is_finite().then_some(height)
    }

    /// Weight of a stratum, 0 to 255; 0 where the weights have no such band.
    #[inline]
    pub fn weight(&self, stratum: usize) -> f64 {
        let four = self.band(self.fields.weights, stratum);
        four.map_or(0.0, |four| self.between(four.map(f64::from)))
    }

    /// Signed distance in metres to a stratum's edge, negative inside; `None` where it is void or has no such band.
    #[inline]
    pub fn distance(&self, stratum: usize) -> Option<f64> {
        let four = self.band(self.fields.sdf, stratum)?;
        if four.contains(&i16::MIN) {
            return None;
        }
        Some(self.between(four.map(f64::from)) * self.fields.sdf_scale)
    }

    /// The smoothed normal, of length 1; straight up where the fields have no normals.
    #[inline]
    pub fn normal(&self) -> [f64; 3] {
        let component = |band| {
            let four = self.band(self.fields.normals?, band)?;
            Some(self.between(four.map(f64::from)))
        };
        match (component(0), component(1), component(2)) {
            (Some(x), Some(y), Some(z)) => normalised([x, y, z]),
            _ => [0.0, 0.0, 1.0],
        }
    }

    /// A further field; NaN where it is void, or there is no such field.
    #[inline]
    pub fn layer(&self, band: usize) -> f64 {
        let four = self
            .fields
            .layers
            .and_then(|raster| self.band(raster, band));
        four.map_or(f64::NAN, |four| self.between(four.map(f64::from)))
    }

    /// The four pixels of a band, from the north-west, row by row; `None` outside of the raster.
    #[inline]
    fn band<T: Copy>(&self, raster: &'a Raster<T>, band: usize) -> Option<[T; 4]> {
        if band >= raster.n_bands() {
            return None;
        }
        let rect = raster.rect();
        let corners = if rect == self.fields.weights.rect() {
            self.weights?
        } else {
            self.square.corners(&rect)?
        };
        Some(corners.read(raster.pixels(), band * rect.area()))
    }

    /// The bilinear mean of four pixels.
    #[inline]
    fn between(&self, [nw, ne, sw, se]: [f64; 4]) -> f64 {
        let (east, south) = self.fraction;
        let (north_side, south_side) = (lerp(nw, ne, east), lerp(sw, se, east));
        lerp(north_side, south_side, south)
    }
}

/// From `a` at t = 0 to `b` at t = 1.
#[inline]
pub(crate) fn lerp(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

/// A vector scaled to length 1; straight up where it has no length.
pub(crate) fn normalised([x, y, z]: [f64; 3]) -> [f64; 3] {
    let length = (x * x + y * y + z * z).sqrt();
    if length > 0.0 {
        [x / length, y / length, z / length]
    } else {
        [0.0, 0.0, 1.0]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::World;

    /// The height at a world position, if it has one.
    fn height(fields: &Fields<'_>, x: i64, y: i64) -> Option<f64> {
        Ground::at(fields, x, y)?.height()
    }

    #[test]
    fn a_plane_is_read_exactly_between_pixels() {
        let world = World::new(12, 9, |x, y| 100.0 + 0.25 * x - 0.5 * y);
        let fields = world.fields();
        let [west, south, east, north] = fields.transform.bounds(fields.map);
        let mut n = 0;
        for k in 0..4000_u64 {
            let h = ecotone_grid::mix(k);
            let x = ((west + (east - west) * (h & 0xffff) as f64 / 65536.0) * 1024.0) as i64;
            let y = ((south + (north - south) * (h >> 48) as f64 / 65536.0) * 1024.0) as i64;
            let Some(height) = height(&fields, x, y) else {
                continue;
            };
            n += 1;
            let plane = 100.0 + 0.25 * x as f64 / 1024.0 - 0.5 * y as f64 / 1024.0;
            assert!((height - plane).abs() < 1e-9);
        }
        // Eleven by eight of the twelve by nine pixels have all four neighbours.
        assert!((f64::from(n) / 4000.0 - 88.0 / 108.0).abs() < 0.03);
    }

    #[test]
    fn a_void_corner_makes_the_four_squares_around_it_void() {
        let mut world = World::new(8, 8, |_, _| 5.0);
        world.heights.row_mut(0, 3)[4] = f64::NAN;
        let fields = world.fields();
        for row in 0..7 {
            for column in 0..7 {
                let (x, y) = world.position(column as f64 + 0.5, row as f64 + 0.5);
                let void = (column == 3 || column == 4) && (row == 2 || row == 3);
                assert_eq!(height(&fields, x, y).is_none(), void, "{column} {row}");
            }
        }
    }

    #[test]
    fn the_outside_is_void_like_a_hole() {
        let world = World::new(4, 4, |_, _| 5.0);
        let fields = world.fields();
        let ground = |column: f64, row: f64| {
            let (x, y) = world.position(column, row);
            Ground::at(&fields, x, y).is_some()
        };
        assert!(ground(0.0, 0.0) && ground(2.9, 2.9));
        assert!(!ground(-0.1, 1.0) && !ground(1.0, -0.1) && !ground(3.0, 1.0) && !ground(1.0, 3.1));
        assert!(Ground::at(&fields, i64::MAX, i64::MIN).is_none());
    }
}
