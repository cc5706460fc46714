//! The shape of the ground: gradients of the heights, and the light on them.

use std::f32::consts::TAU;

use ecotone_grid::{Raster, Reach, Window};

use super::resample::Resampled;
use super::view::View;
use crate::{Finished, InterchangeError};

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

/// Horn's gradients, east and north, at a pixel that holds a height; a missing neighbour is replaced by the one-sided difference.
fn gradient(heights: Window<'_, f64>, x: i64, y: i64, [sx, sy]: [f64; 2]) -> [f64; 2] {
    let difference = |minus: f64, middle: f64, plus: f64, step: f64| {
        let (m, p) = (!minus.is_nan(), !plus.is_nan());
        match (m, p, !middle.is_nan()) {
            (true, true, _) => Some((plus - minus) / (2.0 * step)),
            (true, false, true) => Some((middle - minus) / step),
            (false, true, true) => Some((plus - middle) / step),
            _ => None,
        }
    };
    let mean = |of: [Option<f64>; 3]| {
        let weighted = of.into_iter().zip([1.0, 2.0, 1.0]);
        let (sum, weight) = weighted.fold((0.0, 0.0), |(sum, weight), (found, w)| {
            found.map_or((sum, weight), |g| (sum + w * g, weight + w))
        });
        if weight > 0.0 { sum / weight } else { 0.0 }
    };
    let at = |dx: i64, dy: i64| heights.at(x + dx, y + dy);
    let east = [-1, 0, 1].map(|dy| difference(at(-1, dy), at(0, dy), at(1, dy), sx));
    let north = [-1, 0, 1].map(|dx| difference(at(dx, 1), at(dx, 0), at(dx, -1), sy));
    [mean(east), mean(north)]
}

/// Shows each row of the view to `each` with the heights around it.
pub(super) fn each_gradient(
    world: &Finished,
    view: &View,
    mut each: impl FnMut(i64, &[Option<[f64; 2]>]),
) -> Result<(), InterchangeError> {
    let pixel = world.transform().pixel;
    let mut heights = Raster::default();
    let mut row = Vec::new();
    for rect in view.reads(1) {
        world.heights(rect.grow(Reach::square(1)), &mut heights)?;
        let window = heights.band(0);
        for y in rect.y0..rect.y1 {
            row.clear();
            row.extend((rect.x0..rect.x1).map(|x| {
                let known = !window.at(x, y).is_nan();
                known.then(|| gradient(window, x, y, [pixel.x, pixel.y]))
            }));
            each(y, &row);
        }
    }
    Ok(())
}

/// The ground under each pixel of a picture.
pub(super) fn ground(world: &Finished, view: &View) -> Result<Vec<Ground>, InterchangeError> {
    let mut sums = Resampled::<3>::new(view.columns(), view.rows());
    let mut line = Vec::new();
    each_gradient(world, view, |y, gradients| {
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

/// Tuned by eye: the root mean square of the shown slopes becomes 0.4, at most fourfold.
fn exaggeration(ground: &[Ground]) -> f32 {
    let known = ground.iter().filter(|g| g.cover > 0.0);
    let (sum, n) = known.fold((0.0_f64, 0_u32), |(sum, n), g| {
        (sum + f64::from(g.gx * g.gx + g.gy * g.gy), n + 1)
    });
    let rms = (sum / f64::from(n.max(1))).sqrt() as f32;
    (0.4 / rms.max(0.01)).clamp(0.6, 4.0)
}

fn light(gx: f32, gy: f32) -> f32 {
    const ALTITUDE: f32 = std::f32::consts::FRAC_PI_4;
    let length = (gx * gx + gy * gy + 1.0).sqrt();
    let (sum, weight) = [225.0_f32, 270.0, 315.0, 360.0].into_iter().fold((0.0, 0.0), |acc, azimuth| {
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

