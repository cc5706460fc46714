//! What can go wrong between a finished world and what is made of it.

use std::io;
use std::path::{Path, PathBuf};

use ecotone_geotiff::SourceError;
use ecotone_store::StoreError;

/// Why a world was not exported or drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InterchangeError {
    /// The world directory could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A raster file could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, such as "write".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the world is not of the world's shape.
    #[error("{} is not what the manifest says: expected {expected}, found {found}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What the manifest says.
        expected: String,
        /// What the file holds.
        found: String,
    },
    /// The height map the world was made from is not where it was.
    #[error("the world's heights are not part of it, and {} is gone: put it back, or bake the world again from where it lies now", path.display())]
    HeightsGone {
        /// Where it was.
        path: PathBuf,
    },
    /// A revision that is not kept any more, or never was.
    #[error("{}", gone(dir, *revision, kept))]
    RevisionGone {
        /// The world directory.
        dir: PathBuf,
        /// The revision asked for; `None` for the one before the current.
        revision: Option<u64>,
        /// The revisions that are kept, the newest first.
        kept: Vec<u64>,
    },
    /// The caller's flag was raised.
    #[error("stopped before it was done; nothing was written")]
    Stopped,
    /// A picture of something the world does not have.
    #[error("there is no layer {found}; the world has {}", known.join(", "))]
    UnknownLayer {
        /// The layer asked for.
        found: String,
        /// The layers there are.
        known: Vec<String>,
    },
    /// A region that shares no ground with the map.
    #[error(
        "the region {region:?} holds no part of the map: expected west, south, east and north in metres within {extent:?}"
    )]
    RegionOffMap {
        /// The region asked for.
        region: [f64; 4],
        /// West, south, east and north of the map.
        extent: [f64; 4],
    },
    /// A picture larger or smaller than is drawn.
    #[error("a picture of {found} pixels was asked for; 16 to {most} can be drawn")]
    PictureSize {
        /// The pixels asked for.
        found: u32,
        /// The most there can be.
        most: u32,
    },
}

impl InterchangeError {
    /// An error of the system while doing `action` on `path`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}

/// The sentence of a revision that is not kept.
fn gone(dir: &Path, revision: Option<u64>, kept: &[u64]) -> String {
    let wanted = match revision {
        Some(revision) => format!("revision {revision}"),
        None => "revision before its current one".to_owned(),
    };
    let kept: Vec<String> = kept.iter().rev().map(u64::to_string).collect();
    format!(
        "{} holds no {wanted}: it keeps {}; compare with what is kept, or with a copy of the world that was made in time",
        dir.display(),
        kept.join(" and ")
    )
}
