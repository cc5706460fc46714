//! Tiles of the Shuttle Radar Topography Mission: big-endian heights, placed by the file's name.
//!
//! Layout and names: USGS, *SRTM Topography* (2015), section 3; read as GDAL's SRTMHGT driver reads them.

use ecotone_grid::{GeoKeys, GeoTransform, PixelSize};

use crate::map::Map;
use crate::{ByteOrder, Georeference, Options, SampleType, SourceError};

use super::raw::{self, RawLayout};
use super::{Opened, name};

/// The height that stands for none.
const NODATA: f64 = -32768.0;

/// Opens a tile.
pub(super) fn open(map: &Map, options: &Options) -> Result<Opened, SourceError> {
    let layout = layout(map)?;
    let corner = map.path().file_stem().and_then(|stem| {
        let stem = stem.to_str()?.as_bytes();
        south_west(stem)
    });
    // One sample alone has no spacing.
    let corner = corner.filter(|_| layout.width > 1 && layout.height > 1);
    let place = corner.map(|(lon, lat)| georeference(lon, lat, layout));
    let mut notes = Vec::new();
    if place.is_none() {
        notes.push(format!(
            "{} does not say where it lies, as a name such as N43E010.hgt would: it is read without a place",
            name(map.path()),
        ));
    }
    let keys = place.map(|_| wgs_84()).unwrap_or_default();
    let image = raw::image(map, layout, (Some(NODATA), keys), options)?;
    Ok(Opened {
        placement: Ok(place),
        notes,
        ..Opened::new(image)
    })
}

/// A square, or half as many columns as rows, as beyond 50° of latitude.
fn layout(map: &Map) -> Result<RawLayout, SourceError> {
    let len = map.bytes().len() as u64;
    let half = || {
        // 2 · width · (2 · width − 1) bytes.
        let width = (len / 4).isqrt() + 1;
        (len == 2 * width * (2 * width - 1)).then_some((width as u32, 2 * width as u32 - 1))
    };
    let square = raw::square(len, SampleType::I16).map(|side| (side, side));
    let (width, height) =
        square
            .or_else(half)
            .ok_or_else(|| SourceError::RawLength {
                path: map.path().to_path_buf(),
                len,
                expected: "an .hgt is a square of 16-bit numbers: 2884802 bytes for 1201 × 1201, 25934402 for 3601 × 3601"
                    .to_owned(),
                advice: "it is cut short, or packed: unpack or fetch it again, or name it .raw and say what it holds with \
                         the key terrain.raw"
                    .to_owned(),
            })?;
    Ok(RawLayout {
        width,
        height,
        sample: SampleType::I16,
        byte_order: ByteOrder::Big,
    })
}

/// Longitude and latitude of the south-west sample, from a name such as `N43E010` or `s07w063.SRTMGL1`.
fn south_west(stem: &[u8]) -> Option<(f64, f64)> {
    let [ns, n1, n2, ew, e1, e2, e3, rest @ ..] = stem else {
        return None;
    };
    if rest.first().is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let number = |digits: &[&u8]| {
        digits.iter().try_fold(0.0, |n, digit| {
            let digit = digit.is_ascii_digit().then(|| **digit - b'0')?;
            Some(n * 10.0 + f64::from(digit))
        })
    };
    let (lat, lon) = (number(&[n1, n2])?, number(&[e1, e2, e3])?);
    let sign = |letter: &u8, plus: u8, minus: u8| match letter.to_ascii_uppercase() {
        l if l == plus => Some(1.0),
        l if l == minus => Some(-1.0),
        _ => None,
    };
    let (lat, lon) = (lat * sign(ns, b'N', b'S')?, lon * sign(ew, b'E', b'W')?);
    (lat.abs() <= 90.0 && lon.abs() <= 180.0).then_some((lon, lat))
}

/// The outer samples lie on the whole degrees, so that neighbours share them.
fn georeference(lon: f64, lat: f64, layout: RawLayout) -> Georeference {
    let pixel = PixelSize {
        x: 1.0 / f64::from(layout.width - 1),
        y: 1.0 / f64::from(layout.height - 1),
    };
    Georeference {
        transform: GeoTransform {
            x0: lon - pixel.x / 2.0,
            y0: lat + 1.0 + pixel.y / 2.0,
            pixel,
        },
        south_up: false,
    }
}

/// EPSG 4326, geographic, pixel is area: the half pixel is in the transform.
fn wgs_84() -> GeoKeys {
    GeoKeys {
        directory: vec![1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326],
        ..GeoKeys::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_south_west_corner() {
        assert_eq!(south_west(b"N43E010"), Some((10.0, 43.0)));
        assert_eq!(south_west(b"s07w063"), Some((-63.0, -7.0)));
        assert_eq!(south_west(b"N43W080.SRTMGL1"), Some((-80.0, 43.0)));
        for name in [
            "N43E01", "X43E010", "N4aE010", "N43E0100", "N91E000", "N00E181", "alps",
        ] {
            assert_eq!(south_west(name.as_bytes()), None, "{name}");
        }
    }
}
