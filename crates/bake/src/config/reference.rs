//! The reference: a config in which every key is explained, from the same descriptions as the schema.

use std::fmt::Write as _;

use serde_json::Value;

use super::schema::{SCHEMA, choices, expected, is_required, keys, place, range};

/// Keys that may be left out, but for which something else then must be there.
const GIVEN: [&str; 2] = ["strata", "spacing"];

/// How wide a comment may be.
const WIDTH: usize = 100;

/// A config with every key: those that must be there with an example, the others commented out.
pub fn reference() -> String {
    let mut out = String::from("#:schema ./world.schema.json\n#\n");
    comment(
        &mut out,
        "",
        "Every key of a config, with its unit, range and default. What must be there stands with an example; what may be \
         left out is commented out. File names are relative to this file's folder.",
    );
    for (key, schema) in keys(&SCHEMA) {
        out.push('\n');
        let description = text(schema);
        if schema["type"] == "object" {
            comment(&mut out, "", description);
            let _ = writeln!(out, "[{key}]");
            table(&mut out, schema);
        } else if schema["items"]["type"] == "object" {
            comment(&mut out, "", description);
            let _ = writeln!(out, "[[{key}]]");
            table(&mut out, &schema["items"]);
        } else {
            entry(&mut out, &SCHEMA, key, schema);
        }
    }
    out
}

fn table(out: &mut String, schema: &Value) {
    for (key, inner) in keys(schema) {
        out.push('\n');
        entry(out, schema, key, inner);
    }
}

fn entry(out: &mut String, table: &Value, key: &str, schema: &Value) {
    comment(out, "", text(schema));
    comment(out, "", &facts(table, key, schema));
    let mut rows = choices(&schema["additionalProperties"]);
    rows.extend([&schema["items"], schema]);
    let row = rows
        .into_iter()
        .find(|row| row["properties"].is_object())
        .unwrap_or(schema);
    for (inner, inner_schema) in keys(row) {
        comment(out, "  ", &format!("- {inner}: {}", text(inner_schema)));
        comment(out, "    ", &facts(row, inner, inner_schema));
    }
    let example = match &schema["examples"][0] {
        Value::Null => &schema["default"],
        example => example,
    };
    let is_given = is_required(table, key) || GIVEN.contains(&key);
    let mark = if is_given { "" } else { "# " };
    let _ = writeln!(out, "{mark}{key} = {}", toml_text(example));
}

fn text(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or("")
}

/// What a value must be, its range, and its default, in one line.
fn facts(table: &Value, key: &str, schema: &Value) -> String {
    let mut facts = expected(schema, false);
    let parts = choices(schema)
        .into_iter()
        .map(|choice| [choice, &choice["items"], &choice["additionalProperties"]]);
    for [whole, items, values] in parts {
        if let Some(range) = range(whole).or(range(values)) {
            let _ = write!(facts, " {range}");
        } else if let Some(range) = range(items) {
            let _ = write!(facts, ", each {range}");
        }
    }
    if is_required(table, key) {
        facts.push_str("; required");
    } else if !schema["default"].is_null() {
        let _ = write!(facts, "; default {}", toml_text(&schema["default"]));
    }
    format!("({facts})")
}

fn comment(out: &mut String, indent: &str, text: &str) {
    let hanging = if text.starts_with("- ") { "  " } else { "" };
    let mut line = format!("# {indent}");
    let mut is_fresh = true;
    for word in text.split_whitespace() {
        if !is_fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(out, "{line}");
            line = format!("# {indent}{hanging}");
            is_fresh = true;
        }
        if !is_fresh {
            line.push(' ');
        }
        line.push_str(word);
        is_fresh = false;
    }
    let _ = writeln!(out, "{line}");
}

/// A value as it would be written in TOML, tables in one line.
pub(super) fn toml_text(value: &Value) -> String {
    match value {
        Value::Null => String::from("…"),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => float.to_string(),
            _ => number.to_string(),
        },
        Value::Bool(_) | Value::String(_) => value.to_string(),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(toml_text).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(table) => {
            let mut pairs: Vec<_> = table.iter().collect();
            pairs.sort_by_key(|(key, _)| place(key));
            let pairs: Vec<String> = pairs
                .into_iter()
                .map(|(key, value)| format!("{key} = {}", toml_text(value)))
                .collect();
            if pairs.is_empty() {
                return String::from("{}");
            }
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}
