//! What is wrong with a config, printed so that the mistake can be seen: the place, the line, and what was expected.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::document::Span;
use super::sources::Sources;

/// Why a config was not loaded. `Display` prints one paragraph per mistake, in the order of the text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file could not be read.
    #[error("error: cannot read the config `{}`: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file was read, and something in it is wrong.
    #[error("{}", paragraphs(mistakes))]
    Invalid {
        /// At least one mistake, in the order of the text.
        mistakes: Vec<Mistake>,
    },
}

fn paragraphs(mistakes: &[Mistake]) -> String {
    let all: Vec<String> = mistakes.iter().map(Mistake::to_string).collect();
    all.join("\n\n")
}

/// One mistake in a config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The config file, or the one that it includes.
    pub path: PathBuf,
    /// Where in the file; `None` where something is missing from the file as a whole.
    pub place: Option<Place>,
    /// What was expected at the place; empty where the message says it all.
    pub expected: String,
    /// How to put it right, where that can be guessed.
    pub help: Option<String>,
}

/// A place in a text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// How many characters of the line are meant, at least 1.
    pub width: usize,
    /// The line, without its end.
    pub text: String,
}

impl Place {
    /// The place of some bytes of a text; of a span over several lines, the part on the first.
    pub(super) fn new(text: &str, span: &Span) -> Self {
        let mut start = span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let line_start = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let line = text[line_start..].lines().next().unwrap_or("");
        let before = text[line_start..start].chars().count();
        let end = span.end.clamp(start, line_start.max(start) + line.len());
        let width = text.get(start..end).map_or(1, |part| {
            part.trim_end_matches(['\r', '\n']).chars().count()
        });
        let left = line.chars().count().saturating_sub(before);
        Self {
            line: text[..start].matches('\n').count() + 1,
            column: before + 1,
            width: width.clamp(1, left.max(1)),
            text: line.into(),
        }
    }

    /// The line as it is printed, and how many characters stand in front of the mark: long lines are cut around it.
    fn excerpt(&self) -> (String, usize) {
        const LONGEST: usize = 160;
        const BEFORE: usize = 60;
        // Control characters have no width to put a mark under.
        let shown = |c: char| if c.is_control() { ' ' } else { c };
        let before = self.column - 1;
        let from = if self.text.chars().count() > LONGEST {
            before.saturating_sub(BEFORE)
        } else {
            0
        };
        let ellipsis = if from > 0 { "…" } else { "" };
        let cut = self.text.chars().skip(from).take(LONGEST).map(shown);
        let text = format!("{ellipsis}{}", cut.collect::<String>());
        (text, before - from + ellipsis.chars().count())
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, expected) = (self.path.display(), &self.expected);
        write!(f, "error: {}", self.message)?;
        let gutter = match &self.place {
            None => {
                write!(f, "\n --> {path}")?;
                if !expected.is_empty() {
                    write!(f, "\n  = {expected}")?;
                }
                " ".into()
            }
            Some(place) => {
                let gutter = " ".repeat(place.line.to_string().len());
                let (text, before) = place.excerpt();
                let longest = text.chars().count().saturating_sub(before).max(1);
                let (space, mark) = (" ".repeat(before), "^".repeat(place.width.min(longest)));
                let marked = format!("{space}{mark} {expected}");
                write!(f, "\n{gutter}--> {path}:{}:{}", place.line, place.column)?;
                write!(f, "\n{gutter} |\n{} | {}", place.line, text.trim_end())?;
                write!(f, "\n{gutter} | {}", marked.trim_end())?;
                gutter
            }
        };
        match &self.help {
            Some(help) => write!(f, "\n{gutter} = help: {help}"),
            None => Ok(()),
        }
    }
}

/// The text of a config while it is looked at, and the mistakes found so far.
pub(super) struct Findings<'a> {
    sources: &'a Sources,
    found: Vec<(usize, Mistake)>,
}

impl<'a> Findings<'a> {
    /// No mistake yet.
    pub fn new(sources: &'a Sources) -> Self {
        let found = Vec::new();
        Self { sources, found }
    }

    /// Whether there is no mistake yet.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The line a place is on, from 1; where there are several files, of which.
    pub fn line(&self, span: &Span) -> String {
        let (path, text, span) = self.sources.at(span);
        let line = Place::new(text, &span).line;
        match self.sources.included().len() {
            0 => line.to_string(),
            _ => format!("{line} of {}", path.display()),
        }
    }

    /// Notes a mistake at a place; `None` is the file as a whole.
    pub fn note(
        &mut self,
        span: Option<&Span>,
        message: String,
        expected: String,
        help: Option<String>,
    ) {
        let (path, place) = match span.map(|span| self.sources.at(span)) {
            Some((path, text, span)) => (path, Some(Place::new(text, &span))),
            None => (self.sources.path(), None),
        };
        let mistake = Mistake {
            message,
            path: path.to_path_buf(),
            place,
            expected,
            help,
        };
        let order = span.map_or(0, |span| span.start);
        self.found.push((order, mistake));
    }

    /// The mistakes in the order of the text. What several species take over from one is wrong once.
    pub fn into_mistakes(mut self) -> Vec<Mistake> {
        self.found.sort_by_key(|&(order, _)| order);
        let mut kept: Vec<(usize, Mistake)> = Vec::new();
        for (order, mistake) in self.found {
            let mut beside = kept.iter().rev().take_while(|(other, _)| *other == order);
            if beside.all(|(_, known)| *known != mistake) {
                kept.push((order, mistake));
            }
        }
        kept.into_iter().map(|(_, mistake)| mistake).collect()
    }

    /// The mistakes in the order of the text, as an error.
    pub fn into_error(self) -> ConfigError {
        ConfigError::Invalid {
            mistakes: self.into_mistakes(),
        }
    }
}

/// The known word most like `word`, if any is like it.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let near = known.into_iter().filter_map(|candidate| {
        let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
        // As many slips as rustc forgives: one in three letters.
        let forgiven = word.chars().count().max(3) / 3;
        (distance <= forgiven).then_some((distance, candidate))
    });
    near.min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Words in code marks, joined by commas.
pub(super) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
