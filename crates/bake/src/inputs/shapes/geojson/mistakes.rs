//! What files that are no GeoJSON turn out to be, and how they are turned into it.

/// What an object without `type` is said to be.
pub(super) const NO_TYPE: &str = "an object without `type`; if the file is Esri JSON, turn it with \
                                  `ogr2ogr -f GeoJSON out.geojson IN`";

/// What is said of a `Topology`.
pub(super) const TOPOJSON: &str =
    "the file is TopoJSON, expected GeoJSON: turn it with `ogr2ogr -f GeoJSON out.geojson IN`";

/// What is wrong with a text that begins like this.
pub(super) fn at_start(start: &[u8]) -> Option<&'static str> {
    match start {
        [] => Some("the file is empty, expected a GeoJSON object"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(
            "the text is in UTF-16, expected UTF-8: turn it with `iconv -f UTF-16 -t UTF-8 IN > out.geojson`",
        ),
        [0x1e, ..] => Some(
            "the file is a GeoJSON text sequence, expected one object: turn it with `ogr2ogr -f GeoJSON out.geojson IN`",
        ),
        _ => None,
    }
}

/// What to do about a mistake that the JSON reader found; `rest` follows the byte at which it stopped.
pub(super) fn remedy(reason: &str, rest: &[u8]) -> Option<&'static str> {
    if reason == "trailing characters" {
        return Some(
            " after the end of the object; if the file has one feature a line (GeoJSONSeq, JSON lines), turn it with \
             `ogr2ogr -f GeoJSON out.geojson IN`",
        );
    }
    // Of a number that begins with a letter the reader has seen one byte, and two where a minus stands before it.
    let starts: &[&[u8]] = match reason {
        "expected value" => &[b"aN", b"nf"],
        "invalid number" => &[b"N", b"n", b"f"],
        _ => &[],
    };
    let is_no_number = starts.iter().any(|start| rest.starts_with(start));
    is_no_number.then_some(
        ": NaN and Infinity are no JSON; leave these features out, or try `ogr2ogr -f GeoJSON out.geojson IN`",
    )
}
