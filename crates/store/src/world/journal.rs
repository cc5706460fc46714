//! What an unfinished bake has done: lines that outlive a kill, and go with the commit.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::{StoreError, disk};

/// A file of lines, appended one by one.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    lines: Vec<String>,
    file: Option<File>,
}

impl Journal {
    /// Reads what an earlier writer left; a line that was torn by a kill is dropped.
    pub(super) fn open(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join("journal");
        let bytes = disk::read(&path)?.unwrap_or_default();
        let whole = bytes
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |end| end + 1);
        if whole < bytes.len() {
            disk::write_whole(&path, &bytes[..whole], false)?;
        }
        let text = String::from_utf8_lossy(&bytes[..whole]);
        Ok(Self {
            lines: text.lines().map(str::to_owned).collect(),
            path,
            file: None,
        })
    }

    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Appends a line; it holds no line break.
    pub(super) fn note(&mut self, line: &str) -> Result<(), StoreError> {
        if line.contains(['\n', '\r']) {
            return Err(StoreError::unfit(
                format!("the note {line:?}"),
                "expected one line",
            ));
        }
        let bytes = format!("{line}\n").into_bytes();
        let writing = StoreError::writing(&self.path, bytes.len() as u64);
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(
                OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(&self.path)
                    .map_err(StoreError::io("open", &self.path))?,
            ),
        };
        file.write_all(&bytes).map_err(writing)?;
        self.lines.push(line.to_owned());
        Ok(())
    }

    /// Forgets all lines.
    pub(super) fn clear(&mut self) -> Result<(), StoreError> {
        self.file = None;
        self.lines.clear();
        disk::remove(&self.path)
    }
}
