//! What tells one state of a file from another without reading it.

use std::fs::Metadata;
use std::time::SystemTime;

/// The identity, length and times of a file.
///
/// Two writes within one tick of the system's clock (up to 10 ms on older kernels) may leave the same stamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    /// Device and inode, and when the inode last changed: a copy that sets the old times back shows there.
    #[cfg(unix)]
    inode: [i64; 4],
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Self {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: [
                metadata.dev() as i64,
                metadata.ino() as i64,
                metadata.ctime(),
                metadata.ctime_nsec(),
            ],
        }
    }
}
