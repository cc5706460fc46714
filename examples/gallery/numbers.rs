//! All that the gallery measures, and the tables that show it.

use std::fmt::Write as _;

use crate::cases;
use crate::factors::Case;
use crate::laws::{self, Pair, Sizes, Spectra, Variants};
use crate::real::{self, Oaks};
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
    /// Sizes of the rules that change them from the edge inwards.
    pub sizes: Vec<(&'static str, Sizes)>,
    /// Real ground.
    pub oaks: Oaks,
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
            sizes: rules.iter().filter_map(sizes_of).collect(),
            oaks: real::oaks(),
            variants: laws::variants(),
            n_rivals,
            pairs,
            low_powers: powers.collect(),
            spectra,
            coverage: cases::coverage(),
            rules,
        }
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
                "| {} | `{shown}` | {}",
                own.case.name,
                cells(&own.fit)
            );
        }
        table
    }

    /// The oaks of the real ground, over what their rules look at.
    pub fn real(&self) -> String {
        let mut table = String::from(
            "| white oaks, by | expected | measured | χ² | p | measured / expected |\n|---|--:|--:|--:|--:|--:|\n",
        );
        for (name, fit) in &self.oaks.fits {
            let _ = writeln!(table, "| {name} | {}", cells(fit));
        }
        table
    }

    /// Sizes against the ranges of their distances.
    pub fn size_table(&self) -> String {
        let mut table = String::from(
            "| rule | plants | outside of their range | farthest off, stored steps | drawn from | to | χ² | p |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        let real = ("white oaks", &self.oaks.sizes);
        let all = self.sizes.iter().map(|(name, sizes)| (*name, sizes));
        for (name, own) in all.chain([real]) {
            let _ = writeln!(
                table,
                "| {name} | {} | {} | {:.2} | {:.4} | {:.4} | {:.1} | {} |",
                thousands(own.draws.n),
                own.n_outside,
                own.most_off_steps,
                own.ends[0],
                own.ends[1],
                own.draws.chi2,
                probability(own.draws.p)
            );
        }
        table
    }

    /// Variants and clusters.
    pub fn looks(&self) -> String {
        let Self {
            variants, coverage, ..
        } = self;
        let mut table = String::from("| what | asked | measured |\n|---|---|---|\n");
        let mut row = |what: &str, asked: String, found: String| {
            let _ = writeln!(table, "| {what} | {asked} | {found} |");
        };
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

fn sizes_of(own: &Measured) -> Option<(&'static str, Sizes)> {
    let way = own.case.way?;
    Some((own.case.name, laws::sizes_of(&own.world, way)))
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

/// The cells of a fit in a table of densities.
fn cells(fit: &Fit) -> String {
    format!(
        "{} | {} | {:.1} | {} | {:.4} |",
        thousands(fit.expected.round() as usize),
        thousands(fit.n),
        fit.chi2,
        probability(fit.p),
        fit.ratio()
    )
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
