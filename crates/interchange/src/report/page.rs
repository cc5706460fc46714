//! The page: its frame, what stands first, and what was asked.

use std::fmt::Write as _;
use std::path::Path;

use super::text::{bytes, count, duration, escaped, trimmed};
use super::{Report, changes, ground, run, species};
use crate::{CheckLevel, Verdict};

const STYLE: &str = include_str!("style.css");

/// The whole page. It is well-formed XML too, so that anything can read it.
pub(super) fn page(report: &Report, picture: Option<&[u8]>) -> String {
    let title = format!("{} · revision {}", world_name(report), report.revision);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<main>\n",
        escaped(&title)
    );
    out += &head(report);
    out += &checks(report);
    out += &warnings(report);
    out += &figures(report);
    out += &ground::map(picture);
    out += &ground::strata(report);
    out += &species::section(report);
    out += &changes::section(report);
    out += &run::section(report);
    out += &asked(report);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// The folder of the config, which people name after the world, or the config where it lies in none.
fn world_name(report: &Report) -> String {
    let config = Path::new(&report.asked.config);
    let folder = config.parent().and_then(Path::file_name);
    let name = folder.or(config.file_stem()).unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn head(report: &Report) -> String {
    let run = &report.run;
    let mut out = format!("<header>\n<h1>{}</h1>\n", escaped(&world_name(report)));
    let _ = writeln!(
        out,
        "<p class=\"soft\">Revision {} · baked in {} · {} · {}</p>",
        report.revision,
        duration(run.seconds),
        escaped(&run.ended),
        escaped(&report.program)
    );
    let verdicts = &report.checks.verdicts;
    let n = verdicts.len();
    let n_warned = verdicts
        .iter()
        .filter(|v| !v.passed && !v.is_failure())
        .count();
    let (class, words) = match (report.checks.failed, n_warned) {
        (0, _) if n == 0 => ("", String::new()),
        (0, 0) if n == 1 => ("good", "the check passed".to_owned()),
        (0, 0) => ("good", format!("all {n} checks passed")),
        (0, warned) => ("warn", format!("{warned} of {n} checks to look at")),
        (failed, _) => ("bad", format!("{failed} of {n} checks failed")),
    };
    if !words.is_empty() {
        let _ = writeln!(out, "<p class=\"pill {class}\">{words}</p>");
    }
    out.push_str("</header>\n");
    out
}

/// The checks, those that failed first.
fn checks(report: &Report) -> String {
    if report.checks.verdicts.is_empty() {
        return String::new();
    }
    let mut verdicts: Vec<&Verdict> = report.checks.verdicts.iter().collect();
    verdicts.sort_by_key(|verdict| (verdict.passed, verdict.level == CheckLevel::Warn));
    let mut out = String::from(
        "<section id=\"checks\">\n<h2>Checks</h2>\n<div class=\"card scroll\"><table class=\"words\"><thead><tr><th>Result</th>\
         <th>Check</th><th>Expected</th><th>Found</th></tr></thead><tbody>\n",
    );
    for verdict in &verdicts {
        let (class, word) = match (verdict.passed, verdict.level) {
            (true, _) => ("good", "passed"),
            (false, CheckLevel::Error) => ("bad", "failed"),
            (false, CheckLevel::Warn) => ("warn", "warning"),
        };
        let _ = writeln!(
            out,
            "<tr><td class=\"{class}-text\">{word}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&verdict.name),
            escaped(&verdict.expected),
            escaped(&verdict.found)
        );
    }
    out.push_str("</tbody></table></div>\n");
    verdicts
        .iter()
        .for_each(|verdict| out += &offenders(verdict));
    out.push_str("</section>\n");
    out
}

/// The first faults of a check.
fn offenders(verdict: &Verdict) -> String {
    if verdict.offenders.is_empty() {
        return String::new();
    }
    let shown = verdict.offenders.len() as u64;
    let which = match verdict.faults {
        n if n > shown => format!("the first {shown} of {}", count(n)),
        n => count(n),
    };
    let mut out = format!(
        "<details class=\"card\" style=\"margin-top:10px\"{}><summary>{}: {which}</summary><div class=\"scroll\">\
         <table class=\"words\"><thead><tr><th>What</th><th class=\"place\">x, m</th><th class=\"place\">y, m</th><th>Found</th></tr>\
         </thead><tbody>\n",
        if verdict.passed { "" } else { " open=\"open\"" },
        escaped(&verdict.name)
    );
    for offender in &verdict.offenders {
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"place\">{:.3}</td><td class=\"place\">{:.3}</td><td>{}</td></tr>",
            escaped(offender.species.as_deref().unwrap_or("side of a tile")),
            offender.x,
            offender.y,
            escaped(&offender.what)
        );
    }
    out.push_str("</tbody></table></div></details>\n");
    out
}

fn warnings(report: &Report) -> String {
    list("Warnings", &report.run.warnings)
}

/// A list under a heading; nothing where there is nothing to list.
fn list(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let items: String = lines
        .iter()
        .map(|line| format!("<li>{}</li>", escaped(line)))
        .collect();
    format!("<section>\n<h2>{title}</h2>\n<div class=\"card\"><ul>{items}</ul></div>\n</section>\n")
}

/// The numbers that a glance should find.
fn figures(report: &Report) -> String {
    let (map, run) = (&report.map, &report.run);
    let sides = [0, 1].map(|k| f64::from(map.pixels[k]) * map.pixel_m[k]);
    let mpx = f64::from(map.pixels[0]) * f64::from(map.pixels[1]) / 1e6;
    let jobs = |of: fn(&super::Stage) -> usize| run.stages.iter().map(of).sum::<usize>();
    let (made, total) = (jobs(|stage| stage.made), jobs(|stage| stage.total));
    let plants: u64 = report.species.iter().map(|species| species.plants).sum();
    let mut cards = vec![
        (
            area(sides),
            format!("{} × {} pixels", map.pixels[0], map.pixels[1]),
        ),
        (count(plants), "plants".to_owned()),
        (duration(run.seconds), format!("on {} threads", run.threads)),
        (format!("{made} of {total}"), "jobs had to run".to_owned()),
    ];
    if made == total && run.seconds > 0.0 {
        let rate = format!("{} Mpx/s", trimmed(mpx / run.seconds, 1));
        cards.push((rate, "of the map, all stages".to_owned()));
    }
    if let Some(peak) = run.peak_bytes {
        cards.push((bytes(peak), "memory at the most".to_owned()));
    }
    let cards: String = cards
        .iter()
        .map(|(number, what)| {
            let number = escaped(number);
            format!("<div class=\"card\"><b>{number}</b><span class=\"soft\">{what}</span></div>\n")
        })
        .collect();
    format!("<div class=\"figures\">\n{cards}</div>\n")
}

/// East–west and north–south, in one unit.
fn area([x, y]: [f64; 2]) -> String {
    let (per, unit) = if x.max(y) >= 1000.0 {
        (1000.0, "km")
    } else {
        (1.0, "m")
    };
    format!("{} × {} {unit}", trimmed(x / per, 2), trimmed(y / per, 2))
}

/// What was asked: the last thing, for who wants to know why.
fn asked(report: &Report) -> String {
    let asked = &report.asked;
    let map = &report.map;
    let epsg = map
        .epsg
        .map_or("none".to_owned(), |code| format!("EPSG:{code}"));
    let [west, south, east, north] = map.bounds.map(|m| trimmed(m, 3));
    let facts = [
        ("Config", escaped(&asked.config)),
        ("Seed", asked.seed.to_string()),
        (
            "Pixels",
            format!("{} × {} m", map.pixel_m[0], map.pixel_m[1]),
        ),
        (
            "West, south, east, north",
            format!("{west}, {south}, {east}, {north} m"),
        ),
        ("Coordinate system", epsg),
        (
            "Tiles and chunks",
            format!("{} pixels, {} m", map.tile_px, trimmed(map.chunk_m, 3)),
        ),
    ];
    let mut out = String::from(
        "<section>\n<h2>What was asked</h2>\n<div class=\"card\"><table class=\"words\"><tbody>\n",
    );
    for (name, value) in facts {
        let _ = writeln!(
            out,
            "<tr><td class=\"soft\">{name}</td><td>{value}</td></tr>"
        );
    }
    out.push_str("</tbody></table></div>\n</section>\n");
    out += &list("Inputs", &asked.inputs);
    out += &list("Edits", &asked.edits);
    let _ = writeln!(
        out,
        "<details class=\"card\" style=\"margin-top:14px\"><summary>The config as it was</summary><pre>{}</pre></details>",
        escaped(&asked.text)
    );
    out
}
