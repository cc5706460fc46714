//! Plots: what was measured against the curve that was asked for.

use ecotone_interchange::report::plot::{Frame, Plot};

use crate::laws::{Spectra, mean_power, size_range};
use crate::numbers::Measured;
use crate::real;
use crate::worlds::{At, World};

const FRAME: Frame = Frame {
    width: 430.0,
    height: 150.0,
};

/// Bars over what a rule looks at.
const BARS: usize = 36;

/// Of a plot that stands by itself, on its own paper.
const STYLE: &str = "<style>text{font:12px system-ui,'Segoe UI','Noto Sans',sans-serif;fill:#5a6068}.grid{stroke:#ecebe5}.mark{stroke:#8a9098;\
stroke-dasharray:3 3}.bar{stroke:#fff;stroke-width:.5}.dot{fill:#4a8a62;fill-opacity:.55}.target{stroke:#b3362b;stroke-width:2}.line,.thin{fill:none;stroke:#b3362b;stroke-width:2;\
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

/// What stands on the ground of each bar, where a value goes from one end to the other.
struct Bars {
    ends: [f64; 2],
    /// Square metres, plants that are expected on them, and plants.
    ground: [f64; BARS],
    expected: [f64; BARS],
    found: [f64; BARS],
}

impl Bars {
    fn new(
        world: &World,
        value: impl Fn(&At<'_>) -> f64,
        density: impl Fn(&At<'_>) -> f64,
    ) -> Self {
        let (places, area) = world.places();
        let places: Vec<[f64; 2]> = places.map(|at| [value(&at), density(&at)]).collect();
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for [value, _] in &places {
            (from, to) = (from.min(*value), to.max(*value));
        }
        let bar = |value: f64| {
            let share = (value - from) / (to - from);
            ((share * BARS as f64) as usize).min(BARS - 1)
        };
        let (mut ground, mut expected, mut found) = ([0.0; BARS], [0.0; BARS], [0.0; BARS]);
        for [value, density] in places {
            ground[bar(value)] += area;
            expected[bar(value)] += area * density;
        }
        for plant in &world.plants {
            found[bar(value(&world.at(plant.at)))] += 1.0;
        }
        Self {
            ends: [from, to],
            ground,
            expected,
            found,
        }
    }

    /// A plot of them, `per` square metres of ground being one of its unit; `levels` draws what is expected of each.
    fn plot(&self, axis: &str, (unit, per): (&str, f64), levels: bool) -> Plot {
        let all: f64 = self.ground.iter().sum();
        // A sliver of ground says nothing.
        let told = || (0..BARS).filter(|&k| self.ground[k] > 0.0025 * all);
        let most = told().map(|k| self.expected[k] / self.ground[k] * per);
        let most = most.fold(0.0, f64::max);
        let mut plot = Plot::new(FRAME, 1.05 * most, unit, &format!("{unit} by {axis}"));
        for k in told() {
            let ends = [k, k + 1].map(|k| k as f64 / BARS as f64);
            let [found, expected] =
                [self.found, self.expected].map(|n| n[k] / self.ground[k] * per);
            plot.bar(ends, found, "bar", "#9cc3a8", &format!("{found:.2}"));
            if levels {
                plot.level(ends, expected);
            }
        }
        plot.scale(self.ends[0], self.ends[1]);
        plot.along(axis);
        plot
    }
}

/// Plants per hectare by what a rule looks at: bars, and the rule's own curve.
pub fn density(own: &Measured) -> String {
    let case = &own.case;
    let density = |value: f64| case.per_m2() * (case.factor)(value);
    let bars = Bars::new(&own.world, case.value, |at| density((case.value)(at)));
    let [from, to] = bars.ends;
    let mut plot = bars.plot(case.axis, ("plants per ha", 1e4), false);
    let points = (0..=400).map(|k| {
        let share = f64::from(k) / 400.0;
        [share, 1e4 * density(from + share * (to - from))]
    });
    plot.curve(&points.collect::<Vec<_>>(), "line");
    alone(plot)
}

/// White oaks by what the rules look at: bars, and what the ground of each lets expect.
pub fn oaks(world: &World, axis: &str, value: fn(&At<'_>) -> f64) -> String {
    let bars = Bars::new(world, value, real::density);
    alone(bars.plot(axis, ("oaks per km²", 1e6), true))
}

/// Sizes that change from the edge inwards.
pub struct SizePlot<'a> {
    pub world: &'a World,
    /// At the edge and inside.
    pub ranges: [[f64; 2]; 2],
    pub falloff: f64,
    pub depth: fn(&At<'_>) -> f64,
    pub way: fn(f64) -> f64,
}

/// Sizes by metres inside the edge: some plants as dots, and the ends of the range that is asked for.
pub fn sizes(own: &SizePlot<'_>) -> String {
    let [from, to] = [-0.4, 1.2].map(|share| share * own.falloff);
    let mut plot = Plot::new(
        FRAME,
        own.ranges[1][1],
        "size",
        "Sizes by distance to the edge",
    );
    let share = |depth: f64| (depth - from) / (to - from);
    // Every so many of the plants in chunks' order, which is none of distance.
    for plant in own
        .world
        .plants
        .iter()
        .step_by(own.world.plants.len() / 1200)
    {
        let depth = (own.depth)(&own.world.at(plant.at));
        if (from..to).contains(&depth) {
            plot.dot([share(depth), plant.size], "dot");
        }
    }
    for end in [0, 1] {
        let depths = (0..=240).map(|k| from + f64::from(k) / 240.0 * (to - from));
        let size = |depth| size_range(own.ranges, (own.way)(depth))[end];
        let points: Vec<_> = depths.map(|depth| [share(depth), size(depth)]).collect();
        plot.curve(&points, "line");
    }
    plot.mark(share(0.0), "edge");
    plot.mark(share(own.falloff), "interior");
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
