//! What can end a bake.

use std::io;
use std::path::PathBuf;

use ecotone_geotiff::SourceError;
use ecotone_store::StoreError;

use crate::config::ConfigError;
use crate::edit::EditError;
use crate::plan::Job;

/// Why a bake could not start, or ended early; what was committed before stands.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BakeError {
    /// The config is wrong, or does not fit its inputs.
    #[error(transparent)]
    Config(#[from] Box<ConfigError>),
    /// An edit makes no sense, or the world's edits do not fit the config or the map.
    #[error(transparent)]
    Edit(#[from] Box<EditError>),
    /// An input cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// An input that a key of the config names cannot be read.
    #[error("{shown}")]
    Input {
        /// The key, and what is wrong with its file.
        shown: Box<ConfigError>,
        /// What is wrong with it.
        source: SourceError,
    },
    /// The world cannot be opened for writing.
    #[error("cannot write into the world: {source}")]
    Closed {
        /// The store's reason.
        source: StoreError,
    },
    /// An output cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no place to bake a few tiles on trial.
    #[error(
        "no temporary folder can be made, neither beside the world nor in the system's place for them: {source}"
    )]
    NoScratch {
        /// The system's reason.
        source: io::Error,
    },
    /// The system refused a thread.
    #[error("expected to start a worker thread, but the system refused: {source}")]
    Thread {
        /// The system's reason.
        source: io::Error,
    },
    /// A plant would stand where no chunk file can say.
    #[error("the ground at ({x}, {y}) is {height} m high; plants are placed up to 2147 km")]
    TooHigh {
        /// World x, metres.
        x: f64,
        /// World y, metres.
        y: f64,
        /// The height there, metres.
        height: f64,
    },
    /// An input did not stay as it was when the bake began.
    #[error("{source}; nothing of this bake was published, and the world is as it was before")]
    InputChanged {
        /// Which one: [`SourceError::Changed`], or why it could not be looked at.
        source: SourceError,
    },
    /// A job failed on an input or an output.
    #[error("{job}: {source}")]
    Job {
        /// The job, by stage and place.
        job: String,
        /// Its failure.
        source: Box<BakeError>,
    },
    /// A finished tile of the world is not what was written. A bake makes it again; this is said only where that does not help.
    #[error("{} is damaged again and again: {reason}; is the disk in order?", path.display())]
    Rotten {
        /// The tile's file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// A job broke one of our own invariants.
    #[error("{job} failed on a fault of the program, please report it: {message}")]
    Panicked {
        /// The job, by stage and place.
        job: String,
        /// The panic's message.
        message: String,
    },
    /// The workers ended before the work did.
    #[error("the workers ended before the bake was done")]
    WorkersGone,
    /// The user stopped the bake.
    #[error("stopped; the world is as it was before this bake")]
    Stopped,
}

impl From<ConfigError> for BakeError {
    fn from(error: ConfigError) -> Self {
        Self::Config(Box::new(error))
    }
}

impl From<EditError> for BakeError {
    fn from(error: EditError) -> Self {
        Self::Edit(Box::new(error))
    }
}

impl BakeError {
    /// The failure of a job.
    pub(crate) fn of(self, job: Job) -> Self {
        Self::Job {
            job: job.to_string(),
            source: Box::new(self),
        }
    }

    /// Whether a finished tile turned out to be damaged.
    pub(crate) fn is_of_rot(&self) -> bool {
        match self {
            Self::Rotten { .. } => true,
            Self::Job { source, .. } => source.is_of_rot(),
            _ => false,
        }
    }

    /// Whether nothing had been started: the config or an input was refused.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Config(_)
                | Self::Edit(_)
                | Self::Source(_)
                | Self::Input { .. }
                | Self::Closed { .. }
        )
    }
}
