//! One image of a file: its header, its blocks, and the walk over the blocks of a window.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ecotone_grid::Rect;

use crate::block::{Blocks, Samples};
use crate::header::{Interleaving, Plain};
use crate::map::Map;
use crate::tags::Tags;
use crate::{BlockCache, ByteOrder, Header, Limits, Options, Sample, SourceError};

/// A file, and what reading it may use.
#[derive(Debug)]
pub(crate) struct File {
    pub map: Map,
    pub limits: Limits,
    pub cache: Arc<BlockCache>,
}

/// The pixels of one directory.
#[derive(Debug)]
pub(crate) struct Image {
    /// Its name in the cache.
    id: u64,
    pub header: Header,
    pub blocks: Blocks,
}

/// From the first to the last byte of the map that a visit read.
#[derive(Default)]
struct Touched(Option<(usize, usize)>);

impl Touched {
    fn add(&mut self, bytes: &[u8]) {
        let first = bytes.as_ptr() as usize;
        let after = first + bytes.len();
        let (low, high) = self.0.unwrap_or((first, after));
        self.0 = Some((low.min(first), high.max(after)));
    }

    fn release(self, map: &Map) {
        if let Some((first, after)) = self.0 {
            let offset = first - map.bytes().as_ptr() as usize;
            map.release(offset as u64, (after - first) as u64);
        }
    }
}

/// Pixels of one band in one row of one block.
pub(crate) struct Run<'a> {
    /// From the first of these samples to the end of the row.
    bytes: &'a [u8],
    /// Samples from one pixel to the next.
    n_samples: usize,
    order: ByteOrder,
}

impl Run<'_> {
    /// Fills `out` from the samples.
    pub fn convert<T: Sample, U>(&self, out: &mut [U], convert: impl Fn(T) -> U) {
        let size = T::TYPE.size();
        // One band by itself is the usual case, and the compiler makes more of it.
        if self.n_samples == 1 {
            for (pixel, bytes) in out.iter_mut().zip(self.bytes.chunks_exact(size)) {
                *pixel = convert(T::from_bytes(bytes, self.order));
            }
            return;
        }
        for (pixel, bytes) in out.iter_mut().zip(self.bytes.chunks(size * self.n_samples)) {
            *pixel = convert(T::from_bytes(&bytes[..size], self.order));
        }
    }
}

/// The last block looked at, so that a walk down a strip does not ask for it again at every step.
#[derive(Default)]
pub(crate) struct Last<'a>(Option<(u64, Samples<'a>)>);

fn next_id() -> u64 {
    static NEXT_ID: AtomicU64 = AtomicU64::new(0);
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

impl Image {
    /// Reads what a directory says; no pixels yet.
    pub fn read(map: &Map, tags: &mut Tags, options: &Options) -> Result<Self, SourceError> {
        let header = Header::read(map, tags, options)?;
        let blocks = Blocks::read(map, tags, &header, &options.limits)?;
        Ok(Self {
            id: next_id(),
            header,
            blocks,
        })
    }

    /// An image that lies plain in its file.
    pub fn plain(map: &Map, plain: Plain, options: &Options) -> Result<Self, SourceError> {
        let header = Header::plain(plain, options);
        let blocks = Blocks::plain(map, &header, &options.limits)?;
        Ok(Self {
            id: next_id(),
            header,
            blocks,
        })
    }

    /// Gives back what the cache holds of it.
    pub fn forget(&self, cache: &BlockCache) {
        cache.forget(self.id);
    }

    /// Calls `each(x, y, n, run)` for the runs of pixels of a window inside the image, in file rows.
    ///
    /// There is no run where a block was left out of the file.
    pub fn visit<'a>(
        &'a self,
        file: &'a File,
        part: Rect,
        band: usize,
        last: &mut Last<'a>,
        each: impl FnMut(i64, i64, usize, Option<Run>),
    ) -> Result<(), SourceError> {
        let read = self.walk(file, part, band, last, each);
        file.map.judged(read)
    }

    fn walk<'a>(
        &'a self,
        file: &'a File,
        part: Rect,
        band: usize,
        last: &mut Last<'a>,
        mut each: impl FnMut(i64, i64, usize, Option<Run>),
    ) -> Result<(), SourceError> {
        let n_bands = self.header.n_bands;
        if band >= n_bands {
            let path = file.map.path().to_path_buf();
            return Err(SourceError::NoBand {
                path,
                band,
                n_bands,
            });
        }
        if part.is_empty() {
            return Ok(());
        }
        let (plane, sample) = match self.header.interleaving {
            Interleaving::Pixel => (0, band),
            Interleaving::Band => (band, 0),
        };
        let (width, height) = (self.blocks.width as i64, self.blocks.height as i64);
        let mut touched = Touched::default();
        for row in part.y0 / height..=(part.y1 - 1) / height {
            for column in part.x0 / width..=(part.x1 - 1) / width {
                if file.map.is_damaged() {
                    return Ok(()); // Whoever judges will see it too; the rest is not worth its time.
                }
                let block = self.blocks.index(plane, column as u64, row as u64);
                let samples = self.samples(file, block, last)?;
                let whole = Rect::new(
                    column * width,
                    row * height,
                    (column + 1) * width,
                    (row + 1) * height,
                );
                let shared = part.intersect(&whole);
                if let Samples::Mapped(bytes) = samples {
                    let row_bytes = self.blocks.row_bytes(&self.header) as usize;
                    let [first, after] =
                        [shared.y0, shared.y1].map(|y| (y - whole.y0) as usize * row_bytes);
                    touched.add(&bytes[first.min(bytes.len())..after.min(bytes.len())]);
                }
                for y in shared.y0..shared.y1 {
                    let run = self.run(samples, sample, (shared.x0 - whole.x0, y - whole.y0));
                    each(shared.x0, y, shared.width(), run);
                }
            }
        }
        // Pages that were read stay in the map until the system wants them; a large file would fill the memory.
        touched.release(&file.map);
        Ok(())
    }

    /// The samples of one row of a block from a column on; `None` where the block is absent.
    fn run<'s>(&self, samples: &'s Samples, sample: usize, (x, y): (i64, i64)) -> Option<Run<'s>> {
        let (bytes, order) = match samples {
            Samples::Mapped(bytes) => (*bytes, self.header.byte_order),
            Samples::Decoded(block) => (block.as_slice(), ByteOrder::NATIVE),
            Samples::Absent => return None,
        };
        let n_samples = self.blocks.n_samples();
        let row_bytes = self.blocks.row_bytes(&self.header) as usize;
        let start = (x as usize * n_samples + sample) * self.header.sample.size();
        let row = y as usize * row_bytes;
        Some(Run {
            bytes: &bytes[row + start..row + row_bytes],
            n_samples,
            order,
        })
    }

    fn samples<'a, 's>(
        &'a self,
        file: &'a File,
        block: u64,
        last: &'s mut Last<'a>,
    ) -> Result<&'s Samples<'a>, SourceError> {
        let found = match last.0.take() {
            Some((held, samples)) if held == block => samples,
            _ => match self.blocks.mapped(&file.map, &self.header, block)? {
                Some(samples) => samples,
                None => {
                    let decode = || {
                        self.blocks
                            .decode(&file.map, &self.header, &file.limits, block)
                    };
                    Samples::Decoded(file.cache.get_or_decode((self.id, block), decode)?)
                }
            },
        };
        Ok(&last.0.insert((block, found)).1)
    }
}
