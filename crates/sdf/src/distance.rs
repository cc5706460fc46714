//! The bounded signed distance field of one stratum.

use crate::bound::Bound;
use crate::class::{Class, write_edges};
use crate::columns::{keep_nearer, step};
use crate::envelope::{Site, write_costs};
use ecotone_grid::{Reach, Window};

/// The stored value of a void.
pub const VOID: i16 = i16::MIN;

/// Memory that [`distance`] works in; it grows to about 3 bytes for each pixel of the window.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// 1 on an edge, for the window less one pixel on every side.
    edges: Vec<u8>,
    /// Rows to the nearest edge below, for the core rows of those columns.
    below: Vec<u16>,
    /// Rows to the nearest edge above, then to the nearest of both, for one row.
    above: Vec<u16>,
    nearest: Vec<u16>,
    sites: Vec<Site>,
    costs: Vec<f64>,
}

/// Writes the signed distance of each pixel to the nearest edge: negative inside, 0 on the edge, [`VOID`] on voids.
///
/// `classes` covers the wanted pixels and [`Bound::reach`] more on every side, [`Class::Void`] off the map; `out` is
/// exactly the wanted pixels, row by row. Stored values are metres over [`Bound::scale`], rounded; what is at the bound
/// or beyond it, or has no edge, is ±32767. The nearest edge is exact; a value is within one unit of the true metres.
pub fn distance(classes: Window<'_, Class>, bound: &Bound, scratch: &mut Scratch, out: &mut [i16]) {
    let core = classes.rect().shrink(bound.reach());
    debug_assert_eq!(out.len(), core.area(), "pixels of {core:?}");
    if core.is_empty() {
        return;
    }
    let inner = classes.rect().shrink(Reach::square(1));
    let (width, beyond) = (inner.width(), bound.pixels.y as u16 + 1);
    let any = scratch.find_edges(classes);
    if any {
        scratch.look_down(width, core.height(), bound.pixels.y as usize, beyond);
    }
    scratch.costs.clear();
    scratch.costs.resize(core.width(), f64::INFINITY);

    let from = bound.reach().x as usize;
    for (row, out) in out.chunks_exact_mut(core.width()).enumerate() {
        if any && scratch.look_up(width, row, bound.pixels.y as usize, beyond) {
            write_costs(
                &scratch.nearest,
                bound,
                &mut scratch.sites,
                &mut scratch.costs,
            );
        } else {
            scratch.costs.fill(f64::INFINITY);
        }
        let classes = &classes.row(core.y0 + row as i64)[from..from + core.width()];
        write_stored(&scratch.costs, classes, bound, out);
    }
}

impl Scratch {
    /// Marks the edges; returns whether there is any.
    fn find_edges(&mut self, classes: Window<'_, Class>) -> bool {
        let inner = classes.rect().shrink(Reach::square(1));
        self.edges.resize(inner.area(), 0);
        let rows = self.edges.chunks_exact_mut(inner.width());
        (inner.y0..inner.y1)
            .zip(rows)
            .fold(false, |any, (y, row)| write_edges(classes, y, row) | any)
    }

    /// Measures each core row's distance to the edges on it and below, from the last row up, and starts `above` at the
    /// row before the core.
    fn look_down(&mut self, width: usize, n_core: usize, halo: usize, beyond: u16) {
        self.above.clear();
        self.above.resize(width, beyond);
        self.below.resize(n_core * width, 0);
        for (row, edges) in self.edges.chunks_exact(width).enumerate().skip(halo).rev() {
            step(edges, beyond, &mut self.above);
            if row < halo + n_core {
                self.below[(row - halo) * width..(row - halo + 1) * width]
                    .copy_from_slice(&self.above);
            }
        }
        self.above.fill(beyond);
        for edges in self.edges.chunks_exact(width).take(halo) {
            step(edges, beyond, &mut self.above);
        }
    }

    /// Steps on to core row `row` and measures its distance to the nearest edge either way; returns whether any is
    /// within bounds.
    fn look_up(&mut self, width: usize, row: usize, halo: usize, beyond: u16) -> bool {
        step(
            &self.edges[(row + halo) * width..(row + halo + 1) * width],
            beyond,
            &mut self.above,
        );
        self.nearest.clone_from(&self.above);
        keep_nearer(
            &self.below[row * width..(row + 1) * width],
            beyond,
            &mut self.nearest,
        )
    }
}

/// Writes the stored values of a row of costs.
fn write_stored(costs: &[f64], classes: &[Class], bound: &Bound, out: &mut [i16]) {
    for ((out, &cost), &class) in out.iter_mut().zip(costs).zip(classes) {
        let stored = rounded((cost.sqrt() * bound.stored_per_root).min(bound.farthest));
        let signed = if class == Class::In { -stored } else { stored };
        *out = if class == Class::Void { VOID } else { signed };
    }
}

/// The nearest whole number to a positive `v` below 2¹⁵: adding 2⁵² leaves it in the low bits.
#[inline(always)]
fn rounded(v: f64) -> i16 {
    (v + 4_503_599_627_370_496.0).to_bits() as i16
}
