//! `ecotone pin`.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use ecotone_bake::edit::{Editing, PinLine, PinOp, PinRequest};
use ecotone_store::{Orphan, Pin, World, orphans, pins};
use serde_json::json;

use crate::args::{PinArgs, PinWord, parse_id};
use crate::bake::threads;
use crate::edit::commit;
use crate::error::CliError;
use crate::say::{Voice, thousands};

pub(crate) fn pin(args: &PinArgs, voice: Voice) -> Result<(), CliError> {
    if args.op == Some(PinWord::List) {
        return list(args, voice);
    }
    let (lines, file) = lines(args)?;
    let mut editing = Editing::open(&args.world)?;
    if let Some(warning) = editing.of_config() {
        voice.warn(warning);
    }
    editing.pin(&lines, file.as_deref())?;
    let made: Vec<_> = editing.log().last().cloned().into_iter().collect();
    let cost = (args.memory, threads(args.threads));
    commit(editing, (&args.world, cost), (&made, &[]), voice)
}

/// What is asked for, and the name of the file that it was read from.
fn lines(args: &PinArgs) -> Result<(Vec<PinLine>, Option<String>), CliError> {
    if args.orphans {
        let why = "--orphans is for `pin list`";
        return Err(CliError::PinUsage { why });
    }
    let op = args.op.and_then(op_of);
    if let Some(path) = &args.csv {
        let (name, text) = read(path)?;
        let lines = table(&text, op, args.within).map_err(|why| CliError::PinFile {
            file: name.clone(),
            why,
        })?;
        return Ok((lines, Some(name)));
    }
    let why = "expected add, remove, move, lock or list";
    let asked = PinRequest {
        op: op.ok_or(CliError::PinUsage { why })?,
        species: args.species.clone(),
        id: args.id,
        at: args.at,
        to: args.to,
        within: args.within,
        size: args.size,
        yaw: args.yaw,
        variant: args.variant.clone(),
        tint: args.tint,
    };
    let (line, asked) = (None, Ok(asked));
    Ok((vec![PinLine { line, asked }], None))
}

fn op_of(word: PinWord) -> Option<PinOp> {
    match word {
        PinWord::Add => Some(PinOp::Add),
        PinWord::Remove => Some(PinOp::Remove),
        PinWord::Move => Some(PinOp::Move),
        PinWord::Lock => Some(PinOp::Lock),
        PinWord::List => None,
    }
}

/// A file, or standard input for `-`, and what it is called.
fn read(path: &Path) -> Result<(String, Vec<u8>), CliError> {
    let mut text = Vec::new();
    let (name, read) = if path == Path::new("-") {
        let read = std::io::stdin().read_to_end(&mut text).map(drop);
        ("standard input".to_owned(), read)
    } else {
        let read = std::fs::read(path).map(|bytes| text = bytes);
        (path.display().to_string(), read)
    };
    let unreadable = |source| CliError::Unreadable {
        path: path.to_owned(),
        source,
    };
    read.map_err(unreadable)?;
    Ok((name, text))
}

/// The columns that a file may have.
const COLUMNS: [&str; 11] = [
    "op", "species", "id", "x", "y", "to_x", "to_y", "size", "yaw", "variant", "tint",
];

/// Where each of [`COLUMNS`] stands in a file.
struct Columns([Option<usize>; COLUMNS.len()]);

impl Columns {
    fn of(header: &csv::StringRecord) -> Self {
        let place = |name: &str| header.iter().position(|own| own.trim() == name);
        Self(COLUMNS.map(place))
    }

    /// The text of a column in a line; `None` where it is empty or missing.
    fn text<'a>(&self, name: &str, line: &'a csv::StringRecord) -> Option<&'a str> {
        let column = COLUMNS.iter().position(|own| *own == name)?;
        let text = line.get(self.0[column]?)?.trim();
        (!text.is_empty()).then_some(text)
    }

    fn number<T: FromStr>(
        &self,
        name: &str,
        line: &csv::StringRecord,
    ) -> Result<Option<T>, String> {
        let text = self.text(name, line);
        let number = text.map(|text| {
            let wrong = |_| format!("expected a number for {name}, found \"{text}\"");
            text.parse().map_err(wrong)
        });
        number.transpose()
    }

    /// Two columns that only make sense together.
    fn place(
        &self,
        [x, y]: [&str; 2],
        line: &csv::StringRecord,
    ) -> Result<Option<[f64; 2]>, String> {
        match (self.number(x, line)?, self.number(y, line)?) {
            (Some(x), Some(y)) => Ok(Some([x, y])),
            (None, None) => Ok(None),
            _ => Err(format!("expected both {x} and {y}, or neither")),
        }
    }
}

/// Reads a file of pins; `op` is what is done where a line does not say it. What is wrong with a line stands in its place.
fn table(text: &[u8], op: Option<PinOp>, within: f64) -> Result<Vec<PinLine>, String> {
    // Spreadsheets begin their files with a mark of their encoding.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text);
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let columns = Columns::of(&header);
    let has = |name: &str| header.iter().any(|own| own.trim() == name);
    if !has("id") && !has("x") {
        let expected = COLUMNS.join(", ");
        return Err(format!(
            "its first line must name its columns, with id or x and y among them; known are {expected}"
        ));
    }
    let mut lines = Vec::new();
    let mut record = csv::StringRecord::new();
    loop {
        let line = Some(first_line(text, reader.position()));
        let asked = match reader.read_record(&mut record) {
            Ok(false) => return Ok(lines),
            Ok(true) => request(&columns, &record, op, within),
            Err(error) => Err(error.to_string()),
        };
        lines.push(PinLine { line, asked });
    }
}

/// The line in which the record after a position begins: the reader skips empty ones.
fn first_line(text: &[u8], at: &csv::Position) -> u64 {
    let rest = text.get(at.byte() as usize..).unwrap_or_default();
    let empty = rest.iter().take_while(|byte| b"\r\n".contains(byte));
    at.line() + empty.filter(|byte| **byte == b'\n').count() as u64
}

fn request(
    columns: &Columns,
    line: &csv::StringRecord,
    op: Option<PinOp>,
    within: f64,
) -> Result<PinRequest, String> {
    let text = |name| columns.text(name, line);
    let op = match text("op") {
        Some(word) => {
            let found = PinOp::ALL.into_iter().find(|op| op.word() == word);
            found.ok_or(format!(
                "expected add, remove, move or lock for op, found \"{word}\""
            ))?
        }
        None => op.ok_or("it does not say what to do: give it an op")?,
    };
    let id = text("id").map(parse_id).transpose()?;
    Ok(PinRequest {
        op,
        species: text("species").map(str::to_owned),
        id: id.filter(|_| op != PinOp::Add),
        at: columns.place(["x", "y"], line)?,
        to: columns.place(["to_x", "to_y"], line)?,
        within,
        size: columns.number("size", line)?,
        yaw: columns.number("yaw", line)?,
        variant: text("variant").map(str::to_owned),
        tint: columns.number("tint", line)?,
    })
}

/// A pin for people.
struct Shown<'a>(&'a Pin<'a>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pin { edit, record, .. } = self.0;
        let word = match record.stands {
            Some(_) => "set",
            None => "removed",
        };
        let [x, y] = record.metres();
        write!(f, "{edit:>4}  {word:<8}{} at ({x}, {y})", record.species)
    }
}

fn list(args: &PinArgs, voice: Voice) -> Result<(), CliError> {
    let world = World::open(&args.world)?;
    let manifest = world.manifest();
    let lost = orphans(manifest, &world.ledger()?);
    let pins = pins(&manifest.edits);
    if !args.orphans {
        for pin in &pins {
            voice.line(Shown(pin));
        }
    }
    if pins.is_empty() {
        voice.line(format_args!("{} has no pins", args.world.display()));
    }
    for orphan in &lost {
        voice.line(format_args!("lost  {orphan}"));
    }
    let n = [pins.len(), lost.len()].map(|n| thousands(n as u64));
    voice.line(format_args!(
        "pins: {}, of which {} lost their ground",
        n[0], n[1]
    ));
    let pins = pins.iter().filter(|_| !args.orphans).map(|pin| {
        let mut record = json!(pin.record);
        [record["x"], record["y"]] = pin.record.metres().map(|metres| json!(metres));
        json!({ "edit": pin.edit, "pin": record })
    });
    voice.json(&json!({
        "event": "pins",
        "directory": args.world,
        "pins": pins.collect::<Vec<_>>(),
        "orphans": lost,
    }));
    Ok(())
}

/// So many orphans are told one by one.
const MOST_TOLD: usize = 5;

/// How many pins have lost their ground and the first of them; nothing where none has.
pub(crate) fn orphan_lines(orphans: &[Orphan]) -> Vec<String> {
    if orphans.is_empty() {
        return Vec::new();
    }
    let n = thousands(orphans.len() as u64);
    let have = match orphans.len() {
        1 => "plant that was pinned by hand has lost its",
        _ => "plants that were pinned by hand have lost their",
    };
    let mut lines = vec![format!("{n} {have} ground")];
    lines.extend(orphans.iter().take(MOST_TOLD).map(ToString::to_string));
    if orphans.len() > MOST_TOLD {
        lines.push("all of them are listed by `ecotone pin DIR list --orphans`".to_owned());
    }
    lines
}

/// Says which pins have lost their ground, where any has.
pub(crate) fn tell_orphans(orphans: &[Orphan], voice: Voice) {
    let mut heading = "orphans     ";
    for line in orphan_lines(orphans) {
        voice.line(format_args!("{heading}{line}"));
        heading = "  ";
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn columns_go_by_their_names() {
        let text =
            "y,x,other,op,species\n2,1,?,add,oak\n\n,,,remove,\n3,4,5,fell,oak\n1,,,add,oak\n";
        let lines = table(text.as_bytes(), None, 2.0).unwrap();
        let first = lines[0].asked.as_ref().unwrap();
        assert_eq!((first.op, first.at), (PinOp::Add, Some([1.0, 2.0])));
        assert_eq!(first.species.as_deref(), Some("oak"));
        let told: Vec<_> = lines
            .iter()
            .map(|own| (own.line, own.asked.is_ok()))
            .collect();
        assert_eq!(
            told,
            [
                (Some(2), true),
                (Some(4), true),
                (Some(5), false),
                (Some(6), false)
            ]
        );
        let why = |idx: usize| lines[idx].asked.clone().unwrap_err();
        assert!(
            why(2).contains("\"fell\"") && why(3).contains("both x and y"),
            "{}",
            why(3)
        );
    }

    #[test]
    fn what_a_file_does_not_say_the_command_does() {
        let lines = table(
            b"\xef\xbb\xbfid\r\n7\r\n0x10\r\nx\r\n",
            Some(PinOp::Lock),
            2.0,
        )
        .unwrap();
        let ids: Vec<_> = lines
            .iter()
            .map(|own| own.asked.as_ref().ok().and_then(|a| a.id))
            .collect();
        assert_eq!(ids, [Some(7), Some(16), None]);
        assert!(table(b"id\n7\n", None, 2.0).unwrap()[0].asked.is_err());
        assert!(
            table(b"a,b\n1,2\n", None, 2.0)
                .unwrap_err()
                .contains("first line")
        );
    }
}
