//! Whole-map mosaics: a GDAL virtual raster over the tiles of one stage.

use std::fmt::Write;

use ecotone_grid::Rect;

use crate::TileHeader;
use crate::tiff::{escape, nodata_text};

/// The type of a mosaic's pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    /// 8-bit unsigned.
    U8,
    /// 16-bit signed.
    I16,
    /// 32-bit real.
    F32,
}

impl DataType {
    fn gdal(self) -> &'static str {
        match self {
            Self::U8 => "Byte",
            Self::I16 => "Int16",
            Self::F32 => "Float32",
        }
    }
}

/// What a mosaic is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mosaic<'a> {
    /// The whole map.
    pub map: Rect,
    /// What its tiles share.
    pub header: &'a TileHeader,
    /// The pixels' type.
    pub data_type: DataType,
    /// Goes before each tile's path: from the folder of the mosaic to that of the world, such as `../../`.
    pub prefix: &'a str,
}

/// The text of a VRT over `tiles`, each with its rectangle of the map and its path under the world directory.
///
/// Where no tile lies, GDAL reads nodata, or 0 where there is none.
pub(crate) fn mosaic<'t>(
    mosaic: &Mosaic<'_>,
    tiles: impl Iterator<Item = (Rect, &'t str)>,
) -> String {
    let sources: Vec<_> = tiles
        .map(|(rect, file)| Source::new(mosaic, rect, file))
        .collect();
    let mut xml = String::new();
    // Writing to a string cannot fail.
    let _ = write_mosaic(mosaic, &sources, &mut xml);
    xml
}

/// A tile's element, without the number of the band: a world has thousands of tiles, and each stands in every band.
struct Source {
    before_band: String,
    after_band: String,
}

impl Source {
    fn new(mosaic: &Mosaic<'_>, rect: Rect, file: &str) -> Self {
        let (kind, prefix, file) = (mosaic.data_type.gdal(), mosaic.prefix, escape(file));
        let (x, y) = (rect.x0 - mosaic.map.x0, rect.y0 - mosaic.map.y0);
        let (w, h) = (rect.width(), rect.height());
        Self {
            before_band: format!(
                "<SimpleSource><SourceFilename relativeToVRT=\"1\">{prefix}{file}</SourceFilename><SourceBand>"
            ),
            after_band: format!(
                "</SourceBand><SourceProperties RasterXSize=\"{w}\" RasterYSize=\"{h}\" DataType=\"{kind}\"/>\
                 <SrcRect xOff=\"0\" yOff=\"0\" xSize=\"{w}\" ySize=\"{h}\"/>\
                 <DstRect xOff=\"{x}\" yOff=\"{y}\" xSize=\"{w}\" ySize=\"{h}\"/></SimpleSource>\n"
            ),
        }
    }
}

fn write_mosaic(mosaic: &Mosaic<'_>, sources: &[Source], xml: &mut String) -> std::fmt::Result {
    let (map, header) = (mosaic.map, mosaic.header);
    let kind = mosaic.data_type.gdal();
    let (width, height) = (map.width(), map.height());
    writeln!(
        xml,
        "<VRTDataset rasterXSize=\"{width}\" rasterYSize=\"{height}\">"
    )?;
    if let Some(code) = header.geo_keys.epsg() {
        writeln!(xml, "<SRS>EPSG:{code}</SRS>")?;
    }
    let [west, _, _, north] = header.transform.bounds(map);
    let (sx, sy) = (header.transform.pixel.x, header.transform.pixel.y);
    writeln!(
        xml,
        "<GeoTransform>{west}, {sx}, 0, {north}, 0, {}</GeoTransform>",
        -sy
    )?;
    for (idx, band) in header.bands.iter().enumerate() {
        let number = idx + 1;
        writeln!(xml, "<VRTRasterBand dataType=\"{kind}\" band=\"{number}\">")?;
        writeln!(
            xml,
            "<Description>{}</Description>",
            escape(&band.description)
        )?;
        if let Some(nodata) = header.nodata {
            writeln!(xml, "<NoDataValue>{}</NoDataValue>", nodata_text(nodata))?;
        }
        if (band.scale, band.offset) != (1.0, 0.0) {
            writeln!(
                xml,
                "<Offset>{}</Offset>\n<Scale>{}</Scale>",
                band.offset, band.scale
            )?;
        }
        for Source {
            before_band,
            after_band,
        } in sources
        {
            write!(xml, "{before_band}{number}{after_band}")?;
        }
        writeln!(xml, "</VRTRasterBand>")?;
    }
    writeln!(xml, "</VRTDataset>")
}

#[cfg(test)]
mod tests {
    use ecotone_grid::{GeoKeys, GeoTransform, PixelSize};

    use super::*;
    use crate::BandHeader;

    #[test]
    fn a_tile_stands_at_its_place_in_every_band() {
        let header = TileHeader {
            transform: GeoTransform {
                x0: 10.5,
                y0: 20.0,
                pixel: PixelSize { x: 2.0, y: 0.5 },
            },
            geo_keys: GeoKeys::default(),
            bands: ["a&b", "c"].map(BandHeader::plain).into(),
            nodata: None,
        };
        let map = Rect::new(0, 0, 6, 5);
        let frame = Mosaic {
            map,
            header: &header,
            data_type: DataType::U8,
            prefix: "../",
        };
        let xml = mosaic(
            &frame,
            [(Rect::new(4, 0, 6, 4), "weights/t.tif")].into_iter(),
        );
        assert!(
            xml.contains("<GeoTransform>10.5, 2, 0, 20, 0, -0.5</GeoTransform>"),
            "{xml}"
        );
        assert!(xml.contains("<Description>a&amp;b</Description>"), "{xml}");
        assert!(
            !xml.contains("SRS") && !xml.contains("NoData") && !xml.contains("Scale"),
            "{xml}"
        );
        for band in 1..=2 {
            let source = format!(
                "<SourceFilename relativeToVRT=\"1\">../weights/t.tif</SourceFilename><SourceBand>{band}</SourceBand>"
            );
            assert_eq!(xml.matches(&source).count(), 1, "{xml}");
        }
        let place = "<DstRect xOff=\"4\" yOff=\"0\" xSize=\"2\" ySize=\"4\"/>";
        assert_eq!(xml.matches(place).count(), 2, "{xml}");
    }
}
