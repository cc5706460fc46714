//! Rasters of two worlds, band by band by name.

use ecotone_grid::{GeoTransform, Raster, Rect};
use ecotone_store::{GridRecord, Manifest, Stage};

use crate::finished::DENSITY;
use crate::{Finished, InterchangeError};

/// Pixels of a window that are compared at once; 8 bytes each, of either world.
const WINDOW_PIXELS: usize = 1 << 20;

/// The pixel that changed most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GreatestChange {
    /// Its value in the older world, in the band's unit.
    pub old: f64,
    /// Its value in the newer world.
    pub new: f64,
    /// Column and row.
    pub pixel: [i64; 2],
    /// World x and y of its centre in metres.
    pub place: [f64; 2],
}

impl GreatestChange {
    /// How far apart the two are.
    pub fn amount(&self) -> f64 {
        (self.new - self.old).abs()
    }

    /// Whether it changed more, or as much and comes first: the order in which windows are read does not show.
    fn beats(&self, other: &Self) -> bool {
        let (own, others) = (self.amount(), other.amount());
        let place = |[column, row]: [i64; 2]| (row, column);
        own > others || (own == others && place(self.pixel) < place(other.pixel))
    }
}

/// What became of a band.
#[derive(Clone, Debug, PartialEq)]
pub struct BandDiff {
    /// The folder of its stage, such as `weights` or `fields/slope`.
    pub stage: String,
    /// Its name.
    pub band: String,
    /// What its values are: `m`, `share`, or nothing where the field says it.
    pub unit: &'static str,
    /// Pixels that differ.
    pub n_pixels: u64,
    /// Those among them that are void in one of the two.
    pub n_void: u64,
    /// The one that changed most; `None` where all of them are void in one of the two.
    pub greatest: Option<GreatestChange>,
    /// The smallest rectangle of pixels that holds them.
    pub bounds: Rect,
}

/// What became of the rasters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldDiff {
    /// Why no pixel was compared; `None` where all were.
    pub apart: Option<String>,
    /// Bands that differ, in the order of the newer world.
    pub bands: Vec<BandDiff>,
    /// Stage and name of the bands that only the older world has.
    pub removed: Vec<(String, String)>,
    /// Stage and name of the bands that only the newer world has.
    pub added: Vec<(String, String)>,
}

impl FieldDiff {
    /// Whether every pixel of every raster is the same.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Compares the rasters window by window.
pub(super) fn compare(old: &Finished, new: &Finished) -> Result<FieldDiff, InterchangeError> {
    let mut found = FieldDiff {
        apart: apart(&old.manifest().grid, &new.manifest().grid),
        ..FieldDiff::default()
    };
    if found.apart.is_some() {
        return Ok(found);
    }
    let mut stages: Vec<Stage> = new.manifest().raster_stages().collect();
    let gone = old.manifest().raster_stages();
    let gone: Vec<Stage> = gone.filter(|stage| !stages.contains(stage)).collect();
    stages.extend(gone);
    for stage in stages {
        let pair = Pair::of(old, new, stage);
        found.removed.extend(pair.only_old());
        found.added.extend(pair.only_new());
        found.bands.extend(pair.compare()?);
    }
    Ok(found)
}

/// Why pixels of two maps cannot be set against each other.
fn apart(old: &GridRecord, new: &GridRecord) -> Option<String> {
    let size = |grid: &GridRecord| format!("{} × {} pixels", grid.width, grid.height);
    let place = |grid: &GridRecord| {
        let [x, y] = grid.pixel;
        format!("pixels of {x} × {y} m from ({}, {})", grid.x0, grid.y0)
    };
    let system = |grid: &GridRecord| match grid.epsg {
        Some(epsg) => format!("EPSG:{epsg}"),
        None => "another coordinate system".to_owned(),
    };
    let differ = |what: &dyn Fn(&GridRecord) -> String| {
        format!("the maps differ: {} and {}", what(old), what(new))
    };
    if size(old) != size(new) {
        Some(differ(&size))
    } else if old.transform() != new.transform() {
        Some(differ(&place))
    } else if (old.epsg, &old.geo_keys) != (new.epsg, &new.geo_keys) {
        Some(differ(&system))
    } else {
        None
    }
}

fn bands<'a>(manifest: &'a Manifest, stage: &Stage) -> &'a [String] {
    match stage {
        Stage::Weights | Stage::Sdf => &manifest.strata,
        Stage::Field(name) => manifest.fields.get(name).map_or(&[], |field| &field.bands),
        Stage::Vegetation | Stage::Edits => &[],
    }
}

/// One raster of both worlds.
struct Pair<'a> {
    old: &'a Finished,
    new: &'a Finished,
    stage: Stage,
    old_bands: &'a [String],
    new_bands: &'a [String],
}

impl<'a> Pair<'a> {
    fn of(old: &'a Finished, new: &'a Finished, stage: Stage) -> Self {
        Self {
            old_bands: bands(old.manifest(), &stage),
            new_bands: bands(new.manifest(), &stage),
            old,
            new,
            stage,
        }
    }

    fn missing(&self, these: &[String], there: &[String]) -> Vec<(String, String)> {
        let missing = these.iter().filter(|name| !there.contains(name));
        let named = missing.map(|name| (self.stage.folder(), name.clone()));
        named.collect()
    }

    fn only_old(&self) -> Vec<(String, String)> {
        self.missing(self.old_bands, self.new_bands)
    }

    fn only_new(&self) -> Vec<(String, String)> {
        self.missing(self.new_bands, self.old_bands)
    }

    /// The bands of both that differ.
    fn compare(&self) -> Result<Vec<BandDiff>, InterchangeError> {
        let windows = self.windows();
        let mut found = Vec::new();
        for (new_idx, name) in self.new_bands.iter().enumerate() {
            let Some(old_idx) = self.old_bands.iter().position(|band| band == name) else {
                continue;
            };
            let tolerance = self.tolerance(old_idx, new_idx);
            let mut sum = Sum::new(self.new.transform(), tolerance);
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for &rect in &windows {
                values(self.old, &self.stage, old_idx, rect, &mut before)?;
                values(self.new, &self.stage, new_idx, rect, &mut after)?;
                sum.add(rect, &before, &after);
            }
            found.extend(sum.finish(&self.stage, name));
        }
        Ok(found)
    }

    /// Whether equal bytes are equal values of the same bands.
    fn is_stored_alike(&self) -> bool {
        let (old, new) = (self.old.manifest(), self.new.manifest());
        self.old_bands == self.new_bands
            && old.grid.tile_size == new.grid.tile_size
            && (self.stage != Stage::Sdf || old.edges == new.edges)
            && self.scales(old) == self.scales(new)
    }

    /// What must be read: the tiles whose files differ, or all where the worlds are not stored alike.
    fn windows(&self) -> Vec<Rect> {
        let (is_stored_alike, grid) = (self.is_stored_alike(), self.new.grid());
        let tiles = grid.tiles().filter(|&tile| {
            let [old, new] = [self.old, self.new].map(|world| world.tile(&self.stage, tile));
            !is_stored_alike || old.map(|file| &file.digest) != new.map(|file| &file.digest)
        });
        tiles.flat_map(|tile| split(grid.rect(tile))).collect()
    }

    /// What a step of each band is worth, of a field of steps.
    fn scales<'b>(&self, manifest: &'b Manifest) -> &'b [f64] {
        match &self.stage {
            Stage::Field(name) => manifest.fields.get(name).map_or(&[], |field| &field.scales),
            _ => &[],
        }
    }

    /// How far two stored values of one number can lie apart: half a step of each, where steps differ.
    fn tolerance(&self, old_band: usize, new_band: usize) -> f64 {
        let step = |world: &Finished, band: usize| match self.stage {
            Stage::Sdf => world.manifest().edges.scale,
            _ => self.scales(world.manifest()).get(band).map_or(0.0, |&s| s),
        };
        let (old, new) = (step(self.old, old_band), step(self.new, new_band));
        if old != new { (old + new) / 2.0 } else { 0.0 }
    }
}

/// Cuts a tile into rows that fit into memory.
fn split(tile: Rect) -> impl Iterator<Item = Rect> {
    let n_rows = (WINDOW_PIXELS / tile.width().max(1)).max(1);
    let starts = (tile.y0..tile.y1).step_by(n_rows);
    starts.map(move |y| Rect::new(tile.x0, y, tile.x1, (y + n_rows as i64).min(tile.y1)))
}

/// Reads a band in its unit; a void is NaN.
fn values(
    world: &Finished,
    stage: &Stage,
    band: usize,
    rect: Rect,
    out: &mut Vec<f64>,
) -> Result<(), InterchangeError> {
    out.clear();
    match stage {
        Stage::Weights => {
            let mut stored = Raster::<u8>::default();
            world.weight_bands(rect, band..band + 1, &mut stored)?;
            out.extend(stored.pixels().iter().map(|&v| f64::from(v) / 255.0));
        }
        Stage::Sdf => {
            let mut stored = Raster::<i16>::default();
            world.sdf_bands(rect, band..band + 1, &mut stored)?;
            let edges = &world.manifest().edges;
            out.extend(stored.pixels().iter().map(|&steps| {
                let is_void = steps == edges.nodata;
                let metres = f64::from(steps) * edges.scale;
                if is_void { f64::NAN } else { metres }
            }));
        }
        Stage::Field(name) => {
            let mut stored = Raster::<f32>::default();
            world.field(name, band, rect, &mut stored)?;
            out.extend(stored.pixels().iter().map(|&v| f64::from(v)));
        }
        Stage::Vegetation | Stage::Edits => {}
    }
    Ok(())
}

/// What differs in a band, so far.
struct Sum {
    transform: GeoTransform,
    tolerance: f64,
    n_pixels: u64,
    n_void: u64,
    greatest: Option<GreatestChange>,
    bounds: Rect,
}

impl Sum {
    fn new(transform: GeoTransform, tolerance: f64) -> Self {
        Self {
            transform,
            tolerance,
            n_pixels: 0,
            n_void: 0,
            greatest: None,
            bounds: Rect::default(),
        }
    }

    fn add(&mut self, rect: Rect, old: &[f64], new: &[f64]) {
        let width = rect.width();
        for (idx, (&old, &new)) in old.iter().zip(new).enumerate() {
            if self.is_same(old, new) {
                continue;
            }
            let pixel = [
                rect.x0 + (idx % width) as i64,
                rect.y0 + (idx / width) as i64,
            ];
            self.pixel(pixel, old, new);
        }
    }

    fn is_same(&self, old: f64, new: f64) -> bool {
        old == new || (old.is_nan() && new.is_nan()) || (old - new).abs() <= self.tolerance
    }

    fn pixel(&mut self, [x, y]: [i64; 2], old: f64, new: f64) {
        let own = Rect::new(x, y, x + 1, y + 1);
        self.bounds = if self.n_pixels == 0 {
            own
        } else {
            Rect::new(
                self.bounds.x0.min(own.x0),
                self.bounds.y0.min(own.y0),
                self.bounds.x1.max(own.x1),
                self.bounds.y1.max(own.y1),
            )
        };
        self.n_pixels += 1;
        if old.is_nan() || new.is_nan() {
            self.n_void += 1;
            return;
        }
        let [west, south, east, north] = self.transform.bounds(own);
        let change = GreatestChange {
            old,
            new,
            pixel: [x, y],
            place: [(west + east) / 2.0, (south + north) / 2.0],
        };
        let best = self.greatest.get_or_insert(change);
        if change.beats(best) {
            *best = change;
        }
    }

    fn finish(self, stage: &Stage, band: &str) -> Option<BandDiff> {
        (self.n_pixels > 0).then(|| BandDiff {
            stage: stage.folder(),
            band: band.to_owned(),
            unit: match stage {
                Stage::Weights => "share",
                Stage::Sdf => "m",
                Stage::Field(name) if name == DENSITY => "plants",
                _ => "",
            },
            n_pixels: self.n_pixels,
            n_void: self.n_void,
            greatest: self.greatest,
            bounds: self.bounds,
        })
    }
}
