//! The first input of a job that is not as it was.

use std::fmt;
use std::path::PathBuf;

use ecotone_store::Digest;

/// Why a job would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was never made.
    NeverMade,
    /// A file that it made is not there any more.
    Missing {
        /// The file, under the world directory.
        file: String,
    },
    /// A key of the config that its stage reads.
    Config {
        /// Such as `stratum[1].slope` or `species.oak.density`.
        key: String,
        /// What it was, as JSON; `none` where it was not given.
        old: String,
        /// What it is.
        new: String,
    },
    /// What it reads holds something else.
    Content {
        /// Digest of all that it read.
        old: Digest,
        /// Of all that it would read.
        new: Digest,
        /// The files under its window that changed since the revision was committed, each with what it is for.
        files: Vec<(String, PathBuf)>,
    },
    /// A tile in its reach would be made, or may be.
    Upstream {
        /// What is made of that tile: `strata` or `sdf`.
        stage: &'static str,
        /// Column and row of the tile.
        tile: [u32; 2],
    },
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverMade => f.write_str("never made"),
            Self::Missing { file } => write!(f, "{file} is missing"),
            Self::Config { key, old, new } => write!(f, "{key}: {old} → {new}"),
            Self::Content { old, new, files } => {
                write!(f, "what it reads: {} → {}", short(old), short(new))?;
                for (k, (role, file)) in files.iter().enumerate() {
                    let before = if k == 0 { "; changed: " } else { ", " };
                    write!(f, "{before}{role} {}", file.display())?;
                }
                Ok(())
            }
            Self::Upstream {
                stage,
                tile: [x, y],
            } => write!(f, "{stage} of tile ({x}, {y})"),
        }
    }
}

/// So much of a digest as tells it from others at a glance.
fn short(digest: &Digest) -> String {
    digest.to_string()[..8].to_owned()
}
