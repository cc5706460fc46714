//! The shape of the ground: gradients of the heights, and the light on them.

use std::f32::consts::TAU;

use ecotone_grid::{Raster, Reach};

use super::pixels::Pixels;
use super::resample::Resampled;
use super::view::View;
use crate::InterchangeError;

/// The mean gradient and height of the ground under one pixel of a picture.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ground {
    /// Metres per metre, growing east.
    pub(super) gx: f32,
    /// Metres per metre, growing north.
    pub(super) gy: f32,
    /// Share that holds a height.
    pub(super) cover: f32,
}

/// Three rows of heights, north to south.
type Rows<'a> = [&'a [f64]; 3];

/// Horn's gradients, east and north, at column `x` of the middle row, which holds a height.
#[inline]
fn gradient(rows: Rows<'_>, x: usize, [sx, sy]: [f64; 2]) -> [f64; 2] {
    let [north, here, south] = rows;
    let (n, h, s) = (
        &north[x - 1..=x + 1],
        &here[x - 1..=x + 1],
        &south[x - 1..=x + 1],
    );
    let to_east = (n[2] - n[0]) + 2.0 * (h[2] - h[0]) + (s[2] - s[0]);
    let to_north = (n[0] - s[0]) + 2.0 * (n[1] - s[1]) + (n[2] - s[2]);
    if (to_east + to_north).is_nan() {
        let around = [[n[0], n[1], n[2]], [h[0], h[1], h[2]], [s[0], s[1], s[2]]];
        return gradient_beside_voids(around, [sx, sy]);
    }
    [to_east / (8.0 * sx), to_north / (8.0 * sy)]
}

/// The same where neighbours are missing: each row and column takes the one-sided difference, or none.
#[cold]
fn gradient_beside_voids(around: [[f64; 3]; 3], [sx, sy]: [f64; 2]) -> [f64; 2] {
    let difference = |minus: f64, middle: f64, plus: f64, step: f64| {
        let both = (plus - minus) / (2.0 * step);
        let (ahead, behind) = ((plus - middle) / step, (middle - minus) / step);
        [both, ahead, behind].into_iter().find(|d| !d.is_nan())
    };
    let mean = |of: [Option<f64>; 3]| {
        let weighted = of.into_iter().zip([1.0, 2.0, 1.0]);
        let (sum, weight) = weighted.fold((0.0, 0.0), |(sum, weight), (found, w)| {
            found.map_or((sum, weight), |g| (sum + w * g, weight + w))
        });
        if weight > 0.0 { sum / weight } else { 0.0 }
    };
    let east = around.map(|[w, middle, e]| difference(w, middle, e, sx));
    let north = [0, 1, 2].map(|k| difference(around[2][k], around[1][k], around[0][k], sy));
    [mean(east), mean(north)]
}

/// Shows each row of the view to `each` with the heights around it.
pub(super) fn each_gradient(
    pixels: &dyn Pixels,
    view: &View,
    mut each: impl FnMut(i64, &[Option<[f64; 2]>]),
) -> Result<(), InterchangeError> {
    let pixel = pixels.transform().pixel;
    let mut heights = Raster::default();
    let mut row = Vec::new();
    for rect in view.reads(1) {
        pixels.heights(rect.grow(Reach::square(1)), &mut heights)?;
        let window = heights.band(0);
        for y in (rect.y0..rect.y1).filter(|&y| view.wants(y)) {
            let rows = [y - 1, y, y + 1].map(|y| window.row(y));
            row.clear();
            row.extend((1..=rect.width()).map(|x| {
                let known = !rows[1][x].is_nan();
                known.then(|| gradient(rows, x, [pixel.x, pixel.y]))
            }));
            each(y, &row);
        }
    }
    Ok(())
}

/// The ground under each pixel of a picture.
pub(super) fn ground(pixels: &dyn Pixels, view: &View) -> Result<Vec<Ground>, InterchangeError> {
    let mut sums = Resampled::<3>::new(view.columns(), view.rows());
    let mut line = Vec::new();
    each_gradient(pixels, view, |y, gradients| {
        line.clear();
        line.extend(gradients.iter().map(|gradient| match gradient {
            Some([gx, gy]) => [*gx as f32, *gy as f32, 1.0],
            None => [0.0; 3],
        }));
        sums.add(y, &line);
    })?;
    let mean = |[gx, gy, cover]: [f32; 3]| {
        let over = cover.max(f32::MIN_POSITIVE);
        Ground {
            gx: gx / over,
            gy: gy / over,
            cover,
        }
    };
    Ok(sums.finish().into_iter().map(mean).collect())
}

/// Brightness of each pixel under soft light from four sides, 1 on flat ground.
///
/// Mark's multidirectional shading (R. K. Mark, USGS Open-File Report 92-422): lights from the west to the north-east, each counting
/// most for the slopes it grazes. Heights are exaggerated so that gentle ground shows and steep ground does not go black.
pub(super) fn shade(ground: &[Ground]) -> Vec<f32> {
    let exaggeration = exaggeration(ground);
    ground
        .iter()
        .map(|g| light(g.gx * exaggeration, g.gy * exaggeration))
        .collect()
}

/// Tuned by eye: the root mean square of the shown slopes becomes 0.45, at most sixfold.
fn exaggeration(ground: &[Ground]) -> f32 {
    let known = ground.iter().filter(|g| g.cover > 0.0);
    let (sum, n) = known.fold((0.0_f64, 0_u32), |(sum, n), g| {
        (sum + f64::from(g.gx * g.gx + g.gy * g.gy), n + 1)
    });
    let rms = (sum / f64::from(n.max(1))).sqrt() as f32;
    (0.45 / rms.max(0.01)).clamp(0.6, 6.0)
}

fn light(gx: f32, gy: f32) -> f32 {
    const ALTITUDE: f32 = std::f32::consts::FRAC_PI_4;
    let length = (gx * gx + gy * gy + 1.0).sqrt();
    let (sum, weight) =
        [225.0_f32, 270.0, 315.0, 360.0]
            .into_iter()
            .fold((0.0, 0.0), |acc, azimuth| {
                let turn = azimuth / 360.0 * TAU;
                let (lx, ly) = (turn.sin(), turn.cos());
                // The slope's share across the light: sin² of the angle between its aspect and the light, and a floor for flat ground.
                let across = (gx * ly - gy * lx).powi(2) / (gx * gx + gy * gy + 0.05);
                let facing = ((-gx * lx - gy * ly) * ALTITUDE.cos() + ALTITUDE.sin()) / length;
                // The north-west counts most, as on every map.
                let share = (0.3 + across) * if azimuth == 315.0 { 2.0 } else { 1.0 };
                (acc.0 + share * facing.max(0.0), acc.1 + share)
            });
    sum / weight / ALTITUDE.sin()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heights of the plane 2·east − 3·north on pixels of 2 × 4 m around the middle, void where `holes` says.
    fn plane(holes: &[usize]) -> [f64; 2] {
        let at = |row: usize, column: usize| {
            let (east, north) = (2.0 * column as f64, -4.0 * row as f64);
            let hole = holes.contains(&(3 * row + column));
            if hole {
                f64::NAN
            } else {
                2.0 * east - 3.0 * north
            }
        };
        let rows: [[f64; 3]; 3] =
            std::array::from_fn(|row| std::array::from_fn(|column| at(row, column)));
        gradient([&rows[0], &rows[1], &rows[2]], 1, [2.0, 4.0])
    }

    #[test]
    fn a_plane_keeps_its_slope_beside_voids() {
        for holes in [&[][..], &[0], &[0, 1, 2], &[2, 5, 8], &[0, 1, 2, 3, 6]] {
            assert_eq!(plane(holes), [2.0, -3.0], "{holes:?}");
        }
        assert_eq!(plane(&[0, 1, 2, 3, 5, 6, 7, 8]), [0.0, 0.0]);
    }

    #[test]
    fn slopes_to_the_north_west_are_light_and_flat_ground_is_even() {
        assert!((light(0.0, 0.0) - 1.0).abs() < 1e-6);
        // Falling to the north-west: rising east, falling north.
        assert!(light(0.3, -0.3) > 1.1 && light(-0.3, 0.3) < 0.9);
    }
}
