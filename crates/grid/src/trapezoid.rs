//! The shape of every band: strata and species read slopes, altitudes and distances through it.

/// A band of values: 1 inside, 0 outside, with a linear ramp `blend` wide centred on each end.
///
/// With `blend` 0 the band is `lo ≤ v < hi`. An open end has no ramp and no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trapezoid {
    /// Lower end, in the band's own unit; `None` is open.
    pub lo: Option<f64>,
    /// Upper end; `None` is open.
    pub hi: Option<f64>,
    /// Width of each ramp.
    pub blend: f64,
}

impl Trapezoid {
    /// A band of slopes in degrees: 0 and 90 are open ends.
    pub fn slope(lo: f64, hi: f64, blend: f64) -> Self {
        Self {
            lo: (lo > 0.0).then_some(lo),
            hi: (hi < 90.0).then_some(hi),
            blend,
        }
    }

    /// The weight of a value, in [0, 1].
    #[inline]
    pub fn weight(&self, v: f64) -> f64 {
        let (lo, hi) = (
            self.lo.unwrap_or(f64::NEG_INFINITY),
            self.hi.unwrap_or(f64::INFINITY),
        );
        if self.blend > 0.0 {
            // Both ramps rise with the distance from their end: the lower is that of the nearer end, bit for bit.
            let (above, below) = (v - lo, hi - v);
            let inside = if above < below { above } else { below };
            (inside / self.blend + 0.5).clamp(0.0, 1.0)
        } else {
            f64::from(u8::from(v >= lo && v < hi))
        }
    }
}
