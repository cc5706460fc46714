//! What a raster file says about its pixels beside their values.

use std::fmt::Write;

use ecotone_grid::{GeoKeys, GeoTransform, Rect};

use super::directory::Directory;

/// What one band holds.
#[derive(Clone, Debug, PartialEq)]
pub struct BandHeader {
    /// Its name, as GDAL's band description.
    pub description: String,
    /// A value in its unit is `stored · scale + offset`.
    pub scale: f64,
    /// See `scale`.
    pub offset: f64,
}

impl BandHeader {
    /// A band whose stored values are the values.
    pub fn plain(description: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            scale: 1.0,
            offset: 0.0,
        }
    }
}

/// What all tiles of one stage share.
#[derive(Clone, Debug, PartialEq)]
pub struct TileHeader {
    /// The whole map's transform; a tile is placed by its own rectangle.
    pub transform: GeoTransform,
    /// The map's coordinate system; empty where it has none.
    pub geo_keys: GeoKeys,
    /// One for each band.
    pub bands: Vec<BandHeader>,
    /// The stored value of a void, where there is one.
    pub nodata: Option<f64>,
}

const GT_RASTER_TYPE: u16 = 1025;
const PIXEL_IS_AREA: u16 = 1;

impl TileHeader {
    pub(super) fn describe(&self, out: &mut Directory, rect: Rect, bits: usize, format: u16) {
        let n = self.bands.len();
        out.shorts(258, &vec![bits as u16; n]);
        out.shorts(277, &[n as u16]);
        out.shorts(284, &[if n > 1 { 2 } else { 1 }]);
        if n > 1 {
            out.shorts(338, &vec![0; n - 1]);
        }
        out.shorts(339, &vec![format; n]);
        self.georeference(out, rect);
        out.text(42112, &self.gdal_metadata());
        if let Some(nodata) = self.nodata {
            out.text(42113, &nodata_text(nodata));
        }
    }

    fn georeference(&self, out: &mut Directory, rect: Rect) {
        let [west, _, _, north] = self.transform.bounds(rect);
        out.doubles(
            33550,
            &[self.transform.pixel.x, self.transform.pixel.y, 0.0],
        );
        out.doubles(33922, &[0.0, 0.0, 0.0, west, north, 0.0]);
        let keys = &self.geo_keys;
        if keys.directory.is_empty() {
            return;
        }
        let mut directory = keys.directory.clone();
        for entry in directory.chunks_exact_mut(4).skip(1) {
            // The transform speaks of pixel borders, whatever the source said.
            if entry[0] == GT_RASTER_TYPE && entry[1] == 0 {
                entry[3] = PIXEL_IS_AREA;
            }
        }
        out.shorts(34735, &directory);
        if !keys.doubles.is_empty() {
            out.doubles(34736, &keys.doubles);
        }
        if !keys.ascii.is_empty() {
            out.text(34737, &keys.ascii);
        }
    }

    fn gdal_metadata(&self) -> String {
        let mut xml = String::from("<GDALMetadata>\n");
        let mut item = |name: &str, sample: usize, value: &str| {
            let role = name.to_lowercase();
            // Twice, because GDAL takes the escapes of a value off twice.
            let value = escape(&escape(value));
            // Writing to a string cannot fail.
            let _ = writeln!(
                xml,
                "  <Item name=\"{name}\" sample=\"{sample}\" role=\"{role}\">{value}</Item>"
            );
        };
        for (sample, band) in self.bands.iter().enumerate() {
            item("DESCRIPTION", sample, &band.description);
            if (band.scale, band.offset) != (1.0, 0.0) {
                item("SCALE", sample, &band.scale.to_string());
                item("OFFSET", sample, &band.offset.to_string());
            }
        }
        xml.push_str("</GDALMetadata>\n");
        xml
    }
}

/// A void's stored value as GDAL writes it.
pub(crate) fn nodata_text(nodata: f64) -> String {
    if nodata.is_nan() {
        "nan".to_owned()
    } else {
        nodata.to_string()
    }
}

/// A text inside XML, safe in an element and in an attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 has no way to write the other control characters.
            c if c.is_control() && !matches!(c, '\t' | '\n' | '\r') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
