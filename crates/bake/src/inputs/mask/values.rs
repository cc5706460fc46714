//! What the values of a raster mask mean.

use ecotone_geotiff::Mosaic;

use super::MaskKeys;
use crate::config::Loaded;
use crate::error::BakeError;

/// The coverage that raw values stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Values {
    /// The raw value of no coverage.
    zero: f64,
    /// The raw value of full coverage.
    one: f64,
    invert: bool,
}

impl Values {
    /// Coverage in [0, 1], in proportion between the two values; 0 where there is no data, inverted or not.
    #[inline]
    pub(super) fn coverage(&self, raw: f64) -> f64 {
        let share = ((raw - self.zero) / (self.one - self.zero)).clamp(0.0, 1.0);
        let coverage = if self.invert { 1.0 - share } else { share };
        if raw.is_nan() { 0.0 } else { coverage }
    }

    /// What the values of a mask mean, by its `range` or else by their type, and what a person should know of it.
    pub(super) fn find(
        loaded: &Loaded,
        keys: &MaskKeys<'_>,
        mask: &Mosaic,
    ) -> Result<(Self, Option<String>), BakeError> {
        let values = |zero: f64, one: f64| Self {
            zero,
            one,
            invert: keys.is_inverted,
        };
        if let Some([zero, one]) = keys.range {
            return Ok((values(zero, one), None));
        }
        let sample = mask.first().header().sample;
        let file = mask.path().display();
        let Some(largest) = sample.max() else {
            return Ok((values(0.0, 1.0), None));
        };
        if sample.size() > 2 {
            let message = format!(
                "{file} holds integers of {} bits ({}), whose largest value no mask reaches",
                8 * sample.size(),
                sample.name()
            );
            let help = "say which values mean 0 and 1, for example `range = [0, 255]`";
            return Err(loaded
                .error_at(&keys.key, message, Some(help.into()))
                .into());
        }
        if mask.holds_only_zero_and_one()? {
            let warning = format!(
                "{file} holds only 0 and 1, which are read as 0 and 1, not as shares of {largest}"
            );
            return Ok((values(0.0, 1.0), Some(warning)));
        }
        Ok((values(0.0, largest), None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(zero: f64, one: f64, invert: bool, right: &[(f64, f64)]) {
        let values = Values { zero, one, invert };
        for &(raw, coverage) in right {
            assert_eq!(values.coverage(raw), coverage, "{raw} of {values:?}");
        }
    }

    #[test]
    fn values_are_in_proportion_between_the_two_ends() {
        check(
            0.0,
            200.0,
            false,
            &[(-5.0, 0.0), (50.0, 0.25), (200.0, 1.0), (255.0, 1.0)],
        );
        check(10.0, 20.0, false, &[(0.0, 0.0), (15.0, 0.5), (30.0, 1.0)]);
    }

    #[test]
    fn a_range_the_other_way_round_inverts() {
        check(
            200.0,
            0.0,
            false,
            &[(0.0, 1.0), (150.0, 0.25), (200.0, 0.0), (255.0, 0.0)],
        );
        check(
            0.0,
            200.0,
            true,
            &[(0.0, 1.0), (150.0, 0.25), (200.0, 0.0), (255.0, 0.0)],
        );
    }

    #[test]
    fn no_data_is_no_coverage_even_inverted() {
        check(0.0, 1.0, false, &[(f64::NAN, 0.0)]);
        check(0.0, 1.0, true, &[(f64::NAN, 0.0), (0.0, 1.0)]);
        check(1.0, 0.0, false, &[(f64::NAN, 0.0)]);
    }
}
