//! The bounded signed distance field of one stratum.

use crate::bound::Bound;
use crate::class::{Class, has_both_sides, write_edges};
use crate::columns::{keep_nearer, step};
use crate::envelope::{Site, write_costs};
use crate::scan::Scan;
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
    scan: Scan,
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
    let any = has_both_sides(classes.pixels()) && scratch.find_edges(classes);
    if any {
        scratch.look_down(width, core.height(), bound.pixels.y as usize, beyond);
    }

    let from = bound.reach().x as usize;
    for (row, out) in out.chunks_exact_mut(core.width()).enumerate() {
        let classes = &classes.row(core.y0 + row as i64)[from..from + core.width()];
        if any && scratch.look_up(width, row, bound.pixels.y as usize, beyond) {
            scratch.write_row(classes, bound, out);
        } else {
            write_stored(classes, bound.farthest as i16, out);
        }
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

    /// Writes the core row whose distances to the nearest edges along columns are at hand.
    fn write_row(&mut self, classes: &[Class], bound: &Bound, out: &mut [i16]) {
        if let Some(costs) = self.scan.costs(&self.nearest, bound, out.len()) {
            write_roots(costs, classes, bound, out);
            return;
        }
        self.costs.resize(out.len(), 0.0);
        write_costs(&self.nearest, bound, &mut self.sites, &mut self.costs);
        write_roots(&self.costs, classes, bound, out);
    }
}

/// Writes the stored values of a row of costs.
fn write_roots<T: Copy + Into<f64>>(
    costs: &[T],
    classes: &[Class],
    bound: &Bound,
    out: &mut [i16],
) {
    for ((out, &cost), &class) in out.iter_mut().zip(costs).zip(classes) {
        let stored = cost.into().sqrt() * bound.stored_per_root;
        // Not `min`, which would look for NaN as well.
        let stored = if stored < bound.farthest {
            stored
        } else {
            bound.farthest
        };
        *out = signed(rounded(stored), class);
    }
}

/// Writes the same distance everywhere.
fn write_stored(classes: &[Class], stored: i16, out: &mut [i16]) {
    for (out, &class) in out.iter_mut().zip(classes) {
        *out = signed(stored, class);
    }
}

/// A stored distance with the sign of its side.
#[inline(always)]
fn signed(stored: i16, class: Class) -> i16 {
    let signed = if class == Class::In { -stored } else { stored };
    if class == Class::Void { VOID } else { signed }
}

/// The nearest whole number to a positive `v` below 2¹⁵: adding 2⁵² leaves it in the low bits.
#[inline(always)]
fn rounded(v: f64) -> i16 {
    (v + 4_503_599_627_370_496.0).to_bits() as i16
}
