//! What is possible, but hardly meant.

use ecotone_grid::Rect;

use super::{Survey, Values};
use crate::plan::Plan;

/// No ground lies lower: the Challenger Deep is 10,935 m under the sea.
const LOWEST_M: f64 = -12_000.0;
/// No ground lies higher: Mount Everest is 8,849 m.
const HIGHEST_M: f64 = 9_000.0;
/// The share of heights at the very end of their type from which they seem to be cut off there.
const CUT_OFF_SHARE: f64 = 0.01;

/// What the files' own statistics say, which may be out of date.
pub(super) fn of_stated_heights(survey: &Survey) -> Vec<String> {
    if survey.heights().is_some() {
        return Vec::new(); // The truth is known.
    }
    let heights = survey.inputs.iter().filter(|input| input.is_of_heights());
    let stated = heights.filter_map(|input| Some((input, input.raster.as_ref()?.stated?)));
    stated
        .filter(|(_, [low, high])| *low < LOWEST_M || *high > HIGHEST_M)
        .map(|(input, [low, high])| {
            format!(
                "by its own statistics {} holds {low} … {high} m, outside of {LOWEST_M} … {HIGHEST_M} m: {REMEDY}",
                input.path.display()
            )
        })
        .collect()
}

const REMEDY: &str =
    "give terrain.nodata if that stands for a void, or terrain.scale and terrain.offset";

/// What the pixels say.
pub(super) fn of_heights(survey: &Survey, values: &Values, plan: &Plan) -> Vec<String> {
    let mut warnings = Vec::new();
    if values.n_valid() > 0 && values.lowest < LOWEST_M {
        warnings.push(of_extreme("lowest", values.lowest, values.lowest_at, plan));
    }
    if values.n_valid() > 0 && values.highest > HIGHEST_M {
        warnings.push(of_extreme(
            "highest",
            values.highest,
            values.highest_at,
            plan,
        ));
    }
    if values.void_share() > 0.5 {
        warnings.push(format!(
            "{:.1} % of the map is void, where nothing grows; is terrain.nodata right?",
            values.void_share() * 100.0
        ));
    }
    if values.n_valid() > 1 && values.lowest == values.highest {
        warnings.push(format!(
            "all heights are {} m: the ground is flat, and every slope 0",
            values.lowest
        ));
    } else {
        warnings.extend(of_cut_off(survey, values));
    }
    warnings
}

/// A height where no ground is, and where that is.
fn of_extreme(word: &str, height: f64, (x, y): (i64, i64), plan: &Plan) -> String {
    let [west, south, east, north] = plan.transform.bounds(Rect::new(x, y, x + 1, y + 1));
    format!(
        "the {word} height is {height} m, outside of {LOWEST_M} … {HIGHEST_M} m: pixel ({x}, {y}), world ({}, {}); {REMEDY}",
        (west + east) / 2.0,
        (south + north) / 2.0
    )
}

/// Many heights at the end of an integer type: clipped there, or a void without a nodata value.
fn of_cut_off(survey: &Survey, values: &Values) -> Vec<String> {
    let many = values.at_ends.iter().filter_map(|&(end, n)| {
        let share = n as f64 / values.n_valid().max(1) as f64;
        (share > CUT_OFF_SHARE).then_some((end, share))
    });
    many.filter_map(|(end, share)| {
        let heights = survey.inputs.iter().filter(|input| input.is_of_heights());
        let rasters = heights.filter_map(|input| input.raster.as_ref());
        let (raster, [low, _]) = rasters
            .filter_map(|raster| Some((raster, raster.holds?)))
            .find(|(_, holds)| holds.contains(&end))?;
        let word = if end == low { "least" } else { "most" };
        Some(format!(
            "{:.1} % of the heights are {end} m, the {word} that {} holds here: are they cut off there, or voids? For voids give terrain.nodata",
            share * 100.0,
            raster.sample
        ))
    })
    .collect()
}
