//! Random species with any of the rules there are, and their part of the config.

use super::{Dice, Rules};

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Species {
    pub name: &'static str,
    spacing: f64,
    footprint: f64,
    priority: i64,
    has_density: bool,
    slope: Option<i64>,
    align: bool,
    edge: bool,
    keeps_off: bool,
    soft: bool,
    aspect: bool,
    pub curvature: bool,
    clusters: bool,
    /// Whether a mask that is also a stratum's says where it grows.
    masked: bool,
    /// Whether it grows in the biome alone.
    pub in_biome: bool,
    /// Whether it stands near the first species of higher priority.
    near: bool,
    /// Whether it keeps from the first other species.
    keeps_from: bool,
    grouped: bool,
    /// Sink, tilt, tint, and variants of their own sizes.
    adorned: bool,
    downhill: bool,
    /// Whether it is written as a density.
    pub is_grass: bool,
}

impl Species {
    pub fn random(name: &'static str, side_m: f64, dice: &mut Dice) -> Self {
        Self {
            name,
            spacing: dice.from(6, 14) as f64 * 0.5 * side_m,
            footprint: dice.from(0, 8) as f64 * 0.25 * side_m,
            priority: dice.from(0, 2),
            has_density: dice.chance(50),
            slope: dice.pick(&[None, Some(30), Some(50)]),
            align: dice.chance(30),
            edge: dice.chance(40),
            keeps_off: dice.chance(40),
            soft: dice.chance(30),
            aspect: dice.chance(20),
            curvature: dice.chance(20),
            clusters: dice.chance(25),
            masked: dice.chance(20),
            in_biome: dice.chance(30),
            near: dice.chance(30),
            keeps_from: dice.chance(25),
            grouped: dice.chance(30),
            adorned: dice.chance(40),
            downhill: dice.chance(20),
            is_grass: dice.chance(15),
        }
    }

    pub fn reads_normals(&self) -> bool {
        let by_looks = (self.align || self.downhill) && !self.is_grass;
        self.slope.is_some() || self.aspect || self.curvature || by_looks
    }

    /// Its part of the config.
    pub fn text(&self, rules: &Rules) -> String {
        let Self { name, spacing, .. } = self;
        let mut text = format!(
            "[[species]]\nname = '{name}'\nstrata = {{ meadow = 1.0, rock = 0.4, field = 0.9 }}\nthreshold = 0.3\n\
             spacing = {spacing:?}\n"
        );
        text += &match self.is_grass {
            true => "write = 'density'\n".to_owned(),
            false => self.rivalry(rules) + self.looks(),
        };
        if self.has_density {
            // Three tenths of a plant per square of the spacing: half of what fits.
            let footprint = if self.is_grass { 0.0 } else { self.footprint };
            let apart = spacing.max(2.0 * footprint);
            text += &format!("density = {:?}\n", (3000.0 / (apart * apart)).floor());
        }
        text + &self.conditions(rules)
    }

    fn conditions(&self, rules: &Rules) -> String {
        let mut text = String::new();
        if let Some(top) = self.slope {
            text += &format!("slope = {{ band = [0, {top}], blend = 5 }}\n");
        }
        let far = rules.max_distance;
        if self.edge {
            text += &format!(
                "edge = {{ falloff = {:?}, density = 0.3, size = [0.2, 0.4] }}\n",
                far / 2.0
            );
        }
        if self.keeps_off {
            text += &format!(
                "distance = [{{ stratum = 'road', band = [{:?}, 1000], blend = {:?} }}]\n",
                far / 4.0,
                far / 8.0
            );
        }
        for (is_asked, rule) in [
            (self.soft, "softness = 0.2\n"),
            (self.aspect, "aspect = { band = [200, 80], blend = 40 }\n"),
            (
                self.curvature,
                "curvature = { band = [-1, 0.05], blend = 0.04 }\n",
            ),
            (
                self.clusters,
                "clusters = { wavelength = 11, coverage = 0.6, softness = 0.3 }\n",
            ),
            (
                self.masked,
                "mask = { file = 'paint.tif', range = [0, 180], invert = true }\n",
            ),
        ] {
            text += if is_asked { rule } else { "" };
        }
        text
    }

    /// What it has to do with other species.
    fn rivalry(&self, rules: &Rules) -> String {
        let (footprint, priority) = (self.footprint, self.priority);
        let mut text = format!("footprint = {footprint:?}\npriority = {priority}\n");
        let others = rules.species.iter().filter(|own| !own.is_grass);
        let others = others.filter(|own| own.name != self.name);
        let first = |higher: bool| {
            let fit = others
                .clone()
                .filter(|own| !higher || own.priority > self.priority);
            fit.map(|own| own.name).min()
        };
        if let Some(name) = first(true).filter(|_| self.near) {
            text += &format!("near = {{ species = '{name}', within = 5.5 }}\n");
        }
        if let Some(name) = first(false).filter(|_| self.keeps_from) {
            text += &format!("keep_from = {{ {name} = 3.25 }}\n");
        }
        text += if self.grouped { "group = 'all'\n" } else { "" };
        text
    }

    /// How its plants look.
    fn looks(&self) -> &'static str {
        match (self.align, self.adorned, self.downhill) {
            (align, false, false) if align => "align = 0.5\n",
            (_, true, false) => {
                "sink = [0.0, 0.4]\ntilt = [0, 20]\ntint = [0.2, 0.7]\n\
                 variants = { old = { weight = 2, edge = 0 }, young = { weight = 1, edge = 4, size = [0.1, 0.3] } }\n"
            }
            (_, false, true) => "facing = 'downhill'\nyaw = [-20, 35]\n",
            (_, true, true) => "align = 0.3\ntilt = [1, 5]\nfacing = 'downhill'\n",
            _ => "",
        }
    }
}

impl Rules {
    /// The species' part of the config.
    pub fn species_text(&self) -> String {
        let mut text: String = self.species.iter().map(|own| own.text(self)).collect();
        text += "[[group]]\nname = 'all'\nspacing = 2.5\n";
        let named = self.species.iter().filter(|own| own.in_biome);
        let named: Vec<_> = named.map(|own| format!("'{}'", own.name)).collect();
        let (top, names) = (self.biome, named.join(", "));
        let mask = match self.biome_has_mask {
            true => "mask = { file = 'mask.tif', invert = true }\n",
            false => "",
        };
        text + &format!(
            "[[biome]]\nname = 'low'\naltitude = {{ band = [-99, {top}], blend = 2 }}\n{mask}\
             [[biome]]\nname = 'open'\nwithin = 'low'\nstrata = {{ meadow = 1.0, field = 0.5 }}\nspecies = [{names}]\n"
        )
    }
}
