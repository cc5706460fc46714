//! The largest allocation that a target asks for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What one allocation may take: the largest limit that the targets set is half of it.
const ALLOWED_BYTES: usize = 4 << 20;

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

/// Runs a target over some bytes, and panics where it asked for too much memory at once.
pub fn bounded(run: fn(&[u8]), bytes: &[u8]) {
    LARGEST.store(0, Ordering::Relaxed);
    run(bytes);
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(
        largest <= ALLOWED_BYTES,
        "{largest} bytes were asked for at once"
    );
}
