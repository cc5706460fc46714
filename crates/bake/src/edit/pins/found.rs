//! The pins that what is asked for comes to, once its plants are found.

use std::collections::BTreeMap;
use std::fmt;

use ecotone_store::{Manifest, PinLook, PinRecord, SpeciesRecord};

use super::asked::{Asked, PinOp, PinRequest, metres, species};
use super::laid::largest;
use super::search::{Hit, Search};
use crate::plan::STEPS_PER_M;

/// The pins that requests come to.
#[derive(Default)]
pub(super) struct Found {
    pins: Vec<PinRecord>,
    /// What was meant so far, by species and place, and by which line.
    seen: BTreeMap<(String, [i64; 2]), Option<u64>>,
    n_asked: usize,
    /// What the last of them does.
    text: String,
}

impl Found {
    /// Adds what a request comes to; `sink` is how deep its plant stands in the ground.
    pub(super) fn add(
        &mut self,
        asked: &Asked<'_>,
        search: &Search,
        manifest: &Manifest,
        sink: Option<f64>,
    ) -> Result<(), String> {
        let request = asked.request;
        let hit = asked.plant.map(|plant| found(search, plant)).transpose()?;
        let name = hit.map_or(request.species.as_ref(), |hit| Some(&hit.species));
        let record = species(manifest, name.map_or("", String::as_str))?;
        let stood = hit.map(|hit| [hit.plant.x, hit.plant.y]);
        let stands = asked.place.or(stood).unwrap_or_default();
        let look = match request.op {
            PinOp::Remove => None,
            _ => Some(look(request, record, hit, sink)?),
        };
        self.note(asked, &record.name, stood.unwrap_or(stands))?;
        let pin = |[x, y]: [i64; 2], stands| PinRecord {
            species: record.name.clone(),
            x,
            y,
            stands,
        };
        if let (PinOp::Move, Some(stood)) = (request.op, stood) {
            self.pins.push(pin(stood, None));
        }
        self.text = text(request.op, &record.name, hit, stands);
        self.pins.push(pin(stands, look));
        Ok(())
    }

    /// Two lines that mean one plant would come to something that depends on their order.
    fn note(&mut self, asked: &Asked<'_>, species: &str, at: [i64; 2]) -> Result<(), String> {
        self.n_asked += 1;
        let line = asked.line.line;
        match self.seen.insert((species.to_owned(), at), line) {
            None => Ok(()),
            Some(other) => {
                let other =
                    other.map_or_else(|| "another".to_owned(), |line| format!("line {line}"));
                Err(format!("{other} means the same {species} at {}", Place(at)))
            }
        }
    }

    /// The pins, and what they do in words.
    pub(super) fn finish(self, file: Option<&str>) -> (Vec<PinRecord>, String) {
        let text = match file {
            Some(file) => format!("{} pins of {file}", self.n_asked),
            None => self.text,
        };
        (self.pins, text)
    }
}

/// The plant that was looked for.
fn found(search: &Search, plant: usize) -> Result<&Hit, String> {
    let (wanted, answer) = (search.wanted(plant), search.answer(plant));
    if let Some(hit) = &answer.hit {
        return Ok(hit);
    }
    let named = wanted.species.as_deref().unwrap_or("plant");
    let within = wanted.within as f64 / STEPS_PER_M;
    let around = wanted
        .at
        .map(|at| format!("within {within} m of {}", Place(at)));
    let mut why = match (wanted.id, around) {
        (Some(id), Some(around)) => format!("there is no {named} with the id {id} {around}"),
        (Some(id), None) => format!("there is no {named} with the id {id}"),
        (None, around) => format!("there is no {named} {}", around.unwrap_or_default()),
    };
    if let Some(near) = &answer.nearest {
        let off = (near.off2 as f64).sqrt() / STEPS_PER_M;
        let at = Place([near.plant.x, near.plant.y]);
        let Hit { species, id, .. } = near;
        why += &format!("; the nearest is {species} {id} at {at}, {off:.2} m away");
    }
    Err(why)
}

/// How a plant is to look: as it does, but for what is asked otherwise.
fn look(
    request: &PinRequest,
    species: &SpeciesRecord,
    hit: Option<&Hit>,
    sink: Option<f64>,
) -> Result<PinLook, String> {
    let given = PinLook {
        size: request
            .size
            .map(|size| check_size(size, species))
            .transpose()?,
        yaw: request.yaw.map(yaw).transpose()?,
        variant: variant(request.variant.as_deref(), species)?,
        tint: request.tint.map(tint).transpose()?,
        ..PinLook::default()
    };
    let Some(hit) = hit else {
        return Ok(given);
    };
    // A plant that is moved stands on other ground, and leans as that does.
    let up = (request.op == PinOp::Lock).then_some(hit.plant.up);
    Ok(PinLook {
        size: given.size.or(Some(hit.size)),
        yaw: given.yaw.or(Some(hit.plant.yaw)),
        up,
        variant: given.variant.or_else(|| hit.variant.clone()),
        tint: given.tint.or(Some(hit.plant.tint)),
        sink,
    })
}

fn check_size(size: f64, species: &SpeciesRecord) -> Result<f64, String> {
    let most = largest(species);
    if size > 0.0 && size <= most {
        return Ok(size);
    }
    let name = &species.name;
    Err(format!(
        "the size is {size}: sizes of {name} are stored from above 0 to its largest, {most:.4}"
    ))
}

fn yaw(degrees: f64) -> Result<u16, String> {
    if !(-360.0..=360.0).contains(&degrees) {
        return Err(format!(
            "the yaw is {degrees}: expected -360 to 360 degrees"
        ));
    }
    let turns = (degrees.rem_euclid(360.0) / 360.0 * 65536.0).round();
    // A full turn is none.
    Ok((turns as u32 & 0xffff) as u16)
}

fn tint(share: f64) -> Result<u8, String> {
    if !(0.0..=1.0).contains(&share) {
        return Err(format!("the tint is {share}: expected 0 to 1"));
    }
    Ok((share * 255.0).round() as u8)
}

fn variant(name: Option<&str>, species: &SpeciesRecord) -> Result<Option<String>, String> {
    let Some(name) = name else {
        return Ok(None);
    };
    if species.variants.iter().any(|own| own == name) {
        return Ok(Some(name.to_owned()));
    }
    // What an export says of a species without variants.
    if species.variants.is_empty() && name == "0" {
        return Ok(None);
    }
    let known: Vec<String> = species
        .variants
        .iter()
        .map(|own| format!("`{own}`"))
        .collect();
    let expected = match known.is_empty() {
        true => "it has none".to_owned(),
        false => format!("expected one of {}", known.join(", ")),
    };
    Err(format!(
        "{} has no variant \"{name}\": {expected}",
        species.name
    ))
}

/// A place in world metres, for people.
struct Place([i64; 2]);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y] = metres(self.0);
        write!(f, "({x}, {y})")
    }
}

fn text(op: PinOp, species: &str, hit: Option<&Hit>, stands: [i64; 2]) -> String {
    let (word, stands) = (op.word(), Place(stands));
    let Some(hit) = hit else {
        return format!("{word} {species} at {stands}");
    };
    let (id, stood) = (hit.id, Place([hit.plant.x, hit.plant.y]));
    match op {
        PinOp::Move => format!("move {species} {id} from {stood} to {stands}"),
        _ => format!("{word} {species} {id} at {stood}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_turn_in_degrees_is_a_share_of_65536() {
        for (degrees, stored) in [
            (0.0, 0),
            (90.0, 16384),
            (-90.0, 49152),
            (360.0, 0),
            (359.9999, 0),
            (-360.0, 0),
        ] {
            assert_eq!(yaw(degrees), Ok(stored), "{degrees}");
        }
        assert!(yaw(361.0).is_err() && yaw(f64::NAN).is_err());
    }

    #[test]
    fn every_stored_turn_comes_back_from_its_degrees() {
        for stored in 0..=u16::MAX {
            assert_eq!(yaw(f64::from(stored) * 360.0 / 65536.0), Ok(stored));
        }
    }

    #[test]
    fn sizes_go_up_to_what_a_file_can_say() {
        let oak = SpeciesRecord {
            name: "oak".to_owned(),
            size_step: 1.4 / 65535.0,
            variants: vec!["a".to_owned()],
            spacing: 3.0,
            footprint: 1.0,
        };
        assert!(check_size(1.4, &oak).is_ok() && check_size(1.41, &oak).is_err());
        assert!(check_size(0.0, &oak).is_err() && check_size(f64::NAN, &oak).is_err());
        assert_eq!(variant(Some("a"), &oak), Ok(Some("a".to_owned())));
        assert!(variant(Some("0"), &oak).is_err());
        let plain = SpeciesRecord {
            variants: Vec::new(),
            ..oak
        };
        assert_eq!(variant(Some("0"), &plain), Ok(None));
        assert!(variant(Some("a"), &plain).unwrap_err().contains("none"));
    }
}
