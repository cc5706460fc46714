//! What a job counts of its own tile or chunk, for reports: sums only, so that those of a world are added up.

use serde::{Deserialize, Serialize};

use crate::LostPin;

/// What a job counted; empty where it counted nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Pixels of a tile that are no void.
    #[serde(skip_serializing_if = "is_zero")]
    pub valid: u64,
    /// Sum of the stored weights of each stratum in a tile: 255 for a pixel that is all of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<u64>,
    /// What grows in a chunk, by species, in the order of [`Entry::plants`](crate::Entry::plants).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub species: Vec<SpeciesFacts>,
    /// Pins of a chunk that have lost their ground.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost_pins: Vec<LostPin>,
}

/// Facts as a ledger holds them: text, until somebody asks for them. Every bake reads its ledger, and only reports want facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeptFacts(String);

impl KeptFacts {
    /// What was counted; nothing where there is none, or the text is of another version.
    pub fn read(&self) -> Facts {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl From<&Facts> for KeptFacts {
    fn from(facts: &Facts) -> Self {
        let text = serde_json::to_string(facts);
        Self(text.expect("records of numbers and lists always have a JSON form"))
    }
}

/// What a chunk holds of a species, counted by size and by distance to the edge of its stratum.
///
/// Written as a list of four lists, and zeros at the end of a list are left out: a ledger has one for each chunk and species.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Lists", into = "Lists")]
pub struct SpeciesFacts {
    /// Plants by size.
    pub sizes: Counts,
    /// Plants by edge distance.
    pub found: Counts,
    /// Tenths of plants that were to be expected before competition, by edge distance.
    pub expected_tenths: Counts,
    /// Points of the ground that the expectation was worked out at, by edge distance.
    pub points: Counts,
}

type Lists = [Counts; 4];

impl From<Lists> for SpeciesFacts {
    fn from([sizes, found, expected_tenths, points]: Lists) -> Self {
        Self {
            sizes,
            found,
            expected_tenths,
            points,
        }
    }
}

impl From<SpeciesFacts> for Lists {
    fn from(facts: SpeciesFacts) -> Self {
        [
            facts.sizes,
            facts.found,
            facts.expected_tenths,
            facts.points,
        ]
    }
}

/// Counts by bin; bins beyond the last are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counts(Vec<u64>);

impl Counts {
    /// The count of a bin.
    pub fn at(&self, bin: usize) -> u64 {
        self.0.get(bin).copied().unwrap_or(0)
    }

    /// Adds to a bin.
    pub fn add(&mut self, bin: usize, n: u64) {
        if n == 0 {
            return;
        }
        if bin >= self.0.len() {
            self.0.resize(bin + 1, 0);
        }
        self.0[bin] += n;
    }

    /// The count of all bins together.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    fn merge(&mut self, other: &Self) {
        let bins = other.0.iter().enumerate();
        bins.for_each(|(bin, &n)| self.add(bin, n));
    }
}

impl Facts {
    /// Adds what another job counted.
    pub fn merge(&mut self, other: &Self) {
        self.valid += other.valid;
        if self.weights.len() < other.weights.len() {
            self.weights.resize(other.weights.len(), 0);
        }
        let pairs = self.weights.iter_mut().zip(&other.weights);
        pairs.for_each(|(sum, n)| *sum += n);
        if self.species.len() < other.species.len() {
            let n = other.species.len();
            self.species.resize_with(n, SpeciesFacts::default);
        }
        for (sum, own) in self.species.iter_mut().zip(&other.species) {
            sum.sizes.merge(&own.sizes);
            sum.found.merge(&own.found);
            sum.expected_tenths.merge(&own.expected_tenths);
            sum.points.merge(&own.points);
        }
        self.lost_pins.extend_from_slice(&other.lost_pins);
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn counts(bins: &[u64]) -> Counts {
        let mut counts = Counts::default();
        let bins = bins.iter().enumerate();
        bins.for_each(|(bin, &n)| counts.add(bin, n));
        counts
    }

    fn facts() -> Facts {
        Facts {
            valid: 9,
            weights: vec![5, 7],
            species: vec![
                SpeciesFacts::default(),
                SpeciesFacts {
                    sizes: counts(&[0, 2, 0, 0]),
                    found: counts(&[1]),
                    expected_tenths: counts(&[0, 31]),
                    points: counts(&[3, 4]),
                },
            ],
            lost_pins: Vec::new(),
        }
    }

    #[test]
    fn facts_are_written_briefly_and_read_back() {
        let text = serde_json::to_string(&facts()).unwrap();
        let expected =
            r#"{"valid":9,"weights":[5,7],"species":[[[],[],[],[]],[[0,2],[1],[0,31],[3,4]]]}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Facts>(&text).unwrap(), facts());
        assert_eq!(serde_json::to_string(&Facts::default()).unwrap(), "{}");
    }

    #[test]
    fn sums_grow_to_the_longest() {
        let mut sum = Facts::default();
        sum.merge(&facts());
        sum.merge(&Facts {
            valid: 1,
            weights: vec![1, 1, 1],
            species: vec![SpeciesFacts {
                sizes: counts(&[1, 1, 1]),
                ..SpeciesFacts::default()
            }],
            ..Facts::default()
        });
        assert_eq!((sum.valid, sum.weights), (10, vec![6, 8, 1]));
        assert_eq!(sum.species[0].sizes, counts(&[1, 1, 1]));
        assert_eq!(sum.species[1].sizes.total(), 2);
        assert_eq!(
            (sum.species[1].sizes.at(1), sum.species[1].sizes.at(9)),
            (2, 0)
        );
    }
}
