//! `ecotone explain`: why there is what there is at a point of a world.

use ecotone_bake::explain::{
    CandidateAnswer, Explainer, Explanation, Ground, Place, PlantAnswer, Request, RuleAnswer,
    SpeciesAnswer,
};
use ecotone_interchange::Finished;
use serde_json::json;

use crate::args::ExplainArgs;
use crate::error::CliError;
use crate::say::{Voice, decimal};

pub(crate) fn explain(args: &ExplainArgs, voice: Voice) -> Result<(), CliError> {
    let at = match (args.id, args.x, args.y) {
        (Some(id), ..) => Place::Plant(id),
        (None, x, y) => Place::Point(x.unwrap_or(f64::NAN), y.unwrap_or(f64::NAN)),
    };
    let request = Request {
        at,
        radius: args.radius,
        species: args.species.clone(),
    };
    let finished = Finished::open_named(&args.world)?;
    let answer = Explainer::open(finished.world(), args.memory)?.explain(&request)?;
    people(&answer, voice);
    let mut object = json!(answer);
    object["event"] = json!("explained");
    voice.json(&object);
    Ok(())
}

/// The answer for people, the most important first.
fn people(answer: &Explanation, voice: Voice) {
    let Explanation { x, y, .. } = answer;
    match answer.ground {
        Ground::OffMap => voice.line(format_args!(
            "({x}, {y}) lies off the map: there is nothing"
        )),
        Ground::Void => voice.line(format_args!("({x}, {y}) is void: no plant stands here")),
        Ground::Solid => {}
    }
    for changed in &answer.changed {
        voice.line(format_args!(
            "the inputs of the {changed} are others now than when the world was baked"
        ));
    }
    for unknown in &answer.unknown {
        voice.line(format_args!(
            "what the {unknown} read when the world was baked is not known: its ledger is damaged, and `ecotone bake` makes it whole"
        ));
    }
    for species in &answer.species {
        voice.line(&species.says);
    }
    if answer.ground != Ground::OffMap && answer.species.is_empty() {
        voice.line("the world has no species");
    }
    fields(answer, voice);
    for species in &answer.species {
        tell(species, voice);
    }
}

fn fields(answer: &Explanation, voice: Voice) {
    if let Some(fields) = &answer.fields {
        let aspect = fields.aspect.map_or_else(
            || "level".to_owned(),
            |aspect| format!("facing {}°", decimal(aspect, 1)),
        );
        voice.line(format_args!(
            "\nground ({}, {})\n  height {} m, slope {}°, {aspect}",
            answer.x,
            answer.y,
            decimal(fields.height, 2),
            decimal(fields.slope, 1)
        ));
    }
    for stratum in &answer.strata {
        let weight = decimal(stratum.weight, 3);
        let distance = stratum.distance.map_or_else(String::new, |distance| {
            let side = if distance < 0.0 { "inside" } else { "outside" };
            format!(", {} m {side} its edge", decimal(distance.abs(), 2))
        });
        let name = &stratum.name;
        voice.line(format_args!("  stratum {name}: weight {weight}{distance}"));
    }
    for layer in &answer.layers {
        let value = layer.value.map_or("void".to_owned(), |v| decimal(v, 4));
        voice.line(format_args!("  {}: {value}", layer.name));
    }
    for biome in &answer.biomes {
        let presence = decimal(biome.presence, 3);
        voice.line(format_args!("  biome {}: {presence}", biome.name));
    }
}

fn tell(species: &SpeciesAnswer, voice: Voice) {
    let Some(probability) = species.probability else {
        return;
    };
    voice.line(format_args!(
        "\n{}: probability {} here, {} at the most",
        species.name,
        decimal(probability, 3),
        decimal(species.fill, 3)
    ));
    species.rules.iter().for_each(|own| rule(own, voice));
    species
        .candidates
        .iter()
        .for_each(|own| candidate(own, voice));
}

fn rule(rule: &RuleAnswer, voice: Voice) {
    let of = rule
        .of
        .as_ref()
        .map_or_else(String::new, |of| format!(" {of}"));
    let title = format!("{}{of}", rule.rule.replace('_', " "));
    let value = rule.value.map_or("none".to_owned(), |v| decimal(v, 3));
    let (says, asks) = (&rule.says, &rule.asks);
    voice.line(format_args!("  {title:<20} {value:>10}  {says:<12} {asks}"));
}

fn candidate(own: &CandidateAnswer, voice: Voice) {
    let (x, y) = (decimal(own.x, 3), decimal(own.y, 3));
    let at = decimal(own.distance, 2);
    voice.line(format_args!(
        "  {} at ({x}, {y}), {at} m away: {}",
        own.id, own.says
    ));
    if let Some(plant) = &own.plant {
        voice.line(format_args!("    {}", attributes(plant)));
    }
}

fn attributes(plant: &PlantAnswer) -> String {
    let variant = plant.variant.as_ref();
    let variant = variant.map_or_else(String::new, |name| format!(", variant {name}"));
    let [east, north, up] = plant.up.map(|part| decimal(part, 3));
    format!(
        "foot at {} m, size {}, turned {}°, upright ({east}, {north}, {up}), tint {}{variant}",
        decimal(plant.z, 3),
        decimal(plant.size, 3),
        decimal(plant.yaw, 1),
        decimal(plant.tint, 3)
    )
}
