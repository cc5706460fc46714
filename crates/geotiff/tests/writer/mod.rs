//! A plain TIFF writer for tests: it shares no code with the reader, and writes what a test asks for, right or wrong.

// Each file of tests uses a part of it.
#![allow(dead_code)]

use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Options, Source, SourceError};

/// What to write; [`Tiff::new`] is the plainest file.
#[derive(Clone, Debug)]
pub struct Tiff {
    pub width: usize,
    pub height: usize,
    pub n_bands: usize,
    /// `SampleFormat` (1 unsigned, 2 signed, 3 float) and bits.
    pub sample: (u16, usize),
    pub big_endian: bool,
    pub big_tiff: bool,
    /// Tile width and height; `None` for strips.
    pub tile: Option<(usize, usize)>,
    pub rows_per_strip: usize,
    pub separate: bool,
    pub compression: u16,
    pub predictor: u16,
    /// Blocks to leave out: offset and byte count 0.
    pub absent: Vec<usize>,
    /// Smaller copies of the image behind it: each by how many pixels of it make one of theirs.
    pub overviews: Vec<usize>,
    /// Further tags.
    pub tags: Vec<(u16, Value)>,
}

#[derive(Clone, Debug)]
pub enum Value {
    Shorts(Vec<u16>),
    Longs(Vec<u64>),
    Doubles(Vec<f64>),
    Text(&'static str),
}

impl Tiff {
    pub fn new(width: usize, height: usize, sample: (u16, usize)) -> Self {
        Self {
            width,
            height,
            n_bands: 1,
            sample,
            big_endian: false,
            big_tiff: false,
            tile: None,
            rows_per_strip: height,
            separate: false,
            compression: 1,
            predictor: 1,
            absent: Vec::new(),
            overviews: Vec::new(),
            tags: Vec::new(),
        }
    }

    pub fn tag(mut self, tag: u16, value: Value) -> Self {
        self.tags.push((tag, value));
        self
    }

    /// Pixel scale and tie point of a north-up grid.
    pub fn placed(self, size: (f64, f64), corner: (f64, f64)) -> Self {
        self.tag(33550, Value::Doubles(vec![size.0, size.1, 0.0]))
            .tag(
                33922,
                Value::Doubles(vec![0.0, 0.0, 0.0, corner.0, corner.1, 0.0]),
            )
    }

    /// Bytes of a number in the file's order.
    fn number(&self, value: u64, len: usize) -> Vec<u8> {
        let mut bytes = value.to_le_bytes()[..len].to_vec();
        if self.big_endian {
            bytes.reverse();
        }
        bytes
    }

    fn bits_of(&self, value: f64) -> u64 {
        match self.sample {
            (1, _) => value as u64,
            (2, _) => value as i64 as u64,
            (_, 16) => half(value),
            (_, 32) => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        }
    }

    /// One row of a block from the bits of its samples, with the predictor applied.
    fn row(&self, samples: &[u64], n_samples: usize) -> Vec<u8> {
        let bits = self.sample.1;
        let size = bits / 8;
        if ![8, 16, 32, 64].contains(&bits) {
            return packed(samples, bits);
        }
        match self.predictor {
            3 => {
                let mut planes = Vec::new();
                for byte in (0..size).rev() {
                    planes.extend(samples.iter().map(|bits| (bits >> (8 * byte)) as u8));
                }
                let left = |i: usize| {
                    if i < n_samples {
                        0
                    } else {
                        planes[i - n_samples]
                    }
                };
                (0..planes.len())
                    .map(|i| planes[i].wrapping_sub(left(i)))
                    .collect()
            }
            predictor => {
                let mut row = Vec::new();
                for (i, &bits) in samples.iter().enumerate() {
                    let left = if predictor == 2 && i >= n_samples {
                        samples[i - n_samples]
                    } else {
                        0
                    };
                    row.extend(self.number(bits.wrapping_sub(left), size));
                }
                row
            }
        }
    }

    fn compress(&self, plain: &[u8]) -> Vec<u8> {
        match self.compression {
            5 => weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
                .encode(plain)
                .unwrap(),
            8 | 32946 => {
                let mut encoder =
                    flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
                std::io::Write::write_all(&mut encoder, plain).unwrap();
                encoder.finish().unwrap()
            }
            50000 => zstd::bulk::compress(plain, 1).unwrap(),
            32773 => pack_bits(plain),
            _ => plain.to_vec(),
        }
    }

    fn blocks(&self, pixel: &impl Fn(usize, usize, usize) -> f64) -> Vec<Vec<u8>> {
        let (width, height) = self.tile.unwrap_or((self.width, self.rows_per_strip));
        let planes: Vec<Vec<usize>> = if self.separate {
            (0..self.n_bands).map(|band| vec![band]).collect()
        } else {
            vec![(0..self.n_bands).collect()]
        };
        let mut blocks = Vec::new();
        for bands in &planes {
            for y0 in (0..self.height).step_by(height) {
                for x0 in (0..self.width).step_by(width) {
                    // A file may be far larger than what is in it.
                    if self.absent.contains(&blocks.len()) {
                        blocks.push(Vec::new());
                        continue;
                    }
                    let n_rows = if self.tile.is_some() {
                        height
                    } else {
                        height.min(self.height - y0)
                    };
                    let mut plain = Vec::new();
                    for y in y0..y0 + n_rows {
                        let samples: Vec<u64> = (x0..x0 + width)
                            .flat_map(|x| bands.iter().map(move |&band| (band, x)))
                            // Beyond the image, a tile repeats its border.
                            .map(|(band, x)| {
                                self.bits_of(pixel(
                                    band,
                                    x.min(self.width - 1),
                                    y.min(self.height - 1),
                                ))
                            })
                            .collect();
                        plain.extend(self.row(&samples, bands.len()));
                    }
                    blocks.push(self.compress(&plain));
                }
            }
        }
        blocks
    }

    /// The file, its pixels given by band, column and row of the file.
    pub fn bytes(&self, pixel: impl Fn(usize, usize, usize) -> f64) -> Vec<u8> {
        let word = if self.big_tiff { 8 } else { 4 };
        let mut file = if self.big_endian {
            b"MM".to_vec()
        } else {
            b"II".to_vec()
        };
        if self.big_tiff {
            for n in [43, 8, 0] {
                file.extend(self.number(n, 2));
            }
        } else {
            file.extend(self.number(42, 2));
        }
        let mut link = file.len();
        file.extend(self.number(0, word));
        link = self.image(&mut file, link, &pixel);
        for &step in &self.overviews {
            let mut overview = self.clone();
            overview.width = self.width.div_ceil(step);
            overview.height = self.height.div_ceil(step);
            overview.tags = vec![(254, Value::Longs(vec![1]))];
            link = overview.image(&mut file, link, &|band, x, y| {
                // Not the image's own values: whoever reads an overview for the image is found out.
                pixel(band, x * step, y * step) + 1.0
            });
        }
        file
    }

    /// Appends an image, and says where its directory links to the next; `link` is where the one before it does.
    fn image(
        &self,
        file: &mut Vec<u8>,
        link: usize,
        pixel: &impl Fn(usize, usize, usize) -> f64,
    ) -> usize {
        let word = if self.big_tiff { 8 } else { 4 };
        let (mut offsets, mut counts) = (Vec::new(), Vec::new());
        for (i, block) in self.blocks(pixel).iter().enumerate() {
            let absent = self.absent.contains(&i);
            offsets.push(if absent { 0 } else { file.len() as u64 });
            counts.push(if absent { 0 } else { block.len() as u64 });
            if !absent {
                file.extend(block);
            }
        }
        let mut tags = self.own_tags(offsets, counts);
        tags.extend(self.tags.clone());
        tags.sort_by_key(|tag| tag.0);
        // A test's own tag replaces the writer's.
        let n = tags.len();
        let tags: Vec<_> = (0..n)
            .filter(|&i| i + 1 == n || tags[i].0 != tags[i + 1].0)
            .map(|i| tags[i].clone())
            .collect();

        let mut directory = self.number(tags.len() as u64, if self.big_tiff { 8 } else { 2 });
        for (tag, value) in &tags {
            let (ty, count, mut bytes) = self.value(value);
            directory.extend(self.number(u64::from(*tag), 2));
            directory.extend(self.number(ty, 2));
            directory.extend(self.number(count, word));
            if bytes.len() > word {
                directory.extend(self.number(file.len() as u64, word));
                file.extend(bytes);
            } else {
                bytes.resize(word, 0);
                directory.extend(bytes);
            }
        }
        directory.extend(self.number(0, word));
        let at = self.number(file.len() as u64, word);
        file[link..link + word].copy_from_slice(&at);
        file.extend(directory);
        file.len() - word
    }

    fn own_tags(&self, offsets: Vec<u64>, counts: Vec<u64>) -> Vec<(u16, Value)> {
        let short = |n: usize| Value::Shorts(vec![n as u16]);
        let mut tags = vec![
            (256, Value::Longs(vec![self.width as u64])),
            (257, Value::Longs(vec![self.height as u64])),
            (258, Value::Shorts(vec![self.sample.1 as u16; self.n_bands])),
            (259, Value::Shorts(vec![self.compression])),
            (262, short(1)),
            (277, short(self.n_bands)),
            (284, short(if self.separate { 2 } else { 1 })),
            (317, Value::Shorts(vec![self.predictor])),
            (339, Value::Shorts(vec![self.sample.0; self.n_bands])),
        ];
        if let Some((width, height)) = self.tile {
            tags.push((322, short(width)));
            tags.push((323, short(height)));
            tags.push((324, Value::Longs(offsets)));
            tags.push((325, Value::Longs(counts)));
        } else {
            tags.push((278, short(self.rows_per_strip)));
            tags.push((273, Value::Longs(offsets)));
            tags.push((279, Value::Longs(counts)));
        }
        tags
    }

    fn value(&self, value: &Value) -> (u64, u64, Vec<u8>) {
        match value {
            Value::Shorts(v) => (
                3,
                v.len() as u64,
                v.iter()
                    .flat_map(|&n| self.number(u64::from(n), 2))
                    .collect(),
            ),
            Value::Longs(v) if self.big_tiff => (
                16,
                v.len() as u64,
                v.iter().flat_map(|&n| self.number(n, 8)).collect(),
            ),
            Value::Longs(v) => (
                4,
                v.len() as u64,
                v.iter().flat_map(|&n| self.number(n, 4)).collect(),
            ),
            Value::Doubles(v) => (
                12,
                v.len() as u64,
                v.iter().flat_map(|n| self.number(n.to_bits(), 8)).collect(),
            ),
            Value::Text(text) => (2, text.len() as u64 + 1, [text.as_bytes(), &[0]].concat()),
        }
    }
}

/// The IEEE half of a number that is one, and neither tiny nor huge.
fn half(value: f64) -> u64 {
    let single = u64::from((value as f32).to_bits());
    let sign = single >> 16 & 0x8000;
    if value == 0.0 {
        return sign;
    }
    sign | ((single >> 23 & 255) - 112) << 10 | single >> 13 & 1023
}

/// Numbers bit by bit, the highest first, filled up to whole bytes.
fn packed(samples: &[u64], n_bits: usize) -> Vec<u8> {
    let bit_of = |n: u64| (0..n_bits).rev().map(move |k| (n >> k & 1) as u8);
    let bits: Vec<u8> = samples.iter().flat_map(|&n| bit_of(n)).collect();
    let byte = |bits: &[u8]| (0..8).fold(0, |n, k| n << 1 | bits.get(k).copied().unwrap_or(0));
    bits.chunks(8).map(byte).collect()
}

/// Runs of three or more as repeats, the rest one by one.
fn pack_bits(plain: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut rest = plain;
    while let Some(&byte) = rest.first() {
        let run = rest.iter().take(128).take_while(|&&b| b == byte).count();
        if run >= 3 {
            packed.extend([(257 - run) as u8, byte]);
            rest = &rest[run..];
        } else {
            packed.extend([0, byte]);
            rest = &rest[1..];
        }
    }
    packed
}

pub fn open_bytes(bytes: &[u8], options: &Options) -> Result<Source, SourceError> {
    open_cached(bytes, options, &Arc::new(BlockCache::new(1 << 16)))
}

pub fn open_cached(
    bytes: &[u8],
    options: &Options,
    cache: &Arc<BlockCache>,
) -> Result<Source, SourceError> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.tif");
    std::fs::write(&path, bytes).unwrap();
    // The map outlives the name.
    Source::open(&path, options, Arc::clone(cache))
}

pub fn open(tiff: &Tiff, pixel: impl Fn(usize, usize, usize) -> f64) -> Source {
    open_bytes(&tiff.bytes(pixel), &Options::default()).unwrap()
}
