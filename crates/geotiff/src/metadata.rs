//! GDAL's own tags: nodata, and the scale and offset of each band.

use crate::SampleType;

/// The nodata value that GDAL wrote as text; `None` where it is blank, an error where it is no number.
pub(crate) fn nodata(text: &str) -> Result<Option<f64>, ()> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    // Numbers as old Microsoft libraries printed them.
    if text.contains("#QNAN") || text.contains("#IND") {
        return Ok(Some(f64::NAN));
    }
    text.parse().map(Some).map_err(|_| ())
}

/// Height = raw · `scale` + `offset`, in each band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Linear {
    pub scale: f64,
    pub offset: f64,
}

impl Linear {
    pub const IDENTITY: Self = Self {
        scale: 1.0,
        offset: 0.0,
    };

    /// Spreads the numbers of an integer type, or the fractions from 0 to 1, over `lo..=hi`.
    pub fn over([lo, hi]: [f64; 2], sample: SampleType) -> Self {
        let (least, most) = sample.min().zip(sample.max()).unwrap_or((0.0, 1.0));
        let scale = (hi - lo) / (most - least);
        Self {
            scale,
            offset: lo - least * scale,
        }
    }
}

/// Reads `<Item name="SCALE" sample="0" role="scale">0.1</Item>` and the like out of the `GDAL_METADATA` tag.
///
/// Items of bands beyond `n_bands`, and what is not a finite number, are left alone.
pub(crate) fn linears(xml: &str, n_bands: usize) -> Vec<Linear> {
    let mut linears = vec![Linear::IDENTITY; n_bands];
    for item in items(xml) {
        let Some(linear) = item.band.and_then(|band| linears.get_mut(band)) else {
            continue;
        };
        match (item.attribute("role"), item.number()) {
            (Some("scale"), Some(scale)) => linear.scale = scale,
            (Some("offset"), Some(offset)) => linear.offset = offset,
            _ => {}
        }
    }
    linears
}

/// The unit that a band's values are in: `<Item name="UNITTYPE" sample="0" role="unittype">ft</Item>`.
pub(crate) fn unit_type(xml: &str, band: usize) -> Option<&str> {
    items(xml)
        .find(|item| item.band == Some(band) && item.attribute("role") == Some("unittype"))
        .map(|item| item.text)
}

/// Reads the smallest and the largest raw value of a band out of the statistics in the `GDAL_METADATA` tag.
pub(crate) fn stated_range(xml: &str, band: usize) -> Option<[f64; 2]> {
    let value = |name: &str| {
        items(xml)
            .filter(|item| item.band == Some(band) && item.attribute("name") == Some(name))
            .find_map(|item| item.number())
    };
    let (low, high) = (value("STATISTICS_MINIMUM")?, value("STATISTICS_MAXIMUM")?);
    (low <= high).then_some([low, high])
}

/// An element such as `<Item name="SCALE" sample="0" role="scale">0.1</Item>`.
struct Item<'a> {
    attributes: &'a str,
    /// From 0; the first where it does not say.
    band: Option<usize>,
    text: &'a str,
}

fn items(xml: &str) -> impl Iterator<Item = Item<'_>> {
    xml.split("<Item").skip(1).filter_map(|item| {
        let (attributes, rest) = item.split_once('>')?;
        Some(Item {
            attributes,
            band: attribute(attributes, "sample").unwrap_or("0").parse().ok(),
            text: rest.split('<').next().unwrap_or_default().trim(),
        })
    })
}

impl<'a> Item<'a> {
    fn attribute(&self, name: &str) -> Option<&'a str> {
        attribute(self.attributes, name)
    }

    /// Its text, where that is a finite number.
    fn number(&self) -> Option<f64> {
        self.text.parse().ok().filter(|n: &f64| n.is_finite())
    }
}

fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    attributes.split_whitespace().find_map(|attribute| {
        let (key, value) = attribute.split_once('=')?;
        (key == name).then(|| value.trim_end_matches('/').trim_matches(['"', '\'']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_and_offsets_belong_to_their_bands() {
        let xml = r#"<GDALMetadata>
            <Item name="AREA_OR_POINT">Area</Item>
            <Item name="OFFSET" sample="0" role="offset">1000</Item>
            <Item name="SCALE" sample="0" role="scale">0.1</Item>
            <Item name="DESCRIPTION" sample="1" role="description">9</Item>
            <Item name="SCALE" sample="1" role="scale">-2.5e-3</Item>
            <Item name="SCALE" sample="7" role="scale">4</Item>
            <Item name="OFFSET" sample="1" role="offset">nan</Item>
        </GDALMetadata>"#;
        let first = Linear {
            scale: 0.1,
            offset: 1000.0,
        };
        let second = Linear {
            scale: -0.0025,
            offset: 0.0,
        };
        assert_eq!(linears(xml, 2), [first, second]);
        assert_eq!(linears("<Item <Item name= sample", 1), [Linear::IDENTITY]);
    }

    #[test]
    fn statistics_belong_to_their_bands() {
        let xml = r#"<GDALMetadata>
            <Item name="STATISTICS_MAXIMUM" sample="0">2871.25</Item>
            <Item name="STATISTICS_MEAN" sample="0">1000</Item>
            <Item name="STATISTICS_MINIMUM" sample="0">-3</Item>
            <Item name="STATISTICS_MINIMUM" sample="1">7</Item>
        </GDALMetadata>"#;
        assert_eq!(stated_range(xml, 0), Some([-3.0, 2871.25]));
        assert_eq!(stated_range(xml, 1), None);
        assert_eq!(stated_range("<Item name=\"STATISTICS_MINIMUM\">x", 0), None);
    }

    #[test]
    fn nodata_is_a_number_or_an_error() {
        assert_eq!(nodata("-9999 "), Ok(Some(-9999.0)));
        assert_eq!(nodata("1e400"), Ok(Some(f64::INFINITY)));
        assert_eq!(nodata(" "), Ok(None));
        assert!(nodata("nan").is_ok_and(|n| n.is_some_and(f64::is_nan)));
        assert!(nodata("-1.#QNAN").is_ok_and(|n| n.is_some_and(f64::is_nan)));
        assert_eq!(nodata("abc"), Err(()));
    }
}
