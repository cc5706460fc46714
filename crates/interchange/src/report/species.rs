//! What grows: counts, density by distance to the edge against what was to be expected, and sizes.

use std::fmt::Write as _;

use super::plot::{Frame, Plot};
use super::text::{change, count, css, escaped, metres, table, trimmed};
use super::{EdgeBin, EdgeProfile, Histogram, Report, SpeciesGrowth};
use crate::preview::palette;

const FRAME: Frame = Frame {
    width: 430.0,
    height: 170.0,
};

pub(super) fn section(report: &Report) -> String {
    if report.species.is_empty() {
        return String::new();
    }
    let colours = palette::species(report.species.iter().map(|species| species.name.as_str()));
    let colours: Vec<String> = colours.into_iter().map(css).collect();
    let mut out = format!(
        "<section>\n<h2>Species</h2>\n<div class=\"card species\">{}</div>\n",
        counts(report, &colours)
    );
    for (species, colour) in report.species.iter().zip(&colours) {
        out += &card(species, colour);
    }
    out.push_str(
        "<p class=\"soft\">Expected is what the species' own rules ask of the ground, before species compete for it: where others take \
         ground first, fewer are found. It is worked out at one point for every 144 pixels.</p>\n</section>\n",
    );
    out
}

fn swatch(colour: &str) -> String {
    format!("<span class=\"swatch round\" style=\"background:{colour}\"></span>")
}

fn counts(report: &Report, colours: &[String]) -> String {
    let rows: Vec<Vec<String>> = report
        .species
        .iter()
        .zip(colours)
        .map(|(species, colour)| {
            let expected: f64 = species.edge.bins.iter().map(|bin| bin.expected).sum();
            vec![
                format!("{}{}", swatch(colour), escaped(&species.name)),
                count(species.plants),
                count(expected.round() as u64),
                found_of(species.plants as f64, expected),
                trimmed(species.per_ha, 1),
                change(
                    species.plants as f64,
                    species.plants_before.map(|n| n as f64),
                ),
            ]
        })
        .collect();
    let head = [
        "Species",
        "Plants",
        "Expected",
        "Found of that",
        "Per hectare",
        "Against the bake before",
    ];
    table(&head, &rows)
}

/// What is there of what was expected.
fn found_of(found: f64, expected: f64) -> String {
    if expected > 0.0 {
        format!("{:.1} %", found / expected * 100.0)
    } else {
        "–".to_owned()
    }
}

fn card(species: &SpeciesGrowth, colour: &str) -> String {
    let name = escaped(&species.name);
    let mut out = format!(
        "<div class=\"card species\"><h3>{}{name}</h3>\n",
        swatch(colour)
    );
    if species.plants == 0 {
        out.push_str("<p class=\"soft\">None grows anywhere.</p></div>\n");
        return out;
    }
    let _ = writeln!(
        out,
        "<div class=\"pair\"><figure>{}<figcaption>Plants a hectare by distance to the edge of {}: found, \
         <span class=\"nobreak\"><span class=\"key\"></span>expected</span></figcaption></figure><figure>{}<figcaption>Plants by size, as a factor of the mesh\
         </figcaption></figure></div></div>",
        profile(species, colour),
        escaped(&species.edge.stratum),
        sizes(&species.name, &species.sizes, colour)
    );
    out
}

/// Hectares below which a density says little.
const LEAST_HA: f64 = 0.02;

/// Density by distance to the edge: a bar for each bin, and the line that was expected.
fn profile(species: &SpeciesGrowth, colour: &str) -> String {
    let EdgeProfile {
        bins, falloff_m, ..
    } = &species.edge;
    let density = |n: f64, bin: &EdgeBin| match bin.hectares {
        ha if ha >= LEAST_HA => n / ha,
        _ => 0.0,
    };
    let both = |bin: &EdgeBin| [density(bin.found as f64, bin), density(bin.expected, bin)];
    let most = bins.iter().flat_map(both).fold(0.0, f64::max);
    let label = format!(
        "Plants of {} a hectare by distance to the edge",
        species.name
    );
    let mut plot = Plot::new(FRAME, most, "per ha", &label);
    let axis = Axis { n: bins.len() };
    for (idx, bin) in bins.iter().enumerate() {
        let ends = axis.ends(idx);
        let [found, expected] = both(bin);
        plot.bar(ends, found, "bar", colour, &told(bin, found, expected));
        plot.level(ends, expected);
    }
    if let Some(share) = falloff_m.and_then(|falloff| axis.at(bins, falloff)) {
        plot.mark(share, "interior");
    }
    label_axis(&mut plot, bins, &axis);
    plot.finish()
}

fn told(bin: &EdgeBin, found: f64, expected: f64) -> String {
    let where_ = match (bin.from_m, bin.to_m) {
        (Some(from), Some(to)) => format!("{} to {} inside", metres(from), metres(to)),
        (Some(from), None) => format!("{} inside and more", metres(from)),
        _ => "outside".to_owned(),
    };
    format!(
        "{where_}: {} a hectare found, {} expected; {} plants on {} ha",
        trimmed(found, 1),
        trimmed(expected, 1),
        count(bin.found),
        trimmed(bin.hectares, 2)
    )
}

/// Where bins lie: a wider one for the outside, the bins of the edge, a wider one for the interior.
struct Axis {
    n: usize,
}

/// Shares of the width for the outside and for the interior.
const WIDE: f64 = 0.13;
/// What is left free beside them.
const GAP: f64 = 0.02;

impl Axis {
    fn ends(&self, idx: usize) -> [f64; 2] {
        if idx == 0 {
            return [0.0, WIDE];
        }
        if idx + 1 == self.n {
            return [1.0 - WIDE, 1.0];
        }
        [idx - 1, idx].map(|k| self.inner(k as f64))
    }

    /// The border of so many bins inside the edge.
    fn inner(&self, bins: f64) -> f64 {
        let n = (self.n - 2).max(1) as f64;
        WIDE + GAP + (1.0 - 2.0 * (WIDE + GAP)) * bins / n
    }

    /// Where so many metres inside the edge lie.
    fn at(&self, bins: &[EdgeBin], metres: f64) -> Option<f64> {
        let width = bins.get(1)?.to_m?;
        let k = metres / width;
        (k <= (self.n - 2) as f64 + 1e-9).then(|| self.inner(k))
    }
}

fn label_axis(plot: &mut Plot, bins: &[EdgeBin], axis: &Axis) {
    plot.tick(WIDE / 2.0, "outside");
    if let Some(from) = bins.last().and_then(|bin| bin.from_m) {
        plot.tick(1.0 - WIDE / 2.0, &format!("over {}", trimmed(from, 1)));
    }
    for idx in (1..axis.n - 1).step_by(3) {
        if let Some(from) = bins[idx].from_m {
            let at = axis.inner((idx - 1) as f64);
            plot.tick(at, &trimmed(from, 1));
        }
    }
    plot.along("metres inside the edge");
}

fn sizes(name: &str, histogram: &Histogram, colour: &str) -> String {
    let n = histogram.counts.len().max(1) as f64;
    let most = histogram.counts.iter().copied().max().unwrap_or(0);
    let mut plot = Plot::new(
        FRAME,
        most as f64,
        "plants",
        &format!("Plants of {name} by size"),
    );
    let width = (histogram.to - histogram.from) / n;
    let at = |k: usize| histogram.from + k as f64 * width;
    for (idx, &n_plants) in histogram.counts.iter().enumerate() {
        let ends = [idx, idx + 1].map(|k| k as f64 / n);
        let told = format!(
            "{:.2} to {:.2}: {} plants",
            at(idx),
            at(idx + 1),
            count(n_plants)
        );
        plot.bar(ends, n_plants as f64, "bar", colour, &told);
    }
    if width > 0.0 {
        for k in (0..=histogram.counts.len()).step_by(3) {
            plot.tick(k as f64 / n, &format!("{:.2}", at(k)));
        }
    } else {
        plot.tick(0.5, &format!("all {:.2}", histogram.from));
    }
    plot.along("size");
    plot.finish()
}
