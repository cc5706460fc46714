//! Raw weights of presets: the products of their bands, looked at pixel by pixel only where a band is not level.

use ecotone_grid::{Trapezoid, aspect_degrees};

use crate::curvature::{CurvatureScratch, write_curvature};
use crate::plateau::{Plateau, Range, range_of};
use crate::slope::{slope_range, write_slopes};
use crate::strata::{Curvature, Preset, Shift};
use crate::stretch::{Sources, Stretch};

const CURVATURES: [Curvature; 3] = [Curvature::Mean, Curvature::Profile, Curvature::Plan];

/// Memory of one stretch of pixels.
#[derive(Clone, Debug, Default)]
pub(crate) struct PresetScratch {
    levels: Vec<Levels>,
    slopes: Vec<f64>,
    aspects: Vec<f64>,
    /// In the order of [`CURVATURES`].
    curvatures: [Vec<f64>; 3],
    /// What a band sees of slopes or altitudes that are shifted.
    shifted: Vec<f64>,
    curvature: CurvatureScratch,
}

/// What is known of the bands of a preset over a whole stretch, and which must be looked at pixel by pixel.
#[derive(Clone, Copy, Debug)]
struct Levels {
    /// The product of those that are level: 0 or 1.
    known: f64,
    slope: bool,
    altitude: bool,
    aspect: bool,
    curvature: bool,
}

impl Levels {
    const ALL_ONE: Self = Self::all(1.0);

    /// Every band level, with this product.
    const fn all(known: f64) -> Self {
        Self {
            known,
            slope: false,
            altitude: false,
            aspect: false,
            curvature: false,
        }
    }

    fn are_all(&self) -> bool {
        !(self.slope | self.altitude | self.aspect | self.curvature)
    }
}

/// A preset, and where its bands are level.
struct Bands {
    preset: Preset,
    slope_plateau: Option<Plateau>,
    altitude_plateau: Option<Plateau>,
}

impl Bands {
    fn new(preset: Preset) -> Self {
        Self {
            preset,
            slope_plateau: preset.slope.map(Plateau::of),
            altitude_plateau: preset.altitude.map(Plateau::of),
        }
    }

    /// What is known without a look at each pixel.
    fn levels(&self, seen: &Seen) -> Levels {
        let preset = &self.preset;
        let slope = level(&self.slope_plateau, seen.slopes, preset.slope_shift());
        let altitude = level(
            &self.altitude_plateau,
            seen.altitudes,
            preset.altitude_shift(),
        );
        let known = slope.unwrap_or(1.0) * altitude.unwrap_or(1.0);
        // One band that leaves all of it out settles the others.
        if known == 0.0 {
            return Levels::all(0.0);
        }
        Levels {
            known,
            slope: slope.is_none(),
            altitude: altitude.is_none(),
            aspect: preset.aspect.is_some() && !seen.is_flat,
            curvature: preset.curvature.is_some(),
        }
    }
}

/// The weight that a band gives to a range of values and what a shift makes of them, where it is the same.
fn level(plateau: &Option<Plateau>, range: Option<Range>, shift: Option<Shift>) -> Option<f64> {
    let (Some(plateau), Some(range)) = (plateau, range) else {
        return Some(1.0);
    };
    let most = shift.map_or(0.0, |shift| shift.amplitude);
    plateau.over(Range {
        lo: range.lo - most,
        hi: range.hi + most,
    })
}

/// What is seen of a stretch at a glance.
struct Seen {
    slopes: Option<Range>,
    altitudes: Option<Range>,
    is_flat: bool,
}

/// The presets among the bands of some strata.
pub(crate) struct Presets {
    bands: Vec<Option<Bands>>,
    reads_slope: bool,
    reads_altitude: bool,
    reads_aspect: bool,
}

impl Presets {
    pub(crate) fn new(bands: &[Option<Preset>]) -> Self {
        let any = |wanted: fn(&Preset) -> bool| bands.iter().flatten().any(wanted);
        Self {
            reads_slope: any(|preset| preset.slope.is_some()),
            reads_altitude: any(|preset| preset.altitude.is_some()),
            reads_aspect: any(|preset| preset.aspect.is_some()),
            bands: bands.iter().map(|preset| preset.map(Bands::new)).collect(),
        }
    }

    /// Looks at a stretch; whether every preset has the same raw weight all along it.
    pub(crate) fn look(
        &self,
        ground: &Sources<'_>,
        stretch: Stretch,
        scratch: &mut PresetScratch,
    ) -> bool {
        let normals = stretch.of_each(ground.normals);
        let is_zero = |normals: &[f32]| normals.iter().fold(true, |all, &n| all & (n == 0.0));
        let seen = Seen {
            slopes: self.reads_slope.then(|| slope_range(normals)),
            altitudes: self
                .reads_altitude
                .then(|| range_of(stretch.of(ground.heights))),
            is_flat: self.reads_aspect && is_zero(normals[0]) && is_zero(normals[1]),
        };
        let levels = self.bands.iter().map(|bands| match bands {
            Some(bands) => bands.levels(&seen),
            None => Levels::ALL_ONE,
        });
        scratch.levels.clear();
        scratch.levels.extend(levels);
        scratch.levels.iter().all(Levels::are_all)
    }

    /// Writes the raw weights of the first `n` pixels of the stretch last looked at, band after band; 0 where there is
    /// no preset.
    pub(crate) fn write(
        &self,
        ground: &Sources<'_>,
        stretch: Stretch,
        n: usize,
        scratch: &mut PresetScratch,
        weights: &mut [f64],
    ) {
        self.measure(ground, stretch, n, scratch);
        let PresetScratch {
            levels,
            slopes,
            aspects,
            curvatures,
            shifted,
            ..
        } = scratch;
        let rows = weights.chunks_exact_mut(n);
        for ((bands, levels), row) in self.bands.iter().zip(levels).zip(rows) {
            let Some(Bands { preset, .. }) = bands else {
                row.fill(0.0);
                continue;
            };
            row.fill(levels.known);
            let mut see = |row: &mut [f64], band, values: &[f64], shift| {
                let values = shift_by(shift, values, ground, stretch, shifted);
                multiply(row, band, values);
            };
            if levels.slope {
                see(row, preset.slope, slopes, preset.slope_shift());
            }
            if levels.altitude {
                let heights = &stretch.of(ground.heights)[..n];
                see(row, preset.altitude, heights, preset.altitude_shift());
            }
            if let (true, Some(sector)) = (levels.aspect, preset.aspect) {
                for (w, &aspect) in row.iter_mut().zip(aspects.iter()) {
                    *w *= sector.weight(aspect);
                }
            }
            if let (true, Some(own)) = (levels.curvature, preset.curvature) {
                multiply(row, Some(own.band), &curvatures[own.kind as usize]);
            }
        }
    }

    /// Measures what the bands that are not level read.
    fn measure(
        &self,
        ground: &Sources<'_>,
        stretch: Stretch,
        n: usize,
        scratch: &mut PresetScratch,
    ) {
        let levels = &scratch.levels;
        let normals = stretch.of_each(ground.normals);
        if levels.iter().any(|levels| levels.slope) {
            scratch.slopes.resize(n, 0.0);
            write_slopes(normals, &mut scratch.slopes, |degrees| degrees);
        }
        if levels.iter().any(|levels| levels.aspect) {
            let [nx, ny, _] = normals;
            let aspect = |(&nx, &ny): (&f32, &f32)| aspect_degrees(f64::from(nx), f64::from(ny));
            scratch.aspects.clear();
            scratch
                .aspects
                .extend(nx.iter().zip(ny).take(n).map(aspect));
        }
        for (kind, out) in CURVATURES.into_iter().zip(&mut scratch.curvatures) {
            let is_read = |(bands, levels): (&Option<Bands>, &Levels)| {
                let own = bands.as_ref().and_then(|bands| bands.preset.curvature);
                levels.curvature && own.is_some_and(|own| own.kind == kind)
            };
            if self.bands.iter().zip(levels).any(is_read) {
                out.resize(n, 0.0);
                let at = (stretch.x, stretch.y);
                write_curvature(
                    kind,
                    ground.normals,
                    ground.grid.pixel,
                    at,
                    &mut scratch.curvature,
                    out,
                );
            }
        }
    }
}

/// The values that a band sees: those shifted by noise, where there is any.
fn shift_by<'a>(
    shift: Option<Shift>,
    values: &'a [f64],
    ground: &Sources<'_>,
    stretch: Stretch,
    shifted: &'a mut Vec<f64>,
) -> &'a [f64] {
    let Some(shift) = shift else {
        return values;
    };
    shifted.resize(values.len(), 0.0);
    shift
        .noise
        .write_row(&ground.grid, (stretch.x, stretch.y), shifted);
    for (shifted, &value) in shifted.iter_mut().zip(values) {
        *shifted = value + shift.amplitude * *shifted;
    }
    shifted
}

fn multiply(row: &mut [f64], band: Option<Trapezoid>, values: &[f64]) {
    if let Some(band) = band {
        for (w, &v) in row.iter_mut().zip(values) {
            *w *= band.weight(v);
        }
    }
}
