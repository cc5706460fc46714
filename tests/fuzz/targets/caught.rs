//! Panics of a decoder that its caller catches, which libFuzzer would end at.

use std::panic::{catch_unwind, resume_unwind, set_hook};
use std::sync::{Mutex, Once};

static LAST: Mutex<String> = Mutex::new(String::new());

/// Runs a target so that only a panic that leaves it counts; for a fuzzer, not for a test.
pub fn caught(run: impl FnOnce() + std::panic::UnwindSafe) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        set_hook(Box::new(|panic| {
            *LAST.lock().unwrap() = panic.to_string();
        }));
    });
    if let Err(panic) = catch_unwind(run) {
        eprintln!("{}", LAST.lock().unwrap());
        resume_unwind(panic);
    }
}
