//! What each file is, by its header alone.

use std::path::{Path, PathBuf};

use ecotone_geotiff::{Layout, Source};
use ecotone_grid::GeoTransform;

use crate::config::Loaded;
use crate::inputs::{Inputs, Mask};

/// A file that a bake reads.
#[derive(Clone, Debug)]
pub struct Input {
    /// What it is for.
    pub role: Role,
    /// Where it is.
    pub path: PathBuf,
    /// Its format, such as "GeoTIFF".
    pub kind: &'static str,
    /// Its size on disk.
    pub file_bytes: u64,
    /// What it says of its pixels; `None` where it has none.
    pub raster: Option<RasterFacts>,
}

/// What a file is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// The heights of the map, or a part of them.
    Heights,
    /// A patch over the heights, or how much of it takes hold.
    Patch,
    /// The mask of the stratum of that name.
    Mask(String),
    /// The density mask of the biome or the species of that name.
    Density(String),
}

/// What coordinates are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Metres, which are also meant where a file says nothing.
    Metre,
    /// Degrees of longitude and latitude.
    Degree,
    /// Feet or the like.
    Other,
}

/// What a file of pixels says of them.
#[derive(Clone, Debug)]
pub struct RasterFacts {
    /// Pixels from west to east.
    pub width: u32,
    /// Pixels from north to south.
    pub height: u32,
    /// Bands in it.
    pub n_bands: usize,
    /// The type of its samples, such as "int16".
    pub sample: &'static str,
    /// How it is packed, such as "deflate".
    pub compression: Option<&'static str>,
    /// How it is cut, such as "tiles of 256 × 256".
    pub layout: Option<String>,
    /// The raw value that stands for a void.
    pub nodata: Option<f64>,
    /// EPSG code of its coordinate system.
    pub epsg: Option<u16>,
    /// The unit of its coordinates.
    pub unit: Unit,
    /// Where it says that its pixels lie, in its own units.
    pub place: Option<GeoTransform>,
    /// Smallest and largest value that its type holds, scaled; `None` for floats.
    pub holds: Option<[f64; 2]>,
    /// Smallest and largest value by its own statistics, scaled; nothing says that they are true.
    pub stated: Option<[f64; 2]>,
}

/// Every file of the inputs.
pub(super) fn all(loaded: &Loaded, inputs: &Inputs) -> Vec<Input> {
    let map = inputs.heights.layers();
    let n_base = map.base().sources().count();
    let heights = map.sources().enumerate().map(|(idx, source)| {
        let role = if idx < n_base {
            Role::Heights
        } else {
            Role::Patch
        };
        Input::of_source(role, source)
    });
    let masked = loaded.config.strata.iter().filter(|s| s.mask.is_some());
    let masked = masked.map(|stratum| Role::Mask(stratum.name.clone()));
    let masks = masked.zip(&inputs.masks);
    let owners = inputs.density_owners.iter().cloned().map(Role::Density);
    let densities = owners.zip(&inputs.densities);
    let masks = masks.chain(densities).flat_map(|(role, mask)| match mask {
        Mask::Raster(mask) => {
            let sources = mask.map().sources();
            sources
                .map(|source| Input::of_source(role.clone(), source))
                .collect()
        }
        Mask::Shapes(shapes) => vec![Input {
            role,
            kind: "GeoJSON",
            file_bytes: file_bytes(shapes.path()),
            raster: None,
            path: shapes.path().to_owned(),
        }],
        Mask::Stroke(_) => Vec::new(),
    });
    heights.chain(masks).collect()
}

impl Input {
    fn of_source(role: Role, source: &Source) -> Self {
        let path = source.path().to_owned();
        Self {
            role,
            kind: source.kind(),
            file_bytes: file_bytes(&path),
            raster: Some(RasterFacts::of_source(source)),
            path,
        }
    }

    /// Whether the map's heights come from it.
    pub fn is_of_heights(&self) -> bool {
        self.role == Role::Heights
    }
}

fn file_bytes(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |found| found.len())
}

impl RasterFacts {
    fn of_source(source: &Source) -> Self {
        let header = source.header();
        let (scale, offset) = (header.scale(0), header.offset(0));
        let scaled = |[low, high]: [f64; 2]| {
            let (a, b) = (low * scale + offset, high * scale + offset);
            [a.min(b), a.max(b)]
        };
        // Masks and heights alike are what their own type makes of them.
        let ends = header.sample.min().zip(header.sample.max());
        let holds = ends.map(|(min, max)| scaled([min, max]));
        Self {
            width: header.width,
            height: header.height,
            n_bands: header.n_bands,
            sample: header.sample.name(),
            compression: Some(header.compression.name()),
            layout: Some(match header.layout {
                Layout::Strips { rows } if rows == header.height => "one strip".to_owned(),
                Layout::Strips { rows: 1 } => "strips of 1 row".to_owned(),
                Layout::Strips { rows } => format!("strips of {rows} rows"),
                Layout::Tiles { width, height } => format!("tiles of {width} × {height}"),
            }),
            nodata: header.nodata,
            epsg: header.keys.epsg(),
            unit: match header.linear_unit().map(|unit| unit.size) {
                _ if header.is_geographic() => Unit::Degree,
                None | Some(Some(1.0)) => Unit::Metre,
                Some(_) => Unit::Other,
            },
            place: source
                .georeference()
                .ok()
                .flatten()
                .map(|found| found.transform),
            holds,
            stated: header.stated_range().map(scaled),
        }
    }
}
