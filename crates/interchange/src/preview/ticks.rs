//! Round numbers for scales, and how numbers are written.

/// The largest of 1, 2, 5 times a power of ten that is at most `most`; `most` above 0.
pub(crate) fn round_down(most: f64) -> f64 {
    let power = 10_f64.powf(most.log10().floor());
    let steps = [5.0, 2.0, 1.0].map(|k| k * power);
    // A rounding error of the logarithm must not lose the step itself.
    steps
        .into_iter()
        .find(|step| *step <= most * (1.0 + 1e-9))
        .unwrap_or(power)
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`; `least` above 0.
pub(crate) fn round_up(least: f64) -> f64 {
    let below = round_down(least);
    let next = [1.0, 2.0, 2.5, 5.0, 10.0].map(|k| k * below);
    next.into_iter()
        .find(|step| *step >= least * (1.0 - 1e-9) && is_round(*step))
        .unwrap_or(10.0 * below)
}

fn is_round(step: f64) -> bool {
    (round_down(step) - step).abs() <= step * 1e-9
}

/// A length in metres as people write it.
pub(crate) fn metres(m: f64) -> String {
    if m >= 10_000.0 {
        return format!("{} km", trimmed(m / 1000.0, 1));
    }
    let decimals = if m < 10.0 { 2 } else { usize::from(m < 100.0) };
    format!("{} m", trimmed(m, decimals))
}

/// A number with at most so many decimals.
pub(crate) fn trimmed(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// A count with its thousands apart.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        for (of, down, up) in [
            (1.0, 1.0, 1.0),
            (999.0, 500.0, 1000.0),
            (0.3, 0.2, 0.5),
            (21.0, 20.0, 50.0),
        ] {
            assert!((round_down(of) - down).abs() < 1e-9, "{of}");
            assert!((round_up(of) - up).abs() < 1e-9, "{of}");
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(metres(16384.0), "16.4 km");
        assert_eq!(metres(0.25), "0.25 m");
        assert_eq!(trimmed(-0.001, 1), "0");
        assert_eq!(count(1234567), "1 234 567");
    }
}
