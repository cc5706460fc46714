//! Gradient noise over world metres.
//!
//! K. Perlin, *Improving noise*, SIGGRAPH 2002: quintic fades between the ramps of a lattice. The ramps are unit vectors
//! of every direction, each drawn by a hash of its lattice point, so that no table repeats itself.

use crate::{GeoTransform, mix};

/// One octave of gradient noise.
///
/// Values lie in [−1, 1] with mean 0 and a standard deviation of about 0.305; the ends are met only where four ramps
/// happen to point at one spot, and nine values of ten are within ±0.51. It is 0 at every lattice point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// The distance between lattice points in metres, above 0: over twice as much it rises and falls once.
    pub wavelength_m: f64,
    /// What its randomness starts from: equal seeds are equal noise.
    pub seed: u64,
}

/// What makes noise of all that a lattice hash is drawn for.
const PURPOSE: u64 = 0x6e6f_6973_655f_3264;
/// 2⁶⁴ over the golden ratio: sets apart what is mixed twice.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The ramps at the north and the south end of one column of lattice points, south being the lower y.
#[derive(Clone, Copy)]
struct Ramps {
    south: [f64; 2],
    north: [f64; 2],
}

impl Noise {
    /// Writes the noise at the centres of the pixels from (`x`, `y`) on to the east.
    pub fn write_row(&self, grid: &GeoTransform, (x, y): (i64, i64), out: &mut [f64]) {
        let world_y = grid.y0 - (y as f64 + 0.5) * grid.pixel.y;
        let (row, v) = self.cell(world_y);
        let fade_v = fade(v);
        let mut column = i64::MIN;
        let mut sides: Option<[Ramps; 2]> = None;
        for (k, out) in out.iter_mut().enumerate() {
            let world_x = grid.x0 + ((x + k as i64) as f64 + 0.5) * grid.pixel.x;
            let (own_column, u) = self.cell(world_x);
            let [west, east] = match sides {
                Some(sides) if own_column == column => sides,
                _ => [own_column, own_column.wrapping_add(1)].map(|column| self.ramps(column, row)),
            };
            (column, sides) = (own_column, Some([west, east]));
            *out = between([west, east], (u, v), fade_v);
        }
    }

    /// The noise at a world point in metres: the very bits that [`write_row`](Self::write_row) writes there.
    #[inline]
    pub fn at(&self, x_m: f64, y_m: f64) -> f64 {
        let ((column, u), (row, v)) = (self.cell(x_m), self.cell(y_m));
        let sides = [column, column.wrapping_add(1)].map(|column| self.ramps(column, row));
        between(sides, (u, v), fade(v))
    }

    /// The variance of the noise at a world point in metres, over all seeds: 0 at lattice points.
    pub fn variance(&self, x_m: f64, y_m: f64) -> f64 {
        let ((_, u), (_, v)) = (self.cell(x_m), self.cell(y_m));
        let (east, north) = (fade(u), fade(v));
        let corner = |weight: f64, du: f64, dv: f64| weight * weight * (du * du + dv * dv);
        // A ramp of any direction has half of its squared distance on either axis, and the noise is √2 of it.
        corner((1.0 - east) * (1.0 - north), u, v)
            + corner(east * (1.0 - north), u - 1.0, v)
            + corner((1.0 - east) * north, u, v - 1.0)
            + corner(east * north, u - 1.0, v - 1.0)
    }

    /// The lattice cell that a coordinate in metres lies in, and how far in, of 1.
    fn cell(&self, metres: f64) -> (i64, f64) {
        let cells = metres / self.wavelength_m;
        let cell = cells.floor();
        (cell as i64, cells - cell)
    }

    fn ramps(&self, column: i64, row: i64) -> Ramps {
        let column = mix(mix(self.seed ^ PURPOSE) ^ column as u64);
        let ramp = |row: i64| direction(mix(column.wrapping_add(GOLDEN) ^ row as u64));
        Ramps {
            south: ramp(row),
            north: ramp(row.wrapping_add(1)),
        }
    }
}

/// The value between the ramps of the four corners of a cell, at (`u`, `v`) of its sides from the south-west.
#[inline]
fn between([west, east]: [Ramps; 2], (u, v): (f64, f64), fade_v: f64) -> f64 {
    let fade_u = fade(u);
    let south = lerp(dot(west.south, u, v), dot(east.south, u - 1.0, v), fade_u);
    let north = lerp(
        dot(west.north, u, v - 1.0),
        dot(east.north, u - 1.0, v - 1.0),
        fade_u,
    );
    // Four unit ramps that point at the middle of their cell give √½ there, and nothing gives more.
    (lerp(south, north, fade_v) * std::f64::consts::SQRT_2).clamp(-1.0, 1.0)
}

/// A unit vector, every direction alike: the first of the points drawn in a square that lies in the unit disc.
fn direction(mut hash: u64) -> [f64; 2] {
    loop {
        let side = |bits: u32| f64::from(bits as i32) / 2_147_483_648.0;
        let (x, y) = (side(hash as u32), side((hash >> 32) as u32));
        let squared = x * x + y * y;
        if squared > 0.0 && squared <= 1.0 {
            let length = squared.sqrt();
            return [x / length, y / length];
        }
        hash = mix(hash.wrapping_add(GOLDEN));
    }
}

fn fade(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn lerp(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

fn dot([x, y]: [f64; 2], u: f64, v: f64) -> f64 {
    x * u + y * v
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PixelSize;

    fn noise(wavelength_m: f64, seed: u64) -> Noise {
        Noise { wavelength_m, seed }
    }

    fn grid(x0: f64, y0: f64, size: f64) -> GeoTransform {
        let pixel = PixelSize { x: size, y: size };
        GeoTransform { x0, y0, pixel }
    }

    fn row(noise: Noise, grid: GeoTransform, (x, y): (i64, i64), n: usize) -> Vec<f64> {
        let mut out = vec![f64::NAN; n];
        noise.write_row(&grid, (x, y), &mut out);
        out
    }

    /// The definition at a point of the lattice plane, all four corners anew.
    fn twin(noise: Noise, x: f64, y: f64) -> f64 {
        let (i, j) = (x.floor(), y.floor());
        let mut sum = 0.0;
        for (di, dj) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            let ramps = noise.ramps((i + di) as i64, (j + dj) as i64);
            let (u, v): (f64, f64) = (x - i - di, y - j - dj);
            let near =
                |d: f64| 1.0 - 6.0 * d.abs().powi(5) + 15.0 * d.powi(4) - 10.0 * d.abs().powi(3);
            sum += near(u) * near(v) * (ramps.south[0] * u + ramps.south[1] * v);
        }
        sum * 2_f64.sqrt()
    }

    #[test]
    fn every_value_is_its_slow_twin() {
        for seed in 0..200 {
            let wavelength = [0.3, 1.0, 7.7, 80.0][seed as usize % 4];
            let grid = grid(-310.25, 97.5, 1.5);
            let (x, y) = (mix(seed) as i64 % 5000, mix(seed + 1000) as i64 % 5000);
            for (k, found) in row(noise(wavelength, seed), grid, (x, y), 70)
                .iter()
                .enumerate()
            {
                let at_x = (-310.25 + (x as f64 + k as f64 + 0.5) * 1.5) / wavelength;
                let at_y = (97.5 - (y as f64 + 0.5) * 1.5) / wavelength;
                let right = twin(noise(wavelength, seed), at_x, at_y);
                assert!((found - right).abs() < 1e-9, "{found} is not {right}");
                let world_x = grid.x0 + ((x + k as i64) as f64 + 0.5) * grid.pixel.x;
                let world_y = grid.y0 - (y as f64 + 0.5) * grid.pixel.y;
                assert_eq!(noise(wavelength, seed).at(world_x, world_y), *found);
            }
        }
    }

    #[test]
    fn a_row_is_the_same_from_every_start() {
        let whole = row(noise(9.0, 3), grid(5.0, -7.0, 1.0), (-200, 12), 400);
        for (from, n) in [(0, 1), (1, 64), (63, 130), (399, 1)] {
            let part = row(noise(9.0, 3), grid(5.0, -7.0, 1.0), (from - 200, 12), n);
            assert_eq!(part, whole[from as usize..from as usize + n]);
        }
    }

    #[test]
    fn values_fill_the_range_around_0_as_documented() {
        let (mut sum, mut squares, mut most, mut inside) = (0.0, 0.0, 0.0_f64, 0);
        let n = 1_000_000_usize;
        for y in 0..1000 {
            for v in row(noise(11.3, 99), grid(0.0, 0.0, 1.0), (0, y), 1000) {
                assert!((-1.0..=1.0).contains(&v));
                (sum, squares, most) = (sum + v, squares + v * v, most.max(v.abs()));
                inside += usize::from(v.abs() < 0.51);
            }
        }
        let (mean, deviation) = (sum / n as f64, (squares / n as f64).sqrt());
        assert!(mean.abs() < 0.01, "mean {mean}");
        assert!((deviation - 0.305).abs() < 0.01, "deviation {deviation}");
        assert!(most > 0.9, "most {most}");
        let share = inside as f64 / n as f64;
        assert!((share - 0.9).abs() < 0.02, "{share} of all within 0.51");
    }

    #[test]
    fn the_variance_is_that_of_many_seeds() {
        for (x, y) in [(0.5, 0.5), (3.2, -7.9), (0.05, 0.9), (2.0, 4.5)] {
            let n = 40_000;
            let squares = (0..n).map(|seed| noise(1.0, seed).at(x, y).powi(2));
            let (found, right) = (
                squares.sum::<f64>() / n as f64,
                noise(1.0, 0).variance(x, y),
            );
            assert!((found / right - 1.0).abs() < 0.03, "{found} is not {right}");
        }
        assert_eq!(noise(4.0, 1).variance(8.0, -12.0), 0.0);
    }

    #[test]
    fn neighbours_differ_little_across_lattice_lines() {
        // The steepest slope of the noise, √2 times a few, over a thousandth of a cell.
        for y in 0..200 {
            let values = row(noise(1.0, 5), grid(0.0, 0.0, 1e-3), (-2500, y * 37), 5000);
            let step = values.windows(2).map(|pair| (pair[1] - pair[0]).abs());
            assert!(step.fold(0.0, f64::max) < 6e-3);
        }
    }

    #[test]
    fn far_from_the_origin_it_is_as_fine_as_near() {
        // Whole cells away the lattice differs, but a lattice point is 0 and a step is a step.
        for far in [1e7, -1e7] {
            let values = row(noise(80.0, 5), grid(far, far, 0.5), (0, 0), 3000);
            let step = values.windows(2).map(|pair| (pair[1] - pair[0]).abs());
            let most = step.fold(0.0, f64::max);
            assert!(most < 0.03 && most > 1e-3, "{most}");
            assert!(values.iter().any(|v| v.abs() > 0.3));
        }
        assert_eq!(
            row(noise(80.0, 5), grid(8e6 - 0.5, 8e6 + 0.5, 1.0), (0, 0), 1),
            [0.0]
        );
    }

    #[test]
    fn seeds_near_each_other_have_nothing_in_common() {
        let all = |seed| row(noise(3.0, seed), grid(0.0, 0.0, 1.7), (0, 0), 20_000);
        for (a, b) in [(0, 1), (1, 2), (2, 3), (0, 1 << 40)] {
            let (a, b) = (all(a), all(b));
            let together: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((together / 20_000.0).abs() < 0.01, "{together}");
        }
    }

    #[test]
    fn ramps_point_every_way_alike() {
        let mut counts = [0_u32; 16];
        for k in 0..160_000 {
            let [x, y] = direction(mix(k));
            assert!((x * x + y * y - 1.0).abs() < 1e-15);
            let turn = y.atan2(x) / std::f64::consts::TAU + 0.5;
            counts[((turn * 16.0) as usize).min(15)] += 1;
        }
        // Six deviations of 10,000 draws in sixteen.
        assert!(
            counts.iter().all(|n| n.abs_diff(10_000) < 600),
            "{counts:?}"
        );
    }
}
