//! What part of the map a picture shows, and at what scale.

use ecotone_grid::{GeoTransform, Rect};

use super::pixels::Pixels;
use super::resample::Axis;
use crate::{Finished, InterchangeError};

/// The most pixels along one side of the ground.
pub const MAX_SIZE_PX: u32 = 4096;

const MIN_SIZE_PX: u32 = 16;

/// Source pixels that are read at once, all bands together.
const READ_PIXELS: usize = 4 << 20;

/// A region of the map and the pixels it is drawn with.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// West, south, east and north in world metres.
    pub(super) bounds: [f64; 4],
    /// Columns of the picture's ground.
    pub(super) width: usize,
    /// Rows of the picture's ground.
    pub(super) height: usize,
    transform: GeoTransform,
    map: Rect,
    /// Of so many rows of the map one is looked at.
    every: i64,
}

impl View {
    pub(super) fn new(
        world: &Finished,
        region: Option<[f64; 4]>,
        size_px: u32,
    ) -> Result<Self, InterchangeError> {
        if !(MIN_SIZE_PX..=MAX_SIZE_PX).contains(&size_px) {
            let (found, most) = (size_px, MAX_SIZE_PX);
            return Err(InterchangeError::PictureSize { found, most });
        }
        let extent = world.extent();
        let wanted = region.unwrap_or(extent);
        let bounds = [
            wanted[0].max(extent[0]),
            wanted[1].max(extent[1]),
            wanted[2].min(extent[2]),
            wanted[3].min(extent[3]),
        ];
        let [west, south, east, north] = bounds;
        let sound = wanted.iter().all(|m| m.is_finite());
        if !sound || west >= east || south >= north {
            let region = wanted;
            return Err(InterchangeError::RegionOffMap { region, extent });
        }
        let (width, height) = (east - west, north - south);
        let scale = f64::from(size_px) / width.max(height);
        let pixels = |metres: f64| (metres * scale).round().clamp(1.0, f64::from(size_px)) as usize;
        Ok(Self {
            bounds,
            width: pixels(width),
            height: pixels(height),
            transform: world.transform(),
            map: world.map(),
            every: 1,
        })
    }

    /// The same from two rows of the map for each row of the picture, where there are more.
    pub(super) fn thinned(self) -> Self {
        let rows = self.pixel_m()[1] / self.transform.pixel.y;
        let every = ((rows / 2.0) as i64).max(1);
        Self { every, ..self }
    }

    /// The same of other pixels of the same ground.
    pub(super) fn of(self, pixels: &dyn Pixels) -> Self {
        Self {
            transform: pixels.transform(),
            map: pixels.map(),
            ..self
        }
    }

    /// Whether a row of the map is looked at.
    pub(super) fn wants(&self, y: i64) -> bool {
        y % self.every == 0
    }

    /// Metres across one pixel of the picture, east–west and north–south.
    pub(super) fn pixel_m(&self) -> [f64; 2] {
        let [west, south, east, north] = self.bounds;
        [
            (east - west) / self.width as f64,
            (north - south) / self.height as f64,
        ]
    }

    /// The finer of the two.
    pub(super) fn metres_per_pixel(&self) -> f64 {
        let [x, y] = self.pixel_m();
        x.min(y)
    }

    /// Fractional column and row of a world point in the picture; borders of pixels lie at whole numbers.
    pub(super) fn place(&self, x: f64, y: f64) -> [f64; 2] {
        let [sx, sy] = self.pixel_m();
        [(x - self.bounds[0]) / sx, (self.bounds[3] - y) / sy]
    }

    /// How the columns of the picture are made of the map's.
    pub(super) fn columns(&self) -> Axis {
        let pixel = self.transform.pixel.x;
        let first = (self.bounds[0] - self.transform.x0) / pixel;
        Axis::new(self.width, first, self.pixel_m()[0] / pixel, self.map.x1)
    }

    /// How the rows of the picture are made of the map's.
    pub(super) fn rows(&self) -> Axis {
        let pixel = self.transform.pixel.y;
        let first = (self.transform.y0 - self.bounds[3]) / pixel;
        let axis = Axis::new(self.height, first, self.pixel_m()[1] / pixel, self.map.y1);
        axis.thinned(self.every)
    }

    /// The map pixels the picture is made of, in pieces of whole rows, north to south.
    pub(super) fn reads(&self, n_bands: usize) -> impl Iterator<Item = Rect> + use<> {
        let (columns, rows) = (self.columns().span(), self.rows().span());
        let width = (columns.end - columns.start).max(1) as usize;
        let n = (READ_PIXELS / (width * n_bands.max(1))).clamp(1, 512);
        rows.clone()
            .step_by(n)
            .map(move |y| Rect::new(columns.start, y, columns.end, (y + n as i64).min(rows.end)))
    }
}
