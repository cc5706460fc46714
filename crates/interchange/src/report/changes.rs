//! What differs from the revision before.

use super::Report;
use super::text::{count, escaped, table};

pub(super) fn section(report: &Report) -> String {
    let changed = &report.changed;
    let Some(from) = changed.from else {
        return "<section>\n<h2>Changes</h2>\n<p class=\"soft\">The first revision of this world: all of it is new.</p>\n</section>\n"
            .to_owned();
    };
    let mut rows: Vec<Vec<String>> = changed
        .tiles
        .iter()
        .map(|(stage, n)| vec![format!("Tiles of {}", escaped(stage)), count(*n as u64)])
        .collect();
    rows.push(vec![
        "Chunks of plants".to_owned(),
        count(changed.chunks as u64),
    ]);
    match changed.plants {
        Some([added, gone, changed]) => rows.extend([
            vec!["Plants that came".to_owned(), count(added)],
            vec!["Plants that went".to_owned(), count(gone)],
            vec![
                "Plants that stayed and look different".to_owned(),
                count(changed),
            ],
        ]),
        None => rows.push(vec!["Plants".to_owned(), "not known".to_owned()]),
    }
    format!(
        "<section>\n<h2>Changes since revision {from}</h2>\n<div class=\"card\">{}</div>\n</section>\n",
        table(&["What", "How many differ"], &rows)
    )
}
