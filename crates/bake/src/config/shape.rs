//! Whether a document has the shape the schema describes: known keys, right types, numbers in range.
//!
//! Reading with serde alone would stop at the first mistake and say less about it.

use serde_json::Value as Json;

use super::document::{KeyPath, Node, Step, Value};
use super::error::{Findings, listed, nearest};
use super::extend::is_template;
use super::reference::toml_text;
use super::schema::{SCHEMA, choices, expected, is_required, keys, range, words};

/// Notes every place where the document departs from the schema.
pub(super) fn check(root: &Node, findings: &mut Findings<'_>) {
    value(&SCHEMA, root, &KeyPath::default(), findings);
}

/// Notes every place where the value of one key of the top level departs from the schema.
pub(super) fn check_key(key: &str, node: &Node, findings: &mut Findings<'_>) {
    let path = KeyPath::default().key(key);
    value(&SCHEMA["properties"][key], node, &path, findings);
}

fn value(schema: &Json, node: &Node, path: &KeyPath, findings: &mut Findings<'_>) {
    let Some(schema) = choices(schema)
        .into_iter()
        .find(|choice| is_kind(choice, &node.value))
    else {
        return wrong_kind(schema, node, path, findings);
    };
    match &node.value {
        Value::Table(table) => {
            for (key, inner) in table {
                known_key(schema, key, inner, path, findings);
            }
            missing_keys(schema, node, path, findings);
            count(schema, node, table.len(), path, findings);
        }
        Value::List(list) => {
            count(schema, node, list.len(), path, findings);
            for (idx, inner) in list.iter().enumerate() {
                value(&schema["items"], inner, &path.at(idx), findings);
            }
        }
        Value::String(text) => string(schema, node, text, path, findings),
        Value::Integer(None) => out_of_range(schema, node, path, findings),
        Value::Integer(Some(whole)) => number(schema, node, *whole as f64, path, findings),
        Value::Float(fraction) => number(schema, node, *fraction, path, findings),
        Value::Boolean(_) | Value::Date => {}
    }
}

fn is_kind(schema: &Json, value: &Value) -> bool {
    let kind = schema["type"].as_str();
    match value {
        Value::Table(_) => kind == Some("object"),
        Value::List(_) => kind == Some("array"),
        Value::String(_) => kind == Some("string") || !words(schema).is_empty(),
        Value::Integer(_) => matches!(kind, Some("integer" | "number")),
        Value::Float(_) => kind == Some("number"),
        Value::Boolean(_) => kind == Some("boolean"),
        Value::Date => false,
    }
}

fn wrong_kind(schema: &Json, node: &Node, path: &KeyPath, findings: &mut Findings<'_>) {
    let found = match (&node.value, schema["type"].as_str()) {
        (Value::Float(_), Some("integer")) => "a number with a point",
        (value, _) => value.kind(),
    };
    let key = path.last_key();
    let is_list_of = |kind: &str| schema["type"] == "array" && schema["items"]["type"] == kind;
    let has_header = path.0.len() == 1;
    let help = match &node.value {
        Value::Table(_) if has_header && is_list_of("object") => Some(format!("write `[[{key}]]`")),
        Value::List(_) if has_header && schema["type"] == "object" => {
            Some(format!("write `[{key}]`"))
        }
        Value::String(text) if is_list_of("string") => Some(format!("write `[\"{text}\"]`")),
        Value::String(text) if text.parse::<f64>().is_ok() => {
            Some(String::from("write the number without quotes"))
        }
        _ => example(path, schema),
    };
    findings.note(
        Some(&node.span),
        format!("wrong type for `{key}` {}", path.table()),
        format!("expected {}, found {found}", expected(schema, false)),
        help,
    );
}

fn known_key(schema: &Json, key: &str, inner: &Node, path: &KeyPath, findings: &mut Findings<'_>) {
    let named = schema["properties"].get(key);
    let any = schema.get("additionalProperties").filter(|s| s.is_object());
    match named.or(any) {
        Some(schema) => value(schema, inner, &path.key(key), findings),
        None => unknown_key(schema, key, inner, path, findings),
    }
}

fn unknown_key(
    schema: &Json,
    key: &str,
    inner: &Node,
    path: &KeyPath,
    findings: &mut Findings<'_>,
) {
    let names: Vec<&str> = keys(schema).into_iter().map(|(name, _)| name).collect();
    let help = match nearest(key, names.iter().copied()) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None => {
            home(&SCHEMA, key, &KeyPath::default()).map(|table| format!("`{key}` is a key {table}"))
        }
    };
    let message = format!("unknown key `{key}` {}", path.as_table());
    let expected = format!("expected one of {}", listed(names));
    findings.note(
        inner.key.as_ref().or(Some(&inner.span)),
        message,
        expected,
        help,
    );
}

/// The first table of the whole config that knows the key, in words.
fn home(schema: &Json, key: &str, path: &KeyPath) -> Option<String> {
    if schema["type"] == "array" {
        return home(&schema["items"], key, &path.at(0));
    }
    if schema["properties"].get(key).is_some() {
        return Some(path.as_table());
    }
    keys(schema)
        .into_iter()
        .find_map(|(name, inner)| home(inner, key, &path.key(name)))
}

fn missing_keys(schema: &Json, node: &Node, path: &KeyPath, findings: &mut Findings<'_>) {
    let Value::Table(table) = &node.value else {
        return;
    };
    let all = keys(schema);
    // A template is there to be filled up: only a name must be there, for others to find it.
    let is_partial = is_species(path) && is_template(node);
    let names = || all.iter().map(|&(name, _)| name);
    let misspelt = |key: &str| {
        let mut unknown = table.keys().filter(|key| names().all(|name| name != *key));
        unknown.any(|word| nearest(word, names()) == Some(key))
    };
    for &(key, inner) in &all {
        let is_wanted = is_required(schema, key) && (!is_partial || key == "name");
        if is_wanted && !table.contains_key(key) && !misspelt(key) {
            missing_key(key, inner, node, path, findings);
        }
    }
}

fn is_species(path: &KeyPath) -> bool {
    matches!(&path.0[..], [Step::Key(key), Step::Index(_)] if key == "species")
}

fn missing_key(key: &str, schema: &Json, node: &Node, path: &KeyPath, findings: &mut Findings<'_>) {
    let place = (!path.0.is_empty()).then_some(&node.span);
    let (header, row) = match schema["type"].as_str() {
        Some("array") => (format!("[[{key}]]"), &schema["items"]),
        _ => (format!("[{key}]"), schema),
    };
    if !row["properties"].is_object() {
        let message = format!("missing key `{key}` {}", path.as_table());
        let expected = format!("expected `{key}`, {}", expected(schema, false));
        let help = example(&path.key(key), schema);
        return findings.note(place, message, expected, help);
    }
    let required = keys(row)
        .into_iter()
        .filter(|(key, _)| is_required(row, key));
    let lines: Vec<String> = required
        .map(|(key, inner)| format!("{key} = {}", toml_text(&inner["examples"][0])))
        .collect();
    let help = format!("write {header} and under it `{}`", lines.join("`, `"));
    let message = format!("missing table {header}");
    findings.note(place, message, String::new(), Some(help));
}

/// How the key could be written, where its schema has an example.
fn example(path: &KeyPath, schema: &Json) -> Option<String> {
    let example = &schema["examples"][0];
    (!example.is_null())
        .then(|| format!("for example `{} = {}`", path.last_key(), toml_text(example)))
}

fn count(schema: &Json, node: &Node, n: usize, path: &KeyPath, findings: &mut Findings<'_>) {
    let bound = |list: &str, table: &str| schema[list].as_u64().or(schema[table].as_u64());
    let (least, most) = (
        bound("minItems", "minProperties"),
        bound("maxItems", "maxProperties"),
    );
    let wanted = match (least, most) {
        (Some(least), Some(most)) if least == most => format!("exactly {least}"),
        (Some(least), _) if (n as u64) < least => format!("at least {least}"),
        (_, Some(most)) if n as u64 > most => format!("at most {most}"),
        _ => return,
    };
    if least.is_none_or(|least| n as u64 >= least) && most.is_none_or(|most| n as u64 <= most) {
        return;
    }
    let entries = if n == 1 { "entry" } else { "entries" };
    findings.note(
        Some(&node.span),
        format!("`{}` {} has {n} {entries}", path.last_key(), path.table()),
        format!("expected {wanted}"),
        None,
    );
}

fn string(schema: &Json, node: &Node, text: &str, path: &KeyPath, findings: &mut Findings<'_>) {
    let known = words(schema);
    let key = path.last_key();
    let table = path.table();
    if !known.is_empty() && !known.contains(&text) {
        let help = nearest(text, known.iter().copied());
        findings.note(
            Some(&node.span),
            format!("unknown value \"{text}\" for `{key}` {table}"),
            format!("expected {}", expected(schema, false)),
            help.map(|near| format!("did you mean \"{near}\"?")),
        );
    }
    let n = text.chars().count() as u64;
    if schema["minLength"].as_u64().is_some_and(|least| n < least) {
        let message = format!("`{key}` {table} is empty");
        findings.note(Some(&node.span), message, "expected some text".into(), None);
    }
    if let Some(most) = schema["maxLength"].as_u64().filter(|&most| n > most) {
        findings.note(
            Some(&node.span),
            format!("`{key}` {table} is too long"),
            format!("expected at most {most} characters, found {n}"),
            None,
        );
    }
}

fn number(schema: &Json, node: &Node, number: f64, path: &KeyPath, findings: &mut Findings<'_>) {
    if !number.is_finite() {
        let message = format!("`{}` {} is not finite", path.last_key(), path.table());
        let expected = String::from("expected a finite number");
        return findings.note(Some(&node.span), message, expected, None);
    }
    let limit = |key: &str| schema[key].as_f64();
    let inside = limit("minimum").is_none_or(|least| number >= least)
        && limit("exclusiveMinimum").is_none_or(|least| number > least)
        && limit("maximum").is_none_or(|most| number <= most);
    if !inside {
        out_of_range(schema, node, path, findings);
    }
}

fn out_of_range(schema: &Json, node: &Node, path: &KeyPath, findings: &mut Findings<'_>) {
    let wanted = match range(schema) {
        Some(range) => format!("{} {range}", expected(schema, false)),
        None => String::from("a smaller number"),
    };
    findings.note(
        Some(&node.span),
        format!("`{}` {} is out of range", path.last_key(), path.table()),
        format!("expected {wanted}"),
        None,
    );
}
