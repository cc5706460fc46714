//! The ground in the colours of its strata, lit, with the plants on it.

use ecotone_grid::Raster;

use super::canvas::Canvas;
use super::crowns::{self, Crowns};
use super::frame::{Legend, Row, Section};
use super::palette::{self, Rgb, mix};
use super::pixels::Pixels;
use super::resample::Resampled;
use super::view::View;
use super::{relief, ticks};
use crate::{Finished, InterchangeError};

/// The two tones of the checkers where there is no ground.
const VOID: [Rgb; 2] = [[236.0, 235.0, 231.0], [228.0, 227.0, 222.0]];

/// What sunlit slopes lean towards.
const SUN: Rgb = [255.0, 250.0, 232.0];

/// What a slope in shadow keeps of each colour: blue most, as under an open sky.
const SHADE: Rgb = [0.40, 0.43, 0.53];

/// The mean colour of the strata under each pixel and the share of it that is no void, and the share of each stratum in all.
struct Tints {
    pixels: Vec<[f32; 4]>,
    shares: Vec<f64>,
}

/// Draws the plants of a world on its ground, of which `pixels` are shown.
pub(super) fn draw(
    world: &Finished,
    pixels: &dyn Pixels,
    view: &View,
) -> Result<(Canvas, Legend), InterchangeError> {
    let manifest = world.manifest();
    let strata = palette::strata(manifest.strata.iter().map(String::as_str));
    let species = palette::species(manifest.species.iter().map(|species| species.name.as_str()));

    let tints = tints(pixels, view, &strata)?;
    let light = relief::shade(&relief::ground(pixels, view)?);
    let plants = crowns::draw(world, view, &species)?;

    let mut canvas = Canvas::new(view.width, view.height, VOID[0]);
    for (idx, pixel) in canvas.pixels.iter_mut().enumerate() {
        let [r, g, b, solid] = tints.pixels[idx];
        let ground = [r, g, b].map(|c| c / solid.max(f32::MIN_POSITIVE));
        let cover = &plants.covers[idx];
        let shadowed = mix(ground, ground.map(|c| c * 0.58), cover.shadow);
        let grown = mix(shadowed, cover.colour, cover.alpha);
        // Crowns follow the light of the ground less than the ground does.
        let seen = lit(grown, 1.0 + (light[idx] - 1.0) * (1.0 - 0.4 * cover.near));
        *pixel = mix(
            void(idx % view.width, idx / view.width),
            seen,
            solid.min(1.0),
        );
    }
    let legend = legend(world, &strata, &tints.shares, &species, &plants);
    Ok((canvas, legend))
}

/// The colour of no ground.
pub(super) fn void(x: usize, y: usize) -> Rgb {
    VOID[(x / 8 + y / 8) % 2]
}

/// A colour under light; 1 leaves it as it is.
pub(super) fn lit(colour: Rgb, light: f32) -> Rgb {
    if light < 1.0 {
        let shade = [0, 1, 2].map(|k| colour[k] * SHADE[k]);
        mix(colour, shade, (1.15 * (1.0 - light)).min(1.0))
    } else {
        mix(colour, SUN, (0.9 * (light - 1.0)).min(0.6))
    }
}

fn tints(ground: &dyn Pixels, view: &View, colours: &[Rgb]) -> Result<Tints, InterchangeError> {
    let mut sums = Resampled::<4>::new(view.columns(), view.rows());
    let mut totals = vec![0_u64; colours.len()];
    let mut weights = Raster::default();
    let mut line = Vec::new();
    for rect in view.reads(colours.len()) {
        ground.weights(rect, &mut weights)?;
        for (band, total) in totals.iter_mut().enumerate() {
            let pixels = weights.band(band).pixels();
            *total += pixels.iter().map(|&weight| u64::from(weight)).sum::<u64>();
        }
        for y in (rect.y0..rect.y1).filter(|&y| view.wants(y)) {
            line.clear();
            line.resize(rect.width(), [0.0; 4]);
            for (band, colour) in colours.iter().enumerate() {
                for (pixel, &weight) in line.iter_mut().zip(weights.band(band).row(y)) {
                    if weight > 0 {
                        let share = f32::from(weight) / 255.0;
                        (0..3).for_each(|k| pixel[k] += share * colour[k]);
                        pixel[3] += share;
                    }
                }
            }
            sums.add(y, &line);
        }
    }
    if let Some(known) = ground.totals() {
        totals.copy_from_slice(known);
    }
    let all = totals.iter().sum::<u64>().max(1) as f64;
    Ok(Tints {
        pixels: sums.finish(),
        shares: totals.iter().map(|&total| total as f64 / all).collect(),
    })
}

fn legend(
    world: &Finished,
    strata: &[Rgb],
    shares: &[f64],
    species: &[Rgb],
    found: &Crowns,
) -> Legend {
    let manifest = world.manifest();
    let ground = manifest.strata.iter().zip(strata.iter().zip(shares));
    let ground = ground.map(|(name, (&colour, share))| {
        let percent = format!("{:.1} %", share * 100.0);
        Row::square(colour, name, percent)
    });
    let plants = manifest
        .species
        .iter()
        .zip(species.iter().zip(&found.counts));
    let plants =
        plants.map(|(species, (&colour, &n))| Row::disc(colour, &species.name, ticks::count(n)));
    let mut sections = vec![Section::Rows("Strata".to_owned(), ground.collect())];
    if !found.counts.is_empty() {
        let title = format!("Plants  {}", ticks::count(found.counts.iter().sum()));
        sections.push(Section::Rows(title, plants.collect()));
    }
    if found.enlarged > 1.0 {
        let times = format!(
            "{} times wider",
            ticks::trimmed(f64::from(found.enlarged), 0)
        );
        sections.push(Section::Notes(vec!["crowns are drawn".to_owned(), times]));
    }
    Legend {
        title: "Terrain".to_owned(),
        sections,
    }
}
