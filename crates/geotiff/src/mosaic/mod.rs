//! One map made of one or more files on one grid.

mod error;
mod grid;
mod patched;
mod pixels;
mod vrt;
mod xml;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecotone_grid::{GeoTransform, Raster, Rect};

use crate::map::FileStamp;
use crate::{BlockCache, Georeference, Limits, Options, SampleType, Source, SourceError};
use grid::{Placed, moved};
use pixels::{Opener, Pixels};

pub use error::MosaicError;
pub use patched::{Alpha, Patch, PatchMode, Patched};

/// A file of a mosaic, and where it lies where the caller knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MosaicFile {
    /// The file: any kind that [`Source`] reads, or a GDAL virtual raster (`.vrt`) that lays such files side by side.
    pub path: PathBuf,
    /// Column and row of its north-west corner, from any origin common to all files; `None`: where its own
    /// georeference says.
    pub at: Option<(i64, i64)>,
}

impl MosaicFile {
    /// A file that lies where it says.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            at: None,
        }
    }
}

/// One map made of one or more files on one grid; any number of threads may read it at once.
///
/// Where files overlap the later one counts, but for its voids, which let the earlier ones show; between files all is
/// void. Each file is read by its own type, nodata, scale and offset, unless the options overrule them.
#[derive(Debug)]
pub struct Mosaic {
    parts: Vec<Part>,
    rect: Rect,
    place: Place,
    /// The files that hold the pixels, those that VRT files name included.
    sources: Vec<Arc<Source>>,
    limits: Limits,
}

/// One file of a [`Mosaic`].
#[derive(Debug)]
pub struct Part {
    /// In the map.
    rect: Rect,
    pixels: Pixels,
}

/// How it is known where a mosaic lies.
#[derive(Debug)]
enum Place {
    /// As the only file says.
    Own,
    /// By the georeference of all files, or by none.
    Known(Option<Georeference>),
    /// By numbers, which the files' own georeference contradicts: number of the part, and pixels east and south of
    /// the first by its georeference.
    Misnumbered { part: usize, found: [f64; 2] },
}

impl Part {
    /// The file's name.
    pub fn path(&self) -> &Path {
        self.pixels.path()
    }

    /// Where in the map its pixels lie.
    pub fn rect(&self) -> Rect {
        self.rect
    }

    /// How many bands the file has.
    pub fn n_bands(&self) -> usize {
        self.pixels.n_bands()
    }

    /// The type of its samples.
    pub fn sample(&self) -> SampleType {
        self.pixels.sample()
    }

    /// Reads a window of the map from this file alone, as [`Mosaic::read`].
    ///
    /// # Errors
    /// Those of the file.
    pub fn read(&self, rect: Rect, out: &mut Raster<f64>) -> Result<(), SourceError> {
        let own = moved(rect, (-self.rect.x0, -self.rect.y0));
        self.pixels.read(own, out)?;
        // As many pixels as before: only their coordinates change.
        out.cover(rect, 1, f64::NAN);
        Ok(())
    }

    fn placed(&self) -> Result<Option<Placed<'_>>, SourceError> {
        let found = self.pixels.georeference()?;
        Ok(found.map(|place| Placed {
            path: self.path(),
            transform: place.transform,
            epsg: self.epsg(),
            rect: self.pixels.rect(),
        }))
    }

    /// The code of its coordinate system.
    fn epsg(&self) -> Option<u16> {
        self.pixels.first().header().keys.epsg()
    }
}

impl Mosaic {
    /// Whether a file is a VRT, which names other files: by its name, or by its first bytes.
    pub fn is_vrt(path: &Path) -> bool {
        vrt::is_vrt(path)
    }

    /// Opens the files of a map, in the order in which they lie over each other; `band` counts from 0.
    ///
    /// At least one file. All are placed by their georeference, or all by [`MosaicFile::at`]; a single one need not be
    /// placed at all. Only headers are read. What [`Source::open`] says of files and cache holds here too.
    ///
    /// # Errors
    /// Those of the files; [`SourceError::Mosaic`] where they are not on one grid; [`SourceError::NoBand`].
    pub fn open(
        files: &[MosaicFile],
        band: usize,
        options: &Options,
        cache: Arc<BlockCache>,
    ) -> Result<Self, SourceError> {
        assert!(!files.is_empty(), "a mosaic has at least one file");
        let mut opener = Opener::new(cache);
        let mut parts = Vec::with_capacity(files.len());
        for file in files {
            let pixels = opener.open(&file.path, band, options)?;
            let rect = moved(pixels.rect(), file.at.unwrap_or_default());
            parts.push(Part { rect, pixels });
        }
        let is_numbered = files.iter().all(|file| file.at.is_some());
        let place = match (&parts[..], is_numbered) {
            ([_], _) => Place::Own,
            (_, true) => numbered(&parts)?,
            (_, false) => georeferenced(&mut parts)?,
        };
        let whole = grid::around(parts.iter().map(|part| (part.path(), part.rect)))?;
        for part in &mut parts {
            part.rect = moved(part.rect, (-whole.x0, -whole.y0));
        }
        Ok(Self {
            rect: moved(whole, (-whole.x0, -whole.y0)),
            parts,
            place,
            sources: opener.into_sources(),
            limits: options.limits.clone(),
        })
    }

    /// Reads the heights of a window, raw · scale + offset.
    ///
    /// `out` is made to cover `rect`, one band. NaN is nodata, NaN, ±Inf, what lies outside the map or between its
    /// files, and what a file's own mask covers.
    ///
    /// # Errors
    /// Those of the files under the window.
    pub fn read(&self, rect: Rect, out: &mut Raster<f64>) -> Result<(), SourceError> {
        let is_single = self.parts.len() == 1;
        let mut under = self
            .parts
            .iter()
            .filter(|part| is_single || !part.rect.intersect(&rect).is_empty());
        let Some(first) = under.next() else {
            let path = self.first().path();
            self.limits.check_window(path, rect, size_of::<f64>())?;
            out.reset(rect, 1, f64::NAN);
            return Ok(());
        };
        first.read(rect, out)?;
        let mut over = Raster::default();
        for part in under {
            part.read(part.rect.intersect(&rect), &mut over)?;
            lay(&over, out, |under, over| {
                if !over.is_nan() {
                    *under = over;
                }
            });
        }
        Ok(())
    }

    /// All pixels of the map: columns from 0 to the width, rows from 0 to the height.
    pub fn rect(&self) -> Rect {
        self.rect
    }

    /// Where the map lies in the world; `Ok(None)` where its files do not say.
    ///
    /// Of several files, the west border is that of the westmost and the north border that of the northmost, digit
    /// for digit.
    ///
    /// # Errors
    /// [`SourceError::Placement`] of an only file; [`SourceError::Mosaic`] where files that are placed by
    /// [`MosaicFile::at`] say themselves that they lie elsewhere. Pixels can be read all the same.
    pub fn georeference(&self) -> Result<Option<Georeference>, SourceError> {
        match self.place {
            Place::Own => self.parts[0].pixels.georeference(),
            Place::Known(place) => Ok(place),
            Place::Misnumbered { part, found } => {
                let (first, second) = (&self.parts[0], &self.parts[part]);
                Err(MosaicError::Misnumbered {
                    first: first.path().to_owned(),
                    second: second.path().to_owned(),
                    numbered: [
                        second.rect.x0 - first.rect.x0,
                        second.rect.y0 - first.rect.y0,
                    ],
                    found,
                }
                .into())
            }
        }
    }

    /// Columns and rows from this map's north-west corner to that of a raster that lies over it, which may reach
    /// beyond the map.
    ///
    /// Where either does not say where it lies, both must have the same size.
    ///
    /// # Errors
    /// [`SourceError::Mosaic`] where the raster is not on this map's grid.
    pub fn offset_to(&self, raster: &Self) -> Result<(i64, i64), SourceError> {
        let (first, second) = (self.path(), raster.path());
        let ours = self.georeference().ok().flatten();
        let theirs = raster.georeference()?;
        if let (Some(ours), Some(theirs)) = (ours, theirs) {
            return Ok(self.placed(ours).offset_to(&raster.placed(theirs))?);
        }
        if let Some(theirs) = theirs {
            return Err(MosaicError::UnplacedMap {
                first: first.to_owned(),
                second: second.to_owned(),
                west: theirs.transform.x0,
                north: theirs.transform.y0,
            }
            .into());
        }
        if self.rect == raster.rect {
            return Ok((0, 0));
        }
        Err(MosaicError::sizes((first, self.rect), (second, raster.rect)).into())
    }

    fn placed(&self, place: Georeference) -> Placed<'_> {
        Placed {
            path: self.path(),
            transform: place.transform,
            epsg: self.parts.iter().find_map(Part::epsg),
            rect: self.rect,
        }
    }

    /// Whether there is a 1 and no value but 0 and 1, voids left out; reads until it finds another.
    ///
    /// # Errors
    /// Those of the files.
    pub fn holds_only_zero_and_one(&self) -> Result<bool, SourceError> {
        /// Pixels that are read at a time: few, as most masks show at once that they hold more.
        const PIXELS: i64 = 1 << 16;
        let map = self.rect();
        let n_rows = (PIXELS / map.x1).max(1);
        let mut rows = Raster::default();
        let mut any = false;
        // From the middle on: there a mask shows sooner that it holds more than at its border.
        let n_parts = map.height() as i64 / n_rows + 1;
        for part in 0..n_parts {
            let y = map.y0 + (part + n_parts / 2) % n_parts * n_rows;
            let rect = Rect::new(map.x0, y, map.x1, y + n_rows).intersect(&map);
            if rect.is_empty() {
                continue;
            }
            self.read(rect, &mut rows)?;
            for &raw in rows.pixels() {
                if !raw.is_nan() && raw != 0.0 && raw != 1.0 {
                    return Ok(false);
                }
                any |= raw == 1.0;
            }
        }
        Ok(any)
    }

    /// The name of the first file.
    pub fn path(&self) -> &Path {
        self.parts[0].path()
    }

    /// The files of the map, in the order in which they lie over each other.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The files that hold the pixels: those of the map, or for a VRT those that it names; each once.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().map(AsRef::as_ref)
    }

    /// Hands every file that a read of a window goes to to `each`, with the part of the file's own pixels that is read;
    /// a file more than once where a VRT names it more than once.
    pub fn sources_under(&self, window: Rect, each: &mut dyn FnMut(&Source, Rect)) {
        for part in &self.parts {
            let own = moved(window.intersect(&part.rect), (-part.rect.x0, -part.rect.y0));
            part.pixels.sources_under(own, each);
        }
    }

    /// Hands the state of every file that a read of a window depends on to `each`, with the part of its own pixels that
    /// is read; a VRT comes before those that it names.
    pub fn stamps_under(&self, window: Rect, each: &mut dyn FnMut(FileStamp, Rect)) {
        for part in &self.parts {
            let own = moved(window.intersect(&part.rect), (-part.rect.x0, -part.rect.y0));
            part.pixels.stamps_under(own, each);
        }
    }

    /// The first of [`Mosaic::sources`].
    pub fn first(&self) -> &Source {
        self.parts[0].pixels.first()
    }
}

/// Lays parts where their georeference says, in pixels from the first.
fn georeferenced(parts: &mut [Part]) -> Result<Place, SourceError> {
    let unplaced = |part: &Part, other: &Part| MosaicError::Unplaced {
        path: part.path().to_owned(),
        other: other.path().to_owned(),
    };
    let first = parts[0]
        .placed()?
        .ok_or_else(|| unplaced(&parts[0], &parts[1]))?;
    let mut offsets = Vec::with_capacity(parts.len());
    let mut corner = first.transform;
    let (mut west, mut north) = (0, 0);
    // The first file that names its system: the files before it may be in any.
    let mut named = None;
    for part in parts.iter() {
        let placed = part.placed()?.ok_or_else(|| unplaced(part, &parts[0]))?;
        if placed.epsg.is_some() {
            named.get_or_insert(placed).check_system(&placed)?;
        }
        let (x, y) = first.offset_to(&placed)?;
        // The borders come from the files themselves: a sum of pixels could differ in its last digit.
        if x < west {
            (west, corner.x0) = (x, placed.transform.x0);
        }
        if y < north {
            (north, corner.y0) = (y, placed.transform.y0);
        }
        offsets.push((x, y));
    }
    for (part, offset) in parts.iter_mut().zip(offsets) {
        part.rect = moved(part.pixels.rect(), offset);
    }
    Ok(known(corner))
}

/// Where parts that are numbered lie in the world: where all of them say so, and their numbers agree.
fn numbered(parts: &[Part]) -> Result<Place, SourceError> {
    let placed = |part| Part::placed(part).ok().flatten();
    let Some(first) = placed(&parts[0]) else {
        return Ok(Place::Known(None));
    };
    let (mut corner, origin) = (first.transform, parts[0].rect);
    let (mut west, mut north) = (origin.x0, origin.y0);
    for (idx, part) in parts.iter().enumerate() {
        let Some(own) = placed(part) else {
            return Ok(Place::Known(None));
        };
        let wanted = (part.rect.x0 - origin.x0, part.rect.y0 - origin.y0);
        if first.offset_to(&own).ok() != Some(wanted) {
            let found = first.way_to(&own);
            return Ok(Place::Misnumbered { part: idx, found });
        }
        if part.rect.x0 < west {
            (west, corner.x0) = (part.rect.x0, own.transform.x0);
        }
        if part.rect.y0 < north {
            (north, corner.y0) = (part.rect.y0, own.transform.y0);
        }
    }
    Ok(known(corner))
}

fn known(transform: GeoTransform) -> Place {
    Place::Known(Some(Georeference {
        transform,
        south_up: false,
    }))
}

/// Lays one raster over a part of another, pixel by pixel.
fn lay(over: &Raster<f64>, out: &mut Raster<f64>, mut pixel: impl FnMut(&mut f64, f64)) {
    let rect = over.rect();
    let start = (rect.x0 - out.rect().x0) as usize;
    let window = over.band(0);
    for y in rect.y0..rect.y1 {
        let row = &mut out.row_mut(0, y)[start..start + rect.width()];
        for (under, &over) in row.iter_mut().zip(window.row(y)) {
            pixel(under, over);
        }
    }
}
