//! Files that appear whole or not at all: under a temporary name until they are finished.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::InterchangeError;

/// Writes a file through `fill`, over an older one if there is one; a failure leaves what was there.
///
/// A link is followed; a pipe or a device, which cannot be replaced, is written as it is.
pub(crate) fn write_whole<T>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, InterchangeError>,
) -> Result<T, InterchangeError> {
    let found = fs::metadata(path);
    if found.is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let file = File::options().write(true).open(path);
        let file = file.map_err(InterchangeError::io("open", path))?;
        return filled(file, path, fill);
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let path = target.as_path();
    let name = path.file_name().ok_or_else(|| {
        let reason = io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of a file");
        InterchangeError::io("write", path)(reason)
    })?;
    // The process in the name keeps two exports to one place apart.
    let name = format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id());
    let unfinished = path.with_file_name(name);
    let written = write(&unfinished, path, fill);
    if written.is_err() {
        // Best effort: the error that matters is the first.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn write<T>(
    unfinished: &Path,
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, InterchangeError>,
) -> Result<T, InterchangeError> {
    let file = File::create(unfinished).map_err(InterchangeError::io("create", unfinished))?;
    let done = filled(file, unfinished, fill)?;
    fs::rename(unfinished, path)
        .map_err(InterchangeError::io("rename a finished file to", path))?;
    Ok(done)
}

fn filled<T>(
    file: File,
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, InterchangeError>,
) -> Result<T, InterchangeError> {
    let is_file = file.metadata().is_ok_and(|found| found.is_file());
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let done = fill(&mut out)?;
    out.flush()
        .and_then(|()| {
            if is_file {
                out.get_ref().sync_all()
            } else {
                Ok(())
            }
        })
        .map_err(InterchangeError::io("write", path))?;
    Ok(done)
}
