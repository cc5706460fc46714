#![allow(clippy::unwrap_used)]
use super::*;

#[test]
fn a_variant_is_drawn_by_its_weight() {
    for (draw, index) in [(0.0, 0), (0.24, 0), (0.25, 2), (0.99, 2)] {
        assert_eq!(variant(&[1.0, 0.0, 3.0].map(Variant::of), 0.5, draw), index);
    }
    assert_eq!(variant(&[], 0.5, 0.5), 0);
    assert_eq!(variant(&[Variant::of(0.0)], 0.5, 0.5), 0);
}
