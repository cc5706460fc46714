//! How plants stand: size, height, upright, turn, variant and tint, each from a draw of its own.

use crate::draws::{Purpose, draw, unit};
use crate::sample::{Ground, lerp, normalised};
use crate::{Facing, Fields, Look, Species, Variant, Yaw};
use ecotone_grid::{aspect_degrees, floor, sin_cos_degrees};

/// Steps of a stored yaw in a full turn.
const YAW_STEPS: f64 = 65536.0;

/// Stored tints, on each of which draws from 0 to 1 fall alike often; what is stored is read as a share of 255.
const TINT_STEPS: f64 = 256.0;

/// What the attributes of a plant depend on, beside its species.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand<'a> {
    pub fields: &'a Fields<'a>,
    pub x: i64,
    pub y: i64,
    /// Edge attenuation there.
    pub attenuation: f64,
}

/// The attributes of a plant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Attributes {
    pub size: f64,
    pub sink_m: f64,
    pub up: [f64; 3],
    pub yaw: u16,
    pub variant: u8,
    pub tint: u8,
}

/// The attributes of a plant: what its look does not say is drawn.
pub(crate) fn attributes(species: &Species, stand: &Stand<'_>, look: &Look) -> Attributes {
    let drawn = |purpose| unit(draw(look.draws, purpose));
    let attenuation = stand.attenuation;
    let pick = || variant(&species.variants, attenuation, drawn(Purpose::Variant));
    let variant = look.variant.unwrap_or_else(pick);
    let size = || {
        let [lo, hi] = size_range(species, variant, attenuation);
        lerp(lo, hi, drawn(Purpose::Size))
    };
    let sink_m = || lerp(species.sink_m[0], species.sink_m[1], drawn(Purpose::Sink));
    let up = || {
        let degrees = lerp(species.tilt[0], species.tilt[1], drawn(Purpose::Tilt));
        let aligned = upright(species.align, stand);
        tilted(aligned, degrees, 360.0 * drawn(Purpose::TiltDirection))
    };
    Attributes {
        size: look.size.unwrap_or_else(size),
        sink_m: look.sink_m.unwrap_or_else(sink_m),
        up: look.up.unwrap_or_else(up),
        yaw: look
            .yaw
            .unwrap_or_else(|| yaw(&species.yaw, stand, drawn(Purpose::Yaw))),
        variant,
        tint: look
            .tint
            .unwrap_or_else(|| tint(species.tint, drawn(Purpose::Tint))),
    }
}

/// Smallest and largest size of a variant at an attenuation.
fn size_range(species: &Species, variant: u8, attenuation: f64) -> [f64; 2] {
    let own = species.variants.get(usize::from(variant));
    let own = own.and_then(|own| own.size.or(own.edge_size).zip(own.edge_size.or(own.size)));
    let (interior, edge) = own.unwrap_or((species.size, species.edge.size));
    [0, 1].map(|end| lerp(edge[end], interior[end], attenuation))
}

/// The upright of a plant that leans by `align` from the vertical to the ground's normal.
fn upright(align: f64, stand: &Stand<'_>) -> [f64; 3] {
    const VERTICAL: [f64; 3] = [0.0, 0.0, 1.0];
    let ground = (align > 0.0).then(|| Ground::at(stand.fields, stand.x, stand.y));
    ground.flatten().map_or(VERTICAL, |ground| {
        let normal = ground.normal();
        normalised([0, 1, 2].map(|k| lerp(VERTICAL[k], normal[k], align)))
    })
}

/// An upright tilted by an angle towards a direction, both in degrees: for the vertical, 0 is east and 90 north.
fn tilted(up: [f64; 3], degrees: f64, direction: f64) -> [f64; 3] {
    if degrees == 0.0 {
        return up;
    }
    let (sin, cos) = sin_cos_degrees(degrees);
    let (north, east) = sin_cos_degrees(direction);
    let [a, b] = across(up);
    normalised([0, 1, 2].map(|k| up[k] * cos + (a[k] * east + b[k] * north) * sin))
}

/// Two directions across a third and each other: east and north for the vertical.
///
/// T. Duff et al., *Building an Orthonormal Basis, Revisited*, 2017.
fn across([x, y, z]: [f64; 3]) -> [[f64; 3]; 2] {
    let sign = if z < 0.0 { -1.0 } else { 1.0 };
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    [
        [1.0 + sign * x * x * a, sign * b, -sign * x],
        [b, sign + y * y * a, -y],
    ]
}

/// A turn in steps: the way it faces, to the nearest step, and from there on the drawn part of the range, rounded down.
fn yaw(yaw: &Yaw, stand: &Stand<'_>, draw: f64) -> u16 {
    let [from, to] = yaw.range.map(|degrees| degrees / 360.0);
    let turn = floor(lerp(from, to, draw) * YAW_STEPS);
    let facing = match yaw.facing {
        Facing::East => 0,
        Facing::Downhill => floor(downhill(stand) / 360.0 * YAW_STEPS + 0.5),
    };
    // A full turn is as many steps as 16 bits hold.
    (turn + facing) as u16
}

/// The way the ground falls in degrees counter-clockwise from east; 0 where it is flat.
fn downhill(stand: &Stand<'_>) -> f64 {
    let ground = Ground::at(stand.fields, stand.x, stand.y);
    let [x, y, _] = ground.map_or([0.0; 3], |ground| ground.normal());
    let aspect = aspect_degrees(x, y);
    if aspect.is_nan() { 0.0 } else { 90.0 - aspect }
}

/// A tint of a range in steps.
fn tint([lo, hi]: [f64; 2], draw: f64) -> u8 {
    // A float above the largest byte becomes that.
    (lerp(lo, hi, draw) * TINT_STEPS) as u8
}

/// The variant that a draw in [0, 1) falls on, by the weights at an attenuation; 0 where there are none.
fn variant(variants: &[Variant], attenuation: f64, draw: f64) -> u8 {
    let weights = || {
        let weight = |own: &Variant| lerp(own.edge_weight, own.weight, attenuation);
        variants.iter().map(weight)
    };
    let mut left = draw * weights().sum::<f64>();
    let falls_on = |weight: f64| {
        left -= weight;
        left < 0.0
    };
    let last = || weights().rposition(|weight| weight > 0.0);
    weights().position(falls_on).or_else(last).unwrap_or(0) as u8
}

#[cfg(test)]
#[path = "attributes_tests.rs"]
mod tests;
