//! The bytes of a file in memory, which the file may lose at any time.

use std::fs::File;
use std::io;

use memmap2::Mmap;

#[cfg(unix)]
use super::guard::Guard;

/// Smaller parts share their pages with neighbours, which would have to be fetched again.
#[cfg(unix)]
const WORTH_RELEASING: u64 = 1 << 16;

/// A read-only map of a file.
pub(super) struct Mapping {
    /// Goes before the map; `None` for an empty file, which has no page to lose.
    #[cfg(unix)]
    guard: Option<Guard>,
    bytes: Mmap,
}

impl Mapping {
    pub(super) fn new(file: &File) -> io::Result<Self> {
        // SAFETY: the map is private to this type and only read. Another program may still rewrite the file: numbers
        // taken out of the map are checked after they were copied out of it, compressed blocks are copied before they
        // are decoded, and lost pages are caught by the guard (other systems than Unix keep a mapped file's length).
        let bytes = unsafe { Mmap::map(file) }?;
        Ok(Self {
            #[cfg(unix)]
            guard: (!bytes.is_empty()).then(|| {
                let first = bytes.as_ptr() as usize;
                Guard::new(first..first + bytes.len())
            }),
            bytes,
        })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether bytes were read that the file no longer had; they were read as 0.
    pub(super) fn is_damaged(&self) -> bool {
        #[cfg(unix)]
        return self.guard.as_ref().is_some_and(Guard::is_damaged);
        #[cfg(not(unix))]
        false
    }

    /// Tells the system that a part will not be wanted again soon.
    pub(super) fn release(&self, offset: u64, len: u64) {
        #[cfg(unix)]
        if len >= WORTH_RELEASING
            && offset
                .checked_add(len)
                .is_some_and(|end| end <= self.bytes.len() as u64)
        {
            // SAFETY: the pages belong to a read-only map of a file, so dropping them loses nothing: the next touch
            // reads them from the file again. Zeros that the guard laid over lost pages come back as zeros.
            let advice = unsafe {
                self.bytes.unchecked_advise_range(
                    memmap2::UncheckedAdvice::DontNeed,
                    offset as usize,
                    len as usize,
                )
            };
            // Advice only: refused, the pages stay until the system wants them.
            drop(advice);
        }
        #[cfg(not(unix))]
        let _ = (offset, len);
    }
}
