//! Where a band is level: over a range of values that lies wholly inside its ramps, or wholly beyond one of them, its
//! weight is 1 or 0 without a look at each value.

use ecotone_grid::Trapezoid;

/// What ranges are kept clear of a ramp by, of its size and place: far more than rounding moves either.
const CLEARANCE: f64 = 1e-9;

/// The least and the largest of some values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

/// The level parts of a band.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plateau {
    one: Range,
    /// Up to `lo`, and from `hi`.
    zero: Range,
}

impl Plateau {
    pub(crate) fn of(band: Trapezoid) -> Self {
        let lo = band.lo.unwrap_or(f64::NEG_INFINITY);
        let hi = band.hi.unwrap_or(f64::INFINITY);
        let blend = band.blend.max(0.0);
        let clear = |end: f64| {
            let size = if end.is_finite() { end.abs() } else { 0.0 };
            0.5 * blend + CLEARANCE * (1.0 + size + blend)
        };
        Self {
            one: Range {
                lo: lo + clear(lo),
                hi: hi - clear(hi),
            },
            zero: Range {
                lo: lo - clear(lo),
                hi: hi + clear(hi),
            },
        }
    }

    /// The weight of every value in a range, where it is the same: 0 or 1. Nothing is said of infinite values.
    pub(crate) fn over(&self, range: Range) -> Option<f64> {
        if range.lo == f64::NEG_INFINITY || range.hi == f64::INFINITY {
            None
        } else if range.lo >= self.one.lo && range.hi <= self.one.hi {
            Some(1.0)
        } else if range.hi <= self.zero.lo || range.lo >= self.zero.hi {
            Some(0.0)
        } else {
            None
        }
    }
}

/// The range of the values that are numbers; turned over where none is.
pub(crate) fn range_of(values: &[f64]) -> Range {
    // As many at a time as keep the comparisons independent; those with NaN fail.
    const LANES: usize = 4;
    let (mut lo, mut hi) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let mut take = |values: &[f64; LANES]| {
        for i in 0..LANES {
            lo[i] = if values[i] < lo[i] { values[i] } else { lo[i] };
            hi[i] = if values[i] > hi[i] { values[i] } else { hi[i] };
        }
    };
    let (lanes, rest) = values.as_chunks();
    lanes.iter().for_each(&mut take);
    let mut last = [f64::NAN; LANES];
    last[..rest.len()].copy_from_slice(rest);
    take(&last);
    Range {
        lo: lo.into_iter().fold(f64::INFINITY, f64::min),
        hi: hi.into_iter().fold(f64::NEG_INFINITY, f64::max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_part_has_the_weight_of_its_values() {
        for (lo, hi, blend) in [
            (None, None, 6.0),
            (Some(12.0), Some(25.0), 6.0),
            (None, Some(3000.0), 0.0),
            (Some(-400.0), None, 1e-3),
            (Some(20.0), Some(22.0), 6.0),
        ] {
            let band = Trapezoid { lo, hi, blend };
            let plateau = Plateau::of(band);
            let mut found = [0; 3];
            for k in -5000..50_000 {
                let v = f64::from(k) * 0.1;
                let weight = plateau.over(Range { lo: v, hi: v });
                assert!(
                    weight.is_none_or(|w| w == band.weight(v)),
                    "{band:?} at {v}"
                );
                found[weight.map_or(2, |w| w as usize)] += 1;
            }
            assert_eq!(
                found[1] > 0,
                (lo, hi) != (Some(20.0), Some(22.0)),
                "{band:?}"
            );
            assert_eq!(found[0] > 0, (lo, hi) != (None, None), "{band:?}");
        }
    }

    #[test]
    fn nothing_is_said_of_a_range_with_a_ramp_inside() {
        let plateau = Plateau::of(Trapezoid {
            lo: Some(10.0),
            hi: Some(20.0),
            blend: 2.0,
        });
        for (lo, hi) in [(0.0, 30.0), (0.0, 15.0), (15.0, 30.0), (12.0, 19.5)] {
            assert_eq!(plateau.over(Range { lo, hi }), None, "{lo} {hi}");
        }
        assert_eq!(plateau.over(Range { lo: 12.0, hi: 18.0 }), Some(1.0));
    }

    #[test]
    fn a_range_leaves_voids_out() {
        for n in 0..20 {
            let mut values = vec![f64::NAN; n];
            let range = range_of(&values);
            assert!(range.lo > range.hi);
            for k in 0..n {
                values[k] = -2.0;
                values[(k * 7 + 3) % n] = 5.0;
                let range = range_of(&values);
                assert_eq!(range.hi, 5.0);
                assert_eq!(range.lo, if (k * 7 + 3) % n == k { range.lo } else { -2.0 });
            }
        }
    }
}
