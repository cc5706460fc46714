//! What is asked for, line by line.

use ecotone_store::{Manifest, SpeciesRecord};

use super::super::EditError;
use super::search::{Search, Wanted};
use crate::config::nearest;
use crate::plan::STEPS_PER_M;

/// The farthest, in metres, that a plant is looked for around a place.
const MOST_WITHIN_M: f64 = 1000.0;

/// What is to be done to a plant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinOp {
    /// Sets a plant where there is none.
    Add,
    /// Takes a plant away.
    Remove,
    /// Takes a plant away and sets it elsewhere.
    Move,
    /// Keeps a plant as it is, whatever becomes of the rules.
    Lock,
}

impl PinOp {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Add, Self::Remove, Self::Move, Self::Lock];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Remove => "remove",
            Self::Move => "move",
            Self::Lock => "lock",
        }
    }
}

/// What is asked for one plant.
#[derive(Clone, Debug, PartialEq)]
pub struct PinRequest {
    /// What to do.
    pub op: PinOp,
    /// The species.
    pub species: Option<String>,
    /// The plant's id.
    pub id: Option<u64>,
    /// Where it stands or is to stand, in world metres.
    pub at: Option<[f64; 2]>,
    /// Where it is moved to, in world metres.
    pub to: Option<[f64; 2]>,
    /// How far around [`PinRequest::at`] a plant is looked for, in metres.
    pub within: f64,
    /// Its size, as a factor of the mesh.
    pub size: Option<f64>,
    /// Its turn in degrees, counter-clockwise seen from above.
    pub yaw: Option<f64>,
    /// Its variant, by name.
    pub variant: Option<String>,
    /// Its tint, from 0 to 1.
    pub tint: Option<f64>,
}

/// A request, or why a line of a file is none.
#[derive(Clone, Debug)]
pub struct PinLine {
    /// Its line in the file that it was read from.
    pub line: Option<u64>,
    /// What it asks for.
    pub asked: Result<PinRequest, String>,
}

/// A line that cannot be done, and why.
pub(super) struct BadLine {
    line: Option<u64>,
    why: String,
}

impl BadLine {
    pub(super) fn new(line: &PinLine, why: String) -> Self {
        let line = line.line;
        Self { line, why }
    }
}

/// The refusal of all lines for those that cannot be done.
pub(super) fn refusal(mut bad: Vec<BadLine>, n_lines: usize, file: Option<&str>) -> EditError {
    bad.sort_by_key(|bad| bad.line);
    let told = bad.iter().map(|bad| match bad.line {
        Some(line) => format!("\n  line {line}: {}", bad.why),
        None => bad.why.clone(),
    });
    let told: String = told.collect();
    let Some(file) = file else {
        return EditError::Pin { why: told };
    };
    EditError::Pins {
        n_bad: bad.len(),
        n_lines,
        file: file.to_owned(),
        told,
    }
}

/// A request that makes sense by itself.
pub(super) struct Asked<'a> {
    pub(super) line: &'a PinLine,
    pub(super) request: &'a PinRequest,
    /// The plant of the world that it means, by its number in the search.
    pub(super) plant: Option<usize>,
    /// Where a plant is to stand, in 1/1024 m; none: where it stands.
    pub(super) place: Option<[i64; 2]>,
}

impl<'a> Asked<'a> {
    /// Checks a line, and has the plant that it means looked for.
    pub(super) fn new(
        line: &'a PinLine,
        manifest: &Manifest,
        search: &mut Search,
    ) -> Result<Self, String> {
        let request = line.asked.as_ref().map_err(Clone::clone)?;
        if let Some(name) = &request.species {
            species(manifest, name)?;
        }
        let at = request.at.map(|at| steps(at, "place")).transpose()?;
        let place = match request.op {
            PinOp::Add => {
                let name = request.species.as_ref();
                name.ok_or("a plant to add needs a species")?;
                Some(on_map(manifest, at.ok_or("a plant to add needs a place")?)?)
            }
            PinOp::Move => {
                let to = request
                    .to
                    .ok_or("a plant to move needs a place to move to")?;
                Some(on_map(manifest, steps(to, "place to move to")?)?)
            }
            PinOp::Remove | PinOp::Lock => None,
        };
        let plant = match request.op {
            PinOp::Add => None,
            _ => Some(search.add(wanted(request, at)?)),
        };
        Ok(Self {
            line,
            request,
            plant,
            place,
        })
    }
}

/// The plant that a request means.
fn wanted(request: &PinRequest, at: Option<[i64; 2]>) -> Result<Wanted, String> {
    if request.id.is_none() && (at.is_none() || request.species.is_none()) {
        let op = request.op.word();
        return Err(format!(
            "a plant to {op} is named by its id, or by its species and place"
        ));
    }
    let within = request.within;
    if !(0.0..=MOST_WITHIN_M).contains(&within) {
        return Err(format!(
            "expected to look within 0 to {MOST_WITHIN_M} m, found {within}"
        ));
    }
    Ok(Wanted {
        species: request.species.clone(),
        id: request.id,
        at,
        within: (within * STEPS_PER_M).floor() as i64,
    })
}

/// A place in whole 1/1024 m.
fn steps([x, y]: [f64; 2], what: &str) -> Result<[i64; 2], String> {
    /// Farther out than any map.
    const FARTHEST_M: f64 = 2e9;
    let is_near = |v: f64| v.abs() <= FARTHEST_M;
    if is_near(x) && is_near(y) {
        return Ok([x, y].map(|metres| (metres * STEPS_PER_M).round() as i64));
    }
    Err(format!(
        "the {what} is ({x}, {y}): expected metres of the world"
    ))
}

/// World metres of a place.
pub(super) fn metres(at: [i64; 2]) -> [f64; 2] {
    at.map(|steps| steps as f64 / STEPS_PER_M)
}

fn on_map(manifest: &Manifest, at: [i64; 2]) -> Result<[i64; 2], String> {
    let grid = &manifest.grid;
    let [west, south, east, north] = grid.transform().bounds(grid.tiles().map());
    let [x, y] = metres(at);
    if (west..=east).contains(&x) && (south..=north).contains(&y) {
        return Ok(at);
    }
    Err(format!(
        "({x}, {y}) lies off the map, where x is {west} … {east} and y is {south} … {north}"
    ))
}

/// A species of the world.
pub(super) fn species<'a>(manifest: &'a Manifest, name: &str) -> Result<&'a SpeciesRecord, String> {
    let all = || manifest.species.iter();
    all().find(|own| own.name == name).ok_or_else(|| {
        let names = || all().map(|own| own.name.as_str());
        let known: Vec<String> = names().map(|name| format!("`{name}`")).collect();
        let help = nearest(name, names()).map(|near| format!("; did you mean `{near}`?"));
        format!(
            "there is no species \"{name}\" with plants in this world: expected one of {}{}",
            known.join(", "),
            help.unwrap_or_default()
        )
    })
}
