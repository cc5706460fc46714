//! How a page writes text and numbers.

use std::fmt::Write as _;

use crate::preview::palette::Rgb;
pub(super) use crate::preview::ticks::{count, metres, trimmed};

/// Text as HTML and XML take it, between tags and in quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML has no place for control characters.
            control if control.is_control() && control != '\n' && control != '\t' => out.push('�'),
            letter => out.push(letter),
        }
    }
    out
}

/// Bytes in the alphabet of RFC 4648, padded.
pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |k: usize| u32::from(group.get(k).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * k) & 63) as usize];
            out.push(if k > group.len() {
                '='
            } else {
                char::from(letter)
            });
        }
    }
    out
}

/// A colour as CSS has it.
pub(super) fn css(colour: Rgb) -> String {
    let [r, g, b] = colour.map(|c| c.round().clamp(0.0, 255.0) as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

/// A time for people: 0.42 s, 42.1 s, 3 min 12 s, 2 h 5 min.
pub(super) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.2} s"),
        10..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole / 60 % 60),
    }
}

/// Bytes for people, in 1024s.
pub(super) fn bytes(n: u64) -> String {
    let mib = n as f64 / f64::from(1 << 20);
    if mib < 1024.0 {
        format!("{mib:.0} MiB")
    } else {
        format!("{:.1} GiB", mib / 1024.0)
    }
}

/// An area.
pub(super) fn hectares(ha: f64) -> String {
    if ha < 1000.0 {
        format!("{ha:.1} ha")
    } else {
        format!("{:.2} km²", ha / 100.0)
    }
}

/// A change between two numbers, signed; nothing where there was nothing before.
pub(super) fn change(now: f64, was: Option<f64>) -> String {
    match was {
        Some(was) if was == now => "as before".to_owned(),
        Some(was) if was != 0.0 => {
            let change = format!("{:+.2} %", (now / was - 1.0) * 100.0);
            change.replace('-', "−")
        }
        _ => "–".to_owned(),
    }
}

/// Rows of a table: the first cell of each is a name, the others are numbers.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = String::from("<div class=\"scroll\"><table><thead><tr>");
    for name in head {
        let _ = write!(out, "<th>{}</th>", escaped(name));
    }
    out.push_str("</tr></thead><tbody>");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            let _ = write!(out, "<td>{cell}</td>");
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // The vectors of RFC 4648, chapter 10.
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, coded) in vectors {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn nothing_in_a_text_is_markup() {
        let found = escaped("<b a='1' c=\"2\">&\u{7}\n");
        assert_eq!(
            found,
            "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;\u{fffd}\n"
        );
    }

    #[test]
    fn numbers_have_their_units() {
        assert_eq!(
            (duration(0.5), duration(125.0)),
            ("0.50 s".into(), "2 min 5 s".into())
        );
        assert_eq!(bytes(300 << 20), "300 MiB");
        assert_eq!(
            (hectares(12.0), hectares(6710.9)),
            ("12.0 ha".into(), "67.11 km²".into())
        );
        assert_eq!(change(0.9, Some(1.0)), "−10.00 %");
        assert_eq!(
            (change(1.0, Some(1.0)), change(1.0, None)),
            ("as before".into(), "–".into())
        );
    }
}
