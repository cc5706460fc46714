//! Why a file is not read, shown at the key that names it.

use std::io;
use std::path::Path;

use ecotone_geotiff::{MosaicError, SourceError};

use crate::config::{Loaded, nearest};
use crate::error::BakeError;

/// So many names of a folder are compared with one that is not there.
const MOST_NAMES: usize = 10_000;

/// Shows an error of a file at a key.
pub(super) fn at(loaded: &Loaded, key: &str, error: SourceError) -> BakeError {
    let (message, help) = parts(&error);
    let shown = Box::new(loaded.error_at(key, message, help));
    BakeError::Input {
        shown,
        source: error,
    }
}

/// Shows an error of a file of heights at the entry that names it; at all of them where it is one of a folder, a glob or
/// a pattern.
pub(super) fn of_heights(loaded: &Loaded, error: SourceError) -> BakeError {
    let terrain = &loaded.config.terrain;
    let names = |entry: &String| loaded.resolve(entry) == error.path();
    let key = match (&error, terrain.heights.iter().position(names)) {
        (SourceError::RawLength { .. }, _) if terrain.raw.is_some() => "terrain.raw".to_owned(),
        (_, Some(idx)) => format!("terrain.heights[{idx}]"),
        (_, None) => "terrain.heights".to_owned(),
    };
    at(loaded, &key, error)
}

/// What is wrong with a file, and what to do.
pub(super) fn parts(error: &SourceError) -> (String, Option<String>) {
    let sentence = error.to_string();
    let help = match error {
        SourceError::NotAnImage { .. } => {
            "is it the right file? another kind of image becomes a TIFF with `gdal_translate IN OUT.tif`"
        }
        SourceError::Corrupt { .. } | SourceError::OverLimit { .. } => {
            "copy or export the file again; what `gdalinfo` can read is mended by `gdal_translate IN.tif OUT.tif`"
        }
        SourceError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            "is it named by a VRT? then by a path from the VRT's folder, with relativeToVRT=\"1\", or by a whole one"
        }
        SourceError::Io { .. } => "whoever runs the bake must be allowed to read it",
        SourceError::Mosaic(reason) if matches!(**reason, MosaicError::NotXml { .. }) => {
            "make it again with `gdalbuildvrt`, or name its files themselves"
        }
        // The others end with what to do.
        _ => {
            return match sentence.split_once("; ") {
                Some((message, help)) => (message.to_owned(), Some(help.to_owned())),
                None => (sentence, None),
            };
        }
    };
    (sentence, Some(help.to_owned()))
}

/// Says that there is no file at a path that a key names, and which one may be meant.
pub(super) fn missing(loaded: &Loaded, key: &str, path: &Path) -> BakeError {
    if path.is_dir() {
        let message = format!("{} is a folder, and a file is expected", path.display());
        let help = "name one of the files in it".to_owned();
        return loaded.error_at(key, message, Some(help)).into();
    }
    let message = format!("there is no file {}", path.display());
    let help = match alike(loaded, path) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "file names are relative to the config's folder".to_owned(),
    };
    loaded.error_at(key, message, Some(help)).into()
}

/// The file beside a path that is named most like it, whatever it ends in.
fn alike(loaded: &Loaded, path: &Path) -> Option<String> {
    let entries = std::fs::read_dir(path.parent()?).ok()?;
    let names = entries
        .take(MOST_NAMES)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| loaded.path.file_name() != Some(name.as_ref()));
    let mut names: Vec<String> = names.collect();
    // Folders list their files in any order; of two that are as near, one with the right ending is meant.
    names.sort_by_key(|name| {
        (
            Path::new(name).extension() != path.extension(),
            name.clone(),
        )
    });
    let stem = |name: &String| Path::new(name).file_stem()?.to_str().map(str::to_owned);
    let stems: Vec<String> = names.iter().filter_map(stem).collect();
    let near = nearest(
        path.file_stem()?.to_str()?,
        stems.iter().map(String::as_str),
    )?;
    names
        .into_iter()
        .find(|name| stem(name).as_deref() == Some(near))
}
