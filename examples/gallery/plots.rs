//! Plots: what was measured against the curve that was asked for.

use ecotone_interchange::report::plot::{Frame, Plot};

use crate::cases::inside;
use crate::laws::{SIZES, Spectra, mean_power, size_range};
use crate::numbers::Measured;

const FRAME: Frame = Frame {
    width: 430.0,
    height: 150.0,
};

/// Bars over what a rule looks at.
const BARS: usize = 36;

/// Of a plot that stands by itself, on its own paper.
const STYLE: &str = "<style>text{font:12px system-ui,'Segoe UI','Noto Sans',sans-serif;fill:#5a6068}.grid{stroke:#ecebe5}.mark{stroke:#8a9098;\
stroke-dasharray:3 3}.bar{stroke:#fff;stroke-width:.5}.dot{fill:#4a8a62;fill-opacity:.55}.line,.thin{fill:none;stroke:#b3362b;stroke-width:2;\
stroke-linejoin:round}.thin{stroke-width:1;stroke-dasharray:4 3}.full{fill:none;stroke:#2f6d4f;stroke-width:2}.half{fill:none;stroke:#3a6b8c;\
stroke-width:2}.quarter{fill:none;stroke:#8a6bb0;stroke-width:2}.lot{fill:none;stroke:#b3362b;stroke-width:1.5;stroke-dasharray:5 3}</style>\
<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>";

/// A plot as a file of its own.
fn alone(plot: Plot) -> String {
    let svg = plot.finish();
    let root = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"496\" height=\"210\" ";
    let svg = svg.replacen("<svg ", root, 1);
    svg.replacen('>', &format!(">{STYLE}"), 1) + "\n"
}

/// Plants per hectare by what a rule looks at: bars, and the rule's own curve.
pub fn density(own: &Measured) -> String {
    let (case, world) = (&own.case, &own.world);
    let (places, area) = world.places();
    let values: Vec<f64> = places.map(|at| (case.value)(&at)).collect();
    let ends = |pick: fn(f64, f64) -> f64, from| values.iter().copied().fold(from, pick);
    let (from, to) = (
        ends(f64::min, f64::INFINITY),
        ends(f64::max, f64::NEG_INFINITY),
    );
    let share = |value: f64| (value - from) / (to - from);
    let bar = |value: f64| ((share(value) * BARS as f64) as usize).min(BARS - 1);
    let (mut ground, mut plants) = ([0.0; BARS], [0.0; BARS]);
    values.iter().for_each(|&value| ground[bar(value)] += area);
    for plant in &world.plants {
        let value = (case.value)(&world.at(plant.at));
        plants[bar(value.clamp(from, to))] += 1.0;
    }

    let per_ha = case.per_m2() * 1e4;
    let points = (0..=400).map(|k| {
        let t = f64::from(k) / 400.0;
        [t, per_ha * (case.factor)(from + t * (to - from))]
    });
    let points: Vec<_> = points.collect();
    let most = points
        .iter()
        .fold(0.0, |most: f64, point| most.max(point[1]));
    let label = format!("{}: plants per hectare by {}", case.name, case.axis);
    let mut plot = Plot::new(FRAME, 1.05 * most, "plants per ha", &label);
    for k in 0..BARS {
        // A sliver of ground says nothing.
        if ground[k] > 100.0 {
            let ends = [k, k + 1].map(|k| k as f64 / BARS as f64);
            let found = plants[k] / ground[k] * 1e4;
            plot.bar(ends, found, "bar", "#9cc3a8", &format!("{found:.0}"));
        }
    }
    plot.curve(&points, "line");
    plot.scale(from, to);
    plot.along(case.axis);
    alone(plot)
}

/// Sizes by metres inside the edge: some plants as dots, and the ends of the range that is asked for.
pub fn sizes(own: &Measured) -> String {
    let [from, to] = [-6.0, 18.0];
    let mut plot = Plot::new(FRAME, SIZES[1][1], "size", "Sizes by distance to the edge");
    let share = |depth: f64| (depth - from) / (to - from);
    // Every so many of the plants in chunks' order, which is none of distance.
    for plant in own.world.plants.iter().step_by(61) {
        let depth = inside(&own.world.at(plant.at));
        if (from..to).contains(&depth) {
            plot.dot([share(depth), plant.size], "dot");
        }
    }
    for end in [0, 1] {
        let depths = (0..=240).map(|k| from + f64::from(k) / 10.0);
        let points: Vec<_> = depths.map(|d| [share(d), size_range(d)[end]]).collect();
        plot.curve(&points, "line");
    }
    plot.mark(share(0.0), "edge");
    plot.mark(share(crate::cases::FALLOFF), "interior");
    plot.scale(from, to);
    plot.along("metres inside the edge");
    alone(plot)
}

/// Waves per side of the square that are looked at together.
const RING: i64 = 8;
const RINGS: i64 = 45;

/// The power over frequencies, full and thinned.
pub fn spectra(spectra: &Spectra) -> String {
    let mut plot = Plot::new(
        FRAME,
        3.0,
        "power, white noise being 1",
        "Power by frequency, at full density and thinned",
    );
    let words = [2.9, 2.6, 2.3, 2.0].into_iter();
    let classes = ["full", "half", "quarter", "lot"].into_iter().zip(words);
    for (own, (class, height)) in spectra.0.iter().zip(classes) {
        let power = |k: i64| {
            // The first few waves are the taper's.
            let from = (k * RING).max(3);
            let middle = (from + (k + 1) * RING) as f64 / 2.0;
            let share = middle / (RING * RINGS) as f64;
            [share, mean_power(&own.points, [from, (k + 1) * RING], 80)]
        };
        let points: Vec<_> = (0..RINGS).map(power).collect();
        plot.curve(&points, class);
        plot.curve(&[[0.73, height], [0.77, height]], class);
        plot.word([0.78, height], own.name);
    }
    plot.curve(&[[0.0, 1.0], [1.0, 1.0]], "thin");
    plot.scale(0.0, (RING * RINGS) as f64 / 256.0);
    plot.along("waves per spacing");
    alone(plot)
}
