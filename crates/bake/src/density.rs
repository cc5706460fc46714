//! Rasters of how many plants are to be expected, of species that are written as a density.
//!
//! The expectation at a pixel's own centre, times the pixel's area, in steps of which 255 are the most that the species can
//! have there. Nothing is read of any other pixel, but for the normals.

use ecotone_grid::{PixelSize, Raster};
use ecotone_scatter::{self as scatter, Biome, Expectation, Fields, Ground};
use ecotone_store::Stage;

/// What the raster is called.
pub(crate) const FIELD: &str = "density";

/// Steps from no plant to the most.
const STEPS: f64 = 255.0;

/// Whether a stage is that raster, which a tile's distances are made with; other fields are made with its weights.
pub(crate) fn is(stage: &Stage) -> bool {
    matches!(stage, Stage::Field(name) if name == FIELD)
}

/// Plants per pixel in one step of a species' band.
pub(crate) fn step(species: &scatter::Species, pixel: PixelSize) -> f64 {
    let most_per_m2 = species.max_density_per_m2() * species.fill();
    most_per_m2 * (pixel.x * pixel.y) / STEPS
}

/// Writes a band for each species into every pixel of `out`, which the fields cover; 0 where the ground is void.
pub(crate) fn write(
    species: &[scatter::Species],
    biomes: &[Biome],
    fields: &Fields<'_>,
    out: &mut Raster<u8>,
) {
    let (rect, pixel) = (out.rect(), fields.transform.pixel);
    for (band, own) in species.iter().enumerate() {
        let expectation = Expectation::new(own, biomes);
        let per_density = pixel.x * pixel.y / step(own, pixel);
        for y in rect.y0..rect.y1 {
            for (x, out) in (rect.x0..).zip(out.row_mut(band, y)) {
                let ground = Ground::at_pixel(fields, x, y);
                let expected = ground.and_then(|ground| expectation.at(&ground));
                let (_, density) = expected.unwrap_or_default();
                *out = (density * per_density + 0.5).floor().clamp(0.0, STEPS) as u8;
            }
        }
    }
}
