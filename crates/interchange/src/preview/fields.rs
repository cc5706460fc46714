//! One number a pixel, in colours: slope, the weight of a stratum, the distance to its edge.

use ecotone_grid::{Raster, slope_degrees};

use super::canvas::Canvas;
use super::frame::{Bar, Legend, Section};
use super::palette::{Rgb, mix};
use super::resample::Resampled;
use super::view::View;
use super::{ramp, relief, terrain, ticks};
use crate::finished::DENSITY;
use crate::{Finished, InterchangeError};

/// Contours stand at least this many pixels apart.
const CONTOUR_PX: f64 = 7.0;

const INK: Rgb = [38.0, 42.0, 48.0];

/// What distances fade to where only their bound is known.
const FAR: Rgb = [232.0, 229.0, 222.0];

/// A mean value and the share of the pixel that has one.
type Known = [f32; 2];

pub(super) fn slope(world: &Finished, view: &View) -> Result<(Canvas, Legend), InterchangeError> {
    let stored = world.manifest().fields.contains_key("slope");
    let pixels = if stored {
        stored_slope(world, view)?
    } else {
        own_slope(world, view)?
    };
    let steepest = steepest(&pixels);
    let canvas = paint(view, &pixels, |_, degrees| {
        ramp::viridis(degrees / steepest)
    });
    let step = if steepest > 40.0 {
        15.0
    } else if steepest > 15.0 {
        5.0
    } else {
        2.0
    };
    let ticks = (0..)
        .map(|k| k as f32 * step)
        .take_while(|at| *at <= steepest + 0.01);
    let bar = Bar {
        title: "Slope, degrees".to_owned(),
        colour: Box::new(ramp::viridis),
        ticks: ticks.map(|at| (at / steepest, format!("{at}°"))).collect(),
    };
    let source = if stored {
        "as the strata saw it"
    } else {
        "of the height map"
    };
    let legend = Legend {
        title: format!("Slope, {source}"),
        sections: vec![Section::Bar(bar)],
    };
    Ok((canvas, legend))
}

/// The upper end of the scale: what 99 in 100 pixels stay under, rounded up.
fn steepest(pixels: &[Known]) -> f32 {
    let mut counts = [0_u64; 91];
    for [degrees, _] in pixels.iter().filter(|[_, known]| *known > 0.0) {
        counts[degrees.clamp(0.0, 90.0) as usize] += 1;
    }
    let total: u64 = counts.iter().sum();
    let mut below = 0;
    let bin = counts.iter().position(|n| {
        below += n;
        below * 100 >= total * 99
    });
    let steepest = bin.unwrap_or(90) as f32 + 1.0;
    let step = if steepest > 40.0 { 15.0 } else { 5.0 };
    ((steepest / step).ceil() * step).clamp(5.0, 90.0)
}

fn stored_slope(world: &Finished, view: &View) -> Result<Vec<Known>, InterchangeError> {
    let mut values = Raster::default();
    resample(view, 1, |rect, out| {
        world.field("slope", 0, rect, &mut values)?;
        out.extend(values.pixels().iter().map(|&v| known(v)));
        Ok(())
    })
}

fn own_slope(world: &Finished, view: &View) -> Result<Vec<Known>, InterchangeError> {
    let mut sums = Resampled::<2>::new(view.columns(), view.rows());
    let mut line = Vec::new();
    relief::each_gradient(world, view, |y, gradients| {
        line.clear();
        line.extend(gradients.iter().map(|gradient| match gradient {
            Some([gx, gy]) => [slope_degrees(*gx, *gy, 1.0) as f32, 1.0],
            None => [0.0; 2],
        }));
        sums.add(y, &line);
    })?;
    Ok(means(sums))
}

pub(super) fn weights(
    world: &Finished,
    view: &View,
    stratum: usize,
) -> Result<(Canvas, Legend), InterchangeError> {
    let n_bands = world.manifest().strata.len();
    let mut values = Raster::default();
    let mut line = Vec::new();
    let mut sums = Resampled::<2>::new(view.columns(), view.rows());
    // All bands, since only their sum tells a void from none of this stratum.
    for rect in view.reads(n_bands) {
        world.weights(rect, &mut values)?;
        for y in rect.y0..rect.y1 {
            line.clear();
            line.extend(
                values
                    .band(stratum)
                    .row(y)
                    .iter()
                    .map(|&w| [f32::from(w) / 255.0, 0.0]),
            );
            for band in 0..n_bands {
                let row = values.band(band).row(y);
                line.iter_mut()
                    .zip(row)
                    .filter(|(_, w)| **w > 0)
                    .for_each(|(pixel, _)| pixel[1] = 1.0);
            }
            sums.add(y, &line);
        }
    }
    let light = light(world, view)?;
    let canvas = paint(view, &means(sums), |idx, share| {
        terrain::lit(ramp::share(share), 1.0 + 0.35 * (light[idx] - 1.0))
    });
    let name = &world.manifest().strata[stratum];
    let ticks = [0.0_f32, 0.25, 0.5, 0.75, 1.0].map(|at| (at, at.to_string()));
    let bar = Bar {
        title: "Weight".to_owned(),
        colour: Box::new(ramp::share),
        ticks: ticks.into(),
    };
    let legend = Legend {
        title: format!("Weight of {name}"),
        sections: vec![Section::Bar(bar)],
    };
    Ok((canvas, legend))
}

pub(super) fn density(
    world: &Finished,
    view: &View,
    band: usize,
) -> Result<(Canvas, Legend), InterchangeError> {
    let field = world.manifest().fields.get(DENSITY);
    let (name, scale) = field
        .and_then(|field| Some((field.bands.get(band)?, *field.scales.get(band)?)))
        .expect("its band was found by its name");
    let mut values = Raster::default();
    let pixels = resample(view, 1, |rect, out| {
        world.field_steps(DENSITY, band, rect, &mut values)?;
        let steps = values.pixels().iter();
        out.extend(steps.map(|&steps| known(f32::from(steps) / 255.0)));
        Ok(())
    })?;
    let light = light(world, view)?;
    let canvas = paint(view, &pixels, |idx, share| {
        terrain::lit(ramp::share(share), 1.0 + 0.35 * (light[idx] - 1.0))
    });
    let pixel = world.transform().pixel;
    let most_per_m2 = scale * 255.0 / (pixel.x * pixel.y);
    let ticks = [0.0_f32, 0.25, 0.5, 0.75, 1.0];
    let label = |at: f32| ticks::trimmed(f64::from(at) * most_per_m2, 3);
    let bar = Bar {
        title: "Plants per m²".to_owned(),
        colour: Box::new(ramp::share),
        ticks: ticks.map(|at| (at, label(at))).into(),
    };
    let legend = Legend {
        title: format!("Density of {name}"),
        sections: vec![Section::Bar(bar)],
    };
    Ok((canvas, legend))
}

pub(super) fn sdf(
    world: &Finished,
    view: &View,
    stratum: usize,
) -> Result<(Canvas, Legend), InterchangeError> {
    let edges = &world.manifest().edges;
    let mut values = Raster::default();
    let pixels = resample(view, 1, |rect, out| {
        world.sdf_bands(rect, stratum..stratum + 1, &mut values)?;
        let metres = |v: i16| {
            if v == edges.nodata {
                f32::NAN
            } else {
                f32::from(v) * edges.scale as f32
            }
        };
        out.extend(values.pixels().iter().map(|&v| known(metres(v))));
        Ok(())
    })?;
    let light = light(world, view)?;
    let bound = edges.max_distance as f32;
    let contours = Contours::new(world, view, edges.max_distance);
    let canvas = paint(view, &pixels, |idx, metres| {
        let beyond = (metres.abs() / bound - 0.98).clamp(0.0, 0.02) / 0.02;
        let colour = mix(ramp::sides(metres / bound), FAR, 0.65 * beyond);
        let colour = terrain::lit(colour, 1.0 + 0.3 * (light[idx] - 1.0));
        contours.over(colour, metres)
    });
    let name = &world.manifest().strata[stratum];
    let bar = Bar {
        title: "Metres from the edge".to_owned(),
        colour: Box::new(|t| ramp::sides(2.0 * t - 1.0)),
        ticks: distance_ticks(edges.max_distance),
    };
    let mut sections = vec![Section::Bar(bar)];
    let mut notes = vec!["above 0: outside".to_owned(), "below 0: inside".to_owned()];
    if let Some(step) = contours.step {
        notes.push(format!("lines every {}", ticks::metres(f64::from(step))));
    }
    notes.push(format!(
        "pale: {} or more",
        ticks::metres(edges.max_distance)
    ));
    sections.push(Section::Notes(notes));
    let legend = Legend {
        title: format!("Distance to the edge of {name}"),
        sections,
    };
    Ok((canvas, legend))
}

fn distance_ticks(bound: f64) -> Vec<(f32, String)> {
    let step = ticks::round_up(bound / 4.0);
    let n = (bound / step + 1e-9).floor() as i64;
    let inner = (-n..=n).map(|k| k as f64 * step);
    let at = |m: f64| ((m / bound / 2.0 + 0.5) as f32, ticks::trimmed(m, 2));
    inner.map(at).collect()
}

/// Lines of equal distance.
struct Contours {
    /// Metres between lines; `None` where they would run into each other.
    step: Option<f32>,
    bound: f32,
    pixel_m: f32,
    /// The border of a stratum lies half a map pixel outside the centres of its edge.
    border: f32,
}

impl Contours {
    fn new(world: &Finished, view: &View, bound: f64) -> Self {
        let map_pixel = world.transform().pixel;
        let pixel_m = view.metres_per_pixel();
        let step = ticks::round_up((bound / 8.0).max(CONTOUR_PX * pixel_m));
        Self {
            step: (step < bound).then_some(step as f32),
            bound: bound as f32,
            pixel_m: pixel_m as f32,
            border: (map_pixel.x.min(map_pixel.y) / 2.0) as f32,
        }
    }

    /// A colour with the lines that pass there; distances rise by a metre a metre, so a line's width is known.
    fn over(&self, colour: Rgb, metres: f32) -> Rgb {
        let line = |away: f32, half_px: f32| (half_px + 0.5 - away / self.pixel_m).clamp(0.0, 1.0);
        let mut out = colour;
        // At the bound a distance is not known, and no line is drawn.
        if let Some(step) = self
            .step
            .filter(|_| metres.abs() < self.bound - self.pixel_m)
        {
            let away = (metres - (metres / step).round() * step).abs();
            out = mix(out, INK, 0.34 * line(away, 0.35));
        }
        mix(out, INK, 0.9 * line((metres - self.border).abs(), 0.5))
    }
}

/// The light on each pixel; even where the heights are gone, since here it is only a faint help.
fn light(world: &Finished, view: &View) -> Result<Vec<f32>, InterchangeError> {
    match relief::ground(world, view) {
        Ok(ground) => Ok(relief::shade(&ground)),
        Err(InterchangeError::HeightsGone { .. }) => Ok(vec![1.0; view.width * view.height]),
        Err(error) => Err(error),
    }
}

fn known(value: f32) -> Known {
    if value.is_nan() {
        [0.0; 2]
    } else {
        [value, 1.0]
    }
}

/// The mean of what is known under each pixel; `read` appends the values of a rectangle.
fn resample(
    view: &View,
    n_bands: usize,
    mut read: impl FnMut(ecotone_grid::Rect, &mut Vec<Known>) -> Result<(), InterchangeError>,
) -> Result<Vec<Known>, InterchangeError> {
    let mut sums = Resampled::<2>::new(view.columns(), view.rows());
    let mut values = Vec::new();
    for rect in view.reads(n_bands) {
        values.clear();
        read(rect, &mut values)?;
        for (y, line) in (rect.y0..).zip(values.chunks_exact(rect.width())) {
            sums.add(y, line);
        }
    }
    Ok(means(sums))
}

fn means(sums: Resampled<2>) -> Vec<Known> {
    let mean = |[value, known]: Known| [value / known.max(f32::MIN_POSITIVE), known];
    sums.finish().into_iter().map(mean).collect()
}

/// A sheet with the colour of each pixel's index and value, and checkers where nothing is known.
fn paint(view: &View, pixels: &[Known], colour: impl Fn(usize, f32) -> Rgb) -> Canvas {
    let mut canvas = Canvas::new(view.width, view.height, [0.0; 3]);
    for (idx, pixel) in canvas.pixels.iter_mut().enumerate() {
        let [value, known] = pixels[idx];
        let void = terrain::void(idx % view.width, idx / view.width);
        *pixel = mix(void, colour(idx, value), known.clamp(0.0, 1.0));
    }
    canvas
}
