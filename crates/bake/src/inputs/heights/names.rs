//! Which files the entries of `terrain.heights` mean.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ecotone_geotiff::MosaicFile;

use super::numbered::{Numbered, Pattern};
use crate::config::Loaded;
use crate::error::BakeError;
use crate::inputs::refusal;

/// How files of heights end.
const EXTENSIONS: &[&str] = &[
    "tif", "tiff", "vrt", "png", "exr", "hgt", "r16", "raw", "r8", "r32",
];

/// What the entries mean, all together.
pub(super) enum Named {
    /// At least one file, in the order in which they lie over each other.
    Files(Vec<PathBuf>),
    /// Tiles that lie where their numbers say.
    Numbered(Numbered),
}

/// Finds the files; nothing is opened.
pub(super) fn find(loaded: &Loaded) -> Result<Named, BakeError> {
    let entries = &loaded.config.terrain.heights;
    let mut files = Vec::new();
    for (idx, entry) in entries.iter().enumerate() {
        let key = format!("terrain.heights[{idx}]");
        let refuse = |message: String| {
            let help = "for example `alps_x{x}_y{y}.tif`: {x} counts columns and {y} rows";
            loaded.error_at(&key, message, Some(help.into()))
        };
        let Some(pattern) = Pattern::parse(entry).map_err(|message| refuse(message.into()))? else {
            files.extend(matches(loaded, &key, entry)?);
            continue;
        };
        if entries.len() > 1 {
            let message = "numbered tiles lie where their numbers say, and other files cannot be laid beside them";
            let help = "give the pattern alone; lay other files over it as [[terrain.patch]]";
            return Err(loaded.error_at(&key, message, Some(help.into())).into());
        }
        return Ok(Named::Numbered(Numbered::find(loaded, &key, pattern)?));
    }
    Ok(Named::Files(files))
}

/// The files that a name, a folder or a glob means; at least one.
fn matches(loaded: &Loaded, key: &str, entry: &str) -> Result<Vec<PathBuf>, BakeError> {
    let whole = loaded.resolve(entry);
    if whole.is_file() {
        return Ok(vec![whole]);
    }
    let refuse = |message: String, help: Option<&str>| -> BakeError {
        loaded
            .error_at(key, message, help.map(str::to_owned))
            .into()
    };
    let present = |paths: Vec<PathBuf>| {
        present(paths).map_err(|(path, why)| {
            let help = "it may be a link to a file that is gone: without it a part of the map would be missing";
            refuse(format!("cannot read {}: {why}", path.display()), Some(help))
        })
    };
    if whole.is_dir() {
        let listed = folder(&whole)
            .map_err(|why| refuse(format!("cannot list {}: {why}", whole.display()), None))?;
        let files = present(listed)?;
        if files.is_empty() {
            let message = format!("there is no file of heights in {}", whole.display());
            let help = format!(
                "they end in {}, and folders within it are not looked into",
                EXTENSIONS.join(", ")
            );
            return Err(refuse(message, Some(&help)));
        }
        return Ok(files);
    }
    if !entry.contains(['*', '?', '[']) {
        return Err(refusal::missing(loaded, key, &whole));
    }
    // The config's own folder is no pattern, whatever signs are in its name.
    let folder = glob::Pattern::escape(&loaded.base_dir.to_string_lossy());
    let pattern = Path::new(&folder).join(entry);
    let found = glob::glob(&pattern.to_string_lossy()).map_err(|why| {
        let help = "`*` and `?` stand for anything and any one sign, and [abc] for one of a, b and c; `[[]` is a plain [";
        refuse(format!("`{entry}` is no pattern: {}", why.msg), Some(help))
    })?;
    let listed: Result<Vec<_>, _> = found.collect();
    let listed = listed.map_err(|why| {
        let message = format!("cannot list {}: {}", why.path().display(), why.error());
        refuse(message, None)
    })?;
    let files = present(listed)?;
    if files.is_empty() {
        let help = "file names are relative to the config's folder, and capitals count";
        let message = format!("no file matches {}", whole.display());
        return Err(refuse(message, Some(help)));
    }
    Ok(files)
}

/// What is called like a file of heights in a folder; not in folders within it.
fn folder(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        let is_known = path.extension().is_some_and(|found| {
            EXTENSIONS
                .iter()
                .any(|known| found.eq_ignore_ascii_case(known))
        });
        files.extend(is_known.then_some(path));
    }
    Ok(files)
}

/// Those that are files, by name; an error for one of which that cannot be told.
fn present(paths: Vec<PathBuf>) -> Result<Vec<PathBuf>, (PathBuf, std::io::Error)> {
    let mut files = Vec::new();
    for path in paths {
        match fs::metadata(&path) {
            Ok(found) => files.extend(found.is_file().then_some(path)),
            Err(why) => return Err((path, why)),
        }
    }
    files.sort();
    Ok(files)
}

/// The pattern with `{x}` and `{y}` that all files fit, as it would stand in the config.
pub(super) fn pattern_of(loaded: &Loaded, files: &[MosaicFile]) -> Option<String> {
    let first = &files.first()?.path;
    let folder = first.parent()?;
    let mut names = Vec::new();
    for file in files {
        if file.path.parent() != Some(folder) {
            return None;
        }
        names.push(runs(file.path.file_name()?.to_str()?));
    }
    let [words, _] = &names[0];
    if names.iter().any(|[other, _]| other != words) {
        return None;
    }
    // The numbers in which the names differ.
    let varying: Vec<usize> = (0..words.len() - 1)
        .filter(|&idx| {
            let found: BTreeSet<_> = names.iter().map(|[_, numbers]| numbers[idx]).collect();
            found.len() > 1
        })
        .collect();
    let [a, b] = varying[..] else { return None };
    let names_y = words[a].ends_with(['y', 'Y']) || words[b].ends_with(['x', 'X']);
    let (x, y) = if names_y { (b, a) } else { (a, b) };
    let mut pattern = String::new();
    for (idx, word) in words.iter().enumerate() {
        pattern.push_str(word);
        match names[0][1].get(idx) {
            Some(_) if idx == x => pattern.push_str("{x}"),
            Some(_) if idx == y => pattern.push_str("{y}"),
            Some(number) => pattern.push_str(number),
            None => {}
        }
    }
    let folder = folder.strip_prefix(&loaded.base_dir).unwrap_or(folder);
    let pattern = folder.join(pattern);
    Some(pattern.to_string_lossy().replace('\\', "/"))
}

/// A name as words and the numbers between them; one word more than numbers.
fn runs(name: &str) -> [Vec<&str>; 2] {
    let (mut words, mut numbers) = (Vec::new(), Vec::new());
    let mut rest = name;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let len = rest[start..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len() - start);
        words.push(&rest[..start]);
        numbers.push(&rest[start..start + len]);
        rest = &rest[start + len..];
    }
    words.push(rest);
    [words, numbers]
}
