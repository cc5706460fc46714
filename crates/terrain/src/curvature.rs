//! Curvatures of the ground from its normals.
//!
//! The surface z(x, y) has p = ∂z/∂x and q = ∂z/∂y, which a unit normal gives as −nx/nz and −ny/nz, and the second
//! derivatives r = ∂p/∂x, t = ∂q/∂y and s = ½(∂p/∂y + ∂q/∂x). With g = p² + q² and w = 1 + g:
//!
//! - mean: −((1 + q²)r − 2pqs + (1 + p²)t) / 2w^{3/2}
//! - profile: −(p²r + 2pqs + q²t) / g·w^{3/2}
//! - plan: −(q²r − 2pqs + p²t) / g·w^{1/2}
//!
//! I. V. Florinsky, *Digital Terrain Analysis in Soil Science and Geology*, 2nd ed. 2016, ch. 2 (H, kv and kh), after
//! I. S. Evans, *Statistical characterization of altitude matrices*, 1979. The mean is half the sum of the other two.

use ecotone_grid::{PixelSize, Raster, Reach, Window};

use crate::gradient::{difference, found};
use crate::strata::Curvature;

/// How far around a pixel its curvatures read normals.
pub const CURVATURE_REACH: Reach = Reach::square(1);

/// Memory of one stretch of pixels.
#[derive(Clone, Debug, Default)]
pub struct CurvatureScratch {
    /// p and q of three rows, each a pixel wider on both sides.
    slopes: [[Vec<f64>; 2]; 3],
    row: Vec<f64>,
}

/// Writes a curvature in 1/m into a band of a raster, above 0 on convex ground; anything on voids.
///
/// `normals` has three bands, x (east), y (north) and z (up), and covers the raster and [`CURVATURE_REACH`] around it. Where a
/// pixel beside one is void or off the map, its curvature looks past it.
pub fn curvature(
    normals: &Raster<f32>,
    kind: Curvature,
    pixel: PixelSize,
    scratch: &mut CurvatureScratch,
    band: usize,
    out: &mut Raster<f32>,
) {
    let rect = out.rect();
    debug_assert!(normals.rect().covers(&rect.grow(CURVATURE_REACH)));
    let normals = [0, 1, 2].map(|component| normals.band(component));
    let mut row = std::mem::take(&mut scratch.row);
    row.resize(rect.width(), 0.0);
    for y in rect.y0..rect.y1 {
        write_curvature(kind, normals, pixel, (rect.x0, y), scratch, &mut row);
        for (out, &curvature) in out.row_mut(band, y).iter_mut().zip(&row) {
            *out = curvature as f32;
        }
    }
    scratch.row = row;
}

/// Writes a curvature in 1/m of the pixels from (`x`, `y`) on to the east, above 0 on convex ground; anything on voids.
///
/// `normals` covers those pixels and one more on every side. A derivative takes the difference of the pixels beside its
/// own, one-sided where one of them is void, and is 0 where both are. Ground without slope has the mean in every
/// direction.
pub(crate) fn write_curvature(
    kind: Curvature,
    normals: [Window<'_, f32>; 3],
    pixel: PixelSize,
    (x, y): (i64, i64),
    scratch: &mut CurvatureScratch,
    out: &mut [f64],
) {
    for (slopes, y) in scratch.slopes.iter_mut().zip(y - 1..) {
        write_slopes(normals, (x - 1, y), out.len() + 2, slopes);
    }
    let (per_x, per_y) = (1.0 / pixel.x, 1.0 / pixel.y);
    let [north, here, south] = &scratch.slopes;
    for (i, out) in out.iter_mut().enumerate() {
        let east = |of: usize| {
            let row = &here[of];
            found(difference::<false>(row[i], row[i + 1], row[i + 2], per_x))
        };
        let up = |of: usize| {
            let (s, h, n) = (south[of][i + 1], here[of][i + 1], north[of][i + 1]);
            found(difference::<false>(s, h, n, per_y))
        };
        let surface = Surface {
            p: here[0][i + 1],
            q: here[1][i + 1],
            r: east(0),
            s: 0.5 * (up(0) + east(1)),
            t: up(1),
        };
        let curvature = surface.curvature(kind);
        // A wall has no slope in metres per metre.
        *out = if curvature.is_finite() {
            curvature
        } else {
            0.0
        };
    }
}

/// Writes p and q of `n` pixels of a row.
fn write_slopes(
    normals: [Window<'_, f32>; 3],
    (x, y): (i64, i64),
    n: usize,
    [p, q]: &mut [Vec<f64>; 2],
) {
    let [nx, ny, nz] = normals.map(|band| {
        let from = (x - band.rect().x0) as usize;
        &band.row(y)[from..from + n]
    });
    p.clear();
    q.clear();
    let slope = |(&n, &nz): (&f32, &f32)| -f64::from(n) / f64::from(nz);
    p.extend(nx.iter().zip(nz).map(slope));
    q.extend(ny.iter().zip(nz).map(slope));
}

/// The first and second derivatives of the heights at a pixel.
struct Surface {
    p: f64,
    q: f64,
    r: f64,
    s: f64,
    t: f64,
}

impl Surface {
    fn curvature(&self, kind: Curvature) -> f64 {
        let &Self { p, q, r, s, t } = self;
        let g = p * p + q * q;
        let w = 1.0 + g;
        let (along, across) = (
            p * p * r + 2.0 * p * q * s + q * q * t,
            q * q * r - 2.0 * p * q * s + p * p * t,
        );
        match kind {
            Curvature::Profile if g > 0.0 => -along / (g * w * w.sqrt()),
            Curvature::Plan if g > 0.0 => -across / (g * w.sqrt()),
            _ => -(r + t + across) / (2.0 * w * w.sqrt()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ecotone_grid::{Raster, Rect, mix};

    const KINDS: [Curvature; 3] = [Curvature::Mean, Curvature::Profile, Curvature::Plan];

    /// Exact normals of a surface by its slopes, NaN where they are, pixel (x, y) at (x · size, −y · size).
    fn normals(rect: Rect, pixel: PixelSize, slopes: impl Fn(f64, f64) -> [f64; 2]) -> Raster<f32> {
        let mut out = Raster::new(rect, 3, f32::NAN);
        for y in rect.y0..rect.y1 {
            for x in rect.x0..rect.x1 {
                let [p, q] = slopes(x as f64 * pixel.x, -y as f64 * pixel.y);
                let k = 1.0 / (1.0 + p * p + q * q).sqrt();
                for (band, n) in [-p * k, -q * k, k].into_iter().enumerate() {
                    out.row_mut(band, y)[(x - rect.x0) as usize] = n as f32;
                }
            }
        }
        out
    }

    fn curvature(normals: &Raster<f32>, pixel: PixelSize, kind: Curvature, at: (i64, i64)) -> f64 {
        let bands = [0, 1, 2].map(|band| normals.band(band));
        let mut out = [f64::NAN];
        let mut scratch = CurvatureScratch::default();
        write_curvature(kind, bands, pixel, at, &mut scratch, &mut out);
        out[0]
    }

    #[track_caller]
    fn near(found: f64, right: f64, within: f64) {
        assert!((found - right).abs() <= within, "{found} is not {right}");
    }

    #[test]
    fn a_plane_has_no_curvature() {
        let pixel = PixelSize { x: 2.0, y: 3.0 };
        let plane = normals(Rect::new(0, 0, 5, 5), pixel, |_, _| [0.3, -0.7]);
        for kind in KINDS {
            assert_eq!(curvature(&plane, pixel, kind, (2, 2)), 0.0);
        }
    }

    #[test]
    fn a_ball_is_curved_by_its_radius_everywhere_and_every_way() {
        let radius = 400.0;
        let pixel = PixelSize { x: 1.0, y: 2.0 };
        let ball = normals(Rect::new(-200, -100, 200, 100), pixel, |x, y| {
            let z = (radius * radius - x * x - y * y).sqrt();
            [-x / z, -y / z]
        });
        for at in [(0, 0), (50, 0), (0, 40), (-120, 60), (101, -33)] {
            for kind in KINDS {
                near(curvature(&ball, pixel, kind, at), 1.0 / radius, 1e-6);
            }
        }
    }

    #[test]
    fn a_raster_of_curvatures_is_made_of_its_pixels_from_any_window() {
        let pixel = PixelSize { x: 2.0, y: 1.5 };
        let ground = normals(Rect::new(-6, -5, 9, 8), pixel, |x, y| {
            [0.02 * x * y, 0.1 * x - 0.01 * y * y]
        });
        for kind in KINDS {
            for rect in [Rect::new(-5, -4, 8, 7), Rect::new(0, 1, 3, 2)] {
                let mut out = Raster::new(rect, 2, f32::NAN);
                let mut scratch = CurvatureScratch::default();
                super::curvature(&ground, kind, pixel, &mut scratch, 1, &mut out);
                for y in rect.y0..rect.y1 {
                    for x in rect.x0..rect.x1 {
                        let right = curvature(&ground, pixel, kind, (x, y)) as f32;
                        assert_eq!(out.band(1).at(x, y).to_bits(), right.to_bits());
                    }
                }
                assert!(out.band(0).pixels().iter().all(|c| c.is_nan()));
            }
        }
    }

    #[test]
    fn a_cone_is_straight_down_its_side_and_round_across_it() {
        // z = −c·d: kv = 0, and kh = c / (d √(1 + c²)) at the distance d from the axis.
        let (c, pixel) = (0.75, PixelSize { x: 0.5, y: 0.5 });
        let cone = normals(Rect::new(-300, -300, 300, 300), pixel, |x, y| {
            let d = (x * x + y * y).sqrt();
            [-c * x / d, -c * y / d]
        });
        for (x, y) in [(200, 0), (0, -160), (90, 120), (-100, 77)] {
            let d = 0.5 * ((x * x + y * y) as f64).sqrt();
            let across = c / (d * (1.0 + c * c).sqrt());
            near(
                curvature(&cone, pixel, Curvature::Profile, (x, y)),
                0.0,
                1e-6,
            );
            near(
                curvature(&cone, pixel, Curvature::Plan, (x, y)),
                across,
                1e-5,
            );
            near(
                curvature(&cone, pixel, Curvature::Mean, (x, y)),
                across / 2.0,
                1e-5,
            );
        }
    }

    #[test]
    fn a_valley_is_hollow_across_and_the_parabola_has_its_textbook_curvature() {
        // z = a·x²/2: kv = −a / (1 + a²x²)^{3/2}, kh = 0 off the floor.
        let (a, pixel) = (0.02, PixelSize { x: 1.0, y: 1.0 });
        let valley = normals(Rect::new(-60, -3, 60, 4), pixel, |x, _| [a * x, 0.0]);
        for x in [-50, -3, 1, 40] {
            let w = 1.0 + (a * x as f64).powi(2);
            let right = -a / (w * w.sqrt());
            near(
                curvature(&valley, pixel, Curvature::Profile, (x, 0)),
                right,
                1e-6,
            );
            near(
                curvature(&valley, pixel, Curvature::Plan, (x, 0)),
                0.0,
                1e-6,
            );
        }
        // The floor has no line of fall.
        for kind in KINDS {
            near(curvature(&valley, pixel, kind, (0, 0)), -a / 2.0, 1e-6);
        }
    }

    #[test]
    fn a_saddle_takes_its_twist_into_account() {
        // z = b·x·y at (x, y): p = by, q = bx, s = b and nothing else.
        let (b, pixel) = (0.01, PixelSize { x: 1.0, y: 1.0 });
        let saddle = normals(Rect::new(-40, -40, 40, 40), pixel, |x, y| [b * y, b * x]);
        for (x, y) in [(20, -10), (-15, -30), (7, 7)] {
            let (p, q) = (b * -y as f64, b * x as f64);
            let (g, w) = (p * p + q * q, 1.0 + p * p + q * q);
            let along = -2.0 * p * q * b / (g * w.powf(1.5));
            let across = 2.0 * p * q * b / (g * w.sqrt());
            near(
                curvature(&saddle, pixel, Curvature::Profile, (x, y)),
                along,
                1e-6,
            );
            near(
                curvature(&saddle, pixel, Curvature::Plan, (x, y)),
                across,
                1e-6,
            );
            let mean = curvature(&saddle, pixel, Curvature::Mean, (x, y));
            near(mean, (along + across) / 2.0, 1e-6);
        }
    }

    #[test]
    fn a_void_is_looked_past() {
        let pixel = PixelSize { x: 2.0, y: 2.0 };
        let bowl = |void: &'static [(i64, i64)]| {
            normals(Rect::new(-3, -3, 4, 4), pixel, move |x, y| {
                let is_void = void.contains(&((x / 2.0) as i64, (-y / 2.0) as i64));
                if is_void {
                    [f64::NAN; 2]
                } else {
                    [0.01 * x, 0.03 * y]
                }
            })
        };
        // A parabola's slopes are straight lines: one side tells as much as two.
        for voids in [
            &[][..],
            &[(1, 0)],
            &[(-1, 0), (0, 1)],
            &[(1, 0), (0, -1), (1, 1)],
        ] {
            let found = curvature(&bowl(voids), pixel, Curvature::Mean, (0, 0));
            near(found, -(0.01 + 0.03) / 2.0, 1e-6);
        }
        let strip = curvature(&bowl(&[(-1, 0), (1, 0)]), pixel, Curvature::Mean, (0, 0));
        near(strip, -0.03 / 2.0, 1e-6);
        let lone = &[(-1, 0), (1, 0), (0, 1), (0, -1)];
        assert_eq!(curvature(&bowl(lone), pixel, Curvature::Mean, (0, 0)), 0.0);
    }

    #[test]
    fn every_curvature_is_that_of_its_surface() {
        // The shape operator in real arithmetic: eigen-free, by the normal curvature of a direction.
        for seed in 0..2000 {
            let draw = |k: u64| (mix(mix(seed) ^ k) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
            let surface = Surface {
                p: draw(1) * 3.0,
                q: draw(2) * 3.0,
                r: draw(3) * 0.1,
                s: draw(4) * 0.1,
                t: draw(5) * 0.1,
            };
            // The second form over the first, of a direction (a, b) in the plane of the map.
            let along = |a: f64, b: f64| {
                let Surface { p, q, r, s, t } = surface;
                let second =
                    (r * a * a + 2.0 * s * a * b + t * b * b) / (1.0 + p * p + q * q).sqrt();
                let first = (1.0 + p * p) * a * a + 2.0 * p * q * a * b + (1.0 + q * q) * b * b;
                -second / first
            };
            near(
                surface.curvature(Curvature::Profile),
                along(surface.p, surface.q),
                1e-12,
            );
            near(
                surface.curvature(Curvature::Plan),
                along(-surface.q, surface.p),
                1e-12,
            );
            let both = surface.curvature(Curvature::Profile) + surface.curvature(Curvature::Plan);
            near(surface.curvature(Curvature::Mean), both / 2.0, 1e-12);
        }
    }
}
