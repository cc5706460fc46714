//! Any pins among other edits, on a world under every rule of vegetation.

use super::*;

const SPECIES: [&str; 5] = ["oak", "pine", "fern", "shrub", "moss"];

/// Species with the rules that [`config_text`] has none of.
const FLORA: &str = r#"
[[species]]
name = "shrub"
strata = { meadow = 1.0, rock = 0.6 }
spacing = 2.0
footprint = 0.5
group = "low"
softness = 0.2
threshold = 0.4
edge = { falloff = 9, density = 0.4, size = [0.2, 0.4] }
near = { species = "oak", within = 9 }
keep_from = { pine = 2.5 }
clusters = { wavelength = 15, coverage = 0.7, softness = 0.3 }
facing = "downhill"
yaw = [-20, 35]
sink = [0.0, 0.4]
tilt = [0, 20]
tint = [0.2, 0.7]
variants = { old = { weight = 2, edge = 0 }, young = { weight = 1, edge = 4, size = [0.1, 0.3] } }
[[species]]
name = "moss"
strata = { meadow = 1.0, rock = 1.0 }
spacing = 1.5
group = "low"
priority = -1
aspect = { band = [200, 80], blend = 40 }
curvature = { band = [-1, 0.05], blend = 0.04 }
mask = { file = "mask.tif", invert = true }
[[species]]
name = "grass"
write = "density"
strata = { meadow = 1.0 }
density = 900
[[group]]
name = "low"
spacing = 1.25
[[biome]]
name = "valley"
altitude = { band = [-99, 45], blend = 12 }
species = ["moss", "fern", "grass"]
"#;

/// Numbers by chance, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = ecotone_grid::mix(self.0);
        self.0 % n
    }

    /// Anywhere on a map of some size whose north-west corner is that of [`plain`].
    fn place(&mut self, [width, height]: [u64; 2]) -> [f64; 2] {
        let mut along = |metres: u64| self.below(metres * 16) as f64 / 16.0;
        [1000.0 + along(width), 2000.0 - along(height)]
    }
}

#[test]
fn any_pins_among_other_edits_equal_a_fresh_bake() {
    let (width, height, text) = (90, 72, config_text(48, 30.0) + FLORA);
    let place = Place::with_hills(&plain(width, height));
    place.bake(&text, 2, "out").unwrap();
    let out = place.path("out");
    for species in SPECIES {
        assert!(rows(&out).iter().any(|row| row.species == species));
    }
    let size = [width, height].map(|px| px as u64);
    let mut dice = Dice(11);
    let n = std::env::var("ECOTONE_PINS").map_or(300, |n| n.parse().unwrap());
    for step in 0..n {
        let [x, y] = dice.place(size);
        let all = rows(&out);
        let species = SPECIES[dice.below(5) as usize];
        let any = all[dice.below(all.len() as u64) as usize].clone();
        let done = match dice.below(12) {
            0 => raise(&out, x, y, 9.0, 5.0 - dice.below(9) as f64 * 1.5),
            1 if !manifest(&out).edits.is_empty() => Ok(undo(&out, 1)),
            2..=4 => pin(&out, &[by_id(PinOp::Remove, any.id)]),
            5..=6 => pin(&out, &[by_id(PinOp::Lock, any.id)]),
            7..=8 => {
                let to = Some([x, y]);
                let moved = by_id(PinOp::Move, any.id);
                pin(&out, &[PinRequest { to, ..moved }])
            }
            _ => pin(&out, &[add(species, [x, y])]),
        };
        done.unwrap_or_else(|error| panic!("step {step}: {error}"));
        check_fresh(&place, &text);
    }
}
