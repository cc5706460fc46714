//! Which side of a stratum's edge a pixel is on.

use ecotone_grid::{Raster, Window};

/// A pixel, as the distance field of one stratum sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Void or off the map: never an edge, and never makes a neighbour one.
    #[default]
    Void,
    /// Its weight is below the threshold.
    Out,
    /// Its weight reaches the threshold.
    In,
}

/// The stored weight from which a pixel belongs to a stratum, for a threshold in [0, 1]: the ceiling of 255·t.
///
/// A product that is a whole number but for its last bits counts as that number.
pub fn threshold_u8(threshold: f64) -> u8 {
    (255.0 * threshold - 1e-9).ceil() as u8
}

/// Writes which pixels are void: those where the weights of all strata are 0.
///
/// `out` is made to cover the rectangle of `weights` with one band. It serves [`classes`] of each stratum.
pub fn write_voids(weights: &Raster<u8>, out: &mut Raster<bool>) {
    out.reset(weights.rect(), 1, true);
    for band in 0..weights.n_bands() {
        for (void, &weight) in out.pixels_mut().iter_mut().zip(weights.band(band).pixels()) {
            *void &= weight == 0;
        }
    }
}

/// Writes the class of each pixel for one stratum.
///
/// `weights` are its own, and `voids` those of [`write_voids`] over the same rectangle, which `out` is made to cover
/// with one band.
pub fn classes(
    weights: Window<'_, u8>,
    voids: Window<'_, bool>,
    threshold_u8: u8,
    out: &mut Raster<Class>,
) {
    debug_assert_eq!(weights.rect(), voids.rect(), "voids of the same window");
    out.cover(weights.rect(), 1, Class::Void);
    let pixels = weights.pixels().iter().zip(voids.pixels());
    for (class, (&weight, &void)) in out.pixels_mut().iter_mut().zip(pixels) {
        let side = if weight >= threshold_u8 {
            Class::In
        } else {
            Class::Out
        };
        *class = if void { Class::Void } else { side };
    }
}

/// Whether there are pixels on both sides, without which there is no edge.
pub(crate) fn has_both_sides(classes: &[Class]) -> bool {
    // A bit for each class.
    let found = classes.iter().fold(0, |found, &class| found | class as u8);
    found == Class::In as u8 | Class::Out as u8
}

/// Writes 1 for each edge pixel of map row `y` and 0 for the others, leaving out the first and last column of the
/// window; returns whether there is any.
///
/// An edge is inside and touches an outside pixel by a side: a negative Laplacian.
pub(crate) fn write_edges(classes: Window<'_, Class>, y: i64, out: &mut [u8]) -> bool {
    let width = out.len();
    let [north, here, south] = [-1, 0, 1].map(|step| classes.row(y + step));
    let (west, east) = (&here[..width], &here[2..2 + width]);
    let [north, here, south] = [north, here, south].map(|row| &row[1..1 + width]);
    let mut any = 0;
    for x in 0..width {
        let is_out = |class: Class| u8::from(class == Class::Out);
        let touches = is_out(north[x]) | is_out(south[x]) | is_out(west[x]) | is_out(east[x]);
        out[x] = touches & u8::from(here[x] == Class::In);
        any |= out[x];
    }
    any != 0
}
