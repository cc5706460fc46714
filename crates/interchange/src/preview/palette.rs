//! Colours of strata and species.

/// Red, green and blue in sRGB, 0 … 255.
pub(crate) type Rgb = [f32; 3];

/// `a` at 0, `b` at 1.
pub(crate) fn mix(a: Rgb, b: Rgb, t: f32) -> Rgb {
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * t)
}

/// Words that tell what a stratum is of, and its colour; the first that is part of a name counts.
const GROUND: [(&[&str], Rgb); 16] = [
    (
        &["grass", "meadow", "lawn", "pasture", "field", "plain"],
        [178.0, 193.0, 130.0],
    ),
    (&["forest", "wood", "taiga", "jungle"], [112.0, 138.0, 92.0]),
    (
        &["scree", "talus", "rubble", "debris", "boulder"],
        [190.0, 176.0, 158.0],
    ),
    (&["gravel", "pebble", "shingle"], [201.0, 191.0, 175.0]),
    (
        &["rock", "cliff", "wall", "stone", "crag", "bluff", "scarp"],
        [150.0, 145.0, 142.0],
    ),
    (
        &["road", "path", "track", "trail", "street"],
        [228.0, 208.0, 164.0],
    ),
    (
        &["water", "river", "lake", "sea", "ocean", "stream", "pond"],
        [125.0, 172.0, 205.0],
    ),
    (&["snow", "ice", "glacier", "firn"], [243.0, 246.0, 249.0]),
    (&["sand", "beach", "dune", "desert"], [233.0, 217.0, 166.0]),
    (
        &["mud", "soil", "dirt", "earth", "clay"],
        [172.0, 145.0, 112.0],
    ),
    (
        &["marsh", "swamp", "bog", "wet", "fen", "reed"],
        [138.0, 165.0, 142.0],
    ),
    (
        &["heath", "shrub", "moor", "tundra", "bush"],
        [168.0, 158.0, 112.0],
    ),
    (&["crop", "farm", "arable"], [214.0, 196.0, 124.0]),
    (&["steep", "slope", "hill"], [186.0, 168.0, 128.0]),
    (
        &["flat", "valley", "low", "cove", "hollow"],
        [186.0, 199.0, 146.0],
    ),
    (
        &["high", "alpine", "summit", "ridge"],
        [196.0, 190.0, 176.0],
    ),
];

/// For strata whose names say nothing.
const NAMELESS: [Rgb; 8] = [
    [184.0, 196.0, 140.0],
    [205.0, 178.0, 138.0],
    [150.0, 170.0, 158.0],
    [190.0, 158.0, 138.0],
    [208.0, 200.0, 172.0],
    [158.0, 160.0, 122.0],
    [172.0, 172.0, 184.0],
    [138.0, 150.0, 128.0],
];

/// Words that tell what grows, and its colour.
const GROWTH: [(&[&str], Rgb); 10] = [
    (&["spruce", "fir", "conifer", "cedar"], [44.0, 84.0, 66.0]),
    (&["pine", "juniper", "cypress"], [74.0, 110.0, 72.0]),
    (&["larch"], [138.0, 140.0, 62.0]),
    (&["oak", "elm"], [88.0, 112.0, 42.0]),
    (
        &["beech", "maple", "linden", "chestnut"],
        [124.0, 138.0, 46.0],
    ),
    (
        &["birch", "aspen", "poplar", "willow", "alder"],
        [152.0, 172.0, 78.0],
    ),
    (
        &["grass", "sedge", "fern", "reed", "tussock"],
        [148.0, 170.0, 92.0],
    ),
    (
        &["shrub", "bush", "heather", "hazel", "thorn"],
        [128.0, 118.0, 66.0],
    ),
    (&["flower", "herb", "aster"], [186.0, 132.0, 120.0]),
    (
        &["rock", "stone", "boulder", "dead", "stump", "log"],
        [128.0, 112.0, 98.0],
    ),
];

const NAMELESS_GROWTH: [Rgb; 8] = [
    [58.0, 98.0, 64.0],
    [118.0, 132.0, 52.0],
    [128.0, 98.0, 62.0],
    [84.0, 124.0, 96.0],
    [156.0, 150.0, 76.0],
    [72.0, 88.0, 52.0],
    [150.0, 116.0, 92.0],
    [104.0, 142.0, 78.0],
];

/// A colour for each stratum, in their order.
pub(crate) fn strata<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Rgb> {
    colours(names, &GROUND, &NAMELESS)
}

/// A colour for each species, in their order.
pub(crate) fn species<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Rgb> {
    colours(names, &GROWTH, &NAMELESS_GROWTH)
}

fn colours<'a>(
    names: impl Iterator<Item = &'a str>,
    hints: &[(&[&str], Rgb)],
    nameless: &[Rgb],
) -> Vec<Rgb> {
    let mut taken = Vec::<Rgb>::new();
    for (idx, name) in names.enumerate() {
        let name = name.to_lowercase();
        let hinted = hints
            .iter()
            .find(|(words, _)| words.iter().any(|word| name.contains(word)));
        let colour = hinted.map_or(nameless[idx % nameless.len()], |(_, colour)| *colour);
        taken.push(apart(colour, &taken));
    }
    taken
}

/// The colour, or a lighter or darker one where it is taken: a dozen tries, for the thirteenth of a kind looks like one of them.
fn apart(colour: Rgb, taken: &[Rgb]) -> Rgb {
    let near = |a: &Rgb, b: &Rgb| a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum::<f32>() < 36.0;
    let variant = |k: i32| {
        let t = 0.14 * (k as f32 / 2.0).ceil();
        let towards = if k % 2 == 0 {
            [250.0, 246.0, 228.0]
        } else {
            [52.0, 62.0, 58.0]
        };
        mix(colour, towards, t.min(0.75))
    };
    let free = |c: &Rgb| !taken.iter().any(|other| near(c, other));
    (0..12).map(variant).find(free).unwrap_or(colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strata_of_one_kind_stay_apart() {
        let found = strata(["meadow", "alpine meadow", "rock", "a", "b", "c"].into_iter());
        for (idx, a) in found.iter().enumerate() {
            assert!(!found[..idx].contains(a), "{found:?}");
        }
    }
}
