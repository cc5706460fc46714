//! Colour maps.

use super::palette::{Rgb, mix};

/// Viridis (S. van der Walt, N. Smith; CC0) as the polynomial that M. Zucker fitted to it, for `t` in [0, 1].
pub(super) fn viridis(t: f32) -> Rgb {
    const C: [[f32; 3]; 7] = [
        [0.277_727_34, 0.005_407_344_5, 0.334_099_8],
        [0.105_093_04, 1.404_613_5, 1.384_590_1],
        [-0.330_861_83, 0.214_847_56, 0.095_095_165],
        [-4.634_230_6, -5.799_101, -19.332_441],
        [6.228_27, 14.179_934, 56.690_55],
        [4.776_385, -13.745_146, -65.353_035],
        [-5.435_456, 4.645_852_5, 26.312_435],
    ];
    let t = t.clamp(0.0, 1.0);
    let poly = |k: usize| C.iter().rev().fold(0.0, |sum, c| sum * t + c[k]);
    [0, 1, 2].map(|k| poly(k).clamp(0.0, 1.0) * 255.0)
}

/// From paper over green to deep blue: the YlGnBu scheme of ColorBrewer (C. Brewer), lighter at its low end.
const SHARE: [Rgb; 6] = [
    [247.0, 246.0, 238.0],
    [214.0, 232.0, 196.0],
    [127.0, 205.0, 187.0],
    [65.0, 160.0, 192.0],
    [38.0, 104.0, 170.0],
    [24.0, 60.0, 124.0],
];

/// A share from 0 to 1.
pub(super) fn share(t: f32) -> Rgb {
    along(&SHARE, t)
}

/// From deep teal inside over paper at the edge to brown outside: the BrBG scheme of ColorBrewer, turned.
const SIDES: [Rgb; 9] = [
    [20.0, 96.0, 96.0],
    [56.0, 138.0, 132.0],
    [116.0, 182.0, 173.0],
    [184.0, 220.0, 213.0],
    [247.0, 245.0, 239.0],
    [243.0, 228.0, 196.0],
    [228.0, 200.0, 146.0],
    [204.0, 160.0, 96.0],
    [170.0, 118.0, 58.0],
];

/// A signed distance from −1 (far inside) to 1 (far outside).
pub(super) fn sides(t: f32) -> Rgb {
    along(&SIDES, t / 2.0 + 0.5)
}

fn along(stops: &[Rgb], t: f32) -> Rgb {
    let at = t.clamp(0.0, 1.0) * (stops.len() - 1) as f32;
    let lo = (at as usize).min(stops.len() - 2);
    mix(stops[lo], stops[lo + 1], at - lo as f32)
}
