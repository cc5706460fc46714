//! The pixels of one file: its own, or those that a VRT borrows from others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecotone_grid::{Raster, Rect};

use super::vrt::{self, Vrt};
use crate::map::FileStamp;
use crate::{BlockCache, Georeference, Options, SampleType, Source, SourceError};

/// One band of a file.
#[derive(Debug)]
pub(super) enum Pixels {
    /// The file's own.
    File { source: Arc<Source>, band: usize },
    /// Those of other files.
    Vrt(Box<Vrt>),
}

impl Pixels {
    pub fn path(&self) -> &Path {
        match self {
            Self::File { source, .. } => source.path(),
            Self::Vrt(vrt) => vrt.path(),
        }
    }

    pub fn rect(&self) -> Rect {
        match self {
            Self::File { source, .. } => source.rect(),
            Self::Vrt(vrt) => vrt.rect(),
        }
    }

    pub fn n_bands(&self) -> usize {
        match self {
            Self::File { source, .. } => source.header().n_bands,
            Self::Vrt(vrt) => vrt.n_bands(),
        }
    }

    pub fn sample(&self) -> SampleType {
        match self {
            Self::File { source, .. } => source.header().sample,
            Self::Vrt(vrt) => vrt.sample(),
        }
    }

    /// The file itself, or the first that a VRT names.
    pub fn first(&self) -> &Source {
        match self {
            Self::File { source, .. } => source,
            Self::Vrt(vrt) => vrt.first(),
        }
    }

    pub fn georeference(&self) -> Result<Option<Georeference>, SourceError> {
        match self {
            Self::File { source, .. } => source.georeference(),
            Self::Vrt(vrt) => vrt.georeference(),
        }
    }

    /// Hands every file under a window to `each`, with the part of its own pixels that is read.
    pub fn sources_under(&self, window: Rect, each: &mut dyn FnMut(&Source, Rect)) {
        match self {
            Self::File { source, .. } => {
                let part = window.intersect(&source.rect());
                if !part.is_empty() {
                    each(source, part);
                }
            }
            Self::Vrt(vrt) => vrt.sources_under(window, each),
        }
    }

    /// As [`Mosaic::stamps_under`](super::Mosaic::stamps_under).
    pub fn stamps_under(&self, window: Rect, each: &mut dyn FnMut(FileStamp, Rect)) {
        match self {
            Self::File { source, .. } => {
                let part = window.intersect(&source.rect());
                if !part.is_empty() {
                    each(source.stamp(), part);
                }
            }
            Self::Vrt(vrt) => vrt.stamps_under(window, each),
        }
    }

    pub fn read(&self, rect: Rect, out: &mut Raster<f64>) -> Result<(), SourceError> {
        match self {
            Self::File { source, band } => source.read(rect, *band, out),
            Self::Vrt(vrt) => vrt.read(rect, out),
        }
    }
}

/// A file and the corrections it was opened with; the bits, for an order.
type Key = (PathBuf, [Option<u64>; 3]);

/// Opens files, each once however many times a VRT names it, and counts them.
pub(super) struct Opener {
    cache: Arc<BlockCache>,
    opened: BTreeMap<Key, usize>,
    sources: Vec<Arc<Source>>,
    /// The VRT files that are being opened, one within the other.
    pub within: Vec<PathBuf>,
    /// Sources of all VRT files so far.
    pub n_borrowed: usize,
}

impl Opener {
    pub fn new(cache: Arc<BlockCache>) -> Self {
        Self {
            cache,
            opened: BTreeMap::new(),
            sources: Vec::new(),
            within: Vec::new(),
            n_borrowed: 0,
        }
    }

    /// Opens one band of a file.
    pub fn open(
        &mut self,
        path: &Path,
        band: usize,
        options: &Options,
    ) -> Result<Pixels, SourceError> {
        if vrt::is_vrt(path) {
            let vrt = Vrt::open(path, band, options, self)?;
            return Ok(Pixels::Vrt(Box::new(vrt)));
        }
        let source = self.source(path, options)?;
        let n_bands = source.header().n_bands;
        if band >= n_bands {
            return Err(SourceError::NoBand {
                path: path.to_owned(),
                band,
                n_bands,
            });
        }
        Ok(Pixels::File { source, band })
    }

    fn source(&mut self, path: &Path, options: &Options) -> Result<Arc<Source>, SourceError> {
        let corrections = [options.scale, options.offset, options.nodata];
        let key = (path.to_owned(), corrections.map(|v| v.map(f64::to_bits)));
        if let Some(&idx) = self.opened.get(&key) {
            return Ok(Arc::clone(&self.sources[idx]));
        }
        let source = Arc::new(Source::open(path, options, Arc::clone(&self.cache))?);
        self.opened.insert(key, self.sources.len());
        self.sources.push(Arc::clone(&source));
        Ok(source)
    }

    /// Every file opened, in the order they were first named.
    pub fn into_sources(self) -> Vec<Arc<Source>> {
        self.sources
    }
}
