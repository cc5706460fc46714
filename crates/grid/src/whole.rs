//! Whole numbers of floats.

/// The largest whole number that is not above a value; the nearest that there is where none is, and 0 for NaN.
///
/// `f64::floor` is a call where the processor is not known to have it.
#[inline]
pub const fn floor(value: f64) -> i64 {
    let towards_zero = value as i64;
    towards_zero.saturating_sub((towards_zero as f64 > value) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_floor() {
        let near = [
            0.0_f64, -0.0, 0.5, 1.0, 1.5, 2.0, 255.999, 65535.5, 1e15, 9e15,
        ];
        for value in near
            .iter()
            .flat_map(|&v| [v, -v, v.next_up(), v.next_down()])
        {
            assert_eq!(floor(value) as f64, value.floor(), "{value}");
        }
        for k in -100..100 {
            let value = f64::from(k) / 7.0;
            assert_eq!(floor(value), value.floor() as i64);
        }
        assert_eq!(floor(f64::NAN), 0);
        assert_eq!(
            [f64::NEG_INFINITY, f64::INFINITY].map(floor),
            [i64::MIN, i64::MAX]
        );
    }
}
