//! `docs/gallery.md` itself.

use crate::numbers::{Numbers, thousands};
use crate::pictures::{SHOTS, Shot};
use crate::real;
use crate::worlds::{MARGIN, SIDE};

/// The pictures, each with what there is to see and the rules that made it.
fn pictures() -> String {
    let shot = |shot: &Shot| {
        let Shot {
            file,
            title,
            says,
            rules,
            ..
        } = shot;
        let rules = match rules.is_empty() {
            true => String::new(),
            false => format!("\n```toml\n{rules}\n```\n"),
        };
        let heading = title[..1].to_uppercase() + &title[1..];
        format!("### {heading}\n\n{says}\n\n![{heading}](gallery/{file})\n{rules}\n")
    };
    SHOTS.iter().map(shot).collect()
}

/// The file of a plot by its title.
pub fn plot_file(title: &str) -> String {
    let is_apart = |c: char| !c.is_ascii_alphanumeric();
    let words = title.split(is_apart).filter(|word| !word.is_empty());
    format!("{}.svg", words.collect::<Vec<_>>().join("-"))
}

/// What the plants of the real ground are called.
pub const OAKS: &str = "white oaks";

/// The title of a plot of sizes.
pub fn size_plot(name: &str) -> String {
    format!("sizes, {name}")
}

/// The title of a plot of oaks.
pub fn oak_plot(axis: &str) -> String {
    format!("{OAKS} by {axis}")
}

/// Plots by their titles, two a row.
fn plots(titles: &[String]) -> String {
    let cell = |title: &String| {
        let file = plot_file(title);
        format!("**{title}**<br>![{title}](gallery/{file})")
    };
    let cells: Vec<String> = titles.iter().map(cell).collect();
    let rows = cells.chunks(2).map(|row| match row {
        [a, b] => format!("| {a} | {b} |\n"),
        _ => format!("| {} | |\n", row.join("")),
    });
    format!("| | |\n|---|---|\n{}", rows.collect::<String>())
}

/// The page.
pub fn page(numbers: &Numbers) -> String {
    let rules = numbers.rules.iter().map(|own| own.case.name.to_owned());
    let oaks = real::VALUES.iter().map(|(axis, _)| oak_plot(axis));
    let sizes = numbers.sizes.iter().map(|(name, _)| size_plot(name));
    let sizes = sizes.chain([size_plot(OAKS)]);
    let [rules, oaks, sizes] = [rules.collect::<Vec<_>>(), oaks.collect(), sizes.collect()];
    let parts = [
        format!("# Gallery\n\n{INTRODUCTION}"),
        format!("## Pictures\n\n{PICTURES}"),
        pictures(),
        format!("## Densities\n\n{DENSITIES} Plants that stand where their rule allows none: {}.", numbers.n_strays()),
        numbers.densities(),
        "Bars are plants per hectare as they were found, the line is the rule.".to_owned(),
        plots(&rules),
        format!("## Densities on real ground\n\n{REAL}\n\n```toml\n{}\n```", real::RULES),
        numbers.real(),
        "Bars are oaks as they were found, the red level over each is what the rules let expect of its ground.".to_owned(),
        plots(&oaks),
        format!("## Sizes\n\n{SIZES}"),
        numbers.size_table(),
        "Some of the plants by their distance to the edge; the lines are the ends of the range that is asked for.".to_owned(),
        plots(&sizes),
        format!("## Variants and clusters\n\n{LOOKS}"),
        numbers.looks(),
        format!(
            "## Distances between plants\n\n{} plants of four species on {:.1} ha compete for the same ground.",
            thousands(numbers.n_rivals),
            ((SIDE - 2 * MARGIN) as f64).powi(2) / 1e4
        ),
        numbers.distances(),
        format!("## Blue noise\n\n{POWERS}"),
        numbers.powers(),
        "![Power by frequency](gallery/spectra.svg)".to_owned(),
    ];
    parts
        .map(|part| part.trim_end().to_owned() + "\n")
        .join("\n")
}

const INTRODUCTION: &str = "What the rules of [species](species.md) look like, and how well the plants of a bake keep to them. All of this page is written by

```sh
cargo run --release --example gallery
```

and `cargo test --example gallery` bakes its worlds again and holds the numbers to their limits.";

const PICTURES: &str =
    "Drawn as by `ecotone preview`, on the terrain of `ecotone demo` and on real heights.";

const DENSITIES: &str = "Each rule has a world of its own, 200 × 200 m at 1 m with a rim of 2 m left out, whose ground leads it through all it can say: \
a plane for altitudes, a dome for slopes and aspects, a fold for curvatures, strips of wood for distances. The worlds are baked as any other, and the \
plants read back from their chunks. The expectation is not the kernels' own: it is the product that [species](species.md) describes, written \
down once more, of the ground's closed form or the stored rasters, summed over 614,656 places. Of the kernels there is the clusters' noise alone, whose share \
of the ground is looked at. Where the config gives a `density` it is reckoned from that; else from the full pattern's, 0.6117 plants on a square of the \
spacing, which is 0.25 m everywhere.

χ² runs over 20 bins of what the rule looks at, which hold equal parts of the expectation, but for values that many places share. Expectations are not scaled to what was found, so there are \
20 degrees of freedom, and 45.3 would be p = 0.001. Plants keep their distances, so their counts vary less than those of points thrown at random, for \
which p is reckoned: a p near 1 is what blue noise looks like.";

const REAL: &str = "All rules of a species at once, on real heights with pixels of 75 × 92 m: the white oaks of `configs/jacksboro.toml`, which no other \
species comes before. The expectation is reckoned as above, of the stored weights and distances and the heights.";

const SIZES: &str = "Each size is held against the range that its plant's distance to the edge asks for: `[0.2, 0.5]` at the edge and `[0.8, 1.4]` inside; \
of oaks, `[0.5, 0.8]` and `[0.8, 1.3]`. None may lie outside by more than the half step by which stored sizes are rounded. What is drawn, as a part of \
the range, must go from 0 to 1, alike often in each of 20 parts of it.";

const LOOKS: &str = "Variants are drawn plant by plant, so their p may be anything above 0.001.";

const POWERS: &str = "The mean power of waves 13 to 85 spacings long in a square of 256 spacings, white noise being 1. Thinning by rank keeps the \
pattern blue where thinning by lot does not.";
