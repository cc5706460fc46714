//! Plots as SVG: what they are made of, for a page that has the style sheet.
//!
//! Their classes are `grid`, `target`, `mark`, and those that bars, dots and curves are given.

use std::fmt::Write as _;

use super::text::{escaped, trimmed};
use crate::preview::ticks::round_up;

/// Size of a plot's drawing, and the room around it for axes, in its own units.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// From the first value to the last.
    pub width: f64,
    /// From 0 to the largest value.
    pub height: f64,
}

const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 36.0;

/// A plot in the making.
#[derive(Clone, Debug)]
pub struct Plot {
    frame: Frame,
    /// The largest value on the upright axis.
    top: f64,
    out: String,
}

impl Plot {
    /// An empty plot with an upright axis from 0 to at least `most`, of a unit; `label` says it all to who cannot see it.
    pub fn new(frame: Frame, most: f64, unit: &str, label: &str) -> Self {
        let step = round_up((most / 4.0).max(1e-9));
        let n = (most / step).ceil().max(1.0);
        let mut plot = Self {
            frame,
            top: n * step,
            out: String::new(),
        };
        let _ = write!(
            plot.out,
            "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">",
            LEFT + frame.width + RIGHT,
            TOP + frame.height + BOTTOM,
            escaped(label)
        );
        for k in 0..=n as u32 {
            let value = f64::from(k) * step;
            let y = plot.y(value);
            let _ = write!(
                plot.out,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\"/>",
                LEFT + frame.width
            );
            plot.text([LEFT - 8.0, y + 4.0], "end", &amount(value));
        }
        plot.text([LEFT - 8.0, 12.0], "start", unit);
        plot
    }

    fn y(&self, value: f64) -> f64 {
        TOP + self.frame.height * (1.0 - value / self.top)
    }

    /// From the left end (0) to the right (1).
    fn x(&self, share: f64) -> f64 {
        LEFT + self.frame.width * share
    }

    fn text(&mut self, [x, y]: [f64; 2], anchor: &str, text: &str) {
        let text = escaped(text);
        let _ = write!(
            self.out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        );
    }

    /// A bar between two shares of the width, with what a pointer over it shows.
    pub fn bar(
        &mut self,
        [from, to]: [f64; 2],
        value: f64,
        class: &str,
        colour: &str,
        title: &str,
    ) {
        let (x, y) = (self.x(from) + 0.75, self.y(value));
        let _ = write!(
            self.out,
            "<rect class=\"{class}\" style=\"fill:{colour}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}</title></rect>",
            (self.x(to) - x - 0.75).max(0.5),
            TOP + self.frame.height - y,
            escaped(title)
        );
    }

    /// A level line over a bar, as a target.
    pub fn level(&mut self, [from, to]: [f64; 2], value: f64) {
        let y = self.y(value);
        let _ = write!(
            self.out,
            "<line class=\"target\" x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\"/>",
            self.x(from) + 0.75,
            self.x(to) - 0.75
        );
    }

    /// A line through points: a share of the width and a value each; `area` fills what lies under it.
    pub fn curve(&mut self, points: &[[f64; 2]], class: &str) {
        let mut path = String::new();
        for [share, value] in points {
            let _ = write!(path, "{:.1},{:.1} ", self.x(*share), self.y(*value));
        }
        let _ = write!(
            self.out,
            "<polyline class=\"{class}\" points=\"{}\"/>",
            path.trim_end()
        );
    }

    /// A dot at a share of the width and a value.
    pub fn dot(&mut self, [share, value]: [f64; 2], class: &str) {
        let (x, y) = (self.x(share), self.y(value));
        let _ = write!(
            self.out,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"1.2\"/>"
        );
    }

    /// A word that begins at a share of the width, at the height of a value.
    pub fn word(&mut self, [share, value]: [f64; 2], word: &str) {
        self.text([self.x(share), self.y(value) + 4.0], "start", word);
    }

    /// An upright line with a word at its head.
    pub fn mark(&mut self, share: f64, word: &str) {
        let x = self.x(share);
        let _ = write!(
            self.out,
            "<line class=\"mark\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{:.1}\"/>",
            TOP + self.frame.height
        );
        self.text([x, TOP - 6.0], "middle", word);
    }

    /// A label under the axis.
    pub fn tick(&mut self, share: f64, text: &str) {
        let place = [self.x(share), TOP + self.frame.height + 16.0];
        self.text(place, "middle", text);
    }

    /// Labels under the axis at round numbers, where it runs from one number to another.
    pub fn scale(&mut self, from: f64, to: f64) {
        let step = round_up((to - from) / 6.0);
        let (first, last) = ((from / step).ceil() as i64, (to / step).floor() as i64);
        for k in first..=last {
            let value = k as f64 * step;
            self.tick((value - from) / (to - from), &trimmed(value, 4));
        }
    }

    /// What runs along the axis.
    pub fn along(&mut self, text: &str) {
        let place = [self.x(0.5), TOP + self.frame.height + 32.0];
        self.text(place, "middle", text);
    }

    /// The plot, an `svg` element for a page of HTML.
    pub fn finish(mut self) -> String {
        self.out.push_str("</svg>");
        self.out
    }
}

/// A number of an axis: 1500 as 1.5k, so that it fits.
fn amount(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", trimmed(v / 1e6, 2)),
        v if v >= 1e4 => format!("{}k", trimmed(v / 1e3, 1)),
        v => trimmed(v, 2),
    }
}
