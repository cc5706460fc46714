//! Round brushes, and the pixels that they touch.
//!
//! A pixel's share of a brush follows from the distance between its centre and the brush's, in double precision from the
//! absolute place of both, with nothing but the four operations and a square root: the same bits on every machine.

use std::fmt;

use ecotone_grid::{GeoTransform, Raster, Rect};

use super::{EditError, MOST_PIXELS};

/// The farthest, in metres, that one stroke may raise or lower.
pub const MOST_HEIGHT_M: f64 = 100_000.0;

/// A round brush on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brush {
    /// World x of its centre, metres.
    pub x: f64,
    /// World y of its centre, metres.
    pub y: f64,
    /// Its radius, metres.
    pub radius: f64,
    /// The share of the radius, in [0, 1], over which it fades out to nothing along 3t² − 2t³; 0 is a hard disc.
    pub falloff: f64,
}

impl fmt::Display for Brush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at ({}, {}) within {} m", self.x, self.y, self.radius)
    }
}

impl Brush {
    /// The metres that it adds to the ground of a map; NaN where it adds none.
    pub(super) fn heights(
        &self,
        height: f64,
        grid: &GeoTransform,
        map: Rect,
    ) -> Result<Raster<f32>, EditError> {
        let is_some = height.abs() <= MOST_HEIGHT_M && height != 0.0;
        let expected = format!("from -{MOST_HEIGHT_M} to {MOST_HEIGHT_M} m, and not 0");
        check("height", height, is_some, &expected)?;
        self.paint(height, f32::NAN, grid, map)
    }

    /// The shares by which it moves a weight; 0 where it moves none.
    pub(super) fn shares(
        &self,
        strength: f64,
        grid: &GeoTransform,
        map: Rect,
    ) -> Result<Raster<f32>, EditError> {
        let is_some = strength > 0.0 && strength <= 1.0;
        check("strength", strength, is_some, "more than 0 and at most 1")?;
        self.paint(strength, 0.0, grid, map)
    }

    /// Its share times `most` at each pixel that it touches, `none` at the others; no row and no column at the border without
    /// a touch.
    fn paint(
        &self,
        most: f64,
        none: f32,
        grid: &GeoTransform,
        map: Rect,
    ) -> Result<Raster<f32>, EditError> {
        self.check()?;
        let rect = self.rect(grid).intersect(&map);
        if rect.is_empty() {
            let [west, south, east, north] = grid.bounds(map);
            return Err(EditError::OffMap {
                what: self.named(),
                west,
                south,
                east,
                north,
            });
        }
        check_size(&self.named(), rect)?;
        let mut raster = Raster::new(rect, 1, none);
        for y in rect.y0..rect.y1 {
            let off_y = grid.y0 - (y as f64 + 0.5) * grid.pixel.y - self.y;
            for (x, pixel) in (rect.x0..rect.x1).zip(raster.row_mut(0, y)) {
                let off_x = grid.x0 + (x as f64 + 0.5) * grid.pixel.x - self.x;
                let value = (most * self.share(off_x, off_y)) as f32;
                *pixel = if value == 0.0 { none } else { value };
            }
        }
        cropped(&raster, |value| value.to_bits() != none.to_bits()).ok_or_else(|| {
            let pixel = grid.pixel;
            EditError::NoPixel {
                what: self.named(),
                x: pixel.x,
                y: pixel.y,
                sure: ((pixel.x * pixel.x + pixel.y * pixel.y).sqrt() * 50.0).ceil() / 100.0 + 0.01,
            }
        })
    }

    fn named(&self) -> String {
        format!("the brush {self}")
    }

    fn check(&self) -> Result<(), EditError> {
        check("x of the brush", self.x, self.x.is_finite(), "a number")?;
        check("y of the brush", self.y, self.y.is_finite(), "a number")?;
        let is_some = self.radius > 0.0 && self.radius.is_finite();
        check("radius", self.radius, is_some, "metres above 0")?;
        let is_share = (0.0..=1.0).contains(&self.falloff);
        check("falloff", self.falloff, is_share, "from 0 to 1")
    }

    /// The pixels that it may touch, one more on every side for what is lost in rounding.
    fn rect(&self, grid: &GeoTransform) -> Rect {
        let (west, north) = grid.pixel_at(self.x - self.radius, self.y + self.radius);
        let (east, south) = grid.pixel_at(self.x + self.radius, self.y - self.radius);
        // Half of what fits, so that the sums below fit; no map reaches so far.
        let whole = |v: f64| (v.floor() as i64).clamp(i64::MIN / 2, i64::MAX / 2);
        Rect::new(
            whole(west) - 1,
            whole(north) - 1,
            whole(east) + 3,
            whole(south) + 3,
        )
    }

    /// How much of it takes hold so far from its centre, from 0 to 1.
    fn share(&self, off_x: f64, off_y: f64) -> f64 {
        let t = (off_x * off_x + off_y * off_y).sqrt() / self.radius;
        if t > 1.0 {
            return 0.0;
        }
        // The whole of it also where there is no ramp.
        if t <= 1.0 - self.falloff {
            return 1.0;
        }
        let u = (1.0 - t) / self.falloff;
        u * u * (3.0 - 2.0 * u)
    }
}

/// Refuses a number that cannot be.
pub(super) fn check(
    what: &'static str,
    found: f64,
    is_right: bool,
    expected: &str,
) -> Result<(), EditError> {
    if is_right {
        return Ok(());
    }
    let expected = expected.to_owned();
    Err(EditError::Number {
        what,
        found,
        expected,
    })
}

/// Refuses a raster that is larger than an edit may have.
pub(super) fn check_size(what: &str, rect: Rect) -> Result<(), EditError> {
    // The sides of a map are below 2³², so that their product fits.
    if rect.area() <= MOST_PIXELS {
        return Ok(());
    }
    Err(EditError::TooLarge {
        what: what.to_owned(),
        found: rect.area(),
        most: MOST_PIXELS,
    })
}

/// The smallest part of a raster that holds all pixels that count; `None` where there is none.
pub(super) fn cropped(raster: &Raster<f32>, counts: impl Fn(f32) -> bool) -> Option<Raster<f32>> {
    let all = raster.rect();
    let window = raster.band(0);
    let mut part: Option<Rect> = None;
    for y in all.y0..all.y1 {
        let row = window.row(y);
        let first = row.iter().position(|&value| counts(value));
        let last = row.iter().rposition(|&value| counts(value));
        let (Some(first), Some(last)) = (first, last) else {
            continue;
        };
        let (x0, x1) = (all.x0 + first as i64, all.x0 + last as i64 + 1);
        let so_far = part.unwrap_or(Rect::new(x0, y, x1, y));
        part = Some(Rect::new(
            so_far.x0.min(x0),
            so_far.y0,
            so_far.x1.max(x1),
            y + 1,
        ));
    }
    let mut out = Raster::new(part?, 1, 0.0);
    out.paste(0, window);
    Some(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use ecotone_grid::PixelSize;

    use super::*;

    fn grid(x0: f64, y0: f64) -> GeoTransform {
        let pixel = PixelSize { x: 1.0, y: 2.0 };
        GeoTransform { x0, y0, pixel }
    }

    const MAP: Rect = Rect::new(0, 0, 20, 10);

    fn brush(x: f64, y: f64, radius: f64, falloff: f64) -> Brush {
        Brush {
            x,
            y,
            radius,
            falloff,
        }
    }

    #[test]
    fn a_hard_disc_holds_the_pixels_whose_centres_lie_in_it() {
        // Centres at 10.5 and −9, 2 m apart from row to row.
        let made = brush(10.5, -9.0, 2.0, 0.0).heights(3.0, &grid(0.0, 0.0), MAP);
        let made = made.unwrap();
        assert_eq!(made.rect(), Rect::new(8, 3, 13, 6));
        let held: Vec<bool> = made.pixels().iter().map(|v| *v == 3.0).collect();
        let row = |text: &str| text.chars().map(|c| c == '#').collect::<Vec<_>>();
        let right = [row("..#.."), row("#####"), row("..#..")].concat();
        assert_eq!(held, right);
        assert!(made.pixels().iter().all(|v| *v == 3.0 || v.is_nan()));
    }

    #[test]
    fn a_ramp_is_a_smooth_step() {
        let made = brush(10.5, -9.0, 4.0, 0.5).shares(0.5, &grid(0.0, 0.0), MAP);
        let made = made.unwrap();
        let row = made.band(0).row(4);
        // 3t² − 2t³ at t = ½ is ½, and the border itself has none.
        assert_eq!(row, [0.25, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25]);
    }

    #[test]
    fn far_from_the_origin_a_brush_is_the_same() {
        let near = brush(10.5, -9.0, 4.0, 1.0).shares(1.0, &grid(0.0, 0.0), MAP);
        let far = grid(8_388_608.0, -8_388_608.0);
        let far = brush(8_388_618.5, -8_388_617.0, 4.0, 1.0).shares(1.0, &far, MAP);
        assert_eq!(near.unwrap(), far.unwrap());
    }

    #[test]
    fn what_lies_beyond_the_border_is_cut_off() {
        let made = brush(0.0, 0.0, 3.0, 0.0).shares(1.0, &grid(0.0, 0.0), MAP);
        assert_eq!(made.unwrap().rect(), Rect::new(0, 0, 3, 1));
    }

    #[track_caller]
    fn check_refused(brush: Brush, height: f64, word: &str) {
        let error = brush.heights(height, &grid(0.0, 0.0), MAP).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }

    #[test]
    fn what_makes_no_sense_or_no_difference_is_refused() {
        let good = brush(10.0, -9.0, 2.0, 0.5);
        check_refused(
            Brush {
                x: f64::NAN,
                ..good
            },
            1.0,
            "x of the brush is NaN",
        );
        check_refused(
            Brush {
                radius: 0.0,
                ..good
            },
            1.0,
            "metres above 0",
        );
        let endless = f64::INFINITY;
        check_refused(
            Brush {
                radius: endless,
                ..good
            },
            1.0,
            "metres above 0",
        );
        check_refused(
            Brush {
                falloff: 1.5,
                ..good
            },
            1.0,
            "from 0 to 1",
        );
        check_refused(good, 0.0, "and not 0");
        check_refused(good, f64::NAN, "and not 0");
        check_refused(Brush { x: 1e300, ..good }, 1.0, "off the map");
        check_refused(
            Brush {
                radius: 0.2,
                ..good
            },
            1.0,
            "no pixel's centre",
        );
        assert!(good.shares(1.5, &grid(0.0, 0.0), MAP).is_err());
        let wide = Rect::new(0, 0, 1 << 14, 1 << 14);
        let wide = brush(0.0, 0.0, 1e300, 0.0).shares(1.0, &grid(0.0, 0.0), wide);
        assert!(matches!(wide, Err(EditError::TooLarge { .. })));
    }
}
