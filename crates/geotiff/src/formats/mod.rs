//! The formats of files: each is opened as an image that the rest of the crate reads.

mod exr;
mod hgt;
mod png;
mod raw;
mod sidecar;
mod tiff;
mod tracked;
mod unpacked;
mod world_file;

use std::path::Path;

use crate::georeference::Placement;
use crate::header::Layout;
use crate::image::Image;
use crate::map::Map;
use crate::{Options, SampleType, SourceError};

pub use raw::RawLayout;
use unpacked::Unpacked;

/// What a file turned out to hold.
#[derive(Debug)]
pub(crate) struct Opened {
    pub image: Image,
    /// Which pixels hold a value, where the file says so pixel by pixel.
    pub mask: Option<Image>,
    pub placement: Placement,
    /// The pixels, where they are not read from the file itself.
    pub unpacked: Option<Unpacked>,
    /// What was assumed.
    pub notes: Vec<String>,
}

impl Opened {
    /// An image alone, which does not say where it lies.
    fn new(image: Image) -> Self {
        Self {
            image,
            mask: None,
            placement: Ok(None),
            unpacked: None,
            notes: Vec::new(),
        }
    }
}

/// A format that is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Tiff,
    Png,
    Exr,
    Hgt,
    /// Numbers of this type, where the caller does not know better.
    Raw(SampleType),
}

/// Opens a file of a kind; no pixels yet.
pub(crate) fn open(map: &Map, kind: Kind, options: &Options) -> Result<Opened, SourceError> {
    let mut opened = match kind {
        Kind::Tiff => tiff::open(map, options)?,
        Kind::Png => png::open(map, options)?,
        Kind::Exr => exr::open(map, options)?,
        Kind::Hgt => hgt::open(map, options)?,
        Kind::Raw(sample) => raw::open(map, sample, options)?,
    };
    if opened.placement == Ok(None) {
        opened.placement =
            world_file::beside(map.path(), opened.image.header.height, &mut opened.notes)?;
    }
    sidecar::beside(map.path(), options, &mut opened);
    Ok(opened)
}

/// What a file is, by its name or its first bytes; what is nothing else may be a TIFF.
pub(crate) fn kind(map: &Map) -> Kind {
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
