//! Where nothing of a species can grow, told by the ends of what a window holds.

use crate::conditions::Conditions;
use crate::{Biome, Fields, Species};
use ecotone_grid::{Profile, Raster};

/// A bilinear mean may pass its largest pixel by a rounding.
const ROUNDING: f64 = 1e-9;

/// The largest weights and the ranges of everything else in a window, by which many a species cannot grow in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Extremes {
    /// Largest weight of each stratum.
    weights: Vec<u8>,
    /// Lowest and highest height in metres.
    heights: Range,
    /// Least and largest signed distance in metres to each stratum's edge.
    distances: Vec<Range>,
    /// Least and largest value of each further field.
    layers: Vec<Range>,
}

/// The least and the largest of some values; the other way round where there are none.
type Range = (f64, f64);

impl Extremes {
    /// The extremes of a window.
    pub fn new(fields: &Fields<'_>) -> Self {
        let largest = |stratum| {
            let weights = fields.weights.band(stratum).pixels();
            weights.iter().fold(0, |most: u8, &weight| most.max(weight))
        };
        let distances = |stratum| {
            let (low, high) = range_of_steps(fields.sdf.band(stratum).pixels());
            (low * fields.sdf_scale, high * fields.sdf_scale)
        };
        let layers = |raster: &Raster<f32>| {
            let bands = 0..raster.n_bands();
            bands.map(|k| range(raster.band(k).pixels())).collect()
        };
        Self {
            weights: (0..fields.weights.n_bands()).map(largest).collect(),
            heights: range(fields.heights.pixels()),
            distances: (0..fields.sdf.n_bands()).map(distances).collect(),
            layers: fields.layers.map(layers).unwrap_or_default(),
        }
    }

    /// Whether a species could grow anywhere in the window: `false` only where none of its plants does.
    pub fn may_grow(&self, species: &Species, biomes: &[Biome]) -> bool {
        let most = self.most_mixed(&species.strata);
        if most < species.threshold - species.softness || most <= ROUNDING {
            return false;
        }
        let is_open = |&biome: &usize| self.may_be_present(biome, biomes);
        self.may_hold(&species.conditions)
            && (species.biomes.is_empty() || species.biomes.iter().any(is_open))
    }

    /// Whether a biome could be present anywhere in the window.
    fn may_be_present(&self, biome: usize, biomes: &[Biome]) -> bool {
        let mut place = Some(biome);
        // No chain of parents is longer than the list, unless it goes round; such a biome is nowhere.
        for _ in 0..biomes.len() {
            let Some(own) = place else {
                return true;
            };
            let Some(own) = biomes.get(own) else {
                return false;
            };
            let lies_here = own.strata.is_empty() || self.most_mixed(&own.strata) > ROUNDING;
            if !(lies_here && self.may_hold(&own.conditions)) {
                return false;
            }
            place = own.parent;
        }
        place.is_none()
    }

    /// The largest mixed weight that there could be, or a hair more.
    fn most_mixed(&self, strata: &[(usize, f64)]) -> f64 {
        let largest = |stratum: usize| self.weights.get(stratum).copied().map_or(0.0, f64::from);
        let most: f64 = strata
            .iter()
            .map(|&(stratum, c)| (c * largest(stratum)).max(0.0))
            .sum();
        most / 255.0 + ROUNDING
    }

    /// Whether conditions could hold anywhere in the window, as far as ranges tell.
    fn may_hold(&self, conditions: &Conditions) -> bool {
        let within = |ranges: &[Range], rules: &[(usize, Profile)]| {
            let may_pass = |(band, profile): &(usize, Profile)| {
                let range = ranges.get(*band);
                range.is_some_and(|&range| may_weigh(profile, range))
            };
            rules.iter().all(may_pass)
        };
        let altitude = conditions.altitude.as_ref();
        altitude.is_none_or(|profile| may_weigh(profile, self.heights))
            && within(&self.distances, &conditions.distance)
            && within(&self.layers, &conditions.layers)
    }
}

/// Whether a profile has any weight for a value in a range.
fn may_weigh(profile: &Profile, (low, high): Range) -> bool {
    low <= high && profile.most(low - ROUNDING * low.abs(), high + ROUNDING * high.abs()) > 0.0
}

/// The least and largest of values, leaving out those that are not a number.
fn range<T: Copy + Default + Into<f64>>(values: &[T]) -> Range {
    // Several at a time, for each comparison waits for the one before it.
    const LANES: usize = 8;
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (groups, rest) = values.as_chunks::<LANES>();
    let mut widen = |k: usize, value: f64| {
        low[k] = if value < low[k] { value } else { low[k] };
        high[k] = if value > high[k] { value } else { high[k] };
    };
    for group in groups {
        for (k, &value) in group.iter().enumerate() {
            widen(k, value.into());
        }
    }
    for (k, &value) in rest.iter().enumerate() {
        widen(k, value.into());
    }
    (
        low.into_iter().fold(f64::INFINITY, f64::min),
        high.into_iter().fold(f64::NEG_INFINITY, f64::max),
    )
}

/// The least and largest of stored distances, leaving out voids.
fn range_of_steps(steps: &[i16]) -> Range {
    let fold = |(low, high): (i16, i16), &step: &i16| {
        // A void is the least number of all: it raises no largest, and is made the largest where the least is looked for.
        let no_void = if step == i16::MIN { i16::MAX } else { step };
        (low.min(no_void), high.max(step))
    };
    let (low, high) = steps.iter().fold((i16::MAX, i16::MIN), fold);
    if high == i16::MIN {
        return (f64::INFINITY, f64::NEG_INFINITY);
    }
    (f64::from(low), f64::from(high))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{World, spruce};
    use ecotone_grid::Trapezoid;

    #[test]
    fn a_range_leaves_out_voids() {
        for n in 0..40 {
            let mut values: Vec<f64> = (0..n).map(|k| f64::from(k * 7 % 23)).collect();
            let sorted = |values: &[f64]| {
                let fold = |f: fn(f64, f64) -> f64, from| values.iter().copied().fold(from, f);
                (
                    fold(f64::min, f64::INFINITY),
                    fold(f64::max, f64::NEG_INFINITY),
                )
            };
            let expected = sorted(&values);
            values.insert(values.len() / 2, f64::NAN);
            values.push(f64::NAN);
            assert_eq!(range(&values), expected);
            let single: Vec<f32> = values.iter().map(|&v| v as f32).collect();
            assert_eq!(range(&single), expected);
            let steps = values
                .iter()
                .map(|v| if v.is_nan() { i16::MIN } else { *v as i16 });
            assert_eq!(range_of_steps(&steps.collect::<Vec<_>>()), expected);
        }
    }

    fn band(lo: f64, hi: f64, blend: f64) -> Profile {
        let (lo, hi) = (Some(lo), Some(hi));
        Profile::Band(Trapezoid { lo, hi, blend })
    }

    /// A world at 500 m, its first stratum everywhere and 100 m deep, the second nowhere and 30 to 60 m away, one layer
    /// of 0.25 to 0.5.
    fn check(change: impl Fn(&mut Species), biomes: &[Biome], right: bool) {
        let mut world = World::new(4, 4, |_, _| 500.0);
        world.sdf.band_mut(1).fill(240);
        world.sdf.band_mut(1)[3] = 480;
        world.sdf.band_mut(1)[4] = i16::MIN;
        let mut layer = Raster::new(world.heights.rect(), 1, 0.25);
        layer.band_mut(0)[5] = 0.5;
        layer.band_mut(0)[6] = f32::NAN;
        let fields = Fields {
            layers: Some(&layer),
            ..world.fields()
        };
        let mut species = spruce();
        change(&mut species);
        assert_eq!(
            Extremes::new(&fields).may_grow(&species, biomes),
            right,
            "{species:?}"
        );
    }

    #[test]
    fn what_no_pixel_allows_does_not_grow() {
        check(|_| (), &[], true);
        check(|species| species.strata = vec![(1, 1.0)], &[], false);
        check(|species| species.strata = vec![(7, 1.0)], &[], false);
        for (lo, hi, right) in [
            (0.0, 499.0, false),
            (0.0, 600.0, true),
            (501.0, 600.0, false),
        ] {
            let altitude = band(lo, hi, 1.0);
            check(
                |species| species.conditions.altitude = Some(altitude.clone()),
                &[],
                right,
            );
        }
        for (lo, hi, right) in [
            (-50.0, 29.0, false),
            (59.0, 90.0, true),
            (61.0, 90.0, false),
        ] {
            let distance = band(lo, hi, 1.0);
            check(
                |species| species.conditions.distance = vec![(1, distance.clone())],
                &[],
                right,
            );
        }
        for (lo, hi, right) in [(0.0, 0.2, false), (0.4, 0.45, true), (0.6, 0.9, false)] {
            for (layer, right) in [(0, right), (1, false)] {
                let profile = band(lo, hi, 0.0);
                check(
                    |species| species.conditions.layers = vec![(layer, profile.clone())],
                    &[],
                    right,
                );
            }
        }
    }

    #[test]
    fn what_grows_in_biomes_that_are_not_here_does_not_grow() {
        let biome = |parent, strata: &[(usize, f64)], altitude| Biome {
            parent,
            strata: strata.to_vec(),
            conditions: Conditions {
                altitude,
                ..Conditions::default()
            },
            ..Biome::default()
        };
        let biomes = [
            biome(None, &[(0, 1.0)], None),
            biome(None, &[(1, 1.0)], None),
            biome(Some(0), &[], Some(band(0.0, 900.0, 0.0))),
            biome(Some(1), &[(0, 1.0)], None),
            biome(Some(2), &[], Some(band(900.0, 950.0, 0.0))),
            biome(Some(5), &[(0, 1.0)], None),
            biome(Some(99), &[(0, 1.0)], None),
        ];
        for (own, right) in [
            (&[][..], true),
            (&[0], true),
            (&[1], false),
            (&[2], true),
            (&[3], false),
            (&[4], false),
            (&[5], false),
            (&[6], false),
            (&[99], false),
            (&[1, 4, 2], true),
        ] {
            check(|species| species.biomes = own.to_vec(), &biomes, right);
        }
    }
}
