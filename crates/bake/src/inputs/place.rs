//! Where the pixels of the height map lie in metres.

use ecotone_geotiff::{Georeference, Header, SourceError};
use ecotone_grid::{GeoKeys, GeoTransform, PixelSize, Rect};

use crate::config::{Loaded, PixelSizeChoice, PixelSizeWord};
use crate::error::BakeError;
use crate::ground;
use crate::inputs::heights::Heights;
use crate::inputs::refusal;

/// Pixels above this size, in metres, are hardly meant: a map in another unit, or a continent.
const LARGEST_USUAL_M: f64 = 100.0;
/// Pixels below this size, where a file names no unit, are hardly metres: an arc second is 0.00028 degrees.
const SMALLEST_USUAL_M: f64 = 0.01;
/// How far apart, in shares, two pixel sizes in a plane may be and still be one, rounded differently.
const ROUNDING: f64 = 1e-4;

/// Where the pixels of a height map lie.
pub(super) struct Placed {
    pub(super) transform: GeoTransform,
    pub(super) keys: GeoKeys,
    pub(super) overruled: Option<(GeoTransform, GeoKeys)>,
    /// What a person should know of it.
    pub(super) warnings: Vec<String>,
}

/// Finds where the map lies, or says why that cannot be known.
pub(super) fn place(loaded: &Loaded, heights: &Heights) -> Result<Placed, BakeError> {
    let mut placed = match loaded.config.terrain.pixel_size {
        None => by_file(loaded, heights)?,
        Some(PixelSizeChoice::Metres([x, y])) => by_config(heights, PixelSize { x, y }),
        Some(PixelSizeChoice::Word(PixelSizeWord::Ground)) => by_ground(loaded, heights)?,
    };
    let PixelSize { x, y } = placed.transform.pixel;
    if x.max(y) > LARGEST_USUAL_M {
        placed.warnings.push(format!(
            "a pixel of {} is {} m, more than {LARGEST_USUAL_M} m: is its unit right?",
            heights.path().display(),
            metres(placed.transform.pixel)
        ));
    }
    Ok(placed)
}

/// Where the file says it lies.
fn georeference(loaded: &Loaded, heights: &Heights) -> Result<Option<Georeference>, BakeError> {
    let found = heights.georeference();
    found.map_err(|error| refusal::of_heights(loaded, error))
}

/// As the file says, where that is in metres.
fn by_file(loaded: &Loaded, heights: &Heights) -> Result<Placed, BakeError> {
    let found = georeference(loaded, heights)?.ok_or_else(|| {
        let file = heights.path().display();
        refused(
            loaded,
            format!("{file} does not say how large its pixels are"),
            "give terrain.pixel_size = [x, y] in metres",
        )
    })?;
    Ok(Placed {
        transform: found.transform,
        keys: heights.header().keys.clone(),
        overruled: None,
        warnings: taken_as_metres(loaded, heights, &found.transform)?,
    })
}

/// What to say of a grid that is taken as metres, or why it cannot be.
fn taken_as_metres(
    loaded: &Loaded,
    heights: &Heights,
    grid: &GeoTransform,
) -> Result<Vec<String>, BakeError> {
    let (header, file) = (heights.header(), heights.path().display());
    let (measure, PixelSize { x, y }) = (measure(header), grid.pixel);
    let (message, help) = match true_size(header, grid, heights.rect()) {
        TrueSize::Known(size) if size == grid.pixel => return Ok(Vec::new()),
        TrueSize::Known(size) if !ground::differs(&size, &grid.pixel) => {
            return Ok(vec![format!(
                "{file} is in {measure}; its pixels are taken as {x} × {y} m, and are truly {} m at its \
                 centre; terrain.pixel_size = \"ground\" would use that",
                metres(size)
            )]);
        }
        TrueSize::Unsaid if x.min(y) >= SMALLEST_USUAL_M => return Ok(Vec::new()),
        TrueSize::Unsaid => {
            return Ok(vec![format!(
                "{file} names no coordinate system, and its pixels are taken as {x} × {y} m; \
                 give terrain.pixel_size = [x, y] in metres if those are degrees"
            )]);
        }
        TrueSize::Known(size) => (
            format!(
                "{file} is in {measure}; a pixel's true size at its centre is {} m",
                metres(size)
            ),
            "give terrain.pixel_size = \"ground\" to use that size, or [x, y] in metres, or warp the file to a \
             projection in metres",
        ),
        TrueSize::UnknownUnit => (
            format!("{file} is in {measure}, whose size is not known; a pixel is {x} × {y} of it"),
            "give terrain.pixel_size = [x, y] in metres",
        ),
        TrueSize::Nowhere => (
            format!("{file} is in {measure}, and its centre is no place on earth by that"),
            "give terrain.pixel_size = [x, y] in metres, or mend its place with gdal_translate -a_srs -a_ullr",
        ),
    };
    Err(refused(loaded, message, help))
}

fn refused(loaded: &Loaded, message: String, help: &str) -> BakeError {
    let help = Some(help.to_owned());
    loaded.error_at("terrain.heights", message, help).into()
}

/// With the true size of its pixels at the map's centre.
fn by_ground(loaded: &Loaded, heights: &Heights) -> Result<Placed, BakeError> {
    let (header, file) = (heights.header(), heights.path().display());
    let found = georeference(loaded, heights)?;
    let size = found.map(|found| true_size(header, &found.transform, heights.rect()));
    let reason = match size {
        Some(TrueSize::Known(pixel)) => return Ok(overruling(heights, pixel, Vec::new())),
        Some(TrueSize::UnknownUnit) => format!("{} has no known size", measure(header)),
        Some(TrueSize::Nowhere) => "its centre is no place on earth".to_owned(),
        Some(TrueSize::Unsaid) => "it names no coordinate system".to_owned(),
        None => "it does not say where its pixels lie".to_owned(),
    };
    let message = format!("the ground size of {file}'s pixels is not known: {reason}");
    let help = "give terrain.pixel_size = [x, y] in metres".to_owned();
    Err(loaded
        .error_at("terrain.pixel_size", message, Some(help))
        .into())
}

/// With the size that the config gives, saying so where the file says another.
fn by_config(heights: &Heights, pixel: PixelSize) -> Placed {
    let header = heights.header();
    let placement = heights.georeference();
    let tilted = match &placement {
        Err(SourceError::Placement { path, reason }) => Some(format!(
            "{} lies on no upright grid: {reason}; terrain.pixel_size is used as if it did",
            path.display()
        )),
        _ => None,
    };
    let said = placement.ok().flatten().map(|found| {
        let grid = found.transform;
        match true_size(header, &grid, heights.rect()) {
            TrueSize::Known(size) if size != grid.pixel => {
                let places = format!("{} m at the map's centre", metres(size));
                (size, places)
            }
            TrueSize::Known(size) => (size, format!("{} × {} m", size.x, size.y)),
            TrueSize::Unsaid | TrueSize::UnknownUnit | TrueSize::Nowhere => {
                let PixelSize { x, y } = grid.pixel;
                (grid.pixel, format!("{x} × {y} in {}", measure(header)))
            }
        }
    });
    let is_curved = header.is_geographic() || header.is_web_mercator();
    let clash = said.filter(|(size, _)| {
        if is_curved {
            ground::differs(size, &pixel)
        } else {
            ground::apart(size, &pixel, ROUNDING)
        }
    });
    let warnings = clash.map(|(_, words)| {
        format!(
            "terrain.pixel_size is {} × {} m, and {} says {words}; terrain.pixel_size is used",
            pixel.x,
            pixel.y,
            heights.path().display()
        )
    });
    overruling(heights, pixel, warnings.into_iter().chain(tilted).collect())
}

/// The config knows better than the file: what the file says, even if it makes no sense, is only kept.
fn overruling(heights: &Heights, pixel: PixelSize, warnings: Vec<String>) -> Placed {
    let found = heights.georeference().ok().flatten();
    Placed {
        transform: GeoTransform {
            x0: 0.0,
            y0: 0.0,
            pixel,
        },
        keys: GeoKeys::default(),
        overruled: found.map(|found| (found.transform, heights.header().keys.clone())),
        warnings,
    }
}

/// The size of a pixel on the ground, as far as a file tells.
enum TrueSize {
    /// At the map's centre.
    Known(PixelSize),
    /// The file names no coordinate system and no unit.
    Unsaid,
    /// The file names a unit that is no known length or angle.
    UnknownUnit,
    /// The map's centre lies beyond a pole, or a pixel has no size there.
    Nowhere,
}

fn true_size(header: &Header, grid: &GeoTransform, map: Rect) -> TrueSize {
    let unit = header.angular_unit().or_else(|| header.linear_unit());
    let factor = match unit {
        Some(unit) => match unit.size {
            Some(size) => size,
            None => return TrueSize::UnknownUnit,
        },
        None if header.is_web_mercator() => 1.0,
        None => return TrueSize::Unsaid,
    };
    let grid = grid.scaled(factor);
    let size = if header.is_geographic() {
        ground::of_radians(&grid, map)
    } else if header.is_web_mercator() {
        ground::of_web_mercator(&grid, map)
    } else {
        grid.pixel
    };
    let is_some = |side: f64| side.is_finite() && side > 0.0;
    if is_some(size.x) && is_some(size.y) {
        TrueSize::Known(size)
    } else {
        TrueSize::Nowhere
    }
}

/// What a file's coordinates are in, for a sentence.
fn measure(header: &Header) -> String {
    if header.is_web_mercator() {
        return "Web Mercator, which stretches the ground".to_owned();
    }
    let unit = header.angular_unit().or_else(|| header.linear_unit());
    match unit {
        None => "a unit it does not name".to_owned(),
        Some(unit) if unit.name == "degree" => "degrees".to_owned(),
        Some(unit) => match unit.size {
            Some(size) if !header.is_geographic() => {
                format!("the unit \"{}\" ({size} m)", unit.name)
            }
            _ => format!("the unit \"{}\"", unit.name),
        },
    }
}

/// A size in metres to the micrometre, without zeros that say nothing.
fn metres(PixelSize { x, y }: PixelSize) -> String {
    let rounded = |size: f64| (size * 1e6).round() / 1e6;
    format!("{} × {}", rounded(x), rounded(y))
}
