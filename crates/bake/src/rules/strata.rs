//! The strata of a config in the kernels' words.

use ecotone_grid::{Sector, Trapezoid, mix, name_key};
use ecotone_terrain::{self as terrain, Layer, Preset, Shift, Shifted, Strata};

use crate::config::{self, Config, CurvatureBand, CurvatureKind, Loaded, MaskMode, Noise, Stratum};
use crate::error::BakeError;

/// Resolves the strata; errors point at a band or a noise that can do nothing.
pub(super) fn resolve(loaded: &Loaded) -> Result<Strata, BakeError> {
    let config = &loaded.config;
    let mut strata = Strata::default();
    for (idx, stratum) in config.strata.iter().enumerate() {
        if stratum.mask.is_some() {
            strata.layers.push(layer(config, stratum));
        }
        if !stratum.is_correction() {
            let preset = match stratum.mask {
                Some(_) => None,
                None => Some(preset(loaded, idx, stratum)?),
            };
            strata.bands.push(preset);
        }
    }
    strata.layers.extend(loaded.edits.layers(loaded));
    Ok(strata)
}

/// What the mask of a stratum does.
fn layer(config: &Config, stratum: &Stratum) -> Layer {
    let band = |name: &str| {
        config
            .bands()
            .position(|other| other.name == name)
            .expect("a loaded config names strata that exist")
    };
    let target = || {
        let name = stratum.target.as_deref();
        band(name.expect("a correction of a loaded config has a target"))
    };
    match stratum.mode {
        MaskMode::Over => Layer::Over {
            band: band(&stratum.name),
        },
        MaskMode::Add => Layer::Add { target: target() },
        MaskMode::Subtract => Layer::Subtract { target: target() },
    }
}

fn preset(loaded: &Loaded, idx: usize, stratum: &Stratum) -> Result<Preset, BakeError> {
    let slope = stratum.slope_band();
    Ok(Preset {
        slope: (slope.lo.is_some() || slope.hi.is_some()).then_some(slope),
        altitude: stratum.altitude.map(|band| band.trapezoid()),
        aspect: aspect(loaded, idx, stratum)?,
        curvature: stratum.curvature.as_ref().map(curvature),
        shift: shift(loaded, idx, stratum)?,
        fallback: stratum.fallback,
    })
}

/// The band of aspects, unless it is the full circle.
fn aspect(loaded: &Loaded, idx: usize, stratum: &Stratum) -> Result<Option<Sector>, BakeError> {
    let Some(aspect) = stratum.aspect else {
        return Ok(None);
    };
    let [from, to] = aspect.band;
    let sector = Sector::new(from, to, aspect.blend);
    if sector.is_some_and(|sector| sector.is_empty()) {
        let message = format!("the band of aspects from {from}° to {to}° is empty");
        let help = "it goes clockwise from the first to the last: [315, 45] is the north, [0, 360] all round";
        let key = format!("stratum[{idx}].aspect.band");
        return Err(loaded.error_at(&key, message, Some(help.into())).into());
    }
    Ok(sector)
}

fn curvature(keys: &CurvatureBand) -> terrain::CurvatureBand {
    let [lo, hi] = keys.band.map(Some);
    terrain::CurvatureBand {
        kind: match keys.kind {
            CurvatureKind::Mean => terrain::Curvature::Mean,
            CurvatureKind::Profile => terrain::Curvature::Profile,
            CurvatureKind::Plan => terrain::Curvature::Plan,
        },
        band: Trapezoid {
            lo,
            hi,
            blend: keys.blend,
        },
    }
}

/// The noise of a stratum, which must have a band to shift.
fn shift(loaded: &Loaded, idx: usize, stratum: &Stratum) -> Result<Option<Shift>, BakeError> {
    let Some(noise) = stratum.noise else {
        return Ok(None);
    };
    let (of, word, has_band) = match noise.shifts {
        config::Shifted::Slope => {
            let has_band = stratum.slope.is_some() || stratum.tilt.is_some();
            (Shifted::Slope, "slope", has_band)
        }
        config::Shifted::Altitude => (Shifted::Altitude, "altitude", stratum.altitude.is_some()),
    };
    if !has_band {
        let message = format!("noise shifts the {word}, of which this stratum has no band");
        let help = format!("give it `{word}` too, or say with `shifts` what else to shift");
        let key = format!("stratum[{idx}].noise");
        return Err(loaded.error_at(&key, message, Some(help)).into());
    }
    Ok(Some(Shift {
        of,
        amplitude: noise.amplitude,
        noise: ecotone_grid::Noise {
            wavelength_m: noise.wavelength,
            seed: noise_seed(loaded.config.seed, stratum, &noise),
        },
    }))
}

/// The seed of a stratum's noise: its own, else one that no other stratum and no other world has.
pub(crate) fn noise_seed(world: u64, stratum: &Stratum, noise: &Noise) -> u64 {
    const PURPOSE: u64 = name_key("noise of a stratum");
    let own = || mix(mix(world ^ PURPOSE) ^ name_key(&stratum.name));
    noise.seed.unwrap_or_else(own)
}
