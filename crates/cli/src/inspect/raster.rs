//! What a raster holds.

use std::fmt::Display;
use std::path::Path;

use ecotone_geotiff::{Header, Layout, Source, SourceError};
use ecotone_grid::{Raster, Rect};
use serde_json::{Value, json};

use crate::error::CliError;
use crate::say::Voice;

/// Heights of a whole map, in short.
#[derive(Default)]
struct Summary {
    n_pixels: u64,
    n_void: u64,
    lowest: f64,
    highest: f64,
    sum: f64,
}

impl Summary {
    fn of(source: &Source) -> Result<Self, SourceError> {
        const ROWS: usize = 64;
        let map = source.rect();
        let mut summary = Self {
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            ..Self::default()
        };
        let mut rows = Raster::default();
        for y in (map.y0..map.y1).step_by(ROWS) {
            let rect = Rect::new(map.x0, y, map.x1, y + ROWS as i64).intersect(&map);
            source.read(rect, 0, &mut rows)?;
            summary.add(rows.pixels());
        }
        Ok(summary)
    }

    fn add(&mut self, heights: &[f64]) {
        self.n_pixels += heights.len() as u64;
        for &height in heights {
            if height.is_nan() {
                self.n_void += 1;
            } else {
                self.lowest = self.lowest.min(height);
                self.highest = self.highest.max(height);
                self.sum += height;
            }
        }
    }

    fn mean(&self) -> f64 {
        self.sum / (self.n_pixels - self.n_void) as f64
    }
}

/// Rasters up to this many pixels are read whole for their range.
const MOST_PIXELS: u64 = 1 << 33;

pub(super) fn raster(source: &Source, path: &Path, voice: Voice) -> Result<(), CliError> {
    let header = source.header();
    voice.line(path.display());
    let line = |name: &str, text: &dyn Display| voice.line(format_args!("{name:<12}{text}"));
    line("size", &size(header));
    line("stored as", &storage(header));
    line("place", &place(source));
    line("system", &system(header));
    line("nodata", &nodata(header));
    let (scale, offset) = (header.scale(0), header.offset(0));
    if (scale, offset) != (1.0, 0.0) {
        line("heights", &format_args!("raw · {scale} + {offset}"));
    }
    let mut value = json!({
        "event": "raster",
        "width": header.width,
        "height": header.height,
        "bands": header.n_bands,
        "sample": header.sample.name(),
        "compression": header.compression.name(),
        "epsg": header.keys.epsg(),
        "nodata": header.nodata,
        "scale": scale,
        "offset": offset,
    });
    line("range", &range(source, &mut value)?);
    voice.json(&value);
    Ok(())
}

fn size(header: &Header) -> String {
    let n_bands = header.n_bands;
    format!(
        "{} × {} pixels, {n_bands} band(s)",
        header.width, header.height
    )
}

fn storage(header: &Header) -> String {
    let layout = match header.layout {
        Layout::Strips { rows } => format!("strips of {rows} rows"),
        Layout::Tiles { width, height } => format!("tiles of {width} × {height}"),
    };
    format!(
        "{}, {layout}, {}, predictor {:?}{}",
        header.sample.name(),
        header.compression.name(),
        header.predictor,
        if header.big_tiff { ", BigTIFF" } else { "" }
    )
}

fn place(source: &Source) -> String {
    let place = match source.georeference() {
        Ok(Some(place)) => place,
        Ok(None) => return "not given".to_owned(),
        Err(error) => return error.to_string(),
    };
    let grid = place.transform;
    let turned = if place.south_up {
        ", rows go north"
    } else {
        ""
    };
    format!(
        "north-west corner ({}, {}), pixels of {} × {}{turned}",
        grid.x0, grid.y0, grid.pixel.x, grid.pixel.y
    )
}

fn system(header: &Header) -> String {
    match header.keys.epsg() {
        Some(epsg) => format!("EPSG:{epsg}"),
        None => "not given by an EPSG code".to_owned(),
    }
}

fn nodata(header: &Header) -> String {
    let nodata = header.nodata.map(|nodata| nodata.to_string());
    nodata.unwrap_or_else(|| "none".to_owned())
}

/// The range for people; for machines it goes into `value`.
fn range(source: &Source, value: &mut Value) -> Result<String, SourceError> {
    let header = source.header();
    if u64::from(header.width) * u64::from(header.height) > MOST_PIXELS {
        return Ok("not read: the file is too large to read whole".to_owned());
    }
    let summary = Summary::of(source)?;
    let share = summary.n_void as f64 / summary.n_pixels as f64;
    value["void_share"] = json!(share);
    if summary.n_void == summary.n_pixels {
        return Ok("all of it is void".to_owned());
    }
    value["range"] = json!([summary.lowest, summary.highest]);
    value["mean"] = json!(summary.mean());
    Ok(format!(
        "{} … {}, mean {:.4}; {:.3} % void",
        summary.lowest,
        summary.highest,
        summary.mean(),
        share * 100.0
    ))
}
