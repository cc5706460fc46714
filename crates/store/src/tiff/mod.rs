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
    /// How pixels become bytes; closes [`super::Sample`] to other types.
    pub trait Bytes: Sized {
        /// Appends pixels, little-endian.
        fn put(pixels: &[Self], out: &mut Vec<u8>);
    }
}

macro_rules! sample {
    ($($kind:ty: $format:literal),*) => {$(
        impl Sample for $kind {
            const BITS: u16 = <$kind>::to_le_bytes(0 as $kind).len() as u16 * 8;
            const FORMAT: u16 = $format;
        }
        impl sealed::Bytes for $kind {
            fn put(pixels: &[Self], out: &mut Vec<u8>) {
                let first = out.len();
                out.resize(first + size_of_val(pixels), 0);
                let bytes = out[first..].chunks_exact_mut(size_of::<Self>());
                for (bytes, pixel) in bytes.zip(pixels) {
                    bytes.copy_from_slice(&pixel.to_le_bytes());
                }
            }
        }
    )*};
}
sample!(u8: 1, i16: 2, f32: 3, f64: 3);

/// Strips of about this many bytes: few enough to seek over, small enough to read a part of a tile.
const STRIP_BYTES: usize = 256 * 1024;

/// A GeoTIFF of `raster`, georeferenced at its own place in the map that `header` describes.
///
/// Bands lie one after the other (`PlanarConfiguration` 2), in strips of about 256 KiB.
///
/// # Errors
/// [`StoreError::Unfit`] where the raster is empty, its bands are not those of the header, or the file would pass 4 GiB.
pub fn encode_tiff<T: Sample>(
    raster: &Raster<T>,
    header: &TileHeader,
    compression: Compression,
) -> Result<Vec<u8>, StoreError> {
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
    let mut out = layout.header(0);
    let (mut offsets, mut counts) = (Vec::new(), Vec::new());
    let failed = |why: std::io::Error| unfit(why.to_string());
    let mut packer = Packer::new(compression).map_err(failed)?;
    let mut bytes = Vec::new();
    for band in 0..raster.n_bands() {
        for strip in raster.band(band).pixels().chunks(rows * rect.width()) {
            bytes.clear();
            T::put(strip, &mut bytes);
            let packed = packer.pack(&bytes).map_err(failed)?;
            offsets.push(out.len() as u32);
            counts.push(packed.len() as u32);
            out.extend_from_slice(packed);
        }
    }
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
