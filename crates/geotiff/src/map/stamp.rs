//! What tells one state of a file from another without reading it.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Bytes of a stamp.
const BYTES: usize = 56;

/// A state of a file, for comparison with a later one: its identity, length and times in a fixed order.
///
/// `None` where the file had changed so shortly before that another change might have left the same stamp.
pub type FileStamp = Option<[u8; BYTES]>;

/// The identity, length and times of a file.
///
/// Two writes within one tick of the system's clock (up to 10 ms on older kernels) may leave the same stamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
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

    /// The stamp of the file of a name as it is now.
    pub(crate) fn of_file(path: &Path) -> io::Result<FileStamp> {
        let stamp = Self::of(&std::fs::metadata(path)?);
        Ok(stamp.settled(SystemTime::now()))
    }

    /// Its bytes, where the file's last change is some ticks of the clock before `now`.
    pub(super) fn settled(&self, now: SystemTime) -> FileStamp {
        /// A few ticks of the slowest clock that stamps files in fractions of a second.
        const TICKS: Duration = Duration::from_millis(30);
        /// As much where whole seconds are stamped, or every other.
        const SECONDS: Duration = Duration::from_secs(3);
        let changed = self.changed()?;
        let since = changed.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let is_coarse = since.subsec_nanos() == 0;
        let age = now.duration_since(changed).ok()?;
        (age > if is_coarse { SECONDS } else { TICKS }).then(|| self.to_bytes())
    }

    /// When the file last changed.
    fn changed(&self) -> Option<SystemTime> {
        #[cfg(unix)]
        {
            let [_, _, seconds, nanos] = self.inode;
            let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanos).ok()?);
            SystemTime::UNIX_EPOCH.checked_add(since)
        }
        #[cfg(not(unix))]
        self.modified
    }

    fn to_bytes(&self) -> [u8; BYTES] {
        let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
        let modified = self.modified.and_then(since).unwrap_or_default();
        let mut words = [
            self.len,
            modified.as_secs(),
            modified.subsec_nanos().into(),
            0,
            0,
            0,
            0,
        ];
        #[cfg(unix)]
        for (word, part) in words[3..].iter_mut().zip(self.inode) {
            *word = part as u64;
        }
        let mut bytes = [0; BYTES];
        for (eight, word) in bytes.chunks_exact_mut(8).zip(words) {
            eight.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn stamp(seconds: i64, nanos: i64) -> Stamp {
        let (len, modified) = (7, None);
        let inode = [1, 2, seconds, nanos];
        Stamp {
            len,
            modified,
            inode,
        }
    }

    #[test]
    fn a_stamp_counts_once_its_tick_is_over() {
        let at = |seconds, nanos| SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
        let fine = stamp(100, 5);
        assert_eq!(fine.settled(at(100, 10_000_000)), None);
        assert!(fine.settled(at(100, 40_000_000)).is_some());
        assert_eq!(fine.settled(at(99, 0)), None, "from the future");
        let coarse = stamp(100, 0);
        assert_eq!(coarse.settled(at(102, 0)), None);
        assert!(coarse.settled(at(104, 0)).is_some());
        assert_ne!(fine.to_bytes(), coarse.to_bytes());
    }
}
