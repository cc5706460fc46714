//! The text of a config, and the files that it was put together from.

use std::path::{Path, PathBuf};

use super::document::Span;

/// What stands in front of each file behind the first, before its name.
const MARK: &str = "\n# included from ";

/// Whether a text was put together from several files, by its comments.
pub(super) fn is_of_several(text: &str) -> bool {
    text.contains(MARK)
}

/// One text made of one or more files; a place in it is a place in one of them.
#[derive(Clone, Debug)]
pub(super) struct Sources {
    /// The whole text.
    pub text: String,
    /// The files in the order of the text; never empty, and the first is the config itself.
    files: Vec<File>,
}

/// A file of a text.
#[derive(Clone, Debug)]
struct File {
    path: PathBuf,
    /// Where it begins in the whole text.
    start: usize,
    /// Its text as its writer sees it.
    text: String,
}

impl Sources {
    /// The text of one file.
    pub fn new(path: &Path, text: &str) -> Self {
        let file = File {
            path: path.to_owned(),
            start: 0,
            text: text.to_owned(),
        };
        Self {
            text: text.to_owned(),
            files: vec![file],
        }
    }

    /// Puts spaces in the place of some bytes, so that no other place moves; a mistake there is still shown as it was
    /// written.
    pub fn blank(&mut self, span: &Span) {
        let blanked: String = self.text[span.clone()]
            .bytes()
            .map(|byte| if byte == b'\n' { '\n' } else { ' ' })
            .collect();
        self.text.replace_range(span.clone(), &blanked);
    }

    /// Puts a file behind the others, under a comment that names it.
    pub fn add(&mut self, path: PathBuf, name: &str, text: &str) {
        // A line break in a name would end the comment.
        let name = name.replace(char::is_control, " ");
        self.text.push_str(&format!("{MARK}{name}\n"));
        let start = self.text.len();
        self.text.push_str(text);
        self.files.push(File {
            path,
            start,
            text: text.to_owned(),
        });
    }

    /// The files beside the config itself.
    pub fn included(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.files[1..].iter().map(|file| file.path.as_path())
    }

    /// The file that a place is in, its text, and the place in that.
    pub fn at(&self, span: &Span) -> (&Path, &str, Span) {
        let file = self.files.iter().rfind(|file| file.start <= span.start);
        let file = file.unwrap_or(self.whole());
        let within = span.start.saturating_sub(file.start)..span.end.saturating_sub(file.start);
        (&file.path, &file.text, within)
    }

    /// The config itself, where a mistake is about the whole.
    pub fn path(&self) -> &Path {
        &self.whole().path
    }

    fn whole(&self) -> &File {
        self.files.first().expect("a text has at least one file")
    }
}
