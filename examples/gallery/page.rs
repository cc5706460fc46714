//! `docs/gallery.md` itself.

use crate::factors::Case;
use crate::numbers::{Measured, Numbers, thousands};
use crate::pictures::{SHOTS, Shot};
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

/// The name of the plot of a rule.
pub fn plot_file(case: &Case) -> String {
    let is_apart = |c: char| !c.is_ascii_alphanumeric();
    let words: Vec<&str> = case
        .name
        .split(is_apart)
        .filter(|word| !word.is_empty())
        .collect();
    format!("{}.svg", words.join("-"))
}

/// The plots of all rules, two a row.
fn plots(numbers: &Numbers) -> String {
    let cell = |own: &Measured| {
        let name = own.case.name;
        format!("**{name}**<br>![{name}](gallery/{})", plot_file(&own.case))
    };
    let cells: Vec<String> = numbers.rules.iter().map(cell).collect();
    let rows = cells.chunks(2).map(|row| match row {
        [a, b] => format!("| {a} | {b} |\n"),
        _ => format!("| {} | |\n", row.join("")),
    });
    format!("| | |\n|---|---|\n{}", rows.collect::<String>())
}

/// The page.
pub fn page(numbers: &Numbers) -> String {
    format!(
        "# Gallery\n\n\
        What the rules of [species](species.md) look like, and how well the plants of a bake keep to them. All of this page is written by\n\n\
        ```sh\ncargo run --release --example gallery\n```\n\n\
        and `cargo test --example gallery` bakes its worlds again and holds the numbers to their limits.\n\n\
        ## Pictures\n\n{PICTURES}\n\n{}\
        ## Densities\n\n\
        {DENSITIES} Plants that stand where their rule allows none: {}.\n\n{}\n\
        Bars are plants per hectare as they were found, the line is the rule.\n\n{}\n\
        ## Sizes, variants, clusters\n\n{LOOKS}\n\n{}\n![Sizes by distance to the edge](gallery/sizes.svg)\n\nPlants of that world by their distance to the edge; the lines are the ends of the range that is asked for.\n\n\
        ## Distances between plants\n\n\
        {} plants of four species on {:.1} ha compete for the same ground.\n\n{}\n\
        ## Blue noise\n\n{POWERS}\n\n{}\n![Power by frequency](gallery/spectra.svg)\n",
        pictures(),
        numbers.n_strays(),
        numbers.densities(),
        plots(numbers),
        numbers.looks(),
        thousands(numbers.n_rivals),
        (SIDE as f64 - 2.0 * MARGIN).powi(2) / 1e4,
        numbers.distances(),
        numbers.powers(),
    )
}

const PICTURES: &str = "Drawn as by `ecotone preview`, crowns to scale, on the terrain of `ecotone demo` and on real heights. Each shows one rule at work.";

const DENSITIES: &str = "Each rule has a world of its own, 200 × 200 m at 1 m and its rim of 2 m left out, whose ground leads it through all it can say: a plane for altitudes, a dome for \
slopes and aspects, a fold for curvatures, strips of wood for distances. The worlds are baked as any other, and the plants read back from their \
chunks. The expectation does not come from the kernels: it is the product that [species](species.md) describes, written down once more, of the ground's closed form or the \
stored rasters, summed over 614,656 places; where the config gives a `density` (60,000 per hectare) it is that, else the full pattern's, 0.6117 on a square of the spacing of 0.25 m. χ² runs over 20 bins of what the rule looks at, which hold equal parts of the expectation; expectations are not scaled to what was found, so \
there are 20 degrees of freedom, and 45.3 would be p = 0.001. Plants keep their distances, so their counts vary less than those of points thrown at \
random, for which p is reckoned: a p near 1 is what blue noise looks like.";

const LOOKS: &str = "The world of the rule \"edge, smooth\" above, one of variants, and the clusters' noise. Variants are drawn plant by plant, so \
their p may be anything above 0.001.";

const POWERS: &str = "The mean power of waves 13 to 85 spacings long in a square of 256 spacings, white noise being 1. Thinning by rank keeps the pattern blue \
where thinning by lot does not.";
