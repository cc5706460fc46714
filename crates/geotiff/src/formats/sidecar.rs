//! What GDAL keeps beside a file that has no room for it: a mask in `.msk`, the rest in `.aux.xml` (GDAL's PAM).

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

use crate::Options;
use crate::georeference::upright;

use super::{Opened, name};

/// Places a file that says no place itself by its `.aux.xml`, and says which parts of what lies beside it are not read.
pub(super) fn beside(path: &Path, options: &Options, opened: &mut Opened) {
    let mask = with(path, ".msk");
    if opened.mask.is_none() && mask.is_file() {
        opened.notes.push(format!(
            "{} is not read, and what it covers is not void; `gdal_translate --config GDAL_TIFF_INTERNAL_MASK YES {} \
             OUT.tif` puts it into the file",
            name(&mask),
            name(path),
        ));
    }
    let aux = with(path, ".aux.xml");
    let Some(xml) = text(&aux) else {
        return;
    };
    // Nobody said that it should be read: what is broken is left alone.
    let Ok(document) = Document::parse(&xml) else {
        return;
    };
    let root = document.root_element();
    place(path, &aux, root, opened);
    note_unread(path, &aux, root, options, opened);
}

/// `alps.tif.msk` for `alps.tif` and `.msk`.
fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

fn text(path: &Path) -> Option<String> {
    const MAX_BYTES: u64 = 1 << 20;
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

fn place(path: &Path, aux: &Path, root: Node, opened: &mut Opened) {
    let numbers = content(root, "GeoTransform").map(|text| {
        let numbers = text.split(',').map(|word| word.trim().parse::<f64>());
        numbers.collect::<Result<Vec<f64>, _>>()
    });
    let Some(Ok(numbers)) = numbers else {
        return;
    };
    let (Ok([c, a, b, f, d, e]), Ok(None)) = (<[f64; 6]>::try_from(numbers), opened.placement)
    else {
        return;
    };
    opened.placement = upright([a, b, c, d, e, f], false, opened.image.header.height).map(Some);
    if opened.placement.is_ok() {
        let note = format!("{} is placed by {}", name(path), name(aux));
        opened.notes.push(note);
    }
}

/// Says what the file itself and the caller leave unsaid, and is said there.
fn note_unread(path: &Path, aux: &Path, root: Node, options: &Options, opened: &mut Opened) {
    let header = &opened.image.header;
    let number = |name| content(root, name).and_then(|text| text.parse::<f64>().ok());
    let spreads = options.range.is_some();
    let found = [
        (
            "nodata value",
            header.nodata.is_none() && number("NoDataValue").is_some(),
        ),
        (
            "scale",
            !spreads
                && options.scale.is_none()
                && header.scale(0) == 1.0
                && number("Scale").is_some_and(|n| n != 1.0),
        ),
        (
            "offset",
            !spreads
                && options.offset.is_none()
                && header.offset(0) == 0.0
                && number("Offset").is_some_and(|n| n != 0.0),
        ),
        (
            "unit",
            content(root, "UnitType")
                .is_some_and(|unit| !["", "m", "metre", "meter"].contains(&unit)),
        ),
        (
            "coordinate system",
            header.keys.directory.is_empty() && content(root, "SRS").is_some(),
        ),
    ];
    let unread: Vec<&str> = found
        .iter()
        .filter(|(_, is)| *is)
        .map(|(what, _)| *what)
        .collect();
    if !unread.is_empty() {
        opened.notes.push(format!(
            "{} gives what {} does not say itself and is not read ({}); `gdal_translate {} OUT.tif` puts it into the \
             file",
            name(aux),
            name(path),
            unread.join(", "),
            name(path),
        ));
    }
}

/// The text of an element of the file or of its first band.
fn content<'a>(root: Node<'a, '_>, tag: &str) -> Option<&'a str> {
    let bands = root.children().filter(|n| n.has_tag_name("PAMRasterBand"));
    let first = bands.filter(|n| n.attribute("band").is_none_or(|band| band == "1"));
    [root]
        .into_iter()
        .chain(first)
        .flat_map(|node| node.children())
        .find(|node| node.has_tag_name(tag))
        .and_then(|node| node.text())
        .map(str::trim)
}
