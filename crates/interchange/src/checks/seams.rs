//! Sides of tiles that show: steps across them that the ground on both sides does not have.
//!
//! **Distances.** A distance to the nearest edge changes by no more than a pixel from one pixel to the next, and one more step of
//! what is stored: any larger step across a side is a fault, of however few pixels.
//!
//! **Weights.** The mean step across a side (half the sum over the strata of the differences, in levels of 255, over all pairs of
//! pixels that are no void) against the larger of the mean steps one pixel inside on either hand: a fault where it is more than
//! [`TIMES`] times that and [`LEVELS`] levels. A hard edge of a stratum that runs along a side by chance is told as well.

use ecotone_grid::{Raster, Rect};

use super::verdict::{Faults, Offender};
use super::{Check, Verdict};
use crate::{Finished, InterchangeError};

/// Tuned on mountains of 1 m pixels in tiles of 64 to 512: no side of theirs comes near.
const TIMES: f64 = 3.0;

/// Levels of 255; tuned likewise.
const LEVELS: f64 = 8.0;

/// A side between two tiles: four lines of pixels along it, two of each tile.
struct Side {
    rect: Rect,
    /// Whether its tiles lie east and west of it, else north and south.
    is_upright: bool,
}

pub(super) fn verdict(world: &Finished, check: &Check) -> Result<Verdict, InterchangeError> {
    let mut faults = Faults::default();
    let (mut weights, mut sdf) = (Raster::default(), Raster::default());
    for side in sides(world) {
        world.weights(side.rect, &mut weights)?;
        world.sdf(side.rect, &mut sdf)?;
        faults.n_seen += 1;
        let fault = side
            .of_distances(world, &sdf)
            .or_else(|| side.of_weights(&weights));
        if let Some((along, what)) = fault {
            let [x, y] = side.place(world, along);
            faults.note(|| Offender {
                species: None,
                x,
                y,
                what,
            });
        }
    }
    Ok(Verdict::of_faults(check, faults))
}

/// All sides between tiles, tile by tile: its east side, then its south side.
fn sides(world: &Finished) -> impl Iterator<Item = Side> {
    let grid = world.grid();
    let map = grid.map();
    grid.tiles().flat_map(move |tile| {
        let rect = grid.rect(tile);
        let east = Rect::new(rect.x1 - 2, rect.y0, rect.x1 + 2, rect.y1);
        let south = Rect::new(rect.x0, rect.y1 - 2, rect.x1, rect.y1 + 2);
        let both = [(east, true), (south, false)];
        both.into_iter().filter_map(move |(rect, is_upright)| {
            // Lines off the map are void, and hold no pair.
            let inside = rect.x1 - 2 < map.x1 && is_upright || rect.y1 - 2 < map.y1 && !is_upright;
            inside.then_some(Side { rect, is_upright })
        })
    })
}

impl Side {
    /// Pixels along it.
    fn length(&self) -> usize {
        match self.is_upright {
            true => self.rect.height(),
            false => self.rect.width(),
        }
    }

    /// The pixel of one of its four lines, `along` it.
    fn at<T: Copy>(&self, raster: &Raster<T>, band: usize, line: i64, along: usize) -> T {
        let (x, y) = match self.is_upright {
            true => (line, along as i64),
            false => (along as i64, line),
        };
        raster.band(band).at(self.rect.x0 + x, self.rect.y0 + y)
    }

    /// World metres of the border beside a pixel along it.
    fn place(&self, world: &Finished, along: usize) -> [f64; 2] {
        let along = along as f64 + 0.5;
        let (column, row) = match self.is_upright {
            true => (2.0, along),
            false => (along, 2.0),
        };
        let grid = world.transform();
        let (column, row) = (self.rect.x0 as f64 + column, self.rect.y0 as f64 + row);
        [
            grid.x0 + column * grid.pixel.x,
            grid.y0 - row * grid.pixel.y,
        ]
    }

    /// The largest step of distances that cannot be, and where along the side it is.
    fn of_distances(&self, world: &Finished, sdf: &Raster<i16>) -> Option<(usize, String)> {
        let edges = &world.manifest().edges;
        let pixel = world.transform().pixel;
        let across = if self.is_upright { pixel.x } else { pixel.y };
        let most = across + 1.001 * edges.scale;
        let step = |band, along| {
            let [a, b] = [1, 2].map(|line| self.at(sdf, band, line, along));
            let is_void = [a, b].contains(&edges.nodata);
            let step = (f64::from(a) - f64::from(b)).abs() * edges.scale;
            if is_void { 0.0 } else { step }
        };
        let places =
            (0..sdf.n_bands()).flat_map(|band| (0..self.length()).map(move |along| (band, along)));
        let (step, band, along) = places
            .map(|(band, along)| (step(band, along), band, along))
            .max_by(|a, b| a.0.total_cmp(&b.0))?;
        let stratum = &world.manifest().strata[band];
        (step > most).then(|| {
            let what = format!("the distance to {stratum} steps by {step:.2} m over {across:.2} m");
            (along, what)
        })
    }

    /// What shows in the weights.
    fn of_weights(&self, weights: &Raster<u8>) -> Option<(usize, String)> {
        let mean = |line| self.mean_step(weights, line);
        let across = mean(1);
        let inside = mean(0).max(mean(2));
        (across > TIMES * inside + LEVELS).then(|| {
            let what = format!(
                "weights step by {across:.1} of 255 across the tiles' border, by {inside:.1} beside it"
            );
            (self.length() / 2, what)
        })
    }

    /// The mean step from a line to the next, over the pairs of pixels that are no void; 0 where there is none.
    fn mean_step(&self, weights: &Raster<u8>, line: i64) -> f64 {
        let (mut sum, mut n) = (0_u64, 0_u64);
        for along in 0..self.length() {
            let (mut step, mut here, mut there) = (0, 0, 0);
            for band in 0..weights.n_bands() {
                let [a, b] = [line, line + 1].map(|line| self.at(weights, band, line, along));
                step += u64::from(a.abs_diff(b));
                here += u64::from(a);
                there += u64::from(b);
            }
            if here > 0 && there > 0 {
                sum += step;
                n += 1;
            }
        }
        sum as f64 / 2.0 / n.max(1) as f64
    }
}
