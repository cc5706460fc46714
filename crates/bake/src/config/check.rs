//! Whether a config of the right shape makes sense: what its keys say of each other.

use std::collections::BTreeMap;

use super::check_biomes;
use super::check_limits;
use super::check_mask;
use super::check_species;
use super::document::{KeyPath, Node};
use super::error::{Findings, listed, nearest};
use super::{Config, Stratum};

/// A config under examination: mistakes are noted by key.
pub(super) struct Check<'a, 'f> {
    /// The config.
    pub config: &'a Config,
    root: &'a Node,
    findings: &'f mut Findings<'a>,
}

/// Notes everything that contradicts itself.
pub(super) fn check<'a>(config: &'a Config, root: &'a Node, findings: &mut Findings<'a>) {
    let mut check = Check {
        config,
        root,
        findings,
    };
    check.terrain();
    check.strata();
    check_species::check(&mut check);
    check_biomes::check(&mut check);
    check_limits::check(&mut check);
    check.output();
}

impl Check<'_, '_> {
    /// Notes a mistake at a key; where the file leaves the key out, at its table.
    pub fn note(
        &mut self,
        path: &KeyPath,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: Option<String>,
    ) {
        let (node, is_own) = self.root.find(path);
        let is_root = !is_own && node.key.is_none() && node.span == self.root.span;
        let span = (!is_root).then_some(&node.span);
        self.findings
            .note(span, message.into(), expected.into(), help);
    }

    /// Notes a mistake at a key itself, not at its value.
    pub fn note_key(
        &mut self,
        path: &KeyPath,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: Option<String>,
    ) {
        let node = self.root.find(path).0;
        let span = node.key.as_ref().unwrap_or(&node.span);
        self.findings
            .note(Some(span), message.into(), expected.into(), help);
    }

    /// The path of a key of the n-th table under a header.
    pub fn entry(header: &str, idx: usize) -> KeyPath {
        KeyPath::default().key(header).at(idx)
    }

    fn terrain(&mut self) {
        let terrain = &self.config.terrain;
        let here = KeyPath::parse("terrain");
        self.heights_of(&here, (terrain.scale, terrain.offset), terrain.range);
        for (idx, patch) in terrain.patches.iter().enumerate() {
            let here = KeyPath::parse("terrain.patch").at(idx);
            self.heights_of(&here, (patch.scale, patch.offset), patch.range);
        }
        self.numbered_tiles();
    }

    /// Notes what makes all heights of a file the same, and what says twice what they are.
    fn heights_of(
        &mut self,
        here: &KeyPath,
        (scale, offset): (Option<f64>, Option<f64>),
        range: Option<[f64; 2]>,
    ) {
        let table = here.as_table();
        if scale == Some(0.0) {
            let message = format!("`scale` {table} is 0, which makes every height the same");
            self.note(
                &here.key("scale"),
                message,
                "expected any other number",
                None,
            );
        }
        let Some([lo, hi]) = range else {
            return;
        };
        if lo == hi {
            let message = format!("`range` {table} is empty, which makes every height the same");
            let expected = "expected two different heights";
            self.note(&here.key("range"), message, expected, None);
        }
        for (key, given) in [("scale", scale), ("offset", offset)] {
            if given.is_some() {
                let message = format!("`{key}` beside `range` {table}");
                let expected = "expected one of the two";
                self.note_key(&here.key(key), message, expected, None);
            }
        }
    }

    /// Notes keys of numbered tiles where there are none.
    fn numbered_tiles(&mut self) {
        let terrain = &self.config.terrain;
        let is_pattern = |name: &String| name.contains("{x}") && name.contains("{y}");
        if terrain.heights.iter().any(is_pattern) {
            return;
        }
        let surplus = [
            ("overlap", terrain.overlap.is_some()),
            ("rows", terrain.rows.is_some()),
        ];
        for (key, is_surplus) in surplus {
            if is_surplus {
                let path = KeyPath::parse("terrain").key(key);
                let message = format!("`{key}` in [terrain] without numbered tiles");
                let expected = "it is about tiles that a pattern of `heights` numbers";
                let help = "for example `heights = [\"alps_x{x}_y{y}.r16\"]`";
                self.note_key(&path, message, expected, Some(help.into()));
            }
        }
    }

    fn output(&mut self) {
        let fields = &self.config.output.fields;
        for (idx, field) in fields.iter().enumerate() {
            if fields[..idx].contains(field) {
                let path = KeyPath::parse("output.fields").at(idx);
                self.note(
                    &path,
                    "a field in [output] is listed twice",
                    "already listed",
                    None,
                );
            }
        }
    }

    fn strata(&mut self) {
        let strata = &self.config.strata;
        self.names(
            "stratum",
            strata.iter().map(|stratum| stratum.name.as_str()),
        );
        for (idx, stratum) in strata.iter().enumerate() {
            let here = Self::entry("stratum", idx);
            self.slopes(stratum, &here);
            if let Some(altitude) = &stratum.altitude {
                self.band(altitude.band, &here.key("altitude").key("band"));
            }
            if let Some(curvature) = &stratum.curvature {
                self.band(curvature.band, &here.key("curvature").key("band"));
            }
            if stratum.mask.is_some() {
                self.masked(stratum, &here);
            }
            check_mask::check(self, idx);
        }
        self.fallbacks();
        if strata.iter().all(|stratum| stratum.mask.is_some()) {
            let message = "every [[stratum]] has a mask, so there is no ground for them to lie on";
            let expected = "expected at least one stratum without a mask";
            self.note(
                &Self::entry("stratum", 0).key("mask"),
                message,
                expected,
                None,
            );
        }
    }

    fn slopes(&mut self, stratum: &Stratum, here: &KeyPath) {
        if let Some(slope) = stratum.slope {
            self.band(slope, &here.key("slope"));
        }
        let Some(tilt) = stratum.tilt else {
            if stratum.slope.is_none() && stratum.mask.is_none() && stratum.blend > 0.0 {
                let message = "`blend` in [[stratum]] has no slope band to blend";
                let help = "an altitude band has a blend of its own";
                let help = stratum.altitude.map(|_| help.into());
                self.note_key(&here.key("blend"), message, "expected `slope` too", help);
            }
            return;
        };
        self.band(tilt, &here.key("tilt"));
        if stratum.slope.is_some() {
            let help = format!(
                "`tilt = [{}, {}]` is `slope = [{}, {}]`",
                tilt[0],
                tilt[1],
                90.0 - tilt[1],
                90.0 - tilt[0]
            );
            let message = "`slope` and `tilt` in one [[stratum]]";
            self.note_key(
                &here.key("tilt"),
                message,
                "expected one of the two",
                Some(help),
            );
        }
    }

    fn masked(&mut self, stratum: &Stratum, here: &KeyPath) {
        let surplus = [
            ("slope", stratum.slope.is_some()),
            ("tilt", stratum.tilt.is_some()),
            ("blend", stratum.blend > 0.0),
            ("altitude", stratum.altitude.is_some()),
            ("aspect", stratum.aspect.is_some()),
            ("curvature", stratum.curvature.is_some()),
            ("noise", stratum.noise.is_some()),
            ("fallback", stratum.fallback),
        ];
        for (key, is_surplus) in surplus {
            if is_surplus {
                let message = format!("`{key}` in a [[stratum]] with a mask");
                let expected = "leave it out: the mask alone says where it lies";
                self.note_key(&here.key(key), message, expected, None);
            }
        }
    }

    fn fallbacks(&mut self) {
        let strata = self.config.strata.iter().enumerate();
        let mut first: Option<&str> = None;
        let claims = |stratum: &Stratum| stratum.fallback && stratum.mask.is_none();
        for (idx, stratum) in strata.filter(|(_, stratum)| claims(stratum)) {
            let Some(name) = first else {
                first = Some(&stratum.name);
                continue;
            };
            let path = Self::entry("stratum", idx).key("fallback");
            let expected = format!("\"{name}\" is the fallback already");
            let help = "leave it out of one of the two".to_owned();
            self.note_key(&path, "more than one fallback", expected, Some(help));
        }
    }

    /// Notes a band whose ends are equal or the wrong way round.
    pub fn band(&mut self, [lo, hi]: [f64; 2], path: &KeyPath) {
        let key = path.last_key();
        let table = path.table();
        if lo > hi {
            let help = Some(format!("write `{key} = [{hi}, {lo}]`"));
            let message = format!("`{key}` {table} is the wrong way round");
            self.note(path, message, "expected [low, high]", help);
        } else if lo == hi {
            let message = format!("`{key}` {table} is empty");
            self.note(path, message, "expected low below high", None);
        }
    }

    /// Notes names that are no good as the names of bands and files, or are taken.
    pub fn names<'n>(&mut self, header: &str, names: impl Iterator<Item = &'n str>) {
        // File systems that ignore case would mix up names that differ in nothing else.
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        for (idx, name) in names.enumerate() {
            let path = Self::entry(header, idx).key("name");
            if let Some(reason) = bad_name(name) {
                let message = format!("`name` in [[{header}]] cannot be the name of a file");
                self.note(&path, message, reason, None);
            }
            if let Some(&first) = taken.get(&name.to_lowercase()) {
                let line = self.line_of(&Self::entry(header, first).key("name"));
                let message = format!("two [[{header}]] have the name \"{name}\"");
                let expected = format!(
                    "expected another: it is taken on line {line}, and case does not tell names apart"
                );
                self.note(&path, message, expected, None);
            } else {
                taken.insert(name.to_lowercase(), idx);
            }
        }
    }

    /// Notes a name of a stratum that has no weights of its own, because there is none or it corrects another.
    pub fn known_stratum(&mut self, name: &str, path: &KeyPath, is_key: bool) {
        let names: Vec<&str> = self.config.bands().map(|s| s.name.as_str()).collect();
        if names.contains(&name) {
            return;
        }
        let near = nearest(name, names.iter().copied());
        let mut help = near.map(|near| format!("did you mean `{near}`?"));
        let mut message = format!("there is no stratum \"{name}\"");
        let others = &self.config.strata;
        if let Some(correction) = others.iter().find(|stratum| stratum.name == name) {
            message = format!("\"{name}\" only corrects another and has no weight of its own");
            let target = correction.target.as_deref();
            let target = target.filter(|target| names.contains(target));
            help = target.map(|target| format!("did you mean `{target}`?"));
        }
        let expected = format!("expected one of {}", listed(names));
        if is_key {
            self.note_key(path, message, expected, help);
        } else {
            self.note(path, message, expected, help);
        }
    }

    fn line_of(&self, path: &KeyPath) -> String {
        self.findings.line(&self.root.find(path).0.span)
    }
}

fn bad_name(name: &str) -> Option<&'static str> {
    if name.contains(['/', '\\']) {
        Some("expected no `/` and no `\\`")
    } else if name.chars().any(char::is_control) {
        Some("expected no control character")
    } else if name.trim() != name {
        Some("expected no space at either end")
    } else if name == "." || name == ".." {
        Some("expected more than points")
    } else {
        None
    }
}
