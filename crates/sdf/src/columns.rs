//! Distances along columns, in rows to the nearest edge, saturating just beyond the bound.
//!
//! The first pass of A. Meijster, J. B. T. M. Roerdink, W. H. Hesselink, *A general algorithm for computing distance
//! transforms in linear time*, 2000, run over whole rows at a time so that it works on many columns at once.

/// Steps one row away from the edges: each column is one row farther, or 0 on an edge.
///
/// `beyond` is the largest value, which stands for all that is out of bounds.
pub(crate) fn step(edges: &[u8], beyond: u16, rows: &mut [u16]) {
    for (rows, &edge) in rows.iter_mut().zip(edges) {
        let farther = rows.saturating_add(1).min(beyond);
        *rows = if edge != 0 { 0 } else { farther };
    }
}

/// Keeps the nearer of two in each column; returns whether any is within bounds.
pub(crate) fn keep_nearer(other: &[u16], beyond: u16, rows: &mut [u16]) -> bool {
    let mut nearest = beyond;
    for (rows, &other) in rows.iter_mut().zip(other) {
        *rows = (*rows).min(other);
        nearest = nearest.min(*rows);
    }
    nearest < beyond
}
