//! A raster larger than memory, written row of tiles by row of tiles.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use ecotone_grid::Rect;

use super::directory::{Directory, Layout};
use super::pack::Packer;
use super::{Compression, Sample, TileHeader, describe};
use crate::StoreError;
use crate::disk::Files;

/// The shape of a streamed raster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLayout {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// How its tiles are packed.
    pub compression: Compression,
}

/// Writes a one-band, tiled BigTIFF from north to south; it has its name only once it is finished.
///
/// Memory: one tile, whatever the size of the map.
pub struct StreamWriter<T> {
    path: PathBuf,
    temporary: PathBuf,
    out: BufWriter<File>,
    layout: StreamLayout,
    header: TileHeader,
    offsets: Vec<u64>,
    counts: Vec<u64>,
    at: u64,
    rows_written: u32,
    finished: bool,
    sample: PhantomData<T>,
}

impl<T: Sample> StreamWriter<T> {
    /// Pixels along one side of a tile of the file.
    pub const TILE: u32 = 512;

    /// Starts the file under a temporary name beside `path`.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] for an empty raster or a header of other than one band; an error of the system.
    pub fn create(
        path: &Path,
        layout: StreamLayout,
        header: TileHeader,
    ) -> Result<Self, StoreError> {
        if layout.width == 0 || layout.height == 0 || header.bands.len() != 1 {
            let reason = format!("expected one band of pixels, found {layout:?}");
            return Err(StoreError::unfit(path.display().to_string(), reason));
        }
        let temporary = Files::temporary(path);
        let file =
            File::create(&temporary).map_err(StoreError::changing("create", &temporary, 0))?;
        let mut writer = Self {
            path: path.to_owned(),
            temporary,
            out: BufWriter::new(file),
            layout,
            header,
            offsets: Vec::new(),
            counts: Vec::new(),
            at: 0,
            rows_written: 0,
            finished: false,
            sample: PhantomData,
        };
        writer.append(&Layout::Big.header(0))?;
        Ok(writer)
    }

    /// Writes the next rows: 512 of them over the whole width, fewer only at the end.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] where the rows are not as many as expected; an error of the system.
    pub fn write_tile_row(&mut self, pixels: &[T]) -> Result<(), StoreError> {
        let width = self.layout.width as usize;
        let rows = (self.layout.height - self.rows_written).min(Self::TILE);
        let wanted = rows as usize * width;
        if pixels.len() != wanted || rows == 0 {
            let reason = format!("expected {wanted} pixels, found {}", pixels.len());
            return Err(StoreError::unfit("a row of tiles", reason));
        }
        let side = Self::TILE as usize;
        let tile_bytes = side * side * usize::from(T::BITS / 8);
        let failed = StoreError::io("compress", &self.temporary);
        let mut packer = Packer::new(self.layout.compression).map_err(failed)?;
        let mut tile = Vec::with_capacity(tile_bytes);
        for x in (0..width).step_by(side) {
            tile.clear();
            for row in pixels.chunks_exact(width) {
                tile.extend_from_slice(&T::bytes(&row[x..width.min(x + side)]));
                tile.resize(tile.len().next_multiple_of(tile_bytes / side), 0);
            }
            tile.resize(tile_bytes, 0);
            let failed = StoreError::io("compress", &self.temporary);
            let packed = packer.pack(&tile).map_err(failed)?;
            self.offsets.push(self.at);
            self.counts.push(packed.len() as u64);
            self.append(packed)?;
        }
        self.rows_written += rows;
        Ok(())
    }

    /// Writes the directory, syncs the file and gives it its name.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] where rows are missing; an error of the system. The file then does not exist.
    pub fn finish(mut self) -> Result<(), StoreError> {
        if self.rows_written != self.layout.height {
            let (found, wanted) = (self.rows_written, self.layout.height);
            let reason = format!("expected {wanted} rows, found {found}");
            return Err(StoreError::unfit(self.path.display().to_string(), reason));
        }
        let pad = self.at.next_multiple_of(8) - self.at;
        self.append(&vec![0; pad as usize])?;
        let at = self.at;
        let directory = self.directory().encode(Layout::Big, at);
        self.append(&directory)?;
        self.close(at)?;
        let files = Files::real();
        files.rename(&self.temporary, &self.path)?;
        self.finished = true;
        files.sync_folder_of(&self.path)
    }

    fn directory(&self) -> Directory {
        let [width, height] = [self.layout.width, self.layout.height].map(|n| n as usize);
        let map = Rect::new(0, 0, width as i64, height as i64);
        let mut directory = Directory::default();
        describe(&mut directory, [width, height], self.layout.compression);
        self.header
            .describe(&mut directory, map, usize::from(T::BITS), T::FORMAT);
        directory.longs(322, &[Self::TILE]);
        directory.longs(323, &[Self::TILE]);
        directory.long8s(324, &self.offsets);
        directory.long8s(325, &self.counts);
        directory
    }

    fn close(&mut self, directory: u64) -> Result<(), StoreError> {
        let end = self.at;
        let path = &self.temporary;
        let out = &mut self.out;
        out.seek(SeekFrom::Start(0))
            .and_then(|_| out.write_all(&Layout::Big.header(directory)))
            .and_then(|()| out.flush())
            .and_then(|()| out.get_ref().sync_all())
            .map_err(StoreError::changing("write", path, end))
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.out.write_all(bytes).map_err(StoreError::changing(
            "write",
            &self.temporary,
            bytes.len() as u64,
        ))?;
        self.at += bytes.len() as u64;
        Ok(())
    }
}

impl<T> Drop for StreamWriter<T> {
    fn drop(&mut self) {
        if !self.finished {
            // Best effort: a stray temporary file is no raster to anyone.
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}
