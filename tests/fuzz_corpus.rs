//! Every file that the fuzzers start from or have found: no panic, and no allocation far beyond the file's size.

#![allow(clippy::unwrap_used)]

#[path = "fuzz/targets.rs"]
mod targets;

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use targets::{TARGETS, Target};

/// What one allocation may take: the largest limit that the targets set is half of it.
const LARGEST_BYTES: usize = 4 << 20;

/// The system's allocator, which notes the largest request.
struct Noting;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came; a note of the size changes nothing of it.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller holds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller holds the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        // SAFETY: the caller holds the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller holds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Noting = Noting;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = match std::fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        // A target that nothing was found with has no such folder.
        Err(_) => Vec::new(),
    };
    files.sort();
    files
}

fn check((name, run): Target) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let seeds = files(&fuzz.join("corpus").join(name));
    assert!(seeds.len() >= 10, "{name} has {} seeds", seeds.len());
    for file in seeds
        .into_iter()
        .chain(files(&fuzz.join("findings").join(name)))
    {
        let bytes = std::fs::read(&file).unwrap();
        assert!(bytes.len() < 1 << 16, "{} is large", file.display());
        LARGEST.store(0, Ordering::Relaxed);
        let caught = std::panic::catch_unwind(|| run(&bytes));
        assert!(caught.is_ok(), "{} makes {name} panic", file.display());
        let largest = LARGEST.load(Ordering::Relaxed);
        assert!(
            largest <= LARGEST_BYTES,
            "{} takes {largest} bytes at once",
            file.display()
        );
    }
}

#[test]
fn what_the_fuzzers_keep_is_harmless() {
    for target in TARGETS {
        check(target);
    }
}
