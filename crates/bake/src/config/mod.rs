//! The config of a world: TOML read into checked structs.
//!
//! It knows no file but the config itself: whether the heights exist and are what they should be is for the bake to
//! find out, and [`Loaded::error_at`] lets it say so at the key that named them.
//!
//! ```
//! let text = "
//! terrain.heights = ['alps.tif']
//! [[stratum]]
//! name = 'meadow'
//! blnd = 6
//! ";
//! let error = ecotone_bake::config::parse(text, "world.toml".as_ref()).unwrap_err();
//! assert!(error.to_string().ends_with("= help: did you mean `blend`?"));
//! ```

mod biome;
mod check;
mod check_biomes;
mod check_conditions;
mod check_limits;
mod check_mask;
mod check_species;
mod conditions;
mod document;
mod error;
mod extend;
mod include;
mod keys;
mod limits;
mod reference;
mod schema;
mod shape;
mod sources;
mod species;
mod stratum;

use std::path::{Path, PathBuf};

use ecotone_store::content_digest;
use toml::de::DeTable;

use crate::edit::Edits;
use document::{KeyPath, Node};
use error::Findings;
use sources::Sources;

pub use biome::{Biome, Group};
pub use conditions::{
    AltitudeRule, Clusters, Conditions, CurvatureRule, DensityMask, DistanceRule, SlopeRule,
};
pub(crate) use error::nearest;
pub use error::{ConfigError, Mistake, Place};
pub use keys::{
    Alpha, ByteOrder, Compression, Config, Edges, Field, Gradient, Include, Normals, Output, Patch,
    PatchMode, PixelSizeChoice, PixelSizeWord, Raw, RawType, RowOrder, Terrain, Tiles,
};
pub use limits::{Level, Limit, LimitKind};
pub use reference::reference;
pub use schema::schema;
pub use species::{
    Curve, CurveWord, Edge, Facing, Near, SMALLEST_SPACING_M, Species, Variant, VariantKeys, Write,
};
pub use stratum::{
    AltitudeBand, AspectBand, CurvatureBand, CurvatureKind, MaskMode, Noise, Shifted, Stratum,
};

/// A config that holds together, with the file it came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What the file says, with what it includes: species have what they extend, templates are gone, defaults filled in.
    pub config: Config,
    /// The file.
    pub path: PathBuf,
    /// The file's text, and behind it that of the files it includes: a config of its own, which says the same without them.
    pub text: String,
    /// The folder that file names in the config are relative to.
    pub base_dir: PathBuf,
    /// What lies over what it describes.
    pub(crate) edits: Edits,
    sources: Sources,
    root: Node,
}

impl Loaded {
    /// The files that the config includes, in the order of [`text`](Self::text).
    pub fn included(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.sources.included()
    }

    /// A file name of the config as a path from the working directory.
    pub fn resolve(&self, name: &str) -> PathBuf {
        self.base_dir.join(name)
    }

    /// An error that points at a key, for what only a bake can find out.
    ///
    /// `key` is a path such as `species[2].density`, `terrain.heights[0]` or `species[0].strata."old.growth"`; where
    /// the file leaves the key out, the table it would stand in is shown. `message` is a sentence without a full stop.
    pub fn error_at(
        &self,
        key: &str,
        message: impl Into<String>,
        help: Option<String>,
    ) -> ConfigError {
        let mut findings = Findings::new(&self.sources);
        let node = self.root.find(&KeyPath::parse(key)).0;
        let span = (node.span != self.root.span).then_some(&node.span);
        findings.note(span, message.into(), String::new(), help);
        findings.into_error()
    }
}

/// Reads and checks a config file, and the files that it includes.
///
/// # Errors
/// [`ConfigError::Unreadable`] where the file is not to be had, else all the mistakes in it that can be told apart.
pub fn load(path: &Path) -> Result<Loaded, ConfigError> {
    let bytes = std::fs::read(path).map_err(|source| ConfigError::Unreadable {
        path: path.to_path_buf(),
        source,
    })?;
    let text = text(bytes, path).map_err(|mistake| ConfigError::Invalid {
        mistakes: vec![*mistake],
    })?;
    parse(&text, path)
}

/// The text of a file.
fn text(bytes: Vec<u8>, path: &Path) -> Result<String, Box<Mistake>> {
    String::from_utf8(bytes).map_err(|error| {
        let valid_up_to = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes());
        Box::new(Mistake {
            message: String::from("the config is not UTF-8"),
            path: path.to_path_buf(),
            place: Some(Place::new(&text, &(valid_up_to..valid_up_to + 1))),
            expected: String::from("expected UTF-8 text"),
            help: Some(String::from("save the file as UTF-8")),
        })
    })
}

/// Checks the text of a config; `path` is where it came from, and need not exist. Files that it includes are read.
///
/// # Errors
/// All the mistakes that can be told apart: first those of the syntax and of the files to include, then those of keys and
/// types, then the rest.
pub fn parse(text: &str, path: &Path) -> Result<Loaded, ConfigError> {
    let (sources, root) = gather(text, path)?;
    checked(sources, root, path)
}

/// Checks a world's own copy of the config in `path`; `copy` is where it lies.
///
/// It says the same without the files that the config includes. Where there are any, its lines are not those of the config, so
/// that mistakes are shown in the copy.
pub(crate) fn parse_copy(text: &str, path: &Path, copy: &Path) -> Result<Loaded, ConfigError> {
    let shown = if sources::is_of_several(text) {
        copy
    } else {
        path
    };
    let sources = Sources::new(shown, text);
    let root = document(&sources)?;
    checked(sources, root, path)
}

/// Whether a config's text, with what it includes, still has a digest; `None` where the config is not to be had.
pub(crate) fn is_still(path: &Path, digest: &str) -> Option<bool> {
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    // What cannot be put together any more is not what it was.
    let is_same = |whole: &Sources| content_digest(whole.text.as_bytes()) == digest;
    Some(gather(&text, path).is_ok_and(|(whole, _)| is_same(&whole)))
}

/// A text with the files that it includes, and the document that they are together.
fn gather(text: &str, path: &Path) -> Result<(Sources, Node), ConfigError> {
    let main = Sources::new(path, text);
    let root = document(&main)?;
    let Some(key) = root.get("include") else {
        return Ok((main, root));
    };
    let wanted = include::wanted(&root, key, &main)?;
    let sources = include::gather(main, &wanted, base_dir(path))?;
    let root = document(&sources)?;
    Ok((sources, root))
}

fn base_dir(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn document(sources: &Sources) -> Result<Node, ConfigError> {
    let mut findings = Findings::new(sources);
    let root = syntax(&sources.text, &mut findings);
    if findings.is_empty() {
        Ok(root)
    } else {
        Err(findings.into_error())
    }
}

fn checked(sources: Sources, mut root: Node, path: &Path) -> Result<Loaded, ConfigError> {
    let mut findings = Findings::new(&sources);
    extend::merge(&mut root, &mut findings);
    if findings.is_empty() {
        shape::check(&root, &mut findings);
    }
    if !findings.is_empty() {
        return Err(findings.into_error());
    }
    extend::resolve(&mut root);
    let config = match serde_json::from_value(root.to_json()) {
        Ok(config) => config,
        Err(error) => {
            // The schema is made from the same structs, so this is not expected; but it is input, so it is an error.
            findings.note(None, error.to_string(), String::new(), None);
            return Err(findings.into_error());
        }
    };
    check::check(&config, &root, &mut findings);
    if !findings.is_empty() {
        return Err(findings.into_error());
    }
    Ok(Loaded {
        config,
        path: path.to_path_buf(),
        text: sources.text.clone(),
        base_dir: base_dir(path).to_path_buf(),
        edits: Edits::default(),
        sources,
        root,
    })
}

fn syntax(text: &str, findings: &mut Findings<'_>) -> Node {
    let (table, errors) = DeTable::parse_recoverable(text);
    // The parser goes on after a mistake, but what it then finds is mostly the first mistake's echo.
    let start = |error: &&toml::de::Error| error.span().map_or(0, |span| span.start);
    if let Some(first) = errors.iter().min_by_key(start) {
        note_toml_error(first, findings);
    }
    Node::root(table.get_ref())
}

fn note_toml_error(error: &toml::de::Error, findings: &mut Findings<'_>) {
    let whole = error.message().replace('\n', ", ");
    let (message, expected) = match whole.split_once(", expected ") {
        Some((message, expected)) => (message, format!("expected {expected}")),
        None => (whole.as_str(), String::new()),
    };
    let span = error.span();
    let is_empty = span.as_ref().is_some_and(|span| span.is_empty());
    // The parser takes nothing at all for a string without quotes.
    if is_empty && message.starts_with("string values must be quoted") {
        let expected = String::from("expected a value");
        findings.note(span.as_ref(), "there is no value".into(), expected, None);
        return;
    }
    let help = match message {
        "duplicate key" => Some("it is given above already: keep one of the two"),
        _ => message
            .starts_with("missing comma between array elements")
            .then_some("or is the list in front of it not closed with `]`?"),
    };
    let help = help.map(String::from);
    findings.note(span.as_ref(), message.into(), expected, help);
}
