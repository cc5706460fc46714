//! What follows a commit: the studio's own command.

use std::path::Path;
use std::process::{Command, Stdio};

use ecotone_store::Committed;

use crate::error::CliError;
use crate::say::Voice;

/// Runs `[output] on_commit` after a commit of a new revision; what it prints goes to standard error.
///
/// The command is the shell's, its last argument is the path of the revision's `changed.json`, and `ECOTONE_WORLD`,
/// `ECOTONE_REVISION` and `ECOTONE_CHANGED` are in its environment.
///
/// # Errors
/// [`CliError::OnCommit`] where it could not be run or failed; the commit stands.
pub(crate) fn after_commit(
    on_commit: Option<&str>,
    committed: &Committed,
    out: &Path,
    voice: Voice,
) -> Result<(), CliError> {
    let Some(command) = on_commit.filter(|_| committed.is_new) else {
        return Ok(());
    };
    let revision = committed.revision.to_string();
    let world = std::path::absolute(out).unwrap_or_else(|_| out.to_owned());
    let changed = world.join("rev").join(&revision).join("changed.json");
    let ended = shell(command, &changed)
        .env("ECOTONE_WORLD", &world)
        .env("ECOTONE_REVISION", &revision)
        .env("ECOTONE_CHANGED", &changed)
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .status();
    let why = match ended {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    let (command, revision) = (command.to_owned(), committed.revision);
    let failed = CliError::OnCommit {
        command,
        why,
        revision,
    };
    voice.warn(&failed);
    Err(failed)
}

/// The command with one more argument, which no shell looks into.
#[cfg(unix)]
fn shell(command: &str, last: &Path) -> Command {
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("{command} \"$@\""))
        .arg("on_commit")
        .arg(last);
    shell
}

/// The command with one more argument.
#[cfg(not(unix))]
fn shell(command: &str, last: &Path) -> Command {
    let mut shell = Command::new("cmd");
    shell.arg("/C").arg(command).arg(last);
    shell
}
