//! Every rule by which a species grows more or less densely, each with a world over which it runs through all it can say.
//!
//! Nothing here is taken from the kernels but the noise of clusters: what a rule looks at comes from the closed form of the
//! ground or from the stored rasters, and what it makes of that is written down again as `docs/species.md` has it.

use std::f64::consts::PI;

use ecotone_scatter::Clusters;

use crate::factors::{Case, PLAIN, WOOD, mask};
use crate::worlds::{At, CORNER, SIDE};

/// Three strata that give way to one another as the ground rises.
const BELTS: &str = r#"
[[stratum]]
name = "low"
altitude = { band = [-1000, 50], blend = 100 }
[[stratum]]
name = "middle"
altitude = { band = [50, 150], blend = 100 }
[[stratum]]
name = "high"
altitude = { band = [150, 1000], blend = 100 }
"#;

/// Ground that rises from 0 to 220 m.
fn rise(x: f64, y: f64) -> f64 {
    0.7 * x + 0.4 * y
}

const MIDDLE: f64 = SIDE as f64 / 2.0;

/// A dome, as steep as the distance from its middle over 150 m, so up to 43°.
fn dome(x: f64, y: f64) -> f64 {
    200.0 - ((x - MIDDLE).powi(2) + (y - MIDDLE).powi(2)) / 300.0
}

/// A fold, hollow in the west and round in the east.
fn fold(x: f64, _: f64) -> f64 {
    50.0 - FOLD * (x - MIDDLE).powi(3) / 6.0
}
const FOLD: f64 = 1e-4;

/// Half of the curvature across it; along it there is none.
fn fold_curvature(at: &At<'_>) -> f64 {
    let t = at.x - MIDDLE;
    let slope = FOLD * t * t / 2.0;
    FOLD * t / (1.0 + slope * slope).powf(1.5) / 2.0
}

fn slope(at: &At<'_>) -> f64 {
    let r = (at.x - MIDDLE).hypot(at.y - MIDDLE);
    (r / 150.0).atan() * 180.0 / PI
}

/// The direction that the dome faces, clockwise from north.
fn aspect(at: &At<'_>) -> f64 {
    let degrees = (at.x - MIDDLE).atan2(at.y - MIDDLE) * 180.0 / PI;
    degrees.rem_euclid(360.0)
}

/// Metres inside the edge of the wood.
pub fn inside(at: &At<'_>) -> f64 {
    -at.metres(WOOD)
}

/// 0 before a, 1 after b, straight between them.
pub fn ramp(v: f64, a: f64, b: f64) -> f64 {
    ((v - a) / (b - a)).clamp(0.0, 1.0)
}

/// A band with a blend as wide on each end.
pub fn band(v: f64, [lo, hi]: [f64; 2], blend: f64) -> f64 {
    ramp(v, lo - blend / 2.0, lo + blend / 2.0).min(ramp(-v, -hi - blend / 2.0, -hi + blend / 2.0))
}

/// From the density at the edge to that inside.
fn from_edge(a: f64) -> f64 {
    0.2 + 0.8 * a
}

/// How far the way from the edge is gone at metres inside it, along a curve.
fn linear(inside: f64) -> f64 {
    ramp(inside, 0.0, FALLOFF)
}

pub fn smooth(inside: f64) -> f64 {
    smooth_step(linear(inside))
}

/// The curve `smooth` of docs/species.md.
pub fn smooth_step(t: f64) -> f64 {
    t * t * (3.0 - 2.0 * t)
}

fn ease(inside: f64) -> f64 {
    1.0 - (1.0 - linear(inside)).powi(2)
}

fn points(inside: f64) -> f64 {
    // On the edge and outside of it all is as at the edge, whatever the first point says.
    if inside <= 0.0 {
        return 0.0;
    }
    let t = inside / FALLOFF;
    1.0 - ramp(t, 0.0, 0.3) + ramp(t, 0.3, 1.0)
}
pub const FALLOFF: f64 = 16.0;

/// The patches of the cases with clusters, as their configs say.
fn patches() -> Clusters {
    Clusters {
        wavelength_m: 9.0,
        seed: 4,
        coverage: 0.5,
        softness: 0.6,
    }
}

/// The share of the ground that is less in a patch: no other factor depends on how much they cover and how softly.
fn patchiness(at: &At<'_>) -> f64 {
    patches().share((at.x + CORNER[0], at.y + CORNER[1]))
}

/// The part of the ground that the patches cover, as asked and over 9 km².
pub fn coverage() -> [f64; 2] {
    let patches = patches();
    let n = 1000_u32;
    let metres = |k: u32| f64::from(k) * 3.0;
    let covers = (0..n * n).map(|k| {
        let share = patches.share((metres(k % n), metres(k / n)));
        ramp(share, 0.2, 0.8)
    });
    [patches.coverage, covers.sum::<f64>() / f64::from(n * n)]
}

/// Every rule.
pub fn cases() -> Vec<Case> {
    let mut all = suitability();
    all.extend(edges());
    all.extend(ground());
    all.extend(places());
    all.extend(patches_and_biomes());
    all
}

fn suitability() -> Vec<Case> {
    vec![
        Case {
            name: "full pattern",
            density: None,
            ..PLAIN
        },
        Case {
            name: "density",
            density: Some(40_000),
            axis: "metres north",
            value: |at| at.y,
            ..PLAIN
        },
        Case {
            name: "mixed weight",
            rule: "strata = { low = 1, middle = 0.4 }\nthreshold = 0",
            strata: BELTS,
            density: None,
            height: rise,
            axis: "mixed weight",
            value: |at| at.share(0) + 0.4 * at.share(1),
            factor: |m| m,
            ..PLAIN
        },
        Case {
            name: "threshold",
            rule: "strata = { low = 1, middle = 0.7, high = 0.2 }\nthreshold = 0.55",
            strata: BELTS,
            density: None,
            height: rise,
            axis: "mixed weight",
            value: |at| at.share(0) + 0.7 * at.share(1) + 0.2 * at.share(2),
            factor: |m| if m >= 0.55 { m } else { 0.0 },
            ..PLAIN
        },
        Case {
            name: "soft threshold",
            rule: "strata = { low = 1, middle = 0.7, high = 0.2 }\nthreshold = 0.5\nsoftness = 0.25",
            strata: BELTS,
            density: None,
            height: rise,
            axis: "mixed weight",
            value: |at| at.share(0) + 0.7 * at.share(1) + 0.2 * at.share(2),
            factor: |m| m * ramp(m, 0.25, 0.75),
            ..PLAIN
        },
    ]
}

fn edges() -> Vec<Case> {
    let edge = |name, rule, way, factor| Case {
        name,
        rule,
        axis: "metres inside the edge of the wood",
        value: inside,
        factor,
        way: Some(way),
        ..PLAIN
    };
    vec![
        edge(
            "edge, linear",
            r#"edge = { stratum = "wood", falloff = 16, density = 0.2, curve = "linear", size = [0.2, 0.5] }
size = [0.8, 1.4]"#,
            linear,
            |e| from_edge(linear(e)),
        ),
        edge(
            "edge, smooth",
            r#"edge = { stratum = "wood", falloff = 16, density = 0.2, curve = "smooth", size = [0.2, 0.5] }
size = [0.8, 1.4]"#,
            smooth,
            |e| from_edge(smooth(e)),
        ),
        edge(
            "edge, ease",
            r#"edge = { stratum = "wood", falloff = 16, density = 0.2, curve = "ease", size = [0.2, 0.5] }
size = [0.8, 1.4]"#,
            ease,
            |e| from_edge(ease(e)),
        ),
        edge(
            "edge, points",
            r#"edge = { stratum = "wood", falloff = 16, density = 0.2, curve = [[0, 1], [0.3, 0], [1, 1]], size = [0.2, 0.5] }
size = [0.8, 1.4]"#,
            points,
            |e| from_edge(points(e)),
        ),
    ]
}

/// What a rule looks at, with its words.
pub type Axis = (&'static str, fn(&At<'_>) -> f64);
const ALTITUDE: Axis = ("metres of altitude", |at| rise(at.x, at.y));
const SLOPE: Axis = ("degrees of slope", slope);

fn ground() -> Vec<Case> {
    let on = |height, (axis, value): Axis, name, rule, factor| Case {
        name,
        rule,
        height,
        axis,
        value,
        factor,
        ..PLAIN
    };
    vec![
        on(
            rise,
            ALTITUDE,
            "altitude, band",
            "altitude = { band = [60, 170], blend = 70 }",
            |h| band(h, [60.0, 170.0], 70.0),
        ),
        on(
            rise,
            ALTITUDE,
            "altitude, curve",
            "altitude = { curve = [[30, 0], [90, 1], [200, 0.3]] }",
            |h| ramp(h, 30.0, 90.0) - 0.7 * ramp(h, 90.0, 200.0),
        ),
        on(
            dome,
            SLOPE,
            "slope, band",
            "slope = { band = [14, 33], blend = 10 }",
            |v| band(v, [14.0, 33.0], 10.0),
        ),
        on(
            dome,
            SLOPE,
            "slope, curve",
            "slope = { curve = [[5, 1], [25, 0.3], [35, 0.9]] }",
            |v| 1.0 - 0.7 * ramp(v, 5.0, 25.0) + 0.6 * ramp(v, 25.0, 35.0),
        ),
        on(
            dome,
            ("degrees clockwise from north", aspect),
            "aspect",
            "aspect = { band = [280, 80], blend = 90 }",
            |v| {
                // From the middle of the band, which lies in the north.
                let off = (v.rem_euclid(360.0) + 180.0) % 360.0 - 180.0;
                band(off, [-80.0, 80.0], 90.0)
            },
        ),
        on(
            fold,
            ("mean curvature, 1/m", fold_curvature),
            "curvature, band",
            "curvature = { band = [-0.002, 1], blend = 0.004 }",
            |c| band(c, [-0.002, 1.0], 0.004),
        ),
        on(
            fold,
            ("profile curvature, 1/m", |at| 2.0 * fold_curvature(at)),
            "curvature, curve",
            r#"curvature = { kind = "profile", curve = [[-0.006, 1], [0.001, 0.2], [0.007, 0.8]] }"#,
            |c| 1.0 - 0.8 * ramp(c, -0.006, 0.001) + 0.6 * ramp(c, 0.001, 0.007),
        ),
    ]
}

fn places() -> Vec<Case> {
    vec![
        Case {
            name: "distance, keep off",
            rule: r#"distance = [{ stratum = "wood", band = [3, 1000], blend = 6 }]"#,
            density: None,
            axis: "metres outside the edge of the wood",
            value: |at| at.metres(WOOD),
            factor: |d| ramp(d, 0.0, 6.0),
            ..PLAIN
        },
        Case {
            name: "distance, curve",
            rule: r#"distance = [{ stratum = "wood", curve = [[-15, 0.1], [-6, 1], [2, 0.2], [10, 0.8]] }]"#,
            axis: "metres outside the edge of the wood",
            value: |at| at.metres(WOOD),
            factor: |d| {
                0.1 + 0.9 * ramp(d, -15.0, -6.0) - 0.8 * ramp(d, -6.0, 2.0)
                    + 0.6 * ramp(d, 2.0, 10.0)
            },
            ..PLAIN
        },
        Case {
            name: "density mask",
            rule: r#"mask = { file = "mask.tif" }"#,
            density: None,
            // It has pixels of 5 m; between them a product of two straight lines is itself.
            axis: "value of the mask",
            value: |at| mask(at.x, at.y),
            factor: |share| share,
            ..PLAIN
        },
    ]
}

fn patches_and_biomes() -> Vec<Case> {
    vec![
        Case {
            name: "clusters",
            rule: "clusters = { wavelength = 9, coverage = 0.5, softness = 0.6, seed = 4 }",
            axis: "share of the ground that is less in a patch",
            value: patchiness,
            factor: |u| ramp(u, 0.2, 0.8),
            ..PLAIN
        },
        Case {
            name: "clusters, hard",
            rule: "clusters = { wavelength = 9, coverage = 0.3, softness = 0, seed = 4 }",
            density: None,
            axis: "share of the ground that is less in a patch",
            value: patchiness,
            factor: |u| f64::from(u8::from(u >= 0.7)),
            ..PLAIN
        },
        Case {
            name: "biome",
            biomes: r#"
[[biome]]
name = "upland"
altitude = { band = [110, 400], blend = 160 }
species = ["plant"]
"#,
            height: rise,
            axis: "metres of altitude",
            value: |at| rise(at.x, at.y),
            factor: |h| ramp(h, 30.0, 190.0),
            ..PLAIN
        },
        Case {
            name: "biome within another, or a third",
            biomes: r#"
[[biome]]
name = "upland"
altitude = { band = [110, 400], blend = 160 }
[[biome]]
name = "glade"
within = "upland"
strata = { field = 1, wood = 1 }
slope = { curve = [[0, 0], [43, 1]] }
species = ["plant"]
[[biome]]
name = "lowland"
altitude = { curve = [[60, 0.6], [130, 0.1]] }
species = ["plant"]
"#,
            height: dome,
            axis: "presence",
            value: |at| {
                let h = dome(at.x, at.y);
                let glade = ramp(h, 30.0, 190.0) * ramp(slope(at), 0.0, 43.0);
                glade.max(0.6 - 0.5 * ramp(h, 60.0, 130.0))
            },
            density: None,
            factor: |presence| presence,
            ..PLAIN
        },
    ]
}
