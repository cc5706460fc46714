//! GeoTIFFs: small ones whole in memory, large ones row by row.
//!
//! Written by hand rather than through a codec crate: the files are always little-endian, hold separate bands with GDAL's
//! own tags, and a large one streams out under a few rows of memory.

mod directory;
mod header;
mod pack;
mod stream;

pub use header::{BandHeader, TileHeader};
pub(crate) use header::{escape, nodata_text};
pub use stream::{StreamLayout, StreamWriter};

use ecotone_grid::Raster;
use serde::{Deserialize, Serialize};

use crate::StoreError;
use directory::{Directory, Layout};
use pack::Packer;

/// How the pixels of a raster file are packed; lossless all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Zstandard, level 1 (TIFF compression 50000, GDAL's and libtiff's).
    #[default]
    Zstd,
    /// Deflate (TIFF compression 8), read by everything.
    Deflate,
    /// As they are.
    None,
}

impl Compression {
    fn tag(self) -> u16 {
        match self {
            Self::Zstd => 50000,
            Self::Deflate => 8,
            Self::None => 1,
        }
    }
}

/// A pixel's type in a raster file.
pub trait Sample: Copy + sealed::Bytes {
    /// TIFF `BitsPerSample`.
    const BITS: u16;
    /// TIFF `SampleFormat`: 1 unsigned, 2 signed, 3 real.
    const FORMAT: u16;
}

mod sealed {
    use std::borrow::Cow;

    /// How pixels become bytes; closes [`super::Sample`] to other types.
    pub trait Bytes: Sized {
        /// Pixels, little-endian.
        fn bytes(pixels: &[Self]) -> Cow<'_, [u8]>;
    }
}

macro_rules! sample {
    ($($kind:ty: $format:literal),*) => {$(
        impl Sample for $kind {
            const BITS: u16 = <$kind>::to_le_bytes(0 as $kind).len() as u16 * 8;
            const FORMAT: u16 = $format;
        }
        impl sealed::Bytes for $kind {
            fn bytes(pixels: &[Self]) -> std::borrow::Cow<'_, [u8]> {
                if cfg!(target_endian = "little") {
                    return bytemuck::cast_slice(pixels).into();
                }
                pixels.iter().flat_map(|pixel| pixel.to_le_bytes()).collect()
            }
        }
    )*};
}
sample!(u8: 1, i16: 2, f32: 3, f64: 3);

/// Strips of about this many bytes: few enough to seek over, small enough to read a part of a tile.
const STRIP_BYTES: usize = 256 * 1024;

/// Makes GeoTIFFs, in memory that it keeps from file to file.
#[derive(Default)]
pub struct TiffEncoder {
    packer: Option<(Compression, Packer)>,
}

impl TiffEncoder {
    /// Appends a GeoTIFF of `raster`, georeferenced at its own place in the map that `header` describes, to `out`, which is empty.
    ///
    /// Bands lie one after the other (`PlanarConfiguration` 2), in strips of about 256 KiB.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] where the raster is empty, its bands are not those of the header, or the file would pass 4 GiB.
    pub fn encode<T: Sample>(
        &mut self,
        raster: &Raster<T>,
        header: &TileHeader,
        compression: Compression,
        out: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        let rect = raster.rect();
        let unfit = |reason: String| StoreError::unfit(format!("a raster over {rect:?}"), reason);
        if rect.is_empty() || raster.n_bands() == 0 {
            return Err(unfit("it holds no pixel".to_owned()));
        }
        if raster.n_bands() != header.bands.len() {
            let (found, wanted) = (raster.n_bands(), header.bands.len());
            return Err(unfit(format!("it has {found} bands, its header {wanted}")));
        }
        let row_bytes = rect.width() * usize::from(T::BITS / 8);
        let rows = (STRIP_BYTES / row_bytes).clamp(1, rect.height());
        let layout = Layout::Classic;
        out.extend(layout.header(0));
        let failed = |why: std::io::Error| unfit(why.to_string());
        let packer = self.packer(compression).map_err(failed)?;
        let (offsets, counts) = put_strips(raster, rows, packer, out).map_err(failed)?;
        out.resize(out.len().next_multiple_of(2), 0);

        let mut directory = Directory::default();
        describe(&mut directory, [rect.width(), rect.height()], compression);
        header.describe(&mut directory, rect, usize::from(T::BITS), T::FORMAT);
        directory.longs(273, &offsets);
        directory.longs(278, &[rows as u32]);
        directory.longs(279, &counts);

        let at = out.len() as u64;
        out.extend(directory.encode(layout, at));
        if u32::try_from(out.len()).is_err() {
            return Err(unfit(format!("its {} bytes pass 4 GiB", out.len())));
        }
        let front = layout.header(at);
        out[..front.len()].copy_from_slice(&front);
        Ok(())
    }

    /// The packer of a compression, that of the last file where it is the same.
    fn packer(&mut self, compression: Compression) -> std::io::Result<&mut Packer> {
        let last = self.packer.take().filter(|(of, _)| *of == compression);
        let packer = match last {
            Some(last) => last,
            None => (compression, Packer::new(compression)?),
        };
        Ok(&mut self.packer.insert(packer).1)
    }
}

/// Appends the pixels in strips of so many rows; returns where each lies and how long it is.
fn put_strips<T: Sample>(
    raster: &Raster<T>,
    rows: usize,
    packer: &mut Packer,
    out: &mut Vec<u8>,
) -> std::io::Result<(Vec<u32>, Vec<u32>)> {
    let (mut offsets, mut counts) = (Vec::new(), Vec::new());
    for band in 0..raster.n_bands() {
        let pixels = raster.band(band).pixels();
        for strip in pixels.chunks(rows * raster.rect().width()) {
            let at = out.len();
            packer.put(&T::bytes(strip), size_of::<T>(), out)?;
            offsets.push(at as u32);
            counts.push((out.len() - at) as u32);
        }
    }
    Ok((offsets, counts))
}

/// A GeoTIFF of one raster: [`TiffEncoder::encode`] for those who make few.
///
/// # Errors
/// As there.
pub fn encode_tiff<T: Sample>(
    raster: &Raster<T>,
    header: &TileHeader,
    compression: Compression,
) -> Result<Vec<u8>, StoreError> {
    let mut out = Vec::new();
    TiffEncoder::default().encode(raster, header, compression, &mut out)?;
    Ok(out)
}

/// The tags that do not depend on where the pixels lie.
fn describe(directory: &mut Directory, [width, height]: [usize; 2], pack: Compression) {
    directory.longs(256, &[width as u32]);
    directory.longs(257, &[height as u32]);
    directory.shorts(259, &[pack.tag()]);
    directory.shorts(262, &[1]);
    directory.text(305, "ecotone");
}
