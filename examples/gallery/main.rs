//! Vegetation as it comes out of the bake, against what its rules ask: pictures, plots and numbers.
//!
//! `cargo run --release --example gallery` writes `docs/gallery.md` and what it shows; `cargo test --example gallery` holds the
//! numbers to their limits.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod cases;
mod factors;
mod laws;
mod numbers;
mod page;
mod palette;
mod pictures;
mod plots;
#[path = "../../crates/scatter/tests/power/mod.rs"]
#[allow(dead_code)]
mod power;
mod real;
mod statistics;
#[cfg(test)]
mod tests;
mod worlds;
#[path = "../../crates/geotiff/tests/writer/mod.rs"]
mod writer;

use std::path::Path;

use numbers::Numbers;
use pictures::{SHOTS, Studio};
use plots::SizePlot;

fn main() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let folder = docs.join("gallery");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.join(name), bytes).unwrap();

    let studio = Studio::new();
    for shot in &SHOTS {
        write(shot.file, palette::png(&studio.draw(shot)));
    }

    let numbers = Numbers::measure();
    for own in &numbers.rules {
        let plot = plots::density(own);
        write(&page::plot_file(own.case.name), plot.into_bytes());
        if let Some(way) = own.case.way {
            let plot = SizePlot {
                world: &own.world,
                ranges: laws::SIZES,
                falloff: cases::FALLOFF,
                depth: cases::inside,
                way,
            };
            let file = page::plot_file(&page::size_plot(own.case.name));
            write(&file, plots::sizes(&plot).into_bytes());
        }
    }
    let oaks = &numbers.oaks;
    for (axis, value) in real::VALUES {
        let file = page::plot_file(&page::oak_plot(axis));
        write(&file, plots::oaks(&oaks.world, axis, value).into_bytes());
    }
    let plot = SizePlot {
        world: &oaks.world,
        ranges: real::SIZES,
        falloff: real::FALLOFF,
        depth: real::inside,
        way: real::way,
    };
    let file = page::plot_file(&page::size_plot(page::OAKS));
    write(&file, plots::sizes(&plot).into_bytes());
    write("spectra.svg", plots::spectra(&numbers.spectra).into_bytes());
    std::fs::write(docs.join("gallery.md"), page::page(&numbers)).unwrap();
    println!(
        "wrote {} and {}",
        docs.join("gallery.md").display(),
        folder.display()
    );
}
