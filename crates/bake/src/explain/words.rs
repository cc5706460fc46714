//! What a species' rules ask for and say, in words.

use ecotone_grid::{Profile, Trapezoid};
use ecotone_scatter::{Factor, Rule, Species};

use super::answer::RuleAnswer;
use crate::rules::{LayerSource, Rules};

/// What rules are about, by name.
pub(super) struct Names<'a> {
    pub(super) rules: &'a Rules,
    pub(super) strata: &'a [String],
    /// Files of density masks.
    pub(super) masks: &'a [String],
}

/// A number for people: three decimals at most.
pub(super) fn short(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    // A probability that is not 0 should not look like it.
    match rounded == 0.0 && value != 0.0 {
        true => format!("{value:.1e}"),
        false => format!("{}", rounded + 0.0),
    }
}

impl Names<'_> {
    pub(super) fn stratum(&self, idx: usize) -> String {
        self.strata.get(idx).cloned().unwrap_or_default()
    }

    pub(super) fn layer(&self, band: usize) -> String {
        match self.rules.layers.get(band) {
            Some(LayerSource::Mask(mask)) => {
                let file = self.masks.get(*mask);
                format!("mask {}", file.map_or("", String::as_str))
            }
            Some(LayerSource::Curvature(kind)) => {
                format!("{} curvature", format!("{kind:?}").to_lowercase())
            }
            None => String::new(),
        }
    }

    pub(super) fn biome(&self, idx: usize) -> String {
        let biome = self.rules.biomes.get(idx);
        biome.map_or_else(String::new, |biome| biome.name.clone())
    }

    /// A rule's answer in words.
    pub(super) fn rule(&self, species: &Species, factor: &Factor) -> RuleAnswer {
        let (rule, of) = self.title(species, factor.rule);
        RuleAnswer {
            rule,
            of,
            value: factor.value.is_finite().then_some(factor.value),
            factor: factor.factor,
            asks: self.asks(species, factor.rule),
            says: match factor.factor {
                0.0 => "not here".to_owned(),
                1.0 => "fully".to_owned(),
                part => format!("times {}", short(part)),
            },
        }
    }

    fn title(&self, species: &Species, rule: Rule) -> (&'static str, Option<String>) {
        let conditions = &species.conditions;
        match rule {
            Rule::MixedWeight => ("mixed_weight", None),
            Rule::Threshold => ("threshold", None),
            Rule::Edge => ("edge", Some(self.stratum(species.edge.stratum))),
            Rule::Altitude => ("altitude", None),
            Rule::Slope => ("slope", None),
            Rule::Aspect => ("aspect", None),
            Rule::Distance(k) => {
                let own = conditions.distance.get(k);
                ("distance", own.map(|(stratum, _)| self.stratum(*stratum)))
            }
            Rule::Layer(k) => {
                let own = conditions.layers.get(k);
                ("layer", own.map(|(band, _)| self.layer(*band)))
            }
            Rule::Clusters => ("clusters", None),
            Rule::Biome(idx) => ("biome", Some(self.biome(idx))),
        }
    }

    fn asks(&self, species: &Species, rule: Rule) -> String {
        let conditions = &species.conditions;
        let of =
            |profile: Option<&Profile>, unit| profile.map_or_else(String::new, |p| asked(p, unit));
        match rule {
            Rule::MixedWeight => self.mix(species),
            Rule::Threshold if species.softness > 0.0 => format!(
                "a ramp from {} to {}",
                short(species.threshold - species.softness),
                short(species.threshold + species.softness)
            ),
            Rule::Threshold => format!("at least {}", short(species.threshold)),
            Rule::Edge => match species.edge.falloff_m {
                None => "the same everywhere".to_owned(),
                Some(falloff) => format!(
                    "{} at the edge, 1 from {} m inside",
                    short(species.edge.density),
                    short(falloff)
                ),
            },
            Rule::Altitude => of(conditions.altitude.as_ref(), " m"),
            Rule::Slope => of(conditions.slope.as_ref(), "°"),
            Rule::Aspect => "a sector of directions".to_owned(),
            Rule::Distance(k) => of(conditions.distance.get(k).map(|own| &own.1), " m"),
            Rule::Layer(k) => of(conditions.layers.get(k).map(|own| &own.1), ""),
            Rule::Clusters => conditions
                .clusters
                .as_ref()
                .map_or_else(String::new, |own| {
                    let (length, cover) = (short(own.wavelength_m), short(own.coverage));
                    format!("patches about {length} m apart on {cover} of the ground")
                }),
            Rule::Biome(_) => "ground of the biome".to_owned(),
        }
    }

    /// The strata of a mixed weight.
    fn mix(&self, species: &Species) -> String {
        let part =
            |&(stratum, c): &(usize, f64)| format!("{} × {}", short(c), self.stratum(stratum));
        let parts: Vec<_> = species.strata.iter().map(part).collect();
        parts.join(" + ")
    }

    /// Why a rule whose factor is 0 leaves a species no chance.
    pub(super) fn blame(&self, species: &Species, factor: &Factor) -> String {
        let value = short(factor.value);
        let asks = self.asks(species, factor.rule);
        let (_, of) = self.title(species, factor.rule);
        let of = of.unwrap_or_default();
        match factor.rule {
            Rule::MixedWeight => format!("the mixed weight of {asks} is 0"),
            Rule::Threshold => {
                let least = short(species.threshold - species.softness);
                format!("the mixed weight {value} is below its threshold {least}")
            }
            Rule::Edge => format!("{value} m inside the edge of {of}, and its density there is 0"),
            Rule::Altitude => format!("the altitude of {value} m is outside {asks}"),
            Rule::Slope => format!("the slope of {value}° is outside {asks}"),
            Rule::Aspect => format!("the slope faces {value}°, which is outside its directions"),
            Rule::Distance(_) => format!("the distance of {value} m to {of} is outside {asks}"),
            Rule::Layer(_) => format!("{of} is {value}, where its factor is 0"),
            Rule::Clusters => "the point lies between its clusters".to_owned(),
            Rule::Biome(_) => format!("there is nothing of the biome {of}"),
        }
    }
}

/// What a profile asks for.
fn asked(profile: &Profile, unit: &str) -> String {
    match profile {
        Profile::Band(Trapezoid { lo, hi, blend }) => {
            let range = match (lo, hi) {
                (Some(lo), Some(hi)) => format!("{} to {}{unit}", short(*lo), short(*hi)),
                (Some(lo), None) => format!("{}{unit} and more", short(*lo)),
                (None, Some(hi)) => format!("up to {}{unit}", short(*hi)),
                (None, None) => "anything".to_owned(),
            };
            match *blend > 0.0 {
                true => format!("{range}, blend {}{unit}", short(*blend)),
                false => range,
            }
        }
        Profile::Points(points) => {
            let point =
                |[value, factor]: &[f64; 2]| format!("{}{unit}: {}", short(*value), short(*factor));
            let points: Vec<_> = points.iter().map(point).collect();
            format!("a curve ({})", points.join(", "))
        }
    }
}
