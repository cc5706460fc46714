//! Inside and outside by counting crossings along rows of pixels: the even-odd rule, half-open as in scanline filling.

use super::lines::Segment;
use super::scratch::ShapeScratch;

/// Flips the inside and the outside east of a segment, in every row whose centre it crosses.
///
/// A segment owns its northern end and not its southern one, so that a corner is crossed once or twice, never half.
pub(super) fn cross(segment: &Segment, scratch: &mut ShapeScratch) {
    let (a, b) = (segment.a, segment.b);
    for y in scratch.rows_between(a[1], b[1]) {
        let centre = scratch.row_centre(y);
        if centre >= a[1] && centre < b[1] {
            let x = a[0] + (centre - a[1]) * (b[0] - a[0]) / (b[1] - a[1]);
            let column = first_at(scratch, x);
            scratch.flip(y, column);
        }
    }
}

/// The first column whose centre is not west of `x`.
fn first_at(scratch: &ShapeScratch, x: f64) -> usize {
    let columns = &scratch.columns;
    // A guess from the size of a pixel, then put right against the centres themselves.
    let mut column = scratch.columns_between(x, x).start;
    while column > 0 && columns[column - 1] >= x {
        column -= 1;
    }
    while column < columns.len() && columns[column] < x {
        column += 1;
    }
    column
}
