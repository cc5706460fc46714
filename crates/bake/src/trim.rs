//! When freed memory goes back to the system: at once in a long bake, which so takes no more than a short one, and never in an edit.

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

/// Has each buffer of a window or a tile go back to the system when it is freed: for a bake, which is long. glibc would keep
/// ever larger ones for its own use, and what is left between them grew by a fifth over a large world.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back() {
    // Its own threshold at the start; once set, it stays.
    const LARGEST_KEPT: libc::c_int = 128 << 10;
    // SAFETY: it takes no pointer and only sets when freed memory goes back; a refusal changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_KEPT);
    }
}

/// Other allocators give back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}

/// Has the process keep what it frees for its own next use: for an edit, which is over before that grows. Windows that come and go
/// would else be mapped and cleared by the system each time, a tenth of an edit.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_freed() {
    /// The most that glibc takes.
    const LARGEST_KEPT: libc::c_int = 32 << 20;
    const KEPT: libc::c_int = 256 << 20;
    // SAFETY: they take no pointer and only set when freed memory goes back; a refusal changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_KEPT);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}

/// Other allocators keep what they like.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_freed() {}
