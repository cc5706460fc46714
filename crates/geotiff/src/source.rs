//! Windowed reads of one file.

use std::path::Path;
use std::sync::Arc;

use ecotone_grid::{Raster, Rect};

use crate::error::within;
use crate::formats::{self, Kind, Opened, RawLayout};
use crate::georeference;
use crate::image::{File, Image, Last, Run};
use crate::map::{FileStamp, Map};
use crate::sample::with_sample;
use crate::{BlockCache, Georeference, Header, Sample, SourceError};

/// What the caller knows better than the file, and how much of it may be had at once.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Instead of the file's scale, for every band.
    pub scale: Option<f64>,
    /// Instead of the file's offset, for every band.
    pub offset: Option<f64>,
    /// Instead of the file's nodata value; a raw value, before scale and offset.
    pub nodata: Option<f64>,
    /// The heights of the smallest and the largest number that an integer type can hold, of 0 and 1 where samples are
    /// floats; instead of the file's scale and offset, for every band. `scale` and `offset` go over it.
    pub range: Option<[f64; 2]>,
    /// What files of bare numbers hold (`.raw`, `.r16`, `.r8`, `.r32`); `None`: a square is guessed from the length.
    pub raw: Option<RawLayout>,
    /// How much may be had at once.
    pub limits: Limits,
}

/// How much of a file may be had at once: a file that wants more is refused before memory is reserved.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of one decoded block of a compressed file.
    pub block_bytes: u64,
    /// Blocks of one file, 16 bytes of memory each.
    pub blocks: u64,
    /// Bytes of one text tag.
    pub text_bytes: u64,
    /// Bytes of one window in memory.
    pub window_bytes: u64,
    /// Bytes of all the singles that [`Source::rows_as_f32`] passes on.
    pub stream_bytes: u64,
    /// Bytes of all the pixels of a PNG or OpenEXR file, which are unpacked on disk.
    pub unpacked_bytes: u64,
}

impl Default for Limits {
    /// Blocks of 256 MiB, 2²² of them; texts of 4 MiB; windows of 4 GiB; streams and unpacked files of 64 GiB.
    fn default() -> Self {
        Self {
            block_bytes: 1 << 28,
            blocks: 1 << 22,
            text_bytes: 1 << 22,
            window_bytes: 1 << 32,
            stream_bytes: 1 << 36,
            unpacked_bytes: 1 << 36,
        }
    }
}

impl Limits {
    /// Refuses a window that is larger than it may be.
    pub(crate) fn check_window(
        &self,
        path: &Path,
        rect: Rect,
        pixel_bytes: usize,
    ) -> Result<(), SourceError> {
        let n_bytes = (rect.width() as u64)
            .saturating_mul(rect.height() as u64)
            .saturating_mul(pixel_bytes as u64);
        let limit = || "bytes in one window".into();
        within(path, limit, n_bytes, self.window_bytes)
    }
}

/// An open file; any number of threads may read it at once.
///
/// Rows and columns of a window are those of the north-up map: a file whose rows go north is turned on the way.
#[derive(Debug)]
pub struct Source {
    kind: Kind,
    file: File,
    opened: Opened,
}

impl Source {
    /// Opens a file; only its header is read.
    ///
    /// Its kind is told by its first bytes (TIFF, PNG, OpenEXR); files of bare numbers by their name: `.hgt`, `.raw`,
    /// `.r16`, `.r8`, `.r32`. The pixels of PNG and OpenEXR are unpacked when they are first read, into a file without
    /// a name in the system's folder of temporary files ([`std::env::temp_dir`]), which goes when the source is dropped.
    ///
    /// A file that does not keep its bytes while the source is open is found out: a read of it, or
    /// [`Source::check_unchanged`], ends with [`SourceError::Changed`]. Blocks of compressed files go through `cache`, which
    /// sources may share; uncompressed ones are read from the map.
    pub fn open(
        path: &Path,
        options: &Options,
        cache: Arc<BlockCache>,
    ) -> Result<Self, SourceError> {
        let map = Map::open(path)?;
        let kind = formats::kind(&map);
        let opened = map.judged(formats::open(&map, kind, options))?;
        Ok(Self {
            kind,
            opened,
            file: File {
                map,
                limits: options.limits.clone(),
                cache,
            },
        })
    }

    /// Its format, such as "GeoTIFF" or "PNG".
    pub fn kind(&self) -> &'static str {
        match self.kind {
            Kind::Tiff if self.header().big_tiff => "BigTIFF",
            Kind::Tiff => "GeoTIFF",
            Kind::Png => "PNG",
            Kind::Exr => "OpenEXR",
            Kind::Hgt => "SRTM height file",
            Kind::Raw(_) => "raw numbers",
        }
    }

    /// What was assumed about the file that it does not say itself: sentences for people.
    pub fn notes(&self) -> &[String] {
        &self.opened.notes
    }

    /// Where the pixels are: in the file, or unpacked.
    fn pixels(&self) -> Result<&File, SourceError> {
        self.opened
            .unpacked
            .as_ref()
            .map_or(Ok(&self.file), |unpacked| {
                unpacked.pixels(&self.file, &self.opened.image)
            })
    }

    /// What the file says about itself.
    pub fn header(&self) -> &Header {
        &self.opened.image.header
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        self.file.map.path()
    }

    /// Whether the file is still the one that was opened, as far as its name, length and times tell.
    ///
    /// Reads notice bytes that are gone, and nothing else: call this before publishing what was made of them.
    ///
    /// # Errors
    /// [`SourceError::Changed`] where it was cut short, overwritten, appended to, replaced or removed.
    pub fn check_unchanged(&self) -> Result<(), SourceError> {
        self.file.map.check_unchanged()
    }

    /// The state of the file when it was opened: where it is as it was, the file need not be read to know its pixels.
    pub fn stamp(&self) -> FileStamp {
        self.file.map.stamp()
    }

    /// All pixels of the map: columns from 0 to the width, rows from 0 to the height.
    pub fn rect(&self) -> Rect {
        Rect::new(
            0,
            0,
            i64::from(self.opened.image.header.width),
            i64::from(self.opened.image.header.height),
        )
    }

    /// Bytes of the decoded blocks under a window of one band: what the cache must hold for another read of the window to
    /// decode nothing. 0 where pixels are read from the file as they are.
    pub fn decoded_bytes(&self, window: Rect) -> u64 {
        let part = self.in_file(window.intersect(&self.rect()));
        [Some(&self.opened.image), self.opened.mask.as_ref()]
            .into_iter()
            .flatten()
            .map(|image| image.blocks.decoded_bytes(&image.header, part))
            .fold(0, u64::saturating_add)
    }

    /// Where the map lies in the world; `Ok(None)` where the file does not say, or by ground control points only.
    ///
    /// [`SourceError::Placement`] where the grid is rotated, sheared or without size: its pixels can still be read.
    pub fn georeference(&self) -> Result<Option<Georeference>, SourceError> {
        self.opened
            .placement
            .map_err(|reason| SourceError::Placement {
                path: self.file.map.path().to_path_buf(),
                reason,
            })
    }

    /// Reads the heights of a window, raw · scale + offset.
    ///
    /// `out` is made to cover `rect`, one band. NaN is nodata, NaN, ±Inf, what lies outside the map, and what the
    /// file's own mask covers.
    pub fn read(&self, rect: Rect, band: usize, out: &mut Raster<f64>) -> Result<(), SourceError> {
        with_sample!(self.opened.image.header.sample, T => self.read_heights::<T>(rect, band, out))
    }

    fn read_heights<T: Sample>(
        &self,
        rect: Rect,
        band: usize,
        out: &mut Raster<f64>,
    ) -> Result<(), SourceError> {
        self.check_window::<f64>(rect, 1)?;
        if self.rect().covers(&rect) {
            out.cover(rect, 1, f64::NAN);
        } else {
            out.reset(rect, 1, f64::NAN);
        }
        let void = self.opened.image.header.nodata.and_then(T::void);
        let (scale, offset) = (
            self.opened.image.header.scale(band),
            self.opened.image.header.offset(band),
        );
        // Without a branch: the usual pixel is no void, but the compiler need not know.
        let height = |raw: T| {
            let height = raw.to_f64() * scale + offset;
            let is_void = void.is_some_and(|void| raw == void) | !height.is_finite();
            if is_void { f64::NAN } else { height }
        };
        // A block that was left out is void, where the file has a word for that, whatever word the caller has.
        let absent = match self.opened.image.header.stored_nodata {
            Some(_) => f64::NAN,
            None => height(T::from_f64(0.0)),
        };
        self.visit_turned(&self.opened.image, rect, band, |x, y, n, run| {
            let row = row(out, 0, (x, y), n);
            match run {
                Some(run) => run.convert(row, height),
                None => row.fill(absent),
            }
        })?;
        self.opened
            .mask
            .as_ref()
            .map_or(Ok(()), |mask| self.cover(mask, out))
    }

    /// Makes void what the mask covers.
    fn cover(&self, mask: &Image, out: &mut Raster<f64>) -> Result<(), SourceError> {
        let mut holds_value = Vec::new();
        self.visit_turned(mask, out.rect(), 0, |x, y, n, run| {
            holds_value.clear();
            holds_value.resize(n, false);
            if let Some(run) = run {
                run.convert(&mut holds_value, |sample: u8| sample != 0);
            }
            let covered = row(out, 0, (x, y), n).iter_mut().zip(&holds_value);
            for (height, _) in covered.filter(|(_, holds_value)| !**holds_value) {
                *height = f64::NAN;
            }
        })
    }

    /// Reads the raw samples of a window, as the file has them.
    ///
    /// `out` is made to cover `rect`, one band, `fill` outside the map. `T` must be the file's own type. Blocks that
    /// were left out of the file are its nodata value, else 0; the file's mask is not looked at.
    pub fn read_raw<T: Sample>(
        &self,
        rect: Rect,
        band: usize,
        fill: T,
        out: &mut Raster<T>,
    ) -> Result<(), SourceError> {
        self.check_window::<T>(rect, 1)?;
        out.reset(rect, 1, fill);
        self.read_raw_into(band, 0, out)
    }

    /// Reads the raw samples of every band over the whole map.
    pub fn read_all<T: Sample>(&self) -> Result<Raster<T>, SourceError> {
        let (rect, n_bands) = (self.rect(), self.opened.image.header.n_bands);
        self.check_window::<T>(rect, n_bands)?;
        let mut out = Raster::new(rect, n_bands, T::from_f64(0.0));
        for band in 0..n_bands {
            self.read_raw_into(band, band, &mut out)?;
        }
        Ok(out)
    }

    fn read_raw_into<T: Sample>(
        &self,
        band: usize,
        out_band: usize,
        out: &mut Raster<T>,
    ) -> Result<(), SourceError> {
        if T::TYPE != self.opened.image.header.sample {
            return Err(SourceError::WrongType {
                path: self.file.map.path().to_path_buf(),
                wanted: T::TYPE.name(),
                found: self.opened.image.header.sample.name(),
            });
        }
        let absent = self.absent::<T>();
        self.visit_turned(&self.opened.image, out.rect(), band, |x, y, n, run| {
            let row = row(out, out_band, (x, y), n);
            match run {
                Some(run) => run.convert(row, |raw: T| raw),
                None => row.fill(absent),
            }
        })
    }

    /// Passes on the raw samples of the first band as singles, row by row in the order of the file (not turned).
    ///
    /// `each` gets pieces of whole rows, or of one row where it is very wide; at most 64 MiB each. Doubles and
    /// large integers are rounded. Refused where all of it would be over [`Limits::stream_bytes`].
    pub fn rows_as_f32(&self, each: impl FnMut(&[f32])) -> Result<(), SourceError> {
        with_sample!(self.opened.image.header.sample, T => self.stream::<T>(each))
    }

    fn stream<T: Sample>(&self, mut each: impl FnMut(&[f32])) -> Result<(), SourceError> {
        const PIECE: i64 = 1 << 24;
        let map = self.rect();
        let n_bytes = u64::from(self.opened.image.header.width)
            .saturating_mul(u64::from(self.opened.image.header.height))
            .saturating_mul(4);
        self.file
            .map
            .within("bytes of singles", n_bytes, self.file.limits.stream_bytes)?;
        let width = map.x1.min(PIECE);
        let height = (PIECE / width).min(self.opened.image.blocks.height as i64);
        let absent = self.absent::<T>().to_f32();
        let mut last = Last::default();
        let mut piece = Raster::default();
        let file = self.pixels()?;
        for y in (0..map.y1).step_by(height as usize) {
            for x in (0..map.x1).step_by(width as usize) {
                let part = Rect::new(x, y, x + width, y + height).intersect(&map);
                piece.reset(part, 1, 0.0);
                self.opened
                    .image
                    .visit(file, part, 0, &mut last, |x, y, n, run| {
                        let row = row(&mut piece, 0, (x, y), n);
                        match run {
                            Some(run) => run.convert(row, T::to_f32),
                            None => row.fill(absent),
                        }
                    })?;
                each(piece.pixels());
            }
        }
        Ok(())
    }

    /// The raw value of blocks that were left out of the file.
    fn absent<T: Sample>(&self) -> T {
        T::from_f64(self.opened.image.header.stored_nodata.unwrap_or(0.0))
    }

    fn check_window<T>(&self, rect: Rect, n_bands: usize) -> Result<(), SourceError> {
        let pixel_bytes = n_bands * size_of::<T>();
        self.file
            .limits
            .check_window(self.path(), rect, pixel_bytes)
    }

    /// A part of the map in columns and rows of the file.
    fn in_file(&self, part: Rect) -> Rect {
        if !georeference::is_south_up(&self.opened.placement) {
            return part;
        }
        georeference::upside_down(part, i64::from(self.opened.image.header.height))
    }

    /// Calls `each(x, y, n, run)` for the runs of pixels of a window that lie on the map, in map rows.
    fn visit_turned(
        &self,
        image: &Image,
        rect: Rect,
        band: usize,
        mut each: impl FnMut(i64, i64, usize, Option<Run>),
    ) -> Result<(), SourceError> {
        let part = rect.intersect(&self.rect());
        let height = i64::from(self.opened.image.header.height);
        let mut last = Last::default();
        let file = self.pixels()?;
        if georeference::is_south_up(&self.opened.placement) {
            let turned = self.in_file(part);
            return image.visit(file, turned, band, &mut last, |x, y, n, run| {
                each(x, height - 1 - y, n, run)
            });
        }
        image.visit(file, part, band, &mut last, each)
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        for image in [Some(&self.opened.image), self.opened.mask.as_ref()]
            .into_iter()
            .flatten()
        {
            image.forget(&self.file.cache);
        }
    }
}

/// `n` pixels of a row of a raster, from a map column on.
fn row<T: Copy>(raster: &mut Raster<T>, band: usize, (x, y): (i64, i64), n: usize) -> &mut [T] {
    let start = (x - raster.rect().x0) as usize;
    &mut raster.row_mut(band, y)[start..start + n]
}
