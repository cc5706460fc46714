//! World files: six lines beside an image that say where it lies (ESRI; read as GDAL reads them).

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::SourceError;
use crate::georeference::{Placement, upright};

use super::name;

/// The placement of an image that has none of its own, from a world file with its name where there is one.
pub(super) fn beside(
    path: &Path,
    height: u32,
    notes: &mut Vec<String>,
) -> Result<Placement, SourceError> {
    let Some(world_file) = names(path).into_iter().find(|name| name.is_file()) else {
        return Ok(Ok(None));
    };
    let [a, d, b, e, c, f] = numbers(&world_file)?;
    let placement = upright([a, b, c, d, e, f], true, height).map(Some);
    if placement.is_ok() {
        notes.push(format!("{} is placed by {}", name(path), name(&world_file)));
    }
    Ok(placement)
}

/// `alps.pgw`, `alps.pngw` and `alps.wld` beside `alps.png`, in small and in capital letters.
fn names(path: &Path) -> Vec<PathBuf> {
    let extension = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    let short: Option<String> = extension
        .chars()
        .next()
        .zip(extension.chars().last())
        .map(|(first, last)| [first, last, 'w'].iter().collect());
    let long = (!extension.is_empty()).then(|| format!("{extension}w"));
    let small = [short, long, Some("wld".to_owned())];
    let small = small.into_iter().flatten().map(|e| e.to_lowercase());
    small
        .flat_map(|extension| [extension.to_uppercase(), extension])
        .map(|extension| path.with_extension(extension))
        .collect()
}

/// The six numbers: the step of a column in x and y, the step of a row in x and y, the centre of the first pixel.
fn numbers(path: &Path) -> Result<[f64; 6], SourceError> {
    const MAX_BYTES: u64 = 4096;
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes))
        .map_err(|source| SourceError::Io {
            path: path.to_path_buf(),
            source,
        })?;
    // Some programs write a comma before the fraction.
    let text = String::from_utf8_lossy(&bytes).replace(',', ".");
    let numbers: Vec<f64> = text
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .take(6)
        .collect();
    let n_found = numbers.len();
    numbers.try_into().map_err(|_| SourceError::Corrupt {
        path: path.to_path_buf(),
        offset: 0,
        reason: format!("a world file starts with six numbers, and {n_found} are there").into(),
    })
}
