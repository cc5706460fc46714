//! Maps whose file has lost pages: the bus error is caught, the hole filled with zeros, and the map marked.
//!
//! The system sends SIGBUS to a thread that touches a mapped page which its file no longer has, or which the disk
//! cannot deliver. The handler here finds the map by the address, marks it, lays zeros over it from that page to its
//! end, and lets the thread go on; whoever read looks at the mark afterwards and throws away what was read. systemd's
//! journal is read in the same manner. An address in none of our maps goes to the handler that was there before.
//!
//! A handler may not take a lock or reserve memory, so it walks a list of chunks that only ever grows, by atomics alone.

use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, Once, PoisonError};

/// Slots that are added at a time.
const N_SLOTS: usize = 64;

/// Where one map lies.
struct Slot {
    /// Odd while the range is being changed; a reader that sees it change has met no map of its own.
    version: AtomicUsize,
    first: AtomicUsize,
    after: AtomicUsize,
    damaged: AtomicBool,
}

impl Slot {
    const fn empty() -> Self {
        Self {
            version: AtomicUsize::new(0),
            first: AtomicUsize::new(0),
            after: AtomicUsize::new(0),
            damaged: AtomicBool::new(false),
        }
    }

    fn set(&self, range: Range<usize>) {
        self.version.fetch_add(1, SeqCst);
        self.first.store(range.start, SeqCst);
        self.after.store(range.end, SeqCst);
        self.damaged.store(false, SeqCst);
        self.version.fetch_add(1, SeqCst);
    }

    /// The range, where it stood still while it was looked at.
    fn range(&self) -> Option<Range<usize>> {
        let version = self.version.load(SeqCst);
        let range = self.first.load(SeqCst)..self.after.load(SeqCst);
        (version.is_multiple_of(2) && self.version.load(SeqCst) == version).then_some(range)
    }
}

/// A part of the list; never freed, so that the handler may walk it at any time.
struct Chunk {
    slots: [Slot; N_SLOTS],
    older: Option<&'static Chunk>,
}

static NEWEST: AtomicPtr<Chunk> = AtomicPtr::new(ptr::null_mut());
static FREE: Mutex<Vec<&'static Slot>> = Mutex::new(Vec::new());
/// The action on SIGBUS before ours; null until it is known.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(4096);

/// Watches over a range of addresses while it lives; it must go before the map does.
pub(super) struct Guard(&'static Slot);

impl Guard {
    /// Watches the addresses of a map of a file, which nothing but that map may use while the guard lives.
    pub(super) fn new(range: Range<usize>) -> Self {
        install();
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        if free.is_empty() {
            free.extend(&grown().slots);
        }
        let slot = free.pop().expect("a chunk of free slots was just added");
        slot.set(range);
        Self(slot)
    }

    /// Whether a page of the map was missing when it was touched.
    pub(super) fn is_damaged(&self) -> bool {
        self.0.damaged.load(SeqCst)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.set(0..0);
        FREE.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(self.0);
    }
}

/// Adds a chunk to the list; the lock on the free slots is held, so nobody else does.
fn grown() -> &'static Chunk {
    let chunk = Box::leak(Box::new(Chunk {
        slots: [const { Slot::empty() }; N_SLOTS],
        older: newest(),
    }));
    NEWEST.store(chunk, SeqCst);
    chunk
}

fn newest() -> Option<&'static Chunk> {
    // SAFETY: the pointer is null or comes from a leaked box that nobody changes but through atomics.
    unsafe { NEWEST.load(SeqCst).as_ref() }
}

/// The slot and the range of the map that an address lies in. Called by the handler: atomics only.
fn find(address: usize) -> Option<(&'static Slot, Range<usize>)> {
    let mut chunk = newest();
    while let Some(here) = chunk {
        for slot in &here.slots {
            if let Some(range) = slot.range().filter(|range| range.contains(&address)) {
                return Some((slot, range));
            }
        }
        chunk = here.older;
    }
    None
}

/// Puts the handler in place, once.
fn install() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        // SAFETY: `sysconf` only answers; `sigaction` is all zeros where it is not set below, as C has it; the handler
        // has the signature that SA_SIGINFO asks for and does only what a handler may do.
        unsafe {
            if let Ok(bytes) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) {
                PAGE_BYTES.store(bytes, SeqCst);
            }
            let mut ours: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = on_bus_error;
            ours.sa_sigaction = handler as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut ours.sa_mask);
            let before = Box::leak(Box::new(std::mem::zeroed::<libc::sigaction>()));
            // Refused, a lost page ends the program, as it would without us.
            if libc::sigaction(libc::SIGBUS, &ours, before) == 0 {
                BEFORE.store(before, SeqCst);
            }
        }
    });
}

extern "C" fn on_bus_error(signal: i32, details: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system passes valid details, of a fault or of a signal that someone sent.
    let address = unsafe { (*details).si_addr() } as usize;
    let mended = find(address).is_some_and(|(slot, range)| {
        // First the mark: whoever reads the zeros then sees it.
        slot.damaged.store(true, SeqCst);
        let page = address & !(PAGE_BYTES.load(SeqCst) - 1);
        fill(page..range.end)
    });
    if !mended {
        // SAFETY: these are the arguments that the system gave us.
        unsafe { pass_on(signal, details, context) };
    }
}

/// Lays zeros over the rest of a map of ours, from a page on; whether the system did it.
fn fill(part: Range<usize>) -> bool {
    // To the end at once: the pages behind a lost one are lost as well, and each would cost a signal and a mapping.
    //
    // SAFETY: the range lies in a map that its guard keeps alive, because a thread is reading it; it stays mapped and
    // readable, only its bytes change, and the mark says that they mean nothing.
    let zeros = unsafe {
        libc::mmap(
            part.start as *mut libc::c_void,
            part.end - part.start,
            libc::PROT_READ,
            libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    zeros != libc::MAP_FAILED
}

/// Does what would have been done without us.
///
/// # Safety
/// The arguments are those of a handler that is running now.
unsafe fn pass_on(signal: i32, details: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: null, or a leaked box that is not changed after it was stored.
    let before = unsafe { BEFORE.load(SeqCst).as_ref() };
    let action = before.map_or(libc::SIG_DFL, |before| before.sa_sigaction);
    if action == libc::SIG_DFL || action == libc::SIG_IGN {
        // SAFETY: both may be called in a handler; the signal is delivered, and ends the program, when we return.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
        return;
    }
    let wants_details = before.is_some_and(|before| before.sa_flags & libc::SA_SIGINFO != 0);
    // SAFETY: the system says that the action is a function, and by the flag which of the two kinds.
    unsafe {
        if wants_details {
            type Detailed = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);
            std::mem::transmute::<usize, Detailed>(action)(signal, details, context);
        } else {
            std::mem::transmute::<usize, extern "C" fn(i32)>(action)(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Addresses that no file is mapped at: nothing touches them.
    const FAR: usize = usize::MAX / 2;

    #[test]
    fn thousands_of_maps_are_told_apart() {
        let place = |k: usize| FAR + 16 * k..FAR + 16 * k + 8;
        let guards: Vec<Guard> = (0..5000).map(|k| Guard::new(place(k))).collect();
        for k in [0, 1, 63, 64, 65, 4999] {
            let (slot, range) = find(FAR + 16 * k + 7).expect("the map is watched");
            assert_eq!(range, place(k));
            slot.damaged.store(true, SeqCst);
            assert!(find(FAR + 16 * k + 8).is_none(), "the gap behind it");
        }
        let marked = guards.iter().filter(|guard| guard.is_damaged()).count();
        assert_eq!(marked, 6);
        drop(guards);
        assert!(find(FAR).is_none());
        assert!(!Guard::new(place(0)).is_damaged(), "a slot starts unmarked");
    }
}
