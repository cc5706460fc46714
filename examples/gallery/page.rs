//! `docs/gallery.md` itself.

use crate::numbers::{Numbers, thousands};
use crate::worlds::{MARGIN, SIDE};

/// The page.
pub fn page(numbers: &Numbers) -> String {
    format!(
        "# Gallery\n\n\
        What the rules of [species](species.md) look like, and how well the plants of a bake keep to them. All of this page is written by\n\n\
        ```sh\ncargo run --release --example gallery\n```\n\n\
        and `cargo test --example gallery` bakes its worlds again and holds the numbers to their limits.\n\n\
        ## Densities\n\n\
        {DENSITIES} Plants that stand where their rule allows none: {}.\n\n{}\n\
        ## Sizes, variants, clusters\n\n{LOOKS}\n\n{}\n\
        ## Distances between plants\n\n\
        {} plants of four species on {:.1} ha compete for the same ground.\n\n{}\n\
        ## Blue noise\n\n{POWERS}\n\n{}",
        numbers.n_strays(),
        numbers.densities(),
        numbers.looks(),
        thousands(numbers.n_rivals),
        (SIDE as f64 - 2.0 * MARGIN).powi(2) / 1e4,
        numbers.distances(),
        numbers.powers(),
    )
}

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
