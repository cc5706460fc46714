//! What a value is worth: a band with ramps, or straight lines between points.

use crate::Trapezoid;

/// A weight in [0, 1] for every value of something: an altitude, a slope, a curvature, a distance, a share.
#[derive(Clone, Debug, PartialEq)]
pub enum Profile {
    /// 1 in a band, with a ramp at each end.
    Band(Trapezoid),
    /// Straight lines between points \[value, weight\], values rising; level before the first and after the last.
    Points(Vec<[f64; 2]>),
}

impl Profile {
    /// The weight of a value; that of NaN is 0.
    #[inline]
    pub fn weight(&self, v: f64) -> f64 {
        match self {
            Self::Band(_) if v.is_nan() => 0.0,
            Self::Band(band) => band.weight(v),
            Self::Points(points) => between(points, v).unwrap_or(0.0).clamp(0.0, 1.0),
        }
    }

    /// The largest weight of any value from `low` to `high`, or more: 0 only where none of them has any.
    pub fn most(&self, low: f64, high: f64) -> f64 {
        match self {
            Self::Band(band) => {
                let ramp = band.blend / 2.0;
                let reaches = band.lo.is_none_or(|lo| high >= lo - ramp)
                    && band.hi.is_none_or(|hi| low <= hi + ramp);
                f64::from(u8::from(reaches))
            }
            Self::Points(points) => {
                let within = points.iter().filter(|p| p[0] >= low && p[0] <= high);
                let ends = [low, high].map(|end| self.weight(end));
                within.map(|p| p[1]).chain(ends).fold(0.0, f64::max)
            }
        }
    }
}

/// Straight lines between points \[v, value\], v rising; level before the first and after the last. `None` where there is no
/// point, or `v` is not a number.
#[inline]
pub fn between(points: &[[f64; 2]], v: f64) -> Option<f64> {
    if v.is_nan() {
        return None;
    }
    let next = points.partition_point(|p| p[0] <= v);
    match (next.checked_sub(1).map(|k| points[k]), points.get(next)) {
        (Some([v0, a]), Some(&[v1, b])) => Some(a + (b - a) * ((v - v0) / (v1 - v0))),
        (Some([_, a]), None) | (None, Some(&[_, a])) => Some(a),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_joined_by_straight_lines() {
        let hump = Profile::Points(vec![[100.0, 0.0], [200.0, 1.0], [400.0, 0.5]]);
        for (v, weight) in [
            (-9.0, 0.0),
            (100.0, 0.0),
            (150.0, 0.5),
            (200.0, 1.0),
            (300.0, 0.75),
            (900.0, 0.5),
            (f64::NAN, 0.0),
        ] {
            assert_eq!(hump.weight(v), weight, "{v}");
        }
        assert_eq!(Profile::Points(Vec::new()).weight(3.0), 0.0);
    }

    #[test]
    fn what_is_no_number_is_in_no_band() {
        for blend in [0.0, 2.0] {
            let (lo, hi) = (None, Some(3.0));
            assert_eq!(
                Profile::Band(Trapezoid { lo, hi, blend }).weight(f64::NAN),
                0.0
            );
        }
    }

    #[test]
    fn no_value_of_a_range_weighs_more_than_its_most() {
        let band = |lo, hi, blend| Profile::Band(Trapezoid { lo, hi, blend });
        let profiles = [
            Profile::Points(vec![[-3.0, 0.2], [1.0, 0.9], [2.0, 0.0], [5.0, 0.6]]),
            band(Some(-1.0), Some(2.0), 0.5),
            band(Some(0.0), None, 0.0),
            band(None, Some(1.0), 3.0),
        ];
        for profile in &profiles {
            for (low, high) in [
                (-6.0, -4.0),
                (-2.0, 0.5),
                (0.0, 9.0),
                (2.1, 2.1),
                (3.0, 4.0),
            ] {
                let most = profile.most(low, high);
                for k in 0..=50 {
                    let v = low + (high - low) * f64::from(k) / 50.0;
                    assert!(profile.weight(v) <= most, "{profile:?} at {v}");
                }
            }
        }
    }
}
