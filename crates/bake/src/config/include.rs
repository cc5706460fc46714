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

/// What the key `include` of a config asks for.
///
/// # Errors
/// [`ConfigError::Invalid`] where its value is not what the schema says, or what is included cannot go on behind the config.
pub(super) fn wanted(root: &Node, include: &Node, main: &Sources) -> Result<Wanted, ConfigError> {
    let mut findings = Findings::new(main);
    shape::check_key("include", include, &mut findings);
    for table in TABLES {
        if let Some(node) = root.get(table) {
            goes_on(table, node, &main.text, &mut findings);
        }
    }
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
    let mut known = BTreeSet::new();
    let mut files = Vec::new();
    for entry in &wanted.entries {
        let paths = matches(base_dir, &entry.name)
            .and_then(|paths| beside(main, paths))
            .unwrap_or_else(|(message, help)| {
                findings.note(Some(&entry.span), message, String::new(), help);
                Vec::new()
            });
        let new = paths.into_iter().filter(|path| known.insert(same(path)));
        files.extend(new.map(|path| {
            Found {
                name: path
                    .strip_prefix(base_dir)
                    .unwrap_or(&path)
                    .display()
                    .to_string(),
                span: entry.span.clone(),
                path,
            }
        }));
    }
    if files.len() > MOST_FILES {
        let message = format!("the config includes more than {MOST_FILES} files");
        findings.note(Some(&wanted.span), message, String::new(), None);
        files.clear();
    }
    files
}

/// One path for all the paths of a file.
fn same(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The files that are not the config: a glob over its own folder finds that too.
fn beside(main: &Path, mut paths: Vec<PathBuf>) -> Result<Vec<PathBuf>, Refusal> {
    let main = same(main);
    paths.retain(|path| same(path) != main);
    if paths.is_empty() {
        let help = String::from("name the files that hold its species");
        return Err((String::from("the config includes itself"), Some(help)));
    }
    Ok(paths)
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
        let headers = TABLES.map(header);
        let help = match nearest(key, TABLES) {
            Some(near) => format!("did you mean `{}`?", header(near)),
            None => format!("write `{key}` in the config itself"),
        };
        findings.note(
            Some(span),
            format!("`{key}` in an included file"),
            format!(
                "expected only {}",
                listed(headers.iter().map(String::as_str))
            ),
            Some(help),
        );
    } else {
        goes_on(key, node, text, findings);
    }
}

/// Notes a list that does not stand under `[[headers]]`: only such a list can go on in another file.
fn goes_on(key: &str, node: &Node, text: &str, findings: &mut Findings<'_>) {
    let span = node.key.as_ref().unwrap_or(&node.span);
    let before = text.get(..span.start).unwrap_or("");
    let has_headers = before.trim_end_matches([' ', '\t']).ends_with("[[");
    if matches!(node.value, Value::List(_)) && has_headers {
        return;
    }
    findings.note(
        Some(span),
        format!("`{key}` is not under a header of its own, and several files hold it"),
        format!("expected {}", header(key)),
        Some(format!("write `{}`", header(key))),
    );
}

fn header(table: &str) -> String {
    format!("[[{table}]]")
}
