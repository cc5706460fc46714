//! The keys of one mask, wherever they stand in a config.

use crate::config::{DensityMask, Stratum};
use crate::rules::Asking;

/// What a config says of a mask: that of a stratum, or of what grows.
pub(crate) struct MaskKeys<'a> {
    /// The path of the key that names its file.
    pub(crate) key: String,
    /// The path of the key that chooses its band.
    pub(crate) band_key: String,
    /// The kind of table that it is of, for a sentence.
    pub(crate) what: &'static str,
    /// The name of what it is of.
    pub(crate) owner: &'a str,
    /// Its file.
    pub(crate) file: &'a str,
    /// The band, from 1.
    pub(crate) band: Option<u32>,
    /// The values that mean 0 and 1.
    pub(crate) range: Option<[f64; 2]>,
    /// Whether it says where its owner is not.
    pub(crate) is_inverted: bool,
    /// Width in metres of lines.
    pub(crate) width: Option<f64>,
    /// Radius in metres of points.
    pub(crate) radius: Option<f64>,
    /// Width in metres of the ramp around shapes.
    pub(crate) feather: Option<f64>,
}

impl<'a> MaskKeys<'a> {
    /// Those of the stratum with a number among all that are listed; `None` where it has no mask.
    pub(crate) fn of_stratum(idx: usize, stratum: &'a Stratum) -> Option<Self> {
        Some(Self {
            key: format!("stratum[{idx}].mask"),
            band_key: format!("stratum[{idx}].mask_band"),
            what: "stratum",
            owner: &stratum.name,
            file: stratum.mask.as_deref()?,
            band: stratum.mask_band,
            range: stratum.range,
            is_inverted: stratum.invert,
            width: stratum.width,
            radius: stratum.radius,
            feather: stratum.feather,
        })
    }

    /// Those of a density mask, and of what asks for it.
    pub(crate) fn of_density(asking: &Asking<'a>, mask: &'a DensityMask) -> Self {
        let key = format!("{}.mask", asking.key);
        Self {
            band_key: format!("{key}.band"),
            key: format!("{key}.file"),
            what: asking.what,
            owner: asking.name,
            file: &mask.file,
            band: mask.band,
            range: mask.range,
            is_inverted: mask.invert,
            width: mask.width,
            radius: mask.radius,
            feather: mask.feather,
        }
    }

    /// The word of the key that chooses its band.
    pub(crate) fn band_word(&self) -> &str {
        let last = self.band_key.rsplit('.').next();
        last.unwrap_or(&self.band_key)
    }

    /// Whether it is a GeoJSON file, by its name.
    pub(crate) fn has_shapes(&self) -> bool {
        let file = self.file.to_ascii_lowercase();
        file.ends_with(".geojson") || file.ends_with(".json")
    }
}
