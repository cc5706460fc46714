//! The lower envelope of parabolas along a row, exactly: the second pass of Meijster et al. 2000, with separators as in
//! P. F. Felzenszwalb, D. P. Huttenlocher, *Distance transforms of sampled functions*, Theory of Computing 8, 2012.

use crate::bound::Bound;

/// A column on the envelope, and the first column of the row where it is the nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    column: i32,
    first: i32,
    cost: f64,
}

/// Writes the least cost of each core pixel of a row.
///
/// `rows` holds the distance of each column to its nearest edge, in rows, for the core columns and the bound's reach
/// before and after them; columns beyond the bound do not count, and where none counts the cost is infinite.
pub(crate) fn write_costs(rows: &[u16], bound: &Bound, sites: &mut Vec<Site>, out: &mut [f64]) {
    let halo = bound.pixels.x as i32;
    collect(rows, bound, (halo, halo + out.len() as i32), sites);
    let mut end = out.len();
    for site in sites.iter().rev() {
        let first = (site.first - halo) as usize;
        for (x, out) in out[first..end].iter_mut().enumerate() {
            let dx = f64::from(site.first + x as i32 - site.column);
            *out = bound.cost_x * (dx * dx) + site.cost;
        }
        end = first;
    }
    out[..end].fill(f64::INFINITY);
}

/// Builds the envelope over the columns `first..end`.
///
/// A column whose edge lies beyond the bound is no site: nothing it could reach is within bounds.
fn collect(rows: &[u16], bound: &Bound, (first, end): (i32, i32), sites: &mut Vec<Site>) {
    sites.clear();
    for (column, &rows) in rows.iter().enumerate() {
        if u32::from(rows) > bound.pixels.y {
            continue;
        }
        let rows = f64::from(rows);
        let mut site = Site {
            column: column as i32,
            first,
            cost: bound.cost_y * (rows * rows),
        };
        while let Some(top) = sites.last() {
            let meeting = Meeting::of(top, &site, bound);
            if meeting.is_before(top.first - top.column) {
                sites.pop();
            } else {
                site.first = top.column.saturating_add(meeting.next_column());
                break;
            }
        }
        if site.first < end {
            sites.push(site);
        }
    }
}

/// Where two sites are equally near: the columns from the left one, as a fraction.
///
/// It is made of their difference alone, so it does not depend on where the window starts. While the two are within
/// twice the bound the numerator is an integer below 2⁵³, so rounding carries neither the product nor the quotient
/// across a whole column. Farther apart, nothing between them is within bounds of both, and the middle separates them.
struct Meeting {
    numerator: f64,
    denominator: f64,
}

impl Meeting {
    #[inline(always)]
    fn of(left: &Site, right: &Site, bound: &Bound) -> Self {
        let apart = f64::from(right.column - left.column);
        let numerator = bound.cost_x * (apart * apart) + (right.cost - left.cost);
        let in_reach = right.column - left.column <= 2 * bound.pixels.x as i32;
        Self {
            numerator: if in_reach { numerator } else { apart },
            denominator: if in_reach {
                2.0 * bound.cost_x * apart
            } else {
                2.0
            },
        }
    }

    /// Whether the right site is strictly nearer at this many columns from the left one.
    #[inline(always)]
    fn is_before(&self, columns: i32) -> bool {
        self.numerator < self.denominator * f64::from(columns)
    }

    /// The first column from the left site where the right one is strictly nearer.
    #[inline(always)]
    fn next_column(&self) -> i32 {
        floor(self.numerator / self.denominator).saturating_add(1)
    }
}

/// The floor, without the call that `f64::floor` is on plain x86-64; saturating.
#[inline(always)]
fn floor(v: f64) -> i32 {
    let whole = v as i32;
    whole.saturating_sub(i32::from(f64::from(whole) > v))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use ecotone_grid::PixelSize;
    use proptest::prelude::*;

    /// What is beyond the bound may be any cost beyond it.
    #[track_caller]
    fn check(rows: &[u16], bound: &Bound) {
        let halo = bound.pixels.x as usize;
        let mut costs = vec![f64::NAN; rows.len() - 2 * halo];
        write_costs(rows, bound, &mut Vec::new(), &mut costs);

        let sites: Vec<_> = (0..)
            .zip(rows)
            .filter(|&(_, &r)| u32::from(r) <= bound.pixels.y)
            .collect();
        let most = (bound.farthest / bound.stored_per_root).powi(2);
        for (x, cost) in (halo as i64..).zip(costs) {
            let cost_to = |&(column, &rows): &(i64, &u16)| {
                bound.cost_x * ((x - column) as f64).powi(2)
                    + bound.cost_y * f64::from(rows).powi(2)
            };
            let right = sites.iter().map(cost_to).fold(f64::INFINITY, f64::min);
            assert_eq!(cost.min(most), right.min(most), "column {x} of {rows:?}");
        }
    }

    #[test]
    fn the_largest_bound_is_exact() {
        let bound = Bound::new(PixelSize { x: 1.0, y: 1.0 }, 32768.0);
        let mut rows = vec![u16::MAX; 2 * 32768 + 40];
        check(&rows, &bound);
        for (column, r) in [
            (0, 0),
            (1, 32768),
            (39, 3),
            (32768, 32760),
            (32790, 32768),
            (65575, 1),
        ] {
            rows[column] = r;
            check(&rows, &bound);
        }
        rows.fill(32768);
        check(
            &rows[..65540],
            &Bound::new(PixelSize { x: 1.0, y: 1.7 }, 55000.0),
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn every_row_is_its_brute_force_twin(
            reach in 1_u16..12,
            sizes in prop::sample::select(vec![(1.0, 1.0), (5.0, 3.0), (1.0, 7.0), (9.0, 1.0), (1e9, 1.0)]),
            sparse in 1_u16..40,
            drawn in prop::collection::vec(0_u16..1000, 26..120),
        ) {
            let bound = Bound::new(PixelSize { x: sizes.0, y: sizes.1 }, f64::from(reach) * sizes.0.min(sizes.1));
            let rows: Vec<_> = drawn.iter().map(|&r| if r % sparse == 0 { r / sparse % 14 } else { u16::MAX }).collect();
            check(&rows, &bound);
        }
    }
}
