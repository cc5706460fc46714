//! Bands of directions, which go round.

/// A band of directions in degrees clockwise from north: 1 inside, 0 outside, with a linear ramp `blend` wide centred on
/// each end.
///
/// It goes clockwise from `from` to `to`, through north where `to` is the smaller: [315, 45] is the north. With `blend` 0
/// it holds `from` and not `to`. Where the ramps of both ends meet, that of the nearer end counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sector {
    from: f64,
    width: f64,
    blend: f64,
}

impl Sector {
    /// The directions from one to another, both in [0, 360]; `None` where that is the full turn, which leaves nothing out.
    pub fn new(from: f64, to: f64, blend: f64) -> Option<Self> {
        let turn = to - from;
        let width = if turn < 0.0 { turn + 360.0 } else { turn };
        (width < 360.0).then_some(Self { from, width, blend })
    }

    /// Whether no direction lies inside.
    pub fn is_empty(&self) -> bool {
        self.width <= 0.0
    }

    /// The weight of a direction in [0, 360), in [0, 1]; that of NaN, which is no direction, is 1.
    #[inline]
    pub fn weight(&self, direction: f64) -> f64 {
        let turn = direction - self.from;
        let turn = if turn < 0.0 { turn + 360.0 } else { turn };
        if turn.is_nan() {
            return 1.0;
        }
        if self.blend <= 0.0 {
            return f64::from(u8::from(turn < self.width));
        }
        let past = turn - self.width;
        let inside = if past <= 0.0 {
            turn.min(-past)
        } else {
            -past.min(360.0 - turn)
        };
        (inside / self.blend + 0.5).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[track_caller]
    fn check((from, to, blend): (f64, f64, f64), right: &[(f64, f64)]) {
        let sector = Sector::new(from, to, blend).unwrap();
        for &(direction, weight) in right {
            assert_eq!(
                sector.weight(direction),
                weight,
                "{direction} of {sector:?}"
            );
        }
    }

    #[test]
    fn a_hard_sector_holds_its_first_end() {
        let south = [(90.0, 1.0), (179.0, 1.0), (270.0, 0.0), (89.999, 0.0)];
        check((90.0, 270.0, 0.0), &south);
        let north = [
            (315.0, 1.0),
            (0.0, 1.0),
            (44.9, 1.0),
            (45.0, 0.0),
            (314.9, 0.0),
        ];
        check((315.0, 45.0, 0.0), &north);
    }

    #[test]
    fn ramps_are_centred_on_the_ends_and_go_round() {
        let north = [
            (0.0, 1.0),
            (35.0, 1.0),
            (45.0, 0.5),
            (50.0, 0.25),
            (55.0, 0.0),
        ];
        check((315.0, 45.0, 20.0), &north);
        let west = [
            (305.0, 0.0),
            (310.0, 0.25),
            (315.0, 0.5),
            (325.0, 1.0),
            (180.0, 0.0),
        ];
        check((315.0, 45.0, 20.0), &west);
        let from_north = [
            (355.0, 0.0),
            (357.5, 0.25),
            (0.0, 0.5),
            (5.0, 1.0),
            (95.0, 0.0),
        ];
        check((0.0, 90.0, 10.0), &from_north);
    }

    #[test]
    fn what_a_narrow_gap_keeps_is_that_of_its_nearer_end() {
        check(
            (5.0, 355.0, 20.0),
            &[(0.0, 0.25), (355.0, 0.5), (180.0, 1.0)],
        );
    }

    #[test]
    fn a_full_turn_is_no_band_and_no_direction_is_in_every_one() {
        assert_eq!(Sector::new(0.0, 360.0, 5.0), None);
        assert!(Sector::new(90.0, 90.0, 0.0).unwrap().is_empty());
        assert!(Sector::new(360.0, 0.0, 0.0).unwrap().is_empty());
        check((10.0, 20.0, 0.0), &[(f64::NAN, 1.0)]);
        check((10.0, 20.0, 4.0), &[(f64::NAN, 1.0)]);
    }
}
