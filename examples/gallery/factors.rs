//! A rule of density with its world, its plants, and what is expected of them.

use crate::statistics::Fit;
use crate::worlds::{At, Place, Plant, SIDE, World};

/// Metres between plants.
const SPACING: f64 = 0.25;

/// Plants per square metre of a full pattern: 0.6117 on a square of the spacing.
pub fn full_density(spacing: f64) -> f64 {
    0.6117 / (spacing * spacing)
}

/// Plants per hectare where the rule allows all, as most configs here ask.
const DENSE: Option<u32> = Some(60_000);

/// A rule and its world.
pub struct Case {
    pub name: &'static str,
    /// The species' lines that are looked at.
    pub rule: &'static str,
    /// The biomes that are.
    pub biomes: &'static str,
    pub strata: &'static str,
    /// Plants per hectare where the factor is 1; `None`: as dense as the spacing holds.
    pub density: Option<u32>,
    /// Height in metres at metres east and north of the corner.
    pub height: fn(f64, f64) -> f64,
    /// What the rule looks at, and in which words.
    pub axis: &'static str,
    pub value: fn(&At<'_>) -> f64,
    /// What it makes of it.
    pub factor: fn(f64) -> f64,
    /// How far the way from the edge is gone at metres inside it, where sizes go it too.
    pub way: Option<fn(f64) -> f64>,
}

/// Ground that is half covered by strips of wood.
const WOODS: &str = r#"
[[stratum]]
name = "field"
[[stratum]]
name = "wood"
mask = "wood.tif"
"#;
pub const WOOD: usize = 1;

/// A species without a rule, on flat ground.
pub const PLAIN: Case = Case {
    name: "",
    rule: "",
    biomes: "",
    strata: WOODS,
    density: DENSE,
    height: |_, _| 50.0,
    axis: "metres east",
    value: |at| at.x,
    factor: |_| 1.0,
    way: None,
};

/// Diagonals of strips, 37 m of wood and 24 m of field.
fn is_wood(x: f64, y: f64) -> bool {
    (x + 0.4 * y) % 66.0 < 40.0
}

/// A density mask that grows to the north-east.
pub fn mask(x: f64, y: f64) -> f64 {
    0.1 + 0.9 * x * y / (SIDE * SIDE) as f64
}

impl Case {
    /// The lines of its config that are looked at, a biome's after its name.
    pub fn shown(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.rule.lines().map(str::to_owned).collect();
        for line in self.biomes.lines() {
            if line.starts_with("name") {
                lines.push(line.replace("name =", "biome"));
            } else if !(line.is_empty() || line.starts_with("[[") || line.starts_with("species")) {
                lines.push(line.to_owned());
            }
        }
        match self.density {
            Some(density) => lines.insert(0, format!("density = {density}")),
            None if lines.is_empty() => lines.push(format!("spacing = {SPACING}")),
            None => {}
        }
        lines
    }

    /// Plants per square metre where the factor is 1.
    pub fn per_m2(&self) -> f64 {
        let asked = self.density.map(|density| f64::from(density) / 1e4);
        asked.unwrap_or_else(|| full_density(SPACING))
    }

    /// Flat ground with a species' lines that are none of its density.
    pub fn flat(rule: &'static str) -> Self {
        Self { rule, ..PLAIN }
    }

    fn species(&self) -> String {
        let grows = match self.strata {
            WOODS => "strata = { field = 1, wood = 1 }\n",
            // The rule says it.
            _ => "",
        };
        let density = self.density.map(|density| format!("density = {density}\n"));
        let density = density.unwrap_or_default();
        format!(
            "[[species]]\nname = \"plant\"\nspacing = {SPACING}\n{density}{grows}{}\n",
            self.rule
        )
    }

    /// Bakes its world.
    pub fn world(&self) -> World {
        self.world_of(&self.species())
    }

    /// Bakes its ground with other species.
    pub fn world_of(&self, species: &str) -> World {
        let place = Place::new();
        place.write("heights.tif", 1.0, self.height);
        place.write("wood.tif", 1.0, |x, y| f64::from(u8::from(is_wood(x, y))));
        place.write("mask.tif", 5.0, mask);
        let config = format!(
            "seed = 3\n[terrain]\nheights = [\"heights.tif\"]\n[tiles]\nsize = 64\n[edges]\nmax_distance = 32\n\
            {}{}{species}[output]\nchunk = 64\n",
            self.strata, self.biomes
        );
        World::of(&place.bake(&config, &place.path(""), "out"))
    }

    /// Holds the plants against the rule, and counts those that stand where it allows none.
    pub fn fit(&self, world: &World) -> (Fit, usize) {
        let factor = |at: &At<'_>| (self.factor)((self.value)(at));
        let density = |at: &At<'_>| self.per_m2() * factor(at);
        let is_stray = |plant: &&Plant| factor(&world.at(plant.at)) <= 0.0;
        let n_strays = world.plants.iter().filter(is_stray).count();
        (
            world.fit(world.plants.iter(), density, self.value),
            n_strays,
        )
    }
}
