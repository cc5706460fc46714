//! GDAL virtual rasters that lay files side by side, as `gdalbuildvrt` and `gdal_translate -of VRT` write them.
//!
//! Format: <https://gdal.org/en/stable/drivers/raster/vrt.html>.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use ecotone_grid::{Raster, Rect};

use super::grid::moved;
use super::pixels::{Opener, Pixels};
use super::xml::{Borrowed, Description};
use super::{MosaicError, lay};
use crate::error::within;
use crate::georeference::{self, Placement};
use crate::map::{FileStamp, Stamp};
use crate::metadata::Linear;
use crate::sample::with_sample;
use crate::units;
use crate::{Georeference, Limits, Options, Sample, SampleType, Source, SourceError};

/// VRT files within each other.
const MOST_NESTED: usize = 4;

/// Sources of one VRT and of those it names, all together.
const MOST_SOURCES: u64 = 1 << 16;

/// Bytes of one VRT file.
const MOST_BYTES: u64 = 64 << 20;

/// One band of a VRT file.
#[derive(Debug)]
pub(super) struct Vrt {
    path: PathBuf,
    rect: Rect,
    n_bands: usize,
    sample: SampleType,
    placement: Placement,
    nodata: Option<f64>,
    scale: f64,
    offset: f64,
    limits: Limits,
    /// Of the VRT's own text.
    stamp: FileStamp,
    /// At least one.
    layers: Vec<Layer>,
}

/// Pixels of another file, and where they go.
#[derive(Debug)]
struct Layer {
    pixels: Pixels,
    /// Where in the VRT.
    rect: Rect,
    /// From a pixel of the VRT to that of the file.
    shift: (i64, i64),
    /// Whether its voids, too, hide what lies under it.
    hides: bool,
}

/// Whether a file is a VRT: by its name, or by its first bytes.
pub(super) fn is_vrt(path: &Path) -> bool {
    if path
        .extension()
        .is_some_and(|ext| ext.eq_ignore_ascii_case("vrt"))
    {
        return true;
    }
    // Asked before opening: opening a pipe would wait for its other end.
    if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return false;
    }
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(64).read_to_end(&mut start));
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start);
    read.is_ok() && start.trim_ascii_start().starts_with(b"<VRTDataset")
}

/// The text of a VRT; refused where it is longer than any has to be.
fn text(path: &Path) -> Result<String, SourceError> {
    let io_error = |source| SourceError::Io {
        path: path.to_owned(),
        source,
    };
    let found = fs::metadata(path).map_err(io_error)?;
    if !found.is_file() {
        return Err(io_error(std::io::Error::other("not a regular file")));
    }
    let mut text = Vec::new();
    let file = fs::File::open(path).map_err(io_error)?;
    // One byte more than allowed, because the file may have grown.
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut text)
        .map_err(io_error)?;
    if text.len() as u64 > MOST_BYTES {
        let wanted = found.len().max(text.len() as u64);
        within(path, || "bytes of XML".into(), wanted, MOST_BYTES)?;
    }
    String::from_utf8(text).map_err(|_| not_xml(path, "it is not UTF-8"))
}

pub(super) fn not_xml(path: &Path, reason: impl AsRef<str>) -> SourceError {
    MosaicError::NotXml {
        path: path.to_owned(),
        // The parser quotes whole names.
        reason: format!("{:.200}", reason.as_ref()),
    }
    .into()
}

impl Vrt {
    /// Opens one band, from 0; the options overrule what the band says about itself.
    pub fn open(
        path: &Path,
        band: usize,
        options: &Options,
        opener: &mut Opener,
    ) -> Result<Self, SourceError> {
        let own = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if opener.within.contains(&own) {
            return Err(not_xml(path, "it names itself as a source, in a circle"));
        }
        if opener.within.len() >= MOST_NESTED {
            let reason = format!(
                "it is the {}th VRT within others, and {MOST_NESTED} are read",
                MOST_NESTED + 1
            );
            return Err(not_xml(path, reason));
        }
        // Taken before reading: a file that changes in between is another one by its stamp.
        let stamp = Stamp::of_file(path).unwrap_or_default();
        let text = text(path)?;
        let description = Description::read(path, &text, band)?;
        drop(text);
        opener.within.push(own);
        let vrt = Self::assemble(path, description, options, opener);
        opener.within.pop();
        vrt.map(|vrt| Self { stamp, ..vrt })
    }

    fn assemble(
        path: &Path,
        description: Description,
        options: &Options,
        opener: &mut Opener,
    ) -> Result<Self, SourceError> {
        let (width, height) = description.size;
        let placement = match description.transform {
            Some([c, a, b, f, d, e]) => {
                georeference::upright([a, b, c, d, e, f], false, height).map(Some)
            }
            None => Ok(None),
        };
        let said = Linear {
            scale: description.scale,
            offset: description.offset,
        };
        let over = |range| Linear::over(range, description.sample);
        let own = options.range.map_or(said, over);
        let mut vrt = Self {
            path: path.to_owned(),
            rect: Rect::new(0, 0, width.into(), height.into()),
            n_bands: description.n_bands,
            sample: description.sample,
            placement,
            nodata: options.nodata.or(description.nodata),
            scale: options.scale.unwrap_or(own.scale),
            offset: options.offset.unwrap_or(own.offset),
            limits: options.limits.clone(),
            stamp: None,
            layers: Vec::with_capacity(description.sources.len()),
        };
        opener.n_borrowed += description.sources.len();
        let n_borrowed = opener.n_borrowed as u64;
        within(
            path,
            || "sources of VRT files".into(),
            n_borrowed,
            MOST_SOURCES,
        )?;
        for borrowed in &description.sources {
            let layer = vrt.layer(borrowed, opener)?;
            vrt.layers.push(layer);
        }
        vrt.turn_into_metres(description.unit.as_deref(), options);
        let own = vrt.first().header().keys.epsg().map(u32::from);
        if let Some(said) = description.epsg.filter(|_| own != description.epsg) {
            let found = own.map_or("no EPSG code".to_owned(), |code| format!("EPSG:{code}"));
            let reason = format!("is EPSG:{said}, and the first source says {found}");
            return Err(description.refuse(path, reason));
        }
        if description.is_geographic && !vrt.first().header().is_geographic() {
            let refuse =
                description.refuse(path, "is in degrees, and the first source does not say so");
            return Err(refuse);
        }
        Ok(vrt)
    }

    /// Counts the unit of the heights in, the VRT's own or else the first source's, where the caller has no scale.
    fn turn_into_metres(&mut self, unit: Option<&str>, options: &Options) {
        let own = unit.and_then(units::named);
        let unit = own.or_else(|| self.first().header().said(0)?.unit.clone());
        let metres = unit.and_then(|unit| unit.size).unwrap_or(1.0);
        if options.range.is_some() {
            return;
        }
        if options.scale.is_none() {
            self.scale *= metres;
        }
        if options.offset.is_none() {
            self.offset *= metres;
        }
    }

    /// Opens a source, and finds where its pixels go in a map whose rows go south.
    fn layer(&self, borrowed: &Borrowed, opener: &mut Opener) -> Result<Layer, SourceError> {
        let mut options = Options {
            scale: Some(borrowed.ratio),
            offset: Some(borrowed.offset),
            // The raw value that a source leaves out; its own nodata is not looked at, and NaN is no raw value.
            nodata: Some(borrowed.nodata.unwrap_or(f64::NAN)),
            ..Options::default()
        };
        options.limits = self.limits.clone();
        let pixels = opener.open(&borrowed.file, borrowed.band, &options)?;
        let from = borrowed.from.unwrap_or(pixels.rect());
        let to = borrowed.to.unwrap_or(self.rect);
        if (from.width(), from.height()) != (to.width(), to.height()) {
            let reason = format!(
                "is {} × {} pixels and goes to {} × {}, and nothing is resampled",
                from.width(),
                from.height(),
                to.width(),
                to.height()
            );
            return Err(borrowed.refuse(&self.path, "SrcRect", reason));
        }
        let turned = georeference::is_south_up(&self.placement);
        if turned != georeference::is_south_up(&pixels.georeference()) {
            let reason = "has rows that go north, and the VRT's go south, or the other way round";
            return Err(borrowed.refuse(&self.path, "SourceFilename", reason));
        }
        let (own, whole) = (pixels.rect(), self.rect);
        let (from, to) = if turned {
            (
                georeference::upside_down(from, own.y1),
                georeference::upside_down(to, whole.y1),
            )
        } else {
            (from, to)
        };
        let shift = (from.x0 - to.x0, from.y0 - to.y0);
        // What a source does not have does not hide anything.
        let held = moved(from.intersect(&own), (-shift.0, -shift.1));
        Ok(Layer {
            pixels,
            rect: held.intersect(&to).intersect(&whole),
            shift,
            hides: borrowed.hides,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn rect(&self) -> Rect {
        self.rect
    }

    pub fn n_bands(&self) -> usize {
        self.n_bands
    }

    pub fn sample(&self) -> SampleType {
        self.sample
    }

    pub fn first(&self) -> &Source {
        self.layers[0].pixels.first()
    }

    pub fn georeference(&self) -> Result<Option<Georeference>, SourceError> {
        self.placement.map_err(|reason| SourceError::Placement {
            path: self.path.clone(),
            reason,
        })
    }

    /// Reads a window as [`Source::read`] does.
    pub fn read(&self, rect: Rect, out: &mut Raster<f64>) -> Result<(), SourceError> {
        self.limits
            .check_window(&self.path, rect, size_of::<f64>())?;
        out.reset(rect, 1, f64::NAN);
        let mut over = Raster::default();
        for layer in &self.layers {
            let shared = layer.rect.intersect(&rect);
            if shared.is_empty() {
                continue;
            }
            layer.pixels.read(moved(shared, layer.shift), &mut over)?;
            over.cover(shared, 1, f64::NAN);
            lay(&over, out, |under, over| {
                if layer.hides || !over.is_nan() {
                    *under = over;
                }
            });
        }
        with_sample!(self.sample, T => self.finish::<T>(out.pixels_mut()));
        Ok(())
    }

    /// As [`Pixels::sources_under`].
    pub fn sources_under(&self, window: Rect, each: &mut dyn FnMut(&Source, Rect)) {
        for layer in &self.layers {
            let shared = layer.rect.intersect(&window);
            if !shared.is_empty() {
                layer.pixels.sources_under(moved(shared, layer.shift), each);
            }
        }
    }

    /// As [`Pixels::stamps_under`].
    pub fn stamps_under(&self, window: Rect, each: &mut dyn FnMut(FileStamp, Rect)) {
        let window = window.intersect(&self.rect);
        if window.is_empty() {
            return;
        }
        each(self.stamp, window);
        for layer in &self.layers {
            let shared = layer.rect.intersect(&window);
            if !shared.is_empty() {
                layer.pixels.stamps_under(moved(shared, layer.shift), each);
            }
        }
    }

    /// Turns what the sources gave into numbers of the band's type, and those into heights.
    fn finish<T: Sample>(&self, pixels: &mut [f64]) {
        let void = self.nodata.and_then(T::void);
        for pixel in pixels.iter_mut().filter(|pixel| !pixel.is_nan()) {
            // As GDAL does, integers are rounded and kept within their range.
            let stored = if T::TYPE.is_float() {
                T::from_f64(*pixel)
            } else {
                T::from_f64(pixel.round())
            };
            let height = stored.to_f64() * self.scale + self.offset;
            let is_void = void.is_some_and(|void| void == stored) || !height.is_finite();
            *pixel = if is_void { f64::NAN } else { height };
        }
    }
}
