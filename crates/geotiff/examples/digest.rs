//! Prints the size of a file's first image and the SHA-256 of its first band: raw values as little-endian singles,
//! row by row, as one line of JSON. A file that cannot be read prints its error and ends with status 1.

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Limits, Options, Source, SourceError};
use sha2::{Digest, Sha256};

fn digest(path: &Path) -> Result<String, SourceError> {
    let options = Options {
        limits: Limits {
            stream_bytes: 1 << 32,
            ..Limits::default()
        },
        ..Options::default()
    };
    let source = Source::open(path, &options, Arc::new(BlockCache::new(64 << 20)))?;
    let mut hash = Sha256::new();
    let mut bytes = Vec::new();
    source.rows_as_f32(|values| {
        bytes.clear();
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        hash.update(&bytes);
    })?;
    let hex: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let header = source.header();
    let (width, height) = (header.width, header.height);
    Ok(format!(
        r#"{{"width":{width},"height":{height},"sha256_f32":"{hex}"}}"#
    ))
}

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        println!(r#"{{"error":"usage","message":"digest FILE"}}"#);
        return ExitCode::from(2);
    };
    match digest(Path::new(&path)) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let message = error.to_string().replace('\\', "\\\\").replace('"', "\\\"");
            println!(r#"{{"error":"{}","message":"{message}"}}"#, error.kind());
            ExitCode::from(1)
        }
    }
}
