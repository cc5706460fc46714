//! The JSON Schema of a config, from the structs and their doc comments.

use std::sync::LazyLock;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use serde_json::{Map, Value};

use super::Config;

/// The order in which a reader meets the keys; a key's place is the same in every table.
const KEY_ORDER: [&str; 89] = [
    "name",
    "template",
    "extend",
    "wavelength",
    "coverage",
    "amplitude",
    "shifts",
    "seed",
    "include",
    "terrain",
    "tiles",
    "normals",
    "stratum",
    "edges",
    "group",
    "biome",
    "species",
    "check",
    "output",
    "heights",
    "file",
    "gradient",
    "smoothing",
    "within",
    "strata",
    "threshold",
    "softness",
    "write",
    "max_distance",
    "falloff",
    "curve",
    "density",
    "spacing",
    "footprint",
    "keep_from",
    "near",
    "priority",
    "weight",
    "size",
    "edge",
    "slope",
    "tilt",
    "band",
    "blend",
    "kind",
    "altitude",
    "aspect",
    "curvature",
    "noise",
    "distance",
    "fallback",
    "mask",
    "mask_band",
    "clusters",
    "pixel_size",
    "scale",
    "offset",
    "range",
    "nodata",
    "raw",
    "overlap",
    "rows",
    "patch",
    "invert",
    "width",
    "height",
    "type",
    "byte_order",
    "radius",
    "feather",
    "mode",
    "target",
    "alpha",
    "align",
    "facing",
    "yaw",
    "sink",
    "tint",
    "variants",
    "edge_size",
    "directory",
    "chunk",
    "compression",
    "fields",
    "on_commit",
    "tolerance",
    "drift",
    "most",
    "level",
];

/// The JSON Schema of a config (draft 7, which editors of TOML read), as text.
///
/// Editors complete and check a config that starts with `#:schema` and the schema's file name.
pub fn schema() -> String {
    let mut text = format!("{:#}", *SCHEMA);
    text.push('\n');
    text
}

/// The schema as a value: the one description of what a config may hold.
pub(super) static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let settings = settings.with_transform(tidy);
    let mut schema = settings.into_generator().into_root_schema_for::<Config>();
    schema.insert("title".into(), "Ecotone world".into());
    schema.to_value()
});

/// Leaves what a reader of TOML needs: no nulls, which TOML has not, no names of Rust types, no line breaks.
fn tidy(schema: &mut Schema) {
    if let Some(object) = schema.as_object_mut() {
        object.remove("format");
        object.remove("title");
        drop_null(object);
        if let Some(Value::String(text)) = object.get_mut("description") {
            *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }
    transform_subschemas(&mut tidy, schema);
}

fn drop_null(object: &mut Map<String, Value>) {
    if object.get("default") == Some(&Value::Null) {
        object.remove("default");
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    let Some(Value::Array(choices)) = object.get_mut("anyOf") else {
        return;
    };
    choices.retain(|choice| choice["type"] != "null");
    if choices.len() == 1
        && let Some(Value::Object(only)) = choices.pop()
    {
        object.remove("anyOf");
        for (key, value) in only {
            object.entry(key).or_insert(value);
        }
    }
}

/// The keys of a table in reading order, each with its schema; none where the schema is not of such a table.
pub(super) fn keys(schema: &Value) -> Vec<(&str, &Value)> {
    let properties = schema["properties"].as_object();
    let mut keys: Vec<_> = properties
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value))
        .collect();
    keys.sort_by_key(|(key, _)| place(key));
    keys
}

/// Where a key stands in reading order; names that are not ours come last.
pub(super) fn place(key: &str) -> usize {
    let place = KEY_ORDER.iter().position(|known| *known == key);
    place.unwrap_or(KEY_ORDER.len())
}

/// Whether a table must have the key.
pub(super) fn is_required(table: &Value, key: &str) -> bool {
    let required = table["required"].as_array();
    required.is_some_and(|keys| keys.iter().any(|required| required == key))
}

/// The kinds of value a schema allows: itself, or each of its choices.
pub(super) fn choices(schema: &Value) -> Vec<&Value> {
    match schema["anyOf"].as_array() {
        Some(choices) => choices.iter().collect(),
        None => vec![schema],
    }
}

/// The words a string must be one of; empty where any will do.
pub(super) fn words(schema: &Value) -> Vec<&str> {
    if let Some(word) = schema["const"].as_str() {
        return vec![word];
    }
    let described = schema["oneOf"].as_array().into_iter().flatten();
    let plain = schema["enum"].as_array().into_iter().flatten();
    described
        .flat_map(words)
        .chain(plain.filter_map(Value::as_str))
        .collect()
}

/// What a value must be, with its article; `many` for the plural without one.
pub(super) fn expected(schema: &Value, many: bool) -> String {
    let kinds: Vec<String> = choices(schema)
        .into_iter()
        .map(|choice| expected_kind(choice, many))
        .collect();
    kinds.join(" or ")
}

fn expected_kind(schema: &Value, many: bool) -> String {
    let words = words(schema);
    if !words.is_empty() {
        return alternatives(&words);
    }
    let (one, plural) = match schema["type"].as_str() {
        Some("number") => ("a number", "numbers"),
        Some("integer") => ("a whole number", "whole numbers"),
        Some("string") => ("a string", "strings"),
        Some("boolean") => ("true or false", "booleans"),
        Some("object") if schema["additionalProperties"].is_object() => {
            let values = expected(&schema["additionalProperties"], true);
            return format!("a table of {values}");
        }
        Some("object") => ("a table", "tables"),
        Some("array") => {
            let head = if many { "lists" } else { "a list" };
            let items = expected(&schema["items"], true);
            return match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
                (Some(lo), Some(hi)) if lo == hi => format!("{head} of {lo} {items}"),
                _ => format!("{head} of {items}"),
            };
        }
        _ => ("a value", "values"),
    };
    String::from(if many { plural } else { one })
}

/// Words in quotes, joined by commas and "or".
fn alternatives(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match &quoted[..] {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        _ => quoted.join(""),
    }
}

/// The range of a number in words, such as "above 0, at most 1"; `None` where any will do.
pub(super) fn range(schema: &Value) -> Option<String> {
    let limit = |key: &str| match &schema[key] {
        Value::Null => None,
        limit => Some(limit.to_string()),
    };
    let (least, above, below, most) = (
        limit("minimum"),
        limit("exclusiveMinimum"),
        limit("exclusiveMaximum"),
        limit("maximum"),
    );
    let least = match (least, above) {
        (Some(least), _) => match most {
            Some(most) => return Some(format!("from {least} to {most}")),
            None => Some(format!("at least {least}")),
        },
        (None, above) => above.map(|above| format!("above {above}")),
    };
    let below = below.map(|below| format!("below {below}"));
    let most = below.or(most.map(|most| format!("at most {most}")));
    match (least, most) {
        (Some(least), Some(most)) => Some(format!("{least}, {most}")),
        (least, most) => least.or(most),
    }
}
