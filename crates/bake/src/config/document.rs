//! A TOML document with the place of every key, owned so that it outlives its text.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};

/// Bytes of the text.
pub(super) type Span = Range<usize>;

/// One value and its places.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The key in front of it; `None` for the root and the entries of a list.
    pub key: Option<Span>,
    /// The value; for a table with a header, the header.
    pub span: Span,
    /// What it holds.
    pub value: Value,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// `key = value` pairs.
    Table(BTreeMap<String, Node>),
    /// Entries in order.
    List(Vec<Node>),
    /// Text.
    String(String),
    /// A whole number; `None` where neither a signed nor an unsigned one of 64 bits holds it.
    Integer(Option<i128>),
    /// A number with a point or an exponent.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A date or a time; no key takes one.
    Date,
}

impl Node {
    /// The tree of a parsed document.
    pub fn root(table: &DeTable<'_>) -> Self {
        Self {
            key: None,
            span: 0..0,
            value: Value::table(table),
        }
    }

    /// The value of a key; `None` where there is none, or this is no table.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(table) => table.get(key),
            _ => None,
        }
    }

    /// What it says, where that is text.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The same without places; what JSON has no word for, dates and what is not finite, is null.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Table(table) => {
                let pairs = table
                    .iter()
                    .map(|(key, node)| (key.clone(), node.to_json()));
                Json::Object(pairs.collect())
            }
            Value::List(list) => list.iter().map(Self::to_json).collect(),
            Value::String(text) => Json::from(text.as_str()),
            Value::Integer(whole) => {
                let number = whole.and_then(serde_json::Number::from_i128);
                number.map_or(Json::Null, Json::Number)
            }
            Value::Float(number) => Json::from(*number),
            Value::Boolean(is_true) => Json::from(*is_true),
            Value::Date => Json::Null,
        }
    }

    /// The deepest node on a path, and whether it is the path's own.
    pub fn find(&self, path: &KeyPath) -> (&Self, bool) {
        let mut node = self;
        for step in &path.0 {
            let next = match (step, &node.value) {
                (Step::Key(key), Value::Table(table)) => table.get(key),
                (Step::Index(idx), Value::List(list)) => list.get(*idx),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => return (node, false),
            }
        }
        (node, true)
    }
}

impl Value {
    fn table(table: &DeTable<'_>) -> Self {
        let nodes = table.iter().map(|(key, value)| {
            let node = Node {
                key: Some(key.span()),
                span: value.span(),
                value: Self::new(value.get_ref()),
            };
            (key.get_ref().to_string(), node)
        });
        Self::Table(nodes.collect())
    }

    fn new(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::String(text.to_string()),
            DeValue::Integer(number) => {
                let whole = i128::from_str_radix(number.as_str(), number.radix()).ok();
                let is_held = |whole: &i128| (i64::MIN.into()..=u64::MAX.into()).contains(whole);
                Self::Integer(whole.filter(is_held))
            }
            DeValue::Float(number) => Self::Float(number.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(is_true) => Self::Boolean(*is_true),
            DeValue::Datetime(_) => Self::Date,
            DeValue::Array(list) => {
                let nodes = list.iter().map(|value| Node {
                    key: None,
                    span: value.span(),
                    value: Self::new(value.get_ref()),
                });
                Self::List(nodes.collect())
            }
            DeValue::Table(table) => Self::table(table),
        }
    }

    /// What it is, with its article.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Table(_) => "a table",
            Self::List(_) => "a list",
            Self::String(_) => "a string",
            Self::Integer(_) | Self::Float(_) => "a number",
            Self::Boolean(_) => "a boolean",
            Self::Date => "a date",
        }
    }
}

/// One step into a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Into a table.
    Key(String),
    /// Into a list.
    Index(usize),
}

/// The way to a value, such as `species[2].density`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyPath(pub Vec<Step>);

impl KeyPath {
    /// Reads a path as [`fmt::Display`] writes it. A key with a point or a bracket stands in double quotes.
    ///
    /// What makes no sense ends the path there: it still leads somewhere near.
    pub fn parse(text: &str) -> Self {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let Some((step, after)) = split_step(rest) else {
                break;
            };
            steps.push(step);
            rest = after.strip_prefix('.').unwrap_or(after);
        }
        Self(steps)
    }

    /// The path of a key of the table this path leads to.
    pub fn key(&self, key: impl Into<String>) -> Self {
        self.with(Step::Key(key.into()))
    }

    /// The path of an entry of the list this path leads to.
    pub fn at(&self, idx: usize) -> Self {
        self.with(Step::Index(idx))
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// The last key and the entries after it, such as `slope[0]`.
    pub fn last_key(&self) -> Self {
        let from = self.0.iter().rposition(|step| matches!(step, Step::Key(_)));
        Self(self.0[from.unwrap_or(0)..].to_vec())
    }

    /// The table its last key stands in, as a reader finds it: `[[species]]`, or `edge` of it.
    pub fn table(&self) -> String {
        let from = self.0.iter().rposition(|step| matches!(step, Step::Key(_)));
        Self(self.0[..from.unwrap_or(0)].to_vec()).as_table()
    }

    /// The table it leads to, as a reader finds it.
    pub fn as_table(&self) -> String {
        let Some(Step::Key(root)) = self.0.first() else {
            return "at the top level".into();
        };
        let header = match self.0.get(1) {
            Some(Step::Index(_)) => format!("[[{root}]]"),
            _ => format!("[{root}]"),
        };
        let inner = self.0[1..].iter().rev().find_map(|step| match step {
            Step::Key(key) => Some(key),
            Step::Index(_) => None,
        });
        match inner {
            Some(key) => format!("in `{key}` of {header}"),
            None => format!("in {header}"),
        }
    }
}

fn split_step(text: &str) -> Option<(Step, &str)> {
    if let Some(inner) = text.strip_prefix('[') {
        let (idx, after) = inner.split_once(']')?;
        return Some((Step::Index(idx.parse().ok()?), after));
    }
    if let Some(inner) = text.strip_prefix('"') {
        let (key, after) = inner.split_once('"')?;
        return Some((Step::Key(key.into()), after));
    }
    let end = text.find(['.', '[']).unwrap_or(text.len());
    Some((Step::Key(text[..end].into()), &text[end..]))
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(idx) => write!(f, "[{idx}]")?,
                Step::Key(key) => {
                    let point = if i > 0 { "." } else { "" };
                    let quote = if key.contains(['.', '[', ']']) {
                        "\""
                    } else {
                        ""
                    };
                    write!(f, "{point}{quote}{key}{quote}")?;
                }
            }
        }
        Ok(())
    }
}
