//! TIFF and BigTIFF: the first image, its mask, and where it lies.

use crate::georeference;
use crate::image::Image;
use crate::map::Map;
use crate::tags::Tags;
use crate::{Header, Options, SampleType, SourceError};

use super::{Opened, name};

/// Opens a TIFF; no pixels yet.
pub(super) fn open(map: &Map, options: &Options) -> Result<Opened, SourceError> {
    let mut tags = Tags::first(map)?;
    let image = Image::read(map, &mut tags, options)?;
    let notes = note_palette(map, &mut tags)?;
    let header = &image.header;
    let placement = georeference::placement(&mut tags, &header.keys, header.height)?;
    let mask = find_mask(map, &mut tags, header, options)?;
    Ok(Opened {
        mask,
        placement,
        notes,
        ..Opened::new(image)
    })
}

fn note_palette(map: &Map, tags: &mut Tags) -> Result<Vec<String>, SourceError> {
    const PHOTOMETRIC_INTERPRETATION: u16 = 262;
    const PALETTE: u64 = 3;
    if tags.number(PHOTOMETRIC_INTERPRETATION)? != Some(PALETTE) {
        return Ok(Vec::new());
    }
    let file = name(map.path());
    Ok(vec![format!(
        "{file} has a palette of colours: its numbers are read as they stand; if the colours are meant, `gdal_translate \
         -expand rgb {file} OUT.tif` writes them out"
    )])
}

/// The mask of an image: one of the next directories, of the same size, a byte or a bit to a pixel.
fn find_mask(
    map: &Map,
    tags: &mut Tags,
    header: &Header,
    options: &Options,
) -> Result<Option<Image>, SourceError> {
    const SUBFILE_TYPE: u16 = 254;
    /// 4 says mask; 1 would say that it is an overview's.
    const MASK_BITS: u64 = 0b101;
    const MASK: u64 = 0b100;
    // Directories may link in a circle, and a mask stands right behind its image.
    for _ in 0..16 {
        if !tags.advance() {
            break;
        }
        let kind = tags.number(SUBFILE_TYPE).ok().flatten().unwrap_or(0);
        if kind & MASK_BITS != MASK {
            continue;
        }
        let mask = Image::read(map, tags, options)?;
        let found = &mask.header;
        if (found.width, found.height) == (header.width, header.height) {
            return match found.sample {
                SampleType::U8 => Ok(Some(mask)),
                _ => Err(map.unsupported("a mask of more than 8 bits")),
            };
        }
    }
    Ok(None)
}
