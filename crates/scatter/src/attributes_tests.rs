#![allow(clippy::unwrap_used)]
use super::*;
use crate::testing::{World, spruce};
use ecotone_grid::mix;

const N: usize = 120_000;

/// The attributes of many plants at a place.
fn many(species: &Species, stand: &Stand<'_>) -> Vec<Attributes> {
    let look = |k| Look {
        draws: mix(k as u64),
        ..Look::default()
    };
    (0..N)
        .map(|k| attributes(species, stand, &look(k)))
        .collect()
}

/// Checks that values are spread evenly over a range, and lie in it.
#[track_caller]
fn check_uniform(values: impl Iterator<Item = f64>, lo: f64, hi: f64) {
    let mut bins = [0.0; 32];
    for value in values {
        assert!(value >= lo && value < hi, "{value} is not in {lo} to {hi}");
        bins[((value - lo) / (hi - lo) * 32.0) as usize] += 1.0;
    }
    let mean = bins.iter().sum::<f64>() / 32.0;
    let chi2: f64 = bins.iter().map(|n| (n - mean).powi(2) / mean).sum();
    assert!(mean > 300.0);
    // One in ten thousand with 31 degrees of freedom.
    assert!(chi2 < 70.0, "{chi2}");
}

/// Gives `work` a place in a world whose normals are all one.
fn on_a_slope(normal: [f32; 3], work: impl FnOnce(&Stand<'_>)) {
    let mut world = World::new(4, 4, |_, _| 100.0);
    for (band, component) in normal.into_iter().enumerate() {
        world.normals.band_mut(band).fill(component);
    }
    let fields = world.fields();
    let (x, y) = world.position(1.5, 1.5);
    work(&Stand {
        fields: &fields,
        x,
        y,
        attenuation: 0.25,
    });
}

#[test]
fn every_attribute_is_even_over_its_range() {
    let mut species = spruce();
    species.size = [2.0, 3.0];
    species.edge.size = [0.4, 1.0];
    species.sink_m = [0.05, 0.3];
    species.tilt = [2.0, 14.0];
    species.yaw.range = [-90.0, 45.0];
    species.tint = [0.25, 0.75];
    on_a_slope([0.0, 0.0, 1.0], |stand| {
        let all = many(&species, stand);
        check_uniform(all.iter().map(|a| a.size), 0.8, 1.5);
        check_uniform(all.iter().map(|a| a.sink_m), 0.05, 0.3);
        check_uniform(all.iter().map(|a| f64::from(a.tint)), 64.0, 192.0);
        let turn = |a: &Attributes| f64::from(a.yaw as i16) / 65536.0 * 360.0;
        check_uniform(all.iter().map(turn), -90.0, 45.0);
        let tilt = |a: &Attributes| a.up[2].acos().to_degrees();
        check_uniform(all.iter().map(tilt), 2.0 - 1e-9, 14.0);
        let direction = |a: &Attributes| a.up[1].atan2(a.up[0]).to_degrees();
        check_uniform(all.iter().map(direction), -180.0, 180.0);
    });
}

#[test]
fn no_attribute_depends_on_another() {
    let mut species = spruce();
    species.size = [0.0, 1.0];
    species.sink_m = [0.0, 1.0];
    species.tilt = [0.0, 10.0];
    species.variants = [1.0, 1.0].map(Variant::of).to_vec();
    on_a_slope([0.0, 0.0, 1.0], |stand| {
        let all = many(&species, stand);
        let columns: Vec<Vec<f64>> = all
            .iter()
            .map(|a| {
                let tilt = a.up[2].acos();
                let (east, north) = (a.up[0] / tilt, a.up[1] / tilt);
                let (yaw, tint) = (f64::from(a.yaw), f64::from(a.tint));
                vec![
                    a.size,
                    a.sink_m,
                    yaw,
                    tint,
                    f64::from(a.variant),
                    tilt,
                    east,
                    north,
                ]
            })
            .collect();
        let moment = |i: usize, j: usize| {
            let mean = |k: usize| columns.iter().map(|c| c[k]).sum::<f64>() / N as f64;
            let (a, b) = (mean(i), mean(j));
            columns.iter().map(|c| (c[i] - a) * (c[j] - b)).sum::<f64>()
        };
        for i in 0..8 {
            for j in 0..i {
                let correlation = moment(i, j) / (moment(i, i) * moment(j, j)).sqrt();
                assert!(
                    correlation.abs() < 4.5 / (N as f64).sqrt(),
                    "{i} {j} {correlation}"
                );
            }
        }
    });
}

#[test]
fn what_is_not_asked_for_has_the_bits_of_the_bare_draw() {
    on_a_slope([0.3, 0.4, 0.866], |stand| {
        for k in 0..10_000 {
            let look = Look {
                draws: mix(k),
                ..Look::default()
            };
            let drawn = attributes(&spruce(), stand, &look);
            assert_eq!(drawn.yaw, (draw(mix(k), Purpose::Yaw) >> 48) as u16);
            assert_eq!(drawn.tint, (draw(mix(k), Purpose::Tint) >> 56) as u8);
            assert_eq!((drawn.up, drawn.sink_m), ([0.0, 0.0, 1.0], 0.0));
        }
    });
}

#[test]
fn a_range_of_one_value_is_that_value() {
    let mut species = spruce();
    species.tilt = [5.0; 2];
    species.sink_m = [0.1; 2];
    for (degrees, steps) in [
        (0.0, 0),
        (90.0, 16384),
        (-90.0, 49152),
        (360.0, 0),
        (-360.0, 0),
    ] {
        species.yaw.range = [degrees; 2];
        for (tint, byte) in [(0.0, 0), (0.5, 128), (1.0, 255)] {
            species.tint = [tint; 2];
            on_a_slope([0.0, 0.6, 0.8], |stand| {
                for k in 0..100 {
                    let look = Look {
                        draws: mix(k),
                        ..Look::default()
                    };
                    let drawn = attributes(&species, stand, &look);
                    assert_eq!((drawn.yaw, drawn.tint, drawn.sink_m), (steps, byte, 0.1));
                    assert!((drawn.up[2].acos().to_degrees() - 5.0).abs() < 1e-9);
                }
            });
        }
    }
}

#[test]
fn downhill_is_the_way_the_ground_falls() {
    let mut species = spruce();
    species.yaw = Yaw {
        facing: Facing::Downhill,
        range: [0.0, 0.0],
    };
    for (normal, degrees) in [
        ([0.6, 0.0, 0.8], 0.0),
        ([0.0, 0.6, 0.8], 90.0),
        ([-0.6, 0.0, 0.8], 180.0),
        ([0.0, -0.6, 0.8], 270.0),
        ([-0.4, -0.4, 0.8], 225.0),
        ([0.0, 0.0, 1.0], 0.0),
    ] {
        on_a_slope(normal, |stand| {
            let steps = degrees / 360.0 * 65536.0;
            let drawn = attributes(&species, stand, &Look::default());
            assert_eq!(f64::from(drawn.yaw), steps, "{normal:?}");
            let turned = Species {
                yaw: Yaw {
                    range: [-45.0, -45.0],
                    ..species.yaw
                },
                ..species.clone()
            };
            let drawn = attributes(&turned, stand, &Look::default());
            assert_eq!(f64::from(drawn.yaw), (steps - 8192.0).rem_euclid(65536.0));
        });
    }
}

#[test]
fn a_tilt_leans_off_the_aligned_upright() {
    let mut species = spruce();
    species.align = 1.0;
    species.tilt = [10.0, 30.0];
    for normal in [
        [0.48, 0.6, 0.64],
        [-0.8, 0.0, 0.6],
        [0.0, 0.0, 1.0],
        [0.0, 1.0, 0.0],
    ] {
        on_a_slope(normal, |stand| {
            let off = |a: &Attributes| {
                let dot: f64 = (0..3).map(|k| a.up[k] * f64::from(normal[k])).sum();
                dot.clamp(-1.0, 1.0).acos().to_degrees()
            };
            let all = many(&species, stand);
            check_uniform(all.iter().map(off), 10.0 - 1e-5, 30.0 + 1e-5);
            let length = |a: &Attributes| a.up.iter().map(|v| v * v).sum::<f64>();
            assert!(all.iter().all(|a| (length(a) - 1.0).abs() < 1e-12));
            let mean = |k: usize| all.iter().map(|a| a.up[k]).sum::<f64>() / N as f64;
            let long = (0..3).map(|k| mean(k).powi(2)).sum::<f64>().sqrt();
            assert!((0..3).all(|k| (mean(k) / long - f64::from(normal[k])).abs() < 5e-3));
        });
    }
}

#[test]
fn variants_have_their_weights_and_sizes_at_the_edge_and_inside() {
    let mut species = spruce();
    species.size = [2.0, 3.0];
    species.edge.size = [1.0, 1.5];
    let own = |weight, edge_weight, size, edge_size| Variant {
        weight,
        edge_weight,
        size,
        edge_size,
    };
    species.variants = vec![
        own(3.0, 0.0, None, None),
        own(1.0, 4.0, Some([10.0, 20.0]), Some([4.0, 5.0])),
        own(0.0, 2.0, Some([30.0, 40.0]), None),
        own(1.0, 1.0, None, Some([50.0, 60.0])),
    ];
    for (attenuation, weights, interior) in [
        (0.0, [0.0, 4.0, 2.0, 1.0], 0.0),
        (1.0, [3.0, 1.0, 0.0, 1.0], 1.0),
        (0.25, [0.75, 3.25, 1.5, 1.0], 0.25),
    ] {
        on_a_slope([0.0, 0.0, 1.0], |stand| {
            let all = many(
                &species,
                &Stand {
                    attenuation,
                    ..*stand
                },
            );
            let total: f64 = weights.iter().sum();
            for (index, weight) in weights.into_iter().enumerate() {
                let sizes: Vec<f64> = all
                    .iter()
                    .filter(|a| usize::from(a.variant) == index)
                    .map(|a| a.size)
                    .collect();
                let share = sizes.len() as f64 / N as f64;
                assert!((share - weight / total).abs() < 0.006, "{index}: {share}");
                let between = |edge: f64, inside: f64| edge + (inside - edge) * interior;
                let (lo, hi) = match index {
                    0 => (between(1.0, 2.0), between(1.5, 3.0)),
                    1 => (between(4.0, 10.0), between(5.0, 20.0)),
                    2 => (30.0, 40.0),
                    _ => (50.0, 60.0),
                };
                if weight > 0.0 {
                    check_uniform(sizes.into_iter(), lo, hi);
                } else {
                    assert!(sizes.is_empty());
                }
            }
        });
    }
}

#[test]
fn a_variant_is_drawn_by_its_weight() {
    for (draw, index) in [(0.0, 0), (0.24, 0), (0.25, 2), (0.99, 2)] {
        assert_eq!(variant(&[1.0, 0.0, 3.0].map(Variant::of), 0.5, draw), index);
    }
    assert_eq!(variant(&[], 0.5, 0.5), 0);
    assert_eq!(variant(&[Variant::of(0.0)], 0.5, 0.5), 0);
}
