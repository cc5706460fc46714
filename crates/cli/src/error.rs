//! The last stop of every error: a message and an exit code.

use std::path::PathBuf;
use std::process::ExitCode;

use ecotone_bake::BakeError;
use ecotone_bake::config::ConfigError;
use ecotone_bake::explain::ExplainError;
use ecotone_bake::verify::VerifyError;
use ecotone_geotiff::SourceError;
use ecotone_grid::Simd;
use ecotone_interchange::InterchangeError;
use ecotone_store::StoreError;

use crate::demo::DemoError;

/// Why a command did not do what it should.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Bake(#[from] BakeError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Interchange(#[from] InterchangeError),
    #[error(transparent)]
    Demo(#[from] DemoError),
    #[error(transparent)]
    Verify(VerifyError),
    #[error(transparent)]
    Explain(ExplainError),
    #[error("{} is not proved: {why}", path.display())]
    Unproved { path: PathBuf, why: String },
    #[error("{} of the inputs cannot be read", if *n_failures == 1 { "a part".to_owned() } else { format!("{n_failures} parts or more") })]
    Damaged { n_failures: usize },
    #[error("no tile can be baked on trial: {source}")]
    NoTrial { source: BakeError },
    #[error("there is nothing at {path}: a raster, a chunk file or a world directory is expected")]
    NothingThere { path: PathBuf },
    #[error("cannot read {path}: {source}")]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("--digest is for a raster or a world directory; {path} is a chunk file")]
    NoDigest { path: PathBuf },
    #[error(
        "{path} is a VRT, which names other files: a config reads it (`ecotone check world.toml` says what it holds), and \
         gdalinfo shows it"
    )]
    IsVrt { path: PathBuf },
    #[error("{path} lies inside the world; write it elsewhere")]
    InsideWorld { path: PathBuf },
    #[error("no picture can be written to {path}: a file in a folder that exists is expected")]
    NoPicture { path: PathBuf },
    #[error("the value of {option} is {found:?}: {reason}")]
    Stroke {
        option: &'static str,
        found: String,
        reason: String,
    },
    #[error("{file}: {why}")]
    PinFile { file: String, why: String },
    #[error("{why}")]
    PinUsage { why: &'static str },
    #[error(
        "the variable ECOTONE_SIMD is {found:?}; this processor has {}",
        instructions()
    )]
    NoInstructions { found: String },
    #[error("the worlds differ")]
    Differ,
    #[error("not all of it could be written to standard output: {source}")]
    Unheard { source: std::io::Error },
    #[error("the preview failed, but the bake stands: {source}")]
    Preview { source: InterchangeError },
    #[error("the report failed, but the bake stands: {source}")]
    Report { source: InterchangeError },
    #[error(
        "{} failed; the bake stands, and its report says where",
        if *n_checks == 1 { "the check".to_owned() } else { format!("{n_failed} of {n_checks} checks") }
    )]
    ChecksFailed { n_failed: u64, n_checks: usize },
    #[error("the command on_commit failed, but revision {revision} stands: `{command}`: {why}")]
    OnCommit {
        command: String,
        why: String,
        revision: u64,
    },
}

impl From<VerifyError> for CliError {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Bake(error) => Self::Bake(error),
            error => Self::Verify(error),
        }
    }
}

impl From<ExplainError> for CliError {
    fn from(error: ExplainError) -> Self {
        match error {
            ExplainError::Bake(error) => Self::Bake(error),
            error => Self::Explain(error),
        }
    }
}

/// Done, but something failed on the way.
const FAILED: u8 = 1;
/// Could not start.
const REFUSED: u8 = 2;
/// Stopped by the user, as shells count it: 128 + SIGINT.
const STOPPED: u8 = 130;

impl CliError {
    /// The exit code it ends with.
    pub(crate) fn exit_code(&self) -> ExitCode {
        let code = match self {
            Self::Bake(BakeError::Stopped)
            | Self::Interchange(InterchangeError::Stopped)
            | Self::Demo(DemoError::Stopped) => STOPPED,
            Self::Bake(BakeError::NoScratch { .. }) => REFUSED,
            Self::Bake(error) if error.is_refusal() => REFUSED,
            Self::Bake(_)
            | Self::Preview { .. }
            | Self::Report { .. }
            | Self::ChecksFailed { .. }
            | Self::Differ
            | Self::Unheard { .. }
            | Self::Unproved { .. }
            | Self::OnCommit { .. } => FAILED,
            _ => REFUSED,
        };
        code.into()
    }

    /// A short word for machines.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Bake(BakeError::Stopped)
            | Self::Interchange(InterchangeError::Stopped)
            | Self::Demo(DemoError::Stopped) => "stopped",
            Self::Bake(BakeError::Config(_)) | Self::Config(_) => "config",
            Self::Bake(BakeError::Edit(_)) => "edit",
            Self::Bake(
                BakeError::Source(error)
                | BakeError::Input { source: error, .. }
                | BakeError::InputChanged { source: error },
            )
            | Self::Source(error) => error.kind(),
            Self::Bake(BakeError::Store(_)) | Self::Store(_) | Self::Verify(_) => "store",
            Self::Unproved { .. } => "unproved",
            Self::Bake(_) | Self::NoTrial { .. } => "bake",
            Self::Damaged { .. } => "corrupt",
            Self::Interchange(_) | Self::Preview { .. } | Self::Report { .. } => "interchange",
            Self::ChecksFailed { .. } => "checks",
            Self::OnCommit { .. } => "on_commit",
            Self::Demo(_) => "demo",
            Self::NothingThere { .. } | Self::Unreadable { .. } | Self::Unheard { .. } => "io",
            Self::Differ => "differ",
            Self::NoDigest { .. }
            | Self::Stroke { .. }
            | Self::PinFile { .. }
            | Self::PinUsage { .. }
            | Self::NoInstructions { .. }
            | Self::Explain(_)
            | Self::IsVrt { .. }
            | Self::NoPicture { .. }
            | Self::InsideWorld { .. } => "usage",
        }
    }
}

/// The sets of vector instructions that can be asked for.
fn instructions() -> String {
    let here = Simd::ALL.into_iter().filter(|simd| simd.is_here());
    here.map(Simd::name).collect::<Vec<_>>().join(", ")
}
