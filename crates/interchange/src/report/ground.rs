//! The map and its strata.

use std::fmt::Write as _;

use super::Report;
use super::text::{base64, change, css, escaped, hectares, percent, table};
use crate::preview::palette;

/// The picture of the world, in the page itself.
pub(super) fn map(picture: Option<&[u8]>) -> String {
    let Some(png) = picture else {
        return String::new();
    };
    format!(
        "<section>\n<h2>Map</h2>\n<div class=\"map\"><img alt=\"The world from above: its strata, its relief and its plants\" \
         src=\"data:image/png;base64,{}\"/></div>\n</section>\n",
        base64(png)
    )
}

/// How much of the ground each stratum takes.
pub(super) fn strata(report: &Report) -> String {
    let colours = palette::strata(report.strata.iter().map(|stratum| stratum.name.as_str()));
    let mut stack = String::new();
    let mut rows = Vec::new();
    for (stratum, colour) in report.strata.iter().zip(colours) {
        let (name, colour) = (escaped(&stratum.name), css(colour));
        let share = percent(stratum.share);
        let _ = write!(
            stack,
            "<span style=\"background:{colour};flex:{:.6} 0 0\" title=\"{name} {share}\"></span>",
            stratum.share
        );
        rows.push(vec![
            format!("<span class=\"swatch\" style=\"background:{colour}\"></span>{name}"),
            share,
            hectares(stratum.hectares),
            change(stratum.share, stratum.share_before),
        ]);
    }
    let map = &report.map;
    let all = f64::from(map.pixels[0]) * f64::from(map.pixels[1]);
    let void = percent(1.0 - map.valid_px as f64 / all);
    format!(
        "<section>\n<h2>Strata</h2>\n<div class=\"card\"><div class=\"stack\">{stack}</div>\n{}<p class=\"soft\">Shares of {} that are no \
         void; {void} of the map is void.</p></div>\n</section>\n",
        table(
            &["Stratum", "Share", "Area", "Against the bake before"],
            &rows
        ),
        hectares(map.valid_ha),
    )
}
