//! The cells of a table of comma-separated values (RFC 4180, UTF-8).

use std::io::Write;

/// Writes a table cell by cell.
pub(crate) struct Cells<W: Write> {
    csv: csv::Writer<W>,
    cell: Vec<u8>,
}

impl<W: Write> Cells<W> {
    /// A table with its heading.
    pub(crate) fn new(out: W, header: &[&str]) -> csv::Result<Self> {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(header)?;
        Ok(Self {
            csv,
            cell: Vec::new(),
        })
    }

    /// A cell of text.
    pub(crate) fn text(&mut self, text: &str) -> csv::Result<()> {
        self.csv.write_field(text)
    }

    /// A cell of whatever can be shown.
    pub(crate) fn shown(&mut self, shown: impl std::fmt::Display) -> csv::Result<()> {
        self.cell.clear();
        write!(self.cell, "{shown}")?;
        self.csv.write_field(&self.cell)
    }

    /// A position in metres with every digit: a step is 0.0009765625 m.
    pub(crate) fn steps(&mut self, steps: i64) -> csv::Result<()> {
        const STEP_E10: u64 = 9_765_625;
        let (sign, steps) = (sign(steps), steps.unsigned_abs());
        let fraction = format!("{:010}", steps % 1024 * STEP_E10);
        let digits = fraction.trim_end_matches('0');
        let point = if digits.is_empty() { "" } else { "." };
        self.shown(format_args!("{sign}{}{point}{digits}", steps / 1024))
    }

    /// A height in metres to the millimetre.
    pub(crate) fn millimetres(&mut self, mm: i32) -> csv::Result<()> {
        let (sign, mm) = (sign(i64::from(mm)), mm.unsigned_abs());
        self.shown(format_args!("{sign}{}.{:03}", mm / 1000, mm % 1000))
    }

    /// Ends a row.
    pub(crate) fn end_row(&mut self) -> csv::Result<()> {
        self.csv.write_record(None::<&[u8]>)
    }

    /// Hands all of it on.
    pub(crate) fn finish(mut self) -> csv::Result<()> {
        Ok(self.csv.flush()?)
    }
}

fn sign(number: i64) -> &'static str {
    if number < 0 { "-" } else { "" }
}
