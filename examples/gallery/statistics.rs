//! What is counted against what is expected.

/// Bins of a test; the closed form of [`p_value`] wants an even number.
pub const BINS: usize = 20;

/// One of the bins over a rule's values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    pub expected: f64,
    pub found: f64,
}

/// Plants of a rule against their expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Plants that were counted.
    pub n: usize,
    /// Plants that were expected.
    pub expected: f64,
    /// Σ (found − expected)² / expected over the bins.
    pub chi2: f64,
    /// How likely so large a `chi2` is for plants that are thrown independently.
    pub p: f64,
    /// The largest deviation of a bin, as a part of what was expected.
    pub worst: f64,
}

impl Fit {
    /// Holds values of plants against places, each with its value and how many plants are expected of it.
    ///
    /// The bins hold equal parts of the expectation, but for those of values that many places share.
    pub fn new(mut places: Vec<[f64; 2]>, values: &[f64]) -> Self {
        places.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
        let total: f64 = places.iter().map(|place| place[1]).sum();
        let mut part = total / BINS as f64;
        let (mut bins, uppers) = loop {
            if let Some(cut) = cut(&places, part) {
                break cut;
            }
            // Values that many places share filled some bins with more than their part: the others get less.
            part *= 0.99;
            assert!(part > total * 1e-3, "values are too few for so many bins");
        };
        for value in values {
            bins[uppers.partition_point(|upper| upper <= value)].found += 1.0;
        }
        Self::of(&bins)
    }

    /// The fit of bins.
    pub fn of(bins: &[Bin; BINS]) -> Self {
        let part = |bin: &Bin| (bin.found - bin.expected).powi(2) / bin.expected;
        let chi2 = bins.iter().map(part).sum();
        let off = |bin: &Bin| (bin.found / bin.expected - 1.0).abs();
        Self {
            n: bins.iter().map(|bin| bin.found).sum::<f64>() as usize,
            expected: bins.iter().map(|bin| bin.expected).sum(),
            chi2,
            p: p_value(chi2),
            worst: bins.iter().map(off).fold(0.0, f64::max),
        }
    }

    /// Found for one that was expected.
    pub fn ratio(&self) -> f64 {
        self.n as f64 / self.expected
    }
}

/// Bins of at least a part of the expectation, and the value at which each ends; `None` where they are fewer than [`BINS`].
fn cut(places: &[[f64; 2]], part: f64) -> Option<([Bin; BINS], [f64; BINS])> {
    let (mut bins, mut uppers) = ([Bin::default(); BINS], [f64::INFINITY; BINS]);
    let mut k = 0;
    for pair in places.windows(2) {
        let [place, next] = [pair[0], pair[1]];
        bins[k].expected += place[1];
        // Sums of many small parts fall short of the whole by a rounding.
        let is_full = bins[k].expected >= part * (1.0 - 1e-6);
        if is_full && next[0] > place[0] && k + 1 < BINS {
            uppers[k] = (place[0] + next[0]) / 2.0;
            k += 1;
        }
    }
    bins[k].expected += places.last()?[1];
    (k + 1 == BINS && bins[k].expected >= part / 2.0).then_some((bins, uppers))
}

/// How likely a χ² of [`BINS`] degrees of freedom is as large: expectations are not scaled to what was found, so no degree is lost.
///
/// The regularised incomplete gamma function Q(n, x) of a whole n is e⁻ˣ Σ xʲ/j! over j < n.
pub fn p_value(chi2: f64) -> f64 {
    let half = chi2 / 2.0;
    let (mut term, mut sum) = (1.0, 0.0);
    for j in 0..BINS / 2 {
        sum += term;
        term *= half / (j + 1) as f64;
    }
    (sum * (-half).exp()).min(1.0)
}
