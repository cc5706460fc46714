//! The `crs` member of the format's version of 2008, which tools still write.
//!
//! Only its name or code is looked at, and no more of it is kept than a person is shown.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What a file says of its coordinate system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crs {
    /// The EPSG code of its horizontal system.
    Epsg(u32),
    /// Something else, shortened to [`MOST_SHOWN`] characters; empty where it has no name.
    Other(String),
}

/// The most characters that are kept of a name without a code.
pub const MOST_SHOWN: usize = 80;

/// The longest name in which a code is looked for, in bytes: a longer one is no name.
const LONGEST_NAME: usize = 500;

impl Crs {
    /// The system with a name, such as `EPSG:32633`, an OGC URN or URL of one or of a compound, or `OGC:CRS84`.
    fn named(name: &str) -> Self {
        let code = (name.len() <= LONGEST_NAME).then(|| epsg(name)).flatten();
        code.map_or_else(
            || Self::Other(name.chars().take(MOST_SHOWN).collect()),
            Self::Epsg,
        )
    }
}

/// The first EPSG code in a name: that of a compound's horizontal system.
fn epsg(name: &str) -> Option<u32> {
    let name = name.trim().trim_end_matches('/').to_ascii_uppercase();
    let Some((_, rest)) = name.split_once("EPSG") else {
        let last = name.rsplit([':', '/']).next()?;
        return (last == "CRS84" && name.contains("OGC")).then_some(4326);
    };
    // Between the authority and the code stands a version, or nothing.
    let first = rest.split([',', '+', '&']).next()?;
    let (_, code) = first.rsplit_once([':', '/', '#'])?;
    code.parse().ok()
}

impl<'de> Deserialize<'de> for Crs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = deserializer.deserialize_any(Names)?;
        Ok(found.unwrap_or_else(|| Self::Other(String::new())))
    }
}

/// The members that name a system, in the kinds of `crs` that have been in use.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Properties,
    #[serde(alias = "urn", alias = "url", alias = "href")]
    Name,
    Code,
    #[serde(other)]
    Other,
}

/// Reads any value for the system that it names; `None` where it names none.
struct Names;

/// [`Names`] as a value.
struct Named(Option<Crs>);

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Names).map(Self)
    }
}

impl<'de> Visitor<'de> for Names {
    type Value = Option<Crs>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a coordinate system")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Some(match name.parse() {
            Ok(code) => Crs::Epsg(code),
            Err(_) => Crs::named(name),
        }))
    }

    fn visit_u64<E: de::Error>(self, code: u64) -> Result<Self::Value, E> {
        Ok(u32::try_from(code).ok().map(Crs::Epsg))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(member) = map.next_key()? {
            match member {
                Member::Other => drop(map.next_value::<IgnoredAny>()?),
                _ => found = map.next_value::<Named>()?.0.or(found),
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_code_is_read() {
        for (name, code) in [
            ("EPSG:32633", Some(32633)),
            ("epsg:32633", Some(32633)),
            ("urn:ogc:def:crs:EPSG::32633", Some(32633)),
            ("urn:ogc:def:crs:EPSG:9.9.1:32633", Some(32633)),
            (
                "urn:ogc:def:crs,crs:EPSG::32633,crs:EPSG::5773",
                Some(32633),
            ),
            ("EPSG:32633+5773", Some(32633)),
            ("http://www.opengis.net/def/crs/EPSG/0/32633", Some(32633)),
            (
                "http://www.opengis.net/def/crs-compound?1=http://www.opengis.net/def/crs/EPSG/0/32633&2=http://www.opengis.net/def/crs/EPSG/0/5773",
                Some(32633),
            ),
            ("http://www.opengis.net/gml/srs/epsg.xml#32633", Some(32633)),
            ("urn:ogc:def:crs:OGC:1.3:CRS84", Some(4326)),
            ("urn:ogc:def:crs:OGC::CRS84", Some(4326)),
            ("http://www.opengis.net/def/crs/OGC/1.3/CRS84", Some(4326)),
            ("OGC:CRS84", Some(4326)),
            ("urn:ogc:def:crs:OGC::CRS83", None),
            ("ESRI:102003", None),
            ("EPSG", None),
            ("EPSG:", None),
            ("EPSG:-1", None),
            ("EPSG:99999999999", None),
            ("", None),
        ] {
            assert_eq!(epsg(name), code, "{name}");
        }
    }
}
