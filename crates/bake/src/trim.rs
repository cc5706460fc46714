//! Gives freed memory back to the system, so that a long bake takes no more than a short one.

/// How many jobs go by between two times; a time takes about a millisecond.
pub(crate) const EVERY_JOBS: usize = 16;

/// Gives back the pages that hold nothing.
///
/// Tiles, windows and files of many sizes come and go; glibc keeps what they leave between them, and the process would
/// grow by a third over some thousand jobs.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn trim() {
    // SAFETY: it takes no pointer, locks what it touches, and only drops pages that are not allocated.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other allocators give back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn trim() {}
