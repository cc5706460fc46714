//! A mask's pixels at the centres of the map's, bilinear.

use ecotone_grid::{GeoTransform, Raster, Rect, Window};

/// How the centres of the map's pixels lie among a mask's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sampling {
    columns: Axis,
    rows: Axis,
}

impl Sampling {
    /// Of a mask over all of `mask`, both grids in the same coordinates.
    pub(super) fn new(map: &GeoTransform, grid: &GeoTransform, mask: Rect) -> Self {
        Self {
            columns: Axis {
                start: map.x0 - grid.x0,
                step: map.pixel.x,
                pixel: grid.pixel.x,
                n: mask.x1,
            },
            // Rows go south from the north border.
            rows: Axis {
                start: grid.y0 - map.y0,
                step: map.pixel.y,
                pixel: grid.pixel.y,
                n: mask.y1,
            },
        }
    }

    /// Of a mask that is stretched over the whole map.
    pub(super) fn stretched(map: Rect, mask: Rect) -> Self {
        let axis = |map: i64, mask: i64| Axis {
            start: 0.0,
            step: mask as f64,
            pixel: map as f64,
            n: mask,
        };
        Self {
            columns: axis(map.x1, mask.x1),
            rows: axis(map.y1, mask.y1),
        }
    }

    /// How many pixels of the mask lie across one of the map: the larger number of both axes.
    pub(super) fn fineness(&self) -> f64 {
        (self.columns.step / self.columns.pixel).max(self.rows.step / self.rows.pixel)
    }

    /// The share of the map that the mask covers.
    pub(super) fn share(&self, map: Rect) -> f64 {
        self.columns.share(map.x1) * self.rows.share(map.y1)
    }

    /// The pixels of the mask that pixels of the map read; empty where it does not reach.
    pub(super) fn window(&self, rect: Rect) -> Rect {
        let ((x0, x1), (y0, y1)) = (
            self.columns.span(rect.x0, rect.x1),
            self.rows.span(rect.y0, rect.y1),
        );
        Rect::new(x0, y0, x1, y1)
    }

    /// The most pixels of the mask that a rectangle of the map as large as `rect` reads, wherever it lies.
    pub(super) fn most_under(&self, rect: Rect) -> usize {
        let along = |axis: &Axis, n: usize| {
            // The first, the pixel in which the last centre lies, and that one's neighbour.
            let between = (n.saturating_sub(1) as f64 * axis.step / axis.pixel) as usize;
            between.saturating_add(3).min(axis.n as usize)
        };
        along(&self.columns, rect.width()).saturating_mul(along(&self.rows, rect.height()))
    }

    /// Writes the coverage of pixels of the map into `rect` of band `band` of `out`, 0 beyond the mask.
    ///
    /// `coverage` covers the [`window`](Self::window) of `rect`.
    pub(super) fn write(
        &self,
        coverage: Window<'_, f64>,
        rect: Rect,
        band: usize,
        out: &mut Raster<f32>,
    ) {
        let from = (rect.x0 - out.rect().x0) as usize;
        for y in rect.y0..rect.y1 {
            let row = &mut out.row_mut(band, y)[from..from + rect.width()];
            let Some(v) = self.rows.at(y) else {
                row.fill(0.0);
                continue;
            };
            let rows = [v.low, v.high].map(|y| coverage.row(y));
            for (x, out) in (rect.x0..).zip(row) {
                let Some(u) = self.columns.at(x) else {
                    *out = 0.0;
                    continue;
                };
                let [west, east] = [u.low, u.high].map(|x| (x - coverage.rect().x0) as usize);
                let [north, south] = rows.map(|row| lerp(row[west], row[east], u.share));
                *out = lerp(north, south, v.share) as f32;
            }
        }
    }
}

fn lerp(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

/// One axis of the two grids.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    /// From the mask's border to the map's, west to east or north to south.
    start: f64,
    /// Size of the map's pixels.
    step: f64,
    /// Size of the mask's pixels.
    pixel: f64,
    /// How many pixels the mask has.
    n: i64,
}

/// Two neighbouring pixels of the mask, and how much the second one counts.
struct Pair {
    low: i64,
    high: i64,
    share: f64,
}

impl Axis {
    /// The centre of the map's pixel `i` in pixels of the mask, whose centres are whole numbers.
    fn centre(&self, i: i64) -> f64 {
        (self.start + (i as f64 + 0.5) * self.step) / self.pixel - 0.5
    }

    /// Where the map's pixel `i` lies, held to the mask's outermost centres; `None` beyond its borders.
    fn at(&self, i: i64) -> Option<Pair> {
        let centre = self.centre(i);
        let last = self.n - 1;
        if !(centre >= -0.5 && centre < last as f64 + 0.5) {
            return None;
        }
        let held = centre.clamp(0.0, last as f64);
        let low = (held.floor() as i64).min((last - 1).max(0));
        Some(Pair {
            low,
            high: (low + 1).min(last),
            share: held - low as f64,
        })
    }

    /// First and last-but-one pixel of the mask that pixels `from..to` of the map read.
    fn span(&self, from: i64, to: i64) -> (i64, i64) {
        // Centres grow with the pixel's number, so only the ends and the mask's borders need a look.
        let held = |i: i64| self.centre(i).clamp(0.0, (self.n - 1) as f64).floor() as i64;
        let is_beyond = self.centre(to - 1) < -0.5 || self.centre(from) >= self.n as f64 - 0.5;
        if is_beyond || to <= from {
            return (0, 0);
        }
        let first = held(from).min((self.n - 2).max(0));
        (first, (held(to - 1) + 2).min(self.n))
    }

    /// The share of the map's `n` pixels whose centres lie on the mask.
    fn share(&self, n: i64) -> f64 {
        // The numbers where `centre` is at the mask's borders.
        let border = |at: f64| ((at * self.pixel - self.start) / self.step - 0.5).ceil();
        let clamped = |at: f64| border(at).clamp(0.0, n as f64);
        (clamped(self.n as f64) - clamped(0.0)) / n as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ecotone_grid::{PixelSize, mix};
    use proptest::prelude::*;

    fn grid(x0: f64, y0: f64, x: f64, y: f64) -> GeoTransform {
        let pixel = PixelSize { x, y };
        GeoTransform { x0, y0, pixel }
    }

    fn pixels(rect: Rect, value: impl Fn(i64, i64) -> f64) -> Raster<f64> {
        let rows = (rect.y0..rect.y1).flat_map(|y| (rect.x0..rect.x1).map(move |x| (x, y)));
        Raster::from_pixels(rect, 1, rows.map(|(x, y)| value(x, y)).collect())
    }

    /// The coverage of a rectangle, from the part of the mask that its window names.
    fn made(sampling: &Sampling, mask: &Raster<f64>, rect: Rect) -> Vec<f32> {
        let window = sampling.window(rect);
        assert!(mask.rect().covers(&window), "{window:?}");
        let part = pixels(window, |x, y| mask.band(0).at(x, y));
        let mut out = Raster::new(rect, 1, f32::NAN);
        sampling.write(part.band(0), rect, 0, &mut out);
        out.into_pixels()
    }

    /// Bilinear by definition: every pixel of the mask counts by its tents, in coordinates held to the outermost centres.
    fn twin(map: &GeoTransform, own: &GeoTransform, mask: &Raster<f64>, (i, j): (i64, i64)) -> f64 {
        let x = map.x0 + (i as f64 + 0.5) * map.pixel.x;
        let y = map.y0 - (j as f64 + 0.5) * map.pixel.y;
        let [west, south, east, north] = own.bounds(mask.rect());
        if x < west || x >= east || y > north || y <= south {
            return 0.0;
        }
        let (u, v) = own.pixel_at(x, y);
        let u = u.clamp(0.0, (mask.rect().x1 - 1) as f64);
        let v = v.clamp(0.0, (mask.rect().y1 - 1) as f64);
        let tent = |d: f64| (1.0 - d.abs()).max(0.0);
        let mut sum = 0.0;
        for l in 0..mask.rect().y1 {
            for k in 0..mask.rect().x1 {
                sum += mask.band(0).at(k, l) * tent(u - k as f64) * tent(v - l as f64);
            }
        }
        sum
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn every_pixel_is_its_slow_twin_from_any_rectangle(
            seed: u64,
            size in (1_i64..9, 1_i64..9),
            pixel in (0.3_f64..9.0, 0.3_f64..9.0),
            place in (-20.0_f64..20.0, -20.0_f64..20.0),
            far in prop::sample::select(vec![0.0, 1e7]),
        ) {
            let map = grid(far, far, 1.5, 1.0);
            let own = grid(far + place.0, far + place.1, pixel.0, pixel.1);
            let mask = pixels(Rect::new(0, 0, size.0, size.1), |x, y| {
                (mix(seed ^ mix(x as u64) ^ y as u64) % 256) as f64 / 255.0
            });
            let sampling = Sampling::new(&map, &own, mask.rect());
            let rect = Rect::new(0, 0, 24, 20);
            let whole = made(&sampling, &mask, rect);
            prop_assert!(sampling.window(rect).area() <= sampling.most_under(rect));
            let mut inside = 0;
            for (k, &found) in whole.iter().enumerate() {
                let (i, j) = (k as i64 % 24, k as i64 / 24);
                let right = twin(&map, &own, &mask, (i, j));
                prop_assert!((f64::from(found) - right).abs() < 1e-6, "{} {}: {} {}", i, j, found, right);
                let pixel = Rect::new(i, j, i + 1, j + 1);
                let alone = made(&sampling, &mask, pixel);
                prop_assert!(sampling.window(pixel).area() <= sampling.most_under(pixel));
                prop_assert_eq!(alone[0].to_bits(), found.to_bits());
                let [x, y] = [sampling.columns.at(i), sampling.rows.at(j)];
                inside += usize::from(x.is_some() && y.is_some());
            }
            prop_assert!((sampling.share(rect) - inside as f64 / 480.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_mask_twice_as_coarse_mixes_three_to_one() {
        let mask = pixels(Rect::new(0, 0, 2, 1), |x, _| x as f64);
        let sampling = Sampling::new(
            &grid(0.0, 1.0, 1.0, 1.0),
            &grid(0.0, 2.0, 2.0, 2.0),
            mask.rect(),
        );
        let row = made(&sampling, &mask, Rect::new(-1, 0, 5, 1));
        assert_eq!(row, [0.0, 0.0, 0.25, 0.75, 1.0, 0.0]);
    }

    #[test]
    fn a_stretched_mask_covers_the_whole_map() {
        let mask = pixels(Rect::new(0, 0, 2, 2), |x, y| (x + y) as f64 / 2.0);
        let map = Rect::new(0, 0, 4, 4);
        let sampling = Sampling::stretched(map, mask.rect());
        assert_eq!(sampling.share(map), 1.0);
        assert_eq!(
            made(&sampling, &mask, Rect::new(0, 0, 4, 1)),
            [0.0, 0.125, 0.375, 0.5]
        );
        assert_eq!(
            made(&sampling, &mask, Rect::new(0, 3, 4, 4)),
            [0.5, 0.625, 0.875, 1.0]
        );
    }

    #[test]
    fn level_ground_stays_level_to_the_bit() {
        let mask = pixels(Rect::new(0, 0, 7, 5), |_, _| 0.3);
        let sampling = Sampling::new(
            &grid(0.1, 9.7, 0.37, 0.4),
            &grid(0.0, 10.0, 1.9, 2.1),
            mask.rect(),
        );
        let row = made(&sampling, &mask, Rect::new(0, 0, 20, 10));
        assert!(row.iter().all(|&c| c == 0.3));
    }
}
