//! Tiles that lie where the numbers in their names say, as engines export them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecotone_geotiff::{BlockCache, Mosaic, MosaicFile, Part};
use ecotone_grid::{Raster, Rect};

use crate::config::{Loaded, RowOrder};
use crate::error::BakeError;

/// Farther than any map reaches, and far from the end of the integers.
const FARTHEST_PX: i64 = 1 << 40;

/// Pairs of neighbours that are compared, until one tells something.
const MOST_PAIRS: usize = 16;

/// A name with `{x}` and `{y}` in it, split around them.
pub(super) struct Pattern {
    folder: PathBuf,
    before: String,
    between: String,
    after: String,
    x_first: bool,
}

impl Pattern {
    /// A pattern from an entry of the config; `None` where it is none.
    pub(super) fn parse(entry: &str) -> Result<Option<Self>, &'static str> {
        let n = |mark: &str| entry.matches(mark).count();
        match (n("{x}"), n("{y}")) {
            (0, 0) => return Ok(None),
            (1, 1) => {}
            _ => return Err("a pattern of numbered tiles has {x} once and {y} once"),
        }
        let path = Path::new(entry);
        let name = path.file_name().and_then(|name| name.to_str());
        let place = |mark: &str| name.and_then(|name| name.find(mark));
        let (Some(name), Some(x), Some(y)) = (name, place("{x}"), place("{y}")) else {
            return Err("{x} and {y} must stand in the name of the file, not in that of a folder");
        };
        let (first, second) = (x.min(y), x.max(y));
        let between = &name[first + 3..second];
        if between.is_empty() {
            return Err("something must stand between {x} and {y}, or their digits run together");
        }
        Ok(Some(Self {
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            before: name[..first].to_owned(),
            between: between.to_owned(),
            after: name[second + 3..].to_owned(),
            x_first: x < y,
        }))
    }

    /// The numbers x and y in a file's name, as they are written; `None` where it does not fit.
    fn numbers<'a>(&self, name: &'a str) -> Option<(&'a str, &'a str)> {
        let (first, rest) = number(name.strip_prefix(self.before.as_str())?)?;
        let (second, rest) = number(rest.strip_prefix(self.between.as_str())?)?;
        let numbers = if self.x_first {
            (first, second)
        } else {
            (second, first)
        };
        (rest == self.after).then_some(numbers)
    }
}

/// The whole number that a text begins with, its sign included, and what follows it.
fn number(text: &str) -> Option<(&str, &str)> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < digits.len()).then(|| text.split_at(text.len() - rest.len()))
}

/// Numbered tiles, at least one.
pub(super) struct Numbered {
    /// The key that names them.
    key: String,
    /// By row, then column.
    tiles: BTreeMap<(i64, i64), PathBuf>,
}

impl Numbered {
    /// Finds the tiles of a pattern in its folder.
    pub(super) fn find(loaded: &Loaded, key: &str, pattern: Pattern) -> Result<Self, BakeError> {
        let folder = loaded.resolve(&pattern.folder.to_string_lossy());
        let refuse = |message: String, help: Option<String>| -> BakeError {
            loaded.error_at(key, message, help).into()
        };
        let listed = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &folder
        };
        let unlisted =
            |why: std::io::Error| refuse(format!("cannot list {}: {why}", listed.display()), None);
        let mut tiles = BTreeMap::new();
        for entry in std::fs::read_dir(listed).map_err(unlisted)? {
            let name = entry.map_err(unlisted)?.file_name();
            let Some((x, y)) = name.to_str().and_then(|name| pattern.numbers(name)) else {
                continue;
            };
            let path = folder.join(&name);
            let (Ok(x), Ok(y)) = (x.parse(), y.parse()) else {
                let message = format!("the numbers of {} are too large", path.display());
                let help = "count tiles from -9223372036854775808 to 9223372036854775807, or take the file away";
                return Err(refuse(message, Some(help.to_owned())));
            };
            if let Some(other) = tiles.insert((y, x), path.clone()) {
                let (first, second) = (other.clone().min(path.clone()), other.max(path));
                let message = format!(
                    "{} and {} have the same numbers",
                    first.display(),
                    second.display()
                );
                let help = "keep one of them, or write a pattern that only one fits";
                return Err(refuse(message, Some(help.to_owned())));
            }
        }
        if tiles.is_empty() {
            let message = format!("no file in {} fits the pattern", listed.display());
            let help = "{x} and {y} stand for whole numbers, such as 0, 7, 012 or -3";
            return Err(refuse(message, Some(help.to_owned())));
        }
        Ok(Self {
            key: key.to_owned(),
            tiles,
        })
    }

    /// Opens the tiles as one map, and looks at whether they meet as the config says.
    pub(super) fn open(
        &self,
        loaded: &Loaded,
        blocks: &Arc<BlockCache>,
        warnings: &mut Vec<String>,
    ) -> Result<Mosaic, BakeError> {
        let (_, first) = self.tiles.first_key_value().expect("at least one tile");
        let size = super::mosaic(loaded, &[MosaicFile::new(first)], blocks)?.rect();
        let overlap = i64::from(loaded.config.terrain.overlap.unwrap_or(0));
        if size.x1.min(size.y1) <= overlap {
            let message = format!(
                "{} is {} × {} pixels: all of it is border, which tiles with an overlap share",
                first.display(),
                size.width(),
                size.height()
            );
            let help = "write `overlap = 0`".to_owned();
            return Err(loaded
                .error_at("terrain.overlap", message, Some(help))
                .into());
        }
        let files = self.placed(
            loaded.config.terrain.rows.unwrap_or_default(),
            (size.x1 - overlap, size.y1 - overlap),
        );
        let map = super::mosaic(loaded, &files, blocks)?;
        self.check_sizes(loaded, map.parts(), size)?;
        let (columns, rows) = self.extent();
        let n_missing = columns * rows - self.tiles.len() as u64;
        if n_missing > 0 {
            let (are, them) = match n_missing {
                1 => ("is", "it"),
                _ => ("are", "them"),
            };
            warnings.push(format!(
                "{n_missing} of {} numbered tiles {are} not there; the ground under {them} is void",
                columns * rows
            ));
        }
        warnings.extend(self.check_borders(map.parts(), overlap)?);
        Ok(map)
    }

    /// How many columns and rows there are, gaps included; of an opened map, whose size has a limit.
    fn extent(&self) -> (u64, u64) {
        let [(x0, x1), (y0, y1)] = self.ranges();
        (x0.abs_diff(x1) + 1, y0.abs_diff(y1) + 1)
    }

    /// The least and the largest numbers x, then y.
    fn ranges(&self) -> [(i64, i64); 2] {
        let mut ranges = [(i64::MAX, i64::MIN); 2];
        for &(y, x) in self.tiles.keys() {
            for ((least, largest), number) in ranges.iter_mut().zip([x, y]) {
                *least = number.min(*least);
                *largest = number.max(*largest);
            }
        }
        ranges
    }

    /// Where each tile lies; `stride` is from one to the next.
    fn placed(&self, rows: RowOrder, stride: (i64, i64)) -> Vec<MosaicFile> {
        let [(west, _), (least, largest)] = self.ranges();
        let along = |from: i64, to: i64, stride: i64| {
            let n_tiles = to.saturating_sub(from);
            n_tiles.saturating_mul(stride).min(FARTHEST_PX)
        };
        let file = |(&(y, x), path): (&(i64, i64), &PathBuf)| {
            let south = match rows {
                RowOrder::South => along(least, y, stride.1),
                RowOrder::North => along(y, largest, stride.1),
            };
            MosaicFile {
                path: path.clone(),
                at: Some((along(west, x, stride.0), south)),
            }
        };
        self.tiles.iter().map(file).collect()
    }

    /// All tiles must have the size of the first.
    fn check_sizes(&self, loaded: &Loaded, parts: &[Part], size: Rect) -> Result<(), BakeError> {
        let is_other = |part: &&Part| {
            (part.rect().width(), part.rect().height()) != (size.width(), size.height())
        };
        let Some(other) = parts.iter().find(is_other) else {
            return Ok(());
        };
        let message = format!(
            "{} is {} × {} pixels and {} is {} × {}; numbered tiles are all of one size",
            parts[0].path().display(),
            size.width(),
            size.height(),
            other.path().display(),
            other.rect().width(),
            other.rect().height()
        );
        let help =
            "export them at one size, or leave the odd ones out: the ground under them is void"
                .to_owned();
        Err(loaded.error_at(&self.key, message, Some(help)).into())
    }

    /// What the borders of the first neighbours say against `overlap`, and against `rows`.
    fn check_borders(&self, parts: &[Part], overlap: i64) -> Result<Option<String>, BakeError> {
        let order: BTreeMap<_, _> = self.tiles.keys().zip(parts).collect();
        for (step, is_row) in [((0, 1), false), ((1, 0), true)] {
            let neighbour = |&(y, x): &(i64, i64)| {
                let next = (y.checked_add(step.0)?, x.checked_add(step.1)?);
                order.get(&next).copied()
            };
            let pairs = order
                .iter()
                .filter_map(|(number, part)| Some((*part, neighbour(number)?)));
            for (a, b) in pairs.take(MOST_PAIRS) {
                let Some(is_shared) = is_shared(a, b, is_row)? else {
                    continue;
                };
                if is_shared == (overlap == 1) {
                    break;
                }
                return Ok(Some(doubt(a, b, is_shared, is_row)));
            }
        }
        Ok(None)
    }
}

/// Whether two neighbours have the same heights along the border where they meet; `None` where it is flat or void.
fn is_shared(a: &Part, b: &Part, is_row: bool) -> Result<Option<bool>, BakeError> {
    let before = |a: &Part, b: &Part| {
        let (a, b) = (a.rect(), b.rect());
        if is_row { a.y0 < b.y0 } else { a.x0 < b.x0 }
    };
    let (a, b) = if before(a, b) { (a, b) } else { (b, a) };
    let (last, first) = (a.rect(), b.rect());
    let (last, first) = if is_row {
        (
            Rect::new(last.x0, last.y1 - 1, last.x1, last.y1),
            Rect::new(first.x0, first.y0, first.x1, first.y0 + 1),
        )
    } else {
        (
            Rect::new(last.x1 - 1, last.y0, last.x1, last.y1),
            Rect::new(first.x0, first.y0, first.x0 + 1, first.y1),
        )
    };
    let (mut ours, mut theirs) = (Raster::default(), Raster::default());
    a.read(last, &mut ours)?;
    b.read(first, &mut theirs)?;
    let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
    let is_same = ours.pixels().iter().zip(theirs.pixels()).all(same);
    let is_flat = ours.pixels().windows(2).all(|two| same((&two[0], &two[1])));
    Ok((!is_same || !is_flat).then_some(is_same))
}

/// A warning about tiles that do not meet as they should.
fn doubt(a: &Part, b: &Part, is_shared: bool, is_row: bool) -> String {
    let (a, b) = (a.path().display(), b.path().display());
    if is_shared {
        return format!(
            "{a} and {b} have the same heights where they meet; if each tile repeats the border of the next, \
             give `overlap = 1`"
        );
    }
    let other = if is_row {
        "is `overlap` 0, or do `rows` grow the other way?"
    } else {
        "is `overlap` 0?"
    };
    format!("{a} and {b} differ along the border that they share by `overlap = 1`: {other}")
}
