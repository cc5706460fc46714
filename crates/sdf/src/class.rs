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

/// Writes the class of each pixel for one stratum.
///
/// `weights` holds all strata: where all are 0 the pixel is void. `out` is reset to its rectangle with one band.
pub fn classes(weights: &Raster<u8>, stratum: usize, threshold_u8: u8, out: &mut Raster<Class>) {
    out.reset(weights.rect(), 1, Class::Void);
    for band in 0..weights.n_bands() {
        // Any weight at all makes a pixel of the map; `Out` is the lesser class until its own weight is read.
        for (class, &weight) in out.pixels_mut().iter_mut().zip(weights.band(band).pixels()) {
            *class = if weight > 0 { Class::Out } else { *class };
        }
    }
    let own = weights.band(stratum).pixels();
    for (class, &weight) in out.pixels_mut().iter_mut().zip(own) {
        let inside = (*class != Class::Void) & (weight >= threshold_u8);
        *class = if inside { Class::In } else { *class };
    }
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
