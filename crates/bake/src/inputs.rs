//! The files a bake reads, and where their pixels lie in metres.

use std::path::PathBuf;
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Options, Source};
use ecotone_grid::{GeoKeys, GeoTransform, Raster, Rect};

use crate::config::{Loaded, PixelSizeChoice, PixelSizeWord};
use crate::error::BakeError;
use crate::ground;

/// The opened inputs of a world, all on one grid.
pub(crate) struct Inputs {
    pub(crate) heights: Source,
    pub(crate) masks: Vec<Mask>,
    /// Where pixels lie in the world.
    pub(crate) transform: GeoTransform,
    /// The world's coordinate system; empty where `pixel_size` is given.
    pub(crate) keys: GeoKeys,
    /// Where the file says its pixels lie, and in which system, where `pixel_size` overrules it.
    pub(crate) overruled: Option<(GeoTransform, GeoKeys)>,
    /// What a person should know, though the bake goes on.
    pub(crate) warnings: Vec<String>,
}

/// A painted mask of one stratum.
pub(crate) struct Mask {
    source: Source,
    /// The raw value that stands for 1.
    one: f64,
}

impl Mask {
    /// The file.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Fills band `band` of `out` with coverage in [0, 1]; 0 where there is no data.
    pub(crate) fn read(
        &self,
        scratch: &mut Raster<f64>,
        band: usize,
        out: &mut Raster<f32>,
    ) -> Result<(), BakeError> {
        self.source.read(out.rect(), 0, scratch)?;
        for (coverage, &raw) in out.band_mut(band).iter_mut().zip(scratch.pixels()) {
            *coverage = if raw.is_nan() {
                0.0
            } else {
                (raw / self.one).clamp(0.0, 1.0) as f32
            };
        }
        Ok(())
    }
}

impl Inputs {
    /// Opens the height map and the masks that a config names, and checks that they fit together.
    pub(crate) fn open(loaded: &Loaded, block_bytes: usize) -> Result<Self, BakeError> {
        let blocks = Arc::new(BlockCache::new(block_bytes));
        let heights = open_heights(loaded, blocks.clone())?;
        let placed = place(loaded, &heights)?;
        let mut inputs = Self {
            heights,
            masks: Vec::new(),
            transform: placed.transform,
            keys: placed.keys,
            overruled: placed.overruled,
            warnings: Vec::new(),
        };
        let n_bands = inputs.heights.header().n_bands;
        if n_bands > 1 {
            inputs.warnings.push(format!(
                "{} has {n_bands} bands; the first is read as heights",
                inputs.heights.path().display()
            ));
        }
        for (idx, stratum) in loaded.config.strata.iter().enumerate() {
            if let Some(name) = &stratum.mask {
                let mask = inputs.open_mask(loaded, idx, name, blocks.clone())?;
                inputs.masks.push(mask);
            }
        }
        Ok(inputs)
    }

    /// All pixels of the map.
    pub(crate) fn map(&self) -> Rect {
        self.heights.rect()
    }

    fn open_mask(
        &mut self,
        loaded: &Loaded,
        stratum: usize,
        name: &str,
        blocks: Arc<BlockCache>,
    ) -> Result<Mask, BakeError> {
        let key = format!("stratum[{stratum}].mask");
        let path = loaded.resolve(name);
        // Raw values are wanted: a mask in 0 … 255 is one whatever its scale says.
        let options = Options {
            scale: Some(1.0),
            offset: Some(0.0),
            ..Options::default()
        };
        let source = open(loaded, &key, path, &options, blocks)?;
        self.check_grid(loaded, &key, &source)?;
        let largest = source.header().sample.max();
        let one = match largest {
            None => 1.0,
            Some(most) if most <= 65535.0 && holds_only_zero_and_one(&source)? => {
                self.warnings.push(format!(
                    "{} holds only 0 and 1, which are read as 0 and 1, not as shares of {most}",
                    source.path().display()
                ));
                1.0
            }
            Some(most) => most,
        };
        Ok(Mask { source, one })
    }

    /// A mask must lie on the map's grid.
    fn check_grid(&self, loaded: &Loaded, key: &str, mask: &Source) -> Result<(), BakeError> {
        let refuse = |message: String| {
            let help = "resample the mask onto the map's grid, such as with gdalwarp -te -ts";
            Err(loaded.error_at(key, message, Some(help.to_owned())).into())
        };
        let (wanted, found) = (self.map(), mask.rect());
        if wanted != found {
            return refuse(format!(
                "the mask is {} × {} pixels, the map {} × {}",
                found.width(),
                found.height(),
                wanted.width(),
                wanted.height()
            ));
        }
        // A file whose own place makes no sense may still be used with `pixel_size`: then only the sizes can agree.
        let place = |source: &Source| Some(source.georeference().ok()??.transform);
        match (place(&self.heights), place(mask)) {
            (Some(ours), Some(theirs)) if !same_grid(&ours, &theirs) => refuse(format!(
                "the mask's north-west corner is at ({}, {}) with pixels of {} × {}, the map's at ({}, {}) with {} × {}",
                theirs.x0,
                theirs.y0,
                theirs.pixel.x,
                theirs.pixel.y,
                ours.x0,
                ours.y0,
                ours.pixel.x,
                ours.pixel.y,
            )),
            _ => Ok(()),
        }
    }
}

/// Whether two grids agree to a hundredth of a pixel.
fn same_grid(a: &GeoTransform, b: &GeoTransform) -> bool {
    let near = |a: f64, b: f64, size: f64| (a - b).abs() <= 0.01 * size;
    near(a.x0, b.x0, a.pixel.x)
        && near(a.y0, b.y0, a.pixel.y)
        && near(a.pixel.x, b.pixel.x, 1e-4 * a.pixel.x)
        && near(a.pixel.y, b.pixel.y, 1e-4 * a.pixel.y)
}

fn open(
    loaded: &Loaded,
    key: &str,
    path: PathBuf,
    options: &Options,
    blocks: Arc<BlockCache>,
) -> Result<Source, BakeError> {
    if !path.is_file() {
        let message = format!("there is no file {}", path.display());
        let help = "file names are relative to the config's folder".to_owned();
        return Err(loaded.error_at(key, message, Some(help)).into());
    }
    Ok(Source::open(&path, options, blocks)?)
}

fn open_heights(loaded: &Loaded, blocks: Arc<BlockCache>) -> Result<Source, BakeError> {
    let terrain = &loaded.config.terrain;
    let mut files = Vec::new();
    for (idx, pattern) in terrain.heights.iter().enumerate() {
        let found = matches(loaded, idx, pattern)?;
        files.extend(found.into_iter().map(|path| (idx, path)));
    }
    let options = Options {
        scale: terrain.scale,
        offset: terrain.offset,
        nodata: terrain.nodata,
        ..Options::default()
    };
    let n_files = files.len();
    let (idx, path) = files.swap_remove(0);
    if n_files > 1 {
        let message = format!("{n_files} files match; one is expected");
        let help = "merge them first, such as with gdalbuildvrt and gdal_translate".to_owned();
        return Err(loaded
            .error_at("terrain.heights", message, Some(help))
            .into());
    }
    open(
        loaded,
        &format!("terrain.heights[{idx}]"),
        path,
        &options,
        blocks,
    )
}

/// The files that a name or a glob means; at least one.
fn matches(loaded: &Loaded, idx: usize, pattern: &str) -> Result<Vec<PathBuf>, BakeError> {
    let whole = loaded.resolve(pattern);
    if whole.is_file() || !pattern.contains(['*', '?', '[']) {
        return Ok(vec![whole]);
    }
    let key = format!("terrain.heights[{idx}]");
    let refuse = |message: String| loaded.error_at(&key, message, None);
    let found = glob::glob(&whole.to_string_lossy()).map_err(|e| refuse(e.to_string()))?;
    let mut files: Vec<_> = found.filter_map(Result::ok).collect();
    files.sort();
    if files.is_empty() {
        return Err(refuse(format!("no file matches {}", whole.display())).into());
    }
    Ok(files)
}

/// Whether an 8- or 16-bit mask has no other value; reads until it finds one.
fn holds_only_zero_and_one(mask: &Source) -> Result<bool, BakeError> {
    const ROWS: i64 = 256;
    let map = mask.rect();
    let mut rows = Raster::default();
    let mut any = false;
    for y in (map.y0..map.y1).step_by(ROWS as usize) {
        let rect = Rect::new(map.x0, y, map.x1, y + ROWS).intersect(&map);
        mask.read(rect, 0, &mut rows)?;
        for &raw in rows.pixels() {
            if !raw.is_nan() && raw != 0.0 && raw != 1.0 {
                return Ok(false);
            }
            any |= raw == 1.0;
        }
    }
    Ok(any)
}

/// Where the pixels of a height map lie.
struct Placed {
    transform: GeoTransform,
    keys: GeoKeys,
    overruled: Option<(GeoTransform, GeoKeys)>,
}

fn place(loaded: &Loaded, heights: &Source) -> Result<Placed, BakeError> {
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
