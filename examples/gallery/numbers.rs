//! All that the gallery measures, and the tables that show it.

use std::fmt::Write as _;

use crate::cases;
use crate::factors::Case;
use crate::laws::{self, Pair, Sizes, Spectra, Variants};
use crate::statistics::Fit;
use crate::worlds::World;

/// A rule, its world and its plants.
pub struct Measured {
    pub case: Case,
    pub world: World,
    pub fit: Fit,
    /// Plants where the rule allows none.
    pub n_strays: usize,
}

/// What is measured, once.
pub struct Numbers {
    pub rules: Vec<Measured>,
    pub sizes: Sizes,
    pub variants: Variants,
    pub n_rivals: usize,
    pub pairs: Vec<Pair>,
    pub spectra: Spectra,
    /// The low-frequency power of each of them.
    pub low_powers: Vec<f64>,
    /// The part of a large ground that clusters cover, asked and found.
    pub coverage: [f64; 2],
}

impl Numbers {
    pub fn measure() -> Self {
        let rules: Vec<Measured> = cases::cases().into_iter().map(measured).collect();
        let (n_rivals, pairs) = laws::rivals();
        let spectra = laws::spectra();
        let powers = spectra.0.iter().map(|own| laws::low_power(&own.points));
        Self {
            sizes: laws::sizes(&named(&rules, SMOOTH).world),
            variants: laws::variants(),
            n_rivals,
            pairs,
            low_powers: powers.collect(),
            spectra,
            coverage: cases::coverage(),
            rules,
        }
    }

    /// The rule with sizes that change from the edge inwards.
    pub fn smooth(&self) -> &Measured {
        named(&self.rules, SMOOTH)
    }

    /// Plants that stand where their rule allows none.
    pub fn n_strays(&self) -> usize {
        self.rules.iter().map(|own| own.n_strays).sum()
    }

    /// Densities, rule by rule.
    pub fn densities(&self) -> String {
        let mut table = String::from(
            "| rule | what is asked | expected | measured | χ² | p | measured / expected |\n|---|---|--:|--:|--:|--:|--:|\n",
        );
        for own in &self.rules {
            let shown = own.case.shown().join("`<br>`");
            let _ = writeln!(
                table,
                "| {} | `{shown}` | {} | {} | {:.1} | {} | {:.4} |",
                own.case.name,
                thousands(own.fit.expected.round() as usize),
                thousands(own.fit.n),
                own.fit.chi2,
                probability(own.fit.p),
                own.fit.ratio()
            );
        }
        table
    }

    /// Sizes, variants and clusters.
    pub fn looks(&self) -> String {
        let Self {
            sizes,
            variants,
            coverage,
            ..
        } = self;
        let [[small, large], [least, most]] = laws::SIZES;
        let mut table = String::from("| what | asked | measured |\n|---|---|---|\n");
        let mut row = |what: &str, asked: String, found: String| {
            let _ = writeln!(table, "| {what} | {asked} | {found} |");
        };
        row(
            "sizes outside of the range of their distance",
            format!("none; `[{small}, {large}]` at the edge, `[{least}, {most}]` inside"),
            format!(
                "{} of {}; the farthest off by {:.2} of a stored step",
                sizes.n_outside,
                thousands(sizes.draws.n),
                sizes.most_off_steps
            ),
        );
        row(
            "smallest and largest size drawn, as parts of the range",
            "0 and 1".to_owned(),
            sizes.ends.map(|end| format!("{end:.4}")).join(" and "),
        );
        row(
            "sizes in 20 equal parts of the range",
            "a twentieth each".to_owned(),
            fit(&sizes.draws),
        );
        row(
            "young variants outside of the edge",
            format!("{:.3} of all", variants.outside[0]),
            format!("{:.3}", variants.outside[1]),
        );
        row(
            "young variants in the interior",
            format!("{:.3} of all", variants.interior[0]),
            format!("{:.3}", variants.interior[1]),
        );
        row(
            "young variants by distance, 20 bins",
            format!("`{}`", laws::VARIANTS.replace('\n', "`<br>`")),
            fit(&variants.fit),
        );
        row(
            "ground that clusters cover, over 9 km²",
            format!("{:.3}", coverage[0]),
            format!("{:.3}", coverage[1]),
        );
        table
    }

    /// Distances between species.
    pub fn distances(&self) -> String {
        let mut table =
            String::from("| species | by | at least | closest of all |\n|---|---|--:|--:|\n");
        for pair in &self.pairs {
            let [a, b] = pair.species;
            let (why, least, found) = (pair.why, pair.least, pair.found);
            let _ = writeln!(table, "| {a}, {b} | {why} | {least} m | {found:.3} m |");
        }
        table
    }

    /// The power of low frequencies.
    pub fn powers(&self) -> String {
        let mut table = String::from("| pattern | plants | low-frequency power |\n|---|--:|--:|\n");
        for (own, power) in self.spectra.0.iter().zip(&self.low_powers) {
            let _ = writeln!(
                table,
                "| {} | {} | {power:.3} |",
                own.name,
                thousands(own.points.len())
            );
        }
        table
    }
}

const SMOOTH: &str = "edge, smooth";

fn named<'a>(rules: &'a [Measured], name: &str) -> &'a Measured {
    rules.iter().find(|own| own.case.name == name).unwrap()
}

fn measured(case: Case) -> Measured {
    let world = case.world();
    let (fit, n_strays) = case.fit(&world);
    Measured {
        case,
        world,
        fit,
        n_strays,
    }
}

fn fit(fit: &Fit) -> String {
    format!(
        "{} plants, χ² {:.1}, p {}",
        thousands(fit.n),
        fit.chi2,
        probability(fit.p)
    )
}

/// 12,345 for 12345.
pub fn thousands(n: usize) -> String {
    match n / 1000 {
        0 => n.to_string(),
        above => format!("{},{:03}", thousands(above), n % 1000),
    }
}

fn probability(p: f64) -> String {
    if p > 0.999 {
        "> 0.999".to_owned()
    } else {
        format!("{p:.3}")
    }
}
