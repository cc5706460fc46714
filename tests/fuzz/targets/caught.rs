//! Panics of a decoder that its caller catches: libFuzzer would end at them, and a trace of one takes much memory.

use std::panic::{UnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Mutex;

static LAST: Mutex<String> = Mutex::new(String::new());

/// Runs a target so that only a panic that leaves it counts.
pub fn caught(run: impl FnOnce() + UnwindSafe) {
    let hook = take_hook();
    set_hook(Box::new(|panic| {
        *LAST.lock().unwrap() = panic.to_string();
    }));
    let result = catch_unwind(run);
    set_hook(hook);
    if result.is_err() {
        let said = LAST.lock().unwrap().clone();
        panic!("{said}");
    }
}
