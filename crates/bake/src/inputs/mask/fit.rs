//! How a raster mask comes to lie on the map.

use ecotone_geotiff::{Header, Mosaic};
use ecotone_grid::{GeoTransform, Rect};

use super::sampling::Sampling;
use crate::config::Loaded;
use crate::error::BakeError;
use crate::inputs::{Inputs, length, refusal};

/// Finer masks than this many pixels across one of the map's are worth a warning.
const FINEST: f64 = 2.0;

impl Inputs {
    /// Finds how a mask lies on the map: `None` is pixel on pixel.
    pub(super) fn fit(
        &mut self,
        loaded: &Loaded,
        key: &str,
        mask: &Mosaic,
    ) -> Result<Option<Sampling>, BakeError> {
        let file = mask.path().display();
        // By its own file, whatever `pixel_size` makes of that.
        let ours = self.heights.georeference().ok().flatten();
        let ours = ours.map(|place| place.transform);
        let theirs = match mask.georeference() {
            Ok(place) => place.map(|place| place.transform),
            // A map whose own place makes no sense is used with `pixel_size`, and so may its masks be.
            Err(_) if ours.is_none() => None,
            Err(error) => return Err(refusal::at(loaded, key, error)),
        };
        let map = self.map();
        let sampling = match (ours, theirs) {
            (Some(ours), Some(theirs)) => {
                self.check_system(loaded, key, mask)?;
                if map == mask.rect() && self.is_on_map_grid(mask) {
                    return Ok(None);
                }
                self.check_overlap(loaded, key, mask, &ours, &theirs)?;
                Sampling::new(&ours, &theirs, mask.rect())
            }
            _ if map == mask.rect() => {
                if theirs.is_some() {
                    self.warnings.push(format!(
                        "{file} says where it lies and the map does not; it is taken to lie on the map's own grid, being of its size"
                    ));
                }
                return Ok(None);
            }
            (None, Some(_)) => {
                let message = format!(
                    "{file} says where it lies, and the map does not: where on the map the mask belongs is not known"
                );
                let help = "give the heights a georeference, such as with gdal_translate -a_ullr";
                return Err(loaded.error_at(key, message, Some(help.into())).into());
            }
            (_, None) => self.stretch(loaded, key, mask)?,
        };
        self.warn_of_fineness(mask, &sampling);
        let share = sampling.share(map);
        if share <= 0.0 {
            let message = format!("{file} covers the centre of no pixel of the map");
            let help = "it only touches the map's border, or is smaller than a pixel: is it of another place?";
            return Err(loaded.error_at(key, message, Some(help.into())).into());
        }
        if share < 1.0 {
            self.warnings.push(format!(
                "{file} covers {} of the map; elsewhere the mask is 0",
                percent(share)
            ));
        }
        Ok(Some(sampling))
    }

    /// Whether the pixels of a mask of the map's size are the map's.
    fn is_on_map_grid(&self, mask: &Mosaic) -> bool {
        let base = self.heights.layers().base();
        base.offset_to(mask).is_ok_and(|offset| offset == (0, 0))
    }

    /// The EPSG code of the map's own file.
    fn own_epsg(&self) -> Option<u16> {
        self.heights.header().keys.epsg()
    }

    /// A mask that says nothing of its place lies on the whole map, if it has its shape.
    fn stretch(
        &mut self,
        loaded: &Loaded,
        key: &str,
        mask: &Mosaic,
    ) -> Result<Sampling, BakeError> {
        let (map, own) = (self.map(), mask.rect());
        let file = mask.path().display();
        let ratio = |rect: Rect| rect.width() as f64 / rect.height() as f64;
        let sizes = format!(
            "{} × {} pixels, the map {} × {}",
            own.width(),
            own.height(),
            map.width(),
            map.height()
        );
        if (ratio(own) / ratio(map) - 1.0).abs() > 0.01 {
            let message = format!(
                "{file} does not say where it lies, and cannot be stretched over the whole map: it is {sizes}"
            );
            let help = format!(
                "give it its place, such as with gdal_translate -a_ullr, or make it {} × {} pixels",
                map.width(),
                map.height()
            );
            return Err(loaded.error_at(key, message, Some(help)).into());
        }
        self.warnings.push(format!(
            "{file} does not say where it lies and is stretched over the whole map: it is {sizes}"
        ));
        Ok(Sampling::stretched(map, own))
    }

    /// Two files in different coordinate systems cannot be laid over each other.
    fn check_system(&self, loaded: &Loaded, key: &str, mask: &Mosaic) -> Result<(), BakeError> {
        let (Some(ours), Some(theirs)) = (self.own_epsg(), mask.first().header().keys.epsg())
        else {
            return Ok(());
        };
        if ours == theirs {
            return Ok(());
        }
        let file = mask.path().display();
        let message = format!("{file} is in EPSG:{theirs}, the map in EPSG:{ours}");
        let help = format!("warp it: gdalwarp -t_srs EPSG:{ours} {file} warped.tif");
        Err(loaded.error_at(key, message, Some(help)).into())
    }

    /// A mask beside the map is a mistake.
    fn check_overlap(
        &self,
        loaded: &Loaded,
        key: &str,
        mask: &Mosaic,
        ours: &GeoTransform,
        theirs: &GeoTransform,
    ) -> Result<(), BakeError> {
        let away = gap(ours.bounds(self.map()), theirs.bounds(mask.rect()));
        let Some((east, north)) = away else {
            return Ok(());
        };
        let file = mask.path().display();
        let distance = distance((east * east + north * north).sqrt(), self.heights.header());
        let message = format!(
            "{file} lies {distance} {} of the map",
            direction(east, north)
        );
        let [west, south, east, north] = ours.bounds(self.map());
        let mut help = format!(
            "on the map x lies in {west} … {east} and y in {south} … {north}: is it of another place"
        );
        let own = self.own_epsg();
        if own.is_none() || mask.first().header().keys.epsg().is_none() {
            let to = own.map_or_else(|| "SYSTEM_OF_THE_MAP".into(), |code| format!("EPSG:{code}"));
            help += &format!(
                ", or in another coordinate system? then warp it: gdalwarp -t_srs {to} {file} warped.tif"
            );
        } else {
            help += "?";
        }
        Err(loaded.error_at(key, message, Some(help)).into())
    }

    fn warn_of_fineness(&mut self, mask: &Mosaic, sampling: &Sampling) {
        let fineness = sampling.fineness();
        if fineness > FINEST {
            self.warnings.push(format!(
                "{} has pixels {fineness:.1} times as fine as the map's, and the mask is read between the nearest of them, not averaged; \
                 gdalwarp -tr with -r average makes a mask of the map's pixels",
                mask.path().display()
            ));
        }
    }
}

/// How far east and north the nearest borders of `b` lie from those of `a`; `None` where they share ground. Bounds are
/// west, south, east, north.
fn gap(a: [f64; 4], b: [f64; 4]) -> Option<(f64, f64)> {
    let away = |low: usize, high: usize| (b[low] - a[high]).max(0.0) + (b[high] - a[low]).min(0.0);
    let (east, north) = (away(0, 2), away(1, 3));
    (east != 0.0 || north != 0.0).then_some((east, north))
}

/// The point of the compass that two grids' gap leads to.
fn direction(east: f64, north: f64) -> String {
    let word = |along: f64, forth: &'static str, back: &'static str| match along {
        along if along > 0.0 => forth,
        along if along < 0.0 => back,
        _ => "",
    };
    let (north, east) = (word(north, "north", "south"), word(east, "east", "west"));
    let dash = if north.is_empty() || east.is_empty() {
        ""
    } else {
        "-"
    };
    format!("{north}{dash}{east}")
}

/// A distance in the units of a file, for people; in metres where it names none.
fn distance(units: f64, header: &Header) -> String {
    match header.linear_unit().map(|unit| unit.size) {
        _ if header.is_geographic() => format!("{units:.3}°"),
        None => length(units),
        Some(Some(metres)) => length(units * metres),
        Some(None) => format!("{units:.0} units"),
    }
}

/// A share as per cent, never rounded up to all of it.
fn percent(share: f64) -> String {
    let tenths = (share * 1000.0).floor() / 10.0;
    format!("{tenths} %")
}
