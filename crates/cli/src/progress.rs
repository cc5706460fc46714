//! How far a long command has come: a bar on a terminal, plain lines elsewhere, JSON lines for machines.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::say::{Voice, duration, note, thousands};

/// Plain and JSON progress comes this often at most.
const EVERY: Duration = Duration::from_secs(2);

/// The progress of one command.
pub(crate) struct Progress {
    voice: Voice,
    bar: Option<ProgressBar>,
    what: &'static str,
    /// Pixels of the whole work, for the rate.
    n_pixels: u64,
    start: Instant,
    last: Instant,
}

impl Progress {
    /// Starts the clock of work over so many pixels; 0 where no rate is wanted.
    pub(crate) fn new(voice: Voice, what: &'static str, n_pixels: u64) -> Self {
        let bar = (!voice.json && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{prefix} [{bar:36}] {percent:>3} % {msg}")
                .expect("the template is well-formed")
                .progress_chars("=> ");
            let bar = ProgressBar::new(1000).with_style(style);
            bar.set_prefix(what);
            bar
        });
        Self {
            voice,
            bar,
            what,
            n_pixels,
            start: Instant::now(),
            last: Instant::now(),
        }
    }

    /// Seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Reports that a share of the work in [0, 1] is done.
    pub(crate) fn report(&mut self, share: f64, n_plants: u64) {
        let seconds = self.seconds();
        let rate = share * self.n_pixels as f64 / 1e6 / seconds.max(1e-9);
        let left = seconds * (1.0 - share) / share.max(1e-9);
        let text = || {
            let plants = match n_plants {
                0 => String::new(),
                n => format!(" · {} plants", thousands(n)),
            };
            let rate = match self.n_pixels {
                0 => String::new(),
                _ => format!("{rate:.1} Mpx/s · "),
            };
            format!("{rate}{} left{plants}", duration(left))
        };
        if let Some(bar) = &self.bar {
            bar.set_position((share * 1000.0) as u64);
            bar.set_message(text());
            return;
        }
        if self.last.elapsed() < EVERY {
            return;
        }
        self.last = Instant::now();
        if self.voice.json {
            self.voice.json(&serde_json::json!({
                "event": "progress",
                "what": self.what,
                "share": share,
                "mpx_per_s": rate,
                "seconds_left": left,
                "plants": n_plants,
            }));
        } else {
            note(format_args!(
                "{} {:.0} % · {}",
                self.what,
                share * 100.0,
                text()
            ));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
