#![no_main]

#[path = "../targets/mod.rs"]
mod targets;

// The decoder of OpenEXR may panic, and the reader catches that.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::caught(|| {
    targets::bounded(targets::exr, bytes);
}));
