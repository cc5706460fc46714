//! What came of a check, in words and numbers.

use serde::{Deserialize, Serialize};

use super::coverage::Change;
use super::{Check, CheckKind, CheckLevel, Limits};
use crate::preview::ticks;

/// Faults that are shown one by one.
pub(super) const SHOWN: usize = 10;

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// What the check is called.
    pub name: String,
    /// The word for what it looks for.
    pub kind: String,
    /// What it does when it fails.
    pub level: CheckLevel,
    /// Whether it passed.
    pub passed: bool,
    /// What must hold.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// The faults.
    pub faults: u64,
    /// How many plants, pairs or sides were looked at; 0 for a number.
    pub examined: u64,
    /// The first faults, ten at the most.
    pub offenders: Vec<Offender>,
}

/// One fault, and where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offender {
    /// The species, where it is a plant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub species: Option<String>,
    /// World x in metres.
    pub x: f64,
    /// World y in metres.
    pub y: f64,
    /// What was found there.
    pub what: String,
}

/// Faults as they are found.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults {
    /// What was looked at.
    pub(super) n_seen: u64,
    pub(super) n: u64,
    pub(super) first: Vec<Offender>,
}

impl Faults {
    /// Notes a fault; `offender` is called where it will be shown.
    pub(super) fn note(&mut self, offender: impl FnOnce() -> Offender) {
        self.n += 1;
        if self.first.len() < SHOWN {
            self.first.push(offender());
        }
    }
}

impl Verdict {
    /// Whether it failed, and the command with it.
    pub fn is_failure(&self) -> bool {
        !self.passed && self.level == CheckLevel::Error
    }

    /// One line for people.
    pub fn line(&self) -> String {
        format!(
            "{}: expected {}, found {}",
            self.name, self.expected, self.found
        )
    }

    fn new(check: &Check, passed: bool, found: String) -> Self {
        Self {
            name: check.name.clone(),
            kind: check.kind.word().to_owned(),
            level: check.level,
            passed,
            expected: expected(check),
            found,
            faults: 0,
            examined: 0,
            offenders: Vec::new(),
        }
    }

    pub(super) fn of_faults(check: &Check, faults: Faults) -> Self {
        let things = match check.kind {
            CheckKind::Overlap { .. } => "pairs of plants",
            CheckKind::Seams => "sides of tiles",
            _ => "plants",
        };
        let of = match check.kind {
            CheckKind::Overlap { .. } => format!("among {} plants", ticks::count(faults.n_seen)),
            _ => format!("of {}", ticks::count(faults.n_seen)),
        };
        let found = match faults.n {
            0 => format!("none {of}"),
            n => format!("{} {things} {of}", ticks::count(n)),
        };
        Self {
            faults: faults.n,
            examined: faults.n_seen,
            offenders: faults.first,
            ..Self::new(check, faults.n <= check.most, found)
        }
    }

    /// Of a number that has limits; `shown` writes it.
    pub(super) fn of_number(
        check: &Check,
        change: Change,
        limits: &Limits,
        shown: &dyn Fn(f64) -> String,
    ) -> Self {
        let Change { now, was } = change;
        let inside = limits.band.is_none_or(|[lo, hi]| now >= lo && now <= hi);
        // A number that was 0 has no share that it may change by.
        let steady = limits
            .drift
            .zip(was)
            .is_none_or(|(drift, was)| (now - was).abs() <= drift * was);
        let mut found = shown(now);
        if limits.drift.is_some() {
            found += &match was {
                Some(was) => format!(" after {}{}", shown(was), drifted(now, was)),
                None => " and nothing before to compare it with".to_owned(),
            };
        }
        let passed = inside && steady;
        Self {
            faults: u64::from(!passed),
            ..Self::new(check, passed, found)
        }
    }
}

/// How much a number differs from what it was.
fn drifted(now: f64, was: f64) -> String {
    match was {
        0.0 => String::new(),
        was => format!(" ({:+.2} %)", (now / was - 1.0) * 100.0),
    }
}

/// A whole number of plants.
pub(super) fn count(n: f64) -> String {
    format!("{} plants", ticks::count(n as u64))
}

/// A share of the ground.
pub(super) fn percent(share: f64) -> String {
    format!("{} %", ticks::trimmed(share * 100.0, 3))
}

/// What must hold, in words.
fn expected(check: &Check) -> String {
    let plant = |species: &Option<String>| species.clone().unwrap_or_else(|| "plant".to_owned());
    let most = match check.most {
        0 => "no".to_owned(),
        n => format!("at most {}", ticks::count(n)),
    };
    match &check.kind {
        CheckKind::Void { species } => format!("{most} {} on a void", plant(species)),
        CheckKind::Roots {
            species,
            tolerance_m,
            ..
        } => {
            let off = ticks::metres(*tolerance_m);
            format!("{most} {} more than {off} off the ground", plant(species))
        }
        CheckKind::Overlap { .. } => {
            format!("{most} plants of two species whose footprints overlap")
        }
        CheckKind::KeepOff {
            stratum,
            distance_m,
            species,
        } if *distance_m > 0.0 => {
            let off = ticks::metres(*distance_m);
            format!("{most} {} within {off} of {stratum}", plant(species))
        }
        CheckKind::KeepOff {
            stratum, species, ..
        } => format!("{most} {} on {stratum}", plant(species)),
        CheckKind::Coverage { stratum, limits } => {
            let limits = in_words(limits, &percent, " of the ground");
            format!("{stratum}: {limits}")
        }
        CheckKind::Count { species, limits } => {
            let name = species.as_deref().unwrap_or("all species");
            let limits = in_words(limits, &|n| ticks::count(n as u64), " plants");
            format!("{name}: {limits}")
        }
        CheckKind::Seams => format!("{most} side of a tile that shows"),
    }
}

fn in_words(limits: &Limits, shown: &dyn Fn(f64) -> String, unit: &str) -> String {
    let band = limits
        .band
        .map(|[lo, hi]| format!("{} to {}{unit}", shown(lo), shown(hi)));
    let drift = limits
        .drift
        .map(|drift| format!("at most {} more or less than before", percent(drift)));
    let both: Vec<String> = [band, drift].into_iter().flatten().collect();
    both.join(", and ")
}
