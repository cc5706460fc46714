//! Looks at a bake under way, for its report: how far it has come, and how much memory it takes.

use std::time::{Duration, Instant};

use ecotone_interchange::report::Moment;

/// The first looks are so far apart.
const EVERY: Duration = Duration::from_millis(50);

/// Looks that are kept: where there are more, every other is dropped and looks come half as often.
const MOST: usize = 512;

/// What was seen of a bake.
pub(crate) struct Watch {
    start: Instant,
    every: Duration,
    moments: Vec<Moment>,
    peak_bytes: Option<u64>,
}

impl Watch {
    /// Starts the clock.
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            every: EVERY,
            moments: Vec::new(),
            peak_bytes: None,
        }
    }

    /// A look, where the last one is long enough ago; `share` of the work is done.
    pub(crate) fn look(&mut self, share: f64) {
        let seconds = self.start.elapsed().as_secs_f64();
        let last = self.moments.last().map_or(0.0, |moment| moment.seconds);
        if share < 1.0 && seconds - last < self.every.as_secs_f64() {
            return;
        }
        let bytes = own_bytes();
        self.peak_bytes = self.peak_bytes.max(bytes);
        self.moments.push(Moment {
            seconds,
            share,
            bytes,
        });
        if self.moments.len() > MOST {
            let mut idx = 0;
            self.moments.retain(|_| {
                idx += 1;
                idx % 2 == 0
            });
            self.every *= 2;
        }
    }

    /// The looks, and the most memory at any of them.
    pub(crate) fn seen(self) -> (Vec<Moment>, Option<u64>) {
        (self.moments, self.peak_bytes)
    }
}

/// Bytes of this process, mapped files aside: they are the kernel's to take back.
fn own_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib = |key: &str| -> Option<u64> {
        let line = status.lines().find(|line| line.starts_with(key))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    Some((kib("RssAnon:")? + kib("RssShmem:")?) << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_bake_keeps_as_many_looks_as_a_short_one() {
        let mut watch = Watch::new();
        for _ in 0..5000 {
            watch.look(1.0);
        }
        let (moments, _) = watch.seen();
        assert!(moments.len() <= MOST && moments.len() > MOST / 4);
        assert!(moments.is_sorted_by(|a, b| a.seconds <= b.seconds));
    }
}
