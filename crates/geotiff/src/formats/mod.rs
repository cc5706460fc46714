//! Files of other kinds than TIFF, opened so that the rest of the crate reads them as plain images.

mod copy;
mod exr;
mod hgt;
mod place;
mod png;
mod raw;
mod world_file;

use std::path::Path;

use crate::georeference::Placement;
use crate::header::Layout;
use crate::image::Image;
use crate::map::Map;
use crate::{Options, SampleType, SourceError};

pub(crate) use copy::Copy;
pub use raw::RawLayout;
pub(crate) use world_file::beside;

/// A file of another kind than TIFF.
pub(crate) struct Foreign {
    pub image: Image,
    pub placement: Placement,
    /// The pixels, where they are packed.
    pub copy: Option<Copy>,
    /// What was assumed.
    pub notes: Vec<String>,
}

enum Kind {
    Tiff,
    Png,
    Exr,
    Hgt,
    /// Numbers of this type, where the caller does not know better.
    Raw(SampleType),
}

/// Opens a file of a known kind that is no TIFF; `None` for a TIFF, and for what is nothing else either.
pub(crate) fn open(map: &Map, options: &Options) -> Result<Option<Foreign>, SourceError> {
    let mut foreign = match kind(map) {
        Kind::Tiff => return Ok(None),
        Kind::Png => png::open(map, options)?,
        Kind::Exr => exr::open(map, options)?,
        Kind::Hgt => hgt::open(map, options)?,
        Kind::Raw(sample) => raw::open(map, sample, options)?,
    };
    let height = foreign.image.header.height;
    foreign.placement = beside(map.path(), foreign.placement, height, &mut foreign.notes)?;
    Ok(Some(foreign))
}

fn kind(map: &Map) -> Kind {
    let extension = map.path().extension().and_then(|e| e.to_str());
    // The name first: bare numbers may start with any bytes.
    match extension.unwrap_or_default().to_lowercase().as_str() {
        "hgt" => return Kind::Hgt,
        "raw" | "r16" => return Kind::Raw(SampleType::U16),
        "r8" => return Kind::Raw(SampleType::U8),
        "r32" => return Kind::Raw(SampleType::F32),
        _ => {}
    }
    match map.bytes() {
        [0x89, b'P', b'N', b'G', ..] => Kind::Png,
        [0x76, 0x2f, 0x31, 0x01, ..] => Kind::Exr,
        _ => Kind::Tiff,
    }
}

/// Strips for rows of `row_bytes` that lie one after the other, large enough to be few and small enough to be read at
/// once.
fn strips(row_bytes: u64, height: u32) -> Layout {
    const STRIP_BYTES: u64 = 1 << 20;
    let rows = (STRIP_BYTES / row_bytes.max(1)).clamp(1, u64::from(height.max(1)));
    Layout::Strips { rows: rows as u32 }
}

/// A file's name without its folder, for sentences.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
