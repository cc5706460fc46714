//! Where the pixels of the height map lie in metres.

use ecotone_grid::{GeoKeys, GeoTransform};

use crate::config::{Loaded, PixelSizeChoice, PixelSizeWord};
use crate::error::BakeError;
use crate::ground;
use crate::inputs::heights::Heights;

/// Where the pixels of a height map lie.
pub(super) struct Placed {
    pub(super) transform: GeoTransform,
    pub(super) keys: GeoKeys,
    pub(super) overruled: Option<(GeoTransform, GeoKeys)>,
}

/// Finds where the map lies, or says why that cannot be known.
pub(super) fn place(loaded: &Loaded, heights: &Heights) -> Result<Placed, BakeError> {
    let header = heights.header();
    let file = heights.path().display();
    let refuse = |message: String, help: String| -> BakeError {
        loaded
            .error_at("terrain.heights", message, Some(help))
            .into()
    };
    let found = heights.georeference();
    let choice = loaded.config.terrain.pixel_size;
    let true_size = |transform: &GeoTransform| {
        if header.is_geographic() {
            Some(ground::of_degrees(transform, heights.rect()))
        } else if header.is_web_mercator() {
            Some(ground::of_web_mercator(transform, heights.rect()))
        } else {
            None
        }
    };
    let pixel = match choice {
        Some(PixelSizeChoice::Metres([x, y])) => ecotone_grid::PixelSize { x, y },
        Some(PixelSizeChoice::Word(PixelSizeWord::Ground)) => {
            let transform = found?.map(|place| place.transform);
            let ground = transform.as_ref().and_then(true_size);
            ground.ok_or_else(|| refuse(
                format!("the ground size of {file}'s pixels is not known: it is neither in degrees nor in Web Mercator"),
                "give terrain.pixel_size = [x, y] in metres, or leave it out".into(),
            ))?
        }
        None => {
            let place = found?.ok_or_else(|| {
                refuse(
                    format!("{file} does not say how large its pixels are"),
                    "give terrain.pixel_size = [x, y] in metres".into(),
                )
            })?;
            let grid = place.transform;
            if let Some(size) = true_size(&grid).filter(|size| ground::differs(size, &grid.pixel)) {
                let unit = if header.is_geographic() {
                    "degrees"
                } else {
                    "Web Mercator, which stretches the ground"
                };
                return Err(refuse(
                    format!("{file} is in {unit}; a pixel's true size at its centre is {:.3} × {:.3} m", size.x, size.y),
                    "give terrain.pixel_size = \"ground\" to use that size, or warp the file to a projection in metres".into(),
                ));
            }
            if let Some(unit) = header.linear_unit().filter(|&unit| unit != 9001) {
                return Err(refuse(
                    format!("{file} is not in metres: its linear unit is EPSG:{unit}"),
                    "give terrain.pixel_size = [x, y] in metres".into(),
                ));
            }
            return Ok(Placed {
                transform: grid,
                keys: header.keys.clone(),
                overruled: None,
            });
        }
    };
    // The config knows better than the file: what the file says, even if it makes no sense, is only kept.
    let overruled = heights.georeference().ok().flatten();
    Ok(Placed {
        transform: GeoTransform {
            x0: 0.0,
            y0: 0.0,
            pixel,
        },
        keys: GeoKeys::default(),
        overruled: overruled.map(|place| (place.transform, header.keys.clone())),
    })
}
