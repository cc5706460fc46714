//! Files that a config includes, read and put behind its own text.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::document::{Node, Span, Value};
use super::error::{ConfigError, Findings, Mistake, listed, nearest};
use super::sources::Sources;
use super::{shape, syntax, text};

/// The tables that an included file may hold.
const TABLES: [&str; 3] = ["species", "biome", "group"];

/// The most files that a config includes: far more than anybody writes, and few enough to be read at once.
const MOST_FILES: usize = 10_000;

/// What a config asks to be included.
pub(super) struct Wanted {
    /// The key and its value.
    span: Span,
    entries: Vec<Entry>,
}

/// A name or a glob, and its place.
struct Entry {
    name: String,
    span: Span,
}

/// A file to include.
struct Found {
    path: PathBuf,
    /// How the config's writer would name it.
    name: String,
    /// The entry that found it.
    span: Span,
}

/// What the key `include` asks for.
///
/// # Errors
/// [`ConfigError::Invalid`] where its value is not what the schema says.
pub(super) fn wanted(include: &Node, main: &Sources) -> Result<Wanted, ConfigError> {
    let mut findings = Findings::new(main);
    shape::check_key("include", include, &mut findings);
    if !findings.is_empty() {
        return Err(findings.into_error());
    }
    let entry = |node: &Node| {
        Some(Entry {
            name: node.text()?.to_owned(),
            span: node.span.clone(),
        })
    };
    let entries = match &include.value {
        Value::List(list) => list.iter().filter_map(entry).collect(),
        _ => entry(include).into_iter().collect(),
    };
    let start = include.key.as_ref().unwrap_or(&include.span).start;
    Ok(Wanted {
        span: start..include.span.end,
        entries,
    })
}

/// Puts the wanted files behind a config, in whose text the key then stands no more.
pub(super) fn gather(
    main: Sources,
    wanted: &Wanted,
    base_dir: &Path,
) -> Result<Sources, ConfigError> {
    let mut findings = Findings::new(&main);
    let files = find(wanted, main.path(), base_dir, &mut findings);
    let mut texts = Vec::new();
    let mut mistakes = Vec::new();
    for file in &files {
        match read(&file.path) {
            Ok(Ok(text)) => {
                mistakes.extend(mistakes_in(&text, &file.path));
                texts.push(text);
            }
            Ok(Err(mistake)) => mistakes.push(*mistake),
            Err(why) => {
                let message = format!("cannot read {}: {why}", file.path.display());
                findings.note(Some(&file.span), message, String::new(), None);
            }
        }
    }
    let mut all = findings.into_mistakes();
    all.extend(mistakes);
    if !all.is_empty() {
        return Err(ConfigError::Invalid { mistakes: all });
    }
    let mut sources = main;
    sources.blank(&wanted.span);
    for (file, text) in files.into_iter().zip(texts) {
        sources.add(file.path, &file.name, &text);
    }
    Ok(sources)
}

fn read(path: &Path) -> std::io::Result<Result<String, Box<Mistake>>> {
    let text = text(fs::read(path)?, path);
    // A byte order mark is one only in front of everything.
    Ok(text.map(|text| match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }))
}

/// The files in the order in which they are included, each once.
fn find(wanted: &Wanted, main: &Path, base_dir: &Path, findings: &mut Findings<'_>) -> Vec<Found> {
    let same = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let main = same(main);
    let mut known = BTreeSet::new();
    let mut files = Vec::new();
    for entry in &wanted.entries {
        let mut note = |message: String, help: Option<&str>| {
            findings.note(
                Some(&entry.span),
                message,
                String::new(),
                help.map(str::to_owned),
            );
        };
        let mut paths = match matches(base_dir, &entry.name) {
            Ok(paths) => paths,
            Err((message, help)) => {
                note(message, help.as_deref());
                continue;
            }
        };
        // A glob over the config's own folder finds the config too.
        paths.retain(|path| same(path) != main);
        if paths.is_empty() {
            note(
                format!("`{}` names the config itself and no other file", entry.name),
                Some("name the files that hold its species"),
            );
        }
        for path in paths.into_iter().filter(|path| known.insert(same(path))) {
            let name = path.strip_prefix(base_dir).unwrap_or(&path);
            files.push(Found {
                name: name.display().to_string(),
                span: entry.span.clone(),
                path,
            });
        }
        if files.len() > MOST_FILES {
            note(
                format!("the config includes more than {MOST_FILES} files"),
                None,
            );
            return Vec::new();
        }
    }
    files
}

/// Why a name or a glob means no file, and what to do.
type Refusal = (String, Option<String>);

/// The files that a name or a glob means, by name; at least one.
fn matches(base_dir: &Path, entry: &str) -> Result<Vec<PathBuf>, Refusal> {
    let whole = base_dir.join(entry);
    if whole.is_file() {
        return Ok(vec![whole]);
    }
    if whole.is_dir() {
        let message = format!("{} is a folder, and a file is expected", whole.display());
        let glob = Path::new(entry).join("*.toml");
        let help = format!("write \"{}\" for all that are in it", glob.display());
        return Err((message, Some(help)));
    }
    if !entry.contains(['*', '?', '[']) {
        let message = format!("there is no file {}", whole.display());
        let help = match alike(&whole) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "file names are relative to the config's folder".to_owned(),
        };
        return Err((message, Some(help)));
    }
    let files = globbed(base_dir, entry)?;
    if files.is_empty() {
        let message = format!("no file matches {}", whole.display());
        let help = "file names are relative to the config's folder, and capitals count";
        return Err((message, Some(help.to_owned())));
    }
    Ok(files)
}

fn globbed(base_dir: &Path, entry: &str) -> Result<Vec<PathBuf>, Refusal> {
    // The config's own folder is no pattern, whatever signs are in its name.
    let folder = glob::Pattern::escape(&base_dir.to_string_lossy());
    let pattern = Path::new(&folder).join(entry);
    let found = glob::glob(&pattern.to_string_lossy()).map_err(|why| {
        let help = "`*` and `?` stand for anything and any one sign, and [abc] for one of a, b and c; `[[]` is a plain [";
        let message = format!("`{entry}` is no pattern: {}", why.msg);
        (message, Some(help.to_owned()))
    })?;
    let files = found.filter(|path| path.as_ref().map_or(true, |path| !path.is_dir()));
    let listed: Result<Vec<_>, _> = files.take(MOST_FILES + 1).collect();
    let mut files = listed.map_err(|why| {
        let message = format!("cannot list {}: {}", why.path().display(), why.error());
        (message, None)
    })?;
    files.sort();
    Ok(files)
}

/// The file beside a path that is named most like it.
fn alike(path: &Path) -> Option<String> {
    let entries = fs::read_dir(path.parent()?).ok()?.take(MOST_FILES);
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    let name = path.file_name()?.to_str()?;
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// What is wrong with an included file by itself: syntax, and what it may not hold.
fn mistakes_in(text: &str, path: &Path) -> Vec<Mistake> {
    let own = Sources::new(path, text);
    let mut findings = Findings::new(&own);
    let root = syntax(text, &mut findings);
    if let (true, Value::Table(tables)) = (findings.is_empty(), &root.value) {
        for (key, node) in tables {
            table(key, node, text, &mut findings);
        }
    }
    findings.into_mistakes()
}

fn table(key: &str, node: &Node, text: &str, findings: &mut Findings<'_>) {
    let span = node.key.as_ref().unwrap_or(&node.span);
    if key == "include" {
        findings.note(
            Some(span),
            String::from("`include` in an included file"),
            String::from("only the config itself includes files"),
            Some(String::from("name the file in the `include` of the config")),
        );
    } else if !TABLES.contains(&key) {
        let near = nearest(key, TABLES);
        findings.note(
            Some(span),
            format!("`{key}` in an included file"),
            format!(
                "expected only {}",
                listed(TABLES.map(|table| header(table)).iter().map(String::as_str))
            ),
            Some(match near {
                Some(near) => format!("did you mean `[[{near}]]`?"),
                None => format!("write `{key}` in the config itself"),
            }),
        );
    } else if !has_headers(node, span, text) {
        findings.note(
            Some(span),
            format!("`{key}` in an included file is not under a header of its own"),
            format!("expected {}", header(key)),
            Some(format!("write `{}`", header(key))),
        );
    }
}

fn header(table: &str) -> String {
    format!("[[{table}]]")
}

/// Whether the entries of a list stand under `[[headers]]`: only those can go on in another file.
fn has_headers(node: &Node, key: &Span, text: &str) -> bool {
    let before = text
        .get(..key.start)
        .unwrap_or("")
        .trim_end_matches([' ', '\t']);
    matches!(node.value, Value::List(_)) && before.ends_with("[[")
}
