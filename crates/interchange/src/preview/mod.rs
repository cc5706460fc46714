//! Pictures of a world, to look at and to put into a review.

mod canopy;
mod canvas;
mod crowns;
mod fields;
mod frame;
pub(crate) mod palette;
mod picture;
mod pixels;
mod ramp;
mod relief;
mod resample;
mod terrain;
pub(crate) mod ticks;
mod view;

use std::str::FromStr;

pub use picture::Picture;
pub use pixels::Overview;
pub use view::MAX_SIZE_PX;

use crate::finished::DENSITY;
use crate::{Finished, InterchangeError};
use pixels::Cells;
use view::View;

/// What a picture shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The ground in the colours of its strata, lit from the north-west, with the plants on it.
    Terrain,
    /// Degrees from flat: the stored field `slope` where the world has it, else of the heights as they are.
    Slope,
    /// The stored weight of the stratum of this name.
    Weights(String),
    /// The signed distance to the edge of the stratum of this name.
    Sdf(String),
    /// The plants in a pixel of the species of this name, which is written as a density.
    Density(String),
}

impl FromStr for Layer {
    type Err = InterchangeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            None if text == "terrain" => Ok(Self::Terrain),
            None if text == "slope" => Ok(Self::Slope),
            Some(("weights", name)) if !name.is_empty() => Ok(Self::Weights(name.to_owned())),
            Some(("sdf", name)) if !name.is_empty() => Ok(Self::Sdf(name.to_owned())),
            Some(("density", name)) if !name.is_empty() => Ok(Self::Density(name.to_owned())),
            _ => Err(unknown(text.to_owned(), &["NAME"], &["NAME"])),
        }
    }
}

impl std::fmt::Display for Layer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Terrain => f.write_str("terrain"),
            Self::Slope => f.write_str("slope"),
            Self::Weights(name) => write!(f, "weights:{name}"),
            Self::Sdf(name) => write!(f, "sdf:{name}"),
            Self::Density(name) => write!(f, "density:{name}"),
        }
    }
}

/// A picture to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// West, south, east and north in world metres; the whole map where there is none. What lies off the map is cut away.
    pub region: Option<[f64; 4]>,
    /// What it shows.
    pub layer: Layer,
    /// Pixels along the longer side of the ground, 16 to [`MAX_SIZE_PX`]; title and legend come on top.
    pub size_px: u32,
}

/// Draws a picture: memory grows with the picture and a few rows of the world, never with the map.
///
/// # Errors
/// [`InterchangeError::UnknownLayer`], [`InterchangeError::RegionOffMap`], [`InterchangeError::PictureSize`], those of the world's
/// files, and for the ground and its slope [`InterchangeError::HeightsGone`].
pub fn draw(world: &Finished, preview: &Preview) -> Result<Picture, InterchangeError> {
    let view = View::new(world, preview.region, preview.size_px)?;
    draw_view(world, preview, &view)
}

/// [`draw`]s the terrain of a whole map in a part of the time: from what was gathered of its ground while it was baked or, where that
/// is not whole, from every few rows of a map that is much larger than its picture.
///
/// # Errors
/// As [`draw`].
pub fn sketch(
    world: &Finished,
    overview: Option<&Overview>,
    size_px: u32,
) -> Result<Picture, InterchangeError> {
    let view = View::new(world, None, size_px)?;
    let Some(overview) = overview else {
        let preview = Preview {
            region: None,
            layer: Layer::Terrain,
            size_px,
        };
        return draw_view(world, &preview, &view.thinned());
    };
    let cells = Cells { world, overview };
    let view = view.of(&cells);
    let (ground, legend) = terrain::draw(world, &cells, &view)?;
    Ok(frame::around(world, &view, &ground, &legend))
}

fn draw_view(
    world: &Finished,
    preview: &Preview,
    view: &View,
) -> Result<Picture, InterchangeError> {
    let (ground, legend) = match &preview.layer {
        Layer::Terrain => terrain::draw(world, world, view)?,
        Layer::Slope => fields::slope(world, view)?,
        Layer::Weights(name) => fields::weights(world, view, stratum(world, preview, name)?)?,
        Layer::Sdf(name) => fields::sdf(world, view, stratum(world, preview, name)?)?,
        Layer::Density(name) => fields::density(world, view, grass(world, preview, name)?)?,
    };
    Ok(frame::around(world, view, &ground, &legend))
}

fn stratum(world: &Finished, preview: &Preview, name: &str) -> Result<usize, InterchangeError> {
    let strata = &world.manifest().strata;
    let found = strata.iter().position(|stratum| stratum == name);
    found.ok_or_else(|| not_of(world, preview))
}

/// The band of a species that is written as a density.
fn grass(world: &Finished, preview: &Preview, name: &str) -> Result<usize, InterchangeError> {
    let found = grasses(world).iter().position(|grass| grass == name);
    found.ok_or_else(|| not_of(world, preview))
}

fn grasses(world: &Finished) -> &[String] {
    let field = world.manifest().fields.get(DENSITY);
    field.map_or(&[], |field| &field.bands)
}

/// A layer that a world does not have.
fn not_of(world: &Finished, preview: &Preview) -> InterchangeError {
    let strata: Vec<&str> = world.manifest().strata.iter().map(String::as_str).collect();
    let grasses: Vec<&str> = grasses(world).iter().map(String::as_str).collect();
    unknown(preview.layer.to_string(), &strata, &grasses)
}

fn unknown(found: String, strata: &[&str], grasses: &[&str]) -> InterchangeError {
    let of = |kind: &'static str| strata.iter().map(move |name| format!("{kind}:{name}"));
    let densities = grasses.iter().map(|name| format!("density:{name}"));
    let whole = ["terrain", "slope"].map(str::to_owned);
    let known = whole
        .into_iter()
        .chain(of("weights"))
        .chain(of("sdf"))
        .chain(densities)
        .collect();
    InterchangeError::UnknownLayer { found, known }
}
