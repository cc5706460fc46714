//! Angles without the system's maths library, whose last bit differs between platforms.

/// Arc tangent in radians of `x` ≥ 0, within 2 ulp; the same bits on every platform.
///
/// Rational approximation of Cephes (S. L. Moshier, *Methods and Programs for Mathematical Functions*, 1989, `atan.c`).
#[inline]
pub fn atan(x: f64) -> f64 {
    const TAN_3PI_8: f64 = 2.414_213_562_373_095;
    let (base, over, under) = if x > TAN_3PI_8 {
        (std::f64::consts::FRAC_PI_2, -1.0, x)
    } else if x > 0.66 {
        (std::f64::consts::FRAC_PI_4, x - 1.0, x + 1.0)
    } else {
        (0.0, x, 1.0)
    };
    let x = over / under;
    let z = x * x;
    let p = ((((-8.750_608_600_031_904e-1 * z - 1.615_753_718_733_365e1) * z
        - 7.500_855_792_314_705e1)
        * z
        - 1.228_866_684_490_136e2)
        * z
        - 6.485_021_904_942_025e1)
        * z;
    let q = ((((z + 2.485_846_490_142_306e1) * z + 1.650_270_098_316_988_6e2) * z
        + 4.328_810_604_912_903e2)
        * z
        + 4.853_903_996_359_137e2)
        * z
        + 1.945_506_571_482_614e2;
    base + (x + x * (p / q))
}

/// The angle in degrees between an upward normal (any length) and the vertical: 0 flat … 90 wall.
#[inline]
pub fn slope_degrees(nx: f64, ny: f64, nz: f64) -> f64 {
    let degrees = atan((nx * nx + ny * ny).sqrt() / nz).to_degrees();
    if nz <= 0.0 { 90.0 } else { degrees }
}

/// Components of a normal of length 1 below this are nothing but rounding: a slope of less than a hundred-thousandth degree.
const FLAT: f64 = 1e-7;

/// The direction that an upward normal of length 1 leans to, in degrees clockwise from north, in [0, 360): the way its
/// slope faces, downhill. `nx` is its east component and `ny` its north one; NaN where there is no slope.
#[inline]
pub fn aspect_degrees(nx: f64, ny: f64) -> f64 {
    if nx.abs().max(ny.abs()) < FLAT {
        return f64::NAN;
    }
    let from_meridian = atan(nx.abs() / ny.abs()).to_degrees();
    let clockwise = match (nx < 0.0, ny < 0.0) {
        (false, false) => from_meridian,
        (false, true) => 180.0 - from_meridian,
        (true, true) => 180.0 + from_meridian,
        (true, false) => 360.0 - from_meridian,
    };
    // A hair west of north rounds to a full turn.
    if clockwise >= 360.0 { 0.0 } else { clockwise }
}

/// Sine and cosine of an angle in degrees, within 10⁻¹⁵ for angles of a few turns; the same bits on every platform.
///
/// Polynomials of Cephes (as for [`atan`], `sin.c`), after taking off whole quarter turns, which is exact.
pub fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    let quarters = (degrees / 90.0 + 0.5).floor();
    let x = (degrees - 90.0 * quarters).to_radians();
    let z = x * x;
    let p = ((((1.589_623_015_765_465_7e-10 * z - 2.505_074_776_285_780_7e-8) * z
        + 2.755_731_362_138_572_5e-6)
        * z
        - 1.984_126_982_958_954e-4)
        * z
        + 8.333_333_333_322_119e-3)
        * z
        - 1.666_666_666_666_663e-1;
    let q = ((((-1.135_853_652_138_768_2e-11 * z + 2.087_570_084_197_473e-9) * z
        - 2.755_731_417_929_674e-7)
        * z
        + 2.480_158_728_885_170_5e-5)
        * z
        - 1.388_888_888_887_305_6e-3)
        * z
        + 4.166_666_666_666_659e-2;
    let (sin, cos) = (x + x * z * p, 1.0 - 0.5 * z + z * z * q);
    match quarters.rem_euclid(4.0) as u8 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_aspect_goes_clockwise_from_north() {
        for (nx, ny, right) in [
            (0.0, 1.0, 0.0),
            (-0.0, 1.0, 0.0),
            (1.0, 1.0, 45.0),
            (2.0, 0.0, 90.0),
            (2.0, -0.0, 90.0),
            (1.0, -1.0, 135.0),
            (0.0, -1e-6, 180.0),
            (-1.0, -1.0, 225.0),
            (-3.0, 0.0, 270.0),
            (-1.0, 1.0, 315.0),
        ] {
            let found = aspect_degrees(nx, ny);
            assert!((found - right).abs() < 1e-12, "({nx}, {ny}): {found}");
        }
        assert_eq!(aspect_degrees(-1e-30, 1.0), 0.0);
        assert!(aspect_degrees(0.0, 0.0).is_nan());
        assert!(
            aspect_degrees(-7.5e-18, 1e-9).is_nan(),
            "rounding is no slope"
        );
        for k in 0..100_000 {
            let angle = f64::from(k) * 0.0036;
            let (sin, cos) = angle.to_radians().sin_cos();
            assert!((aspect_degrees(sin, cos) - angle).abs() < 1e-9, "{angle}");
        }
    }

    #[test]
    fn atan_is_the_arc_tangent() {
        for k in 0..2_000_000_u32 {
            let x = f64::from(k) / 1000.0 * f64::from(k % 97 + 1) / 50.0;
            let error = (atan(x) - x.atan()).abs();
            assert!(error <= 4.5e-16, "atan({x}) is {error} off");
        }
        assert_eq!(atan(0.0), 0.0);
        assert_eq!(atan(f64::INFINITY), std::f64::consts::FRAC_PI_2);
    }

    #[test]
    fn sine_and_cosine_are_those_of_the_system() {
        for k in -720_000..720_000_i32 {
            let degrees = f64::from(k) * 0.001 + f64::from(k % 7) * 1e-5;
            let (sin, cos) = sin_cos_degrees(degrees);
            let (right_sin, right_cos) = degrees.to_radians().sin_cos();
            let error = (sin - right_sin).abs().max((cos - right_cos).abs());
            assert!(error < 3e-15, "{degrees}: {error} off");
        }
        for (degrees, right) in [
            (0.0, (0.0, 1.0)),
            (90.0, (1.0, 0.0)),
            (-90.0, (-1.0, 0.0)),
            (180.0, (0.0, -1.0)),
            (450.0, (1.0, 0.0)),
        ] {
            assert_eq!(sin_cos_degrees(degrees), right);
        }
    }

    #[test]
    fn a_wall_and_a_floor_have_their_slopes() {
        assert_eq!(slope_degrees(0.0, 0.0, 1.0), 0.0);
        assert_eq!(slope_degrees(0.0, 3.0, 0.0), 90.0);
        assert!((slope_degrees(-1.0, 0.0, 1.0) - 45.0).abs() < 1e-12);
    }
}
