//! Vegetation as it comes out of the bake, against what its rules ask: pictures, plots and numbers.
//!
//! `cargo run --release --example gallery` writes `docs/gallery.md` and what it shows; `cargo test --example gallery` holds the
//! numbers to their limits.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod factors;
mod laws;
mod numbers;
mod page;
#[path = "../../crates/scatter/tests/power/mod.rs"]
#[allow(dead_code)]
mod power;
mod statistics;
#[cfg(test)]
mod tests;
mod worlds;
#[path = "../../crates/geotiff/tests/writer/mod.rs"]
mod writer;

use std::path::Path;

fn main() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let page = docs.join("gallery.md");
    std::fs::write(&page, page::page(&numbers::Numbers::measure())).unwrap();
    println!("wrote {}", page.display());
}
