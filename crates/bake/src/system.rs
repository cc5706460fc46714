//! What only the system knows: the time a thread has had, and the room that is left on a disk.

use std::path::Path;

/// Seconds of processor time that the calling thread has had; `None` where the system does not count it.
#[cfg(unix)]
pub(crate) fn thread_cpu_seconds() -> Option<f64> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a local that outlives the call, which writes nothing else.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    (status == 0).then_some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

/// Other systems have other clocks.
#[cfg(not(unix))]
pub(crate) fn thread_cpu_seconds() -> Option<f64> {
    None
}

/// Bytes that this user may still write on the file system of a path that exists; `None` where that cannot be known.
#[cfg(unix)]
pub(crate) fn free_bytes(path: &Path) -> Option<u64> {
    use std::ffi::CString;
    use std::mem::MaybeUninit;
    use std::os::unix::ffi::OsStrExt;

    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    let mut found = MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: `path` ends with a zero byte and `found` has the size the call fills; both outlive it.
    let status = unsafe { libc::statvfs(path.as_ptr(), found.as_mut_ptr()) };
    if status != 0 {
        return None;
    }
    // SAFETY: a call that returns 0 has filled all of it.
    let found = unsafe { found.assume_init() };
    #[allow(clippy::unnecessary_cast)] // The fields are narrower on some systems.
    (found.f_bavail as u64).checked_mul(found.f_frsize as u64)
}

/// Other systems have other calls.
#[cfg(not(unix))]
pub(crate) fn free_bytes(_path: &Path) -> Option<u64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_thread_that_works_has_had_time() {
        let start = thread_cpu_seconds().unwrap();
        let mut sum = 0_u64;
        for k in 0..20_000_000_u64 {
            sum = std::hint::black_box(sum.wrapping_add(k));
        }
        assert!(thread_cpu_seconds().unwrap() > start);
    }

    #[test]
    fn only_a_path_that_exists_has_room() {
        assert!(free_bytes(&std::env::temp_dir()).is_some());
        assert_eq!(free_bytes(Path::new("/no/such/folder")), None);
    }
}
