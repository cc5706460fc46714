//! The only place that prints: results on standard output, everything else on standard error.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::OnceLock;

use ecotone_bake::Reaches;
use ecotone_grid::Reach;
use serde_json::{Value, json};

/// How a command speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Voice {
    /// Results and progress as JSON lines.
    pub(crate) json: bool,
}

impl Voice {
    /// A result for people.
    pub(crate) fn line(self, text: impl Display) {
        if !self.json {
            print(text);
        }
    }

    /// A result for machines.
    pub(crate) fn json(self, value: &serde_json::Value) {
        if self.json {
            print(value);
        }
    }

    /// Something a person should know, though the work goes on.
    pub(crate) fn warn(self, text: impl Display) {
        note(format_args!("warning: {text}"));
        self.json(&serde_json::json!({ "event": "warning", "message": text.to_string() }));
    }
}

/// The first line that could not be written.
static UNHEARD: OnceLock<io::Error> = OnceLock::new();

/// One line on standard output. A reader that has gone away is no fault of ours: the exit code still tells.
pub(crate) fn print(text: impl Display) {
    let mut out = io::stdout().lock();
    let said = writeln!(out, "{text}").and_then(|()| out.flush());
    if let Err(error) = said
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        UNHEARD.get_or_init(|| error);
    }
}

/// Why a line did not reach standard output, such as a full disk; a reader that has gone away is no reason.
pub(crate) fn unheard() -> Option<io::Error> {
    let error = UNHEARD.get()?;
    let code = error.raw_os_error().map(io::Error::from_raw_os_error);
    Some(code.unwrap_or_else(|| error.kind().into()))
}

/// One line on standard error.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A whole number with its thousands apart: 1,234,567.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with so many decimals at the most, and none that are 0 at its end.
pub(crate) fn decimal(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}

/// A time for people: 4.2 s, 3 min 12 s, 2 h 5 min.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole / 60 % 60),
    }
}

/// Bytes for people: 12.3 MiB.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{n} bytes")
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// How far each stage reads, in pixels east-west and north-south, for machines.
pub(crate) fn reach_px(reaches: &Reaches) -> Value {
    let pixels = |reach: Reach| [reach.x, reach.y];
    json!({
        "strata": pixels(reaches.strata),
        "sdf": pixels(reaches.sdf),
        "plants": pixels(reaches.plants),
        "total": pixels(reaches.total()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(decimal(1200.0, 3), "1200");
        assert_eq!(decimal(8.192_000_000_1, 3), "8.192");
        assert_eq!(decimal(-0.5, 3), "-0.5");
        assert_eq!(duration(4.21), "4.2 s");
        assert_eq!(duration(192.4), "3 min 12 s");
        assert_eq!(duration(7512.0), "2 h 5 min");
        assert_eq!(bytes(100), "100 bytes");
        assert_eq!(bytes(12_897_485), "12.3 MiB");
    }
}
