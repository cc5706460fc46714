//! Edits of a finished world: brushes and patches that are kept in its own log and laid over its config.
//!
//! Every edit has a raster on the map's grid, which the store keeps with the world. The log's heights lie over those of the
//! config and its patches, and its strokes over the config's strata, both in the order in which they were made. What the
//! log holds is committed with the revision that shows it: an edit that fails leaves neither.

mod brush;
mod error;
mod log;
mod patch;
mod raster;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ecotone_grid::Raster;
use ecotone_store::{
    Artefact, BandHeader, EditOp, EditRecord, Manifest, PatchWord, Stage, TileHeader, World,
    WorldWriter, encode_tiff,
};

pub use brush::{Brush, MOST_HEIGHT_M};
pub use error::EditError;
pub(crate) use log::Edits;
pub(crate) use raster::{EditRaster, HeightEdit};

use crate::config::{self, Loaded};
use crate::{Bake, BakeError, EditLog, Options, Outcome, Progress};

/// Pixels that the raster of one edit may have: those of a square of 8192.
pub const MOST_PIXELS: usize = 1 << 26;

/// What is to be done to a world.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Raises the ground under a brush.
    Raise {
        /// Where.
        brush: Brush,
        /// By how many metres at its centre; below 0 lowers.
        height: f64,
    },
    /// Lays a file of heights over the ground.
    Patch {
        /// Any file that a patch of the config may be.
        file: PathBuf,
        /// What becomes of a height under it.
        mode: PatchWord,
        /// How much of it takes hold.
        alpha: Alpha,
    },
    /// Raises the weight of a stratum.
    Paint {
        /// The stratum.
        stratum: String,
        /// Where.
        brush: Brush,
        /// By how much at its centre, above 0 to 1.
        strength: f64,
    },
    /// Lowers the weight of a stratum.
    Erase {
        /// The stratum.
        stratum: String,
        /// Where.
        brush: Brush,
        /// By how much at its centre, above 0 to 1.
        strength: f64,
    },
}

/// How much of a patch takes hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Alpha {
    /// As much everywhere, above 0 to 1.
    Everywhere(f64),
    /// As much as a file on the patch's own grid says.
    File(PathBuf),
}

/// What an edit does where.
struct Rasters {
    /// Heights in metres, or shares of a stratum.
    values: Raster<f32>,
    /// How much of the heights takes hold.
    shares: Option<Raster<f32>>,
}

impl From<Raster<f32>> for Rasters {
    fn from(values: Raster<f32>) -> Self {
        let shares = None;
        Self { values, shares }
    }
}

impl Change {
    fn op(&self) -> EditOp {
        match self.clone() {
            Self::Raise { .. } => EditOp::Heights {
                mode: PatchWord::Add,
                alpha: 1.0,
            },
            Self::Patch { mode, alpha, .. } => EditOp::Heights {
                mode,
                alpha: match alpha {
                    Alpha::Everywhere(alpha) => alpha,
                    Alpha::File(_) => 1.0,
                },
            },
            Self::Paint { stratum, .. } => EditOp::Paint { stratum },
            Self::Erase { stratum, .. } => EditOp::Erase { stratum },
        }
    }

    /// What it is, for people.
    fn text(&self) -> String {
        match self {
            Self::Raise { brush, height } => format!("raise {brush} by {height} m"),
            Self::Paint {
                stratum,
                brush,
                strength,
            } => format!("paint {stratum} {brush} by {strength}"),
            Self::Erase {
                stratum,
                brush,
                strength,
            } => format!("erase {stratum} {brush} by {strength}"),
            Self::Patch { file, mode, alpha } => {
                let mode = match mode {
                    PatchWord::Replace => "replace",
                    PatchWord::Add => "add",
                    PatchWord::Max => "max",
                    PatchWord::Min => "min",
                };
                let share = match alpha {
                    Alpha::Everywhere(1.0) => String::new(),
                    Alpha::Everywhere(alpha) => format!(", alpha {alpha}"),
                    Alpha::File(file) => format!(", alpha {}", file.display()),
                };
                format!("patch {} ({mode}{share})", file.display())
            }
        }
    }
}

/// A world under edit: nobody else writes into it meanwhile, and nothing of it changes before [`Editing::bake`].
#[derive(Debug)]
pub struct Editing {
    dir: PathBuf,
    writer: WorldWriter,
    /// The current revision.
    manifest: Manifest,
    /// The config that it was made from.
    loaded: Loaded,
    /// The log as it is to be.
    log: Vec<EditRecord>,
}

impl Editing {
    /// Opens the world in `dir` and takes its lock.
    ///
    /// # Errors
    /// [`BakeError::Closed`] where there is no world, or another process writes into it; [`BakeError::Config`] where the
    /// revision's own config cannot be read.
    pub fn open(dir: &Path) -> Result<Self, BakeError> {
        crate::trim::keep_freed();
        let closed = |source| BakeError::Closed { source };
        // A writer founds the world that it does not find, so that one is looked for first.
        let mut world = World::open(dir).map_err(closed)?;
        let writer = WorldWriter::open(dir).map_err(closed)?;
        let current = writer.current().map(|current| current.revision);
        if current != Some(world.manifest().revision) {
            world = World::open(dir).map_err(closed)?;
        }
        let manifest = world.manifest().clone();
        let text = world.config().map_err(closed)?;
        if text.is_empty() {
            let path = dir.to_owned();
            return Err(EditError::NoConfig { path }.into());
        }
        let path = Path::new(&manifest.config.path);
        Ok(Self {
            dir: dir.to_owned(),
            loaded: config::parse_copy(&text, path, &world.config_path())?,
            log: manifest.edits.clone(),
            manifest,
            writer,
        })
    }

    /// The log as it will be: every edit, the oldest first.
    pub fn log(&self) -> &[EditRecord] {
        &self.log
    }

    /// Says where the world's config is another now than the one that the world was made from, which is the one that counts.
    pub fn of_config(&self) -> Option<String> {
        let path = &self.loaded.path;
        let is_same = config::is_still(path, &self.manifest.config.digest)?;
        (!is_same).then(|| {
            format!(
                "{} has changed since this world was baked; the edit works on the world's own copy of it, and `ecotone bake` \
                 takes the new one",
                path.display()
            )
        })
    }

    /// Adds an edit to the log; its raster is written, and counts for nothing before the commit.
    ///
    /// # Errors
    /// [`BakeError::Edit`] where it makes no sense or changes no pixel, those of its file, [`BakeError::Store`].
    pub fn add(&mut self, change: &Change) -> Result<(), BakeError> {
        let grid = &self.manifest.grid;
        let (transform, map) = (grid.transform(), grid.tiles().map());
        let made: Rasters = match change {
            Change::Raise { brush, height } => brush.heights(*height, &transform, map)?.into(),
            Change::Paint {
                stratum,
                brush,
                strength,
            }
            | Change::Erase {
                stratum,
                brush,
                strength,
            } => {
                log::check_stratum(&self.loaded, stratum)?;
                brush.shares(*strength, &transform, map)?.into()
            }
            Change::Patch { file, alpha, .. } => patch::read(&self.loaded, file, alpha, map)?,
        };
        let raster = self.put(&made.values)?;
        let shares = made.shares.map(|shares| self.put(&shares)).transpose()?;
        let rect = made.values.rect();
        let last = self.log.last().map_or(0, |edit| edit.number);
        self.log.push(EditRecord {
            number: last + 1,
            op: change.op(),
            text: change.text(),
            size: [rect.width() as u32, rect.height() as u32],
            raster,
            shares,
        });
        Ok(())
    }

    fn put(&mut self, raster: &Raster<f32>) -> Result<Artefact, BakeError> {
        let grid = self.manifest.raster(&Stage::Weights);
        let (_, grid) = grid.expect("every world has weights");
        let header = TileHeader {
            bands: vec![BandHeader::plain("edit")],
            nodata: Some(f64::NAN),
            ..grid
        };
        let bytes = encode_tiff(raster, &header, self.manifest.compression)?;
        let at = raster.rect();
        Ok(self.writer.put(&Stage::Edits, at.x0, at.y0, &bytes)?)
    }

    /// Takes the last `n` edits out of the log, and returns them, the oldest first.
    ///
    /// # Errors
    /// [`EditError::NothingToUndo`] where there are not so many.
    pub fn undo(&mut self, n: usize) -> Result<Vec<EditRecord>, BakeError> {
        let found = self.log.len();
        let kept = found
            .checked_sub(n)
            .ok_or(EditError::NothingToUndo { wanted: n, found })?;
        Ok(self.log.split_off(kept))
    }

    /// The command that the config wants run after a commit.
    pub fn on_commit(&self) -> Option<&str> {
        self.loaded.config.output.on_commit.as_deref()
    }

    /// Rebuilds what the log's changes reach, and commits both.
    ///
    /// # Errors
    /// As [`Bake::open`] and [`Bake::run`]; the world and its log are then as they were.
    pub fn bake(
        mut self,
        memory_bytes: u64,
        threads: usize,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Outcome, BakeError> {
        let grid = self.manifest.grid.transform();
        let log = EditLog {
            records: self.log,
            dir: self.dir.clone(),
        };
        let edits = Edits::given(log, Some(grid));
        let options = Options {
            memory_bytes,
            ..Options::default()
        };
        let bake = Bake::open_under(&self.loaded, edits, self.dir, &options)?;
        bake.run_into(&mut self.writer, threads, cancel, progress)
    }
}
